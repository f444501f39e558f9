"""The set-up of a match."""

from __future__ import annotations

from gamesvc.games.kernel.game import Data, Refused
from gamesvc.games.kernel.timeline import Run
from gamesvc.games.space_war.data.decks import deck_cards, pool_of, read_decks
from gamesvc.games.space_war.events.course import ChooserDrawn, GameCreated
from gamesvc.games.space_war.events.zones import PileOrdered
from gamesvc.games.space_war.rules import acts
from gamesvc.games.space_war.rules.decision import Flow
from gamesvc.games.space_war.state import LETTERS, State


def setup(run: Run[State], options: Data, seats: int) -> None:
    """Shuffle ids and piles, and draw the seat that chooses the starter or starts (RULES.md 3)."""
    decks = read_decks(options)
    pools = [pool_of(deck, options["commander_pool"]) for deck in decks]
    flow = Flow(run)
    flow.emit(
        GameCreated(
            points=options["reaction_points"],
            max_timeouts=options["max_timeouts"],
            sides=[{"deck": deck.id, "pool": pool} for deck, pool in zip(decks, pools, strict=True)],
        )
    )
    for seat, deck in enumerate(decks):
        cards = deck_cards(deck)
        ids = [f"{LETTERS[seat]}-{at:02}" for at in range(1, len(cards) + 1)]
        mapping = dict(zip(ids, run.dice.shuffle(cards), strict=True))
        flow.emit(PileOrdered(seat=seat, cards=mapping, order=run.dice.shuffle(ids)))
    drawn = run.dice.choose(2)
    if options["starter"] == "random":
        acts.begin_preparation(flow, drawn)
    else:
        flow.emit(ChooserDrawn(seat=drawn))


def check_options(options: Data, seats: int) -> None:
    """Raise `Refused` for invalid decks or a wrong number of seats."""
    if seats != 2:
        raise Refused("bad_seats", "The Space War is for 2 seats.", "seats")
    read_decks(options)
