"""A game's answers about a position. With them, pages, mails and programs show it without knowing the game.

Each is made from the view of one viewer alone, so it holds nothing that this viewer may not see. The functions that give them are
members of `Game`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Literal

from gamesvc.games.kernel.wording import to_act
from gamesvc.json_types import JsonMapping
from gamesvc.language import say

if TYPE_CHECKING:
    from gamesvc.games.kernel.game import Caption

Part = Literal["decisive", "announcement", "terms", "price", "course"]
"""A part of an act beside its plain outcome: what matters most, what was declared, the same with its price, the price, how the
game gets on meanwhile."""


@dataclass(frozen=True, slots=True)
class Glance:
    """A position in a few words."""

    headline: str
    """One line that begins with a capital: turn, phase, acting players. Without the names of game and match."""
    description: str
    """One to three sentences that stand for the picture where it cannot be seen. Never empty."""
    turn: int = 0
    """The number of the viewer's turn; 0 before the first one, and in a game without turns."""
    task: str = ""
    """One sentence with what the viewer has to do now; empty if nothing. It begins with a verb: `Choose a hex to explore.`"""

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


def pile(name: str, cards: Sequence[str]) -> Explained:
    """Return help on a pile that all may look through, from the names of its cards, the top one last: all of them."""
    runs = [(card, len(list(alike))) for card, alike in groupby(reversed(cards))]
    listed = ", ".join(card if count == 1 else f"{count} {card}" for card, count in runs)
    return Explained(name, say("From the top: {cards}.", cards=listed) if cards else say("No card lies there."))


@dataclass(frozen=True, slots=True)
class Entry:
    """A kind of card, unit, ability or the like, as the game's data describe it: one entry of `Game.reference`."""

    id: str
    """The id of the kind, unique in the game."""
    name: str
    kind: str
    """Its category, in lower case: `spaceship`, `command`, `ability`."""
    numbers: str
    """Its numbers as printed: `cost 3, attack 2, defense 4`; empty if it has none."""
    text: str
    """Its effect, in one or two sentences; empty if the numbers say all."""
    shown: tuple[str, ...] = ()
    """The ids under which the view shows some: first those in the viewer's hand, then those in play."""

    @property
    def line(self) -> str:
        """Return the entry in one line: `Luck (event, cost 0): Response: counter a card that costs 2 or less.`"""
        return f"{self.name} ({', '.join(filter(None, [self.kind, self.numbers]))})" + (f": {self.text}" if self.text else ".")


def rule(of: str, name: str, text: str) -> Entry:
    """Return the entry of a rule. Each view shows it."""
    return Entry(f"rule_{of}", name, say("rule"), "", text, (f"rule_{of}",))


def by_kind(in_sight: Iterable[tuple[str, str]]) -> dict[str, tuple[str, ...]]:
    """Return the ids in sight for each kind, each once. `in_sight`: pairs of id and kind, in the order of `Entry.shown`."""
    found: dict[str, dict[str, None]] = {}
    for of, kind in in_sight:
        found.setdefault(kind, {})[of] = None
    return {kind: tuple(ids) for kind, ids in found.items()}


def prompt_of(awaited: Iterable[JsonMapping], viewer: int | None) -> str:
    """Return the prompt that the viewer has to answer, from the `awaited` of a view; empty if none."""
    return next((str(waiting["prompt"]) for waiting in awaited if waiting["seat"] == viewer), "")


@dataclass(frozen=True, slots=True)
class Summary:
    """The end of a match in a few words."""

    decided: str
    """The decisive fact, as the end of a sentence, without a full stop: `a Homeworld was captured`."""
    figures: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """The numbers that the game counts: a noun (`worlds`), and the value of each seat."""


@dataclass(frozen=True, slots=True)
class StandingOrders:
    """A game's own standing orders: how a seat gives them, and where its view shows them."""

    command: str
    """The name of the command that sets them."""
    parameter: str
    """The parameter of the command that takes them."""
    shown: Callable[[JsonMapping], object]
    """Return a seat's present orders from its own view, in the form that the parameter takes."""
    whole: Callable[[JsonMapping], object] | None = None
    """Return all that the command sets, from the same view, if other parameters set more."""
