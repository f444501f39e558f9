"""Unsubscribing by link, by one click (RFC 8058) and by mail: the headers, the signed link, and its meaning.

The link names the receiver, the kind and the topic, signed and without expiry: an old mail must still work. It grants nothing
else. A stranger's address is in it as a keyed hash only.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass

from django.conf import settings
from django.core import signing
from django.urls import reverse

from notifications.models import Outbox, Scope
from notifications.returned import return_paths
from notifications.wanted.preferences import Receiver, receiver_of

HERE = f"https://{secrets.token_hex(16)}.invalid/"
"""Placeholder for the notice's own unsubscribe link, replaced when the notice becomes a mail.

Random in each process, so that no player can write it into a text.
"""

_signer = signing.Signer(salt="notifications.unsubscribe")


@dataclass(frozen=True)
class Subscription:
    """The content of an unsubscribe link."""

    receiver: Receiver
    kind: str
    topic: str

    def value(self, scope: Scope) -> str:
        """Return the value for a scope."""
        return {Scope.KIND: self.kind, Scope.TOPIC: self.topic, Scope.ALL: ""}[scope]

    @property
    def scopes(self) -> list[Scope]:
        """Return the possible scopes. The first is that of one click: the match, if any, since the List-Id names it."""
        return [Scope.TOPIC, Scope.KIND, Scope.ALL] if self.topic else [Scope.KIND, Scope.ALL]


def link(row: Outbox) -> str:
    """Return the address of the page on which the receiver of this notice can stop mails."""
    receiver = receiver_of(row)
    token = _signer.sign_object([receiver.user_id, receiver.address_hash, row.kind, row.topic])
    path = reverse("notifications:unsubscribe", args=[token])
    return str(settings.BASE_URL).rstrip("/") + path


def read(token: str) -> Subscription | None:
    """Return the content of a link's token; None if it was not made here."""
    try:
        parts = _signer.unsign_object(token)
    except signing.BadSignature:
        return None
    user_id, address_hash, kind, topic = parts
    return Subscription(Receiver(user_id, address_hash), kind, topic)


def headers(row: Outbox) -> dict[str, str]:
    """Return the List-Unsubscribe headers: the link, and an address for programs that send a mail instead.

    One click needs https (RFC 8058 section 3.1); without it the header that promises it is left out.
    """
    address = link(row)
    by_mail = return_paths.address(return_paths.UNSUBSCRIBE, row.id)
    given = {"List-Unsubscribe": f"<{address}>" + (f", <mailto:{by_mail}?subject=unsubscribe>" if by_mail else "")}
    if address.startswith("https://"):
        given["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
    return given
