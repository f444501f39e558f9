"""The address that stops mails (List-Unsubscribe). A letter to it is authenticated and processed like an order.

Its sender need not be the receiver of our mail: a forwarded mail shows the address too. A letter without proof is held, and the
receiver of the mail is asked.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from django.utils import timezone

from notifications.inbound import addresses, purposes
from notifications.inbound.purposes import Handled, Letter
from notifications.models import Outbox, ReplyAddress, Scope, Status
from notifications.returned.return_paths import ReturnPath
from notifications.wanted import muting
from notifications.wanted.preferences import Receiver, address_hash

PURPOSE = "unsubscribe"
_KEPT = timedelta(days=60)


def register() -> None:
    """Register the handler of letters that stop mails."""
    purposes.register(PURPOSE, handle)


def address_of(path: ReturnPath) -> ReplyAddress | None:
    """Return the row behind the unsubscribe address of a mail, created at the first letter; None if that mail is unknown."""
    row = Outbox.objects.select_related("user").filter(pk=path.delivery).first()
    if row is None or (row.status == Status.QUEUED and not row.sent_to):
        return None
    made = addresses.make(
        PURPOSE,
        key=row.id,
        user=row.user,
        email=row.address,
        payload={"kind": row.kind, "topic": row.topic},
        expires_at=timezone.now() + _KEPT,
    )
    return addresses.find(addresses.token_of(made) or "")


def words_of(address: ReplyAddress) -> str:
    """Return the name of the mails that a letter to an address stops."""
    return muting.words(*_pair(address.payload))


def _pair(payload: Mapping[str, Any]) -> tuple[Scope, str]:
    return (Scope.TOPIC, payload["topic"]) if payload["topic"] else (Scope.KIND, payload["kind"])


def handle(letter: Letter) -> Handled:
    """Stop mails as one click does: those of the match, or of the kind if the mail was about no match."""
    owner = letter.owner
    receiver = Receiver(user_id=owner.pk) if owner is not None else Receiver(address_hash=address_hash(letter.email))
    pair = _pair(letter.payload)
    return Handled({"stopped": list(pair), "new": muting.mute(receiver, [pair])})
