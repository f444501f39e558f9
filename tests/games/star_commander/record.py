"""The recorder of the matches in `playthroughs/`, one for each edition, number of seats, ending and option.

  python -m tests.games.star_commander.record

Deterministic: each entry uses the first seed whose match ends as wanted and stays small enough to read.
"""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from gamesvc.games import records, secrecy, selfplay
from gamesvc.games.kernel import forms
from gamesvc.games.kernel.game import Command, Data, Form
from gamesvc.games.star_commander import GAME

FOLDER = Path(__file__).parent / "playthroughs"
MOST_BYTES = 150_000


def play_and_quit(view: Data, offered: Sequence[Form], rng: random.Random) -> Command:
    """Play greedily for some turns, then resign."""
    if view["turn"] >= 8:
        return {"name": "resign"}
    return GAME.bots["greedy"](view, offered, rng)


def play_idle(view: Data, offered: Sequence[Form], rng: random.Random) -> Command:
    """End every turn at once."""
    main = [form for form in offered if not form.aside]
    ending = [form for form in main if form.name in ("end_command", "pass", "retreat")]
    return GAME.bots["greedy"](view, offered, rng) if not ending else forms.fill(dataclasses.replace(ending[0], parameters={
        name: {**schema, "maxItems": 0} for name, schema in ending[0].parameters.items()}), rng)  # fmt: skip


def play_hoarding(view: Data, offered: Sequence[Form], rng: random.Random) -> Command:
    """Buy and sell cards of one domain until its deck is empty."""
    if view["prompt"]["kind"] != "command":
        return GAME.bots["greedy"](view, offered, rng)
    me = view["seats"][view["seat"]]
    wanted = ["develop"] if me["devs"] < 7 else []
    wanted += ["trade_discard"] if me["hand"] >= 4 else []
    wanted += ["trade_draw"] if me["domains"] and me["hand"] < 5 else ["move_ships"]
    for name in (*wanted, "end_command"):
        for form in offered:
            if form.name == name:
                command = forms.fill(form, rng)
                if name == "trade_draw":
                    command["domain"] = min(form.parameters["domain"]["enum"], key=lambda domain: view["decks"][domain])
                return command
    raise ValueError("the command phase can always be ended")


BOTS = {**GAME.bots, "quitter": play_and_quit, "idle": play_idle, "hoarding": play_hoarding}
PLAYED = dataclasses.replace(GAME, bots=BOTS)

MATCHES: Mapping[str, tuple[str, int, dict[str, Any], tuple[str, ...]]] = {
    "revised_2_homeworld": ("homeworld_captured", 2, {}, ("greedy", "random")),
    "revised_2_deck": ("deck_empty", 2, {}, ("hoarding", "idle")),
    "revised_2_turn_limit": ("turn_limit", 2, {"turn_limit": 8, "grid": 4}, ("random",)),
    "revised_2_resigned": ("last_seat", 2, {}, ("greedy", "quitter")),
    "revised_3_homeworld": ("homeworld_captured", 3, {"trade": False}, ("greedy",)),
    "revised_3_resigned": ("last_seat", 3, {"turn_limit": 30}, ("greedy", "quitter", "quitter")),
    "revised_4_turn_limit": ("turn_limit", 4, {"turn_limit": 10}, ("random",)),
    "revised_4_homeworld": ("homeworld_captured", 4, {"grid": 3}, ("greedy", "random")),
    "classic_2_last_seat": ("last_seat", 2, {}, ("greedy", "random")),
    "classic_2_more_than": ("turn_limit", 2, {"lethal": "more_than", "turn_limit": 12}, ("random",)),
    "classic_2_grid_5": ("turn_limit", 2, {"grid": 5, "turn_limit": 14}, ("greedy", "random")),
    "classic_3_turn_limit": ("turn_limit", 3, {"turn_limit": 10}, ("random",)),
    "classic_3_last_seat": ("last_seat", 3, {"grid": 3}, ("greedy", "random", "random")),
    "classic_4_turn_limit": ("turn_limit", 4, {"turn_limit": 12, "trade": False}, ("greedy", "random")),
    "classic_4_resigned": ("last_seat", 4, {}, ("greedy", "quitter", "quitter", "quitter")),
}


def record(name: str) -> str:
    """Play matches until one fits. Returns the text of its file."""
    reason, seats, options, bots = MATCHES[name]
    edition = name.split("_")[0]
    for at in range(30):
        try:
            found = selfplay.play(
                PLAYED,
                options={"edition": edition, **options},
                seats=seats,
                seed=f"{name} {at}",
                bots=bots,
                check_every=0,
                most_commands=500,
            )
        except secrecy.Broken as broken:
            if "no end after" not in str(broken):
                raise
            continue
        text = records.dump(GAME, found)
        if found.outcome is not None and found.outcome.reason == reason and len(text) < MOST_BYTES:
            return text
    raise ValueError(f"no match for {name} in 30 tries")


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for wanted in MATCHES:
        text = record(wanted)
        (FOLDER / f"{wanted}.json").write_text(text, encoding="utf-8")
