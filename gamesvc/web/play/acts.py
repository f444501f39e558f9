"""Input from the match page: a form, orders as text, a form to preview as an order.

After a refusal the page is shown as its reader may see it now: the reason may be that they no longer hold a seat.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable, Mapping

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from accounts.bots import bots
from gamesvc import request_limits
from gamesvc.games.acts import acts
from gamesvc.games.kernel import intake
from gamesvc.games.kernel.forms import fault
from gamesvc.games.kernel.game import RESIGN, Refused
from gamesvc.json_types import JsonMapping, JsonObject
from gamesvc.language import say
from gamesvc.matches.access import selectors
from gamesvc.matches.access.selectors import Access
from gamesvc.matches.errors import Outdated, Stale
from gamesvc.matches.play import previews, turns
from gamesvc.matches.play.suggestions import read_for
from gamesvc.matches.play.turns import Sender
from gamesvc.matches.record import idempotency, loading
from gamesvc.matches.story import sentences
from gamesvc.matches.story.gist import gist
from gamesvc.request_limits import Exceeded, adds_to_record, folds_history
from gamesvc.web.common import controls, once
from gamesvc.web.common import posted as reading
from gamesvc.web.common.access import find, seated, signed_in
from gamesvc.web.common.posted import Unreadable
from gamesvc.web.play import going_on, resigning
from gamesvc.web.play.forms import CommandForm, OrdersForm, PreviewForm
from gamesvc.web.play.table import Failed, show_match

MOST_ORDERS = 30
MOST_TOLD = 3
"""The sentences that tell of one act."""


@adds_to_record
@require_POST
@login_required
def send_command(request: HttpRequest, ident: str) -> HttpResponse:
    """Submit a form of the page: find it among those legal now, read its fields, submit. A repetition changes nothing."""
    access = find(request, ident)
    posted, form = reading.fields(request), CommandForm(request.POST)
    form_key = form["_form"].value() or ""
    if not form["_sure"].value() and _resigns(access, form_key):
        return redirect(resigning.address(access))
    try:
        read = functools.partial(_chosen, access, form_key, posted)
        done, _version = _submit(access, once.fingerprint(request), form.checked()["_version"], read)
    except (Refused, Unreadable) as refused:
        return show_match(
            request, find(request, ident), Failed(refused.sentence, refused.status, form_key, refused.parameter or "", posted)
        )
    except Outdated as outdated:
        failed = Failed(outdated.sentence, Outdated.status, form_key, "", posted)
        return show_match(request, find(request, ident), failed)
    # The act that ends a match is told by its result.
    if not loading.load(access.match.id, access.match.game).ended:
        messages.success(request, " ".join(done))
    return going_on.after_command(request, access.match, seated(access).index)


def _resigns(access: Access, form_key: str) -> bool:
    form = resigning.form_of(access)
    return form is not None and controls.key_of(form) == form_key


@folds_history()
@require_POST
@login_required
def preview_order(request: HttpRequest, ident: str) -> JsonResponse:
    """Return the form's present input as an order and its effect in the game's words, or what is still missing.

    `final`: it cannot be undone alone, since chance decides or something is revealed. `open`: not all of its effect can be told.
    Changes nothing.
    """
    access = find(request, ident)
    try:
        command = _chosen(access, PreviewForm.read(request)["_form"], reading.fields(request))
        effect = _effect(access, command)
    except (Refused, Unreadable, Outdated) as refused:
        return JsonResponse({"order": "", "why": refused.sentence, "told": [], "final": False, "open": False})
    return JsonResponse({"why": ""} | effect)


def _effect(access: Access, command: JsonMapping) -> JsonObject:
    """Return a command as an order, what it does as far as its player can know, and whether that is beyond a free undo."""
    loaded = loading.load(access.match.id, access.match.game)
    tried = previews.Preview(loaded.timeline, seated(access).index, selectors.seat_names(access.seats))
    told = [] if tried.over else tried.tell(command)
    return {
        "order": loaded.game.render(command),
        "told": told,
        "final": tried.over or tried.reveals,
        "open": tried.over,
    }


def _chosen(access: Access, form_key: str, posted: Mapping[str, list[str]]) -> JsonObject:
    seat = seated(access).index
    loaded = loading.load(access.match.id, access.match.game)
    if not loaded.started or loaded.ended:
        raise Refused("not_running", say("The match is not running."))
    forms = acts(loaded.game, loaded.timeline.state, seat)
    form = next((form for form in forms if controls.key_of(form) == form_key), None)
    if form is None:
        raise Stale(loaded.viewer_version(access.viewer), [])
    command = reading.read(controls.sheet(form), posted)
    if found := fault(form.schema(), command):
        raise Refused("not_offered", found.detail, found.path)
    return command


def _submit(access: Access, key: str, version: int, read: Callable[[], JsonMapping]) -> tuple[list[str], int]:
    """Submit the command that `read` returns, once per key. Return what it did in sentences, with the version it led to.

    A known key is answered first: the command's effect may have changed what can be read.
    """
    seat = seated(access).index
    assert access.user is not None
    command_id = turns.command_id(sender=f"web {access.user.pk} {access.match.pk}", key=key)
    before = idempotency.known(access.match, command_id)
    try:
        command = before.command if before is not None else read()
    except (Refused, Unreadable, Stale):
        # The other of two clicks may have been a moment faster.
        before = idempotency.known(access.match, command_id)
        if before is None:
            raise
        command = before.command
    receipt = turns.submit(
        match=access.match,
        sender=Sender.player(access.user.pk, seat, "web"),
        command=command,
        expected_version=version,
        command_id=command_id,
    )
    return _told(access, command, receipt), receipt.version


def _told(access: Access, command: JsonMapping, receipt: turns.Receipt) -> list[str]:
    """Return what a command has done, as the log tells it; the order itself if the log tells nothing of it."""
    loaded, names = loading.load(access.match.id, access.match.game), selectors.seat_names(access.seats)
    before = receipt.events[0]["version"] - 1 if receipt.events else receipt.version
    told = [one.sentence for one in gist(sentences.tell(loaded, access.viewer, names, before, receipt.version))]
    return told[:MOST_TOLD] or [say("Done: {order}", order=loaded.game.render(command))]


@adds_to_record
@require_POST
@login_required
def send_orders(request: HttpRequest, ident: str) -> HttpResponse:
    """Submit orders as text, one per line, in the game's notation. The first failure stops the rest."""
    access = find(request, ident)
    form = OrdersForm(request.POST)
    text = form["orders"].value() or ""
    lines = [line.strip() for line in text.splitlines() if line.strip()][:MOST_ORDERS]
    done: list[str] = []
    try:
        shown = version = form.checked()["_version"]
        if not lines:
            raise Refused("unreadable", say("Write an order, one a line."), "orders")
        for number, line in enumerate(lines):
            if number:  # the first is counted with the request
                request_limits.count(request, {"acts": bots.root(signed_in(request))})
            # The page, the line and its place: the same for a repetition, different for a corrected line.
            key = f"{once.given(request)}:{shown}:{number}:{hashlib.sha256(line.encode()).hexdigest()}"
            told, version = _submit(access, key, version, functools.partial(_parsed, access, line))
            # Of several orders, one sentence each.
            done.extend(told if len(lines) == 1 else told[:1])
    except (Refused, Exceeded) as refused:
        return show_match(request, find(request, ident), _failed_orders(refused.sentence, refused.status, lines, done))
    except Outdated as outdated:
        return show_match(request, find(request, ident), _failed_orders(outdated.sentence, Outdated.status, lines, done))
    messages.success(request, " ".join(done))
    return redirect("web:match", access.match.number)


def _parsed(access: Access, line: str) -> JsonMapping:
    intake.check_order(line)
    loaded = loading.load(access.match.id, access.match.game)
    if not loaded.started or loaded.ended:
        raise Refused("not_running", say("The match is not running."))
    order, sure = resigning.confirmed(line)
    command = read_for(loaded, access.viewer, order, loaded.game.view(loaded.timeline.state, access.viewer))
    if command["name"] == RESIGN and not sure:
        raise Refused("resign_unconfirmed", say("To give up the match, write: resign yes"), "orders")
    return command


def _failed_orders(detail: str, status: int, lines: list[str], done: list[str]) -> Failed:
    """Return the failure of a line. Lines before it are done; it and the following lines stay in the field."""
    if len(lines) > 1:
        detail = say("Line {number} ({order}): {detail}", number=len(done) + 1, order=lines[len(done)], detail=detail)
    if done:
        detail = say("{detail} Done before it: {done}", detail=detail, done=" ".join(done))
    return Failed(detail, status, "orders", "orders", orders="\n".join(lines[len(done) :]))
