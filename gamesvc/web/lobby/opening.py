"""Pages before a match starts: open it, take and leave seats, invite."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST

from accounts.models import User
from gamesvc.errors import TooMany
from gamesvc.forms import ActForm
from gamesvc.games import catalog
from gamesvc.games.kernel.game import Refused
from gamesvc.language import say
from gamesvc.matches.access import selectors
from gamesvc.matches.access.selectors import Access
from gamesvc.matches.lobby import invitations, links, opening, pairing, rematches
from gamesvc.matches.models import Match
from gamesvc.matches.story import option_words, organising_words
from gamesvc.web.common.access import find, signed_in
from gamesvc.web.common.engines import engine as engine_of
from gamesvc.web.common.hidden import hidden
from gamesvc.web.common.once import once
from gamesvc.web.lobby.forms import AnswerForm, InviteForm, SeatForm


@require_POST
@login_required
def change_seats(request: HttpRequest, ident: str) -> HttpResponse:
    """Change the seats: `act` is join, remove, leave, bot, start, cancel or link."""
    act = ActForm.read(request)["act"]
    if act == "leave":
        return _leave(request, ident)
    access = find(request, ident)
    try:
        _change(request, access, act)
    except Refused as refused:
        messages.error(request, refused.sentence)
    return redirect("web:match", access.match.number)


def _change(request: HttpRequest, access: Access, act: str) -> None:
    user, match = signed_in(request), access.match
    fields = SeatForm.read(request)
    seat, bot = fields["seat"], fields["bot"]
    match act:
        case "join":
            words, link = fields["contribution"], hidden(request, "_link") or ""
            opening.join_match(by=user, match=match, seat=seat, contribution_text=words, link=link, channel="web")
        case "remove" if seat is not None:
            opening.remove_seat(by=user, match=match, seat=seat, channel="web")
        case "bot":
            opening.add_bot(by=user, match=match, seat=seat, bot=bot, channel="web")
        case "start":
            opening.start_match(by=user, match=match, bot=bot or None, channel="web")
        case "cancel":
            opening.cancel_match(by=user, match=match, channel="web")
        case "link":
            links.renew(by=user, match=match)
            messages.success(request, say("The match has a new link. The one before no longer works."))
        case _:
            raise Refused("unreadable", say("Choose what to do with the seats."), "act")


def _leave(request: HttpRequest, ident: str) -> HttpResponse:
    """Leave the seat. After that the user may no longer find the match, so a second click is recognised before."""

    def leave() -> str:
        access = find(request, ident)
        opening.leave_match(by=signed_in(request), match=access.match, channel="web")
        return str(access.match.number) if access.is_host else ""

    try:
        hosted = once(request, leave)
    except Refused as refused:
        messages.error(request, refused.sentence)
        access = find(request, ident)
        hosted = str(access.match.number) if access.is_host else ""
    return redirect("web:match", hosted) if hosted else redirect("web:home")


@require_POST
@login_required
def answer_invitation(request: HttpRequest) -> HttpResponse:
    """Accept or decline an invitation to the reader."""
    try:
        fields = AnswerForm.read(request)
        accept = fields["act"] == "accept"
        match = invitations.answer(by=signed_in(request), invitation_id=fields["invitation"], accept=accept)
    except Refused as refused:
        messages.error(request, refused.sentence)
        return redirect("web:home")
    if accept:
        messages.success(request, say("You have a seat."))
        return redirect("web:match", match.number)
    messages.success(request, say("You have declined the invitation."))
    return redirect("web:home")


@login_required
def quick(request: HttpRequest, game: str) -> HttpResponse:
    """Open a match against bots, or alone, with all defaults. It starts at once. Only a posted form does so."""
    engine = engine_of(game)
    if request.method != "POST":
        return redirect("web:game", engine.id)
    try:
        made = once(request, lambda: opening.quick_match(by=signed_in(request), game=engine.id, channel="web").number)
    except (Refused, TooMany) as refused:
        messages.error(request, refused.sentence)
        return redirect("web:game", engine.id)
    return redirect("web:match", made)


@login_required
def pair(request: HttpRequest, game: str) -> HttpResponse:
    """Find an opponent on the usual terms: take a seat in an open match, or open one and wait. Only a posted form does so."""
    engine = engine_of(game)
    if request.method != "POST":
        return redirect("web:lobby")
    try:
        number = once(request, lambda: pairing.pair(by=signed_in(request), game=engine.id, channel="web").number)
    except (Refused, TooMany) as refused:
        messages.error(request, refused.sentence)
        return redirect("web:lobby")
    if Match.objects.filter(number=number, status=Match.Status.OPEN).exists():
        messages.success(request, say("You wait for an opponent. The match starts when another player takes the seat."))
    return redirect("web:match", number)


@require_POST
@login_required
def invite(request: HttpRequest, ident: str) -> HttpResponse:
    """Invite a user or a mail address to take a seat."""
    access = find(request, ident)
    try:
        whom = InviteForm.read(request)["whom"].strip()
        once(request, lambda: invitations.invite_by_text(by=signed_in(request), match=access.match, whom=whom).pk)
        messages.success(request, say("{whom} is invited.", whom=whom))
    except (Refused, TooMany) as refused:
        messages.error(request, refused.sentence)
    return redirect("web:match", access.match.number)


@require_POST
@login_required
def rematch(request: HttpRequest, ident: str) -> HttpResponse:
    """Open the match again for the same players, or take the seat in the rematch that another has opened."""
    access = find(request, ident)
    try:
        number = once(request, lambda: rematches.rematch(by=signed_in(request), match=access.match, channel="web").number)
    except (Refused, TooMany) as refused:
        messages.error(request, refused.sentence)
        return redirect("web:match", access.match.number)
    if Match.objects.filter(number=number, status=Match.Status.OPEN).exists():
        messages.success(request, say("The rematch is open. It starts when all seats are taken."))
    return redirect("web:match", number)


def invitation(request: HttpRequest, token: str) -> HttpResponse:
    """Show an invitation by its link. Viewing changes nothing; the button takes the seat."""
    found = invitations.find_invitation(token)
    if found is None:
        raise Http404("There is no such invitation.")
    if request.method == "POST" and isinstance(request.user, User):
        try:
            match = invitations.accept_invitation(by=request.user, token=token, channel="web")
            return redirect("web:match", match.number)
        except Refused as refused:
            messages.error(request, refused.sentence)
    seats = tuple(found.match.seats.select_related("user").order_by("index"))
    # Later the link tells nothing of its players: those who may watch the match see them on its page.
    is_open = found.match.status == Match.Status.OPEN
    context = {
        "invitation": found,
        "match": found.match,
        "manifest": catalog.game(found.match.game).manifest,
        "seats": list(zip(seats, selectors.seat_names(seats), strict=True)) if is_open else [],
        "told": option_words.always_told(found.match),
        "organised": organising_words.organiser(found.match, seats) if is_open else "",
        "options": option_words.changed(found.match),
    }
    return render(request, "web/invitation.html", context)
