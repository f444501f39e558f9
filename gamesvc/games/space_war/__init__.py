"""The Space War: a card duel by Jim Westergren, with reactions that go back in time instead of stopping it."""

from __future__ import annotations

from gamesvc.games.bots import play_random
from gamesvc.games.kernel import Game
from gamesvc.games.space_war.bots import choose_greedy
from gamesvc.games.space_war.decide import check_options, decide, setup
from gamesvc.games.space_war.defaults import default_command
from gamesvc.games.space_war.ending import faults, outcome
from gamesvc.games.space_war.evolve import evolve
from gamesvc.games.space_war.hiding import redact, redeal, redeal_marked, reveals, shows, stale
from gamesvc.games.space_war.legal import awaited, legal_commands
from gamesvc.games.space_war.manifest import COMMANDS, MANIFEST
from gamesvc.games.space_war.notation import parse
from gamesvc.games.space_war.pending import marked_faults
from gamesvc.games.space_war.picture import picture
from gamesvc.games.space_war.rendering import order_help, render
from gamesvc.games.space_war.rewinds import given_back, marks, on_rewind, rewound
from gamesvc.games.space_war.rules_help import rules_help
from gamesvc.games.space_war.state import State
from gamesvc.games.space_war.view import view
from gamesvc.games.space_war.words import board_text, tell

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
    seats=lambda state: len(state.sides),
    parse=parse,
    render=render,
    order_help=order_help,
    picture=picture,
    board_text=board_text,
    tell=tell,
    bots={"random": play_random, "greedy": choose_greedy},
    rules_help=rules_help,
    stale=stale,
    reveals=reveals,
    marks=marks,
    redeal_marked=redeal_marked,
    on_rewind=on_rewind,
    rewound=rewound,
    given_back=given_back,
    faults=faults,
    marked_faults=marked_faults,
    ids=lambda state: state.cards,
    shows=shows,
    check_options=check_options,
)
