"""What erasing a person means for notices."""

from __future__ import annotations

from django.db.models.functions import Lower

from accounts.addresses import verified_addresses
from accounts.models import User
from notifications.models import Mute, Outbox, ReplyAddress


def erase_notices(user: User) -> None:
    """Delete all notices to the user, also those that went to his addresses before he was one, his preferences, and his mail."""
    Outbox.objects.filter(user=user).delete()
    addresses = [address.lower() for address in verified_addresses(user)]
    Outbox.objects.annotate(lower=Lower("address")).filter(lower__in=addresses).exclude(address="").delete()
    Mute.objects.filter(user=user).delete()
    ReplyAddress.objects.filter(user=user).delete()  # and with them every mail that came to them
