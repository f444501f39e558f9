"""The real service under kills: `up` with players' programs that keep playing, in real time; and its report.

It ends with Ctrl-C while players act and a request is half sent.
"""

from __future__ import annotations

import io
import json
import socket
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from uuid import UUID

from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import DatabaseError, InterfaceError, connection
from django.utils import timezone

from accounts.models import User
from gamesvc.embedded import use
from gamesvc.embedded.ports import free_port
from gamesvc.json_types import JsonObject
from gamesvc.matches.models import Match
from gamesvc.matches.play import turns
from gamesvc.matches.record import stream
from gamesvc.matches.record.stream import STORE
from gamesvc.ops.simulation.callers import Caller, Ledger, tables
from gamesvc.ops.simulation.log import Log
from gamesvc.ops.simulation.mails import Mails
from gamesvc.ops.simulation.record import Broken
from gamesvc.ops.simulation.report import Report
from gamesvc.ops.simulation.sink import Taken
from gamesvc.ops.simulation.strikes import MARKS, SENDING, Striker, Up, left
from gamesvc.ops.sink import MailSink
from notifications.models import Outbox, Status

SECTION, MAILS = "The service under kills", "Mails of the service"
STOP_SECONDS = 10.0
# Everything due is done within this time after the last kill: pauses after failures, leases, restarts.
QUIET_SECONDS = 300.0
LOOK_SECONDS = 0.5
# Time from the mail server's 250 to the commit, on a busy machine.
DYING_SECONDS = 10.0
HALF = b"POST /api/v1/matches/ HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n{"


@dataclass
class Live:
    """One run of the service in an empty folder. `environment` is passed to `up`.

    `stopped_in`: the seconds that Ctrl-C took; `left_behind`: the processes it left; `missing`: killed processes that did not
    come back; `stopped`: the reason for an early end.
    """

    folder: Path
    environment: dict[str, str]
    seed: str
    players: int
    seconds: float
    say: Callable[[str], None] = lambda text: None
    ledger: Ledger = field(default_factory=Ledger)
    stopped_in: float = 0.0
    left_behind: dict[int, str] = field(default_factory=dict)
    missing: list[str] = field(default_factory=list)
    stopped: str = ""

    def __post_init__(self) -> None:
        self.ended = threading.Event()
        self.enough, self.gone = threading.Event(), threading.Event()
        self.callers: list[Caller] = []
        self.quiet_at = timezone.now()

    def end_here(self) -> None:
        """Kill nothing more."""
        self.ended.set()

    def run(self) -> Report:
        """Run the service and return the report."""
        with MailSink(self.folder / "mails") as sink:
            mail = {"EMAIL_HOST": "127.0.0.1", "EMAIL_PORT": str(sink.port)}
            up = Up(self.folder, free_port(), {**self.environment, **mail})
            striker = Striker(up, sink, self.seed)
            try:
                players = [self._player(number) for number in range(1, self.players + 1)]
                self._play(up, players, "under kills")
                self._strike(striker)
                self._finish()
                self._wait_until_quiet(up)
                self._play(up, players, "at the end")
                self._interrupt(up)
            except Broken as broken:
                self.stopped = str(broken)
            finally:
                self.gone.set()
                up.end()
        connection.close()
        with use(self.folder):
            try:
                return self._judge(up, striker, sink)
            finally:
                connection.close()

    # --- the course ---

    def _player(self, number: int) -> JsonObject:
        name, out = f"player{number}", io.StringIO()
        call_command("player", name, f"{name}@players.example", "--json", stdout=out)
        return {**json.loads(out.getvalue()), "id": User.objects.get(username=name).pk}

    def _play(self, up: Up, players: list[JsonObject], sitting: str) -> None:
        """Start all players. Their earlier commands stay in the ledger."""
        self.enough, self.gone = threading.Event(), threading.Event()
        seed = f"{self.seed} {sitting}"
        self.callers = [
            Caller(up.url, player, seat, seed, self.ledger, (self.enough, self.gone))
            for player, seat in zip(players, tables(len(players)), strict=True)
        ]
        for caller in self.callers:
            caller.start()

    def _strike(self, striker: Striker) -> None:
        """Kill one part after the other, at least one."""
        until = time.monotonic() + self.seconds
        for kind in striker.order():
            if self.ended.wait(min(striker.pause(), max(0.0, until - time.monotonic()))):
                return
            if striker.done and time.monotonic() >= until:
                return
            self.say(f"Kill number {len(striker.done) + 1}: {kind}; {len(self.ledger.commands)} commands so far.")
            striker.strike(kind)

    def _finish(self) -> None:
        """Wait until the players see that the service works again and have all answers, then stop them."""
        self._see_answers(self.players)
        self.enough.set()
        until = time.monotonic() + QUIET_SECONDS
        for caller in self.callers:
            caller.join(max(0.0, until - time.monotonic()))
        if waiting := [caller.name for caller in self.callers if caller.is_alive()]:
            raise Broken(f"{', '.join(waiting)} got no answer in {QUIET_SECONDS:.0f} s after the last kill.")

    def _wait_until_quiet(self, up: Up) -> None:
        """Wait until all processes are back and no notice is due. The report names the rest."""
        until = time.monotonic() + QUIET_SECONDS
        while (self._is_missing(up) or self._waiting()) and time.monotonic() < until:
            time.sleep(LOOK_SECONDS)
        self.quiet_at = timezone.now()

    def _is_missing(self, up: Up) -> bool:
        servers = {"postgres": up.postgres(), "valkey": up.valkey()}
        roles = {role: up.leader(role) for role in MARKS}
        self.missing = [name for name, process in {**servers, **roles}.items() if process is None]
        return bool(self.missing)

    def _waiting(self) -> bool:
        try:
            return Outbox.objects.filter(status=Status.QUEUED, due_at__lte=timezone.now()).exists()
        except (DatabaseError, InterfaceError):
            connection.close()
            return True

    def _see_answers(self, more: int) -> None:
        """Wait until this many more commands have been answered with success."""
        before, until = len(self._answered(200, 300)), time.monotonic() + QUIET_SECONDS
        while (seen := len(self._answered(200, 300)) - before) < more:
            if time.monotonic() > until:
                raise Broken(f"Only {seen} commands were answered in {QUIET_SECONDS:.0f} s without a kill.")
            time.sleep(LOOK_SECONDS)

    def _interrupt(self, up: Up) -> None:
        """Press Ctrl-C while the players act, with a request half sent."""
        self._see_answers(self.players)
        with socket.create_connection(("127.0.0.1", up.port)) as half:
            half.sendall(HALF)
            self.stopped_in = up.interrupt()
        self.left_behind = left(self.folder)
        self.gone.set()
        for caller in self.callers:
            caller.join()

    # --- the report ---

    def _judge(self, up: Up, striker: Striker, sink: MailSink) -> Report:
        report, ledger, log = Report(), self.ledger, Log.read()
        report.sections[SECTION] = {
            "seconds of kills": round(self.seconds),
            "players' programs": self.players,
            "matches opened": ledger.opened,
            "events": log.events,
            "commands answered with success": len(self._answered(200, 300)),
            "commands refused": len(self._answered(300, 500)),
            "commands without an answer at the end": sum(sent.status is None for sent in ledger.commands),
            "answers to all requests": ledger.statuses,
            "requests sent again": ledger.repeated,
            "kills": Counter(strike.kind for strike in striker.done),
            "kills in all": len(striker.done),
            "starts of `up`": up.starts,
            "starts of it that failed, and were tried again": up.refused,
            "seconds from Ctrl-C to the end of all, with a half-sent request": round(self.stopped_in, 1),
        }
        if self.stopped:
            report.wrong.append(f"{SECTION.lower()}: it could not go on: {self.stopped}")
        self._judge_commands(report)
        report.must_be_none(SECTION, "players' programs that failed", ledger.failures)
        report.must_be_none(SECTION, "findings of the audit", _audit())
        report.must_be_none(SECTION, "answers 500", ["500"] * ledger.statuses["500"])
        report.must_be_none(SECTION, "processes that did not come back", self.missing)
        report.must_be_none(SECTION, "processes left behind", list(self.left_behind.values()))
        if self.stopped_in > STOP_SECONDS:
            report.wrong.append(f"Ctrl-C took {self.stopped_in:.1f} s, more than {STOP_SECONDS:.0f}")
        self._judge_mails(report, striker, sink, log)
        return report

    def _answered(self, low: int, high: int) -> list[UUID]:
        """Return the ids of the commands answered with a status in this range."""
        return [
            turns.command_id(sender=f"user {sent.user_id} {sent.match}", key=sent.key)
            for sent in self.ledger.commands
            if sent.status is not None and low <= sent.status < high
        ]

    def _judge_commands(self, report: Report) -> None:
        stored = Counter(_stored())
        good, refused = self._answered(200, 300), self._answered(300, 500)
        known = {turns.command_id(sender=f"user {sent.user_id} {sent.match}", key=sent.key) for sent in self.ledger.commands}
        report.must_be_none(SECTION, "answered with success and not in the log", [each for each in good if not stored[each]])
        report.must_be_none(SECTION, "in the log twice", [each for each, times in stored.items() if times > 1])
        report.must_be_none(SECTION, "refused and in the log", [each for each in refused if stored[each]])
        report.must_be_none(SECTION, "in the log and sent by nobody", sorted(stored.keys() - known))

    def _judge_mails(self, report: Report, striker: Striker, sink: MailSink, log: Log) -> None:
        mails = Mails(
            Taken(
                str(caught.message["Message-ID"]).strip(),
                caught.sender,
                250,
                datetime.fromtimestamp(caught.clock, UTC),
                caught.clock,
            )
            for caught in sink.messages
        )
        strikes = [strike.clock for strike in striker.done if strike.kind in SENDING]

        def died(copy: Taken) -> bool:
            """Return True if a kill kept the sender of this mail from settling its row."""
            return any(-2 < clock - copy.clock < DYING_SECONDS for clock in strikes)

        mails.tell(report, MAILS, self.quiet_at)
        mails.judge(report, MAILS, self.quiet_at, died, log)


def _stored() -> list[UUID]:
    """Return the ids of all commands in the log that came through the API."""
    found = []
    for match_id in Match.objects.values_list("pk", flat=True):
        for act in stream.acts(STORE.read(match_id)):
            if act[0].meta["channel"] == "api" and "command" in act[0].meta:
                found.append(UUID(str(act[0].meta["command_id"])))
    return found


def _audit() -> list[str]:
    out = io.StringIO()
    try:
        call_command("audit", "--json", stdout=out)
    except CommandError as error:
        return [str(finding) for finding in json.loads(out.getvalue())["findings"]] or [str(error)]
    return []
