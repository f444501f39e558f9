"""The organiser's panel on the match page: pause, extend, replace a player, abort. Rewinding is in the undo panel."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from gamesvc.games.kernel.game import Refused
from gamesvc.language import mark, say
from gamesvc.matches.access import authority, selectors, tenures
from gamesvc.matches.access.selectors import Access
from gamesvc.matches.errors import Forbidden, Outdated
from gamesvc.matches.models import Match
from gamesvc.matches.organising import measures
from gamesvc.matches.organising.measures import Measure
from gamesvc.matches.play import turns
from gamesvc.matches.story.undo_words import CODES
from gamesvc.web.common import once
from gamesvc.web.common.access import find, signed_in
from gamesvc.web.organising.forms import MeasureForm

DONE = {
    "pause": mark("The match is paused, and the players are notified."),
    "resume": mark("The match goes on, and the players are notified."),
    "extend": mark("The seat has more time, and the players are notified."),
    "replace": mark("The player is replaced, and the players are notified."),
    "abort": mark("The match is called off."),
}


def panel(access: Access) -> dict[str, object]:
    """Return the context of the panel, for an organiser who has never played in the match."""
    match, user = access.match, access.user
    if user is None or match.status != Match.Status.RUNNING or not authority.may_rule(user, match):
        return {}
    names = selectors.seat_names(access.seats)
    return {
        "organiser": {
            "actions": [
                ("resume", say("Resume the match")) if match.paused_at is not None else ("pause", say("Pause")),
                ("extend", say("Give a seat more time")),
                ("replace", say("Replace a player")),
                ("abort", say("Call the match off")),
            ],
            "seats": list(enumerate(names)),
            "codes": CODES.items(),
            "longest": authority.longest_reason(user),
            "tenures": tenures.of_match(match),
        }
    }


@require_POST
@login_required
def send_measure(request: HttpRequest, ident: str) -> HttpResponse:
    """Carry out a measure."""
    access = find(request, ident)
    user, key = signed_in(request), once.request_key(request)
    try:
        fields = MeasureForm.read(request)
        action = fields["action"]
        if action not in DONE:
            raise Refused("bad_action", say("Choose what to do."), "action")
        measure = Measure(**fields)
        command_id = turns.command_id(sender=f"web host {user.pk} {access.match.pk}", key=key)
        measures.organise(by=user, match=access.match, measure=measure, command_id=command_id, channel="web")
    except (Refused, Forbidden, Outdated) as refused:
        messages.error(request, refused.sentence)
    else:
        messages.success(request, say(DONE[action]))
    return redirect("web:match", access.match.number)
