"""The user's own account."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts import erasure, proving, tokens
from gamesvc.api.problems import Problem
from gamesvc.api.v1 import schemas
from gamesvc.api.v1.base import PRIVATE, PROBLEMS, View


class AccountShape(serializers.Serializer[Any]):
    name = serializers.CharField()
    timezone = serializers.CharField()
    language = serializers.CharField()
    created_at = serializers.DateTimeField()


class Farewell(schemas.Strict):
    name = serializers.CharField(help_text="Your user name, to confirm.")
    password = serializers.CharField(
        required=False,
        trim_whitespace=False,
        max_length=1000,
        help_text="Needed unless your token was made within the last hour with your password, or you just gave it on a page.",
    )


class Account(View):
    @extend_schema(responses={200: AccountShape, **PROBLEMS}, operation_id="me_retrieve")
    def get(self, request: Request) -> Response:
        """Your account."""
        user = self.user
        shown = {"name": user.username, "timezone": user.timezone, "language": user.language, "created_at": user.created}
        return Response(shown, headers=PRIVATE)

    @extend_schema(request=Farewell, responses={204: None, 422: schemas.Problem, **PROBLEMS}, operation_id="me_delete")
    def delete(self, request: Request) -> Response:
        """Erase your account for good: name, addresses, messages, mails, keys. Your matches stay, without your name; your seats
        in running ones are vacated. It takes your password, or an `account` token made with it within the last hour."""
        body = self.body(Farewell)
        if body["name"] != self.user.username:
            detail = "`name` must be your user name, so that nobody is erased by mistake."
            errors = [{"pointer": "#/name", "detail": detail}]
            raise Problem(422, "not_confirmed", "Nothing was erased", detail, parameter="name", errors=errors)
        self._prove(body.get("password"))
        erasure.erase(self.user)
        return Response(status=204)

    def _prove(self, password: str | None) -> None:
        """Raise `Problem` unless it is surely the user who asks: a token may be stolen, a browser left open."""
        if password is not None:
            try:
                proving.check_password(self.user, password)
            except proving.ProofRefused as refused:
                errors = [{"pointer": "#/password", "detail": refused.detail}]
                status = 429 if refused.code == proving.TOO_MANY else 422
                raise Problem(
                    status, refused.code, "Nothing was erased", refused.detail, parameter="password", errors=errors
                ) from None
            return
        lately = tokens.proven_lately(self.bearer.token) if self.bearer else proving.proved_in_session(self.request._request)
        if not lately:
            detail = "Send your `password`, or use an `account` token that you made on your account page within the last hour."
            raise Problem(403, "password_needed", "Nothing was erased", detail)
