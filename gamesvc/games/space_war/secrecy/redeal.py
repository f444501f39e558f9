"""Redealing: another state that looks the same to a seat."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from gamesvc.games.kernel.dice import Dice
from gamesvc.games.space_war.data import LIMITS, ROWS
from gamesvc.games.space_war.rules.effects.drawing import cards_to_search
from gamesvc.games.space_war.rules.legal import OWN_PHASES
from gamesvc.games.space_war.secrecy.view import knows_flipped, view
from gamesvc.games.space_war.state import Item, Prompt, Side, State
from gamesvc.json_types import JsonMapping, JsonObject

MARK_TRIES = 12


def redeal(state: State, seat: int, dice: Dice) -> State:
    """Return a state with the same view for a seat, and everything hidden from it redealt.

    The seat's own station cards stay: they came from its hand or from play, so it knows them even while it may not look.
    """
    other = 1 - seat
    cards = dict(state.cards)
    theirs, own = state.sides[other], state.sides[seat]
    _permute(cards, _not_seen(state, seat), dice)
    if not _prompts(state, seat) & {"search", "plan"}:
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


def scatter(redealt: State, marked: dict[int, State], seat: int, dice: Dice) -> tuple[State, dict[int, State]]:
    """Deal the places of hidden cards, and all that the other seat has secretly chosen or done.

    What cannot be dealt so that it fits the seat's view is set to the same value in every deal, never left as it was.
    """
    new = dice.permute(_groups(redealt, seat))
    state = _with_marks(_with_other_places(redealt, seat, new, dice), seat, dice)
    known = {item.n: item.settled for item in state.items}
    return state, {
        version: _with_known(_with_other_places(then, seat, _places_before(new, _groups(then, seat), dice), dice), seat, known)
        for version, then in marked.items()
    }


def _prompts(state: State, seat: int) -> set[str]:
    return {prompt.kind for prompt in state.prompts if prompt.seat == seat}


def _not_seen(state: State, seat: int) -> list[str]:
    """Return the other side's cards that a seat does not see."""
    other, searching = 1 - seat, "sabotage" in _prompts(state, seat)
    theirs = state.sides[other]
    hand = () if searching else theirs.hand
    down = [card.id for card in theirs.station if not card.flipped or not (searching or knows_flipped(state, other, card, seat))]
    return [*theirs.pile, *hand, *down]


def _groups(state: State, seat: int) -> list[list[str]]:
    """Return the cards that lie hidden from a seat. A look at the top of its own pile shows which cards lie there."""
    own = state.sides[seat]
    top = {option for prompt in state.prompts if prompt.seat == seat and prompt.kind == "plan" for option in prompt.options}
    unknown = own.pile[own.known :]
    return [
        [card for card in unknown if card in top],
        [card for card in unknown if card not in top],
        _not_seen(state, seat),
    ]


def _places_before(new: Mapping[str, str], groups: Sequence[Sequence[str]], dice: Dice) -> dict[str, str]:
    """Return what takes each card's place in an earlier state, where other cards were hidden: as in `new` wherever that fits."""
    fit: dict[str, str] = {}
    for group in groups:
        stay = {card: new[card] for card in group if card in new and new[card] in group}
        free = [card for card in group if card in new and card not in stay]
        left = sorted({*group} & new.keys() - {*stay.values()})
        fit |= stay | dict(zip(free, dice.shuffle(left), strict=True))
    return fit


def _with_other_places(state: State, seat: int, new: Mapping[str, str], dice: Dice) -> State:
    """Return the state with other cards in hidden places. What the seat reads of its own keeps the ids it names."""
    own, theirs = state.sides[seat], state.sides[1 - seat]
    commit, slots = theirs.commit, _any_slots(own, dice)
    hand = _named(theirs.hand, new)
    theirs = replace(
        theirs,
        pile=_named(theirs.pile, new),
        known=0,
        hand=hand if "sabotage" in _prompts(state, seat) else dice.shuffle(hand),
        station=tuple(replace(card, id=new.get(card.id, card.id)) for card in theirs.station),
        commit=commit and {**_task(commit, new), "rows": [ROWS[dice.choose(len(ROWS))] for _ in commit["rows"]]},
        flip_slots=slots,
        orders=(),
        flip_preference=(),
        mills=False,
        timeouts=0,
        timed="",
    )
    own = replace(own, pile=_named(own.pile, new))
    return replace(
        state,
        sides=(own, theirs) if seat == 0 else (theirs, own),
        prompts=tuple(prompt if prompt.seat == seat else _prompt_in_other_places(state, prompt, new) for prompt in state.prompts),
        agenda=tuple(_with_slots(_task(task, new), seat, slots) for task in state.agenda),
        replay=state.replay if state.active == seat else (),
        items=_without_plays(state.items, seat),
    )


def _any_slots(own: Side, dice: Dice) -> tuple[str, ...]:
    """Return slots of a seat as the other one may have chosen them secretly, for when the seat's pile is empty."""
    down = [card.slot for card in own.station if not card.flipped]
    return tuple(dice.sample(down, dice.choose(min(len(down), LIMITS["empty_pile_damage"]) + 1)))


def _with_slots(task: JsonObject, seat: int, slots: Sequence[str]) -> JsonObject:
    """Return a task; the other seat's end of turn, which waits, with these slots."""
    return {**task, "flip_slots": list(slots)} if task["op"] == "finish_turn" and task["seat"] != seat else task


def _prompt_in_other_places(state: State, prompt: Prompt, new: Mapping[str, str]) -> Prompt:
    """Return a question to the other seat about its cards in their new places. An open search offers what can be found there."""
    if prompt.kind == "search":
        own = state.sides[prompt.seat]
        there = replace(own, pile=_named(own.pile, new), station=tuple(replace(c, id=new.get(c.id, c.id)) for c in own.station))
        sides = (there, state.sides[1]) if prompt.seat == 0 else (state.sides[0], there)
        return replace(prompt, options=tuple(cards_to_search(replace(state, sides=sides), prompt.seat, prompt.task)))
    options = _named(prompt.options, new)
    if prompt.kind == "plan":
        options = tuple(sorted(options, key=lambda card: (state.cards[card], card)))
    return replace(prompt, options=options, task=_task(prompt.task, new))


def _without_plays(items: Sequence[Item], seat: int) -> tuple[Item, ...]:
    """Return the items, and for those of the seat that the other one can answer them with nothing.

    The first of them says so, and the later ones say the same as the one before, whatever they said.
    """
    dealt: list[Item] = []
    for item in items:
        first = all(other.by != seat for other in dealt)
        dealt.append(item if item.by != seat else replace(item, answers=(), plays=() if first else None))
    return tuple(dealt)


def _named(cards: Sequence[str], new: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(new.get(card, card) for card in cards)


def _task(task: JsonMapping, new: Mapping[str, str]) -> JsonObject:
    """Return a task, or a commit, with new ids in its fields and lists."""
    return {
        key: list(_named(value, new)) if isinstance(value, list) else new.get(value, value) if isinstance(value, str) else value
        for key, value in task.items()
    }


def _with_marks(state: State, seat: int, dice: Dice) -> State:
    """Deal which items of a seat the other one has secretly let stand: all at once, as often as it takes to fit the seat's view.

    A flip that the seat sees or does not see tells of its own item.
    """
    seen, told = view(state, seat), _told_by_flips(state, seat)
    own = [item.n for item in state.items if item.by == seat and item.n not in told]
    ways = [{number: dice.choose(2) == 1 for number in own} for _ in range(MARK_TRIES)]
    for way in [*ways, dict.fromkeys(own, True)]:
        other = _with_known(state, seat, way)
        if view(other, seat) == seen:
            return other
    return _with_known(state, seat, dict.fromkeys(own, False))


def _with_known(state: State, seat: int, marks: Mapping[int, bool]) -> State:
    """Return the state with these marks on a seat's items, but for those of which flips tell."""
    told = _told_by_flips(state, seat)
    return replace(
        state,
        items=tuple(
            item if item.by != seat or item.n in told else replace(item, settled=marks.get(item.n, True)) for item in state.items
        ),
    )


def _told_by_flips(state: State, seat: int) -> set[int]:
    return {card.item for card in state.sides[1 - seat].station if card.flipped}


def _permute(cards: dict[str, str], instances: Sequence[str], dice: Dice) -> None:
    shuffled = dice.shuffle([cards[instance] for instance in instances])
    for instance, card in zip(instances, shuffled, strict=True):
        cards[instance] = card
