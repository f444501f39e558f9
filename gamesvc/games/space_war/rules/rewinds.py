"""Rewinds: the versions that open items need, what is redrawn, and what survives (RULES.md 11.6)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from gamesvc.games.kernel.dice import Dice
from gamesvc.games.kernel.game import Event
from gamesvc.games.space_war.events import read_event
from gamesvc.games.space_war.events.answers import OrdersSet
from gamesvc.games.space_war.events.base import WarEvent
from gamesvc.games.space_war.events.zones import CardsDrawn, CardsMilled, Looked, PileOrdered
from gamesvc.games.space_war.state import MOST_REPLAYED, State
from gamesvc.json_types import JsonMapping, JsonObject


def marks(state: State) -> frozenset[int]:
    """Return the versions that an answer to an open item may go back to. Items without a possible answer need none."""
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


def _order_of_drawn(event: WarEvent) -> int | None:
    """Return the seat whose pile an event drew from, looked at or shuffled, or None."""
    return event.seat if isinstance(event, (CardsDrawn, CardsMilled, PileOrdered, Looked)) else None


def _seen_since(then: State, now: State, seat: int) -> bool:
    """Return True if the states show that part of a pile was seen: cards left it, moved, became known or are offered.

    A match begun from a position has no earlier events, and an event on a branch that was undone earlier is not undone again. The
    pile itself shows what was seen in both cases.
    """
    before, after = then.sides[seat], now.sides[seat]
    there, hidden = set(before.pile), set(before.pile[before.known :])
    left = tuple(card for card in after.pile if card in there)
    known = {*after.pile[: after.known], *(card for prompt in now.prompts for card in prompt.options)}
    searched = any(prompt.seat == seat and "draw_pile" in prompt.task.get("from", ()) for prompt in now.prompts)
    return left != before.pile or bool(hidden & known) or searched


def on_rewind(then: State, now: State, retracted: Sequence[Event], dice: Dice) -> JsonObject:
    """Redraw the order of each pile of which anyone saw a part. Return it with the list of undone commands."""
    undone = [read_event(event) for event in retracted]
    seats = {seat for event in undone if (seat := _order_of_drawn(event)) is not None}
    seats |= {seat for seat in (0, 1) if _seen_since(then, now, seat)}
    orders = {}
    for seat in sorted(seats):
        side = then.sides[seat]
        orders[str(seat)] = [*side.pile[: side.known], *dice.shuffle(side.pile[side.known :])]
    commands = [
        event.cmd["command"]
        for event in map(read_event, _stood_until_now(retracted))
        if event.cmd is not None and event.cmd["seat"] == then.active and event.cmd["replay"]
    ]
    return {"orders": orders, "replay": commands[:MOST_REPLAYED]}


def _stood_until_now(retracted: Sequence[Event]) -> list[Event]:
    """Return the retracted events without those that an earlier rewind had retracted.

    Their commands are not offered again. Else who went back and repeated would have twice as many each time.
    """
    events = {event.version: event for event in retracted}
    stood: dict[int, Event] = {}
    at, first = max(events, default=0), min(events, default=1)
    while at >= first:
        event = events.get(at)  # none: it is kept
        at = at - 1 if event is None else event.predecessor
        if event is not None:
            stood[event.version] = event
            stood |= {version: events[version] for version in event.kept if version in events}
    return [stood[version] for version in sorted(stood)]


def given_back(then: State, now: State, retracted: Sequence[Event], why: JsonMapping) -> JsonObject:
    """Return the items that an undo reopens: those its seat has settled since, or either seat if the organiser rewinds.

    Settled marks survive reactions. If they also survived an undo, undoing `let_stand` would have no effect. `unseen`: nobody
    else may know of the undo, so the decisions keep their ids, and the active player the commands that they may repeat.
    `standing`: the orders that ended with what is undone.
    """
    seat = why.get("seat") if why.get("cause") in ("undo", "redo") else None
    open_then = {item.n for item in then.items if not item.settled and item.by != seat}
    reopened = sorted(open_then & {item.n for item in now.items if item.settled})
    unseen = {"unseen": True, "replay": list(now.replay)} if why.get("private") else {}
    ended = _ended_orders(then, now, retracted) if why.get("cause") else {}
    return {**({"reopened": reopened} if reopened else {}), **({"standing": ended} if ended else {}), **unseen}


def _ended_orders(then: State, now: State, retracted: Sequence[Event]) -> JsonObject:
    """Return the standing orders of each seat that retracted acts have used up or let expire, as they were before.

    Otherwise a seat could end its turn and undo that, and would be rid of the other seat's orders for this turn. Those of a seat
    that has set others since stay as they are.
    """
    set_since = {OrdersSet.of(event.data).seat for event in retracted if event.type == OrdersSet.TYPE}
    return {
        str(seat): list(side.orders)
        for seat, side in enumerate(then.sides)
        if seat not in set_since and side.orders != now.sides[seat].orders
    }


def rewound(then: State, now: State, data: JsonMapping) -> State:
    """Return the state at the target version, with the current settled marks, standing orders and timeout counts.

    Rewinds of version 1.0 have no `reopened` items, those before 1.2.4 no `standing` orders.
    """
    orders, standing = data.get("orders", {}), data.get("standing", {})
    sides = tuple(
        replace(
            side,
            pile=tuple(orders.get(str(seat), side.pile)),
            orders=tuple(standing.get(str(seat), now.sides[seat].orders)),
            flip_preference=now.sides[seat].flip_preference,
            mills=now.sides[seat].mills,
            timeouts=now.sides[seat].timeouts,
            timed=now.sides[seat].timed,
        )
        for seat, side in enumerate(then.sides)
    )
    settled = {item.n for item in now.items if item.settled} - set(data.get("reopened", ()))
    return replace(
        then,
        sides=(sides[0], sides[1]),
        items=tuple(replace(item, settled=True) if item.n in settled else item for item in then.items),
        replay=tuple(data.get("replay", ())),
        next_item=max(then.next_item, now.next_item),
        next_prompt=max(then.next_prompt, now.next_prompt),
        rewinds=now.rewinds + (not data.get("unseen", False)),
    )
