"""Facts about a seat's time outside the log, read now: quiet hours, vacations, days off, time zones.

They count only as far as `match.deadline_set` records them, in the append that sets the deadline.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from zoneinfo import ZoneInfo

from accounts import absences
from accounts.models import User
from events.canonical import write_time
from gamesvc.matches.clock.account import Account, Key
from gamesvc.matches.clock.compute import NOTHING_KNOWN, Clock, Surroundings
from gamesvc.matches.clock.going_on import CONTINUED
from gamesvc.matches.clock.policy import Policy
from gamesvc.matches.clock.spans import Span, nightly
from gamesvc.matches.events import DeadlineSet, MatchEvent
from gamesvc.matches.models import Seat


class Person:
    """The time of one seat under one policy: its holder's, or without a holder only days off and fixed times.

    Reads the database once, and only for what the policy honours.
    """

    def __init__(self, policy: Policy, user_id: int | None) -> None:
        self.policy, self.user_id = policy, user_id
        self._quiet: absences.QuietHours | None = None
        self._away: list[absences.Span] = []
        self._away_since: datetime | None = None
        if policy.quiet is not None and user_id is not None:
            self._quiet = absences.quiet_hours(User.objects.get(pk=user_id))

    def excluded(self, since: datetime, until: datetime) -> list[Span]:
        policy, quiet = self.policy, self._quiet
        spans = policy.days_off.spans(since, until) if policy.days_off is not None else []
        if policy.quiet is not None and quiet is not None:
            spans += nightly(quiet.start, quiet.end, ZoneInfo(quiet.zone), policy.quiet, since, until)
        if policy.vacation and self.user_id is not None:
            if self._away_since is None or since < self._away_since:
                self._away, self._away_since = absences.away(self.user_id, since), since
            spans += [Span(start, end) for start, end in self._away]
        return spans

    def fixed(self, after: datetime) -> datetime:
        return self.policy.next_adjudication(after)


def around(policy: Policy | None, seats: Sequence[Seat]) -> Callable[[int], Surroundings]:
    """Return a function from seat to its surroundings now. A bot has none: it answers at once and needs no recorded deadline."""
    users = {seat.index: seat.user_id for seat in seats if not seat.bot}
    known: dict[int, Surroundings] = {}

    def of(seat: int) -> Surroundings:
        if policy is None or policy.plain or seat not in users:
            return NOTHING_KNOWN
        if seat not in known:
            known[seat] = Person(policy, users[seat])
        return known[seat]

    return of


def told(
    account: Account, changed: Mapping[Key, str], seats: Sequence[Seat], already: Iterable[MatchEvent] = ()
) -> Iterator[DeadlineSet]:
    """Yield the events that record how the new deadlines were computed; none for deadlines that follow from the log alone.

    That a clock goes on without the minimum is always recorded, even of a bot that has taken over in between.
    """
    policy = account.policy
    if policy is None:
        return
    timed = {seat.index for seat in seats if not seat.bot}
    done = {event.key for event in already if isinstance(event, DeadlineSet)}
    for key, cause in changed.items():
        clock = account.open.get(key)
        follows = policy.plain or key[0] not in timed
        if clock is None or clock.due is None or key in done or (follows and cause != CONTINUED):
            continue
        yield deadline_set(key, clock, cause)


def deadline_set(key: Key, clock: Clock, cause: str, **because: object) -> DeadlineSet:
    """Return the event of a running clock's deadline. `because` adds facts that the clock itself does not hold."""
    assert clock.due is not None
    return DeadlineSet(
        seat=key[0],
        question=key[1],
        due_at=write_time(clock.due),
        cause=cause,
        because={**clock.because(), **because},
    )
