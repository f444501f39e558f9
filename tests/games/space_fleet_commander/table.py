"""A table for tests: one match driven through the engine protocol, with positions edited as JSON and scripted dice."""

from __future__ import annotations

import copy
from typing import Any

from gamesvc.games.protocol import Session
from gamesvc.games.space_fleet_commander import GAME
from gamesvc.games.space_fleet_commander.data import BOARDS, ROSTER, SHIPS

F1 = (1, 2, 2, 4, 5, 6, 6)
F1_SHIPS = (
    (0, "destroyer", "2-3"),
    (3, "prison_barge", "4"),
    (1, "supply_barge", "6"),
    (5, "dreadnaught", "5"),
    (4, "escort_cruiser", "8"),
    (2, "hospital_barge", "10"),
    (6, "ace_fighter", "11-12"),
)


class Table:
    """A session with short names for common test steps."""

    def __init__(self, options: dict[str, Any] | None = None, seats: int = 1, script: tuple[int, ...] = (), seed: str = "t"):
        self.session = Session(GAME)
        self.do({"op": "dice", "script": list(script)})
        self.do({"op": "new", "seats": seats, "options": options or {}, "seed": seed})

    def do(self, request: dict[str, Any]) -> dict[str, Any]:
        answer = self.session.answer(request)
        assert answer["ok"], answer
        return answer

    def script(self, *values: int) -> Table:
        self.do({"op": "dice", "script": list(values)})
        return self

    def play(self, name: str, /, seat: int = 0, **parameters: Any) -> list[tuple[str, dict[str, Any]]]:
        """Play a command. Returns its events as (type, data)."""
        answer = self.do({"op": "command", "seat": seat, "command": {"name": name, **parameters}})
        return [(event["type"].removeprefix("space_fleet_commander."), event["data"]) for event in answer["events"]]

    def send(self, command: dict[str, Any], seat: int = 0) -> list[tuple[str, dict[str, Any]]]:
        """Play a command given as a dict."""
        return self.play(command["name"], seat=seat, **{key: value for key, value in command.items() if key != "name"})

    def default(self, seat: int = 0) -> dict[str, Any]:
        return dict(self.do({"op": "default", "seat": seat})["command"])

    def refused(self, name: str, /, seat: int = 0, **parameters: Any) -> str:
        """Play a command that must be refused. Returns the code."""
        before = self.session.match.version
        answer = self.session.answer({"op": "command", "seat": seat, "command": {"name": name, **parameters}})
        assert not answer["ok"], answer
        assert self.session.match.version == before
        assert answer["refusal"]["detail"].strip()
        return str(answer["refusal"]["code"])

    @property
    def state(self) -> Any:
        return self.session.match.state

    @property
    def sheet(self) -> Any:
        return self.state.sheets[0]

    def view(self, seat: int | None = 0) -> dict[str, Any]:
        request = {"op": "view"} if seat is None else {"op": "view", "seat": seat}
        return dict(self.do(request)["view"])

    def forms(self, seat: int = 0) -> list[dict[str, Any]]:
        return list(self.do({"op": "legal", "seat": seat})["forms"])

    def targets(self) -> list[str]:
        return list(self.view()["sheet"]["targets"])

    def place(self, *ships: tuple[int, str, str], seat: int = 0) -> Table:
        for die, ship, slot in ships:
            self.play("place_ship", seat=seat, die=die, ship=ship, slot=slot)
        return self

    def edit(self, seat: int = 0, /, **changes: Any) -> Table:
        """Begin again from this position with some fields of a sheet changed."""
        position = self.do({"op": "position"})["position"]
        sheet = position["state"]["sheets"][seat]
        for name, value in changes.items():
            assert name in sheet, name
            sheet[name] = copy.deepcopy(value)
        self.do({"op": "new", "position": position})
        return self


def f1(*values: int, options: dict[str, Any] | None = None) -> Table:
    """Return a match with fleet F1 confirmed and the first roll scripted (pool order, 8 dice)."""
    table = Table(options, script=F1)
    table.place(*F1_SHIPS)
    table.script(*values)
    table.play("confirm_fleet")
    return table


def vessels(*ships: tuple[str, str] | tuple[str, str, int]) -> list[dict[str, Any]]:
    """Return the roster rows of a position from (slot, ship[, damage]). The flagship is added automatically."""
    rows = [row(slot, ship, *rest) for slot, ship, *rest in ships]
    flag = {"slot": "9", "ship": ROSTER.flag.id, "hull": 7, "dice": ["white", "white"], "die": -1, "damage": 0}
    rows += [] if any(one["slot"] == "9" for one in rows) else [flag]
    return sorted(rows, key=lambda one: ROSTER.order.index(one["slot"]))


def row(slot: str, ship: str, damage: int = 0) -> dict[str, Any]:
    entry = SHIPS[ship]
    return {"slot": slot, "ship": ship, "hull": entry.hull, "dice": list(entry.dice), "die": -1, "damage": damage}


def dice_of(ships: list[dict[str, Any]], values: tuple[int, ...] = ()) -> list[dict[str, Any]]:
    """Return the dice of live ships with values in pool order; dice without a value show 1."""
    found = []
    left = list(values)
    for ship in ships:
        if ship["damage"] < ship["hull"]:
            for at, colour in enumerate(ship["dice"], 1):
                value = left.pop(0) if left else 1
                found.append(
                    {
                        "id": f"{ship['slot']}.{at}",
                        "slot": ship["slot"],
                        "colour": colour,
                        "value": value,
                        "status": "live",
                        "index": 0,
                    }
                )
    assert not left, "more values than dice"
    return found


def at_hex(path: tuple[str, ...], stars: tuple[int, ...] | None = None, board: str = "standard") -> dict[str, Any]:
    """Return the fields of a sheet that has followed a path. By default, stars are those of the kinds."""
    scored = list(stars) if stars is not None else [BOARDS[board].kind(place).stars for place in path[1:]]
    return {"token": path[-1], "path": list(path), "scored": scored, "stars": sum(scored)}


def standing(
    ships: list[dict[str, Any]],
    values: tuple[int, ...],
    *,
    path: tuple[str, ...] = ("G7",),
    stars: tuple[int, ...] | None = None,
    phase: str = "reroll_2",
    options: dict[str, Any] | None = None,
    **more: Any,
) -> Table:
    """Return a match in the middle of turn 3 with the given ships, dice, path and phase."""
    table = Table(options, script=(6, 6, 6, 6, 6, 6, 6))
    fields = {"turn": 3, "attempt": 1, "time": 2, "phase": phase, "ships": ships, "dice": dice_of(ships, values)}
    return table.edit(0, **{**fields, **at_hex(path, stars), **more})
