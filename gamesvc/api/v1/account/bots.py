"""The user's bot accounts: made, limited, given tokens, erased."""

from __future__ import annotations

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts import tokens
from accounts.bots import bots
from accounts.models import User
from gamesvc.api.v1 import schemas
from gamesvc.api.v1.account.tokens import token_json
from gamesvc.api.v1.base import PRIVATE, PROBLEMS, REFUSALS, View, documented
from gamesvc.json_types import JsonObject
from gamesvc.matches.lobby import programs


class NewBot(schemas.Strict):
    """A bot account to make."""

    name = serializers.CharField(help_text="It ends with `-bot`.")
    matches = serializers.IntegerField(required=False, default=8, help_text="Unfinished matches at the same time, 1 to 50.")


class BotLimit(schemas.Strict):
    """The limit of a bot account."""

    matches = serializers.IntegerField(required=False, help_text="Unfinished matches at the same time, 1 to 50.")


class NewBotToken(schemas.Strict):
    """A token for a program that plays as the bot."""

    name = serializers.CharField(help_text="What the token is for.")


class BotShape(schemas.Shape):
    """A bot account of yours."""

    name = serializers.CharField()
    matches = serializers.IntegerField(help_text="Unfinished matches that it plays at the same time.")
    created_at = serializers.DateTimeField()


class BotsShape(schemas.Shape):
    """Your bot accounts, by name."""

    results = BotShape(many=True)


class Bots(View):
    @documented(responses={200: BotsShape, **PROBLEMS}, operation_id="me_bots_list")
    def get(self, request: Request) -> Response:
        """List your bot accounts."""
        return Response({"results": [_shown(bot) for bot in bots.of(self.user)]}, headers=PRIVATE)

    @documented(request=NewBot, responses={201: BotShape, **REFUSALS}, operation_id="me_bots_create")
    def post(self, request: Request) -> Response:
        """Make a bot account, for a program of yours. You answer for what it does.

        Bots are marked by the end of their name and have a list of ratings of their own. They play where they are challenged.
        """
        body = self.body(NewBot)
        return Response(_shown(bots.make(owner=self.user, **body)), status=201, headers=PRIVATE)


class BotDetail(View):
    @documented(request=BotLimit, responses={200: BotShape, **REFUSALS}, operation_id="me_bots_update")
    def patch(self, request: Request, name: str) -> Response:
        """Set how many matches your bot plays at the same time. Those that run go on."""
        bot = bots.find(self.user, name)
        bot = bots.allow(bot, self.body(BotLimit).get("matches", bot.bot_matches))
        return Response(_shown(bot), headers=PRIVATE)

    @documented(responses={204: None, **REFUSALS}, operation_id="me_bots_delete")
    def delete(self, request: Request, name: str) -> Response:
        """Erase your bot account for good. Its matches stay without its name. Not while a match runs in which it has played."""
        programs.erase(bots.find(self.user, name))
        return Response(status=204)


class BotTokens(View):
    @documented(request=NewBotToken, responses={201: schemas.TokenOnce, **REFUSALS}, operation_id="me_bots_tokens_create")
    def post(self, request: Request, name: str) -> Response:
        """Make a token with which a program reads and plays as your bot. Its text is shown in this answer only.

        It expires and is revoked with the token that you use here.
        """
        parent = self.bearer.token if self.bearer is not None else None
        token, plain = bots.new_token(bots.find(self.user, name), self.body(NewBotToken)["name"], parent)
        return Response({**token_json(token), "token": plain}, status=201, headers=PRIVATE)

    @documented(responses={204: None, **REFUSALS}, operation_id="me_bots_tokens_delete")
    def delete(self, request: Request, name: str) -> Response:
        """Revoke all tokens of your bot."""
        tokens.revoke_all(bots.find(self.user, name))
        return Response(status=204)


def _shown(bot: User) -> JsonObject:
    return {"name": bot.username, "matches": bot.bot_matches, "created_at": bot.created}
