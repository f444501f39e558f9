"""Events as sentences from a viewer's point of view."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from gamesvc.games.kernel.events import POSITIONED, REWOUND
from gamesvc.games.kernel.game import Data, Event, Viewer
from gamesvc.games.kernel.wording import counted, listed, named, seat_name
from gamesvc.games.space_fleet_commander.data import BOARDS, ROSTER, SHIPS

NOTHING = frozenset({"none", "nothing", "no", "0", "-", "skip"})


ENDINGS = {
    "emperor": "the last star is filled in",
    "time": "all time boxes are marked",
    "cornered": "no unexplored hex is adjacent",
    "stuck": "too few dice for any adjacent hex",
    "destroyed": "the whole fleet is destroyed",
    "resigned": "by resignation",
    "all_finished": "all sheets are finished",
}


SOURCES = {"sabotage": "sabotage", "hex": "the hex", "failure": "the failed exploration", "turn": "the end of the turn"}


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


class _Teller:
    """The facts of one event with the subject of its sentence: you, or a seat by name."""

    def __init__(self, data: Data, viewer: Viewer, names: Sequence[str]) -> None:
        self.data, self.names, self.viewer = data, names, viewer
        seat = data.get("seat", 0)
        self.you = seat == viewer
        self.who = "You" if self.you else seat_name(seat, names)
        self.their = "your" if self.you else "their"
        self.whose = "your" if self.you else f"{self.who}'s"
        self.Whose = "Your" if self.you else self.whose

    def ship(self, ship: str, slot: str) -> str:
        return f"{self.Whose} {ship} in slot {slot}"

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
    return f"A hit on {t.whose} fleet from {SOURCES[d['source']]}: {d['a']} + {d['b']} = {total}, {where}."


def _explored(t: _Teller) -> str:
    d = t.data
    gained = f"{stars_of(d['stars'])}, {d['total']} in all"
    if "hex" not in d:
        return t.does("scored", gained)
    return t.does("explored", f"{d['hex']}, {d['kind'].replace('_', ' ').title()}: {gained}")


def _finished(t: _Teller) -> str:
    d = t.data
    why = f": {ENDINGS[d['reason']]}" if "reason" in d else ""
    title = f", {d['title']}" if d["title"] else ""
    return f"{t.Whose} sheet is finished{why}. {stars_of(d['stars'])}{title}."


def _over(t: _Teller) -> str:
    stars = t.data["stars"]
    if len(stars) == 1:
        return f"The match is over with {stars_of(stars[0])}."
    each = (f"{'you' if seat == t.viewer else seat_name(seat, t.names)} {count}" for seat, count in enumerate(stars))
    return f"The match is over. Stars: {listed(each)}."


def _time(t: _Teller) -> str:
    why = f" ({SOURCES[t.data['source']]})" if "source" in t.data else ""
    return t.does("marked", f"time box {t.data['box']}{why}")


def _upgraded(t: _Teller) -> str:
    target = f"the ship in slot {t.data['target']}" if t.data["target"] else "no ship"
    return f"{t.ship('Drone Boat', t.data['slot'])} upgrades {target}."


def _destroyed(t: _Teller) -> str:
    lost = f"; lost dice: {listed(t.data['dice_lost'])}" if t.data["dice_lost"] else ""
    return f"{t.ship(_ship(t.data['ship']), t.data['slot'])} was destroyed{lost}."


def _ones(t: _Teller) -> str:
    if not t.data["dice"]:
        return f"{t.Whose} dice show no 1."
    return f"{t.Whose} dice showing 1: {listed(t.data['dice'])}."


_TELL: dict[str, Callable[[_Teller], str]] = {
    "game_created": _created,
    "fleet_dice_rolled": lambda t: f"Formation dice: {', '.join(map(str, t.data['dice']))}.",
    "ship_placed": lambda t: t.does("placed", f"the {_ship(t.data['ship'])} in slot {t.data['slot']}"),
    "ship_removed": lambda t: t.does(
        "removed", f"the ship{'' if len(t.data['slots']) == 1 else 's'} in {named('slot', t.data['slots'])}"
    ),
    "upgrade_set": _upgraded,
    "fleet_confirmed": lambda t: t.does("confirmed", f"{t.their} fleet: {counted(len(t.data['pool']), 'die', 'dice')}"),
    "turn_started": lambda t: t.does("began", f"turn {t.data['turn']}"),
    "dice_rolled": lambda t: t.does("rolled", f"{_values(t.data['dice'])} in attempt {t.data['attempt']}"),
    "dice_rerolled": lambda t: t.does("rerolled", f"to {_values(t.data['dice'])}"),
    "dice_kept": lambda t: t.does("kept", "all dice"),
    "die_adjusted": lambda t: (
        f"{t.ship('ship', t.data['ship'])} changed die {t.data['die']} from {t.data['before']} to {t.data['value']}."
    ),
    "die_removed": lambda t: f"{t.ship('Prison Barge', t.data['ship'])} removed die {t.data['die']}.",
    "ones_counted": _ones,
    "targets_found": lambda t: f"{t.Whose} dice reach {listed(t.data['hexes'])}.",
    "exploration_failed": lambda t: f"{t.Whose} exploration failed: two hits.",
    "hex_explored": _explored,
    "rank_gained": lambda t: t.does("gained", f"the rank of {t.data['title']}"),
    "hull_added": lambda t: (
        f"{t.ship('Repair Tender', t.data['tender'])} added 1 hull to slot {t.data['slot']}, now {t.data['hull']}."
    ),
    "repair_due": lambda t: (
        f"{t.ship('Repair Tender', t.data['tender'])} can add hull to slot {listed(t.data['candidates'], 'or')}."
    ),
    "push_offered": lambda t: t.does("may push on or end the turn"),
    "die_set_aside": lambda t: t.does("set aside", f"die {t.data['die']}"),
    "turn_ended": lambda t: t.does("ended", f"turn {t.data['turn']}"),
    "turn_awaited": lambda t: t.does("waited for the other sheets"),
    "sabotage_marked": lambda t: t.does(
        "marked", f"sabotage cell {t.data['cell']}{': ' + t.data['icon'] if t.data['icon'] else ''}"
    ),
    "time_marked": _time,
    "time_ignored": lambda t: f"{t.Whose} Temporal Buoy ignored a time hazard.",
    "hit_rolled": _hit_rolled,
    "hit_missed": lambda t: f"The hit missed {t.whose} fleet.",
    "hospital_used": lambda t: f"{t.ship('Hospital Barge', t.data['slot'])} rerolled the hit.",
    "hit_redirected": lambda t: f"{t.ship('Bulwark Ship', t.data['slot'])} took the hit for slot {t.data['origin']}.",
    "ship_damaged": lambda t: f"{t.ship('ship', t.data['slot'])} now has {t.data['damage']} damage.",
    "ship_destroyed": _destroyed,
    "sheet_finished": _finished,
    "game_over": _over,
    REWOUND: lambda t: f"The match went back to version {t.data['to']}.",
    POSITIONED: lambda t: "The match began from a described position.",
}


def tell(event: Event, viewer: Viewer, names: Sequence[str]) -> str:
    """Describe one redacted event in a sentence from the viewer's point of view; "" for an event of the service."""
    write = _TELL.get(event.type)
    return write(_Teller(event.data, viewer, names)) if write else ""
