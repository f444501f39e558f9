"""Events of effects, offers and battles."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from gamesvc.games.kernel.game import Data
from gamesvc.games.stratastar.rules.changes import added, emptied, on_turn, plus, shift, taken_from, with_piece, with_player
from gamesvc.games.stratastar.state import Battle, Chart, Offer, State, Treaty


def same(state: State, data: Data) -> State:
    """Return the state unchanged, for events that only carry information."""
    return state


# --- effects ---


def _card_taken(state: State, data: Data) -> State:
    victim, taker = state.players[data["victim"]], state.players[data["seat"]]
    state = with_player(state, data["victim"], replace(victim, hand=taken_from(victim.hand, (data["card"],))))
    return with_player(state, data["seat"], replace(taker, hand=added(taker.hand, (data["card"],))))


def _card_thrown(state: State, data: Data) -> State:
    victim = state.players[data["victim"]]
    state = with_player(state, data["victim"], replace(victim, hand=taken_from(victim.hand, (data["card"],))))
    return replace(state, discard=(*state.discard, data["card"]))


def _card_recovered(state: State, data: Data) -> State:
    player, at = state.players[data["seat"]], data["discard_at"]
    state = with_player(state, data["seat"], replace(player, hand=added(player.hand, (data["card"],))))
    return replace(state, discard=state.discard[:at] + state.discard[at + 1 :])


def _built(piece: str) -> Callable[[State, Data], State]:
    def apply(state: State, data: Data) -> State:
        return with_player(state, data["seat"], with_piece(state.players[data["seat"]], piece, data["space"], 1))

    return apply


def _ability_rolled(state: State, data: Data) -> State:
    return on_turn(state, choice=tuple(data["choice"]))


def _fleets_moved(state: State, data: Data) -> State:
    return with_player(state, data["seat"], shift(state.players[data["seat"]], data))


def _space_revealed(state: State, data: Data) -> State:
    chart, space = state.chart, data["space"]
    chits = chart.chits if data["kind"] == "blank" else {**chart.chits, space: data["kind"]}
    return replace(
        state,
        chart=Chart(
            chits,
            chart.unknown - {space},
            {at: kind for at, kind in chart.scouted.items() if at != space},
            {at: seats for at, seats in chart.scouts.items() if at != space},
            emptied(chart.pile, data["taken"]),
            chart.contacts,
        ),
    )


def _space_scouted(state: State, data: Data) -> State:
    chart, space = state.chart, data["space"]
    return replace(
        state,
        chart=replace(
            chart,
            scouted={**chart.scouted, space: data["kind"]},
            scouts={**chart.scouts, space: (*chart.scouts.get(space, ()), data["seat"])},
            pile=emptied(chart.pile, data["taken"]),
        ),
    )


def _contact_made(state: State, data: Data) -> State:
    pair = (data["seats"][0], data["seats"][1])
    return replace(state, chart=replace(state.chart, contacts=(*state.chart.contacts, pair)))


def _unit_replaced(state: State, data: Data) -> State:
    state = with_player(state, data["victim"], with_piece(state.players[data["victim"]], data["piece"], data["space"], -1))
    return with_player(state, data["seat"], with_piece(state.players[data["seat"]], data["piece"], data["space"], 1))


def _piece_destroyed(state: State, data: Data) -> State:
    return with_player(state, data["victim"], with_piece(state.players[data["victim"]], data["piece"], data["space"], -1))


def _colony_raided(state: State, data: Data) -> State:
    victim = state.players[data["victim"]]
    return with_player(state, data["victim"], replace(victim, raided=plus(victim.raided, data["space"], 1)))


def _treaty_made(state: State, data: Data) -> State:
    ends = (data["seat"], data["partner"])
    others = tuple(one for one in state.treaties if (one.seat, one.partner) != ends)
    return replace(state, treaties=(*others, Treaty(data["seat"], data["partner"], data["until"])))


# --- offers ---


def _offer_made(state: State, data: Data) -> State:
    offer = Offer(data["id"], data["seat"], data["to"], dict(data["give"]), dict(data["want"]), data["keep"], data["wait"])
    waiting = offer.id if offer.wait else state.waiting
    return replace(state, offers=(*state.offers, offer), waiting=waiting, next_id=offer.id + 1)


def _offer_gone(state: State, data: Data) -> State:
    waiting = None if state.waiting == data["id"] else state.waiting
    return replace(state, offers=tuple(offer for offer in state.offers if offer.id != data["id"]), waiting=waiting)


def _cards_swapped(state: State, data: Data) -> State:
    giver, taker = state.players[data["seat"]], state.players[data["by"]]
    give, want = data["give"], data["want"]
    state = with_player(state, data["seat"], replace(giver, hand=added(taken_from(giver.hand, give), want)))
    state = with_player(state, data["by"], replace(taker, hand=added(taken_from(taker.hand, want), give)))
    return _offer_gone(state, data)


# --- battle ---


def cards_discarded(state: State, data: Data) -> State:
    player = state.players[data["seat"]]
    state = with_player(state, data["seat"], replace(player, hand=taken_from(player.hand, data["cards"])))
    return replace(state, discard=(*state.discard, *data["cards"]))


def _calls_opened(state: State, data: Data) -> State:
    return on_turn(state, calling=tuple(data["seats"]))


def _battle_declared(state: State, data: Data) -> State:
    battle = Battle(data["id"], data["space"], data["seat"], tuple(data["participants"]), tuple(data["waiting"]))
    turn = replace(state.turn, fought=(*state.turn.fought, data["space"]), calling=())
    return replace(state, turn=turn, battle=battle, next_id=data["id"] + 1)


def _attack_committed(state: State, data: Data) -> State:
    battle = state.battle
    assert battle is not None
    commits = {**battle.commits, data["seat"]: tuple(data["cards"])}
    waiting = tuple(seat for seat in battle.waiting if seat != data["seat"])
    return replace(state, battle=replace(battle, commits=commits, waiting=waiting))


def _attacks_revealed(state: State, data: Data) -> State:
    for seat, cards in data["commits"].items():
        state = cards_discarded(state, {"seat": int(seat), "cards": cards})
    battle = state.battle
    assert battle is not None
    return replace(state, battle=replace(battle, commits={}, waiting=()))


def _battle_over(state: State, data: Data) -> State:
    return replace(state, battle=None)


def _units_destroyed(state: State, data: Data) -> State:
    space = data["space"]
    for key in data["losses"]:
        player = state.players[int(key)]
        player = replace(
            player,
            fleets={at: n for at, n in player.fleets.items() if at != space},
            warfleets={at: n for at, n in player.warfleets.items() if at != space},
            colonies={at: n for at, n in player.colonies.items() if at != space},
            raided={at: n for at, n in player.raided.items() if at != space},
            stargates=tuple(at for at in player.stargates if at != space),
        )
        state = with_player(state, int(key), player)
    return state


EFFECTS: dict[str, Callable[[State, Data], State]] = {
    "card_taken": _card_taken,
    "card_taken_discarded": _card_thrown,
    "card_lost": _card_thrown,
    "card_recovered": _card_recovered,
    "fleet_built": _built("fleet"),
    "warfleet_built": _built("warfleet"),
    "colony_placed": _built("colony"),
    "stargate_built": _built("stargate"),
    "ability_rolled": _ability_rolled,
    "fleets_moved": _fleets_moved,
    "space_revealed": _space_revealed,
    "space_scouted": _space_scouted,
    "contact_made": _contact_made,
    "unit_replaced": _unit_replaced,
    "piece_destroyed": _piece_destroyed,
    "colony_raided": _colony_raided,
    "treaty_made": _treaty_made,
    "offer_made": _offer_made,
    "offer_rejected": _offer_gone,
    "offer_withdrawn": _offer_gone,
    "offer_void": _offer_gone,
    "cards_swapped": _cards_swapped,
    "calls_opened": _calls_opened,
    "battle_declared": _battle_declared,
    "attack_committed": _attack_committed,
    "attacks_revealed": _attacks_revealed,
    "battle_resolved": _battle_over,
    "battle_cancelled": _battle_over,
    "units_destroyed": _units_destroyed,
    "homeworld_captured": same,
}
"""The handlers by event type, for the table in `evolve`."""
