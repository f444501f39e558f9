"""The From line has one reading: proof of one address never counts for another, however the line is written."""

from __future__ import annotations

import email.policy
from email import message_from_bytes
from email.utils import getaddresses
from types import SimpleNamespace
from uuid import uuid4

import pytest
from aiosmtpd.smtp import SMTP
from authheaders import dmarc_lookup, get_domain_part
from authheaders.dmarc_lookup import get_org_domain
from hypothesis import given, settings
from hypothesis import strategies as st

from notifications.inbound import purposes
from notifications.inbound.doors import connection
from notifications.inbound.proving import names
from notifications.inbound.proving import sender as of_mails
from notifications.inbound.proving.authentication import NONE, PASS, authenticate
from notifications.inbound.proving.sender import domain_of, folded, sender_of
from notifications.inbound.purposes import Handled
from notifications.models import MailStatus
from notifications.parsing import reading
from notifications.parsing.refusals import MailRefused
from tests.mailing import mailing, verify  # noqa: F401
from tests.notifications.inbound.signing import records, signed
from tests.notifications.inbound.test_misdirected import address_of, outcome
from tests.notifications.inbound.test_slow_names import Resolver

PLAYER = "anna@players.example"
EVIL = "mallory@evil.example"
DOMAINS = ("players.example", "evil.example", "t-online.de")
DNS = records(DOMAINS)


@pytest.fixture(autouse=True)
def own(settings):
    settings.INBOUND_AUTH = "own"


def mail(line: str) -> bytes:
    return f"From: {line}\r\nSubject: Re\r\n\r\nmove A1\r\n".encode()


def judged(raw: bytes):
    """Return the address that is matched against the player's, and its proof; None for a refused mail."""
    try:
        message = reading.parse(raw)
        sender = sender_of(message)
    except MailRefused:
        return None
    return sender, authenticate(message, raw, sender, lookup=DNS)


FORGED = [
    f"=?utf-8?Q?{EVIL}?= <{PLAYER}>",
    f"=?utf-8?Q?{EVIL},?= <{PLAYER}>",
    f"{EVIL} <{PLAYER}>",
    f"{EVIL}, {PLAYER}",
    f"({EVIL}) {PLAYER}",
    f"group: {EVIL}, {PLAYER};",
    f"{EVIL}: {PLAYER};",
    f"<@evil.example:{PLAYER}>",
    f'"x" <{EVIL}> <{PLAYER}>',
    f"<{EVIL}>\r\n <{PLAYER}>",
    f"{PLAYER}\r\nFrom: {EVIL}",
    f"{PLAYER}\rFrom: {EVIL}",
    f'"\\" <{EVIL}> \\" <{PLAYER}>',
]
"""Each of these would pass for the player if one parser took the first address, and another the last."""


@pytest.mark.parametrize("line", FORGED)
@pytest.mark.parametrize("signer", ["evil.example"])
def test_a_signature_of_one_address_proves_no_other(line, signer):
    for raw in (signed(mail(line), signer), signed(mail(line).replace(b"\r\n", b"\n"), signer)):
        found = judged(raw)
        assert found is None or (found[0], found[1].dmarc == PASS) in ((PLAYER, False), (EVIL, True))


def test_nothing_forged_like_that_is_worked_on(mailing, anna, monkeypatch):  # noqa: F811
    """By SMTP, to the player's own reply address; the same mail from the player alone is worked on."""
    verify(anna)
    resolver = Resolver("players.example", "evil.example")
    monkeypatch.setattr(names, "resolve", resolver.resolve)
    monkeypatch.setattr(names, "time", SimpleNamespace(monotonic=lambda: resolver.now))
    got = []
    monkeypatch.setattr(purposes, "_handlers", {})
    purposes.register("turn", lambda letter: got.append(letter.text) or Handled({}))
    to = address_of(anna)

    def raw(line: str, signer: str) -> bytes:
        return signed(f"From: {line}\r\nTo: {to}\r\nMessage-ID: <{uuid4()}@x>\r\n\r\nmove A1\r\n".encode(), signer)

    for line in FORGED:
        status, _reason = outcome(mailing, raw(line, "evil.example"), to)
        assert status != MailStatus.DONE, line
    assert got == []
    assert outcome(mailing, raw(PLAYER, "players.example"), to) == (MailStatus.DONE, "")
    assert got == ["move A1"]


@pytest.mark.parametrize(
    ("line", "sender"),
    [
        (PLAYER, PLAYER),
        (f"<{PLAYER}>", PLAYER),
        (f"Anna <{PLAYER}>", PLAYER),
        (f"Anna\r\n <{PLAYER}>", PLAYER),
        (f'"Müller, Anna" <{PLAYER}>', PLAYER),
        (f"=?utf-8?Q?Anna_M=C3=BCller?= <{PLAYER}>", PLAYER),
        (f'"{PLAYER}" <{PLAYER}>', PLAYER),
        (f"{PLAYER} (Anna)", PLAYER),
        ("Anna <Anna@T-Online.de>", "anna@t-online.de"),
    ],
)
def test_the_usual_forms_are_read_and_proved(line, sender):
    found = judged(signed(mail(line), domain_of(sender)))
    assert found is not None
    assert (found[0], found[1].dmarc) == (sender, PASS)


@given(st.from_regex(of_mails._AGREED, fullmatch=True))
def test_the_forms_that_no_parser_is_asked_about_have_one_reading(line):
    plain = of_mails._FROM.fullmatch(line)
    assert plain is not None
    assert of_mails._readings(line) == {(plain["address"] or plain["bare"],)}


@given(st.from_regex(connection._PLAIN, fullmatch=True), st.sampled_from(["SIZE=100", "BODY=8BITMIME SIZE=9", "X"]))
def test_the_address_of_a_command_is_the_one_that_the_library_reads(said, options):
    line = f"{said}{options}" if said.endswith(" ") else said
    assert connection._PLAIN.match(line)
    limited = object.__new__(connection.Limited)
    assert limited._getaddr(line) == SMTP._getaddr(limited, line)


def test_one_aligned_signature_of_several_is_enough():
    raw = signed(signed(mail(PLAYER), "players.example"), "evil.example")
    assert judged(raw)[1].dmarc == PASS
    assert judged(signed(mail(PLAYER), "evil.example"))[1].dmarc != PASS


def test_neighbours_in_a_new_top_level_domain_are_strangers():
    """`.example` is in no list of public suffixes, like a top-level domain that is newer than the list."""
    assert get_org_domain("players.example") == get_org_domain("evil.example") == "example"
    assert judged(signed(mail(PLAYER), "evil.example"))[1].dmarc == NONE
    assert judged(signed(mail("anna@mail.t-online.de"), "t-online.de"))[1].dmarc == PASS


def test_the_list_of_public_suffixes_is_read_once(monkeypatch):
    """The list has ten thousand lines, and each mail names several domains."""
    judged(signed(mail(PLAYER), "players.example"))
    monkeypatch.setattr(dmarc_lookup, "PublicSuffixList", lambda *_: pytest.fail("the list is read again"))
    assert judged(signed(mail(PLAYER), "players.example"))[1].dmarc == PASS


def test_a_signature_of_a_part_of_the_body_proves_nothing():
    raw = signed(mail(PLAYER), "players.example", length=True)
    assert judged(raw + b"resign yes\r\n")[1].dmarc == NONE


def test_what_a_signature_covers_is_what_is_read():
    """A mail of the same provider, signed for its own sender, under headers that end elsewhere for the checker."""
    honest = signed(mail("mallory@players.example"), "players.example")
    for forged in (
        b"X: y\rFrom: anna@players.example\r\rresign yes\rEND\r\n" + honest,
        b"From: anna@players.example\r\n\r\nresign yes\r\n" + honest,
        b"From: anna@players.example\nno field\n" + honest,
        b"X: y\r\n\x0bFrom: anna@players.example\r\n" + honest,
        b"From : anna@players.example\r\n" + honest,
        b"\r\nFrom: anna@players.example\r\n" + honest,
    ):
        found = judged(forged)
        assert found is None or found[0] != PLAYER or found[1].dmarc != PASS


def test_letters_that_only_look_like_ascii_stay_themselves():
    assert folded("Anna@\u212aernel.example") == "anna@\u212aernel.example"  # the Kelvin sign, whose lower case is k
    assert domain_of("a@\u212aernel.example") == ""
    assert domain_of("a@m\u00fcnchen.example") == "xn--mnchen-3ya.example"
    assert domain_of("a@stra\u00dfe.example") != domain_of("a@strasse.example")


_ADDRESSES = st.sampled_from([PLAYER, EVIL, "anna@t-online.de", "Anna@Players.Example", "a@players.example.evil.example"])
_PIECES = st.one_of(
    _ADDRESSES,
    _ADDRESSES.map(lambda address: f"<{address}>"),
    _ADDRESSES.map(lambda address: f"=?utf-8?Q?{address}?="),
    _ADDRESSES.map(lambda address: f"=?utf-8?q?{address.replace('@', '=40')}?="),
    _ADDRESSES.map(lambda address: f'"{address}"'),
    _ADDRESSES.map(lambda address: f"({address})"),
    _ADDRESSES.map(lambda address: f"@evil.example:{address}"),
    st.sampled_from(
        [
            " ",
            ",",
            ";",
            ":",
            "group:",
            "\r\n ",
            "\r\n\t",
            "\r",
            "\n",
            "\r\n",
            "\r\nFrom: ",
            "\rFrom: ",
            '"',
            "\\",
            "(",
            ")",
            "<",
            ">",
            "@",
        ]
    ),
    st.sampled_from(
        ["Anna", "M.", "=?utf-8?B?YUBldmlsLmV4YW1wbGUs?=", "\u00fc", "[Club]", "=?utf-8?q?=22?=", "=?utf-8?q?=0AFrom=3A?="]
    ),
    st.text(alphabet=' "()<>@,;:\\.\r\n\tab-', max_size=4),
)


@settings(max_examples=400)
@given(st.lists(_PIECES, min_size=1, max_size=7).map("".join), st.sampled_from(DOMAINS), st.booleans())
def test_own_mode_passes_only_for_the_address_that_every_reader_finds(line, signer, bare):
    raw = mail(line)
    raw = raw.replace(b"\r\n", b"\n") if bare else raw
    try:
        raw = signed(raw, signer)
    except Exception:  # dkimpy signs no headers that it cannot read: then there is no signature to forge with
        assert judged(raw) is None or judged(raw)[1].dmarc == NONE
        return
    found = judged(raw)
    if found is None or found[1].dmarc != PASS:
        return
    sender = found[0]
    assert f".{domain_of(sender)}".endswith(f".{signer}")
    value = raw.decode().split("From:", 1)[1].split("\nSubject:")[0].strip()
    # Every other parser of the same line: the library that checks DMARC, and Python's two parsers.
    assert [folded(address) for _name, address in getaddresses([value.replace("\r\n", "").replace("\n", "")])] == [sender]
    assert get_domain_part(sender.replace("-", "")).endswith(signer.replace("-", ""))
    modern = message_from_bytes(raw, policy=email.policy.default)["From"]
    assert [folded(address.addr_spec) for address in modern.addresses] == [sender]
