"""Who wrote a mail (MAIL_AND_API.md section 4, step 6): the token names the seat, and only with a proved From does it act."""

from __future__ import annotations

from email.message import EmailMessage

from accounts.addresses import verified_addresses
from accounts.models import User
from notifications.inbound.authentication import FAIL, PASS, authenticate
from notifications.inbound.refusals import MailRefused


def check_player(user: User, message: EmailMessage, raw: bytes, sender: str) -> None:
    """Let a mail pass that is proved to come from a verified address of this user. Raises `MailRefused`: `spoofed` is
    dropped, `stranger` and `unproved` are held until the user confirms them."""
    verdict = authenticate(message, raw, sender)
    if verdict.dmarc == FAIL and verdict.strict:
        raise MailRefused("spoofed")
    if sender not in {address.lower() for address in verified_addresses(user)}:
        raise MailRefused("stranger")
    if verdict.dmarc != PASS:
        raise MailRefused("unproved", f"dmarc={verdict.dmarc}")
