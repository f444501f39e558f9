"""Holding and confirming: orders without proof of the player are held, and the player is asked at their own address.

The mail has a link (GET shows, POST accepts) and an address that takes `yes` once. Anyone who reads that mailbox counts as the
player.
"""

from __future__ import annotations

import re
from datetime import timedelta
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.throttling import throttle
from notifications import registry
from notifications.inbound import addresses, stopping, store
from notifications.models import InboundMail, MailStatus, Outbox, ReplyAddress
from notifications.outbox import Notice
from notifications.parsing import reading, text
from notifications.parsing.limits import cpu_limit
from notifications.parsing.refusals import REFUSALS, MailRefused
from notifications.registry import Message

PURPOSE = "confirm"
QUESTIONS_A_DAY = 20
ASKED_FOR = timedelta(days=7)
_DAY = 86_400
# A yes, and behind it nothing but what makes it clearer.
_YES = re.compile(
    r"(?:yes|yep|yeah|sure|ja|jawohl|oui|sí|sim|tak|ano|kyllä|igen)"
    r"(?:[^\w?]+(?:please|thanks?(?: you)?|of course|confirmed|sure"
    r"|(?:they|these|those) are(?: all)?(?: mine| my orders| from me)?"
    r"|(?:it|that) (?:was|is) me|i (?:did|do|wrote them|sent them|confirm)(?: that| them| it)?|mine"
    r"|bitte|danke|stimmt|bestätigt|natürlich|das war ich"
    r"|(?:das|die|sie) (?:sind|waren)(?: alle)?(?: meine| von mir)?)){0,3}[^\w?]*",
    re.IGNORECASE,
)


def register() -> None:
    """Register the wording of our two kinds of notice."""
    registry.register("mail_held", mail_held, label="Orders to be confirmed", essential=True)
    registry.register("mail_failed", mail_failed, label="Mail that could not be read", essential=True)


def may_answer(address: ReplyAddress, limit: int | None = None, *, reason: str = "") -> bool:
    """Count one more answer to the owner of an address today. Return False beyond the limit, which ends any loop or flood.

    Each `reason` counts separately: mail by strangers does not use up the questions about the owner's own mails.
    """
    most = limit or settings.INBOUND_ANSWERS_PER_DAY
    return throttle(f"mail answers {limit or ''} {reason} {address.user_id or address.email}", most, _DAY) == 0


def question(mail: InboundMail, *, reason: str) -> Notice | None:
    """Return the notice that asks the owner of the address if a held mail is theirs.

    The first question of a day beyond the limit says that it is the last one; after that None.
    """
    owner, payload = mail.address, {"mail": str(mail.id)}
    if not may_answer(owner, QUESTIONS_A_DAY, reason=reason):
        if not may_answer(owner, 1, reason=f"last {reason}"):
            return None
        payload["last"] = "yes"
    return Notice("mail_held", owner.user_id, owner.email, topic=owner.topic, payload=payload)


def mail_held(row: Outbox) -> Message | None:
    """Show the held orders; None once they are confirmed or gone."""
    mail = find(UUID(row.payload["mail"]))
    if mail is None:
        return None
    answer_to = addresses.make(
        PURPOSE,
        key=mail.id,
        user=row.user,
        email=row.address,
        topic=mail.address.topic,
        payload={"mail": str(mail.id)},
        expires_at=mail.received_at + ASKED_FOR,
    )
    stops = mail.address.purpose == stopping.PURPOSE
    context = {
        "mark": text.MARK,
        "stops": stops,
        "orders": shown(mail),
        "received_at": mail.received_at,
        "last": "last" in row.payload,
        "waiting": _waiting(mail.address) if "last" in row.payload else 0,
        "site": settings.BASE_URL,
        "link": f"{settings.BASE_URL}/mail/confirm/{addresses.token_of(answer_to)}",
    }
    return Message(
        subject=_("Do you want to stop these mails?") if stops else _("Are these orders yours?"),
        text=render_to_string("notifications/held.txt", context),
        reason="orders-held",
        reply_to=answer_to,
        auto_replied=True,
    )


def _waiting(address: ReplyAddress) -> int:
    """Return how many mails to the addresses of one owner are held and can still be confirmed."""
    held = InboundMail.objects.filter(status=MailStatus.HELD, received_at__gt=timezone.now() - ASKED_FOR)
    return held.filter(address__user=address.user_id, address__email=address.email).count()


def mail_failed(row: Outbox) -> Message | None:
    """Explain why a mail was not processed, and what to do; None once the mail is deleted."""
    mail = InboundMail.objects.filter(pk=row.payload["mail"]).first()
    if mail is None:
        return None
    # Without a code the fault is ours, and there is nothing to correct.
    code = row.payload.get("code", "")
    advice = REFUSALS[code].advice if code in REFUSALS else ""
    confirmed = code == "used"
    context = {
        "received_at": mail.received_at,
        "link": settings.BASE_URL,
        "reason": _(advice) if advice else "",
        "done": confirmed,
    }
    return Message(
        subject=_("Your orders are already confirmed") if confirmed else _("Your mail could not be read"),
        text=render_to_string("notifications/failed.txt", context),
        reason="mail-failed",
        in_reply_to=mail.message_id,
        auto_replied=True,
    )


def find(mail_id: UUID) -> InboundMail | None:
    """Return a mail that is still held; None if there is none."""
    return InboundMail.objects.select_related("address").filter(pk=mail_id, status=MailStatus.HELD).first()


def shown(mail: InboundMail) -> str:
    """Return the orders of a held mail, as text."""
    try:
        with cpu_limit():
            return text.written(reading.parse(bytes(mail.raw))).own
    except MailRefused as refused:
        return f"({refused.code.replace('_', ' ')})"


def answered(address: ReplyAddress, written: str) -> None:
    """Process an answer to the question: a clear yes in its first line confirms, once. Raises `MailRefused` for anything else."""
    first = written.partition("\n")[0].strip(" .!\t")
    if not _YES.fullmatch(first):
        raise MailRefused("not_confirmed")
    accept(address)


def accept(address: ReplyAddress) -> bool:
    """Confirm by an address of confirmation.

    Return True if the mail was still held. Raises `MailRefused` if it was used before.
    """
    with transaction.atomic():
        if not ReplyAddress.objects.filter(pk=address.pk, used_at=None).update(used_at=timezone.now()):
            raise MailRefused("used")
        return store.confirm(UUID(address.payload["mail"]))
