"""The undo panel of the match page, and its input."""

from __future__ import annotations

import uuid
from collections.abc import Sequence

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.http import require_POST

from gamesvc.forms import ActForm
from gamesvc.games.kernel.game import Refused
from gamesvc.language import mark, say
from gamesvc.matches.access import authority, selectors
from gamesvc.matches.access.selectors import Access
from gamesvc.matches.errors import Forbidden, Outdated
from gamesvc.matches.models import UndoRequest
from gamesvc.matches.organising import rewinds
from gamesvc.matches.play import turns
from gamesvc.matches.play.turns import Sender
from gamesvc.matches.record.loading import Loaded
from gamesvc.matches.story import sentences
from gamesvc.matches.story.gist import gist
from gamesvc.matches.story.sentences import Told
from gamesvc.matches.story.undo_words import CODES
from gamesvc.matches.undo import undoing
from gamesvc.matches.undo.undo_acts import Outcome
from gamesvc.matches.undo.undoing import Offer
from gamesvc.request_limits import adds_to_record
from gamesvc.web.common import once
from gamesvc.web.common.access import back, find, seated, signed_in
from gamesvc.web.common.fields import VersionForm
from gamesvc.web.undo.forms import AnswerForm, RewindForm

DONE = {
    "undo": mark("Undone."),
    "asked": mark("The others are asked. Nothing is undone until they agree."),
    "redo": mark("Done again."),
    "accept": mark("You accept the undo."),
    "decline": mark("You decline the undo."),
    "rewind": mark("The match is rewound, and the players are notified."),
}


def panel(access: Access, loaded: Loaded) -> dict[str, object]:
    """Return the context of the undo panel, for players and for users who may rewind the match."""
    if not loaded.started or loaded.ended:
        return {}
    shown: dict[str, object] = {"version": loaded.viewer_version(access.viewer)}
    if access.seat is not None:
        offer = undoing.offer(loaded, access.match, access.seat.index)
        names = selectors.seat_names(access.seats)
        shown |= {
            "how": offer.how,
            "act": _told(loaded, access.seat.index, names, offer),
            "asks": ", ".join(names[seat] for seat in offer.asks),
            "redo": offer.redo is not None,
            "request": offer.request,
        }
        if (request := offer.request) is not None:
            mine = request.seat == access.seat.index
            to_answer = access.seat.index in request.asked and access.seat.index not in request.accepted
            shown |= {"name": names[request.seat], "mine": mine, "to_answer": to_answer}
            if to_answer:
                shown["gone"] = _gone(loaded, access.seat.index, names, request)
        if not (offer.how or offer.redo is not None or offer.request):
            return {}
        return {"undo": shown}
    if access.user is not None and authority.may_rule(access.user, access.match):
        return {"undo": {**shown, "codes": CODES.items(), "longest": authority.longest_reason(access.user)}}
    return {}


def _told(loaded: Loaded, seat: int, names: tuple[str, ...], offer: Offer) -> str:
    """Return the command that can be undone as the log tells it; as an order if the log tells nothing of it."""
    if offer.command is None:
        return ""
    told: Sequence[Told] = ()
    if offer.to is not None:
        # The others may have done very much since.
        until = min(offer.to + 2 * sentences.MOST_EVENTS, loaded.viewer_version(seat))
        told = sentences.tell(loaded, seat, names, offer.to, until)
    return gist(told)[0].sentence if told else loaded.game.render(offer.command)


def _gone(loaded: Loaded, seat: int, names: tuple[str, ...], request: UndoRequest) -> list[str]:
    """Return what a seat would consent to undo, as it has seen it: what it has done itself since may be undone too, also since
    it was asked.
    """
    told = sentences.tell_last(loaded, seat, names, sentences.MOST_EVENTS, after=request.to)
    return [one.sentence for one in told if one.version != request.version]


@adds_to_record
@require_POST
@login_required
def send_undo(request: HttpRequest, ident: str) -> HttpResponse:
    """Undo, redo, answer a request or rewind: `act` says which."""
    access = find(request, ident)
    act = ActForm.read(request)["act"]
    try:
        outcome = _carry_out(request, access, act)
    except (Refused, Forbidden, Outdated) as refused:
        messages.error(request, refused.sentence)
    else:
        messages.success(request, say(DONE["asked" if act == "undo" and not outcome.done else act]))
    return back(request, access.match)


def _carry_out(request: HttpRequest, access: Access, act: str) -> Outcome:
    command_id = turns.command_id(sender=f"web {signed_in(request).pk} {access.match.pk}", key=once.request_key(request))
    if act == "rewind":
        return _rewind(request, access, command_id)
    sender = Sender.player(signed_in(request).pk, seated(access).index, "web")
    match act:
        case "undo":
            version = VersionForm.read(request)["_version"]
            return undoing.undo(match=access.match, sender=sender, expected_version=version, command_id=command_id)
        case "redo":
            version = VersionForm.read(request)["_version"]
            return undoing.redo(match=access.match, sender=sender, expected_version=version, command_id=command_id)
        case "accept" | "decline":
            asked = AnswerForm.read(request)["request"]
            return undoing.answer(match=access.match, sender=sender, accept=act == "accept", request=asked, command_id=command_id)
    raise Refused("unreadable", say("Choose what to undo."), "act")


def _rewind(request: HttpRequest, access: Access, command_id: uuid.UUID) -> Outcome:
    fields = RewindForm.read(request)
    return rewinds.rewind(
        by=signed_in(request),
        match=access.match,
        to=fields["to"],
        code=fields["code"],
        reason=fields["reason"],
        expected_version=fields["_version"],
        command_id=command_id,
        received_at=timezone.now(),
        channel="web",
    )
