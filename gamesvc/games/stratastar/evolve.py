"""Apply one event to a state. Each handler uses the numbers in the event and nothing that a rules change could move."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from gamesvc.games.kernel import Data, Event
from gamesvc.games.stratastar.data import RANK
from gamesvc.games.stratastar.state import (
    Action,
    Battle,
    Chart,
    Ended,
    Offer,
    Options,
    Orders,
    Player,
    SpyRecord,
    State,
    Treaty,
    Turn,
)


def evolve(state: State | None, event: Event) -> State:
    """The state after an event. Raises KeyError for an event that no version of this game ever wrote."""
    if state is None:
        return _board_laid(event.data)
    return _HANDLERS[event.type](state, event.data)


# --- small changes ---


def plus(counts: Mapping[str, int], key: str, n: int) -> dict[str, int]:
    """A copy of `counts` with `n` more of `key`; no entry is left at zero."""
    changed = dict(counts)
    total = changed.get(key, 0) + n
    if total:
        changed[key] = total
    else:
        changed.pop(key, None)
    return changed


def _add(hand: tuple[str, ...], cards: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted((*hand, *cards), key=RANK.__getitem__))


def _without(hand: tuple[str, ...], cards: Iterable[str]) -> tuple[str, ...]:
    left = list(hand)
    for card in cards:
        left.remove(card)
    return tuple(left)


def _with(state: State, seat: int, player: Player) -> State:
    players = state.players
    return replace(state, players=(*players[:seat], player, *players[seat + 1 :]))


def _on_turn(state: State, **changes: Any) -> State:
    return replace(state, turn=replace(state.turn, **changes))


def _credited(turn: Turn, spent: Mapping[str, int], made: Mapping[str, int]) -> dict[str, int]:
    credit = turn.credit
    for kind, n in spent.items():
        credit = plus(credit, kind, -n)
    for kind, n in made.items():
        credit = plus(credit, kind, n)
    return credit if isinstance(credit, dict) else dict(credit)


def _piece(player: Player, piece: str, space: str, n: int) -> Player:
    if piece == "fleet":
        return replace(player, fleets=plus(player.fleets, space, n))
    if piece == "warfleet":
        return replace(player, warfleets=plus(player.warfleets, space, n))
    if piece == "stargate":
        gates = (*player.stargates, space) if n > 0 else tuple(gate for gate in player.stargates if gate != space)
        return replace(player, stargates=gates)
    colonies = plus(player.colonies, space, n)
    raided = player.raided
    if raided.get(space, 0) > colonies.get(space, 0):
        raided = plus(raided, space, colonies.get(space, 0) - raided[space])
    return replace(player, colonies=colonies, raided=raided)


def _shift(player: Player, data: Data) -> Player:
    fleets, warfleets = player.fleets, player.warfleets
    if data["fleets"]:
        fleets = plus(plus(fleets, data["from"], -data["fleets"]), data["to"], data["fleets"])
    if data["warfleets"]:
        warfleets = plus(plus(warfleets, data["from"], -data["warfleets"]), data["to"], data["warfleets"])
    return replace(player, fleets=fleets, warfleets=warfleets, last_move=(data["from"], data["to"]))


def _emptied(pile: Mapping[str, int], kinds: Iterable[str]) -> dict[str, int]:
    left = dict(pile)
    for kind in kinds:
        left = plus(left, kind, -1)
    return left


def _above(actions: tuple[Action, ...], action_id: int) -> tuple[Action, ...]:
    """The stack without an action and everything that was played on top of it."""
    for at, action in enumerate(actions):
        if action.id == action_id:
            return actions[:at]
    return actions


# --- beginning ---


def _board_laid(data: Data) -> State:
    chosen = dict(data["options"])
    chosen["abilities_all"] = tuple(chosen["abilities_all"])
    chosen["abilities_by_seat"] = {int(seat): tuple(owned) for seat, owned in chosen["abilities_by_seat"].items()}
    players = tuple(Player(abilities=tuple(owned)) for owned in data["abilities"])
    placement = tuple(data["placement"])
    return State(
        options=Options(**chosen),
        players=players,
        chart=Chart(dict(data["chits"]), frozenset(data["unknown"]), pile=dict(data["pile"])),
        turn=Turn("homeworld", placement[0]),
        placement=placement,
    )


def _homeworld_placed(state: State, data: Data) -> State:
    state = _with(state, data["seat"], replace(state.players[data["seat"]], home=data["corner"]))
    return state if data["next"] is None else _on_turn(state, active=data["next"])


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
        players.append(replace(player, hand=_add((), hand), fleets={player.home: data["fleets"]}, stargates=gates))
    return replace(state, players=tuple(players), deck=tuple(data["deck"]))


def _draft_opened(state: State, data: Data) -> State:
    picking = tuple(data["seats"])
    return _on_turn(state, phase="ability_draft", active=picking[0], picking=picking, choice=tuple(data["pool"]))


def _ability_gained(state: State, data: Data) -> State:
    seat = data["seat"]
    player = state.players[seat]
    state = _with(state, seat, replace(player, abilities=(*player.abilities, data["ability"])))
    picking = state.turn.picking[1:]
    active = picking[0] if picking else state.turn.active
    return _on_turn(state, choice=tuple(data["choice"]), picking=picking, active=active)


# --- course of a turn ---


def _turn_started(state: State, data: Data) -> State:
    seat = data["seat"]
    state = _with(state, seat, replace(state.players[seat], turns=data["own_turn"], last_move=()))
    turn = Turn("retool", seat, data["turn"], data["round"])
    state = replace(state, turn=turn, actions=(), battle=None, waiting=None)
    return _offers_ended(state, data["offers_ended"])


def _offers_ended(state: State, gone: Iterable[int]) -> State:
    ids = set(gone)
    return replace(state, offers=tuple(offer for offer in state.offers if offer.id not in ids)) if ids else state


def _phase_ended(state: State, data: Data) -> State:
    if data["clears_raids"]:
        state = _with(state, data["seat"], replace(state.players[data["seat"]], raided={}))
    state = _offers_ended(state, data["offers_ended"])
    return _on_turn(state, phase=data["next"], credit={}, blocked=(), free_move=data["free_move"])


def _cards_discarded(state: State, data: Data) -> State:
    player = state.players[data["seat"]]
    state = _with(state, data["seat"], replace(player, hand=_without(player.hand, data["cards"])))
    return replace(state, discard=(*state.discard, *data["cards"]))


def _cards_drawn(state: State, data: Data) -> State:
    player = state.players[data["seat"]]
    state = _with(state, data["seat"], replace(player, hand=_add(player.hand, data["cards"])))
    return replace(state, deck=state.deck[len(data["cards"]) :])


def _deck_reshuffled(state: State, data: Data) -> State:
    return replace(state, deck=tuple(data["deck"]), discard=())


def _fleets_disbanded(state: State, data: Data) -> State:
    player = state.players[data["seat"]]
    for group in data["disband"]:
        if group["fleets"]:
            player = _piece(player, "fleet", group["space"], -group["fleets"])
        if group["warfleets"]:
            player = _piece(player, "warfleet", group["space"], -group["warfleets"])
    player = replace(player, hand=_without(player.hand, data["builds"]))
    return replace(_with(state, data["seat"], player), discard=(*state.discard, *data["builds"]))


def _treaty_ended(state: State, data: Data) -> State:
    ends = (data["seat"], data["partner"])
    return replace(state, treaties=tuple(one for one in state.treaties if (one.seat, one.partner) != ends))


# --- declared actions and windows ---


def _pay(state: State, data: Data) -> State:
    seat, paid = data["seat"], data["paid"]
    if paid:
        player = state.players[seat]
        state = _with(state, seat, replace(player, hand=_without(player.hand, paid)))
        state = replace(state, discard=(*state.discard, *paid))
    if data["credit"] or data["made"]:
        state = _on_turn(state, credit=_credited(state.turn, data["credit"], data["made"]))
    return state


def _action_declared(state: State, data: Data) -> State:
    at = len(state.discard)
    state = _pay(state, data)
    if data["free"]:
        state = _on_turn(state, free_move=False)
    if data["action"] == "internal_trade":
        state = _on_turn(state, internal_used=True)
    if data["answers"] is not None:
        state = _answered(state, data["answers"], data["seat"])
    state = replace(state, next_id=data["id"] + 1)
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
    )
    return replace(state, actions=(*state.actions, action))


def _window_opened(state: State, data: Data) -> State:
    return _pushed(state, data, "after", len(state.discard))


def _passed(state: State, data: Data) -> State:
    if data["action"] is None:
        turn = state.turn
        calling = tuple(seat for seat in turn.calling if seat != data["seat"])
        return _on_turn(state, declined=(*turn.declined, data["seat"]), calling=calling)
    return _answered(state, data["action"], data["seat"])


def _answered(state: State, action_id: int, seat: int) -> State:
    actions = tuple(
        replace(one, asked=tuple(other for other in one.asked if other != seat)) if one.id == action_id else one
        for one in state.actions
    )
    return replace(state, actions=actions)


def _window_closed(state: State, data: Data) -> State:
    return replace(state, actions=_above(state.actions, data["id"]))


def _move_blocked(state: State, data: Data) -> State:
    seat, at, paid = data["seat"], data["discard_at"], data["paid"]
    player = state.players[seat]
    state = _with(state, seat, replace(player, hand=_add(player.hand, paid)))
    turn = state.turn
    turn = replace(
        turn,
        credit=_credited(turn, data["made"], data["credit"]),
        free_move=turn.free_move or data["free"],
        blocked=(*turn.blocked, data["space"]),
    )
    discard = state.discard[:at] + state.discard[at + len(paid) :]
    return replace(state, turn=turn, discard=discard, actions=_above(state.actions, data["id"]))


def _same(state: State, data: Data) -> State:
    return state


def _spied(state: State, data: Data) -> State:
    state = _pay(state, data)
    player = state.players[data["seat"]]
    record = SpyRecord(data["turn"], str(data["target"]), tuple(data["cards"]))
    return _with(state, data["seat"], replace(player, records=(*player.records[-data["keeps"] + 1 :], record)))


def _orders_set(state: State, data: Data) -> State:
    orders = dict(data["orders"])
    orders["diplomacy_spaces"] = tuple(orders["diplomacy_spaces"])
    orders["sabotage_kinds"] = tuple(orders["sabotage_kinds"])
    return _with(state, data["seat"], replace(state.players[data["seat"]], orders=Orders(**orders)))


# --- effects ---


def _card_taken(state: State, data: Data) -> State:
    victim, taker = state.players[data["victim"]], state.players[data["seat"]]
    state = _with(state, data["victim"], replace(victim, hand=_without(victim.hand, (data["card"],))))
    return _with(state, data["seat"], replace(taker, hand=_add(taker.hand, (data["card"],))))


def _card_thrown(state: State, data: Data) -> State:
    victim = state.players[data["victim"]]
    state = _with(state, data["victim"], replace(victim, hand=_without(victim.hand, (data["card"],))))
    return replace(state, discard=(*state.discard, data["card"]))


def _card_recovered(state: State, data: Data) -> State:
    player, at = state.players[data["seat"]], data["discard_at"]
    state = _with(state, data["seat"], replace(player, hand=_add(player.hand, (data["card"],))))
    return replace(state, discard=state.discard[:at] + state.discard[at + 1 :])


def _built(piece: str) -> Callable[[State, Data], State]:
    def apply(state: State, data: Data) -> State:
        return _with(state, data["seat"], _piece(state.players[data["seat"]], piece, data["space"], 1))

    return apply


def _ability_rolled(state: State, data: Data) -> State:
    return _on_turn(state, choice=tuple(data["choice"]))


def _fleets_moved(state: State, data: Data) -> State:
    return _with(state, data["seat"], _shift(state.players[data["seat"]], data))


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
            _emptied(chart.pile, data["taken"]),
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
            pile=_emptied(chart.pile, data["taken"]),
        ),
    )


def _contact_made(state: State, data: Data) -> State:
    pair = (data["seats"][0], data["seats"][1])
    return replace(state, chart=replace(state.chart, contacts=(*state.chart.contacts, pair)))


def _unit_replaced(state: State, data: Data) -> State:
    state = _with(state, data["victim"], _piece(state.players[data["victim"]], data["piece"], data["space"], -1))
    return _with(state, data["seat"], _piece(state.players[data["seat"]], data["piece"], data["space"], 1))


def _piece_destroyed(state: State, data: Data) -> State:
    return _with(state, data["victim"], _piece(state.players[data["victim"]], data["piece"], data["space"], -1))


def _colony_raided(state: State, data: Data) -> State:
    victim = state.players[data["victim"]]
    return _with(state, data["victim"], replace(victim, raided=plus(victim.raided, data["space"], 1)))


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
    state = _with(state, data["seat"], replace(giver, hand=_add(_without(giver.hand, give), want)))
    state = _with(state, data["by"], replace(taker, hand=_add(_without(taker.hand, want), give)))
    return _offer_gone(state, data)


# --- battle ---


def _calls_opened(state: State, data: Data) -> State:
    return _on_turn(state, calling=tuple(data["seats"]))


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
        state = _cards_discarded(state, {"seat": int(seat), "cards": cards})
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
        state = _with(state, int(key), player)
    return state


# --- leaving and ending ---


def _seat_eliminated(state: State, data: Data) -> State:
    seat = data["seat"]
    gone = state.players[seat]
    player = Player(abilities=gone.abilities, orders=gone.orders, records=gone.records, turns=gone.turns, alive=False)
    state = replace(_with(state, seat, player), discard=(*state.discard, *data["hand"]))
    if data["world"] is not None:
        state = replace(state, chart=replace(state.chart, chits={**state.chart.chits, data["world"]: "world"}))
    ended = {offer.id for offer in state.offers if seat in (offer.seat, offer.to)}
    actions: tuple[Action, ...] = ()
    for action in state.actions:
        if action.seat == seat:
            break
        actions = (*actions, replace(action, asked=tuple(one for one in action.asked if one != seat)))
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
    "cards_discarded": _cards_discarded,
    "cards_drawn": _cards_drawn,
    "deck_reshuffled": _deck_reshuffled,
    "fleets_disbanded": _fleets_disbanded,
    "treaty_ended": _treaty_ended,
    "action_declared": _action_declared,
    "window_opened": _window_opened,
    "window_closed": _window_closed,
    "passed": _passed,
    "action_negated": _window_closed,
    "action_failed": _same,
    "move_blocked": _move_blocked,
    "move_bounced": _same,
    "spied": _spied,
    "orders_set": _orders_set,
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
    "homeworld_captured": _same,
    "seat_eliminated": _seat_eliminated,
    "game_over": _game_over,
}
