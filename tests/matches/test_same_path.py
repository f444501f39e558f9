"""Hidden acts change nothing: no response, no tag and no number of statements depends on an opponent's hidden acts.

Each match is requested before and after the opponent does something hidden, through every readable address.
"""

from __future__ import annotations

import re

import pytest
import time_machine
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import URLPattern, URLResolver, get_resolver

from events.proofs import checkpoints
from gamesvc.matches.lobby import opening
from gamesvc.matches.models import Premove, Question, Seat
from gamesvc.matches.play import standing_orders
from gamesvc.matches.record import loading
from gamesvc.matches.record.stream import STORE
from tests.matches.playing import act
from tests.matches.test_hidden_time import NOON, page_of

pytestmark = [pytest.mark.django_db, pytest.mark.long]
# Values that are new in every response, of any match.
_NEW = re.compile(r'name="(?:csrfmiddlewaretoken|_once)" value="[^"]*"|"(?:digest|hash|salt)":"[0-9a-f]+"')
_NAMES = re.compile(r"'[^']*'|\b\d+\b")


def paths_of(match, resolver=None, prefix=""):
    """Return every address below the match, from the URL configuration."""
    found = []
    for pattern in (resolver or get_resolver()).url_patterns:
        route = prefix + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            found += paths_of(match, pattern, route)
        elif isinstance(pattern, URLPattern) and "matches/<str:ident>" in route:
            route = route.replace("<str:ident>", str(match.number)).replace("<int:version>", str(match.version - 1))
            route = route.replace("<str:kind>", "svg").replace("<int:seat>", "1").replace("<int:number>", "1")
            found.append("/" + route)
    return [path for path in found if "<" not in path]


# Queries for addresses that show the past.
LATER = "2026-06-01T12:02:00%2B00:00"
ASKED = {
    "/view/": ("?version=7", f"?at={LATER}"),
    "/events/": ("?after=3",),
    "/as-of": (f"?moment={LATER}",),
    "/board.svg": ("?version=7", f"?at={LATER}"),
}


def answers(match, user, program):
    """Return everything a reader gets of a match, with the number of statements."""
    page, api, told = page_of(user), program(user), {}
    # Look-ups that happen once per session are made before.
    page.get("/games/")
    for path in [*paths_of(match), "/", "/lobby/", "/api/v1/matches/", "/api/v1/me/notices/", "/substitutes/"]:
        for query in ("", *next((more for end, more in ASKED.items() if path.endswith(end)), ())):
            with CaptureQueriesContext(connection) as queries:
                if path.startswith("/api/v1"):
                    answer = api.get(f"{path.removeprefix('/api/v1')}{query}")
                else:
                    answer = page.get(f"{path}{query}")
                body = b"".join(answer) if answer.streaming else answer.content
            if answer.status_code == 405:
                break
            shown = _NEW.sub("", body.decode())
            told[path + query] = (answer.status_code, _tags(answer), shown, len(queries))
    return told


def _tags(answer):
    return [answer.headers.get(name) for name in ("ETag", "Location", "Last-Modified")]


def lay_by(match, seat):
    row = Seat.objects.get(match=match, index=seat)
    condition = {"event": {"type": "drew", "data": {"seat": 0}}}
    standing_orders.lay_by(match=match, seat=row.index, user=row.user, condition=condition, commands=[{"name": "draw"}])


def set_orders(match, seat):
    act(match, seat, {"name": "set_orders", "text": "hush"})


HIDDEN = {
    "conditional orders": lambda match: [lay_by(match, 1) for _ in range(10)],
    "sealed acts": lambda match: [set_orders(match, 1) for _ in range(12)],
}


@pytest.mark.parametrize(("hidden", "anonymous"), [("conditional orders", True), ("sealed acts", False), ("sealed acts", True)])
def test_nothing_that_can_be_read_differs_by_what_is_hidden(toy, anna, player, ben, program, hidden, anonymous):
    olga, watcher = player("olga"), player("watcher")
    with time_machine.travel(NOON, tick=False) as clock:
        match = opening.create_match(by=olga, game=toy, take_seat=False, watch="all", anonymous=anonymous)
        match = opening.join_match(by=ben, match=opening.join_match(by=anna, match=match))
        for seat in (0, 1):
            act(match, seat)
        clock.shift(60)
        match.refresh_from_db()
        readers = (anna, watcher, olga)
        page_of(anna).get(f"/matches/{match.number}/")  # the first visit records what was seen
        before = {reader: answers(match, reader, program) for reader in readers}
        head = STORE.head(match.id).version
        HIDDEN[hidden](match)
        assert STORE.head(match.id).version > head or Premove.objects.exists()
        for reader in readers:
            after = answers(match, reader, program)
            for path, told in before[reader].items():
                assert after[path] == told, (reader.username, path)
            assert after.keys() == before[reader].keys()


def test_a_command_takes_the_same_way_whether_or_not_it_meets_a_condition(toy, anna, ben, program):
    """The same statements before the response, and the same response."""
    told = []
    for laid in (False, True):
        match = opening.join_match(by=ben, match=opening.create_match(by=anna, game=toy))
        if laid:
            HIDDEN["conditional orders"](match)
        client = program(anna)
        tag = client.get(f"/matches/{match.number}/view/")["ETag"]
        loading.forget_all()
        with CaptureQueriesContext(connection) as queries:
            answer = client.post(f"/matches/{match.number}/commands/", {"name": "draw"}, etag=tag)
        assert answer.status_code == 200, answer.content
        statements = [_NAMES.sub("", one["sql"])[:60] for one in queries]
        told.append((statements, answer.json()["version"], len(answer.content)))
        assert Question.objects.get(match=match).seat == 1, "what was laid by is given behind the answer"
    assert told[0] == told[1]


@pytest.mark.parametrize("path", ["proof/", "export/"])
def test_a_checkpoint_takes_the_same_way_whether_or_not_it_holds_a_sealed_act(toy, anna, ben, program, path):
    told = []
    for hides in (False, True):
        match = opening.join_match(by=ben, match=opening.create_match(by=anna, game=toy))
        act(match, 0)
        if hides:
            set_orders(match, 1)
        checkpoints.make()
        client = program(anna)
        with CaptureQueriesContext(connection) as queries:
            answer = client.get(f"/matches/{match.number}/{path}")
            _body = b"".join(answer) if answer.streaming else answer.content
        told.append((answer.status_code, [_NAMES.sub("", one["sql"])[:60] for one in queries]))
    assert told[0] == told[1]
