"""The one sender of a mail: the address in its From line, if every parser finds the same one there.

A From line passes several programs: the sender's server signs it, our border or our own check judges its domain, and we match its
address against the player's. If two of them could parse it differently, the proof of one address would count for another. So only
plain forms are accepted, two parsers must agree on them, and all others are refused.
"""

from __future__ import annotations

import re
from email.headerregistry import AddressHeader, HeaderRegistry
from email.message import Message
from email.utils import getaddresses
from typing import cast

import idna

from notifications.parsing.reading import FAULTS, PLAIN_ADDRESS
from notifications.parsing.refusals import MailRefused

# RFC 5321 allows 254 characters for an address; the rest is for the name.
_LONGEST = 1000
_ATOM = r"[^\x00-\x20\x7f@<>()\[\]\\,:;\".]+"
_ADDRESS = rf"(?P<address>{_ATOM}(?:\.{_ATOM})*@{_ATOM}(?:\.{_ATOM})*)"
_COMMENT = r"\([^()\\@]*\)"
# A display name: words, quoted words, comments.
_NAME = rf"(?:\"(?:[^\"\\]|\\.)*\"|{_COMMENT}|[^\"()<>@,:;\[\]\\])*"
_FROM = re.compile(rf"\s*(?:{_NAME}<{_ADDRESS}>|{_ADDRESS.replace('address', 'bare')})\s*(?:{_COMMENT}\s*)?")
# A form on which the library's parsers agree, so that they need not be asked: they take a tenth of the time of a mail.
_AGREED = re.compile(rf"{PLAIN_ADDRESS}|(?:[A-Za-z0-9]+ )*<{PLAIN_ADDRESS}>|\"[A-Za-z0-9 ]+\" <{PLAIN_ADDRESS}>")
_HEADERS = HeaderRegistry()


def sender_of(message: Message) -> str:
    """Return the one address in From, folded. Raises `MailRefused` if there is none, more than one, or any ambiguity."""
    values = [str(value) for name, value in message.raw_items() if name.lower() == "from"]
    if len(values) != 1:
        raise MailRefused("no_single_sender", f"{len(values)} From lines")
    # As the parser keeps it: bytes beyond ASCII are lone surrogates.
    value = re.sub(r"\r?\n(?=[ \t])", "", values[0]).strip().encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    plain = _FROM.fullmatch(value) if len(value) <= _LONGEST else None
    if plain is None:
        raise MailRefused("no_single_sender", "a From line of another form than: Name <address>")
    address = plain["address"] or plain["bare"]
    if not _AGREED.fullmatch(value) and _readings(value) != {(address,)}:
        raise MailRefused("no_single_sender", "two readers of the From line disagree")
    return folded(address)


def folded(address: str) -> str:
    """Return an address in lower case. Only ASCII is folded: other letters have lower cases that are ASCII (the Kelvin sign)."""
    return "".join(letter.lower() if letter.isascii() else letter for letter in address)


def domain_of(address: str) -> str:
    """Return the domain of an address as in DNS: in lower case, in ASCII (RFC 5891); empty if there is no such domain."""
    domain = folded(address.rpartition("@")[2]).rstrip(".")
    try:
        # Hosts with an underscore exist, but are no domain names in IDNA.
        return domain if domain.isascii() else idna.encode(domain).decode("ascii")
    except (idna.IDNAError, UnicodeError):
        return ""


def _readings(value: str) -> set[tuple[str, ...]]:
    """Return the addresses that each of the library's two parsers finds. Raises `MailRefused` if one fails."""
    try:
        modern = cast(AddressHeader, _HEADERS("From", value))
        groups = [group.display_name for group in modern.groups if group.display_name is not None]
        old = tuple(address for _name, address in getaddresses([value]) if address)
        return {old, (*(address.addr_spec for address in modern.addresses), *groups)}
    except FAULTS as fault:
        raise MailRefused("no_single_sender", f"{type(fault).__name__} in the From line") from fault
