"""The page with the messages of a match, and their panel on the match page."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from accounts.models import User
from gamesvc import paging
from gamesvc.errors import TooMany
from gamesvc.games import catalog
from gamesvc.games.kernel.game import Refused
from gamesvc.language import say
from gamesvc.matches.access import selectors
from gamesvc.matches.access.selectors import Access
from gamesvc.matches.lobby import press
from gamesvc.matches.models import Match, Press
from gamesvc.web.common import once
from gamesvc.web.common.access import back, find, seated, signed_in
from gamesvc.web.common.hidden import hidden
from gamesvc.web.lobby.forms import PressForm

SHOWN = 5


def told(access: Access) -> dict[str, object]:
    """Return what a page that asks for news is told of messages, as the stream tells it."""
    mark = press.mark(access)
    return {"messages": mark} if mark else {}


def panel(request: HttpRequest, access: Access) -> dict[str, object]:
    """Return the context of the press panel: the newest messages, how many of them are unread, and the possible receivers.

    A page that stays open names the message up to which its reader has read (`heard`), as the panel may be behind a tab.
    """
    match = access.match
    if match.press == Match.PressKind.NONE:
        return {}
    found = press.messages(access, access.user)
    names = selectors.seat_names(access.seats)
    newest = list(found[:SHOWN])
    shown = [_line(one, names, access.user) for one in newest]
    unread = _unread(request, access, newest)
    if access.seat is not None:
        press.mark_read(access.seat, next(iter(newest), None))
    receivers = _receivers(access, names)
    if not shown and not receivers:
        return {}
    known = newest[len(unread) :]
    marks = {"newest": newest[0].pk if newest else "none", "heard": known[0].pk if known else "none"}
    shows = {"lines": shown, "more": found.count() - len(shown), "receivers": receivers, "longest": press.LONGEST}
    return {"press": {**shows, **marks, "unread": sum(one.seat != access.viewer for one in unread)}}


def _unread(request: HttpRequest, access: Access, newest: Sequence[Press]) -> Sequence[Press]:
    """Return the messages after the last one that the reader has read; for spectators, those since the page was opened."""
    if heard := request.GET.get("heard", "") or request.headers.get("Heard", ""):
        return list(takewhile(lambda one: str(one.pk) != heard, newest))
    seen = access.seat.press_seen_at if access.seat is not None else None
    return [one for one in newest if seen is not None and one.said_at > seen]


def _line(message: Press, names: tuple[str, ...], reader: User | None) -> dict[str, object]:
    to = say("all") if not message.to else ", ".join(names[seat] for seat in message.to)
    line = {"seat": message.seat, "name": press.author(message), "to": to, "text": message.text, "moment": message.said_at}
    return line | {"id": message.pk, "reportable": reader is not None and message.user_id != reader.pk}


def _receivers(access: Access, names: tuple[str, ...]) -> list[tuple[str, str]]:
    """Return the receivers for the form, as (value, label). The first is preselected and reaches everyone."""
    if access.seat is None:
        return []
    others = [seat.index for seat in access.seats if seat.user_id is not None and seat.index != access.seat.index]
    if not others:
        return []
    choices: list[tuple[str, str]] = [(press.ALL, say("All, and who watches"))]
    if access.match.press == Match.PressKind.PRIVATE:
        choices += [
            (
                str(index),
                say("{name} alone", name=names[index]) if len(others) > 1 else say("{name} in private", name=names[index]),
            )
            for index in others
        ]
    return choices


def press_page(request: HttpRequest, ident: str) -> HttpResponse:
    """Show all messages that the reader may read, and take new ones from this page or the match page."""
    access = find(request, ident)
    written, status = "", 200
    chosen: str = press.ALL
    if request.method == "POST":
        form = PressForm(request.POST)
        written, chosen = form["text"].value() or "", form["to"].value() or ""
        try:
            _say(access, request, form)
            return back(request, access.match) if hidden(request, "_back") else redirect("web:press", access.match.number)
        except (Refused, TooMany) as refused:
            messages.error(request, refused.sentence)
            status = 422
    names = selectors.seat_names(access.seats)
    found = press.messages(access, access.user)
    if access.seat is not None:
        press.mark_read(access.seat, found.first())
    page = Paginator(found, paging.MESSAGES).get_page(request.GET.get("page"))
    context = {
        "match": access.match,
        "manifest": catalog.game(access.match.game).manifest,
        "page": page,
        "lines": [_line(one, names, access.user) for one in page],
        "receivers": _receivers(access, names),
        "longest": press.LONGEST,
        "written": written,
        "chosen": chosen,
        "link": request.GET.get("link", ""),
    }
    answer = render(request, "web/press.html", context, status=status)
    answer["Cache-Control"] = "private, no-store"
    return answer


def _say(access: Access, request: HttpRequest, form: PressForm) -> None:
    seat, user = seated(access).index, signed_in(request)
    fields = form.checked()
    to, text = fields["to"], fields["text"]
    key = press.message_id(user, access.match, once.given(request), form["to"].value(), text)
    press.say(match=access.match, by=user, by_seat=seat, to=to, text=text, channel="web", key=key)
