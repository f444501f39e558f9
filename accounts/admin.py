"""Operators' pages about users: accounts, vacations, tokens without their secret, and the audit trail of sign-ins."""

from __future__ import annotations

from django.contrib import admin

from accounts.models import Absence, ApiToken, App, Authorization, FormerName, SignIn, User
from accounts.operators import ReadOnly, operators


@admin.register(User, site=operators)
class UserAdmin(ReadOnly):
    list_display = ("username", "email", "is_active", "is_staff", "last_login", "created")
    list_filter = ("is_active", "is_staff")
    search_fields = ("username", "email")
    ordering = ("-created",)
    fields = ("username", "email", "timezone", "language", "is_active", "is_staff", "is_superuser", "last_login", "created")


@admin.register(ApiToken, site=operators)
class ApiTokenAdmin(ReadOnly):
    list_display = ("user", "name", "hint", "scopes", "created_at", "last_used_at", "expires_at", "revoked_at")
    search_fields = ("user__username", "name", "hint")
    fields = ("user", "name", "hint", "scopes", "created_at", "last_used_at", "expires_at", "revoked_at", "parent", "proven_at")
    list_select_related = ("user",)


@admin.register(App, site=operators)
class AppAdmin(ReadOnly):
    list_display = ("name", "owner", "id", "confidential", "created_at")
    search_fields = ("name", "owner__username")
    fields = ("name", "owner", "id", "redirect_uris", "created_at")
    list_select_related = ("owner",)


@admin.register(Authorization, site=operators)
class AuthorizationAdmin(ReadOnly):
    list_display = ("user", "app", "scopes", "created_at", "expires_at", "revoked_at")
    search_fields = ("user__username", "app__name")
    fields = ("user", "app", "scopes", "redirect_uri", "created_at", "code_used_at", "expires_at", "revoked_at")
    list_select_related = ("user", "app")


@admin.register(Absence, site=operators)
class AbsenceAdmin(ReadOnly):
    list_display = ("user", "first_day", "last_day", "starts_at", "ends_at", "announced_at")
    search_fields = ("user__username",)
    date_hierarchy = "starts_at"
    ordering = ("-starts_at",)
    fields = ("user", "first_day", "last_day", "zone", "starts_at", "ends_at", "announced_at")
    list_select_related = ("user",)


@admin.register(FormerName, site=operators)
class FormerNameAdmin(ReadOnly):
    list_display = ("user", "name", "until")
    search_fields = ("user__username", "name")
    ordering = ("-until", "-pk")
    fields = ("user", "name", "until")
    list_select_related = ("user",)


@admin.register(SignIn, site=operators)
class SignInAdmin(ReadOnly):
    """The audit trail of sign-ins, kept for `SIGN_INS_KEPT_DAYS`."""

    list_display = ("at", "kind", "user", "channel", "address", "token")
    list_filter = ("kind", "channel")
    search_fields = ("user__username", "address")
    date_hierarchy = "at"
    ordering = ("-at", "-pk")
    fields = ("at", "kind", "user", "channel", "address", "token", "name_hash")
    list_select_related = ("user", "token")
