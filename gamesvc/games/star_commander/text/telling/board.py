"""Sentences on what becomes of vessels and systems."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from gamesvc.games.kernel.game import Data
from gamesvc.games.kernel.wording import capital, counted, listed, named
from gamesvc.games.star_commander.rules.effects.lasting import lasting
from gamesvc.games.star_commander.state import Modifier
from gamesvc.games.star_commander.text.lasting import lasting_words
from gamesvc.games.star_commander.text.naming import Tell, Teller, card_name, left
from gamesvc.language import say


def _jumped(t: Teller, d: Data) -> str:
    cargo = say(", carrying {fighters}", fighters=counted(len(d["carried"]), "fighter")) if d["carried"] else ""
    journey = {"ships": named("ship", d["ships"]), "start": d["from_cell"], "to": d["to"], "cargo": cargo}
    if d["why"] == "retreat":
        return t.says("{who} retreated with {ships} from {start} to {to}{cargo}.", who=d["seat"], **journey)
    return t.says("{who} jumped with {ships} from {start} to {to}{cargo}.", who=d["seat"], **journey)


def _moved(t: Teller, d: Data) -> str:
    ship = f"{card_name(d['card'])} {d['ship']}"
    return t.says("{who} moved {ship} from {start} to {to}.", who=d["seat"], ship=ship, start=d["from_cell"], to=d["to"])


def _explored(t: Teller, d: Data) -> str:
    return t.says("{who} explored {cell}: {card}.", who=d["seat"], cell=d["cell"], card=card_name(d["card"]))


def _built(t: Teller, d: Data) -> str:
    vessel = f"{card_name(d['card'])} {d['vessel']}"
    if not d["paid"]:
        return t.says("{who} built {vessel} in {cell} free of charge.", who=d["seat"], vessel=vessel, cell=d["cell"])
    price = counted(d["paid"], "credit")
    return t.says("{who} built {vessel} in {cell} for {price}.", who=d["seat"], vessel=vessel, cell=d["cell"], price=price)


def _destroyed(t: Teller, d: Data) -> str:
    parts = [t.of(one["seat"], f"{card_name(one['card'])} {one['id']}") for one in d["vessels"]]
    return say("Destroyed in {cell}: {vessels}.", cell=d["vessels"][0]["cell"], vessels=listed(parts))


def _scrapped(t: Teller, d: Data) -> str:
    vessel = f"{card_name(d['card'])} {d['vessel']}"
    return t.says("{who} scrapped {vessel} for {refund}.", who=d["seat"], vessel=vessel, refund=counted(d["refund"], "credit"))


def _vessel_control(t: Teller, d: Data) -> str:
    parts = [t.of(one["before"], f"{card_name(one['card'])} {one['id']}") for one in d["vessels"]]
    return t.says("{who} took control of {vessels}.", who=d["seat"], vessels=listed(parts))


def _placed(t: Teller, d: Data) -> str:
    developments = counted(d["devs"], "development")
    return t.says("{who} developed {cell}; it now has {developments}.", who=d["seat"], cell=d["cell"], developments=developments)


def _removed(t: Teller, d: Data) -> str:
    amount = counted(d["amount"], "development")
    return t.says(
        "{who} removed {amount} from {cell}; {left}.", who=d["seat"], amount=amount, cell=d["cell"], left=left(d["devs"])
    )


def _control(t: Teller, d: Data) -> str:
    developments = counted(d["devs"], "development")
    if d["before"] is not None and d["before"] >= 0:
        return t.says(
            "{who} took {cell} from {whom}, with {developments}.",
            who=d["seat"],
            whom=d["before"],
            cell=d["cell"],
            developments=developments,
        )
    if d["seat"] is None or d["seat"] < 0:
        return say("Nobody now controls {cell}, with {developments}.", cell=d["cell"], developments=developments)
    return t.says(
        "{who} now controls {cell}, with {developments}.",
        you="{who} now control {cell}, with {developments}.",
        who=d["seat"],
        cell=d["cell"],
        developments=developments,
    )


def _modifiers(t: Teller, d: Data) -> str:
    by_vessel: dict[str, list[Modifier]] = {}
    for one in d["modifiers"]:
        by_vessel.setdefault(one["vessel"], []).append(Modifier(**one))
    by_words: dict[str, list[str]] = {}
    for vessel, modifiers in by_vessel.items():
        by_words.setdefault(", ".join(lasting_words(lasting(modifiers), t)), []).append(vessel)
    return "; ".join(f"{capital(named('vessel', vessels))}: {words}" for words, vessels in by_words.items()) + "."


def _dealt(t: Teller, d: Data) -> str:
    totals: Counter[str] = Counter()
    names: dict[str, str] = {}
    for hit in d["hits"]:
        totals[hit["vessel"]] += hit["amount"]
        names[hit["vessel"]] = card_name(hit["card"])
    hits = listed(say("{amount} to {vessel}", amount=amount, vessel=f"{names[at]} {at}") for at, amount in totals.items())
    return say("Damage: {hits}.", hits=hits)


TELL: Mapping[str, Tell] = {
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
    "modifiers_expired": lambda t, d: say("Effects that lasted until now end."),
    "damage_dealt": _dealt,
    "damage_cleared": lambda t, d: say("All damage is repaired."),
}
