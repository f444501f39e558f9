"""What a seat or an observer may see of a state and of an event (RULES.md section 9), and what could be otherwise."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from gamesvc.games.kernel import Command, Data, Event, Outcome, Viewer
from gamesvc.games.space_war.board import Board
from gamesvc.games.space_war.data import CARDS
from gamesvc.games.space_war.legal import OWN_PHASES, awaited, live_options, option_label, prompt_range
from gamesvc.games.space_war.state import Side, State, StationCard, owner_of

LOOKING = ("search", "plan", "sabotage")
"""Prompts in which a seat sees cards that are hidden otherwise."""


def view(state: State, viewer: Viewer) -> dict[str, Any]:
    """The position as this viewer may see it, enough to draw it and to play from."""
    board = Board(state)
    return {
        "you": viewer,
        "phase": state.phase,
        "turn": state.turn,
        "active": state.active,
        "awaited": [waiting.as_json() for waiting in awaited(state)],
        "sides": [_side(board, seat, viewer) for seat in (0, 1)],
        "pieces": [_piece(board, at) for at in range(len(state.pieces))],
        "limbo": [{"id": card, "card": state.cards[card]} for card in state.limbo],
        "items": _items(state, viewer),
        "prompts": [_prompt(state, at, viewer) for at in range(len(state.prompts))],
        "replay": list(state.replay) if viewer == state.active else [],
        "winner": state.winner,
        "reason": state.reason,
    }


def _cards(state: State, cards: Sequence[str]) -> list[dict[str, str]]:
    return [{"id": card, "card": state.cards[card]} for card in cards]


def knows_station(state: State, seat: int, viewer: Viewer) -> bool:
    """Whether a viewer may look at the face-down station cards of a seat."""
    if viewer != seat:
        return False
    if state.active == seat and state.phase in ("action", "upkeep"):
        return True
    return any(p.seat == seat and p.kind == "flips" and p.task["seat"] == seat for p in state.prompts) or any(
        p.seat == seat and p.kind == "search" and "station" in p.task["from"] for p in state.prompts
    )


def knows_flipped(state: State, seat: int, card: StationCard, viewer: Viewer) -> bool:
    """A flipped card is known to all, but not to others while the flip lies in an open item."""
    return viewer == seat or not card.item or not any(item.n == card.item and not item.settled for item in state.items)


def _side(board: Board, seat: int, viewer: Viewer) -> dict[str, Any]:
    state = board.state
    side = state.sides[seat]
    own = viewer == seat
    looks = knows_station(state, seat, viewer)
    station = []
    for card in side.station:
        entry: dict[str, Any] = {"slot": card.slot, "row": card.row, "flipped": card.flipped}
        if knows_flipped(state, seat, card, viewer) if card.flipped else looks:
            entry |= {"id": card.id, "card": state.cards[card.id]}
        station.append(entry)
    begun = bool(side.commander)
    shown: dict[str, Any] = {
        "seat": seat,
        "deck": side.deck,
        "commander": side.commander,
        "life": side.life,
        "full_life": side.full_life,
        "actions": side.actions,
        "charge": side.charge,
        "pile": len(side.pile),
        "hand_size": len(side.hand),
        "hand": _cards(state, side.hand) if own else None,
        "discard": _cards(state, side.discard),
        "station": station,
        "face_down": sum(not card.flipped for card in side.station),
        "max_station": board.max_station(seat) if begun else 0,
        "per_action_card": board.actions_per_card(seat) if begun else 0,
        "hand_limit": board.hand_limit(seat) if begun else None,
        "extra_turns": side.extra_turns,
        "managed": side.managed,
        "timeouts": side.timeouts,
        "committed": side.commit is not None,
    }
    if own:
        shown |= {
            "pool": list(side.pool),
            "commit": side.commit,
            "orders": list(side.orders),
            "flip_preference": list(side.flip_preference),
        }
    return shown


def _piece(board: Board, at: int) -> dict[str, Any]:
    p = board.pieces[at]
    card = CARDS[p.card]
    marks = {
        "paralyzed": p.paralyzed,
        "fast": board.fast(p),
        "slow": board.slow(p),
        "suppressed": not board.has_text(p),
        "moved": p.moved,
        "acted": bool(p.attacks or p.ability),
        "new": p.entered == board.state.turn,
        "protected": p.protected == board.state.turn,
        "borrowed": p.borrowed,
    }
    return {
        "id": p.id,
        "card": p.card,
        "owner": p.owner,
        "controller": p.controller,
        "zone": p.zone,
        "attack": board.attack(p) if card.type in ("spaceship", "missile") or card.attack is not None else None,
        "defense": board.defense(p),
        "damage": p.damage,
        "counters": p.counters,
        "x": p.x if CARDS[board.state.cards[p.id]].cost is None else None,
        "on": p.on,
        "marks": sorted(name for name, on in marks.items() if on),
    }


def _items(state: State, viewer: Viewer) -> list[dict[str, Any]]:
    """The window. Whether an item is settled only the seat that may react to it knows."""
    shown = []
    for item in state.items:
        if viewer is not None and viewer != item.by and item.settled:
            continue
        note = {key: value for key, value in item.note.items() if key != "against" or viewer is not None}
        shown.append({"item": item.n, "by": item.by, "kind": item.kind, "card": item.card, "what": item.what, **note})
    return shown


def _prompt(state: State, at: int, viewer: Viewer) -> dict[str, Any]:
    prompt = state.prompts[at]
    shown: dict[str, Any] = {"prompt": prompt.id, "seat": prompt.seat, "kind": prompt.kind}
    if viewer == prompt.seat:
        options = live_options(state, prompt)
        least, most = prompt_range(state, prompt)
        labels = [option_label(state, prompt, option) for option in options]
        shown |= {"options": options, "labels": labels, "least": least, "most": most}
    return shown


# --- events ---


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
    "items_settled": _secret,
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
        "turn_started",
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
        "paused",
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
        "game_ended",
        "card_countered",
        "attack_failed",
    ]
)


def reveals(event: Event) -> bool:
    """Whether the event told somebody something hidden: draws, looks, flips, a card shown by playing it."""
    return event.type not in _TELLS_NOTHING


_KEEPS = frozenset({"orders_set", "order_fired", "items_settled", "seat_prepared"})


def stale(command: Command, since: Sequence[Event], seat: int) -> bool:
    """Whether what happened since outdates a command. Items and prompts are named for ever, so answers to them never are."""
    name = command["name"]
    if name in ("set_orders", "resign", "choose") or (name == "react" and "item" in command):
        return False
    if name == "let_stand" and "upto" in command:
        return False
    return any(event.type not in _KEEPS for event in since)


# --- what could be otherwise ---


def redeal(state: State, seat: int, dice: Any) -> State:
    """The same view for a seat, everything hidden from it dealt anew."""
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
        mine = list(own.pile[own.known :])
        if not knows_station(state, seat, seat):
            mine += [card.id for card in own.station if not card.flipped]
        _permute(cards, mine, dice)
    commit = theirs.commit
    if commit is not None:
        commit = {**commit, "commander": theirs.pool[dice.choose(len(theirs.pool))]}
    changed = replace(theirs, orders=(), flip_preference=(), commit=commit)
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


def _permute(cards: dict[str, str], instances: Sequence[str], dice: Any) -> None:
    shuffled = dice.shuffle([cards[instance] for instance in instances])
    for instance, card in zip(instances, shuffled, strict=True):
        cards[instance] = card


# --- the end, and what must always hold ---


def outcome(state: State) -> Outcome | None:
    """One winner, one loser; scores are 1 and 0."""
    if state.winner is None:
        return None
    life = [side.life for side in state.sides]
    return Outcome(
        state.reason,
        ((state.winner,), (1 - state.winner,)),
        tuple(int(seat == state.winner) for seat in (0, 1)),
        {"life": life, "turns": state.turn},
    )


def faults(state: State) -> list[str]:
    """Every card is in exactly one place, and no number is out of range."""
    found: list[str] = []
    everywhere: list[str] = [*state.limbo, *(p.id for p in state.pieces)]
    for side in state.sides:
        everywhere += [*side.pile, *side.hand, *side.discard, *(card.id for card in side.station)]
    if len(everywhere) != len(set(everywhere)):
        found.append(f"a card is in two places: {sorted(one for one in set(everywhere) if everywhere.count(one) > 1)}")
    if set(everywhere) != set(state.cards):
        found.append(f"cards are lost or made up: {sorted(set(everywhere) ^ set(state.cards))}")
    for seat, side in enumerate(state.sides):
        found += _side_faults(state, seat, side)
    board = Board(state)
    ids = {p.id for p in state.pieces}
    for p in state.pieces:
        defense = board.defense(p)
        if (defense is not None and p.damage >= defense) or p.damage < 0 or p.counters < 0:
            found.append(f"{p.id} has damage {p.damage} of {defense} and {p.counters} counters")
        if p.on is not None and p.on not in ids:
            found.append(f"{p.id} is attached to nothing")
        if p.owner != owner_of(p.id) or (p.controller != p.owner and not p.borrowed):
            found.append(f"{p.id} is under wrong control")
    numbers = [item.n for item in state.items]
    if numbers != sorted(set(numbers)) or (numbers and numbers[-1] >= state.next_item):
        found.append(f"the items are numbered {numbers}")
    return found


def _side_faults(state: State, seat: int, side: Side) -> list[str]:
    found = []
    for zone in (side.pile, side.hand, side.discard, tuple(card.id for card in side.station)):
        if any(owner_of(one) != seat for one in zone):
            found.append(f"seat {seat} holds a card of the other seat")
    if side.actions < 0 or side.charge < 0 or side.extra_turns < 0 or not 0 <= side.known <= len(side.pile):
        found.append(f"seat {seat} has a number below zero")
    if sum(p.controller == seat and "shield_limit" in CARDS[p.card].keywords for p in state.pieces) > 1:
        found.append(f"seat {seat} has two limited shields")
    if len({card.slot for card in side.station}) != len(side.station):
        found.append(f"seat {seat} has two station cards in one slot")
    return found
