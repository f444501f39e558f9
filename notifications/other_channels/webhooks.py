"""The webhook in the order of a user's channels, after Standard Webhooks: a signed POST with names and numbers.

`subscriptions` are the other webhooks, which get notices at once. `deliveries` sends to both, and `outward` decides which
addresses may be reached, and how.
"""

from __future__ import annotations

from django.utils import timezone

from accounts.models import User
from notifications import channels
from notifications.channels import ChannelRefused, Parcel
from notifications.models import Handover, Outbox, Webhook
from notifications.other_channels import deliveries, outward

NAME = "webhook"


def register() -> None:
    """Register the channel."""
    channels.register(NAME, pack, has)


def has(user_id: int) -> bool:
    """Return True if a user has a webhook that is not switched off."""
    return Webhook.objects.filter(user_id=user_id, channel=True, disabled_at=None).exists()


def of(user: User) -> Webhook | None:
    """Return the user's webhook in the order of channels."""
    return Webhook.objects.filter(user=user, channel=True).first()


def set_up(user: User, url: str) -> tuple[Webhook, bool]:
    """Take or change the address; a hook that was switched off works again. Return it, and True if it is new: only then is its
    secret shown. Raises `BadAddress`.
    """
    outward.check_host(url)
    return Webhook.objects.update_or_create(
        user=user, channel=True, defaults={"url": url, "failing_since": None, "disabled_at": None}
    )


def rotate(user: User) -> Webhook | None:
    """Give the webhook a new secret. For one day both sign, so that no delivery is lost while the receiver is changed."""
    hook = of(user)
    if hook is not None:
        turn(hook)
    return hook


def turn(hook: Webhook) -> None:
    """Give any webhook a new secret, as `rotate`."""
    hook.generation += 1
    hook.rotated_at = timezone.now()
    hook.save(update_fields=["generation", "rotated_at"])


def remove(user: User) -> bool:
    """Delete the webhook. Return True if there was one."""
    return bool(Webhook.objects.filter(user=user, channel=True).delete()[0])


def pack(notice: Outbox, handover: Handover) -> Parcel:
    """Sign one notice for its receiver. Raises `ChannelRefused`."""
    hook = of(notice.user) if notice.user is not None else None
    if hook is None or hook.disabled_at is not None:
        raise ChannelRefused("the webhook was removed")
    return deliveries.parcel(hook, handover.pk, notice.kind, deliveries.body_of(notice), notice)
