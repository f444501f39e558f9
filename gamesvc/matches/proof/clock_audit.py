"""The audit of clocks: every deadline computed again from the log and compared with events and rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any

from events.audit import Finding
from events.store import StoredEvent
from gamesvc.games.kernel.game import Game
from gamesvc.matches.clock.account import Account
from gamesvc.matches.clock.fold import follow
from gamesvc.matches.events import DeadlineSet, Ended, Started, read_event
from gamesvc.matches.models import Match
from gamesvc.matches.record.loading import fresh_account
from gamesvc.matches.record.stream import acts, step_of

# Old rows took the time of writing and not that of the event.
SLACK = timedelta(seconds=1)


def clock_findings(game: Game, match: Match, events: Sequence[StoredEvent], state_at: Callable[[int], Any]) -> Iterator[Finding]:
    """Yield the deadlines that do not follow from the log. `state_at(version)` returns the game's state at a version."""
    account, past = fresh_account(), dict[int, Account]()
    started = ended = False

    def recall(version: int) -> Account:
        return past[max(at for at in past if at <= version)]

    for act in acts(events):
        started |= any(one.type == Started.TYPE for one in act)
        ended |= any(one.type == Ended.TYPE for one in act)
        asked = game.awaited(state_at(act[-1].version)) if started and not ended else ()
        follow(account, step_of(act), asked, recall=recall)
        past[act[-1].version] = account.copy()
        for one in act:
            if isinstance(event := read_event(one), DeadlineSet):
                due = account.due(event.key)
                if due is not None and due != datetime.fromisoformat(event.due_at):
                    told = f"The event sets {event.due_at}, and what it was reckoned from gives {due.isoformat()}."
                    yield Finding("deadline", told, match.id, one.version)
    for row in match.questions.all():
        if (row.seat, row.question) not in account.open:
            continue  # found by the audit of questions
        due = account.due((row.seat, row.question))
        if not _same(due, row.due_at):
            said = f"Question {row.question} of seat {row.seat} is due {_told(row.due_at)}"
            yield Finding("deadline", f"{said}, by the events {_told(due)}.", match.id)


def _same(due: datetime | None, kept: datetime | None) -> bool:
    return due is kept if due is None or kept is None else abs(due - kept) <= SLACK


def _told(due: datetime | None) -> str:
    return due.isoformat() if due is not None else "not now"
