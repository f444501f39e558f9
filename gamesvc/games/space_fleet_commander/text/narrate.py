"""Events as sentences from a viewer's point of view."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from gamesvc.games.kernel.events import POSITIONED, REWOUND
from gamesvc.games.kernel.game import Data, Event, Viewer
from gamesvc.games.space_fleet_commander.data import BOARDS, ROSTER, SHIPS

SEATS = ("Red", "Blue", "Yellow", "Green", "Plum", "White")


NOTHING = frozenset({"none", "nothing", "no", "0", "-", "skip"})


ENDINGS = {
    "emperor": "the last star is filled in",
    "time": "all time boxes are marked",
    "cornered": "no unexplored hex is adjacent",
    "stuck": "too few dice for any adjacent hex",
    "destroyed": "the whole fleet is destroyed",
    "resigned": "resigned",
    "all_finished": "all sheets are finished",
}


SOURCES = {"sabotage": "sabotage", "hex": "the hex", "failure": "the failed exploration", "turn": "the end of the turn"}


def seat_name(seat: int, names: Sequence[str]) -> str:
    return names[seat] if seat < len(names) and names[seat] else SEATS[seat]


def _ship(ship: str) -> str:
    return SHIPS[ship].name if ship in SHIPS else ROSTER.flag.name


def stars_of(count: int) -> str:
    return f"{count} star" if count == 1 else f"{count} stars"


def _dice(count: int) -> str:
    return f"{count} die" if count == 1 else f"{count} dice"


def listed(items: Sequence[Any]) -> str:
    texts = [str(item) for item in items]
    return " and ".join([", ".join(texts[:-1]), texts[-1]]) if len(texts) > 1 else "".join(texts)


def _place_in_pool(die: str) -> tuple[int, int]:
    slot, _, number = die.rpartition(".")
    return ROSTER.order.index(slot) if slot in ROSTER.order else len(ROSTER.order), int(number)


def _values(dice: Mapping[str, int]) -> str:
    """Return the results in pool order."""
    return ", ".join(f"{dice[die]} ({die})" for die in sorted(dice, key=_place_in_pool))


class _Teller:
    """The facts of one event with the subject of its sentence: you, or a seat by name."""

    def __init__(self, data: Data, viewer: Viewer, names: Sequence[str]) -> None:
        self.data = data
        seat = data.get("seat", 0)
        self.you = seat == viewer
        self.who = "You" if self.you else seat_name(seat, names)
        self.their = "your" if self.you else "their"

    def does(self, verb: str, thing: str = "") -> str:
        """Return a sentence in the past tense, whose verb fits all subjects: `You rolled ...`, `Red rolled ...`."""
        return f"{self.who} {verb}{f' {thing}' if thing else ''}."


def _created(t: _Teller) -> str:
    words = {"classic": "Classic", "high_score": "High score", "race": f"Race of {t.data['seats']}"}
    return f"{words[t.data['mode']]} on {BOARDS[t.data['map']].name}." if t.data["map"] in BOARDS else "The match was set up."


def _hit_rolled(t: _Teller) -> str:
    d = t.data
    total = d["a"] + d["b"]
    where = f"slot {d['plot']}" if d["plot"] else "no slot"
    return f"A hit from {SOURCES[d['source']]}: {d['a']} + {d['b']} = {total}, {where}."


def _explored(t: _Teller) -> str:
    d = t.data
    if "hex" not in d:
        return t.does("scored", f"{stars_of(d['stars'])}, now {d['total']}")
    kind = d["kind"].replace("_", " ").title()
    return t.does("explored", f"{d['hex']}, {kind}: {stars_of(d['stars'])}, now {d['total']}")


def _finished(t: _Teller) -> str:
    d = t.data
    why = f": {ENDINGS[d['reason']]}" if "reason" in d else ""
    title = f", {d['title']}" if d["title"] else ""
    owner = "Your sheet" if t.you else f"{t.who}'s sheet"
    return f"{owner} is finished{why}. {stars_of(d['stars'])}{title}."


def _time(t: _Teller) -> str:
    why = f" ({SOURCES[t.data['source']]})" if "source" in t.data else ""
    return t.does("marked", f"time box {t.data['box']}{why}")


_TELL: dict[str, Callable[[_Teller], str]] = {
    "game_created": _created,
    "fleet_dice_rolled": lambda t: f"Formation dice: {', '.join(map(str, t.data['dice']))}.",
    "ship_placed": lambda t: t.does("placed", f"{_ship(t.data['ship'])} in slot {t.data['slot']}"),
    "ship_removed": lambda t: t.does("removed", f"the ships in slot {listed(t.data['slots'])}"),
    "upgrade_set": lambda t: (
        f"The Drone Boat in {t.data['slot']} upgrades the ship in {t.data['target']}."
        if t.data["target"]
        else f"The Drone Boat in {t.data['slot']} upgrades no ship."
    ),
    "fleet_confirmed": lambda t: t.does("confirmed", f"{t.their} fleet: {_dice(len(t.data['pool']))}"),
    "turn_started": lambda t: f"Turn {t.data['turn']} of {'your sheet' if t.you else t.who} began.",
    "dice_rolled": lambda t: t.does("rolled", f"{_values(t.data['dice'])} in attempt {t.data['attempt']}"),
    "dice_rerolled": lambda t: t.does("rerolled", f"to {_values(t.data['dice'])}"),
    "dice_kept": lambda t: t.does("kept", "all dice"),
    "die_adjusted": lambda t: (
        f"The ship in {t.data['ship']} changed {t.data['die']} from {t.data['before']} to {t.data['value']}."
    ),
    "die_removed": lambda t: f"The Prison Barge in {t.data['ship']} removed {t.data['die']}.",
    "ones_counted": lambda t: f"Dice showing 1: {listed(t.data['dice'])}." if t.data["dice"] else "No die shows 1.",
    "targets_found": lambda t: f"The dice reach {listed(t.data['hexes'])}.",
    "exploration_failed": lambda t: "The exploration failed: two hits.",
    "hex_explored": _explored,
    "rank_gained": lambda t: t.does("gained", f"the rank of {t.data['title']}"),
    "hull_added": lambda t: (
        f"The Repair Tender in {t.data['tender']} added 1 hull to slot {t.data['slot']}, now {t.data['hull']}."
    ),
    "repair_due": lambda t: f"The Repair Tender in {t.data['tender']} can add hull to slot {' or '.join(t.data['candidates'])}.",
    "push_offered": lambda t: t.does("may push on or end the turn"),
    "die_set_aside": lambda t: t.does("set aside", t.data["die"]),
    "turn_ended": lambda t: f"Turn {t.data['turn']} of {'your sheet' if t.you else t.who} ended.",
    "turn_awaited": lambda t: t.does("waited for the other sheets"),
    "sabotage_marked": lambda t: f"Sabotage cell {t.data['cell']} was marked{': ' + t.data['icon'] if t.data['icon'] else ''}.",
    "time_marked": _time,
    "time_ignored": lambda t: "The Temporal Buoy ignored a time hazard.",
    "hit_rolled": _hit_rolled,
    "hit_missed": lambda t: "The hit missed.",
    "hospital_used": lambda t: f"The Hospital Barge in {t.data['slot']} rolled the hit again.",
    "hit_redirected": lambda t: f"The Bulwark Ship in {t.data['slot']} took the hit for slot {t.data['origin']}.",
    "ship_damaged": lambda t: f"The ship in {t.data['slot']} has {t.data['damage']} damage.",
    "ship_destroyed": lambda t: (
        f"{_ship(t.data['ship'])} in {t.data['slot']} was destroyed"
        + (f"; lost dice: {listed(t.data['dice_lost'])}." if t.data["dice_lost"] else ".")
    ),
    "sheet_finished": _finished,
    "game_over": lambda t: f"The match is over. Stars: {', '.join(map(str, t.data['stars']))}.",
    REWOUND: lambda t: f"The match went back to version {t.data['to']}.",
    POSITIONED: lambda t: "The match began from a described position.",
}


def tell(event: Event, viewer: Viewer, names: Sequence[str]) -> str:
    """Describe one redacted event in a sentence from the viewer's point of view; "" for an event of the service."""
    write = _TELL.get(event.type)
    return write(_Teller(event.data, viewer, names)) if write else ""
