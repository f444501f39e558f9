"""Stopping mails on a user's request, confirmed by one last mail with a link that reverses it.

Anyone who holds a forwarded mail may use its links and addresses. So mails never stop without a confirmation, however it was
requested: link, one click, mail, provider or profile page.
"""

from __future__ import annotations

from collections.abc import Sequence

from django.conf import settings
from django.core import signing
from django.db import transaction
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.translation import gettext as _

from accounts.models import User
from accounts.throttling import count_or_wait, throttle
from gamesvc.language import say
from notifications import outbox, registry
from notifications.models import Outbox, Scope
from notifications.outbox import Notice
from notifications.registry import Message
from notifications.wanted import preferences
from notifications.wanted.preferences import Receiver, receiver_of

STOPPED = "mails_stopped"
# Changes per day by links in a receiver's mails; each stop causes a mail.
CHANGES_A_DAY = 20
CHOICES_A_DAY = 50
"""The same on the page of the account: apart, so that nobody with an old mail keeps its receiver from there."""
_DAY = 86_400

Pairs = Sequence[tuple[Scope, str]]
_signer = signing.Signer(salt="notifications.muting")


def register() -> None:
    """Register the wording of the confirmation."""
    registry.register(STOPPED, stopped, label="Mails you asked to stop", essential=True)


def mute(receiver: Receiver, pairs: Pairs) -> bool:
    """Stop these mails and queue one mail that says so. Return False if all of them were stopped before."""
    with transaction.atomic():
        new = [(scope, value) for scope, value in pairs if preferences.mute(receiver, scope, value)]
        address = "" if receiver.user_id is not None else _address_of(receiver)
        if new and (receiver.user_id is not None or address):
            topic = next((value for scope, value in new if scope == Scope.TOPIC), "")
            payload = {"stopped": [[scope, value] for scope, value in new]}
            outbox.notify(Notice(STOPPED, receiver.user_id, address, topic=topic, payload=payload))
    return bool(new)


def may_change(receiver: Receiver) -> bool:
    """Count a change by a link in a mail. Return False beyond the daily limit."""
    return throttle(f"mutes by link {receiver.user_id or receiver.address_hash}", CHANGES_A_DAY, _DAY) == 0


def count_choice(user: User) -> None:
    """Count one more choice of mails on the page of an account. Raises `TooMany` beyond the daily limit."""
    sentence = say("You can choose your mails at most {most} times a day.", most=CHOICES_A_DAY)
    count_or_wait(f"choices of mails by {user.pk}", CHOICES_A_DAY, _DAY, sentence)


def stopped(row: Outbox) -> Message | None:
    """List the stopped mails, with the link that reverses it; None if they were requested again meanwhile."""
    pairs = [(Scope(scope), value) for scope, value in row.payload["stopped"]]
    receiver = receiver_of(row)
    kept = [(scope, value) for scope, value in pairs if receiver.mutes.filter(scope=scope, value=value).exists()]
    if not kept:
        return None
    name = registry.topic_of(row.topic).name
    context = {
        "stopped": [words(scope, value) for scope, value in kept],
        "match": bool(row.topic),
        "link": undo_link(receiver, kept),
    }
    return Message(
        subject=_("You no longer get these mails"),
        text=render_to_string("notifications/stopped.txt", context),
        reason="mails-stopped",
        sender_name=name,
    )


def words(scope: Scope, value: str) -> str:
    """Return the name of what a mute stops, in the reader's language."""
    if scope == Scope.TOPIC:
        name = registry.topic_of(value).name
        return _("all mails about the match %(name)s") % {"name": name} if name else _("all mails about this match")
    if scope == Scope.ALL:
        return _("all mails about matches")
    kind = registry.find(value)
    return _("all mails of the kind “%(label)s”") % {"label": _(kind.label) if kind else value.replace("_", " ")}


def undo_link(receiver: Receiver, pairs: Pairs) -> str:
    """Return the page where a receiver resumes these mails. Only a mail to them contains it."""
    token = _signer.sign_object([receiver.user_id, receiver.address_hash, [[scope, value] for scope, value in pairs]])
    return str(settings.BASE_URL).rstrip("/") + reverse("notifications:resume", args=[token])


def read_undo(token: str) -> tuple[Receiver, Pairs] | None:
    """Return the receiver and mutes of an undo link; None if it was not made here."""
    try:
        parts = _signer.unsign_object(token)
    except signing.BadSignature:
        return None
    user_id, address_hash, pairs = parts
    return Receiver(user_id, address_hash), [(Scope(scope), value) for scope, value in pairs]


def undo(receiver: Receiver, pairs: Pairs) -> None:
    """Send these mails again."""
    for scope, value in pairs:
        preferences.unmute(receiver, scope, value)


def _address_of(receiver: Receiver) -> str:
    """Return the address of a receiver without an account, known by its keyed hash only; empty if no mail went there."""
    row = Outbox.objects.filter(user=None, sent_to=receiver.address_hash).order_by("-created_at").first()
    return row.address if row is not None else ""
