"""Forms for the trade phase and for offers between seats."""

from __future__ import annotations

from collections.abc import Iterable

from gamesvc.games.kernel.game import Form
from gamesvc.games.kernel.wording import SEAT_NAMES
from gamesvc.games.stratastar.commands import COUNTS
from gamesvc.games.stratastar.rules import facts
from gamesvc.games.stratastar.rules.actions import offers, plans
from gamesvc.games.stratastar.rules.actions.payment import card_names, cards_schema, cost_of, credit_for, settle, supply
from gamesvc.games.stratastar.rules.forms.fields import is_legal, priced, seat_choice
from gamesvc.games.stratastar.state import State
from gamesvc.json_types import JsonMapping, JsonObject
from gamesvc.language import mark, say


def trade_actions(state: State, seat: int) -> Iterable[Form]:
    """Yield external trade, internal trade and basic research."""
    targets = [one for one in facts.opponents(state, seat) if is_legal(plans.check_external_trade, state, seat, one)]
    if targets:
        yield from priced(
            state,
            seat,
            "external_trade",
            say("Take a card by trade"),
            cost_of("external_trade"),
            {"target": seat_choice(targets)},
        )
    if is_legal(plans.check_internal_trade, state):
        yield from _internal(state, seat)
    if "research" in facts.spendable(state, seat):
        yield Form("basic_research", say("Basic research: draw 2"))


def _internal(state: State, seat: int) -> Iterable[Form]:
    cost, hand = cost_of("internal_trade"), facts.spendable(state, seat)
    usable = [card for card in supply(hand) if card in ("trade", "trade2", "research")]
    if credit_for(state, seat, "trade"):
        pays: list[tuple[str, ...]] = [()]
    else:
        pays = [(card,) for card in usable]
    label = say("Internal trade")
    if pays:
        chosen = settle(state, seat, cost, None, reaction=True).cards
        yield Form("internal_trade", label, {"others": _others(hand, chosen)})
    for cards in pays:
        pay = cards_schema(cards, minItems=len(cards), title=mark("Pay with"))
        paid = say("Internal trade, paid with {cards}", cards=card_names(cards)) if cards else label
        yield Form("internal_trade", paid, {"others": _others(hand, cards), "pay": pay})


def _others(hand: Iterable[str], paid: Iterable[str]) -> JsonObject:
    left = list(hand)
    for card in paid:
        left.remove(card)
    return cards_schema(left, title=mark("Other cards to discard"))


def _making(state: State, seat: int) -> Iterable[Form]:
    """Yield two forms for making an offer: one to give cards, one only to ask for cards."""
    partners = offers.partners(state, seat)
    if not partners or len(offers.own(state, seat)) >= offers.MOST_OFFERS:
        return
    trading = offers.is_trading(state)
    keep: JsonMapping = {"type": "boolean"} if trading else {"const": True}
    anyone = {"enum": [*partners, None], "labels": {**{str(one): SEAT_NAMES[one] for one in partners}, "None": say("anyone")}}
    named = seat_choice(partners, mark("To"))
    give, want = {**COUNTS, "title": mark("You give")}, {**COUNTS, "title": mark("You want")}
    some, none = {"total": {"minimum": 1}}, {"total": {"maximum": 0}}
    sides = (
        ({**give, **some}, want, say("Offer cards"), say("Offer cards and wait")),
        ({**give, **none}, {**want, **some}, say("Ask for cards"), say("Ask for cards and wait")),
    )
    for giving, wanting, label, waiting in sides:
        parameters: JsonObject = {
            "to": {**anyone, "title": mark("To")},
            "give": giving,
            "want": wanting,
            "keep": {**keep, "title": mark("Keep it open")},
            "wait": {"const": False},
        }
        required = ("to", "give", "want") if trading else ("to", "give", "want", "keep")
        yield Form("offer_trade", label, parameters, required, aside=True)
        if offers.may_wait(state, seat):
            waited = {**parameters, "to": named, "wait": {"const": True, "title": mark("Wait for the answer")}}
            yield Form("offer_trade", waiting, waited, ("to", "give", "want", "wait"), aside=True)


def dealing(state: State, seat: int) -> Iterable[Form]:
    """Yield the offer commands that a seat may use now."""
    if not offers.is_open(state):
        return
    held = offers.is_held(state, seat)
    answering = state.waiting is not None and any(offer.id == state.waiting and offer.to == seat for offer in state.offers)
    if not held:
        yield from _making(state, seat)
        yield from _answers(state, seat, answering)
    mine = [offer.id for offer in offers.own(state, seat) if not held or offer.id == state.waiting]
    if mine:
        yield Form("withdraw_offer", say("Withdraw an offer"), {"offer": {"enum": mine}}, aside=True)


def _answers(state: State, seat: int, answering: bool) -> Iterable[Form]:
    addressed = offers.addressed(state, seat)
    payable = [offer.id for offer in addressed if offers.is_trading(state) and offers.can_give(state, seat, offer.want)]
    refusable = [offer.id for offer in addressed if offer.to == seat]
    for name, label, ids in (
        ("accept_offer", say("Accept an offer"), payable),
        ("reject_offer", say("Reject an offer"), refusable),
    ):
        asked = [one for one in ids if answering and one == state.waiting]
        others = [one for one in ids if one not in asked]
        if asked:
            yield Form(name, label, {"offer": {"enum": asked}})
        if others:
            yield Form(name, label, {"offer": {"enum": others}}, aside=True)
