"""Going back: which versions open items need, what is drawn anew, and what survives (RULES.md 11.6)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from gamesvc.games.kernel import Event
from gamesvc.games.space_war.state import Side, State


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


def _stirred(then: Side, now: Side) -> bool:
    """Whether cards of a pile have left it or changed places: so something was seen of it, though no event at hand tells.

    A match begun from a position has no events before it, and those of a branch taken back earlier are not retracted again.
    """
    there = set(then.pile)
    return tuple(card for card in now.pile if card in there) != then.pile


def on_rewind(then: State, now: State, retracted: Any, dice: Any) -> dict[str, Any]:
    """Draw anew the order of each pile that somebody saw something of; list the commands that are taken back."""
    seats = {seat for event in retracted if (seat := _order_of_drawn(event)) is not None}
    seats |= {seat for seat, (before, after) in enumerate(zip(then.sides, now.sides, strict=True)) if _stirred(before, after)}
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
            timed=now.sides[seat].timed,
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
