"""Whether a mail really comes from the domain in its From line: one setting, `INBOUND_AUTH`, says who checks that.

- `border`: the mail server in front of us wrote `Authentication-Results` under the name `INBOUND_AUTHSERV_ID`. It must strip
  foreign headers that bear its name; headers under any other name are an attacker's word and are not read.
- `own`: the receiver faces the net itself; DKIM and DMARC are checked here.
- `loopback`: everything is believed. For trying out and tests; the receiver then listens on this machine only.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable
from dataclasses import dataclass
from email.message import EmailMessage
from typing import Any

from authheaders import check_dkim, check_dmarc
from authheaders.dmarc_lookup import DMARCException
from authres import AuthResError, FeatureContext
from authres import dmarc as dmarc_feature
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from dns.exception import DNSException

MODES = ("border", "own", "loopback")
PASS, FAIL, NONE = "pass", "fail", "none"

_POLICY = re.compile(r"\b(?:p|policy|policy\.dmarc)=[ \"]*(none|quarantine|reject)", re.IGNORECASE)
_FEATURES = FeatureContext(dmarc_feature)
Lookup = Callable[..., Any]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What DMARC says of the From domain: pass, fail or none (unknown is none), and whether the domain asks to drop failures."""

    dmarc: str
    strict: bool = False


def check_mode(host: str) -> None:
    """Refuse to receive in a mode that does not exist, that lacks its name, or that would believe strangers."""
    if settings.INBOUND_AUTH not in MODES:
        raise ImproperlyConfigured(f"INBOUND_AUTH is one of {', '.join(MODES)}, not {settings.INBOUND_AUTH!r}.")
    if settings.INBOUND_AUTH == "border" and not settings.INBOUND_AUTHSERV_ID:
        raise ImproperlyConfigured("INBOUND_AUTH=border needs INBOUND_AUTHSERV_ID, the name your mail server writes.")
    if settings.INBOUND_AUTH == "loopback" and not is_loopback(host):
        raise ImproperlyConfigured(f"INBOUND_AUTH=loopback believes every mail; it listens on 127.0.0.1 or ::1, not on {host!r}.")


def is_loopback(host: str) -> bool:
    """Whether an address is one that only this machine reaches. A name is not: it could lead anywhere."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def authenticate(message: EmailMessage, raw: bytes, sender: str, *, lookup: Lookup | None = None) -> Verdict:
    """The verdict on a mail with this one From address; `lookup` stands in for DNS in tests."""
    domain = sender.rpartition("@")[2]
    match settings.INBOUND_AUTH:
        case "loopback":
            return Verdict(PASS)
        case "own":
            return _own(raw, lookup)
        case _:
            return _border(message, domain)


def _border(message: EmailMessage, domain: str) -> Verdict:
    """The worst of what our border wrote: where two headers under its name disagree, one of them is not its own."""
    wanted = str(settings.INBOUND_AUTHSERV_ID).lower()
    verdicts: list[Verdict] = []
    for value in message.get_all("Authentication-Results", []):
        line = " ".join(str(value).split())
        if not wanted or line.split(";")[0].split(" ")[0].lower() != wanted:
            continue
        try:
            header = _FEATURES.parse_value(line)
        except AuthResError:
            verdicts.append(Verdict(NONE))
            continue
        for result in header.results:
            if result.method != "dmarc":
                continue
            about = str(getattr(result, "header_from", None) or domain).lower()
            said = result.result if result.result in (PASS, FAIL) and about == domain else NONE
            policy = _POLICY.search(f"{result.result_comment or ''} {line}")
            verdicts.append(Verdict(said, strict=bool(policy and policy[1].lower() != "none")))
    if not verdicts:
        return Verdict(NONE)
    return min(verdicts, key=lambda one: ([FAIL, NONE, PASS].index(one.dmarc), not one.strict))


def _own(raw: bytes, lookup: Lookup | None) -> Verdict:
    """Our own look at DKIM and DMARC. SPF is not checked, so a mail without a signature is unknown, not a forgery."""
    if not re.search(rb"^dkim-signature:", raw.split(b"\r\n\r\n")[0].split(b"\n\n")[0], re.IGNORECASE | re.MULTILINE):
        return Verdict(NONE)
    try:
        dkim = check_dkim(raw, dnsfunc=lookup)
        if dkim.result not in (PASS, FAIL):
            return Verdict(NONE)
        result = check_dmarc(raw, None, dkim, dnsfunc=_records(lookup) if lookup else None)
    except (DNSException, DMARCException, ValueError, AttributeError, UnicodeError, OSError):
        # A name server that does not answer, or a signature so broken that the library stumbles: unknown.
        return Verdict(NONE)
    if result.result not in (PASS, FAIL):
        return Verdict(NONE)
    return Verdict(result.result, strict=getattr(result, "policy", "") in ("quarantine", "reject"))


def _records(lookup: Lookup) -> Lookup:
    """The stand-in as authheaders calls it: names and answers are text there."""

    def ask(name: str, qtype: str = "TXT") -> Any:
        found = lookup(name.encode() if isinstance(name, str) else name)
        return found.decode() if isinstance(found, bytes) else found or ""

    return ask
