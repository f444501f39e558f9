"""The number of exchanges per turn: `python -m tests.games.space_war.exchanges [MATCHES]`.

An exchange is a change of the awaited seat. A turn without reactions costs one: the next seat settles the open items and plays
on. Two bots play. Each answers the given share of the opponent's turns, by hand in its review or through a standing order left
before the turn. If it holds no answer, it makes up for the reaction in a later turn, so that the share is reached as far as the
cards allow.
"""

from __future__ import annotations

import random
import statistics
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from gamesvc.games.handovers import HandOvers, ninetieth
from gamesvc.games.kernel import forms
from gamesvc.games.kernel.dice import seeded
from gamesvc.games.kernel.game import Form
from gamesvc.games.kernel.timeline import Timeline
from gamesvc.games.space_war.bots.greedy import choose_greedy
from gamesvc.games.space_war.data import RESPONDERS
from gamesvc.games.space_war.data.decks import DECK
from gamesvc.games.space_war.rules.setup import check_options
from gamesvc.games.space_war.state import State

REACT = {"when": {"kind": "play"}, "do": "react", "use": sorted(RESPONDERS)}
STRIKE = {"when": {"kind": "attack"}, "do": "react", "use": ["target_missed"]}
STAND = {"when": {"any": True}, "do": "stand", "until": "cancelled"}


@dataclass
class Count:
    """The exchanges of each turn, and the number of turns with a reaction."""

    per_turn: list[int] = field(default_factory=list)
    reacted: int = 0

    @property
    def median(self) -> float:
        return statistics.median(self.per_turn)

    @property
    def ninetieth(self) -> int:
        return ninetieth(self.per_turn)

    @property
    def mean(self) -> float:
        return statistics.fmean(self.per_turn)


def simulate(share: float, *, orders: bool, matches: int, seed: int = 1) -> Count:
    """Play matches and count."""
    count = Count()
    for number in range(matches):
        _match(count, share, orders, random.Random(seed * 1000 + number), f"exchanges {seed} {number}")
    return count


def _match(count: Count, share: float, orders: bool, rng: random.Random, seed: str) -> None:
    from gamesvc.games.space_war import GAME  # importing the package first would be circular

    options = {
        "decks": [DECK, DECK],
        "commander_pool": "faction",
        "starter": "random",
        "reaction_points": "all",
        "max_timeouts": 0,
    }
    check_options(options, 2)
    dice = seeded(seed)
    timeline: Timeline[State] = Timeline(GAME)
    timeline.follow(timeline.begin(options, 2, dice))
    due = [0.0, 0.0]
    handed, answered = HandOvers(count.per_turn), False

    def send(seat: int, command: dict[str, Any]) -> None:
        nonlocal answered
        run = timeline.command(seat, command, dice)
        answered = answered or any(event.type == "order_fired" and event.data["card"] for event in run.events)
        timeline.follow(run)

    while timeline.state.phase != "over":
        state = timeline.state
        if handed.look(GAME, state):
            count.reacted += answered
            answered = False
            reactor = 1 - state.active
            due[reactor] += share
            if orders and state.phase != "prepare":
                wanted = rng.random() < due[reactor]
                send(reactor, {"name": "set_orders", "orders": [REACT, STRIKE, STAND] if wanted else [STAND]})
                state = timeline.state
        seat = GAME.awaited(state)[0].seat
        offered = [form for form in GAME.legal_commands(state, seat) if not form.aside]
        reaction = None
        if state.phase == "review" and not orders and not answered and rng.random() < due[seat]:
            reaction = _answer(offered, state, rng)
        if reaction is not None:
            answered = True
            due[seat] -= 1
            send(seat, reaction)
            continue
        rest = [form for form in offered if form.name != "react"] or offered
        was = answered
        send(seat, dict(choose_greedy(GAME.view(state, seat), rest, rng)))
        if answered and not was:
            due[1 - state.active] -= 1


def _answer(offered: Sequence[Form], state: State, rng: random.Random) -> dict[str, Any] | None:
    """Return a response to an open item, or None."""
    known = {instance for item in state.items for instance in item.answers}
    found = [
        form
        for form in offered
        if form.name == "react"
        and "item" in form.parameters
        and "targets" not in form.parameters["play"]["properties"]
        and (form.parameters["play"]["properties"].get("card", {}).get("const") in known)
    ]
    if not found:
        return None
    command = forms.fill(rng.choice(found), rng)
    return command if "item" in command else None


def main(arguments: Sequence[str]) -> None:
    matches = int(arguments[0]) if arguments else 30
    sys.stdout.write("reacting   orders   median   90 %   mean   turns   turns with a reaction\n")
    for share in (0.0, 0.05, 0.15, 0.30):
        for orders in (False, True):
            found = simulate(share, orders=orders, matches=matches)
            total = len(found.per_turn)
            sys.stdout.write(
                f"{share:7.0%} {'yes' if orders else 'no':>9} {found.median:8.1f} {found.ninetieth:6} {found.mean:6.2f} "
                f"{total:7} {found.reacted / total:12.1%}\n"
            )


if __name__ == "__main__":
    main(sys.argv[1:])
