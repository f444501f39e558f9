"""The trial of a position: an attempt to show a match that starts from it, and to play on.

The fields of a position are checked one by one (`limits`), then the invariants of its game (`faults`). The rules are written for
positions that they produced themselves, so the final check is an attempt: show everything to every viewer, fill every offered
form, and let random bots play a few moves. The result depends on the position alone.
"""

from __future__ import annotations

import json
import random
from collections.abc import Sequence

from gamesvc.games.kernel import forms
from gamesvc.games.kernel.codec import bad_position
from gamesvc.games.kernel.dice import seeded
from gamesvc.games.kernel.game import Caption, Form, Game, Refused
from gamesvc.games.kernel.timeline import Run, Timeline
from gamesvc.json_types import JsonObject

# The size of the trial. A larger one finds more faults, but players wait for it when they start from a position.
MOST_FORMS = 60
PLAYED = 2
COMMANDS_PLAYED = 25


def begin(game: Game, position: object) -> Timeline:
    """Read a position and try it. Returns the match that begins from it. Raises `Refused` (`bad_position`)."""
    timeline: Timeline = Timeline(game)
    run = Run(timeline, seeded("trial"))
    run.place(position)
    timeline.follow(run)
    check(timeline)
    return timeline


def check(timeline: Timeline) -> None:
    """Try the position that a match has reached. Raises `Refused` (`bad_position`) with the step that fails."""
    game = timeline.game
    _check_marked(timeline)
    try:
        _show(timeline)
        if game.outcome(timeline.state) is None:
            _check_awaited(timeline)
            _fill_forms(timeline)
            for number in range(PLAYED):
                _play(timeline.branch(), random.Random(f"trial {number}"))
        else:
            _check_outcome(timeline)
    except Refused as refused:
        if refused.code == "bad_position":
            raise
        raise bad_position(game, f"a command that it offers is refused ({refused.code}: {refused.detail})") from refused
    except Exception as error:
        # Any exception here would otherwise occur later, on a player's page or in a worker.
        raise bad_position(game, f"the rules cannot play on in it ({type(error).__name__}: {error})") from error


def _check_marked(timeline: Timeline) -> None:
    """Refuse marked states that nothing may go back to. They would be stored forever, and nobody would ever see them."""
    if unused := timeline.kept.keys() - timeline.keep_marked().keys() - {timeline.version}:
        back = sorted(timeline.version - version for version in unused)
        raise bad_position(
            timeline.game,
            f"/marked has states that the match may never go back to; leave out those {', '.join(map(str, back))} versions back",
        )


def _show(timeline: Timeline) -> None:
    game, state = timeline.game, timeline.state
    seats, manifest = game.seats(state), game.manifest
    if not manifest.min_seats <= seats <= manifest.max_seats:
        raise bad_position(game, f"it is for {seats} seats; there are {manifest.min_seats} to {manifest.max_seats}")
    for viewer in (None, *range(seats)):
        seen = json.loads(json.dumps(game.view(state, viewer), allow_nan=False))
        game.board_text(seen, Caption())
        game.picture(seen, Caption())
        game.glance(seen, Caption())
        for held in game.hand(seen) or ():
            game.explain(seen, held.id)
        if viewer is not None and game.standing_orders is not None:
            game.standing_orders.shown(seen)
        game.finder(seen)
        game.reference(seen)
        game.summary(seen, Caption())


def _check_outcome(timeline: Timeline) -> None:
    game, seats = timeline.game, timeline.game.seats(timeline.state)
    outcome = game.outcome(timeline.state)
    assert outcome is not None
    if sorted(seat for group in outcome.ranking for seat in group) != list(range(seats)) or not all(outcome.ranking):
        raise bad_position(game, "the ranking of its result must name every seat once")
    if len(outcome.scores) != seats:
        raise bad_position(game, f"its result must have {seats} scores")
    if game.awaited(timeline.state):
        raise bad_position(game, "the match is over in it, and a seat is asked for a command")


def _check_awaited(timeline: Timeline) -> None:
    game, state = timeline.game, timeline.state
    waiting = game.awaited(state)
    if not waiting:
        raise bad_position(game, "nobody is to act in it, and the match is not over")
    for awaited in waiting:
        if awaited.seat not in range(game.seats(state)):
            raise bad_position(game, f"it waits for seat {awaited.seat}, which does not exist")
        if all(form.aside for form in game.legal_commands(state, awaited.seat)):
            raise bad_position(game, f"it waits for seat {awaited.seat} ({awaited.prompt}), which can do nothing")
        timeline.command(awaited.seat, game.default_command(state, awaited.seat), seeded("trial"))


def _fill_forms(timeline: Timeline) -> None:
    """Fill the forms of every seat. If there are many, use a sample from the whole list."""
    game, state = timeline.game, timeline.state
    rng = random.Random("trial")
    offered = [(seat, form) for seat in range(game.seats(state)) for form in game.legal_commands(state, seat)]
    for seat, form in offered[:: -(-len(offered) // MOST_FORMS) or 1]:
        timeline.command(seat, forms.fill(form, rng), seeded("trial"))


def _play(timeline: Timeline, rng: random.Random) -> None:
    """Let random bots play."""
    game, dice = timeline.game, seeded(f"trial {rng.random()}")
    for _ in range(COMMANDS_PLAYED):
        if game.outcome(timeline.state) is not None:
            return
        waiting = game.awaited(timeline.state)
        if not waiting:
            raise bad_position(game, "a few moves on nobody is to act, and the match is not over")
        seat = rng.choice(waiting).seat
        timeline.follow(timeline.command(seat, _choose(game, timeline, seat, rng), dice))
    for viewer in (None, *range(game.seats(timeline.state))):
        game.board_text(game.view(timeline.state, viewer), Caption())


def _choose(game: Game, timeline: Timeline, seat: int, rng: random.Random) -> JsonObject:
    offered: Sequence[Form] = [form for form in game.legal_commands(timeline.state, seat) if not form.aside]
    if not offered:
        raise bad_position(game, f"a few moves on it waits for seat {seat}, which can do nothing")
    return forms.fill(rng.choice(offered), rng)
