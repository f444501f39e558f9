"""Free trade: offers between seats, for cards now (RULES.md 9)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from gamesvc.games.kernel.game import Command, Refused
from gamesvc.games.kernel.timeline import Run
from gamesvc.games.stratastar.data import CARD_NAMES, RANK
from gamesvc.games.stratastar.events.dealings import CardsSwapped, OfferMade, OfferRejected, OfferVoid, OfferWithdrawn
from gamesvc.games.stratastar.rules import facts
from gamesvc.games.stratastar.state import Offer, State
from gamesvc.json_types import JsonMapping
from gamesvc.language import say

MOST_OFFERS = 6
"""The limit on open offers per seat, so that a view stays small."""


def is_open(state: State) -> bool:
    """Return True if offers can be made or answered now: the match has free trade and no other decision is pending."""
    return (
        state.options.free_trade
        and not state.actions
        and state.battle is None
        and state.turn.phase not in ("homeworld", "ability_draft", "over")
    )


def is_trading(state: State) -> bool:
    return is_open(state) and state.turn.phase == "trade"


def check_open(state: State) -> None:
    if not state.options.free_trade:
        raise Refused("wrong_phase", say("This match is played without free trade."))
    if not is_open(state):
        raise Refused("wrong_phase", say("Wait with offers until the open question is answered."))


def is_held(state: State, seat: int) -> bool:
    """Return True if the seat is waiting for an answer and can only withdraw its offer."""
    return state.waiting is not None and seat == state.turn.active


def check_free(state: State, seat: int) -> None:
    check_open(state)
    if is_held(state, seat):
        raise Refused("wrong_phase", say("You wait for an answer to your offer; you can withdraw it."))


def partners(state: State, seat: int) -> list[int]:
    """Return the seats that a seat may trade with."""
    return [one for one in facts.opponents(state, seat) if facts.in_contact(state, seat, one)]


def own(state: State, seat: int) -> list[Offer]:
    return [offer for offer in state.offers if offer.seat == seat]


def addressed(state: State, seat: int) -> list[Offer]:
    """Return the offers the seat could answer: those to it, and those to anyone it may trade with."""
    return [
        offer
        for offer in state.offers
        if offer.seat != seat and (offer.to == seat or (offer.to is None and facts.in_contact(state, seat, offer.seat)))
    ]


def may_wait(state: State, seat: int) -> bool:
    return is_trading(state) and seat == state.turn.active and state.waiting is None


def make(run: Run[State], seat: int, command: Command) -> None:
    state = run.state
    check_free(state, seat)
    to, keep, wait = command["to"], command.get("keep", False), command.get("wait", False)
    if not is_trading(state) and not keep:
        raise Refused("wrong_phase", say("Outside the trade phase an offer must be kept open (keep)."), "keep")
    if to is not None and to not in partners(state, seat):
        if to in facts.opponents(state, seat):
            raise Refused("no_contact", say("Your empires have not met yet."), "to")
        raise Refused("no_target", say("Choose another seat that is still in the game, or anyone."), "to")
    if to is None and not partners(state, seat):
        raise Refused("no_contact", say("Your empire has not met another one yet."), "to")
    if len(own(state, seat)) >= MOST_OFFERS:
        raise Refused("too_many_offers", say("You have {most} open offers; withdraw one first.", most=MOST_OFFERS))
    give, want = _counts(command["give"]), _counts(command["want"])
    if not give and not want:
        raise Refused("no_target", say("An offer must give or want at least one card."), "give")
    if wait and not may_wait(state, seat):
        raise Refused("wrong_phase", say("Only the active seat can wait for an answer, in its trade phase."), "wait")
    if wait and to is None:
        raise Refused("no_target", say("You can wait for an answer only to an offer to one seat."), "wait")
    offer_id = state.next_id
    run.emit(OfferMade(id=offer_id, seat=seat, to=to, give=give, want=want, keep=keep, wait=wait))
    if to is not None and state.players[to].orders.offers == "reject":
        run.emit(OfferRejected(id=offer_id, seat=seat, by=to, auto=True))


def _counts(cards: JsonMapping) -> dict[str, int]:
    return {card: int(cards[card]) for card in sorted(cards, key=RANK.__getitem__) if cards[card]}


def _cards(counts: Mapping[str, int]) -> list[str]:
    return [card for card, n in counts.items() for _ in range(n)]


def can_give(state: State, seat: int, counts: Mapping[str, int]) -> bool:
    return not Counter(counts) - Counter(facts.spendable(state, seat))


def find(state: State, offer_id: int) -> Offer:
    for offer in state.offers:
        if offer.id == offer_id:
            return offer
    raise Refused("no_target", say("There is no open offer {offer}.", offer=offer_id), "offer")


def accept(run: Run[State], seat: int, offer_id: int) -> None:
    state = run.state
    check_free(state, seat)
    if not is_trading(state):
        raise Refused("wrong_phase", say("Offers are accepted in a trade phase."))
    offer = find(state, offer_id)
    if offer not in addressed(state, seat):
        raise Refused("no_target", say("Offer {offer} is not made to you.", offer=offer_id), "offer")
    if not can_give(state, seat, offer.want):
        wanted = ", ".join(f"{n} {CARD_NAMES[card]}" for card, n in offer.want.items())
        raise Refused("cannot_pay", say("The offer wants {wanted}; you do not have that.", wanted=wanted), "offer")
    if not can_give(state, offer.seat, offer.give):
        run.emit(OfferVoid(id=offer.id, seat=offer.seat, by=seat))
        return
    give, want = _cards(offer.give), _cards(offer.want)
    run.emit(CardsSwapped(id=offer.id, seat=offer.seat, by=seat, give=give, want=want, open=offer.to is None))


def reject(run: Run[State], seat: int, offer_id: int) -> None:
    check_free(run.state, seat)
    offer = find(run.state, offer_id)
    if offer.to != seat:
        raise Refused("no_target", say("Offer {offer} is not made to you.", offer=offer_id), "offer")
    run.emit(OfferRejected(id=offer_id, seat=offer.seat, by=seat, auto=False))


def withdraw(run: Run[State], seat: int, offer_id: int) -> None:
    check_open(run.state)
    offer = find(run.state, offer_id)
    if offer.seat != seat:
        raise Refused("not_owned", say("Offer {offer} is not yours.", offer=offer_id), "offer")
    if is_held(run.state, seat) and offer.id != run.state.waiting:
        raise Refused("wrong_phase", say("You wait for an answer to another offer; withdraw that one first."), "offer")
    run.emit(OfferWithdrawn(offer_id, seat))
