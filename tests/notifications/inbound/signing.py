"""Mails signed by DKIM with a test key, and the DNS records that prove them."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterable

import dkim
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

_KEY = rsa.generate_private_key(public_exponent=65537, key_size=1024)
_PRIVATE = _KEY.private_bytes(
    serialization.Encoding.PEM, serialization.PrivateFormat.TraditionalOpenSSL, serialization.NoEncryption()
)
_PUBLIC = base64.b64encode(
    _KEY.public_key().public_bytes(serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)
)


USUAL = [b"from", b"to", b"subject", b"date", b"message-id", b"content-type", b"content-transfer-encoding"]


def signed(raw: bytes, domain: str, **options: object) -> bytes:
    """Return the mail with a signature of this domain above it, of the usual `fields` unless others are named."""
    fields = options.pop("fields", USUAL)
    return dkim.sign(raw, b"s", domain.encode(), _PRIVATE, include_headers=fields, **options) + raw


def records(domains: Iterable[str]) -> Callable[..., bytes | None]:
    """Return a stand-in for DNS in which these domains have our key and a strict policy."""
    known = {}
    for domain in domains:
        known[f"s._domainkey.{domain}"] = b"v=DKIM1; k=rsa; p=" + _PUBLIC
        known[f"_dmarc.{domain}"] = b"v=DMARC1; p=reject"
    return lambda name, *_a, **_k: known.get(name.decode().rstrip("."))
