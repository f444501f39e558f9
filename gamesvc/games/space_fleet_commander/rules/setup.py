"""The set-up of a match."""

from __future__ import annotations

from gamesvc.games.kernel.game import Data
from gamesvc.games.kernel.timeline import Run
from gamesvc.games.space_fleet_commander.data import BOARDS, ROSTER
from gamesvc.games.space_fleet_commander.events import opening
from gamesvc.games.space_fleet_commander.state import State


def setup(run: Run[State], options: Data, seats: int) -> None:
    """Emit the opening: empty sheets with the flagship, then the formation dice, shared in a race (RULES.md 3)."""
    flag = ROSTER.flag
    run.emit(
        opening.GameCreated(
            mode=options["mode"],
            map=options["map"],
            planetfall=options["planetfall"],
            lockstep=options["lockstep"],
            seats=seats,
            start=BOARDS[options["map"]].start,
            flag={"slot": ROSTER.flag_slot, "ship": flag.id, "hull": flag.hull, "dice": list(flag.dice)},
        )
    )
    run.emit(opening.FleetDiceRolled(dice=[run.dice.roll(6) for _ in range(ROSTER.formation)]))
