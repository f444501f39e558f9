"""The data of the game, read once from TOML and checked: ships and roster (`ships.toml`), maps (`maps/*.toml`).

A map file without tracks or kinds uses those of `standard.toml`; it may replace any of them (help.md explains how). Nothing here
depends on a match.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from gamesvc.errors import GamesvcError
from gamesvc.json_types import JsonMapping, JsonObject

HERE = Path(__file__).parent
COLOURS = ("white", "red", "black")
STANDARD = "standard"
PLANETFALL = "planetfall"
REQUIREMENTS = ("sum_at_least", "groups", "count_of", "contains_each", "every")
HAZARDS = ("damage", "time")
ICONS = {"o": "", "D": "damage", "T": "time"}
AROUND = ((1, 0), (-1, 0), (0, 1), (0, -1), (1, -1), (-1, 1))


class BadData(GamesvcError, ValueError):
    """A data file is inconsistent. The message names the file and the fault."""


@dataclass(frozen=True, slots=True)
class Ship:
    """A row of the ship reference table."""

    id: str
    name: str
    face: int
    slots: tuple[str, ...]
    hull: int
    dice: tuple[str, ...]  # the colours of its dice: white first, then red, then black
    ability: str
    note: str
    requires: str


@dataclass(frozen=True, slots=True)
class Requirement:
    """A test of the usable dice. The type determines which of `sizes`, `values` and `n` are used."""

    type: str
    n: int = 0
    sizes: tuple[int, ...] = ()
    values: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of mission."""

    id: str
    name: str
    stars: int
    hazards: tuple[str, ...]
    combat: bool
    min_dice: int
    requirement: Requirement
    text: str


@dataclass(frozen=True, slots=True)
class Place:
    """A hex of a map."""

    id: str
    q: int
    r: int
    kind: str


@dataclass(frozen=True, slots=True)
class Board:
    """A map with its kinds and tracks."""

    id: str
    name: str
    start: str
    places: Mapping[str, Place]
    neighbours: Mapping[str, tuple[str, ...]]  # in id order
    kinds: Mapping[str, Kind]
    time_boxes: int
    stars_to_win: int
    ranks: tuple[str, ...]
    rows: tuple[int, ...]  # the number of sabotage cells in each printed row
    sabotage: tuple[str, ...]  # the icon of each cell: "", "damage", "time"

    def kind(self, place: str) -> Kind:
        return self.kinds[self.places[place].kind]

    def rank(self, stars: int) -> int:
        """Return the index of the rank reached, counted from 0; -1 for none (RULES.md 12.18)."""
        return min(stars // 10, len(self.ranks)) - 1

    def title(self, stars: int) -> str:
        rank = self.rank(stars)
        return self.ranks[rank] if rank >= 0 else ""


def _read(path: Path) -> JsonObject:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise BadData(f"{path.name}: {error}") from error


def _dice(table: Mapping[str, int]) -> tuple[str, ...]:
    return tuple(colour for colour in COLOURS for _ in range(table.get(colour, 0)))


@dataclass(frozen=True, slots=True)
class Roster:
    """The rows of the fleet roster."""

    order: tuple[str, ...]
    flag_slot: str
    flag: Ship
    limit: int  # maximum number of dice of one colour
    formation: int  # number of formation dice
    plot: Mapping[int, str]  # sum of 2d6 -> slot, "" for none
    adjacent: Mapping[str, tuple[str, ...]]
    ships: Mapping[str, Ship]  # in table order


def load_roster(path: Path) -> Roster:
    """Read and check `ships.toml`."""
    raw = _read(path)
    rows = raw["roster"]
    order = tuple(rows["order"])
    ships = {
        entry["id"]: Ship(
            entry["id"],
            entry["name"],
            entry["face"],
            tuple(entry["slots"]),
            entry["hull"],
            _dice(entry["dice"]),
            entry["ability"],
            entry["note"],
            entry["requires_adjacent"],
        )
        for entry in raw["ship"]
    }
    flag = raw["flag"]
    roster = Roster(
        order,
        rows["flag_slot"],
        Ship(flag["id"], flag["name"], 0, (rows["flag_slot"],), flag["hull"], _dice(flag["dice"]), "", "", ""),
        rows["dice_per_colour_limit"],
        rows["formation_dice"],
        {int(total): slot for total, slot in rows["plot"].items()},
        {slot: tuple(near) for slot, near in rows["adjacent"].items()},
        ships,
    )
    if set(roster.plot) != set(range(2, 13)) or not {*roster.plot.values()} <= {*order, ""}:
        raise BadData(f"{path.name}: the plot must name a slot (or nothing) for each sum of 2 to 12")
    if any(slot not in roster.adjacent[near] for slot in order for near in roster.adjacent[slot]):
        raise BadData(f"{path.name}: adjacency must be mutual")
    for ship in ships.values():
        if not 1 <= ship.face <= 6 or not {*ship.slots} <= {*order} - {roster.flag_slot} or ship.hull < 1:
            raise BadData(f"{path.name}: {ship.id}: face 1 to 6, slots of the roster but the flag's, hull 1 or more")
        if ship.requires and ship.requires not in ships:
            raise BadData(f"{path.name}: {ship.id} requires an unknown ship {ship.requires!r}")
    return roster


def _kind(name: str, raw: JsonMapping, where: str) -> Kind:
    rule = raw["requirement"]
    need = Requirement(rule["type"], rule.get("n", 0), tuple(rule.get("sizes", ())), tuple(rule.get("values", ())))
    kind = Kind(name, raw["name"], raw["stars"], tuple(raw["hazards"]), raw["combat"], raw["min_dice"], need, raw["text"])
    if need.type not in REQUIREMENTS or not {*kind.hazards} <= {*HAZARDS}:
        raise BadData(f"{where}: {name}: requirement is one of {', '.join(REQUIREMENTS)}; hazards of {', '.join(HAZARDS)}")
    if not {*need.values} <= {2, 3, 4, 5, 6} or kind.stars < 0 or kind.min_dice < 1:
        raise BadData(f"{where}: {name}: values lie within 2 to 6, stars from 0, min_dice from 1")
    return kind


def parse_board(raw: JsonMapping, where: str, standard: JsonMapping) -> Board:
    """Build a map from its TOML and check it: known kinds, correct totals, every hex reachable. Raises `BadData`."""
    head = raw.get("map", {})
    missing = [name for name in ("id", "name", "start", "missions", "stars", "hex") if name not in head]
    if missing:
        raise BadData(f"{where}: [map] lacks {', '.join(missing)}")
    tracks = standard["tracks"] | raw.get("tracks", {})
    kinds = {name: _kind(name, entry, where) for name, entry in (standard["kinds"] | raw.get("kinds", {})).items()}
    start, places = head["start"], _places(head["hex"], kinds, where)
    if start not in places or [p.id for p in places.values() if p.kind == "start"] != [start]:
        raise BadData(f'{where}: the start hex {start} and no other must be of kind "start"')
    neighbours = _neighbours(places)
    if lost := sorted(places.keys() - _reached(start, neighbours)):
        raise BadData(f"{where}: not reachable from {start}: {', '.join(lost)}")
    stars = sum(kinds[place.kind].stars for place in places.values() if place.id != start)
    if (len(places) - 1, stars) != (head["missions"], head["stars"]):
        raise BadData(f"{where}: {len(places) - 1} missions with {stars} stars are listed, not as [map] says")
    sabotage = "".join(tracks["sabotage"])
    if not {*sabotage} <= ICONS.keys():
        raise BadData(f"{where}: sabotage cells are written o, D or T")
    return Board(
        head["id"],
        head["name"],
        start,
        places,
        neighbours,
        kinds,
        tracks["time_boxes"],
        tracks["stars_to_win"],
        tuple(tracks["ranks"]),
        tuple(map(len, tracks["sabotage"])),
        tuple(ICONS[cell] for cell in sabotage),
    )


def _places(hexes: Iterable[JsonMapping], kinds: Mapping[str, Kind], where: str) -> dict[str, Place]:
    places: dict[str, Place] = {}
    spots: set[tuple[int, int]] = set()
    for entry in hexes:
        place = Place(entry["id"], entry["q"], entry["r"], entry["kind"])
        if place.id in places or (place.q, place.r) in spots:
            raise BadData(f"{where}: hex {place.id} or its spot occurs twice")
        if place.kind not in kinds and place.kind != "start":
            raise BadData(f"{where}: hex {place.id} has the unknown kind {place.kind!r}; known: {', '.join(kinds)}")
        places[place.id] = place
        spots.add((place.q, place.r))
    return places


def _neighbours(places: Mapping[str, Place]) -> dict[str, tuple[str, ...]]:
    spots = {(place.q, place.r): place.id for place in places.values()}
    return {
        place.id: tuple(sorted(spots[at] for dq, dr in AROUND if (at := (place.q + dq, place.r + dr)) in spots))
        for place in places.values()
    }


def _reached(start: str, neighbours: Mapping[str, Iterable[str]]) -> set[str]:
    reached, waiting = {start}, [start]
    while waiting:
        new = set(neighbours[waiting.pop()]) - reached
        reached |= new
        waiting.extend(new)
    return reached


def load_boards(folder: Path) -> dict[str, Board]:
    """Read every map in a folder, the standard map first."""
    standard = _read(folder / f"{STANDARD}.toml")
    boards = {}
    for path in sorted(folder.glob("*.toml"), key=lambda one: (one.stem != STANDARD, one.stem)):
        board = parse_board(_read(path), path.name, standard)
        if board.id != path.stem:
            raise BadData(f"{path.name}: the map's id must be the file's name, {path.stem!r}")
        boards[board.id] = board
    return boards


ROSTER = load_roster(HERE / "ships.toml")
SHIPS = ROSTER.ships
ORDER = {slot: at for at, slot in enumerate(ROSTER.order)}
BOARDS = load_boards(HERE / "maps")
