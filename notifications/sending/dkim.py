"""Signing our mails (DKIM, RFC 6376) unless a provider or a mail server does it: `DKIM_KEY` and `DKIM_SELECTOR`.

The signature covers the exact bytes that are sent, account mails included, with the List-Unsubscribe headers, as one-click
unsubscribing requires (RFC 8058 section 4).
"""

from __future__ import annotations

import base64
import hashlib
import re
import smtplib
import time
from collections.abc import Sequence
from email.utils import parseaddr
from functools import cache
from pathlib import Path
from typing import Any

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.serialization import load_pem_private_key
from django.conf import settings
from django.core.checks import CheckMessage, Error
from django.core.exceptions import ImproperlyConfigured
from django.core.mail.backends import smtp

# Each is listed once more than a mail has it, so that none can be added on the way (RFC 6376 section 8.15).
_SIGNED = [
    *(b"from", b"to", b"cc", b"subject", b"date", b"message-id", b"reply-to", b"in-reply-to", b"references"),
    *(b"mime-version", b"content-type", b"content-transfer-encoding"),
    *(b"list-id", b"list-unsubscribe", b"list-unsubscribe-post", b"auto-submitted", b"feedback-id"),
]


_NEWLINE = re.compile(rb"\r?\n")
_FOLD = re.compile(rb"\r\n(?=[ \t])")
_BLANKS = re.compile(rb"[ \t]+")
_BLANKS_AT_END = re.compile(rb" +\r\n")


def sign(raw: bytes) -> bytes:
    """Return the mail with a signature in front, for the domain in our From address."""
    mail = raw if raw.count(b"\n") == raw.count(b"\r\n") else _NEWLINE.sub(b"\r\n", raw)
    head, _blank_line, body = mail.partition(b"\r\n\r\n")
    fields: dict[bytes, list[bytes]] = {name: [] for name in _SIGNED}
    for name, value in map(_relaxed, reversed(_FOLD.sub(b"", head).split(b"\r\n"))):  # from below, as verifiers count
        fields.get(name, []).append(value)
    key = _key(settings.DKIM_KEY)
    algorithm = b"rsa-sha256" if isinstance(key, RSAPrivateKey) else b"ed25519-sha256"
    body_hash = base64.b64encode(hashlib.sha256(_relaxed_body(body)).digest())
    signature = b"DKIM-Signature: v=1; a=%s; c=relaxed/relaxed; d=%s; s=%s;\r\n t=%d; h=%s;\r\n bh=%s;\r\n b=" % (
        algorithm,
        _domain().encode(),
        settings.DKIM_SELECTOR.encode(),
        time.time(),
        b":\r\n  ".join(name for name, values in fields.items() for _ in (*values, b"")),
        body_hash,
    )
    name, value = _relaxed(_FOLD.sub(b"", signature))
    signed = b"".join(b"%s:%s\r\n" % (name, one) for name, values in fields.items() for one in values) + b"%s:%s" % (name, value)
    seal = base64.b64encode(_seal(key, signed))
    lines = (seal[start : start + 72] for start in range(0, len(seal), 72))
    return signature + b"\r\n ".join(lines) + b"\r\n" + mail


def _seal(key: RSAPrivateKey | Ed25519PrivateKey, signed: bytes) -> bytes:
    if isinstance(key, RSAPrivateKey):
        return key.sign(signed, PKCS1v15(), hashes.SHA256())
    return key.sign(hashlib.sha256(signed).digest())  # RFC 8463 section 3


def _relaxed(field: bytes) -> tuple[bytes, bytes]:
    """Return the name and the value of an unfolded header in the relaxed form (RFC 6376 section 3.4.2)."""
    name, _colon, value = field.partition(b":")
    return name.strip(b" \t").lower(), _BLANKS.sub(b" ", value).strip(b" ")


def _relaxed_body(body: bytes) -> bytes:
    """Return a body in the relaxed form (RFC 6376 section 3.4.4)."""
    lines = _BLANKS_AT_END.sub(b"\r\n", _BLANKS.sub(b" ", body) + b"\r\n").rstrip(b"\r\n")
    return lines + b"\r\n" if lines else b""


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
    except (ImproperlyConfigured, TypeError, ValueError, UnsupportedAlgorithm) as fault:
        return [Error(f"DKIM_KEY is not an RSA or Ed25519 key in PEM form, or the file of one: {fault}", id="notifications.E002")]
    return []


def _domain() -> str:
    return parseaddr(settings.DEFAULT_FROM_EMAIL)[1].rpartition("@")[2]


@cache
def _key(setting: str) -> RSAPrivateKey | Ed25519PrivateKey:
    """Return the key: the setting holds it, possibly with line breaks written as \\n, or the path of its file."""
    try:
        written = setting.replace("\\n", "\n").encode() if "-----BEGIN" in setting else Path(setting).read_bytes()
    except OSError as fault:
        raise ImproperlyConfigured(f"DKIM_KEY names a file that cannot be read: {fault}") from None
    key = load_pem_private_key(written, password=None)
    if not isinstance(key, RSAPrivateKey | Ed25519PrivateKey):
        raise ImproperlyConfigured("DKIM_KEY is a key of another kind")
    return key
