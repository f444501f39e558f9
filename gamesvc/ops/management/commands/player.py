"""`manage.py player NAME ADDRESS`: add a player with a verified address, and print a password and an API token."""

from __future__ import annotations

import json
import secrets

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import transaction

from accounts import tokens
from accounts.addresses import add_verified_address, is_taken, verified_addresses
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
        parser.add_argument("--json", dest="as_json", action="store_true", help="Machine-readable output.")

    @transaction.atomic
    def handle(
        self, *, name: str, address: str, time_zone: str, password: str | None, operator: bool, as_json: bool, **_: object
    ) -> None:
        chosen, address = password or secrets.token_urlsafe(9), address.lower()
        user = User.objects.filter(username=name).first()
        if user is None:
            if is_taken(address):
                raise CommandError(f"{address} is the address of another player.")
            user = User(username=name, email=address, timezone=time_zone)
            user.set_password(chosen)
            try:
                user.full_clean()
            except ValidationError as error:
                raise CommandError("; ".join(error.messages)) from None
            user.save()
            add_verified_address(user, address)
        elif address not in map(str.lower, verified_addresses(user)):
            # Anyone may have signed up with the name. The operator means the person behind the address.
            raise CommandError(f"There is a player {name} already, and {address} is not a verified address of theirs.")
        elif password:
            user.set_password(chosen)
            user.save(update_fields=["password"])
        else:
            chosen = ""
        if operator:
            User.objects.filter(pk=user.pk).update(is_staff=True)
            user.refresh_from_db()
        scopes = ["read", "play", "organise", "operate"] if user.is_staff else ["read", "play"]
        _token, plain = tokens.create_token(user=user, name="manage.py player", scopes=scopes)
        result = {"user": user.username, "password": chosen, "token": plain}
        if as_json:
            self.stdout.write(json.dumps(result))
        else:
            for label, value in result.items():
                self.stdout.write(f"{label:10} {value or '(unchanged)'}")
