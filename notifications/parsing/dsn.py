"""The content of returned mail: delivery reports (RFC 3464), complaints (RFC 5965), and the old prose of qmail.

Only the first part of such a mail is read, and leniently: it may come from any server. Reports of delay or success, and automatic
answers, which also go to the return path (RFC 3834), have no effect here.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from email.message import Message

from notifications.models import Report
from notifications.parsing.reading import parse_parts
from notifications.parsing.refusals import MailRefused

# The report comes before the copy of our mail, which may be cut off.
_READ = 64 * 1024
_PROSE = 4000
# A server's text. Short, since a hostile one could slow down the patterns below.
_REASON = 1000
_ENHANCED = re.compile(r"(?<![\d.])([245])\.(\d{1,3})\.(\d{1,3})(?![\d.]*\d)")
_BASIC = re.compile(r"(?<![\d.])([45]\d\d)(?=[ \-#:]|$)")
_ADDRESS = re.compile(r"[^\s<>(),;:\"']+@(?=[\w-])")
_POLICY = re.compile(
    r"spam|block|black ?list|deny ?list|reputation|policy|dmarc|\bspf\b|dkim|\brate\b|quota|\bfull\b|temporar"
    r"|denied|prohibit|relay|sender|too many|authent",
    re.IGNORECASE,
)
# A mailbox that gets too many mails at a time says 5.2.1 too (Gmail), and anybody can send them.
_BUSY = re.compile(r"\brate\b|too (?:quickly|fast|many)|\blimit", re.IGNORECASE)
_NOBODY = re.compile(r"recipient address rejected|user unknown|no such (?:user|mailbox|recipient)|unknown user", re.IGNORECASE)
_DAEMON = re.compile(r"\b(?:mailer-daemon|postmaster)@", re.IGNORECASE)

# RFC 3463 (and RFC 7505 for the last of the first group): the mailbox or its domain does not exist, or is switched off.
_GONE = {"1.1", "1.2", "1.3", "1.6", "1.10", "2.1"}
_GONE_BASIC = {"550", "551", "553"}


@dataclass(frozen=True, slots=True)
class Finding:
    """The content of a report: its kind, the enhanced status code if any, and the server's text without addresses."""

    report: Report
    status: str
    detail: str


def read(raw: bytes) -> Finding | None:
    """Return what a mail to a return path reports about ours; None if it is no report of a failure."""
    try:
        return _found(parse_parts(raw[:_READ]))
    except MailRefused:
        return None


def _found(message: Message) -> Finding | None:
    for part in message.walk():
        if part.get_content_type() == "message/delivery-status":
            return _delivery_status(part)
        if part.get_content_type() == "message/feedback-report":
            return _feedback(part)
    # Automatic answers say so; a server that reports in prose has a name of its own.
    if message.get_content_maintype() == "multipart" or not _DAEMON.search(str(message.get("From", ""))):
        return None
    return _prose(message)


def judge(text: str, *, status: str = "") -> Finding:
    """Return the meaning of a server's answer: `550 5.1.1 no such user`, or the same with a separate status code."""
    text, status = text[:_REASON], status[:_REASON]
    code = _ENHANCED.search(status)
    if code is None or code[0].endswith(".0.0"):
        code = _ENHANCED.search(text) or code
    basic = _BASIC.search(text)
    found = code[0] if code else ""
    detail = redact(text)
    if (code and code[1] != "5") or (not code and basic and basic[1].startswith("4")):
        return Finding(Report.SOFT, found, detail)
    subject = f"{code[2]}.{code[3]}" if code else "0.0"
    if subject == "2.1" and _BUSY.search(text):
        return Finding(Report.SOFT, found, detail)
    if subject in _GONE or (subject in ("0.0", "4.1") and _NOBODY.search(text)):
        return Finding(Report.HARD, found, detail)
    if subject == "0.0" and basic and basic[1] in _GONE_BASIC and not _POLICY.search(text):
        return Finding(Report.HARD, found, detail)
    return Finding(Report.SOFT, found, detail)


def is_gone(finding: Finding) -> bool:
    """Return True if a report says in so many words that there is no such mailbox, which no mail can be the cause of."""
    return finding.status[2:] in _GONE or bool(_NOBODY.search(finding.detail))


def redact(text: str) -> str:
    """Return a server's text on one line without addresses, so that it can be stored."""
    return " ".join(_ADDRESS.sub("…@", text[:_REASON].replace("\x00", "")).encode("utf-8", "replace").decode().split())[:300]


def _delivery_status(part: Message) -> Finding | None:
    blocks = part.get_payload()
    for block in blocks if isinstance(blocks, list) else []:
        if not isinstance(block, Message):
            continue
        action = str(block.get("Action", "")).strip().lower()
        if action != "failed":
            continue
        # "smtp; 550 5.1.1 <x@y>: no such user", over several lines
        said = str(block.get("Diagnostic-Code", "")).partition(";")[2]
        return judge(said, status=str(block.get("Status", "")))
    return None


def _feedback(part: Message) -> Finding | None:
    blocks = part.get_payload()
    # Without a blank line above them, the fields of the report are parsed as the part's own.
    fields = [part, *(block for block in (blocks if isinstance(blocks, list) else []) if isinstance(block, Message))]
    kind = next((str(found["Feedback-Type"]) for found in fields if found["Feedback-Type"]), "")
    return Finding(Report.COMPLAINT, "", "") if kind.strip().lower() in ("abuse", "fraud") else None


def _prose(message: Message) -> Finding | None:
    payload = message.get_payload(decode=True)
    text = payload.decode("latin-1") if isinstance(payload, bytes) else ""
    text = re.split(
        r"(?<!-)-{2,20} *(?:Below this line is|This is) a copy of", text[: 2 * _PROSE], maxsplit=1, flags=re.IGNORECASE
    )[0]
    text = text[:_PROSE]
    if not (_ENHANCED.search(text) or _BASIC.search(text)):
        return None
    # The addresses come before the reasons.
    reason = re.split(r"^<[^>]*>:?\s*$", text, maxsplit=1, flags=re.MULTILINE)[-1]
    return judge(reason)
