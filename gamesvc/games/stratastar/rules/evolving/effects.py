"""Handlers of actions that take effect: on hands, pieces and the map."""

from __future__ import annotations

from gamesvc.games.kernel.frozen import replace
from gamesvc.games.stratastar.events.effects import (
    AbilityRolled,
    CardLost,
    CardRecovered,
    CardTaken,
    CardTakenDiscarded,
    ColonyPlaced,
    ColonyRaided,
    ContactMade,
    FleetBuilt,
    FleetsMoved,
    MoveBounced,
    PieceDestroyed,
    SpaceRevealed,
    SpaceScouted,
    StargateBuilt,
    UnitReplaced,
    WarfleetBuilt,
)
from gamesvc.games.stratastar.rules.changes import (
    added,
    discarded,
    emptied,
    on_turn,
    plus,
    taken_from,
    with_piece,
    with_player,
)
from gamesvc.games.stratastar.rules.evolving import Handlers
from gamesvc.games.stratastar.rules.evolving.actions import same
from gamesvc.games.stratastar.state import Chart, State

# --- cards ---


def card_taken(state: State, event: CardTaken) -> State:
    victim, taker = state.players[event.victim], state.players[event.seat]
    state = with_player(state, event.victim, replace(victim, hand=taken_from(victim.hand, (event.card,))))
    return with_player(state, event.seat, replace(taker, hand=added(taker.hand, (event.card,))))


def card_thrown(state: State, event: CardTakenDiscarded | CardLost) -> State:
    return discarded(state, event.victim, (event.card,))


def card_recovered(state: State, event: CardRecovered) -> State:
    player, at = state.players[event.seat], event.discard_at
    found = replace(player, hand=added(player.hand, (event.card,)))
    return with_player(state, event.seat, found, discard=state.discard[:at] + state.discard[at + 1 :])


# --- pieces and the map ---


def _placed(state: State, seat: int, piece: str, space: str, n: int = 1) -> State:
    return with_player(state, seat, with_piece(state.players[seat], piece, space, n))


def fleet_built(state: State, event: FleetBuilt) -> State:
    return _placed(state, event.seat, "fleet", event.space)


def warfleet_built(state: State, event: WarfleetBuilt) -> State:
    return _placed(state, event.seat, "warfleet", event.space)


def stargate_built(state: State, event: StargateBuilt) -> State:
    return _placed(state, event.seat, "stargate", event.space)


def colony_placed(state: State, event: ColonyPlaced) -> State:
    return _placed(state, event.seat, "colony", event.space)


def ability_rolled(state: State, event: AbilityRolled) -> State:
    return on_turn(state, choice=tuple(event.choice))


def fleets_moved(state: State, event: FleetsMoved) -> State:
    player, start, to = state.players[event.seat], event.from_, event.to
    fleets, warfleets = player.fleets, player.warfleets
    if event.fleets:
        fleets = plus(plus(fleets, start, -event.fleets), to, event.fleets)
    if event.warfleets:
        warfleets = plus(plus(warfleets, start, -event.warfleets), to, event.warfleets)
    moved = replace(player, fleets=fleets, warfleets=warfleets, last_move=(start, to))
    return with_player(state, event.seat, moved)


def space_revealed(state: State, event: SpaceRevealed) -> State:
    chart, space = state.chart, event.space
    return replace(
        state,
        chart=Chart(
            chart.chits if event.kind == "blank" else {**chart.chits, space: event.kind},
            chart.unknown - {space},
            {at: kind for at, kind in chart.scouted.items() if at != space},
            {at: seats for at, seats in chart.scouts.items() if at != space},
            emptied(chart.pile, event.taken),
            chart.contacts,
        ),
    )


def space_scouted(state: State, event: SpaceScouted) -> State:
    chart, space = state.chart, event.space
    return replace(
        state,
        chart=replace(
            chart,
            scouted={**chart.scouted, space: event.kind},
            scouts={**chart.scouts, space: (*chart.scouts.get(space, ()), event.seat)},
            pile=emptied(chart.pile, event.taken),
        ),
    )


def contact_made(state: State, event: ContactMade) -> State:
    pair = (event.seats[0], event.seats[1])
    return replace(state, chart=replace(state.chart, contacts=(*state.chart.contacts, pair)))


def unit_replaced(state: State, event: UnitReplaced) -> State:
    state = _placed(state, event.victim, event.piece, event.space, -1)
    return _placed(state, event.seat, event.piece, event.space)


def piece_destroyed(state: State, event: PieceDestroyed) -> State:
    return _placed(state, event.victim, event.piece, event.space, -1)


def colony_raided(state: State, event: ColonyRaided) -> State:
    victim = state.players[event.victim]
    return with_player(state, event.victim, replace(victim, raided=plus(victim.raided, event.space, 1)))


HANDLERS: Handlers = {
    CardTaken: card_taken,
    CardTakenDiscarded: card_thrown,
    CardLost: card_thrown,
    CardRecovered: card_recovered,
    FleetBuilt: fleet_built,
    WarfleetBuilt: warfleet_built,
    StargateBuilt: stargate_built,
    ColonyPlaced: colony_placed,
    AbilityRolled: ability_rolled,
    FleetsMoved: fleets_moved,
    MoveBounced: same,
    SpaceRevealed: space_revealed,
    SpaceScouted: space_scouted,
    ContactMade: contact_made,
    UnitReplaced: unit_replaced,
    PieceDestroyed: piece_destroyed,
    ColonyRaided: colony_raided,
}
