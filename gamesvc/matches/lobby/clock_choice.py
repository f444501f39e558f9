"""The time control of a new match: the name of a preset, a policy in parts, or plain hours."""

from __future__ import annotations

from collections.abc import Mapping

from gamesvc.games.kernel.game import Refused
from gamesvc.json_types import JsonMapping, JsonObject
from gamesvc.language import say
from gamesvc.matches.clock.notation import PRESETS
from gamesvc.matches.clock.parsing import parse


def choose(clock: JsonMapping | str | None, hours: int) -> JsonObject:
    """Return the policy for `match.opened`. Raises `Refused`."""
    if not clock:
        return {"hours": hours}
    if isinstance(clock, str):
        if clock not in PRESETS:
            raise Refused(
                "bad_clock",
                say("There is no clock {clock!r}; there are: {presets}.", clock=clock, presets=", ".join(PRESETS)),
                "clock",
            )
        return dict(PRESETS[clock][1])
    if not isinstance(clock, Mapping):
        raise Refused("bad_clock", say("clock is the name of a preset or an object with the parts of a policy."), "clock")
    parse(clock)
    return dict(clock)
