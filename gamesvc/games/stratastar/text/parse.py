"""Orders as text, one per line, short enough for a phone: `move E5 F5 2F free`, `colonize C4`, `commit 2A 1R`.

Cards: A attack, M move, B build, T trade, R research, with a plus for a power card (`2A 1M+`). Groups: `2F 1W`.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable

from gamesvc.games.kernel.game import Command, Data
from gamesvc.games.kernel.intake import whole
from gamesvc.games.kernel.notation import begins, items, no_more, number, pick, some, suggest, words
from gamesvc.games.stratastar.data import ABILITIES, CORNERS
from gamesvc.games.stratastar.state import MOST_SEATS
from gamesvc.games.stratastar.text import standing_orders
from gamesvc.games.stratastar.text.reading import (
    all_at,
    is_space,
    read_cards,
    read_counts,
    read_numbers,
    read_seat,
    read_space,
    split_pay,
    take,
    unreadable,
)
from gamesvc.json_types import JsonObject
from gamesvc.language import say

FILLERS = frozenset({"to", "from", "at", "the", "with", "on", "and", "of", "in", "through", "for"})
VERBS: dict[str, str] = {
    "home": "place_homeworld",
    "place": "place_homeworld",
    "place_homeworld": "place_homeworld",
    "pick": "pick_ability",
    "pick_ability": "pick_ability",
    "retool": "retool",
    "external": "external_trade",
    "external_trade": "external_trade",
    "internal": "internal_trade",
    "internal_trade": "internal_trade",
    "research": "basic_research",
    "basic_research": "basic_research",
    "offer": "offer_trade",
    "offer_trade": "offer_trade",
    "accept": "accept_offer",
    "accept_offer": "accept_offer",
    "reject": "reject_offer",
    "reject_offer": "reject_offer",
    "withdraw": "withdraw_offer",
    "withdraw_offer": "withdraw_offer",
    "support": "support",
    "fleet": "build_fleet",
    "build_fleet": "build_fleet",
    "warfleet": "build_warfleet",
    "build_warfleet": "build_warfleet",
    "colonize": "colonize",
    "colonise": "colonize",
    "stargate": "build_stargate",
    "build_stargate": "build_stargate",
    "terraform": "terraform",
    "ally": "allied_minor_race",
    "allied_minor_race": "allied_minor_race",
    "breakthrough": "breakthrough",
    "move": "move",
    "gate": "gate",
    "jump": "hyper_jump",
    "hyper_jump": "hyper_jump",
    "defend": "defend_homeworld",
    "defend_homeworld": "defend_homeworld",
    "scout": "scout",
    "planning": "planning",
    "piracy": "piracy",
    "treaty": "treaty",
    "treason": "treason",
    "disaster": "disaster",
    "raid": "border_raids",
    "border_raids": "border_raids",
    "sabotage": "sabotage",
    "block": "diplomacy_block",
    "diplomacy_block": "diplomacy_block",
    "retreat": "retreat",
    "pass": "pass",
    "battle": "declare_battle",
    "attack": "declare_battle",
    "declare_battle": "declare_battle",
    "call": "call_battle",
    "call_battle": "call_battle",
    "commit": "commit_attack",
    "commit_attack": "commit_attack",
    "spy": "spy",
    "orders": "set_orders",
    "set_orders": "set_orders",
    "end": "end_phase",
    "done": "end_phase",
    "end_phase": "end_phase",
    "end_turn": "end_turn",
    "go": "go_to_movement",
    "go_movement": "go_to_movement",
    "go_to_movement": "go_to_movement",
    "resign": "resign",
}
"""The words with which orders begin, with the names of the commands."""
PAIRS = {
    "build": ("fleet", "warfleet", "stargate"),
    "end": ("turn", "phase"),
    "go": ("movement",),
    "basic": ("research",),
    "hyper": ("jump",),
    "declare": ("battle",),
    "call": ("battle",),
    "set": ("orders",),
}
"""Orders of two words: the first words with the second ones."""
_PIECES = ("fleet", "warfleet", "colony", "stargate")


# --- parsing by command ---


def _plain(name: str) -> Callable[[list[str], Data], JsonObject]:
    def read(found: list[str], seen: Data) -> JsonObject:
        found, pay = split_pay(found)
        no_more(found)
        return {"name": name, **pay}

    return read


def _at_space(name: str) -> Callable[[list[str], Data], JsonObject]:
    def read(found: list[str], seen: Data) -> JsonObject:
        found, pay = split_pay(found)
        space = read_space(take(found, "space"))
        no_more(found)
        return {"name": name, "space": space, **pay}

    return read


def _with_target(name: str) -> Callable[[list[str], Data], JsonObject]:
    def read(found: list[str], seen: Data) -> JsonObject:
        found, pay = split_pay(found)
        word = take(found, "target")
        target: int | str = "deck" if name == "spy" and word.casefold() == "deck" else read_seat(word)
        no_more(found)
        return {"name": name, "target": target, **pay}

    return read


def _with_cards(name: str, parameter: str) -> Callable[[list[str], Data], JsonObject]:
    def read(found: list[str], seen: Data) -> JsonObject:
        found, pay = split_pay(found)
        some(found, f"{name.partition('_')[0]} none")
        return {"name": name, parameter: read_cards(found), **pay}

    return read


def _aimed(name: str) -> Callable[[list[str], Data], JsonObject]:
    def read(found: list[str], seen: Data) -> JsonObject:
        found, pay = split_pay(found)
        seat = read_seat(take(found, "seat"))
        piece = pick(take(found, "piece"), _PIECES, "piece")
        space = read_space(take(found, "space"))
        no_more(found)
        return {"name": name, "seat": seat, "piece": piece, "space": space, **pay}

    return read


def _offer_number(name: str) -> Callable[[list[str], Data], JsonObject]:
    def read(found: list[str], seen: Data) -> JsonObject:
        if not found:
            mine = name == "withdraw_offer"
            viewer = seen.get("viewer")
            ids = [one["id"] for one in seen["offers"] if (one["seat"] == viewer) == mine and one["to"] in (viewer, None) + (
                tuple(range(MOST_SEATS)) if mine else ()
            )]  # fmt: skip
            if len(ids) != 1:
                raise unreadable(say("Which offer? Open: {ids}.", ids=", ".join(map(str, ids)) or say("none")), "offer")
            return {"name": name, "offer": ids[0]}
        offer = number(found.pop(0).lstrip("#"), "offer")
        no_more(found)
        return {"name": name, "offer": offer}

    return read


def _home(found: list[str], seen: Data) -> JsonObject:
    corner = pick(take(found, "corner"), CORNERS, "corner")
    no_more(found)
    return {"name": "place_homeworld", "corner": corner}


def _ability(found: list[str], seen: Data) -> JsonObject:
    ability = pick("_".join(found), ABILITIES, "ability") if found else take(found, "ability")
    return {"name": "pick_ability", "ability": ability}


def _build_fleet(found: list[str], seen: Data) -> JsonObject:
    found, pay = split_pay(found)
    space = {"space": read_space(found.pop(0))} if found else {}
    no_more(found)
    return {"name": "build_fleet", **space, **pay}


_FOLLOWING = {"battle": "battle", "fight": "battle", "end": "end_turn", "end turn": "end_turn", "end_turn": "end_turn"}


def _following(found: list[str]) -> tuple[list[str], dict[str, str]]:
    """Split off `then battle` or `then end`: the follow-up of a movement that nobody answers."""
    folded = [word.casefold() for word in found]
    if "then" not in folded:
        return found, {}
    at = folded.index("then")
    act = " ".join(folded[at + 1 :])
    if act not in _FOLLOWING:
        raise unreadable(say("After `then` write battle (fight there) or end (end the turn)."), "then")
    return found[:at], {"then": _FOLLOWING[act]}


def _step(name: str) -> Callable[[list[str], Data], JsonObject]:
    def read(found: list[str], seen: Data) -> JsonObject:
        found, pay = split_pay(found)
        found, then = _following(found) if name != "scout" else (found, {})
        where = [word for word in found if is_space(word)][:2]
        for word in where:
            found.remove(word)
        if len(where) < 2 and found:
            where += [take(found, "from")]
        start, to = read_space(take(where, "from")), read_space(take(where, "to"))
        command: JsonObject = {"name": name, "from": start, "to": to}
        if name != "scout":
            free, found = _freedom(name, found, bool(pay), to, seen)
            group = [] if [word.casefold() for word in found] == ["all"] else found
            command |= {**(read_numbers(group) or all_at(seen, start)), **free}
        else:
            no_more(found)
        return {**command, **then, **pay}

    return read


def _freedom(name: str, found: list[str], pays: bool, to: str, seen: Data) -> tuple[dict[str, bool], list[str]]:
    if name == "hyper_jump":
        return {}, found
    folded = [word.casefold() for word in found]
    rest = [word for word in found if word.casefold() not in ("free", "paid", "free=no")]
    no_more([word for word in found if word not in rest][1:])
    if "free=no" in folded:
        return {"free": False}, rest
    if "free" in folded or (not pays and "paid" not in folded and seen["free_move"] and seen["chits"].get(to) != "nebula"):
        return {"free": True}, rest
    return {}, rest


def _groups(found: list[str], place: str, seen: Data) -> list[JsonObject]:
    groups: list[JsonObject] = []
    while found:
        space = read_space(found.pop(0))
        mine = list(itertools.takewhile(lambda word: not is_space(word), found))
        del found[: len(mine)]
        group = [] if [word.casefold() for word in mine] == ["all"] else mine
        groups.append({place: space, "fleets": 0, "warfleets": 0, **(read_numbers(group) or all_at(seen, space))})
    return groups


def _defend(found: list[str], seen: Data) -> JsonObject:
    found, pay = split_pay(found)
    some(found, "defend none")
    found = [] if [word.casefold() for word in found] == ["none"] else found
    return {"name": "defend_homeworld", "groups": _groups(found, "from", seen), **pay}


def _retreat(found: list[str], seen: Data) -> JsonObject:
    found, pay = split_pay(found)
    to = read_space(take(found, "to"))
    group = [] if [word.casefold() for word in found] == ["all"] else found
    entered = seen["actions"][-1]["enters"] if seen["actions"] else None
    everything = all_at(seen, entered) if entered else {}
    return {"name": "retreat", "to": to, **(read_numbers(group) or everything), **pay}


def _raid(found: list[str], seen: Data) -> JsonObject:
    found, pay = split_pay(found)
    seat, space = read_seat(take(found, "seat")), read_space(take(found, "space"))
    no_more(found)
    return {"name": "border_raids", "seat": seat, "space": space, **pay}


def _support(found: list[str], seen: Data) -> JsonObject:
    some(found, "support none")
    folded = [word.casefold() for word in found]
    at = folded.index("disband") if "disband" in folded else len(found)
    builds = found[:at]
    points = whole(builds[0], 3) if len(builds) == 1 else None
    value = points if points is not None else read_cards(builds)
    command: JsonObject = {"name": "support", "builds": value}
    if at < len(found):
        command["disband"] = _groups(list(items(found[at + 1 :])), "space", seen)
    return command


def _offer(found: list[str], seen: Data) -> JsonObject:
    who = take(found, "seat")
    to = None if who.casefold() in ("anyone", "all", "any") else read_seat(who)
    parts: dict[str, list[str]] = {"give": [], "want": []}
    flags: dict[str, bool] = {}
    while found and found[-1].casefold().removesuffix("=no") in {"keep", "wait"} - flags.keys():
        flag = found.pop().casefold()
        flags[flag.removesuffix("=no")] = not flag.endswith("=no")
    some(found, f"offer {who} give none want none")
    into: list[str] | None = None
    for word in found:
        folded = word.casefold()
        if folded in parts:
            into = parts[folded]
        elif into is None:
            raise unreadable(say("{word!r}: write `offer {who} give 1T want 1M`.", word=word, who=who), "give")
        else:
            into.append(word)
    give, want = read_counts(parts["give"]), read_counts(parts["want"])
    return {"name": "offer_trade", "to": to, "give": give, "want": want, **flags}


_READERS: dict[str, Callable[[list[str], Data], JsonObject]] = {
    "place_homeworld": _home,
    "pick_ability": _ability,
    "retool": _with_cards("retool", "cards"),
    "internal_trade": _with_cards("internal_trade", "others"),
    "commit_attack": _with_cards("commit_attack", "cards"),
    "offer_trade": _offer,
    "support": _support,
    "build_fleet": _build_fleet,
    "defend_homeworld": _defend,
    "retreat": _retreat,
    "border_raids": _raid,
    **{name: _plain(name) for name in ("basic_research", "build_warfleet", "breakthrough", "planning", "sabotage")},
    **{name: _plain(name) for name in ("diplomacy_block", "pass", "end_phase", "go_to_movement", "end_turn", "resign")},
    **{name: _at_space(name) for name in ("colonize", "build_stargate", "terraform", "allied_minor_race")},
    **{name: _at_space(name) for name in ("declare_battle", "call_battle")},
    **{name: _with_target(name) for name in ("external_trade", "piracy", "treaty", "spy")},
    **{name: _aimed(name) for name in ("treason", "disaster")},
    **{name: _offer_number(name) for name in ("accept_offer", "reject_offer", "withdraw_offer")},
    **{name: _step(name) for name in ("move", "gate", "hyper_jump", "scout")},
}


def spellings(verb: str) -> list[str]:
    """Return all words that mean the same order as this one."""
    return [verb, *(word for word, name in VERBS.items() if name == VERBS.get(verb))]


def parse(text: str, seen: Data) -> Command:
    """Read one order. Raises `Refused` (`unreadable`) with a suggestion."""
    found = words(text, FILLERS)
    if not found:
        raise unreadable(say("The order is empty."))
    verb = found.pop(0).casefold().rstrip(":.")
    if verb in PAIRS and len(found) > 1 and found[0].casefold() in ("a", "an", "my"):
        found.pop(0)
    if found and found[0].casefold() in PAIRS.get(verb, ()):
        verb = f"{verb}_{found.pop(0).casefold()}"
    if verb not in VERBS:
        starting = {name for known, name in VERBS.items() if begins(known, verb)}
        if len(starting) != 1:
            raise unreadable(say("There is no order {verb!r} here.{suggest}", verb=verb, suggest=suggest(verb, VERBS)), "name")
        [name] = starting
    else:
        name = VERBS[verb]
    if name == "set_orders":
        return {"name": name, "orders": standing_orders.parse(text)}
    return _READERS[name](found, seen)
