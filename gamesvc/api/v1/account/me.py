"""The user's own account."""

from __future__ import annotations

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts import erasure, tokens
from accounts.models import User
from accounts.signing_in import proving
from gamesvc.api.v1 import schemas
from gamesvc.api.v1.base import PRIVATE, PROBLEMS, View, check_proof, documented
from gamesvc.errors import Refusal
from gamesvc.json_types import JsonObject


class NotConfirmed(Refusal):
    """The confirmation of an irreversible act is missing."""

    code = "not_confirmed"
    title = "Nothing was erased"
    detail = "`name` must be your user name, so that no account is erased by mistake."
    advice = "Send your user name as `name`."
    parameter = "name"


class AccountShape(schemas.Shape):
    name = serializers.CharField()
    timezone = serializers.CharField()
    language = serializers.CharField()
    created_at = serializers.DateTimeField()
    is_bot = serializers.BooleanField()
    plays_bots = serializers.BooleanField()


class AccountChange(schemas.Strict):
    """Changes to the account."""

    plays_bots = serializers.BooleanField(required=False)


class Erasure(schemas.Strict):
    name = serializers.CharField(help_text="Your user name, to confirm.")
    password = serializers.CharField(
        required=False,
        trim_whitespace=False,
        max_length=1000,
        help_text="Needed unless your token was made within the last hour with your password, or you just gave it on a page.",
    )


class Account(View):
    @documented(responses={200: AccountShape, **PROBLEMS}, operation_id="me_retrieve")
    def get(self, request: Request) -> Response:
        """Return your account."""
        return Response(_shown(self.user), headers=PRIVATE)

    @documented(request=AccountChange, responses={200: AccountShape, **PROBLEMS}, operation_id="me_update")
    def patch(self, request: Request) -> Response:
        """Allow bots to challenge you, or no longer."""
        user = self.user
        user.plays_bots = self.body(AccountChange).get("plays_bots", user.plays_bots)
        user.save(update_fields=["plays_bots"])
        return Response(_shown(user), headers=PRIVATE)

    @documented(request=Erasure, responses={204: None, 422: schemas.Problem, **PROBLEMS}, operation_id="me_delete")
    def delete(self, request: Request) -> Response:
        """Erase your account for good: name, addresses, messages, mails, keys.

        Your matches stay, without your name. Your seats in running matches fall free. This needs your password, or an `account`
        token made with it within the last hour.
        """
        body = self.body(Erasure)
        if body["name"] != self.user.username:
            raise NotConfirmed
        lately = tokens.proven_lately(self.bearer.token) if self.bearer else proving.proved_in_session(request._request)
        how = "Send your `password`, or use an `account` token that you made on your account page within the last hour."
        check_proof(self.user, body.get("password"), lately=lately, title=NotConfirmed.title, how=how)
        erasure.erase(self.user)
        return Response(status=204)


def _shown(user: User) -> JsonObject:
    return {
        "name": user.username,
        "timezone": user.timezone,
        "language": user.language,
        "created_at": user.created,
        "is_bot": user.is_bot,
        "plays_bots": user.plays_bots,
    }
