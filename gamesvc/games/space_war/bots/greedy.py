"""The `greedy` bot. From a seat's view and forms it takes the command with the highest value and answers threats."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence

from gamesvc.games.kernel import forms
from gamesvc.games.kernel.bots import play_random
from gamesvc.games.kernel.game import Command, Data, Form
from gamesvc.games.space_war.data import CARDS, labelled, printed
from gamesvc.games.space_war.rules.playing.plays import completed
from gamesvc.json_types import JsonMapping, JsonObject

_LOW = -1000.0
_PRICE = 2.0
"""The value a response must gain to be worth playing."""


# The number of turns after which a match counts as stuck; ordinary ones end within sixty.
LONG = 200


def choose_greedy(seen: Data, offered: Sequence[Form], rng: random.Random) -> Command:
    """Fill in every form, estimate its value and take the best. Ties are broken at random.

    In a very long match the bot plays at random now and then: two such bots might otherwise never stop ending their phases.
    """
    if seen["turn"] > LONG and rng.random() < 0.2:
        return play_random(seen, offered, rng)
    best: list[tuple[float, JsonObject]] = []
    for form in offered:
        if form.aside:
            continue
        value, command = _value(seen, form, rng)
        best.append((value + rng.random() * 0.01, command))
    return max(best, key=lambda entry: entry[0])[1]


def worth(card: str) -> float:
    """Return an estimate of what it is worth to own a card."""
    face = printed(card)
    cost = 3.0 if face.cost is None else float(face.cost)
    return 1.0 + cost + (0.5 if face.type in ("spaceship", "missile") else 0.0)


def _piece_worth(p: JsonMapping) -> float:
    return float(max(0.5, worth(p["card"]) + (p["attack"] or 0) * 0.5 - 0.5 * p["damage"]))


def _value(seen: Data, form: Form, rng: random.Random) -> tuple[float, JsonObject]:
    command = completed(form, forms.fill(form, rng))
    valuer = _VALUERS.get(form.name)
    return (_DEFAULT.get(form.name, 0.5), command) if valuer is None else valuer(seen, form, command)


_DEFAULT = {"end_phase": 0.0, "end_turn": 0.0, "let_stand": 0.3, "go_on": 1.0, "replay": 50.0, "use_counters": 0.2}


def _mine(seen: Data) -> JsonMapping:
    side: JsonMapping = seen["sides"][seen["you"]]
    return side


def _theirs(seen: Data) -> JsonMapping:
    side: JsonMapping = seen["sides"][1 - seen["you"]]
    return side


def _pieces(seen: Data) -> dict[str, JsonMapping]:
    return {p["id"]: p for p in seen["pieces"]}


def _held(seen: Data) -> dict[str, str]:
    """Return the card ids of everything the seat holds, in hand, flipped or in play, keyed by instance id."""
    own = {one["id"]: one["card"] for one in _mine(seen)["hand"]}
    own |= {one["id"]: one["card"] for one in _mine(seen)["station"] if "card" in one}
    return own | {p["id"]: p["card"] for p in seen["pieces"]}


def _attack(seen: Data, form: Form, command: JsonObject) -> tuple[float, JsonObject]:
    """Destroy what can be destroyed, otherwise damage the most valuable target."""
    pieces = _pieces(seen)
    attacker = pieces[command["attacker"]]
    power = attacker["attack"] or 0

    def gain(instance: str) -> float:
        p = pieces[instance]
        left = (p["defense"] or 1) - p["damage"]
        if attacker["card"] in ("emp_missile", "paralyzer"):
            return _piece_worth(p)
        base = _piece_worth(p) + (2 if "shield" in CARDS[p["card"]].keywords else 0)
        return base if power >= left else 0.4 * base * power / left

    target = max(form.parameters["target"]["enum"], key=gain)
    spent = worth(attacker["card"]) * 0.8 if CARDS[attacker["card"]].type == "missile" else 0.0
    return 3.0 + gain(target) - spent, {**command, "target": target}


def _attack_station(seen: Data, form: Form, command: JsonObject) -> tuple[float, JsonObject]:
    power = _pieces(seen)[command["attacker"]]["attack"] or 0
    down = _theirs(seen)["face_down"]
    return 8.0 + 2 * power + (20 if power > down else 0), _aim(seen, command)


def _aim(seen: Data, command: JsonObject) -> JsonObject:
    """Fill in the slots to flip, those of the action row first."""
    if "slots" not in command:
        return command
    rows = {card["slot"]: card["row"] for card in _theirs(seen)["station"] if not card["flipped"]}
    ranked = sorted(rows, key=lambda slot: (("action", "draw", "hand").index(rows[slot]), int(slot[1:])))
    return {**command, "slots": ranked[: len(command["slots"])]}


def _move(seen: Data, form: Form, command: JsonObject) -> tuple[float, JsonObject]:
    """Move to the enemy zone. Support ships stay at home."""
    p = _pieces(seen)[command["card"]]
    if p["zone"] != seen["you"]:
        return _LOW, command
    shielded = any("shield" in CARDS[q["card"]].keywords for q in seen["pieces"] if q["controller"] != seen["you"])
    helper = not p["attack"] or (CARDS[p["card"]].type == "missile" and "slow" not in p["marks"] and not shielded)
    acted = "acted" in p["marks"]
    return (_LOW if helper else 2.0 + p["attack"] + (1.0 if acted else 0.0)), command


def _play(seen: Data, form: Form, command: JsonObject) -> tuple[float, JsonObject]:
    card = _held(seen)[command["card"]]
    face = CARDS[card]
    mine, theirs = _mine(seen), _theirs(seen)
    own = [p for p in seen["pieces"] if p["controller"] == seen["you"]]
    other = [p for p in seen["pieces"] if p["controller"] != seen["you"]]
    value = 4.0 + worth(card)
    if face.triggered("response") and face.type == "event":
        value = _LOW  # kept for a reaction
    elif card in ("supernova", "electrocution", "time_warp", "destiny_decided", "moment_of_peace", "sabotage"):
        value = 5.0 + sum(map(_piece_worth, other)) - sum(map(_piece_worth, own)) if card != "sabotage" else 6.0
    elif face.type == "duration":
        upkeep = sum(printed(p["card"]).cost or 0 for p in own if CARDS[p["card"]].type == "duration")
        value = 3.0 if upkeep + (face.cost or 0) <= 2 else _LOW
    elif "targets" in command and card in ("fatal_error", "ambush", "destroy_duration", "return", "the_dark_destroyer"):
        value, command = _strike(seen, form, command, value)
    elif card in ("sacrifice", "deploy_starship", "discovery"):
        value = 1.0 if card == "discovery" else _LOW
    elif card in ("meteor_shower", "toxic_gas") and mine["life"] < theirs["life"]:
        value = 1.0
    if card in ("target_missed",):
        value = _LOW
    if command.get("options", {}).get("draw") is False:
        command = {**command, "options": {"draw": True}}
    return value, _aim(seen, command) if card == "supernova" else command


def _strike(seen: Data, form: Form, command: JsonObject, value: float) -> tuple[float, JsonObject]:
    """Aim a harmful effect at the enemy's most valuable card, never at one of the seat's own."""
    pieces = _pieces(seen)
    enum = form.parameters["targets"]["items"]["enum"]
    hostile = [one for one in enum if one in pieces and pieces[one]["controller"] != seen["you"]]
    if not hostile:
        return _LOW, command
    best = max(hostile, key=lambda one: _piece_worth(pieces[one]))
    return value + _piece_worth(pieces[best]), {**command, "targets": [best]}


def _react(seen: Data, form: Form, command: JsonObject) -> tuple[float, JsonObject]:
    """Respond to a play that is worth more than the response costs."""
    play = command["play"]
    items = {item["item"]: item for item in seen["items"]}
    numbers = form.parameters.get("item", {}).get("enum", [])
    if "card" not in play and play.get("mode") != 3:
        return _LOW, command
    response = "card" not in play or bool(printed(_held(seen).get(play["card"], "drone")).triggered("response"))
    if response and "targets" not in play and numbers:
        return _answer(seen, items, numbers, play, command)
    if "targets" in play and "mode" not in play:
        value, struck = _strike_play(seen, form, play)
        return value, {"name": "react", "play": struck, **({"item": max(numbers)} if "item" in command else {})}
    return _LOW, command


def _answer(
    seen: Data, items: Mapping[int, JsonMapping], numbers: Sequence[int], play: JsonMapping, command: JsonObject
) -> tuple[float, JsonObject]:
    ranked = [(_threat(seen, items[number]), number) for number in numbers if number in items]
    if not ranked:
        return _LOW, command
    threat, number = max(ranked)
    return threat - _PRICE, {**command, "item": number}


def _threat(seen: Data, item: JsonMapping) -> float:
    if item["kind"] == "attack":
        power = float(item.get("power", 0))
        return 4.0 + 2.0 * power if item.get("station") else 2.0 + power
    if item["kind"] == "play":
        return worth(item["card"]) + (2.0 if item.get("targets") else 0.0)
    return 0.0


def _strike_play(seen: Data, form: Form, play: JsonMapping) -> tuple[float, JsonObject]:
    targets = form.parameters["play"]["properties"]["targets"]
    pieces = _pieces(seen)
    hostile = [one for one in targets["items"]["enum"] if one in pieces and pieces[one]["controller"] != seen["you"]]
    if not hostile or _held(seen).get(play.get("card", "")) != "ambush":
        return _LOW, dict(play)
    best = max(hostile, key=lambda one: _piece_worth(pieces[one]))
    return _piece_worth(pieces[best]) - 4.0, {**play, "targets": [best]}


def _ability(seen: Data, form: Form, command: JsonObject) -> tuple[float, JsonObject]:
    card = _pieces(seen)[command["card"]]["card"]
    if card == "fusion_ship":
        return _LOW, command
    if card == "resource_ship":
        return (4.0 if len(_mine(seen)["station"]) < 6 else _LOW), {**command, "row": "action"}
    return {"carrier": 9.0, "hacker": 6.0, "scout": 2.5, "death_ray_cannon": 3.0}.get(card, 2.0), command


def _choose(seen: Data, form: Form, command: JsonObject) -> tuple[float, JsonObject]:
    """Take the most valuable card in a search. In any other choice, give up the cheapest."""
    picks = form.parameters["picks"]
    options = list(picks["items"]["enum"])
    prompt = next(one for one in seen["prompts"] if one["prompt"] == command["prompt"])
    cards = dict(zip(prompt["options"], map(labelled, prompt["labels"]), strict=True))

    def price(option: str) -> float:
        card = cards.get(option)
        return worth(card) if card is not None else 0.0

    taking = prompt["kind"] in ("search", "plan", "sabotage", "destroy", "transform")
    options.sort(key=price, reverse=taking)
    count = picks["maxItems"] if taking else picks["minItems"]
    if prompt["kind"] == "offer":
        count = picks["maxItems"]
    if prompt["kind"] == "destroy":
        pieces = _pieces(seen)
        options = [one for one in options if pieces[one]["controller"] != seen["you"]]
    return 10.0, {**command, "picks": options[:count]}


def _cheapest(seen: Data, form: Form, command: JsonObject) -> tuple[float, JsonObject]:
    held = _held(seen)
    count = form.parameters["cards"]["minItems"]
    cards = sorted(form.parameters["cards"]["items"]["enum"], key=lambda one: worth(held[one]))
    return 5.0, {**command, "cards": cards[:count]}


def _prepare(seen: Data, form: Form, command: JsonObject) -> tuple[float, JsonObject]:
    held = _held(seen)
    cards = sorted(form.parameters["cards"]["items"]["enum"], key=lambda one: -worth(held[one]))
    count = form.parameters["cards"]["minItems"]
    extra = {"extra_row": "action"} if count == 4 else {}
    return 5.0, {**command, "cards": cards[:count], **extra}


def _station(seen: Data, form: Form, command: JsonObject) -> tuple[float, JsonObject]:
    """Add the most valuable card, except responses: to the action row up to four cards, then to the draw row up to two."""
    mine, held = _mine(seen), _held(seen)
    if len(mine["hand"]) < 3 or len(mine["station"]) >= mine["max_station"]:
        return _LOW, command
    rows = [card["row"] for card in mine["station"]]
    row = "action" if rows.count("action") < 4 else "draw" if rows.count("draw") < 2 else "action"
    cards = [one for one in form.parameters["card"]["enum"] if not CARDS[held[one]].triggered("response")]
    if not cards:
        return _LOW, command
    return 20.0, {**command, "card": max(cards, key=lambda one: worth(held[one])), "row": row}


def _upkeep(seen: Data, form: Form, command: JsonObject) -> tuple[float, JsonObject]:
    """Keep durations as long as two actions remain for playing cards."""
    keep: list[str] = []
    rule = form.parameters["keep"]["total"]
    left = rule["maximum"] - 2
    for one in form.parameters["keep"]["items"]["enum"]:
        cost = rule["worth"][one]
        if cost <= left:
            keep.append(one)
            left -= cost
    return 5.0, {**command, "keep": keep}


def _never(seen: Data, form: Form, command: JsonObject) -> tuple[float, JsonObject]:
    return _LOW, command


def _commander(seen: Data, form: Form, command: JsonObject) -> tuple[float, JsonObject]:
    """Use a commander only where it clearly helps: more cards or ships for unused actions."""
    good = {"liana_henders": 1.5, "naalox": 3.0, "staux": 3.5, "capt_shera_kinson": 9.0}
    return good.get(_mine(seen)["commander"], _LOW), command


_Valuer = Callable[[Data, Form, JsonObject], tuple[float, JsonObject]]
_VALUERS: dict[str, _Valuer] = {
    "attack": _attack,
    "attack_station": _attack_station,
    "move": _move,
    "play_card": _play,
    "react": _react,
    "use_ability": _ability,
    "choose": _choose,
    "discard": _cheapest,
    "prepare": _prepare,
    "add_station": _station,
    "move_station": _never,
    "use_anytime": _never,
    "use_action": lambda seen, form, command: (0.2, command),
    "pay_upkeep": _upkeep,
    "use_commander": _commander,
    "collide": lambda seen, form, command: (9.0 if "target" not in command else 2.0, _aim(seen, command)),
}
