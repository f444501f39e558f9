"""Reports of messages and behaviour by players to the operators."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from django.db import transaction

from accounts.models import User
from gamesvc.games.kernel.game import Refused
from gamesvc.json_types import JsonObject
from gamesvc.language import say
from gamesvc.matches.access import daily_limits
from gamesvc.matches.access.selectors import Access
from gamesvc.matches.lobby import press
from gamesvc.matches.models import Match, Press, Report
from gamesvc.matches.organising import moderation
from notifications import outbox

LONGEST = 2000
COPIED = 10
"""Messages kept with a report: the reported one, and those before it between the same two players."""


@dataclass(frozen=True, slots=True)
class Subject:
    """The subject of a report: a player, in a match, for a message; the last two may be missing."""

    about: User
    match: Match | None = None
    message: Press | None = None


def of_player(by: User, name: str) -> Subject:
    """Return a player by name as the subject of a report. Raises `Refused`."""
    about = User.named(name)
    if about is None:
        raise Refused("unknown_user", say("There is no user {username!r}.", username=name), "player")
    return _checked(by, Subject(about))


def of_seat(access: Access, seat: int) -> Subject:
    """Return the player of a seat as the subject of a report. Raises `Refused`."""
    assert access.user is not None
    found = next((one.user for one in access.seats if one.index == seat and one.user is not None), None)
    if found is None:
        raise Refused("no_seat", say("Nobody holds seat {seat}.", seat=seat), "seat")
    return _checked(access.user, Subject(found, access.match))


def of_message(access: Access, message_id: UUID) -> Subject:
    """Return a message that the user may read as the subject of a report. Raises `Refused`."""
    assert access.user is not None
    # Also one that a block has hidden since.
    found = press.messages(access, None).filter(pk=message_id).first()
    if found is None:
        raise Refused("unknown_message", say("There is no such message."), "message")
    return _checked(access.user, Subject(found.user, access.match, found))


def report(*, by: User, subject: Subject, kind: str, words: str, access: Access | None = None) -> Report:
    """Send a report to the operators. The reported player is not told. Raises `Refused` and `TooMany`."""
    if by.is_bot:
        raise Refused("not_for_bots", say("A bot reports nobody. Its owner does, from their own account."))
    words = press.clean(words)
    if kind not in Report.Kind.values:
        kinds = ", ".join(Report.Kind.values)
        raise Refused("bad_report", say("Say what it is about: {kinds}.", kinds=kinds), "kind")
    if len(words) > LONGEST or not (words or subject.message):
        raise Refused("bad_report", say("Say what happened, in 1 to {most} characters.", most=LONGEST), "words")
    most = daily_limits.REPORTS_PER_DAY
    with transaction.atomic():
        User.lock(by.pk)
        sentence = say("You can send at most {most} reports a day.", most=most)
        daily_limits.count_for(by, "reports", most, daily_limits.DAY, sentence)
        made = Report.objects.create(
            user=by, about=subject.about, match=subject.match, kind=kind, words=words, messages=_copies(by, subject, access)
        )
        _tell_operators(made)
        return made


def _tell_operators(report: Report) -> None:
    """Queue a mail to each operator who may decide about a report."""
    deciding = (one for one in User.objects.filter(is_staff=True, is_active=True) if moderation.may_decide(one, report))
    outbox.notify(*(outbox.Notice(kind="report", user_id=one.pk, payload={"report": str(report.pk)}) for one in deciding))


def erase(user: User) -> None:
    """Delete a user's own texts from their reports about others."""
    for row in Report.objects.filter(user=user):
        Report.objects.filter(pk=row.pk).update(
            words="", user=None, messages=[one for one in row.messages if one["by"] == "about"]
        )


def _checked(by: User, subject: Subject) -> Subject:
    if subject.about.pk == by.pk:
        raise Refused("own_name", say("You cannot report yourself."), "player")
    return subject


def _copies(by: User, subject: Subject, access: Access | None) -> list[JsonObject]:
    """Return copies of the reported message and of those before it between the two, as far as the reporter may read them."""
    if subject.message is None or access is None:
        return []
    readable = press.messages(access, None).filter(user__in=[by, subject.about])
    earlier = press.before(readable, subject.message)[: COPIED - 1]
    return [
        {
            "by": "about" if one.user_id == subject.about.pk else "reporter",
            "seat": one.seat,
            "to": one.to or press.ALL,
            "text": one.text,
            "said_at": one.said_at.isoformat(),
            "reported": one.pk == subject.message.pk,
        }
        for one in reversed([subject.message, *earlier])
    ]
