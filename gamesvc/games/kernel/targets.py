"""The layer of targets: what a picture shows that can be tapped, and which value of a form each stands for.

The id of a target carries its kind, and a seat where several have one: `cell:E5`, `slot:1:s1`, `hand:a-26`, `seat:0`. A picture
is made from one viewer's view, so its targets hold nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import quoteattr

from gamesvc.games.kernel.wording import capital, seat_name
from gamesvc.json_types import JsonObject
from gamesvc.language import say

if TYPE_CHECKING:
    from gamesvc.games.kernel.game import Caption, Data, Form, Game, Schema

Finder = Callable[[str, str, object], str | None]
"""`finder(command, field, value)`: the id of the target that stands for a value of a command's field, or None.

`field` is written as in `Stand`.
"""
Box = tuple[float, float, float, float]
"""x, y, width and height in the units of the picture."""
FINGER = 48
"""The least width and height of a target. A phone shows half of it in pixels: the 24 of WCAG 2.2, 2.5.8."""
_END = "</svg>"


@dataclass(frozen=True, slots=True)
class Target:
    """A thing in a picture: its id, its kind, what a screen reader says of it, and where it is drawn."""

    id: str
    kind: str
    name: str
    box: Box

    def as_json(self) -> dict[str, object]:
        return {"id": self.id, "kind": self.kind, "name": self.name, "box": list(self.box)}


@dataclass(frozen=True, slots=True)
class Tab:
    """A part of a picture that a phone can show alone: the id of its mark in the picture, its name and its box."""

    id: str
    name: str
    box: Box


class Picture(str):
    """A picture as SVG, with the boxes of its targets by their ids, as they were drawn, that of its board, and its tabs."""

    boxes: Mapping[str, Box]
    board: Box
    tabs: Sequence[Tab]

    def __new__(cls, svg: str, boxes: Mapping[str, Box], board: Box, tabs: Sequence[Tab] = ()) -> Picture:
        made = super().__new__(cls, svg)
        made.boxes = boxes
        made.board = board
        made.tabs = tabs
        return made


def kind_of(target: str) -> str:
    """Return the kind of a target: the first part of its id."""
    return target.partition(":")[0]


def thing_of(target: str) -> str:
    """Return the id of the thing that a target shows, as `Game.explain` takes it: the last part of its id."""
    return target.rpartition(":")[2]


def named(found: Iterable[str], data: object) -> list[str]:
    """Return those of some targets that show a thing which the data of an event name by its id.

    Ids have a figure; words without one, such as a kind of card, name no single thing. Of the targets of several seats, those
    of the seats that the data name count.
    """
    things: set[str] = set()
    seats: set[str] = set()
    for value in _leaves(data):
        (things if isinstance(value, str) else seats).add(str(value))
    named_things = {thing for thing in things if any(map(str.isdecimal, thing))}
    return [of for of in found if thing_of(of) in named_things and _belongs(of, seats)]


def _belongs(target: str, seats: Set[str]) -> bool:
    owner = target.split(":")[1:-1]
    return not owner or not seats or owner[0] in seats


def _leaves(data: object) -> Iterator[str | int]:
    """Yield all texts and whole numbers in data, the keys of objects included: some name what they are about."""
    if isinstance(data, Mapping):
        for key, value in data.items():
            yield key
            yield from _leaves(value)
    elif isinstance(data, str) or (isinstance(data, int) and not isinstance(data, bool)):
        yield data
    elif isinstance(data, Iterable):
        for value in data:
            yield from _leaves(value)


def help_on(game: Game[Any], view: Data, target: str) -> tuple[str, str]:
    """Return the name and the text of help on a target. The name is empty for what has none but that of the target."""
    found = game.explain(view, thing_of(target))
    return (found.name, found.text) if found is not None else ("", say(game.kinds.get(kind_of(target), "")))


def targets(game: Game[Any], view: Data, picture: Picture, caption: Caption) -> list[Target]:
    """Return the targets of a picture with their names."""
    return [Target(of, kind_of(of), _name(game, view, of, caption.names), box) for of, box in picture.boxes.items()]


def _name(game: Game[Any], view: Data, target: str, names: Sequence[str]) -> str:
    """Return the name of a target: a place with what is there; anything else by its name, its id and the seat it belongs to."""
    kind, *owner, thing = target.split(":") if ":" in target else (target, "")
    if kind == "seat":
        return capital(seat_name(int(thing), names))
    found = game.explain(view, thing) if thing else None
    if found is not None and kind == "cell":
        return f"{found.name if thing in found.name else f'{thing} {found.name}'}. {found.text}"
    name = found.name if found is not None else capital(f"{kind} {thing}".replace("_", " ").rstrip())
    if any(map(str.isdecimal, thing)) and thing not in name:
        name = f"{name} {thing}"
    return f"{name} of {seat_name(int(owner[0]), names)}" if owner else name


def tappable(picture: Picture, found: Sequence[Target]) -> str:
    """Return the picture with transparent shapes over its targets, the last of its layers, for a page that takes taps."""
    shapes = "\n".join(
        f'<rect data-t={quoteattr(one.id)} x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" fill="none"'
        f' pointer-events="all" aria-label={quoteattr(one.name)}/>'
        for one in found
        for x, y, width, height in [one.box]
    )
    before, end, after = picture.rpartition(_END)
    return f'{before}<g class="hits">\n{shapes}\n</g>\n{end}{after}'


# --- forms ---


@dataclass(frozen=True, slots=True)
class Stand:
    """A value that a form offers, and the target that stands for it."""

    field: str
    """The parameter, with dots before the fields of objects and without the numbers of list items: `disband.space`."""
    value: object
    target: str


def stands(finder: Finder, form: Form) -> Iterator[Stand]:
    """Yield each value of a form that the picture shows, with its target. `finder` comes from `Game.finder`."""
    for field, value in values(form.body):
        if (found := finder(form.name, field, value)) is not None:
            yield Stand(field, value, found)


def values(schema: Schema, field: str = "") -> Iterator[tuple[str, object]]:
    """Yield every value that a schema lists, with the field that it is for."""
    if "const" in schema:
        yield field, schema["const"]
    for value in (*schema.get("enum", ()), *schema.get("supply", ())):
        yield field, value
    for option in schema.get("oneOf", ()):
        yield from values(option, field)
    for name, inner in schema.get("properties", {}).items():
        yield from values(inner, _below(field, name))
    if "items" in schema:
        yield from values(schema["items"], field)


def placed(finder: Finder, form: Form) -> Form:
    """Return a form whose schemas say, as `at`, which targets its values stand for (see `forms`)."""
    if form.choice is not None:
        return replace(form, choice=_placed(finder, form.name, form.choice, ""))
    return replace(form, parameters=_placed(finder, form.name, form.body, "")["properties"])


def form_as_json(game: Game[Any], form: Form, view: Data) -> JsonObject:
    """Return a form as programs get it: with its weight, and with the targets that its values stand for."""
    return {**placed(game.finder(view), form).as_json(), "weight": game.weight(form)}


def _placed(finder: Finder, command: str, schema: Schema, field: str) -> Schema:
    more: dict[str, Any] = {}
    if "const" in schema and (found := finder(command, field, schema["const"])) is not None:
        more["at"] = found
    listed = (*schema.get("enum", ()), *schema.get("supply", ()))
    if at := {_key(value): found for value in listed if (found := finder(command, field, value)) is not None}:
        more["at"] = at
    if "oneOf" in schema:
        more["oneOf"] = [_placed(finder, command, option, field) for option in schema["oneOf"]]
    if "properties" in schema:
        inner: Mapping[str, Schema] = schema["properties"]
        more["properties"] = {name: _placed(finder, command, sub, _below(field, name)) for name, sub in inner.items()}
    if "items" in schema:
        more["items"] = _placed(finder, command, schema["items"], field)
    return {**schema, **more} if more else schema


def _below(field: str, name: str) -> str:
    return f"{field}.{name}" if field else name


def _key(value: object) -> str:
    """Return a value as the key of a JSON object."""
    return value if isinstance(value, str) else str(value).lower()
