"""Events as a viewer may see them, what outdates a command, and hidden things dealt anew (RULES.md section 9)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from gamesvc.games.kernel import Command, Data, Event, Viewer
from gamesvc.games.space_war.legal import OWN_PHASES
from gamesvc.games.space_war.state import State
from gamesvc.games.space_war.view import knows_flipped

LOOKING = ("search", "plan", "sabotage")
"""Prompts in which a seat sees cards that are hidden otherwise."""


def redact(event: Event, viewer: Viewer) -> Data | None:
    """The data of an event as a viewer may see it; None: sealed."""
    data = {key: value for key, value in event.data.items() if key not in ("todo", "cmd")}
    rule = _REDACT.get(event.type)
    return data if rule is None else rule(data, viewer)


def _without(data: Mapping[str, Any], *keys: str) -> dict[str, Any]:
    return {key: value for key, value in data.items() if key not in keys}


def _pile(data: dict[str, Any], viewer: Viewer) -> Data:
    return {"seat": data["seat"], "count": len(data["order"])}


def _drawn(data: dict[str, Any], viewer: Viewer) -> Data:
    if viewer == data["seat"]:
        return data
    return {"seat": data["seat"], "count": len(data["cards"])}


def _prepared(data: dict[str, Any], viewer: Viewer) -> Data:
    return data if viewer == data["seat"] else {"seat": data["seat"]}


def _revealed(data: dict[str, Any], viewer: Viewer) -> Data:
    return {
        "sides": [
            entry if seat == viewer else {**entry, "station": [_without(card, "id") for card in entry["station"]]}
            for seat, entry in enumerate(data["sides"])
        ]
    }


def _added(data: dict[str, Any], viewer: Viewer) -> Data:
    return data if data["shown"] or viewer == data["seat"] else _without(data, "card", "name")


def _flipped(data: dict[str, Any], viewer: Viewer) -> Data:
    return data if not data["item"] or viewer == data["seat"] else _without(data, "cards", "names")


def _left(data: dict[str, Any], viewer: Viewer) -> Data:
    return data if viewer == data["seat"] else {**_without(data, "cards", "names"), "count": len(data["cards"])}


def _returned(data: dict[str, Any], viewer: Viewer) -> Data:
    if viewer == data["seat"]:
        return data
    shown = [(card, name) for card, name in zip(data["cards"], data["names"], strict=True) if card in data["shown"]]
    return {
        "seat": data["seat"],
        "to": data["to"],
        "count": len(data["cards"]),
        "origins": data["origins"],
        "shown": [card for card, _ in shown],
        "names": [name for _, name in shown],
    }


def _opened(data: dict[str, Any], viewer: Viewer) -> Data:
    if viewer == data["seat"]:
        return _without(data, "task")
    return {"prompt": data["prompt"], "seat": data["seat"], "kind": data["kind"]}


def _answered(data: dict[str, Any], viewer: Viewer) -> Data:
    return data if viewer == data["seat"] else _without(data, "picks")


def _item(data: dict[str, Any], viewer: Viewer) -> Data:
    return _without(data, "answers", "last")


def _secret(data: dict[str, Any], viewer: Viewer) -> Data | None:
    return data if viewer == data["seat"] else None


def _settled(data: dict[str, Any], viewer: Viewer) -> Data | None:
    """A secret of the seat that may react, but for its own flipped cards, which others see from now on.

    What the other seat flipped of its own is for the reacting seat alone: whoever else saw it would see what was let stand.
    """
    if viewer == data["seat"]:
        return data
    shown = [card for card in data.get("flips", ()) if card["seat"] == data["seat"]]
    return {"seat": data["seat"], "flips": shown} if shown else None


_REDACT: dict[str, Callable[[dict[str, Any], Viewer], Data | None]] = {
    "pile_ordered": _pile,
    "cards_drawn": _drawn,
    "seat_prepared": _prepared,
    "preparation_revealed": _revealed,
    "station_added": _added,
    "station_flipped": _flipped,
    "station_left": _left,
    "cards_returned": _returned,
    "prompt_opened": _opened,
    "prompt_answered": _answered,
    "item_opened": _item,
    "items_settled": _settled,
    "orders_set": _secret,
    "order_fired": _secret,
    "turn_ended": lambda data, viewer: data if viewer == data["seat"] else _without(data, "flip_slots"),
}


_TELLS_NOTHING = frozenset(
    [
        "game_created",
        "pile_ordered",
        "chooser_drawn",
        "starter_chosen",
        "seat_prepared",
        "phase_entered",
        "actions_set",
        "actions_changed",
        "upkeep_paid",
        "moved",
        "attack_declared",
        "attack_resolved",
        "damaged",
        "repaired",
        "paralyzed",
        "protected",
        "counters_changed",
        "control_changed",
        "transformed",
        "items_settled",
        "orders_set",
        "prompt_answered",
        "turn_ended",
        "timed_out",
        "station_moved",
        "station_unflipped",
        "item_opened",
        "ability_used",
        "commander_used",
        "collided",
        "card_resolved",
        "entered_play",
        "left_play",
        "life_changed",
        "hand_freed",
        "extra_turn_gained",
        "outcome_pending",
        "went_on",
        "card_countered",
        "attack_failed",
    ]
)


def reveals(event: Event) -> bool:
    """Whether the event told somebody something hidden: draws, looks, flips, a card shown by playing it."""
    return event.type not in _TELLS_NOTHING or bool(event.data.get("flips"))


def shows(event: Event) -> Sequence[str]:
    """Return the cards that a search shows on their way from one hidden place to another."""
    data = event.data
    if event.type != "cards_returned":
        return ()
    places = zip(data["cards"], data["origins"], strict=True)
    return [card for card, origin in places if card in data["shown"] and origin in ("draw pile", "station")]


_KEEPS = frozenset({"orders_set", "order_fired", "items_settled", "seat_prepared"})


def stale(command: Command, since: Sequence[Event], seat: int) -> bool:
    """Whether what happened since outdates a command. Items and prompts are named for ever, so answers to them never are."""
    name = command["name"]
    if name in ("set_orders", "resign", "choose") or (name == "react" and "item" in command):
        return False
    if name == "let_stand" and "upto" in command:
        return False
    return any(event.type not in _KEEPS for event in since)


def redeal(state: State, seat: int, dice: Any) -> State:
    """The same view for a seat, everything hidden from it dealt anew.

    Its own station cards stay as they are: they came from its hand or from play, so it knows them also while it may not look.
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


def redeal_marked(then: State, version: int, redealt: State, seat: int, dice: Any) -> State:
    """An earlier state that is marked: a card that lies face down now was the same card then."""
    theirs = replace(then.sides[1 - seat], orders=(), flip_preference=(), mills=False)
    sides = (then.sides[0], theirs) if seat == 0 else (theirs, then.sides[1])
    items = tuple(
        item if item.by != seat else replace(item, answers=(), plays=None if item.plays is None else ()) for item in then.items
    )
    return replace(then, cards=redealt.cards, sides=sides, items=items)


def _permute(cards: dict[str, str], instances: Sequence[str], dice: Any) -> None:
    shuffled = dice.shuffle([cards[instance] for instance in instances])
    for instance, card in zip(instances, shuffled, strict=True):
        cards[instance] = card
