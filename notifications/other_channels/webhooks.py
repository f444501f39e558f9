"""The webhook channel, after Standard Webhooks: a signed POST with names and numbers. The receiver fetches the rest.

The secret is derived from our key and shown to its owner; during a change the old one signs too.
`notifications.other_channels.outward` decides which addresses may be reached, and how.
"""

from __future__ import annotations

import base64
import functools
import http.client
import json
from datetime import datetime, timedelta
from urllib.parse import urlsplit

import standardwebhooks
from django.utils import timezone
from django.utils.crypto import salted_hmac

from accounts.models import User
from notifications import channels, registry
from notifications.channels import ChannelBusy, ChannelRefused, Parcel
from notifications.models import Handover, Outbox, Webhook
from notifications.other_channels import outward

NAME = "webhook"
BOTH_SIGN = timedelta(days=1)
GIVEN_UP_AFTER = timedelta(days=1)


class _Gone(ChannelRefused):
    """The receiver wants no more webhooks."""


def register() -> None:
    """Register the channel."""
    channels.register(NAME, pack, has)


def has(user_id: int) -> bool:
    """Return True if a user has a webhook that is not switched off."""
    return Webhook.objects.filter(user_id=user_id, disabled_at=None).exists()


def set_up(user: User, url: str) -> tuple[Webhook, bool]:
    """Take or change the address; a hook that was switched off works again. Return it, and True if it is new: only then is its
    secret shown. Raises `BadAddress`.
    """
    outward.check(url)
    return Webhook.objects.update_or_create(user=user, defaults={"url": url, "failing_since": None, "disabled_at": None})


def rotate(user: User) -> Webhook | None:
    """Give the webhook a new secret. For one day both sign, so that no delivery is lost while the receiver is changed."""
    hook = Webhook.objects.filter(user=user).first()
    if hook is not None:
        hook.generation += 1
        hook.rotated_at = timezone.now()
        hook.save(update_fields=["generation", "rotated_at"])
    return hook


def remove(user: User) -> bool:
    """Delete the webhook. Return True if there was one."""
    return bool(Webhook.objects.filter(user=user).delete()[0])


def secret_of(hook: Webhook, generation: int | None = None) -> str:
    """Return the secret as Standard Webhooks writes it: `whsec_` and base64."""
    what = f"{hook.pk} {hook.generation if generation is None else generation}"
    key = salted_hmac("notifications.webhook", what, algorithm="sha256").digest()
    return "whsec_" + base64.b64encode(key).decode()


def signature(secret: str, identity: str, moment: datetime, body: bytes) -> str:
    """Return one entry of `webhook-signature`. `moment` is in UTC: the library takes it as such, whatever its zone says."""
    return standardwebhooks.Webhook(secret).sign(identity, moment, body.decode())


def pack(notice: Outbox, handover: Handover) -> Parcel:
    """Sign one notice for its receiver. Raises `ChannelRefused`."""
    hook = Webhook.objects.filter(user=notice.user, disabled_at=None).first() if notice.user is not None else None
    if hook is None:
        raise ChannelRefused("the webhook was removed")
    now = timezone.now()
    body = _body(notice)
    # The id is the same for every try, so that the receiver can recognise a repetition.
    headers = {
        "Content-Type": "application/json",
        "User-Agent": "gamesvc",
        "webhook-id": str(handover.pk),
        "webhook-timestamp": str(int(now.timestamp())),
        "webhook-signature": " ".join(signature(secret, str(handover.pk), now, body) for secret in _secrets(hook, now)),
    }
    lane = (urlsplit(hook.url).hostname or "").rstrip(".")
    return Parcel(lane, functools.partial(_deliver, hook.url, body, headers), functools.partial(_note, hook, now))


def _deliver(url: str, body: bytes, headers: dict[str, str]) -> None:
    try:
        status = outward.post(url, body, headers)
    except outward.BadAddress as fault:
        raise ChannelRefused(str(fault)) from None
    except (OSError, http.client.HTTPException) as fault:
        raise ChannelBusy(f"{type(fault).__name__}: {fault}") from None
    if status == 410:
        raise _Gone("the receiver says that it is gone (410)")
    if not 200 <= status < 300:
        raise ChannelBusy(f"answered with {status}")


def _note(hook: Webhook, moment: datetime, fault: Exception | None) -> None:
    """Store the result of a delivery. A webhook that has failed for a day is disabled, which its owner sees."""
    same = Webhook.objects.filter(pk=hook.pk, url=hook.url)
    if fault is None:
        same.filter(failing_since__isnull=False).update(failing_since=None)
    elif isinstance(fault, _Gone):
        same.update(disabled_at=moment)
    elif hook.failing_since is None:
        same.filter(failing_since=None).update(failing_since=moment)
    elif moment - hook.failing_since > GIVEN_UP_AFTER:
        same.update(disabled_at=moment)


def _secrets(hook: Webhook, now: datetime) -> list[str]:
    generations = [hook.generation]
    if hook.generation > 1 and now < hook.rotated_at + BOTH_SIGN:
        generations.append(hook.generation - 1)
    return [secret_of(hook, generation) for generation in generations]


def _body(notice: Outbox) -> bytes:
    kind = registry.find(notice.kind)
    due = kind.deadline(notice) if kind is not None and kind.deadline is not None else None
    told = {"notice": str(notice.pk), **registry.facts_of(notice)}
    if due not in (None, registry.NO_END):
        told["due_at"] = due.isoformat()
    content = {"type": notice.kind, "timestamp": notice.created_at.isoformat(), "data": told}
    return json.dumps(content, separators=(",", ":"), sort_keys=True).encode()
