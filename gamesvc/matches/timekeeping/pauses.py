"""Pausing a running match by agreement: every player must vote for it. Bots always agree; empty seats are not asked.

Resuming takes all votes as well, or the vote of one player who joined after the pause began and so never agreed to it. A player
who agreed, left and came back does not count as new. After `LONGEST_DAYS` one vote is enough in any case: else a player who loses
could agree on a pause, and never again on going on. Only the organiser can lift the organiser's own pause; each player can once
the organiser rules on the match no longer, as with a seat of it, or without an account. A request for a pause lapses after
`ASKED_DAYS`: else who loses on time could take up one that the others have long forgotten.

Not here: the effect on the clocks, and the organiser's own pause (`deadlines`, `organising.measures`). Voting and taking a seat
both lock the seats of the match.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.utils import timezone

from accounts.models import User
from gamesvc.games.kernel.game import Refused
from gamesvc.language import say
from gamesvc.matches import backoff
from gamesvc.matches.access import authority, daily_limits, holders, tenures
from gamesvc.matches.events import Paused
from gamesvc.matches.models import Match, PauseWish, Reason, Seat
from gamesvc.matches.record import loading
from gamesvc.matches.record.append import Actor
from gamesvc.matches.record.stream import STORE
from gamesvc.matches.sharing import Spent
from gamesvc.matches.timekeeping import absence_announcements, deadlines

LONGEST_DAYS = 30
"""From then on each player can end a pause by agreement alone."""
ASKED_DAYS = 7
"""A request for a pause lapses so many days after the first vote."""


def wishes(match: Match) -> list[int]:
    """Return the seats that voted to pause the match or, while it is paused, to resume it."""
    return list(match.pause_wishes.order_by("seat").values_list("seat", flat=True))


def to_answer(user: User, most: int) -> list[PauseWish]:
    """Return the votes of other seats in matches where a user has not voted yet: the first of each match, oldest first."""
    own = Seat.objects.filter(match=OuterRef("match"), user=user)
    voted = PauseWish.objects.filter(match=OuterRef("match"), match__seats__user=user, match__seats__index=F("seat"))
    found = PauseWish.objects.filter(Exists(own), ~Exists(voted), match__status=Match.Status.RUNNING)
    firsts: dict[UUID, PauseWish] = {}
    for wished in found.select_related("match").order_by("wished_at", "pk")[:most]:
        firsts.setdefault(wished.match_id, wished)
    return list(firsts.values())


@dataclass(frozen=True, slots=True)
class Pause:
    """A pause that goes on: the version that began it, and who paused the match: `seats` (by agreement) or `host`.

    `reason_id`: the reason of a host, whose row knows who that was; empty where none was written.
    """

    version: int
    by: str
    reason_id: str = ""

    @property
    def left_behind(self) -> bool:
        """Return True for a pause by an organiser who can never end it: they rule on the match no longer, or their account is
        erased or suspended.
        """
        if self.by != "host" or not self.reason_id:
            return False
        written = Reason.objects.filter(pk=self.reason_id).select_related("user", "match").first()
        if written is None:
            return False
        return written.user is None or not (written.user.is_active and authority.may_rule(written.user, written.match))


def pause_of(match: Match) -> Pause | None:
    """Return the pause of a match; None while it is not paused."""
    return pauses_of([match]).get(match.pk)


def pauses_of(matches: Iterable[Match]) -> dict[UUID, Pause]:
    """Return the pause of each match, in one query. Matches that are not paused are missing."""
    paused = [match.pk for match in matches if match.paused_at is not None]
    # Little happens in a paused match, so the event is near its end.
    found = STORE.last_of_type(paused, Paused.TYPE) if paused else {}
    told = {match_id: (stored.version, Paused.of(stored.data)) for match_id, stored in found.items()}
    return {match_id: Pause(version, paused.by, paused.reason_id) for match_id, (version, paused) in told.items()}


def _longest() -> timedelta:
    return LONGEST_DAYS * 24 * loading.hour()


def each_may_resume_from(match: Match, pause: Pause | None) -> datetime | None:
    """Return the moment from which each player can end a pause by agreement alone; None for any other."""
    return None if pause is None or pause.by != "seats" or match.paused_at is None else match.paused_at + _longest()


def each_may_resume(match: Match, pause: Pause | None) -> bool:
    """Return True if the pause has lasted so long that each player can end it alone."""
    moment = each_may_resume_from(match, pause)
    return moment is not None and moment <= timezone.now()


def may_resume_alone(match: Match, seats: Iterable[Seat], pause: Pause | None) -> set[int]:
    """Return the seats whose players may end the pause alone: they joined after it was agreed, or it has lasted long.

    Those of all players if an organiser has paused who can no longer resume; none for another pause by the organiser.
    """
    left_behind = pause is not None and pause.left_behind
    if pause is None or (pause.by != "seats" and not left_behind):
        return set()
    if left_behind or each_may_resume(match, pause):
        return {seat.index for seat in seats if seat.user_id is not None}
    loaded = loading.load(match.pk, match.game)
    # Looked up first: in most pauses no seat changes hands, and nobody needs to be compared.
    changed = [seat for seat in seats if loaded.hands.get(seat.index, 0) > pause.version]
    then = tenures.holders_at(match, pause.version) if changed else {}
    return {
        seat.index
        for seat in changed
        if seat.user is not None and then.get(seat.index) not in tenures.returns(by=seat.user, match=match, seat=seat.index)
    }


def wish(*, match: Match, by: User, seat: int, pause: bool, channel: str = "api") -> bool:
    """Vote for a pause, or for resuming. Return True if this was the last vote needed and it is done.

    Raises `Refused` if the user no longer holds the seat, if the match is not running, is already in the wanted state or
    was paused by its organiser, or if the others were asked too often.
    """
    with transaction.atomic():
        seats = holders.lock_and_check(match, seat, by.pk)
        now = Match.objects.get(pk=match.pk)
        _check(now, pause)
        _lapse(match.pk)
        _row, new = PauseWish.objects.get_or_create(match=match, seat=seat)
        agreed = _agreed(now, seats)
        first = new and wishes(match) == [seat]
        if agreed:
            if first and pause:
                daily_limits.check_pause_alone(by.pk, match.pk)
            _do(match, seats, pause, Actor("seat", seat), channel)
        elif first:
            daily_limits.check("pause", by.pk, match.pk)
            absence_announcements.tell_pause(match, seats, "asked" if pause else "asked_on", seat)
    return agreed


def withdraw(*, match: Match, by: User, seat: int) -> None:
    """Withdraw a seat's vote before all have voted. Raises `Refused` if it has none, or if the user no longer holds it."""
    with transaction.atomic():
        holders.lock_and_check(match, seat, by.pk)
        if not PauseWish.objects.filter(match=match, seat=seat).delete()[0]:
            raise Refused("no_wish", say("You have not asked for this, so there is nothing to withdraw."))


def settle(*, match: Match, channel: str = "clock") -> bool:
    """Pause or resume if the votes suffice after a seat was vacated or taken. Return True if done."""
    with transaction.atomic():
        seats = holders.lock_seats(match)
        now = Match.objects.get(pk=match.pk)
        _lapse(match.pk)
        if now.status != Match.Status.RUNNING or not _agreed(now, seats):
            return False
        _do(match, seats, now.paused_at is None, Actor("system"), channel)
    return True


def sweep(limit: int = 100) -> int:
    """Settle votes that a timeout has left undecided, and those to end a pause that has lasted long, in turns between the users
    who opened the matches. Return the number of matches.

    Votes for a pause that have lapsed are deleted.
    """
    _lapsed().delete()
    said = PauseWish.objects.filter(match=OuterRef("match"), seat=OuterRef("index"))
    missing = Seat.objects.filter(~Exists(said), match=OuterRef("pk"), user__isnull=False)
    wished = Match.objects.filter(Exists(PauseWish.objects.filter(match=OuterRef("pk"))))
    decided = wished.filter(~Exists(missing) | Q(paused_at__lte=timezone.now() - _longest()))
    due = Spent().in_turn(decided.filter(status=Match.Status.RUNNING).values_list("creator", "pk"))
    return backoff.each("the pause agreed in match", due, lambda pk: settle(match=Match.objects.get(pk=pk)), limit=limit)


def _lapsed() -> QuerySet[PauseWish]:
    """Return the votes for pauses that were asked for too long ago; those to go on lapse never."""
    asked = PauseWish.objects.filter(wished_at__lte=timezone.now() - ASKED_DAYS * 24 * loading.hour())
    return PauseWish.objects.filter(match__paused_at=None, match__in=asked.values("match"))


def _lapse(match_id: UUID) -> None:
    _lapsed().filter(match=match_id).delete()


def _agreed(match: Match, seats: Sequence[Seat]) -> bool:
    asked = {seat.index for seat in seats if seat.user_id is not None}
    agreed = asked & set(wishes(match))
    return bool(agreed) and (agreed == asked or not agreed.isdisjoint(may_resume_alone(match, seats, pause_of(match))))


def _do(match: Match, seats: Sequence[Seat], pause: bool, actor: Actor, channel: str) -> None:
    change = deadlines.pause if pause else deadlines.resume
    change(match=match, mandate=deadlines.Mandate(actor, channel))
    absence_announcements.tell_pause(match, seats, "paused" if pause else "resumed", actor.seat)


def _check(match: Match, pause: bool) -> None:
    if match.board:  # which no player holds a seat of, so nobody could agree
        raise holders.no_seat()
    if match.status != Match.Status.RUNNING:
        raise Refused("not_running", say("The match is {status}; only a running match is paused.", status=match.status))
    if pause and match.paused_at is not None:
        raise deadlines.paused_already(match.paused_at)
    if not pause and match.paused_at is None:
        raise Refused("not_paused", say("The match is not paused."))
    if (lasting := pause_of(match)) is not None and lasting.by == "host" and not lasting.left_behind:
        raise Refused("paused_by_host", say("The organiser has paused the match. Only they can resume it."))
