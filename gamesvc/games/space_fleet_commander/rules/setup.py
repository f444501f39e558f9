"""The set-up of a match."""

from __future__ import annotations

from gamesvc.games.kernel.game import Data
from gamesvc.games.kernel.timeline import Run
from gamesvc.games.space_fleet_commander.data import BOARDS, ROSTER
from gamesvc.games.space_fleet_commander.state import State


def setup(run: Run[State], options: Data, seats: int) -> None:
    """Emit the opening: empty sheets with the flagship, then the formation dice, shared in a race (RULES.md 3)."""
    flag = {"slot": ROSTER.flag_slot, "ship": ROSTER.flag.id, "hull": ROSTER.flag.hull, "dice": list(ROSTER.flag.dice)}
    run.emit(
        "game_created",
        mode=options["mode"],
        map=options["map"],
        planetfall=options["planetfall"],
        lockstep=options["lockstep"],
        seats=seats,
        start=BOARDS[options["map"]].start,
        flag=flag,
    )
    run.emit("fleet_dice_rolled", dice=[run.dice.roll(6) for _ in range(ROSTER.formation)])
