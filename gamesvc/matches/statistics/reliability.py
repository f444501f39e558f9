"""Reliability required by a match: the share of matches finished, and the number of timeouts.

Both cover the last year (`totals.WINDOW`). Players without any finished match may always join, since otherwise nobody could
begin. Players whom the host invites by name need not meet the requirement.
"""

from __future__ import annotations

from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet, Sum

from accounts.models import User
from gamesvc.games.kernel.game import Refused
from gamesvc.games.kernel.wording import counted
from gamesvc.json_types import JsonMapping
from gamesvc.language import say
from gamesvc.matches.models import Match, Seat
from gamesvc.matches.statistics import totals

MOST_TIMEOUTS = 1000


def read(asked: JsonMapping | None) -> dict[str, int | None] | None:
    """Return a checked requirement with both fields: `finished`, the minimum in percent, and `timeouts`, the maximum. Raises
    `Refused`.
    """
    if asked is None:
        return None
    if unknown := sorted(asked.keys() - {"finished", "timeouts"}):
        raise Refused(
            "bad_reliability",
            say("reliability has finished and timeouts, no {unknown}.", unknown=", ".join(unknown)),
            "reliability",
        )
    finished, timeouts = asked.get("finished", 0), asked.get("timeouts")
    if type(finished) is not int or not 0 <= finished <= 100:
        raise Refused("bad_reliability", say("finished is a percentage from 0 to 100."), "reliability")
    if timeouts is not None and (type(timeouts) is not int or not 0 <= timeouts <= MOST_TIMEOUTS):
        raise Refused(
            "bad_reliability",
            say("timeouts is a number from 0 to {most_timeouts}, or null.", most_timeouts=MOST_TIMEOUTS),
            "reliability",
        )
    return {"finished": finished, "timeouts": timeouts} if finished or timeouts is not None else None


def words(asked: JsonMapping | None) -> list[str]:
    """Return the requirement as text, one item per part; none if there is no requirement."""
    told = []
    if asked is not None and asked["finished"]:
        told.append(f"players who finished at least {asked['finished']} % of their matches")
    if asked is not None and asked["timeouts"] is not None:
        times = "never" if not asked["timeouts"] else f"at most {counted(asked['timeouts'], 'time')}"
        told.append(f"players who ran out of time {times} in the last {totals.WINDOW.days} days")
    return told


def check(user: User, match: Match) -> None:
    """Refuse a player who does not meet the requirement. The sentence names their own figures."""
    asked = match.reliability
    if asked is None or match.creator_id == user.pk:
        return
    shown = totals.record_of(user, totals.since())
    share = shown.finished_percent
    if share is not None and share < asked["finished"]:
        raise Refused(
            "not_reliable",
            say(
                "This match is for players who finished at least {asked} % of their matches within the last {days} days; "
                "you finished {finished} of {all} ({share} %).",
                asked=asked["finished"],
                days=totals.WINDOW.days,
                finished=shown.finished,
                all=shown.finished + shown.given_up,
                share=share,
            ),
        )
    if asked["timeouts"] is not None and shown.timeouts > asked["timeouts"]:
        raise Refused(
            "not_reliable",
            say(
                "This match is for players with at most {most} within the last {days} days; you have {timeouts}.",
                most=counted(asked["timeouts"], "timeout"),
                days=totals.WINDOW.days,
                timeouts=shown.timeouts,
            ),
        )


def for_player(matches: QuerySet[Match], user: User) -> QuerySet[Match]:
    """Return only the open matches whose requirement this player meets."""
    shown = totals.record_of(user, totals.since())
    share = 100 if shown.finished_percent is None else shown.finished_percent
    fits = Q(reliability__finished__lte=share) & (Q(reliability__timeouts=None) | Q(reliability__timeouts__gte=shown.timeouts))
    return _open(matches).filter(Q(reliability__isnull=True) | fits)


def with_players(
    matches: QuerySet[Match], *, finished: int = 0, timeouts: int | None = None, answer_hours: int | None = None
) -> QuerySet[Match]:
    """Return only the open matches whose players all meet these figures; none with hidden players.

    `answer_hours`: their average answer takes at most this many hours. Players without any answer are not excluded.
    """
    # The figures of one player at a time, so that a page of matches asks for its own players only.
    shown = (
        totals.counted(totals.since())
        .filter(user=OuterRef("user"))
        .values("user")
        .annotate(
            done=totals.FINISHED,
            over=Count("pk", filter=Q(finished=True) | Q(vacated=True)),
            late=Sum("timeouts"),
            given=Sum("answers", filter=totals.OVER),
            seconds=Sum("answer_seconds", filter=totals.OVER),
        )
    )
    wanting = Q(over__gt=0, done__lt=F("over") * finished / 100.0)
    if timeouts is not None:
        wanting |= Q(late__gt=timeouts)
    if answer_hours is not None:
        wanting |= Q(given__gt=0, seconds__gt=F("given") * answer_hours * 3600)
    seats = Seat.objects.filter(match=OuterRef("pk"), user__isnull=False)
    return _open(matches).filter(~Exists(seats.filter(Exists(shown.filter(wanting)))), anonymous=False)


def _open(matches: QuerySet[Match]) -> QuerySet[Match]:
    """Return the open ones of some matches. In the archive, figures that nobody meets would be added up for each of its seats."""
    return matches.filter(status=Match.Status.OPEN)
