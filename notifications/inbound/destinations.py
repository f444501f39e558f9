"""The destination of an address of ours; and the addresses and sender of mail that arrives as a whole (mailbox, provider).

SMTP knows both from the envelope. Here the envelope is what the last server wrote into the headers. A forged header gains
nothing: only a token that we made leads anywhere, and the sender still has to be authenticated.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable
from datetime import datetime
from email.message import Message
from email.utils import getaddresses
from uuid import UUID

from django.conf import settings

from notifications import registry
from notifications.inbound import addresses, standing, stopping, store
from notifications.inbound.proving.sender import sender_of
from notifications.inbound.standing import StandingAddress
from notifications.models import ReplyAddress
from notifications.parsing import automatic
from notifications.parsing.cutting import Cut
from notifications.parsing.reading import FAULTS, LONGEST_FIELD, headers_of
from notifications.parsing.refusals import MailRefused
from notifications.returned import bounces, return_paths
from notifications.returned.return_paths import BOUNCE, UNSUBSCRIBE, ReturnPath

# An address that may be answered or that stops mails, the one to which every player may write, or one that takes bounces.
Destination = ReplyAddress | StandingAddress | ReturnPath

# Headers in which servers write the delivery address; then those written by the sender.
_DELIVERED = ("Delivered-To", "X-Original-To", "Envelope-To", "X-Delivered-To", "X-Envelope-To")
_WRITTEN = ("To", "Cc")
MOST_ADDRESSES = 20
_FORWARDED = re.compile(r"(?:fwd?|wg|tr|rv|enc|vs|i)\s*:")
# RFC 5321 section 4.5.3.1.3
_LONGEST_PATH = 256
# Stands for a sender that cannot be parsed. It is not empty: that would make the mail a bounce.
_NOBODY = "unknown"

log = logging.getLogger(__name__)


def resolve(address: str) -> Destination | None:
    """Return the destination of an address of ours; None for any other.

    A letter that stops the mails like one of ours is treated as an answer to it.
    """
    path = return_paths.resolve(address)
    if path is not None and path.purpose == UNSUBSCRIBE:
        return stopping.address_of(path) or path
    return path or standing.resolve(address) or addresses.resolve(address)


def keep(mail: Cut, destination: Destination, *, envelope_from: str, received_at: datetime) -> UUID | None:
    """Store an answer for the workers. Return its id; None for one that is `repeated`, or that needs no work.

    Mail returned to a return path is processed at once: it is one row, and nobody waits for an answer.
    """
    if isinstance(destination, ReturnPath):
        if destination.purpose == BOUNCE:
            bounces.take(destination, mail.raw, received_at=received_at)
        return None
    if isinstance(destination, StandingAddress):
        destination = standing.box_of(headers_of(mail.raw))
    kept = store.store(mail, address=destination, envelope_from=envelope_from, received_at=received_at)
    if kept is None:
        log.info("a mail to the reply address %s is refused: repeated", destination.id)
    return kept


def addressed(headers: Message, *, named: Iterable[str] = ()) -> list[Destination]:
    """Return the destinations of a mail: those that its server named, else those in its headers."""
    found = (resolve(address) for address in [address for address in named if address] or addressed_to(headers))
    return list(dict.fromkeys(one for one in found if one is not None))


def addressed_to(headers: Message) -> list[str]:
    """Return the addresses of ours in the headers, each once, those written by servers first.

    A text search finds them. A parser of whole address lists would be slow with hostile ones, and the token alone decides.
    """
    if not settings.REPLY_DOMAIN:
        return []
    return _ours(str(value) for name in (*_DELIVERED, *_WRITTEN) for value in headers.get_all(name, []))


def written_to(headers: Message, address: ReplyAddress) -> bool:
    """Return True if the only To line of a mail names this address of ours, and not just as a name or in a comment.

    To is the line that senders sign. Lines added by servers, a second To, and a new Cc can be put around a signed mail.
    """
    lines = [str(value) for value in headers.get_all("To", [])]
    if len(lines) != 1 or len(lines[0]) > LONGEST_FIELD:
        return False
    try:
        written = [one for _name, one in getaddresses(lines)][:MOST_ADDRESSES]
    except FAULTS:
        return False  # such as comments within comments, hundreds deep
    return any(_leads_to(one, address) for one in written)


def answers_topic(headers: Message, address: ReplyAddress) -> bool:
    """Return True if the subject of a mail is that of an answer to our mails about the topic of this address, and no forward."""
    name = registry.topic_of(address.topic, address.user_id).name
    said = automatic.subject_of(headers)
    return bool(name) and not _FORWARDED.match(said) and bool(_answer_to(name).match(said))


def _answer_to(name: str) -> re.Pattern[str]:
    """Return the pattern of a subject that answers a mail about something: its name, perhaps in brackets, behind "Re:"."""
    spelled = re.escape(name.casefold())
    return re.compile(rf"(?:[^\W\d_]{{1,10}}(?:\[\d{{1,3}}\])?\s?[:：]\s{{0,3}}){{0,5}}(?:\[{spelled}\]|{spelled}(?!\w))")


def _leads_to(written: str, address: ReplyAddress) -> bool:
    if standing.is_box(address):
        return standing.resolve(written) is not None
    path = return_paths.resolve(written)
    return addresses.leads_to(written, address) if path is None else stopping.address_of(path) == address


def _ours(texts: Iterable[str]) -> list[str]:
    ours = re.compile(rf"[\w.+=-]{{1,64}}@{re.escape(str(settings.REPLY_DOMAIN))}(?![\w.-])", re.IGNORECASE | re.ASCII)
    return list(dict.fromkeys(address for text in texts for address in ours.findall(text)))[:MOST_ADDRESSES]


def sent_by(headers: Message) -> str:
    """Return the envelope sender as the last server wrote it, empty for a bounce; without that line the From address."""
    path = headers.get("Return-Path")
    if path is not None:
        return str(path).strip().strip("<>").strip()[:_LONGEST_PATH]
    try:
        return sender_of(headers)
    except MailRefused:
        return _NOBODY


def take(mail: Cut, *, to: Iterable[Destination], envelope_from: str, received_at: datetime) -> list[UUID]:
    """Store a mail for each of its addresses. Return the ids of new ones. The caller wakes the workers."""
    kept = (keep(mail, one, envelope_from=envelope_from, received_at=received_at) for one in to)
    return [one for one in kept if one is not None]
