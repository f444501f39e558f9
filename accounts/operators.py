"""The operators' site at `/admin/`: Django's admin, restricted to reading.

Each app registers what operators may see in its `admin.py`; there is no autodiscovery. Actions go through the same services as
everywhere, by POST, and are recorded.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any
from uuid import UUID

from allauth.account.decorators import secure_admin_login
from django.contrib import admin
from django.db.models import Model, Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from accounts.models import User


class OperatorSite(admin.AdminSite):
    """The site itself. Sign-in is django-allauth's, with its limits and second factor."""

    site_header = "gamesvc for operators"
    site_title = "gamesvc"
    index_title = "What is kept"
    enable_nav_sidebar = False
    # An address without its last slash is redirected as everywhere (`gamesvc.web.common.slashes`).
    final_catch_all_view = False

    def has_permission(self, request: HttpRequest) -> bool:
        return bool(request.user.is_active and request.user.is_staff)

    def password_change(  # type: ignore[override]
        self, request: HttpRequest, extra_context: dict[str, object] | None = None
    ) -> HttpResponse:
        """Redirect to the page for all users."""
        return redirect("account_change_password")


operators = OperatorSite(name="admin")
operators.login = secure_admin_login(operators.login)  # type: ignore[method-assign]


LONGEST_SEARCH = 254
"""Characters of a search that are read: as many as an address has. Each word is one more condition for the database to plan."""

Closed = Callable[[User], Collection[UUID]]
_closed: list[Closed] = []


def register_closed(closed: Closed) -> None:
    """Register `closed(operator)`, which returns the matches that an operator may read only like a player."""
    if closed not in _closed:
        _closed.append(closed)


# The lookups that the links of Django's filters and date hierarchies ask for. Any other could be a pattern, which the database
# refuses, or takes long to match.
_OF_FILTER = ("exact", "isnull")
_OF_DATE = ("year", "month", "day", "gte", "lt", "isnull")


class ReadOnly(admin.ModelAdmin):  # type: ignore[type-arg]
    """A model's pages for operators: lists and details, with nothing to add, change or delete.

    `of_match` is the lookup from a row to its match or its topic (the id of a match): rows of matches closed to the operator are
    left out. `of_player` is the lookup to the player of a row, for lists in which operators find their own.

    Queries may filter by `list_filter` and `date_hierarchy` only. Django accepts conditions on any field, so repeated guesses
    would reveal what no page shows.
    """

    of_match = ""
    of_player = ""
    actions = None
    list_per_page = 50
    show_full_result_count = False

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        rows = super().get_queryset(request)
        if not self.of_match:
            return rows
        assert isinstance(request.user, User)
        matches = {str(match) for closed in _closed for match in closed(request.user)}
        shown = ~Q(**{f"{self.of_match}__in": matches})
        return rows.filter(shown | Q(**{self.of_player: request.user}) if self.of_player else shown)

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest) -> bool:
        named = {one if isinstance(one, str) else getattr(one, "parameter_name", "") for one in self.list_filter}
        named |= {f"{one}__{asked}" for one in self.list_filter if isinstance(one, str) for asked in _OF_FILTER}
        named |= {f"{self.date_hierarchy}__{asked}" for asked in _OF_DATE}
        return lookup in named and super().lookup_allowed(lookup, value, request)

    def get_search_results(self, request: HttpRequest, queryset: QuerySet[Any], search_term: str) -> tuple[QuerySet[Any], bool]:
        return super().get_search_results(request, queryset, search_term[:LONGEST_SEARCH])

    def has_view_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return self.admin_site.has_permission(request)

    def has_module_permission(self, request: HttpRequest) -> bool:
        return self.admin_site.has_permission(request)

    def has_add_permission(self, request: HttpRequest, *_more: object) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False
