"""Events as sentences from a viewer's point of view."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from gamesvc.games.kernel.events import REWOUND
from gamesvc.games.kernel.game import Data, Event, Viewer
from gamesvc.games.kernel.wording import capital, counted, listed, named, opening, seat_name
from gamesvc.games.space_war.data import CARDS, name_of
from gamesvc.games.space_war.state import owner_of

ENDED_WORDS = {"draw": "draw phase", "action": "action phase", "turn": "turn"}
"""Names of what is over, by the `card` of an item that opens at the end of it."""
_PHASE_NAMES = {"choose_starter": "who starts", "prepare": "preparation", "between": "end of turn", "review": "reactions"}
CHOICES = {
    "flips": "which station cards to flip",
    "draw": "whether to draw or mill",
    "discard": "what to discard",
    "search": "from the cards found",
    "sabotage": "a card of the opponent's hand",
    "sacrifice": "what to give up",
    "destroy": "what to destroy",
    "mend": "what to repair",
    "transform": "which spaceship to transform",
    "top": "what to put on top of the draw pile",
    "offer": "whether to draw and discard",
    "plan": "the order of the top cards",
    "deja_vu": "which card returns",
    "shield": "which shield takes the hit",
}
"""The end of `must choose`, by the kind of the choice."""


def phase_name(phase: str) -> str:
    """Return the name of a phase as players read it: `between` is `end of turn`."""
    return _PHASE_NAMES.get(phase, phase)


class Teller:
    """The names of the players from one viewer's point of view."""

    def __init__(self, viewer: Viewer, names: Sequence[str]) -> None:
        self.viewer = viewer
        self.names = names

    def who(self, seat: int) -> str:
        if seat == self.viewer:
            return "You"
        return seat_name(seat, self.names)

    def whose(self, seat: int) -> str:
        return "your" if seat == self.viewer else f"{self.who(seat)}'s"

    def verb(self, seat: int, past: str, own: str = "") -> str:
        return f"{self.who(seat)} {own if own and seat == self.viewer else past}"

    def card(self, instance: str, name: str) -> str:
        """Return the name of a card with its owner: `your Drone`, `Ann's Drone`."""
        return f"{self.whose(owner_of(instance))} {name_of(name).removeprefix('The ')}"

    def cards(self, names: Mapping[str, str], instances: Iterable[str]) -> str:
        return listed(self.card(instance, names[instance]) for instance in instances)


def tell(event: Event, viewer: Viewer, names: Sequence[str]) -> str:
    """Describe one redacted event in one sentence; empty for pure bookkeeping."""
    teller = Teller(viewer, names)
    if event.type == REWOUND:
        if event.data.get("cause") == "reaction":
            return f"{teller.who(event.data['seat'])} reacted: the match went back to item {event.data['item']}."
        return "The match was rewound."
    sentence = _SENTENCES.get(event.type)
    return "" if sentence is None else opening(sentence(event.data, teller))


def _list(cards: Iterable[str]) -> str:
    return listed(name_of(card) for card in cards) or "nothing"


def _target(data: Data, t: Teller) -> str:
    return t.card(data["target"], data["target_name"]) if data["target"] else f"{t.whose(1 - data['seat'])} station"


def _drew(data: Data, t: Teller) -> str:
    shown = f": {_list(data['names'])}" if data.get("names") else ""
    return f"{t.who(data['seat'])} drew {counted(data.get('count', len(data.get('cards', ()))), 'card')}{shown}."


def _returned(data: Data, t: Teller) -> str:
    to = "hand" if data["to"] == "hand" else "draw pile"
    total = len(data["cards"]) if "cards" in data else data["count"]
    shown = f" ({_list(data['names'])})" if data["names"] else ""
    return f"{counted(total, 'card')}{shown} went to {t.whose(data['seat'])} {to}."


def _item(data: Data, t: Teller) -> str:
    if data["card"] in ENDED_WORDS:
        what = f"the end of {t.whose(data['by'])} {ENDED_WORDS[data['card']]}"
    else:
        what = t.card(data["what"], data["card"]) if data["what"] else f"{t.whose(data['by'])} {name_of(data['card'])}"
    return f"Item {data['item']} is open for reactions: {what}."


def _played(data: Data, t: Teller) -> str:
    source = "" if data["origin"] == "hand" else f" out of {'your' if data['seat'] == t.viewer else 'their'} station"
    x = f" with x = {data['x']}" if CARDS[data["name"]].cost is None else ""
    return f"{t.who(data['seat'])} played {name_of(data['name'])}{source}{x} for {counted(data['cost'], 'action')}."


def _left(data: Data, t: Teller) -> str:
    verb = {"destroyed": "destroyed", "discarded": "discarded from play", "returned": "returned to hand"}[data["reason"]]
    return f"{t.cards(data['names'], data['cards'])} {'was' if len(data['cards']) == 1 else 'were'} {verb}."


def _attacked(data: Data, t: Teller) -> str:
    attacks = t.verb(data["seat"], "attacks", "attack")
    return f"{attacks} {_target(data, t)} with {name_of(data['name'])} (power {data['power']})."


def _damaged(data: Data, t: Teller) -> str:
    hits = listed(f"{hit['amount']} to {t.card(card, data['names'][card])}" for card, hit in sorted(data["hits"].items()))
    return f"Damage: {hits}."


def _flipped(data: Data, t: Teller) -> str:
    shown = f" ({_list(data['names'][card] for card in sorted(data['names']))})" if data.get("names") else ""
    return f"{counted(len(data['slots']), 'card')} of {t.whose(data['seat'])} station flipped{shown}."


def _settled(data: Data, t: Teller) -> str:
    told = [f"You let {named('item', data['items'])} stand."] if data.get("items") else []
    for seat in (0, 1):
        cards = [card["name"] for card in data.get("flips", ()) if card["seat"] == seat]
        if cards:
            told.append(f"Flipped cards of {t.whose(seat)} station are now public: {_list(cards)}.")
    return " ".join(told)


def _ended(data: Data, t: Teller) -> str:
    loser = 1 - data["winner"]
    why = {
        "commander": f"{t.whose(loser)} commander fell",
        "resigned": f"{t.verb(loser, 'resigned')}",
        "timed_out": f"{t.verb(loser, 'ran out of time')}",
    }[data["reason"]]
    return f"{t.who(data['winner'])} won: {why[:1].lower() + why[1:] if loser == t.viewer else why}."


def _revealed(data: Data, t: Teller) -> str:
    pairs = [f"{t.who(seat)}: {name_of(entry['commander'])}" for seat, entry in enumerate(data["sides"])]
    return f"Commanders and stations are revealed. {'; '.join(pairs)}."


def _upkeep(data: Data, t: Teller) -> str:
    kept = _list(data["names"][card] for card in data["kept"])
    return f"{t.who(data['seat'])} paid {counted(data['cost'], 'action')} as upkeep and kept {kept}."


def _collided(data: Data, t: Teller) -> str:
    verb = t.verb(data["seat"], "collides", "collide")
    return f"{verb} {name_of(data['name'])} with {_target(data, t)} (power {data['power']})."


def _added(data: Data, t: Teller) -> str:
    name = f" ({name_of(data['name'])})" if "name" in data else ""
    return f"{t.who(data['seat'])} added a card{name} to the {data['row']} row, slot {data['slot']}."


def _station(data: Data, t: Teller, verb: str) -> str:
    return f"{_cards_in(data, t.whose(data['seat']))} {verb}."


def _cards_in(data: Data, whose: str) -> str:
    """Return the cards of the station that an event names: `your station cards in slots s1 and s2`."""
    return f"{whose} station card{'' if len(data['slots']) == 1 else 's'} in {named('slot', data['slots'])}"


def _card(words: str) -> Callable[[Data, Teller], str]:
    """Return the teller of a sentence about the card of the event, with its owner."""
    return lambda d, t: f"{t.card(d['card'], d['name'])} {words.format(**d)}."


def _piece(words: str) -> Callable[[Data, Teller], str]:
    return lambda d, t: f"{t.card(d['piece']['id'], d['piece']['card'])} {words}."


_SENTENCES: dict[str, Callable[[Data, Teller], str]] = {
    "game_created": lambda d, t: "The match begins.",
    "chooser_drawn": lambda d, t: f"{t.verb(d['seat'], 'chooses', 'choose')} who starts.",
    "starter_chosen": lambda d, t: f"{t.verb(d['seat'], 'starts', 'start')}.",
    "cards_drawn": _drew,
    "seat_prepared": lambda d, t: f"{t.verb(d['seat'], 'has prepared', 'have prepared')}.",
    "preparation_revealed": _revealed,
    "turn_started": lambda d, t: f"Turn {d['turn']}: {t.whose(d['seat'])} turn.",
    "phase_entered": lambda d, t: f"{capital(d['phase'])} phase.",
    "actions_set": lambda d, t: f"{t.verb(d['seat'], 'has', 'have')} {counted(d['actions'], 'action')}.",
    "actions_changed": lambda d, t: f"{t.verb(d['seat'], 'now has', 'now have')} {counted(d['actions'], 'action')}.",
    "upkeep_paid": _upkeep,
    "card_played": _played,
    "card_countered": _card("was countered"),
    "entered_play": _piece("came into play"),
    "put_into_play": _piece("was put into play"),
    "left_play": _left,
    "moved": lambda d, t: f"{t.card(d['card'], d['name'])} moved to {t.whose(d['zone'])} zone.",
    "attack_declared": _attacked,
    "attack_failed": lambda d, t: f"The attack of {t.card(d['attacker'], d['name'])} failed.",
    "collided": _collided,
    "ability_used": _card("used its ability"),
    "commander_used": lambda d, t: f"{t.verb(d['seat'], 'used', 'used')} {name_of(d['name'])}.",
    "damaged": _damaged,
    "repaired": lambda d, t: f"{t.card(d['card'], d['name'])} was repaired{f' by {amount}' if (amount := d['amount']) else ''}.",
    "paralyzed": lambda d, t: f"{t.cards(d['names'], d['cards'])} {'was' if len(d['cards']) == 1 else 'were'} paralyzed.",
    "protected": _card("cannot be attacked until the turn ends"),
    "counters_changed": lambda d, t: f"{t.card(d['card'], d['name'])} now has {counted(d['counters'], 'counter')}.",
    "control_changed": lambda d, t: f"{t.verb(d['seat'], 'now controls', 'now control')} {t.card(d['cards'][0], d['name'])}.",
    "transformed": _card("is now {attack}/{defense}"),
    "station_added": _added,
    "station_moved": lambda d, t: f"{t.who(d['seat'])} moved {_cards_in(d, 'the')} to the {d['row']} row.",
    "station_flipped": _flipped,
    "station_unflipped": lambda d, t: _station(d, t, "turned face down"),
    "station_left": lambda d, t: _station(d, t, f"returned to {'your' if d['seat'] == t.viewer else 'their'} hand"),
    "life_changed": lambda d, t: f"{t.verb(d['seat'], 'has', 'have')} {d['life']} life (lost {d['lost']}).",
    "cards_discarded": lambda d, t: f"{t.who(d['seat'])} discarded {_list(d['names'])}.",
    "cards_milled": lambda d, t: f"{t.whose(d['seat'])} draw pile lost {_list(d['names'])}.",
    "cards_returned": _returned,
    "looked": lambda d, t: f"{t.who(d['seat'])} looked at {counted(d['count'], 'card')} of the draw pile.",
    "prompt_opened": lambda d, t: f"{t.who(d['seat'])} must choose {CHOICES[d['kind']]}.",
    "item_opened": _item,
    "items_settled": _settled,
    "orders_set": lambda d, t: f"{t.who(d['seat'])} set {counted(len(d['orders']), 'standing order')}.",
    "order_fired": lambda d, t: f"{t.whose(d['seat'])} standing order answered item {d['item']}.",
    "paused": lambda d, t: f"{t.verb(d['seat'], 'asks', 'ask')} for reactions.",
    "hand_freed": lambda d, t: f"{t.verb(d['seat'], 'has', 'have')} no hand limit this turn.",
    "extra_turn_gained": lambda d, t: f"{t.verb(d['seat'], 'gains', 'gain')} an extra turn.",
    "turn_ended": lambda d, t: f"{t.verb(d['seat'], 'ended', 'ended')} the turn.",
    "outcome_pending": lambda d, t: f"{t.whose(d['seat'])} commander falls unless the blow is answered.",
    "timed_out": lambda d, t: f"{t.who(d['seat'])} ran out of time.",
    "game_ended": _ended,
}
