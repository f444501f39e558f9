"""From a written notice to a mail: addressing, marks, threading, MIME."""

from __future__ import annotations

import base64
import binascii
import io
import re
import secrets
import textwrap
import unicodedata
from collections.abc import Iterable, Mapping
from email.charset import QP, Charset
from email.generator import BytesGenerator
from email.headerregistry import Address
from email.message import Message as MIMEMessage
from email.mime.base import MIMEBase
from email.mime.nonmultipart import MIMENonMultipart
from email.utils import format_datetime, parseaddr
from typing import Any

from css_inline import CSSInliner
from django.conf import settings
from django.core.mail import EmailMultiAlternatives
from django.core.mail.message import SafeMIMEMultipart

from notifications import registry
from notifications.models import Outbox
from notifications.parsing.lines import lines_of
from notifications.registry import Kind, Message
from notifications.returned import return_paths
from notifications.sending import threads, unsubscribe
from notifications.wanted.wishes import wishes_of

# Rules within @media (the dark colours) cannot be inlined and stay in a <style>; nothing is loaded from anywhere.
_inliner = CSSInliner(load_remote_stylesheets=False, keep_at_rules=True)
COLUMNS = 72
_INDENTED = 68
_LINE = 76
"""Characters of an encoded line (RFC 2045 section 6.8), and of a header's without the colon and the blank behind its name."""
# Indent of a continued line: after a bullet or a number, or under the second of two columns.
_HANG = re.compile(r"\s*(?:(?:[-•*]|\d{1,3}[.)])\s+|\S(?:\S| (?! ))*\s{2,})?")
_IMAGE = re.compile(r'(?P<before><img\b[^<>]*?\ssrc="cid:)(?P<name>[A-Za-z0-9_-]+)(?=")')
_NEWLINE = re.compile(r"\r\n|\r|\n")
_MANY_BLANKS = re.compile(r"\n{3,}")
_OURS = {
    "from", "to", "cc", "bcc", "subject", "date", "message-id", "in-reply-to", "references", "auto-submitted", "reply-to",
    "x-auto-response-suppress", "list-id", "list-unsubscribe", "list-unsubscribe-post", "x-game-reason", "feedback-id",
}  # fmt: skip


class _Printable(Charset):
    """UTF-8 as quoted-printable: where a hop turns 8bit into something else, a signature over it breaks."""

    def __init__(self) -> None:
        super().__init__("utf-8")
        self.body_encoding = QP

    def body_encode(self, string: str | bytes) -> str:  # type: ignore[override]
        """Encode in C: Python's own encoder of texts takes longer than all else of a mail."""
        body = string.encode(errors="surrogateescape") if isinstance(string, str) else string
        return binascii.b2a_qp(body, istext=True).decode("ascii")


_PRINTABLE = _Printable()


class _Generator(BytesGenerator):
    """Writes the lines of a text or an image at once: Python's own writes each by itself, over a thousand in a picture.

    It looks no closer at a header that fits into a line either, which is most of them.
    """

    def _write_headers(self, msg: MIMEMessage) -> None:
        for name, value in msg.raw_items():
            if isinstance(value, str) and len(name) + len(value) < _LINE and value.isascii() and value.isprintable():
                self.write(f"{name}: {value}{self._NL}")  # type: ignore[attr-defined]
            else:
                self._fp.write(self.policy.fold_binary(name, value))  # type: ignore[attr-defined, union-attr]
        self.write(self._NL)  # type: ignore[attr-defined]

    def _write_lines(self, lines: str) -> None:
        plain = _NEWLINE.sub("\n", lines) if "\r" in lines else lines
        self.write(plain.replace("\n", self._NL))  # type: ignore[attr-defined]


class _Parts(SafeMIMEMultipart):
    """A multipart whose boundary is random and no quoted-printable (RFC 2045 section 6.7): its parts are not searched for it."""

    def __init__(self, subtype: str, parts: Iterable[MIMEMessage], **parameters: str) -> None:
        super().__init__(subtype, f"=_{secrets.token_hex(12)}", encoding=_PRINTABLE, **parameters)  # type: ignore[arg-type]
        for part in parts:
            self.attach(part)

    def as_bytes(self, unixfrom: bool = False, linesep: str = "\n") -> bytes:  # type: ignore[override]
        written = io.BytesIO()
        _Generator(written, mangle_from_=False).flatten(self, unixfrom=unixfrom, linesep=linesep)
        return written.getvalue()


class NoticeMail(EmailMultiAlternatives):
    """A mail of text/plain, and beside it multipart/related with the HTML and its images, which all mail programs show right.

    Django alone would put the images beside the alternatives, where some programs show them as attached files.
    """

    def __init__(self, *, html: str, images: Mapping[str, bytes], **fields: Any) -> None:
        super().__init__(**fields)
        self.encoding = _PRINTABLE
        self.metadata: dict[str, str] = {}
        self.html = html
        self.images = dict(images)
        if html:
            self.attach_alternative(html, "text/html")

    def _create_alternatives(self, msg: MIMEBase) -> MIMEBase:
        if not self.html:
            return msg
        html: MIMEBase = self._create_mime_attachment(self.html, "text/html")  # type: ignore[attr-defined]
        if self.images:
            html = _Parts("related", [html, *(_image(*image) for image in self.images.items())], type="text/html")
        return _Parts("alternative", [msg, html])

    def _create_attachments(self, msg: MIMEBase) -> MIMEBase:
        if not self.attachments:
            return msg
        return _Parts("mixed", [msg, *(self._create_attachment(*part) for part in self.attachments)])  # type: ignore[attr-defined]


def _image(content_id: str, png: bytes) -> MIMEBase:
    image = MIMENonMultipart("image", "png")
    image["Content-Transfer-Encoding"] = "base64"
    written = base64.b64encode(png).decode("ascii")  # `MIMEImage` would recode the picture three times
    image.set_payload("\n".join(written[start : start + _LINE] for start in range(0, len(written), _LINE)) + "\n")
    image.add_header("Content-ID", f"<{content_id}>")
    image.add_header("Content-Disposition", "inline", filename=f"{content_id.partition('.')[0]}.png")
    return image


def build(row: Outbox, message: Message, *, address: str, kind: Kind) -> NoticeMail:
    """Return the mail of a notice whose message id is fixed. Building it twice gives the same headers."""
    topic = registry.topic_of(row.topic) if not message.sender_name or not message.list_name else registry.Topic()
    list_name = _list_name(message.list_name or topic.list_name)
    headers = _marks(row, message, kind) | _threading(row, message) | _list_headers(row, list_name, kind) | _own_headers(message)
    shown_sender = sender(message.sender_name or topic.name)
    returned_to = "" if by_provider() else return_paths.address(return_paths.BOUNCE, row.id)
    if returned_to:
        # The envelope then has a separate address, and the From line is a header like the others.
        headers["From"] = shown_sender
    stop = "" if kind.essential else unsubscribe.link(row)
    ids = {image.name: f"{image.name}.{row.id.hex}@{settings.MAIL_DOMAIN}" for image in message.images}
    mail = NoticeMail(
        html=_html(message.html.replace(unsubscribe.HERE, stop), ids),
        images={ids[image.name]: image.content for image in message.images},
        subject=clean_words(_subject(row, message), 180),
        body=in_columns(message.text.replace(unsubscribe.HERE, stop)),
        from_email=returned_to or shown_sender,
        to=[address],
        reply_to=[clean_line(message.reply_to, 254)] if message.reply_to else None,
        headers=headers,
        attachments=[(part.filename, part.content, part.mimetype) for part in message.attachments],
    )
    # Read by django-anymail only: a provider has its own return path, and returns this in its reports.
    mail.metadata = {"delivery": str(row.id)}
    return mail


def _subject(row: Outbox, message: Message) -> str:
    """Return the subject that all mails of the topic have, if its receiver has not chosen one for each turn."""
    if not message.topic_subject:
        return message.subject
    default = bool(settings.NOTICE_SUBJECT_PER_TURN)
    per_turn = wishes_of(row.user_id, row.topic).subject_per_turn if row.user_id is not None else default
    return message.subject if per_turn else message.topic_subject


def _marks(row: Outbox, message: Message, kind: Kind) -> dict[str, str]:
    """Return the headers that identify a mail and mark it as automatic."""
    return {
        "Message-ID": row.message_id,
        # The time it was due, so that a mail sent again is the same mail, and a late one is recognisable.
        "Date": format_datetime(row.due_at),
        "Auto-Submitted": "auto-replied" if message.auto_replied else "auto-generated",
        "X-Auto-Response-Suppress": "All",
        "X-Game-Reason": _reason(message, kind),
    }


def _reason(message: Message, kind: Kind) -> str:
    return clean_line(message.reason or kind.name.replace("_", "-"), 60)


def _threading(row: Outbox, message: Message) -> dict[str, str]:
    """Return the headers that put a mail below the mail it answers, or below its topic; none for the first of a thread."""
    answered = message.in_reply_to or (threads.root_id(row) if row.topic else "")
    if not answered or answered == row.message_id:
        return {}
    path = [threads.root_id(row), answered] if message.in_reply_to and row.topic else [answered]
    return {"In-Reply-To": clean_line(answered, 250), "References": clean_line(" ".join(path), 500)}


def _list_name(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9.-]+", "-", name).strip("-.")[:60].lower()


def _list_headers(row: Outbox, list_name: str, kind: Kind) -> dict[str, str]:
    """Return the headers of a mailing list: its id, how to unsubscribe from a mail that is not essential, and for complaints
    (Feedback-ID) of which kind and which list a mail is.
    """
    headers = {"Feedback-ID": f"{kind.name}:{list_name or 'account'}:{settings.MAIL_DOMAIN}"}
    if list_name:
        headers["List-Id"] = f"<{list_name}.{settings.MAIL_DOMAIN}>"
    return headers if kind.essential else headers | unsubscribe.headers(row)


def _own_headers(message: Message) -> dict[str, str]:
    """Return the headers that the words of a notice bring. Raises `ValueError` for one of those set here."""
    for name in message.headers:
        if name.lower() in _OURS:
            raise ValueError(f"the header {name} is set by the sender, not by the one who words a notice")
    return {name: clean_line(value, 900) for name, value in message.headers.items()}


def by_provider() -> bool:
    """Return True if mails leave through a provider's API (django-anymail), which signs them and takes returned mail."""
    return str(settings.EMAIL_BACKEND).startswith("anymail.")


def sender(name: str) -> str:
    """Return the From line: the service's one address, with the topic's name before it."""
    plain_name, address = parseaddr(settings.DEFAULT_FROM_EMAIL)
    return str(Address(display_name=clean_words(name, 60) or plain_name, addr_spec=address))


def in_columns(text: str) -> str:
    """Return text of at most 72 columns. A longer word, such as a link, stays whole; lists and explanations keep their indent.

    Shorter lines stay as they are, so the board is never changed.
    """
    lines: list[str] = []
    for line in text.splitlines():
        if len(line) <= COLUMNS:
            lines.append(line.rstrip())
            continue
        hang = _HANG.match(line)
        indent = hang.end() if hang and hang.end() <= COLUMNS // 2 else 0
        start = line[: len(line) - len(line.lstrip())]
        lines += textwrap.wrap(
            line.strip(),
            COLUMNS,
            initial_indent=start,
            subsequent_indent=" " * indent,
            break_long_words=False,
            break_on_hyphens=False,
        )
    return _MANY_BLANKS.sub("\n\n", "\n".join(lines)).strip("\n") + "\n"


def clean_line(text: str, longest: int) -> str:
    """Return `text` as one line for a header, without control, line-breaking or bidi characters, cut at `longest`."""
    if not text.isprintable():
        kept = (" " if character.isspace() else character for character in text)
        text = "".join(character for character in kept if unicodedata.category(character) not in {"Cc", "Cf", "Cs", "Co", "Cn"})
    line = " ".join(text.split())
    return line if len(line) <= longest else line[: longest - 1] + "…"


def clean_words(text: str, longest: int) -> str:
    """Return user text as by `clean_line`, so that nothing like an encoded word (RFC 2047) is decoded by the reader."""
    return clean_line(text.replace("=?", "= ?"), longest)


def indented(text: str) -> str:
    """Return the text of a user, indented for a plain mail, so that it cannot pass for our own words.

    In HTML it stands in an element of the class `words`.
    """
    wrapped = (textwrap.wrap(line, _INDENTED, break_on_hyphens=False) or [""] for line in lines_of(text))
    return "\n".join(f"  {line}".rstrip() for lines in wrapped for line in lines)


def _html(html: str, ids: Mapping[str, str]) -> str:
    """Inline the style sheet, and turn `cid:NAME` of each image into the id that the image has in this mail."""
    if not html:
        return ""

    def content_id(image: re.Match[str]) -> str:
        name = image["name"]
        if name not in ids:
            raise ValueError(f"the HTML shows an image {name!r} that the message does not bring")
        return f"{image['before']}{ids[name]}"

    # Before inlining: user text is still escaped, so no `<` and no `"` in it can form an image.
    return str(_inliner.inline(_IMAGE.sub(content_id, html)))
