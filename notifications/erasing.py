"""Erasing a user's notices."""

from __future__ import annotations

from django.db.models import Q
from django.db.models.functions import Lower

from accounts.addresses import verified_addresses
from accounts.models import User
from notifications.models import (
    Bounce,
    CalendarEntry,
    CalendarFeed,
    ChatAddress,
    LastShown,
    Mute,
    Outbox,
    Preference,
    Presence,
    PushSubscription,
    Reminder,
    ReplyAddress,
    Rest,
    Suppression,
    Webhook,
)
from notifications.wanted.preferences import address_hash


def erase_notices(user: User) -> None:
    """Delete all notices to the user (also those to their addresses before they signed up), their settings and mail."""
    Outbox.objects.filter(user=user).delete()
    addresses = [address.lower() for address in verified_addresses(user)]
    Outbox.objects.annotate(lower=Lower("address")).filter(lower__in=addresses).exclude(address="").delete()
    ReplyAddress.objects.filter(email__in=addresses).exclude(email="").delete()
    for model in (
        Mute,
        Preference,
        Reminder,
        Rest,
        Presence,
        Webhook,
        ChatAddress,
        PushSubscription,
        CalendarFeed,
        CalendarEntry,
        LastShown,
    ):
        model.objects.filter(user=user).delete()
    hashes = [address_hash(address) for address in addresses]
    for about in (Bounce, Suppression):
        about.objects.filter(Q(user=user) | Q(address_hash__in=hashes)).delete()
    ReplyAddress.objects.filter(user=user).delete()  # and with them every mail sent to them
