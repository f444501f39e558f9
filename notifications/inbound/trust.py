"""Who wrote a mail (MAIL_AND_API.md section 4, step 6): the token names the seat, and only with a proved From does it act."""

from __future__ import annotations

from email.message import EmailMessage

from accounts.addresses import verified_addresses
from notifications.inbound.authentication import FAIL, PASS, authenticate
from notifications.inbound.refusals import MailRefused
from notifications.models import ReplyAddress


def check_owner(address: ReplyAddress, message: EmailMessage, raw: bytes, sender: str) -> None:
    """Let a mail pass that is proved to come from a verified address of whom it was made for. Raises `MailRefused`: `spoofed` is
    dropped, `stranger` and `unproved` are held until the owner confirms them."""
    verdict = authenticate(message, raw, sender)
    if verdict.dmarc == FAIL and verdict.strict:
        raise MailRefused("spoofed")
    own = verified_addresses(address.user) if address.user is not None else [address.email]
    if sender not in {one.lower() for one in own}:
        raise MailRefused("stranger")
    if verdict.dmarc != PASS:
        raise MailRefused("unproved", f"dmarc={verdict.dmarc}")
