"""`manage.py simulate`: matches of many people over a long time, played in minutes on a virtual clock, and what came of it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from gamesvc.embedded import EmbeddedError, environment

INSIDE = "GAMESVC_SIMULATE_INSIDE"
START = datetime(2027, 1, 4, tzinfo=UTC)


class Command(BaseCommand):
    help = "Play matches on a virtual clock through the real services, on servers of its own; report time-outs, waiting, notices."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--matches", type=int, default=100)
        parser.add_argument("--days", type=int, default=60, help="Simulated days (default 60).")
        parser.add_argument("--players", type=int, help="Default: one for every eight matches, at least 12.")
        parser.add_argument("--seed", default="1", help="The same seed: the same people, matches and mishaps; dice differ.")
        parser.add_argument("--chaos", action="store_true", help="Kill workers, flush the broker, restart the database.")
        parser.add_argument(
            "--minutes", type=float, default=60.0, help="End and report after so many real minutes; or with Ctrl-C."
        )
        parser.add_argument("--workers", type=int, default=2)
        parser.add_argument("--json", action="store_true", help="Machine-readable output.")

    def handle(self, *args: Any, **options: Any) -> None:
        matches, days = options["matches"], options["days"]
        players = options["players"] or max(12, matches // 8)
        if not 1 <= matches <= 100_000 or not 1 <= days <= 3660 or players < 4 or not 1 <= options["workers"] <= 16:
            raise CommandError("Give 1 to 100000 matches, 1 to 3660 days, 4 players or more and 1 to 16 workers.")
        if INSIDE not in os.environ:
            self.inside(options)
            return
        self.simulate(matches, days, players, options)

    def simulate(self, matches: int, days: int, players: int, options: dict[str, Any]) -> None:
        from gamesvc.matches.simulation import conductor, record, report  # here: they need the database that `inside` starts

        folder = Path(os.environ[INSIDE])
        chaos = conductor.Chaos()
        if options["chaos"]:
            chaos = conductor.Chaos(
                kills=max(1, matches // 5),
                restart=lambda: _restart(folder),
                restarts=max(1, days // 30),
                flushes=max(1, days // 7),
                outages=max(1, days // 90),
            )
        simulation = conductor.make(
            folder,
            matches=matches,
            days=days,
            players=players,
            seed=options["seed"],
            chaos=chaos,
            start=START,
            workers=options["workers"],
            at_most=60 * options["minutes"],
            say=lambda text: print(text, file=sys.stderr, flush=True),  # noqa: T201 - progress
        )
        signal.signal(signal.SIGINT, lambda *_: simulation.end_here())
        try:
            recorded = simulation.run()
        except record.Broken as broken:
            raise CommandError(str(broken)) from None
        found = report.of(simulation, recorded)
        self.stdout.write(json.dumps(found.as_json()) if options["json"] else found.as_text())
        if found.wrong:
            raise CommandError("The simulation found what must not be: " + "; ".join(found.wrong))

    def inside(self, options: dict[str, Any]) -> None:
        """Run the same command again with a fresh, migrated database and a broker of its own."""
        # Ctrl-C is for the simulation itself, which ends and reports.
        before = signal.signal(signal.SIGINT, signal.SIG_IGN)
        try:
            with environment.throwaway("gamesvc-simulate-") as folder:
                child = {"LOG_LEVEL": "ERROR", **os.environ, INSIDE: str(folder)}
                # The machine will not fail, and waiting for its disk is no part of what is simulated.
                child["PGOPTIONS"] = "-c synchronous_commit=off"
                manage = [sys.executable, "manage.py"]
                subprocess.run([*manage, "migrate", "--no-input", "-v", "0"], env=child, check=True)
                done = subprocess.run([*manage, *sys.argv[1:]], env=child, check=False)
                if done.returncode:
                    raise CommandError("The simulation failed.")
        except EmbeddedError as error:
            raise CommandError(str(error)) from None
        finally:
            signal.signal(signal.SIGINT, before)


def _restart(folder: Path) -> None:
    from gamesvc.embedded.postgres import Postgres
    from gamesvc.embedded.processes import locked

    server = Postgres(folder)
    with locked(folder / "start.lock"):
        server.stop()
        server.ensure()
