"""The trusted sender of a mail: the token identifies the seat, but only a proved From may act for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, timedelta
from email.message import Message
from email.utils import parsedate_to_datetime

from django.conf import settings
from django.utils import timezone

from accounts.addresses import verified_addresses
from notifications.inbound.proving.authentication import FAIL, PASS, Verdict, authenticate
from notifications.inbound.proving.sender import folded
from notifications.models import ReplyAddress
from notifications.parsing.refusals import MailRefused

MOST_AHEAD = timedelta(days=2)
"""So far in the future a mail may be dated: clocks of computers are wrong by a day or its zone."""


def is_recent(message: Message) -> bool:
    """Return True if a mail is younger than the mails that are kept here: of an older one the first copy may be gone.

    A date in the future says nothing about that: such a mail could be sent again once its first copy is deleted.
    """
    try:
        written = parsedate_to_datetime(str(message.get("Date", "")))
        age = timezone.now() - (written if written.tzinfo else written.replace(tzinfo=UTC))
    except (ValueError, TypeError, IndexError, OverflowError):
        return False
    return -MOST_AHEAD <= age < timedelta(days=settings.INBOUND_MAILS_KEPT_DAYS)


def prove(
    message: Message,
    raw: bytes,
    sender: str,
    *,
    patient: bool,
    envelope_from: str,
    digests: Mapping[str, str] | None = None,
) -> Verdict:
    """Return the proof of the sender. It uses CPU and DNS, but no database. Raises `names.Unanswered`.

    `digests`: those of a mail without its attachments (`parsing.cutting`).
    """
    return authenticate(message, raw, sender, patient=patient, digests=digests, envelope_from=envelope_from)


def check_owner(address: ReplyAddress, sender: str, verdict: Verdict, verified: Sequence[str] | None = None) -> None:
    """Check that a mail is proved to come from an address that the reply address's owner has verified (`verified`, if known).

    Raises `MailRefused`: `spoofed` is dropped, `stranger` and `unproved` are held until the owner confirms them.
    """
    if verdict.dmarc == FAIL and verdict.strict:
        raise MailRefused("spoofed")
    if address.user is None:
        verified = [address.email]
    elif verified is None:
        verified = verified_addresses(address.user)
    if sender not in {folded(one) for one in verified}:
        raise MailRefused("stranger")
    if verdict.dmarc != PASS:
        raise MailRefused("unproved", f"dmarc={verdict.dmarc}")
