"""The recorder of the matches in `playthroughs/`: `python -m tests.games.space_war.record`. Produces the same files every time.

Each recipe plays one whole match from its seed with bots. Some recipes add seats that react out of turn, leave standing orders,
pause, replay, time out or resign.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from gamesvc.games import records
from gamesvc.games.kernel import forms
from gamesvc.games.kernel.dice import seeded
from gamesvc.games.kernel.timeline import Timeline, check_options
from gamesvc.games.selfplay import Record
from gamesvc.games.space_war import GAME
from gamesvc.games.space_war.data.decks import DECK
from tests.games.space_war.exchanges import REACT, STAND

FOLDER = Path(__file__).parent / "playthroughs"
Move = tuple[int, dict[str, Any]]
Player = Callable[[Timeline[Any], random.Random], Move]

BASE: dict[str, Any] = {"commander_pool": "faction", "starter": "chosen", "reaction_points": "all", "max_timeouts": 3}


def bot(name: str) -> Player:
    def move(timeline: Timeline[Any], rng: random.Random) -> Move:
        state = timeline.state
        seat = GAME.awaited(state)[0].seat
        return seat, dict(GAME.bots[name](GAME.view(state, seat), GAME.legal_commands(state, seat), rng))

    return move


def _responses(timeline: Timeline[Any], seat: int) -> list[dict[str, Any]]:
    """Return the possible answers of a seat to the newest item."""
    state = timeline.state
    if not state.items or state.items[-1].by == seat or state.items[-1].settled:
        return []
    newest = state.items[-1]
    found = []
    for form in GAME.legal_commands(state, seat):
        if form.name == "react" and newest.n in form.parameters.get("item", {}).get("enum", ()):
            play = {name: schema["const"] for name, schema in form.parameters["play"]["properties"].items() if "const" in schema}
            if play.get("card") in newest.answers and "targets" not in form.parameters["play"]["properties"]:
                found.append({"name": "react", "item": newest.n, "play": play})
    return found


def duel(timeline: Timeline[Any], rng: random.Random) -> Move:
    """Let both seats answer every card and every answer as long as they can; in between they play to draw cards."""
    state = timeline.state
    if state.turn > 6:
        for seat in (1 - state.active, state.active):
            if answers := _responses(timeline, seat):
                return seat, answers[0]
    return bot("greedy")(timeline, rng)


def busy(timeline: Timeline[Any], rng: random.Random) -> Move:
    """Add random reactions out of turn, pauses, replays and standing orders."""
    state = timeline.state
    if state.phase not in ("prepare", "choose_starter"):
        seat = GAME.awaited(state)[0].seat
        other = GAME.legal_commands(state, 1 - seat)
        reactions = [form for form in other if form.name == "react"]
        if reactions and rng.random() < 0.15:
            return 1 - seat, forms.fill(rng.choice(reactions), rng)
        if rng.random() < 0.02:
            return 1 - seat, {"name": "set_orders", "orders": [REACT, STAND], "flip_preference": ["hand", "draw"]}
        own = [form for form in GAME.legal_commands(state, seat) if form.name in ("pause", "replay")]
        if own and rng.random() < 0.2:
            return seat, forms.fill(rng.choice(own), rng)
    return bot("random")(timeline, rng)


def lazy(timeline: Timeline[Any], rng: random.Random) -> Move:
    """Let seat b time out again and again."""
    state = timeline.state
    seat = GAME.awaited(state)[0].seat
    return (seat, {"name": "time_out"}) if seat == 1 and state.turn > 2 else bot("greedy")(timeline, rng)


def proud(timeline: Timeline[Any], rng: random.Random) -> Move:
    """Resign for the first seat that has lost a life point."""
    for seat, side in enumerate(timeline.state.sides):
        if side.commander and side.life < side.full_life:
            return seat, {"name": "resign"}
    return bot("greedy")(timeline, rng)


def depth(record: Record) -> int:
    """Return the length of the longest chain of reactions, each an answer to the one before it."""
    chain, best, last = 0, 0, -1
    for event in record.events:
        if event.type == "item_opened":
            chain = chain + 1 if event.data["note"].get("against") == last else 0
            best, last = max(best, chain), event.data["item"]
    return best


RECIPES: dict[str, tuple[dict[str, Any], str, Player]] = {
    "greedy_terrans_swarm": ({"decks": ["terrans", "swarm"]}, "p1", bot("greedy")),
    "greedy_swarm_united": ({"decks": ["swarm", "united_stars"], "starter": "random"}, "p2", bot("greedy")),
    "greedy_united_terrans": ({"decks": ["united_stars", "terrans"], "reaction_points": "plays_only"}, "p3", bot("greedy")),
    "random_terrans": ({"decks": ["terrans", "terrans"], "commander_pool": "any"}, "p4", bot("random")),
    "random_swarm": ({"decks": ["swarm", "swarm"], "commander_pool": "any", "max_timeouts": 0}, "p5", bot("random")),
    "random_united": ({"decks": ["united_stars", "united_stars"], "reaction_points": "plays_only"}, "p6", bot("random")),
    "busy_terrans_united": ({"decks": ["terrans", "united_stars"], "max_timeouts": 0}, "p7", busy),
    "busy_swarm_terrans": ({"decks": ["swarm", "terrans"], "max_timeouts": 0, "reaction_points": "plays_only"}, "p8", busy),
    "busy_constructed": ({"decks": [DECK, DECK], "max_timeouts": 0}, "p9", busy),
    "time_outs": ({"decks": ["terrans", "swarm"]}, "p10", lazy),
    "resigned": ({"decks": ["united_stars", "swarm"]}, "p11", proud),
    "chain_of_reactions": ({"decks": [DECK, DECK], "starter": "random"}, "p12", duel),
    "random_any_constructed": ({"decks": [DECK, "united_stars"], "commander_pool": "any"}, "p13", bot("random")),
}


def play(name: str) -> Record:
    """Play the match of a recipe."""
    options, seed, player = RECIPES[name]
    record = None
    for attempt in range(200):
        record = _play({**BASE, **options}, f"{seed} {attempt}", player)
        long_enough = player is not busy or len(record.commands) > 80
        if len(records.dump(GAME, record)) < 150_000 and long_enough and (player is not duel or depth(record) >= 4):
            return record
    raise AssertionError(f"{name}: no match that is short enough")


def _play(options: dict[str, Any], seed: str, player: Player) -> Record:
    full = check_options(GAME, options, 2)
    record = Record(GAME.id, full, 2, seed)
    rng, dice = random.Random(seed), seeded(seed)
    timeline: Timeline[Any] = Timeline(GAME)
    run = timeline.begin(full, 2, dice)
    while True:
        timeline.follow(run)
        record.events.extend(run.events)
        outcome = GAME.outcome(timeline.state)
        if outcome is not None:
            record.outcome = outcome
            return record
        seat, command = player(timeline, rng)
        record.commands.append((seat, command))
        run = timeline.command(seat, command, dice)


def recorded() -> Iterator[Path]:
    yield from sorted(FOLDER.glob("*.json"))


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    for name in RECIPES:
        (FOLDER / f"{name}.json").write_text(records.dump(GAME, play(name)), encoding="utf-8")


if __name__ == "__main__":
    main()
