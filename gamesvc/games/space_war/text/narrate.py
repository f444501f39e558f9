"""Events as sentences from a viewer's point of view."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from gamesvc.games.kernel.events import REWOUND
from gamesvc.games.kernel.game import Data, Event, Viewer
from gamesvc.games.space_war.data import CARDS, name_of

COLOURS = ("Red", "Blue")


PHASE_WORDS = {"draw": "draw phase over", "action": "action phase over", "turn": "turn over"}


class Teller:
    """The names of the players from one viewer's point of view."""

    def __init__(self, viewer: Viewer, names: Sequence[str]) -> None:
        self.viewer = viewer
        self.names = names

    def who(self, seat: int) -> str:
        if seat == self.viewer:
            return "You"
        return self.names[seat] if seat < len(self.names) and self.names[seat] else COLOURS[seat]

    def whose(self, seat: int) -> str:
        return "your" if seat == self.viewer else f"{self.who(seat)}'s"

    def verb(self, seat: int, past: str, own: str = "") -> str:
        return f"{self.who(seat)} {own if own and seat == self.viewer else past}"


def tell(event: Event, viewer: Viewer, names: Sequence[str]) -> str:
    """Describe one redacted event in one sentence; empty for pure bookkeeping."""
    teller = Teller(viewer, names)
    if event.type == REWOUND:
        if event.data.get("cause") == "reaction":
            return f"{teller.who(event.data['seat'])} reacted: the match went back to item {event.data['item']}."
        return "The match was taken back."
    sentence = _SENTENCES.get(event.type)
    return "" if sentence is None else sentence(event.data, teller)


def count_of(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _list(cards: Sequence[str]) -> str:
    return ", ".join(name_of(card) for card in cards)


def _cap(text: str) -> str:
    return text[:1].upper() + text[1:]


def _drew(data: Data, t: Teller) -> str:
    shown = f": {_list(data['names'])}" if "names" in data else ""
    return f"{t.who(data['seat'])} drew {count_of(data.get('count', len(data.get('cards', ()))), 'card')}{shown}."


def _returned(data: Data, t: Teller) -> str:
    to = "hand" if data["to"] == "hand" else "draw pile"
    total = len(data["cards"]) if "cards" in data else data["count"]
    shown = f" ({_list(data['names'])})" if data["names"] else ""
    return _cap(f"{count_of(total, 'card')}{shown} went to {t.whose(data['seat'])} {to}.")


def _prompt(data: Data, t: Teller) -> str:
    who = t.verb(data["seat"], "must choose", "must choose")
    kind = {"flips": "station cards to flip", "offer": "whether to draw and discard", "search": "from a search"}.get(data["kind"])
    return f"{who} {kind or 'for: ' + data['kind']}."


def _item(data: Data, t: Teller) -> str:
    name = PHASE_WORDS.get(data["card"]) or name_of(data["card"])
    return f"Item {data['item']} is open: {name}."


def _played(data: Data, t: Teller) -> str:
    source = "" if data["origin"] == "hand" else " out of the station"
    x = f" with x = {data['x']}" if CARDS[data["name"]].cost is None else ""
    return f"{t.who(data['seat'])} played {name_of(data['name'])}{source}{x} for {count_of(data['cost'], 'action')}."


def _left(data: Data, t: Teller) -> str:
    verb = {"destroyed": "destroyed", "discarded": "discarded from play", "returned": "returned to hand"}[data["reason"]]
    names = _list([data["names"][card] for card in data["cards"]])
    return f"{names} {'was' if len(data['cards']) == 1 else 'were'} {verb}."


def _attacked(data: Data, t: Teller) -> str:
    target = name_of(data["target_name"]) if data["target"] else f"{t.whose(1 - data['seat'])} station"
    return f"{name_of(data['name'])} attacks {target} with {data['power']}."


def _damaged(data: Data, t: Teller) -> str:
    return (
        "Damage: "
        + ", ".join(f"{name_of(data['names'][card])} {hit['amount']}" for card, hit in sorted(data["hits"].items()))
        + "."
    )


def _names(data: Data) -> list[str]:
    return [data["names"][card] for card in sorted(data["names"])]


def _flipped(data: Data, t: Teller) -> str:
    shown = f" ({_list(_names(data))})" if "names" in data else ""
    return _cap(f"{count_of(len(data['slots']), 'card')} of {t.whose(data['seat'])} station flipped{shown}.")


def _settled(data: Data, t: Teller) -> str:
    told = [f"You let stand: item {', '.join(map(str, data['items']))}."] if "items" in data else []
    for seat in (0, 1):
        cards = [card["name"] for card in data.get("flips", ()) if card["seat"] == seat]
        if cards:
            told.append(f"Flipped cards of {t.whose(seat)} station are known to all: {_list(cards)}.")
    return " ".join(told)


def _ended(data: Data, t: Teller) -> str:
    why = {"commander": "the commander fell", "resigned": "by resignation", "timed_out": "by time-outs"}[data["reason"]]
    return f"{t.verb(data['winner'], 'won', 'won')}: {why}."


def _revealed(data: Data, t: Teller) -> str:
    pairs = [f"{t.who(seat)}: {name_of(entry['commander'])}" for seat, entry in enumerate(data["sides"])]
    return f"Commanders and stations are revealed. {'; '.join(pairs)}."


def _upkeep(data: Data, t: Teller) -> str:
    kept = _list([data["names"][card] for card in data["kept"]]) or "nothing"
    return f"{t.who(data['seat'])} paid {count_of(data['cost'], 'action')} upkeep and kept {kept}."


def _collided(data: Data, t: Teller) -> str:
    target = name_of(data["target_name"]) if data["target"] else f"{t.whose(1 - data['seat'])} station"
    return f"{name_of(data['name'])} collides with {target} for {data['power']}."


def _added(data: Data, t: Teller) -> str:
    name = f" ({name_of(data['name'])})" if "name" in data else ""
    return f"{t.who(data['seat'])} added a card{name} to the {data['row']} row, slot {data['slot']}."


_SENTENCES: dict[str, Callable[[Data, Teller], str]] = {
    "game_created": lambda d, t: "The match begins.",
    "chooser_drawn": lambda d, t: f"{t.verb(d['seat'], 'chooses', 'choose')} who starts.",
    "starter_chosen": lambda d, t: f"{t.verb(d['seat'], 'starts', 'start')}.",
    "cards_drawn": _drew,
    "seat_prepared": lambda d, t: f"{t.verb(d['seat'], 'has prepared', 'have prepared')}.",
    "preparation_revealed": _revealed,
    "turn_started": lambda d, t: _cap(f"turn {d['turn']}: {t.who(d['seat'])}."),
    "phase_entered": lambda d, t: f"{_cap(d['phase'])} phase.",
    "actions_set": lambda d, t: f"{t.verb(d['seat'], 'has', 'have')} {count_of(d['actions'], 'action')}.",
    "actions_changed": lambda d, t: f"{t.verb(d['seat'], 'now has', 'now have')} {count_of(d['actions'], 'action')}.",
    "upkeep_paid": _upkeep,
    "card_played": _played,
    "card_countered": lambda d, t: f"{name_of(d['name'])} was countered.",
    "entered_play": lambda d, t: f"{name_of(d['piece']['card'])} came into play.",
    "put_into_play": lambda d, t: f"{name_of(d['piece']['card'])} was put into play.",
    "left_play": _left,
    "moved": lambda d, t: f"{name_of(d['name'])} moved to {t.whose(d['zone'])} zone.",
    "attack_declared": _attacked,
    "attack_failed": lambda d, t: f"The attack of {name_of(d['name'])} failed.",
    "collided": _collided,
    "ability_used": lambda d, t: f"{name_of(d['name'])} used its ability.",
    "commander_used": lambda d, t: f"{t.verb(d['seat'], 'used', 'used')} {name_of(d['name'])}.",
    "damaged": _damaged,
    "repaired": lambda d, t: f"{name_of(d['name'])} was repaired by {d['amount']}.",
    "paralyzed": lambda d, t: f"{_list(_names(d))} paralyzed.",
    "protected": lambda d, t: f"{name_of(d['name'])} cannot be attacked until the turn ends.",
    "counters_changed": lambda d, t: f"{name_of(d['name'])} now has {count_of(d['counters'], 'counter')}.",
    "control_changed": lambda d, t: f"{t.verb(d['seat'], 'controls', 'control')} {name_of(d['name'])}.",
    "transformed": lambda d, t: f"{name_of(d['name'])} is now {d['attack']}/{d['defense']}.",
    "station_added": _added,
    "station_moved": lambda d, t: f"{t.who(d['seat'])} moved {', '.join(d['slots'])} to the {d['row']} row.",
    "station_flipped": _flipped,
    "station_unflipped": lambda d, t: f"{', '.join(d['slots'])} of {t.whose(d['seat'])} station turned face down.",
    "station_left": lambda d, t: f"{', '.join(d['slots'])} went to {t.whose(d['seat'])} hand.",
    "life_changed": lambda d, t: f"{t.verb(d['seat'], 'has', 'have')} {d['life']} life (lost {d['lost']}).",
    "cards_discarded": lambda d, t: f"{t.who(d['seat'])} discarded {_list(d['names'])}.",
    "cards_milled": lambda d, t: f"{_cap(t.whose(d['seat']))} draw pile lost {_list(d['names'])}.",
    "cards_returned": _returned,
    "looked": lambda d, t: f"{t.verb(d['seat'], 'looked', 'looked')} at {count_of(d['count'], 'card')} of the draw pile.",
    "prompt_opened": _prompt,
    "item_opened": _item,
    "items_settled": _settled,
    "orders_set": lambda d, t: f"You left {count_of(len(d['orders']), 'standing order')}.",
    "order_fired": lambda d, t: f"Your standing order answered item {d['item']}.",
    "paused": lambda d, t: f"{t.verb(d['seat'], 'asks', 'ask')} for reactions.",
    "hand_freed": lambda d, t: f"{t.verb(d['seat'], 'has', 'have')} no hand limit this turn.",
    "extra_turn_gained": lambda d, t: f"{t.verb(d['seat'], 'gains', 'gain')} an extra turn.",
    "turn_ended": lambda d, t: f"{t.verb(d['seat'], 'ended', 'ended')} the turn.",
    "outcome_pending": lambda d, t: f"{_cap(t.whose(d['seat']))} commander falls unless the blow is answered.",
    "timed_out": lambda d, t: f"{t.verb(d['seat'], 'let', 'let')} the time run out.",
    "game_ended": _ended,
}
