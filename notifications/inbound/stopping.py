"""The address that stops mails (List-Unsubscribe): a letter to it is proved and worked on like an order.

Its holder need not be the one to whom our mail went: a forwarded mail shows it too. What is not proved is held, and the
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
    """Take the letters that ask to stop mails."""
    purposes.register(PURPOSE, handle)


def address_of(path: ReturnPath) -> ReplyAddress | None:
    """The row behind the unsubscribe address of a mail, made when the first letter comes; None if that mail is unknown."""
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
    """Do what one click means: stop the mails of the match, or of the kind where the mail was about none."""
    kind, topic = letter.payload["kind"], letter.payload["topic"]
    owner = letter.owner
    receiver = Receiver(user_id=owner.pk) if owner is not None else Receiver(address_hash=address_hash(letter.email))
    pair = (Scope.TOPIC, topic) if topic else (Scope.KIND, kind)
    return Handled({"stopped": list(pair), "new": muting.mute(receiver, [pair])})
