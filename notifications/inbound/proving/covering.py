"""The parts of a mail that its signature covers. Anyone who has the mail may have changed the others.

Programs sign different fields: Gmail and Yahoo leave out Content-Type, Outlook leaves out To. Such a mail counts as signed if the
rest of it leaves no choice how its body is read.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Mapping
from email.message import Message

from notifications.parsing.cutting import relaxed_digest

# ASCII means the same in these; in others, such as UTF-7, it may mean line ends.
_CHARSETS = re.compile(r"(?:|utf-?8|us-ascii|ascii|iso-?8859-\d{1,2}|(?:windows-|cp)125\d)", re.IGNORECASE)
_ESCAPED = re.compile(r"=(?:[0-9A-Fa-f]{2}|[ \t]*\r?$)", re.MULTILINE)
_ESCAPED_END = re.compile(r"=0[AD]", re.IGNORECASE)
_TAG = re.compile(r"</[a-z]|<br", re.IGNORECASE)


def covers(message: Message, signed: Collection[str]) -> bool:
    """Return True if a signature of these fields leaves no choice when the mail was written and how its body is read."""
    if "date" not in signed:
        return False
    body = message.get_payload()
    if not isinstance(body, str):
        return "content-type" in signed or _begins_with_its_boundary(message)
    if "content-type" not in signed and not _is_plain(message, body):
        return False
    return "content-transfer-encoding" in signed or _says_its_encoding(message, body)


def fingerprint(message: Message, raw: bytes, sender: str, digests: Mapping[str, str] | None) -> str:
    """Return what a signed mail keeps when it is sent again: its sender, date and body. Empty without a date."""
    date = " ".join(str(message.get("Date", "")).split())
    if not date:
        return ""
    body = digests["relaxed"] if digests else relaxed_digest(raw)
    return hashlib.sha256("\n".join((sender, date, body)).encode("utf-8", "replace")).hexdigest()


def _begins_with_its_boundary(message: Message) -> bool:
    """Return True if no text stands above the first part: then there is no other boundary that would divide the body."""
    return message.get_content_maintype() == "multipart" and not (message.preamble or "").strip()


def _is_plain(message: Message, body: str) -> bool:
    charset = str(message.get_param("charset", "") or "")
    plain = message.get_content_type() == "text/plain" and _CHARSETS.fullmatch(charset.strip())
    return bool(plain) and not body.lstrip().startswith("--") and not _TAG.search(body)


def _says_its_encoding(message: Message, body: str) -> bool:
    match str(message.get("Content-Transfer-Encoding", "")).strip().lower():
        case "base64":
            return True  # of anything else it makes no words
        case "quoted-printable":
            return not _ESCAPED_END.search(body)
        case _:
            return not _ESCAPED.search(body)
