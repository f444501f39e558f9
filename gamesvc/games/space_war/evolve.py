"""Applying events. Every number comes from the event; nothing is looked up in the card table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from gamesvc.games.kernel import Event, Version
from gamesvc.games.space_war.state import Item, Piece, Prompt, Side, State, StationCard, owner_of

Changes = dict[str, Any]


def evolve(state: State | None, event: Event) -> State:
    """Apply one event.

    `todo` is what is left to resolve; `cmd` the command whose first event this is: its sender is there, so his time-outs
    do not count on, and what could be replayed is dropped with the next command of that kind.
    """
    data = event.data
    if state is None:
        return _created(data)
    handler = _HANDLERS.get(event.type)
    changes = handler(state, data) if handler is not None else {}
    if "todo" in data:
        changes["agenda"] = tuple(data["todo"])
    if "cmd" in data and event.type not in ("timed_out", "game_ended"):
        if state.replay and data["cmd"]["replay"]:
            changes["replay"] = ()
        if state.sides[data["cmd"]["seat"]].timeouts:
            a, b = changes.get("sides", state.sides)
            changes["sides"] = (replace(a, timeouts=0), b) if data["cmd"]["seat"] == 0 else (a, replace(b, timeouts=0))
    return replace(state, **changes) if changes else state


def _created(data: Mapping[str, Any]) -> State:
    sides = tuple(Side(deck=side["deck"], pool=tuple(side["pool"])) for side in data["sides"])
    return State(data["points"], data["max_timeouts"], {}, (sides[0], sides[1]))


def _side(state: State, seat: int, **changes: Any) -> tuple[Side, Side]:
    a, b = state.sides
    return (replace(a, **changes), b) if seat == 0 else (a, replace(b, **changes))


def _pieces(state: State, instance: str, **changes: Any) -> tuple[Piece, ...]:
    return tuple(replace(p, **changes) if p.id == instance else p for p in state.pieces)


def _without(items: tuple[str, ...], gone: list[str]) -> tuple[str, ...]:
    return tuple(item for item in items if item not in gone)


def _pile_ordered(state: State, data: Mapping[str, Any]) -> Changes:
    changes: Changes = {"sides": _side(state, data["seat"], pile=tuple(data["order"]), known=data.get("known", 0))}
    if "cards" in data:
        changes["cards"] = {**state.cards, **data["cards"]}
    return changes


def _starter_chosen(state: State, data: Mapping[str, Any]) -> Changes:
    return {"active": data["seat"], "phase": "prepare"}


def _cards_drawn(state: State, data: Mapping[str, Any]) -> Changes:
    side = state.sides[data["seat"]]
    n = len(data["cards"])
    return {
        "sides": _side(state, data["seat"], pile=side.pile[n:], hand=(*side.hand, *data["cards"]), known=max(0, side.known - n))
    }


def _seat_prepared(state: State, data: Mapping[str, Any]) -> Changes:
    return {"sides": _side(state, data["seat"], commit=data["commit"])}


def _revealed(state: State, data: Mapping[str, Any]) -> Changes:
    sides = []
    for side, entry in zip(state.sides, data["sides"], strict=True):
        station = tuple(StationCard(card["slot"], card["id"], card["row"]) for card in entry["station"])
        sides.append(
            replace(
                side,
                hand=_without(side.hand, [card.id for card in station]),
                station=station,
                slots=len(station),
                commander=entry["commander"],
                life=entry["life"],
                full_life=entry["life"],
                commit=None,
            )
        )
    return {"sides": tuple(sides)}


def _turn_started(state: State, data: Mapping[str, Any]) -> Changes:
    seat, turn = data["seat"], data["turn"]
    sides = tuple(
        replace(
            side,
            plays=0,
            commander_uses=0,
            managed=False,
            free_hand=False,
            first_turn=side.first_turn or (turn if at == seat else 0),
            actions=0,
        )
        for at, side in enumerate(state.sides)
    )
    pieces = tuple(
        replace(p, moved=False, attacks=0, ability=False, dormant=p.dormant and p.owner != seat)
        if p.moved or p.attacks or p.ability or p.dormant
        else p
        for p in state.pieces
    )
    return {
        "turn": turn,
        "active": seat,
        "phase": "draw",
        "sides": sides,
        "pieces": pieces,
        "items": _kept(state.items, seat),
    }


def _kept(items: tuple[Item, ...], seat: int) -> tuple[Item, ...]:
    """Drop the settled items; what an item said by "the same as before" is written out."""
    kept: list[Item] = []
    last: dict[int, Any] = {}
    for item in items:
        said = item.plays if item.plays is not None else last.get(item.by)
        last[item.by] = said
        if not item.settled:
            first = all(other.by != item.by for other in kept)
            kept.append(replace(item, plays=said) if first and said is not item.plays else item)
    return tuple(kept)


def _phase_entered(state: State, data: Mapping[str, Any]) -> Changes:
    changes: Changes = {"phase": data["phase"]}
    if "seat" in data:
        changes["active"] = data["seat"]
    return changes


def _actions(state: State, data: Mapping[str, Any]) -> Changes:
    changes: Changes = {"actions": data["actions"]}
    if "charge" in data:
        changes["charge"] = data["charge"]
    return {"sides": _side(state, data["seat"], **changes)}


def _upkeep_paid(state: State, data: Mapping[str, Any]) -> Changes:
    return {"sides": _side(state, data["seat"], actions=data["actions"]), "phase": "action"}


def _card_played(state: State, data: Mapping[str, Any]) -> Changes:
    side = state.sides[data["seat"]]
    card = data["card"]
    return {
        "sides": _side(
            state,
            data["seat"],
            hand=_without(side.hand, [card]),
            station=tuple(one for one in side.station if one.id != card),
            actions=side.actions - data["cost"],
            plays=side.plays + 1,
        ),
        "limbo": (*state.limbo, card),
    }


def _card_resolved(state: State, data: Mapping[str, Any]) -> Changes:
    """An event card is done, or a card was countered: from limbo to its owner's discard pile."""
    card = data["card"]
    if card not in state.limbo:
        return {}
    owner = owner_of(card)
    return {
        "limbo": _without(state.limbo, [card]),
        "sides": _side(state, owner, discard=(*state.sides[owner].discard, card)),
    }


def _take(state: State, card: str) -> tuple[tuple[Side, Side], Changes]:
    """Take a card out of wherever it lies outside play."""
    owner = owner_of(card)
    side = state.sides[owner]
    if card in state.limbo:
        return state.sides, {"limbo": _without(state.limbo, [card])}
    changes: Changes = {}
    if card in side.hand:
        changes["hand"] = _without(side.hand, [card])
    elif card in side.discard:
        changes["discard"] = _without(side.discard, [card])
    elif card in side.pile:
        changes["known"] = max(0, side.known - (side.pile.index(card) < side.known))
        changes["pile"] = _without(side.pile, [card])
    else:
        changes["station"] = tuple(one for one in side.station if one.id != card)
    return _side(state, owner, **changes), {}


def _entered_play(state: State, data: Mapping[str, Any]) -> Changes:
    piece = data["piece"]
    sides, changes = _take(state, piece["id"])
    made = Piece(**piece)
    return {**changes, "sides": sides, "pieces": (*state.pieces, made), "next_order": made.order + 1}


def _left_play(state: State, data: Mapping[str, Any]) -> Changes:
    """Cards leave play; each goes to its owner's zone named in `to`."""
    sides = list(state.sides)
    for card in data["cards"]:
        side = sides[owner_of(card)]
        if data["to"] == "hand":
            sides[owner_of(card)] = replace(side, hand=(*side.hand, card))
        else:
            sides[owner_of(card)] = replace(side, discard=(*side.discard, card))
    gone = set(data["cards"])
    return {"pieces": tuple(p for p in state.pieces if p.id not in gone), "sides": tuple(sides)}


def _hidden(state: State, data: Mapping[str, Any]) -> Changes:
    """A card from hand, limbo or play becomes a face-down station card."""
    card, seat = data["card"], data["seat"]
    if any(p.id == card for p in state.pieces):
        changes: Changes = {"pieces": tuple(p for p in state.pieces if p.id != card)}
        sides = state.sides
    else:
        sides, changes = _take(state, card)
    side = sides[seat]
    station = (*side.station, StationCard(data["slot"], card, data["row"]))
    new = replace(side, station=station, slots=side.slots + 1, managed=side.managed or data.get("managed", False))
    changes["sides"] = (new, sides[1]) if seat == 0 else (sides[0], new)
    return changes


def _station(state: State, seat: int, slots: list[str], **changes: Any) -> tuple[StationCard, ...]:
    return tuple(replace(card, **changes) if card.slot in slots else card for card in state.sides[seat].station)


def _station_moved(state: State, data: Mapping[str, Any]) -> Changes:
    seat = data["seat"]
    managed = state.sides[seat].managed or data["managed"]
    return {"sides": _side(state, seat, station=_station(state, seat, data["slots"], row=data["row"]), managed=managed)}


def _station_flipped(state: State, data: Mapping[str, Any]) -> Changes:
    seat = data["seat"]
    return {"sides": _side(state, seat, station=_station(state, seat, data["slots"], flipped=True, item=data["item"]))}


def _station_unflipped(state: State, data: Mapping[str, Any]) -> Changes:
    seat = data["seat"]
    return {"sides": _side(state, seat, station=_station(state, seat, data["slots"], flipped=False, item=0))}


def _life_changed(state: State, data: Mapping[str, Any]) -> Changes:
    return {"sides": _side(state, data["seat"], life=data["life"])}


def _moved(state: State, data: Mapping[str, Any]) -> Changes:
    zone, turn = data["zone"], data["turn"]
    return {
        "pieces": tuple(
            replace(p, zone=zone, zone_turn=turn, moved=p.id == data["card"] or p.moved) if data["card"] in (p.id, p.on) else p
            for p in state.pieces
        )
    }


def _attack_declared(state: State, data: Mapping[str, Any]) -> Changes:
    used = data["used"]
    return {
        "pieces": tuple(replace(p, attacks=used[p.id], last_attack=data["turn"]) if p.id in used else p for p in state.pieces)
    }


def _ability_used(state: State, data: Mapping[str, Any]) -> Changes:
    return {"pieces": _pieces(state, data["card"], ability=True, counters=data["counters"])}


def _commander_used(state: State, data: Mapping[str, Any]) -> Changes:
    side = state.sides[data["seat"]]
    return {
        "sides": _side(
            state, data["seat"], actions=data["actions"], charge=data["charge"], commander_uses=side.commander_uses + 1
        )
    }


def _damaged(state: State, data: Mapping[str, Any]) -> Changes:
    hits = data["hits"]
    return {
        "pieces": tuple(
            replace(
                p, damage=hits[p.id]["damage"], counters=hits[p.id]["counters"], paralyzed=p.paralyzed or hits[p.id]["stunned"]
            )
            if p.id in hits
            else p
            for p in state.pieces
        )
    }


def _repaired(state: State, data: Mapping[str, Any]) -> Changes:
    return {"pieces": _pieces(state, data["card"], damage=data["damage"], paralyzed=False)}


def _paralyzed(state: State, data: Mapping[str, Any]) -> Changes:
    return {"pieces": tuple(replace(p, paralyzed=True) if p.id in data["cards"] else p for p in state.pieces)}


def _protected(state: State, data: Mapping[str, Any]) -> Changes:
    return {"pieces": _pieces(state, data["card"], protected=data["turn"])}


def _counters_changed(state: State, data: Mapping[str, Any]) -> Changes:
    changes: Changes = {"pieces": _pieces(state, data["card"], counters=data["counters"])}
    if "actions" in data:
        changes["sides"] = _side(state, data["seat"], actions=data["actions"])
    return changes


def _control_changed(state: State, data: Mapping[str, Any]) -> Changes:
    return {
        "pieces": tuple(
            replace(p, controller=data["seat"], borrowed=data["borrowed"]) if p.id in data["cards"] else p for p in state.pieces
        )
    }


def _transformed(state: State, data: Mapping[str, Any]) -> Changes:
    swapped = (data["attack"], data["defense"])
    return {"pieces": _pieces(state, data["card"], damage=0, paralyzed=False, swapped=swapped)}


def _cards_discarded(state: State, data: Mapping[str, Any]) -> Changes:
    side, cards = state.sides[data["seat"]], list(data["cards"])
    return {
        "sides": _side(
            state,
            data["seat"],
            hand=_without(side.hand, cards),
            station=tuple(card for card in side.station if card.id not in cards),
            discard=(*side.discard, *cards),
        )
    }


def _cards_milled(state: State, data: Mapping[str, Any]) -> Changes:
    side, cards = state.sides[data["seat"]], list(data["cards"])
    return {
        "sides": _side(
            state,
            data["seat"],
            pile=side.pile[len(cards) :],
            known=max(0, side.known - len(cards)),
            discard=(*side.discard, *cards),
        )
    }


def _cards_returned(state: State, data: Mapping[str, Any]) -> Changes:
    """Cards go from wherever they lie outside play to the hand of their owner or onto his draw pile."""
    changes: Changes = {}
    for card in data["cards"]:
        sides, more = _take(state, card)
        side = sides[owner_of(card)]
        if data["to"] == "hand":
            side = replace(side, hand=(*side.hand, card))
        else:
            side = replace(side, pile=(card, *side.pile), known=side.known + 1)
        sides = (side, sides[1]) if owner_of(card) == 0 else (sides[0], side)
        state = replace(state, sides=sides, **more)
        changes |= more
    return {**changes, "sides": state.sides}


def _prompt_opened(state: State, data: Mapping[str, Any]) -> Changes:
    prompt = Prompt(
        data["prompt"],
        data["seat"],
        data["kind"],
        data["blocking"],
        tuple(data["options"]),
        data["least"],
        data["most"],
        data["item"],
        data["task"],
    )
    return {"prompts": (*state.prompts, prompt), "next_prompt": prompt.id + 1}


def _prompt_answered(state: State, data: Mapping[str, Any]) -> Changes:
    return {"prompts": tuple(prompt for prompt in state.prompts if prompt.id != data["prompt"])}


def _item_opened(state: State, data: Mapping[str, Any]) -> Changes:
    items = list(state.items)
    if items and items[-1].end is None and data["last"] is not None:
        items[-1] = replace(items[-1], end=Version(data["last"]["end"]), plays=data["last"]["plays"])
    item = Item(
        data["item"],
        Version(data["seq"]),
        data["by"],
        data["kind"],
        data["card"],
        data["what"],
        data["note"],
        answers=tuple(data["answers"]),
    )
    return {"items": (*items, item), "next_item": item.n + 1}


def _items_settled(state: State, data: Mapping[str, Any]) -> Changes:
    gone = set(data["items"])
    return {"items": tuple(replace(item, settled=True) if item.n in gone else item for item in state.items)}


def _paused(state: State, data: Mapping[str, Any]) -> Changes:
    return {"paused": data["at"]}


def _orders_set(state: State, data: Mapping[str, Any]) -> Changes:
    changes: Changes = {"orders": tuple(data["orders"])}
    if data["flip_preference"] is not None:
        changes["flip_preference"] = tuple(data["flip_preference"])
    return {"sides": _side(state, data["seat"], **changes)}


def _order_fired(state: State, data: Mapping[str, Any]) -> Changes:
    return {"sides": _side(state, data["seat"], orders=tuple(data["orders"]))}


def _no_hand_limit(state: State, data: Mapping[str, Any]) -> Changes:
    return {"sides": _side(state, data["seat"], free_hand=True)}


def _extra_turn_gained(state: State, data: Mapping[str, Any]) -> Changes:
    seat = data["seat"]
    return {
        "sides": _side(state, seat, extra_turns=data["turns"]),
        "pieces": _pieces(state, data["card"], counters=data["counters"]),
    }


def _turn_ended(state: State, data: Mapping[str, Any]) -> Changes:
    """The turn is over; orders of the other seat that were for this turn lapse."""
    seat = data["seat"]
    sides = list(state.sides)
    sides[seat] = replace(
        sides[seat], last_turn=state.turn, extra_turns=data["extra_turns"], actions=0, flip_slots=tuple(data["flip_slots"])
    )
    other = sides[1 - seat]
    if other.orders:
        sides[1 - seat] = replace(other, orders=tuple(order for order in other.orders if order["until"] != "turn"))
    return {"sides": tuple(sides), "phase": "between"}


def _timed_out(state: State, data: Mapping[str, Any]) -> Changes:
    return {"sides": _side(state, data["seat"], timeouts=data["in_a_row"])}


def _game_ended(state: State, data: Mapping[str, Any]) -> Changes:
    return {
        "winner": data["winner"],
        "reason": data["reason"],
        "phase": "over",
        "agenda": (),
        "prompts": (),
        "items": (),
        "replay": (),
    }


_HANDLERS: dict[str, Callable[[State, Mapping[str, Any]], Changes]] = {
    "pile_ordered": _pile_ordered,
    "chooser_drawn": lambda state, data: {"active": data["seat"]},
    "starter_chosen": _starter_chosen,
    "cards_drawn": _cards_drawn,
    "seat_prepared": _seat_prepared,
    "preparation_revealed": _revealed,
    "turn_started": _turn_started,
    "phase_entered": _phase_entered,
    "actions_set": _actions,
    "actions_changed": _actions,
    "upkeep_paid": _upkeep_paid,
    "card_played": _card_played,
    "card_resolved": _card_resolved,
    "card_countered": _card_resolved,
    "entered_play": _entered_play,
    "put_into_play": _entered_play,
    "left_play": _left_play,
    "station_added": _hidden,
    "station_moved": _station_moved,
    "station_flipped": _station_flipped,
    "station_unflipped": _station_unflipped,
    "life_changed": _life_changed,
    "moved": _moved,
    "attack_declared": _attack_declared,
    "collided": _ability_used,
    "ability_used": _ability_used,
    "commander_used": _commander_used,
    "damaged": _damaged,
    "repaired": _repaired,
    "paralyzed": _paralyzed,
    "protected": _protected,
    "counters_changed": _counters_changed,
    "control_changed": _control_changed,
    "transformed": _transformed,
    "cards_discarded": _cards_discarded,
    "cards_milled": _cards_milled,
    "cards_returned": _cards_returned,
    "station_left": _cards_returned,
    "prompt_opened": _prompt_opened,
    "prompt_answered": _prompt_answered,
    "item_opened": _item_opened,
    "items_settled": _items_settled,
    "paused": _paused,
    "orders_set": _orders_set,
    "order_fired": _order_fired,
    "hand_freed": _no_hand_limit,
    "extra_turn_gained": _extra_turn_gained,
    "turn_ended": _turn_ended,
    "timed_out": _timed_out,
    "game_ended": _game_ended,
}


def marks(state: State) -> frozenset[int]:
    """The versions that an answer to an open item may take the match back to; without a possible answer there is none."""
    wanted: set[int] = set()
    plays: dict[int, bool] = {}
    for item in state.items:
        if item.plays is not None:
            plays[item.by] = bool(item.plays)
        if not item.settled:
            if item.answers:
                wanted.add(item.seq)
            if item.end is not None and plays.get(item.by):
                wanted.add(item.end)
    return frozenset(wanted)


def _order_of_drawn(event: Event) -> int | None:
    """The seat whose pile an event drew from, looked at or shuffled; None for none."""
    if event.type in ("cards_drawn", "cards_milled", "pile_ordered", "looked"):
        seat = event.data["seat"]
        return seat if isinstance(seat, int) else None
    return None


def on_rewind(then: State, now: State, retracted: Any, dice: Any) -> dict[str, Any]:
    """Draw anew the order of each pile that somebody saw something of; list the commands that are taken back."""
    seats = {seat for event in retracted if (seat := _order_of_drawn(event)) is not None}
    orders = {}
    for seat in sorted(seats):
        side = then.sides[seat]
        orders[str(seat)] = [*side.pile[: side.known], *dice.shuffle(side.pile[side.known :])]
    commands = [
        event.data["cmd"]["command"]
        for event in retracted
        if "cmd" in event.data and event.data["cmd"]["seat"] == then.active and event.data["cmd"]["replay"]
    ]
    return {"orders": orders, "replay": commands}


def rewound(then: State, now: State, data: Mapping[str, Any]) -> State:
    """The state at the version gone back to, with settled marks, standing orders and time-out counts of now."""
    orders = data.get("orders", {})
    sides = tuple(
        replace(
            side,
            pile=tuple(orders.get(str(seat), side.pile)),
            orders=now.sides[seat].orders,
            flip_preference=now.sides[seat].flip_preference,
            timeouts=now.sides[seat].timeouts,
        )
        for seat, side in enumerate(then.sides)
    )
    settled = {item.n for item in now.items if item.settled}
    return replace(
        then,
        sides=(sides[0], sides[1]),
        items=tuple(replace(item, settled=True) if item.n in settled else item for item in then.items),
        replay=tuple(data.get("replay", ())),
        next_item=max(then.next_item, now.next_item),
        next_prompt=max(then.next_prompt, now.next_prompt),
        rewinds=now.rewinds + 1,
    )
