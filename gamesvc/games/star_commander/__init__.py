"""Star Commander: explore, develop, build, fight, and respond to each other's cards."""

from __future__ import annotations

from pathlib import Path

from gamesvc.games.kernel.bots import play_random
from gamesvc.games.kernel.game import LETTERED_ID, Game
from gamesvc.games.star_commander.bots.greedy import play_greedy
from gamesvc.games.star_commander.commands import COMMANDS, IDLE, PROMPTS, STANDING_ORDERS, WORDS
from gamesvc.games.star_commander.events import KINDS as EVENTS
from gamesvc.games.star_commander.manifest import MANIFEST, check_options
from gamesvc.games.star_commander.picture.board import picture
from gamesvc.games.star_commander.picture.glance import glance
from gamesvc.games.star_commander.picture.targets import KINDS, finder
from gamesvc.games.star_commander.positions import complete
from gamesvc.games.star_commander.rules.decide import decide
from gamesvc.games.star_commander.rules.defaults import default_command
from gamesvc.games.star_commander.rules.evolve import evolve
from gamesvc.games.star_commander.rules.invariants import faults
from gamesvc.games.star_commander.rules.legal import awaited, legal_commands
from gamesvc.games.star_commander.rules.outcome import outcome
from gamesvc.games.star_commander.rules.rewinds import on_rewind, rewound
from gamesvc.games.star_commander.rules.setup import setup
from gamesvc.games.star_commander.secrecy.redact import hidden_ids, news, redact, reveals
from gamesvc.games.star_commander.secrecy.redeal import redeal, scatter
from gamesvc.games.star_commander.secrecy.staleness import stale
from gamesvc.games.star_commander.secrecy.view import view
from gamesvc.games.star_commander.state import State
from gamesvc.games.star_commander.text.board import board_text
from gamesvc.games.star_commander.text.explain import explain, hand
from gamesvc.games.star_commander.text.help import order_help, short_rules, word_help
from gamesvc.games.star_commander.text.narrate import PARTS, tell
from gamesvc.games.star_commander.text.parse import VERBS, parse
from gamesvc.games.star_commander.text.reference import reference
from gamesvc.games.star_commander.text.render import render
from gamesvc.games.star_commander.text.summary import summary
from gamesvc.games.star_commander.text.telling.plays import passed_automatically


def rules_help() -> str:
    return (Path(__file__).parent / "text" / "help.md").read_text(encoding="utf-8")


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
    seats=lambda state: len(state.seats),
    parse=parse,
    render=render,
    verbs=VERBS,
    id_pattern=rf"{LETTERED_ID}|\d{{1,2}},\d{{1,2}}",
    order_help=order_help,
    picture=picture,
    board_text=board_text,
    glance=glance,
    tell=tell,
    bots={"random": play_random, "greedy": play_greedy},
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
    ends=("end_command", "end_combat"),
    answers=("accept_trade", "decline_trade"),
    asides=("pass", "set_standing_orders", "resign", "offer_trade", "accept_trade", "decline_trade", "withdraw_trade"),
    standing_orders=STANDING_ORDERS,
    rules_help=rules_help,
    short_rules=short_rules,
    word_help=word_help,
    stale=stale,
    reveals=reveals,
    news=news,
    automatic=passed_automatically,
    on_rewind=on_rewind,
    rewound=rewound,
    faults=faults,
    ids=hidden_ids,
    complete=complete,
    check_options=check_options,
)
