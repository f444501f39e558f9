"""Trade between players (RULES.md 9). Offers are not binding; everything changes hands at once on acceptance."""

from __future__ import annotations

from collections.abc import Sequence

from gamesvc.games.kernel import codec
from gamesvc.games.kernel.game import Refused
from gamesvc.games.kernel.wording import counted, seat_name
from gamesvc.games.star_commander.events.plays import TradeCompleted, TradeOffered, TradeWithdrawn
from gamesvc.games.star_commander.rules.decision import Play
from gamesvc.games.star_commander.rules.effects import changes
from gamesvc.games.star_commander.rules.values import Board
from gamesvc.games.star_commander.state import Offer, Side
from gamesvc.json_types import JsonMapping
from gamesvc.language import say

MOST_OFFERS = 3


def is_open(board: Board) -> bool:
    """Return True if trades are possible now: in a command phase with an empty stack, if the match allows trade."""
    state = board.state
    return state.trade and state.prompt.kind == "command" and not state.stack


def partners(board: Board, seat: int) -> list[int]:
    """Return the seats that a seat may send an offer to. One side must be the active seat."""
    if not is_open(board) or not board.state.seats[seat].alive:
        return []
    pool = [other for other in board.living() if other != seat] if seat == board.state.active else [board.state.active]
    sent = [offer.to for offer in board.state.offers if offer.maker == seat]
    return [other for other in pool if sent.count(other) < MOST_OFFERS]


def tradable(board: Board, seat: int) -> dict[str, list[str]]:
    """Return what a seat can trade, apart from hand cards. Homeworlds cannot be traded."""
    state = board.state
    return {
        "technologies": list(state.seats[seat].technologies),
        "vessels": [vessel.id for vessel in board.fleet(seat)],
        "systems": [cell for cell in board.controlled(seat) if state.cells[cell].home is None],
    }


def read(side: JsonMapping) -> Side:
    hand = side.get("hand", ())
    return Side(
        credits=side.get("credits", 0),
        hand=() if isinstance(hand, int) else tuple(hand),
        cards=hand if isinstance(hand, int) else 0,
        technologies=tuple(side.get("technologies", ())),
        vessels=tuple(side.get("vessels", ())),
        systems=tuple(side.get("systems", ())),
    )


def _check_side(board: Board, seat: int, side: Side, parameter: str) -> None:
    purse, owned = board.state.seats[seat], tradable(board, seat)
    if side.credits > purse.credits:
        raise Refused(
            "cannot_pay", say("{seat} has {credits}.", seat=seat_name(seat), credits=counted(purse.credits, "credit")), parameter
        )
    if side.cards > len(purse.hand):
        raise Refused(
            "not_owned",
            say("{seat} has {cards} in hand.", seat=seat_name(seat), cards=counted(len(purse.hand), "card")),
            parameter,
        )
    for uid in side.hand:
        if uid not in purse.hand:
            raise Refused("not_owned", say("There is no card {uid} in that hand.", uid=uid), parameter)
    for name in ("technologies", "vessels", "systems"):
        named: Sequence[str] = getattr(side, name)
        if len(set(named)) < len(named):
            raise Refused("illegal_target", say("Nothing can be named twice."), parameter)
        for one in named:
            if one not in owned[name]:
                raise Refused(
                    "not_owned", say("{seat} has no {what} that could be traded.", seat=seat_name(seat), what=one), parameter
                )
    if len(set(side.hand)) < len(side.hand):
        raise Refused("illegal_target", say("Nothing can be named twice."), parameter)


def offer(play: Play, seat: int, to: int, give: JsonMapping, want: JsonMapping) -> None:
    if not is_open(play.board):
        raise Refused("wrong_time", say("Trades are made in a command phase while the stack is empty."), None)
    if to not in partners(play.board, seat):
        raise Refused(
            "illegal_target",
            say(
                "You cannot make {seat} an offer now: offers go to or from the active player, three at most.", seat=seat_name(to)
            ),
            "to",
        )
    giving, wanting = read(give), read(want)
    _check_side(play.board, seat, giving, "give")
    _check_side(play.board, to, wanting, "want")
    play.emit(
        TradeOffered(
            offer=play.state.offers_made + 1,
            seat=seat,
            to=to,
            give=codec.to_json(giving, Side),
            want=codec.to_json(wanting, Side),
            cards=[(uid, play.state.faces[uid]) for uid in giving.hand],
        )
    )


def find_for(board: Board, seat: int, at: int, side: str) -> Offer:
    """Return an open offer that this seat made (`maker`) or received (`to`). Raises `Refused` if there is none."""
    one = next((one for one in board.state.offers if one.id == at and getattr(one, side) == seat), None)
    if one is None:
        raise Refused("no_target", say("You have no open offer {offer} to answer this way.", offer=at), "offer")
    return one


def fault(board: Board, one: Offer) -> Refused | None:
    """Return the reason why an offer cannot be accepted now, judged by what both sides see; None if it can."""
    state, limit = board.state, board.edition.hand_limit
    for seat, gives, gets in ((one.maker, one.give, one.want), (one.to, one.want, one.give)):
        try:
            _check_side(board, seat, gives, "offer")
        except Refused as refused:
            return refused
        cards = len(gives.hand) + gives.cards
        after = len(state.seats[seat].hand) - cards + len(gets.hand) + gets.cards
        if after > limit and len(gets.hand) + gets.cards:
            return Refused(
                "hand_full",
                say(
                    "{seat} would hold {after} cards; the limit is {limit}.",
                    seat=seat_name(seat),
                    after=after,
                    limit=limit,
                ),
                "offer",
            )
        if board.edition.limit_counts == "fighters" and _too_many_fighters(board, seat, gives, gets):
            return Refused("limit", say("{seat} would have more fighters than developments.", seat=seat_name(seat)), "offer")
    return None


def _too_many_fighters(board: Board, seat: int, gives: Side, gets: Side) -> bool:
    def fighters(side: Side) -> int:
        return sum(board.is_fighter(board.state.vessels[at]) for at in side.vessels)

    def devs(side: Side) -> int:
        return sum(board.state.cells[cell].devs for cell in side.systems)

    after = board.fighters(seat) - fighters(gives) + fighters(gets)
    return fighters(gets) > 0 and after > board.devs(seat) - devs(gives) + devs(gets)


def accept(play: Play, seat: int, at: int, hand: Sequence[str]) -> None:
    """Check the trade in full, then exchange everything at once."""
    board, state = play.board, play.state
    one = find_for(board, seat, at, "to")
    if not is_open(board):
        raise Refused("wrong_time", say("Trades are made in a command phase while the stack is empty."), None)
    if (refused := fault(board, one)) is not None:
        raise refused
    if len(hand) != one.want.cards or len(set(hand)) < len(hand) or any(uid not in state.seats[seat].hand for uid in hand):
        raise Refused("not_owned", say("Name {cards} of your hand, each once.", cards=counted(one.want.cards, "card")), "hand")
    maker, taker = state.seats[one.maker], state.seats[seat]
    play.emit(
        TradeCompleted(
            offer=one.id,
            maker={
                "seat": one.maker,
                "credits": one.give.credits,
                "purse": maker.credits - one.give.credits + one.want.credits,
                "hand": list(one.give.hand),
                "technologies": list(one.give.technologies),
            },
            taker={
                "seat": seat,
                "credits": one.want.credits,
                "purse": taker.credits - one.want.credits + one.give.credits,
                "hand": list(hand),
                "technologies": list(one.want.technologies),
            },
            cards=[(uid, state.faces[uid]) for uid in (*one.give.hand, *hand)],
        )
    )
    _exchange(play, one, seat)
    changes.settle(play)


def _exchange(play: Play, one: Offer, seat: int) -> None:
    """Give each side the systems and vessels of the other; stations go with their system where the edition says so."""
    board = play.board
    moving: dict[int, dict[str, None]] = {}
    for getter, side in ((seat, one.give), (one.maker, one.want)):
        moving[getter] = dict.fromkeys(side.vessels)
        for cell in side.systems:
            changes.change_control(play, cell, getter, play.state.cells[cell].devs, "trade")
            if board.edition.stations_go_with_system:
                moving[getter].update(dict.fromkeys(v.id for v in board.stations(cell) if v.controller != getter))
    for getter, ids in moving.items():
        vessels = [play.state.vessels[at] for at in ids]
        changes.change_vessel_control(play, vessels, getter, "trade")


def drop_hollow(play: Play) -> None:
    """Withdraw offers whose goods are gone, so that open offers reveal no secrets."""
    for one in play.state.offers:
        gone = [uid for uid in one.give.hand if uid not in play.state.seats[one.maker].hand]
        for seat, side in ((one.maker, one.give), (one.to, one.want)):
            owned = tradable(play.board, seat)
            gone += [at for name in owned for at in getattr(side, name) if at not in owned[name]]
        if gone:
            play.emit(TradeWithdrawn(offer=one.id, seat=one.maker, to=one.to, auto=True))
