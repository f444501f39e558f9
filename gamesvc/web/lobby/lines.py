"""The line on an analysis board: shown on its page, walked along, kept as conditional orders of the match behind it."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST

from gamesvc.games import catalog
from gamesvc.games.kernel.game import Game, Refused
from gamesvc.language import say
from gamesvc.matches.access import selectors
from gamesvc.matches.access.selectors import Access
from gamesvc.matches.errors import Outdated
from gamesvc.matches.lobby import lines
from gamesvc.matches.play import branches, standing_orders, turns
from gamesvc.matches.record import loading
from gamesvc.matches.record.loading import Loaded
from gamesvc.matches.undo import stepping
from gamesvc.request_limits import adds_to_record, folds_history
from gamesvc.web.common.access import find, signed_in
from gamesvc.web.common.once import once, request_key
from gamesvc.web.lobby.forms import GoToForm


def panel(access: Access, loaded: Loaded) -> dict[str, object]:
    """Return the context of the line on an analysis board: its acts, and where a step back or forth leads."""
    if not access.match.board or not loaded.started:
        return {}
    found = lines.steps(loaded)
    names = selectors.seat_names(access.seats)
    versions = [loading.first_playable(loaded), *(step.version for step in found)]
    here = sum(not step.ahead for step in found)
    rows = [
        {
            "number": number,
            "seat": step.seat,
            "name": names[step.seat],
            "order": loaded.game.render(step.command),
            "version": step.version,
            "ahead": step.ahead,
            "now": number == here,
        }
        for number, step in enumerate(found, 1)
    ]
    behind = lines.behind(access)
    return {
        "line": {
            "steps": rows,
            "start": versions[0],
            "at_start": not here,
            "moves": [
                ("previous", versions[here - 1] if here else None, "Back"),
                ("next", versions[here + 1] if here < len(found) else None, "Forth"),
            ],
            "match": behind.match if behind is not None else None,
            "may_keep": behind is not None and here > 0 and not loaded.ended,
        }
    }


@folds_history()
@login_required
def line_page(request: HttpRequest, ident: str) -> HttpResponse:
    """Show what would be kept of a line, and keep it."""
    access = find(request, ident)
    try:
        if request.method == "POST":
            number = once(request, lambda: lines.keep(access)[0].match.number)
            messages.success(request, say("The line is kept as conditional orders."))
            return redirect(f"{reverse('web:match', args=[number])}#standing")
        shown = _shown(access, lines.read(access))
    except Refused as refused:
        shown = {"why": refused.sentence}
    names = selectors.seat_names(access.seats)
    context = {"match": access.match, "manifest": catalog.game(access.match.game).manifest, "names": names, **shown}
    answer = render(request, "web/line.html", context, status=422 if "why" in shown and request.method == "POST" else 200)
    answer["Cache-Control"] = "private, no-store"
    return answer


def _shown(access: Access, line: lines.Line) -> dict[str, Any]:
    match, seat, game = line.access.match, line.access.viewer, catalog.game(access.match.game)
    assert seat is not None
    opened = [row for row in standing_orders.laid_by(match, seat) if branches.is_branch(row) and row.status == "waiting"]
    shared, replaced = branches.fitting(opened, line.branches)
    return {
        "origin": match,
        "rows": [_row(game, line, at, len(shared)) for at in range(len(line.branches))],
        "ends": line.ends,
        "replaced": standing_orders.words(loading.load(match.id, match.game), replaced) if replaced is not None else "",
        "shows": standing_orders.SHOWS,
    }


def _row(game: Game, line: lines.Line, at: int, shared: int) -> dict[str, Any]:
    one = line.branches[at]
    return {
        "seat": one.seat,
        "name": selectors.seat_names(line.access.seats)[one.seat],
        "own": one.seat == line.access.viewer,
        "order": game.render(one.command),
        "answers": [game.render(command) for command in one.answers],
        "known": at < shared,
    }


@adds_to_record
@require_POST
@login_required
def go_to(request: HttpRequest, ident: str) -> HttpResponse:
    """Go back or forth on an analysis board, for its owner."""
    access = find(request, ident)
    command_id = turns.command_id(sender=f"web {signed_in(request).pk} {access.match.pk}", key=request_key(request))
    try:
        stepping.go_to(access=access, to=GoToForm.read(request)["to"], channel="web", command_id=command_id)
    except (Refused, Outdated) as refused:
        messages.error(request, refused.sentence)
    return redirect("web:match", access.match.number)
