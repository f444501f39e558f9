"""Orders as players write them, read as commands."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence

from gamesvc.games.kernel.game import Command, Data, Refused
from gamesvc.games.kernel.notation import number, pick, some, suggest, words
from gamesvc.games.space_fleet_commander.data import BOARDS, ROSTER, SHIPS
from gamesvc.games.space_fleet_commander.text.narrate import NOTHING
from gamesvc.json_types import JsonObject
from gamesvc.language import joined, say

VERBS = {
    "place": "place_ship",
    "place_ship": "place_ship",
    "remove": "remove_ship",
    "remove_ship": "remove_ship",
    "upgrade": "set_upgrade",
    "set_upgrade": "set_upgrade",
    "confirm": "confirm_fleet",
    "confirm_fleet": "confirm_fleet",
    "fleet": "form_fleet",
    "form_fleet": "form_fleet",
    "reroll": "reroll",
    "keep": "keep",
    "tinker": "tinker",
    "explore": "explore",
    "move": "explore",
    "go": "explore",
    "repair": "repair",
    "accept": "accept_hit",
    "accept_hit": "accept_hit",
    "take": "accept_hit",
    "hospital": "reroll_hit",
    "reroll_hit": "reroll_hit",
    "redirect": "redirect_hit",
    "redirect_hit": "redirect_hit",
    "bulwark": "redirect_hit",
    "push": "push_on",
    "push_on": "push_on",
    "end": "end_turn",
    "end_turn": "end_turn",
    "stop": "end_turn",
    "resign": "resign",
}


SLOTS = (
    {slot: slot for slot in ROSTER.order}
    | {part: slot for slot in ROSTER.order for part in slot.split("-")}
    | {slot.replace("-", "/"): slot for slot in ROSTER.order}
)


Read = Callable[[Sequence[str], Data, Data], Command]
_CHANGE = re.compile(r"(?:(?P<ship>[\d/-]+):)?(?P<die>[\d/-]+\.\d+)(?P<sign>[+x-])", re.IGNORECASE)


def spellings(verb: str) -> list[str]:
    """Return all words that mean the same order as this one."""
    return [verb, *(word for word, name in VERBS.items() if name == VERBS.get(verb))]


def parse(text: str, view: Data) -> Command:
    """Read one order. Raises `Refused("unreadable", ...)` with a suggestion."""
    parts = words(text)
    if not parts:
        raise Refused("unreadable", say("The order is empty. Write one of: {names}.", names=", ".join(_shown())))
    try:
        verb = pick(parts[0], VERBS, "order")
    except Refused as refused:
        raise Refused(
            refused.code, say("{detail} Orders: {names}.", detail=refused.sentence, names=", ".join(_shown())), refused.parameter
        ) from None
    sheet = view.get("sheet") or {}
    if verb == "form_fleet":
        return _form_fleet(text, view)
    command: Command = _READ[verb](parts[1:], sheet, view)
    return command


def _shown() -> list[str]:
    return [
        "place",
        "remove",
        "upgrade",
        "confirm",
        "fleet",
        "reroll",
        "keep",
        "tinker",
        "explore",
        "repair",
        "accept",
        "redirect",
        "push",
        "end turn",
        "resign",
    ]


def _slot(word: str) -> str:
    if word not in SLOTS:
        raise Refused(
            "unreadable", say("There is no slot {word!r}. Slots: {order}.", word=word, order=", ".join(ROSTER.order)), "slot"
        )
    return SLOTS[word]


def _die(word: str) -> str:
    slot, dot, count = word.rpartition(".")
    if not dot or not count.isdecimal() or len(count) > 1:
        raise Refused("unreadable", say("{word!r} is not a die. Write slot.number, as in 9.1.", word=word), "die")
    return f"{_slot(slot)}.{int(count)}"


def _count(parts: Sequence[str], least: int, most: int, form: str) -> None:
    if not least <= len(parts) <= most:
        raise Refused("unreadable", say("Write: {usage}.", usage=form))


def _nothing(name: str, form: str) -> Read:
    def read(parts: Sequence[str], sheet: Data, view: Data) -> Command:
        _count(parts, 0, 0, form)
        return {"name": name}

    return read


def _end_turn(parts: Sequence[str], sheet: Data, view: Data) -> Command:
    if [part.casefold() for part in parts] not in ([], ["turn"]):
        raise Refused("unreadable", say("Write: end turn."))
    return {"name": "end_turn"}


def _ship(word: str) -> str:
    names = {ship.id: ship.id for ship in SHIPS.values()} | {ship.name.replace(" ", ""): ship.id for ship in SHIPS.values()}
    return pick(word, names, "ship")


def _place(parts: Sequence[str], sheet: Data, view: Data) -> Command:
    """Read `place [DIE] SHIP SLOT`. A ship's name may be two words."""
    form = "place SHIP SLOT, or place DIE SHIP SLOT, as in: place 3 dreadnaught 5"
    if len(parts) < 2:
        raise Refused("unreadable", say("Write: {usage}.", usage=form))
    *front, last = parts
    slot = _slot(last)
    die = number(front.pop(0), "die") if len(front) > 1 and front[0].isdecimal() else None
    ship = _ship("".join(front))
    if die is None:
        formation = view.get("formation", ())
        free = [at for at in sheet.get("unplaced", ()) if formation[at] == SHIPS[ship].face]
        if not free:
            raise Refused(
                "unreadable",
                say("No unplaced die shows {face}, which buys the {ship}.", face=SHIPS[ship].face, ship=SHIPS[ship].name),
                "die",
            )
        die = free[0]
    return {"name": "place_ship", "die": die, "ship": ship, "slot": slot}


def _remove(parts: Sequence[str], sheet: Data, view: Data) -> Command:
    _count(parts, 1, 1, "remove SLOT")
    return {"name": "remove_ship", "slot": _slot(parts[0])}


def _upgrade(parts: Sequence[str], sheet: Data, view: Data) -> Command:
    _count(parts, 1, 2, "upgrade SLOT TARGET, as in: upgrade 4 5, or: upgrade 4 none")
    boats = sheet.get("drones", ())
    if len(parts) == 1 and len(boats) != 1:
        raise Refused("unreadable", say("Write: upgrade SLOT TARGET, the slot being that of the Drone Boat."), "slot")
    slot = _slot(parts[0]) if len(parts) == 2 else boats[0]
    target = None if parts[-1].casefold() in NOTHING else _slot(parts[-1])
    return {"name": "set_upgrade", "slot": slot, "target": target}


def _form_fleet(text: str, view: Data) -> Command:
    """Read `fleet 0 destroyer 2-3, 3 prison_barge 4, upgrade 4 5`: placements and upgrades, then the confirmation."""
    _, _, rest = text.strip().partition(" ")
    some(words(rest), "fleet none")
    if rest.strip().casefold() in NOTHING:
        rest = ""
    placements: list[JsonObject] = []
    upgrades: list[JsonObject] = []
    for piece in re.split(r"[,;\n]|\band\b", rest):
        parts = words(piece)
        if not parts:
            continue
        if parts[0].casefold() == "upgrade":
            _count(parts, 3, 3, "upgrade SLOT TARGET")
            command = _upgrade(parts[1:], {}, view)
            upgrades.append({"slot": command["slot"], "target": command["target"]})
            continue
        if len(parts) < 3:
            raise Refused(
                "unreadable", say("{word!r}: write DIE SHIP SLOT, as in 3 dreadnaught 5.", word=piece.strip()), "placements"
            )
        placements.append({"die": number(parts[0], "die"), "ship": _ship("".join(parts[1:-1])), "slot": _slot(parts[-1])})
    return {"name": "form_fleet", "placements": placements, "upgrades": upgrades}


def _reroll(parts: Sequence[str], sheet: Data, view: Data) -> Command:
    """Read dice by name, by colour, `all`, or none. `reroll hit` means the Hospital Barge, and so does `reroll` during a hit."""
    folded = [part.casefold() for part in parts]
    if folded == ["hit"] or (not parts and sheet.get("phase") == "hit"):
        return {"name": "reroll_hit"}
    if not parts:
        raise Refused("unreadable", say("Write: reroll DICE, as in: reroll 9.1 8.2, or: keep."), "dice")
    if len(folded) == 1 and folded[0] in NOTHING:
        return {"name": "reroll", "dice": []}
    live = [die for die in sheet.get("dice", ()) if die["status"] == "live"]
    allowed = ("white",) if sheet.get("phase") == "reroll_2" else ("white", "red")
    chosen: list[str] = []
    for word in folded:
        if word in ("all", "white", "red", "whites", "reds"):
            colours = allowed if word == "all" else (word.rstrip("s"),)
            chosen += [die["id"] for die in live if die["colour"] in colours and die["id"] not in chosen]
        else:
            chosen.append(_die(word))
    return {"name": "reroll", "dice": chosen}


def _keep(parts: Sequence[str], sheet: Data, view: Data) -> Command:
    if parts and parts != ["all"]:
        raise Refused("unreadable", say("Write: keep."))
    return {"name": "reroll", "dice": []}


def _changes(parts: Iterable[str], ships: Mapping[str, Sequence[str]]) -> tuple[list[JsonObject], list[JsonObject]]:
    """Read `5.2+`, `6:5.2-` and `9.1x`. An order without a ship uses the next unused one."""
    adjust: list[JsonObject] = []
    remove: list[JsonObject] = []
    for word in parts:
        match = _CHANGE.fullmatch(word)
        if match is None:
            raise Refused(
                "unreadable",
                say("{word!r} is not a change. Write 5.2+ or 5.2- (by one) or 9.1x (remove a 1).", word=word),
                "adjust",
            )
        sign = match["sign"].casefold()
        into, kind = (remove, "remove") if sign == "x" else (adjust, "adjust")
        if match["ship"]:
            ship = _slot(match["ship"])
        else:
            named = {entry["ship"] for entry in into}
            free = [slot for slot in ships[kind] if slot not in named]
            if not free:
                raise Refused("unreadable", say("{word}: no ship is left for this. Name it, as in 6:{word}.", word=word), kind)
            ship = free[0]
        entry: JsonObject = {"ship": ship, "die": _die(match["die"])}
        if sign != "x":
            entry["delta"] = 1 if sign == "+" else -1
        into.append(entry)
    return adjust, remove


def _able(sheet: Data, ability: str) -> list[str]:
    return [
        row["slot"]
        for row in sheet.get("roster", ())
        if row["live"] and row["ship"] in SHIPS and SHIPS[row["ship"]].ability == ability
    ]


def _tinker(parts: Sequence[str], sheet: Data, view: Data) -> Command:
    some(parts, "tinker none")
    if len(parts) == 1 and parts[0].casefold() in NOTHING:
        parts = ()
    ships = {"adjust": _able(sheet, "black_adjust"), "remove": _able(sheet, "remove_one")}
    adjust, remove = _changes(parts, ships)
    return {"name": "tinker", "adjust": adjust, "remove": remove}


def _explore(parts: Sequence[str], sheet: Data, view: Data) -> Command:
    if not parts:
        can = ", ".join(sheet.get("targets", ()))
        usage = say("Write: {usage}.", usage="explore HEX")
        raise Refused("unreadable", joined(usage, say("You can explore {hexes}.", hexes=can)) if can else usage, "hex")
    known = view["map"]["hexes"] if "map" in view else BOARDS["standard"].places
    place = parts[0].upper()
    if place not in known:
        raise Refused(
            "unreadable",
            say(
                "{word!r} is not a hex. Write it like {example}.{suggest}",
                word=parts[0],
                example=next(iter(known)),
                suggest=suggest(place, known),
            ),
            "hex",
        )
    command: JsonObject = {"name": "explore", "hex": place}
    rest = parts[1:]
    if len(rest) == 1 and rest[0].casefold() in NOTHING:
        command["adjust"] = []
    elif rest:
        adjust, remove = _changes(rest, {"adjust": _able(sheet, "battle_adjust"), "remove": ()})
        if remove:
            raise Refused("unreadable", say("Destroyers change dice by one: write 5.2+ or 5.2-."), "adjust")
        command["adjust"] = adjust
    return command


def _repair(parts: Sequence[str], sheet: Data, view: Data) -> Command:
    _count(parts, 1, 2, "repair SLOT, or repair TENDER SLOT, as in: repair 4 2-3")
    repair = sheet.get("repair") or {}
    if len(parts) == 1 and not repair:
        raise Refused("unreadable", say("Write: repair TENDER SLOT, as in: repair 4 2-3."), "tender")
    tender = _slot(parts[0]) if len(parts) == 2 else repair["tender"]
    return {"name": "repair", "tender": tender, "target": _slot(parts[-1])}


def _redirect(parts: Sequence[str], sheet: Data, view: Data) -> Command:
    _count(parts, 1, 1, "redirect SLOT, the slot being that of the Bulwark Ship")
    return {"name": "redirect_hit", "slot": _slot(parts[0])}


def _push(parts: Sequence[str], sheet: Data, view: Data) -> Command:
    parts = parts[1:] if parts and parts[0].casefold() == "without" else parts
    _count(parts, 1, 1, "push DIE, the die you set aside, as in: push 5.2")
    return {"name": "push_on", "die": _die(parts[0])}


_READ: Mapping[str, Read] = {
    "place_ship": _place,
    "remove_ship": _remove,
    "set_upgrade": _upgrade,
    "confirm_fleet": _nothing("confirm_fleet", "confirm"),
    "reroll": _reroll,
    "keep": _keep,
    "tinker": _tinker,
    "explore": _explore,
    "repair": _repair,
    "accept_hit": _nothing("accept_hit", "accept"),
    "reroll_hit": _nothing("reroll_hit", "reroll hit"),
    "redirect_hit": _redirect,
    "push_on": _push,
    "end_turn": _end_turn,
    "resign": _nothing("resign", "resign"),
}
