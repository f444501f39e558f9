"""The page of one match: pending decisions, the board, the controls, the log. Not here: its input (`acts`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.safestring import mark_safe
from django.views.decorators.http import require_safe

from gamesvc.games.acts import acts
from gamesvc.games.kernel import intake
from gamesvc.games.kernel.forms import fault
from gamesvc.games.kernel.game import Awaited, Caption, Data, Form, Game, Viewer
from gamesvc.games.kernel.targets import help_on, stands, tappable, targets
from gamesvc.language import say
from gamesvc.matches.access import selectors
from gamesvc.matches.access.selectors import Access
from gamesvc.matches.models import Question
from gamesvc.matches.reading import board, summaries
from gamesvc.matches.record import loading, sight
from gamesvc.matches.record.loading import Loaded
from gamesvc.matches.statistics import reliability
from gamesvc.matches.story import option_words, organising_words
from gamesvc.matches.timekeeping import inaction, last_orders
from gamesvc.request_limits import folds_history
from gamesvc.web.common import controls, moments
from gamesvc.web.common import posted as reading
from gamesvc.web.common.access import find
from gamesvc.web.common.posted import Unreadable
from gamesvc.web.lobby import forks, lines, notes, press
from gamesvc.web.organising import measures
from gamesvc.web.play import after_end, going_on, log, standing_orders
from gamesvc.web.timekeeping import absence
from gamesvc.web.undo import undo

MOST_IN_BAR = 2
"""So many acts begin in the action bar, if none needs a choice on the board: a phone folds their forms away."""


@dataclass(slots=True)
class Group:
    """The forms of one command. The label is theirs, or the command's name if their labels differ."""

    name: str
    label: str
    aside: bool
    sheets: list[controls.Sheet] = field(default_factory=list)

    @property
    def plain(self) -> bool:
        """Return True if the group is a single button."""
        return len(self.sheets) == 1 and self.sheets[0].plain


@dataclass(slots=True)
class Failed:
    """The reader's rejected input, and the reason."""

    detail: str
    status: int
    form: str = ""
    parameter: str = ""
    posted: Mapping[str, list[str]] = field(default_factory=dict)
    orders: str = ""


@folds_history("at")
@require_safe
def match_page(request: HttpRequest, ident: str) -> HttpResponse:
    return show_match(request, find(request, ident))


@folds_history()
@require_safe
def board_picture(request: HttpRequest, ident: str) -> HttpResponse:
    """Return the board alone, as the reader may see it."""
    access = find(request, ident)
    answer = HttpResponse(board.look(access).picture, content_type="image/svg+xml")
    answer["Cache-Control"] = "private, no-cache"
    answer["Content-Security-Policy"] = "default-src 'none'"
    return answer


@require_safe
def newest_version(request: HttpRequest, ident: str) -> JsonResponse:
    """Return the newest version the reader may know, for pages that poll for changes."""
    access = find(request, ident)
    loaded = access.load()
    awaited = access.seat is not None and any(one.seat == access.seat.index for one in loaded.awaited())
    told = {"match": str(access.match.id), "version": loaded.viewer_version(access.viewer), "awaited": awaited}
    answer = JsonResponse(told | press.told(access) | after_end.told(access, loaded))
    answer["Cache-Control"] = "private, no-store"
    return answer


@require_safe
def explained(request: HttpRequest, ident: str) -> JsonResponse:
    """Return help on a target of the picture: the name of what it shows, and what that is and does."""
    access = find(request, ident)
    loaded = access.load()
    name, text = "", ""
    if loaded.started:
        name, text = help_on(loaded.game, loaded.game.view(loaded.timeline.state, access.viewer), request.GET.get("of", ""))
    answer = JsonResponse({"name": name, "text": text})
    answer["Cache-Control"] = "private, no-cache"
    return answer


# --- parts of the page ---


def _caption(access: Access) -> Caption:
    return Caption(str(access.match.number), selectors.seat_names(access.seats))


def show_match(request: HttpRequest, access: Access, failed: Failed | None = None) -> HttpResponse:
    """Show the page of a match, or of an earlier version of it. `failed`: the reader's input that was refused."""
    loaded = access.load()
    names = selectors.seat_names(access.seats)
    newest = loaded.viewer_version(access.viewer)
    context = _about(request, access, loaded, names) | {"failed": failed}
    if loaded.started:
        context |= (
            {"eyes": (eyes := _eyes(request, access, loaded))}
            | _position(access, loaded, _version(request, "at"), eyes)
            | _questions(access, loaded, names)
        )
        context |= after_end.panel(access, loaded, names)
    else:
        context |= {"bots": list(loaded.game.bots)}
    context |= {"share_link": after_end.link_until_the_end(access)}
    if access.seat is not None and loaded.started and not loaded.ended:
        context |= _orders(access, loaded, failed)
    here = (context.get("past") or {"at": newest})["at"]
    context |= {"log": (told := log.log(request, access, loaded, names, here, context.get("targets", ()))), "since": told.news}
    context |= press.panel(request, access) | notes.panel(access) | measures.panel(access)
    context |= undo.panel(access, loaded) | absence.panel(access) | standing_orders.panel(access, loaded)
    context |= forks.panel(access, loaded, _version(request, "at"), here) | lines.panel(access, loaded)
    context |= {"tabs": _tabs(context), "tab": _first_tab(request, access, loaded)}
    if access.seat is not None:
        board.mark_seen(access.seat, newest)
    return render(request, "web/match.html", context, status=failed.status if failed else 200)


def _first_tab(request: HttpRequest, access: Access, loaded: Loaded) -> str:
    """Return the tab that is open at first: the log for who reads, not plays."""
    watches = access.seat is None and loaded.started and not loaded.ended
    return "log" if watches or request.GET.keys() & {"at", "before"} else "turn"


def _about(request: HttpRequest, access: Access, loaded: Loaded, names: tuple[str, ...]) -> dict[str, Any]:
    """Return what the page shows of a match in whatever state it is."""
    match = access.match
    return {
        "match": match,
        "manifest": loaded.game.manifest,
        "access": access,
        "names": names,
        "seats": [(seat, name) for seat, name in zip(access.seats, names, strict=True)],
        "link": request.GET.get("link", ""),
        "options": option_words.changed(match),
        "told": option_words.always_told(match),
        "organised": "" if access.is_host else organising_words.organiser(match, access.seats),
        "asks": reliability.words(match.reliability),
        "seen": access.seat.seen_version if access.seat is not None else loaded.viewer_version(access.viewer),
        "short_rules": [line for line in loaded.game.short_rules().splitlines() if line.strip()],
        "goes_on": going_on.goes_on(request),
        "commitment": loaded.opened.commitment if loaded.opened is not None else "",
        "head_hash": sight.head_hash(loaded, access.viewer),
        "unreachable": (unreachable := board.unreachable_players(access) or set()),
        "unconfirmed": board.unconfirmed_players(access) if unreachable else set(),
    }


def _tabs(context: Mapping[str, Any]) -> list[tuple[str, str, int]]:
    """Return the tabs beside the board: name, label, and the number of new things in them."""
    over = bool(context.get("ranking"))
    tabs = [("turn", say("Result") if over else say("Turn"), 0), ("log", say("Log"), len(context["since"]))]
    if context.get("press") or context.get("notes"):
        tabs.append(("press", say("Messages"), (context.get("press") or {}).get("unread", 0)))
    return [*tabs, ("rules", say("Rules"), 0), ("more", say("More"), 0)]


def _version(request: HttpRequest, name: str) -> int | None:
    """Return the version in an address: `at` for a replay, `before` for the older part of the log."""
    return intake.whole(request.GET.get(name, ""))


def _eyes(request: HttpRequest, access: Access, loaded: Loaded) -> Viewer:
    """Return the seat from which a replay is seen: the reader's; after the end, any that they ask for."""
    wanted = intake.whole(request.GET.get("as", ""), 2)
    return wanted if loaded.ended and wanted is not None and wanted < len(access.seats) else access.viewer


def _position(access: Access, loaded: Loaded, at: int | None, viewer: Viewer) -> dict[str, object]:
    """Return the board now, or as a viewer saw it at an earlier version."""
    last = loaded.viewer_version(viewer)
    first = loading.first_playable(loaded) or last
    here = last if at is None or at >= last else max(at, first)
    past = here < last
    then = sight.as_seen(loaded, viewer, here)
    state = loading.state_at(loaded.game, loaded.match_id, then) if past else loaded.timeline.state
    view = loaded.game.view(state, viewer)
    caption = replace(_caption(access), past=past, header=False)
    picture = loaded.game.picture(view, caption)
    steps = [
        ("first", say("First"), "0" if here > first else ""),
        ("previous", say("Previous"), str(here - 1) if here > first else ""),
        ("next", say("Next"), str(here + 1) if past else ""),
        ("last", say("Last"), str(last) if past else ""),
    ]
    return {
        # Pictures come from our own engines, which escape user text. The page has a header of its own.
        "picture": mark_safe(tappable(picture, targets(loaded.game, view, picture, caption))),
        "board_tabs": picture.tabs,
        "targets": picture.boxes,
        # Who must act stands beside it on the page.
        "headline": (glance := loaded.game.glance(view, replace(caption, past=True))).headline,
        "task": glance.task,
        "board_text": loaded.game.board_text(view, caption),
        "hand": _hand(loaded.game, view),
        "version": last,
        "past": {"at": here, "first": first, "last": last} if at is not None else None,
        "replay_from": last if at is None and last > first else None,
        "steps": steps,
    }


def _hand(game: Game, view: Data) -> list[tuple[str, str]]:
    """Return what the reader holds, each with its help."""
    explained = [(held, game.explain(view, held.id)) for held in game.hand(view) or ()]
    return [(held.words, found.text if found is not None else "") for held, found in explained]


def _questions(access: Access, loaded: Loaded, names: tuple[str, ...]) -> dict[str, object]:
    """Return the pending decisions with their deadlines, and what happens without an answer of the reader."""
    dated = not board.has_no_deadlines(access)
    rows = {(row.seat, row.question): row for row in Question.objects.filter(match=access.match)} if dated else {}
    asked = [
        _question(
            loaded.game, one, rows.get((one.seat, one.id)), names, plain=access.match.hides_names and one.seat != access.viewer
        )
        for one in loaded.awaited()
    ]
    own = next((one for one in asked if one["seat"] == access.viewer and access.viewer is not None), None)
    without = ""
    if own is not None:
        key = (own["seat"], own["question"])
        own["stands"] = board.stands_until(loaded.account.open.get(key), timezone.now())
        if not access.match.board:
            held = (access.match.id, own["seat"]) in last_orders.waiting([access.match.id])
            without = inaction.sentence(loaded, *key, held=held, in_words=True)
    return {"asked": [one for one in asked if one is not own], "own": own, "without": without}


def _question(game: Game, one: Awaited, row: Question | None, names: tuple[str, ...], *, plain: bool) -> dict[str, Any]:
    share = summaries.time_left(row, plain=plain)
    return {
        "seat": one.seat,
        "name": names[one.seat],
        "question": one.id,
        "asks": game.asks(one.prompt),
        "due": row.deadline if row is not None else None,
        "grace": row.due_at if row is not None and row.grace_from is not None else None,
        "late": row is not None and row.late,
        "share": share,
        "urgent": row is not None and share < 100 * moments.NEARLY_OVER,
    }


def _orders(access: Access, loaded: Loaded, failed: Failed | None) -> dict[str, object]:
    """Return the controls of every command open to this seat."""
    assert access.seat is not None
    groups: dict[tuple[str, bool], Group] = {}
    game, state = loaded.game, loaded.timeline.state
    view = game.view(state, access.seat.index)
    finder = game.finder(view)
    for form in acts(game, state, access.seat.index):
        aside = form.aside and form.name not in game.answers
        group = groups.setdefault((form.name, aside), Group(form.name, form.label, aside))
        sheet = controls.placed(_sheet(form, failed), stands(finder, form), game.weight(form))
        if not form.aside:
            sheet = replace(sheet, controls=tuple(_explained(game, view, one) for one in sheet.controls))
        group.sheets.append(sheet)
        if form.label != group.label:
            group.label = controls.words(form.name)
    prompt = next((one.prompt for one in loaded.awaited() if one.seat == access.seat.index), None)
    own = [sheet for group in groups.values() for sheet in group.sheets if not sheet.form.aside]
    without = {sheet.key: found for sheet in own if (found := _choosing_nothing(game, sheet)) is not None}
    whole = len(own) <= MOST_IN_BAR and all(map(_is_whole, own))
    shown = [group for group in groups.values() if not group.aside]
    shown += [Group(found.form.name, found.form.label, False, [found]) for found in without.values()]
    return {
        "wholes": [without.get(sheet.key, sheet) for sheet in own] if whole else [],
        "groups": shown,
        "ends": [sheet for sheet in own if sheet.weight == "end" and (sheet.plain or sheet.complete)],
        "has_buttons": any(group.plain for group in shown),
        "only_buttons": all(group.plain for group in shown),
        "asides": [group for group in groups.values() if group.aside],
        "order_help": loaded.game.order_help(prompt),
    }


def _explained(game: Game, view: Data, one: controls.Control) -> controls.Control:
    """Return the control with help on the things of a list that nothing in the picture stands for, such as cards found."""
    options = one.options
    if one.kind == "checks" and not any(option.part for option in options):
        told = {value: game.explain(view, value) for value in one.schema["items"]["enum"] if isinstance(value, str)}
        options = tuple(replace(option, note=found.text if (found := told.get(option.value)) else "") for option in options)
    return replace(one, options=options, children=tuple(_explained(game, view, child) for child in one.children))


def _choosing_nothing(game: Game, sheet: controls.Sheet) -> controls.Sheet | None:
    """Return a form as a button that chooses nothing, called after what it does; None if that has no words of its own."""
    if not _is_whole(sheet) or sheet.plain:
        return None
    try:
        command = reading.read(controls.sheet(sheet.form), {})
        order = "" if fault(sheet.form.schema(), command) else game.render(command)
    except Unreadable:
        return None
    if order not in game.idle:
        return None
    words = say(game.idle[order])
    form = replace(sheet.form, label=words, act=words, parameters={}, choice=None)
    return controls.Sheet(sheet.key, form, twin="-none")


def _is_whole(sheet: controls.Sheet) -> bool:
    return sheet.weight == "main" and (sheet.plain or sheet.complete)


def _sheet(form: Form, failed: Failed | None) -> controls.Sheet:
    made = controls.sheet(form)
    if failed is None or failed.form != made.key:
        return made
    return controls.Sheet(made.key, form, tuple(reading.filled(one, failed.posted) for one in made.controls))
