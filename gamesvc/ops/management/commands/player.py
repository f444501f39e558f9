"""`manage.py player NAME ADDRESS`: add a player with a verified address, and print a password and an API token."""

from __future__ import annotations

import json
import secrets
from typing import Any

from allauth.account.models import EmailAddress
from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import transaction

from accounts import tokens
from accounts.models import User


class Command(BaseCommand):
    help = "Add a player, or make a new token for an existing one, and print how to sign in. For operators, trials and bots."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name")
        parser.add_argument("address")
        parser.add_argument("--time-zone", default="UTC")
        parser.add_argument("--password", help="Default: a random one.")
        parser.add_argument(
            "--operator",
            action="store_true",
            help="Make the player an operator, who may use /admin/. The token gets the scopes organise and operate.",
        )
        parser.add_argument("--json", action="store_true", help="Machine-readable output.")

    @transaction.atomic
    def handle(self, *args: Any, **options: Any) -> None:
        password = options["password"] or secrets.token_urlsafe(9)
        user = User.objects.filter(username=options["name"]).first()
        if user is None:
            user = User(username=options["name"], email=options["address"], timezone=options["time_zone"])
            user.set_password(password)
            try:
                user.full_clean()
            except ValidationError as error:
                raise CommandError("; ".join(error.messages)) from None
            user.save()
            EmailAddress.objects.create(user=user, email=options["address"], verified=True, primary=True)
        elif options["password"]:
            user.set_password(password)
            user.save(update_fields=["password"])
        else:
            password = ""
        if options["operator"]:
            User.objects.filter(pk=user.pk).update(is_staff=True)
            user.refresh_from_db()
        scopes = ["read", "play", "organise", "operate"] if user.is_staff else ["read", "play"]
        _token, plain = tokens.create_token(user=user, name="manage.py player", scopes=scopes)
        result = {"user": user.username, "password": password, "token": plain}
        if options["json"]:
            self.stdout.write(json.dumps(result))
        else:
            for name, value in result.items():
                self.stdout.write(f"{name:10} {value or '(unchanged)'}")
