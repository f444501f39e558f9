"""How often a match changes hands: exchanges per turn with default standing orders, for two and four seats.

An exchange: the match is handed to another seat and comes back. A turn in which nobody else is asked is one, that with
the seat whose turn it is. `hand-overs` counts every time that another seat is waited for than before, both ways.

    python -m gamesvc.games.star_commander.exchanges [matches]
"""

from __future__ import annotations

import random
import statistics
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field

from gamesvc.games.dice import seeded
from gamesvc.games.star_commander import GAME
from gamesvc.games.star_commander.state import State
from gamesvc.games.timeline import Timeline, check_options


@dataclass
class Count:
    """Exchanges and hand-overs of each turn, by whether there was a combat in it."""

    quiet: list[int] = field(default_factory=list)
    fought: list[int] = field(default_factory=list)
    quiet_handovers: list[int] = field(default_factory=list)
    fought_handovers: list[int] = field(default_factory=list)

    def add(self, handovers: int, answers: int, fought: bool) -> None:
        (self.fought if fought else self.quiet).append(max(1, answers))
        (self.fought_handovers if fought else self.quiet_handovers).append(handovers)


def simulate(edition: str, seats: int, seed: str, turns: int = 60) -> Count:
    """Play one match of greedy bots and count."""
    count, rng, dice = Count(), random.Random(seed), seeded(seed)
    timeline: Timeline[State] = Timeline(GAME)
    timeline.follow(timeline.begin(check_options(GAME, {"edition": edition, "turn_limit": turns}, seats), seats, dice))
    turn, last, handovers, answers, fought = 0, -1, 0, 0, False
    while GAME.outcome(timeline.state) is None:
        state = timeline.state
        if state.turn != turn:
            if turn:
                count.add(handovers, answers, fought)
            turn, handovers, answers, fought = state.turn, 0, 0, False
            last = -1
        seat = state.prompt.seat
        if seat != last:
            handovers += 1
            answers += seat != state.active
            last = seat
        command = GAME.bots["greedy"](GAME.view(state, seat), GAME.legal_commands(state, seat), rng)
        run = timeline.command(seat, command, dice)
        fought = fought or any(event.type == "combat_opened" for event in run.events)
        timeline.follow(run)
    return count


def summary(name: str, values: Sequence[int]) -> str:
    if not values:
        return f"  {name}: no such turn"
    spread = ", ".join(f"{number}: {values.count(number)}" for number in sorted(set(values)))
    middle, most = statistics.median(values), ninetieth(values)
    return f"  {name}: median {middle:g}, 90 % {most}, mean {statistics.mean(values):.2f}, turns by number {{{spread}}}"


def ninetieth(values: Sequence[int]) -> int:
    """The number that nine of ten turns do not exceed."""
    return sorted(values)[-(-9 * len(values) // 10) - 1]


def report(matches: int, turns: int = 60) -> str:
    lines = []
    for edition in ("classic", "revised"):
        for seats in (2, 4):
            total = Count()
            for at in range(matches):
                one = simulate(edition, seats, f"exchanges {edition} {seats} {at}", turns)
                for name in vars(total):
                    getattr(total, name).extend(getattr(one, name))
            lines.append(f"{edition}, {seats} seats, {matches} matches, {len(total.quiet) + len(total.fought)} turns")
            lines.append(summary("exchanges without combat", total.quiet))
            lines.append(summary("exchanges with combat", total.fought))
            lines.append(summary("hand-overs, all turns", [*total.quiet_handovers, *total.fought_handovers]))
            lines.append(summary("hand-overs without combat", total.quiet_handovers))
            lines.append(summary("hand-overs with combat", total.fought_handovers))
    return "\n".join(lines)


if __name__ == "__main__":
    sys.stdout.write(report(int(sys.argv[1]) if len(sys.argv) > 1 else 20) + "\n")
