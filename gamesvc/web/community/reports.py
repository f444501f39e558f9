"""The page on which a player reports a message or another player to the operators."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from gamesvc.errors import TooMany
from gamesvc.games.kernel.game import Refused
from gamesvc.language import say
from gamesvc.matches.access import selectors
from gamesvc.matches.access.selectors import Access
from gamesvc.matches.models import Report
from gamesvc.matches.organising import reports
from gamesvc.matches.organising.reports import Subject
from gamesvc.web.common.access import find, signed_in
from gamesvc.web.common.once import once
from gamesvc.web.community.forms import ReportForm, SubjectForm


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def report(request: HttpRequest) -> HttpResponse:
    """Ask what happened; on POST, send the report. The address names the message, the seat or the player."""
    access, subject = _subject(request)
    form = ReportForm(request.POST if request.method == "POST" else None)
    if request.method == "POST":
        try:
            _send(request, form, subject, access)
            messages.success(request, say("The operators have your report. The player is not told."))
            return (
                redirect("web:match", access.match.number)
                if access is not None
                else redirect("web:player", subject.about.username)
            )
        except (Refused, TooMany) as refused:
            messages.error(request, refused.sentence)
    context = {
        "form": form,
        "kinds": [(value, say(label)) for value, label in Report.Kind.choices],
        "name": _name(access, subject),
        "match": access.match if access is not None else None,
        "message": subject.message,
        "longest": reports.LONGEST,
    }
    answer = render(request, "web/community/report.html", context, status=422 if form.is_bound else 200)
    answer["Cache-Control"] = "private, no-store"
    return answer


def _subject(request: HttpRequest) -> tuple[Access | None, Subject]:
    """Return the match and what the address names. Raises `Http404` if there is no such thing, or not for this reader."""
    form = SubjectForm(request.GET)
    try:
        fields = form.checked()
        if not fields["match"]:
            return None, reports.of_player(signed_in(request), fields["player"])
        access = find(request, fields["match"])
        if fields["message"] is not None:
            return access, reports.of_message(access, fields["message"])
        if fields["seat"] is None:
            raise Http404("Name a message, a seat or a player.")
        return access, reports.of_seat(access, fields["seat"])
    except Refused as refused:
        raise Http404(refused.sentence) from None


def _send(request: HttpRequest, form: ReportForm, subject: Subject, access: Access | None) -> None:
    fields = form.checked()
    by = signed_in(request)
    once(request, lambda: reports.report(by=by, subject=subject, kind=fields["kind"], words=fields["words"], access=access).pk)


def _name(access: Access | None, subject: Subject) -> str:
    """Return the name of the reported player, as the match shows it."""
    if access is None:
        return subject.about.username
    names = selectors.seat_names(access.seats)
    if subject.message is not None:
        return names[subject.message.seat] if access.match.hides_names else subject.about.username
    return next(names[seat.index] for seat in access.seats if seat.user_id == subject.about.pk)
