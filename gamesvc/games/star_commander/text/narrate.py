"""Events as sentences from a viewer's point of view."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

from gamesvc.games.kernel.game import Data, Event, Viewer
from gamesvc.games.kernel.wording import capital, counted, listed, named, opening, seat_name
from gamesvc.games.star_commander.commands import ASKED
from gamesvc.games.star_commander.data import CATALOGS
from gamesvc.games.star_commander.rules.effects.lasting import lasting, lasting_words
from gamesvc.games.star_commander.state import Modifier
from gamesvc.json_types import JsonMapping

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


def left(number: int) -> str:
    return f"{number or 'none'} {'is' if number == 1 else 'are'} left"


def place(value: str) -> str:
    """Return what an id in an order stands for: `vessel v3`, `system 2,1`, `card c12`, `item 4`."""
    if "," in value:
        return f"system {value}"
    kind = {"v": "vessel", "c": "card", "s": "item"}.get(value[:1])
    if kind is None or not value[1:].isdigit():
        return value.replace("_", " ")
    return f"{kind} {value[1:] if kind == 'item' else value}"


class Teller:
    """The names of the players from one viewer's point of view."""

    def __init__(self, viewer: Viewer, names: Sequence[str]) -> None:
        self.viewer, self.names = viewer, names

    def name(self, seat: int | None) -> str:
        if seat is None or seat < 0:
            return "Nobody"
        return seat_name(seat, self.names)

    def who(self, seat: int | None) -> str:
        return "You" if seat is not None and seat == self.viewer else self.name(seat)

    def whom(self, seat: int | None) -> str:
        return "you" if seat is not None and seat == self.viewer else self.name(seat)

    def whose(self, seat: int | None) -> str:
        return "your" if seat is not None and seat == self.viewer else f"{self.name(seat)}'s"

    def their(self, seat: int) -> str:
        return "your" if seat == self.viewer else "their"

    def all(self, seats: Iterable[int]) -> str:
        return listed(self.whom(seat) for seat in seats)


def tell(event: Event, viewer: Viewer, names: Sequence[str]) -> str:
    """Describe one event as this viewer may see it in one sentence."""
    return opening(TELL[event.type](Teller(viewer, names), event.data))


def _set_up(t: Teller, d: Data) -> str:
    grid = d["grid"]
    return f"The match begins: {d['edition']} edition, {grid} x {grid} systems. The first turn is {_owned(t, d['first'])}."


def _owned(t: Teller, seat: int) -> str:
    return "yours" if seat == t.viewer else t.whose(seat)


def _turn(t: Teller, d: Data) -> str:
    return f"Turn {d['turn']} begins: {t.whose(d['seat'])} {'extra ' if d['extra'] else ''}turn."


def _phase(t: Teller, d: Data) -> str:
    if d["window"] is not None:
        return f"Responses to {WINDOW_WORDS[d['window']]} are possible."
    return f"{PHASES[d['phase']]}."


def _asked(t: Teller, d: Data) -> str:
    verb = "are" if d["seat"] == t.viewer else "is"
    looked = f" The top card of {d['domain']} is {card_name(d['card'])}." if "card" in d else ""
    return f"{t.who(d['seat'])} {verb} {ASKED[d['prompt']]}.{looked}"


def _chosen(t: Teller, d: Data) -> str:
    value = d.get("value")
    text = "a card" if value is None or d["what"] in ("take_card", "discard") else place(value)
    return f"{t.who(d['seat'])} chose {text}."


def _gained(t: Teller, d: Data) -> str:
    return f"{t.who(d['seat'])} gained {counted(d['amount'], 'credit')} and now {_has(t, d)} {d['credits']}."


def _has(t: Teller, d: Data) -> str:
    return "have" if d["seat"] == t.viewer else "has"


def _spent(t: Teller, d: Data) -> str:
    return f"{t.who(d['seat'])} paid {counted(d['amount'], 'credit')}; {left(d['credits'])}."


def _drawn(t: Teller, d: Data) -> str:
    what = card_name(d["card"]) if "card" in d else "a card"
    return f"{t.who(d['seat'])} drew {what} from {d['domain']}; {left(d['left'])}."


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
    to = "all players" if d["to"] is None else t.whom(d["to"])
    cards = f": {several(card for _, card in d['cards'])}" if "cards" in d else ""
    return f"{t.who(d['seat'])} showed {to} {t.their(d['seat'])} hand{cards}."


def _taken(t: Teller, d: Data) -> str:
    what = card_name(d["card"]) if "card" in d else "a card"
    return f"{t.who(d['seat'])} took {what} from {t.whose(d['victim'])} hand."


def _technology(t: Teller, d: Data) -> str:
    return f"{t.who(d['seat'])} now {_has(t, d)} the technology {card_name(d['card'])}."


def _jumped(t: Teller, d: Data) -> str:
    verb = "retreated" if d["why"] == "retreat" else "jumped"
    cargo = f", carrying {counted(len(d['carried']), 'fighter')}" if d["carried"] else ""
    return f"{t.who(d['seat'])} {verb} with {named('ship', d['ships'])} from {d['from_cell']} to {d['to']}{cargo}."


def _moved(t: Teller, d: Data) -> str:
    return f"{t.who(d['seat'])} moved {card_name(d['card'])} {d['ship']} from {d['from_cell']} to {d['to']}."


def _explored(t: Teller, d: Data) -> str:
    return f"{t.who(d['seat'])} explored {d['cell']}: {card_name(d['card'])}."


def _built(t: Teller, d: Data) -> str:
    price = f"for {counted(d['paid'], 'credit')}" if d["paid"] else "free of charge"
    return f"{t.who(d['seat'])} built {card_name(d['card'])} {d['vessel']} in {d['cell']} {price}."


def _destroyed(t: Teller, d: Data) -> str:
    parts = [f"{t.whose(one['seat'])} {card_name(one['card'])} {one['id']}" for one in d["vessels"]]
    return f"Destroyed in {d['vessels'][0]['cell']}: {listed(parts)}."


def _scrapped(t: Teller, d: Data) -> str:
    return f"{t.who(d['seat'])} scrapped {card_name(d['card'])} {d['vessel']} for {counted(d['refund'], 'credit')}."


def _vessel_control(t: Teller, d: Data) -> str:
    parts = [f"{t.whose(one['before'])} {card_name(one['card'])} {one['id']}" for one in d["vessels"]]
    return f"{t.who(d['seat'])} took control of {listed(parts)}."


def _placed(t: Teller, d: Data) -> str:
    return f"{t.who(d['seat'])} developed {d['cell']}; it now has {counted(d['devs'], 'development')}."


def _removed(t: Teller, d: Data) -> str:
    return f"{t.who(d['seat'])} removed {counted(d['amount'], 'development')} from {d['cell']}; {left(d['devs'])}."


def _control(t: Teller, d: Data) -> str:
    taken = f"took {d['cell']} from {t.whom(d['before'])}"
    controls = f"now {'control' if d['seat'] == t.viewer else 'controls'} {d['cell']}"
    verb = controls if d["before"] is None else taken
    return f"{t.who(d['seat'])} {verb}, with {counted(d['devs'], 'development')}."


def _modifiers(t: Teller, d: Data) -> str:
    by_vessel: dict[str, list[Modifier]] = {}
    for one in d["modifiers"]:
        by_vessel.setdefault(one["vessel"], []).append(Modifier(**one))
    by_words: dict[str, list[str]] = {}
    for vessel, modifiers in by_vessel.items():
        by_words.setdefault(", ".join(lasting_words(lasting(modifiers), t.whose)), []).append(vessel)
    return "; ".join(f"{capital(named('vessel', vessels))}: {words}" for words, vessels in by_words.items()) + "."


def _dealt(t: Teller, d: Data) -> str:
    totals: Counter[str] = Counter()
    names: dict[str, str] = {}
    for hit in d["hits"]:
        totals[hit["vessel"]] += hit["amount"]
        names[hit["vessel"]] = card_name(hit["card"])
    return f"Damage: {listed(f'{amount} to {names[at]} {at}' for at, amount in totals.items())}."


def _item_words(t: Teller, item: JsonMapping) -> str:
    aims = [item["targets"][name] for name in sorted(item["targets"])]
    params = item["params"] or {}
    aims += [str(params[name]) for name in ("cell", "to", "domain") if name in params]
    return f" ({', '.join(_aim(t, value) for value in aims)})" if aims else ""


def _aim(t: Teller, value: str) -> str:
    return t.whom(int(value)) if value.isdigit() else place(value)


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
    card = f", {card_name(d['card'])}" if "card" in d else ""
    return f"{t.who(item['seat'])} declared an action: {place(item['name'])}{card}{_item_words(t, item)}."


def _passed(t: Teller, d: Data) -> str:
    seats = t.all(d["seats"])
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
    return " in advance: a play when priority comes" if "play" in d else f" in advance: a pass{rest}"


def _resolved(t: Teller, d: Data) -> str:
    return f"{_whose_item(t, d)} takes effect."


def _whose_item(t: Teller, d: Data) -> str:
    """Return an item of the stack with its owner: `your Barrage`, `Ann's action (develop)`."""
    name = card_name(d["name"]) if d["name"] in NAMES else f"action ({place(d['name'])})"
    return f"{t.whose(d['seat'])} {name}"


def _fizzled(t: Teller, d: Data) -> str:
    why = {"cancelled": "it was cancelled", "no_target": "its target is gone"}.get(d["why"], "it is no longer possible")
    back = " The card and its price are returned." if d["returned"] else ""
    return f"{_whose_item(t, d)} has no effect: {why}.{back}"


def _cancelled(t: Teller, d: Data) -> str:
    return f"{t.who(d['by'])} cancelled {_whose_item(t, d)}."


def _opened(t: Teller, d: Data) -> str:
    return f"Combat in {d['cell']}: {t.all(d['participants'])}."


def _assigned(t: Teller, d: Data) -> str:
    if not d["shots"]:
        return f"{t.who(d['seat'])} assigned no damage{_and_passed(t, d)}{_by_order(d)}."
    shots = listed(f"{one['amount']} from vessel {one['vessel']} to {one['target']}" for one in d["shots"])
    return f"{t.who(d['seat'])} assigned damage: {shots}{_and_passed(t, d)}{_by_order(d)}."


def _and_passed(t: Teller, d: Data) -> str:
    ends = "" if d["seat"] == t.viewer else "s"
    said = [word for key, word in (("passes", f"pass{ends and 'es'}"), ("stays", f"stay{ends}")) if d.get(key)]
    return f", and {listed(said)} unless something is played" if said else ""


def _redirected(t: Teller, d: Data) -> str:
    return f"{t.who(d['seat'])} moved {d['amount']} damage from vessel {d['from_vessel']} to vessel {d['to']}."


def _side_words(side: JsonMapping) -> str:
    parts = [counted(side["credits"], "credit")] if side["credits"] else []
    if side["cards"] or side["hand"]:
        parts.append(counted(side["cards"] or len(side["hand"]), "card"))
    parts += [f"technology {uid}" for uid in side["technologies"]]
    return listed([*parts, *map(place, side["vessels"]), *map(place, side["systems"])]) or "nothing"


def _offered(t: Teller, d: Data) -> str:
    text = f"{t.who(d['seat'])} made {t.whom(d['to'])} trade offer {d['offer']}"
    if "give" not in d:
        return f"{text}."
    note = f' The note: "{d["note"]}".' if d.get("note") else ""
    return f"{text}: {_side_words(d['give'])} for {_side_words(d['want'])}.{note}"


def _traded(t: Teller, d: Data) -> str:
    return f"{t.who(d['taker']['seat'])} accepted {t.whose(d['maker']['seat'])} trade offer {d['offer']}."


def _eliminated(t: Teller, d: Data) -> str:
    if d["cause"] == "resigned":
        return f"{t.who(d['seat'])} resigned."
    return f"{t.who(d['seat'])} lost {t.their(d['seat'])} Homeworld and {'are' if d['seat'] == t.viewer else 'is'} out."


def _ended(t: Teller, d: Data) -> str:
    winners = opening(t.all(d["ranking"][0]))
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
    "trade_declined": lambda t, d: f"{t.who(d['seat'])} declined trade offer {d['offer']}.",
    "trade_withdrawn": lambda t, d: f"{t.who(d['seat'])} withdrew trade offer {d['offer']}.",
    "trades_lapsed": lambda t, d: "The open trade offers lapse.",
    "standing_orders_set": lambda t, d: f"{t.who(d['seat'])} changed {t.their(d['seat'])} standing orders.",
    "player_eliminated": _eliminated,
    "game_ended": _ended,
}
