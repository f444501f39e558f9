"""Message ids: which mail a mail program puts under which. All are keyed hashes, so they tell nothing about anybody."""

from __future__ import annotations

from django.conf import settings
from django.utils.crypto import salted_hmac

from notifications.models import Outbox


def root_id(row: Outbox) -> str:
    """The id of the mail that begins a topic's thread for this receiver. It can be computed before and after that mail."""
    return _message_id(row.topic.replace("_", "-")[:40] or "notice", "root", row.topic, row.receiver)


def own_id(row: Outbox) -> str:
    """The id of a mail that does not begin a thread."""
    return _message_id(row.kind.replace("_", "-"), "own", str(row.id))


def _message_id(label: str, *what: str) -> str:
    digest = salted_hmac("notifications.threads", "\n".join(what), algorithm="sha256").hexdigest()
    return f"<{label.strip('.')}.{digest[:32]}@{settings.MAIL_DOMAIN}>"
