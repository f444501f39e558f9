"""Secrecy of events: their data for each viewer, the ones that reveal something, and the ones that outdate a command."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from gamesvc.games.kernel.game import Command, Data, Event, Viewer
from gamesvc.json_types import JsonMapping, JsonObject

# Any event may have them: whether it does may follow from what is hidden.
_INNER = ("todo", "cmd", "settles")


def redact(event: Event, viewer: Viewer) -> Data | None:
    """Return an event's data as a viewer may see it; None if sealed."""
    data = _without(event.data, *_INNER)
    rule = _REDACT.get(event.type)
    return data if rule is None else rule(data, viewer)


def _without(data: JsonMapping, *keys: str) -> JsonObject:
    return {key: value for key, value in data.items() if key not in keys}


def _pile(data: Data, viewer: Viewer) -> Data:
    return {"seat": data["seat"], "count": len(data["order"])}


def _drawn(data: Data, viewer: Viewer) -> Data:
    if viewer == data["seat"]:
        return data
    return {"seat": data["seat"], "count": len(data["cards"])}


def _prepared(data: Data, viewer: Viewer) -> Data:
    return data if viewer == data["seat"] else {"seat": data["seat"]}


def _revealed(data: Data, viewer: Viewer) -> Data:
    return {
        "sides": [
            entry if seat == viewer else {**entry, "station": [_without(card, "id") for card in entry["station"]]}
            for seat, entry in enumerate(data["sides"])
        ]
    }


def _added(data: Data, viewer: Viewer) -> Data:
    return data if data["shown"] or viewer == data["seat"] else _without(data, "card", "name")


def _flipped(data: Data, viewer: Viewer) -> Data:
    return data if not data["item"] or viewer == data["seat"] else _without(data, "cards", "names")


def _left(data: Data, viewer: Viewer) -> Data:
    return data if viewer == data["seat"] else {**_without(data, "cards", "names"), "count": len(data["cards"])}


def _returned(data: Data, viewer: Viewer) -> Data:
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


def _opened(data: Data, viewer: Viewer) -> Data:
    if viewer == data["seat"]:
        return _without(data, "task")
    return {"prompt": data["prompt"], "seat": data["seat"], "kind": data["kind"]}


def _answered(data: Data, viewer: Viewer) -> Data:
    return data if viewer == data["seat"] else _without(data, "picks")


def _item(data: Data, viewer: Viewer) -> Data:
    told = _without(data, "answers", "last")
    return told if viewer == 1 - data["by"] else _without(told, "left")


def _secret(data: Data, viewer: Viewer) -> Data | None:
    return data if viewer == data["seat"] else None


def _settled(data: Data, viewer: Viewer) -> Data | None:
    """Hide a settlement from everyone but the reacting seat, except its own flipped cards, which become public.

    The opponent's flips within the items are shown to the reacting seat alone: anyone else would learn from them what was let
    stand.
    """
    if viewer == data["seat"]:
        return data
    shown = [card for card in data.get("flips", ()) if card["seat"] == data["seat"]]
    return {"seat": data["seat"], "flips": shown} if shown else None


_REDACT: dict[str, Callable[[Data, Viewer], Data | None]] = {
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
    """Return True if an event revealed something hidden: a draw, a look, a flip, a card shown by playing it."""
    return event.type not in _TELLS_NOTHING or bool(event.data.get("flips"))


def shows(event: Event) -> Sequence[str]:
    """Return the cards that a search shows while they move from one hidden place to another."""
    data = event.data
    if event.type != "cards_returned":
        return ()
    places = zip(data["cards"], data["origins"], strict=True)
    return [card for card, origin in places if card in data["shown"] and origin in ("draw pile", "station")]


_KEEPS = frozenset({"orders_set", "order_fired", "items_settled", "seat_prepared"})


def stale(command: Command, event: Event, seat: int) -> bool:
    """Return True if a newer event outdates a command. Items and prompts have permanent numbers, so their answers stay valid."""
    name = command["name"]
    if name in ("set_orders", "resign", "choose") or (name == "react" and "item" in command):
        return False
    if name == "let_stand" and "upto" in command:
        return False
    return event.type not in _KEEPS
