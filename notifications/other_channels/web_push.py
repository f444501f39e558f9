"""The push channel (RFC 8030): a title and a link, encrypted for each browser of the user (RFC 8291), signed as ours (RFC 8292).

The push service of a browser reads neither. Our key is derived from `SECRET_KEY`: with another one, browsers subscribe again.
`notifications.other_channels.outward` decides which addresses may be reached, and how.
"""

from __future__ import annotations

import base64
import binascii
import functools
import json
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from email.utils import parseaddr
from urllib.parse import urlsplit
from uuid import UUID

import http_ece
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec
from django.conf import settings
from django.db import transaction
from django.utils import timezone
from django.utils.crypto import salted_hmac
from py_vapid import Vapid02

from accounts.models import User
from notifications import channels
from notifications.channels import ChannelBusy, ChannelRefused, HostSilent, Parcel
from notifications.models import Handover, Outbox, Preference, PushSubscription
from notifications.other_channels import outward, titles, transfers
from notifications.wanted import wishes
from notifications.wanted.wishes import WishRefused

NAME = "push"
MOST_DEVICES = 5
KEPT_SECONDS = 24 * 3600
"""Time for which a push service keeps a notice for a browser that is not reached."""
SIGNED_SECONDS = 12 * 3600
# The order of the group of P-256 (FIPS 186-4).
_ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
POINT_BYTES, AUTH_BYTES = 65, 16


def register() -> None:
    """Register the channel."""
    channels.register(NAME, pack, has)


def has(user_id: int) -> bool:
    """Return True if a browser of the user takes push."""
    return PushSubscription.objects.filter(user_id=user_id).exists()


def of(user: User) -> list[PushSubscription]:
    """Return the browsers of a user that take push, oldest first."""
    return list(PushSubscription.objects.filter(user=user).order_by("created_at", "pk"))


def public_key() -> str:
    """Return the key by which browsers know us (the `applicationServerKey` of the Push API)."""
    point = _key().public_key().public_bytes(serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint)
    return base64.urlsafe_b64encode(point).decode().rstrip("=")


def subscribe(user: User, *, endpoint: str, p256dh: str, auth: str) -> PushSubscription:
    """Send the user's notices to a browser as well, before any mail. Raises `BadAddress` and `WishRefused`.

    The oldest of too many browsers is dropped: users do not know which of them still exist. A browser that another user signs in
    with belongs to that user.
    """
    outward.check(endpoint)
    _check_keys(p256dh, auth)
    with transaction.atomic():
        User.lock(user.pk)
        first = not has(user.pk)
        row, _new = PushSubscription.objects.update_or_create(
            endpoint=endpoint, defaults={"user": user, "p256dh": p256dh, "auth": auth, "created_at": timezone.now()}
        )
        own = PushSubscription.objects.filter(user=user)
        newest = own.order_by("-created_at", "-pk").values_list("pk", flat=True)[:MOST_DEVICES]
        own.exclude(pk__in=list(newest)).delete()
        if first:
            order = [name for name in wishes.wishes_of(user.pk).channels if name != NAME]
            wishes.set_wishes(user, {"channels": [NAME, *order]})
    return row


def unsubscribe(user: User, *, subscription: UUID | None = None, endpoint: str = "") -> bool:
    """End the push of a browser. Return True if there was one. With the last one, the channel goes from the user's settings."""
    rows = PushSubscription.objects.filter(user=user)
    found = rows.filter(pk=subscription) if subscription is not None else rows.filter(endpoint=endpoint)
    with transaction.atomic():
        User.lock(user.pk)
        gone = bool(found.delete()[0])
        if gone and not has(user.pk) and Preference.objects.filter(user=user, channels__contains=[NAME]).exists():
            wishes.set_wishes(user, {"channels": [name for name in wishes.wishes_of(user.pk).channels if name != NAME]})
    return gone


def pack(notice: Outbox, handover: Handover) -> Parcel:
    """Encrypt one notice for each browser of its receiver. Raises `ChannelRefused`."""
    devices = of(notice.user) if notice.user is not None else []
    if notice.user is None or not devices:
        raise ChannelRefused("no browser takes push now")
    body = _body(notice)
    lookups = outward.lookups_of(notice.user.pk)
    posts = [functools.partial(_deliver, row.endpoint, _sealed(row, body), _headers(row.endpoint), lookups) for row in devices]
    gone: list[str] = []
    return Parcel(_lane(devices), functools.partial(_deliver_all, posts, devices, gone), functools.partial(_forget, gone))


def _lane(devices: Sequence[PushSubscription]) -> str:
    """Return the hosts of all browsers as one lane. In that of one of them, such as the push service of most people, a user's
    other browsers, at hosts that only they use, would take the places of everybody's for as long as they please.
    """
    return " ".join(sorted({outward.lane(row.endpoint) for row in devices}))


def _deliver_all(posts: Sequence[functools.partial[None]], devices: Sequence[PushSubscription], gone: list[str]) -> None:
    """Send to all browsers at once. It has succeeded if one of them took the notice; else the most hopeful fault counts."""
    with ThreadPoolExecutor(len(posts), thread_name_prefix="push") as pool:
        faults = [future.exception() for future in [pool.submit(one) for one in posts]]
    gone += [row.endpoint for row, fault in zip(devices, faults, strict=True) if isinstance(fault, _Gone)]
    if all(faults):
        fault = next((fault for fault in faults if not isinstance(fault, ChannelRefused)), faults[0]) or ChannelBusy("")
        # The lane is silent if all of its hosts are.
        silent = all(isinstance(one, HostSilent) for one in faults)
        raise ChannelBusy(str(fault)) if isinstance(fault, HostSilent) and not silent else fault


class _Gone(ChannelRefused):
    """The subscription has ended."""


def _deliver(url: str, body: bytes, headers: dict[str, str], lookups: threading.BoundedSemaphore) -> None:
    status = transfers.post(url, body, headers, lookups)
    if status in (404, 410):
        raise _Gone(f"the subscription has ended ({status})")
    if status in (400, 401, 403, 413):
        raise ChannelRefused(f"the push service refused it ({status})")
    if not 200 <= status < 300:
        raise ChannelBusy(f"answered with {status}")


def _forget(gone: Sequence[str], _fault: Exception | None) -> None:
    """Delete the subscriptions that have ended."""
    PushSubscription.objects.filter(endpoint__in=gone).delete()


def _body(notice: Outbox) -> bytes:
    """Return title and link: the kind of the notice and its match, in the user's language. Nothing of the position."""
    title, url = titles.of(notice)
    return json.dumps({"title": title, "url": url}, separators=(",", ":")).encode()


def _sealed(row: PushSubscription, body: bytes) -> bytes:
    """Return a body that only this browser can read."""
    sealed: bytes = http_ece.encrypt(
        body,
        private_key=ec.generate_private_key(ec.SECP256R1()),
        dh=_bytes(row.p256dh),
        auth_secret=_bytes(row.auth),
        version="aes128gcm",
    )
    return sealed


def _headers(endpoint: str) -> dict[str, str]:
    parts = urlsplit(endpoint)
    # Push services refuse an address of the web as contact that is not https, and the library one with a port.
    contact = f"mailto:{parseaddr(settings.DEFAULT_FROM_EMAIL)[1]}"
    claims = {"aud": f"{parts.scheme}://{parts.netloc}", "exp": int(time.time()) + SIGNED_SECONDS, "sub": contact}
    return {
        "Content-Encoding": "aes128gcm",
        "Content-Type": "application/octet-stream",
        "TTL": str(KEPT_SECONDS),
        "Urgency": "normal",
        **Vapid02(_key(), {"no-strict": True}).sign(claims),  # the library takes no host without a dot
    }


def _key() -> ec.EllipticCurvePrivateKey:
    number = int.from_bytes(salted_hmac("notifications.web_push", "vapid", algorithm="sha512").digest())
    return ec.derive_private_key(number % (_ORDER - 1) + 1, ec.SECP256R1())


def _check_keys(p256dh: str, auth: str) -> None:
    try:
        point, secret = _bytes(p256dh), _bytes(auth)
        ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), point)
    except (ValueError, binascii.Error):
        point = secret = b""
    if len(point) != POINT_BYTES or len(secret) != AUTH_BYTES:
        raise WishRefused("bad_push", "These are not the keys of a browser. Load the page and turn push on again.", "p256dh")


def _bytes(text: str) -> bytes:
    return base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
