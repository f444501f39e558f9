"""Secrecy of events: their data for each viewer, the ones that reveal something, and the ones that outdate a command."""

from __future__ import annotations

from collections.abc import Callable

from gamesvc.games.kernel.game import Command, Data, Event, Viewer
from gamesvc.json_types import JsonObject


def redact(event: Event, viewer: Viewer) -> Data | None:
    """Return an event's data as the viewer may see it; None if they may only know that it exists."""
    cut = _CUTS.get(event.type)
    return event.data if cut is None else cut(event.data, viewer)


def _but(data: Data, *names: str) -> JsonObject:
    return {name: value for name, value in data.items() if name not in names}


def _hands(data: Data, viewer: Viewer) -> Data:
    hands = [hand if seat == viewer else len(hand) for seat, hand in enumerate(data["hands"])]
    return {**data, "hands": hands, "deck": len(data["deck"])}


def _drawn(data: Data, viewer: Viewer) -> Data:
    if data["seat"] == viewer:
        return data
    return {**_but(data, "cards"), "count": len(data["cards"])}


def _reshuffled(data: Data, viewer: Viewer) -> Data:
    return {"deck": len(data["deck"])}


def _taken(data: Data, viewer: Viewer) -> Data:
    if viewer == data["victim"]:
        return data
    return _but(data, "index") if viewer == data["seat"] else _but(data, "index", "card")


def _thrown(data: Data, viewer: Viewer) -> Data:
    return data if viewer == data["victim"] else _but(data, "index")


def _by_order(data: Data, viewer: Viewer) -> Data:
    return data if viewer == data["seat"] else _but(data, "auto")


def _declared(data: Data, viewer: Viewer) -> Data:
    return data if viewer == data["seat"] else _but(data, "auto", "then")


def _opened(data: Data, viewer: Viewer) -> Data:
    """Hide other seats' prepared answers about a movement's after-window, and that there are any."""
    shown = data if viewer == data["seat"] else _but(data, "then")
    if "later" not in data:
        return shown
    own = {seat: command for seat, command in data["later"].items() if seat == str(viewer)}
    return {**_but(shown, "later"), **({"later": own} if own else {})}


def _rejected(data: Data, viewer: Viewer) -> Data:
    return data if viewer == data["by"] else _but(data, "auto")


def _passed(data: Data, viewer: Viewer) -> Data:
    return data if viewer == data["seat"] else _but(data, "how", "after", "then")


def _prepared(data: Data, viewer: Viewer) -> Data:
    return data if viewer == data["seat"] else _but(data, "command")


def _committed(data: Data, viewer: Viewer) -> Data:
    return data if viewer == data["seat"] else {"seat": data["seat"]}


def _spied(data: Data, viewer: Viewer) -> Data:
    return data if viewer == data["seat"] else _but(data, "cards")


def _own_only(data: Data, viewer: Viewer) -> Data | None:
    return data if viewer == data["seat"] else None


def _scouted(data: Data, viewer: Viewer) -> Data:
    return _but(data, "taken") if viewer == data["seat"] else _but(data, "taken", "kind")


def _revealed(data: Data, viewer: Viewer) -> Data:
    return _but(data, "taken")


def _offer_made(data: Data, viewer: Viewer) -> Data:
    if data["to"] is None or viewer in (data["seat"], data["to"]):
        return data
    return _but(data, "give", "want")


def _swapped(data: Data, viewer: Viewer) -> Data:
    numbers = {**_but(data, "give", "want"), "given": len(data["give"]), "wanted": len(data["want"])}
    if data["open"] or viewer in (data["seat"], data["by"]):
        return {**numbers, "give": data["give"], "want": data["want"]}
    return numbers


_CUTS: dict[str, Callable[[Data, Viewer], Data | None]] = {
    "hands_dealt": _hands,
    "cards_drawn": _drawn,
    "deck_reshuffled": _reshuffled,
    "card_taken": _taken,
    "card_taken_discarded": _thrown,
    "card_lost": _thrown,
    "action_declared": _declared,
    "window_opened": _opened,
    "battle_declared": _by_order,
    "passed": _passed,
    "reaction_prepared": _prepared,
    "attack_committed": _committed,
    "spied": _spied,
    "orders_set": _own_only,
    "space_scouted": _scouted,
    "space_revealed": _revealed,
    "offer_made": _offer_made,
    "offer_rejected": _rejected,
    "cards_swapped": _swapped,
}


_QUIET = frozenset(
    {
        "orders_set",
        "attack_committed",
        "passed",
        "reaction_prepared",
        "spied",
        "offer_made",
        "offer_rejected",
        "offer_withdrawn",
        "offer_void",
    }
)


_OFFER_ENDS = frozenset({"offer_rejected", "offer_withdrawn", "offer_void", "cards_swapped"})


_NEVER_STALE = frozenset({"set_orders", "resign", "spy"})


_TELLING = frozenset(
    {
        "hands_dealt",
        "cards_drawn",
        "card_taken",
        "card_taken_discarded",
        "card_lost",
        "spied",
        "space_scouted",
        "space_revealed",
        "attacks_revealed",
        "battle_resolved",
        "calls_opened",
        "cards_swapped",
        "offer_void",
        "ability_rolled",
        "action_failed",
        "passed",
        "board_laid",
        "hazard_removed",
        "deck_reshuffled",
    }
)


def stale(command: Command, event: Event, seat: int) -> bool:
    """Return True if a newer event outdates a command: all do but quiet acts of other seats.

    An answer to a numbered offer is outdated only by the end of that offer. Its goods are checked again anyway.
    """
    if command["name"] in _NEVER_STALE:
        return False
    if "offer" in command:
        return event.type in _OFFER_ENDS and bool(event.data["id"] == command["offer"])
    return event.type not in _QUIET


def reveals(event: Event) -> bool:
    """Return True if the event revealed something hidden: draws, looks, chance, automatic answers, seats that could answer.

    A seat that is not asked where it might have been tells as much as one that is. The same holds for cards in a battle.
    """
    others_may_commit = any(seat != event.data["seat"] for seat in event.data.get("waiting", ()))
    return event.type in _TELLING or others_may_commit or any(event.data.get(name) for name in ("auto", "asked", "unasked"))
