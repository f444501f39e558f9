"""A request counts from when all of it has come, and nothing about its sender is looked at before."""

from __future__ import annotations

import io
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import time_machine
from django.conf import settings
from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest, HttpResponse
from django.test import Client, RequestFactory

from accounts import tokens
from accounts.models import User
from gamesvc.border import WholeBody
from gamesvc.matches.lobby import opening
from gamesvc.matches.models import Match, Question
from gamesvc.matches.record import loading
from gamesvc.matches.record.stream import STORE
from tests.matches import late
from tests.matches.playing import act

BEGIN = datetime(2026, 3, 2, 12, tzinfo=UTC)
DRAW = {"name": "draw"}


@pytest.fixture
def clock() -> Any:
    with time_machine.travel(BEGIN, tick=False) as travel:
        yield travel


@pytest.fixture
def match(clock: Any, toy: str, anna: User, ben: User) -> Match:
    return opening.join_match(by=ben, match=opening.create_match(by=anna, game=toy, options={"points": 9}))


def sent(match: Match, user: User, name: str, body: dict[str, Any], meanwhile: Callable[[], object]) -> Any:
    """Send a request of the API whose body comes after `meanwhile`."""
    path, client = f"/api/v1/matches/{match.number}/", Client()
    token = f"Bearer {tokens.create_token(user=user, name='x', scopes=['read', 'play', 'organise'])[1]}"
    seen = client.get(f"{path}view/", headers={"Authorization": token})
    more = {"if_match": seen["ETag"]} if "ETag" in seen else {}
    return late.send(client, path + name, body, meanwhile, authorization=token, idempotency_key="k", **more)


def newest(match: Match) -> datetime:
    """Return when the newest act of a match was received."""
    loaded = loading.load(match.id, match.game)
    acts = [stored for stored in STORE.read(match.id, 0, loaded.version) if "received_at" in stored.meta]
    return datetime.fromisoformat(acts[-1].meta["received_at"])


@pytest.mark.django_db
@pytest.mark.parametrize(("name", "body"), [
    ("commands/", DRAW),
    ("orders/", {"text": "draw"}),
    ("undo/", {}),
])  # fmt: skip
def test_a_command_counts_from_its_last_byte(match: Match, anna: User, clock: Any, name: str, body: Any) -> None:
    if name == "undo/":
        act(match, 0, {"name": "play", "card": loading.load(match.id, match.game).timeline.state.hands[0][0]})
    answer = sent(match, anna, name, body, lambda: clock.shift(timedelta(hours=3)))
    assert answer.status_code == 200, answer.content
    assert newest(match) == BEGIN + timedelta(hours=3)


@pytest.mark.django_db
def test_a_form_counts_from_its_last_byte(match: Match, anna: User, clock: Any) -> None:
    client = Client()
    client.force_login(anna)
    fields = {"orders": "draw", "_once": "1", "_version": loading.load(match.id, match.game).viewer_version(0)}
    path = f"/matches/{match.number}/orders"
    assert late.send(client, path, fields, lambda: clock.shift(timedelta(hours=3))).status_code == 302
    assert newest(match) == BEGIN + timedelta(hours=3)


@pytest.mark.django_db
def test_a_measure_counts_from_its_last_byte(clock: Any, toy: str, anna: User, ben: User, player: Callable[..., User]) -> None:
    host = player("host")
    match = opening.create_match(by=host, game=toy, take_seat=False)
    for by in (anna, ben):
        match = opening.join_match(by=by, match=match)
    body = {"action": "pause", "code": "dispute", "reason": "A dispute."}
    answer = sent(match, host, "organise/", body, lambda: clock.shift(timedelta(hours=3)))
    assert answer.status_code == 200, answer.content
    assert newest(match) == BEGIN + timedelta(hours=3)


@pytest.mark.django_db
def test_headers_in_time_do_not_hold_the_deadline(match: Match, anna: User, clock: Any) -> None:
    due = Question.objects.get(match=match, seat=0).due_at
    clock.move_to(due - timedelta(seconds=1))
    answer = sent(match, anna, "commands/", DRAW, lambda: clock.shift(timedelta(seconds=2)))
    assert (answer.status_code, answer.json()["code"]) == (422, "too_late")


@pytest.mark.django_db
def test_a_token_withdrawn_meanwhile_opens_nothing(match: Match, anna: User) -> None:
    client = Client()
    row, plain = tokens.create_token(user=anna, name="x", scopes=["read", "play"])
    path = f"/api/v1/matches/{match.number}/press/"
    said = {"to": "all", "text": "hello"}
    answer = late.send(client, path, said, row.delete, authorization=f"Bearer {plain}", idempotency_key="k")
    assert answer.status_code == 401


# --- the middleware ---


def test_the_body_is_read_first_of_all() -> None:
    assert settings.MIDDLEWARE[0] == "gamesvc.border.WholeBody"


def test_a_body_that_is_too_large_is_left_to_what_refuses_it(settings: Any) -> None:
    settings.FORM_BYTES = 10
    seen: list[HttpRequest] = []

    def view(request: HttpRequest) -> HttpResponse:
        seen.append(request)
        return HttpResponse()

    for path in ("/api/v1/matches/", "/mail/provider/postmark/inbound/"):
        request = RequestFactory().post(path, b"x" * 11, "application/json")
        WholeBody(view)(request)
        assert request.read() == b"x" * 11, "none of it was read"
        assert seen.pop() == request
    with pytest.raises(RequestDataTooBig):
        WholeBody(view)(RequestFactory().post("/profile/", b"x" * 11, "application/json"))
    assert seen == []


def test_a_body_that_breaks_off_is_refused() -> None:
    class Broken(io.BytesIO):
        def read(self, *_given: Any) -> bytes:
            raise OSError("the client has gone")

    request = RequestFactory().generic("POST", "/api/v1/matches/", b"{}", "application/json")
    request._stream = Broken()  # type: ignore[attr-defined]
    answer = WholeBody(lambda _request: pytest.fail("it reached a view"))(request)
    assert answer.status_code == 400


@pytest.mark.parametrize("buffering", ["proxy_request_buffering on", "proxy_buffering on"])
def test_the_sample_of_a_proxy_buffers_requests_and_answers(buffering: str) -> None:
    deploy = Path(settings.BASE_DIR) / "deploy"
    assert f" {buffering};" in (deploy / "nginx.conf").read_text()
    assert f"`{buffering}`" in (deploy / "README.md").read_text()
