"""The webhook channel, after Standard Webhooks: a signed POST with names and numbers; the receiver fetches the rest.

https only. The host is looked up once per delivery, private and other inner ranges are refused, the connection goes to the
very address that was checked, and nothing is followed: no redirect, no proxy. The secret is derived under our key and shown
to its owner; while it is being changed the former one signs too.
"""

from __future__ import annotations

import base64
import contextlib
import hmac
import http.client
import ipaddress
import json
import socket
import ssl
import threading
from datetime import datetime, timedelta
from urllib.parse import urlsplit

from django.conf import settings
from django.utils import timezone
from django.utils.crypto import salted_hmac

from accounts.models import User
from notifications import channels, registry
from notifications.channels import ChannelBusy, ChannelRefused
from notifications.models import Handover, Outbox, Webhook
from notifications.wishes import WishRefused

NAME = "webhook"
TIMEOUT = 5.0  # for each step, in seconds
LONGEST = 15.0  # for the whole delivery
BOTH_SIGN = timedelta(days=1)
GIVEN_UP_AFTER = timedelta(days=1)
LONGEST_URL = 500


class BadAddress(Exception):
    """The address cannot be delivered to; the text says why."""


def register() -> None:
    """Offer the channel."""
    channels.register(NAME, send, has)


def has(user_id: int) -> bool:
    """Whether a user has a webhook that is not switched off."""
    return Webhook.objects.filter(user_id=user_id, disabled_at=None).exists()


def set_up(user: User, url: str) -> Webhook:
    """Take or change the address; a hook that was switched off works again. Raises `WishRefused`."""
    try:
        _checked(url)
    except BadAddress as fault:
        raise WishRefused("bad_address", str(fault), "url") from None
    hook, _ = Webhook.objects.update_or_create(user=user, defaults={"url": url, "failing_since": None, "disabled_at": None})
    return hook


def rotate(user: User) -> Webhook | None:
    """Give the hook a new secret; for a day both sign, so that no delivery is lost while the receiver is changed."""
    hook = Webhook.objects.filter(user=user).first()
    if hook is not None:
        hook.generation += 1
        hook.rotated_at = timezone.now()
        hook.save(update_fields=["generation", "rotated_at"])
    return hook


def remove(user: User) -> bool:
    """Forget the address; whether there was one."""
    return bool(Webhook.objects.filter(user=user).delete()[0])


def secret_of(hook: Webhook, generation: int | None = None) -> str:
    """The secret as Standard Webhooks writes it: `whsec_` and base64."""
    what = f"{hook.pk} {hook.generation if generation is None else generation}"
    key = salted_hmac("notifications.webhook", what, algorithm="sha256").digest()
    return "whsec_" + base64.b64encode(key).decode()


def signature(secret: str, identity: str, timestamp: int, body: bytes) -> str:
    """`v1,` and the HMAC of id, time and body, as Standard Webhooks defines it."""
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = f"{identity}.{timestamp}.".encode() + body
    return "v1," + base64.b64encode(hmac.digest(key, signed, "sha256")).decode()


def send(notice: Outbox, handover: Handover) -> None:
    """Hand one notice over. Raises `ChannelRefused` or `ChannelBusy`."""
    hook = Webhook.objects.filter(user=notice.user, disabled_at=None).first() if notice.user is not None else None
    if hook is None:
        raise ChannelRefused("there is no webhook any more")
    now = timezone.now()
    body = _body(notice)
    # The id is the same for every try, so that the receiver can tell a repetition.
    headers = {
        "Content-Type": "application/json",
        "User-Agent": "gamesvc",
        "webhook-id": str(handover.pk),
        "webhook-timestamp": str(int(now.timestamp())),
        "webhook-signature": " ".join(
            signature(secret, str(handover.pk), int(now.timestamp()), body) for secret in _secrets(hook, now)
        ),
    }
    try:
        status = _post(hook.url, body, headers)
    except BadAddress as fault:
        _failed(hook, now)
        raise ChannelRefused(str(fault)) from None
    except (OSError, http.client.HTTPException) as fault:
        _failed(hook, now)
        raise ChannelBusy(f"{type(fault).__name__}: {fault}") from None
    if 200 <= status < 300:
        Webhook.objects.filter(pk=hook.pk, failing_since__isnull=False).update(failing_since=None)
        return
    _failed(hook, now)
    if status == 410:
        Webhook.objects.filter(pk=hook.pk).update(disabled_at=now)
        raise ChannelRefused("the receiver says that it is gone (410)")
    raise ChannelBusy(f"answered with {status}")


def _secrets(hook: Webhook, now: datetime) -> list[str]:
    generations = [hook.generation]
    if hook.generation > 1 and now < hook.rotated_at + BOTH_SIGN:
        generations.append(hook.generation - 1)
    return [secret_of(hook, generation) for generation in generations]


def _body(notice: Outbox) -> bytes:
    kind = registry.find(notice.kind)
    due = kind.deadline(notice) if kind is not None and kind.deadline is not None else None
    told = {"notice": str(notice.pk), **registry.facts_of(notice)}
    if due is not None:
        told["due_at"] = due.isoformat()
    content = {"type": notice.kind, "timestamp": notice.created_at.isoformat(), "data": told}
    return json.dumps(content, separators=(",", ":"), sort_keys=True).encode()


def _failed(hook: Webhook, now: datetime) -> None:
    """A hook that has taken nothing for a day is switched off; its owner sees that on his profile."""
    if hook.failing_since is None:
        Webhook.objects.filter(pk=hook.pk, failing_since=None).update(failing_since=now)
    elif now - hook.failing_since > GIVEN_UP_AFTER:
        Webhook.objects.filter(pk=hook.pk).update(disabled_at=now)


# --- the way out ---


def _checked(url: str) -> tuple[str, str, int, str]:
    """Scheme, host, port and path of an address that may be delivered to. Raises `BadAddress`."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise BadAddress("This is not an address; it should be like https://example.org/hook.") from None
    host = parts.hostname or ""
    plain = parts.scheme == "http" and host in settings.WEBHOOK_TRUSTED_HOSTS
    if len(url) > LONGEST_URL or not (parts.scheme == "https" or plain) or not host or not url.isascii() or not url.isprintable():
        raise BadAddress("The address must begin with https:// and be at most 500 characters: like https://example.org/hook.")
    if parts.username is not None or parts.fragment or " " in url:
        raise BadAddress("The address may hold no user name, no fragment and no space; the signature proves who sends.")
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return parts.scheme, host, port or (443 if parts.scheme == "https" else 80), path


def _public_address(host: str, port: int) -> tuple[int, str]:
    """Family and number of an address of the host that leads out into the net. Raises `BadAddress` if any leads elsewhere."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    if host not in settings.WEBHOOK_TRUSTED_HOSTS:
        for _family, _type, _proto, _name, address in found:
            if not _is_public(str(address[0])):
                raise BadAddress("The address leads into a private network; it must be reachable from the open net.")
    return int(found[0][0]), str(found[0][4][0])


def _is_public(number: str) -> bool:
    address = ipaddress.ip_address(number.partition("%")[0])
    if isinstance(address, ipaddress.IPv6Address):
        # An IPv4 address within an IPv6 one leads to the IPv4 one, whatever the outer one looks like.
        inner = address.ipv4_mapped or address.sixtofour or (address.teredo[1] if address.teredo else None)
        if inner is None and address in ipaddress.ip_network("64:ff9b::/96"):
            inner = ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
        if inner is not None and not inner.is_global:
            return False
    return address.is_global and not address.is_multicast


def _post(url: str, body: bytes, headers: dict[str, str]) -> int:
    scheme, host, port, path = _checked(url)
    headers = {"Host": urlsplit(url).netloc, **headers}
    family, number = _public_address(host, port)
    link = socket.socket(socket.AddressFamily(family), socket.SOCK_STREAM)
    # A receiver that sends a byte now and then would keep each single read within its time, and a worker for ever.
    watch = threading.Timer(LONGEST, lambda: _hang_up(link))
    watch.daemon = True
    watch.start()
    try:
        link.settimeout(TIMEOUT)
        link.connect((number, port))
        if scheme == "https":
            link = ssl.create_default_context().wrap_socket(link, server_hostname=host, do_handshake_on_connect=False)
            link.do_handshake()
        # Given an open socket, http.client looks nothing up itself, and it follows nothing.
        connection = http.client.HTTPConnection(host, port, timeout=TIMEOUT)
        connection.sock = link
        connection.request("POST", path, body=body, headers=headers)
        return connection.getresponse().status
    finally:
        watch.cancel()
        link.close()


def _hang_up(link: socket.socket) -> None:
    with contextlib.suppress(OSError):  # it is closed already
        link.shutdown(socket.SHUT_RDWR)
