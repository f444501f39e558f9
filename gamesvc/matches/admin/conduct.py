"""The moderation queue: reports with what operators did about them, and the acts as a list of their own."""

from __future__ import annotations

from typing import Any

from django.contrib import admin, messages
from django.db.models import Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.views.decorators.http import require_POST

from accounts.models import User
from accounts.operators import ReadOnly, operators
from gamesvc.games.kernel import intake
from gamesvc.games.kernel.game import Refused
from gamesvc.matches.admin.forms import ReportActForm
from gamesvc.matches.errors import Forbidden, Unknown
from gamesvc.matches.models import MessageBan, Report, ReportAct
from gamesvc.matches.organising import moderation


def _name(report: Report) -> str:
    """Return the name of the reported player; "-" while their match hides who plays."""
    return "-" if report.match is not None and report.match.hides_names else str(report.about)


def _about(request: HttpRequest, player: str) -> Q:
    """Return the condition for reports about the operator or a bot of theirs: nobody who was reported learns by whom."""
    return Q(**{player: request.user}) | Q(**{f"{player}__bot_owner": request.user})


@admin.register(Report, site=operators)
class ReportAdmin(ReadOnly):
    """Reports: open ones first, the oldest of them on top. The page of one is where operators act."""

    list_display = ("created_at", "state", "kind", "player", "match", "last_act", "closed_at")
    list_filter = ("state", "kind")
    search_fields = ("about__username", "=match__number")
    date_hierarchy = "created_at"
    ordering = ("closed_at", "created_at", "pk")
    list_select_related = ("about", "match")
    of_match = "match"

    def get_queryset(self, request: HttpRequest) -> Any:
        return super().get_queryset(request).exclude(_about(request, "about")).prefetch_related("acts__operator")

    def get_search_results(self, request: HttpRequest, queryset: QuerySet[Any], search_term: str) -> tuple[QuerySet[Any], bool]:
        """Search; what `_name` hides is found by no name."""
        found, doubled = super().get_search_results(request, queryset, search_term)
        hidden, number = Q(match__anonymous=True, match__ended_at=None), intake.whole(search_term, 17)
        if number is not None:
            hidden &= ~Q(match__number=number)
        return (found.exclude(hidden) if search_term else found), doubled

    @admin.display(description="player")
    def player(self, report: Report) -> str:
        return _name(report)

    @admin.display(description="last act")
    def last_act(self, report: Report) -> str:
        last = max(report.acts.all(), key=lambda act: act.at, default=None)
        return "-" if last is None else f"{last.get_act_display()} by {last.operator or 'an erased operator'}"

    def get_urls(self) -> list[URLPattern]:
        act = self.admin_site.admin_view(require_POST(self.act))
        return [path("<path:object_id>/act/", act, name="matches_report_act"), *super().get_urls()]

    def _find(self, request: HttpRequest, object_id: str) -> Report:
        report = self.get_object(request, object_id)
        if report is None:
            raise Http404("There is no such report.")
        assert isinstance(report, Report)
        return report

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, object] | None = None
    ) -> HttpResponse:
        """Show a report, the copies of messages, what was done, and what can be done."""
        report = self._find(request, object_id)
        hidden = _name(report) == "-"
        others = Report.objects.filter(about=report.about).exclude(pk=report.pk)
        context = {
            **self.admin_site.each_context(request),
            "title": str(report),
            "opts": self.model._meta,
            "report": report,
            "player": _name(report),
            "reporter": "-" if hidden else report.user,
            "former_names": [] if hidden else report.about.former_names.order_by("-until"),
            "others": 0 if hidden else others.count(),
            "banned_until": getattr(MessageBan.objects.filter(user=report.about).first(), "until", None),
            "acts": report.acts.select_related("operator").order_by("at", "pk"),
            "choices": [choice for choice in ReportAct.Act.choices if moderation.possible(report, choice[0])],
            "days": moderation.DAYS,
            "longest": moderation.LONGEST_NOTE,
        }
        answer = TemplateResponse(request, "operators/report.html", context)
        answer["Cache-Control"] = "private, no-store"
        return answer

    def act(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Carry out an act on the report."""
        report = self._find(request, object_id)
        assert isinstance(request.user, User)
        try:
            done = moderation.act(by=request.user, report=report, **ReportActForm.read(request))
            messages.success(request, f"Done: {done.get_act_display()}.")
        except (Refused, Forbidden) as refused:
            messages.error(request, refused.sentence)
        except Unknown as gone:
            raise Http404(gone.sentence) from None
        return redirect(reverse("admin:matches_report_change", args=[report.pk]))


@admin.register(ReportAct, site=operators)
class ReportActAdmin(ReadOnly):
    """The audit trail of moderation. The database refuses to change it."""

    list_display = ("at", "operator", "act", "player", "days", "words")
    list_filter = ("act",)
    date_hierarchy = "at"
    ordering = ("-at", "-pk")
    fields = ("at", "operator", "act", "report", "days", "words")
    list_select_related = ("operator", "report__about", "report__match")
    of_match = "report__match"

    def get_queryset(self, request: HttpRequest) -> Any:
        return super().get_queryset(request).exclude(_about(request, "report__about"))

    @admin.display(description="player")
    def player(self, act: ReportAct) -> str:
        return _name(act.report)


@admin.register(MessageBan, site=operators)
class MessageBanAdmin(ReadOnly):
    list_display = ("user", "until")
    search_fields = ("user__username",)
    ordering = ("-until",)
    fields = ("user", "until")
    list_select_related = ("user",)
