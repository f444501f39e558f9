"""Redealing: another state that looks the same to a seat."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from gamesvc.games.kernel.dice import Dice
from gamesvc.games.space_war.rules.legal import OWN_PHASES
from gamesvc.games.space_war.secrecy.view import knows_flipped
from gamesvc.games.space_war.state import State


def redeal(state: State, seat: int, dice: Dice) -> State:
    """Return a state with the same view for a seat, and everything hidden from it redealt.

    The seat's own station cards stay: they came from its hand or from play, so it knows them even while it may not look.
    """
    other = 1 - seat
    cards = dict(state.cards)
    own_prompts = {prompt.kind for prompt in state.prompts if prompt.seat == seat}
    theirs = state.sides[other]
    hidden, searching = list(theirs.pile), "sabotage" in own_prompts
    if not searching:
        hidden += theirs.hand
    hidden += [
        card.id for card in theirs.station if not card.flipped or not (searching or knows_flipped(state, other, card, seat))
    ]
    _permute(cards, hidden, dice)
    own = state.sides[seat]
    if not own_prompts & {"search", "plan"}:
        _permute(cards, own.pile[own.known :], dice)
    commit = theirs.commit
    if commit is not None:
        commit = {**commit, "commander": theirs.pool[dice.choose(len(theirs.pool))]}
    changed = replace(theirs, orders=(), flip_preference=(), mills=False, commit=commit, timeouts=0, timed="")
    sides = (own, changed) if seat == 0 else (changed, own)
    quiet = state.active == seat and state.phase in OWN_PHASES and not state.agenda and not state.prompts
    flipped_in = {card.item for card in theirs.station}
    items = tuple(
        item
        if item.by != seat
        else replace(
            item,
            answers=(),
            plays=None if item.plays is None else (),
            settled=dice.choose(2) == 1 if quiet and item.n not in flipped_in else item.settled,
        )
        for item in state.items
    )
    return replace(state, cards=cards, sides=sides, items=items)


def redeal_marked(then: State, version: int, redealt: State, seat: int, dice: Dice) -> State:
    """Redeal an earlier, marked state. A card that is face down now is the same card there."""
    theirs = replace(then.sides[1 - seat], orders=(), flip_preference=(), mills=False)
    sides = (then.sides[0], theirs) if seat == 0 else (theirs, then.sides[1])
    items = tuple(
        item if item.by != seat else replace(item, answers=(), plays=None if item.plays is None else ()) for item in then.items
    )
    return replace(then, cards=redealt.cards, sides=sides, items=items)


def _permute(cards: dict[str, str], instances: Sequence[str], dice: Dice) -> None:
    shuffled = dice.shuffle([cards[instance] for instance in instances])
    for instance, card in zip(instances, shuffled, strict=True):
        cards[instance] = card
