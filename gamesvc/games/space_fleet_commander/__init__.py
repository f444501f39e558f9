"""Space Fleet Commander by Mike Heim: a solitaire dice game about exploring with a fleet, also for high scores and races."""

from __future__ import annotations

from gamesvc.games.kernel.game import LETTERED_ID, Game
from gamesvc.games.space_fleet_commander.bots.greedy import BOTS
from gamesvc.games.space_fleet_commander.commands import COMMANDS, IDLE, PROMPTS, WORDS
from gamesvc.games.space_fleet_commander.events import KINDS as EVENTS
from gamesvc.games.space_fleet_commander.manifest import MANIFEST, check_options, rules_help
from gamesvc.games.space_fleet_commander.picture.board import drawn, picture
from gamesvc.games.space_fleet_commander.picture.glance import glance
from gamesvc.games.space_fleet_commander.picture.targets import finder
from gamesvc.games.space_fleet_commander.rules.decide import decide
from gamesvc.games.space_fleet_commander.rules.defaults import default_command
from gamesvc.games.space_fleet_commander.rules.evolve import evolve
from gamesvc.games.space_fleet_commander.rules.invariants import faults
from gamesvc.games.space_fleet_commander.rules.legal import awaited, legal_commands
from gamesvc.games.space_fleet_commander.rules.outcome import outcome
from gamesvc.games.space_fleet_commander.rules.setup import setup
from gamesvc.games.space_fleet_commander.secrecy.redact import redact, reveals, stale
from gamesvc.games.space_fleet_commander.secrecy.redeal import redeal, scatter
from gamesvc.games.space_fleet_commander.secrecy.view import view
from gamesvc.games.space_fleet_commander.state import State
from gamesvc.games.space_fleet_commander.text.board import board_text
from gamesvc.games.space_fleet_commander.text.explain import KINDS, explain
from gamesvc.games.space_fleet_commander.text.help import order_help, short_rules, word_help
from gamesvc.games.space_fleet_commander.text.narrate import PARTS, tell, turn_owner
from gamesvc.games.space_fleet_commander.text.parse import VERBS, parse
from gamesvc.games.space_fleet_commander.text.reference import reference
from gamesvc.games.space_fleet_commander.text.render import render
from gamesvc.games.space_fleet_commander.text.summary import summary

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
    seats=lambda state: len(state.sheets),
    parse=parse,
    render=render,
    verbs=VERBS,
    id_pattern=rf"{LETTERED_ID}|\d{{1,2}}[.,-]\d",
    order_help=order_help,
    picture=picture,
    board_text=board_text,
    glance=glance,
    tell=tell,
    bots=BOTS,
    explain=explain,
    reference=reference,
    summary=summary,
    drawn=drawn,
    finder=finder,
    kinds=KINDS,
    events=EVENTS,
    words=WORDS,
    prompts=PROMPTS,
    idle=IDLE,
    parts=PARTS,
    turn_owner=turn_owner,
    ends=("confirm_fleet", "end_turn"),
    asides=("remove_ship", "resign"),
    rules_help=rules_help,
    short_rules=short_rules,
    word_help=word_help,
    stale=stale,
    reveals=reveals,
    awaiting_result=lambda state: [seat for seat, sheet in enumerate(state.sheets) if sheet.finished],
    faults=faults,
    check_options=check_options,
    turn=lambda state: max(sheet.turn for sheet in state.sheets),
)
