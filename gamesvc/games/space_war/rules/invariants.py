"""The invariants of every state."""

from __future__ import annotations

from gamesvc.games.space_war.data import CARDS
from gamesvc.games.space_war.rules import pending
from gamesvc.games.space_war.rules.facts import Board
from gamesvc.games.space_war.state import Side, State, owner_of


def faults(state: State) -> list[str]:
    """Return the broken invariants of a state. Every card must be in exactly one place, and every number in range."""
    found: list[str] = []
    everywhere: list[str] = [*state.limbo, *(p.id for p in state.pieces)]
    for side in state.sides:
        everywhere += [*side.pile, *side.hand, *side.discard, *(card.id for card in side.station)]
    if len(everywhere) != len(set(everywhere)):
        found.append(f"a card is in two places: {sorted(one for one in set(everywhere) if everywhere.count(one) > 1)}")
    if set(everywhere) != set(state.cards):
        found.append(f"cards are lost or made up: {sorted(set(everywhere) ^ set(state.cards))}")
    if found:
        return found
    for seat, side in enumerate(state.sides):
        found += _side_faults(state, seat, side)
    found += [*_course_faults(state), *pending.faults(state)]
    board = Board(state)
    for p in state.pieces:
        defense = board.defense(p)
        if (defense is not None and p.damage >= defense) or p.damage < 0 or p.counters < 0:
            found.append(f"{p.id} has damage {p.damage} of {defense} and {p.counters} counters")
        carrier = state.piece(p.on) if p.on is not None else None
        if p.on is not None and (carrier is None or carrier.on is not None or carrier is p):
            found.append(f"{p.id} is attached to nothing")
        if CARDS[p.card].type == "event":
            found.append(f"{p.id} is an event and cannot stay in play")
        if p.owner != owner_of(p.id) or (p.controller != p.owner and not p.borrowed):
            found.append(f"{p.id} is under wrong control")
    orders = [p.order for p in state.pieces]
    if orders != sorted(set(orders)) or (orders and orders[-1] >= state.next_order):
        found.append("pieces lie in the order in which they entered, below next_order")
    numbers = [item.n for item in state.items]
    if numbers != sorted(set(numbers)) or (numbers and numbers[-1] >= state.next_item):
        found.append(f"the items are numbered {numbers}")
    return found


def _side_faults(state: State, seat: int, side: Side) -> list[str]:
    found = []
    for zone in (side.pile, side.hand, side.discard, tuple(card.id for card in side.station)):
        if any(owner_of(one) != seat for one in zone):
            found.append(f"seat {seat} holds a card of the other seat")
    if side.actions < 0 or side.charge < 0 or side.extra_turns < 0 or not 0 <= side.known <= len(side.pile):
        found.append(f"seat {seat} has a number below zero")
    if sum(p.controller == seat and "shield_limit" in CARDS[p.card].keywords for p in state.pieces) > 1:
        found.append(f"seat {seat} has two limited shields")
    if any(int(card.slot[1:]) > side.slots for card in side.station):
        found.append(f"seat {seat} has a slot beyond the {side.slots} that were given out")
    if any(card.item >= state.next_item for card in side.station):
        found.append(f"seat {seat} has a card that was flipped in an item that is still to come")
    if len({card.slot for card in side.station}) != len(side.station):
        found.append(f"seat {seat} has two station cards in one slot")
    return found


def _course_faults(state: State) -> list[str]:
    """Return the conflicts with the phase: no commanders after the stations are revealed, open decisions after the end."""
    found = []
    begun = state.phase not in ("choose_starter", "prepare")
    chosen = [bool(side.commander) for side in state.sides]
    if state.phase == "over":
        if state.winner is None or state.agenda or state.prompts or state.items or state.replay:
            found.append("a match that is over has a winner and nothing open")
        return found
    if state.winner is not None or state.reason:
        found.append("a match that goes on has no winner")
    if chosen != [begun, begun] or begun != bool(state.turn):
        found.append("commanders are chosen, and turns count from 1, once the match has begun")
    if not begun and (state.pieces or state.items or state.prompts or state.agenda or state.limbo):
        found.append("cards are in play before the match has begun")
    if begun and any(side.commit is not None for side in state.sides):
        found.append("what is prepared is revealed when the match begins")
    if any(not side.pool for side in state.sides):
        found.append("each seat has commanders to choose from")
    return found
