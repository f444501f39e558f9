"""From raw bytes to a message: size, shape, the one sender. What is malformed is refused by name and crashes nothing."""

from __future__ import annotations

import email
import email.policy
import re
from email.errors import MessageError
from email.message import EmailMessage
from email.parser import BytesHeaderParser
from email.utils import getaddresses

from notifications.inbound.refusals import MailRefused

LARGEST = 1024 * 1024
MOST_PARTS = 50
DEEPEST = 5

# Counted before parsing: the parser works recursively, and whoever nests a thousand parts wants just that.
_MULTIPART = re.compile(rb"^content-type:[ \t\r\n]*(?:multipart|message)/", re.IGNORECASE | re.MULTILINE)
_MESSAGE_ID = re.compile(r"<[!-;=?-~]{1,240}>")


def parse(raw: bytes) -> EmailMessage:
    """The message. Raises `MailRefused`: too_large, too_deep, too_many_parts, broken."""
    if len(raw) > LARGEST:
        raise MailRefused("too_large", f"{len(raw)} bytes")
    if len(_MULTIPART.findall(raw)) > 4 * DEEPEST:
        raise MailRefused("too_deep")
    try:
        message = email.message_from_bytes(raw, policy=email.policy.default)
        _check_shape(message)
        # Headers are parsed when they are read: read all of them here, so that no later step meets a broken one.
        for _name, value in message.items():
            str(value)
    except (MessageError, ValueError, LookupError, TypeError, AttributeError, IndexError, RecursionError) as fault:
        # The library's parser of headers is known to fail in all these ways on hostile input.
        raise MailRefused("broken", f"{type(fault).__name__}: {fault}") from fault
    return message


def sender_of(message: EmailMessage) -> str:
    """The one address in From, in lower case. Raises `MailRefused` if there is none, or more than one."""
    values = message.get_all("From", [])
    found = [address for _name, address in getaddresses([str(value) for value in values]) if address]
    if len(values) != 1 or len(found) != 1 or "@" not in found[0]:
        raise MailRefused("no_single_sender", f"{len(values)} From, {len(found)} addresses")
    return found[0].lower()


def message_id(raw: bytes) -> str:
    """The Message-ID of a raw mail, or an empty text; never raises, since it is asked before the mail is stored."""
    try:
        value = str(BytesHeaderParser().parsebytes(raw[:65_536]).get("Message-ID", ""))
    except (MessageError, ValueError, LookupError, TypeError):
        return ""
    found = _MESSAGE_ID.search(value)
    return found[0] if found else ""


def body_of(raw: bytes) -> bytes:
    """What stands below the headers, for the hash of mails without a Message-ID."""
    return re.split(rb"\r?\n\r?\n", raw, maxsplit=1)[-1]


def _check_shape(message: EmailMessage) -> None:
    parts = 0
    waiting = [(message, 1)]
    while waiting:
        part, depth = waiting.pop()
        parts += 1
        if parts > MOST_PARTS:
            raise MailRefused("too_many_parts")
        if depth > DEEPEST:
            raise MailRefused("too_deep")
        payload = part.get_payload()
        if part.is_multipart() and isinstance(payload, list):
            waiting += [(inner, depth + 1) for inner in payload if isinstance(inner, EmailMessage)]
