"""The players whom a user blocks: the list on the profile, and the button on a player's page."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from accounts import blocks
from accounts.models import User
from gamesvc.forms import ActForm
from gamesvc.games.kernel.game import Refused
from gamesvc.language import say
from gamesvc.web.common.access import signed_in
from gamesvc.web.community.forms import BlockForm


def of_player(reader: User, player: User) -> dict[str, object]:
    """Return the context of the acts at the end of a player's page."""
    return {"other": reader.pk != player.pk, "blocks_them": blocks.has_blocked(reader, player)}


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def blocked(request: HttpRequest) -> HttpResponse:
    """List the players whom the user blocks; on POST, block or unblock one."""
    user = signed_in(request)
    if request.method != "POST":
        answer = render(request, "web/community/blocked.html", {"rows": blocks.of(user)})
        answer["Cache-Control"] = "private, no-store"
        return answer
    form = BlockForm(request.POST)
    try:
        act, fields = ActForm.read(request)["act"], form.checked()
        name = fields["name"].strip()
        if act == "unblock":
            blocks.unblock(by=user, name=name)
            messages.success(request, say("You no longer block {name}.", name=name))
        else:
            blocks.block(by=user, name=name)
            messages.success(request, say("You block {name}. They are not told.", name=name))
    except (Refused, blocks.BlockRefused) as refused:
        messages.error(request, refused.sentence)
        return redirect("web:blocked")
    return redirect("web:player", name) if fields["_back"] == "player" else redirect("web:blocked")
