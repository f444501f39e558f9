"""The recorder of the matches in `playthroughs/`: `python -m tests.games.stratastar.record`. Produces the same files every time.

Every option and every ending occurs. `PLANS` lists the players of each match.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from gamesvc.games import records
from gamesvc.games.kernel import forms
from gamesvc.games.kernel.dice import seeded
from gamesvc.games.kernel.game import Command, Data, Form
from gamesvc.games.kernel.timeline import Timeline, check_options
from gamesvc.games.selfplay import Record
from gamesvc.games.stratastar import GAME
from gamesvc.games.stratastar.bots.greedy import Sight, play_by_wishes, play_greedy
from gamesvc.games.stratastar.data import ABILITIES
from gamesvc.games.stratastar.state import State

FOLDER = Path(__file__).parent / "playthroughs"
Player = Callable[[Data, Sequence[Form], random.Random], Command]
DEAR = frozenset(
    {
        "terraform",
        "allied_minor_race",
        "breakthrough",
        "hyper_jump",
        "defend_homeworld",
        "treaty",
        "border_raids",
        "treason",
        "disaster",
        "build_warfleet",
        "build_stargate",
    }
)
LARGEST = 150_000
QUIET = frozenset({"end_phase", "go_to_movement", "end_turn", "pass", "reject_offer"})


class Raider(Sight):
    """A sight that wants nothing but Homeworlds to capture."""

    keep: Mapping[str, int] = {"build": 3, "move": 3, "attack": 9, "trade": 0}

    def free_worlds(self) -> list[str]:
        return super().free_worlds() if self.me["worlds"] < 2 else []

    def prey(self) -> list[str]:
        return [player["home"] for player in self.others]


def raider(seen: Data, offered: Sequence[Form], rng: random.Random) -> Command:
    return play_by_wishes(Raider(seen, [form for form in offered if not form.aside]), rng)


def busy(seen: Data, offered: Sequence[Form], rng: random.Random) -> Command:
    """Choose a command with an effect, sometimes one that does not move the match on."""
    main = [form for form in offered if not form.aside]
    pool = [form for form in main if form.name not in QUIET]
    aside = [form for form in offered if form.aside and form.name != "resign"]
    if aside and rng.random() < 0.08:
        return forms.fill(rng.choice(aside), rng)
    if not pool or rng.random() < 0.15:
        pool = [form for form in main if form.name not in ("go_to_movement", "end_turn")]
    return forms.fill(rng.choice(pool), rng)


def trader(seen: Data, offered: Sequence[Form], rng: random.Random) -> Command:
    """Offer a card that the seat has for one that it lacks, and accept every possible offer."""
    for form in offered:
        if form.name == "accept_offer":
            return {"name": "accept_offer", "offer": form.parameters["offer"]["enum"][0]}
    mine = [offer for offer in seen["offers"] if offer["seat"] == seen["viewer"]]
    if seen["phase"] == "trade" and not mine and rng.random() < 0.6 and seen["hand"] and seen["active"] == seen["viewer"]:
        give = rng.choice(seen["hand"])
        others = [player["seat"] for player in seen["players"] if player["seat"] != seen["viewer"] and player["alive"]]
        to, wait = (rng.choice(others), True) if rng.random() < 0.7 else (None, False)
        want = rng.choice(["attack", "move", "build", "trade"])
        command = {"name": "offer_trade", "to": to, "give": {give: 1}, "want": {want: 1}, "wait": wait}
        if forms.offered(offered, command):
            return command
    return play_greedy(seen, offered, rng)


def collector(seen: Data, offered: Sequence[Form], rng: random.Random) -> Command:
    """Save cards of one kind, different for each seat, for expensive actions."""
    main = [form for form in offered if not form.aside]
    dear = [form for form in main if form.name in DEAR]
    if dear:
        return forms.fill(rng.choice(dear), rng)
    kind = ("trade", "build", "move", "attack")[(seen["viewer"] + seen["turn"] // 12) % 4]
    rest = [card for card in seen["hand"] if card not in (kind, "research")]
    if seen["phase"] == "retool":
        return {"name": "retool", "cards": rest[:3]}
    if "trade" in rest:
        rest.remove("trade")
        command = {"name": "internal_trade", "others": rest, "pay": ["trade"]}
        if forms.offered(main, command):
            return command
    for form in main:
        is_free = form.name == "move" and form.parameters["free"]["const"]
        if is_free or (form.name == "colonize" and kind != "build"):
            return forms.fill(form, rng)
    for name in ("end_turn", "end_phase"):
        if any(form.name == name for form in main):
            return {"name": "end_phase" if seen["phase"] != "battle" else name}
    return forms.fill(rng.choice(main), rng)


def quitter(seen: Data, offered: Sequence[Form], rng: random.Random) -> Command:
    return {"name": "resign"} if seen["turn"] >= 5 else busy(seen, offered, rng)


EVERYTHING = sorted(set(ABILITIES) - {"stargates"})
PLANS: dict[str, tuple[int, dict[str, Any], tuple[Player, ...], str | None]] = {
    "worlds_two_seats": (2, {}, (play_greedy, busy), "worlds"),
    "worlds_four_seats": (4, {"starting_fleets": 4}, (play_greedy,), "worlds"),
    "capture": (2, {"starting_fleets": 4, "homeworld_choice": "random"}, (raider, busy), "capture"),
    "last_seat_by_resigning": (3, {"spying": False}, (play_greedy, quitter, quitter), "last_seat"),
    "to_the_death": (2, {"to_the_death": True, "diplomacy": False}, (raider, busy), "last_seat"),
    "rounds": (2, {"max_rounds": 4}, (busy,), "max_rounds"),
    "rounds_shared": (3, {"max_rounds": 1, "retreat": False}, (play_greedy,), "max_rounds"),
    "exploration": (2, {"exploration": True, "max_rounds": 30}, (raider, play_greedy), None),
    "exploration_wormholes": (
        2,
        {"exploration": True, "abilities_all": ["wormholes", "nebulous_navigation"], "max_rounds": 8},
        (busy,),
        "max_rounds",
    ),
    "low_technology": (3, {"low_technology": True, "uneven_start": "draft", "max_rounds": 6}, (busy,), None),
    "power_cards": (2, {"power_cards": True, "breakthrough": True, "max_rounds": 8}, (busy, play_greedy), None),
    "all_abilities": (4, {"abilities_all": EVERYTHING, "disaster": True, "max_rounds": 3}, (busy,), None),
    "dear_abilities": (3, {"abilities_all": EVERYTHING, "max_rounds": 14}, (collector,), None),
    "breakthrough": (4, {"breakthrough": True, "max_rounds": 14}, (collector,), None),
    "uneven_deal": (4, {"uneven_start": "deal", "breakthrough": True, "max_rounds": 4}, (busy,), None),
    "abilities_by_seat": (
        2,
        {"abilities_by_seat": {"0": ["sabotage", "expansion"], "1": ["warfleet", "hyper_jump"]}, "max_rounds": 7},
        (busy,),
        None,
    ),
    "free_trade": (3, {"max_rounds": 8}, (trader,), None),
    "no_extras": (
        2,
        {"free_trade": False, "spying": False, "diplomacy": False, "retreat": False, "disaster": False, "max_rounds": 12},
        (busy, play_greedy),
        None,
    ),
}
"""For each file: seats, options, players (repeated over the seats), and the ending if it matters."""


def play(seats: int, options: dict[str, Any], players: Sequence[Player], seed: str, most: int = 1500) -> Record | None:
    """Play one match. Returns None if it takes too long."""
    rng, dice = random.Random(seed), seeded(seed)
    full = check_options(GAME, options, seats)
    record = Record(GAME.id, full, seats, seed)
    timeline: Timeline[State] = Timeline(GAME)
    run = timeline.begin(full, seats, dice)
    timeline.follow(run)
    record.events.extend(run.events)
    while GAME.outcome(timeline.state) is None:
        if len(record.commands) >= most:
            return None
        seat = rng.choice(GAME.awaited(timeline.state)).seat
        offered = GAME.legal_commands(timeline.state, seat)
        command = dict(players[seat % len(players)](GAME.view(timeline.state, seat), offered, rng))
        run = timeline.command(seat, command, dice)
        timeline.follow(run)
        record.commands.append((seat, command))
        record.events.extend(run.events)
    record.outcome = GAME.outcome(timeline.state)
    return record


def record(name: str) -> str:
    """Return the text of one file: the match of the first seed that ends as planned."""
    seats, options, players, reason = PLANS[name]
    for attempt in range(300):
        played = play(seats, options, players, f"{name} {attempt}")
        if played is not None and played.outcome is not None and reason in (None, played.outcome.reason):
            text = records.dump(GAME, played)
            if len(text) < LARGEST:
                return text
    raise AssertionError(f"{name}: no match ended by {reason}")


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    for name in PLANS:
        (FOLDER / f"{name}.json").write_text(record(name), encoding="utf-8")


if __name__ == "__main__":
    main()
