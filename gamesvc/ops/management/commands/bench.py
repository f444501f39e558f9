"""`manage.py bench NAME`: measure figures, each beside a raw figure of the same run. Uses servers and data of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable

from django.core.management.base import BaseCommand, CommandError, CommandParser

from gamesvc.embedded import EmbeddedError, environment
from gamesvc.embedded.service import ServiceError
from gamesvc.ops.benches import Row

INSIDE = "GAMESVC_BENCH_INSIDE"


def _append(seconds: float) -> list[Row]:
    from gamesvc.ops.benches import append  # here: it needs the database that `inside` starts

    return append.append_rows(seconds)


def _submit(seconds: float) -> list[Row]:
    from gamesvc.ops.benches import submit

    return submit.rows(seconds)


def _live(seconds: float) -> list[Row]:
    from gamesvc.ops.benches import live

    return live.rows(seconds)


def _replay(seconds: float) -> list[Row]:
    from gamesvc.ops.benches import replay

    return replay.rows(seconds)


def _verify(seconds: float) -> list[Row]:
    from gamesvc.ops.benches import verify

    return verify.rows(seconds)


def _mail(seconds: float) -> list[Row]:
    from gamesvc.ops.benches.by_mail import rates  # here: it needs the database that `inside` starts

    return rates.rows(seconds)


def _mail_match(seconds: float) -> list[Row]:
    from gamesvc.ops.benches.by_mail import matches

    return matches.rows(seconds)


def _mail_hostile(seconds: float) -> list[Row]:
    from gamesvc.ops.benches.by_mail import hostile

    return hostile.rows(seconds)


def _load(seconds: float) -> list[Row]:
    from gamesvc.ops.benches import load

    return load.rows(seconds)


def _length(seconds: float) -> list[Row]:
    from gamesvc.ops.benches import length

    return length.rows(seconds)


def _pages(seconds: float) -> list[Row]:
    from gamesvc.ops.benches import pages

    return pages.rows(seconds)


def _sweep(seconds: float) -> list[Row]:
    from gamesvc.ops.benches import sweep

    return sweep.rows(seconds)


def _feed(seconds: float) -> list[Row]:
    from gamesvc.ops.benches import feed  # here: it needs the database that `inside` starts

    return feed.rows(seconds)


# By name: the measuring function, and True if it works on a database inside this process.
BENCHES: dict[str, tuple[Callable[[float], list[Row]], bool]] = {
    "append": (_append, True),
    "feed": (_feed, True),
    "submit": (_submit, False),
    "live": (_live, False),
    "sweep": (_sweep, True),
    "replay": (_replay, False),
    "verify": (_verify, False),
    "load": (_load, True),
    "length": (_length, True),
    "pages": (_pages, True),
    "mail": (_mail, True),
    "mail_hostile": (_mail_hostile, True),
    "mail_match": (_mail_match, True),
}


class Command(BaseCommand):
    help = "Run a benchmark and print each figure beside the raw one of the same run."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", choices=sorted(BENCHES))
        parser.add_argument("--seconds", type=float, default=4.0, help="For each figure.")
        parser.add_argument("--json", dest="as_json", action="store_true", help="Machine-readable output.")

    def handle(self, *, name: str, seconds: float, as_json: bool, **_: object) -> None:
        measure, needs_database = BENCHES[name]
        try:
            if needs_database and INSIDE not in os.environ:
                self.inside(name, seconds, as_json=as_json)
                return
            found = measure(seconds)
        except (EmbeddedError, ServiceError) as error:
            raise CommandError(str(error)) from None
        if as_json:
            self.stdout.write(json.dumps({"bench": name, "rows": found}))
            return
        for line in found:
            more = ", ".join(f"{key} {value}" for key, value in line.items() if key not in ("name", "value", "unit"))
            self.stdout.write(f"{line['name']:28} {line['value']:>12,.1f} {line['unit']:10} {more}")

    def inside(self, name: str, seconds: float, *, as_json: bool) -> None:
        """Run the same command again with a fresh, migrated database."""
        with environment.throwaway("gamesvc-bench-"):
            manage = [sys.executable, "manage.py"]
            child = {**os.environ, INSIDE: "1"}
            subprocess.run([*manage, "migrate", "--no-input", "-v", "0"], env=child, check=True)
            again = [*manage, "bench", name, "--seconds", str(seconds)]
            done = subprocess.run([*again, *(["--json"] if as_json else [])], env=child, check=False)
            if done.returncode:
                raise CommandError(f"bench {name} failed.")
