"""`manage.py simulate`: months of matches of many players, played in minutes on a virtual clock, and a report.

With `--chaos`, the real service is then killed part by part while players' programs use it.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from django.core.management.base import BaseCommand, CommandError, CommandParser

from gamesvc.embedded import environment
from gamesvc.embedded.postgres import OWNER, RUNTIME, Postgres
from gamesvc.embedded.processes import locked
from gamesvc.json_types import JsonObject
from gamesvc.ops.simulation.report import Report

if TYPE_CHECKING:  # it needs the database of the folder
    from gamesvc.ops.simulation.conductor import Chaos

# The part of the simulation a process is for, and its folder.
INSIDE, PART = "GAMESVC_SIMULATE_INSIDE", "GAMESVC_SIMULATE_PART"
START = datetime(2027, 1, 4, tzinfo=UTC)
OURS = (INSIDE, PART, "DATABASE_URL", "DATABASE_OWNER_URL", "REDIS_URL")


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The extent of a simulation, as its command line has it."""

    matches: int
    days: int
    players: int
    seed: str
    chaos: bool
    minutes: float
    """Real minutes, after which the matches end."""
    service_minutes: float
    clients: int
    workers: int

    def check(self) -> None:
        """Raise `CommandError` if a size is out of bounds."""
        if not 1 <= self.matches <= 100_000 or not 1 <= self.days <= 3660 or self.players < 4 or not 1 <= self.workers <= 16:
            raise CommandError("Give 1 to 100000 matches, 1 to 3660 days, 4 players or more and 1 to 16 workers.")
        if not 0 <= self.service_minutes <= 1440 or not 1 <= self.clients <= 256:
            raise CommandError("Give 0 to 1440 service minutes and 1 to 256 clients.")


class Command(BaseCommand):
    help = (
        "Play matches on a virtual clock through the real services, on separate servers. Report timeouts, waiting times "
        "and notices."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--matches", type=int, default=100)
        parser.add_argument("--days", type=int, default=60, help="Simulated days (default 60).")
        parser.add_argument("--players", type=int, help="Default: one for every eight matches, at least 12.")
        parser.add_argument("--seed", default="1", help="The same seed gives the same players, matches and mishaps; dice differ.")
        parser.add_argument(
            "--chaos",
            action="store_true",
            help="Kill workers, also between the mail server's 250 and the commit, flush the broker, stop and kill the database; "
            "then kill the parts of a running `up`.",
        )
        parser.add_argument(
            "--minutes", type=float, default=60.0, help="End and report after so many real minutes; or with Ctrl-C."
        )
        parser.add_argument(
            "--service-minutes", type=float, default=3.0, help="With --chaos: how long `up` is killed (default 3; 0: not)."
        )
        parser.add_argument("--clients", type=int, default=16, help="Players' programs that use it meanwhile (default 16).")
        parser.add_argument("--workers", type=int, default=2)
        parser.add_argument("--json", dest="as_json", action="store_true", help="Machine-readable output.")

    def handle(
        self,
        *,
        matches: int,
        days: int,
        players: int | None,
        seed: str,
        chaos: bool,
        minutes: float,
        service_minutes: float,
        clients: int,
        workers: int,
        as_json: bool,
        **_: object,
    ) -> None:
        plan = Plan(
            matches=matches,
            days=days,
            players=players or max(12, matches // 8),
            seed=seed,
            chaos=chaos,
            minutes=minutes,
            service_minutes=service_minutes,
            clients=clients,
            workers=workers,
        )
        plan.check()
        if INSIDE in os.environ:
            getattr(self, f"play_{os.environ[PART]}")(Path(os.environ[INSIDE]), plan)
            return
        report, ended = self.on_the_clock(chaos=plan.chaos)
        if plan.chaos and plan.service_minutes and not ended:
            report.add(self.on_the_service())
        self.stdout.write(json.dumps(report.as_json()) if as_json else report.as_text())
        if report.wrong:
            raise CommandError("The simulation found what must not be: " + "; ".join(report.wrong))

    # --- in the calling process ---

    def on_the_clock(self, *, chaos: bool) -> tuple[Report, bool]:
        """Run the matches on the virtual clock. Return the report, and True if Ctrl-C ended them."""
        with environment.throwaway("gamesvc-simulate-") as folder:
            settings = {}
            if not chaos:
                # The machine will not fail, and waiting for its disk is not part of the simulation.
                settings["PGOPTIONS"] = "-c synchronous_commit=off"
            told = self.inside(folder, "clock", settings, prepare=True)
        return Report.from_json(told["report"]), bool(told["ended"])

    def on_the_service(self) -> Report:
        """Run the service under kills. Return its report."""
        with environment.throwaway("gamesvc-service-", servers=False) as folder:
            server = Postgres(folder)
            settings = {"DATABASE_URL": server.url(RUNTIME), "DATABASE_OWNER_URL": server.url(OWNER)}
            return Report.from_json(self.inside(folder, "service", settings)["report"])

    def inside(self, folder: Path, part: str, settings: dict[str, str], *, prepare: bool = False) -> JsonObject:
        """Run this command again for one part of the simulation, in the environment of that folder. Return its result."""
        child = {"LOG_LEVEL": "ERROR", **os.environ, **settings, INSIDE: str(folder), PART: part}
        manage = [sys.executable, "manage.py"]
        # Ctrl-C is for the simulation itself, which ends and reports.
        before = signal.signal(signal.SIGINT, signal.SIG_IGN)
        try:
            if prepare:
                subprocess.run([*manage, "migrate", "--no-input", "-v", "0"], env=child, check=True)
            done = subprocess.run([*manage, *sys.argv[1:]], env=child, stdout=subprocess.PIPE, text=True, check=False)
        finally:
            signal.signal(signal.SIGINT, before)
        if done.returncode:
            raise CommandError("The simulation failed.")
        told: JsonObject = json.loads(done.stdout)
        return told

    # --- in the processes for the parts ---

    def play_clock(self, folder: Path, plan: Plan) -> None:
        from gamesvc.ops.simulation import conductor, judging  # here: they need the database of the folder

        simulation = conductor.make(
            folder,
            matches=plan.matches,
            days=plan.days,
            players=plan.players,
            seed=plan.seed,
            chaos=_chaos(folder, plan.matches, plan.days) if plan.chaos else conductor.Chaos(),
            start=START,
            workers=plan.workers,
            at_most=60 * plan.minutes,
            say=_say,
        )
        self.tell(simulation.end_here, lambda: judging.of(simulation, simulation.run()))

    def play_service(self, folder: Path, plan: Plan) -> None:
        from gamesvc.ops.simulation import live

        service = live.Live(
            folder,
            environment={name: value for name, value in os.environ.items() if name not in OURS},
            seed=plan.seed,
            players=plan.clients,
            seconds=60 * plan.service_minutes,
            say=_say,
        )
        self.tell(service.end_here, service.run)

    def tell(self, end: Callable[[], None], run: Callable[[], Report]) -> None:
        """Run a part, which Ctrl-C ends early, and hand its report to the calling process."""
        from gamesvc.ops.simulation import record

        interrupts: list[int] = []

        def interrupted(number: int, frame: object) -> None:
            interrupts.append(number)
            end()

        signal.signal(signal.SIGINT, interrupted)
        try:
            report = run()
        except record.Broken as broken:
            raise CommandError(str(broken)) from None
        self.stdout.write(json.dumps({"report": report.as_json(), "ended": bool(interrupts)}))


def _chaos(folder: Path, matches: int, days: int) -> Chaos:
    from gamesvc.ops.simulation.conductor import Chaos

    server = Postgres(folder)

    def again(end: Callable[[], None]) -> None:
        with locked(folder / "start.lock"):
            end()
            server.ensure()

    return Chaos(
        kills=max(1, matches // 5),
        hits=max(3, matches // 10),
        restarts=max(1, days // 30),
        restart=lambda: again(server.stop),
        crashes=max(1, days // 30),
        crash=lambda: again(server.kill),
        flushes=max(1, days // 7),
        outages=max(1, days // 90),
    )


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)  # noqa: T201 - progress
