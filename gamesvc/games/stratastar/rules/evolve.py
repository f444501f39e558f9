"""Events to states. Each handler uses the numbers in the event and nothing that a rules change could alter."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from gamesvc.games.kernel.game import Data, Event
from gamesvc.games.stratastar.rules.changes import above, added, credited, on_turn, taken_from, with_piece, with_player
from gamesvc.games.stratastar.rules.evolve_effects import EFFECTS, cards_discarded, same
from gamesvc.games.stratastar.state import (
    Action,
    Chart,
    Ended,
    Options,
    Orders,
    Player,
    SpyRecord,
    State,
    Turn,
)


def evolve(state: State | None, event: Event) -> State:
    """Return the state after an event. Raises KeyError for a type that no version of this game ever wrote."""
    if state is None:
        return _board_laid(event.data)
    return _HANDLERS[event.type](state, event.data)


# --- the beginning ---


def _board_laid(data: Data) -> State:
    chosen = dict(data["options"])
    chosen["abilities_all"] = tuple(chosen["abilities_all"])
    chosen["abilities_by_seat"] = {int(seat): tuple(owned) for seat, owned in chosen["abilities_by_seat"].items()}
    orders = Orders(when_unable=data.get("when_unable", "ask"))
    players = tuple(Player(abilities=tuple(owned), orders=orders) for owned in data["abilities"])
    placement = tuple(data["placement"])
    return State(
        options=Options(**chosen),
        players=players,
        chart=Chart(dict(data["chits"]), frozenset(data["unknown"]), pile=dict(data["pile"])),
        turn=Turn("homeworld", placement[0]),
        placement=placement,
    )


def _homeworld_placed(state: State, data: Data) -> State:
    state = with_player(state, data["seat"], replace(state.players[data["seat"]], home=data["corner"]))
    return state if data["next"] is None else on_turn(state, active=data["next"])


def _hazard_removed(state: State, data: Data) -> State:
    chits = {space: kind for space, kind in state.chart.chits.items() if space != data["space"]}
    return replace(state, chart=replace(state.chart, chits=chits))


def _turn_order_set(state: State, data: Data) -> State:
    return replace(state, order=tuple(data["order"]))


def _hands_dealt(state: State, data: Data) -> State:
    players = []
    for player, hand in zip(state.players, data["hands"]):
        if player.home is None:
            players.append(player)
            continue
        gates = (player.home,) if data["stargates"] else ()
        players.append(replace(player, hand=added((), hand), fleets={player.home: data["fleets"]}, stargates=gates))
    return replace(state, players=tuple(players), deck=tuple(data["deck"]))


def _draft_opened(state: State, data: Data) -> State:
    picking = tuple(data["seats"])
    return on_turn(state, phase="ability_draft", active=picking[0], picking=picking, choice=tuple(data["pool"]))


def _ability_gained(state: State, data: Data) -> State:
    seat = data["seat"]
    player = state.players[seat]
    state = with_player(state, seat, replace(player, abilities=(*player.abilities, data["ability"])))
    picking = state.turn.picking[1:]
    active = picking[0] if picking else state.turn.active
    return on_turn(state, choice=tuple(data["choice"]), picking=picking, active=active)


# --- course of a turn ---


def _turn_started(state: State, data: Data) -> State:
    seat = data["seat"]
    state = with_player(state, seat, replace(state.players[seat], turns=data["own_turn"], last_move=()))
    turn = Turn("retool", seat, data["turn"], data["round"])
    state = replace(state, turn=turn, actions=(), battle=None, waiting=None)
    return _offers_ended(state, data["offers_ended"])


def _offers_ended(state: State, gone: Iterable[int]) -> State:
    ids = set(gone)
    return replace(state, offers=tuple(offer for offer in state.offers if offer.id not in ids)) if ids else state


def _phase_ended(state: State, data: Data) -> State:
    if data["clears_raids"]:
        state = with_player(state, data["seat"], replace(state.players[data["seat"]], raided={}))
    state = _offers_ended(state, data["offers_ended"])
    return on_turn(state, phase=data["next"], credit={}, blocked=(), free_move=data["free_move"])


def _cards_drawn(state: State, data: Data) -> State:
    player = state.players[data["seat"]]
    state = with_player(state, data["seat"], replace(player, hand=added(player.hand, data["cards"])))
    return replace(state, deck=state.deck[len(data["cards"]) :])


def _deck_reshuffled(state: State, data: Data) -> State:
    return replace(state, deck=tuple(data["deck"]), discard=())


def _fleets_disbanded(state: State, data: Data) -> State:
    player = state.players[data["seat"]]
    for group in data["disband"]:
        if group["fleets"]:
            player = with_piece(player, "fleet", group["space"], -group["fleets"])
        if group["warfleets"]:
            player = with_piece(player, "warfleet", group["space"], -group["warfleets"])
    player = replace(player, hand=taken_from(player.hand, data["builds"]))
    return replace(with_player(state, data["seat"], player), discard=(*state.discard, *data["builds"]))


def _treaty_ended(state: State, data: Data) -> State:
    ends = (data["seat"], data["partner"])
    return replace(state, treaties=tuple(one for one in state.treaties if (one.seat, one.partner) != ends))


# --- declared actions and windows ---


def _pay(state: State, data: Data) -> State:
    seat, paid = data["seat"], data["paid"]
    if paid:
        player = state.players[seat]
        state = with_player(state, seat, replace(player, hand=taken_from(player.hand, paid)))
        state = replace(state, discard=(*state.discard, *paid))
    if data["credit"] or data["made"]:
        state = on_turn(state, credit=credited(state.turn, data["credit"], data["made"]))
    return state


def _action_declared(state: State, data: Data) -> State:
    at = len(state.discard)
    state = _pay(state, data)
    if data["free"]:
        state = on_turn(state, free_move=False)
    if data["action"] == "internal_trade":
        state = on_turn(state, internal_used=True)
    if data["answers"] is not None:
        state = _answered(state, data["answers"], data["seat"])
    elif state.actions and data["seat"] in state.actions[-1].later:
        state = _prepared(state, state.actions[-1].id, data["seat"], None)
    # Any answer to a movement other than a pass cancels its planned follow-up.
    actions = tuple(replace(one, then="") if one.then else one for one in state.actions)
    state = replace(state, next_id=data["id"] + 1, actions=actions)
    return _pushed(state, data, "before", at) if data["asked"] else state


def _pushed(state: State, data: Data, stage: Any, at: int) -> State:
    action = Action(
        id=data["id"],
        seat=data["seat"],
        name=data["action"],
        args={**data["args"], "discard_at": at},
        paid=tuple(data["paid"]),
        credit=dict(data["credit"]),
        made=dict(data["made"]),
        free=data["free"],
        stage=stage,
        asked=tuple(data["asked"]),
        enters=data["enters"],
        later={int(seat): command for seat, command in data.get("later", {}).items()},
        then=data.get("then", ""),
    )
    return replace(state, actions=(*state.actions, action))


def _window_opened(state: State, data: Data) -> State:
    return _pushed(state, data, "after", len(state.discard))


def _passed(state: State, data: Data) -> State:
    if data["action"] is None:
        turn = state.turn
        calling = tuple(seat for seat in turn.calling if seat != data["seat"])
        return on_turn(state, declined=(*turn.declined, data["seat"]), calling=calling)
    if data.get("after"):
        state = _prepared(state, data["action"], data["seat"], data.get("then", {}))
    return _answered(state, data["action"], data["seat"])


def _reaction_prepared(state: State, data: Data) -> State:
    """Apply an event of rules before 1.2: a pass with a prepared reaction."""
    state = _prepared(state, data["action"], data["seat"], data["command"])
    return _answered(state, data["action"], data["seat"])


def _prepared(state: State, action_id: int, seat: int, command: Data | None) -> State:
    """Store a seat's prepared answer. None: its answer has been given."""

    def noted(action: Action) -> Action:
        others = {other: kept for other, kept in action.later.items() if other != seat}
        return replace(action, later=others if command is None else {**others, seat: command})

    return replace(state, actions=tuple(noted(one) if one.id == action_id else one for one in state.actions))


def _answered(state: State, action_id: int, seat: int) -> State:
    actions = tuple(
        replace(one, asked=tuple(other for other in one.asked if other != seat)) if one.id == action_id else one
        for one in state.actions
    )
    return replace(state, actions=actions)


def _window_closed(state: State, data: Data) -> State:
    return replace(state, actions=above(state.actions, data["id"]))


def _move_blocked(state: State, data: Data) -> State:
    seat, at, paid = data["seat"], data["discard_at"], data["paid"]
    player = state.players[seat]
    state = with_player(state, seat, replace(player, hand=added(player.hand, paid)))
    turn = state.turn
    turn = replace(
        turn,
        credit=credited(turn, data["made"], data["credit"]),
        free_move=turn.free_move or data["free"],
        blocked=(*turn.blocked, data["space"]),
    )
    discard = state.discard[:at] + state.discard[at + len(paid) :]
    return replace(state, turn=turn, discard=discard, actions=above(state.actions, data["id"]))


def _spied(state: State, data: Data) -> State:
    state = _pay(state, data)
    player = state.players[data["seat"]]
    record = SpyRecord(data["turn"], str(data["target"]), tuple(data["cards"]))
    return with_player(state, data["seat"], replace(player, records=(*player.records[-data["keeps"] + 1 :], record)))


def _orders_set(state: State, data: Data) -> State:
    orders = dict(data["orders"])
    orders["diplomacy_spaces"] = tuple(orders["diplomacy_spaces"])
    orders["sabotage_kinds"] = tuple(orders["sabotage_kinds"])
    return with_player(state, data["seat"], replace(state.players[data["seat"]], orders=Orders(**orders)))


# --- leaving and ending ---


def _seat_eliminated(state: State, data: Data) -> State:
    seat = data["seat"]
    gone = state.players[seat]
    player = Player(abilities=gone.abilities, orders=gone.orders, records=gone.records, turns=gone.turns, alive=False)
    state = replace(with_player(state, seat, player), discard=(*state.discard, *data["hand"]))
    if data["world"] is not None:
        state = replace(state, chart=replace(state.chart, chits={**state.chart.chits, data["world"]: "world"}))
    ended = {offer.id for offer in state.offers if seat in (offer.seat, offer.to)}
    actions: tuple[Action, ...] = ()
    for action in state.actions:
        if action.seat == seat:
            break
        asked = tuple(one for one in action.asked if one != seat)
        later = {one: command for one, command in action.later.items() if one != seat}
        actions = (*actions, replace(action, asked=asked, later=later))
    battle = state.battle
    if battle is not None:
        battle = replace(
            battle,
            participants=tuple(one for one in battle.participants if one != seat),
            waiting=tuple(one for one in battle.waiting if one != seat),
            commits={one: cards for one, cards in battle.commits.items() if one != seat},
        )
    turn = replace(
        state.turn,
        calling=tuple(one for one in state.turn.calling if one != seat),
        picking=tuple(one for one in state.turn.picking if one != seat),
        active=state.turn.active if data["next"] is None else data["next"],
    )
    return replace(
        state,
        offers=tuple(offer for offer in state.offers if offer.id not in ended),
        waiting=None if state.waiting in ended else state.waiting,
        treaties=tuple(one for one in state.treaties if seat not in (one.seat, one.partner)),
        actions=actions,
        battle=battle,
        turn=turn,
    )


def _game_over(state: State, data: Data) -> State:
    ended = Ended(data["reason"], tuple(tuple(group) for group in data["ranking"]), tuple(data["scores"]))
    turn = replace(state.turn, phase="over", choice=(), calling=(), picking=())
    return replace(state, ended=ended, turn=turn, actions=(), battle=None, waiting=None, offers=())


_HANDLERS: dict[str, Callable[[State, Data], State]] = {
    "homeworld_placed": _homeworld_placed,
    "hazard_removed": _hazard_removed,
    "turn_order_set": _turn_order_set,
    "hands_dealt": _hands_dealt,
    "draft_opened": _draft_opened,
    "ability_gained": _ability_gained,
    "turn_started": _turn_started,
    "phase_ended": _phase_ended,
    "cards_discarded": cards_discarded,
    "cards_drawn": _cards_drawn,
    "deck_reshuffled": _deck_reshuffled,
    "fleets_disbanded": _fleets_disbanded,
    "treaty_ended": _treaty_ended,
    "action_declared": _action_declared,
    "window_opened": _window_opened,
    "window_closed": _window_closed,
    "passed": _passed,
    "reaction_prepared": _reaction_prepared,
    "action_negated": _window_closed,
    "action_failed": same,
    "move_blocked": _move_blocked,
    "move_bounced": same,
    "spied": _spied,
    "orders_set": _orders_set,
    **EFFECTS,
    "seat_eliminated": _seat_eliminated,
    "game_over": _game_over,
}
