"""A game's answers about a position. With them, pages, mails and programs show it without knowing the game.

Each is made from the view of one viewer alone, so it holds nothing that this viewer may not see. The functions that give them are
members of `Game`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gamesvc.games.kernel.wording import to_act
from gamesvc.json_types import JsonMapping

if TYPE_CHECKING:
    from gamesvc.games.kernel.game import Caption, Form, Part, Schema


@dataclass(frozen=True, slots=True)
class Glance:
    """A position in a few words."""

    headline: str
    """One line that begins with a capital: turn, phase, acting players. Without the names of game and match."""
    description: str
    """One to three sentences that stand for the picture where it cannot be seen. Never empty."""
    turn: int = 0
    """The number of the viewer's turn; 0 before the first one, and in a game without turns."""

    def title(self, game: str, match: str) -> str:
        """Return the title of the picture: game, match and headline."""
        return f"{game} {match}".rstrip() + f", {self.headline[:1].lower()}{self.headline[1:]}"


def headline(told: str, awaited: Iterable[JsonMapping], caption: Caption) -> str:
    """Return a headline: `told`, then the players who must act. An earlier position waits for nobody."""
    acting = "" if caption.past else to_act(awaited, caption.names)
    return f"{told}. {acting}." if acting else f"{told}."


@dataclass(frozen=True, slots=True)
class Held:
    """A card or piece in the viewer's hand, or several that are alike."""

    id: str
    """Its id, which `Game.explain` takes."""
    words: str
    """One line for people, beginning as orders name it: `c12 Barrage`, `2 Attack`."""


@dataclass(frozen=True, slots=True)
class Explained:
    """Help on one card, piece or place: its name, and in whole sentences what it is and does."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class StandingOrders:
    """A game's own standing orders: how a seat gives them, and where its view shows them."""

    command: str
    """The name of the command that sets them."""
    parameter: str
    """The parameter of the command that takes them."""
    shown: Callable[[JsonMapping], object]
    """Return a seat's present orders from its own view, in the form that the parameter takes."""


@dataclass(frozen=True, slots=True)
class Target:
    """A value that a form offers and the part of the board picture (`data-at`) that stands for it."""

    field: str
    """The parameter, with dots before the fields of objects and without the numbers of list items: `disband.space`."""
    value: object
    part: str


def targets(part: Part, form: Form) -> Iterator[Target]:
    """Yield each value of a form that the picture shows, with its part of the picture. `part` comes from `Game.parts`."""
    for field, value in _values({"properties": form.parameters}, ""):
        if (found := part(form.name, field, value)) is not None:
            yield Target(field, value, found)


def _values(schema: Schema, field: str) -> Iterator[tuple[str, object]]:
    """Yield every value that a schema lists, with the field that it is for."""
    if "const" in schema:
        yield field, schema["const"]
    for value in (*schema.get("enum", ()), *schema.get("supply", ())):
        yield field, value
    for option in schema.get("oneOf", ()):
        yield from _values(option, field)
    for name, inner in schema.get("properties", {}).items():
        yield from _values(inner, f"{field}.{name}" if field else name)
    if "items" in schema:
        yield from _values(schema["items"], field)
