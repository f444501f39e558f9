"""Addresses for one mail of ours: for returning it if it cannot be delivered, and for unsubscribing.

`bounce+<delivery id>-<seal>@<reply domain>` is the envelope sender (a variable envelope return path): whatever comes to it is
about that one notice, however badly it quotes it. Nothing is stored for it. The seal is a keyed hash, one for each purpose, so
that knowing the id of a notice is not enough to report it. Addresses without a seal are refused at RCPT.
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
    """The purpose of such an address, and the id of the notice it belongs to."""

    purpose: str
    delivery: UUID


def address(purpose: str, delivery: UUID) -> str:
    """Return the address of a notice for a purpose; empty without inbound mail, or if the mailbox's own name leaves no room."""
    if not settings.REPLY_DOMAIN:
        return ""
    local = f"{settings.REPLY_MAILBOX or purpose}+{delivery.hex}-{_seal(purpose, delivery, str(settings.SECRET_KEY))}"
    return f"{local}@{settings.REPLY_DOMAIN}" if len(local) <= _LONGEST_LOCAL else ""


def resolve(address: str) -> ReturnPath | None:
    """Return the purpose of an address if we made it, also under an earlier key that is still a fallback. Needs no database."""
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
