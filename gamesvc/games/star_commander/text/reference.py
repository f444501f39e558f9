"""The cards, vessels and systems of an edition, for mails and lists of cards."""

from __future__ import annotations

from collections.abc import Iterator

from gamesvc.games.kernel.game import Data
from gamesvc.games.kernel.telling import Entry, by_kind, rule
from gamesvc.games.kernel.wording import counted
from gamesvc.games.star_commander.data import CATALOGS, DOMAINS, Card
from gamesvc.games.star_commander.data.editions import EDITIONS
from gamesvc.language import mark, say

_SIEGE = mark(
    "A ship of yours (no Strike Fighter) in an enemy system where the owner has nothing with attack besieges it: no income and no"
    " building there. At the end of your turn it takes one development; at none the system is yours."
)
_GOALS = {
    True: mark("A player who loses the Homeworld is out. The last one wins."),
    False: mark("Most developments win when a domain deck is empty or a Homeworld is captured; then systems, then credits."),
}


def reference(view: Data) -> tuple[Entry, ...]:
    """Return all cards of the match's edition, with the ids that the view shows in hand, in play, and for sale."""
    shown = by_kind(in_sight(view))
    goal = say(_GOALS[EDITIONS[view["edition"]].captured_home_eliminates])
    rules = (
        rule("goal", say("How to win"), goal),
        rule("income", say("Income"), say("Each turn: 1 credit for each development, and a card.")),
        rule("siege", say("Siege"), say(_SIEGE)),
    )
    return rules + tuple(
        Entry(card.id, card.name, kind_of(card), numbers(card), text_of(card), shown.get(card.id, ()))
        for card in CATALOGS[view["edition"]].cards.values()
    )


def in_sight(view: Data) -> Iterator[tuple[str, str]]:
    """Yield the id and the kind of what is in the viewer's hand or offered to the viewer, in play, and in the supply."""
    yield from ((uid, card) for uid, card in (*view["hand"], *view["prompt"].get("cards", ())))
    for offer in view["offers"]:
        yield from ((uid, card) for uid, card in offer.get("cards", ()))
    for seat in view["seats"]:
        yield from ((uid, card) for uid, card in seat["technologies"])
    yield from ((uid, vessel["card"]) for uid, vessel in view["vessels"].items())
    yield from ((name, cell["card"]) for name, cell in view["cells"].items() if cell["card"])
    yield from ((item["card"], item["card"]) for item in view["stack"] if item["card"])
    catalog = CATALOGS[view["edition"]].cards
    yield from ((card, card) for card, left in view["supply"].items() if left and catalog[card].buildable)


def card_line(card: Card) -> str:
    """Describe a card in one line: `Shipyard (industry station, 2 credits, attack 0, 2 hit points)`."""
    return f"{card.name} ({kind_of(card)}, {numbers(card)})"


KINDS = {
    ("", "", "system"): mark("system"),
    ("", "", "station"): mark("station"),
    ("", "fighter", "ship"): mark("fighter"),
    ("", "small", "ship"): mark("small ship"),
    ("", "medium", "ship"): mark("medium ship"),
    ("", "large", "ship"): mark("large ship"),
    ("industry", "medium", "ship"): mark("industry medium ship"),
    ("industry", "capital", "system"): mark("industry capital system"),
    ("industry", "", "system"): mark("industry system"),
    ("industry", "", "station"): mark("industry station"),
    ("industry", "", "command"): mark("industry command"),
    ("industry", "", "technology"): mark("industry technology"),
    ("statecraft", "capital", "system"): mark("statecraft capital system"),
    ("statecraft", "", "system"): mark("statecraft system"),
    ("statecraft", "", "station"): mark("statecraft station"),
    ("statecraft", "", "command"): mark("statecraft command"),
    ("statecraft", "", "technology"): mark("statecraft technology"),
    ("science", "capital", "system"): mark("science capital system"),
    ("science", "", "system"): mark("science system"),
    ("science", "", "station"): mark("science station"),
    ("science", "", "command"): mark("science command"),
    ("science", "", "technology"): mark("science technology"),
}
"""The words for a kind of card, by domain, grade or size, and kind."""


def text_of(card: Card) -> str:
    """Return the text of a card; empty if its figures say all."""
    return say(card.text) if card.text else ""


def kind_of(card: Card) -> str:
    """Return what a card is: `science command`, `industry capital system`, `small ship`."""
    looks = card.size if card.kind == "ship" else card.grade if card.grade == "capital" else ""
    return say(KINDS[card.domain if card.domain in DOMAINS else "", looks, card.kind])


def numbers(card: Card) -> str:
    """Return the figures of a card as printed: `3 credits, attack 2, 3 hit points, speed 1`."""
    if card.kind == "system":
        return say("up to {developments}", developments=counted(card.max_development, "development"))
    parts = [counted(card.cost, "credit")] * (not card.is_vessel or card.buildable)
    if card.is_vessel:
        parts += [say("attack {attack}", attack=card.attack), counted(card.hp, "hit point")]
    if card.kind == "ship":
        parts.append(say("speed {speed}", speed=card.speed))
    return ", ".join(parts)
