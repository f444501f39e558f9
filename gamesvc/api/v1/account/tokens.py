"""The user's own tokens."""

from __future__ import annotations

from uuid import UUID

from rest_framework.request import Request
from rest_framework.response import Response

from accounts import tokens
from accounts.models import ApiToken
from accounts.signing_in import proving
from gamesvc.api.v1 import schemas
from gamesvc.api.v1.base import PROBLEMS, REFUSALS, View, check_proof, documented
from gamesvc.json_types import JsonObject
from gamesvc.matches import errors


class Tokens(View):
    made_at = "tokens/{id}/"

    @documented(responses={200: schemas.Token(many=True), **PROBLEMS}, operation_id="tokens_list")
    def get(self, request: Request) -> Response:
        """List your API tokens, without their secret text."""
        return Response([token_json(token) for token in tokens.own_tokens(self.user)])

    @documented(
        request=schemas.NewToken,
        responses={201: schemas.TokenOnce, **REFUSALS},
        operation_id="tokens_create",
    )
    def post(self, request: Request) -> Response:
        """Create a token. Its text is shown in this response only, so a repeated request creates another token.

        A token can create only tokens with scopes that it has itself; they expire no later and are revoked with it. In a session,
        the scopes `account` and `operate` need your password, sent here or given on a page a moment ago.
        """
        body = self.body(schemas.NewToken)
        proven = proving.proved_in_session(request._request)
        if self.bearer is None and (body["password"] is not None or not tokens.GUARDED.isdisjoint(body["scopes"])):
            how = "Send your `password`: a token with the scope account or operate can do lasting harm."
            check_proof(self.user, body["password"], lately=proven, title="No token was made", how=how)
            proven = True
        token, plain = tokens.create_token(
            user=self.user,
            name=body["name"],
            scopes=body["scopes"],
            expires_at=body["expires_at"],
            parent=self.bearer.token if self.bearer is not None else None,
            proven=proven,
        )
        return Response({**token_json(token), "token": plain}, status=201)

    @documented(responses={204: None, **PROBLEMS}, operation_id="tokens_delete_all")
    def delete(self, request: Request) -> Response:
        """Revoke all your tokens at once, including the one used for this request."""
        tokens.revoke_all(self.user)
        return Response(status=204)


class TokenDetail(View):
    @documented(responses={204: None, **PROBLEMS}, operation_id="tokens_delete")
    def delete(self, request: Request, token_id: UUID) -> Response:
        """Revoke a token, and all tokens made with it."""
        if not tokens.revoke_token(user=self.user, token_id=token_id):
            raise errors.Unknown
        return Response(status=204)


def token_json(token: ApiToken) -> JsonObject:
    return {
        "id": str(token.pk),
        "name": token.name,
        "scopes": list(token.scopes),
        "created_at": token.created_at,
        "last_used_at": token.last_used_at,
        "expires_at": token.expires_at,
        "made_with": str(token.parent_id) if token.parent_id is not None else None,
    }
