"""The actions of the command phase, checked when declared and again when they resolve (RULES.md 6, 10).

If the edition allows responses, actions go on the stack; otherwise they happen at once. Costs are paid on resolution. Only cards
that are built or placed from hand are revealed and paid for when declared.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from gamesvc.games.kernel.game import Refused
from gamesvc.games.star_commander.data import Card
from gamesvc.games.star_commander.events.board import ShipsJumped
from gamesvc.games.star_commander.events.cards import TechnologyPlaced
from gamesvc.games.star_commander.events.plays import StackItemFizzled, StackItemResolved
from gamesvc.games.star_commander.rules.acting import movement
from gamesvc.games.star_commander.rules.decision import Play
from gamesvc.games.star_commander.rules.effects import building, changes
from gamesvc.games.star_commander.rules.values import Board
from gamesvc.games.star_commander.state import Item
from gamesvc.json_types import JsonMapping
from gamesvc.language import say

Params = JsonMapping


def check(board: Board, seat: int, name: str, params: Params) -> None:
    """Raise `Refused` for an action that is illegal now."""
    CHECKS[name](board, seat, params)


def check_move(board: Board, seat: int, params: Params) -> None:
    if "explore" in params and not board.edition.may_leave_unexplored:
        raise Refused("no_choice", say("Ships always explore where they arrive."), "explore")
    movement.plan_jump(board, seat, params["ships"], params["to"], params.get("carried", {}))


def _core(board: Board, params: Params, kind: str) -> Card:
    at = params["card"]
    card = board.cards[at] if at in board.cards.core else None
    if card is None or card.kind != kind or not card.buildable:
        known = ", ".join(card.id for card in building.core_cards(board, kind))
        raise Refused(
            "wrong_card", say("There is no {kind} {card} to build; there are: {known}.", kind=kind, card=at, known=known), "card"
        )
    return card


def check_build_ship(board: Board, seat: int, params: Params) -> None:
    building.check_build(board, seat, _core(board, params, "ship"), params["cell"])


def check_build_station(board: Board, seat: int, params: Params) -> None:
    building.check_build(board, seat, _core(board, params, "station"), params["cell"])


def check_develop(board: Board, seat: int, params: Params) -> None:
    building.check_develop(board, seat, params["cell"])


def check_trade_draw(board: Board, seat: int, params: Params) -> None:
    """Check a trade of three credits for a card of a controlled domain. Raises `Refused`."""
    domain = params["domain"]
    if domain not in board.drawable(seat):
        able = ", ".join(board.drawable(seat)) or "none now"
        raise Refused(
            "no_domain", say("You cannot draw from {domain}; you can draw from: {able}.", domain=domain, able=able), "domain"
        )
    if board.state.seats[seat].credits < 3:
        raise Refused(
            "cannot_pay", say("A card costs 3 credits; you have {credits}.", credits=board.state.seats[seat].credits), "domain"
        )
    full = board.hand_is_full(seat)
    if full and not board.edition.hand_full_discards:
        raise Refused("hand_full", say("Your hand is full at {limit} cards.", limit=board.edition.hand_limit), "domain")
    check_discard(board, seat, params.get("discard"), full)


def check_discard(board: Board, seat: int, uid: str | None, full: bool) -> None:
    """Check the card to discard: required with a full hand, forbidden otherwise. Raises `Refused`."""
    needed = full and board.edition.hand_full_discards
    if needed and uid is None:
        raise Refused(
            "hand_full",
            say("Your hand is full at {limit}: name a card to discard.", limit=board.edition.hand_limit),
            "discard",
        )
    if not needed and uid is not None:
        raise Refused("no_choice", say("Your hand has room; nothing is discarded."), "discard")
    if uid is not None and uid not in board.state.seats[seat].hand:
        raise Refused("not_owned", say("There is no card {uid} in your hand.", uid=uid), "discard")


def check_trade_discard(board: Board, seat: int, params: Params) -> None:
    uids = params["uids"]
    if len(uids) != 2 or len(set(uids)) != 2 or any(uid not in board.state.seats[seat].hand for uid in uids):
        raise Refused("not_owned", say("Name two different cards of your hand."), "uids")


CHECKS: Mapping[str, Callable[[Board, int, Params], None]] = {
    "move_ships": check_move,
    "build_ship": check_build_ship,
    "build_station": check_build_station,
    "develop": check_develop,
    "trade_draw": check_trade_draw,
    "trade_discard": check_trade_discard,
}


# --- carrying out ---


def perform_move(play: Play, seat: int, params: Params) -> None:
    jump = movement.still_going(play.board, seat, params)
    assert jump is not None
    do_jump(play, seat, jump, params["to"], explore=params.get("explore", True), why="move")


def do_jump(play: Play, seat: int, jump: movement.Jump, to: str, *, explore: bool = True, why: str) -> None:
    """Move ships together and apply the effects of their arrival."""
    play.emit(
        ShipsJumped(
            seat=seat,
            ships=list(jump.ships),
            carried=[fighter for group in jump.carried.values() for fighter in group],
            from_cell=play.state.vessels[jump.ships[0]].cell,
            to=to,
            marks=list(jump.marks),
            why=why,
        )
    )
    changes.arrive(play, seat, jump.all, to, explore=explore)


def perform_build(play: Play, seat: int, params: Params) -> None:
    card, cell = play.board.cards[params["card"]], params["cell"]
    price = building.check_build(play.board, seat, card, cell)
    changes.spend(play, seat, price, card.id)
    changes.put_vessel(play, seat, card, cell, paid=price)


def perform_develop(play: Play, seat: int, params: Params) -> None:
    """Pay, place the development, gain control if possible, then run the system's first-development effects."""
    cell = params["cell"]
    found, price = play.state.cells[cell], building.check_develop(play.board, seat, cell)
    earlier = found.first_developed_by
    first = seat not in earlier if play.board.edition.first_per_seat else not earlier
    changes.spend(play, seat, price, "develop")
    changes.place_development(play, seat, cell, 1, first=seat not in earlier)
    if found.controller is None:
        changes.change_control(play, cell, seat, play.state.cells[cell].devs, "develop")
        changes.settle(play)
    if first:
        changes.run_system_effects(play, seat, cell, "first_developed")


def perform_trade_draw(play: Play, seat: int, params: Params) -> None:
    if params.get("discard") is not None:
        changes.discard(play, seat, params["discard"])
    changes.spend(play, seat, 3, "trade_draw")
    play.push("draw", seat=seat, left=1, why="trade", domain=params["domain"])


def perform_trade_discard(play: Play, seat: int, params: Params) -> None:
    for uid in params["uids"]:
        changes.discard(play, seat, uid)
    changes.gain(play, seat, 3, [("trade_discard", 3)])


PERFORM: Mapping[str, Callable[[Play, int, Params], None]] = {
    "move_ships": perform_move,
    "build_ship": perform_build,
    "build_station": perform_build,
    "develop": perform_develop,
    "trade_draw": perform_trade_draw,
    "trade_discard": perform_trade_discard,
}


# --- from hand ---


def check_hand_card(board: Board, seat: int, uid: str, kind: str) -> Card:
    if uid not in board.state.seats[seat].hand:
        raise Refused("not_owned", say("There is no card {uid} in your hand.", uid=uid), "uid")
    card = board.cards[board.state.faces[uid]]
    if card.kind != kind:
        raise Refused(
            "wrong_card", say("{card} is a {kind}, not a {wanted}.", card=card.name, kind=card.kind, wanted=kind), "uid"
        )
    return card


def resolve(play: Play, item: Item) -> None:
    """Resolve a declared action, or a card from hand, when it is on top of the stack."""
    if item.uid is not None:
        _resolve_from_hand(play, item)
        return
    fault = _fault(play.board, item)
    if fault:
        play.emit(StackItemFizzled(item=item.id, name=item.name, seat=item.seat, why=fault, returned=None, refund=0))
        return
    play.emit(StackItemResolved(item=item.id, name=item.name, seat=item.seat))
    PERFORM[item.name](play, item.seat, item.params)


def _fault(board: Board, item: Item) -> str:
    """Return the code of the reason why a declared action fizzles; empty if it does not.

    A fleet moves with the ships still able to.
    """
    if item.name == "move_ships":
        return "" if movement.still_going(board, item.seat, item.params) else "cannot_jump"
    try:
        check(board, item.seat, item.name, item.params)
    except Refused as refused:
        return refused.code
    return ""


def _resolve_from_hand(play: Play, item: Item) -> None:
    """Build or place the revealed card. If that is no longer possible, the card returns to hand and its credits are refunded."""
    assert item.uid is not None
    card = play.board.cards[play.state.faces[item.uid]]
    if card.kind == "technology":
        play.emit(StackItemResolved(item=item.id, name=item.name, seat=item.seat))
        play.emit(TechnologyPlaced(seat=item.seat, uid=item.uid, card=card.id))
        changes.settle(play)
        return
    cell = item.params["cell"]
    try:
        building.check_build(play.board, item.seat, card, cell, paid=True)
    except Refused as refused:
        play.emit(
            StackItemFizzled(
                item=item.id,
                name=item.name,
                seat=item.seat,
                why=refused.code,
                returned=item.uid,
                refund=item.paid,
            )
        )
        return
    play.emit(StackItemResolved(item=item.id, name=item.name, seat=item.seat))
    changes.put_vessel(play, item.seat, card, cell, paid=item.paid, uid=item.uid)
