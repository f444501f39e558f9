"""The standing address, `play@<reply domain>`: users of the service write to it without answering a mail.

Everyone knows this address. So the door answers all senders alike, whether they are known here or not: each mail is taken and
stored by the same steps, and the worker decides once its sender is proved. Mail without proof is dropped in silence, because
anyone could make us write to others with it. It waits in a box of its own, so that forgeries hold up no answers to our mails.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from email.message import Message as Headers
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from django.conf import settings
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.addresses import user_of_address
from accounts.models import User
from accounts.throttling import throttle
from notifications import registry
from notifications.inbound import addresses
from notifications.inbound.proving import trust
from notifications.inbound.proving.authentication import NONE, PASS, Verdict
from notifications.inbound.proving.sender import sender_of
from notifications.models import InboundMail, MailStatus, Outbox, ReplyAddress
from notifications.outbox import Notice
from notifications.parsing.refusals import MailRefused
from notifications.registry import Message

PURPOSE = "play"
NO_PLAYER = "no_player"
KEPT = timedelta(days=365)
STRANGERS_A_DAY = 100
"""Answers to senders without an account a day, to all of them together. One of them gets one a day."""
_HEARD = ("automatic", "too_often")
_DAY = 86_400
_LONGEST = 254


@dataclass(frozen=True, slots=True)
class StandingAddress:
    """The destination of a mail to the standing address."""


def register() -> None:
    """Register the answer to senders without an account."""
    registry.register(NO_PLAYER, no_player, label="Answers to people without an account", essential=True)


def address() -> str:
    """Return the standing address; empty if our mails cannot be answered."""
    if not addresses.answerable():
        return ""
    mailbox = str(settings.REPLY_MAILBOX)
    return f"{mailbox}+{PURPOSE}@{settings.REPLY_DOMAIN}" if mailbox else f"{PURPOSE}@{settings.REPLY_DOMAIN}"


def resolve(written: str) -> StandingAddress | None:
    """Return the destination if this is the standing address; case is ignored."""
    own = address().lower()
    return StandingAddress() if own and written.strip().lower().replace("=", "+", 1) == own else None


def box_of(headers: Headers) -> ReplyAddress:
    """Return the row under which a mail to the standing address is stored: of its sender, or of all unknown senders together.

    The same queries run for both.
    """
    try:
        sender = sender_of(headers)
    except MailRefused:
        sender = ""
    owner = sender if user_of_address(sender) is not None else address().lower()
    key = uuid5(NAMESPACE_URL, f"standing {owner}")
    made = addresses.make(PURPOSE, key=key, user=None, email=owner, expires_at=timezone.now() + KEPT)
    rows = addresses.rows_of(addresses.token_of(made) or "")
    rows.filter(expires_at__lt=timezone.now() + KEPT / 2).update(expires_at=timezone.now() + KEPT)
    return rows.get()


def is_box(row: ReplyAddress) -> bool:
    return row.purpose == PURPOSE


class NoPlayer(MailRefused):
    """A mail to the standing address is proved to come from `sender`, who has no account."""

    def __init__(self, sender: str) -> None:
        super().__init__(NO_PLAYER)
        self.sender = sender


def check_sender(mail: InboundMail, sender: str, verdict: Verdict | None) -> User:
    """Return the user who is proved to have written a mail. Raises `NoPlayer` for a proved stranger, else `MailRefused`."""
    verdict = verdict or Verdict(NONE)
    user = user_of_address(sender)
    if user is None and verdict.dmarc == PASS:
        raise NoPlayer(sender)
    trust.check_owner(mail.address, sender, verdict)
    if user is None:
        raise MailRefused("stranger")
    return user


def check_rate(mail: InboundMail) -> None:
    """Refuse the mails of a player beyond the hour's cap, which the doors cannot count before a proof. Raises `MailRefused`."""
    since = mail.received_at - timedelta(hours=1)
    done = InboundMail.objects.filter(address=mail.address, status=MailStatus.DONE, received_at__gt=since)
    if done.count() >= settings.INBOUND_MAILS_PER_ADDRESS:
        raise MailRefused("too_often")


def is_heard(refused: MailRefused) -> bool:
    """Return True if a refusal can only come after the sender was proved, so that they may hear of it."""
    return refused.code in _HEARD


def welcome(mail: InboundMail, sender: str) -> Notice | None:
    """Return the answer to a proved sender without an account; None beyond one a day, or beyond the day's cap for all.

    Also None for an address that is longer than any (RFC 5321 section 4.5.3.1.3).
    """
    if len(sender) > _LONGEST:
        return None
    if throttle(f"standing stranger {sender}", 1, _DAY) or throttle("standing strangers", STRANGERS_A_DAY, _DAY):
        return None
    return Notice(NO_PLAYER, None, sender, payload={"message_id": mail.message_id})


def receiver_of(mail: InboundMail) -> dict[str, Any]:
    """Return the fields of a notice to the proved sender of a mail: to their account, if they still have it."""
    user = user_of_address(mail.address.email)
    return {"user_id": user.pk, "address": ""} if user is not None else {}


def forget_text(mail: InboundMail) -> bool:
    """Delete the text of a stranger's mail. The row stays for operators, with the reason."""
    if mail.address.email == address().lower():
        InboundMail.objects.filter(pk=mail.pk).update(raw=b"")
    return True


def no_player(row: Outbox) -> Message:
    """Tell a sender without an account how to take part."""
    return Message(
        subject=_("How to play here"),
        text=render_to_string("notifications/no_player.txt", {"link": settings.BASE_URL, "address": address()}),
        reason="no-player",
        in_reply_to=row.payload["message_id"],
        auto_replied=True,
    )
