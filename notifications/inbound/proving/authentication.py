"""Proof that a mail comes from the domain in its From line. The setting `INBOUND_AUTH` selects the check.

- `border`: the mail server in front of us wrote `Authentication-Results` under the name `INBOUND_AUTHSERV_ID`. It must strip
  foreign headers with its name; headers with any other name may be forged and are not read.
- `own`: the receiver is reachable from the internet; DKIM and DMARC are checked here.
- `loopback`: everything is trusted. For trials and tests; the receiver then listens on this machine only.
"""

from __future__ import annotations

import functools
import ipaddress
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from email.message import Message
from typing import Any

from authheaders import dmarc_lookup, dmarc_per_from
from authheaders.dmarc_lookup import DMARCException
from authres import AuthResError, DKIMAuthenticationResult, FeatureContext
from authres import dmarc as dmarc_feature
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from dkim import DKIM, DKIMException
from dns.exception import DNSException

from notifications.inbound.proving import covering
from notifications.inbound.proving.names import Names
from notifications.inbound.proving.sender import domain_of
from notifications.parsing.reading import LONGEST_FIELD

MODES = ("border", "own", "loopback")
PASS, FAIL, NONE = "pass", "fail", "none"

_POLICY = re.compile(r"\b(?:p|policy|policy\.dmarc)=[ \"]*(none|quarantine|reject)", re.IGNORECASE)
_DMARC = re.compile(r";\s*dmarc\s*=[^;]*", re.IGNORECASE)
_FEATURES = FeatureContext(dmarc_feature)
# Some senders sign twice, forwarders once more.
_MOST_SIGNATURES = 5
_TAG = re.compile(r"(?:^|;)([a-z]+)=([^;]*)")
# To some readers of a verdict, such as "d=players.example(.evil.example", what stands behind these is a comment.
_NO_DOMAIN = re.compile(r"[^\w.-]")
_PART_OF_BODY = re.compile(rb"(?:\A|;)\s*l\s*=")
# dkimpy takes quadratic time for a run of blanks in the body, and worse in its own header.
_RUNS = re.compile(rb"[\t ]+")
_MOST_BLANKS = 200
_BLANKS = re.compile(rb"\s{40}")
Lookup = Callable[..., Any]


@functools.cache
def _suffixes(location: str) -> Any:
    with open(location, encoding="utf-8") as suffixes:
        return dmarc_lookup.PublicSuffixList(suffixes)


def _registered_domain(location: object, domain: str) -> object:
    return _suffixes(str(location)).get_public_suffix(domain)


# The library reads its list of ten thousand suffixes for each domain it checks, several times per mail.
dmarc_lookup.get_org_domain_from_suffix_list = _registered_domain


@dataclass(frozen=True, slots=True)
class Verdict:
    """The DMARC result for the From domain (pass, fail or none), and True if the domain asks to drop failures.

    `signed`: the names of the header fields that are proved, in lower case; None if that was for others to check.
    """

    dmarc: str
    strict: bool = False
    signed: frozenset[str] | None = field(default=None, compare=False)

    def proves(self, name: str) -> bool:
        """Return True if a header field is proved too, by its name in lower case: others may write another one otherwise."""
        return self.signed is None or name in self.signed


def check_mode(host: str) -> None:
    """Refuse to receive in a mode that does not exist, that lacks its name, or that would trust strangers."""
    if settings.INBOUND_AUTH not in MODES:
        raise ImproperlyConfigured(f"INBOUND_AUTH is one of {', '.join(MODES)}, not {settings.INBOUND_AUTH!r}.")
    if settings.INBOUND_AUTH == "border" and not settings.INBOUND_AUTHSERV_ID:
        raise ImproperlyConfigured("INBOUND_AUTH=border needs INBOUND_AUTHSERV_ID, the name your mail server writes.")
    if settings.INBOUND_AUTH == "loopback" and not is_loopback(host):
        raise ImproperlyConfigured(f"INBOUND_AUTH=loopback believes every mail; it listens on 127.0.0.1 or ::1, not on {host!r}.")


def is_loopback(host: str) -> bool:
    """Return True for an address that only this machine reaches. A name is none: it could point anywhere."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def authenticate(
    message: Message,
    raw: bytes,
    sender: str,
    *,
    patient: bool = True,
    lookup: Lookup | None = None,
    digests: Mapping[str, str] | None = None,
    envelope_from: str | None = None,
) -> Verdict:
    """Return the verdict on a mail from this one address (`sender.sender_of`); `lookup` replaces DNS in tests.

    `digests`: those of a body that was cut (`parsing.cutting`), by which its signatures are checked. `envelope_from`: the sender
    in its envelope; None if it is not known.
    Raises `names.Unanswered` if a missing answer could prove the mail, and the caller is not `patient`.
    """
    domain = domain_of(sender)
    match settings.INBOUND_AUTH:
        case "loopback":
            return Verdict(PASS)
        case "own":
            verdict = _own(_signed(raw, digests), domain, patient, lookup) if domain else Verdict(NONE)
            if verdict.signed is not None and not covering.covers(message, verdict.signed):
                return Verdict(NONE, strict=verdict.strict)
            return verdict
        case _:
            verdict = _border(message, domain, envelope_from) if domain else Verdict(NONE)
            return replace(verdict, signed=_said_to_be_signed(message, domain)) if verdict.dmarc == PASS else verdict


def _border(message: Message, domain: str, envelope_from: str | None) -> Verdict:
    """Return the worst verdict written by our border: if two headers under its name disagree, one of them is not its own.

    A pass rests on a signature or on SPF, and SPF is about the envelope. Where the border names no valid signature, and the
    envelope is of another organisation, it took one address for another: `"anna@players.example"@evil.example` has two.
    """
    wanted = str(settings.INBOUND_AUTHSERV_ID).lower()
    verdicts: list[Verdict] = []
    carried = envelope_from is None or _of_one_organisation(domain_of(envelope_from), domain)
    for value in message.get_all("Authentication-Results", []):
        line = " ".join(str(value).split())
        if not wanted or line.split(";")[0].split(" ")[0].lower() != wanted:
            continue
        try:
            header = _FEATURES.parse_value(line) if len(line) <= LONGEST_FIELD else None
        except (AuthResError, RecursionError):
            header = None
        if header is None or header.authserv_id != wanted:
            verdicts.append(Verdict(NONE))
            continue
        verdicts += [_border_says(result, domain, line) for result in header.results if result.method == "dmarc"]
        carried = carried or any(_is_signature(result, domain) for result in header.results)
    if not verdicts:
        return Verdict(NONE)
    worst = min(verdicts, key=lambda verdict: ([FAIL, NONE, PASS].index(verdict.dmarc), not verdict.strict))
    return worst if carried or worst.dmarc != PASS else Verdict(NONE)


def _is_signature(result: Any, domain: str) -> bool:
    """Return True for a result that says that a signature of the organisation of this domain is valid."""
    signer = getattr(result, "header_d", None) or getattr(result, "header_i", None) or ""
    return result.method == "dkim" and result.result == PASS and _of_one_organisation(domain_of("@" + str(signer)), domain)


def _said_to_be_signed(message: Message, domain: str) -> frozenset[str] | None:
    """Return the fields that all signatures of this domain name: one of them is what the border checked, which does not say so.

    None without such a signature: then the mail came from the domain's own servers (SPF). Others who hold a signed mail may put
    more signatures above its own. So of too many, or of one that is too long to be read, none is believed to name a field. Nor is
    one without Date, or of a part of the body: with another date, or more text, the mail would pass for a new one.
    """
    values = [str(value) for value in message.get_all("DKIM-Signature", [])]
    if len(values) > _MOST_SIGNATURES or any(len(value) > LONGEST_FIELD for value in values):
        return frozenset()
    signed: list[frozenset[str]] = []
    for value in values:
        tags = dict(_TAG.findall(re.sub(r"\s+", "", value)))
        if _NO_DOMAIN.search(tags.get("d", "")):
            return frozenset()
        if _of_one_organisation(domain_of("@" + tags.get("d", "")), domain):
            fields = frozenset(tags.get("h", "").lower().split(":"))
            signed.append(fields if "date" in fields and "l" not in tags else frozenset())
    return frozenset.intersection(*signed) if signed else None


def _border_says(result: Any, domain: str, line: str) -> Verdict:
    """Return the verdict in one result, if it is about this domain. One that names no domain could be about another."""
    about = domain_of("@" + str(getattr(result, "header_from", None) or "").rpartition("@")[2])
    if result.result not in (PASS, FAIL) or about != domain:
        return Verdict(NONE)
    # The policy is usually in a comment, which the library drops; other results contain the sender's text.
    policies = (_POLICY.search(said) for said in _DMARC.findall(line))
    return Verdict(result.result, strict=any(policy is not None and policy[1].lower() != "none" for policy in policies))


def _own(mail: DKIM | None, domain: str, patient: bool, lookup: Lookup | None) -> Verdict:
    """Return the verdict of our own DKIM and DMARC check for this domain, and for no other that the mail names.

    SPF is not checked, so a mail without a valid signature is unknown, not a forgery: where a gateway adds lines, or a provider
    signs with its own name, SPF alone proves a mail.
    """
    names = Names(patient=patient)
    verdict = _look(mail, domain, lookup or names.key, _records(lookup) if lookup else names.policy)
    if verdict.dmarc != PASS:
        names.check_answered()
    return verdict


def _look(mail: DKIM | None, domain: str, keys: Lookup, records: Lookup) -> Verdict:
    """Return the verdict from the signatures of a mail and the policy of its domain, as far as DNS answers."""
    try:
        signers = _signers(mail, keys) if mail is not None else None
        if signers is None:
            return Verdict(NONE)
        # The policy alone first; then one aligned signature is enough, whichever it is.
        _verdict, _comment, _domain, policy = dmarc_per_from(domain, dnsfunc=records)
        signatures = {signer: DKIMAuthenticationResult(result=PASS, header_d=signer) for signer in signers}
        aligned = {
            signer for signer, dkim in signatures.items() if dmarc_per_from(domain, dkim_result=dkim, dnsfunc=records)[0] == PASS
        }
    except (DNSException, DMARCException, ValueError, LookupError, AttributeError, OSError):
        # A name server that does not answer, or a record so broken that the library fails: unknown.
        return Verdict(NONE)
    strict = policy in ("quarantine", "reject")
    proving = [signers[signer] for signer in aligned if _related(signer, domain)]
    if proving:
        return Verdict(PASS, strict=strict, signed=frozenset().union(*proving))
    return Verdict(NONE, strict=strict)


def _related(signer: str, domain: str) -> bool:
    """Return True if one domain is the other, or lies in it.

    The library uses its list of public suffixes: in a top-level domain newer than the list it takes all domains for one.
    """
    shorter, longer = sorted((signer, domain), key=len)
    return signer == domain or ("." in shorter and longer.endswith("." + shorter))


def _of_one_organisation(signer: str, domain: str) -> bool:
    """Return True if a border may take a signature of one domain for one of the other (RFC 7489 section 3.1.1)."""
    ours = str(dmarc_lookup.get_org_domain(domain) or "")
    return _related(signer, domain) or ("." in ours and ours == dmarc_lookup.get_org_domain(signer))


class _Cut(DKIM):  # type: ignore[misc]
    """A mail whose body was cut: its signatures are checked by the digests of the whole body."""

    digests: Mapping[str, str]

    def verify_sig_process(self, sig: dict[bytes, bytes], *more: Any) -> Any:
        """Check one signature. A body that was changed is taken for an unknown one: its digest may differ for other reasons."""
        _head, _slash, body = sig.get(b"c", b"simple/simple").partition(b"/")
        signed = re.sub(rb"\s+", b"", sig.get(b"bh", b"")).decode("ascii", "replace")
        if not sig[b"a"].endswith(b"-sha256") or self.digests.get((body or b"simple").decode("ascii", "replace")) != signed:
            raise DNSException("the body cannot be checked")  # type: ignore[no-untyped-call]
        return super().verify_sig_process({name: value for name, value in sig.items() if name != b"bh"}, *more)


def _signed(raw: bytes, digests: Mapping[str, str] | None) -> DKIM | None:
    """Return a mail with its signatures; None if they cannot be checked."""
    if any(len(blanks) > _MOST_BLANKS for blanks in _RUNS.findall(raw)):
        return None
    try:
        if digests is None:
            return DKIM(raw)
        mail = _Cut(raw)
    except DKIMException:
        return None
    mail.digests = digests
    return mail


def _signers(mail: DKIM, lookup: Lookup) -> dict[str, frozenset[str]] | None:
    """Return the domains with valid signatures of this mail, and the names of the fields they signed.

    None if there was none, or if it cannot be checked.
    """
    fields = [value for name, value in mail.headers if name.lower() == b"dkim-signature"][:_MOST_SIGNATURES]
    found: dict[str, frozenset[str]] = {}
    told = unknown = False
    for index, signature in enumerate(fields):
        # A signature of a part of the body (RFC 6376 section 8.2) proves nothing about the rest. Long ones are slow to parse.
        if len(signature) > LONGEST_FIELD or _BLANKS.search(signature) or _PART_OF_BODY.search(signature):
            continue
        try:
            # RFC 8301: a signature by SHA-1 is none.
            valid = mail.verify(index, dnsfunc=lookup) and not mail.signature_fields[b"a"].endswith(b"-sha1")
            told = True
        except (DKIMException, ValueError, LookupError, TypeError, AttributeError):
            valid, told = False, True
        except DNSException:
            valid, unknown = False, True
        if valid:
            signer = domain_of("@" + mail.domain.decode("ascii", "replace"))
            names = mail.signature_fields[b"h"].decode("ascii", "replace").lower().split(":")
            found[signer] = found.get(signer, frozenset()) | {name.strip() for name in names}
    return {signer: signed for signer, signed in found.items() if signer} if found or (told and not unknown) else None


def _records(lookup: Lookup) -> Lookup:
    """Return the stand-in in the form that authheaders calls: with names and answers as text."""

    def ask(name: str, qtype: str = "TXT") -> str:
        found = lookup(name.encode() if isinstance(name, str) else name)
        return found.decode() if isinstance(found, bytes) else found or ""

    return ask
