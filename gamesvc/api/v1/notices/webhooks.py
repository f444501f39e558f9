"""The user's webhooks: the one in the order of channels, subscriptions, and the log of deliveries."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import UUID

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from gamesvc import paging
from gamesvc.api.idempotency import once
from gamesvc.api.v1 import places, schemas
from gamesvc.api.v1.base import KEY, PROBLEMS, REFUSALS, View, documented, place_parameter
from gamesvc.json_types import JsonObject
from gamesvc.matches.errors import Unknown
from gamesvc.matches.notices import match_hooks
from notifications.models import Handover, Webhook, WebhookDelivery
from notifications.other_channels import signing, subscriptions, webhooks

ONCE = "As Standard Webhooks has it: whsec_ and base64. Only where it is new: with the first address, or replaced."
KINDS = "The kinds of notices to send; null: all. Of a match: `match_moved` and `match_over`."


class HookChange(schemas.Strict):
    url = serializers.CharField(max_length=500)


class HookShape(schemas.Shape):
    id = serializers.UUIDField(help_text="By which `/me/webhooks/` knows it.")
    url = serializers.CharField()
    secret = serializers.CharField(required=False, help_text=ONCE)
    failing_since = serializers.DateTimeField(allow_null=True)
    disabled_at = serializers.DateTimeField(allow_null=True, help_text="Set the address again to switch it on.")
    channel = serializers.BooleanField(
        help_text="True for the webhook of `/me/webhook/`, which stands in the order of your channels."
    )
    match = serializers.UUIDField(allow_null=True, help_text="The match that it tells of; null: your notices.")
    kinds = serializers.ListField(child=serializers.CharField(), allow_null=True, help_text=KINDS)
    created_at = serializers.DateTimeField()


class WebhookList(schemas.Shape):
    results = HookShape(many=True)
    kinds = serializers.ListField(child=serializers.CharField(), help_text="The kinds of notices there are.")
    most = serializers.IntegerField(help_text="How many webhooks you may have.")


def _kinds(**more: Any) -> serializers.ListField:
    """Return the field of a request for the kinds of notices that a webhook gets; null for all."""
    of_one = serializers.CharField(max_length=60)
    return serializers.ListField(
        child=of_one, max_length=schemas.MOST_ITEMS, required=False, allow_null=True, help_text=KINDS, **more
    )


class NewWebhook(schemas.Strict):
    url = serializers.CharField(max_length=500)
    kinds = _kinds(default=None)
    match = serializers.CharField(
        required=False, allow_null=True, default=None, max_length=40, help_text="The id or number of a match that you organise."
    )


class WebhookChange(schemas.Strict):
    url = serializers.CharField(max_length=500, required=False)
    kinds = _kinds()


class DeliveryShape(schemas.Shape):
    id = serializers.UUIDField(help_text="The `webhook-id` of every try.")
    kind = serializers.CharField(help_text="The `type` of its body: a kind of notice, `ping`, `match_moved` or `match_over`.")
    status = serializers.ChoiceField(Handover.Status.values)
    attempts = serializers.IntegerField(help_text="How often it was tried.")
    created_at = serializers.DateTimeField()
    tried_at = serializers.DateTimeField(allow_null=True, help_text="When it was last tried; null: not yet. ISO 8601, UTC.")
    response_status = serializers.IntegerField(
        allow_null=True, help_text="The HTTP status of the last answer, if that was no success; null otherwise."
    )
    error = serializers.CharField(allow_blank=True, help_text="Why the last try failed; empty if it did not.")
    body = serializers.CharField(allow_blank=True, help_text="What was sent, as text; empty before the first try.")


class DeliveryPage(schemas.Shape):
    results = DeliveryShape(many=True)
    next = serializers.CharField(allow_null=True)


class Hook(View):
    @documented(responses={200: HookShape, **PROBLEMS}, operation_id="me_webhook")
    def get(self, request: Request) -> Response:
        """Return the webhook address of your program. The secret that signs notices to it is shown only when it is new."""
        return Response(_hook_json(_channel(self)))

    @documented(
        request=HookChange,
        responses={200: HookShape, **PROBLEMS, 422: schemas.Problem, 429: schemas.Problem},
        operation_id="me_webhook_set",
    )
    def put(self, request: Request) -> Response:
        """Set the webhook address. Notices go there once `webhook` is among your `channels`. The first answer has the secret.

        A new address gets a `ping`; the log at `/me/webhooks/ID/deliveries/` says what it answered.
        """
        hook, new = subscriptions.set_channel(self.user, self.body(HookChange)["url"])
        return Response(_hook_json(hook, secret=new))

    @documented(responses={204: None, **PROBLEMS}, operation_id="me_webhook_delete")
    def delete(self, request: Request) -> Response:
        """Delete the webhook address."""
        webhooks.remove(self.user)
        return Response(status=204)


class HookSecret(View):
    @documented(request=None, responses={200: HookShape, **REFUSALS}, parameters=[KEY], operation_id="me_webhook_rotate")
    def post(self, request: Request) -> Response:
        """Replace the webhook secret. For one day notices are signed with the old one as well."""
        return _rotated(self, request, lambda: _channel(self))


class Webhooks(View):
    made_at = "me/webhooks/{id}/"

    @documented(responses={200: WebhookList, **PROBLEMS}, operation_id="me_webhooks")
    def get(self, request: Request) -> Response:
        """List your webhooks, without their secrets."""
        shown = {"kinds": [kind.name for kind in subscriptions.offered()], "most": subscriptions.MOST}
        return Response({"results": [_hook_json(hook) for hook in subscriptions.all_of(self.user)], **shown})

    @documented(request=NewWebhook, responses={201: HookShape, **REFUSALS}, parameters=[KEY], operation_id="me_webhooks_create")
    def post(self, request: Request) -> Response:
        """Add a webhook that gets your notices at once, beside all channels; or, with `match`, the news of a match you organise.

        It gets a `ping`; its log says what it answered. The answer has the secret.
        """
        body = self.body(NewWebhook)

        def add() -> tuple[int, JsonObject]:
            if body["match"] is not None:
                hook = match_hooks.add(by=self.user, url=body["url"], kinds=body["kinds"], ident=body["match"])
            else:
                hook = subscriptions.add(self.user, url=body["url"], kinds=body["kinds"])
            return 201, {"id": str(hook.pk)}

        # Stored responses may be replayed for a day. A secret must not be stored among them.
        answer = once(request, add)
        if answer.status_code != 201:
            return answer
        return Response(_hook_json(_hook(self, UUID(answer.data["id"])), secret=True), status=201)


class WebhookDetail(View):
    @documented(responses={200: HookShape, **PROBLEMS}, operation_id="me_webhooks_read")
    def get(self, request: Request, hook_id: UUID) -> Response:
        """Return one of your webhooks, without its secret."""
        return Response(_hook_json(_hook(self, hook_id)))

    @documented(
        request=WebhookChange,
        responses={200: HookShape, **PROBLEMS, 422: schemas.Problem, 429: schemas.Problem},
        operation_id="me_webhooks_change",
    )
    def patch(self, request: Request, hook_id: UUID) -> Response:
        """Change its address or its kinds. A webhook that was switched off works again; a new address gets a `ping`."""
        hook, body = _hook(self, hook_id), self.body(WebhookChange)
        every = "kinds" in body and body["kinds"] is None
        subscriptions.change(hook, url=body.get("url"), kinds=body.get("kinds"), all_kinds=every)
        return Response(_hook_json(hook))

    @documented(responses={204: None, **PROBLEMS}, operation_id="me_webhooks_delete")
    def delete(self, request: Request, hook_id: UUID) -> Response:
        """Delete the webhook and its log."""
        subscriptions.remove(_hook(self, hook_id))
        return Response(status=204)


class WebhookSecret(View):
    @documented(request=None, responses={200: HookShape, **REFUSALS}, parameters=[KEY], operation_id="me_webhooks_rotate")
    def post(self, request: Request, hook_id: UUID) -> Response:
        """Replace the secret. For one day deliveries are signed with the old one as well."""
        return _rotated(self, request, lambda: _hook(self, hook_id))


class WebhookPing(View):
    @documented(request=None, responses={202: DeliveryShape, **REFUSALS}, parameters=[KEY], operation_id="me_webhooks_ping")
    def post(self, request: Request, hook_id: UUID) -> Response:
        """Send a test delivery of the type `ping`. The log says what the receiver answered."""
        hook = _hook(self, hook_id)
        return _sent(request, hook, lambda: subscriptions.ping(hook))


class Deliveries(View):
    @documented(
        parameters=[place_parameter(places.PATTERN)],
        responses={200: DeliveryPage, **PROBLEMS},
        operation_id="me_webhooks_deliveries",
    )
    def get(self, request: Request, hook_id: UUID) -> Response:
        """List what was sent to the webhook or waits to be, newest first. Entries are kept for 30 days."""
        rows = subscriptions.log_of(_hook(self, hook_id), before=places.read(request.query_params.get("cursor")))
        page, last = paging.cut(rows, paging.DELIVERIES)
        return Response(
            {
                "results": [_delivery_json(row) for row in page],
                "next": places.after(last),
            }
        )


class DeliveryAgain(View):
    @documented(request=None, responses={202: DeliveryShape, **REFUSALS}, parameters=[KEY], operation_id="me_webhooks_redeliver")
    def post(self, request: Request, hook_id: UUID, delivery_id: UUID) -> Response:
        """Send a delivery again: the same id and body, with a new signature."""
        hook = _hook(self, hook_id)
        return _sent(request, hook, lambda: subscriptions.again(hook, delivery_id))


def _rotated(view: View, request: Request, find: Callable[[], Webhook]) -> Response:
    def rotate() -> tuple[int, JsonObject]:
        webhooks.turn(find())
        return 200, {}

    answer = once(request, rotate)
    return Response(_hook_json(find(), secret=True)) if answer.status_code == 200 else answer


def _sent(request: Request, hook: Webhook, send: Callable[[], WebhookDelivery | None]) -> Response:
    def queue() -> tuple[int, JsonObject]:
        row = send()
        if row is None:
            raise Unknown("There is no such delivery in the log.")
        return 202, {"id": str(row.pk)}

    answer = once(request, queue)
    if answer.status_code != 202:
        return answer
    row = subscriptions.log_of(hook).filter(pk=answer.data["id"]).first()
    if row is None:
        raise Unknown("The delivery is no longer in the log.")
    return Response(_delivery_json(row), status=202)


def _channel(view: View) -> Webhook:
    hook = webhooks.of(view.user)
    if hook is None:
        raise Unknown("You have not set an address; PUT one.")
    return hook


def _hook(view: View, hook_id: UUID) -> Webhook:
    hook = subscriptions.find(view.user, hook_id)
    if hook is None:
        raise Unknown("You have no such webhook.")
    return hook


def _hook_json(hook: Webhook, *, secret: bool = False) -> JsonObject:
    shown = {
        "id": str(hook.pk),
        "url": hook.url,
        "channel": hook.channel,
        "match": hook.topic or None,
        "kinds": hook.kinds,
        "created_at": hook.created_at,
        "failing_since": hook.failing_since,
        "disabled_at": hook.disabled_at,
    }
    return {**shown, "secret": signing.secret_of(hook)} if secret else shown


def _delivery_json(row: WebhookDelivery) -> JsonObject:
    names = ("kind", "status", "attempts", "created_at", "tried_at", "response_status", "error", "body")
    return {"id": str(row.pk), **{name: getattr(row, name) for name in names}}
