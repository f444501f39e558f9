"""Signatures of webhooks, after Standard Webhooks: secrets derived from our key, and the headers of a delivery."""

from __future__ import annotations

import base64
from datetime import datetime, timedelta

import standardwebhooks
from django.utils.crypto import salted_hmac

from notifications.models import Webhook

BOTH_SIGN = timedelta(days=1)
"""The time for which the old secret signs beside the new one."""


def secret_of(hook: Webhook, generation: int | None = None) -> str:
    """Return the secret as Standard Webhooks writes it: `whsec_` and base64."""
    what = f"{hook.pk} {hook.generation if generation is None else generation}"
    key = salted_hmac("notifications.webhook", what, algorithm="sha256").digest()
    return "whsec_" + base64.b64encode(key).decode()


def signature(secret: str, identity: str, moment: datetime, body: bytes) -> str:
    """Return one entry of `webhook-signature`. `moment` is in UTC: the library takes it as such, whatever its zone says."""
    return standardwebhooks.Webhook(secret).sign(identity, moment, body.decode())


def headers(hook: Webhook, identity: str, now: datetime, body: bytes) -> dict[str, str]:
    """Return the headers of a delivery. `identity` is the same for every try, so that the receiver can recognise a repetition."""
    return {
        "Content-Type": "application/json",
        "User-Agent": "gamesvc",
        "webhook-id": identity,
        "webhook-timestamp": str(int(now.timestamp())),
        "webhook-signature": " ".join(signature(secret, identity, now, body) for secret in _secrets(hook, now)),
    }


def _secrets(hook: Webhook, now: datetime) -> list[str]:
    generations = [hook.generation]
    if hook.generation > 1 and now < hook.rotated_at + BOTH_SIGN:
        generations.append(hook.generation - 1)
    return [secret_of(hook, generation) for generation in generations]
