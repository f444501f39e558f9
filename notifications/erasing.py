"""Erasing a user's notices."""

from __future__ import annotations

from django.db.models import Q
from django.db.models.functions import Lower

from accounts.addresses import verified_addresses
from accounts.erasure import delete
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
    delete(Outbox.objects.filter(user=user))
    addresses = [address.lower() for address in verified_addresses(user)]
    delete(Outbox.objects.annotate(lower=Lower("address")).filter(lower__in=addresses).exclude(address=""))
    delete(ReplyAddress.objects.filter(email__in=addresses).exclude(email=""))
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
        delete(model._base_manager.filter(user=user))
    hashes = [address_hash(address) for address in addresses]
    for about in (Bounce, Suppression):
        delete(about._base_manager.filter(Q(user=user) | Q(address_hash__in=hashes)))
    delete(ReplyAddress.objects.filter(user=user))  # and with them every mail sent to them
