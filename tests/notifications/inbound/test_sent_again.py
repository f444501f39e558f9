"""A player's own signed mail, sent again by others with changes that its signature allows: it has an effect once at most."""

from __future__ import annotations

from datetime import timedelta
from email.utils import format_datetime
from uuid import uuid4

import pytest
from django.utils import timezone

from accounts.addresses import add_verified_address
from notifications import registry
from notifications.inbound import addresses
from notifications.models import MailStatus
from tests.mailing import mailing, verify  # noqa: F401
from tests.notifications.inbound.signing import USUAL, signed
from tests.notifications.inbound.test_misdirected import address_of, asked, letters, outcome, to  # noqa: F401

pytestmark = pytest.mark.django_db
TITLE = "Stones #42"


def mail(to, *, body="move A1\r\n", without=(), subject="Re: plans", age=timedelta(0), more=()):  # noqa: F811
    """Return a mail of anna's, signed without some of the usual fields."""
    lines = [
        "From: Anna <anna@players.example>",
        f"To: {to}",
        f"Subject: {subject}",
        f"Message-ID: <{uuid4()}@players.example>",
        f"Date: {format_datetime(timezone.now() - age)}",
        *more,
    ]
    fields = [name for name in USUAL if name.decode() not in without]
    return signed("\r\n".join([*lines, "", body]).encode(), "players.example", fields=fields)


@pytest.mark.parametrize("without", [(), ("message-id",)])
def test_a_signed_mail_counts_once_whatever_is_put_around_it(mailing, to, letters, without):  # noqa: F811
    raw = mail(to, without=without)
    assert outcome(mailing, raw, to) == (MailStatus.DONE, "")
    assert outcome(mailing, raw, to, b"Message-ID: <new@evil.example>\r\n") == (MailStatus.REFUSED, "broken")
    head, _line, rest = raw.partition(b"Message-ID: <")
    status, _reason = outcome(mailing, head + b"Message-ID: <new" + rest, to)
    assert status != MailStatus.DONE
    assert outcome(mailing, b"X-Seen: twice\r\n" + raw.replace(b"Message-ID", b"X-Id"), to)[0] != MailStatus.DONE
    assert letters == ["move A1"]


def test_one_mail_to_two_addresses_of_a_match_counts_once(mailing, anna, letters):  # noqa: F811
    verify(anna)
    topic, until = str(uuid4()), timezone.now() + timedelta(days=1)
    two = [addresses.make("turn", key=uuid4(), user=anna, topic=topic, expires_at=until) for _ in range(2)]
    raw = mail(", ".join(two))
    assert [outcome(mailing, raw, one) for one in two] == [(MailStatus.DONE, ""), (MailStatus.REFUSED, "repeated")]
    assert letters == ["move A1"]


PASSED = b"Authentication-Results: mx.games.example; dmarc=pass header.from=players.example\r\n"


@pytest.mark.parametrize(
    "case",
    [
        ("from:date:subject", "lunch", "d=players.example", 0, "misdirected"),
        ("from:date:subject:to", "lunch", "d=players.example", 0, ""),
        ("from:date:subject", "lunch", "d=other.example", 0, ""),
        ("from:date:subject:to", "lunch", "d=players.example", 400, "unproved"),
        ("from:date:subject:to", "lunch", "d=players.example", -3, "unproved"),
        ("from:subject:to", "lunch", "d=players.example", 0, "misdirected"),
        ("from:date:subject:to", "lunch", "d=players.example; l=9", 0, "misdirected"),
        ("from:subject:to", "lunch", "d=lists.example; l=9", 0, ""),
        ("from:date:subject", "lunch", "d=lists.players.example", 0, "misdirected"),
        ("from:date:subject", "lunch", "d=lists.example", 0, ""),
    ],
)
def test_behind_a_mail_server_too_to_must_be_signed_and_the_mail_young(mailing, to, letters, settings, case):  # noqa: F811
    fields, subject, signature, age, wanted = case
    settings.INBOUND_AUTH, settings.INBOUND_AUTHSERV_ID = "border", "mx.games.example"
    date = format_datetime(timezone.now() - timedelta(days=age))
    head = f"DKIM-Signature: v=1; a=rsa-sha256; {signature}; s=s; h={fields}; bh=x; b=x\r\n"
    head += f"From: anna@players.example\r\nTo: {to}\r\nDate: {date}\r\nSubject: {subject}\r\nMessage-ID: <{uuid4()}@x>\r\n"
    status, reason = outcome(mailing, PASSED + f"{head}\r\nmove A1\r\n".encode(), to)
    assert (status, reason) == ((MailStatus.HELD, wanted) if wanted else (MailStatus.DONE, ""))


def test_a_signature_of_another_domain_of_the_organisation_counts_as_its_own(mailing, to, anna, letters, settings):  # noqa: F811
    settings.INBOUND_AUTH, settings.INBOUND_AUTHSERV_ID = "border", "mx.games.example"
    add_verified_address(anna, "anna@post.example.org")
    head = f"DKIM-Signature: v=1; a=rsa-sha256; d=lists.example.org; s=s; h=from:date; bh=x; b=x\r\nTo: {to}\r\n"
    head += f"From: anna@post.example.org\r\nDate: {format_datetime(timezone.now())}\r\nSubject: lunch\r\n"
    passed = PASSED.replace(
        b"dmarc=pass header.from=players", b"dkim=pass header.d=lists.example.org; dmarc=pass header.from=post"
    )
    passed = passed.replace(b"post.example\r", b"post.example.org\r")
    assert outcome(mailing, passed + f"{head}\r\nmove A1\r\n".encode(), to) == (MailStatus.HELD, "misdirected")
    assert letters == []


@pytest.mark.parametrize("above", ["d=evil.example; h=from:to", "d=players.example; h=from:to", "h=from:to"])
def test_signatures_put_above_the_real_one_do_not_hide_it(mailing, to, letters, settings, above):  # noqa: F811
    """Whoever has a signed mail may add header fields to it: our border believes the one signature that is valid."""
    settings.INBOUND_AUTH, settings.INBOUND_AUTHSERV_ID = "border", "mx.games.example"
    real = "d=players.example; h=from:date:subject"
    fields = "".join(f"DKIM-Signature: v=1; a=rsa-sha256; {tags}; s=s; bh=x; b=x\r\n" for tags in [*[above] * 5, real])
    head = f"{fields}From: anna@players.example\r\nTo: {to}\r\nDate: {format_datetime(timezone.now())}\r\nSubject: lunch\r\n"
    assert outcome(mailing, PASSED + f"{head}\r\nmove A1\r\n".encode(), to) == (MailStatus.HELD, "misdirected")
    assert letters == []


def test_the_same_words_on_another_day_count_again(mailing, to, letters):  # noqa: F811
    for hours in (3, 2, 1):
        assert outcome(mailing, mail(to, age=timedelta(hours=hours)), to) == (MailStatus.DONE, "")
    assert letters == ["move A1"] * 3


def test_a_mail_of_which_no_copy_is_kept_is_asked_about(mailing, to, letters):  # noqa: F811
    assert outcome(mailing, mail(to, age=timedelta(days=31)), to) == (MailStatus.HELD, "unproved")
    assert letters == []
    assert len(asked(mailing)) == 1


@pytest.mark.parametrize(
    "field",
    [
        "Content-Type: multipart/mixed; boundary=xyz",
        "Content-Transfer-Encoding: base64",
        "MIME-Version: 1.0",
        "Date: Mon, 1 Jan 2029 00:00:00 +0000",
        "Subject: other",
        "content-disposition: attachment",
    ],
)
def test_of_two_fields_that_decide_how_a_mail_is_read_none_is_believed(mailing, to, letters, field):  # noqa: F811
    own = f"{field.partition(':')[0]}: "
    more = [] if own.lower() in ("date: ", "subject: ") else [own + "text/plain"]
    raw = mail(to, body="move A1\r\n\r\n> --xyz\r\n\r\n--xyz\r\n\r\nresign yes\r\n--xyz--\r\n", more=more)
    assert outcome(mailing, raw, to, f"{field}\r\n".encode()) == (MailStatus.REFUSED, "broken")
    assert letters == []
    assert mailing.sink.to("anna@players.example")[-1].subject == "Your mail could not be read"


PARTS = (
    "--abc\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n"
    "move A1\r\n\r\nBen wrote:\r\n\r\n> --xyz\r\n\r\n--xyz\r\n\r\nresign yes\r\n"
    "--abc--\r\n"
)
MULTIPART = ["MIME-Version: 1.0", 'Content-Type: multipart/alternative; boundary="abc"']


def test_an_unsigned_type_is_believed_where_the_body_allows_no_other(mailing, to, letters):  # noqa: F811
    raw = mail(to, body=PARTS, more=MULTIPART, without=["content-type", "content-transfer-encoding"])
    assert outcome(mailing, raw, to) == (MailStatus.DONE, "")
    assert letters[0].startswith("move A1")
    letters.clear()
    for body in ("move A1\r\n", "Zürich\r\nmove A1\r\n"):
        plain = mail(to, body=body, more=["Content-Type: text/plain; charset=UTF-8"], without=["content-type"])
        assert outcome(mailing, plain, to) == (MailStatus.DONE, "")
    assert len(letters) == 2


@pytest.mark.parametrize(
    ("more", "body"),
    [
        (['Content-Type: multipart/mixed; boundary="xyz"'], "> --xyz\r\n\r\n--xyz\r\n\r\nresign yes\r\n--xyz--\r\n"),
        (["Content-Type: text/plain; charset=utf-7"], "move A1\r\n\r\n> +AAo-resign yes\r\n"),
        (["Content-Type: text/html"], "move A1\r\n\r\n> <br>resign yes\r\n"),
        (["Content-Type: text/plain"], "<blockquote>\r\nresign yes\r\n</blockquote>\r\n"),
        (["Content-Type: text/plain"], PARTS),
        (["Content-Transfer-Encoding: quoted-printable"], "move A1\r\n\r\n> =0Aresign yes\r\n"),
        ([], "move A1\r\n\r\n> We shall see what comes of it, I think, or else =\r\nresign yes\r\n"),
    ],
)
def test_an_unsigned_type_that_others_may_have_changed_is_asked_about(mailing, to, letters, more, body):  # noqa: F811
    raw = mail(to, body=body, more=more, without=["content-type", "content-transfer-encoding"])
    assert outcome(mailing, raw, to) == (MailStatus.HELD, "unproved")
    assert letters == []
    assert len(asked(mailing)) == 1


def test_a_receiver_that_nobody_signed_is_asked_about(mailing, to, letters):  # noqa: F811
    raw = mail("Mallory <mallory@evil.example>", without=["to"])
    swapped = raw.replace(b"To: Mallory <mallory@evil.example>", b"To: " + to.encode())
    assert outcome(mailing, swapped, to) == (MailStatus.HELD, "misdirected")
    assert letters == []
    assert len(asked(mailing)) == 1


@pytest.mark.parametrize("written", ['"{to}" <friend@elsewhere.example>', "friend@elsewhere.example ({to})"])
def test_our_address_as_a_name_is_no_receiver(mailing, to, letters, written):  # noqa: F811
    assert outcome(mailing, mail(written.format(to=to)), to) == (MailStatus.HELD, "misdirected")
    assert letters == []


@pytest.mark.parametrize("said", ["AW: [{}] Your turn", "RE: {}", "{}", "Re: Re[2]: {}"])
def test_without_a_signed_receiver_the_subject_of_our_mails_says_whom_it_answers(mailing, to, letters, anna, monkeypatch, said):  # noqa: F811
    monkeypatch.setattr(registry, "_topics", [lambda topic, user_id: registry.Topic(name=TITLE)])
    raw = mail(to, without=["to"], subject=said.format(TITLE))
    assert outcome(mailing, raw, to) == (MailStatus.DONE, "")
    other = address_of(anna)
    again = raw.replace(to.encode(), other.encode())
    assert outcome(mailing, again, other) == (MailStatus.REFUSED, "repeated")
    for other_said in (f"Fwd: [{TITLE}] Your turn", f"Re: {TITLE}7", f"Re: about {TITLE}"):
        assert outcome(mailing, mail(to, without=["to"], subject=other_said), to) == (MailStatus.HELD, "misdirected")
    forged = mail(to, without=["to", "subject"], subject=said.format(TITLE))
    assert outcome(mailing, forged, to) == (MailStatus.HELD, "misdirected"), "others may have written the subject"
    assert letters == ["move A1"]
