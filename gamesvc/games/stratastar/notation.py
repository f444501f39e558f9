"""Orders as text, one a line, short enough for a phone: `move E5 F5 2F free`, `colonize C4`, `commit 2A 1R`.

Cards: A attack, M move, B build, T trade, R research, with a plus for a power card (`2A 1M+`). Groups: `2F 1W`.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from gamesvc.games.kernel import Command, Data, Refused
from gamesvc.games.notation import number, pick, suggest, words
from gamesvc.games.stratastar import order_notation
from gamesvc.games.stratastar.board import INDEX, SPACES
from gamesvc.games.stratastar.data import ABILITIES, CARDS, CORNERS, RESEARCH
from gamesvc.games.stratastar.fields import SEAT_NAMES

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
    "resign": "resign",
}
_SHORT = {name: verb for verb, name in reversed(VERBS.items())}
_LETTERS = {"attack": "A", "move": "M", "build": "B", "trade": "T", RESEARCH: "R"}
_PIECES = ("fleet", "warfleet", "colony", "stargate")
_CARD = re.compile(r"(\d{0,2})(attack|move|build|trade|research|[ambtr])s?(\+|2)?", re.IGNORECASE)
_GROUP = re.compile(r"(\d{1,2})(f|w|fleets?|warfleets?)?", re.IGNORECASE)


# --- words to values ---


def _unreadable(detail: str, parameter: str | None = None) -> Refused:
    return Refused("unreadable", detail, parameter)


def _space(word: str) -> str:
    space = word.upper()
    if space not in INDEX:
        raise _unreadable(f"{word!r} is no space; spaces are A1 to J10.{suggest(word, SPACES)}", "space")
    return space


def _is_space(word: str) -> bool:
    return word.upper() in INDEX


def _seat(word: str) -> int:
    if word.isdigit() and int(word) < len(SEAT_NAMES):
        return int(word)
    return SEAT_NAMES.index(pick(word, SEAT_NAMES, "seat"))


def _card(word: str) -> list[str]:
    found = _CARD.fullmatch(word)
    if not found:
        raise _unreadable(f"{word!r} is no card. Write 2A for two Attack; letters A M B T R, a plus for power (1M+).", "cards")
    count, name, power = found.groups()
    if power == "2" and len(name) == 1:
        raise _unreadable(f"{word!r} is a space. A power card is written {name.upper()}+.", "cards")
    kind = next(card for card, letter in _LETTERS.items() if name.casefold() in (card, letter.casefold()))
    card = f"{kind}2" if power else kind
    if card not in CARDS:
        raise _unreadable("There is no power card of Research.", "cards")
    return [card] * (int(count) if count else 1)


def _cards(found: Iterable[str]) -> list[str]:
    return [card for word in found if word.casefold() not in ("none", "nothing") for card in _card(word)]


def _counts(found: Iterable[str]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for word in found:
        if word.casefold() in ("none", "nothing"):
            continue
        match = _CARD.fullmatch(word)
        times = int(match.group(1)) if match and match.group(1) else 1
        [card, *_] = _card(f"1{word.lstrip('0123456789')}")
        counts[card] = counts.get(card, 0) + times
    return counts


def _numbers(found: Sequence[str]) -> dict[str, int]:
    """`2F 1W` as parameters; a bare number means Fleets."""
    group: dict[str, int] = {}
    for word in found:
        match = _GROUP.fullmatch(word)
        if not match:
            raise _unreadable(f"{word!r} is no number of fleets. Write 2F 1W for two Fleets and a Warfleet.", "fleets")
        heavy = (match.group(2) or "f").casefold().startswith("w")
        group["warfleets" if heavy else "fleets"] = int(match.group(1))
    return group


def _all_at(seen: Data, space: str) -> dict[str, int]:
    """All fleets of the viewer in a space, where an order names none."""
    viewer = seen.get("viewer")
    if viewer is None:
        return {}
    player = seen["players"][viewer]
    group = {"fleets": player["fleets"].get(space, 0), "warfleets": player["warfleets"].get(space, 0)}
    return {name: n for name, n in group.items() if n}


def _take(found: list[str], what: str) -> str:
    if not found:
        raise _unreadable(f"The order lacks {what}.", what)
    return found.pop(0)


def _no_more(found: Sequence[str]) -> None:
    if found:
        raise _unreadable(f"{' '.join(found)!r} is too much in this order.")


def _paid(found: list[str]) -> tuple[list[str], dict[str, Any]]:
    """Split off `pay ...` at the end."""
    folded = [word.casefold() for word in found]
    if "pay" not in folded:
        return found, {}
    at = folded.index("pay")
    return found[:at], {"pay": _cards(found[at + 1 :])}


# --- parsing by command ---


def _plain(name: str) -> Callable[[list[str], Data], dict[str, Any]]:
    def read(found: list[str], seen: Data) -> dict[str, Any]:
        found, pay = _paid(found)
        _no_more(found)
        return {"name": name, **pay}

    return read


def _at_space(name: str) -> Callable[[list[str], Data], dict[str, Any]]:
    def read(found: list[str], seen: Data) -> dict[str, Any]:
        found, pay = _paid(found)
        space = _space(_take(found, "space"))
        _no_more(found)
        return {"name": name, "space": space, **pay}

    return read


def _with_target(name: str) -> Callable[[list[str], Data], dict[str, Any]]:
    def read(found: list[str], seen: Data) -> dict[str, Any]:
        found, pay = _paid(found)
        word = _take(found, "target")
        target: int | str = "deck" if name == "spy" and word.casefold() == "deck" else _seat(word)
        _no_more(found)
        return {"name": name, "target": target, **pay}

    return read


def _with_cards(name: str, parameter: str) -> Callable[[list[str], Data], dict[str, Any]]:
    def read(found: list[str], seen: Data) -> dict[str, Any]:
        found, pay = _paid(found)
        return {"name": name, parameter: _cards(found), **pay}

    return read


def _aimed(name: str) -> Callable[[list[str], Data], dict[str, Any]]:
    def read(found: list[str], seen: Data) -> dict[str, Any]:
        found, pay = _paid(found)
        seat = _seat(_take(found, "seat"))
        piece = pick(_take(found, "piece"), _PIECES, "piece")
        space = _space(_take(found, "space"))
        _no_more(found)
        return {"name": name, "seat": seat, "piece": piece, "space": space, **pay}

    return read


def _offer_number(name: str) -> Callable[[list[str], Data], dict[str, Any]]:
    def read(found: list[str], seen: Data) -> dict[str, Any]:
        if not found:
            mine = name == "withdraw_offer"
            viewer = seen.get("viewer")
            ids = [one["id"] for one in seen["offers"] if (one["seat"] == viewer) == mine and one["to"] in (viewer, None) + (
                tuple(range(len(SEAT_NAMES))) if mine else ()
            )]  # fmt: skip
            if len(ids) != 1:
                raise _unreadable(f"Which offer? Open: {', '.join(map(str, ids)) or 'none'}.", "offer")
            return {"name": name, "offer": ids[0]}
        offer = number(found.pop(0).lstrip("#"), "offer")
        _no_more(found)
        return {"name": name, "offer": offer}

    return read


def _home(found: list[str], seen: Data) -> dict[str, Any]:
    corner = pick(_take(found, "corner"), CORNERS, "corner")
    _no_more(found)
    return {"name": "place_homeworld", "corner": corner}


def _ability(found: list[str], seen: Data) -> dict[str, Any]:
    ability = pick("_".join(found), ABILITIES, "ability") if found else _take(found, "ability")
    return {"name": "pick_ability", "ability": ability}


def _build_fleet(found: list[str], seen: Data) -> dict[str, Any]:
    found, pay = _paid(found)
    space = {"space": _space(found.pop(0))} if found else {}
    _no_more(found)
    return {"name": "build_fleet", **space, **pay}


def _step(name: str) -> Callable[[list[str], Data], dict[str, Any]]:
    def read(found: list[str], seen: Data) -> dict[str, Any]:
        found, pay = _paid(found)
        start, to = _space(_take(found, "from")), _space(_take(found, "to"))
        command: dict[str, Any] = {"name": name, "from": start, "to": to}
        if name != "scout":
            free, found = _freedom(name, found, bool(pay), to, seen)
            group = [] if [word.casefold() for word in found] == ["all"] else found
            command |= {**(_numbers(group) or _all_at(seen, start)), **free}
        else:
            _no_more(found)
        return {**command, **pay}

    return read


def _freedom(name: str, found: list[str], pays: bool, to: str, seen: Data) -> tuple[dict[str, bool], list[str]]:
    if name == "hyper_jump":
        return {}, found
    folded = [word.casefold() for word in found]
    rest = [word for word in found if word.casefold() not in ("free", "paid", "free=no")]
    if "free=no" in folded:
        return {"free": False}, rest
    if "free" in folded or (not pays and "paid" not in folded and seen["free_move"] and seen["chits"].get(to) != "nebula"):
        return {"free": True}, rest
    return {}, rest


def _groups(found: list[str], place: str, seen: Data) -> list[dict[str, Any]]:
    groups: list[dict[str, Any]] = []
    while found:
        space = _space(found.pop(0))
        mine = list(itertools.takewhile(lambda word: not _is_space(word), found))
        del found[: len(mine)]
        group = [] if [word.casefold() for word in mine] == ["all"] else mine
        groups.append({place: space, "fleets": 0, "warfleets": 0, **(_numbers(group) or _all_at(seen, space))})
    return groups


def _defend(found: list[str], seen: Data) -> dict[str, Any]:
    found, pay = _paid(found)
    return {"name": "defend_homeworld", "groups": _groups(found, "from", seen), **pay}


def _retreat(found: list[str], seen: Data) -> dict[str, Any]:
    found, pay = _paid(found)
    to = _space(_take(found, "to"))
    group = [] if [word.casefold() for word in found] == ["all"] else found
    entered = seen["actions"][-1]["enters"] if seen["actions"] else None
    everything = _all_at(seen, entered) if entered else {}
    return {"name": "retreat", "to": to, **(_numbers(group) or everything), **pay}


def _raid(found: list[str], seen: Data) -> dict[str, Any]:
    found, pay = _paid(found)
    seat, space = _seat(_take(found, "seat")), _space(_take(found, "space"))
    _no_more(found)
    return {"name": "border_raids", "seat": seat, "space": space, **pay}


def _support(found: list[str], seen: Data) -> dict[str, Any]:
    folded = [word.casefold() for word in found]
    at = folded.index("disband") if "disband" in folded else len(found)
    builds: Any = found[:at]
    groups = [word for word in found[at + 1 :] if word.casefold() not in ("none", "nothing")]
    value = int(builds[0]) if len(builds) == 1 and builds[0].isdigit() and len(builds[0]) < 4 else _cards(builds)
    return {"name": "support", "builds": value, "disband": _groups(groups, "space", seen)}


def _offer(found: list[str], seen: Data) -> dict[str, Any]:
    who = _take(found, "seat")
    to = None if who.casefold() in ("anyone", "all", "any") else _seat(who)
    parts: dict[str, list[str]] = {"give": [], "want": []}
    flags: dict[str, bool] = {}
    into: list[str] | None = None
    for word in found:
        folded = word.casefold()
        if folded in parts:
            into = parts[folded]
        elif folded in ("keep", "wait", "keep=no", "wait=no"):
            flags[folded.removesuffix("=no")] = not folded.endswith("=no")
        elif into is None:
            raise _unreadable(f"{word!r}: write `offer {who} give 1T want 1M`.", "give")
        else:
            into.append(word)
    give, want = _counts(parts["give"]), _counts(parts["want"])
    return {"name": "offer_trade", "to": to, "give": give, "want": want, **flags}


_READERS: dict[str, Callable[[list[str], Data], dict[str, Any]]] = {
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
    **{name: _plain(name) for name in ("diplomacy_block", "pass", "end_phase", "end_turn", "resign")},
    **{name: _at_space(name) for name in ("colonize", "build_stargate", "terraform", "allied_minor_race")},
    **{name: _at_space(name) for name in ("declare_battle", "call_battle")},
    **{name: _with_target(name) for name in ("external_trade", "piracy", "treaty", "spy")},
    **{name: _aimed(name) for name in ("treason", "disaster")},
    **{name: _offer_number(name) for name in ("accept_offer", "reject_offer", "withdraw_offer")},
    **{name: _step(name) for name in ("move", "gate", "hyper_jump", "scout")},
}


def parse(text: str, seen: Data) -> Command:
    """Read one order. Raises `Refused` (`unreadable`) with what would be right."""
    found = words(text, FILLERS)
    if not found:
        raise _unreadable("The order is empty.")
    verb = found.pop(0).casefold().rstrip(":.")
    if found and verb in ("build", "end", "basic", "hyper", "declare", "call", "set", "minor"):
        joined = {"build": ("fleet", "warfleet", "stargate"), "end": ("turn", "phase"), "basic": ("research",)}
        joined |= {"hyper": ("jump",), "declare": ("battle",), "call": ("battle",), "set": ("orders",)}
        if found[0].casefold() in joined.get(verb, ()):
            verb = f"{verb}_{found.pop(0).casefold()}"
    if verb not in VERBS:
        starting = {name for known, name in VERBS.items() if known.startswith(verb)}
        if len(starting) != 1:
            raise _unreadable(f"{verb!r} is no order here.{suggest(verb, VERBS)}", "name")
        [name] = starting
    else:
        name = VERBS[verb]
    if name == "set_orders":
        return {"name": name, "orders": order_notation.parse(text)}
    return _READERS[name](found, seen)


# --- rendering ---


def show_cards(cards: Sequence[str]) -> str:
    """`2A 1M+`, in the order given."""
    parts = [f"{len(list(run))}{_letter(card)}" for card, run in itertools.groupby(cards)]
    return " ".join(parts) or "none"


def _letter(card: str) -> str:
    return f"{_LETTERS[card[:-1]]}+" if card.endswith("2") else _LETTERS[card]


def show_counts(counts: Mapping[str, int]) -> str:
    return " ".join(f"{n}{_letter(card)}" for card, n in counts.items()) or "none"


def _show_group(group: Mapping[str, Any]) -> list[str]:
    return [f"{group[name]}{letter}" for name, letter in (("fleets", "F"), ("warfleets", "W")) if name in group]


def render(command: Command) -> str:
    """Write a command so that `parse` reads the same."""
    name = command["name"]
    if name == "set_orders":
        return order_notation.render(command["orders"])
    parts = ["end turn" if name == "end_turn" else _SHORT[name]]
    for key in ("target", "seat", "to" if name == "offer_trade" else ""):
        if key in command:
            value = command[key]
            parts.append("anyone" if value is None else value if value == "deck" else SEAT_NAMES[value])
    parts += [str(command[key]) for key in ("corner", "ability", "offer", "piece", "space", "from") if key in command]
    if "to" in command and name != "offer_trade":
        parts.append(command["to"])
    parts += _show_group(command)
    if name in ("move", "gate"):
        parts += ["free" if command["free"] else "free=no"] if "free" in command else [] if "pay" in command else ["paid"]
    for key in ("cards", "others"):
        if key in command:
            parts.append(show_cards(command[key]))
    if name == "offer_trade":
        parts.append(f"give {show_counts(command['give'])} want {show_counts(command['want'])}")
        parts += [key if command[key] else f"{key}=no" for key in ("keep", "wait") if key in command]
    if name == "support":
        builds = command["builds"]
        parts.append(str(builds) if isinstance(builds, int) else show_cards(builds))
        parts.append("disband " + (" ".join(_listed(command["disband"], "space")) or "none"))
    if "groups" in command:
        parts += _listed(command["groups"], "from")
    if "pay" in command:
        parts.append(f"pay {show_cards(command['pay'])}")
    return " ".join(parts)


def _listed(groups: Iterable[Mapping[str, Any]], place: str) -> list[str]:
    return [" ".join([group[place], *_show_group(group)]) for group in groups]
