"""How much mail one reply address and one player may get into the queue in an hour.

Mail over the cap is not taken: its sender's server keeps it and tries again. What comes from the owner's own addresses is
counted apart from the rest, so that a stranger who floods an address of theirs does not shut them out; and of it only what is
proved or not judged yet, so that a stranger who writes their name on the envelope does not either.
"""

from __future__ import annotations

from datetime import timedelta

from django.conf import settings
from django.db.models import Count, Q
from django.db.models.functions import Lower
from django.utils import timezone

from accounts.addresses import verified_addresses
from notifications.models import InboundMail, MailStatus, ReplyAddress

SPAN = timedelta(hours=1)
# What was not proved: it says who sent it, and anybody can say so.
UNPROVED = (MailStatus.HELD, MailStatus.REFUSED)
# So many times a cap is kept of mail that only claims to be its owner's: enough that a forger needs a flood, and the disk stays.
FORGED = 10


class TooMuchMail(Exception):
    """The address, or its owner, has had all the mail of this hour."""


def check(address: ReplyAddress, envelope_from: str) -> None:
    """Raise `TooMuchMail` if one more mail from this sender to this address is over a cap."""
    own = {one.lower() for one in (verified_addresses(address.user) if address.user is not None else [address.email])}
    lately = InboundMail.objects.filter(received_at__gt=timezone.now() - SPAN).annotate(sender=Lower("envelope_from"))
    alike = lately.filter(sender__in=own) if envelope_from.lower() in own else lately.exclude(sender__in=own)
    owner = Q(address__user=address.user_id) if address.user_id is not None else Q(address__email=address.email)
    here, judged = Q(address=address), Q(status__in=UNPROVED)
    counted = alike.filter(owner).aggregate(
        all=Count("pk", filter=~judged),
        here=Count("pk", filter=here & ~judged),
        forged=Count("pk", filter=judged),
        forged_here=Count("pk", filter=here & judged),
    )
    if envelope_from.lower() not in own:
        counted["all"], counted["here"] = counted["all"] + counted["forged"], counted["here"] + counted["forged_here"]
    per_address, per_user = settings.INBOUND_MAILS_PER_ADDRESS, settings.INBOUND_MAILS_PER_USER
    forged = counted["forged_here"] >= FORGED * per_address or counted["forged"] >= FORGED * per_user
    if forged or counted["here"] >= per_address or counted["all"] >= per_user:
        raise TooMuchMail
