"""Events as sentences from a viewer's point of view. Ships, missions and ranks keep their names in every language."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from gamesvc.games.kernel.events import POSITIONED, REWOUND
from gamesvc.games.kernel.game import Data, Event, Viewer
from gamesvc.games.kernel.telling import Part
from gamesvc.games.kernel.wording import Speaker, counted, listed, named
from gamesvc.games.space_fleet_commander.data import BOARDS, ROSTER, SHIPS
from gamesvc.language import mark, say

NOTHING = frozenset({"none", "nothing", "no", "0", "-", "skip"})


ENDINGS = {
    "emperor": mark("the last star is filled in"),
    "time": mark("all time boxes are marked"),
    "cornered": mark("no unexplored hex is adjacent"),
    "stuck": mark("too few dice for any adjacent hex"),
    "destroyed": mark("the whole fleet is destroyed"),
    "resigned": mark("by resignation"),
    "all_finished": mark("all sheets are finished"),
}


SOURCES = {
    "sabotage": mark("sabotage"),
    "hex": mark("the hex"),
    "failure": mark("the failed exploration"),
    "turn": mark("the end of the turn"),
}


HAZARDS = {"damage": mark("damage"), "time": mark("time"), "sabotage": mark("sabotage")}
"""The dangers of hexes, and the icons of sabotage cells."""


def _ship(ship: str) -> str:
    return SHIPS[ship].name if ship in SHIPS else ROSTER.flag.name


def stars_of(count: int) -> str:
    return counted(count, "star")


def _place_in_pool(die: str) -> tuple[int, int]:
    slot, _, number = die.rpartition(".")
    return ROSTER.order.index(slot) if slot in ROSTER.order else len(ROSTER.order), int(number)


def _values(dice: Mapping[str, int]) -> str:
    """Return the results in pool order."""
    return ", ".join(f"{dice[die]} ({die})" for die in sorted(dice, key=_place_in_pool))


class _Teller(Speaker):
    """The facts of one event, and sentences about its seat."""

    def __init__(self, data: Data, viewer: Viewer, names: Sequence[str]) -> None:
        super().__init__(viewer, names)
        self.data = data
        self.seat: int = data.get("seat", 0)


def _created(t: _Teller) -> str:
    if t.data["map"] not in BOARDS:
        return say("The match was set up.")
    board = BOARDS[t.data["map"]].name
    if t.data["mode"] == "race":
        return say("Race of {seats} on {map}.", seats=t.data["seats"], map=board)
    return say("Classic on {map}.", map=board) if t.data["mode"] == "classic" else say("High score on {map}.", map=board)


def _hit_rolled(t: _Teller) -> str:
    d = t.data
    rolled = {"source": say(SOURCES[d["source"]]), "a": d["a"], "b": d["b"], "total": d["a"] + d["b"]}
    if d["plot"]:
        return t.says(
            "A hit on {whose} fleet from {source}: {a} + {b} = {total}, slot {slot}.", whom=t.seat, slot=d["plot"], **rolled
        )
    return t.says("A hit on {whose} fleet from {source}: {a} + {b} = {total}, no slot.", whom=t.seat, **rolled)


def _explored(t: _Teller) -> str:
    d = t.data
    stars = stars_of(d["stars"])
    if "hex" not in d:
        return t.says("{who} scored {stars}, {total} in all.", who=t.seat, stars=stars, total=d["total"])
    kind = d["kind"].replace("_", " ").title()
    return t.says(
        "{who} explored {hex}, {kind}: {stars}, {total} in all.",
        who=t.seat,
        hex=d["hex"],
        kind=kind,
        stars=stars,
        total=d["total"],
    )


def _finished(t: _Teller) -> str:
    d = t.data
    gained = stars_of(d["stars"]) + (f", {d['title']}" if d["title"] else "")
    if "reason" not in d:
        return t.says("{whose} sheet is finished. {stars}.", whom=t.seat, stars=gained)
    return t.says("{whose} sheet is finished: {reason}. {stars}.", whom=t.seat, reason=say(ENDINGS[d["reason"]]), stars=gained)


def _over(t: _Teller) -> str:
    stars = t.data["stars"]
    if len(stars) == 1:
        return say("The match is over with {stars}.", stars=stars_of(stars[0]))
    each = (f"{t.who(seat)} {count}" for seat, count in enumerate(stars))
    return say("The match is over. Stars: {stars}.", stars=listed(each))


def _time(t: _Teller) -> str:
    if "source" not in t.data:
        return t.says("{who} marked time box {box}.", who=t.seat, box=t.data["box"])
    source = say(SOURCES[t.data["source"]])
    return t.says("{who} marked time box {box} ({source}).", who=t.seat, box=t.data["box"], source=source)


def _upgraded(t: _Teller) -> str:
    if not t.data["target"]:
        return t.says("{whose} Drone Boat in slot {slot} upgrades no ship.", whom=t.seat, slot=t.data["slot"])
    return t.says(
        "{whose} Drone Boat in slot {slot} upgrades the ship in slot {target}.",
        whom=t.seat,
        slot=t.data["slot"],
        target=t.data["target"],
    )


def _destroyed(t: _Teller) -> str:
    shown = {"ship": _ship(t.data["ship"]), "slot": t.data["slot"]}
    if not t.data["dice_lost"]:
        return t.says("{whose} {ship} in slot {slot} was destroyed.", whom=t.seat, **shown)
    dice = listed(t.data["dice_lost"])
    return t.says("{whose} {ship} in slot {slot} was destroyed; lost dice: {dice}.", whom=t.seat, dice=dice, **shown)


def _ones(t: _Teller) -> str:
    if not t.data["dice"]:
        return t.says("{whose} dice show no 1.", whom=t.seat)
    return t.says("{whose} dice showing 1: {dice}.", whom=t.seat, dice=listed(t.data["dice"]))


def _removed(t: _Teller) -> str:
    slots = named("slot", t.data["slots"])
    if len(t.data["slots"]) == 1:
        return t.says("{who} removed the ship in {slots}.", who=t.seat, slots=slots)
    return t.says("{who} removed the ships in {slots}.", who=t.seat, slots=slots)


def _sabotaged(t: _Teller) -> str:
    if not t.data["icon"]:
        return t.says("{who} marked sabotage cell {cell}.", who=t.seat, cell=t.data["cell"])
    icon = say(HAZARDS[t.data["icon"]])
    return t.says("{who} marked sabotage cell {cell}: {icon}.", who=t.seat, cell=t.data["cell"], icon=icon)


def _adjusted(t: _Teller) -> str:
    d = t.data
    return t.says(
        "{whose} ship in slot {slot} changed die {die} from {before} to {value}.",
        whom=t.seat,
        slot=d["ship"],
        die=d["die"],
        before=d["before"],
        value=d["value"],
    )


def _hull(t: _Teller) -> str:
    d = t.data
    return t.says(
        "{whose} Repair Tender in slot {tender} added 1 hull to slot {slot}, now {hull}.",
        whom=t.seat,
        tender=d["tender"],
        slot=d["slot"],
        hull=d["hull"],
    )


PARTS: dict[str, Part] = {
    "hex_explored": "decisive",
    "exploration_failed": "decisive",
    "ship_destroyed": "decisive",
    "ship_damaged": "decisive",
    "rank_gained": "decisive",
    "sheet_finished": "decisive",
    "game_over": "decisive",
    "ones_counted": "course",
    "targets_found": "course",
    "push_offered": "course",
    "hit_rolled": "course",
    "turn_awaited": "course",
    "turn_started": "course",
    "dice_rolled": "course",
}
"""The parts of an act, beside its plain outcome, that events tell."""
_TELL: dict[str, Callable[[_Teller], str]] = {
    "game_created": _created,
    "fleet_dice_rolled": lambda t: say("Formation dice: {dice}.", dice=", ".join(map(str, t.data["dice"]))),
    "ship_placed": lambda t: t.says(
        "{who} placed the {ship} in slot {slot}.", who=t.seat, ship=_ship(t.data["ship"]), slot=t.data["slot"]
    ),
    "ship_removed": _removed,
    "upgrade_set": _upgraded,
    "fleet_confirmed": lambda t: t.says(
        "{who} confirmed {their} fleet: {dice}.", who=t.seat, dice=counted(len(t.data["pool"]), "die", "dice")
    ),
    "turn_started": lambda t: t.says("{who} began turn {turn}.", who=t.seat, turn=t.data["turn"]),
    "dice_rolled": lambda t: t.says(
        "{who} rolled {dice} in attempt {attempt}.", who=t.seat, dice=_values(t.data["dice"]), attempt=t.data["attempt"]
    ),
    "dice_rerolled": lambda t: t.says("{who} rerolled to {dice}.", who=t.seat, dice=_values(t.data["dice"])),
    "dice_kept": lambda t: t.says("{who} kept all dice.", who=t.seat),
    "die_adjusted": _adjusted,
    "die_removed": lambda t: t.says(
        "{whose} Prison Barge in slot {slot} removed die {die}.", whom=t.seat, slot=t.data["ship"], die=t.data["die"]
    ),
    "ones_counted": _ones,
    "targets_found": lambda t: t.says("{whose} dice reach {hexes}.", whom=t.seat, hexes=listed(t.data["hexes"])),
    "exploration_failed": lambda t: t.says("{whose} exploration failed: two hits.", whom=t.seat),
    "hex_explored": _explored,
    "rank_gained": lambda t: t.says("{who} gained the rank of {title}.", who=t.seat, title=t.data["title"]),
    "hull_added": _hull,
    "repair_due": lambda t: t.says(
        "{whose} Repair Tender in slot {tender} can add hull to slot {slots}.",
        whom=t.seat,
        tender=t.data["tender"],
        slots=listed(t.data["candidates"], "or"),
    ),
    "push_offered": lambda t: t.says("{who} may push on or end the turn.", who=t.seat),
    "die_set_aside": lambda t: t.says("{who} set aside die {die}.", who=t.seat, die=t.data["die"]),
    "turn_ended": lambda t: t.says("{who} ended turn {turn}.", who=t.seat, turn=t.data["turn"]),
    "turn_awaited": lambda t: t.says("{who} waited for the other sheets.", who=t.seat),
    "sabotage_marked": _sabotaged,
    "time_marked": _time,
    "time_ignored": lambda t: t.says("{whose} Temporal Buoy ignored a time hazard.", whom=t.seat),
    "hit_rolled": _hit_rolled,
    "hit_missed": lambda t: t.says("The hit missed {whose} fleet.", whom=t.seat),
    "hospital_used": lambda t: t.says(
        "{whose} Hospital Barge in slot {slot} rerolled the hit.", whom=t.seat, slot=t.data["slot"]
    ),
    "hit_redirected": lambda t: t.says(
        "{whose} Bulwark Ship in slot {slot} took the hit for slot {origin}.",
        whom=t.seat,
        slot=t.data["slot"],
        origin=t.data["origin"],
    ),
    "ship_damaged": lambda t: t.says(
        "{whose} ship in slot {slot} now has {damage} damage.", whom=t.seat, slot=t.data["slot"], damage=t.data["damage"]
    ),
    "ship_destroyed": _destroyed,
    "sheet_finished": _finished,
    "game_over": _over,
    REWOUND: lambda t: say("The match went back to version {version}.", version=t.data["to"]),
    POSITIONED: lambda t: say("The match began from a described position."),
}


def turn_owner(event: Event) -> int | None:
    """Return the seat whose turn begins with an event: each fleet counts its own (RULES.md 4)."""
    seat: int | None = event.data.get("seat") if event.type == "turn_started" else None
    return seat


def tell(event: Event, viewer: Viewer, names: Sequence[str]) -> str:
    """Describe one redacted event in a sentence from the viewer's point of view; "" for an event of the service."""
    write = _TELL.get(event.type)
    return write(_Teller(event.data, viewer, names)) if write else ""
