"""The user's addresses of chat services."""

from __future__ import annotations

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from gamesvc.api.v1 import schemas
from gamesvc.api.v1.base import PROBLEMS, View, documented
from gamesvc.json_types import JsonObject
from notifications.models import ChatAddress
from notifications.other_channels import chat_names, chats

SERVICES = ", ".join(f"`{name}`" for name in chat_names.SERVICES)


class ChatChange(schemas.Strict):
    address = serializers.CharField(
        max_length=500, help_text="The address of a webhook as the service shows it, or the address as Apprise writes it."
    )


class ChatShape(schemas.Shape):
    service = serializers.CharField(help_text=f"One of {SERVICES}: the name of its channel.")
    example = serializers.CharField(help_text="What an address looks like.")
    changed_at = serializers.DateTimeField(
        allow_null=True, help_text="When you set the address, which is not shown again; null: you have none. ISO 8601, UTC."
    )


class ChatList(schemas.Shape):
    results = ChatShape(many=True)


class Chats(View):
    @documented(responses={200: ChatList, **PROBLEMS}, operation_id="me_chats")
    def get(self, request: Request) -> Response:
        """List the chat services that can take your notices."""
        own = chats.of(self.user)
        return Response({"results": [_chat_json(service, own.get(service)) for service in chat_names.SERVICES]})


class Chat(View):
    @documented(request=ChatChange, responses={200: ChatShape, **PROBLEMS, 422: schemas.Problem}, operation_id="me_chats_set")
    def put(self, request: Request, service: str) -> Response:
        """Set your address in a chat service. It becomes the last of your `channels`, if it is none yet."""
        return Response(_chat_json(service, chats.set_up(self.user, service, self.body(ChatChange)["address"])))

    @documented(responses={204: None, **PROBLEMS, 422: schemas.Problem}, operation_id="me_chats_delete")
    def delete(self, request: Request, service: str) -> Response:
        """Delete your address in a chat service; it goes from your `channels`."""
        chat_names.check_service(service)
        chats.remove(self.user, service)
        return Response(status=204)


def _chat_json(service: str, row: ChatAddress | None) -> JsonObject:
    return {
        "service": service,
        "example": chat_names.EXAMPLES[service],
        "changed_at": row.changed_at if row is not None else None,
    }
