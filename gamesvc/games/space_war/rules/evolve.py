"""Events to states. Every number comes from the event; nothing is looked up in the card table.

This module covers the course of the match, cards in play, items and prompts. Piles, hands and stations: `evolve_zones`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from gamesvc.games.kernel.game import Event, Version
from gamesvc.games.space_war.rules.evolve_zones import ZONES, Changes, leave_out, with_side
from gamesvc.games.space_war.state import Item, Piece, Prompt, Side, State, StationCard


def evolve(state: State | None, event: Event) -> State:
    """Apply one event.

    `todo` is the remaining agenda. `cmd` is the command that begins with this event. Its sender is present, so their row of
    timeouts ends, and commands of that kind can no longer be replayed.
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
        seat = data["cmd"]["seat"]
        if state.sides[seat].timeouts:
            sides = list(changes.get("sides", state.sides))
            sides[seat] = replace(sides[seat], timeouts=0, timed="")
            changes["sides"] = tuple(sides)
    return replace(state, **changes) if changes else state


def _created(data: Mapping[str, Any]) -> State:
    sides = tuple(Side(deck=side["deck"], pool=tuple(side["pool"])) for side in data["sides"])
    return State(data["points"], data["max_timeouts"], {}, (sides[0], sides[1]))


def _pieces(state: State, instance: str, **changes: Any) -> tuple[Piece, ...]:
    return tuple(replace(p, **changes) if p.id == instance else p for p in state.pieces)


def _starter_chosen(state: State, data: Mapping[str, Any]) -> Changes:
    return {"active": data["seat"], "phase": "prepare"}


def _seat_prepared(state: State, data: Mapping[str, Any]) -> Changes:
    return {"sides": with_side(state, data["seat"], commit=data["commit"])}


def _revealed(state: State, data: Mapping[str, Any]) -> Changes:
    sides = []
    for side, entry in zip(state.sides, data["sides"], strict=True):
        station = tuple(StationCard(card["slot"], card["id"], card["row"]) for card in entry["station"])
        sides.append(
            replace(
                side,
                hand=leave_out(side.hand, [card.id for card in station]),
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
    """Drop the settled items. A reference to an item's predecessor is replaced by its value."""
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
    return {"sides": with_side(state, data["seat"], **changes)}


def _upkeep_paid(state: State, data: Mapping[str, Any]) -> Changes:
    return {"sides": with_side(state, data["seat"], actions=data["actions"]), "phase": "action"}


def _life_changed(state: State, data: Mapping[str, Any]) -> Changes:
    return {"sides": with_side(state, data["seat"], life=data["life"])}


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
        "sides": with_side(
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
        changes["sides"] = with_side(state, data["seat"], actions=data["actions"])
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
    if data.get("draws") is not None:  # events of version 1.0 have no such field
        changes["mills"] = data["draws"] == "mill"
    return {"sides": with_side(state, data["seat"], **changes)}


def _order_fired(state: State, data: Mapping[str, Any]) -> Changes:
    return {"sides": with_side(state, data["seat"], orders=tuple(data["orders"]))}


def _no_hand_limit(state: State, data: Mapping[str, Any]) -> Changes:
    return {"sides": with_side(state, data["seat"], free_hand=True)}


def _extra_turn_gained(state: State, data: Mapping[str, Any]) -> Changes:
    seat = data["seat"]
    return {
        "sides": with_side(state, seat, extra_turns=data["turns"]),
        "pieces": _pieces(state, data["card"], counters=data["counters"]),
    }


def _turn_ended(state: State, data: Mapping[str, Any]) -> Changes:
    """End the turn. Orders that the other seat gave for this turn expire."""
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
    return {"sides": with_side(state, data["seat"], timeouts=data["in_a_row"], timed=data["question"])}


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
    **ZONES,
    "chooser_drawn": lambda state, data: {"active": data["seat"]},
    "starter_chosen": _starter_chosen,
    "seat_prepared": _seat_prepared,
    "preparation_revealed": _revealed,
    "turn_started": _turn_started,
    "phase_entered": _phase_entered,
    "actions_set": _actions,
    "actions_changed": _actions,
    "upkeep_paid": _upkeep_paid,
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
