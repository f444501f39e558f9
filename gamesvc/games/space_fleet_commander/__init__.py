"""Space Fleet Commander by Mike Heim: a solitaire dice game of a fleet that explores; also for high scores and as a race."""

from __future__ import annotations

from gamesvc.games.kernel import Game
from gamesvc.games.space_fleet_commander.bots import BOTS
from gamesvc.games.space_fleet_commander.decide import decide, default_command, setup
from gamesvc.games.space_fleet_commander.ending import faults, outcome
from gamesvc.games.space_fleet_commander.evolve import evolve
from gamesvc.games.space_fleet_commander.forms import awaited, legal_commands
from gamesvc.games.space_fleet_commander.manifest import COMMANDS, MANIFEST, check_options, rules_help
from gamesvc.games.space_fleet_commander.notation import order_help, parse, render
from gamesvc.games.space_fleet_commander.picture import picture
from gamesvc.games.space_fleet_commander.redealing import redeal
from gamesvc.games.space_fleet_commander.state import State
from gamesvc.games.space_fleet_commander.view import redact, reveals, stale, view
from gamesvc.games.space_fleet_commander.words import board_text, tell

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
    seats=lambda state: len(state.sheets),
    parse=parse,
    render=render,
    order_help=order_help,
    picture=picture,
    board_text=board_text,
    tell=tell,
    bots=BOTS,
    rules_help=rules_help,
    stale=stale,
    reveals=reveals,
    faults=faults,
    check_options=check_options,
    turn=lambda state: max(sheet.turn for sheet in state.sheets),
)
