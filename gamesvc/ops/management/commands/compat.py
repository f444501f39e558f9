"""`manage.py compat`: the release check. Replays recorded matches with the present code and fails if they differ."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from gamesvc.games.kernel.wording import counted
from gamesvc.matches.models import Match
from gamesvc.ops import compat
from gamesvc.ops.compat import Checked

STEP = 100


class Command(BaseCommand):
    help = (
        "Replay recorded matches under today's code and name the first event where they differ. Takes exports and "
        "playthroughs; by default those in the code base, with --all the whole database."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("files", nargs="*", type=Path, metavar="FILE")
        parser.add_argument("--all", dest="all_matches", action="store_true", help="Every match of the database.")
        parser.add_argument("--json", dest="as_json", action="store_true", help="Machine-readable output.")

    def handle(self, *, files: list[Path], all_matches: bool, as_json: bool, **_: object) -> None:
        checked: list[Checked] = []
        for one in self.matches(files, all_matches=all_matches):
            checked.append(one)
            if len(checked) % STEP == 0 and sys.stderr.isatty():
                self.stderr.write(f"{len(checked)} matches", ending="\r")
        parted = [one for one in checked if not one.ok]
        skipped = [one for one in checked if one.skipped]
        events, decided = sum(one.events for one in checked), sum(one.decided for one in checked)
        if as_json:
            told = {
                "ok": not parted,
                "matches": len(checked),
                "events": events,
                "decided": decided,
                "parted": [one.as_json() for one in parted],
                "skipped": [{"name": one.name, "reason": one.skipped} for one in skipped],
            }
            self.stdout.write(json.dumps(told))
        else:
            for one in skipped:
                self.stdout.write(f"{one.name}: not checked. {one.skipped}")
            for one in parted:
                where = f"version {one.version}: " if one.version is not None else ""
                self.stdout.write(f"{one.name}: {where}{one.reason}")
            self.stdout.write(
                f"{counted(len(checked), 'match', 'matches')}, {counted(events, 'event')} folded, {decided} "
                f"decided again: {len(parted)} differ."
            )
        if parted:
            raise CommandError(
                f"{len(parted)} of {counted(len(checked), 'recorded match', 'recorded matches')} differ from today's code."
            )

    def matches(self, files: list[Path], *, all_matches: bool) -> Iterator[Checked]:
        if not files and not all_matches:
            files = beside()
            if not files:
                raise CommandError("No recorded matches lie beside the code: name files, or take --all of the database.")
        for file in files:
            try:
                yield compat.check_file(file)
            except OSError as error:
                raise CommandError(f"{file} cannot be read: {error.strerror}.") from None
        if all_matches:
            for match in Match.objects.order_by("number").iterator(chunk_size=STEP):
                yield compat.check_match(match)


def beside() -> list[Path]:
    """Return the playthroughs and golden files of all games."""
    folder = settings.BASE_DIR / "tests" / "games"
    return sorted([*folder.glob("*/playthroughs/*.json"), *folder.glob("golden/*/*.json")])
