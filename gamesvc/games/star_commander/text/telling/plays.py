"""Plays and answers on the stack, and combats, in sentences."""

from __future__ import annotations

from collections.abc import Mapping

from gamesvc.games.kernel.game import Data, Event
from gamesvc.games.kernel.wording import listed
from gamesvc.games.star_commander.text.naming import NAMES, Tell, Teller, card_name, place
from gamesvc.json_types import JsonMapping
from gamesvc.language import mark, say


def _item_words(t: Teller, item: JsonMapping) -> str:
    aims = [item["targets"][name] for name in sorted(item["targets"])]
    params = item["params"] or {}
    aims += [str(params[name]) for name in ("cell", "to", "domain") if name in params]
    return f" ({', '.join(_aim(t, value) for value in aims)})" if aims else ""


def _aim(t: Teller, value: str) -> str:
    return t.who(int(value)) if value.isdecimal() else place(value)


def _played(t: Teller, d: Data) -> str:
    item = d["item"]
    card = card_name(item["name"]) + _item_words(t, item)
    if d.get("auto"):
        return t.says("{who} played {card} by standing order.", who=item["seat"], card=card)
    return t.says("{who} played {card}.", who=item["seat"], card=card)


def _activated(t: Teller, d: Data) -> str:
    item = d["item"]
    card = card_name(item["name"]) + _item_words(t, item)
    if d.get("auto"):
        return t.says("{who} used {card} by standing order.", who=item["seat"], card=card)
    return t.says("{who} used {card}.", who=item["seat"], card=card)


def _declared(t: Teller, d: Data) -> str:
    item = d["item"]
    action = place(item["name"]) + (f", {card_name(d['card'])}" if "card" in d else "") + _item_words(t, item)
    return t.says("{who} declared an action: {action}.", who=item["seat"], action=action)


def _passed(t: Teller, d: Data) -> str:
    seats = t.all(d["seats"])
    if d.get("sealed"):
        return say(_sealed(d), seats=seats)
    told = [say(_how_passed(d), seats=seats)] if seats else []
    return " ".join([*told, *([say("All have passed.")] if d["closed"] else [])])


def passed_automatically(event: Event) -> bool:
    """Return True for a pass that nobody gave themselves; a sealed answer is none."""
    return event.type == "priority_passed" and event.data.get("auto") is True and "sealed" not in event.data


def _how_passed(d: Data) -> str:
    rest = bool(d.get("rest"))
    if d["auto"]:
        plain, more = mark("{seats} passed automatically."), mark("{seats} passed automatically and for the rest of the turn.")
    elif d.get("early"):
        plain, more = mark("{seats} passed early."), mark("{seats} passed early and for the rest of the turn.")
    else:
        plain, more = mark("{seats} passed."), mark("{seats} passed and for the rest of the turn.")
    return more if rest else plain


def _sealed(d: Data) -> str:
    """Return the sentence about a sealed answer. Only its own seat may read which it is."""
    if "auto" not in d:
        return mark("{seats} answered.")
    if "play" in d:
        return mark("{seats} answered in advance: a play when priority comes.")
    if d.get("rest"):
        return mark("{seats} answered in advance: a pass for the rest of the turn.")
    return mark("{seats} answered in advance: a pass.")


def _resolved(t: Teller, d: Data) -> str:
    return say("{item} takes effect.", item=_whose_item(t, d))


def _whose_item(t: Teller, d: Data) -> str:
    """Return an item of the stack with its owner: `your Barrage`, `Ann's action (develop)`."""
    name = card_name(d["name"]) if d["name"] in NAMES else say("action ({action})", action=place(d["name"]))
    return t.of(d["seat"], name)


def _fizzled(t: Teller, d: Data) -> str:
    item = _whose_item(t, d)
    if d["why"] == "cancelled":
        told = say("{item} has no effect: it was cancelled.", item=item)
    elif d["why"] == "no_target":
        told = say("{item} has no effect: its target is gone.", item=item)
    else:
        told = say("{item} has no effect: it is no longer possible.", item=item)
    return f"{told} {say('The card and its price are returned.')}" if d["returned"] else told


def _cancelled(t: Teller, d: Data) -> str:
    return t.says("{who} cancelled {item}.", who=d["by"], item=_whose_item(t, d))


def _opened(t: Teller, d: Data) -> str:
    return say("Combat in {cell}: {seats}.", cell=d["cell"], seats=t.all(d["participants"]))


def _assigned(t: Teller, d: Data) -> str:
    if not d["shots"]:
        told = t.says("{who} assigned no damage{more}.", who=d["seat"], more=_and_passed(t, d))
    else:
        shots = listed(
            say("{amount} from vessel {vessel} to {target}", amount=one["amount"], vessel=one["vessel"], target=one["target"])
            for one in d["shots"]
        )
        told = t.says("{who} assigned damage: {shots}{more}.", who=d["seat"], shots=shots, more=_and_passed(t, d))
    return told


def _and_passed(t: Teller, d: Data) -> str:
    own = d["seat"] == t.viewer
    order = say(" by standing order") if d.get("auto") else ""
    if d.get("passes") and d.get("stays"):
        plan = say(
            ", and pass and stay unless something is played" if own else ", and passes and stays unless something is played"
        )
    elif d.get("passes"):
        plan = say(", and pass unless something is played") if own else say(", and passes unless something is played")
    elif d.get("stays"):
        plan = say(", and stay unless something is played") if own else say(", and stays unless something is played")
    else:
        plan = ""
    return plan + order


def _redirected(t: Teller, d: Data) -> str:
    return t.says(
        "{who} moved {amount} damage from vessel {start} to vessel {to}.",
        who=d["seat"],
        amount=d["amount"],
        start=d["from_vessel"],
        to=d["to"],
    )


def _stayed(t: Teller, d: Data) -> str:
    if d.get("auto"):
        return t.says("{who} stayed in {cell} by standing order.", who=d["seat"], cell=d["cell"])
    return t.says("{who} stayed in {cell}.", who=d["seat"], cell=d["cell"])


TELL: Mapping[str, Tell] = {
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
    "retreat_declined": _stayed,
    "combat_closed": lambda t, d: say("The combat in {cell} is over.", cell=d["cell"]),
}
