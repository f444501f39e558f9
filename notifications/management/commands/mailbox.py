"""`manage.py mailbox`: one look into the mailbox in `IMAP_URL`, to test the setting. Beat polls it regularly."""

from __future__ import annotations

import json

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.management.base import BaseCommand, CommandError, CommandParser

from notifications.inbound.doors import imap


class Command(BaseCommand):
    help = "Read the mailbox of IMAP_URL once and keep new mail for the workers."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--json", dest="as_json", action="store_true", help="Print a JSON object.")

    def handle(self, *, as_json: bool, **_: object) -> None:
        try:
            where = imap.account()
            if where is None or not settings.REPLY_DOMAIN:
                raise CommandError("Set IMAP_URL and REPLY_DOMAIN (deploy/README.md, Settings).")
            taken = imap.poll()
        except (ImproperlyConfigured, imap.Unreachable) as fault:
            raise CommandError(str(fault)) from None
        self.stdout.write(json.dumps({"mailbox": where.name, "taken": taken}) if as_json else f"{where.name}: {taken} new")
