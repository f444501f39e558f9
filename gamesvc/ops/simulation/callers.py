"""Players' programs that play matches through the HTTP API, whatever happens to the service meanwhile.

A request without an answer, or with one saying that the service is away, is sent again with its key until it gets one.
"""

from __future__ import annotations

import http.client
import random
import threading
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from threading import Event

from gamesvc.errors import GamesvcError
from gamesvc.games import catalog
from gamesvc.games.kernel.game import RANDOM
from gamesvc.json_types import JsonMapping, JsonObject
from gamesvc.ops.client import Answer, Client, read_form

API = "/api/v1/matches"
TWO_SEATS = ("stratastar", "space_war", "star_commander")
SOLO = "space_fleet_commander"
AGAIN_SECONDS = 0.2
# Seconds a player looks at the board before acting.
THINKING = (0.1, 1.0)
HOURS = 100


@dataclass
class Sent:
    """One command with its key, and the status of its answer; None if there was none."""

    user_id: int
    match: str
    key: str
    status: int | None = None


@dataclass
class Ledger:
    """The commands that the players sent, and their answers."""

    commands: list[Sent] = field(default_factory=list)
    statuses: Counter[str] = field(default_factory=Counter)
    repeated: int = 0
    opened: int = 0
    failures: list[str] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def note(self, what: str, *, again: bool) -> None:
        with self.lock:
            self.statuses[what] += 1
            self.repeated += again


@dataclass
class Table:
    """The match of one or two players; after it comes the next."""

    game: str
    seats: int
    match: str = ""


def tables(players: int) -> Iterator[tuple[Table, int]]:
    """Yield the table and seat of each player: each game in turn, two players to a table. In the solo game each has their own."""
    pairs = 0
    while players > 0:
        game = (*TWO_SEATS, SOLO)[pairs % (len(TWO_SEATS) + 1)] if players > 1 else SOLO
        table = Table(game, 1 if game == SOLO else 2)
        yield table, 0
        if players > 1:
            yield (Table(game, 1), 0) if game == SOLO else (table, 1)
        players, pairs = players - 2, pairs + 1


class GaveUp(GamesvcError):
    """The service is gone for good, or the play is over."""


class Caller(threading.Thread):
    """One player's program. `enough`: begin nothing more; `gone`: there will be no more answers."""

    def __init__(
        self, url: str, player: JsonObject, seat: tuple[Table, int], seed: str, ledger: Ledger, events: tuple[Event, Event]
    ) -> None:
        super().__init__(name=player["user"], daemon=True)
        self._client, self._user_id = Client(url, player["token"]), int(player["id"])
        self._table, self._seat = seat
        self._rng = random.Random(f"{seed} {player['user']}")
        # No key of this program is ever that of another run of it.
        self._sitting = seed
        self._ledger = ledger
        self._enough, self._gone = events
        self._keys = 0

    def run(self) -> None:
        try:
            while not self._enough.is_set():
                self._sit_down()
        except GaveUp:
            pass
        except Exception as fault:
            # A program that stops silently would look like one that found nothing wrong.
            self._ledger.failures.append(f"{self.name}: {type(fault).__name__}: {fault}")
            raise

    def _sit_down(self) -> None:
        """Play one match to its end."""
        if self._seat == 0:
            self._table.match = self._open()
        match = self._table.match
        joined = self._seat == 0
        while not self._enough.wait(self._rng.uniform(*THINKING)):
            if match != self._table.match:
                return
            if match and not joined:
                joined = self._insist("POST", f"{API}/{match}/join/", {}, key=f"{self._sitting} join {match}").status < 400
            if joined and self._is_over(match):
                if self._seat == 0:
                    return
                # The other player opens the next match.
                match, joined = self._wait_for_next(match), False

    def _wait_for_next(self, before: str) -> str:
        while self._table.match == before:
            if self._enough.wait(AGAIN_SECONDS):
                raise GaveUp
        return self._table.match

    def _open(self) -> str:
        self._keys += 1
        body = {"game": self._table.game, "hours": HOURS, "seats": self._table.seats}
        answer = self._insist("POST", f"{API}/", body, key=f"{self._sitting} open {self._keys}")
        if answer.status != 201:
            raise ValueError(f"{self._table.game} could not be opened: {answer.raw[:300]!r}")
        with self._ledger.lock:
            self._ledger.opened += 1
        return str(answer.body["id"])

    def _is_over(self, match: str) -> bool:
        """Act for the seat if it is awaited. Return True if the match is over."""
        view = self._insist("GET", f"{API}/{match}/view/").body
        if view["status"] == "running" and any(asked["seat"] == self._seat for asked in view["awaited"]):
            forms = self._insist("GET", f"{API}/{match}/forms/?narrow=true")
            if forms.status == 200 and forms.body["forms"]:
                self._act(match, view["view"], forms)
        return bool(view["status"] not in ("open", "running"))

    def _act(self, match: str, view: JsonMapping, forms: Answer) -> None:
        bot = catalog.game(self._table.game).bots[RANDOM]
        command = bot(view, [read_form(form) for form in forms.body["forms"]], self._rng)
        self._keys += 1
        sent = Sent(self._user_id, match, f"{self._sitting} {self._keys}")
        with self._ledger.lock:
            self._ledger.commands.append(sent)
        path = f"{API}/{match}/commands/"
        sent.status = self._insist("POST", path, command, key=sent.key, If_Match=forms.headers["ETag"]).status

    def _insist(self, method: str, path: str, body: object = None, *, key: str = "", **headers: str) -> Answer:
        """Send a request until it is answered by something other than an unavailable service."""
        if key:
            headers["Idempotency_Key"] = key
        while not self._gone.is_set():
            try:
                answer = self._client.call(method, path, body, **headers)
            except (OSError, http.client.HTTPException):
                self._ledger.note("none", again=True)
            else:
                away = answer.status >= 500
                self._ledger.note(str(answer.status), again=away)
                if not away:
                    return answer
            self._gone.wait(AGAIN_SECONDS)
        raise GaveUp
