"""Signatures over the bytes that are really sent, checked as a receiver checks them."""

from __future__ import annotations

import base64
import functools
import hashlib
import re

import dkim
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from django.core import mail
from django.core.mail import send_mail

from notifications.models import Outbox, Status
from notifications.outbox import Notice, notify
from notifications.sending import dkim as signing
from notifications.tasks import send_due


@functools.cache
def keys() -> tuple[str, bytes]:
    """Return a private key as PEM, and the record of its public key for DNS."""
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    pem = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.TraditionalOpenSSL, serialization.NoEncryption()
    )
    public = key.public_key().public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    return pem.decode(), b"v=DKIM1; k=rsa; p=" + b"".join(public.splitlines()[1:-1])


def verified(raw: bytes) -> bool:
    asked = []

    def dns(name: bytes, timeout: int = 5) -> bytes:
        asked.append(name)
        return keys()[1]

    found = dkim.verify(raw, dnsfunc=dns)
    assert set(asked) <= {b"autumn._domainkey.games.example."}
    return bool(found)


@pytest.fixture
def signed(sink, settings):
    settings.EMAIL_BACKEND = "notifications.sending.dkim.EmailBackend"
    settings.DKIM_KEY, settings.DKIM_SELECTOR = keys()[0], "autumn"
    settings.REPLY_DOMAIN = "reply.games.example"
    return sink


def test_a_notice_with_picture_verifies(signed, turns, ann):
    notify(Notice("your_turn", user_id=ann.pk, topic="42"))
    assert send_due() == 1
    (caught,) = signed.messages
    assert verified(caught.raw)
    header = str(caught.message["DKIM-Signature"])
    assert "d=games.example" in header
    assert "s=autumn" in header
    covered = re.search(r"\bh=([^;]+);", header)[1].replace(" ", "").split(":")
    assert {"from", "to", "subject", "date", "message-id", "reply-to", "list-unsubscribe", "list-unsubscribe-post"} <= set(
        covered
    )
    assert caught.message["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"List-Unsubscribe-Post: List-Unsubscribe=One-Click", b"List-Unsubscribe-Post: something=else"),
        (b"<https://games.example/", b"<https://evil.example/"),
        (b"Take one to three stones.", b"Take four stones."),
        (b"Subject: ", b"Subject: You won. "),
        (b"MIME-Version", b"Cc: eve@evil.example\r\nMIME-Version"),
    ],
)
def test_nothing_can_be_changed_on_the_way(signed, turns, ann, old, new):
    notify(Notice("your_turn", user_id=ann.pk, topic="42"))
    send_due()
    raw = signed.messages[0].raw
    assert old in raw
    assert not verified(raw.replace(old, new))


@pytest.mark.parametrize("name", ["From", "To", "Subject", "Date", "Reply-To", "Content-Type", "List-Unsubscribe"])
def test_no_second_field_can_be_put_above_ours(signed, turns, ann, name):
    """Many programs show the first of two subjects, and signatures count from below."""
    notify(Notice("your_turn", user_id=ann.pk, topic="42"))
    send_due()
    raw = signed.messages[0].raw
    assert verified(b"X-Other: another\r\n" + raw)
    assert not verified(f"{name}: another\r\n".encode() + raw)


def test_account_mails_are_signed_too(signed):
    send_mail("Your password", "A link, with ü.", None, ["ann@players.example"])
    assert verified(signed.messages[0].raw)


@pytest.mark.parametrize(
    "raw",
    [
        b"From: a@games.example\r\n\r\n",
        b"From: a@games.example\r\n\r\n\r\n \r\n\t\r\n",
        b"From: a@games.example\r\n\r\nno newline at the end",
        b"From: a@games.example\r\n\r\nblanks \t at  the end \t\r\n  and\tbefore\r\n\r\n\r\n",
        b"From:a@games.example\nsubject:  folded\n\t and   wide \nX-Other: 1\n\nlines\nof Unix\n",
        b"Subject: one\r\nSubject: two\r\nFrom: a@games.example\r\nTo:\r\n\r\n.\r\n..\r\n",
    ],
)
def test_any_form_of_a_mail_verifies(signed, raw):
    assert verified(signing.sign(raw))


def test_a_key_of_ed25519_signs(signed, settings):
    """Checked by hand (RFC 8463), since the library that checks the others needs another one for it."""
    key = Ed25519PrivateKey.generate()
    settings.DKIM_KEY = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    ).decode()
    assert signing.check() == []
    raw = signing.sign(b"From: a@games.example\r\nSubject: s\r\n\r\nbody\r\n")
    header, seal = re.match(rb"DKIM-Signature: (.*\sb=)([^;]*?)\r\nFrom", raw, re.S).groups()
    assert b"a=ed25519-sha256" in header
    lines = b" ".join(re.sub(rb"\r\n", b"", header).split())
    hashed = hashlib.sha256(b"from:a@games.example\r\nsubject:s\r\ndkim-signature:" + lines).digest()
    key.public_key().verify(base64.b64decode(seal), hashed)


def test_the_key_may_be_a_file_or_one_line(signed, settings, tmp_path):
    path = tmp_path / "dkim.pem"
    path.write_text(keys()[0])
    for form in (str(path), keys()[0].replace("\n", "\\n")):
        settings.DKIM_KEY = form
        assert signing.check() == []
        send_mail("s", "t", None, ["ann@players.example"])
        assert verified(signed.messages[-1].raw)


def test_a_key_that_does_not_sign_is_told_at_the_start(settings, tmp_path):
    settings.DKIM_KEY, settings.DKIM_SELECTOR = "", ""
    assert signing.check() == []
    settings.DKIM_KEY = keys()[0]
    assert [one.id for one in signing.check()] == ["notifications.E001"]
    settings.DKIM_SELECTOR = "autumn"
    broken = tmp_path / "broken.pem"
    broken.write_text("-----BEGIN RSA PRIVATE KEY-----\nnonsense\n-----END RSA PRIVATE KEY-----\n")
    for form in (str(tmp_path / "missing.pem"), str(broken)):
        settings.DKIM_KEY = form
        assert [one.id for one in signing.check()] == ["notifications.E002"]


def test_a_provider_gets_the_mail_plain_and_our_word_for_it(turns, ann, settings):
    """Providers sign, and handle bounces: so there is no envelope of ours, and the notice's id is sent as metadata."""
    settings.EMAIL_BACKEND, settings.REPLY_DOMAIN = "anymail.backends.test.EmailBackend", "reply.games.example"
    settings.DEFAULT_FROM_EMAIL, settings.MAIL_DOMAIN = "Games <play@games.example>", "games.example"
    notice = Notice("your_turn", user_id=ann.pk, topic="42")
    notify(notice)
    assert send_due() == 1
    (sent,) = mail.outbox
    params = sent.anymail_test_params
    assert params["metadata"] == {"delivery": str(notice.id)}
    assert params["from"].addr_spec == "play@games.example"
    assert "envelope_sender" not in params
    assert [one.addr_spec for one in params["to"]] == ["ann@players.example"]
    assert "<mailto:unsubscribe+" in params["extra_headers"]["List-Unsubscribe"]
    assert Outbox.objects.get(pk=notice.id).status == Status.SENT
