"""Events as sentences from a viewer's point of view."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from gamesvc.games.kernel.game import Data, Event, Viewer
from gamesvc.games.star_commander.data import CATALOGS
from gamesvc.games.star_commander.rules.effects.lasting import lasting, lasting_words
from gamesvc.games.star_commander.state import COLOURS, Modifier

NAMES = {card.id: card.name for catalog in CATALOGS.values() for card in catalog.cards.values()}
PHASES = {"ready": "Ready phase", "command": "Command phase", "combat": "Combat phase", "end": "End phase"}
WINDOW_WORDS = {
    "stack": "the stack",
    "after_initiate": "the beginning of the combat",
    "after_assign": "the assigned damage",
    "after_resolve": "the damage dealt",
    "after_retreat": "the retreats",
}
REASONS = {
    "deck_empty": "a domain deck is empty",
    "homeworld_captured": "a Homeworld was captured",
    "last_seat": "one seat is left",
    "turn_limit": "the turn limit is reached",
}


def card_name(card: str | None) -> str:
    return NAMES.get(card or "", (card or "a card").replace("_", " "))


def several(cards: Iterable[str]) -> str:
    """Return card names with counts in a form that needs no plurals: `2 x Corvette, Scout`."""
    counts = Counter(card_name(card) for card in cards)
    return ", ".join(name if count == 1 else f"{count} x {name}" for name, count in counts.items()) or "nothing"


def counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def left(number: int) -> str:
    return f"{number} {'is' if number == 1 else 'are'} left"


class Teller:
    """The names of the players from one viewer's point of view."""

    def __init__(self, viewer: Viewer, names: Sequence[str]) -> None:
        self.viewer, self.names = viewer, names

    def name(self, seat: int | None) -> str:
        if seat is None or seat < 0:
            return "Nobody"
        return self.names[seat] if seat < len(self.names) and self.names[seat] else COLOURS[seat]

    def who(self, seat: int | None) -> str:
        return "You" if seat is not None and seat == self.viewer else self.name(seat)

    def whom(self, seat: int | None) -> str:
        return "you" if seat is not None and seat == self.viewer else self.name(seat)

    def whose(self, seat: int | None) -> str:
        return "your" if seat is not None and seat == self.viewer else f"{self.name(seat)}'s"

    def opening_whose(self, seat: int | None) -> str:
        """Return `whose` with a capital letter for the beginning of a sentence."""
        text = self.whose(seat)
        return text[0].upper() + text[1:]


def tell(event: Event, viewer: Viewer, names: Sequence[str]) -> str:
    """Describe one event as this viewer may see it in one sentence."""
    return TELL[event.type](Teller(viewer, names), event.data)


def _set_up(t: Teller, d: Data) -> str:
    grid = d["grid"]
    return f"The match begins: {d['edition']} edition, {grid} x {grid} systems, {t.whom(d['first'])} first."


def _turn(t: Teller, d: Data) -> str:
    return f"Turn {d['turn']} begins: {t.who(d['seat'])}{' (extra turn)' if d['extra'] else ''}."


def _phase(t: Teller, d: Data) -> str:
    if d["window"] is not None:
        return f"Responses to {WINDOW_WORDS[d['window']]} are possible."
    return f"{PHASES[d['phase']]}."


def _asked(t: Teller, d: Data) -> str:
    texts = {
        "ready_draw": "to draw a card",
        "choice": "to choose",
        "command": "to act in the command phase",
        "window": "to respond or pass",
        "combat_choose": "to choose the next combat",
        "combat_assign": "to assign damage",
        "combat_retreat": "to retreat or stay",
    }
    verb = "are" if d["seat"] == t.viewer else "is"
    looked = f" The top card of {d['domain']} is {card_name(d['card'])}." if "card" in d else ""
    return f"{t.who(d['seat'])} {verb} {texts[d['prompt']]}.{looked}"


def _chosen(t: Teller, d: Data) -> str:
    value = d.get("value")
    text = "a card" if value is None or d["what"] in ("take_card", "discard") else value
    return f"{t.who(d['seat'])} chose {text}."


def _gained(t: Teller, d: Data) -> str:
    return f"{t.who(d['seat'])} gained {counted(d['amount'], 'credit')} and now {_has(t, d)} {d['credits']}."


def _has(t: Teller, d: Data) -> str:
    return "have" if d["seat"] == t.viewer else "has"


def _spent(t: Teller, d: Data) -> str:
    return f"{t.who(d['seat'])} paid {counted(d['amount'], 'credit')}; {left(d['credits'])}."


def _drawn(t: Teller, d: Data) -> str:
    what = card_name(d["card"]) if "card" in d else "a card"
    return f"{t.who(d['seat'])} drew {what} from {d['domain']}; {d['left']} are left."


def _skipped(t: Teller, d: Data) -> str:
    why = "the hand is full" if d["reason"] == "hand_full" else "there is nothing to draw"
    return f"{t.who(d['seat'])} drew no card: {why}."


def _discarded(t: Teller, d: Data) -> str:
    place = {"deck": f" from the top of {d['domain']}", "stack": " after use"}.get(d["source"], "")
    return f"{t.who(d['seat'])} discarded {card_name(d['card'])}{place}."


def _reshuffled(t: Teller, d: Data) -> str:
    count = d["cards"] if "cards" in d else len(d["deck"])
    return f"The {d['domain']} discards were shuffled into a new deck of {count}."


def _shown(t: Teller, d: Data) -> str:
    to = "everyone" if d["to"] is None else t.whom(d["to"])
    cards = f": {several(card for _, card in d['cards'])}" if "cards" in d else ""
    return f"{t.who(d['seat'])} showed {to} the hand{cards}."


def _taken(t: Teller, d: Data) -> str:
    what = card_name(d["card"]) if "card" in d else "a card"
    return f"{t.who(d['seat'])} took {what} from {t.whose(d['victim'])} hand."


def _technology(t: Teller, d: Data) -> str:
    return f"{t.who(d['seat'])} now {_has(t, d)} the technology {card_name(d['card'])}."


def _jumped(t: Teller, d: Data) -> str:
    verb = "retreated" if d["why"] == "retreat" else "jumped"
    cargo = f", carrying {len(d['carried'])} fighters" if d["carried"] else ""
    ships = " ".join(d["ships"])
    return f"{t.who(d['seat'])} {verb} with {ships} from {d['from_cell']} to {d['to']}{cargo}."


def _moved(t: Teller, d: Data) -> str:
    return f"{t.who(d['seat'])} moved {card_name(d['card'])} {d['ship']} from {d['from_cell']} to {d['to']}."


def _explored(t: Teller, d: Data) -> str:
    return f"{t.who(d['seat'])} explored {d['cell']}: {card_name(d['card'])}."


def _built(t: Teller, d: Data) -> str:
    price = f"for {d['paid']}" if d["paid"] else "free"
    return f"{t.who(d['seat'])} built {card_name(d['card'])} {d['vessel']} in {d['cell']} {price}."


def _destroyed(t: Teller, d: Data) -> str:
    parts = [f"{t.whose(one['seat'])} {card_name(one['card'])} {one['id']}" for one in d["vessels"]]
    return f"Destroyed in {d['vessels'][0]['cell']}: {', '.join(parts)}."


def _scrapped(t: Teller, d: Data) -> str:
    return f"{t.who(d['seat'])} scrapped {card_name(d['card'])} {d['vessel']} for {counted(d['refund'], 'credit')}."


def _vessel_control(t: Teller, d: Data) -> str:
    parts = [f"{t.whose(one['before'])} {card_name(one['card'])} {one['id']}" for one in d["vessels"]]
    return f"{t.who(d['seat'])} took control of {', '.join(parts)}."


def _placed(t: Teller, d: Data) -> str:
    return f"{t.who(d['seat'])} developed {d['cell']}; it has {d['devs']} now."


def _removed(t: Teller, d: Data) -> str:
    return f"{t.who(d['seat'])} removed {counted(d['amount'], 'development')} from {d['cell']}; {left(d['devs'])}."


def _control(t: Teller, d: Data) -> str:
    before = f", before {t.whose(d['before'])}" if d["before"] is not None else ""
    verb = "control" if d["seat"] == t.viewer else "controls"
    return f"{t.who(d['seat'])} {verb} {d['cell']} now{before}, with {counted(d['devs'], 'development')}."


def _modifiers(t: Teller, d: Data) -> str:
    by_vessel: dict[str, list[Modifier]] = {}
    for one in d["modifiers"]:
        by_vessel.setdefault(one["vessel"], []).append(Modifier(**one))
    by_words: dict[str, list[str]] = {}
    for vessel, modifiers in by_vessel.items():
        by_words.setdefault(", ".join(lasting_words(lasting(modifiers), t.whose)), []).append(vessel)
    return "; ".join(f"{', '.join(vessels)}: {words}" for words, vessels in by_words.items()) + "."


def _dealt(t: Teller, d: Data) -> str:
    totals: Counter[str] = Counter()
    names: dict[str, str] = {}
    for hit in d["hits"]:
        totals[hit["vessel"]] += hit["amount"]
        names[hit["vessel"]] = card_name(hit["card"])
    return "Damage: " + ", ".join(f"{amount} to {names[at]} {at}" for at, amount in totals.items()) + "."


def _item_words(t: Teller, item: Mapping[str, Any]) -> str:
    aims = [item["targets"][name] for name in sorted(item["targets"])]
    params = item["params"] or {}
    aims += [str(params[name]) for name in ("cell", "to", "domain") if name in params]
    return f" ({', '.join(_aim(t, value) for value in aims)})" if aims else ""


def _aim(t: Teller, value: str) -> str:
    return (
        t.whom(int(value)) if value.isdigit() else f"item {value[1:]}" if value.startswith("s") and value[1:].isdigit() else value
    )


def _played(t: Teller, d: Data) -> str:
    item = d["item"]
    return f"{t.who(item['seat'])} played {card_name(item['name'])}{_item_words(t, item)}{_by_order(d)}."


def _by_order(d: Data) -> str:
    return " by standing order" if d.get("auto") else ""


def _activated(t: Teller, d: Data) -> str:
    item = d["item"]
    return f"{t.who(item['seat'])} used {card_name(item['name'])}{_item_words(t, item)}{_by_order(d)}."


def _declared(t: Teller, d: Data) -> str:
    item = d["item"]
    what = f"{item['name'].replace('_', ' ')}{': ' + card_name(d['card']) if 'card' in d else ''}"
    return f"{t.who(item['seat'])} declared {what}{_item_words(t, item)}."


def _passed(t: Teller, d: Data) -> str:
    seats = " and ".join(t.who(seat) for seat in d["seats"])
    if d.get("sealed"):
        return f"{seats} answered{_sealed(d)}."
    closed = "All have passed." if d["closed"] else ""
    how = " automatically" if d["auto"] else " early" if d.get("early") else ""
    how += " and for the rest of the turn" if d.get("rest") else ""
    return " ".join(part for part in (f"{seats} passed{how}." if seats else "", closed) if part)


def _sealed(d: Data) -> str:
    """Return the part of a sealed answer that only its own seat may read; empty for others."""
    if "auto" not in d:
        return ""
    rest = " for the rest of the turn" if d.get("rest") else ""
    return ": it plays something when priority comes to it" if "play" in d else f": it passes{rest}"


def _resolved(t: Teller, d: Data) -> str:
    return f"{t.opening_whose(d['seat'])} {card_name(d['name'])} takes effect."


def _fizzled(t: Teller, d: Data) -> str:
    why = {"cancelled": "it was cancelled", "no_target": "its targets are gone"}.get(d["why"], "it is no longer possible")
    back = " The card and its price go back." if d["returned"] else ""
    return f"{t.opening_whose(d['seat'])} {card_name(d['name'])} does nothing: {why}.{back}"


def _cancelled(t: Teller, d: Data) -> str:
    return f"{t.who(d['by'])} cancelled {t.whose(d['seat'])} {card_name(d['name'])}."


def _opened(t: Teller, d: Data) -> str:
    return f"Combat in {d['cell']}: {', '.join(t.whom(seat) for seat in d['participants'])}."


def _assigned(t: Teller, d: Data) -> str:
    if not d["shots"]:
        return f"{t.who(d['seat'])} assigned no damage{_and_passed(d)}{_by_order(d)}."
    shots = ", ".join(f"{one['vessel']} {one['amount']} on {one['target']}" for one in d["shots"])
    return f"{t.who(d['seat'])} assigned: {shots}{_and_passed(d)}{_by_order(d)}."


def _and_passed(d: Data) -> str:
    said = [word for key, word in (("passes", "passed"), ("stays", "stays")) if d.get(key)]
    return f", and {' and '.join(said)} unless something is played" if said else ""


def _redirected(t: Teller, d: Data) -> str:
    return f"{t.who(d['seat'])} moved {d['amount']} damage from {d['from_vessel']} to {d['to']}."


def _side_words(side: Mapping[str, Any]) -> str:
    parts = [counted(side["credits"], "credit")] if side["credits"] else []
    if side["cards"] or side["hand"]:
        parts.append(counted(side["cards"] or len(side["hand"]), "card"))
    parts += [f"technology {uid}" for uid in side["technologies"]]
    return ", ".join([*parts, *side["vessels"], *side["systems"]]) or "nothing"


def _offered(t: Teller, d: Data) -> str:
    text = f"{t.who(d['seat'])} offered {t.whom(d['to'])} trade {d['offer']}"
    if "give" not in d:
        return f"{text}."
    note = f' The note: "{d["note"]}".' if d.get("note") else ""
    return f"{text}: {_side_words(d['give'])} for {_side_words(d['want'])}.{note}"


def _traded(t: Teller, d: Data) -> str:
    return f"{t.who(d['taker']['seat'])} accepted trade {d['offer']} of {t.whom(d['maker']['seat'])}."


def _eliminated(t: Teller, d: Data) -> str:
    if d["cause"] == "resigned":
        return f"{t.who(d['seat'])} resigned."
    return f"{t.who(d['seat'])} lost the Homeworld and {'are' if d['seat'] == t.viewer else 'is'} out."


def _ended(t: Teller, d: Data) -> str:
    winners = " and ".join(t.who(seat) for seat in d["ranking"][0])
    verb = "win" if len(d["ranking"][0]) > 1 or d["ranking"][0][0] == t.viewer else "wins"
    return f"The match is over: {REASONS[d['reason']]}. {winners} {verb}."


TELL: Mapping[str, Callable[[Teller, Data], str]] = {
    "game_set_up": _set_up,
    "turn_started": _turn,
    "phase_entered": _phase,
    "turn_ended": lambda t, d: f"Turn {d['turn']} ends.",
    "choice_requested": _asked,
    "choice_made": _chosen,
    "extra_turn_queued": lambda t, d: f"{t.who(d['seat'])} will take an extra turn.",
    "credits_gained": _gained,
    "credits_spent": _spent,
    "card_drawn": _drawn,
    "draw_skipped": _skipped,
    "card_discarded": _discarded,
    "deck_reshuffled": _reshuffled,
    "hand_shown": _shown,
    "card_taken": _taken,
    "technology_placed": _technology,
    "ships_jumped": _jumped,
    "ship_moved": _moved,
    "system_explored": _explored,
    "vessel_built": _built,
    "vessel_destroyed": _destroyed,
    "vessel_scrapped": _scrapped,
    "vessel_control_changed": _vessel_control,
    "development_placed": _placed,
    "developments_removed": _removed,
    "control_changed": _control,
    "modifier_added": _modifiers,
    "modifiers_expired": lambda t, d: "Effects that lasted until now end.",
    "damage_dealt": _dealt,
    "damage_cleared": lambda t, d: "All damage is repaired.",
    "card_played": _played,
    "ability_activated": _activated,
    "action_declared": _declared,
    "priority_passed": _passed,
    "stack_item_resolved": _resolved,
    "stack_item_fizzled": _fizzled,
    "stack_item_cancelled": _cancelled,
    "combat_opened": _opened,
    "damage_assigned": _assigned,
    "damage_redirected": _redirected,
    "retreat_declined": lambda t, d: f"{t.who(d['seat'])} stayed in {d['cell']}{_by_order(d)}.",
    "combat_closed": lambda t, d: f"The combat in {d['cell']} is over.",
    "trade_offered": _offered,
    "trade_completed": _traded,
    "trade_declined": lambda t, d: f"{t.who(d['seat'])} declined trade {d['offer']}.",
    "trade_withdrawn": lambda t, d: f"Trade {d['offer']} of {t.whom(d['seat'])} is withdrawn.",
    "trades_lapsed": lambda t, d: "Open trade offers lapse.",
    "standing_orders_set": lambda t, d: f"{t.who(d['seat'])} set standing orders.",
    "player_eliminated": _eliminated,
    "game_ended": _ended,
}
