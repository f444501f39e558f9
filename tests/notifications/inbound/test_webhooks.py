"""Webhooks of mail providers: anymail parses posts of Postmark and Mailgun; secrets, arrival, raw mail, forgeries."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import time
from datetime import timedelta
from email.utils import format_datetime
from uuid import uuid4

import pytest
from anymail.urls import urlpatterns as provider_urls
from anymail.webhooks import amazon_ses
from django.db import OperationalError
from django.test import Client
from django.test.client import FakePayload
from django.utils import timezone

from notifications.inbound import addresses, pipeline, store
from notifications.models import InboundMail, MailStatus, Outbox
from tests.mailing import FIXTURES
from tests.notifications.inbound.providers import SETTINGS, SIGNING_KEY, basic

pytestmark = pytest.mark.django_db

POSTMARK = "/mail/provider/postmark/inbound/"
MAILGUN = "/mail/provider/mailgun/inbound_mime/"
ANNA = "anna@players.example"
KEYS_OF_PROVIDERS = (
    "MAILERSEND_INBOUND_SECRET",
    "MAILERSEND_SIGNING_SECRET",
    "MAILTRAP_API_TOKEN",
    "MAILTRAP_INBOUND_SECRET",
    "MAILTRAP_WEBHOOK_SIGNING_SECRET",
    "MANDRILL_WEBHOOK_KEY",
    "POSTAL_WEBHOOK_KEY",
    "RESEND_API_KEY",
    "SENDINBLUE_API_KEY",
    "UNISENDER_GO_API_KEY",
)
SIGNATURES = (
    "HTTP_MAILTRAP_SIGNATURE",
    "HTTP_SIGNATURE",
    "HTTP_X_MANDRILL_SIGNATURE",
    "HTTP_X_POSTAL_SIGNATURE",
)


def postmark(to: str, text: str = "move A1", *, dmarc: str = "pass", server: str = "mx.provider.example", **more):
    """Return a post of Postmark (https://postmarkapp.com/developer/user-guide/inbound/parse-an-email)."""
    headers = [
        {"Name": "Message-ID", "Value": f"<{uuid4()}@players.example>"},
        {"Name": "Authentication-Results", "Value": f"{server}; dmarc={dmarc} header.from=players.example"},
        {"Name": "Return-Path", "Value": "<anna@players.example>"},
    ]
    return {
        "FromFull": {"Email": "anna@players.example", "Name": "Anna"},
        "ToFull": [{"Email": "friend@elsewhere.example", "Name": ""}, {"Email": to, "Name": ""}],
        "CcFull": [],
        "BccFull": [],
        "OriginalRecipient": to,
        "Subject": "Re: your turn",
        "TextBody": text,
        "HtmlBody": "",
        "Date": format_datetime(timezone.now() - timedelta(days=1)),
        "Headers": headers,
        "Attachments": [],
        **more,
    }


def post(body, *, path: str = POSTMARK, secret: str = "new:secret", client: Client | None = None):
    client = client or Client(raise_request_exception=False)
    return client.post(path, json.dumps(body), content_type="application/json", **basic(secret))


def test_what_a_provider_posts_is_stored_and_worked_on(to, letters):
    before = timezone.now()
    assert post(postmark(to, "move A1\n\nOn Fri, 20 Nov 2026 Games wrote:\n> move B2")).status_code == 200
    mail = InboundMail.objects.get()
    assert before <= mail.received_at <= timezone.now()  # its arrival here, whatever the mail says
    assert mail.envelope_from == "anna@players.example"
    pipeline.work()
    assert letters == ["move A1"]


def test_raw_mail_is_kept_as_it_came(to, letters):
    """Mailgun posts the whole mail as a field of a signed form."""
    raw = (FIXTURES / "gmail_polish.eml").read_text().replace(f"turn+{'a' * 26}@reply.games.example", to)
    raw = raw.replace("Date: Fri, 20 Nov 2026 18:21:07 +0100", f"Date: {format_datetime(timezone.now())}", 1)
    stamp, token = str(int(time.time())), uuid4().hex
    form = {
        "recipient": to,
        "sender": "anna@players.example",
        "from": "Anna <anna@players.example>",
        "subject": "Re: your turn",
        "body-mime": "Authentication-Results: mx.provider.example; dmarc=pass header.from=players.example\r\n" + raw,
        "timestamp": stamp,
        "token": token,
        "signature": hmac.new(SIGNING_KEY.encode(), (stamp + token).encode(), hashlib.sha256).hexdigest(),
    }
    client = Client(raise_request_exception=False)
    forged = client.post(MAILGUN, {**form, "signature": "0" * 64}, **basic())
    assert forged.status_code == 400
    assert InboundMail.objects.count() == 0
    assert client.post(MAILGUN, form, **basic()).status_code == 200
    assert b"bW92ZSBFNSBGNSAyRgpjb2xvbml6ZSBDNAo" in bytes(InboundMail.objects.get().raw)
    pipeline.work()
    assert letters == ["move E5 F5 2F\ncolonize C4"]


def test_raw_mail_is_stored_byte_by_byte_and_read_by_the_worker(to, letters):
    """A provider may post the raw mail. A signature would not survive a serializer, nor the web server this Content-Type."""
    raw = f"Authentication-Results: mx.provider.example;  dmarc=pass   header.from=players.example\r\nFrom: {ANNA}\r\n"
    raw += "Content-Type: text/plain" + ";\r\n a=b" * 5000 + "\r\n\r\nmove A1\r\n"
    assert post(postmark(to, RawEmail=raw)).status_code == 200
    mail = InboundMail.objects.get()
    assert bytes(mail.raw) == raw.encode()
    pipeline.work()
    mail.refresh_from_db()
    assert (mail.status, mail.error.partition(":")[0]) == (MailStatus.REFUSED, "broken")


@pytest.mark.parametrize(("secret", "status"), [("", 400), ("new:wrong", 400), ("old:secret", 200), ("new:secret", 200)])
def test_only_who_knows_a_secret_may_post(to, secret, status):
    assert post(postmark(to), secret=secret).status_code == status
    assert InboundMail.objects.count() == (status == 200)


class _Unread(FakePayload):
    """A body that notes whether it was read."""

    read_at_all = False

    def read(self, *args, **kwargs):
        type(self).read_at_all = True
        return super().read(*args, **kwargs)


@pytest.mark.parametrize("path", [str(one.pattern).strip("^$").replace("(_mime)?", "_mime") for one in provider_urls])
def test_a_large_body_is_not_read_without_a_secret(settings, monkeypatch, path):
    """Of 28 MB of JSON one process had 750 MB, and one that cannot be read went into the log."""
    settings.ANYMAIL = SETTINGS | dict.fromkeys(KEYS_OF_PROVIDERS, "a key")
    monkeypatch.setattr(amazon_ses, "_get_anymail_boto3_params", lambda **_: ({}, {}))  # as where boto3 is installed
    monkeypatch.setattr(_Unread, "read_at_all", False)
    body = b"[" + b"{}," * (settings.FORM_BYTES // 2) + b"{}]"
    signed = dict.fromkeys(SIGNATURES, "a signature")
    answer = Client(raise_request_exception=False).post(
        f"/mail/provider/{path}",
        body,
        content_type="application/json",
        **{**basic("new:wrong"), **signed, "wsgi.input": _Unread(body)},
    )
    assert answer.status_code == 400
    assert not _Unread.read_at_all


def test_without_a_secret_or_where_everybody_is_believed_the_door_is_closed(to, settings):
    settings.INBOUND_AUTH = "loopback"
    assert post(postmark(to)).status_code == 404
    settings.INBOUND_AUTH = "border"
    settings.ANYMAIL = {"WEBHOOK_SECRET": []}
    assert post(postmark(to), secret="").status_code == 404
    assert post(postmark(to)).status_code == 404
    assert InboundMail.objects.count() == 0


def test_a_page_of_another_site_cannot_post_and_a_form_token_is_not_asked_for(to):
    assert post(postmark(to), client=Client(enforce_csrf_checks=True)).status_code == 200
    assert Client().get(POSTMARK).status_code == 405


@pytest.mark.parametrize(
    ("more", "status"),
    [
        ({}, MailStatus.DONE),
        ({"dmarc": "fail"}, MailStatus.HELD),
        ({"server": "mx.evil.example"}, MailStatus.HELD),  # a verdict that the provider did not write
    ],
)
def test_the_providers_verdict_decides(to, letters, more, status):
    post(postmark(to, **more))
    pipeline.work()
    assert InboundMail.objects.get().status == status


def test_the_same_post_twice_is_one_mail(to):
    body = postmark(to)
    assert [post(body).status_code for _ in range(2)] == [200, 200]
    assert InboundMail.objects.count() == 1


def test_mail_for_nobody_is_taken_and_forgotten(to, anna, caplog):
    key, past = uuid4(), timezone.now() - timedelta(minutes=1)
    for nobody in ("turn+" + "a" * 26 + "@reply.games.example", addresses.make("turn", key=key, user=anna, expires_at=past)):
        caplog.clear()
        assert post(postmark(nobody)).status_code == 200
        assert "unknown_address" in caplog.text
    assert InboundMail.objects.count() == 0
    assert Outbox.objects.count() == 0


def test_a_database_that_is_down_has_the_provider_come_again(to, monkeypatch):
    def down(*_a, **_k):
        raise OperationalError("down")

    with monkeypatch.context() as patch:
        patch.setattr(store, "store", down)
        assert post(postmark(to)).status_code == 500
    assert post(postmark(to)).status_code == 200


def test_a_mail_with_its_quoted_picture_fits(to):
    picture = base64.b64encode(b"\x89PNG" + bytes(300_000)).decode()
    attached = [{"Name": "board.png", "Content": picture, "ContentType": "image/png", "ContentID": "board"}]
    assert post(postmark(to, Attachments=attached)).status_code == 200
    pipeline.work()
    assert InboundMail.objects.get().status == MailStatus.DONE


@pytest.mark.parametrize("body", [b"", b"[]", b"{", b"null", b'{"Headers": 3}', b"\xff"])
def test_rubbish_stores_nothing(to, body):
    answer = Client(raise_request_exception=False).post(POSTMARK, body, content_type="application/json", **basic())
    assert answer.status_code in (400, 500)
    assert InboundMail.objects.count() == 0


def test_a_provider_posts_for_everybody_and_is_under_no_limit_of_its_network(to, letters, settings):
    settings.RATE_LIMIT_PER_ADDRESS = 1
    assert [post(postmark(to, f"mail {number}")).status_code for number in range(3)] == [200, 200, 200]


def test_mail_over_the_cap_stays_with_the_provider(to, letters, settings):
    settings.INBOUND_MAILS_PER_ADDRESS = 1
    assert post(postmark(to, "first")).status_code == 200
    answer = post(postmark(to, "second"))
    assert (answer.status_code, answer["Retry-After"]) == (503, "600")
    assert InboundMail.objects.count() == 1


def test_mail_that_only_claims_its_sender_keeps_back_none_of_the_owners(to, letters, settings):
    settings.INBOUND_MAILS_PER_ADDRESS = 1
    assert [post(postmark(to, f"forged {number}", dmarc="none")).status_code for number in range(3)] == [200] * 3
    assert post(postmark(to, "mine")).status_code == 200


@pytest.mark.parametrize("path", ["amazon_ses/inbound/", "amazon_ses/tracking/", "mailgun/inbound_mime/"])
def test_the_address_of_a_provider_that_is_not_set_up_is_a_line_in_the_log(to, settings, caplog, path):
    """It is there beside that of the provider in use, and anyone may post to it, as often as they like."""
    settings.ANYMAIL = {"WEBHOOK_SECRET": ["new:secret"]}
    answer = post({}, path=f"/mail/provider/{path}", secret="")
    assert (answer.status_code, answer.content) == (503, b"This address is not set up.")
    [told] = [one for one in caplog.records if one.name == "notifications.inbound.doors.webhooks"]
    assert "\n" not in told.getMessage()
    assert not any(one.exc_info for one in caplog.records)
