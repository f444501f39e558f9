"""`manage.py erase USER`: erase a user."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from accounts import erasure
from accounts.models import User


class Command(BaseCommand):
    help = (
        "Erases a person for good: name, addresses, keys, press, reasons, refused commands, mails and notices. "
        "His matches stay and replay; his seats in running ones are vacated."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("user", help="his user name")
        parser.add_argument("--yes", action="store_true", help="do not ask")
        parser.add_argument("--json", action="store_true", help="machine-readable output")

    def handle(self, *args: Any, **options: Any) -> None:
        user = User.objects.filter(username__iexact=options["user"]).first()
        if user is None:
            raise CommandError(f"There is no user {options['user']!r}.")
        if not options["yes"]:
            sys.stderr.write(f"Type the name {user.username} to erase him for good: ")
            sys.stderr.flush()
            if sys.stdin.readline().strip() != user.username:
                raise CommandError("Nothing was erased.")
        name = user.username
        erasure.erase(user)
        user.refresh_from_db()
        result = {"erased": True, "number": user.pk, "now": user.username}
        told = f"{name} is erased; the account is called {user.username} now."
        self.stdout.write(json.dumps(result) if options["json"] else told)
