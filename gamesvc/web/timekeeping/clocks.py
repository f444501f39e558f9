"""Clocks on pages: the policy of a new match, and the time account behind its deadlines."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from accounts.models import User
from gamesvc.games import catalog
from gamesvc.games.kernel import intake
from gamesvc.games.kernel.game import Refused
from gamesvc.json_types import JsonObject
from gamesvc.language import mark, say
from gamesvc.matches.access import selectors
from gamesvc.matches.clock import words
from gamesvc.matches.clock.notation import PRESETS, WEEKDAYS
from gamesvc.matches.timekeeping import examples, explanation
from gamesvc.request_limits import folds_history
from gamesvc.web.common import moments
from gamesvc.web.common.access import find
from gamesvc.web.timekeeping.forms import BANK, LENGTHS, REACT, STOPS, ClockForm, ClockPartsForm, SentenceForm

KINDS = {name: preset for name, preset in PRESETS.items() if "hours" not in preset[1]}
TIMEOUTS = (
    ("default", mark("the game answers for the player")),
    ("pass", mark("the player passes")),
    ("lose", mark("the player has lost")),
    ("bot", mark("a bot takes the seat")),
)
WHAT = {
    "asked": mark("The clock runs."),
    "continued": mark("The clock goes on without new time: the player had stopped it with an act of their own."),
    "stopped": mark("The clock stops."),
    "ran out": mark("Time ran out."),
    "excused": mark("Time ran out, and is excused."),
    "paused": mark("The match is paused."),
    "pause": mark("The pause ends; the clock goes on."),
    "waits": mark("Asked while the match is paused."),
    "undo": mark("A command was undone; the clock goes on as before it."),
    "moved": mark("The deadline was moved."),
    "extended": mark("The organiser gave more time."),
    "vacation": mark("The deadline was moved by a vacation."),
    "outage": mark("The deadline was moved by an outage of the service."),
}


def choices(posted: Any, hours: int, user: User) -> dict[str, object]:
    """Return the clock fields of the form for a new match, with the posted values. `hours`: the chosen hours per turn."""
    form, sentence = ClockPartsForm(posted), SentenceForm(posted)
    return {
        "kinds": [_kind(name, title, policy, user) for name, (title, policy) in KINDS.items()],
        "react": [(value, say(label), value == (sentence["react"].value() or "")) for value, label in REACT],
        "stops": [(value, say(label), value == (sentence["stops"].value() or "")) for value, label in STOPS],
        "example": _example(_sentence(sentence, hours, user), user),
        "lengths": [(name, say(label), form[f"clock_{name}"].value() or "") for name, label in LENGTHS],
        "bank": [(name, say(label), form[f"clock_bank_{name}"].value() or "") for name, label in BANK],
        "weekdays": WEEKDAYS,
        "at_days": form["clock_at_days"].value(),
        "off": form["clock_off"].value(),
        "timeouts": [(name, say(label)) for name, label in TIMEOUTS],
    }


@dataclass(frozen=True, slots=True)
class Kind:
    """A ready time control: its name, its title, its sentences, and an example with dates."""

    name: str
    title: str
    sentences: list[str]
    example: tuple[datetime, datetime] | None


def _kind(name: str, title: str, policy: JsonObject, user: User) -> Kind:
    return Kind(name, say(title), words.sentences(policy), _example(policy, user))


def _example(policy: JsonObject | None, user: User) -> tuple[datetime, datetime] | None:
    """Return the beginning of a turn, this evening at eight, and its deadline; None for a policy that cannot be."""
    begins = timezone.now().astimezone(user.zone).replace(hour=20, minute=0, second=0, microsecond=0)
    due = examples.turn_due(policy or {}, begins)
    return (begins, due) if due is not None else None


def _sentence(form: SentenceForm, hours: int, user: User) -> JsonObject | None:
    try:
        return form.policy(hours, user.timezone) or {"hours": hours}
    except Refused:
        return None


def chosen(request: HttpRequest, hours: int) -> JsonObject | str | None:
    """Return the posted clock: the name of a preset, a policy in parts, or None for plain hours. Raises `Refused`."""
    choice: str = ClockForm.read(request)["clock"]
    zone = request.user.timezone if isinstance(request.user, User) else "UTC"
    if choice == "parts":
        return ClockPartsForm(request.POST).policy(zone)
    return choice or SentenceForm(request.POST).policy(hours, zone)


@folds_history()
@require_safe
def clock_page(request: HttpRequest, ident: str) -> HttpResponse:
    """Show the time account of a match, as far as the reader may know it: the last lines, or those before a version."""
    access = find(request, ident)
    before = intake.whole(request.GET.get("before", ""), 9)
    found = explanation.explain(access.match, viewer=access.viewer, before=before, loaded=access.load())
    names = selectors.seat_names(access.seats)
    lines = [
        {
            "version": version,
            "at": line.at,
            "seat": line.seat,
            "name": names[line.seat],
            "what": say(WHAT.get(line.what, line.what)),
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
        "manifest": catalog.game(access.match.game).manifest,
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
