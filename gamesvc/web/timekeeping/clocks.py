"""Clocks on pages: the policy of a new match, and the time account behind its deadlines."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.views.decorators.http import require_safe

from accounts.models import User
from gamesvc.games.kernel import intake
from gamesvc.matches.access import selectors
from gamesvc.matches.clock import words
from gamesvc.matches.clock.notation import PRESETS, WEEKDAYS
from gamesvc.matches.timekeeping import explanation
from gamesvc.web.common import moments
from gamesvc.web.common.access import find

LENGTHS = (
    ("turn", "Time for each turn"),
    ("commit", "Each simultaneous phase"),
    ("reaction", "Each reaction"),
    ("choice", "Each choice"),
    ("minimum", "Minimum for each decision"),
    ("grace", "Grace after the deadline"),
)
TIMEOUTS = (
    ("default", "the game answers for the player"),
    ("pass", "the player passes"),
    ("lose", "the player has lost"),
    ("bot", "a bot takes the seat"),
)
BANK = (("start", "Bank at the start"), ("increment", "More with every turn"), ("cap", "Never more than"))
WHAT = {
    "asked": "The clock runs.",
    "continued": "The clock goes on without new time: the player had stopped it with an act of their own.",
    "stopped": "The clock stops.",
    "ran out": "Time ran out.",
    "excused": "Time ran out, and is excused.",
    "paused": "The match is paused.",
    "pause": "The pause ends; the clock goes on.",
    "waits": "Asked while the match is paused.",
    "undo": "A command was undone; the clock goes on as before it.",
    "moved": "The deadline was moved.",
    "extended": "The organiser gave more time.",
    "vacation": "The deadline was moved by a vacation.",
    "outage": "The deadline was moved by an outage of the service.",
}


def choices(posted: QueryDict) -> dict[str, Any]:
    """Return the clock fields of the form for a new match, with the posted values."""
    return {
        "presets": [(name, title) for name, (title, policy) in PRESETS.items() if "hours" not in policy],
        "lengths": [(name, label, posted.get(f"clock_{name}", "")) for name, label in LENGTHS],
        "bank": [(name, label, posted.get(f"clock_bank_{name}", "")) for name, label in BANK],
        "weekdays": WEEKDAYS,
        "at_days": posted.getlist("clock_at_days"),
        "off": posted.getlist("clock_off"),
        "timeouts": TIMEOUTS,
    }


def chosen(request: HttpRequest) -> dict[str, Any] | str | None:
    """Return the posted clock: the name of a preset, a policy in parts, or None for plain hours."""
    choice = request.POST.get("clock", "")
    if choice != "parts":
        return choice or None
    zone = request.user.timezone if isinstance(request.user, User) else "UTC"
    policy: dict[str, Any] = {name: text for name, _ in LENGTHS if (text := _text(request, f"clock_{name}"))}
    if bank := {name: text for name, _ in BANK if (text := _text(request, f"clock_bank_{name}"))}:
        policy["bank"] = bank
    if at := _text(request, "clock_at"):
        days = [day for day in request.POST.getlist("clock_at_days") if day in WEEKDAYS]
        policy["adjudication"] = {"at": at.replace(",", " ").split(), "zone": zone} | ({"days": days} if days else {})
    off, place = [day for day in request.POST.getlist("clock_off") if day in WEEKDAYS], _text(request, "clock_holidays")
    if off or place:
        policy["days_off"] = {"weekdays": off, "zone": zone} | ({"holidays": place} if place else {})
    if (quiet := _text(request, "clock_quiet_hours")).isdecimal():
        policy["quiet_hours"] = int(quiet[:3])
    if "clock_vacation" in request.POST:
        policy["vacation"] = True
    if timeout := _text(request, "clock_timeout"):
        policy["timeout"] = timeout
    for name in ("after", "excused"):
        if (count := _text(request, f"clock_{name}")).isdecimal() and int(count[:3]):
            policy[name] = int(count[:3])
    return policy


def _text(request: HttpRequest, name: str) -> str:
    return request.POST.get(name, "").strip()[:40]


@require_safe
def clock_page(request: HttpRequest, ident: str) -> HttpResponse:
    """Show the time account of a match, as far as the reader may know it: the last lines, or those before a version."""
    access = find(request, ident)
    before = intake.whole(request.GET.get("before", ""), 9)
    found = explanation.explain(access.match, viewer=access.viewer, before=before)
    names = selectors.seat_names(access.seats)
    lines = [
        {
            "version": version,
            "at": line.at,
            "seat": line.seat,
            "name": names[line.seat],
            "question": line.question,
            "what": WHAT.get(line.what, line.what),
            "used": _span(line.used),
            "left": _span(line.own),
            "bank": _span(line.bank),
            "due": line.due_at,
            "all": _span(line.clock.left // timedelta(seconds=1)),
            "put_off": _span(line.clock.put_off // timedelta(seconds=1)),
            "clock": line.clock,
        }
        for version, line in reversed(found.lines)
    ]
    context = {
        "match": access.match,
        "access": access,
        "words": words.sentences(found.policy) if found.policy else [],
        "paused_since": found.paused_since,
        "lines": lines,
        "banked": bool(found.banks),
        "past": before is not None,
        "before": found.older,
        "link": request.GET.get("link", ""),
    }
    return render(request, "web/clock.html", context)


def _span(seconds: int) -> str:
    return moments.span(timedelta(seconds=seconds)) if seconds else ""
