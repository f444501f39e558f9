"""Malformed mails: refused with a code, never a crash, never slow."""

from __future__ import annotations

import random

import pytest

from notifications.inbound.proving.sender import sender_of
from notifications.parsing import reading, text
from notifications.parsing.refusals import REFUSALS, MailRefused
from tests.mailing import FIXTURES


def refusal(raw: bytes) -> str:
    with pytest.raises(MailRefused) as refused:
        sender_of(reading.parse(raw))
    return refused.value.code


def nested(depth: int) -> bytes:
    head = b"From: a@x.example\r\n"
    for at in range(depth):
        head += b'Content-Type: multipart/mixed; boundary="b%d"\r\n\r\n--b%d\r\n' % (at, at)
    return head + b"Content-Type: text/plain\r\n\r\nmove A1\r\n"


def test_sizes_parts_and_nesting():
    assert refusal(b"From: a@x.example\r\n\r\n" + b"x" * (1024 * 1024)) == "too_large"
    assert refusal(nested(5)) == "too_deep"
    assert refusal(nested(1000)) == "too_deep"
    many = b'From: a@x.example\r\nContent-Type: multipart/mixed; boundary="b"\r\n\r\n' + b"--b\r\n\r\nx\r\n" * 10_000
    assert refusal(many) == "too_many_parts"
    assert reading.parse(nested(3)) is not None


PARAMETERS = b";\r\n a=b"


@pytest.mark.parametrize(
    ("raw", "code"),
    [
        (b"Content-Type: text/plain" + PARAMETERS * 10_000 + b"\r\n\r\nx", "too_large"),
        (b"Content-Type: text/plain" + PARAMETERS * 85_000 + b"\r\n\r\nx", "too_large"),
        (b"Content-Type: text/plain" + PARAMETERS * 1000 + b"\r\n\r\nx", "broken"),
        (b'Content-Type: multipart/mixed; boundary="b"\r\n\r\n--b\r\nContent-Type: multipart/x' + PARAMETERS * 40_000, "broken"),
        (b"Cc: " + b"a@b.example,\r\n " * 30_000 + b"\r\n\r\nx", "too_large"),
        (b"Subject: " + b"=?utf-8?q?a?=\r\n " * 30_000 + b"\r\n\r\nx", "too_large"),
        (b"X: y\r\n" * 201 + b"\r\nx", "too_many_headers"),
        (b"\r\n" + b"\n" * 60_000, "too_large"),
        (b'Content-Type: multipart/mixed; boundary="b"\r\n\r\n' + b"--b\r\n\r\nx\r\n" * 101, "too_many_parts"),
        (b"Subject: x\rFrom: b@x.example\r\n\r\nx", "broken"),
        (b"Subject : x\r\n\r\nx", "broken"),
        (b"no field\r\n\r\nx", "broken"),
    ],
)
def test_what_would_be_slow_or_could_be_read_in_two_ways_is_refused(raw, code):
    assert refusal(b"From: a@x.example\r\n" + raw) == code


def test_a_mail_of_a_hundred_parts_and_two_hundred_fields_is_read():
    parts = b'Content-Type: multipart/mixed; boundary="b"\r\n\r\n' + b"--b\r\n\r\nx\r\n" * 99
    assert reading.parse(b"From: a@x.example\r\n" + b"X: y\r\n" * 198 + parts) is not None


@pytest.mark.parametrize(
    "head", [b"", b"From: \r\n", b"From: a@x.example, b@x.example\r\n", b"From: a@x.example\r\nFrom: b@x.example\r\n"]
)
def test_there_is_one_sender(head):
    assert refusal(head + b"Subject: x\r\n\r\nmove A1\r\n") == "no_single_sender"


@pytest.mark.parametrize("second", [":;>", ".:", ",<", '<"', "().@"])
def test_a_header_that_breaks_the_librarys_parser_is_refused_also_the_second_of_its_name(second):
    """Found by the fuzzer: the second From had not been parsed."""
    assert refusal(f"From: a@x.example\r\nFrom: {second}\r\n\r\nmove A1\r\n".encode()) == "no_single_sender"
    assert refusal(f"From: {second}\r\n\r\nmove A1\r\n".encode()) == "no_single_sender"


def test_message_ids_are_found_and_never_raise():
    assert reading.message_id(b"Message-ID:\r\n <a.b@c>\r\n\r\n") == "<a.b@c>"
    for raw in (b"", b"\xff\xfe", b"Message-ID: none\r\n\r\n", b"Message-ID: <" + b"x" * 500 + b">\r\n\r\n"):
        assert reading.message_id(raw) == ""


def test_mutated_mails_crash_nothing():
    rng = random.Random(7)
    samples = [path.read_bytes() for path in sorted(FIXTURES.glob("*.eml"))]
    for _ in range(600):
        raw = bytearray(rng.choice(samples))
        for _ in range(rng.randrange(1, 12)):
            at = rng.randrange(len(raw))
            match rng.randrange(4):
                case 0:
                    raw[at] = rng.randrange(256)
                case 1:
                    del raw[at : at + rng.randrange(1, 40)]
                case 2:
                    raw[at:at] = rng.choice([b"\r\n", b"\x00", b"=?utf-8?q?", b'";', b"\xff\xfe", b"<", b"@", b"Content-Type: "])
                case _:
                    raw[at:at] = raw[rng.randrange(len(raw)) :][:60]
            if not raw:
                raw = bytearray(b"x")
        assert len(reading.message_id(bytes(raw))) <= 242
        said, code = "", ""
        try:
            message = reading.parse(bytes(raw))
            sender_of(message)
            said = text.written(message).own
        except MailRefused as refused:
            code = refused.code
        assert code in REFUSALS if code else 0 < len(said) <= text.LONGEST
