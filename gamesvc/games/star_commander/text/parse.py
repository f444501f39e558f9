"""Orders as text: reading one command per line, as typed on a phone. `render.render` is the inverse."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from gamesvc.games.kernel.game import Command, Data, Refused
from gamesvc.games.kernel.notation import items, no_more, pick, some
from gamesvc.games.kernel.wording import counted
from gamesvc.games.star_commander.data import DOMAINS, WINDOWS, Target
from gamesvc.games.star_commander.text import reading
from gamesvc.games.star_commander.text.reading import unreadable
from gamesvc.json_types import JsonObject
from gamesvc.language import say

Read = Callable[[list[str], Data], JsonObject]


# --- reading ---


def _draw(words: list[str], view: Data) -> JsonObject:
    given = reading.options(words)
    if len(words) == 3 and words[1].casefold() == "discard":
        given["discard"] = words.pop()
        words.pop()
    [domain] = reading.only(words, 1, "draw science, or draw science discard=c12")
    command: JsonObject = {"domain": pick(domain, DOMAINS, "domain")}
    if "discard" in given:
        command["discard"] = reading.hand_card(given.pop("discard"), view)
    reading.no_options(given)
    return command


def _choose(words: list[str], view: Data) -> JsonObject:
    [word] = reading.only(words, 1, "choose VALUE, as choose keep")
    if reading.is_cell(word, view):
        return {"value": reading.cell(word, view)}
    shown = view["prompt"].get("cards") or view["hand"]
    for known in (("keep", "discard"), DOMAINS):
        if any(name.startswith(word.casefold()) for name in known):
            return {"value": pick(word, known, "value")}
    return {"value": reading.card_in(word, shown, "card", view)}


def _move(words: list[str], view: Data) -> JsonObject:
    command: JsonObject = reading.flag(words, "explore")
    carried: dict[str, list[str]] = {}
    if [word.casefold() for word in words[-2:]] == ["carry", "none"]:
        del words[-2:]
        command["carried"] = carried
    for word, following in zip(list(words), [*words[1:], ""], strict=False):
        if word.casefold() == "carry" and "=" in following:
            words.remove(word)
        elif "=" in word:
            carrier, _, cargo = word.partition("=")
            if (vessel := reading.vessel(carrier, view)) in carried:
                no_more([word])
            carried[vessel] = [reading.vessel(one, view) for one in reading.split_list(cargo)]
            words.remove(word)
    if len(words) < 2:
        raise unreadable(say("Write: move v3 v4 2,1, and carry v3=v5+v6 for a Carrier's fighters"), "text")
    *ships, to = words
    command |= {"ships": [reading.vessel(word, view) for word in ships], "to": reading.cell(to, view)}
    return command | ({"carried": carried} if carried else {})


def _build(words: list[str], view: Data) -> JsonObject:
    kind = ""
    if words and words[0].casefold() in ("ship", "station"):
        kind = words.pop(0).casefold()
    if len(words) < 2:
        raise unreadable(say("Write: build corvette 2,2"), "text")
    what, cell = "_".join(words[:-1]), reading.cell(words[-1], view)
    cards = reading.catalog(view)
    core = {card: card for card in cards.core if cards[card].buildable}
    hand: dict[str, str] = {}
    for uid, card in view["hand"]:
        if cards[card].is_vessel:
            hand.setdefault(card, uid)
    meant = what.casefold() if what.casefold() in dict(view["hand"]) else pick(what, {**hand, **core}, "vessel to build")
    if meant in core:
        return {"name": f"build_{cards[meant].kind}", "card": meant, "cell": cell}
    card = dict(view["hand"])[meant]
    return {"name": f"build_{kind or cards[card].kind}", "uid": meant, "cell": cell}


def _targets(words: list[str], given: dict[str, str], targets: Sequence[Target], view: Data) -> JsonObject:
    """Read targets by name (`a=v3`) or in the order of the card."""
    known = [target.name for target in targets]
    found = {name: reading.thing(given.pop(name), view) for name in known if name in given}
    reading.no_options(given)
    rest = [name for name in known if name not in found]
    if len(words) > len(rest):
        raise unreadable(
            say("{words}: this takes {targets}.", words=" ".join(words), targets=counted(len(known), "target")), "targets"
        )
    found.update((name, reading.thing(word, view)) for name, word in zip(rest, words, strict=False))
    return {"targets": {name: found[name] for name in known if name in found}} if found else {}


def _play(words: list[str], view: Data) -> JsonObject:
    command: JsonObject = reading.flag(words, "hold")
    given = reading.options(words)
    if not words:
        raise unreadable(say("Write: play CARD, then its targets, as play barrage v3 v7"), "text")
    uid, taken = _card_words(words, view)
    card = dict(view["hand"]).get(uid)
    if card is None:
        raise unreadable(say("There is no card {uid} in your hand.", uid=uid), "uid")
    if reading.catalog(view)[card].kind == "technology":
        no_more([*words[taken:], *command])
        reading.no_options(given)
        return {"name": "play_technology", "uid": uid}
    return {"uid": uid, **command, **_targets(words[taken:], given, reading.catalog(view)[card].targets, view)}


def _card_words(words: list[str], view: Data) -> tuple[str, int]:
    """Find a card by a name of up to four words. Returns its uid and the number of words used."""
    for count in (4, 3, 2):
        name = "_".join(words[:count]).casefold()
        for uid, card in view["hand"]:
            if card == name:
                return uid, count
    return reading.hand_card(words[0], view), 1


def _use(words: list[str], view: Data) -> JsonObject:
    command: JsonObject = {**reading.flag(words, "hold"), **reading.flag(words, "explore")}
    given = reading.options(words)
    if not words:
        raise unreadable(say("Write: use SOURCE, then what it needs, as use c12 v3 x=4 or use 1,1 a=v3 b=2,1 discard=c5"), "text")
    word, cards = words[0], reading.catalog(view)
    rows = [pair for one in view["seats"] for pair in one["technologies"]]
    if reading.is_cell(word, view):
        source = reading.cell(word, view)
        card = view["cells"][source]["card"]
    elif word.casefold() in dict(rows):
        source = word.casefold()
        card = dict(rows)[source]
    else:
        own = {card: uid for uid, card in view["seats"][view["seat"]]["technologies"]} if view["seat"] is not None else {}
        try:
            source = pick(word, own, "technology")
            card = dict(rows)[source]
        except Refused:
            source = reading.vessel(word, view)
            card = view["vessels"].get(source, {}).get("card")
    ability = cards[card].ability if card else None
    if ability is None:
        raise unreadable(say("{word} has no ability to use.", word=word), "source")
    command["source"] = source
    if "x" in given:
        command["x"] = reading.whole(given.pop("x"), "x")
    if "discard" in given:
        command["discard"] = reading.hand_card(given.pop("discard"), view)
    return command | _targets(words[1:], given, ability.targets, view)


def _one_cell(usage: str) -> Read:
    def read(words: list[str], view: Data) -> JsonObject:
        if not words:
            raise unreadable(say("Write: {usage}", usage=usage), "text")
        return {"cell": reading.cell("_".join(words), view)}

    return read


def _scrap(words: list[str], view: Data) -> JsonObject:
    return {"ship": reading.vessel(reading.only(words, 1, "scrap v3")[0], view)}


def _technology(words: list[str], view: Data) -> JsonObject:
    if not words:
        raise unreadable(say("Write: tech CARD"), "text")
    uid, taken = _card_words(words, view)
    no_more(words[taken:])
    return {"uid": uid}


def _sell(words: list[str], view: Data) -> JsonObject:
    return {"uids": [reading.hand_card(word, view) for word in reading.only(words, 2, "sell c12 c40")]}


_PARTS = {"tech": "technologies", "technology": "technologies", "ships": "vessels", "cards": "hand"}


def _offer(words: list[str], view: Data) -> JsonObject:
    usage = "offer Blue give credits=4 vessels=v3 want systems=1,1 hand=1"
    folded = [word.casefold() for word in words]
    if not words or "give" not in folded or "want" not in folded or folded.index("give") > folded.index("want"):
        raise unreadable(say("Write: {usage}", usage=usage), "text")
    give = reading.options(words_between := words[folded.index("give") + 1 : folded.index("want")])
    want = reading.options(words_after := words[folded.index("want") + 1 :])
    if words_between or words_after:
        raise unreadable(say("Write: {usage}", usage=usage), "text")
    no_more(words[1 : folded.index("give")])
    return {"to": reading.seat(words[0]), "give": _side(give, view, False), "want": _side(want, view, True)}


def _side(given: Mapping[str, str], view: Data, wanted: bool) -> JsonObject:
    side: JsonObject = {}
    for name, value in given.items():
        part = pick(_PARTS.get(name, name), ("credits", "hand", "technologies", "vessels", "systems"), "part of an offer")
        if part in side:
            no_more([f"{name}={value}"])
        if part == "credits" or (part == "hand" and wanted):
            side[part] = reading.whole(value, part)
        elif part == "systems":
            side[part] = [reading.cell(word, view) for word in reading.split_list(value)]
        elif part == "vessels":
            side[part] = [reading.vessel(word, view) for word in reading.split_list(value)]
        elif part == "hand":
            side[part] = [reading.hand_card(word, view) for word in reading.split_list(value)]
        else:
            rows = [pair for one in view["seats"] for pair in one["technologies"]]
            side[part] = [reading.card_in(word, rows, "technology", view) for word in reading.split_list(value)]
    return side


def _accept(words: list[str], view: Data) -> JsonObject:
    if not words:
        raise unreadable(say("Write: accept 3, and the cards you give, as accept 3 c12 c40"), "text")
    command: JsonObject = {"offer": reading.whole(words[0], "offer")}
    hand = [reading.hand_card(word, view) for word in items(words[1:])]
    return command | ({"hand": hand} if words[1:] else {})


def _offer_number(words: list[str], view: Data) -> JsonObject:
    return {"offer": reading.whole(reading.only(words, 1, "decline 3")[0], "offer")}


def _fire(words: list[str], view: Data) -> JsonObject:
    command: JsonObject = {**reading.flag(words, "more"), **reading.flag(words, "pass"), **reading.flag(words, "stay")}
    assignments: dict[str, list[JsonObject]] = {}
    waiting: list[str] = []
    some(words, "fire nothing")
    for word in items(words, ("nothing", "hold", "none")):
        if ">" not in word:
            waiting.append(word)
            continue
        source, _, rest = word.partition(">")
        target, _, amount = rest.partition("=")
        own = reading.vessel(source, view)
        shots = assignments.setdefault(own, [])
        if target.casefold() != "none":
            shots.append(_shot(own, target, amount, view))
    while len(waiting) >= 2:
        own, target = reading.vessel(waiting.pop(0), view), waiting.pop(0)
        amount = waiting.pop(0) if waiting and waiting[0].isdecimal() else ""
        assignments.setdefault(own, []).append(_shot(own, target, amount, view))
    if waiting:
        raise unreadable(say("Write: fire v3>v7=2 v4>v8, or fire nothing"), "text")
    return {"assignments": assignments, **command}


def _shot(own: str, target: str, amount: str, view: Data) -> JsonObject:
    if amount:
        power = reading.whole(amount, "amount")
    elif own in view["vessels"]:
        power = view["vessels"][own]["attack"]
    else:
        raise unreadable(say("There is no vessel {vessel}.", vessel=own), "assignments")
    return {"target": reading.vessel(target, view), "amount": power}


def _retreat(words: list[str], view: Data) -> JsonObject:
    moves: list[JsonObject] = []
    plain: list[str] = []
    some(words, "stay")
    for word in items(words):
        if ">" not in word:
            plain.append(word)
            continue
        ship, _, rest = word.partition(">")
        to, plus, cargo = rest.partition("+")
        move: JsonObject = {"ship": reading.vessel(ship, view), "to": reading.cell(to, view)}
        moves.append(move | ({"carried": [reading.vessel(one, view) for one in reading.split_list(cargo)]} if plus else {}))
    if plain:
        if len(plain) < 2:
            raise unreadable(say("Write: retreat v3>2,1 v4>2,1, or stay"), "text")
        to = reading.cell(plain.pop(), view)
        moves += [{"ship": reading.vessel(word, view), "to": to} for word in plain]
    return {"moves": moves}


_ORDERS = ("commands", "abilities", "actions", "always_ask", "auto", "assign", "retreat", "draw", *WINDOWS)


def _orders(words: list[str], view: Data) -> JsonObject:
    orders: JsonObject = {}
    if not words:
        raise unreadable(say("Write what is to change, as orders commands=ask or orders draw=science+industry."), "orders")
    for word in words:
        name, found, value = word.partition("=")
        if not found:
            raise unreadable(say("{word!r}: write name=value, as commands=ask or draw=science+industry.", word=word), "orders")
        key = pick(name, _ORDERS, "standing order")
        if key != "auto" and (key in orders or key in orders.get("combat", {})):
            no_more([word])
        value = value.casefold()
        if key in WINDOWS:
            orders.setdefault("combat", {})[key] = value
        elif key in ("always_ask", "draw"):
            orders[key] = [pick(one, DOMAINS, "domain") if key == "draw" else one for one in reading.split_list(value)]
        elif key == "auto":
            orders.setdefault("auto", []).extend([] if value == "none" else [_auto(value)])
        else:
            orders[key] = value
    return {"orders": orders}


def _auto(text: str) -> JsonObject:
    play, *parts = text.split("/")
    auto: JsonObject = {"play": play}
    for part in parts:
        name, colon, value = part.partition(":")
        if name == "on":
            auto["on"] = reading.split_list(value)
        elif name == "by":
            auto["by"] = None if value in ("any", "") else reading.seat(value)
        elif name in ("concerned", "unconcerned") and not colon:
            auto["only_concerned"] = name == "concerned"
        else:
            raise unreadable(say("{part!r}: write auto=evasion/on:barrage+ram/by:blue/concerned.", part=part), "orders")
    return auto


def _bare(words: list[str], view: Data) -> JsonObject:
    if words:
        raise unreadable(say("Leave {words!r} out; this order is one word.", words=" ".join(words)), "text")
    return {}


def _end(words: list[str], view: Data) -> JsonObject:
    if words and words[0].casefold() in ("command", "combat", "turn", "phase"):
        word = words.pop(0).casefold()
        if word in ("command", "combat"):
            return {"name": f"end_{word}", **_bare(words, view)}
    return {"name": "end_combat" if view["prompt"]["kind"] == "combat_choose" else "end_command", **_bare(words, view)}


_VERBS: Mapping[str, tuple[str, Read]] = {
    "draw": ("draw_card", _draw),
    "choose": ("choose", _choose),
    "move": ("move_ships", _move),
    "jump": ("move_ships", _move),
    "build": ("build_ship", _build),
    "develop": ("develop", _one_cell("develop 2,1")),
    "scrap": ("scrap", _scrap),
    "tech": ("play_technology", _technology),
    "technology": ("play_technology", _technology),
    "play": ("play_command", _play),
    "use": ("activate", _use),
    "buy": ("trade_draw", _draw),
    "sell": ("trade_discard", _sell),
    "offer": ("offer_trade", _offer),
    "accept": ("accept_trade", _accept),
    "decline": ("decline_trade", _offer_number),
    "withdraw": ("withdraw_trade", _offer_number),
    "end": ("end_command", _end),
    "done": ("end_command", _end),
    "pass": ("pass", lambda words, view: {**reading.flag(words, "rest"), **_bare(words, view)}),
    "fight": ("open_combat", _one_cell("fight 1,1")),
    "fire": ("assign_damage", _fire),
    "retreat": ("retreat", _retreat),
    "stay": ("retreat", lambda words, view: {"moves": [], **_bare(words, view)}),
    "orders": ("set_standing_orders", _orders),
    "resign": ("resign", _bare),
}
_ANSWERS = {"keep": "keep", "discard": "discard"}
VERBS = frozenset((*_VERBS, *_ANSWERS))
"""The words with which orders begin."""


def spellings(verb: str) -> list[str]:
    """Return all words that mean the same order as this one."""
    return [verb, *(word for word, meant in _VERBS.items() if meant == _VERBS.get(verb))]


def parse(text: str, view: Data) -> Command:
    """Read one order. Raises `Refused("unreadable", ...)` with a suggestion."""
    text = text[:4000]
    if reading.has_note(text):
        raise unreadable(say("Leave the note out. Write promises to the players in a message."), "text")
    words = reading.tokens(text)
    if not words:
        raise unreadable(say("An order begins with a word such as move, build, play, pass or end."), "text")
    if words[0].casefold() in _ANSWERS and len(words) == 1:
        return {"name": "choose", "value": words[0].casefold()}
    verb = pick(words[0], {name: name for name in _VERBS}, "order")
    name, read = _VERBS[verb]
    return {"name": name, **read(words[1:], view)}
