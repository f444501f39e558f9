"""Absence on pages: vacations and quiet hours on the profile; pauses, free seats and absent players on a match."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db.models import Prefetch
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from accounts import absences
from accounts.models import Absence, User
from gamesvc import paging
from gamesvc.forms import ActForm
from gamesvc.games import catalog
from gamesvc.games.kernel.game import Refused
from gamesvc.language import say
from gamesvc.matches.access import holders, selectors, tenures
from gamesvc.matches.access.selectors import Access
from gamesvc.matches.lobby import follows, substitutes
from gamesvc.matches.models import Match, Seat
from gamesvc.matches.reading import board
from gamesvc.matches.story import organising_words
from gamesvc.matches.timekeeping import pauses, vacations
from gamesvc.web.common.access import back, find, seated, signed_in
from gamesvc.web.common.hidden import hidden
from gamesvc.web.common.once import once
from gamesvc.web.timekeeping.forms import CallOffForm, FollowForm, QuietHoursForm, StopForm, TakeForm, VacationForm

_SEATS = Prefetch("match__seats", Seat.objects.select_related("user"))


def of_user(user: User) -> dict[str, object]:
    """Return the context of absence on the profile page."""
    today = timezone.now().astimezone(user.zone).date()
    return {
        "absences": absences.absences_of(user),
        "days_left": absences.days_left(user, today.year),
        "quiet": absences.quiet_hours(user),
        "today": today.isoformat(),
        "follows": [(row.pk, row.organiser.username if row.organiser else _title(row.game)) for row in follows.of(user)],
    }


def panel(access: Access) -> dict[str, object]:
    """Return the context of pauses, free seats and vacations on the page of a running match."""
    match = access.match
    if match.status != Match.Status.RUNNING or match.board:
        return {}
    names, away, coming = selectors.seat_names(access.seats), board.away_players(access), board.announced(access)
    wishes = [] if access.is_delayed else pauses.wishes(match)
    free = [seat.index for seat in access.seats if seat.waits]
    held = tenures.seats_held(access.user, match) if free and access.user is not None else set()
    open_to_reader = [seat for seat in free if not held or seat in held]
    pause = None if access.is_delayed else pauses.pause_of(match)
    left_behind, alone = pause is not None and pause.left_behind, bool(pauses.may_resume_alone(match, access.seats, pause))
    shown = {
        "paused_since": None if access.is_delayed else match.paused_at,
        "by_host": pause is not None and pause.by == "host" and not left_behind,
        "left_behind": left_behind,
        "one_resumes": alone and not left_behind and not pauses.each_may_resume(match, pause),
        "each_from": pauses.each_may_resume_from(match, pause),
        "wishes": [names[seat] for seat in wishes],
        "mine": access.viewer in wishes,
        "away": [(seat.index, names[seat.index], away[seat.user_id]) for seat in access.seats if seat.user_id in away],
        "coming": [(seat.index, names[seat.index], coming[seat.user_id]) for seat in access.seats if seat.user_id in coming],
        "free": free,
        "may_take": open_to_reader if access.user is not None and access.seat is None else [],
        "seated": access.seat is not None,
    }
    return {"absence": shown}


@require_POST
@login_required
def change_vacations(request: HttpRequest) -> HttpResponse:
    """Announce or cancel a vacation."""
    user = signed_in(request)
    try:
        if ActForm.read(request)["act"] == "cancel":
            row = Absence.objects.filter(user=user, pk=CallOffForm.read(request)["absence"]).first()
            if row is None:
                raise Refused("unknown_absence", say("You have not announced such a vacation."))
            absences.call_off(absence=row)
            messages.success(request, say("The vacation is called off."))
        else:
            absences.announce(user=user, **VacationForm.read(request))
            messages.success(request, say("Your vacation is announced."))
    except (Refused, absences.AbsenceRefused) as refused:
        messages.error(request, refused.sentence)
    else:
        vacations.settle(user.pk)
    return redirect("web:profile")


@require_POST
@login_required
def quiet_hours(request: HttpRequest) -> HttpResponse:
    """Set quiet hours, or end them with both fields empty."""
    user = signed_in(request)
    try:
        absences.set_quiet_hours(user=user, **QuietHoursForm.read(request))
    except (Refused, absences.AbsenceRefused) as refused:
        messages.error(request, refused.sentence)
    else:
        messages.success(request, say("Your quiet hours are saved."))
    return redirect("web:profile")


@require_POST
@login_required
def follow(request: HttpRequest) -> HttpResponse:
    """Subscribe to the free seats of a game or an organiser, or end the subscription."""
    user, stops = signed_in(request), ActForm.read(request)["act"] == "stop"
    try:
        if stops:
            follows.stop(by=user, follow_id=StopForm.read(request)["follow"])
        else:
            fields = FollowForm.read(request)
            follows.follow(by=user, game=fields["game"], organiser=fields["organiser"].strip())
    except Refused as refused:
        messages.error(request, refused.sentence)
    return redirect("web:profile" if stops else "web:substitutes")


@require_safe
def free_seats(request: HttpRequest) -> HttpResponse:
    """List the seats of running matches that wait for a substitute."""
    reader = request.user if isinstance(request.user, User) else None
    free = substitutes.free_seats(reader).select_related("match__creator").prefetch_related(_SEATS)[: paging.FREE_SEATS]
    organised = organising_words.organisers([seat.match for seat in free])
    rows = [(seat, _title(seat.match.game), organised[seat.match_id]) for seat in free]
    games = [(engine.id, engine.manifest.title) for engine in catalog.games()]
    return render(request, "web/substitutes.html", {"rows": rows, "games": games, "tab": "substitutes"})


@require_POST
@login_required
def change(request: HttpRequest, ident: str) -> HttpResponse:
    """Pause or resume a match, give up a seat or take one, from the match page."""
    act = ActForm.read(request)["act"]
    if act == "give_up":
        return _give_up(request, ident)
    user, access = signed_in(request), find(request, ident)
    seat = access.viewer
    try:
        if act == "take":
            wanted, link = TakeForm.read(request)["seat"], hidden(request, "_link") or ""
            substitutes.take_over(by=user, match=access.match, seat=wanted, link=link, channel="web")
            messages.success(request, say("The seat is yours."))
        elif seat is None:
            raise holders.no_seat()
        elif act == "withdraw":
            pauses.withdraw(match=access.match, by=user, seat=seat)
        elif act in ("pause", "resume"):
            done = pauses.wish(match=access.match, by=user, seat=seat, pause=act == "pause", channel="web")
            told = say("The match is paused.") if act == "pause" else say("The match is resumed.")
            messages.success(request, told if done else say("The others are asked to agree."))
        else:
            raise Refused("unreadable", say("This match does not know that action. Load the page again."))
    except Refused as refused:
        messages.error(request, refused.sentence)
    return back(request, access.match)


def _give_up(request: HttpRequest, ident: str) -> HttpResponse:
    """Give up the seat. The user then has none, so a second click is recognised before."""

    def give_up() -> int:
        access = find(request, ident)
        seat = seated(access).index
        substitutes.give_up(match=access.match, by=signed_in(request), seat=seat, channel="web")
        return seat

    try:
        once(request, give_up)
    except Refused as refused:
        messages.error(request, refused.sentence)
        return redirect("web:match", find(request, ident).match.number)
    messages.success(request, say("Your seat is free for a substitute."))
    return redirect("web:home")


def _title(game: str) -> str:
    return catalog.game(game).manifest.title
