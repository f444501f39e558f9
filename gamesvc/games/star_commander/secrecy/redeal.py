"""Redealing: another state that looks the same to a seat."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from gamesvc.games.kernel.dice import Dice
from gamesvc.games.star_commander.data import DOMAINS
from gamesvc.games.star_commander.rules.values import Board
from gamesvc.games.star_commander.rules.windows import choices
from gamesvc.games.star_commander.state import Item, Orders, Seat, Side, State
from gamesvc.json_types import JsonObject


def _known(state: State, seat: int) -> set[str]:
    """Return the uids in hands and decks whose cards this seat knows."""
    known = set(state.seats[seat].hand)
    for offer in state.offers:
        if seat in (offer.maker, offer.to):
            known.update(offer.give.hand)
    prompt = state.prompt
    if prompt.answered:
        return known
    if prompt.what == "take_card" and (prompt.seat == seat or state.work[-1]["reveal"] == "all"):
        known.update(state.seats[choices.victim(state)].hand)
    if prompt.what == "keep_or_discard" and prompt.seat == seat:
        known.add(state.decks[state.work[-1]["domain"]][0])
    return known


def redeal(state: State, seat: int, dice: Dice) -> State:
    """Redeal the hidden cards of each domain over their places, and the unexplored systems."""
    faces = dict(state.faces)
    for group in _groups(state, seat):
        for uid, card in zip(group, dice.shuffle([state.faces[uid] for uid in group]), strict=True):
            faces[uid] = card
    down = [name for name, cell in state.cells.items() if not cell.explored]
    systems = list(dice.shuffle([*(state.cells[name].card for name in down), *state.undealt]))
    cells = dict(state.cells)
    for name, card in zip(down, systems, strict=False):
        cells[name] = replace(cells[name], card=card)
    seats = tuple(one if at == seat else replace(one, orders=Orders()) for at, one in enumerate(state.seats))
    return replace(_without_plans(state, seat), faces=faces, cells=cells, undealt=tuple(systems[len(down) :]), seats=seats)


def scatter(redealt: State, marked: dict[int, State], seat: int, dice: Dice) -> tuple[State, dict[int, State]]:
    """Deal the places of hidden cards: in decks, other hands, and what others do with cards of theirs. No state is marked."""
    new = dice.permute(_groups(redealt, seat))

    def named(uids: Sequence[str]) -> tuple[str, ...]:
        return tuple(new.get(uid, uid) for uid in uids)

    state = replace(
        redealt,
        decks={domain: named(deck) for domain, deck in redealt.decks.items()},
        seats=_with_other_hands(redealt, seat, new, dice),
        work=_with_any_look(redealt, seat, dice),
        offers=tuple(
            offer if seat in (offer.maker, offer.to) else replace(offer, give=Side(), want=Side()) for offer in redealt.offers
        ),
    )
    stack = tuple(item if item.seat == seat else _with_other_cards(state, item, new, dice) for item in redealt.stack)
    return replace(state, stack=stack), marked


def _with_other_hands(state: State, seat: int, new: Mapping[str, str], dice: Dice) -> tuple[Seat, ...]:
    """Deal the cards of other hands among them: a seat does not learn which domain others take from each other, or trade."""
    places = [(at, uid) for at, other in enumerate(state.seats) for uid in other.hand if uid in new]
    dealt = dict(zip(places, dice.shuffle([new[uid] for _at, uid in places]), strict=True))
    return tuple(
        one if at == seat else replace(one, hand=tuple(dealt.get((at, uid), uid) for uid in one.hand))
        for at, one in enumerate(state.seats)
    )


def _with_any_look(state: State, seat: int, dice: Dice) -> tuple[JsonObject, ...]:
    """Return the work with any deck as the one on top of which another seat is looking."""
    prompt = state.prompt
    if prompt.what != "keep_or_discard" or prompt.seat == seat or prompt.answered:
        return tuple(state.work)
    decks = [domain for domain in DOMAINS if state.decks[domain]]
    return (*state.work[:-1], {**state.work[-1], "domain": decks[dice.choose(len(decks))]})


def _with_other_cards(state: State, item: Item, new: Mapping[str, str], dice: Dice) -> Item:
    """Return another seat's item with other cards of its hand given up for it."""
    params = item.params or {}
    given = [*params.get("uids", ()), *([params["discard"]] if params.get("discard") is not None else [])]
    if not given:
        return item
    hand = [uid for uid in state.seats[item.seat].hand if uid != item.uid]
    drawn = list(dice.sample(hand, len(given))) if len(hand) >= len(given) else [new.get(uid, uid) for uid in given]
    changed = {"uids": drawn[: len(params["uids"])]} if "uids" in params else {}
    return replace(item, params={**params, **changed, **({"discard": drawn[-1]} if params.get("discard") is not None else {})})


def _groups(state: State, seat: int) -> list[list[str]]:
    """Return the hidden cards of each domain."""
    cards, known = Board(state).cards, _known(state, seat)
    hidden = [uid for other in state.seats for uid in other.hand] + [uid for deck in state.decks.values() for uid in deck]
    return [sorted(uid for uid in hidden if uid not in known and cards[state.faces[uid]].domain == domain) for domain in DOMAINS]


def _without_plans(state: State, seat: int) -> State:
    """Return the state without any advance decisions of other seats."""
    window, combat = state.window, state.combat
    return replace(
        state,
        window=window
        and replace(
            window,
            early=tuple(early for early in window.early if early == seat),
            ready={at: play for at, play in window.ready.items() if at == seat},
        ),
        combat=combat
        and replace(
            combat,
            passed=tuple(passed for passed in combat.passed if passed == seat),
            staying=tuple(staying for staying in combat.staying if staying == seat),
        ),
        resting=tuple(resting for resting in state.resting if resting == seat),
        stack=tuple(item if item.seat == seat else replace(item, hold=False) for item in state.stack),
    )
