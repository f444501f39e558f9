"""Lists for operators: refusals, looks, pending decisions, conditional orders, statistics and outages."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from accounts.models import User
from accounts.operators import ReadOnly, operators
from gamesvc.matches.access import authority
from gamesvc.matches.models import Heartbeat, Holding, Look, Outage, Premove, Question, Reckoned, Refusal
from gamesvc.matches.reading import refusals


@admin.register(Refusal, site=operators)
class RefusalAdmin(ReadOnly):
    """Refused commands, kept for `REFUSALS_KEPT_DAYS`. In unfinished matches, only their existence, time and code are shown."""

    list_display = ("received_at", "match", "seat", "who", "code")
    list_filter = ("code", "match__game")
    search_fields = ("=match__number", "code")
    date_hierarchy = "received_at"
    ordering = ("-received_at", "-pk")
    _sent = ("channel", "command", "detail", "parameter")
    fields = ("match", "seat", "who", "received_at", "code", *_sent)
    list_select_related = ("match", "user")
    of_match, of_player = "match", "user"

    def get_fields(self, request: HttpRequest, obj: Refusal | None = None) -> Any:
        """Leave out the content of a command that the operator may not read."""
        assert isinstance(request.user, User)
        reader = request.user
        whole = obj is None or (refusals.opened(obj, obj.match, reader) and authority.may_open(reader, obj.match))
        return [name for name in self.fields if whole or name not in self._sent]

    @admin.display(description="who")
    def who(self, refusal: Refusal) -> str:
        hidden = refusal.user is None or refusal.match.hides_names
        return "-" if hidden else str(refusal.user)


@admin.register(Look, site=operators)
class LookAdmin(ReadOnly):
    list_display = ("at", "match", "user", "seat", "version", "words")
    ordering = ("-at",)
    fields = ("at", "match", "user", "seat", "version", "words")
    list_select_related = ("match", "user")
    of_match = "match"


@admin.register(Question, site=operators)
class QuestionAdmin(ReadOnly):
    """Pending decisions, the next deadline first.

    In an unfinished match they played in, operators see only what its pages show them.
    """

    list_display = ("due_at", "match", "seat", "prompt", "bot", "asked_at", "grace_from", "claimed_until")
    list_filter = ("bot", "match__game")
    search_fields = ("=match__number",)
    ordering = ("due_at", "pk")
    fields = ("match", "seat", "question", "prompt", "kind", "bot", "asked_at", "due_at", "grace_from", "claimed_until")
    list_select_related = ("match",)
    of_match = "match"


@admin.register(Outage, site=operators)
class OutageAdmin(ReadOnly):
    list_display = ("started_at", "ended_at", "settled_at", "claimed_until")
    ordering = ("-started_at",)
    fields = ("started_at", "ended_at", "settled_at", "claimed_until", "failed")


@admin.register(Heartbeat, site=operators)
class HeartbeatAdmin(ReadOnly):
    list_display = ("name", "beat_at")
    fields = ("name", "beat_at")


@admin.register(Premove, site=operators)
class PremoveAdmin(ReadOnly):
    """The existence and result of conditional orders, never their content; none of an unfinished match the operator played in."""

    list_display = ("made_at", "match", "seat", "number", "status", "given", "ended_at")
    list_filter = ("status", "match__game")
    search_fields = ("=match__number",)
    ordering = ("-made_at", "-pk")
    fields = ("match", "seat", "number", "status", "made_at", "given", "ended_at")
    list_select_related = ("match",)
    of_match, of_player = "match", "user"


@admin.register(Holding, site=operators)
class HoldingAdmin(ReadOnly):
    """The statistics of each seat tenure, with the player's name unless hidden.

    In a running match they reveal when a hidden answer was given, so an operator sees none of a match they played in.
    """

    _numbers = (
        "counts",
        "contested",
        "answers",
        "answer_seconds",
        "timeouts",
        "excused",
        "finished",
        "vacated",
        "place",
        "shared",
    )
    list_display = ("match", "seat", "who", *_numbers, "last_at")
    list_filter = ("counts", "contested", "finished", "vacated", "match__game")
    search_fields = ("=match__number", "=holder")
    ordering = ("-match__number", "seat", "pk")
    fields = ("match", "seat", "who", "holder", *_numbers, "last_at")
    list_select_related = ("match", "user")
    of_match = "match"

    @admin.display(description="who")
    def who(self, holding: Holding) -> str:
        return holding.user.username if holding.user is not None and not holding.match.hides_names else "-"


class AtFault(admin.SimpleListFilter):
    title = "fault"
    parameter_name = "fault"

    def lookups(self, request: HttpRequest, model_admin: object) -> list[tuple[str, str]]:
        return [("1", "could not go on")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Reckoned]) -> QuerySet[Reckoned]:
        return queryset.exclude(fault="") if self.value() else queryset


@admin.register(Reckoned, site=operators)
class ReckonedAdmin(ReadOnly):
    """The progress of the statistics in each match, and the error that stopped them. Versions count hidden events too."""

    list_display = ("match", "version", "fault")
    list_filter = (AtFault,)
    search_fields = ("=match__number", "fault")
    ordering = ("-match__number",)
    fields = ("match", "version", "fault")
    list_select_related = ("match",)
    of_match = "match"
