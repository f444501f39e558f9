"""`bench pages`: the cost of pages, API lists, mails and proofs in a full database, and late in a match.

`site_`: `raw` with a few pages of rows in each list; `value` with a million finished matches, 10,000 open and as many to watch,
100,000 players with ratings, and 200 running matches of the reader; `empty` is the ratio to the same page without any match.
`matches_`: `raw` with a full page of matches, `value` with 10,000 more. `length_`: on matches of 200 and 10,000 events.

`ratio` compares the fastest of each, so that other processes on the machine matter little, and each by a page that is the same
in every database, since minutes lie between both and the machine may have become slower. `cpu_ratio` does so with the processor
time of this process alone. `queries` and `raw_queries` count the database queries. Nothing is remembered between requests.
"""

from __future__ import annotations

import statistics
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field

from django.conf import settings
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts import tokens
from accounts.addresses import add_verified_address
from accounts.models import User
from events.proofs import checkpoints
from gamesvc import paging
from gamesvc.matches.lobby import opening, substitutes
from gamesvc.matches.mail_orders import receipts, replies
from gamesvc.matches.models import HeldOrders, Match
from gamesvc.matches.record import loading
from gamesvc.matches.record.append import Actor
from gamesvc.ops.benches import Row, crowd, owner, row
from gamesvc.ops.benches.load import Table, milliseconds
from gamesvc.ops.benches.sweep import Template, fill, template_of
from gamesvc.ops.match_limits import lift_match_limits
from notifications.models import Outbox, Status

# As many matches as a page of each list holds, and how many are added later.
FEW, MORE = paging.FREE_SEATS, 10_000
# As many events as fill a page of the clock, of events and of history. A younger match has less to show and costs less.
SHORT, LONG = 200, 10_000
LEAST = 5
YARDSTICK = "/api/docs/reference/me/"
HISTORY = 40

Act = Callable[[], object]


@dataclass
class Timed:
    """Durations of an act, and its number of database queries."""

    yardstick: Timed | None
    """The page that is the same in every database, measured in turn with this act. None of itself."""
    queries: int = 0
    times: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)

    @property
    def time(self) -> float:
        """The least time, as a multiple of the yardstick's."""
        return min(self.times) / (min(self.yardstick.times) if self.yardstick is not None else 1)

    @property
    def cpu_time(self) -> float:
        """The least processor time, as a multiple of the yardstick's."""
        return min(self.cpu) / (min(self.yardstick.cpu) if self.yardstick is not None else 1)

    def take(self, act: Act, before: Act = lambda: None) -> None:
        before()
        loading.forget_all()
        if not self.times:
            with CaptureQueriesContext(connection) as captured:
                act()
            self.queries = len(captured)
            before()
            loading.forget_all()
        began = time.process_time()
        self.times.append(milliseconds(act))
        self.cpu.append(time.process_time() - began)


def rows(seconds: float) -> list[Row]:
    lift_match_limits()
    settings.ALLOWED_HOSTS = ["*"]
    # Pages name their static files by the hashes of their contents.
    call_command("collectstatic", interactive=False, verbosity=0)
    table = Table()
    for player in table.players:
        add_verified_address(player, player.email)
    return [*_by_crowd(seconds), *_by_matches(table, seconds), *_by_length(table, seconds)]


def _by_crowd(seconds: float) -> list[Row]:
    """Measure the lists on an empty site, with a few pages of rows, and on a full site. `raw` is the second."""
    site = crowd.Crowd()
    get = _reader(site.reader)
    addresses = dict.fromkeys((name for name, _path in site.paths()), "")

    def measure() -> dict[str, Timed]:
        addresses.update(site.paths())
        return _measure({name: (lambda path=path: get(path), _nothing) for name, path in addresses.items()}, seconds)  # type: ignore[misc]

    empty = measure()
    site.page()
    page = measure()
    site.full()
    full = measure()
    return [_row(f"site_{name}", full[name], page[name]) | {"empty": _shares(full[name], empty[name])} for name in addresses]


def _shares(ours: Timed, empty: Timed) -> float:
    return round(ours.time / empty.time, 3)


def _by_matches(table: Table, seconds: float) -> list[Row]:
    """Measure with few and with many matches. The reader's own ten matches stay; ten thousand of other users are added."""
    own = [table.match() for _ in range(10)]
    templates = [_running(), _open(), _free()]
    fill(templates, FEW * len(templates))
    Outbox.objects.update(status=Status.SENT)
    named = _of_lists(table, own[0]) | _of_match(table, own[1])
    few = _measure(named, seconds)
    fill(templates, MORE)
    checkpoints.make()
    _more_notices()
    many = _measure(named, seconds)
    return [_row(f"matches_{name}", many[name], few[name]) for name in named]


def _by_length(table: Table, seconds: float) -> list[Row]:
    short, long = table.match(), table.match()
    table.play_to(short, SHORT)
    table.play_to(long, LONG)
    checkpoints.make()
    few, many = _of_match(table, short), _of_match(table, long)
    both = {f"{name} {length}": act for name in few for length, act in (("short", few[name]), ("long", many[name]))}
    found = _measure(both, seconds)
    return [_row(f"length_{name}", found[f"{name} long"], found[f"{name} short"]) for name in few]


def _measure(named: dict[str, tuple[Act, Act]], seconds: float) -> dict[str, Timed]:
    """Measure all acts and the yardstick in turn, so that a change in the machine's speed affects all."""
    yardstick = Timed(None)
    found = {name: Timed(yardstick) for name in named}
    client = Client()

    def take_yardstick() -> None:
        client.get(YARDSTICK)

    for act, before in ((take_yardstick, _nothing), *named.values()):
        before()
        act()
    until = time.perf_counter() + seconds
    while len(next(reversed(found.values())).times) < LEAST or time.perf_counter() < until:
        yardstick.take(take_yardstick)
        for name, (act, before) in named.items():
            found[name].take(act, before)
    return found


def _row(name: str, ours: Timed, raw: Timed) -> Row:
    return row(
        name,
        statistics.median(ours.times),
        "ms",
        statistics.median(raw.times),
        ratio=round(ours.time / raw.time, 3),
        cpu_ratio=round(ours.cpu_time / raw.cpu_time, 3),
        queries=ours.queries,
        raw_queries=raw.queries,
    )


# --- acts to measure, each with its preparation ---


def _of_lists(table: Table, match: Match) -> dict[str, tuple[Act, Act]]:
    get = _reader(table.players[0])
    paths = {
        "dashboard": "/",
        "lobby": "/lobby/",
        "substitutes": "/substitutes/",
        "api_own": "/api/v1/matches/",
        "api_open": "/api/v1/matches/?mine=false",
        "api_substitutes": "/api/v1/substitutes/",
        "api_notices": "/api/v1/me/notices/",
        "api_checkpoints": "/api/v1/checkpoints/",
    }
    found: dict[str, tuple[Act, Act]] = {name: (lambda path=path: get(path), _nothing) for name, path in paths.items()}  # type: ignore[misc]
    return found | {"checkpoint": (checkpoints.make, lambda: table.turn(match))}


def _of_match(table: Table, match: Match) -> dict[str, tuple[Act, Act]]:
    get = _reader(table.players[0])
    paths = {"page": "", "clock": "clock"}
    api = {"api_match": "", "api_view": "view/", "api_clock": "clock/"}
    found: dict[str, tuple[Act, Act]] = {
        name: (lambda path=path: get(path), _nothing)  # type: ignore[misc]
        for name, path in (
            *((name, f"/matches/{match.number}/{path}") for name, path in paths.items()),
            *((name, f"/api/v1/matches/{match.number}/{path}") for name, path in api.items()),
        )
    }
    held = _answered(table, match)
    notice = Outbox(kind="receipt", user=table.players[0], payload={"match": str(match.id), "seat": 0, "held": str(held.id)})
    return found | {
        "history_by_mail": (lambda: replies.history(loading.load(match.id, match.game), 0, ("anna", "ben"), HISTORY), _nothing),
        "receipt": (lambda: receipts.receipt(notice), _nothing),
        "proof": (lambda: checkpoints.prove(match.id, checkpoints.heads_of(match.id, most=1)[0][0]), checkpoints.forget_trees),
    }


def _nothing() -> None:
    """Prepare nothing."""


def _reader(user: User) -> Callable[[str], None]:
    """Return a function that sends requests of a signed-in user."""
    client = Client()
    client.force_login(user)
    _token, key = tokens.create_token(user=user, name="bench", scopes=["read"])

    def get(path: str) -> None:
        answer = client.get(path, headers={"Authorization": f"Bearer {key}"} if path.startswith("/api/") else None)
        if answer.status_code != 200:
            raise AssertionError(f"{path} answers {answer.status_code}")

    return get


def _answered(table: Table, match: Match) -> HeldOrders:
    """Store orders that came by mail and were carried out, for a receipt."""
    line = {"number": 1, "text": "end turn", "understood": "end turn", "state": "done", "detail": ""}
    return HeldOrders.objects.create(
        match=match, seat=0, user=table.players[0], question="", mail=uuid.uuid4(), first=1, lines=[], version=1, kept_at=1,
        counts_at=timezone.now(), state=HeldOrders.State.DONE, until=HeldOrders.Until.WINDOW,
        report={"problem": "", "lines": [line], "sections": []},
    )  # fmt: skip


# --- filling the database ---


def _running() -> Template:
    return template_of(Table().match())


def _open() -> Template:
    return template_of(opening.create_match(by=Table().players[0], game="stratastar"))


def _free() -> Template:
    """Return a match with a seat that waits for a substitute."""
    match = Table().match()
    substitutes.vacate(match=match, seat=0, actor=Actor("seat", 0))
    return template_of(match)


def _more_notices() -> None:
    """Add notices of other users, whose mails were sent."""
    user = Table().players[0]
    rows = (Outbox(kind="your_turn", user=user, topic=str(uuid.uuid4()), status=Status.SENT) for _ in range(MORE))
    Outbox.objects.bulk_create(rows, batch_size=1000)
    owner.analyze()
