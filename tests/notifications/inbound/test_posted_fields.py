"""Mail that providers post in fields: within the limits of every mail, whatever its content."""

from __future__ import annotations

import base64
import json
import sys
from datetime import timedelta
from uuid import uuid4

import pytest
from anymail.webhooks import postal, sparkpost
from django.test import Client
from django.utils import timezone

from notifications.inbound import addresses, destinations, pipeline
from notifications.inbound.doors.posted import Posted
from notifications.models import InboundMail, MailStatus, Report
from notifications.parsing import dsn, reading
from tests.architecture.growth import calls
from tests.mailing import verify
from tests.notifications.inbound import providers

pytestmark = pytest.mark.django_db
ANNA = "anna@players.example"
PROVED = [
    ("From", ANNA),
    ("Authentication-Results", "mx.provider.example; dmarc=pass header.from=players.example"),
]
every_provider = pytest.mark.parametrize("provider", providers.FORMATS)


def post(provider, to, headers, text="move A1", attachments=()):
    path, body = providers.FORMATS[provider]
    if not any(name == "To" for name, _value in headers):
        headers = [("To", to), *headers]
    client = Client(raise_request_exception=False)
    return client.post(f"/mail/provider/{path}", **body(to, headers, text, attachments), **providers.basic())


# Storing a mail takes some 70,000 calls; with the library's parser the smallest of these posts took millions.
MOST_CALLS = 300_000


@every_provider
def test_a_mail_in_fields_is_worked_on(to, letters, provider):
    assert post(provider, to, PROVED, "move Ł1\n").status_code == 200
    pipeline.work()
    assert letters == ["move Ł1"]


@every_provider
def test_no_header_is_left_out_below_one_with_many_line_breaks(to, letters, provider):
    """Such as a date, without which a mail may be sent again, or a signature that does not name the To line."""
    breaks, below = ("X-A", "b" + "\r\n " * 22_000 + "c"), ("Auto-Submitted", "auto-replied")
    assert post(provider, to, [*PROVED, breaks, below]).status_code == 200
    pipeline.work()
    assert letters == []
    assert InboundMail.objects.get().error.partition(":")[0] in ("auto_submitted", "too_large")


def test_a_post_for_several_receivers_reaches_each_of_them(to, letters):
    path, body = providers.FORMATS["Mailgun"]
    posted = body(f"friend@games.example, {to}", [("To", to), *PROVED], "move A1")
    assert Client().post(f"/mail/provider/{path}", **posted, **providers.basic()).status_code == 200
    pipeline.work()
    assert letters == ["move A1"]


@pytest.mark.parametrize(("fault", "status"), [("over the cap", 503), ("a fault of ours", 500)])
def test_a_mail_that_is_not_taken_keeps_back_none_posted_with_it(to, letters, ben, settings, monkeypatch, fault, status):
    """Brevo, Mandrill and SparkPost post what has come for several receivers together, and all of it again after an error."""
    verify(ben)
    to_ben = addresses.make("turn", key=uuid4(), user=ben, topic="m", expires_at=timezone.now() + timedelta(days=1))
    real = destinations.take

    def take(mail, **more):
        if b"X-Poison" in mail.raw:
            raise ValueError("a mail that nobody has thought of")
        return real(mail, **more)

    if fault == "over the cap":
        settings.INBOUND_MAILS_PER_ADDRESS = 1
    else:
        monkeypatch.setattr(destinations, "take", take)
    path, body = providers.FORMATS["Brevo"]
    proved = [(name, value.replace("anna", "ben")) for name, value in PROVED]
    posts = [
        body(to, [("To", to), *PROVED], "move A0"),
        body(to, [("To", to), *PROVED, ("X-Poison", "1")], "move A2"),
        body(to_ben, [("To", to_ben), *proved], "move A1"),
    ]
    posted = {"items": [item for one in posts for item in json.loads(one["data"])["items"]]}
    for _again in range(2):
        client = Client(raise_request_exception=False)
        answer = client.post(f"/mail/provider/{path}", posted, content_type="application/json", **providers.basic())
        assert answer.status_code == status
    pipeline.work()
    assert sorted(letters) == ["move A0", "move A1"]


def test_a_raw_mail_in_an_old_charset_is_kept_as_it_came(to, letters):
    """Postal and SparkPost post raw mails in base64, and the library reads all of them as UTF-8."""
    proof = f"Authentication-Results: {PROVED[1][1]}\r\nFrom: {ANNA}\r\nTo: {to}\r\n".encode()
    raw = proof + b"Content-Type: text/plain; charset=iso-8859-1\r\nContent-Transfer-Encoding: 8bit\r\n\r\nmove \xdc1\r\n"
    content = {"email_rfc822": base64.b64encode(raw).decode(), "email_rfc822_is_base64": True}
    mail = {"protocol": "smtp", "msg_from": ANNA, "rcpt_to": to, "content": content}
    posted = {"data": json.dumps([{"msys": {"relay_message": mail}}]), "content_type": "application/json"}
    client = Client(raise_request_exception=False)
    assert client.post("/mail/provider/sparkpost/inbound/", **posted, **providers.basic()).status_code == 200
    assert bytes(InboundMail.objects.get().raw) == raw
    pipeline.work()
    assert letters == ["move \xdc1"]
    assert vars(postal)["b64decode"] is vars(sparkpost)["b64decode"]


@every_provider
def test_the_same_post_twice_is_one_mail_even_without_a_message_id(to, provider):
    assert [post(provider, to, PROVED).status_code for _ in range(2)] == [200, 200]
    assert InboundMail.objects.count() == 1


@every_provider
@pytest.mark.parametrize("name", ["Message-ID", "Reply-To", "Subject", "Date", "Sender", "In-Reply-To"])
def test_a_header_that_stands_there_twice_does_not_come_back_for_ever(to, letters, provider, name):
    assert post(provider, to, [*PROVED, (name, "<a@x.example>"), (name, "<b@x.example>")]).status_code == 200
    pipeline.work()
    # Where the provider passes both on, two programs may each read another one (RFC 5322 section 3.6).
    refused = InboundMail.objects.filter(status=MailStatus.REFUSED).count()
    assert not refused or name in ("Message-ID", "Subject", "Date")
    assert letters == ["move A1"] * (1 - refused)
    assert not InboundMail.objects.filter(status=MailStatus.WAITING).exists()


@pytest.mark.parametrize("email", ["", "x", "a b@x.example", "a@x.example>, <b@x.example", "@", None, "ä@x.example"])
def test_a_receiver_that_is_no_address_is_no_reason_to_lose_the_mail(to, letters, email):
    body = json.loads(providers.postmark(to, [("To", to), *PROVED], "move A1")["data"]) | {
        "CcFull": [{"Email": email, "Name": 'A "B" \\'}]
    }
    client = Client(raise_request_exception=False)
    answer = client.post("/mail/provider/postmark/inbound/", body, content_type="application/json", **providers.basic())
    assert answer.status_code == 200
    pipeline.work()
    assert letters == ["move A1"]


@every_provider
@pytest.mark.parametrize("value", ["a\ud800b", "a\r\nTo: b", "a\x00b", "Jörg", "=?utf-8?q?", "", "\udcff"])
def test_a_header_of_any_characters_is_one_header(to, letters, provider, value):
    if provider == "SendGrid":  # it posts the headers unparsed, in a form
        value = value.replace("\n", "\n ").encode("utf-8", "replace").decode()
    assert post(provider, to, [*PROVED, ("X-Spam-Status", value)]).status_code == 200
    pipeline.work()
    assert letters == ["move A1"]


@every_provider
@pytest.mark.parametrize(
    ("headers", "code"),
    [
        ([("Subject", "=?utf-8?q?a?= " * 24_000)], "too_large"),
        ([("Cc", "a@x.example, " * 16_000)], "too_large"),
        ([("X-A", "b")] * 250, "too_many_headers"),
    ],
)
def test_headers_over_a_limit_cost_little_and_are_refused_by_name(to, provider, headers, code):
    assert calls(lambda: post(provider, to, [*PROVED, *headers])) < MOST_CALLS
    pipeline.work()
    mail = InboundMail.objects.get()
    assert (mail.status, mail.error.partition(":")[0]) == (MailStatus.REFUSED, code)


@pytest.mark.parametrize("provider", ["Postmark", "Mailjet"])
@pytest.mark.parametrize("kind", ["text/plain", "message/rfc822", "multipart/mixed", "", "a/b" + ';a="' * 50_000, "\r\nTo: b"])
def test_an_attached_file_of_any_kind_and_name_is_no_hindrance(to, letters, provider, kind):
    attached = [{"Name": '";' * 50_000, "Content": base64.b64encode(b"Subject: \xff\r\n\r\n\xe4").decode(), "ContentType": kind}]
    assert calls(lambda: post(provider, to, PROVED, attachments=attached)) < MOST_CALLS
    pipeline.work()
    assert letters == ["move A1"]


def test_a_report_of_a_failed_delivery_keeps_what_it_reports():
    report = b"Reporting-MTA: dns; x.example\r\n\r\nFinal-Recipient: rfc822; a@x.example\r\nAction: failed\r\nStatus: 5.1.1\r\n"
    attached = [{"Name": "r", "Content": base64.b64encode(report).decode(), "ContentType": "message/delivery-status"}]
    found = dsn.read(providers.raw("Postmark", PROVED, "It failed.", attached))
    assert found is not None
    assert (found.report, found.status) == (Report.HARD, "5.1.1")


def test_raw_mail_with_a_damaged_header_is_stored(to):
    raw = "From: a@x.example\r\nX-Spam-Status: \ud800\xff\r\n\r\nmove A1\r\n"
    body = {"Headers": [], "OriginalRecipient": to, "RawEmail": raw}
    client = Client(raise_request_exception=False)
    answer = client.post("/mail/provider/postmark/inbound/", body, content_type="application/json", **providers.basic())
    assert answer.status_code == 200
    assert InboundMail.objects.count() == 1


def test_every_provider_hands_its_mail_to_us():
    classes = {
        name: vars(module)["AnymailInboundMessage"]
        for name, module in sys.modules.items()
        if name.startswith("anymail.webhooks.") and "AnymailInboundMessage" in vars(module)
    }
    assert len(classes) > 10
    assert set(classes.values()) == {Posted}


def test_of_a_mail_over_the_limit_the_beginning_is_kept():
    assert len(providers.raw("Postmark", PROVED, "a" * 8 * reading.LARGEST)) == reading.LARGEST + 1
    assert len(providers.raw("Postmark", PROVED, "a" * 2 * reading.LARGEST)) < reading.LARGEST
