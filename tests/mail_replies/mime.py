"""Complete raw mails from the text and HTML that a mail program has composed."""

from __future__ import annotations

import base64
import quopri
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from email.header import Header
from email.message import Message
from email.policy import compat32

from tests.mail_replies.languages import Language
from tests.mail_replies.originals import REPLY_ADDRESS, Original

_POLICY = compat32.clone(linesep="\r\n", max_line_length=None)
_COLUMNS = 72


@dataclass(frozen=True, slots=True)
class Draft:
    """An answer as its writer sees it before the mail program makes a mail of it."""

    own: str
    original: Original
    language: Language
    place: str = "above"
    """`above`, `below`, `between` or `around`: where the own text is, seen from the quote."""
    signature: str = ""
    """The writer's own signature, which the program appends."""
    only: str = ""
    """`plain` or `html`: the one part to be sent."""
    transfer: str = ""
    """The transfer encoding, if not the program's usual one."""
    charset: str = ""
    label: str = ""
    """The charset that the mail names, if not the one of its text."""
    quotes: bool = True
    """False if the writer deleted the quote, but not the line above it."""


def text_part(text: str, kind: str, *, charset: str, label: str = "", transfer: str, parameters: str = "") -> Message:
    """Return a text part in a charset and a transfer encoding. A character that the charset lacks becomes `?`."""
    part = Message(_POLICY)
    part["Content-Type"] = f'text/{kind}; charset="{label or charset}"{parameters}'
    content = "\r\n".join(text.split("\n")).encode(charset, "replace")
    if not content.endswith(b"\r\n"):
        content += b"\r\n"
    if transfer in ("7bit", "8bit") and any(len(line) > 990 for line in content.splitlines()):
        transfer = "quoted-printable"
    if transfer == "7bit" and not content.isascii():
        transfer = "8bit"
    part["Content-Transfer-Encoding"] = transfer
    match transfer:
        case "base64":
            content = base64.encodebytes(content)
        case "quoted-printable":
            content = quopri.encodestring(content.replace(b"\r\n", b"\n"))
    part.set_payload(content.replace(b"\r\n", b"\n").decode("ascii", "surrogateescape"))
    return part


def multipart(kind: str, parts: Sequence[Message], boundary: str, parameters: str = "") -> Message:
    """Return the parts in one."""
    outer = Message(_POLICY)
    outer["Content-Type"] = f'multipart/{kind}; boundary="{boundary}"{parameters}'
    outer.set_payload(list(parts))
    return outer


def attached(kind: str, content: str, disposition: str = "attachment", name: str = "") -> Message:
    """Return a part beside the text."""
    part = Message(_POLICY)
    part["Content-Type"] = kind + (f'; name="{name}"' if name else "")
    if disposition:
        part["Content-Disposition"] = disposition + (f'; filename="{name}"' if name else "")
    part["Content-Transfer-Encoding"] = "7bit"
    part.set_payload(content)
    return part


def body_of(
    draft: Draft,
    plain: str,
    html: str = "",
    *,
    charset: str = "utf-8",
    transfer: str = "quoted-printable",
    plain_transfer: str = "",
    parameters: str = "",
) -> Message:
    """Return text and HTML as alternatives, or the one that there is."""
    charset = draft.charset or charset
    if draft.only == "html" and not html:
        html = "<html><body>" + plain_html(plain) + "</body></html>"
    parts = []
    if plain and draft.only != "html":
        encoding = draft.transfer or plain_transfer or transfer
        parts.append(text_part(plain, "plain", charset=charset, label=draft.label, transfer=encoding, parameters=parameters))
    if html and draft.only != "plain":
        parts.append(text_part(html, "html", charset=charset, label=draft.label, transfer=draft.transfer or transfer))
    return parts[0] if len(parts) == 1 else multipart("alternative", parts, "=_alternative")


def raw_mail(draft: Draft, body: Message, program: str, *, header: str = "X-Mailer") -> bytes:
    """Return the mail with the headers that matter to a receiver."""
    answered = f"Re: {draft.original.subject.removeprefix('Re: ')}"
    mail = body
    mail["From"] = "Anna <anna@players.example>"
    mail["To"] = REPLY_ADDRESS
    mail["Subject"] = Header(answered, None if answered.isascii() else "utf-8").encode()
    mail["Date"] = "Fri, 20 Nov 2026 18:21:07 +0100"
    mail["Message-ID"] = "<reply.1@players.example>"
    mail["In-Reply-To"] = mail["References"] = "<match.42.v17@games.example>"
    mail["MIME-Version"] = "1.0"
    mail[header] = program
    return mail.as_bytes(policy=_POLICY)


def plain_html(text: str) -> str:
    """Return text as HTML, line by line."""
    return "<br>\n".join(text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").split("\n"))


def flowed(text: str, *, delsp: bool = False) -> str:
    """Return text as format=flowed (RFC 3676): soft breaks end in a blank, and odd beginnings are stuffed with one."""
    lines: list[str] = []
    for line in text.split("\n"):
        if line == "-- ":
            lines.append(line)
            continue
        quote = line[: len(line) - len(line.lstrip(">"))]
        rest = line[len(quote) :].removeprefix(" ").rstrip() if quote else line.rstrip()
        pieces = wrapped(rest, _COLUMNS - len(quote)).split("\n") if len(rest) > _COLUMNS else [rest]
        soft = "  " if delsp else " "
        for number, piece in enumerate(pieces, 1):
            stuffed = " " if quote or piece.startswith((" ", ">", "From ")) else ""
            ended = soft if number < len(pieces) else ""
            lines.append(f"{quote}{stuffed}{piece}".rstrip() + ended)
    return "\n".join(lines)


def wrapped(line: str, columns: int) -> str:
    """Return a line broken at blanks. Longer words stay whole."""
    return "\n".join(textwrap.wrap(line, columns, break_long_words=False, break_on_hyphens=False)) or line
