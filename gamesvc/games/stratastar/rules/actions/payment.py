"""Payment of costs from hand and credit (RULES.md 3): checking an offered payment, choosing a default, and forms."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from gamesvc.games.kernel.game import Refused
from gamesvc.games.kernel.wording import listed
from gamesvc.games.stratastar.data import CARD_NAMES, COSTS, POWER, RANK, RESEARCH, WORTH
from gamesvc.games.stratastar.rules.facts import spendable
from gamesvc.games.stratastar.state import State
from gamesvc.json_types import JsonObject
from gamesvc.language import mark, say

Cost = tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class Payment:
    """A payment: cards to discard in order, credit spent, credit made."""

    cards: tuple[str, ...] = ()
    credit: dict[str, int] = field(default_factory=dict)
    made: dict[str, int] = field(default_factory=dict)


def cost_of(action: str) -> Cost:
    return COSTS[action]


def usable(kind: str) -> tuple[str, ...]:
    """Return the cards that can pay for a kind: plain, power, wild. Only Research pays for a Research cost."""
    return (kind,) if kind == RESEARCH else (kind, POWER[kind], RESEARCH)


def credit_for(state: State, seat: int, kind: str) -> int:
    return state.turn.credit.get(kind, 0) if seat == state.turn.active else 0


def value(cards: Sequence[str]) -> int:
    return sum(WORTH[card] for card in cards)


def pick(hand: Sequence[str], kind: str, need: int) -> tuple[str, ...] | None:
    """Choose cards worth at least `need`: power cards while 2 or more are missing, plain, power, Research. None if too few."""
    left, chosen = Counter(hand), []
    plain, *better = usable(kind)
    power = better[0] if better else plain
    while need > 0:
        prefer = (power, plain, RESEARCH) if need > 1 else (plain, power, RESEARCH)
        card = next((card for card in prefer if left[card]), None)
        if card is None:
            return None
        left[card] -= 1
        chosen.append(card)
        need -= WORTH[card]
    return tuple(chosen)


def least_cards(state: State, seat: int, cost: Cost) -> int:
    """Return the smallest number of cards that could pay, judged by public facts only (RULES.md 7: which seats are asked)."""
    least = 0
    for kind, n in cost:
        need = max(0, n - credit_for(state, seat, kind))
        least += (need + 1) // 2 if state.options.power_cards and kind != RESEARCH else need
    return least


def can_pay(state: State, seat: int, cost: Cost) -> bool:
    return _choose(state, seat, cost) is not None


def _needs(state: State, seat: int, cost: Cost) -> tuple[Cost, dict[str, int]]:
    needs, credit = [], {}
    for kind, n in cost:
        used = min(n, credit_for(state, seat, kind))
        if used:
            credit[kind] = used
        needs.append((kind, n - used))
    return tuple(needs), credit


def _choose(state: State, seat: int, cost: Cost) -> tuple[str, ...] | None:
    needs, _ = _needs(state, seat, cost)
    left = list(spendable(state, seat))
    cards: list[str] = []
    for kind, need in sorted(needs, key=lambda one: one[0] != RESEARCH):
        chosen = pick(left, kind, need)
        if chosen is None:
            return None
        for card in chosen:
            left.remove(card)
        cards += chosen
    return tuple(cards)


def price(cost: Cost) -> str:
    return " and ".join(f"{n} {CARD_NAMES[kind]}" for kind, n in cost)


def settle(
    state: State, seat: int, cost: Cost, pay: Sequence[str] | None, *, reaction: bool = False, name: str = "This"
) -> Payment:
    """Return the payment for a cost. Raises `Refused` (`cannot_pay`, `bad_pay`)."""
    needs, credit = _needs(state, seat, cost)
    hand = spendable(state, seat)
    if pay is None:
        chosen = _choose(state, seat, cost)
        if chosen is None:
            raise Refused(
                "cannot_pay", say("{name} costs {price}; your cards do not add up to that.", name=name, price=price(cost)), "pay"
            )
        cards = chosen
    else:
        cards = tuple(pay)
        _check(needs, hand, cards, cost, name)
    made: dict[str, int] = {}
    if seat == state.turn.active and not reaction:
        need = sum(n for _, n in needs)
        kind = next((one for one, _ in needs if one != RESEARCH), RESEARCH)
        if (surplus := value(cards) - need) > 0:
            made = {kind: surplus}
    return Payment(cards, credit, made)


def _check(needs: Cost, hand: Sequence[str], cards: Sequence[str], cost: Cost, name: str) -> None:
    if short := Counter(cards) - Counter(hand):
        missing = ", ".join(f"{n} {CARD_NAMES[card]}" for card, n in short.items())
        raise Refused("cannot_pay", say("You do not have these cards: {missing} too many.", missing=missing), "pay")
    left = list(cards)
    for kind, need in needs:
        if kind == RESEARCH:
            for _ in range(need):
                if RESEARCH not in left:
                    raise Refused(
                        "bad_pay", say("{name} costs {price}: a Research card is missing.", name=name, price=price(cost)), "pay"
                    )
                left.remove(RESEARCH)
    for kind, need in needs:
        if kind != RESEARCH:
            allowed = usable(kind)
            if wrong := next((card for card in left if card not in allowed), None):
                raise Refused(
                    "bad_pay", say("{wrong} cannot pay for {kind}.", wrong=CARD_NAMES[wrong], kind=CARD_NAMES[kind]), "pay"
                )
            if value(left) < need:
                raise Refused(
                    "bad_pay",
                    say(
                        "{name} costs {price}: {need} must come from cards, not {value}.",
                        name=name,
                        price=price(cost),
                        need=need,
                        value=value(left),
                    ),
                    "pay",
                )
            if any(value(left) - WORTH[card] >= need for card in left):
                raise Refused("bad_pay", say("Leave one of these cards out; {need} is enough.", need=need), "pay")
            left = []
    if left:
        raise Refused("bad_pay", say("{name} costs {price} and no more.", name=name, price=price(cost)), "pay")


# --- forms ---


def supply(cards: Sequence[str]) -> dict[str, int]:
    return dict(sorted(Counter(cards).items(), key=lambda one: RANK[one[0]]))


def cards_schema(cards: Sequence[str], **more: object) -> JsonObject:
    """Return the schema of an array of cards taken from `cards`. The last one discarded lies on top of the pile."""
    counts = supply(cards)
    return {
        "type": "array",
        "items": {"enum": list(counts), "labels": {card: CARD_NAMES[card] for card in counts}},
        "supply": counts,
        "maxItems": len(cards),
        "ordered": True,
        **more,
    }


def pay_schema(state: State, seat: int, cost: Cost) -> JsonObject:
    """Return the `pay` parameter narrowed to the accepted payments. The seat must be able to pay the cost."""
    needs, _ = _needs(state, seat, cost)
    hand = spendable(state, seat)
    usual: JsonObject = {"title": mark("Pay with"), "payment": True, "default": list(_choose(state, seat, cost) or ())}
    if len(needs) == 1 and needs[0][0] != RESEARCH:
        kind, need = needs[0]
        cards = [card for card in hand if card in usable(kind)]
        total = {"minimum": need, "worth": {card: WORTH[card] for card in usable(kind)}, "spare": False}
        return cards_schema(cards, total=total, **usual)
    return {"oneOf": [_exactly(cards) for cards in _mixed(needs, hand)], **usual}


def _exactly(cards: Sequence[str]) -> JsonObject:
    return cards_schema(cards, minItems=len(cards), title=card_names(cards))


def card_names(cards: Sequence[str]) -> str:
    """Return cards in words: `Research and 2 Move`."""
    return listed(CARD_NAMES[card] if count == 1 else f"{count} {CARD_NAMES[card]}" for card, count in supply(cards).items())


def _mixed(needs: Cost, hand: Sequence[str]) -> list[tuple[str, ...]]:
    """Return all payments of a cost made of Research cards and one other kind."""
    have = Counter(hand)
    research = sum(need for kind, need in needs if kind == RESEARCH)
    kind, need = next(((kind, need) for kind, need in needs if kind != RESEARCH), ("", 0))
    if not kind:
        return [(RESEARCH,) * research]
    found = []
    for wild in range(min(have[RESEARCH] - research, need) + 1):
        for power in range(min(have[POWER[kind]], need) + 1):
            plain = max(0, need - wild - 2 * power)
            cards = (kind,) * plain + (POWER[kind],) * power + (RESEARCH,) * wild
            if plain <= have[kind] and all(value(cards) - WORTH[card] < need for card in cards):
                found.append((RESEARCH,) * research + cards)
    return found
