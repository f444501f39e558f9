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
from notifications import moments, registry
from notifications.inbound import addresses, stopping, store
from notifications.inbound.proving.sender import sender_of
from notifications.models import InboundMail, MailStatus, Outbox, ReplyAddress
from notifications.outbox import Notice
from notifications.parsing import reading, text
from notifications.parsing.limits import cpu_limit
from notifications.parsing.quotes import is_farewell
from notifications.parsing.refusals import REFUSALS, MailRefused
from notifications.registry import Message
from notifications.sending.mail import clean_line, indented

PURPOSE = "confirm"
QUESTIONS_A_DAY = 20
ASKED_FOR = timedelta(days=7)
_DAY = 86_400
MOST_YES = 4
# A yes, and behind it nothing but what makes it clearer.
_YES = re.compile(
    r"[^\w?]*(?:yes|y|yep|yeah|sure|ja|jawohl|oui|sí|si|sim|tak|ano|kyllä|igen|да|так|はい|是的?|네|예)"
    r"(?:[^\w?]+(?:please|thanks?(?: you)?|of course|confirmed|sure"
    r"|(?:they|these|those) are(?: all)?(?: mine| my orders| from me)?"
    r"|(?:it|that) (?:was|is) me|i (?:did|do|wrote them|sent them|confirm)(?: that| them| it)?|mine"
    r"|bitte|danke|stimmt|bestätigt|natürlich|das war ich"
    r"|(?:das|die|sie) (?:sind|waren)(?: alle)?(?: meine| von mir)?"
    r"|merci|gracias|grazie|obrigad[oa]|dziękuję|díky|děkuji|tack|takk|dank je|bedankt|kiitos|köszönöm|спасибо|дякую"
    r")){0,3}[^\w?]*",
    re.IGNORECASE,
)
_GREETING = re.compile(
    r"(?:hi|hello|hey|dear|hallo|moin|servus|liebe[rs]?|guten \w+|good \w+)\b(?: \w+){0,3}[,.!]*", re.IGNORECASE
)
# What makes of a signature's line, or of a name, something else.
_TAKES_BACK = re.compile(
    r"[?!]|n't\b|\b(?:no|not|none|never|nothing|nor|wait|stop|cancel|only|but|except|without|unless|if|sorry|mistake|wrong|forget|later|maybe|abort|ignore|skip|first|second|last|tomorrow|yet|after|when|once"
    r"|nein|nicht|nichts|nie|kein\w*|warte|halt|stopp?|nur|aber|außer|ohne|wenn|falls|versehen|doch|später|vielleicht|morgen|erst\w*|falsch\w*|vergiss"
    r"|non|pas|ne|sauf|mais|ma|però|pero|não|nao|mas|nie|ale|nee|niet|maar|nej|inte|ikke|men|ei|не|нет|но)\b",
    re.IGNORECASE,
)
_NAME = re.compile(r"[^\W\d_][\w.'’-]{0,30}(?: [^\W\d_][\w.'’-]{0,30}){0,3}")


def register() -> None:
    """Register the wording of our two kinds of notice."""
    registry.register("mail_held", mail_held, label="Orders to be confirmed", essential=True, quotes=True)
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
    topic = registry.topic_of(mail.address.topic, row.user_id)
    context = {
        "mark": text.MARK,
        "stops": stopping.words_of(mail.address) if stops else "",
        "match": topic.name,
        "due": moments.shown(topic.due_at) if topic.due_at is not None else "",
        "sender": sender_shown(mail),
        "why": reason_of(mail),
        "orders": indented(shown(mail)),
        "received": moments.shown(mail.received_at),
        "last": "last" in row.payload,
        "waiting": _waiting(mail.address) if "last" in row.payload else 0,
        "site": settings.BASE_URL,
        "link": f"{settings.BASE_URL}/mail/confirm/{addresses.token_of(answer_to)}",
    }
    asked = _("Do you want to stop these mails?") if stops else _("Are these orders yours?")
    return Message(
        subject=f"[{topic.name}] {asked}" if topic.name else asked,
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
    subject = {"used": _("Your orders are already confirmed"), "automatic": _("Did you write this yourself?")}
    context = {
        "received": moments.shown(mail.received_at),
        "link": settings.BASE_URL,
        "reason": _(advice) if advice else "",
        "done": confirmed,
    }
    return Message(
        subject=subject.get(code) or _("Your mail could not be read"),
        text=render_to_string("notifications/failed.txt", context),
        reason="mail-failed",
        in_reply_to=mail.message_id,
        auto_replied=True,
    )


def find(mail_id: UUID) -> InboundMail | None:
    """Return a mail that is still held; None if there is none."""
    return InboundMail.objects.select_related("address").filter(pk=mail_id, status=MailStatus.HELD).first()


def reason_of(mail: InboundMail) -> str:
    """Return the code of the refusal for which a mail is held (`refusals`)."""
    return mail.error.partition(":")[0]


def shown(mail: InboundMail) -> str:
    """Return the orders of a held mail, as text."""
    try:
        with cpu_limit():
            return text.written(reading.parse(bytes(mail.raw))).own
    except MailRefused as refused:
        return f"({refused.code.replace('_', ' ')})"


def sender_shown(mail: InboundMail) -> str:
    """Return the address that a held mail says it comes from; empty if it cannot be read."""
    try:
        with cpu_limit():
            return clean_line(sender_of(reading.parse_head(bytes(mail.raw))), 120)
    except MailRefused:
        return ""


def answered(address: ReplyAddress, written: str) -> None:
    """Process an answer to the question: a clear yes confirms, once. Raises `MailRefused` for anything else."""
    if not is_yes(written):
        raise MailRefused("not_confirmed")
    accept(address)


def is_yes(written: str) -> bool:
    """Return True if an answer says yes in its first line and nothing else: above it a greeting, below it more of the kind.

    Below that at most a closing line stands, with a name.
    """
    lines = [line.strip() for line in written.split("\n") if line.strip() and line.strip() != text.END]
    if lines and _GREETING.fullmatch(lines[0]):
        del lines[0]
    ends = max((end for end in range(1, MOST_YES + 1) if _YES.fullmatch(" ".join(lines[:end]))), default=0)
    if not ends:
        return False
    match lines[ends:]:
        case []:
            return True
        case [closing]:
            return is_farewell(closing) and not _TAKES_BACK.search(closing)
        case [closing, name]:
            named = _NAME.fullmatch(name) and name.istitle()
            return bool(named) and is_farewell(closing) and not _TAKES_BACK.search(f"{closing} {name}")
    return False


def accept(address: ReplyAddress) -> bool:
    """Confirm by an address of confirmation.

    Return True if the mail was still held. Raises `MailRefused` if it was used before.
    """
    with transaction.atomic():
        if not ReplyAddress.objects.filter(pk=address.pk, used_at=None).update(used_at=timezone.now()):
            raise MailRefused("used")
        return store.confirm(UUID(address.payload["mail"]))
