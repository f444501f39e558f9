"""Message ids, by which mail programs build threads. All are keyed hashes, so they reveal nothing about users."""

from __future__ import annotations

from django.conf import settings
from django.utils.crypto import salted_hmac

from notifications.models import Outbox


def root_id(row: Outbox) -> str:
    """Return the id of the mail that begins a topic's thread for this receiver. It can be computed at any time."""
    return _message_id(row.topic, "root", row.topic, row.receiver)


def own_id(row: Outbox) -> str:
    """Return the id of a mail that does not begin a thread."""
    return _message_id(row.kind, "own", str(row.id))


def _message_id(label: str, *what: str) -> str:
    # Short: header lines are folded at 78 characters, and some programs fail to recognise an id that begins on the next line.
    digest = salted_hmac("notifications.threads", "\n".join(what), algorithm="sha256").hexdigest()
    return f"<{label.replace('_', '-')[:16].strip('.-')}.{digest[:24]}@{settings.MAIL_DOMAIN}>"
