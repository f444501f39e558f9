"""Conditional orders on the match page, as text as in mails."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from accounts.models import User
from gamesvc.errors import TooMany
from gamesvc.games.kernel.game import Refused
from gamesvc.language import say
from gamesvc.matches.access import selectors
from gamesvc.matches.access.selectors import Access
from gamesvc.matches.errors import Outdated
from gamesvc.matches.lobby import lines
from gamesvc.matches.models import Premove
from gamesvc.matches.play import branches, standing_orders
from gamesvc.matches.record.loading import Loaded
from gamesvc.web.common.access import find, seated, signed_in
from gamesvc.web.common.once import once
from gamesvc.web.play.forms import StandingForm

OPEN = (Premove.Status.WAITING, Premove.Status.ARMED)
STATUS: dict[str, str] = {
    Premove.Status.ARMED: "Met; your answer follows when you are asked",
    Premove.Status.DONE: "Done",
    Premove.Status.DROPPED: "Ended",
    Premove.Status.LAPSED: "Lapsed",
}


def panel(access: Access, loaded: Loaded) -> dict[str, object]:
    """Return the context of a player's conditional orders: the tree, and those written as text."""
    if access.seat is None or not loaded.started or loaded.ended or access.match.board:
        return {}
    found = standing_orders.laid_by(access.match, access.seat.index)
    shown = {
        "tree": _tree(access, loaded, [one for one in found if branches.is_branch(one)]),
        "rows": [
            {
                "number": one.number,
                "words": standing_orders.words(loaded, one),
                "open": one.status in OPEN,
                "status": one.get_status_display(),
                "why": one.why,
            }
            for one in found
            if not branches.is_branch(one)
        ],
        "open": sum(one.status in OPEN for one in found),
        "shows": standing_orders.SHOWS,
        "lately": standing_orders.lately(loaded, access.seat.index),
    }
    return {"standing": shown}


def _tree(access: Access, loaded: Loaded, rows: Sequence[Premove]) -> list[dict[str, Any]]:
    """Return the branches that still wait, and the last that ended, each with those after it."""
    names = selectors.seat_names(access.seats)
    listed = {row.pk for row in rows}

    def after(pk: UUID | None) -> list[dict[str, Any]]:
        return [_branch(row, after(row.pk)) for row in rows if (row.after_id if row.after_id in listed else None) == pk]

    def _branch(row: Premove, below: list[dict[str, Any]]) -> dict[str, Any]:
        return {
            "number": row.number,
            "seat": row.condition["seat"],
            "name": names[row.condition["seat"]],
            "own": row.condition["seat"] == row.seat,
            "order": loaded.game.render(row.condition["command"]),
            "answers": [loaded.game.render(command) for command in row.commands],
            "open": row.status in OPEN,
            "status": "" if row.status == Premove.Status.WAITING else STATUS[row.status],
            "why": row.why,
            "branches": below,
        }

    return after(None)


@require_POST
@login_required
def change(request: HttpRequest, ident: str) -> HttpResponse:
    """Create or cancel a conditional order, or open an analysis board where a branch of the tree is."""
    user, access = signed_in(request), find(request, ident)
    try:
        seat = seated(access).index
        fields = StandingForm.read(request)
        if fields["look"] is not None:
            row = standing_orders.find(access.match, seat, fields["look"])
            return redirect("web:match", once(request, lambda: lines.open_board(access, row).number))
        if fields["cancel"] is not None:
            standing_orders.cancel(match=access.match, seat=seat, number=fields["cancel"], user=user)
            messages.success(request, say("The order is cancelled."))
        else:
            once(request, functools.partial(_lay_by, user, access, seat, fields["order"]))
            messages.success(request, say("The conditional order is saved."))
    except (Refused, TooMany, Outdated) as refused:
        messages.error(request, refused.sentence)
    return redirect("web:match", access.match.number)


def _lay_by(user: User, access: Access, seat: int, order: str) -> int:
    asked = standing_orders.parse_text(access.match, seat, order)
    if asked.condition is None:
        raise Refused("unreadable", say("This is not a conditional order. {how}", how=standing_orders.HOW))
    made = standing_orders.lay_by(match=access.match, seat=seat, user=user, condition=asked.condition, commands=asked.commands)
    return made.number
