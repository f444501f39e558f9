"""Limits on mail per hour: for one reply address and one player, by sender.

Mail over a limit is not taken: its sender's server keeps it and tries again. Mail counts against a player only once it is proved
to be theirs: by our border's verdict in its headers, or by the workers. Mail with an unproved sender counts against the network
it comes from and, far more generously, against its reply address. So forgers lock out themselves, and not the user whose name
they use.
"""

from __future__ import annotations

from datetime import timedelta
from email.message import Message

from django.conf import settings
from django.db.models import Count, Q
from django.utils import timezone

from accounts.addresses import verified_addresses
from accounts.throttling import throttle
from gamesvc.errors import GamesvcError
from notifications.inbound import destinations
from notifications.inbound.proving import trust
from notifications.inbound.proving.sender import sender_of
from notifications.models import InboundMail, MailStatus, ReplyAddress
from notifications.parsing.refusals import MailRefused

SPAN = timedelta(hours=1)
# A reply address takes this many times its limit of unproved mail: a forger needs a flood, and the disk is safe.
FORGED = 10


class TooMuchMail(GamesvcError):
    """The address, its owner or the sender's network has used up this hour's mail."""


def check(address: ReplyAddress, envelope_from: str, *, network: str = "", headers: Message | None = None) -> None:
    """Count one more mail to this address. Raises `TooMuchMail` if it exceeds a limit.

    `network` is that of the sender's server, if known; `headers` are the mail's, if known.
    """
    if headers is not None and _proves(headers, address):
        if not _repeated(headers, address):
            _count(address, "proved")
        return
    side = "strangers"
    if envelope_from.lower() in {own.lower() for own in _own(address)}:
        side = "claimed"
        _check_judged(address)
    if network:
        _count(address, f"{side} {network}")
    _within(f"{side} {address.pk}", FORGED * settings.INBOUND_MAILS_PER_ADDRESS)


def _own(address: ReplyAddress) -> list[str]:
    return verified_addresses(address.user) if address.user is not None else [address.email]


def _owner(address: ReplyAddress) -> Q:
    return Q(address__user=address.user_id) if address.user_id is not None else Q(address__email=address.email)


def _proves(headers: Message, address: ReplyAddress) -> bool:
    """Return True if the headers alone prove that the owner wrote the mail to this address: they hold our border's verdict."""
    if settings.INBOUND_AUTH == "own":
        return False  # that needs DNS, which the workers query
    try:
        sender = sender_of(headers)
        trust.check_owner(address, sender, trust.prove(headers, b"", sender, patient=True))
    except MailRefused:
        return False
    return destinations.written_to(headers, address)


def _repeated(headers: Message, address: ReplyAddress) -> bool:
    """Return True for a mail that is here already: it is stored once, and anyone who has it can send it again."""
    message_id = str(headers.get("Message-ID", "")).strip()
    return bool(message_id) and InboundMail.objects.filter(address=address, message_id=message_id).exists()


def _check_judged(address: ReplyAddress) -> None:
    """Apply the owner's limits to mail that the workers found to be theirs: only that was processed."""
    judged = InboundMail.objects.filter(_owner(address), status=MailStatus.DONE, received_at__gt=timezone.now() - SPAN)
    counted = judged.aggregate(all=Count("pk"), here=Count("pk", filter=Q(address=address)))
    if counted["here"] >= settings.INBOUND_MAILS_PER_ADDRESS or counted["all"] >= settings.INBOUND_MAILS_PER_USER:
        raise TooMuchMail


def _count(address: ReplyAddress, whose: str) -> None:
    _within(f"{whose} {address.pk}", settings.INBOUND_MAILS_PER_ADDRESS)
    _within(f"{whose} of {address.user_id or address.email.lower()}", settings.INBOUND_MAILS_PER_USER)


def _within(what: str, most: int) -> None:
    if throttle(f"mail in {what}", most, int(SPAN.total_seconds())):
        raise TooMuchMail
