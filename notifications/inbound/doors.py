"""What the doors share: where an address of ours leads; and for those that hand mail over as a whole (mailbox, provider), for
which of our addresses it is, and from whom.

The SMTP door knows both from the envelope. Here the envelope is what the last server wrote into the headers, and a forged
header opens nothing: only a token that we made leads anywhere, and the sender has to be proved like everybody.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from email.errors import MessageError
from email.message import Message
from email.parser import BytesHeaderParser
from email.utils import getaddresses
from uuid import UUID

from notifications import bounces, return_paths
from notifications.inbound import addresses, stopping, store
from notifications.models import ReplyAddress
from notifications.return_paths import BOUNCE, ReturnPath

# An address that may be answered, or one to which a mail of ours comes back.
Destination = ReplyAddress | ReturnPath

# Where servers write the address a mail was delivered for; then what its sender wrote.
_DELIVERED = ("Delivered-To", "X-Original-To", "Envelope-To", "X-Delivered-To", "X-Envelope-To")
_WRITTEN = ("To", "Cc")
MOST_ADDRESSES = 20
_HEADERS = 65_536


def resolve(address: str) -> Destination | None:
    """Where an address of ours leads; None for any other."""
    return return_paths.resolve(address) or addresses.resolve(address)


def keep(raw: bytes, destination: Destination, *, envelope_from: str, received_at: datetime) -> UUID | None:
    """Store an answer raw, for the workers to be woken; None for one that was stored before. What comes back to a return path
    is read at once: it is one row, and nobody waits for an answer."""
    if isinstance(destination, ReturnPath):
        if destination.purpose == BOUNCE:
            bounces.take(destination, raw, received_at=received_at)
            return None
        stopping_address = stopping.address_of(destination)
        if stopping_address is None:
            return None
        destination = stopping_address
    return store.store(raw, address=destination, envelope_from=envelope_from, received_at=received_at)


def headers_of(raw: bytes) -> Message:
    """The headers of a raw mail; never raises, since it is asked before the mail is stored."""
    try:
        return BytesHeaderParser().parsebytes(raw[:_HEADERS])
    except (MessageError, ValueError, LookupError, TypeError):
        return Message()


def addressed(headers: Message, *, named: Iterable[str] = ()) -> list[Destination]:
    """The addresses of ours that a mail is for: those that its server named, else those in its headers."""
    found = (resolve(address) for address in [address for address in named if address] or addressed_to(headers))
    return list(dict.fromkeys(one for one in found if one is not None))


def addressed_to(headers: Message) -> list[str]:
    """The addresses in the headers that a mail could be for, each once, those written by servers first."""
    return list(dict.fromkeys([*_found(headers, _DELIVERED), *_found(headers, _WRITTEN)]))[:MOST_ADDRESSES]


def sent_by(headers: Message) -> str:
    """The envelope's sender as the last server wrote it, empty for a bounce; without that line the From address."""
    path = headers.get("Return-Path")
    if path is not None:
        return str(path).strip().strip("<>").strip()
    return next(iter(_found(headers, ("From",))), "")


def take(raw: bytes, *, to: Iterable[Destination], envelope_from: str, received_at: datetime) -> list[UUID]:
    """Store a mail for each of its addresses; return what is new. The caller wakes the workers."""
    kept = (keep(raw, one, envelope_from=envelope_from, received_at=received_at) for one in to)
    return [one for one in kept if one is not None]


def _found(headers: Message, names: Iterable[str]) -> list[str]:
    values = [str(value) for name in names for value in headers.get_all(name, [])]
    try:
        return [address for _name, address in getaddresses(values) if "@" in address]
    except (ValueError, IndexError, TypeError):
        # The library's reader of addresses fails in these ways on hostile lines; such a mail names nobody.
        return []
