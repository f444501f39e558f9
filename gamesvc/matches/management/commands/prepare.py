"""`manage.py prepare`: all that must be done before a start and after an update, in one go."""

from __future__ import annotations

from typing import Any

from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandParser


class Command(BaseCommand):
    help = "Migrate (as the owner of the tables), gather the static files, and try whether the keys open the stored secrets."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--json", action="store_true", help="Machine-readable output.")

    def handle(self, *args: Any, **options: Any) -> None:
        call_command("migrate", interactive=False, verbosity=0, skip_checks=True)
        call_command("collectstatic", interactive=False, verbosity=0)
        call_command("check", databases=["default"], fail_level="CRITICAL")
        self.stdout.write('{"ready": true}' if options["json"] else "Ready.")
