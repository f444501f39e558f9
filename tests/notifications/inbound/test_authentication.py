"""Trusted proofs of a sender: our border's verdict and no other, our own check, and loopback only on loopback."""

from __future__ import annotations

import contextlib
import re
import socket
from pathlib import Path

import dkim
import dns.message
import dns.resolver
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from django.core.exceptions import ImproperlyConfigured

from notifications.inbound.doors.receiver import Receiver
from notifications.inbound.proving import names
from notifications.inbound.proving.authentication import FAIL, NONE, PASS, Verdict, authenticate, check_mode
from notifications.parsing import reading
from tests.notifications.inbound.signing import records
from tests.notifications.inbound.signing import signed as signed_by

SENDER = "anna@players.example"


@pytest.fixture(autouse=True)
def border(settings):
    settings.INBOUND_AUTH = "border"
    settings.INBOUND_AUTHSERV_ID = "mx.games.example"


def verdict(*headers: str, raw: bytes = b"", lookup=None) -> Verdict:
    raw = (
        raw or "".join(f"Authentication-Results: {one}\r\n" for one in headers).encode() + b"From: anna@players.example\r\n\r\nx"
    )
    return authenticate(reading.parse(raw), raw, SENDER, lookup=lookup)


GOOD = "mx.games.example; dkim=pass header.d=players.example; dmarc=pass (p=REJECT) header.from=players.example"
BAD = "mx.games.example; dmarc=fail (p=reject dis=none) header.from=players.example"
FOREIGN = "mx.evil.example; dmarc=pass header.from=players.example"


def test_only_our_borders_word_counts():
    assert verdict(GOOD).dmarc == PASS
    assert verdict(FOREIGN).dmarc == NONE
    assert verdict().dmarc == NONE
    assert verdict("mx.games.example.evil.example; dmarc=pass header.from=players.example").dmarc == NONE
    assert verdict("nonsense;;;").dmarc == NONE
    assert verdict("mx.games.example; spf=pass smtp.mailfrom=players.example").dmarc == NONE


def test_a_foreign_header_changes_nothing_first_or_last():
    assert verdict(FOREIGN, GOOD).dmarc == PASS
    assert verdict(FOREIGN, BAD) == verdict(BAD, FOREIGN) == Verdict(FAIL, strict=True)


def test_a_copy_under_our_name_does_not_overrule_ours():
    assert verdict(GOOD, BAD) == verdict(BAD, GOOD) == Verdict(FAIL, strict=True)


def test_a_verdict_about_another_domain_is_none():
    assert verdict("mx.games.example; dmarc=pass header.from=evil.example").dmarc == NONE


def test_a_verdict_that_names_no_domain_could_be_about_any():
    assert verdict("mx.games.example; dmarc=pass").dmarc == NONE
    assert verdict("mx.games.example; dmarc=pass header.from=evil.example (header.from=players.example)").dmarc == NONE


def test_the_policy_is_that_of_the_dmarc_result_and_of_no_other():
    spf = 'spf=fail smtp.mailfrom="p=reject@evil.example"'
    assert verdict(f"mx.games.example; {spf}; dmarc=fail header.from=players.example") == Verdict(FAIL, strict=False)


@pytest.mark.parametrize(
    "value", ["mx.games.example; " + "(" * 3000, "mx.games.example; dmarc=pass " + "a" * 5000, "mx.games.example"]
)
def test_results_that_cannot_be_read_are_no_results(value):
    assert verdict(value).dmarc == NONE


def test_a_policy_of_none_is_not_strict():
    assert verdict("mx.games.example; dmarc=fail (p=none dis=none) header.from=players.example") == Verdict(FAIL, strict=False)
    assert verdict("mx.games.example; dmarc=fail header.from=players.example") == Verdict(FAIL, strict=False)


@pytest.mark.parametrize(
    ("envelope", "results", "dmarc"),
    [
        ("bounces@players.example", "", PASS),
        ("bounces@mail.players.example", "", PASS),
        ("x@evil.example", "", NONE),
        ('"anna@players.example"@evil.example', "", NONE),
        ("@players.example:x@evil.example", "", NONE),
        ("bounces@sender.example", "dkim=pass header.d=players.example; ", PASS),
        ("bounces@sender.example", "dkim=pass header.i=@mail.players.example; ", PASS),
        ("x@evil.example", "dkim=pass header.d=evil.example; ", NONE),
        ("x@evil.example", "dkim=fail header.d=players.example; ", NONE),
    ],
)
def test_a_pass_rests_on_a_signature_or_on_the_envelope(envelope, results, dmarc):
    raw = f"Authentication-Results: mx.games.example; {results}dmarc=pass header.from=players.example\r\n".encode()
    raw += b"DKIM-Signature: v=1; d=players.example; s=s; h=from:to:date; bh=x; b=x\r\nFrom: anna@players.example\r\n\r\nx"
    assert authenticate(reading.parse(raw), raw, SENDER, envelope_from=envelope).dmarc == dmarc


@pytest.mark.parametrize("domain", ["players.example(.evil.example", "players.example(.evil.example)", '"players.example"'])
def test_where_a_signature_names_no_plain_domain_no_field_is_believed_to_be_signed(domain):
    fields = b"".join(
        f"DKIM-Signature: v=1; d={one}; s=s; h=from:to:date; bh=x; b=x\r\n".encode() for one in (domain, "players.example")
    )
    raw = f"Authentication-Results: {GOOD}\r\n".encode() + fields + b"From: anna@players.example\r\n\r\nx"
    assert not verdict(raw=raw).proves("to")


DEPLOY = Path(__file__).resolve().parents[3] / "deploy"


@pytest.mark.parametrize("field", ["Authentication-Results", "Received-SPF"])
def test_the_sample_lets_no_results_in_that_a_mail_brings_along(field):
    """OpenDMARC would believe them: "Received-SPF: pass" alone made a stranger's mail a player's."""
    sample = (DEPLOY / "postfix.cf").read_text()
    [checks] = re.findall(r"^header_checks = regexp:\{ \{ /(.+)/ IGNORE \} \}$", sample, re.MULTILINE)
    assert re.match(checks, f"{field}: pass", re.IGNORECASE)
    assert "SPFIgnoreResults true   SPFSelfValidate true" in sample


def test_the_sample_lets_no_mail_end_twice():
    """A mail hidden behind "LF . CR LF" came as one of its own, with the SPF of the server that sent both."""
    assert "\nsmtpd_forbid_bare_newline = normalize\n" in (DEPLOY / "postfix.cf").read_text()


def test_without_a_name_everything_is_unknown(settings):
    settings.INBOUND_AUTHSERV_ID = ""
    assert verdict(GOOD).dmarc == NONE


@pytest.fixture(scope="module")
def signed():
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.TraditionalOpenSSL, serialization.NoEncryption()
    )
    public = key.public_key().public_bytes(serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)
    import base64  # beside its only use

    records = {
        b"s._domainkey.players.example.": b"v=DKIM1; k=rsa; p=" + base64.b64encode(public),
        b"_dmarc.players.example": b"v=DMARC1; p=reject",
    }
    raw = b"From: anna@players.example\r\nSubject: Re\r\n\r\nmove A1\r\n"
    fields = [b"from", b"subject", b"date", b"content-type", b"content-transfer-encoding"]
    signature = dkim.sign(raw, b"s", b"players.example", private, include_headers=fields)
    return signature + raw, lambda name, *_a, **_k: records.get(name.rstrip(b".") if name not in records else name)


def test_our_own_check(settings, signed):
    settings.INBOUND_AUTH = "own"
    raw, lookup = signed
    assert verdict(raw=raw, lookup=lookup) == Verdict(PASS, strict=True)
    assert verdict(raw=raw.replace(b"\r\n", b"\n"), lookup=lookup) == Verdict(PASS, strict=True)
    assert verdict(raw=raw.replace(b"move A1", b"move B2"), lookup=lookup) == Verdict(NONE, strict=True)
    assert verdict(raw=raw.partition(b"\r\nFrom:")[2].join([b"From:", b""]), lookup=lookup).dmarc == NONE  # not signed
    assert verdict(raw=b"DKIM-Signature: nonsense\r\nFrom: anna@players.example\r\n\r\nx", lookup=lookup).dmarc in (NONE, FAIL)


@pytest.mark.parametrize(("by", "dmarc"), [(b"rsa-sha256", PASS), (b"rsa-sha1", NONE)])
def test_a_signature_by_a_broken_hash_proves_nothing(settings, by, dmarc):
    settings.INBOUND_AUTH = "own"
    raw = b"From: anna@players.example\r\nDate: Sun, 29 Nov 2026 01:00:00 +0000\r\n\r\nmove A1\r\n"
    fields = [b"from", b"date", b"content-type", b"content-transfer-encoding"]
    mail = signed_by(raw, "players.example", fields=fields, signature_algorithm=by)
    assert verdict(raw=mail, lookup=records(["players.example"])).dmarc == dmarc


@pytest.fixture
def silent_dns(monkeypatch):
    """A name server that never answers; returns its socket."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as server:
        server.bind(("127.0.0.1", 0))
        server.setblocking(False)
        resolver = dns.resolver.Resolver(configure=False)
        resolver.nameservers, resolver.port = ["127.0.0.1"], server.getsockname()[1]
        monkeypatch.setattr(dns.resolver, "default_resolver", resolver)
        yield server


def asked(server):
    """Return the names that a name server was asked for."""
    names = set()
    with contextlib.suppress(BlockingIOError):
        while True:
            names.add(str(dns.message.from_wire(server.recv(4096)).question[0].name))
    return names


def test_name_servers_that_hang_cost_a_mail_one_span_of_time_and_prove_nothing(settings, silent_dns, monkeypatch):
    settings.INBOUND_AUTH = "own"
    monkeypatch.setattr(names, "DNS_SECONDS", 0.2)
    raw = b"From: anna@players.example\r\nSubject: Re\r\n\r\nmove A1\r\n"
    for number in range(5):
        raw = signed_by(raw, f"hangs{number}.example")
    assert verdict(raw=raw) == Verdict(NONE), "silence is no forgery"
    assert len(asked(silent_dns)) == 1


def test_of_several_policies_none_counts(settings, monkeypatch):
    texts = {"one": [b"v=spf1 -all", b"v=DMARC1; p=reject"], "two": [b"v=DMARC1; p=reject", b"v=DMARC1; p=none"], "three": []}
    monkeypatch.setattr(names.Names, "_texts", lambda _self, name: texts[name])
    asked = names.Names(patient=True)
    assert [asked.policy(name) for name in texts] == ["v=DMARC1; p=reject", "", ""]
    assert [asked.key(name.encode()) for name in texts] == [b"v=spf1 -all", b"v=DMARC1; p=reject", None]


def test_loopback_is_refused_elsewhere(settings):
    settings.INBOUND_AUTH = "loopback"
    check_mode("127.0.0.1")
    check_mode("::1")
    for host in ("0.0.0.0", "192.0.2.1", "localhost.evil.example", "::", "localhost"):
        with pytest.raises(ImproperlyConfigured, match="believes every mail"):
            Receiver(host)


def test_modes_are_complete(settings):
    settings.INBOUND_AUTHSERV_ID = ""
    with pytest.raises(ImproperlyConfigured, match="INBOUND_AUTHSERV_ID"):
        check_mode("0.0.0.0")
    settings.INBOUND_AUTH = "trust"
    with pytest.raises(ImproperlyConfigured, match="is one of"):
        check_mode("127.0.0.1")
