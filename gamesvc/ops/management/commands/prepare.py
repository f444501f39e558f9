"""`manage.py prepare`: everything needed before a start and after an update, in one command."""

from __future__ import annotations

import time

from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandParser
from django.db import connection

MIGRATING = 0x6D696772617465  # "migrate"


class Command(BaseCommand):
    help = "Migrate (as the owner of the tables), collect the static files, and check that the keys open the stored secrets."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--json", dest="as_json", action="store_true", help="Machine-readable output.")

    def handle(self, *, as_json: bool, **_: object) -> None:
        with connection.cursor() as cursor:
            # If several start at once, one migrates and the others find it done. The lock ends with the connection.
            # They ask again and again: a statement that waited would stop an index that the first builds concurrently.
            while cursor.execute("SELECT pg_try_advisory_lock(%s::bigint)", [MIGRATING]).fetchone() != (True,):
                time.sleep(0.2)
        try:
            call_command("migrate", interactive=False, verbosity=0, skip_checks=True)
        finally:
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_advisory_unlock(%s::bigint)", [MIGRATING])
        call_command("collectstatic", interactive=False, verbosity=0)
        call_command("check", databases=["default"], fail_level="CRITICAL")
        self.stdout.write('{"ready": true}' if as_json else "Ready.")
