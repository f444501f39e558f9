"""The addresses of one mail of ours: where it comes back to when it cannot be delivered, and where it is unsubscribed from.

`bounce+<delivery id>-<seal>@<reply domain>` is the envelope's sender (a variable envelope return path): whatever comes to it
speaks of that one notice, however badly it quotes it. Nothing is stored for it. The seal is a keyed hash, one for each purpose,
so that nobody who merely knows the id of a notice can report it; what is not sealed is refused at RCPT.
"""

from __future__ import annotations

import base64
import hmac
import re
from dataclasses import dataclass
from uuid import UUID

from django.conf import settings

BOUNCE = "bounce"
UNSUBSCRIBE = "unsubscribe"

_LOCAL = re.compile(r"\A(?:[a-z0-9._-]{1,32}[+=])?(?P<id>[0-9a-f]{32})-(?P<seal>[a-z2-7]{10})\Z")
# RFC 5321 section 4.5.3.1.1
_LONGEST_LOCAL = 64
_LONGEST = 254


@dataclass(frozen=True, slots=True)
class ReturnPath:
    """What an address of ours is for, and the id of the notice it belongs to."""

    purpose: str
    delivery: UUID


def address(purpose: str, delivery: UUID) -> str:
    """The address of a notice for a purpose; empty where no mail comes in, or the mailbox's own name leaves no room."""
    if not settings.REPLY_DOMAIN:
        return ""
    local = f"{settings.REPLY_MAILBOX or purpose}+{delivery.hex}-{_seal(purpose, delivery, str(settings.SECRET_KEY))}"
    return f"{local}@{settings.REPLY_DOMAIN}" if len(local) <= _LONGEST_LOCAL else ""


def resolve(address: str) -> ReturnPath | None:
    """What an address is for, if we made it, also under an earlier key that is still listed as a fallback; asks no database."""
    local, at, domain = address.strip().lower().rpartition("@")
    if not at or len(address) > _LONGEST or domain != str(settings.REPLY_DOMAIN).lower():
        return None
    found = _LOCAL.match(local)
    if found is None:
        return None
    delivery = UUID(hex=found["id"])
    for purpose in (BOUNCE, UNSUBSCRIBE):
        for key in (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS):
            if hmac.compare_digest(found["seal"], _seal(purpose, delivery, str(key))):
                return ReturnPath(purpose, delivery)
    return None


def _seal(purpose: str, delivery: UUID, key: str) -> str:
    digest = hmac.digest(key.encode(), f"return path {purpose} {delivery}".encode(), "sha256")
    return base64.b32encode(digest)[:10].decode().lower()
