"""Recorded matches: the list of them, and the code to record them again.

  PYTHONPATH=. python tests/games/space_fleet_commander/record.py

writes every file in `playthroughs/`. Each plan is a match between players from a fixed seed. The ending `destroyed` starts from a
position: only one roll in nine hits the flagship's seven hull points, so a match from the beginning hardly ever reaches it.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gamesvc.games import records
from gamesvc.games.kernel.bots import play_random
from gamesvc.games.kernel.dice import seeded
from gamesvc.games.kernel.game import Command, Data, Form
from gamesvc.games.kernel.timeline import Timeline, check_options
from gamesvc.games.protocol import Session
from gamesvc.games.selfplay import Record
from gamesvc.games.space_fleet_commander import GAME

FOLDER = Path(__file__).parent / "playthroughs"
Player = Callable[[Data, Sequence[Form], random.Random], Command]


def play_reckless(view: Data, offered: Sequence[Form], rng: random.Random) -> Command:
    """Play at random, but push on whenever possible: fleets burn and corners come soon."""
    pushing = [form for form in offered if form.name in ("push_on", "explore")]
    return play_random(view, pushing or offered, rng)


def play_quitter(view: Data, offered: Sequence[Form], rng: random.Random) -> Command:
    """Play like the greedy bot until turn 4, then resign."""
    if view["sheet"]["turn"] >= 4:
        return {"name": "resign"}
    return GAME.bots["greedy"](view, offered, rng)


def play_briefly(view: Data, offered: Sequence[Form], rng: random.Random) -> Command:
    """Play at random until turn 6, then resign."""
    return {"name": "resign"} if view["sheet"]["turn"] >= 6 else play_random(view, offered, rng)


def play_mixed(view: Data, offered: Sequence[Form], rng: random.Random) -> Command:
    """Play like the greedy bot with a random fleet, so that all ships and their choices occur."""
    if view["sheet"]["phase"] == "fleet":
        placing = [form for form in offered if form.name in ("place_ship", "set_upgrade", "confirm_fleet")]
        upgraded = view["sheet"]["upgrades"]
        fresh = [form for form in placing if form.name != "set_upgrade" or form.parameters["slot"]["enum"][0] not in upgraded]
        return play_random(view, fresh, rng)
    return GAME.bots["greedy"](view, offered, rng)


PLAYERS: Mapping[str, Player] = {
    **GAME.bots,
    "reckless": play_reckless,
    "quitter": play_quitter,
    "brief": play_briefly,
    "mixed": play_mixed,
}


@dataclass(frozen=True)
class Plan:
    """The plan of one recorded match."""

    name: str
    seed: str
    players: tuple[str, ...]
    options: dict[str, Any] = field(default_factory=dict)
    seats: int = 1
    battered: str = ""  # the plan whose position after 40 commands is the start, every ship one hit from its end


PLANS = (
    Plan("classic_emperor", "emperor-8", ("greedy",)),
    Plan("classic_time", "time-2", ("greedy",)),
    Plan("classic_cornered", "cornered-14", ("greedy",)),
    Plan("classic_stuck", "stuck-16", ("random",)),
    Plan("classic_reckless", "reckless", ("reckless",)),
    Plan("classic_resigned", "resigned", ("quitter",)),
    Plan("classic_all_ships_1", "ships-70", ("mixed",)),
    Plan("classic_all_ships_2", "ships-202", ("mixed",)),
    Plan("classic_crossing", "crossing", ("greedy",), {"map": "crossing"}),
    Plan("classic_destroyed", "destroyed-167", ("reckless",), battered="classic_reckless"),
    Plan("high_score", "high", ("greedy",), {"mode": "high_score"}),
    Plan("high_score_strict", "strict", ("mixed",), {"mode": "high_score", "planetfall": "strict"}),
    Plan("race_two", "race-2", ("greedy", "random"), {"mode": "race"}, 2),
    Plan("race_three_lockstep", "race-3", ("random", "mixed", "quitter"), {"mode": "race", "lockstep": True}, 3),
    Plan(
        "race_six_crossing",
        "race-6",
        ("random", "brief", "brief"),
        {"mode": "race", "map": "crossing", "planetfall": "strict"},
        6,
    ),
)


def play(plan: Plan, most: int = 20_000) -> Record:
    """Play a plan to its end. The same plan gives the same record."""
    rng, dice = random.Random(plan.seed), seeded(plan.seed)
    options = check_options(GAME, plan.options, plan.seats)
    record = Record(GAME.id, options, plan.seats, plan.seed)
    timeline: Timeline[Any] = Timeline(GAME)
    if plan.battered:
        record.position = batter(next(other for other in PLANS if other.name == plan.battered))
    run = records.begin(timeline, record, dice)
    timeline.follow(run)
    record.events.extend(run.events)
    while (outcome := GAME.outcome(timeline.state)) is None and len(record.commands) < most:
        seat = rng.choice(GAME.awaited(timeline.state)).seat
        player = PLAYERS[plan.players[seat % len(plan.players)]]
        command = dict(player(GAME.view(timeline.state, seat), GAME.legal_commands(timeline.state, seat), rng))
        run = timeline.command(seat, command, dice)
        timeline.follow(run)
        record.commands.append((seat, command))
        record.events.extend(run.events)
    record.outcome = outcome
    return record


def batter(plan: Plan) -> dict[str, Any]:
    """Return the position of a plan after 40 commands, with every ship one hit from its end."""
    played = play(plan)
    session = Session(GAME)
    session.answer({"op": "new", "options": plan.options, "seats": plan.seats, "seed": plan.seed})
    for seat, command in played.commands[:40]:
        session.answer({"op": "command", "seat": seat, "command": command})
    position: dict[str, Any] = session.answer({"op": "position"})["position"]
    for sheet in position["state"]["sheets"]:
        for ship in sheet["ships"]:
            ship["damage"] = max(ship["damage"], ship["hull"] - 1)
    return position


def write() -> None:
    """Write every playthrough."""
    FOLDER.mkdir(exist_ok=True)
    for plan in PLANS:
        record = play(plan)
        text = records.dump(GAME, record)
        (FOLDER / f"{plan.name}.json").write_text(text, encoding="utf-8")
        assert record.outcome is not None
        sys.stdout.write(f"{plan.name}: {record.outcome.reason}, {record.outcome.scores}, {len(text) // 1024} KB\n")


if __name__ == "__main__":
    write()
