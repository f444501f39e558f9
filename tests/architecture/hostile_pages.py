"""Requests with hostile text to every page."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import urlencode

import pytest
from django.core.cache import cache
from django.db import transaction
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

from accounts.models import User
from gamesvc.matches.lobby import invitations, opening
from notifications.other_channels import subscriptions
from notifications.sending import calendar
from tests.conftest import make_anna, make_ben
from tests.hostile import TEXTS

SENT = {label: text for label, text in TEXTS.items() if "surrogate" not in label}
"""Texts that a form can send. Lone surrogates cannot be sent: invalid UTF-8 is read as U+FFFD."""


def walk(patterns: Any, prefix: str = "") -> Iterator[tuple[str, Callable[..., Any]]]:
    for entry in patterns:
        if isinstance(entry, URLResolver):
            yield from walk(entry.url_patterns, prefix + str(entry.pattern))
        elif isinstance(entry, URLPattern):
            yield prefix + str(entry.pattern), entry.callback


PAGES = [
    (path, view) for path, view in walk(get_resolver().url_patterns) if not path.startswith(("api/", "mail/provider/", "admin/"))
]


def address(path: str, values: dict[str, str], hostile: str = "") -> str:
    """Return an address of this pattern, with `hostile` in place of its variable parts if given."""
    path = re.sub(r"\(\?P<(\w+)>[^)]*\)", r"<str:\1>", path).replace("^", "").replace("$", "").replace("\\", "")

    def value(found: re.Match[str]) -> str:
        return urlencode({"": hostile})[1:] if hostile else values.get(found[1], "1")

    return "/" + re.sub(r"<(?:\w+:)?(\w+)>", value, path)


@pytest.fixture(scope="module")
def world(shared) -> tuple[User, dict[str, str], list[str]]:
    """A player, the values for addresses, and the numbers of their matches."""
    with shared():
        anna, ben = make_anna(), make_ben()
        running = opening.join_match(by=ben, match=opening.create_match(by=anna, game="space_war", watch="all"))
        opened = opening.create_match(by=anna, game="stratastar", seats=3)
        hosted = opening.create_match(by=anna, game="space_war", take_seat=False, bots={0: "random", 1: "random"})
        _invitation, token = invitations.invite(by=ben, match=opening.create_match(by=ben, game="stratastar"), username="anna")
        values = {
            "ident": str(running.number),
            "game": "stratastar",
            "name": "ben",
            "code": "stale",
            "hook_id": str(subscriptions.add(anna, url="https://hooks.example/turns").pk),
            "token": token,
            "secret": calendar.renew_address(anna).rsplit("/", 1)[1].removesuffix(".ics"),
        }
        return anna, values, [str(match.number) for match in (running, opened, hosted)]


@pytest.fixture
def reader(world, db) -> tuple[Client, dict[str, str], list[str]]:
    """The player's signed-in client, the values for addresses, and the numbers of their matches."""
    anna, values, matches = copy.deepcopy(world)
    client = Client(raise_request_exception=False)
    client.force_login(anna)
    return client, values, matches


def send(client: Client, method: str, path: str, data: Any = None) -> Any:
    """Send one request and roll it back."""
    with transaction.atomic():
        answer = client.get(path) if method == "get" else client.post(path, data)
        transaction.set_rollback(True)
    if method == "post":
        cache.clear()
    assert answer.status_code < 500, (method, path, {name: repr(value)[:80] for name, value in (data or {}).items()})
    return answer
