"""How much mail one reply address and one player may get into the queue in an hour.

Mail over the cap is not taken: its sender's server keeps it and tries again. What comes from the owner's own addresses is
counted apart from the rest, so that a stranger who floods an address of theirs does not shut them out.
"""

from __future__ import annotations

from datetime import timedelta

from django.conf import settings
from django.db.models import Count, Q
from django.db.models.functions import Lower
from django.utils import timezone

from accounts.addresses import verified_addresses
from notifications.models import InboundMail, ReplyAddress

SPAN = timedelta(hours=1)


class TooMuchMail(Exception):
    """The address, or its owner, has had all the mail of this hour."""


def check(address: ReplyAddress, envelope_from: str) -> None:
    """Raise `TooMuchMail` if one more mail from this sender to this address is over a cap."""
    own = {one.lower() for one in (verified_addresses(address.user) if address.user is not None else [address.email])}
    lately = InboundMail.objects.filter(received_at__gt=timezone.now() - SPAN).annotate(sender=Lower("envelope_from"))
    alike = lately.filter(sender__in=own) if envelope_from.lower() in own else lately.exclude(sender__in=own)
    owner = Q(address__user=address.user_id) if address.user_id is not None else Q(address__email=address.email)
    counted = alike.filter(owner).aggregate(all=Count("pk"), here=Count("pk", filter=Q(address=address)))
    if counted["here"] >= settings.INBOUND_MAILS_PER_ADDRESS or counted["all"] >= settings.INBOUND_MAILS_PER_USER:
        raise TooMuchMail
