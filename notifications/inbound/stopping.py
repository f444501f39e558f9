"""The address that stops mails (List-Unsubscribe). A letter to it is authenticated and processed like an order.

Its sender need not be the receiver of our mail: a forwarded mail shows the address too. A letter without proof is held, and the
receiver of the mail is asked.
"""

from __future__ import annotations

from datetime import timedelta

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


def handle(letter: Letter) -> Handled:
    """Stop mails as one click does: those of the match, or of the kind if the mail was about no match."""
    kind, topic = letter.payload["kind"], letter.payload["topic"]
    owner = letter.owner
    receiver = Receiver(user_id=owner.pk) if owner is not None else Receiver(address_hash=address_hash(letter.email))
    pair = (Scope.TOPIC, topic) if topic else (Scope.KIND, kind)
    return Handled({"stopped": list(pair), "new": muting.mute(receiver, [pair])})
