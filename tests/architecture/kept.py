"""What the processes keep in memory between requests, found in the code: caches of functions, and containers of modules."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("accounts", "events", "gamesvc", "notifications")
# Commands of operators, benches and simulations, which end.
WITHOUT = ("gamesvc/ops/", "/management/", "/migrations/", "gamesvc/clients/")
CACHES = ("cache", "lru_cache")
CONTAINERS = {"dict", "list", "set", "OrderedDict", "defaultdict", "deque", "Counter", "WeakValueDictionary", "WeakKeyDictionary",
              "WeakSet", "bytearray"}  # fmt: skip
CHANGES = {"add", "append", "appendleft", "clear", "discard", "extend", "insert", "move_to_end", "pop", "popitem", "popleft",
           "remove", "setdefault", "update"}  # fmt: skip


def kept() -> Iterator[str]:
    """Yield the dotted paths of all that outlives a request: functions with a cache, containers of modules that are changed
    in functions, and objects of modules whose class has such containers.
    """
    modules = {_name(path): ast.parse(path.read_text(encoding="utf-8")) for path in _files()}
    holders = {one.name for tree in modules.values() for one in ast.walk(tree) if isinstance(one, ast.ClassDef) and _holds(one)}
    for name, tree in modules.items():
        yield from (f"{name}.{each}" for each in (*cached(tree), *changed(tree), *_holding(tree, holders)))


def unbounded() -> Iterator[str]:
    """Yield the cached functions of modules that may keep any number of results."""
    for path in _files():
        for one in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(one, ast.FunctionDef) and any(_is_cache(by) and not is_bound(by) for by in one.decorator_list):
                yield f"{_name(path)}.{one.name}"


def _files() -> Iterator[Path]:
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            if not any(part in f"{path.relative_to(ROOT)}" for part in WITHOUT):
                yield path


def _name(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def cached(tree: ast.Module) -> Iterator[str]:
    for one in ast.walk(tree):
        if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef) and any(map(_is_cache, one.decorator_list)):
            yield one.name
    for name, value in _assigned(tree):
        if isinstance(value, ast.Call) and _is_cache(value.func):  # name = lru_cache(...)(function)
            yield name


def _is_cache(by: ast.expr) -> bool:
    return _called(by.func if isinstance(by, ast.Call) else by) in CACHES


def is_bound(by: ast.expr) -> bool:
    """Return True for `lru_cache` with a number. Without one it has 128, and with None any number."""
    if not isinstance(by, ast.Call):
        return _called(by) == "lru_cache"
    given = [*by.args[:1], *(one.value for one in by.keywords if one.arg == "maxsize")]
    return _called(by.func) == "lru_cache" and not any(isinstance(one, ast.Constant) and one.value is None for one in given)


def changed(tree: ast.Module) -> Iterator[str]:
    """Yield the containers of a module that a function changes. Tables that nothing changes do not grow."""
    changed = {name for part in ast.walk(tree) if isinstance(part, ast.FunctionDef) for name in _changes(part)}
    replaced = {name for part in ast.walk(tree) if isinstance(part, ast.Global) for name in part.names}
    yield from dict.fromkeys(name for name, value in _assigned(tree) if _is_container(value) and name in changed | replaced)


def _changes(part: ast.AST) -> Iterator[str]:
    """Yield the names that code changes in place: by a subscript, or by a method."""
    for one in ast.walk(part):
        if (isinstance(one, ast.Subscript) and isinstance(one.ctx, ast.Store | ast.Del) and isinstance(one.value, ast.Name)) or (
            isinstance(one, ast.Attribute) and one.attr in CHANGES and isinstance(one.value, ast.Name)
        ):
            yield one.value.id


def _holding(tree: ast.Module, holders: set[str]) -> Iterator[str]:
    """Yield the objects of a module that are of a class with containers."""
    for name, value in _assigned(tree):
        if isinstance(value, ast.Call) and _called(value.func) in holders:
            yield name


def _holds(kind: ast.ClassDef) -> bool:
    """Return True for a class whose objects have containers that its methods change."""
    inits = [one for one in kind.body if isinstance(one, ast.FunctionDef) and one.name == "__init__"]
    mine = {
        target.attr
        for init in inits
        for one in ast.walk(init)
        if isinstance(one, ast.Assign | ast.AnnAssign) and one.value is not None and _is_container(one.value)
        for target in (one.targets if isinstance(one, ast.Assign) else [one.target])
        if isinstance(target, ast.Attribute)
    }
    changed = {
        one.value.attr
        for method in kind.body
        for one in ast.walk(method)
        if isinstance(one, ast.Attribute | ast.Subscript) and isinstance(one.value, ast.Attribute) and _is_change(one)
    }
    return bool(mine & changed)


def _is_change(one: ast.Attribute | ast.Subscript) -> bool:
    return isinstance(one.ctx, ast.Store | ast.Del) or (isinstance(one, ast.Attribute) and one.attr in CHANGES)


def _assigned(tree: ast.Module) -> Iterator[tuple[str, ast.expr]]:
    """Yield the names that a module assigns, also within `if` and `try`, with their values."""
    for one in tree.body:
        for part in [one] if isinstance(one, ast.Assign | ast.AnnAssign) else _within(one):
            targets = part.targets if isinstance(part, ast.Assign) else [part.target]
            if part.value is not None:
                yield from ((target.id, part.value) for target in targets if isinstance(target, ast.Name))


def _within(one: ast.AST) -> Iterator[ast.Assign | ast.AnnAssign]:
    for part in ast.iter_child_nodes(one) if isinstance(one, ast.If | ast.Try | ast.With | ast.ExceptHandler) else ():
        if isinstance(part, ast.Assign | ast.AnnAssign):
            yield part
        else:
            yield from _within(part)


def _is_container(value: ast.expr) -> bool:
    if isinstance(value, ast.Dict | ast.List | ast.Set | ast.DictComp | ast.ListComp | ast.SetComp):
        return True
    return isinstance(value, ast.Call) and _called(value.func) in CONTAINERS


def _called(function: ast.expr) -> str:
    """Return the last part of a name: `lru_cache` of `functools.lru_cache`, `dict` of `dict[str, int]`."""
    if isinstance(function, ast.Subscript):
        function = function.value
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""
