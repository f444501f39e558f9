"""The page of a match for operators: the record as observers see it, step by step; all of it after the end.

From the page of a match operators can verify it, look behind a seat, and take measures. Each is a POST that is recorded by its
own service. `looks` is the only way to what is hidden in a running match, and it is closed to operators who have played in it.
"""

from __future__ import annotations

import json
import secrets as system

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.safestring import mark_safe
from django.views.decorators.http import require_POST

from accounts.models import User
from accounts.operators import ReadOnly, operators
from gamesvc import paging
from gamesvc.forms import ActForm
from gamesvc.games.kernel import intake
from gamesvc.games.kernel.game import Caption, Refused
from gamesvc.json_types import JsonObject
from gamesvc.matches.access import authority, selectors
from gamesvc.matches.access.selectors import Access
from gamesvc.matches.admin.forms import LookForm, MeasureForm
from gamesvc.matches.errors import Forbidden, Outdated
from gamesvc.matches.models import Match
from gamesvc.matches.organising import looks, measures
from gamesvc.matches.play import turns
from gamesvc.matches.proof import audit
from gamesvc.matches.reading import board
from gamesvc.matches.record import loading
from gamesvc.matches.story.undo_words import CODES


def _access(request: HttpRequest, match: Match) -> Access:
    """Return the match as an observer sees it, also for an operator who plays in it: the match page shows their own seat."""
    assert isinstance(request.user, User)
    seats = tuple(match.seats.select_related("user").order_by("index"))
    return Access(match, request.user, None, seats, match.pk in selectors.left(request.user, [match]))


def _asked(request: HttpRequest, name: str) -> int | None:
    return intake.whole(request.GET.get(name, ""))


@admin.register(Match, site=operators)
class MatchAdmin(ReadOnly):
    # No version: it counts hidden events too, so it would reveal when they happen.
    list_display = ("number", "game", "status", "players", "created_at", "started_at", "ended_at")
    list_filter = ("status", "game")
    search_fields = ("=number", "=id")
    ordering = ("-number",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Match]:
        return super().get_queryset(request).prefetch_related("seats__user")

    @admin.display(description="players")
    def players(self, match: Match) -> str:
        return ", ".join(selectors.seat_names(tuple(sorted(match.seats.all(), key=lambda seat: seat.index))))

    def get_urls(self) -> list[URLPattern]:
        act = self.admin_site.admin_view(require_POST(self.act))
        return [path("<path:object_id>/act/", act, name="matches_match_act"), *super().get_urls()]

    def _find(self, request: HttpRequest, object_id: str) -> Match:
        match = self.get_object(request, object_id)
        if match is None:
            raise Http404("There is no such match.")
        assert isinstance(match, Match)
        return match

    # --- the record ---

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, object] | None = None
    ) -> HttpResponse:
        """Show the match at a version as an observer sees it, or after the end as any seat."""
        match = self._find(request, object_id)
        return self._shut(request, match) or self._page(request, match)

    def _shut(self, request: HttpRequest, match: Match) -> HttpResponse | None:
        """Return the answer for a match that the operator may not read now; None for any other."""
        assert isinstance(request.user, User)
        if authority.may_open(request.user, match):
            return None
        told = f"{match} is not open to you until it and every match from which it comes are over."
        messages.error(request, told)
        return redirect(reverse("admin:matches_match_changelist"))

    def _page(self, request: HttpRequest, match: Match) -> HttpResponse:
        access = _access(request, match)
        try:
            seen = board.look(access, _asked(request, "as"), _asked(request, "version"))
        except (Refused, Forbidden) as refused:
            messages.error(request, refused.sentence)
            seen = board.look(access)
        now = board.look(access)
        loaded = now.loaded
        last = loaded.viewer_version(seen.viewer)
        rules = authority.may_rule(access.user, match)
        context = {
            **self.admin_site.each_context(request),
            "title": f"{loaded.game.manifest.title} {match.number}",
            "opts": self.model._meta,
            "match": match,
            "seats": list(zip(access.seats, selectors.seat_names(access.seats), strict=True)),
            "paused_at": None if access.is_delayed else match.paused_at,
            "questions": now.questions,
            "seen": seen,
            "at": seen.loaded.version if seen.past else last,
            "last": last,
            # Pictures come from our own engines, which escape user text.
            "picture": mark_safe(seen.picture),
            "view_json": json.dumps(seen.view, indent=2, sort_keys=True),
            **_page_of_events(loaded, seen.viewer, _asked(request, "after"), last),
            "may_rule": rules and not match.over,
            "may_verify": rules or match.over,
            "may_look": rules and loaded.started and not loaded.ended,
            "actions": [name for name in measures.ACTIONS if rules],
            "codes": CODES.items(),
            "longest": authority.LONGEST_REASON,
            "looks": looks.of_match(access),
            "once": system.token_urlsafe(12),
        }
        answer = TemplateResponse(request, "operators/match.html", context)
        answer["Cache-Control"] = "private, no-store"
        return answer

    # --- actions ---

    def act(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Verify the match, look behind a seat, or carry out a measure."""
        match = self._find(request, object_id)
        if (shut := self._shut(request, match)) is not None:
            return shut
        try:
            match ActForm.read(request)["act"]:
                case "verify":
                    self._verify(request, match)
                case "look":
                    return self._look(request, match)
                case "measure":
                    self._measure(request, match)
                case _:
                    raise Refused("unreadable", "Choose what to do.", "act")
        except (Refused, Forbidden, Outdated) as refused:
            messages.error(request, refused.sentence)
        return redirect(reverse("admin:matches_match_change", args=[match.pk]))

    def _verify(self, request: HttpRequest, match: Match) -> None:
        """Audit this match: chain, checkpoints, draws, decisions, and everything that follows from them.

        The findings count what is hidden, so until the end they are closed to operators who have played in the match.
        """
        assert isinstance(request.user, User)
        if not match.over:
            authority.check_may_rule(request.user, match)
        findings = audit.check_match(match.id)
        for found in findings:
            at = f" (version {found.version})" if found.version is not None else ""
            messages.error(request, f"{found.code}{at}: {found.detail}")
        if not findings:
            loaded = loading.load(match.id, match.game)
            told = f"Nothing is wrong: {loaded.version} events, chain, draws and decisions; head {loaded.head.hash.hex()[:16]}."
            messages.success(request, told)

    def _look(self, request: HttpRequest, match: Match) -> HttpResponse:
        assert isinstance(request.user, User)
        look = looks.look_behind(by=request.user, match=match, **LookForm.read(request), channel="web")
        shown = looks.seen(look)
        names = selectors.seat_names(tuple(match.seats.select_related("user").order_by("index")))
        game = shown["loaded"].game
        picture = game.picture(shown["view"], Caption(str(match.number), names, past=True))
        context = {
            **self.admin_site.each_context(request),
            "title": f"What {names[look.seat]} sees, version {look.version}",
            "opts": self.model._meta,
            "match": match,
            "look": look,
            "picture": mark_safe(picture),
            "view_json": json.dumps(shown["view"], indent=2, sort_keys=True),
            "refusals": [(refusal, json.dumps(refusal.command, sort_keys=True)) for refusal in shown["refusals"]],
        }
        answer = TemplateResponse(request, "operators/look.html", context)
        answer["Cache-Control"] = "private, no-store"
        return answer

    def _measure(self, request: HttpRequest, match: Match) -> None:
        assert isinstance(request.user, User)
        form = MeasureForm(request.POST)
        measure = form.measure()
        page = form.cleaned_data["_once"] or system.token_hex(8)
        key = turns.command_id(sender=f"admin {request.user.pk} {match.pk}", key=f"{page} {measures.fingerprint(measure)}")
        measures.organise(by=request.user, match=match, measure=measure, command_id=key, channel="web")
        messages.success(request, f"Done: {measure.action}. The players are notified.")


def _page_of_events(loaded: loading.Loaded, viewer: int | None, after: int | None, last: int) -> dict[str, object]:
    """Return a page of the record, by default the last one, with the versions at which the pages beside it begin."""
    after = max(0, last - paging.EVENTS_IN_ADMIN) if after is None else after
    return {
        "events": _events(loaded, viewer, after),
        "after": after,
        "earlier": max(0, after - paging.EVENTS_IN_ADMIN) if after else None,
        "later": after + paging.EVENTS_IN_ADMIN if after + paging.EVENTS_IN_ADMIN < last else None,
    }


def _events(loaded: loading.Loaded, viewer: int | None, after: int) -> list[JsonObject]:
    """Return a page of the record for a viewer: events whole, redacted or sealed."""
    found = selectors.records_for(loaded, viewer, after, paging.EVENTS_IN_ADMIN)
    return [
        {
            "version": one["version"],
            "type": one.get("type", "(sealed)"),
            "actor": one.get("meta", {}).get("actor", {}),
            "data": json.dumps(one["data"], sort_keys=True) if "data" in one else "",
            "redacted": one.get("redacted", False),
            "occurred_at": one.get("occurred_at", ""),
            "hash": one["hash"][:16],
        }
        for one in found
    ]
