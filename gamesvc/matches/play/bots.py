"""Bots on seats: they act from a worker, see only their seat's view, and submit commands like every player.

They take some turns at a time and then queue behind the bots of other matches, and behind all for which a person waits. So do
those of a user whose matches have taken much time lately: a turn in a rich position takes a hundred times as long as another one.
A match with nobody but bots is aborted after a while: some games never end between bots.
"""

from __future__ import annotations

import math
import random
import time
import uuid
from collections.abc import Sequence
from datetime import timedelta

from django.db.models import Q, Window
from django.db.models.functions import RowNumber
from django.utils import timezone

from accounts.bots import bots as accounts
from accounts.throttling import throttle
from gamesvc.matches import errors, hints
from gamesvc.matches.access import daily_limits
from gamesvc.matches.events import MatchEvent, Vacated
from gamesvc.matches.models import Match, Question, Seat
from gamesvc.matches.play import turns
from gamesvc.matches.play.turns import Sender
from gamesvc.matches.record import loading, service_events
from gamesvc.matches.record.append import Actor, fresh_seats
from gamesvc.matches.record.loading import Loaded
from gamesvc.matches.record.stream import STORE
from gamesvc.matches.sharing import Lately

MOST_TURNS = 500
TURNS_AT_ONCE = 25
SECONDS_AT_ONCE = 0.5
"""Seconds after which the bots of a match begin no further turn."""
MOST_LATELY = 3.0
"""Seconds for the matches of one user, above the allowance, with which a worker process lets the bots of others go first."""
MOST_IN_FRONT = 150
"""Turns of bots for which a person may be waiting. After more the match queues behind those of others."""
BEHIND_A_DAY = 4_000
"""Times a day that bots behind those of others take turns in the matches of one user, or in a match without a host.

So what bots play among themselves, which may never end, takes 150 MB a day at most.
"""
MOST_ALONE = 20_000
"""Most events by bots without a human act between them. A whole match of any game has fewer."""
FORGOTTEN_AFTER_SECONDS = 5
SPENT = Lately(seconds_a_minute=6.0)
_BY_PEOPLE = (
    "SELECT version FROM events_event WHERE stream = %s::uuid AND version > %s::int AND command_seq = 0"
    """ AND meta LIKE '%%"actor":{"kind":"seat"%%' LIMIT 1"""
)


def take_turns(match_id: uuid.UUID, *, before: int = 0, queue: bool = True) -> int:
    """Let the awaited bots of a match act for a while, and queue them again if they are not done.

    Returns how many commands they gave. `before`: how many since a person acted. A sweep does not `queue` them: they may only
    have waited long in the queue, and would stand there once more after each sweep.
    """
    match = Match.objects.get(pk=match_id)
    if over_alone(match):
        _call_off(match)
        return 0
    user = accounts.root_of(match.creator_id) if match.creator_id is not None else None
    if queue and before < MOST_IN_FRONT and SPENT.above(user) > MOST_LATELY:
        hints.bots_on(match_id)
        return 0
    if (before >= MOST_IN_FRONT or not queue) and throttle(f"bots behind {user or match_id}", BEHIND_A_DAY, daily_limits.DAY):
        return 0  # a sweep goes on with them when the day is over
    since = time.monotonic()
    given = play(match_id, TURNS_AT_ONCE, since + SECONDS_AT_ONCE)
    SPENT.add(user, time.monotonic() - since)
    if queue and (given == TURNS_AT_ONCE or time.monotonic() > since + SECONDS_AT_ONCE):
        if before + given < MOST_IN_FRONT and match.seats.filter(bot="").exists():
            hints.bots(match_id, before + given)
        else:
            hints.bots_on(match_id)
    return given


def over_alone(match: Match) -> bool:
    """Return True if bots have played among themselves for as long as they may.

    A player who is out of the game counts like one who has left.
    """
    if match.board or match.version < MOST_ALONE:
        return False
    people = list(match.seats.filter(bot="").values_list("index", flat=True))
    loaded = loading.load(match.id, match.game)
    if any(loaded.game.legal_commands(loaded.timeline.state, seat) for seat in people):
        return False
    left = STORE.last_of_type([match.pk], Vacated.TYPE).get(match.pk)
    since = max(loaded.version - MOST_ALONE, 0)
    if left is not None and left.version > since:
        return False
    return not people or STORE.ask(_BY_PEOPLE, [match.pk, since]).fetchone() is None


def _call_off(match: Match) -> None:
    def decide(loaded: Loaded, _seats: list[Seat]) -> list[MatchEvent]:
        return [] if loaded.ended else [turns.ended(match, "aborted")]

    service_events.append(match, decide, actor=Actor("system"), channel="bot")


def play(match_id: uuid.UUID, most: int = MOST_TURNS, end: float = math.inf) -> int:
    """Let awaited bots act until none is left, for at most `most` turns, none but the first begun after `end`.

    Returns how many commands they gave.
    """
    match = Match.objects.get(pk=match_id)
    rows: Sequence[Seat] | None = None
    for turn in range(most):
        if turn and time.monotonic() > end:
            return turn
        loaded = loading.load(match.id, match.game)
        rows = fresh_seats(match, loaded, rows)
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
            continue  # another writer was faster; look again
    return most


def forgotten(limit: int = 100) -> list[tuple[int | None, uuid.UUID]]:
    """Return matches in which a bot has been awaited for a while, each with the user who opened it: its hint was lost, or its
    worker died.

    Of each user those that wait longest, as many as there is room for: bots beyond their turns of a day wait long.
    """
    now, long = timezone.now(), timedelta(seconds=FORGOTTEN_AFTER_SECONDS)
    place = Window(RowNumber(), partition_by="match__creator", order_by="asked_at")
    # A record never goes back: after the clock was set back, it asks in the future until the clock has caught up.
    waited = Q(asked_at__lt=now - long) | Q(asked_at__gt=now + long)
    rows = Question.objects.filter(waited, bot=True).order_by(place, "asked_at")
    return list(dict.fromkeys(rows.values_list("match__creator", "match_id")[:limit]))
