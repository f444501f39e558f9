"""Stratastar: a space empire game for two to four seats (RULES.md). `GAME` is the engine."""

from __future__ import annotations

from pathlib import Path

from gamesvc.games.kernel.game import LETTERED_ID, Game
from gamesvc.games.stratastar.bots.greedy import BOTS
from gamesvc.games.stratastar.commands import COMMANDS, IDLE, PROMPTS, STANDING_ORDERS, WORDS
from gamesvc.games.stratastar.events import KINDS as EVENTS
from gamesvc.games.stratastar.manifest import MANIFEST
from gamesvc.games.stratastar.picture.board import picture
from gamesvc.games.stratastar.picture.glance import glance
from gamesvc.games.stratastar.picture.targets import KINDS, finder
from gamesvc.games.stratastar.rules.decide import decide
from gamesvc.games.stratastar.rules.defaults import default_command
from gamesvc.games.stratastar.rules.evolve import evolve
from gamesvc.games.stratastar.rules.invariants import faults
from gamesvc.games.stratastar.rules.legal import awaited, legal_commands
from gamesvc.games.stratastar.rules.outcome import outcome
from gamesvc.games.stratastar.rules.rewinds import on_rewind, rewound
from gamesvc.games.stratastar.rules.setup import check_options, setup
from gamesvc.games.stratastar.secrecy.redact import redact, reveals, stale
from gamesvc.games.stratastar.secrecy.redeal import redeal, scatter
from gamesvc.games.stratastar.secrecy.view import view
from gamesvc.games.stratastar.state import State
from gamesvc.games.stratastar.text.board import board_text
from gamesvc.games.stratastar.text.explain import explain, hand
from gamesvc.games.stratastar.text.help import order_help, short_rules, word_help
from gamesvc.games.stratastar.text.narrate import tell
from gamesvc.games.stratastar.text.parse import PAIRS, VERBS, parse
from gamesvc.games.stratastar.text.reference import reference
from gamesvc.games.stratastar.text.render import render
from gamesvc.games.stratastar.text.summary import summary

_HELP = (Path(__file__).parent / "text" / "help.md").read_text(encoding="utf-8")

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
    scatter=scatter,
    seats=lambda state: len(state.players),
    parse=parse,
    render=render,
    verbs=frozenset((*VERBS, *PAIRS)),
    id_pattern=rf"{LETTERED_ID}|\d{{1,2}}[AMBTRFW]\+?",
    order_help=order_help,
    picture=picture,
    board_text=board_text,
    glance=glance,
    tell=tell,
    bots=BOTS,
    hand=hand,
    explain=explain,
    reference=reference,
    summary=summary,
    finder=finder,
    kinds=KINDS,
    events=EVENTS,
    words=WORDS,
    prompts=PROMPTS,
    idle=IDLE,
    parts={"action_declared": "terms", "window_opened": "course", "window_closed": "course", "passed": "course"},
    ends=("retool", "end_phase", "go_to_movement", "end_turn"),
    offers={"offer_trade": True},
    asides=("offer_trade", "withdraw_offer", "accept_offer", "reject_offer", "spy", "set_orders", "resign"),
    standing_orders=STANDING_ORDERS,
    rules_help=lambda: _HELP,
    short_rules=short_rules,
    word_help=word_help,
    stale=stale,
    reveals=reveals,
    on_rewind=on_rewind,
    rewound=rewound,
    faults=faults,
    check_options=check_options,
    turn=lambda state: state.turn.number,
)
