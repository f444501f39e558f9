"""The trusted sender of a mail: the token identifies the seat, but only a proved From may act for it."""

from __future__ import annotations

from email.message import Message

from accounts.addresses import verified_addresses
from notifications.inbound.proving.authentication import FAIL, PASS, Verdict, authenticate
from notifications.inbound.proving.sender import folded
from notifications.models import ReplyAddress
from notifications.parsing.refusals import MailRefused


def prove(message: Message, raw: bytes, sender: str, *, patient: bool) -> Verdict:
    """Return the proof of the sender. It uses CPU and DNS, but no database. Raises `names.Unanswered`."""
    return authenticate(message, raw, sender, patient=patient)


def check_owner(address: ReplyAddress, sender: str, verdict: Verdict) -> None:
    """Check that a mail is proved to come from a verified address of the reply address's owner.

    Raises `MailRefused`: `spoofed` is dropped, `stranger` and `unproved` are held until the owner confirms them.
    """
    if verdict.dmarc == FAIL and verdict.strict:
        raise MailRefused("spoofed")
    own = verified_addresses(address.user) if address.user is not None else [address.email]
    if sender not in {folded(one) for one in own}:
        raise MailRefused("stranger")
    if verdict.dmarc != PASS:
        raise MailRefused("unproved", f"dmarc={verdict.dmarc}")
