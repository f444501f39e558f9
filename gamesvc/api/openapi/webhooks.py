"""The webhooks in the OpenAPI document: each type of delivery with its payload, its headers and an example."""

from __future__ import annotations

from typing import Any

from gamesvc.api.openapi.sections import WEBHOOKS
from notifications.other_channels import deliveries, subscriptions
from notifications.other_channels.subscriptions import MOVED, OVER

Document = dict[str, Any]

_MOMENT = {"type": "string", "format": "date-time"}
_ID = {"type": "string", "format": "uuid"}
_NUMBER = {"type": "integer", "description": "The number of the match."}
_MATCH = {**_ID, "description": "The id of the match."}

_NOTICE_DATA: Document = {
    "type": "object",
    "description": "The names and numbers of a notice. Those of a match are missing if the notice is about none.",
    "required": ["notice"],
    "properties": {
        "notice": {**_ID, "description": "The id of the notice, as in `/me/notices/`."},
        "match": _MATCH,
        "number": _NUMBER,
        "seat": {"type": ["integer", "null"], "description": "The index of the seat that it is about, yours or not; null: none."},
        "version": {"type": "integer", "description": "The newest version of the match that you may know of."},
        "due_at": {**_MOMENT, "description": "Until when it can be acted on; missing if for ever. ISO 8601, UTC."},
    },
}
_NEWS_DATA: Document = {
    "type": "object",
    "description": "A match that you organise, as a spectator may know it.",
    "required": ["match", "number", "version", "status"],
    "properties": {
        "match": _MATCH,
        "number": _NUMBER,
        "version": {"type": "integer", "description": "The newest version that a spectator may know of."},
        "status": {"type": "string", "description": "The state of the match: open, running, or how it ended."},
    },
}
_PING_DATA: Document = {
    "type": "object",
    "description": "What is tested.",
    "required": ["webhook"],
    "properties": {"webhook": {**_ID, "description": "The id of the webhook."}},
}
SHAPES: Document = {
    "WebhookNoticeData": _NOTICE_DATA,
    "WebhookNewsData": _NEWS_DATA,
    "WebhookPingData": _PING_DATA,
}

_HEADERS = {
    "webhook-id": "The id of the delivery, the same for every try.",
    "webhook-timestamp": "When this try was signed, in seconds since 1970.",
    "webhook-signature": "One or two signatures `v1,...` with a blank between them, after Standard Webhooks: HMAC-SHA256 over id,"
    " timestamp and body with a dot between them, by your secret and, for a day after a change, by the old one.",
}
_EXAMPLES: Document = {
    "notice": "8d1fd0f6-6f0e-4b8e-9d0e-5f0e6f7a1b2c",
    "match": "52c8a1de-3c7f-4f5e-8a2b-90d1c2e3f4a5",
    "number": 42,
    "seat": 0,
    "version": 17,
    "due_at": "2026-11-26T10:00:00+00:00",
    "status": "running",
    "webhook": "c0a8f7d2-1b3c-4d5e-8f9a-0b1c2d3e4f50",
}
_ANSWERS = {
    "2XX": {"description": "Taken. Answer within 15 seconds."},
    "410": {"description": "The receiver is gone: the webhook is switched off at once."},
    "default": {"description": "Not taken. The delivery is tried again for a day, with growing pauses."},
}


def described() -> Document:
    """Return the webhooks by type."""
    told = {kind.name: (f"{kind.label}.", "WebhookNoticeData") for kind in subscriptions.offered()}
    told[deliveries.PING] = ("A test, sent to each new address and when you ask for it.", "WebhookPingData")
    told[MOVED] = ("A match that you organise has moved. Several moves may make one delivery.", "WebhookNewsData")
    told[OVER] = ("A match that you organise is over.", "WebhookNewsData")
    return {name: {"post": _operation(name, text, data)} for name, (text, data) in told.items()}


def _operation(name: str, text: str, data: str) -> Document:
    schema = {
        "type": "object",
        "required": ["type", "timestamp", "data"],
        "properties": {
            "type": {"const": name, "description": "The type of the delivery."},
            "timestamp": {**_MOMENT, "description": "When it happened. ISO 8601, UTC."},
            "data": {"$ref": f"#/components/schemas/{data}"},
        },
    }
    members = SHAPES[data]["properties"]
    example = {"type": name, "timestamp": "2026-11-24T10:00:00+00:00", "data": {key: _EXAMPLES[key] for key in members}}
    return {
        "operationId": f"webhook_{name}",
        "summary": text,
        "description": f"{text}\n\nSent to your webhooks (`/me/webhooks/`).",
        "tags": [WEBHOOKS],
        "security": [],
        "parameters": [
            {"name": header, "in": "header", "required": True, "description": meaning, "schema": {"type": "string"}}
            for header, meaning in _HEADERS.items()
        ],
        "requestBody": {
            "required": True,
            "description": "Names and numbers; fetch the rest with your token.",
            "content": {"application/json": {"schema": schema, "example": example}},
        },
        "responses": {status: dict(answer) for status, answer in _ANSWERS.items()},
    }
