"""The ways into the service with their users and limits: the rows behind `manage.py doors`.

Routes, methods, scopes, sign-in, purposes, commands, operations and numbers are read from the code. The users of a way, beyond a
scope or a sign-in, are declared here, and in `permissions` for matches. A way without a declaration is an error, so every new one
needs a decision.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.core.management import get_commands, load_command_class
from django.urls import URLPattern, URLResolver, get_resolver
from rest_framework.views import APIView

from accounts import tokens
from accounts.bots import bots
from accounts.oauth import grants
from accounts.signing_in import adapter
from gamesvc.api import permissions
from gamesvc.api.v1.base import PUBLIC
from gamesvc.border import is_provider
from gamesvc.games.kernel import intake
from gamesvc.games.protocol import Session
from gamesvc.matches.access import daily_limits
from gamesvc.matches.play.bots import BEHIND_A_DAY
from gamesvc.request_limits import ALWAYS, computing_time, long_answers
from notifications.inbound import held, purposes, standing
from notifications.inbound.doors import connection, gate, rates, receiver
from notifications.inbound.stopping import PURPOSE as STOPPING
from notifications.parsing import cutting, limits, reading
from notifications.wanted import muting, wishes

EVERYONE = "everyone"
USER = "signed-in users, for themselves"
SIGNED_IN = "signed-in users"
HOLDER = "anyone with the link, which is a secret of its receiver"
MATCHES = "everyone for matches to watch and to join; signed-in users for their own"
OPERATORS = "operators"
PROVIDER = "the mail provider, by the shared secret"
APP = "registered apps, proved by their secret or by PKCE"
SHELL = "anyone with a shell on the server"

# Users of pages whose route does not imply them, by name.
PAGES = {
    "home": EVERYONE,
    "lobby": EVERYONE,
    "watch": EVERYONE,
    "archive": EVERYONE,
    "games": EVERYONE,
    "game": EVERYONE,
    "rules": EVERYONE,
    "cards": EVERYONE,
    "learn": EVERYONE,
    "choose": EVERYONE,
    "problem": EVERYONE,
    "problems": EVERYONE,
    "docs": EVERYONE,
    "docs_guide": EVERYONE,
    "docs_reference": EVERYONE,
    "docs_section": EVERYONE,
    "docs_shapes": EVERYONE,
    "form_schema": EVERYONE,
    "python_client": EVERYONE,
    "python_bridge": EVERYONE,
    "typescript_client": EVERYONE,
    "substitutes": EVERYONE,
    "terms": EVERYONE,
    "worker": EVERYONE,
    "manifest": EVERYONE,
    "report": "signed-in users, about players and messages that they may read",
    "ratings": EVERYONE,
    "leaderboard": SIGNED_IN,
    "player": SIGNED_IN,
    "new": SIGNED_IN,
    "quick": SIGNED_IN,
    "pair": SIGNED_IN,
    "answer_invitation": "signed-in users, for invitations to them",
    "invitation": HOLDER,
    "calendar": HOLDER,
    "authorize": "signed-in users, asked by an app",
    "oauth_token": APP,
    "oauth_revoke": APP,
    "oauth_metadata": EVERYONE,
}
MAIL_ADDRESSES = {
    STOPPING: "the receiver of the mail, proved by their address; else they are asked",
    held.PURPOSE: "anyone who reads the mailbox of the account",
    standing.PURPOSE: "every player, proved by a verified address; a proved stranger gets one answer a day, all else silence",
}


@dataclass(frozen=True, slots=True)
class Door:
    """One way into the service: its name, methods or use, users, and limits."""

    name: str
    use: str
    who: str
    limits: str


def all_doors() -> dict[str, list[Door]]:
    """Return the doors by kind, each kind in the order of its routes or names.

    The order in Django's admin depends on which module was imported first, so its routes come last, by name.
    """
    entries: dict[str, URLPattern] = {}
    for route, entry in _routes(get_resolver().url_patterns, ""):
        if not _of_a_row(route):
            entries.setdefault(route, entry)  # of two with one address, Django takes the first
    found = list(entries.items())
    found.sort(key=lambda door: door[0] if door[0].startswith("admin/") else "")
    return {
        "API": [_endpoint(route, entry.callback) for route, entry in found if hasattr(entry.callback, "cls")],
        "Pages": [_page(route, entry.name or "", entry.callback) for route, entry in found if not hasattr(entry.callback, "cls")],
        "Mail addresses": list(_mail_addresses()),
        "Commands": list(_commands()),
        "Engine protocol": list(_operations()),
    }


def _routes(entries: Sequence[Any], before: str) -> Iterator[tuple[str, URLPattern]]:
    for entry in entries:
        route = before + str(entry.pattern).removeprefix("^").replace("\\Z", "")
        if isinstance(entry, URLResolver):
            yield from _routes(entry.url_patterns, route)
        elif isinstance(entry, URLPattern):
            # Django lists the apps here, in the order in which their modules were imported.
            yield re.sub(r"\(\?P<app_label>[^)]*\)/\$", "<app_label>/", route), entry


def _of_a_row(route: str) -> bool:
    """Return True for Django's own pages of one row under /admin/.

    They only read, and the list of their table represents them.
    """
    parts = [part for part in route.split("/") if part]
    return parts[:1] == ["admin"] and len(parts) > 3 and parts[-1] != "act"


# --- HTTP ---


def _kilobytes(size: int) -> str:
    return f"{size // 1024} kB" if size < 1024 * 1024 else f"{size // (1024 * 1024)} MB"


def _endpoint(route: str, view: Callable[..., Any]) -> Door:
    kind: type[APIView] = view.cls  # type: ignore[attr-defined]
    scopes = getattr(view, "view_initkwargs", {}).get("scopes", {})
    told = [f"{method} (scope {' or '.join(needed)})" if PUBLIC not in needed else method for method, needed in scopes.items()]
    methods = list(scopes) or [name.upper() for name in ("get", "post") if hasattr(kind, name)]
    if (below := _below_a_match(route)) is not None:
        who = _each({method: permissions.of_api(method, below).text for method in methods})
    elif route == "api/v1/matches/":
        who = MATCHES
    elif scopes and all(PUBLIC in needed for needed in scopes.values()):
        who = EVERYONE
    else:
        who = _who(route, "")
    limits = f"body {_kilobytes(settings.API_BODY_BYTES)}, nested {intake.DEEPEST} deep"
    return Door(f"/{route}", ", ".join(told or methods), who, _past(view, _extra(route, limits)))


def _below_a_match(route: str) -> str | None:
    """Return the part of an address below a match, empty for the match itself; None for any other address."""
    _before, is_of_match, below = route.partition("matches/<str:ident>/")
    return below if is_of_match else None


def _each(who: dict[str, str]) -> str:
    """Return the users of each method as text, mentioned once if all methods have the same."""
    if len(set(who.values())) == 1:
        return next(iter(who.values()))
    return "; ".join(f"{method}: {text}" for method, text in who.items())


def _past(view: Callable[..., Any], limits: str) -> str:
    """Return the limits with the one for looking at the past, if it applies."""
    marks = getattr(view, "folds", ())
    if getattr(view, "adds", False):
        limits += f"; {settings.RATE_LIMIT_ACTS:,} commands, undos and steps a day in all matches"
    if not marks:
        return limits
    when = "" if ALWAYS in marks else f" with {' or '.join(f'`{name}`' for name in marks)}"
    return f"{limits}; {settings.RATE_LIMIT_HISTORY} a minute{when}"


def _who(route: str, name: str) -> str:
    """Return the users of an address that is not open to everyone. Raises `LookupError` for an undeclared one."""
    parts = [part for part in route.split("/") if part]
    if name in PAGES:
        return PAGES[name]
    if parts[:3] == ["api", "v1", "me"] or parts[:3] == ["api", "v1", "tokens"] or parts[0] in ("profile", "accounts"):
        return USER
    if parts[:2] == ["api", "v1"]:
        return SIGNED_IN
    if parts[0] == "admin":
        return OPERATORS
    if parts[:2] == ["mail", "provider"]:
        return PROVIDER
    if parts[0] == "mail":
        return HOLDER
    raise LookupError(f"Say in gamesvc/api/doors.py who may use /{route}.")


# By the last part of an address.
_OFTEN_A_DAY = {
    "tokens": f"{tokens.MADE_PER_DAY} new keys a day",
    "authorize": f"{grants.ALLOWED_PER_DAY} permissions a day",
    "token": f"an app gets {grants.REFRESHED_PER_DAY} tokens a day for a user, all apps {grants.REFRESHED_BY_ALL_PER_DAY}",
    "reply-addresses": f"{daily_limits.RENEWED_PER_DAY} times a day",
    "mails": f"{muting.CHOICES_A_DAY} times a day",
    "preferences": f"reminders {wishes.POINTS_PER_DAY} times a day",
    "timing": f"reminders {wishes.POINTS_PER_DAY} times a day",
}


def _often(hourly: int, daily: int, what: str = "") -> str:
    return f"{hourly}{what} an hour in a match, {daily} a day"


def _extra(route: str, limits: str) -> str:
    """Return the limits of an address beside its size."""
    parts = [part for part in route.split("/") if part]
    last = parts[-1] if parts else ""
    acts = _often(daily_limits.PER_HOUR, daily_limits.PER_DAY, " times")
    is_opening = last == "matches" and "exports" not in parts
    if last in ("commands", "orders", "command"):
        limits += f"; a command {_kilobytes(intake.LONGEST_COMMAND)}"
        limits += f"; hidden commands {_often(daily_limits.UNSEEN_PER_HOUR, daily_limits.UNSEEN_PER_DAY)}"
        limits += f", {daily_limits.UNSEEN_IN_ALL_PER_DAY:,} a day in all"
        limits += f"; side moves {_often(daily_limits.ASIDE_PER_HOUR, daily_limits.ASIDE_PER_DAY)}"
        limits += f"; refused ones {daily_limits.REFUSED_PER_HOUR} an hour, {daily_limits.REFUSED_PER_DAY} a day"
    elif "matches" in parts and (last in ("standing", "line") or parts[-2:-1] == ["standing"]) and last != "own":
        limits += f"; {daily_limits.CONDITIONAL_PER_DAY} conditional orders or lines a day in all matches"
    elif "matches" in parts and last in ("pause", "absence", "undo", "redo", "organise", "rewind"):
        limits += f"; {acts}, where others get a notice of it; {daily_limits.TOLD_IN_ALL_PER_DAY} a day in all matches"
        if last in ("undo", "redo"):
            limits += f"; where nobody else plays, {_often(daily_limits.ALONE_PER_HOUR, daily_limits.ALONE_PER_DAY, ' times')}"
    elif "matches" in parts and (last == "bots" or parts[-2:-1] == ["seats"]):
        limits += f"; {acts}"
    elif "matches" in parts and last == "join":
        limits += f"; {daily_limits.JOINS_PER_DAY} times a day in a match"
    elif last == "seats":
        limits += f"; join: {daily_limits.JOINS_PER_DAY} times a day in a match"
        limits += f"; filling or emptying seats: {acts}"
    elif last == "stream":
        limits += f"; open at once: {settings.STREAMS_PER_ADDRESS} of one network, {settings.STREAMS_PER_USER} of one user"
        limits += f", {settings.STREAMS_PER_TOKEN} with one token"
    elif last == "bots" and ("me" in parts or "profile" in parts):
        limits += f"; {bots.MADE_A_DAY} new bots a day, {bots.MOST} at the same time"
    elif last == "press":
        limits += f"; {_often(daily_limits.MESSAGES_PER_HOUR, daily_limits.MESSAGES_PER_DAY, ' messages')}"
    elif is_opening or "new" in parts or last in ("forks", "fork", "rematch"):
        limits += f"; {settings.MATCHES_PER_MINUTE} new matches a minute, {settings.MATCHES_PER_DAY} a day"
        limits += f", {settings.MATCHES_OPEN_PER_USER} not over"
    elif last in _OFTEN_A_DAY:
        limits += f"; {_OFTEN_A_DAY[last]}"
    if is_opening:
        limits += f"; {settings.RATE_LIMIT_HISTORY} a minute with a described position"
    return limits


def _page(route: str, name: str, view: Callable[..., Any]) -> Door:
    most = settings.DATA_UPLOAD_MAX_MEMORY_SIZE if is_provider(f"/{route}") else settings.FORM_BYTES
    limits = f"form {_kilobytes(most)}"
    if route.startswith("accounts/"):
        if route == "accounts/login/":
            limits += f"; {adapter.SIGN_INS_PER_DAY} a day to one account from one network"
            limits += "; tries of a browser that has signed in to the account before count apart"
        limits = "; ".join([limits, *(f"{what.replace('_', ' ')} {rate}" for what, rate in _rates(route))])
        return Door(f"/{route}", "GET, POST", "everyone (sign-in, sign-up) or signed-in users, for themselves", limits)
    if route == "health/":
        return Door(f"/{route}", "GET", EVERYONE, "no body")
    methods = _methods(view)
    below = _below_a_match(route)
    who = _who(route, name) if below is None else _each({method: permissions.of_page(method, below) for method in methods})
    if route.startswith("mail/") and not route.startswith("mail/provider/"):
        limits += f"; {muting.CHANGES_A_DAY} changes a day for each receiver"
    return Door(f"/{route}", ", ".join(methods), who, _past(view, _extra(route, limits)))


def _rates(route: str) -> list[tuple[str, str]]:
    """Return django-allauth's limits for an address."""
    at = {
        "login": ("login", "login_failed"),
        "signup": ("signup",),
        "reauthenticate": ("reauthenticate",),
        "reset": ("reset_password", "reset_password_from_key"),
        "email": ("manage_email",),
        "change": ("change_password",),
    }
    names = [name for word, limits in at.items() if word in route for name in limits]
    return [(name, settings.ACCOUNT_RATE_LIMITS[name]) for name in names]


def _wrapped(view: Callable[..., Any]) -> Iterator[Callable[..., Any]]:
    while view is not None:
        yield view
        view = getattr(view, "__wrapped__", None)  # type: ignore[assignment]


def _methods(view: Callable[..., Any]) -> list[str]:
    """Return the methods that Django's decorators allow; GET and POST if none says otherwise."""
    for layer in _wrapped(view):
        listed = inspect.getclosurevars(layer).nonlocals.get("request_method_list") if inspect.isfunction(layer) else None
        if listed is not None:
            return list(listed)
    return ["GET", "POST"]


# --- the other ways in ---


def _mail_addresses() -> Iterator[Door]:
    size = (
        f"{_kilobytes(reading.LARGEST)}, up to {_kilobytes(cutting.LARGEST_TAKEN)} without attachments,"
        f" headers {_kilobytes(reading.LARGEST_HEADERS)} in {reading.MOST_FIELDS} fields,"
        f" {reading.MOST_PARTS} parts, {limits.CPU_SECONDS:.0f} s of CPU"
    )
    mail_rates = (
        f"{settings.INBOUND_MAILS_PER_ADDRESS} mails an hour to an address, {settings.INBOUND_MAILS_PER_USER} to a player's;"
        f" {settings.INBOUND_ANSWERS_PER_DAY} answers a day"
    )
    player = "the player it was made for, proved by a verified address; else held until they confirm"
    for purpose in sorted(purposes.known()):
        if purpose == standing.PURPOSE:
            yield Door(f"{purpose}@ or MAILBOX+{purpose}@", "mail", MAIL_ADDRESSES[purpose], f"{size}; {_standing_rates()}")
            continue
        yield Door(f"{purpose}+TOKEN@", "mail", MAIL_ADDRESSES.get(purpose, player), f"{size}; {mail_rates}")
    yield Door("bounce+ID-SEAL@", "mail", "mail servers that return our mail", size)


def _standing_rates() -> str:
    most = settings.INBOUND_MAILS_PER_ADDRESS
    return (
        f"{most} mails an hour of a player or of an envelope sender in a network, {rates.FORGED * most} of a network,"
        f" {rates.STANDING * most} unproved ones in all; {settings.INBOUND_ANSWERS_PER_DAY} answers a day to a player,"
        f" {standing.STRANGERS_A_DAY} a day to all strangers"
    )


def _commands() -> Iterator[Door]:
    ours = ("gamesvc", "accounts", "events", "notifications")
    for name, app in sorted(get_commands().items()):
        if app.startswith(ours):
            words = " ".join(load_command_class(app, name).help.split())
            yield Door(f"manage.py {name}", words, SHELL, "those of the machine")


def _operations() -> Iterator[Door]:
    limits = f"a line of JSON, nested {intake.DEEPEST} deep"
    for name in sorted(vars(Session)):
        if name.startswith("_op_"):
            yield Door(name.removeprefix("_op_"), '{"op": "%s", ...}' % name.removeprefix("_op_"), SHELL, limits)  # noqa: UP031


def as_markdown() -> str:
    """Return the whole table in the format of `deploy/DOORS.md`."""
    lines = [
        "# Doors",
        "",
        "Every way into the service, who may use it and which limits hold. Written by `manage.py doors --write`.",
        "",
        "At each door text with U+0000 or lone surrogates is refused. What a player, watcher or operator sees of a running match",
        "is always the view of their seat, or of an observer; nothing here shows more.",
        "",
        f"Over HTTP {settings.RATE_LIMIT_PER_ADDRESS} requests a minute are taken from one network, of which those without"
        " sign-in leave a quarter,"
        f" {settings.RATE_LIMIT_PER_USER} for one user, {settings.RATE_LIMIT_PER_TOKEN} with one token.",
        f"For whom a web process has computed more than {settings.RATE_LIMIT_SECONDS} s a minute, it answers one request at a"
        f" time, and {computing_time.BEYOND} of all those together; of others whose requests are dear, or of whom it knows"
        f" nothing yet, {computing_time.FEW}.",
        "While others wait for its threads, it does so"
        f" from {settings.RATE_LIMIT_SECONDS * computing_time.AT_ONCE_WHEN_BUSY / 60:g} s.",
        f"Of exports longer than {long_answers.SHORT // 1024} kB one user, or one network of guests, reads one at a time, and a"
        f" process sends {long_answers.AT_ONCE}.",
        "A network is an IPv4 address or an IPv6 /64; all networks of one IPv6 /48 together have three times its limits,"
        " those of sign-in and sign-up too.",
        f"For an Idempotency-Key {daily_limits.ANSWERS_PER_DAY:,} answers a day are stored for one user.",
        f"Where no person waits for them, the service's bots take some turns {BEHIND_A_DAY:,} times a day for one user.",
        "",
        f"`manage.py mailserver` takes {settings.MAILSERVER_CONNECTIONS} connections at a time. Where senders reach it directly,"
        f" it takes {settings.MAILSERVER_CONNECTIONS_PER_ADDRESS} of one network,",
        f"and {settings.MAILSERVER_UNKNOWN_PER_HOUR} unknown addresses from one network within an hour; then each further one"
        " ends its connection,",
        f"and {gate.FLOOD} times as many shut the door to the network. A connection lasts"
        f" {settings.MAILSERVER_SESSION_SECONDS:.0f} s and takes {settings.MAILSERVER_COMMANDS} commands",
        f"of a kind, {connection.MOST_MISTAKES} lines that are none and {settings.MAILSERVER_UNKNOWN_PER_CONNECTION} unknown"
        f" addresses; one mail has {receiver.MOST_RECIPIENTS} receivers at most.",
        "Once all connections are taken, the network with the most gives way to one with fewer.",
    ]
    for kind, doors in all_doors().items():
        lines += ["", f"## {kind}", "", "| door | use | who | limits |", "| --- | --- | --- | --- |"]
        lines += [f"| `{_cell(door.name)}` | {_cell(door.use)} | {_cell(door.who)} | {_cell(door.limits)} |" for door in doors]
    return "\n".join(lines) + "\n"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
