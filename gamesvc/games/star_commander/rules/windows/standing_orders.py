"""Automatic answers in windows by standing orders (RULES.md 14). Cards are read only for plays named in `auto`."""

from __future__ import annotations

from dataclasses import dataclass, field

from gamesvc.games.star_commander.data import Card
from gamesvc.games.star_commander.rules.effects.aims import (
    ability_of,
    affordable,
    aim_of_card,
    can_use_any,
    concerns,
    is_legal,
    sources,
)
from gamesvc.games.star_commander.rules.values import Board
from gamesvc.games.star_commander.state import Auto, Item, Orders


@dataclass(frozen=True, slots=True)
class Response:
    """A play made by standing orders: a command card from hand, or an ability paid for with a discarded card."""

    uid: str = ""
    source: str = ""
    discard: str = ""
    targets: dict[str, str] = field(default_factory=dict)


def can_respond(board: Board, seat: int) -> bool:
    """Return True if the seat could respond, by public facts: cards in hand, or an ability it could use (RULES.md 19.24)."""
    return bool(board.state.seats[seat].hand) or can_use_any(board, seat)


def wants_asking(board: Board, seat: int) -> bool:
    """Return True if the seat's orders request to be asked in the open window."""
    state = board.state
    assert state.window is not None
    orders = state.seats[seat].orders
    others = [item for item in state.stack if item.seat != seat and not item.cancelled]
    if names_asked_for(board, seat):
        return True
    if state.stack:
        own_on_top = state.stack[-1].seat == seat
        if own_on_top:
            return state.stack[-1].hold
        return any(_wants(board, seat, orders, item) for item in others)
    word = orders.combat[state.window.name]
    assert state.combat is not None
    return word == "ask" or (word == "involved" and bool(board.here(state.combat.cell, seat)))


def is_asked(board: Board, seat: int) -> bool:
    """Return True if the seat will be asked in the open window when it gets priority, as things stand."""
    if seat in board.state.resting or not can_respond(board, seat):
        return False
    answered, response = automatic(board, seat)
    if response is not None or not wants_asking(board, seat):
        return False
    return not answered or names_asked_for(board, seat)


def names_asked_for(board: Board, seat: int) -> bool:
    """Return True if the seat's `always_ask` names a card or action on the stack."""
    names = board.state.seats[seat].orders.always_ask
    return any(
        item.name in names or (item.uid is not None and board.state.faces[item.uid] in names)
        for item in board.state.stack
        if item.seat != seat and not item.cancelled
    )


def _wants(board: Board, seat: int, orders: Orders, item: Item) -> bool:
    word = {"command": orders.commands, "ability": orders.abilities, "action": orders.actions}[item.kind]
    return word == "ask" or (word == "concerned" and concerns(board, item, seat))


def automatic(board: Board, seat: int) -> tuple[bool, Response | None]:
    """Return a flag that an `auto` order answers now, and its play. (True, None) is a pass."""
    state = board.state
    if not state.stack or state.stack[-1].seat == seat:
        return False, None
    top = state.stack[-1]
    matching = [auto for auto in state.seats[seat].orders.auto if _matches(board, seat, auto, top)]
    for auto in matching:
        response = _response(board, seat, auto.play, top)
        if response is not None:
            return True, response
    return bool(matching), None


def _matches(board: Board, seat: int, auto: Auto, top: Item) -> bool:
    if auto.on and top.name not in auto.on:
        return False
    if auto.by is not None and auto.by != top.seat:
        return False
    return not auto.only_concerned or concerns(board, top, seat)


def _response(board: Board, seat: int, name: str, top: Item) -> Response | None:
    purse = board.state.seats[seat]
    card = board.cards.cards.get(name)
    if card is None:
        return None
    if card.kind == "technology":
        return _ability_response(board, seat, card, top)
    uid = next((uid for uid in purse.hand if board.state.faces[uid] == name), None)
    targets = _obvious(board, seat, card, top)
    return None if uid is None or targets is None else Response(uid=uid, targets=targets)


def _ability_response(board: Board, seat: int, card: Card, top: Item) -> Response | None:
    purse = board.state.seats[seat]
    for source, effect in sources(board, seat):
        if source not in purse.technologies or board.state.faces[source] != card.id or not purse.hand:
            continue
        for own in _own_aimed(board, seat, top):
            if any(own in bundle.get("a", ()) for bundle in affordable(board, seat, source, effect)):
                assert ability_of(board, seat, source) is not None
                return Response(source=source, discard=purse.hand[0], targets={"a": own})
    return None


def _own_aimed(board: Board, seat: int, top: Item) -> list[str]:
    vessels = [board.state.vessels[value] for value in top.targets.values() if value in board.state.vessels]
    return [vessel.id for vessel in vessels if vessel.controller == seat]


def _obvious(board: Board, seat: int, card: Card, top: Item) -> dict[str, str] | None:
    """Return the obvious target: the top item, the seat's vessel it targets, or that vessel's cell; None if there is none."""
    if not card.targets:
        return {}
    first = card.targets[0]
    own = _own_aimed(board, seat, top)
    if first.kind == "stack_command":
        values = [f"s{top.id}"]
    elif first.kind == "system":
        cells = [value for value in top.targets.values() if value in board.state.cells and board.here(value, seat)]
        values = [board.state.vessels[at].cell for at in own] + cells
    else:
        values = own
    aim = aim_of_card(seat, card)
    return next(({first.name: value} for value in values if is_legal(board, aim, first, value, {})), None)
