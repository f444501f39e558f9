"""Limits on mail per hour: for one reply address and one player, by sender.

Mail over a limit is not taken: its sender's server keeps it and tries again. Mail counts against a player only once it is proved
to be theirs: by our border's verdict in its headers, or by the workers. Mail with an unproved sender counts against the network
it comes from and, far more generously, against its reply address and the owner of that. So forgers lock out themselves, and not
the user whose name they use.
"""

from __future__ import annotations

from datetime import timedelta
from email.message import Message

from django.conf import settings
from django.utils import timezone
from django.utils.crypto import salted_hmac

from accounts.addresses import IS_VERIFIED
from accounts.network import provider_network
from accounts.throttling import throttle_in_turn
from gamesvc.database.asking import ask
from gamesvc.errors import GamesvcError
from notifications.inbound import destinations, standing, store
from notifications.inbound.addresses import owner_of
from notifications.inbound.destinations import Destination
from notifications.inbound.proving import trust
from notifications.inbound.proving.authentication import PASS
from notifications.inbound.proving.sender import sender_of
from notifications.inbound.standing import StandingAddress
from notifications.models import InboundMail, MailStatus, ReplyAddress
from notifications.parsing.refusals import MailRefused

SPAN = timedelta(hours=1)
# A reply address takes this many times its limit of unproved mail: a forger needs a flood, and the disk is safe.
FORGED = 10
# The standing address takes this many times the limit of one address, of unproved mail from all senders together.
STANDING = 100
PLACES = 1000
"""Senders that are told apart in one network. A forger writes another one on each envelope, and each place is a row."""


class TooMuchMail(GamesvcError):
    """The address, its owner or the sender's network has used up this hour's mail."""


def check_any(destination: Destination, envelope_from: str, *, network: str = "", headers: Message | None = None) -> None:
    """Count one more mail to a destination. Raises `TooMuchMail` if it exceeds a limit. Returned mail is not limited here."""
    if isinstance(destination, ReplyAddress):
        check(destination, envelope_from, network=network, headers=headers)
    elif isinstance(destination, StandingAddress):
        _check_standing(envelope_from, network, headers)


def _check_standing(envelope_from: str, network: str, headers: Message | None) -> None:
    """Count one more mail to the standing address: nothing depends on who is known, so that nobody can find that out here.

    A mail that its sender wrote to others, or that is here already, does not count against them: anyone who has it can send it.
    """
    proved = _proved_sender(headers, envelope_from) if headers is not None else ""
    if headers is not None and proved:
        box = standing.box_of(headers)
        if destinations.written_to(headers, box):
            if not _repeated(headers, box):
                _within((f"standing proved {proved}", settings.INBOUND_MAILS_PER_ADDRESS))
            return
    limits: list[tuple[str, int]] = []
    if network:
        provider = provider_network(network)
        limits = [
            (f"standing {provider} sender {_place(envelope_from)}", settings.INBOUND_MAILS_PER_ADDRESS),
            (f"standing {provider}", FORGED * settings.INBOUND_MAILS_PER_ADDRESS),
        ]
    _within(*limits, ("standing unproved", STANDING * settings.INBOUND_MAILS_PER_ADDRESS))


def _place(envelope_from: str) -> int:
    """Return one of `PLACES`, by the sender that an envelope names and our key: nobody finds the place of another sender."""
    named = salted_hmac("notifications.rates", envelope_from.lower(), algorithm="sha256").digest()
    return int.from_bytes(named[:4], "big") % PLACES


def _proved_sender(headers: Message, envelope_from: str) -> str:
    """Return the sender that our border's verdict in the headers proves, with the To line; empty if there is none."""
    if settings.INBOUND_AUTH == "own":
        return ""  # that needs DNS, which the workers query
    try:
        sender = sender_of(headers)
        verdict = trust.prove(headers, b"", sender, patient=True, envelope_from=envelope_from)
        return sender if verdict.dmarc == PASS and verdict.proves("to") else ""
    except MailRefused:
        return ""


def check(address: ReplyAddress, envelope_from: str, *, network: str = "", headers: Message | None = None) -> None:
    """Count one more mail to this address. Raises `TooMuchMail` if it exceeds a limit.

    `network` is that of the sender's server, if known; `headers` are the mail's, if known.
    """
    if headers is not None and _proves(headers, address, envelope_from):
        if not _repeated(headers, address):
            _within(*_limits(address, "proved"))
        return
    side = "strangers"
    limits: list[tuple[str, int]] = []
    if _is_claimed(address, envelope_from):
        side = "claimed"
    if network:
        limits += _limits(address, f"{side} {network}")
    owner = owner_of(address)
    limits.append((f"{side} {address.pk}", FORGED * settings.INBOUND_MAILS_PER_ADDRESS))
    _within(*limits, (f"{side} of any network of {owner}", FORGED * settings.INBOUND_MAILS_PER_USER))


# Mail of the last hour that the workers found to be the owner's: only that was processed. With whether the envelope names them.
_JUDGED = f"""
SELECT claimed, counted.here, counted.every FROM (SELECT {{own}} AS claimed) AS envelope
LEFT JOIN LATERAL (
  SELECT count(*) FILTER (WHERE m.address_id = %(address)s::uuid) AS here, count(*) AS every FROM notifications_inbound_mail m
  WHERE m.owner = %(owner)s::text AND m.status = '{MailStatus.DONE.value}' AND m.received_at > %(since)s::timestamptz
) AS counted ON claimed
"""  # noqa: S608


def _is_claimed(address: ReplyAddress, envelope_from: str) -> bool:
    """Return True if the envelope names the owner of an address. Raises `TooMuchMail` if they have reached their limits."""
    own = IS_VERIFIED if address.user_id is not None else "lower(%(mailbox)s::text) = lower(%(email)s::text)"
    values = {"address": address.pk, "owner": owner_of(address), "user": address.user_id, "mailbox": address.email}
    values |= {"email": store.storable(envelope_from), "since": timezone.now() - SPAN}
    claimed, here, every = ask(_JUDGED.format(own=own), values).fetchone()
    if claimed and (here >= settings.INBOUND_MAILS_PER_ADDRESS or every >= settings.INBOUND_MAILS_PER_USER):
        raise TooMuchMail
    return bool(claimed)


def _proves(headers: Message, address: ReplyAddress, envelope_from: str) -> bool:
    """Return True if the headers alone prove that the owner wrote the mail to this address: they hold our border's verdict."""
    if settings.INBOUND_AUTH == "own":
        return False  # that needs DNS, which the workers query
    try:
        sender = sender_of(headers)
        verdict = trust.prove(headers, b"", sender, patient=True, envelope_from=envelope_from)
        trust.check_owner(address, sender, verdict)
    except MailRefused:
        return False
    return verdict.proves("to") and destinations.written_to(headers, address)


def _repeated(headers: Message, address: ReplyAddress) -> bool:
    """Return True for a mail that is here already: it is stored once, and anyone who has it can send it again."""
    message_id = store.storable(str(headers.get("Message-ID", "")).strip())
    return bool(message_id) and InboundMail.objects.filter(address=address, message_id=message_id).exists()


def _limits(address: ReplyAddress, whose: str) -> list[tuple[str, int]]:
    return [
        (f"{whose} {address.pk}", settings.INBOUND_MAILS_PER_ADDRESS),
        (f"{whose} of {address.user_id or address.email.lower()}", settings.INBOUND_MAILS_PER_USER),
    ]


def _within(*limits: tuple[str, int]) -> None:
    """Count a mail in these respects, one after the other. Raises `TooMuchMail` at the first limit that it exceeds."""
    if throttle_in_turn([(f"mail in {what}", most, int(SPAN.total_seconds())) for what, most in limits]) is not None:
        raise TooMuchMail
