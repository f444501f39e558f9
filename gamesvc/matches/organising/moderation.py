"""Acts of operators on reports: each is recorded with its operator, moment and note, and is never changed.

An operator does not act on a report that they wrote, that is about them or a bot of theirs, or of an unfinished match in which
they have played.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db import transaction
from django.utils import timezone

from accounts.bots import bots
from accounts.models import User
from accounts.oauth import apps
from gamesvc.games.kernel.game import Refused
from gamesvc.matches.access import tenures
from gamesvc.matches.errors import Forbidden, Unknown
from gamesvc.matches.lobby import opening
from gamesvc.matches.models import MessageBan, Report, ReportAct
from notifications import outbox

Act = ReportAct.Act
LONGEST_NOTE = 2000
DAYS = (1, 365)
CLOSING = (Act.DISMISS, Act.WARN, Act.MUTE, Act.SUSPEND)
TOLD = (Act.WARN, Act.MUTE)
"""The acts that the player is told of by mail, with the operator's words. The mail of a suspended account goes nowhere."""


def act(*, by: User, report: Report, act: str, words: str = "", days: int | None = None) -> ReportAct:
    """Carry out an act on a report and record it. Raises `Forbidden`, `Refused`, and `Unknown` if it was erased meanwhile."""
    with transaction.atomic():
        report = _locked(report)
        _check_operator(by, report)
        words = _check(report, act, words.strip(), days)
        done = ReportAct.objects.create(report=report, operator=by, act=act, words=words, days=days if act == Act.MUTE else None)
        _carry_out(report, act, days)
        _move_on(report, act)
        if act in TOLD:
            # Of a bot its owner hears, who answers for it and has an address.
            outbox.notify(outbox.Notice(kind="conduct", user_id=bots.root(report.about), payload={"act": done.pk}))
    if act == Act.SUSPEND:
        # Afterwards, as each of these matches is locked by itself. Nobody is to join someone who cannot play.
        for account in (report.about, *report.about.bots.all()):
            opening.leave_all(account, channel="web")
    return done


def _locked(report: Report) -> Report:
    """Lock a report until the transaction ends. Raises `Unknown` if it went with the account that it is about."""
    # The account first, as its erasure does, which takes the reports after it.
    list(User.objects.select_for_update(no_key=True).filter(pk=report.about_id).values_list("pk"))
    found = Report.objects.select_for_update(of=("self",)).select_related("about", "match").filter(pk=report.pk).first()
    if found is None:
        raise Unknown("There is no such report: the player has erased their account.")
    return found


def possible(report: Report, act: str) -> bool:
    """Return True for an act that the state of a report allows: a closed one is not decided again."""
    if report.state == Report.State.CLOSED:
        return act in (Act.NOTE, Act.RESTORE)
    return act != Act.RESTORE


def may_decide(by: User, report: Report) -> bool:
    """Return True for an operator whom a report does not concern."""
    try:
        _check_operator(by, report)
    except Forbidden:
        return False
    return True


def _check_operator(by: User, report: Report) -> None:
    if not by.is_operator:
        raise Forbidden("Only operators decide about reports.")
    if by.pk in (report.user_id, report.about_id) or (report.about is not None and bots.root(report.about) == by.pk):
        raise Forbidden("This report is yours or about you, so another operator decides about it.")
    if report.match is not None and not report.match.over and tenures.played(by, report.match):
        raise Forbidden("You have played in this match, so another operator decides about the report until it is over.")


def _check(report: Report, act: str, words: str, days: int | None) -> str:
    """Return the words of an act. Raises `Refused` for an act that is not possible now."""
    if act not in Act.values:
        raise Refused("unreadable", "Choose what to do with the report.", "act")
    if not possible(report, act):
        raise Refused("report_closed", "A closed report takes a note, or restores the player; an open one takes everything else.")
    if len(words) > LONGEST_NOTE or not (words or act == Act.TAKE):
        raise Refused("bad_reason", f"Say why, in 1 to {LONGEST_NOTE} characters.", "words")
    if act == Act.MUTE and not (days is not None and DAYS[0] <= days <= DAYS[1]):
        raise Refused("bad_report", f"A ban from messages lasts {DAYS[0]} to {DAYS[1]} days.", "days")
    if act == Act.SUSPEND and report.about.is_staff:
        raise Refused("bad_report", "An operator cannot be suspended here: take the operator's rights from the account first.")
    return words


def _carry_out(report: Report, act: str, days: int | None) -> None:
    match act:
        case Act.MUTE:
            _ban(report.about_id, timezone.now() + timedelta(days=days or 0))
        case Act.SUSPEND:
            User.objects.filter(pk=report.about_id).update(is_active=False)
            apps.rest(report.about)
        case Act.RESTORE:
            MessageBan.objects.filter(user=report.about).delete()
            User.objects.filter(pk=report.about_id).update(is_active=True)


def hand_to_owner(bot: User, owner_id: int) -> None:
    """Leave the reports about a bot, and its ban from messages, with its owner: erasing the bot rids nobody of them."""
    Report.objects.filter(about=bot).update(about=owner_id)
    ban = MessageBan.objects.filter(user=bot).first()
    if ban is not None:
        _ban(owner_id, ban.until)


def _ban(user_id: int, until: datetime) -> None:
    ban, _new = MessageBan.objects.get_or_create(user_id=user_id, defaults={"until": until})
    # One that another operator made stays: `restore` ends a ban, and no shorter one does.
    MessageBan.objects.filter(pk=ban.pk, until__lt=until).update(until=until)


def _move_on(report: Report, act: str) -> None:
    if act in CLOSING:
        report.state, report.closed_at = Report.State.CLOSED, timezone.now()
    elif act == Act.TAKE:
        report.state = Report.State.TAKEN
    report.save(update_fields=["state", "closed_at"])
