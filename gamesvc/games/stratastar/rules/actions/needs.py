"""The conditions of every action: its phases, the declared plan, and the checks that several actions share."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from gamesvc.games.kernel.game import Refused
from gamesvc.games.kernel.wording import counted
from gamesvc.games.stratastar.data import ABILITY_NAMES
from gamesvc.games.stratastar.data.geometry import INDEX
from gamesvc.games.stratastar.rules import facts
from gamesvc.games.stratastar.rules.actions.payment import Cost
from gamesvc.games.stratastar.state import State
from gamesvc.json_types import JsonObject
from gamesvc.language import say


@dataclass(frozen=True, slots=True)
class Plan:
    """A checked action: its cost and the data that will be recorded."""

    name: str
    args: JsonObject = field(default_factory=dict)
    cost: Cost = ()
    free: bool = False
    enters: str | None = None
    then: Literal["", "battle", "end_turn"] = ""


def need_space(space: str, parameter: str = "space") -> str:
    if space not in INDEX:
        raise Refused("no_target", say("There is no space {space!r}. Spaces are A1 to J10.", space=space), parameter)
    return space


def need_ability(state: State, seat: int, ability: str) -> None:
    if not facts.has(state, seat, ability):
        raise Refused(
            "not_owned", say("That needs the ability {ability}, which you do not have.", ability=ABILITY_NAMES[ability])
        )


def need_opponent(state: State, seat: int, target: int, parameter: str = "target") -> None:
    if target == seat or target not in facts.alive(state):
        others = ", ".join(map(str, facts.opponents(state, seat)))
        raise Refused("no_target", say("Choose another seat that is still in the game: {others}.", others=others), parameter)


def need_groups(state: State, seat: int, space: str, fleets: int, warfleets: int, parameter: str = "fleets") -> None:
    """Raise `Refused` unless a group of fleets is in the space and not empty."""
    player = state.players[seat]
    have, heavy = player.fleets.get(space, 0), player.warfleets.get(space, 0)
    if not 0 <= fleets <= have or not 0 <= warfleets <= heavy:
        raise Refused(
            "no_units",
            say(
                "You have {fleets} and {warfleets} at {space}.",
                fleets=counted(have, "Fleet"),
                warfleets=counted(heavy, "Warfleet"),
                space=space,
            ),
            parameter,
        )
    if fleets + warfleets == 0:
        raise Refused("no_units", say("Name at least one Fleet or Warfleet."), parameter)
