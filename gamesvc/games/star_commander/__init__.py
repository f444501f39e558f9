"""Star Commander: explore, develop, build and fight, and answer each other's cards. Rules: RULES.md of the game."""

from __future__ import annotations

from pathlib import Path

from gamesvc.games.bots import play_random
from gamesvc.games.kernel import Game
from gamesvc.games.star_commander.bots import play_greedy
from gamesvc.games.star_commander.checks import faults, outcome, stale
from gamesvc.games.star_commander.choices import default_command
from gamesvc.games.star_commander.commands import COMMANDS
from gamesvc.games.star_commander.decide import decide, setup
from gamesvc.games.star_commander.describing import complete
from gamesvc.games.star_commander.evolve import evolve
from gamesvc.games.star_commander.forms import legal_commands
from gamesvc.games.star_commander.notation import parse
from gamesvc.games.star_commander.options import MANIFEST, check_options
from gamesvc.games.star_commander.picture import picture
from gamesvc.games.star_commander.state import State
from gamesvc.games.star_commander.text import board_text, order_help
from gamesvc.games.star_commander.view import awaited, hidden_ids, on_rewind, redact, redeal, reveals, rewound, view
from gamesvc.games.star_commander.words import tell
from gamesvc.games.star_commander.writing import render


def rules_help() -> str:
    return (Path(__file__).parent / "help.md").read_text(encoding="utf-8")


GAME: Game[State] = Game(
    manifest=MANIFEST,
    state=State,
    commands=COMMANDS,
    setup=setup,
    decide=decide,
    evolve=evolve,
    awaited=awaited,
    legal_commands=legal_commands,
    view=view,
    redact=redact,
    default_command=default_command,
    outcome=outcome,
    redeal=redeal,
    seats=lambda state: len(state.seats),
    parse=parse,
    render=render,
    order_help=order_help,
    picture=picture,
    board_text=board_text,
    tell=tell,
    bots={"random": play_random, "greedy": play_greedy},
    rules_help=rules_help,
    stale=stale,
    reveals=reveals,
    on_rewind=on_rewind,
    rewound=rewound,
    faults=faults,
    ids=hidden_ids,
    complete=complete,
    check_options=check_options,
)
