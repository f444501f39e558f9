"""The form for a new match: four fields, and everything else folded, with its defaults told."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.http import urlencode
from django.views.decorators.http import require_safe

from accounts.models import User
from gamesvc.errors import GamesvcError, TooMany
from gamesvc.games import catalog
from gamesvc.games.kernel.game import Game, Refused
from gamesvc.games.kernel.wording import SEAT_NAMES
from gamesvc.language import say
from gamesvc.matches.lobby import invitations, opening
from gamesvc.matches.models import Match
from gamesvc.web.common import controls
from gamesvc.web.common import posted as reading
from gamesvc.web.common.access import signed_in
from gamesvc.web.common.engines import engine as engine_of
from gamesvc.web.common.once import once
from gamesvc.web.lobby import filters as filtering
from gamesvc.web.lobby.forms import BOTS, NewMatchForm
from gamesvc.web.timekeeping import clocks

PACES = (48, 24, 72, 120, 168, 12, 4, 1)
WATCH_DELAYS = (1, 6, 24, 72, 168)
"""In hours."""
# The part of the form that shows an error, by the beginning of the name of the field at fault.
PLACES = (
    ("seats", "players"),
    ("entry", "opponents"),
    ("bot", "opponents"),
    ("take_seat", "opponents"),
    ("username", "opponents"),
    ("address", "opponents"),
    ("hours", "time"),
    ("react", "time"),
    ("stops", "time"),
    ("clock", "time"),
    ("options", "rules"),
    ("undo", "talk"),
    ("press", "talk"),
    ("anonymous", "talk"),
    ("watch", "watch"),
    ("finished", "asks"),
    ("timeouts", "asks"),
    ("reliability", "asks"),
)


@dataclass(frozen=True, slots=True)
class Fault:
    """An error in a field, and the part of the form that shows it."""

    place: str
    sentence: str


@require_safe
def choose_game(request: HttpRequest) -> HttpResponse:
    filled = filtering.of_a_new_match(request) | ({"invite": invite} if (invite := _invited(request)) else {})
    context = {"games": [game.manifest for game in catalog.games()], "invite": invite, "filled": urlencode(filled)}
    return render(request, "web/choose.html", context)


def _invited(request: HttpRequest) -> str:
    """Return the player whom the address invites (`invite`); empty if there is none of this name."""
    found = User.named(request.GET.get("invite", ""))
    return found.username if found is not None else ""


@login_required
def new_match(request: HttpRequest, game: str) -> HttpResponse:
    """Show and process the form for a new match."""
    engine = engine_of(game)
    form = NewMatchForm(request.POST if request.method == "POST" else None, engine=engine)
    options, faults = _options(engine), []
    if request.method == "POST":
        posted = reading.fields(request)
        options = reading.filled(options, posted)
        try:
            return redirect("web:match", once(request, lambda: _create(request, form, engine, options, posted).number))
        except (Refused, reading.Unreadable, TooMany) as refused:
            faults = list(_faults(form, refused))
    return render(request, "web/new.html", _context(request, engine, form, options, faults), status=422 if faults else 200)


def _context(
    request: HttpRequest, engine: Game, form: NewMatchForm, options: controls.Control, faults: Sequence[Fault]
) -> dict[str, object]:
    manifest = engine.manifest
    invited = {"entry": Match.Entry.INVITED, "invite": invite} if (invite := _invited(request)) else {}
    data = form.data or filtering.of_a_new_match(request) | invited
    hours = data.get("hours", "")
    posted = request.method == "POST"
    return {
        "games": [one.manifest for one in catalog.games()],
        "manifest": manifest,
        "counts": range(manifest.min_seats, manifest.max_seats + 1),
        "seat_choices": [(index, say(SEAT_NAMES[index]), data.get(f"bot{index}", "")) for index in range(1, manifest.max_seats)],
        "bots": list(engine.bots),
        "paces": [(pace, hours == str(pace) or (not hours and pace == opening.USUAL_HOURS)) for pace in PACES],
        "watch_delays": [(hours, data.get("watch_delay", "") == str(hours)) for hours in WATCH_DELAYS],
        "clock": clocks.choices(data, _hours(hours), signed_in(request)),
        "options": options,
        "faults": faults,
        "wrong": {found.place for found in faults},
        "data": data,
        "invite": data.get("invite", ""),
        "changed": _changed(engine, options) if posted else [],
        "posted": posted,
    }


def _hours(text: str) -> int:
    return int(text) if text in map(str, PACES) else opening.USUAL_HOURS


def _faults(form: NewMatchForm, refused: GamesvcError) -> Iterator[Fault]:
    """Yield everything that is wrong: the fields that cannot be read, or the one the service refused."""
    unread = [(name, say(str(sentences[0]))) for name, sentences in form.errors.items()]
    parameter = str(getattr(refused, "parameter", None) or "")
    if (parameter, refused.sentence) not in unread:
        unread.append((parameter, refused.sentence))
    for name, sentence in unread:
        yield Fault(next((place for start, place in PLACES if name.startswith(start)), "form"), sentence)


def _changed(engine: Game, options: controls.Control) -> list[str]:
    """Return the labels of the options that differ from their defaults."""
    usual = {child.path: child for child in _options(engine).children}
    return [child.label for child in options.children if child != usual[child.path]]


def _options(engine: Game) -> controls.Control:
    """Return the controls of the game's options. Those whose default depends on the number of players may be left out."""
    schema = engine.manifest.options
    properties = {
        name: {key: value for key, value in one.items() if key != "default" or "default_by_seats" not in one}
        for name, one in schema["properties"].items()
    }
    return controls.control({"title": "Options", **schema, "properties": properties}, "options")


def _create(request: HttpRequest, form: NewMatchForm, engine: Game, options: controls.Control, posted: reading.Posted) -> Match:
    fields = form.checked()
    chosen = reading.read_value(options, posted) if options.children else {}
    with transaction.atomic():
        match = _open(request, form, engine, chosen)
        if fields["invite"].strip() and fields["entry"] == Match.Entry.INVITED:
            invitations.invite_by_text(by=signed_in(request), match=match, whom=fields["invite"])
            messages.success(request, say("{whom} is invited.", whom=fields["invite"].strip()))
    return match


def _open(request: HttpRequest, form: NewMatchForm, engine: Game, options: Any) -> Match:
    """Open the match that the checked form describes, with these options of its game."""
    fields = form.cleaned_data
    seats = fields["seats"] if fields["seats"] is not None else engine.manifest.min_seats
    hours = fields["hours"] if fields["hours"] is not None else opening.USUAL_HOURS
    return opening.create_match(
        by=signed_in(request),
        game=engine.id,
        options=options,
        seats=seats,
        hours=hours,
        clock=clocks.chosen(request, hours),
        entry=Match.Entry.INVITED if fields["entry"] == BOTS else fields["entry"],
        watch=fields["watch"],
        watch_delay=fields["watch_delay"] or 0,
        press=fields["press"],
        anonymous=fields["anonymous"],
        undo=fields["undo"],
        bots=form.bots(seats),
        reliability=form.reliability(),
        channel="web",
    )
