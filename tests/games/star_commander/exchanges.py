"""Hand-overs per turn with default standing orders, for two and four seats.

  python -m tests.games.star_commander.exchanges [matches]

A turn in which only the next seat acts costs one (`gamesvc.games.handovers`).
"""

from __future__ import annotations

import random
import statistics
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field

from gamesvc.games.handovers import HandOvers, ninetieth
from gamesvc.games.kernel.dice import seeded
from gamesvc.games.kernel.timeline import Timeline, check_options
from gamesvc.games.star_commander import GAME
from gamesvc.games.star_commander.state import State


@dataclass
class Count:
    """The hand-overs of each complete turn, separately for turns with and without a combat."""

    quiet: list[int] = field(default_factory=list)
    fought: list[int] = field(default_factory=list)


def simulate(edition: str, seats: int, seed: str, turns: int = 60) -> Count:
    """Play one match of greedy bots and count."""
    rng, dice = random.Random(seed), seeded(seed)
    handed, fights = HandOvers(), list[bool]()
    timeline: Timeline[State] = Timeline(GAME)
    timeline.follow(timeline.begin(check_options(GAME, {"edition": edition, "turn_limit": turns}, seats), seats, dice))
    while GAME.outcome(timeline.state) is None:
        state = timeline.state
        if handed.look(GAME, state):
            fights.append(False)
        seat = state.prompt.seat
        command = GAME.bots["greedy"](GAME.view(state, seat), GAME.legal_commands(state, seat), rng)
        run = timeline.command(seat, command, dice)
        fights[-1] = fights[-1] or any(event.type == "combat_opened" for event in run.events)
        timeline.follow(run)
    count = Count()
    for handovers, fought in zip(handed.per_turn, fights, strict=False):  # the last turn is not counted
        (count.fought if fought else count.quiet).append(handovers)
    return count


def summary(name: str, values: Sequence[int]) -> str:
    """Describe the hand-overs of some turns in one line."""
    if not values:
        return f"  {name}: no such turn"
    spread = ", ".join(f"{number}: {values.count(number)}" for number in sorted(set(values)))
    middle, most = statistics.median(values), ninetieth(values)
    return f"  {name}: median {middle:g}, 90 % {most}, mean {statistics.mean(values):.2f}, turns by number {{{spread}}}"


def report(matches: int, turns: int = 60) -> str:
    """Play matches of each edition with two and with four seats, and describe their hand-overs."""
    lines = []
    for edition in ("classic", "revised"):
        for seats in (2, 4):
            played = [simulate(edition, seats, f"exchanges {edition} {seats} {number}", turns) for number in range(matches)]
            quiet = [handovers for count in played for handovers in count.quiet]
            fought = [handovers for count in played for handovers in count.fought]
            lines.append(f"{edition}, {seats} seats: matches {matches}, turns {len(quiet) + len(fought)}")
            lines.append(summary("hand-overs, all turns", [*quiet, *fought]))
            lines.append(summary("hand-overs without combat", quiet))
            lines.append(summary("hand-overs with combat", fought))
    return "\n".join(lines)


if __name__ == "__main__":
    sys.stdout.write(report(int(sys.argv[1]) if len(sys.argv) > 1 else 20) + "\n")
