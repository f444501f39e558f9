"""Chat channels: Discord, Slack, Telegram, Matrix and ntfy, each a step in the order of a user's channels, sent by Apprise.

A notice goes there as its title and its link, as with push. The addresses hold the keys of the users' rooms, so nothing shows
them. `chat_services` knows which addresses may be used, and sends.
"""

from __future__ import annotations

import functools

from django.db import transaction
from django.utils import timezone

from accounts.models import User
from notifications import channels
from notifications.channels import ChannelRefused, Parcel
from notifications.models import ChatAddress, Handover, Outbox, Preference
from notifications.other_channels import titles
from notifications.other_channels.chat_names import SERVICES
from notifications.wanted import wishes


def register() -> None:
    """Register a channel for each service."""
    for service in SERVICES:
        channels.register(service, _PACKERS[service], functools.partial(has, service))


def has(service: str, user_id: int) -> bool:
    """Return True if a user has an address of this service."""
    return ChatAddress.objects.filter(user_id=user_id, service=service).exists()


def of(user: User) -> dict[str, ChatAddress]:
    """Return the addresses of a user by service."""
    return {row.service: row for row in ChatAddress.objects.filter(user=user)}


def set_up(user: User, service: str, address: str) -> ChatAddress:
    """Take or change the address of a service. A new service stands behind the user's other channels. Raises `WishRefused`."""
    # Apprise takes half a second and 15 MB to load: only for those who use it.
    from notifications.other_channels import chat_services

    chat_services.check(service, address)
    with transaction.atomic():
        User.lock(user.pk)
        row, new = ChatAddress.objects.update_or_create(
            user=user, service=service, defaults={"address": address, "changed_at": timezone.now()}
        )
        order = list(wishes.wishes_of(user.pk).channels)
        if new and service not in order:
            wishes.set_wishes(user, {"channels": [*order, service]})
    return row


def remove(user: User, service: str) -> bool:
    """Delete the address of a service, and take it out of the order of channels. Return True if there was one."""
    with transaction.atomic():
        User.lock(user.pk)
        gone = bool(ChatAddress.objects.filter(user=user, service=service).delete()[0])
        if gone and Preference.objects.filter(user=user, channels__contains=[service]).exists():
            wishes.set_wishes(user, {"channels": [name for name in wishes.wishes_of(user.pk).channels if name != service]})
    return gone


def _pack(service: str, notice: Outbox, handover: Handover) -> Parcel:
    """Write one notice for a service. Raises `ChannelRefused`."""
    row = ChatAddress.objects.filter(user=notice.user, service=service).first() if notice.user is not None else None
    if row is None:
        raise ChannelRefused("the address was removed")
    from notifications.other_channels import chat_services  # as in `set_up`

    title, link = titles.of(notice)
    lane, send = chat_services.prepared(service, row.address, notice.pk)
    return Parcel(lane, functools.partial(send, title, link), lambda fault: None)


# One function for each channel: a name registers once, and the registry compares functions.
_PACKERS = {service: functools.partial(_pack, service) for service in SERVICES}
