"""Reply addresses: `turn+<token>@<reply domain>`. The token is 128 bits, has one purpose, and is stored as a keyed hash.

Both usual set-ups work: plus-addressing in one mailbox of a domain, and a sub-domain with a catch-all. The part before the token
is for people and mail servers only; the token alone decides.
"""

from __future__ import annotations

import base64
import hmac
import json
import re
from datetime import datetime
from uuid import UUID, uuid4

from django.conf import settings
from django.db.models import QuerySet
from django.utils import timezone

from accounts.models import User
from gamesvc.database.asking import UNHURRIED, ask
from gamesvc.database.prepared import Given, OneOf, Prepared
from gamesvc.json_types import JsonMapping
from notifications.models import ReplyAddress
from notifications.wanted.preferences import address_hash

_LOCAL = re.compile(r"\A(?:[a-z0-9._-]{1,32}[+=])?(?P<token>[a-z2-7]{26})\Z")
_LONGEST = 254

# One for almost each mail that goes out. It lasts before the mail does (`sending.claims`), and would be made again.
_MAKE = f"""
INSERT INTO notifications_reply_address
  (id, token_hash, purpose, user_id, email, topic, payload, created_at, expires_at)
SELECT %s::uuid, %s::text, %s::text, %s::bigint, %s::text, %s::text, %s::jsonb, %s::timestamptz, %s::timestamptz
WHERE {UNHURRIED}
ON CONFLICT DO NOTHING
"""
_VALID = Prepared(
    lambda: ReplyAddress.objects.filter(token_hash=OneOf("hashes", "text"), expires_at__gt=Given("now", "timestamptz"))[:1]
)


def answerable() -> bool:
    """Return True if our mails may be answered at all: the one switch for the address and for the sentence that offers it."""
    return bool(settings.REPLY_DOMAIN)


def make(
    purpose: str,
    *,
    key: UUID,
    user: User | None,
    email: str = "",
    expires_at: datetime,
    topic: str = "",
    payload: JsonMapping | None = None,
) -> str:
    """Return the reply address of a mail, created if needed. The same `key`, a random id, always gives the same address.

    A mail may be written several times before it is sent, each time with the same address. So the token is derived from the
    random id under our key, without which nobody can guess it. Without a user it belongs to the mailbox `email`.
    """
    if (user is None) == (not email):
        raise ValueError("a reply address belongs to a user or to a mailbox")
    token = _token(purpose, key)
    owner = user.pk if user is not None else None
    hashed, kept = _hash(token, settings.SECRET_KEY), json.dumps(dict(payload or {}))
    ask(_MAKE, [uuid4(), hashed, purpose, owner, email.lower(), topic, kept, timezone.now(), expires_at])
    return f"{settings.REPLY_MAILBOX or purpose}+{token}@{settings.REPLY_DOMAIN}"


def token_of(address: str) -> str | None:
    """Return the token in an address that could be ours, else None. Case is ignored, since many mails lose it on the way."""
    local, at, domain = address.strip().lower().rpartition("@")
    if not at or len(address) > _LONGEST or domain != str(settings.REPLY_DOMAIN).lower():
        return None
    found = _LOCAL.match(local)
    return found["token"] if found else None


def resolve(address: str) -> ReplyAddress | None:
    """Return the row behind an address if there is one and it has not expired."""
    token = token_of(address)
    return find(token) if token else None


def find(token: str) -> ReplyAddress | None:
    """Return the row of a token, also of one made under an earlier key that is still a fallback."""
    hashes = [_hash(token, str(key)) for key in (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)]
    return next(iter(_VALID.rows(hashes=hashes, now=timezone.now())), None)


def rows_of(token: str) -> QuerySet[ReplyAddress]:
    """Return the row of a token made under the present key, even if it has expired."""
    return ReplyAddress.objects.select_related("user").filter(token_hash=_hash(token, settings.SECRET_KEY))


def leads_to(written: str, address: ReplyAddress) -> bool:
    """Return True if a written address is that of this row, even if it has expired."""
    token = token_of(written)
    keys = (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)
    return token is not None and any(_hash(token, str(key)) == address.token_hash for key in keys)


def owner_of(address: ReplyAddress) -> str:
    """Return the owner of an address in short: a user's id, or the hash of a mailbox."""
    return str(address.user_id) if address.user_id is not None else address_hash(address.email)


def revoke_all(*, user: User) -> int:
    """Revoke every address of a user, after one of their mails went astray. Return how many were valid."""
    now = timezone.now()
    return ReplyAddress.objects.filter(user=user, expires_at__gt=now).update(expires_at=now)


def redacted(address: str) -> str:
    """Return an address for logs, without its secret part."""
    return "…@" + address.rpartition("@")[2][:100]


def _token(purpose: str, key: UUID) -> str:
    digest = hmac.digest(str(settings.SECRET_KEY).encode(), f"reply token {purpose} {key}".encode(), "sha256")
    return base64.b32encode(digest[:16]).decode().lower().rstrip("=")


def _hash(token: str, key: str) -> str:
    return hmac.digest(key.encode(), f"reply hash {token}".encode(), "sha256").hex()
