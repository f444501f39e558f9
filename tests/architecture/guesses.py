"""A reader of source code that finds where the service looks into what an engine returns about a position.

Views, texts, pictures, states and redacted events of a game are opaque to the service: it passes them on, stores and compares
them. It does not look for keys or words in them, which hold in some games only. What it needs to know, `Game` offers.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

GAMES = {"game", "engine"}
"""The names under which the service holds a `Game`."""
OPAQUE = {"view", "picture", "board_text", "tell", "order_help", "rules_help"}
"""The members of `Game` whose results are opaque."""
STATES = {"state", "state_at"}
"""Attributes and functions that return the state of a match."""
COPIES = {
    "dict",
    "list",
    "tuple",
    "str",
    "sorted",
    "reversed",
    "enumerate",
    "unescape",
    "loads",
    "dumps",
    "deepcopy",
    "mark_safe",
}
"""Functions that return what they are given, in another form."""
KEYS = {"get", "pop", "setdefault"}
PATTERNS = {"sub", "subn", "search", "match", "fullmatch", "findall", "finditer"}
WORDS = {"split", "rsplit", "partition", "rpartition", "removeprefix", "removesuffix", "find", "index", "startswith", "endswith"}
Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(slots=True)
class Known:
    """What is known about one function: its code, the opaque parameters, and whether it returns something opaque."""

    code: Function
    module: str
    opaque: set[str] = field(default_factory=set)
    returns: bool = False


@dataclass(slots=True)
class Module:
    tree: ast.Module
    aliases: dict[str, str] = field(default_factory=dict)
    """Names of the module with what they are imported from: `loading` is `gamesvc.matches.record.loading`."""


def guesses(sources: Mapping[str, str]) -> list[str]:
    """Return the places in the modules (by dotted name) that look into something opaque, with the reason."""
    modules = {name: _read(source) for name, source in sources.items()}
    functions = [
        Known(node, name) for name, module in modules.items() for node in ast.walk(module.tree) if isinstance(node, Function)
    ]
    named = {f"{one.module}.{one.code.name}": one for one in functions}
    while any([_Walk(modules[one.module], one, named).follow() for one in functions]):  # noqa: C419
        pass
    return sorted({fault for one in functions for fault in _Walk(modules[one.module], one, named).faults()})


def _read(source: str) -> Module:
    module = Module(ast.parse(source))
    for node in ast.walk(module.tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            module.aliases |= {alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Import):
            module.aliases |= {alias.asname or alias.name: alias.name for alias in node.names}
    return module


class _Walk:
    """One reading of one function with what is known so far."""

    def __init__(self, module: Module, known: Known, functions: Mapping[str, Known]) -> None:
        self.module, self.known, self.functions = module, known, functions
        self.names = set(known.opaque)
        self.changed = False

    def follow(self) -> bool:
        """Follow opaque values to other functions. Returns True if anything new was learnt."""
        self._assignments()
        for node in ast.walk(self.known.code):
            if isinstance(node, ast.Call):
                self._hand_on(node)
            elif isinstance(node, ast.Return) and node.value is not None and self.opaque(node.value) and not self.known.returns:
                self.known.returns = self.changed = True
        return self.changed

    def _assignments(self) -> None:
        before = -1
        while before != len(self.names):
            before = len(self.names)
            for node in ast.walk(self.known.code):
                for target, value in _bindings(node):
                    if self.opaque(value):
                        self.names |= {one.id for one in ast.walk(target) if isinstance(one, ast.Name)}

    def _hand_on(self, call: ast.Call) -> None:
        called = self._function(call)
        if called is None:
            return
        arguments = called.code.args
        names = [one.arg for one in (*arguments.posonlyargs, *arguments.args) if one.arg not in ("self", "cls")]
        given = [*zip(names, call.args, strict=False), *((word.arg, word.value) for word in call.keywords if word.arg)]
        for name, value in given:
            if self.opaque(value) and name not in called.opaque:
                called.opaque.add(name)
                self.changed = True

    def _function(self, call: ast.Call) -> Known | None:
        """Return the function of the service that a call runs, if its name tells."""
        match call.func:
            case ast.Name(name):
                where = self.module.aliases.get(name, f"{self.known.module}.{name}")
            case ast.Attribute(ast.Name("self"), name):
                where = f"{self.known.module}.{name}"
            case ast.Attribute(ast.Name(holder), name) if holder in self.module.aliases:
                where = f"{self.module.aliases[holder]}.{name}"
            case _:
                return None
        return self.functions.get(where)

    def opaque(self, node: ast.expr) -> bool:
        """Return True if an expression is, or is a part of, something that an engine returned about a position."""
        match node:
            case ast.Name(name):
                return name in self.names
            case ast.Call(ast.Attribute(holder, name)) if name in OPAQUE and _is_game(holder):
                return True
            case ast.Call(ast.Name("see_event") | ast.Attribute(attr="see_event")):
                return True
            case ast.Call(ast.Name(name) | ast.Attribute(attr=name)) if name in STATES:
                return True
            case ast.Call(func):
                called = self._function(node)
                inside = isinstance(func, ast.Attribute) and self.opaque(func.value)
                return (called is not None and called.returns) or inside or _is_copy(node, self)
            case ast.Attribute(ast.Name("run" | "timeline") | ast.Attribute(attr="timeline"), "state"):
                return True
            case ast.Attribute(value):
                return self.opaque(value)
            case ast.Subscript(value) | ast.NamedExpr(value=value) | ast.Starred(value) | ast.Await(value):
                return self.opaque(value)
            case ast.IfExp(body=first, orelse=second):
                return self.opaque(first) or self.opaque(second)
            case ast.BoolOp(values=values) | ast.Tuple(values) | ast.List(values):
                return any(self.opaque(one) for one in values)
            case ast.ListComp(inner) | ast.SetComp(inner) | ast.GeneratorExp(inner):
                return self.opaque(inner)
        return False

    def faults(self) -> Iterator[str]:
        self._assignments()
        for node in ast.walk(self.known.code):
            if isinstance(node, ast.expr) and (fault := self._fault(node)):
                yield f"{self.known.module}:{node.lineno} {self.known.code.name} {fault}"

    def _fault(self, node: ast.expr) -> str:
        match node:
            case ast.Subscript(value, ast.Constant(str(key))) if self.opaque(value) or _is_commands(value):
                return f"looks for {key!r}"
            case ast.Call(ast.Attribute(value, name), [ast.Constant(str(key)), *_]) if name in KEYS:
                return f"looks for {key!r}" if self.opaque(value) or _is_commands(value) else ""
            case ast.Compare(ast.Constant(str(key)), [ast.In() | ast.NotIn()], [value]):
                return f"looks for {key!r}" if self.opaque(value) or _is_commands(value) else ""
            case ast.Call(ast.Attribute(_, name), arguments) if name in PATTERNS and any(map(self.opaque, arguments)):
                return "matches a pattern"
            case ast.Call(ast.Attribute(value, name)) if name in WORDS and self.opaque(value):
                return f"parts a text by {name}()"
            case ast.Call(ast.Name("getattr"), [value, ast.Constant(str(key)), *_]) if self.opaque(value) or _is_game(value):
                return f"looks for {key!r}"
            case ast.Attribute(value, name) if _is_state(value, self):
                return f"looks for {name!r} in a state"
        return ""


def _bindings(node: ast.AST) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Yield the targets that a node binds, each with what it is bound to."""
    match node:
        case ast.Assign(targets, value):
            for target in targets:
                yield from _paired(target, value)
        case ast.AnnAssign(target=target, value=ast.expr() as value) | ast.AugAssign(target=target, value=value):
            yield target, value
        case ast.NamedExpr(target, value) | ast.For(target, value) | ast.comprehension(target, value):
            yield target, value
        case ast.withitem(value, ast.expr() as target):
            yield target, value


def _paired(target: ast.expr, value: ast.expr) -> Iterable[tuple[ast.expr, ast.expr]]:
    """Return `a, b = c, d` as two bindings."""
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
        return list(zip(target.elts, value.elts, strict=True))
    return [(target, value)] if isinstance(target, ast.Name | ast.Tuple) else []


def _is_game(node: ast.expr) -> bool:
    match node:
        case ast.Name(name) | ast.Attribute(attr=name):
            return name in GAMES
        case ast.Call(ast.Attribute(ast.Name("catalog"), "game")):
            return True
    return False


def _is_commands(node: ast.expr) -> bool:
    """Return True for the commands of a game: the names in it are those of one game."""
    return isinstance(node, ast.Attribute) and node.attr == "commands" and _is_game(node.value)


def _is_state(node: ast.expr, walk: _Walk) -> bool:
    match node:
        case ast.Attribute(ast.Name("run" | "timeline") | ast.Attribute(attr="timeline"), "state"):
            return True
        case ast.Call(ast.Name(name) | ast.Attribute(attr=name)):
            return name in STATES
    return False


def _is_copy(call: ast.Call, walk: _Walk) -> bool:
    match call.func:
        case ast.Name(name) | ast.Attribute(attr=name):
            return name in COPIES and any(map(walk.opaque, call.args))
    return False
