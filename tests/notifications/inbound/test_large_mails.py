"""Mails with photos: read without their attachments through every door, stored cut, and proved all the same."""

from __future__ import annotations

import base64
import io
import random
import smtplib
import tracemalloc
from email.message import EmailMessage
from email.policy import SMTP

import pytest

from notifications.inbound import pipeline, store
from notifications.inbound.doors import imap
from notifications.inbound.proving import authentication
from notifications.models import InboundMail, MailStatus
from notifications.parsing import cutting, reading, text
from notifications.parsing.refusals import MailRefused
from tests.architecture.growth import calls
from tests.mailing import mailing  # noqa: F401
from tests.notifications.inbound import providers, signing
from tests.notifications.inbound.test_imap import box  # noqa: F401
from tests.notifications.inbound.test_pipeline import letters, to  # noqa: F401

pytestmark = pytest.mark.django_db
ANNA = "anna@players.example"
MEGABYTE = 1024 * 1024


def with_photo(to: str, size: int = 3 * MEGABYTE, body: str = "move A1\nEND", **more: str) -> bytes:  # noqa: F811
    """Return a mail with an attached photo, of about so many bytes in all."""
    mail = EmailMessage()
    mail["From"], mail["To"], mail["Subject"], mail["Message-ID"] = ANNA, to, "Re: your turn", f"<{size}@players.example>"
    for name, value in more.items():
        mail[name.replace("_", "-")] = value
    mail.set_content(body)
    mail.add_alternative(f'<p>{body.replace(chr(10), "<br>")}</p><img src="cid:logo">', subtype="html")
    mail.get_payload()[1].add_related(random.Random(1).randbytes(200_000), "image", "png", cid="<logo>")
    mail.add_attachment(random.Random(size).randbytes(size * 73 // 100), "image", "jpeg", filename="photo.jpg")
    mail.add_attachment("move B2\n", filename="orders.txt")
    return mail.as_bytes(policy=SMTP)


@pytest.mark.parametrize("size", [MEGABYTE + 1, 3 * MEGABYTE, 9 * MEGABYTE])
def test_a_mail_with_a_photo_is_read_by_smtp(to, mailing, letters, size):  # noqa: F811
    mailing.deliver(with_photo(to, size), to=to)
    mailing.work()
    assert [letter.text for letter in letters] == ["move A1\nEND"]
    row = InboundMail.objects.get()
    assert row.status == MailStatus.DONE
    assert len(row.raw) < 10_000, "the contents of the pictures are left out"
    assert reading.parse(bytes(row.raw))["Message-ID"] == f"<{size}@players.example>"


def test_a_mail_with_a_photo_is_read_from_a_mailbox(box, to, mailing, letters, settings):  # noqa: F811
    settings.INBOUND_AUTH = "loopback"
    box.put(with_photo(to))
    assert imap.poll() == 1
    pipeline.work()
    assert [letter.text for letter in letters] == ["move A1\nEND"]
    assert len(InboundMail.objects.get().raw) < 10_000


@pytest.mark.parametrize("provider", ["mailgun", "postmark"])
def test_a_mail_with_a_photo_is_read_from_a_provider(to, mailing, letters, settings, client, provider):  # noqa: F811
    settings.INBOUND_AUTH, settings.INBOUND_AUTHSERV_ID = "border", "mx.provider.example"
    settings.ANYMAIL = providers.SETTINGS
    proved = "mx.provider.example; dmarc=pass header.from=players.example"
    raw = with_photo(to, 6 * MEGABYTE, Authentication_Results=proved)
    path, body = providers.posted_raw(provider, to, raw)
    answer = client.post(path, **body, **providers.basic())
    assert answer.status_code == 200, answer.content
    pipeline.work()
    assert [letter.text for letter in letters] == ["move A1\nEND"]
    assert len(InboundMail.objects.get().raw) < 10_000


def test_a_provider_without_the_secret_gets_no_byte_read(to, mailing, settings, client):  # noqa: F811
    settings.ANYMAIL = providers.SETTINGS
    settings.INBOUND_AUTH = "border"
    path, body = providers.posted_raw("postmark", to, with_photo(to, 6 * MEGABYTE))
    tracemalloc.start()
    answer = client.post(path, **body, **providers.basic("wrong:secret"))
    tracemalloc.stop()
    assert answer.status_code == 400
    assert answer.wsgi_request._stream.read(10) != b"" or not hasattr(answer.wsgi_request, "_body")


def test_a_signature_of_the_whole_mail_proves_the_part_that_is_kept(to, mailing, letters, settings, monkeypatch):  # noqa: F811
    records = signing.records(["players.example"])
    authenticate = authentication.authenticate
    monkeypatch.setattr(
        "notifications.inbound.proving.trust.authenticate", lambda *given, **more: authenticate(*given, **more, lookup=records)
    )
    settings.INBOUND_AUTH = "own"
    for at, form in enumerate((b"simple", b"relaxed")):
        raw = with_photo(to, 2 * MEGABYTE + at, body=f"move A{at}  \nEND")
        mailing.deliver(signing.signed(raw, "players.example", canonicalize=(b"relaxed", form)), to=to)
    changed = signing.signed(with_photo(to, 4 * MEGABYTE), "players.example").replace(b"move A1", b"move B9")
    mailing.deliver(changed, to=to)
    pipeline.work()
    assert [letter.text for letter in letters] == ["move A0\nEND", "move A1\nEND"]
    assert InboundMail.objects.exclude(status=MailStatus.DONE).get().status == MailStatus.HELD


def test_a_mail_of_more_than_ten_megabytes_in_a_mailbox_is_refused_with_a_reason(box, to, mailing, letters, settings):  # noqa: F811
    settings.INBOUND_AUTH = "loopback"
    box.put(with_photo(to, 11 * MEGABYTE))
    imap.poll()
    mailing.work()
    row = InboundMail.objects.get()
    assert row.error.startswith("too_large")
    assert len(row.raw) == store.KEPT_OF_REFUSED
    assert "Send your orders alone: plain text, no attachments" in " ".join(mailing.last().text.split())


def test_cutting_takes_little_memory_and_work(to):  # noqa: F811
    file = io.BytesIO(with_photo(to, 9 * MEGABYTE))
    assert len(cutting.cut(file).raw) < 10_000
    assert calls(cutting.cut, file) < 2_000_000
    tracemalloc.start()
    cutting.cut(file)
    _now, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < MEGABYTE


def test_parts_within_parts_do_not_slow_the_receiver():
    """Each line is compared with the boundaries around it, so there are few of them."""
    head = b"".join(b"Content-Type: multipart/mixed; boundary=b%d\r\n\r\n--b%d\r\n" % (at, at) for at in range(5000))
    raw = b"From: a@x.example\r\n" + head + b"--zzzz\r\n" * 200_000
    assert calls(cutting.cut, raw) < 100_000
    assert own(cutting.cut(raw).raw) in ("too_deep", "too_large")


@pytest.mark.parametrize(
    "attached",
    [b"Content-Type: image/png\r\n\r\n" + b"\n" * 2_000_000, b"\r\n--b\n\n" * 200_000, b"x: y\r\n\r\n--b\r\n" * 200_000],
    ids=["lines", "parts", "parts with headers"],
)
def test_lines_and_parts_do_not_slow_the_receiver(attached):
    raw = b"From: a@x.example\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n" + attached + b"\r\n--b--\r\n"
    assert calls(cutting.cut, raw) < 2 * len(raw.splitlines())
    assert len(cutting.cut(raw).raw) == reading.LARGEST + 1, "the workers refuse it as too large"


def test_long_fields_of_parts_do_not_slow_the_receiver():
    """The library reads the parameters of a field in quadratic time. A field is read up to a length that no program reaches."""
    parameters = b"\r\n ".join([b";" * 900] * 60)
    part = b'--b\r\nContent-Type: multipart/x; a="\r\n ' + parameters + b"\r\n\r\nmove A1\r\n"
    raw = b"From: a@x.example\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n" + part * 10 + b"x" * reading.LARGEST
    assert calls(cutting.cut, raw) < 100_000
    assert own(cutting.cut(raw).raw) == "broken"


def test_a_mail_is_cut_once_for_all_its_recipients(mailing, to, letters, monkeypatch):  # noqa: F811
    times: list[object] = []
    cut = cutting.cut
    monkeypatch.setattr(cutting, "cut", lambda mail: times.append(mail) or cut(mail))
    with smtplib.SMTP("127.0.0.1", mailing.receiver.port, timeout=20) as client:
        client.sendmail(ANNA, [to, to, to], with_photo(to))
    assert len(times) == 1
    mailing.work()
    assert [letter.text for letter in letters] == ["move A1\nEND"]


LINES = (
    b"--a\r\n", b"--a--\r\n", b"--b\r\n", b"--b--\r\n", b"--b \r\n", b"\r\n", b"\n", b"move A1\r\n", b"x: y\r\n", b"--ab\r\n",
    b"Content-Type: text/plain\r\n", b"Content-Type: text/html\r\n", b"Content-Type: image/png\r\n", b" folded\r\n",
    b"Content-Type: multipart/mixed; boundary=b\r\n", b"Content-Type: multipart/related; boundary=\"b\"\r\n",
    b"Content-Type: multipart/mixed\r\n", b"Content-Type: message/rfc822\r\n", b"Content-Disposition: attachment\r\n",
    b"Content-Transfer-Encoding: base64\r\n", base64.b64encode(b"move B2\r\n") + b"\r\n",
)  # fmt: skip


def own(raw: bytes) -> str:
    try:
        return text.written(reading.parse_parts(raw)).own
    except MailRefused as refused:
        return refused.code


def test_what_is_kept_reads_as_the_whole_mail(monkeypatch):
    """Mails of any structure, also a broken one: the text is the same as the one that the library finds in all of it."""
    monkeypatch.setattr(cutting, "LARGEST", 0)
    rng, differing, read = random.Random(7), [], 0
    top = b"From: a@x.example\r\nContent-Type: multipart/mixed; boundary=a\r\n\r\n--a\r\n"
    for _ in range(3000):
        raw = top + b"".join(rng.choices(LINES, k=rng.randint(2, 25)))
        kept = cutting._Kept()
        for line in io.BytesIO(raw):
            kept.take(line)
        read += own(raw) not in ("empty", "broken")
        if own(bytes(kept.raw)) != own(raw):
            differing.append((raw, own(raw), bytes(kept.raw), own(bytes(kept.raw))))
    assert len(differing) == 0, differing[:3]
    assert read > 500
