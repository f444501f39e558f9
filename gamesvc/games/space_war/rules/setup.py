"""The set-up of a match, and the commands before its first turn."""

from __future__ import annotations

from gamesvc.games.kernel.game import Data, Refused
from gamesvc.games.kernel.timeline import Run
from gamesvc.games.space_war.data import COMMANDERS, LIMITS, ROWS
from gamesvc.games.space_war.data.decks import deck_cards, pool_of, read_decks
from gamesvc.games.space_war.events.course import (
    ChooserDrawn,
    FirstStationCard,
    GameCreated,
    PreparationRevealed,
    SeatPrepared,
    SideRevealed,
    StarterChosen,
)
from gamesvc.games.space_war.events.zones import PileOrdered
from gamesvc.games.space_war.rules.decision import Flow
from gamesvc.games.space_war.rules.effects.drawing import drawn
from gamesvc.games.space_war.state import LETTERS, State
from gamesvc.json_types import JsonMapping
from gamesvc.language import say

Params = JsonMapping


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
    chooser = run.dice.choose(2)
    if options["starter"] == "random":
        begin_preparation(flow, chooser)
    else:
        flow.emit(ChooserDrawn(seat=chooser))


def check_options(options: Data, seats: int) -> None:
    """Raise `Refused` for invalid decks or a wrong number of seats."""
    if seats != 2:
        raise Refused("bad_seats", say("The Space War is for 2 seats."), "seats")
    read_decks(options)


# --- the commands of the opening ---


def choose_starter(flow: Flow, seat: int, params: Params) -> None:
    begin_preparation(flow, params["seat"])


def begin_preparation(flow: Flow, starter: int) -> None:
    """Deal the opening hands: 6 cards to the first player, 7 to the second."""
    flow.emit(StarterChosen(seat=starter))
    drawn(flow, starter, LIMITS["start_hand"])
    drawn(flow, 1 - starter, LIMITS["start_hand"] + LIMITS["second_player_extra_draw"])


def prepare(flow: Flow, seat: int, params: Params) -> None:
    rows = [*ROWS, *([params["extra_row"]] if "extra_row" in params else [])]
    flow.emit(SeatPrepared(seat=seat, commit={"cards": params["cards"], "rows": rows, "commander": params["commander"]}))
    commits = [side.commit for side in flow.state.sides]
    if any(commit is None for commit in commits):
        return
    sides: list[SideRevealed] = []
    for one in commits:
        pairs = sorted(zip(one["cards"], one["rows"], strict=True), key=lambda pair: ROWS.index(pair[1]))
        station = [FirstStationCard(slot=f"s{at}", id=card, row=row) for at, (card, row) in enumerate(pairs, 1)]
        sides.append({"station": station, "commander": one["commander"], "life": COMMANDERS[one["commander"]].life})
    flow.push({"op": "start_turn", "seat": flow.state.active})
    flow.emit(PreparationRevealed(sides=sides))
