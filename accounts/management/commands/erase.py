"""`manage.py erase USER`: erase a user."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser

from django.core.management.base import BaseCommand, CommandError

from accounts import erasure
from accounts.models import User


class Command(BaseCommand):
    help = (
        "Erase a user for good: name, addresses, tokens, press, reasons, refused commands, mails and notices. Their "
        "matches stay and replay; their seats in running matches are vacated."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("username", metavar="user", help="The user name of the account.")
        parser.add_argument("--yes", action="store_true", help="Do not ask for confirmation.")
        parser.add_argument("--json", dest="as_json", action="store_true", help="Machine-readable output.")

    def handle(self, *, username: str, yes: bool, as_json: bool, **_: object) -> None:
        user = User.objects.filter(username__iexact=username).first()
        if user is None:
            raise CommandError(f"There is no user {username!r}.")
        if not yes:
            sys.stderr.write(f"Type the name {user.username} to erase this user for good: ")
            sys.stderr.flush()
            if sys.stdin.readline().strip() != user.username:
                raise CommandError("Nothing was erased.")
        name = user.username
        erasure.erase(user)
        user.refresh_from_db()
        result = {"erased": True, "number": user.pk, "now": user.username}
        told = f"{name} is erased. The account is now called {user.username}."
        self.stdout.write(json.dumps(result) if as_json else told)
