"""The players whom a user blocks."""

from __future__ import annotations

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts import blocks
from accounts.models import Block
from gamesvc.api.v1 import schemas
from gamesvc.api.v1.base import PRIVATE, PROBLEMS, REFUSALS, View, documented
from gamesvc.json_types import JsonObject


class BlockShape(schemas.Shape):
    name = serializers.CharField()
    since = serializers.DateTimeField()


class BlocksShape(schemas.Shape):
    results = BlockShape(many=True)


class Blocks(View):
    @documented(responses={200: BlocksShape, **PROBLEMS}, operation_id="me_blocks_list")
    def get(self, request: Request) -> Response:
        """List the players whom you block, by name."""
        return Response({"results": [_shown(row) for row in blocks.of(self.user)]}, headers=PRIVATE)


class BlockDetail(View):
    @documented(request=None, responses={200: BlockShape, **REFUSALS}, operation_id="me_blocks_update")
    def put(self, request: Request, name: str) -> Response:
        """Block a player. They are not told. Repeating it changes nothing.

        It works both ways: no invitations, no messages to each other, and no seats in the same new match. In an anonymous match
        it does nothing before the end, since it would tell who plays.
        """
        return Response(_shown(blocks.block(by=self.user, name=name)), headers=PRIVATE)

    @documented(responses={204: None, **REFUSALS}, operation_id="me_blocks_delete")
    def delete(self, request: Request, name: str) -> Response:
        """Unblock a player."""
        blocks.unblock(by=self.user, name=name)
        return Response(status=204)


def _shown(row: Block) -> JsonObject:
    return {"name": row.blocked.username, "since": row.since.isoformat()}
