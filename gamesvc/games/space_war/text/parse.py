"""Orders as text, one per line: `play luck`, `attack a-07 station s1 s2`, `react 12 avoid`, `stand`.

Reads all that `render` writes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from gamesvc.games.kernel.game import Command, Data, Refused
from gamesvc.games.kernel.notation import items, no_more, number, pick, some, suggest, words
from gamesvc.games.space_war.data import CARDS, COMMANDERS, KINDS, RESPONDERS, ROWS
from gamesvc.games.space_war.text.help import HELP
from gamesvc.games.space_war.text.naming import aims_of, card_at, instance_of, instances_of
from gamesvc.json_types import JsonObject
from gamesvc.language import joined, say

Read = Callable[[Sequence[str], Data], Command]

_FILLERS = frozenset({"to", "the", "with", "at", "from", "into", "->"})
_TAIL = ("x", "mode", "n", "row", "on", "slots", "shields", "flip", "draw", "mill")
_LISTS = {"slots": "slots", "shields": "shields", "flip": "flip_slots"}
_VERBS = {
    "start": "choose_starter",
    "prepare": "prepare",
    "stand": "let_stand",
    "react": "react",
    "pause": "pause",
    "replay": "replay",
    "go": "go_on",
    "orders": "set_orders",
    "choose": "choose",
    "draw": "draw",
    "mill": "draw",
    "keep": "pay_upkeep",
    "play": "play_card",
    "add": "add_station",
    "shift": "move_station",
    "commander": "use_commander",
    "counters": "use_counters",
    "use": "use_anytime",
    "action": "use_action",
    "ability": "use_ability",
    "end": "end_turn",
    "discard": "discard",
    "move": "move",
    "attack": "attack",
    "collide": "collide",
    "timeout": "time_out",
    "resign": "resign",
}
_OTHER_WORDS = {"pass": "stand", "let": "stand", "upkeep": "keep"}
VERBS = frozenset((*_VERBS, *_OTHER_WORDS, "time"))
"""The words with which orders begin."""
_NAMES = sorted(
    ((card.name.casefold(), card.id) for card in (*CARDS.values(), *COMMANDERS.values())), key=lambda pair: -len(pair[0])
)
# `b7` and `b-7` for `b-07`.
_ID = re.compile(r"\b([ab])-?(\d{1,3})\b")
_TYPES = ("spaceship", "missile", "duration", "event", "defense")


def parse(text: str, seen: Data) -> Command:
    """Read one order. Raises `Refused` (`unreadable`) with a suggestion."""
    folded = _ID.sub(lambda found: f"{found[1]}-{int(found[2]):02}", text.casefold().replace("|", " | "))
    for long, short in (("let stand", "stand"), ("time out", "timeout"), ("end_", "end ")):
        folded = folded.replace(long, short)
    for name, card in _NAMES:
        if " " in name or name != card:
            folded = folded.replace(name, card)
    said = words(folded, _FILLERS)
    if not said:
        raise Refused("unreadable", say("Write an order, for example: {verbs}.", verbs=", ".join(list(_VERBS)[:6])))
    verb = pick(said[0], {**{one: one for one in _VERBS}, **_OTHER_WORDS}, "order")
    rest = said[1:]
    reader = _READERS.get(verb)
    if reader is not None:
        read: Command = reader(rest, seen)
        return read
    if rest:
        raise Refused("unreadable", say("Write nothing after {verb!r}.", verb=verb))
    return {"name": _VERBS[verb]}


def _phrases(said: Sequence[str]) -> dict[str, Sequence[str]]:
    """Return the words of parameters, each with the values behind it."""
    found: dict[str, Sequence[str]] = {}
    at = 0
    while at < len(said):
        key = said[at]
        if key not in _TAIL:
            raise Refused(
                "unreadable",
                say(
                    "{key!r} was not expected; known: {known}.{suggest}",
                    key=key,
                    known=", ".join(_TAIL),
                    suggest=suggest(key, _TAIL),
                ),
            )
        end = at + (2 if key == "row" else 1)  # a row may be called "draw"
        while end < len(said) and said[end] not in _TAIL:
            end += 1
        if key in found:
            no_more(said[at:end])
        found[key] = said[at + 1 : end]
        at = end
    return found


def _tail(said: Sequence[str], seen: Data, card: str = "", verb: str = "") -> JsonObject:
    """Read the parameters after a card: `x 3 mode 1 on b-04 slots s1 s2 row hand draw yes`.

    `card` and `verb` are the card in use and the command; they determine the places of its targets.
    """
    found: JsonObject = {}
    aimed: Sequence[str] = ()
    for key, values in _phrases(said).items():
        if key == "on" or key in _LISTS:
            some(values, f"{key} none")
        if key == "on":
            found["targets"], aimed = [], values
            continue
        if key in _LISTS:
            found[_LISTS[key]] = instances_of(values, seen, ("enemy",))
            continue
        if len(values) != 1:
            raise Refused("unreadable", say("Write one value after {key!r}.", key=key), key)
        if key == "row":
            found["row"] = pick(values[0], ROWS, "row")
        elif key in ("draw", "mill"):
            yes = {"yes": True, "no": False}.get(values[0])
            found.setdefault("options", {})[key] = number(values[0], key) if yes is None else yes
        else:
            found[key] = number(values[0], key)
    if "targets" in found:
        found["targets"] = instances_of(aimed, seen, aims_of(card, verb, found.get("mode")))
    return found


def _with_card(name: str, *places: str) -> Read:
    def read(said: Sequence[str], seen: Data) -> Command:
        if not said:
            raise Refused("unreadable", say("Name a card."), "card")
        card = instance_of(said[0], seen, places)
        return {"name": name, "card": card, **_tail(said[1:], seen, card_at(card, seen), name)}

    return read


def _read_attack(said: Sequence[str], seen: Data) -> Command:
    if len(said) < 2:
        raise Refused("unreadable", say("Write: attack ATTACKER TARGET, or attack ATTACKER station s1 s2."), "target")
    attacker = instance_of(said[0], seen, ("play",))
    if said[1] == "station":
        return {"name": "attack_station", "attacker": attacker, **_station(said[2:], seen)}
    no_more(said[2:])
    return {"name": "attack", "attacker": attacker, "target": instance_of(said[1], seen, ("enemy",))}


def _station(said: Sequence[str], seen: Data) -> JsonObject:
    """Read bare slots after `station`, then `shields`."""
    return _tail(["slots", *said] if said and said[0] not in _TAIL else said, seen)


def _read_collide(said: Sequence[str], seen: Data) -> Command:
    if len(said) < 2:
        raise Refused("unreadable", say("Write: collide SHIP TARGET, or collide SHIP station s1 s2 s3."), "target")
    command: JsonObject = {"name": "collide", "card": instance_of(said[0], seen, ("play",))}
    if said[1] == "station":
        return {**command, **_station(said[2:], seen)}
    no_more(said[2:])
    return {**command, "target": instance_of(said[1], seen, ("enemy",))}


def _read_react(said: Sequence[str], seen: Data) -> Command:
    command: JsonObject = {"name": "react"}
    rest = list(said)
    if rest and rest[0].isdecimal():
        command["item"] = number(rest.pop(0), "item")
    if not rest:
        raise Refused("unreadable", say("Write: react ITEM CARD, for example: react 12 luck."), "play")
    first = rest.pop(0)
    if first == "commander":
        return {**command, "play": _tail(rest, seen)}
    card = instance_of(first, seen, ("free", "play"))
    return {**command, "play": {"card": card, **_tail(rest, seen, card_at(card, seen), "react")}}


def _read_end(said: Sequence[str], seen: Data) -> Command:
    if said and "phase".startswith(said[0]):
        no_more(said[1:])
        return {"name": "end_phase"}
    rest = said[1:] if said and "turn".startswith(said[0]) else said
    if not said:
        return {"name": "end_phase" if seen["phase"] == "action" else "end_turn"}
    return {"name": "end_turn", **_tail(rest, seen)}


def _read_prepare(said: Sequence[str], seen: Data) -> Command:
    if len(said) not in (4, 6):
        raise Refused("unreadable", say("Write: {usage}.", usage=joined(*map(say, HELP["prepare"]), between=" | ")), "cards")
    names = list(seen["sides"][seen["you"]].get("pool", COMMANDERS)) if seen["you"] is not None else list(COMMANDERS)
    count = 3 if len(said) == 4 else 4
    cards = instances_of(said[:count], seen, ("hand",))
    extra = {"extra_row": pick(said[4], ROWS, "row")} if count == 4 else {}
    return {"name": "prepare", "cards": cards, **extra, "commander": pick(said[-1], names, "commander")}


def _read_list(name: str, key: str, place: str) -> Read:
    def read(said: Sequence[str], seen: Data) -> Command:
        some(said, "keep none" if key == "keep" else "discard none")
        return {"name": name, key: instances_of(said, seen, (place,))}

    return read


def _read_choose(said: Sequence[str], seen: Data) -> Command:
    own = [prompt for prompt in seen["prompts"] if "options" in prompt]
    rest = list(said)
    if rest and rest[0].isdecimal():
        prompt = number(rest.pop(0), "prompt")
    elif own:
        prompt = own[0]["prompt"]
    else:
        raise Refused("unreadable", say("No choice is open."), "prompt")
    some(rest, f"choose {prompt} none")
    options: dict[str, str] = {}
    for entry in own:
        if entry["prompt"] == prompt:
            for label, one in zip(entry["labels"], entry["options"], strict=True):
                options.setdefault(label.rsplit(" ", 1)[0].casefold().replace(" ", "_"), one)
                options[one] = one
    picks = []
    for word in items(rest):
        known = re.fullmatch(r"[ab]-\d+|s\d+|draw", word)
        picks.append(word if known else pick(word, options, "choice"))
    return {"name": "choose", "prompt": prompt, "picks": picks}


def _read_pair(name: str, second: str, place: str) -> Read:
    def read(said: Sequence[str], seen: Data) -> Command:
        if len(said) != 2:
            raise Refused("unreadable", say("Write a card and a {second}.", second=second), second)
        key = "slot" if name == "move_station" else "card"
        value = number(said[1], second) if second == "n" else pick(said[1], ROWS, "row")
        return {"name": name, key: instance_of(said[0], seen, (place,)), second: value}

    return read


def _read_stand(said: Sequence[str], seen: Data) -> Command:
    rest = said[1:] if said[:1] == ["upto"] and len(said) > 1 else said
    no_more(rest[1:])
    return {"name": "let_stand", **({"upto": number(rest[0], "upto")} if rest else {})}


def _read_starter(said: Sequence[str], seen: Data) -> Command:
    if len(said) != 1:
        raise Refused("unreadable", say("Write: start a, or start b."), "seat")
    you = seen["you"] or 0
    seats = {"a": "0", "b": "1", "me": str(you), "opponent": str(1 - you)}
    return {"name": "choose_starter", "seat": int(pick(said[0], seats, "seat"))}


def _read_orders(said: Sequence[str], seen: Data) -> Command:
    command: JsonObject = {"name": "set_orders", "orders": []}
    standing: list[str] = []
    some(said, "orders none")
    for part in " ".join(said).split("|"):
        key, *rest = part.split() or [""]
        if key == "flips":
            no_more([key, *rest] if "flip_preference" in command else [])
            some(rest, "flips none")
            command["flip_preference"] = [pick(row, ROWS, "row") for row in items(rest)]
        elif key == "draws":
            no_more([key, *rest] if "draws" in command else [])
            command["draws"] = pick(" ".join(rest), ("draw", "mill"), "way to draw")
        elif key:
            standing.append(part.strip())
    command["orders"] = [_order(order.split()) for order in items(standing)]
    return command


_ORDER_WORDS = ("kind", "card", "type", "min", "max", "target", "station", "any", "use", "times", "until")


def _order(said: Sequence[str]) -> JsonObject:
    """Read a standing order: `react kind play type event min 3 use avoid cancel times 2 until cancelled`."""
    order: JsonObject = {"when": {}, "do": pick(said[0], ("react", "stand", "ask"), "order")}
    when = order["when"]
    written: set[str] = set()
    at = 1
    while at < len(said):
        key = pick(said[at], _ORDER_WORDS, "condition")
        if key in written:
            no_more(said[at:])
        written.add(key)
        end = at + 1
        while end < len(said) and said[end] not in _ORDER_WORDS:
            end += 1
        values = said[at + 1 : end]
        at = end
        if key == "any":
            no_more(values)
            when["any"] = True
        elif key == "use":
            order["use"] = [pick(word, sorted(RESPONDERS), "response") for word in values]
        elif len(values) != 1:
            raise Refused("unreadable", say("Write one value after {key!r}.", key=key), key)
        elif key in ("min", "max"):
            when[f"{key}_cost"] = number(values[0], key)
        elif key == "station":
            when["hits_station"] = pick(values[0], ("yes", "no"), "yes or no") == "yes"
        elif key == "times":
            order["times"] = number(values[0], key)
        elif key == "until":
            order["until"] = pick(values[0], ("turn", "cancelled"), "moment")
        elif key == "target":
            when["target"] = values[0]
        else:
            known = {"kind": KINDS, "type": _TYPES, "card": (*CARDS, *COMMANDERS)}[key]
            when[key] = pick(values[0], known, key)
    return order


def _read_timeout(said: Sequence[str], seen: Data) -> Command:
    if not said:
        return {"name": "time_out"}
    if "timeout".startswith(said[0]):
        raise Refused("unreadable", say("Write behind timeout what happens then, as it is offered."))
    parse(" ".join(said), seen)  # what happens then is an order itself
    return {"name": "time_out", "does": " ".join(said)}


def _read_draw(*, mill: bool) -> Read:
    def read(said: Sequence[str], seen: Data) -> Command:
        if said:
            raise Refused("unreadable", say("Write draw, or mill, and nothing else."))
        return {"name": "draw", "mill": mill}

    return read


def _read_commander(said: Sequence[str], seen: Data) -> Command:
    you = seen["you"] if seen["you"] is not None else 0
    return {"name": "use_commander", **_tail(said, seen, seen["sides"][you]["commander"], "use_commander")}


_READERS: Mapping[str, Read] = {
    "start": _read_starter,
    "prepare": _read_prepare,
    "stand": _read_stand,
    "react": _read_react,
    "orders": _read_orders,
    "choose": _read_choose,
    "draw": _read_draw(mill=False),
    "mill": _read_draw(mill=True),
    "keep": _read_list("pay_upkeep", "keep", "play"),
    "discard": _read_list("discard", "cards", "hand"),
    "play": _with_card("play_card", "hand", "flipped"),
    "use": _with_card("use_anytime", "play"),
    "action": _with_card("use_action", "play"),
    "ability": _with_card("use_ability", "play"),
    "move": _with_card("move", "play"),
    "add": _read_pair("add_station", "row", "hand"),
    "shift": _read_pair("move_station", "row", "hand"),
    "counters": _read_pair("use_counters", "n", "play"),
    "commander": _read_commander,
    "attack": _read_attack,
    "collide": _read_collide,
    "end": _read_end,
    "timeout": _read_timeout,
}
