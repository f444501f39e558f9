"""Secrecy of events: their data for each viewer, and the ones that reveal something."""

from __future__ import annotations

from gamesvc.games.kernel.game import Data, Event, Viewer
from gamesvc.games.star_commander.secrecy.view import item_for, with_own
from gamesvc.games.star_commander.state import State
from gamesvc.json_types import JsonObject


def redact(event: Event, viewer: Viewer) -> Data | None:
    """Return an event's data as a viewer may see it; None if they may only know that it exists."""
    data = event.data
    match event.type:
        case "game_set_up":
            return _set_up_for(data)
        case "standing_orders_set":
            return data if data["seat"] == viewer else None
        case "card_drawn":
            return data if data["seat"] == viewer else {k: v for k, v in data.items() if k not in ("uid", "card")}
        case "choice_requested":
            hidden = ("work",) if data["seat"] == viewer else ("work", "uid", "card", "domain")
            return {name: value for name, value in data.items() if name not in hidden}
        case "choice_made":
            private = data["what"] in ("take_card", "discard")
            return {k: v for k, v in data.items() if k != "value"} if private and data["seat"] != viewer else data
        case "hand_shown":
            shown = data["to"] is None or viewer in (data["to"], data["seat"])
            return data if shown else {"seat": data["seat"], "to": data["to"]}
        case "card_taken":
            shown = data["public"] or viewer in (data["seat"], data["victim"])
            return data if shown else {k: v for k, v in data.items() if k not in ("uid", "card")}
        case "card_played" | "ability_activated" | "action_declared":
            return {**data, "item": item_for(data["item"], viewer)}
        case "phase_entered" if "passed" in data:
            return with_own(data, "passed", viewer)
        case "priority_passed" if viewer not in data["seats"]:
            return _pass_for_others(data)
        case "damage_assigned":
            return data if data["seat"] == viewer else {k: v for k, v in data.items() if k not in ("passes", "stays")}
        case "deck_reshuffled":
            return {"domain": data["domain"], "cards": len(data["deck"])}
        case "trade_offered":
            if viewer in (data["seat"], data["to"]):
                return data
            return {"offer": data["offer"], "seat": data["seat"], "to": data["to"]}
        case "trade_completed":
            return _trade_for(data, viewer)
    return data


def _pass_for_others(data: Data) -> Data | None:
    """Return a pass as the others see it. One given early is unknown to them until it is sealed."""
    if data.get("early"):
        return {name: data[name] for name in ("seats", "early", "sealed")} if "sealed" in data else None
    return {name: value for name, value in data.items() if name != "rest"}


def _set_up_for(data: Data) -> JsonObject:
    hidden = ("decks", "faces", "undealt")
    told = {name: value for name, value in data.items() if name not in hidden}
    told["cells"] = [[name, card if home is not None else None, home] for name, card, home in data["cells"]]
    return told


def _trade_for(data: Data, viewer: Viewer) -> JsonObject:
    if viewer in (data["maker"]["seat"], data["taker"]["seat"]):
        return dict(data)
    told = {name: value for name, value in data.items() if name != "cards"}
    for side in ("maker", "taker"):
        told[side] = {**data[side], "hand": len(data[side]["hand"])}
    return told


_TELLING = frozenset(
    {
        "game_set_up",
        "card_drawn",
        "deck_reshuffled",
        "system_explored",
        "hand_shown",
        "card_taken",
        "card_played",
        "action_declared",
        "trade_completed",
        "trade_offered",
        "card_discarded",
        "player_eliminated",
    }
)


def reveals(event: Event) -> bool:
    """Return True if an event revealed something hidden: cards, systems, looks, and answers given by orders or in advance."""
    if event.type in _TELLING or event.data.get("auto") is True or event.data.get("prepared") is True:
        return True
    # A window lists the seats that will be asked. A missing seat has passed in advance or can play nothing.
    return event.type == "choice_requested" and ("card" in event.data or event.data["prompt"] == "window")


_NEWS = frozenset({"card_drawn", "system_explored", "hand_shown", "card_taken", "trade_completed", "player_eliminated"})


def news(event: Event) -> bool:
    """Return True if an event brings what a seat could not foresee when it acted: cards, systems, looks, prepared answers."""
    if event.type == "priority_passed":  # that nobody answers is the rule
        return False
    prepared = event.data.get("auto") is True or event.data.get("prepared") is True
    return event.type in _NEWS or prepared or (event.type == "choice_requested" and "card" in event.data)


def hidden_ids(state: State) -> set[str]:
    """Return the uids of the cards in hands and decks. Reshuffled cards get new ones (RULES.md 17)."""
    return {uid for cards in (*(seat.hand for seat in state.seats), *state.decks.values()) for uid in cards}
