"""The events that outdate a command."""

from __future__ import annotations

from gamesvc.games.kernel.game import Command, Event

_ASIDE = frozenset({"set_standing_orders", "resign", "accept_trade", "decline_trade", "withdraw_trade"})


_HARMLESS = frozenset({"standing_orders_set", "trade_offered", "trade_declined", "trade_withdrawn", "trades_lapsed"})


_NEW = frozenset({"card_played", "ability_activated", "action_declared", "phase_entered", "combat_opened", "turn_started"})


def stale(command: Command, event: Event, seat: int) -> bool:
    """Return True if a newer event outdates a command.

    Standing orders and answers to offers are never outdated (an offer cannot change and is checked again). A pass is outdated by
    something new to answer, not by others passing. Offers and early passes of others outdate nothing.
    """
    if command["name"] in _ASIDE:
        return False
    if command["name"] == "pass":
        return event.type in _NEW
    return event.type not in _HARMLESS and not _goes_round(event)


def _goes_round(event: Event) -> bool:
    """Return True if an event only hands on priority in an open window, where others may be asked at the same time."""
    if event.type == "priority_passed":
        return bool(event.data.get("early")) or not event.data["closed"]
    return event.type == "choice_requested" and event.data["prompt"] == "window"
