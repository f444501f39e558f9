"""Bots on seats: they act from a worker, see only their seat's view, and submit like everybody else."""

from __future__ import annotations

import random
import uuid
from collections.abc import Sequence
from datetime import timedelta

from django.utils import timezone

from gamesvc.matches import errors, loading, turns
from gamesvc.matches.models import Match, Question, Seat
from gamesvc.matches.recording import Actor, seats_held
from gamesvc.matches.turns import Sender

MOST_TURNS = 500
FORGOTTEN_AFTER_SECONDS = 5


def play(match_id: uuid.UUID) -> int:
    """Let every awaited bot of a match act until none is awaited. Returns how many commands they gave."""
    match = Match.objects.get(pk=match_id)
    rows: Sequence[Seat] | None = None
    for turn in range(MOST_TURNS):
        loaded = loading.load(match.id, match.game)
        rows = seats_held(match, loaded, rows)
        seats = {seat.index: seat for seat in rows}
        seat = next((seats[one.seat] for one in loaded.awaited() if seats[one.seat].bot), None)
        if seat is None:
            return turn
        state, version = loaded.timeline.state, loaded.viewer_version(seat.index)
        key = f"{seat.index} {loaded.version}"
        # A bot's choice is repeatable: two workers at the same bot choose and send the same command.
        rng = random.Random(str(turns.command_id(sender=f"bot {match.id}", key=key)))
        command = loaded.game.bots[seat.bot](
            loaded.game.view(state, seat.index), loaded.game.legal_commands(state, seat.index), rng
        )
        try:
            turns.submit(
                match=match,
                sender=Sender(Actor("bot", seat.index), "bot", timezone.now()),
                command=command,
                expected_version=version,
                command_id=turns.command_id(sender=f"bot {match.id}", key=key),
                seats=rows,
            )
        except (errors.Stale, errors.Busy):
            continue  # somebody was faster; look again
    return MOST_TURNS


def forgotten(limit: int = 100) -> list[uuid.UUID]:
    """Matches in which a bot has been awaited for a while: its hint was lost, or its worker died."""
    before = timezone.now() - timedelta(seconds=FORGOTTEN_AFTER_SECONDS)
    rows = Question.objects.filter(bot=True, asked_at__lt=before).order_by("asked_at").values_list("match_id", flat=True)
    return list(dict.fromkeys(rows[:limit]))
