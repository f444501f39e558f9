"""The cards, pieces, actions and abilities of the game, for mails and lists of cards."""

from __future__ import annotations

from collections.abc import Iterator

from gamesvc.games.kernel.game import Data
from gamesvc.games.kernel.telling import Entry, rule
from gamesvc.games.kernel.wording import capital, listed
from gamesvc.games.stratastar.data import (
    ABILITY_NAMES,
    ABILITY_TEXTS,
    CARD_NAMES,
    COSTS,
    POWER,
    RESEARCH,
    WORLDS_TO_WIN,
    abilities,
)
from gamesvc.language import mark, say

_PLAIN = {power: kind for kind, power in POWER.items()}
_USES = {
    "attack": mark("Adds 1 force to a battle."),
    "move": mark("Pays for moves after the free one, and for retreats."),
    "build": mark("Pays for Fleets, colonies, Stargates and terraforming, and supports fleets."),
    "trade": mark("Pays for trades and diplomacy."),
}
_PIECES = (
    ("fleet", "Fleet", mark("force 1"), mark("Moves, fights, and colonizes worlds.")),
    (
        "colony",
        "colony",
        mark("force 1"),
        mark("Counts for victory, for the hand limit (3 colonies) and for support (2 colonies). It does not move."),
    ),
    ("stargate", "Stargate", mark("force 0"), mark("Your fleets move from one of your Stargates to any other in one move.")),
    ("homeworld", "Homeworld", mark("force 4"), mark("Fleets are built here. A player who captures one wins.")),
)
_HAZARDS = (
    ("supernova", "Supernova", mark("Fleets cannot enter it without Wormholes.")),
    ("black_hole", "Black Hole", mark("Fleets cannot enter it without Wormholes.")),
    ("nebula", "Nebula", mark("Fleets cannot enter it without Nebulous Navigation.")),
)


def reference(seen: Data) -> tuple[Entry, ...]:
    """Return all cards, pieces, hazards and abilities, with the ids that the view shows in hand and in play."""
    return (_goal(seen), *_cards(seen), *_pieces(seen), *_abilities(seen))


def _goal(seen: Data) -> Entry:
    goal = say("Colonies on {worlds} different worlds, or a captured Homeworld.", worlds=WORLDS_TO_WIN)
    if seen["options"]["to_the_death"]:
        goal = say("The last empire left wins.")
    return rule("goal", say("How to win"), goal)


def _cards(seen: Data) -> Iterator[Entry]:
    for card, name in CARD_NAMES.items():
        power = f"{say('Worth two in a payment.')} " if card in _PLAIN else ""
        use = _USES.get(_PLAIN.get(card, card))
        text = say(use) if use else ""
        if card == RESEARCH:
            text = say("Stands for any one card; alone it draws two cards in the trade phase.")
        held = seen["viewer"] is not None and card in seen["hand"]
        yield Entry(card, name, say("card"), "", power + text, (card,) if held else ())


def _pieces(seen: Data) -> Iterator[Entry]:
    for piece, name, numbers, text in _PIECES:
        yield Entry(piece, say(name), say("piece"), say(numbers), say(text), (piece,) if seen["turn"] else ())
    for hazard, name, text in _HAZARDS:
        known = hazard in {*seen["chits"].values(), *seen.get("scouted", {}).values()}
        yield Entry(hazard, name, say("hazard"), "", say(text), (hazard,) if known else ())


def _abilities(seen: Data) -> Iterator[Entry]:
    owned = {*seen["choice"], *(ability for player in seen["players"] for ability in player["abilities"])}
    for ability in abilities(bool(seen["options"]["low_technology"])):
        yield Entry(
            ability, ABILITY_NAMES[ability], say("ability"), price(ability), f"{capital(say(ABILITY_TEXTS[ability]))}.",
            (ability,) if ability in owned else (),
        )  # fmt: skip


def price(what: str) -> str:
    """Return what an action or ability costs: `3 Build`; empty if it is free."""
    return listed(f"{amount} {CARD_NAMES[kind]}" for kind, amount in COSTS.get(what, ()))
