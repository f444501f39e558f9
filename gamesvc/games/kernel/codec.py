"""Convert states to JSON and back, guided by the type hints of their frozen dataclasses.

Used for positions and snapshots: everything written here can be read back. Versions inside a state (`game.Version`) are written
as a distance from a base, so that a match can begin from a position at any version.
"""

from __future__ import annotations

import dataclasses
import functools
import re
import types
import typing
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from gamesvc.errors import GamesvcError
from gamesvc.games.kernel import limits
from gamesvc.games.kernel.game import Game, Refused, Version
from gamesvc.games.kernel.wording import counted

T = TypeVar("T")
POSITION_FORMAT = 1
# Limits on a position. Real ones have about 2,000 values, ten levels and two marked states.
DEEPEST = 40
MOST_VALUES = 100_000
MOST_MARKED = 300
LARGEST = 2**53 - 1
LONGEST_KEY = 100
LONGEST_REASON = 400


class Malformed(GamesvcError, ValueError):
    """The JSON does not describe a value of the requested type."""


def with_sorted_keys(value: Any) -> Any:
    """Return the same plain JSON with the keys of every object sorted, which is how it is stored."""
    if isinstance(value, Mapping):
        return {key: with_sorted_keys(value[key]) for key in sorted(value)}
    if isinstance(value, (list, tuple)):
        return [with_sorted_keys(item) for item in value]
    return value


@functools.cache
def _fields(cls: type) -> dict[str, Any]:
    hints = typing.get_type_hints(cls)
    return {field.name: hints[field.name] for field in dataclasses.fields(cls)}


class Parts:
    """A table of values that several states share, each written once.

    The first occurrence of a value is written as a part; later ones refer to it by number (`{"=part": 7}`). A tuple that starts
    like an earlier one is written as a reference to that one plus its remaining items. The size of 100 states that each add one
    item is therefore proportional to their number.
    """

    def __init__(self, written: list[Any] | None = None) -> None:
        self.written = [] if written is None else written
        self._known: dict[Any, int] = {}
        self._begun: dict[Any, int] = {}  # known prefixes of tuples
        self._alive: list[Any] = []  # keeps values alive: an id is unique only during a value's lifetime
        self._read: dict[int, Any] = {}
        self._whole: dict[int, Any] = {}

    def name(self, value: Any, hint: Any, plain: Callable[[], Any]) -> Any:
        """Return the reference to a value. Write the value first if it is new."""
        key = (id(value), hint)
        if key not in self._known:
            if isinstance(value, tuple):
                written = self._tuple(value, hint, plain)
            else:
                written = plain()
            self._add(key, value, written)
        return {PART: self._known[key]}

    def _add(self, key: Any, value: Any, written: Any) -> None:
        self._known[key] = len(self.written)
        self._alive.append(value)
        self.written.append(written)

    def _tuple(self, value: tuple[Any, ...], hint: Any, plain: Callable[[], Any]) -> Any:
        ids = tuple(map(id, value))
        written = plain()
        lengths = range(len(ids), max(0, len(ids) - LONGEST_REST), -1)
        for length in lengths:
            if (begin := self._begun.get((ids[:length], hint))) is not None:
                written = {PART: begin, "first": length, "and": written[length:]}
                break
        for length in lengths:
            self._begun.setdefault((ids[:length], hint), len(self.written))
        return written

    def read(self, number: int, decode: Callable[[Any], Any]) -> Any:
        """Return the decoded value of a part, the same object on every call."""
        if number not in self._read:
            self._read[number] = decode(self.whole(number))
        return self._read[number]

    def whole(self, number: Any) -> Any:
        """Return the JSON of a part, with the prefix of a tuple filled in. Raises `Malformed`."""
        if not isinstance(number, int) or not 0 <= number < len(self.written):
            raise Malformed(f"there is no part {number!r}")
        if number not in self._whole:
            written = self.written[number]
            if isinstance(written, dict) and PART in written:
                if written.keys() != {PART, "first", "and"} or not isinstance(written[PART], int) or written[PART] >= number:
                    raise Malformed(f"/parts/{number} must begin with an earlier part")
                begin = _of(self.whole(written[PART]), list, f"/parts/{written[PART]}")
                first = _of(written["first"], int, f"/parts/{number}/first")
                if not 0 <= first <= len(begin):
                    raise Malformed(f"/parts/{number}/first must be 0 to {len(begin)}")
                written = [*begin[:first], *_of(written["and"], list, f"/parts/{number}/and")]
                if len(written) > limits.MOST_ITEMS:
                    raise Malformed(f"/parts/{number} has more than {limits.MOST_ITEMS} items")
            self._whole[number] = written
        return self._whole[number]


PART = "=part"
NUMBER = re.compile(r"0|-?[1-9][0-9]{0,8}", re.ASCII)
# A tuple is written as an earlier one plus a rest only if the rest has fewer items than this.
LONGEST_REST = 12


def to_json(value: Any, hint: Any, base: int = 0, parts: Parts | None = None) -> Any:
    """Write a value of type `hint` as plain JSON: integers, strings, dataclasses, tuples, frozensets, dicts, unions."""
    return _namer(hint)(value, base, parts)


Writer = Callable[[Any, int, Parts | None], Any]


@functools.cache
def _namer(hint: Any) -> Writer:
    """Return a writer for a type. It writes shared values as references to parts."""
    write, bare = _writer(hint), hint
    while typing.get_origin(bare) in (typing.Union, types.UnionType):
        bare = _one(typing.get_args(bare))
    # A part is written as the bare type: "or None" would create a second reference to it.
    part = _writer(bare)
    if write is _as_it_is and hint is not Any:
        return write

    def name(value: Any, base: int, parts: Parts | None) -> Any:
        if parts is None or isinstance(value, (int, str, frozenset)) or value is None or value == ():
            return write(value, base, parts)
        return parts.name(value, bare, lambda: part(value, base, parts))

    return name


@functools.cache
def _writer(hint: Any) -> Writer:
    """Return a writer for a type. Cached, because inspecting type hints takes longer than writing a value."""
    if hint is Version:
        return lambda value, base, parts: value - base
    if dataclasses.is_dataclass(hint) and isinstance(hint, type):
        return lambda value, base, parts: {name: write(getattr(value, name), base, parts) for name, write in _field_writers(hint)}
    origin = typing.get_origin(hint)
    args = typing.get_args(hint)
    if origin in (typing.Union, types.UnionType):
        return _optional_writer(_namer(_one(args)))
    if origin is tuple:
        return _tuple_writer(args)
    if origin is frozenset:
        item = _writer(args[0])
        return lambda value, base, parts: sorted(item(one, base, None) for one in value)
    if origin is not None and isinstance(origin, type) and issubclass(origin, typing.Mapping):
        item = _namer(args[1])
        if args[0] is Version:
            return lambda value, base, parts: [[key - base, item(one, base, parts)] for key, one in value.items()]
        return lambda value, base, parts: {str(key): item(one, base, parts) for key, one in value.items()}
    return _as_it_is


@functools.cache
def _field_writers(cls: type) -> list[tuple[str, Writer]]:
    """List the fields of a dataclass with their writers. Called lazily: a type may contain itself."""
    return [(name, _namer(hint)) for name, hint in _fields(cls).items()]


def _as_it_is(value: Any, base: int, parts: Parts | None) -> Any:
    return value


def _optional_writer(write: Writer) -> Writer:
    return lambda value, base, parts: None if value is None else write(value, base, parts)


def _tuple_writer(args: tuple[Any, ...]) -> Writer:
    if len(args) == 2 and args[1] is Ellipsis:
        item = _namer(args[0])
        return lambda value, base, parts: [item(one, base, parts) for one in value]
    items = [_namer(arg) for arg in args]
    return lambda value, base, parts: [write(one, base, parts) for write, one in zip(items, value, strict=True)]


Reader = Callable[[Any, int, str, Parts | None], Any]
"""Read JSON, with the base of versions, the path for error messages, and the parts that references point to."""


def from_json(data: Any, hint: Any, base: int = 0, path: str = "", parts: Parts | None = None) -> Any:
    """Read a value of type `hint`. Raises `Malformed` with the path of the first value that does not fit."""
    return _reader(hint)(data, base, path, parts)


@functools.cache
def _reader(hint: Any) -> Reader:
    """Return a reader for a type, which follows references to parts."""
    plain = _plain_reader(hint)

    def read(data: Any, base: int, path: str, parts: Parts | None) -> Any:
        if parts is not None and isinstance(data, dict) and data.keys() == {PART}:
            return parts.read(data[PART], lambda whole: plain(whole, base, path, parts))
        return plain(data, base, path, parts)

    return read


def _plain_reader(hint: Any) -> Reader:
    """Return a reader for a type. Cached by `_reader`, because inspecting type hints takes longer than reading a value."""
    if hint is Any:
        return _as_written
    if hint is Version:
        return lambda data, base, path, parts: Version(_of(data, int, path) + base)
    if dataclasses.is_dataclass(hint) and isinstance(hint, type):
        return _object_reader(hint)
    origin = typing.get_origin(hint)
    args = typing.get_args(hint)
    if origin is typing.Literal:
        return _literal_reader(args)
    if origin in (typing.Union, types.UnionType):
        return _optional_reader(_reader(_one(args)))
    if origin is tuple:
        return _tuple_reader(args)
    if origin is frozenset:
        return _set_reader(_reader(args[0]))
    if origin is not None and isinstance(origin, type) and issubclass(origin, typing.Mapping):
        return _versions_reader(_reader(args[1])) if args[0] is Version else _mapping_reader(args[0], _reader(args[1]))
    if hint is None or hint is types.NoneType:
        return lambda data, base, path, parts: None
    return lambda data, base, path, parts: _of(data, hint, path)


def _as_written(data: Any, base: int, path: str, parts: Parts | None) -> Any:
    return data


def _object_reader(cls: type) -> Reader:
    """Return a reader for a dataclass."""
    fields = _fields(cls)

    def read(data: Any, base: int, path: str, parts: Parts | None) -> Any:
        if not isinstance(data, dict) or data.keys() - fields.keys():
            raise Malformed(f"{path or 'the state'} must be an object with {', '.join(fields)}")
        values = {name: field(data[name], base, f"{path}/{name}", parts) for name, field in _field_readers(cls) if name in data}
        try:
            return cls(**values)
        except TypeError as error:
            raise Malformed(f"{path or 'the state'}: {error}") from None

    return read


@functools.cache
def _field_readers(cls: type) -> list[tuple[str, Reader]]:
    """List the fields of a dataclass with their readers. Called lazily: a type may contain itself."""
    return [(name, _reader(hint)) for name, hint in _fields(cls).items()]


def _literal_reader(words: tuple[Any, ...]) -> Reader:
    def read(data: Any, base: int, path: str, parts: Parts | None) -> Any:
        if data not in words:
            raise Malformed(f"{path} must be one of {', '.join(map(str, words))}")
        return data

    return read


def _optional_reader(read: Reader) -> Reader:
    return lambda data, base, path, parts: None if data is None else read(data, base, path, parts)


def _tuple_reader(args: tuple[Any, ...]) -> Reader:
    """Return a reader for a tuple: of any length (`tuple[int, ...]`), or with one type for each item."""
    if len(args) == 2 and args[1] is Ellipsis:
        read = _reader(args[0])
        return lambda data, base, path, parts: tuple(
            [read(item, base, f"{path}/{at}", parts) for at, item in enumerate(_of(data, list, path))]
        )
    items = [_reader(arg) for arg in args]

    def read_each(data: Any, base: int, path: str, parts: Parts | None) -> Any:
        if len(_of(data, list, path)) != len(items):
            raise Malformed(f"{path} must have {counted(len(items), 'item')}")
        return tuple([read(data[at], base, f"{path}/{at}", parts) for at, read in enumerate(items)])

    return read_each


def _set_reader(read: Reader) -> Reader:
    """Return a reader for a frozenset. Its items are never parts."""
    return lambda data, base, path, parts: frozenset(
        [read(item, base, f"{path}/{at}", None) for at, item in enumerate(_of(data, list, path))]
    )


def _versions_reader(read: Reader) -> Reader:
    """Return a reader for a mapping from versions, which is written as a list of pairs."""
    return lambda data, base, path, parts: {
        Version(key + base): read(item, base, f"{path}/{key}", parts) for key, item in _of(data, list, path)
    }


def _mapping_reader(key_hint: Any, read: Reader) -> Reader:
    """Return a reader for a mapping from text or whole numbers."""
    read_key = _number_of if key_hint is int else _text_of
    return lambda data, base, path, parts: {
        read_key(key, path): read(item, base, f"{path}/{key}", parts) for key, item in _of(data, dict, path).items()
    }


def _number_of(key: str, path: str) -> int:
    if not NUMBER.fullmatch(key):
        raise Malformed(f"{path} must have whole numbers as keys, not {key!r:.40}")
    return int(key)


def _text_of(key: str, path: str) -> str:
    return key


def _one(args: tuple[Any, ...]) -> Any:
    [only] = [arg for arg in args if arg is not types.NoneType]
    return only


def _of(data: Any, kind: type[T], path: str) -> T:
    if not isinstance(data, kind) or (kind is int and isinstance(data, bool)):
        raise Malformed(f"{path or 'the value'} must be of type {kind.__name__}")
    return data


def write_position(game: Game[Any], state: Any, version: int, kept: dict[int, Any]) -> dict[str, Any]:
    """Describe a whole position, including the states that its marks refer to (a flat list, each state once)."""
    described = {"format": POSITION_FORMAT, "game": game.id, "rules": game.manifest.rules}
    return described | write_states(game, state, kept, version)


def write_states(game: Game[Any], state: Any, kept: dict[int, Any], version: int, base: int | None = None) -> dict[str, Any]:
    """Write a state and the states it marks: `state`, `marked`, and their shared values in `parts` (left out without marks)."""
    base = version if base is None else base
    parts = Parts() if kept else None
    marked = [{"back": version - at, "state": to_json(kept[at], game.state, base, parts)} for at in sorted(kept)]
    written = {"state": to_json(state, game.state, base, parts), "marked": marked}
    return written if parts is None else {**written, "parts": parts.written}


def read_states(game: Game[Any], written: dict[str, Any], version: int, base: int | None = None) -> tuple[Any, dict[int, Any]]:
    """Read the output of `write_states`. Raises `Malformed` or `KeyError`."""
    base = version if base is None else base
    parts = Parts(_of(written["parts"], list, "/parts")) if "parts" in written else None
    state = from_json(written.get("state"), game.state, base, parts=parts)
    marked = {
        version - _of(entry["back"], int, "/marked"): from_json(entry["state"], game.state, base, parts=parts)
        for entry in written.get("marked", [])
    }
    return state, marked


def read_position(game: Game[Any], position: Any, version: int, *, judge: bool = True) -> tuple[Any, dict[int, Any]]:
    """Read a position as the state at `version`. Raises `Refused` (`bad_position`) with the reason.

    Pass `judge=False` for a position from a stored event: it was checked against the rules of its time.
    """
    try:
        if judge:
            check_plain(position)
        if not isinstance(position, dict) or position.get("format") != POSITION_FORMAT or position.get("game") != game.id:
            raise Malformed(
                f'a position is an object with "format": {POSITION_FORMAT}, "game": "{game.id}", "state" and "marked"'
            )
        state, marked = read_states(game, position, version)
        if judge:
            _judge(game, state, marked, version)
        elif missing := game.marks(state) - marked.keys():
            raise _missing("the state", missing, version)
    except (Malformed, limits.Misfit) as error:
        raise bad_position(game, str(error)) from None
    except (KeyError, TypeError, ValueError, AttributeError, IndexError, RecursionError) as error:
        raise bad_position(game, f"it cannot be read ({type(error).__name__}: {error})") from None
    return state, marked


def complete(game: Game[Any], position: Any, dice: Any) -> Any:
    """Fill in everything that a described position leaves out. Raises `Refused` (`bad_position`)."""
    if not isinstance(position, dict) or not isinstance(position.get("state"), dict):
        return position
    try:
        check_plain(position)
        return {**position, "state": game.complete(position["state"], dice), "marked": position.get("marked", [])}
    except Malformed as error:
        raise bad_position(game, str(error)) from None
    except (KeyError, TypeError, ValueError, AttributeError, IndexError, RecursionError, AssertionError) as error:
        raise bad_position(game, f"it cannot be completed ({type(error).__name__}: {error})") from None


def bad_position(game: Game[Any], why: str) -> Refused:
    """Return the refusal of a position. `why` names the path and the fault, without a full stop."""
    return Refused(
        "bad_position", f"This is not a position of {game.manifest.title}: {_readable(why).removesuffix('.')}.", "position"
    )


def _readable(words: str) -> str:
    """Shorten a text and replace unprintable characters: it may quote what the sender wrote."""
    short = words if len(words) <= LONGEST_REASON else f"{words[:LONGEST_REASON]}..."
    return "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in short)


def _missing(where: str, missing: Iterable[int], version: int) -> Malformed:
    return Malformed(f"/marked lacks what {where} may go back to, {sorted(version - at for at in missing)} versions back")


def _is_text(text: str) -> bool:
    """Return True if every reader can store the text: it has no U+0000 and no lone surrogates."""
    return "\0" not in text and not any("\ud800" <= letter <= "\udfff" for letter in text)


def check_plain(document: Any) -> None:
    """Raise `Malformed` for JSON that is too deep, too large or not plain, and for text that some readers cannot store."""
    waiting, count = [("", document, 0)], 0
    while waiting:
        path, value, depth = waiting.pop()
        count += 1
        if count > MOST_VALUES:
            raise Malformed(f"it has more than {MOST_VALUES} values")
        if depth > DEEPEST:
            raise Malformed(f"{path[:80]}... is nested deeper than {DEEPEST} levels")
        if isinstance(value, dict):
            for key, item in value.items():
                if not isinstance(key, str) or not _is_text(key) or len(key) > LONGEST_KEY:
                    raise Malformed(f"{path or 'it'} has the key {key!r:.40}; keys are text without U+0000 and half characters")
                waiting.append((f"{path}/{key}", item, depth + 1))
        elif isinstance(value, (list, tuple)):
            waiting += [(f"{path}/{at}", item, depth + 1) for at, item in enumerate(value)]
        elif isinstance(value, str):
            if not _is_text(value):
                raise Malformed(f"{path} must be text without U+0000 and half characters")
        elif isinstance(value, int):
            if abs(value) > LARGEST:
                raise Malformed(f"{path} must be a whole number up to {LARGEST}")
        elif value is not None:
            raise Malformed(f"{path} must be text, a whole number, true, false, null, a list or an object")


def _judge(game: Game[Any], state: Any, marked: dict[int, Any], version: int) -> None:
    """Raise `Malformed` if the state, or a state it may go back to, breaks a limit or an invariant of its game."""
    if len(marked) > MOST_MARKED:
        raise Malformed(f"/marked has {len(marked)} states; at most {MOST_MARKED} are read")
    if missing := game.marks(state) - marked.keys():
        raise _missing("the state", missing, version)
    seen: set[tuple[int, Any]] = set()
    for at, then in ((None, state), *marked.items()):
        where = "the state" if at is None else f"the state {version - at} versions back"
        limits.check(then, game.state, "" if at is None else f"{where}:", seen)
        if at is not None and (missing := game.marks(then) - marked.keys()):
            raise _missing(where, missing, version)
        if game.seats(then) != game.seats(state):
            raise Malformed(f"{where} is for {game.seats(then)} seats, not {game.seats(state)}")
        if faults := [*game.faults(then), *game.marked_faults(then, marked.__getitem__)]:
            raise Malformed(faults[0] if at is None else f"{where}: {faults[0]}")


def schema(hint: Any) -> dict[str, Any]:
    """Describe a state's JSON as JSON Schema, from the type hints and limits that also control reading and checking."""
    hint, kept = limits.bare(hint)
    described = _schema(hint)
    for limit in kept:
        described |= limit.schema()
    return described


def _schema(hint: Any) -> dict[str, Any]:
    if hint is Version or hint is int:
        return {"type": "integer"}
    if dataclasses.is_dataclass(hint) and isinstance(hint, type):
        return {
            "type": "object",
            "properties": {name: schema(sub) for name, sub in limits.fields(hint).items()},
            "additionalProperties": False,
        }
    origin = typing.get_origin(hint)
    args = typing.get_args(hint)
    if origin is typing.Literal:
        return {"enum": list(args)}
    if origin in (typing.Union, types.UnionType):
        return {"oneOf": [{"type": "null"}, schema(_one(args))]}
    if origin is tuple and not (len(args) == 2 and args[1] is Ellipsis):
        return {"type": "array", "prefixItems": [schema(arg) for arg in args], "minItems": len(args), "maxItems": len(args)}
    if origin in (tuple, frozenset):
        return {"type": "array", "items": schema(args[0])}
    if origin is not None:
        if args[0] is Version:
            return {"type": "array", "items": {"type": "array"}}
        return {"type": "object", "propertyNames": schema(args[0]), "additionalProperties": schema(args[1])}
    return {"type": {str: "string", bool: "boolean"}[hint]} if hint in (str, bool) else {}
