"""The Space War: a card duel by Jim Westergren. Reactions go back in time instead of interrupting the match."""

from __future__ import annotations

from gamesvc.games.kernel.bots import play_random
from gamesvc.games.kernel.game import Game
from gamesvc.games.space_war.bots.greedy import choose_greedy
from gamesvc.games.space_war.commands import COMMANDS, IDLE, PROMPTS, STANDING_ORDERS, WORDS
from gamesvc.games.space_war.events import KINDS as EVENTS
from gamesvc.games.space_war.manifest import MANIFEST
from gamesvc.games.space_war.picture.board import picture
from gamesvc.games.space_war.picture.glance import glance
from gamesvc.games.space_war.picture.targets import KINDS, finder
from gamesvc.games.space_war.rules.decide import decide
from gamesvc.games.space_war.rules.defaults import default_command
from gamesvc.games.space_war.rules.evolve import evolve
from gamesvc.games.space_war.rules.invariants import faults
from gamesvc.games.space_war.rules.legal import awaited, legal_commands
from gamesvc.games.space_war.rules.outcome import outcome
from gamesvc.games.space_war.rules.pending import marked_faults
from gamesvc.games.space_war.rules.rewinds import given_back, marks, on_rewind, rewound
from gamesvc.games.space_war.rules.setup import check_options, setup
from gamesvc.games.space_war.secrecy.redact import redact, reveals, shows, stale
from gamesvc.games.space_war.secrecy.redeal import redeal, redeal_marked, scatter
from gamesvc.games.space_war.secrecy.view import view
from gamesvc.games.space_war.state import State
from gamesvc.games.space_war.text.board import board_text
from gamesvc.games.space_war.text.explain import explain, hand
from gamesvc.games.space_war.text.help import order_help, rules_help, short_rules, word_help
from gamesvc.games.space_war.text.narrate import PARTS, tell
from gamesvc.games.space_war.text.parse import VERBS, parse
from gamesvc.games.space_war.text.reference import reference
from gamesvc.games.space_war.text.render import render
from gamesvc.games.space_war.text.summary import summary

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
    default_order=lambda command: command["does"],
    outcome=outcome,
    redeal=redeal,
    seats=lambda state: len(state.sides),
    parse=parse,
    render=render,
    verbs=VERBS,
    order_help=order_help,
    picture=picture,
    board_text=board_text,
    glance=glance,
    tell=tell,
    bots={"random": play_random, "greedy": choose_greedy},
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
    parts=PARTS,
    ends=("go_on", "end_phase", "end_turn", "let_stand"),
    standing_orders=STANDING_ORDERS,
    offers={"pause": False},
    rules_help=rules_help,
    short_rules=short_rules,
    word_help=word_help,
    stale=stale,
    reveals=reveals,
    marks=marks,
    redeal_marked=redeal_marked,
    scatter=scatter,
    on_rewind=on_rewind,
    rewound=rewound,
    given_back=given_back,
    faults=faults,
    marked_faults=marked_faults,
    ids=lambda state: state.cards,
    shows=shows,
    check_options=check_options,
)
