"""Signing our mails (DKIM, RFC 6376) unless a provider or a mail server does it: `DKIM_KEY` and `DKIM_SELECTOR`.

The signature covers the exact bytes that are sent, account mails included, with the List-Unsubscribe headers, as one-click
unsubscribing requires (RFC 8058 section 4).
"""

from __future__ import annotations

import smtplib
from collections.abc import Sequence
from email.utils import parseaddr
from functools import cache
from pathlib import Path
from typing import Any

import dkim
from django.conf import settings
from django.core.checks import CheckMessage, Error
from django.core.exceptions import ImproperlyConfigured
from django.core.mail.backends import smtp

# Headers that a mail lacks are listed too, so that they cannot be added on the way.
_SIGNED = [
    *(b"from", b"to", b"cc", b"subject", b"date", b"message-id", b"reply-to", b"in-reply-to", b"references"),
    *(b"mime-version", b"content-type", b"content-transfer-encoding"),
    *(b"list-id", b"list-unsubscribe", b"list-unsubscribe-post", b"auto-submitted"),
]


def sign(raw: bytes) -> bytes:
    """Return the mail with a signature in front, for the domain in our From address."""
    key, selector, domain = settings.DKIM_KEY, settings.DKIM_SELECTOR, _domain()
    header: bytes = dkim.sign(
        raw, selector.encode(), domain.encode(), _key(key), canonicalize=(b"relaxed", b"relaxed"), include_headers=_SIGNED
    )
    return header + raw


class EmailBackend(smtp.EmailBackend):
    """Django's SMTP backend with signed mails."""

    @property
    def connection_class(self) -> type[smtplib.SMTP]:
        return _SigningSSL if self.use_ssl else _Signing


class _Signing(smtplib.SMTP):
    def sendmail(self, from_addr: str, to_addrs: str | Sequence[str], msg: Any, *args: Any, **more: Any) -> Any:
        return super().sendmail(from_addr, to_addrs, sign(msg), *args, **more)


class _SigningSSL(_Signing, smtplib.SMTP_SSL):
    pass


def check(app_configs: object = None, **_: object) -> list[CheckMessage]:
    """Check at the start, and not at the first mail, that the key can sign."""
    if not settings.DKIM_KEY:
        return []
    if not settings.DKIM_SELECTOR:
        return [Error("DKIM_KEY needs DKIM_SELECTOR, the public key's name in DNS.", id="notifications.E001")]
    try:
        sign(b"From: <%s>\r\n\r\n\r\n" % settings.DEFAULT_FROM_EMAIL.encode())
    except (dkim.DKIMException, ImproperlyConfigured, ValueError) as fault:
        return [Error(f"DKIM_KEY is not an RSA key in PEM form, or the file of one: {fault}", id="notifications.E002")]
    return []


def _domain() -> str:
    return parseaddr(settings.DEFAULT_FROM_EMAIL)[1].rpartition("@")[2]


@cache
def _key(setting: str) -> bytes:
    """Return the key: the setting holds it, possibly with line breaks written as \\n, or the path of its file."""
    if "-----BEGIN" in setting:
        return setting.replace("\\n", "\n").encode()
    try:
        return Path(setting).read_bytes()
    except OSError as fault:
        raise ImproperlyConfigured(f"DKIM_KEY names a file that cannot be read: {fault}") from None
