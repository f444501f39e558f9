"""`manage.py doors`: every way into the service, with its users and limits."""

from __future__ import annotations

import json
from dataclasses import asdict

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser

from gamesvc.api import doors

FILE = settings.BASE_DIR / "deploy" / "DOORS.md"


class Command(BaseCommand):
    help = "List every door to the service (API, pages, mail, commands, protocol) with its users and limits."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--write", action="store_true", help=f"Write the table to {FILE.relative_to(settings.BASE_DIR)}.")
        parser.add_argument("--json", dest="as_json", action="store_true", help="Machine-readable output.")

    def handle(self, *, write: bool, as_json: bool, **_: object) -> None:
        if write:
            FILE.write_text(doors.as_markdown(), encoding="utf-8")
        elif as_json:
            found = {kind: [asdict(door) for door in some] for kind, some in doors.all_doors().items()}
            self.stdout.write(json.dumps(found))
        else:
            self.stdout.write(doors.as_markdown())
