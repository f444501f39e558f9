"""Legal movement: jumps, long jumps, carried fighters, retreats (RULES.md 6, 7, 11, 13)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gamesvc.games.kernel.game import Refused
from gamesvc.games.star_commander.rules.values import Board
from gamesvc.games.star_commander.state import Vessel, distance, near
from gamesvc.json_types import JsonMapping
from gamesvc.language import say

CARRIED = 5


@dataclass(frozen=True, slots=True)
class Jump:
    """Ships that move together: those that use a jump, the fighters they carry, and the long-jump marks used up."""

    ships: tuple[str, ...]
    carried: dict[str, tuple[str, ...]]
    marks: tuple[int, ...]

    @property
    def all(self) -> tuple[str, ...]:
        return (*self.ships, *(fighter for group in self.carried.values() for fighter in group))


def has_settled(board: Board, ship: Vessel) -> bool:
    """Return True for a ship controlled since before this turn, or built this turn and able to jump when new."""
    if ship.since < board.state.turn:
        return True
    return ship.built == board.state.turn and board.card(ship).has("jump_when_new")


def mark_of(board: Board, ship: Vessel) -> int | None:
    """Return the long-jump mark that a ship may use from its current cell, or None."""
    for modifier in board.modifiers(ship.id, "long_jump"):
        if modifier.cell == ship.cell:
            return modifier.id
    return None


def stays(board: Board, ship: Vessel, to: str) -> str:
    """Return the reason why a ship may not jump to a cell; empty if it may. Includes distance and long-jump marks."""
    named = f"{board.card(ship).name} {ship.id}"
    reach = distance(ship.cell, to)
    mark = mark_of(board, ship)
    lifted = mark is not None and board.edition.long_jump_lifts_fighters and board.is_fighter(ship) and not ship.jumps
    if reach != 1 and (reach != 2 or mark is None):
        return say("{to} is not next to {start}.", to=to, start=ship.cell)
    if not has_settled(board, ship):
        return say("{ship} came under your control this turn and cannot jump yet.", ship=named)
    if board.locked(ship):
        return say("{ship} is held in place.", ship=named)
    if ship.jumps >= board.speed(ship) and not lifted:
        return say("{ship} has no jump left this turn.", ship=named)
    if board.is_fighter(ship) and board.speed(ship) == 0 and not lifted:
        return say("{ship} has speed 0 and needs a Carrier.", ship=named)
    if board.refuses_entry(ship, to):
        return say("{ship} is too large to enter {to}.", ship=named, to=to)
    if crosses_one_realm(board, ship.controller, ship.cell, to):
        return say("{start} and {to} belong to the same opponent; ships do not jump between them.", start=ship.cell, to=to)
    return ""


def crosses_one_realm(board: Board, seat: int, start: str, to: str) -> bool:
    if board.edition.may_cross_one_realm:
        return False
    owner = board.state.cells[start].controller
    return owner is not None and owner != seat and board.state.cells[to].controller == owner


def movers(board: Board, seat: int, start: str, to: str) -> list[Vessel]:
    """Return the ships of a seat that may jump from one cell to another now."""
    return [ship for ship in board.ships(start, seat) if not stays(board, ship, to)]


def targets_from(board: Board, seat: int, start: str) -> tuple[str, ...]:
    """Return the cells that some ship of the seat could reach from here, judged by distance only."""
    reach = 2 if any(mark_of(board, ship) is not None for ship in board.ships(start, seat)) else 1
    return near(start, board.state.grid, reach)


def liftable(board: Board, seat: int, cell: str) -> list[str]:
    """Return the fighters that a Carrier may carry."""
    return [ship.id for ship in board.ships(cell, seat) if board.is_fighter(ship) and not board.locked(ship)]


def plan_jump(board: Board, seat: int, ships: Sequence[str], to: str, carried: Mapping[str, Sequence[str]]) -> Jump:
    """Check a jump and return its ships. Raises `Refused`.

    A Carrier in `carried` jumps even if `ships` does not list it. A fighter listed twice jumps by itself if `ships` lists it,
    otherwise with the first Carrier.
    """
    if to not in board.state.cells:
        raise Refused("no_target", say("There is no system {cell}.", cell=to), "to")
    named = list(dict.fromkeys([*ships, *carried]))
    start = ""
    for at in named:
        ship = own_ship(board, seat, at, "ships")
        start = start or ship.cell
        if ship.cell != start:
            raise Refused("illegal_target", say("All ships of one jump start from the same system."), "ships")
        if why := stays(board, ship, to):
            raise Refused("cannot_jump", why, "ships")
    return Jump(tuple(named), load(board, seat, start, named, carried), used_marks(board, named, to))


def used_marks(board: Board, ships: Sequence[str], to: str) -> tuple[int, ...]:
    """Return the long-jump marks needed where an ordinary jump would not suffice."""
    used = []
    for at in ships:
        ship = board.state.vessels[at]
        mark = mark_of(board, ship)
        if mark is not None and (distance(ship.cell, to) == 2 or board.speed(ship) <= ship.jumps):
            used.append(mark)
    return tuple(used)


def load(
    board: Board, seat: int, cell: str, jumping: Sequence[str], carried: Mapping[str, Sequence[str]]
) -> dict[str, tuple[str, ...]]:
    """Check the carried fighters: at most five per Carrier, the seat's own, in the same cell, not locked. Raises `Refused`."""
    taken = set(jumping)
    loads: dict[str, tuple[str, ...]] = {}
    free = liftable(board, seat, cell)
    for carrier, fighters in carried.items():
        if not board.card(own_ship(board, seat, carrier, "carried")).has("carry_fighters"):
            raise Refused("not_a_carrier", say("{carrier} is not a Carrier.", carrier=carrier), "carried")
        if len(fighters) > CARRIED or len(set(fighters)) < len(fighters):
            raise Refused("limit", say("A Carrier takes up to {carried} different fighters.", carried=CARRIED), "carried")
        for fighter in fighters:
            if fighter not in free:
                raise Refused(
                    "illegal_target",
                    say("{fighter} is not a fighter of yours in {cell} that can be carried.", fighter=fighter, cell=cell),
                    "carried",
                )
        group = tuple(fighter for fighter in fighters if fighter not in taken)
        taken.update(group)
        loads[carrier] = group
    return loads


def own_ship(board: Board, seat: int, at: str, parameter: str) -> Vessel:
    ship = board.state.vessels.get(at)
    if ship is None or ship.controller != seat or board.card(ship).kind != "ship":
        raise Refused("not_owned", say("You control no ship {ship}.", ship=at), parameter)
    return ship


def still_going(board: Board, seat: int, params: JsonMapping) -> Jump | None:
    """Return a declared jump at its resolution, or None. Ships that can no longer jump stay behind with their cargo."""
    to = params["to"]
    carried = params.get("carried", {})
    going = []
    for at in dict.fromkeys([*params["ships"], *carried]):
        ship = board.state.vessels.get(at)
        here = ship is not None and ship.controller == seat and ship.cell == params["from"]
        if ship is not None and here and not stays(board, ship, to):
            going.append(at)
    if not going:
        return None
    start = params["from"]
    free = liftable(board, seat, start)
    kept = {at: [f for f in group if f in free] for at, group in carried.items() if at in going}
    return Jump(tuple(going), load(board, seat, start, going, kept), used_marks(board, going, to))


# --- retreat ---


def may_retreat(board: Board, ship: Vessel) -> bool:
    """Return True if a ship is able to leave a combat (11). The destination is checked separately."""
    if board.locked(ship):
        return False
    if board.edition.retreat_needs_rest:
        return not ship.moved and board.speed(ship) >= 1
    return ship.jumps < board.speed(ship)


def retreats(board: Board, ship: Vessel) -> list[str]:
    """Return the cells to which a ship may retreat."""
    if not may_retreat(board, ship):
        return []
    return [
        cell
        for cell in board.next_to(ship.cell)
        if board.state.cells[cell].controller == ship.controller and not board.refuses_entry(ship, cell)
    ]


def retreat_cargo(board: Board, seat: int, cell: str) -> list[str]:
    """Return the fighters that can be carried out of a combat: not locked; in classic, also not moved this turn."""
    return [at for at in liftable(board, seat, cell) if not (board.edition.retreat_needs_rest and board.state.vessels[at].moved)]


def plan_retreat(board: Board, seat: int, cell: str, moves: Sequence[JsonMapping]) -> list[tuple[str, Jump]]:
    """Check a retreat and return the ships by destination. Fighters listed twice are treated as in `plan_jump`."""
    ships = [move["ship"] for move in moves]
    if len(set(ships)) < len(ships):
        raise Refused("illegal_target", say("A ship can retreat only once."), "moves")
    free = retreat_cargo(board, seat, cell)
    by_cell: dict[str, tuple[list[str], dict[str, tuple[str, ...]]]] = {}
    taken = set(ships)
    for move in moves:
        ship = own_ship(board, seat, move["ship"], "moves")
        if ship.cell != cell or move["to"] not in retreats(board, ship):
            raise Refused("cannot_jump", say("{ship} cannot retreat to {to}.", ship=ship.id, to=move["to"]), "moves")
        fighters = move.get("carried", ())
        if any(fighter not in free for fighter in fighters):
            raise Refused("illegal_target", say("Only own fighters here that could leave may be carried."), "moves")
        if "carried" in move:
            load(board, seat, cell, [], {ship.id: fighters})
        group = tuple(fighter for fighter in fighters if fighter not in taken)
        taken.update(group)
        going, loads = by_cell.setdefault(move["to"], ([], {}))
        going.append(ship.id)
        if group:
            loads[ship.id] = group
    return [(to, Jump(tuple(going), loads, ())) for to, (going, loads) in by_cell.items()]
