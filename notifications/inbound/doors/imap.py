"""Reading a mailbox by IMAP, for operators without a mail server: new messages of one folder are stored.

A message counts from its INTERNALDATE, the time when the mailbox's own server received it. Messages to other addresses are left
as they are, so it may be a personal mailbox. Ours get the flag `\\Seen` and, if `IMAP_TAKEN_FOLDER` is set, move there. Progress
is stored by UID, so nothing depends on flags set by a mail program.
"""

from __future__ import annotations

import contextlib
import imaplib
import logging
import re
import ssl
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any
from urllib.parse import unquote, urlsplit
from uuid import UUID

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.db import InterfaceError, OperationalError, transaction
from django.db.models import Q
from django.utils import timezone

from gamesvc.away import is_at_fault
from gamesvc.database.asking import drop_interrupted
from gamesvc.errors import GamesvcError
from gamesvc.time_limits import TimeIsUp
from notifications import leases
from notifications.inbound import destinations, store
from notifications.inbound.doors import rates
from notifications.inbound.proving.authentication import check_mode, is_loopback
from notifications.models import Mailbox, ReplyAddress
from notifications.parsing import cutting
from notifications.parsing.cutting import Cut
from notifications.parsing.reading import LARGEST, LARGEST_HEADERS, headers_of

log = logging.getLogger(__name__)

TIMEOUT_SECONDS = 20.0
LEASE = timedelta(seconds=30)
MOST_TRIES = 10
# Deferred messages looked at again in each poll, and the most that may wait; beyond that the mailbox keeps the rest.
WAITING_AGAIN, MOST_WAITING = 50, 5000
# Rests of one that cannot be read: each is twice as long as the one before. All together take a day.
FIRST_REST, LONGEST_REST = timedelta(minutes=1), timedelta(hours=1)
MOST_LOOKS = 30
# The first look at a mailbox begins with recent messages: older turns are over.
FIRST_LOOK = timedelta(days=14)

AT_ONCE = 50_000
"""Messages of which one answer to a search tells: a UID has ten digits at most."""

# The connection is of no use after these. A server may hang up at one message again and again, as it may refuse it.
_HUNG_UP = (imaplib.IMAP4.abort, EOFError, ConnectionError, TimeoutError, ssl.SSLError)
# The poll ends after these. A large message on a slow line may take all the time of the task, at each try.
_ENDS = (*_HUNG_UP, TimeIsUp)

_UIDVALIDITY = re.compile(rb"\d+")


class Unreachable(GamesvcError):
    """The mailbox could not be read; the next poll continues from where this one stopped."""


@dataclass(frozen=True, slots=True)
class Account:
    """The location of a mailbox: `imaps://user:password@host:port/FOLDER`, or `imap://` with STARTTLS (plain on this machine
    only).
    """

    host: str
    port: int
    user: str
    password: str
    folder: str
    tls: bool

    @property
    def name(self) -> str:
        return f"{self.user}@{self.host}:{self.port}/{self.folder}"


def account() -> Account | None:
    """Return the account in `IMAP_URL`, None if it is empty. Raises `ImproperlyConfigured` for an invalid one."""
    if not settings.IMAP_URL:
        return None
    parts = urlsplit(str(settings.IMAP_URL))
    if parts.scheme not in ("imap", "imaps") or not parts.hostname or not parts.username:
        raise ImproperlyConfigured("IMAP_URL is like imaps://user:password@mail.example.org:993/INBOX.")
    check_mode(parts.hostname)
    tls = parts.scheme == "imaps"
    return Account(
        parts.hostname,
        parts.port or (993 if tls else 143),
        unquote(parts.username),
        unquote(parts.password or ""),
        unquote(parts.path.strip("/")) or "INBOX",
        tls,
    )


def poll() -> int:
    """Store new mails of the mailbox and return how many; 0 while another worker polls.

    Raises `Unreachable`; mails stored before stay, and none is skipped.
    """
    where = account()
    if where is None:
        return 0
    box = _claim(where.name)
    if box is None:
        return 0
    began = timezone.now()
    try:
        with leases.repeating(partial(_renew, box), LEASE.total_seconds() / 3), _connected(where) as connection:
            taken = _read(connection, where, box)
    except (imaplib.IMAP4.error, OSError, EOFError) as fault:
        Mailbox.objects.filter(pk=box.pk).update(failed_at=began, claimed_until=None)
        # The error may repeat what was sent to the server; the password is in it only if that is no IMAP server at all.
        raise Unreachable(f"{where.name}: {type(fault).__name__}: {fault}".replace(where.password or "\0", "…")) from None
    except BaseException:
        drop_interrupted()
        Mailbox.objects.filter(pk=box.pk).update(failed_at=began, claimed_until=None)
        raise
    Mailbox.objects.filter(pk=box.pk).update(polled_at=began, claimed_until=None)
    if taken:
        store.wake(taken)
    return len(taken)


def behind(*, topic: str, user_id: int, moment: datetime) -> bool:
    """Return True if mail of this user from before a moment could still be in the mailbox: no poll has begun after it."""
    where = account()
    if where is None or Mailbox.objects.filter(name=where.name, polled_at__gt=moment).exists():
        return False
    return ReplyAddress.objects.filter(topic=topic, user_id=user_id, expires_at__gt=moment).exists()


def untried(moment: datetime) -> bool:
    """Return True if no poll since a moment has come to an end, not even by a failure."""
    where = account()
    if where is None:
        return False
    ended = Q(polled_at__gt=moment) | Q(failed_at__gt=moment)
    return not Mailbox.objects.filter(ended, name=where.name).exists()


def _claim(name: str) -> Mailbox | None:
    """Return the mailbox's row, leased to this worker; None if another one holds it."""
    now = timezone.now()
    with transaction.atomic():
        Mailbox.objects.bulk_create([Mailbox(name=name)], ignore_conflicts=True)
        box = Mailbox.objects.select_for_update().get(name=name)
        if box.claimed_until is not None and box.claimed_until > now:
            return None
        box.claimed_until = now + LEASE
        box.save(update_fields=["claimed_until"])
    return box


def _renew(box: Mailbox) -> None:
    now = timezone.now()
    Mailbox.objects.filter(pk=box.pk, claimed_until__gt=now).update(claimed_until=now + LEASE)


@contextlib.contextmanager
def _connected(where: Account) -> Iterator[imaplib.IMAP4]:
    connection: imaplib.IMAP4
    if where.tls:
        connection = imaplib.IMAP4_SSL(where.host, where.port, timeout=TIMEOUT_SECONDS, ssl_context=ssl.create_default_context())
    else:
        connection = imaplib.IMAP4(where.host, where.port, timeout=TIMEOUT_SECONDS)
    try:
        if not where.tls and not is_loopback(where.host):
            connection.starttls(ssl.create_default_context())
        connection.login(where.user, where.password)
        yield connection
    finally:
        with contextlib.suppress(imaplib.IMAP4.error, OSError, EOFError):
            connection.logout()


def _read(connection: imaplib.IMAP4, where: Account, box: Mailbox) -> list[UUID]:
    """Read the folder's new messages, oldest first. Each is stored before the next one is fetched."""
    exist = int(_ok(connection.select(_quoted(where.folder)))[0] or 0)
    _kind, answer = connection.response("UIDVALIDITY")
    found = _UIDVALIDITY.search(answer[0] or b"") if answer else None
    validity = int(found[0]) if found else 0
    after = box.last_uid if validity == box.uid_validity else 0
    if after:
        uids = _search(connection, f"UID {after + 1}:*", exist)
    else:
        since = (timezone.now() - FIRST_LOOK).strftime("%d-%b-%Y")
        uids = _search(connection, f"SINCE {since}", exist)
    if validity != box.uid_validity:
        box.waiting, box.failing = [], {}
    taken = _again(connection, box)
    # "n:*" always includes the newest message, even if it was seen before.
    for uid in sorted(uid for uid in uids if uid > after):
        try:
            taken += _message(connection, uid)
        except rates.TooMuchMail:
            # One sender's flood must not block later messages: beyond this it stays in the mailbox, unread.
            if len(box.waiting) >= MOST_WAITING:
                log.warning("%s messages of %s wait over a cap; message %s is passed over", MOST_WAITING, where.name, uid)
            else:
                box.waiting.append(uid)
        except (Exception, TimeIsUp) as fault:
            _failed(box, uid, validity, fault)
        Mailbox.objects.filter(pk=box.pk).update(
            uid_validity=validity,
            last_uid=uid,
            waiting=box.waiting,
            failing=box.failing,
            tries=0,
            claimed_until=timezone.now() + LEASE,
        )
        box.tries = 0
    return taken


def _failed(box: Mailbox, uid: int, validity: int, fault: Exception | TimeIsUp) -> None:
    """Count a failed try at a message and raise its fault. Return after the last try, if the connection can go on.

    A fault of our own code says nothing about the mailbox: the message is put aside at once. Otherwise anybody who finds one
    could stop all mail with a few messages.
    """
    if _is_ours(fault):
        raise fault
    drop_interrupted()
    if not isinstance(fault, (imaplib.IMAP4.error, *_ENDS)):
        _put_aside(box, uid, fault)
        return
    box.tries += 1
    Mailbox.objects.filter(pk=box.pk).update(tries=box.tries)
    if box.tries < MOST_TRIES:
        raise fault
    # One message that its server does not deliver must not block all later ones.
    _put_aside(box, uid, fault)
    if isinstance(fault, _ENDS):
        kept = {"last_uid": uid, "waiting": box.waiting, "failing": box.failing}
        Mailbox.objects.filter(pk=box.pk).update(uid_validity=validity, tries=0, **kept)
        raise fault


def _again(connection: imaplib.IMAP4, box: Mailbox) -> list[UUID]:
    """Look again at deferred messages, the longest waiting first. Those deferred again go to the end."""
    taken: list[UUID] = []
    for uid in [uid for uid in box.waiting if not _rests(box, uid)][:WAITING_AGAIN]:
        box.waiting.remove(uid)
        try:
            taken += _message(connection, uid)
        except rates.TooMuchMail:
            box.waiting.append(uid)
        except (Exception, TimeIsUp) as fault:
            if _is_ours(fault):
                raise  # the row still lists the message
            _put_aside(box, uid, fault)
            if isinstance(fault, _ENDS):
                drop_interrupted()
                Mailbox.objects.filter(pk=box.pk).update(waiting=box.waiting, failing=box.failing)
                raise
        box.failing = {key: tried for key, tried in box.failing.items() if int(key) in box.waiting}
        Mailbox.objects.filter(pk=box.pk).update(waiting=box.waiting, failing=box.failing)
    return taken


def _is_ours(fault: Exception | TimeIsUp) -> bool:
    """Return True if the database or the disk is away: no fault of a message."""
    ours = isinstance(fault, OperationalError | InterfaceError | OSError) or is_at_fault(fault)
    return ours and not isinstance(fault, _HUNG_UP)


def _put_aside(box: Mailbox, uid: int, fault: Exception | TimeIsUp) -> None:
    """Defer a message that could not be read, for longer each time: its server may be ill. After a day it is passed over."""
    looks, _until = _tried(box, uid)
    if looks >= MOST_LOOKS or len(box.waiting) >= MOST_WAITING:
        log.error("message %s of %s cannot be read and is passed over", uid, box.name, exc_info=fault)
        return
    log.error("message %s of %s cannot be read yet; it waits", uid, box.name, exc_info=fault)
    rest = min(FIRST_REST * 2**looks, LONGEST_REST)
    box.waiting.append(uid)
    box.failing[str(uid)] = [looks + 1, (timezone.now() + rest).timestamp()]


def _rests(box: Mailbox, uid: int) -> bool:
    _looks, until = _tried(box, uid)
    return timezone.now().timestamp() < until <= (timezone.now() + LONGEST_REST).timestamp()


def _tried(box: Mailbox, uid: int) -> tuple[int, float]:
    """Return how often a message was deferred since it could not be read, and until when it rests."""
    known = box.failing.get(str(uid))
    # Earlier versions stored a number.
    return (int(known[0]), float(known[1])) if isinstance(known, list) else (0, 0.0)


def _message(connection: imaplib.IMAP4, uid: int) -> list[UUID]:
    """Store one message if it is for us, and mark it. Raises `TooMuchMail` if one of its addresses takes no more for now."""
    head, _moment = _fetch(connection, uid, f"BODY.PEEK[HEADER]<0.{LARGEST_HEADERS}>")
    headers = headers_of(head)
    to = destinations.addressed(headers)
    if not to:
        return []
    envelope_from = destinations.sent_by(headers)
    for address in to:
        rates.check_any(address, envelope_from, headers=headers)
    mail, moment = _whole(connection, uid)
    taken = destinations.take(mail, to=to, envelope_from=envelope_from, received_at=min(moment, timezone.now()))
    _mark(connection, uid)
    return taken


def _whole(connection: imaplib.IMAP4, uid: int) -> tuple[Cut, datetime]:
    """Return a message without large attachments, and when its server received it. It is fetched in pieces, into a file.

    An oversized message is cut, and refused by the pipeline as too large.
    """
    with tempfile.SpooledTemporaryFile(max_size=LARGEST) as file:
        while file.tell() <= cutting.LARGEST_TAKEN:
            piece, moment = _fetch(connection, uid, f"BODY.PEEK[]<{file.tell()}.{LARGEST}>")
            file.write(piece)
            if len(piece) < LARGEST:
                break
        return cutting.cut(file), moment


def _mark(connection: imaplib.IMAP4, uid: int) -> None:
    """Flag a stored message as read and move it to the configured folder. A failure here loses nothing."""
    try:
        _ok(connection.uid("STORE", str(uid), "+FLAGS.SILENT", r"(\Seen)"))
        if not settings.IMAP_TAKEN_FOLDER:
            return
        folder = _quoted(settings.IMAP_TAKEN_FOLDER)
        connection.create(folder)  # refused if it exists, which is fine
        if "MOVE" in connection.capabilities:
            _ok(connection.uid("MOVE", str(uid), folder))
            return
        _ok(connection.uid("COPY", str(uid), folder))
        _ok(connection.uid("STORE", str(uid), "+FLAGS.SILENT", r"(\Deleted)"))
        if "UIDPLUS" in connection.capabilities:
            # Without it EXPUNGE would also remove what a person has marked; then the mark alone must suffice.
            _ok(connection.uid("EXPUNGE", str(uid)))
    except imaplib.IMAP4.error as fault:
        log.warning("a stored message could not be marked in the mailbox: %s", fault)


def _search(connection: imaplib.IMAP4, what: str, exist: int) -> set[int]:
    """Return the UIDs of the folder's messages, of so many that exist, that fit a search.

    The library fails at a line of more than a megabyte. So in a large folder they are searched in parts, the newest first: a
    message that is deleted meanwhile then moves the others into parts that are still to come.
    """
    parts = [f"{first}:{min(first + AT_ONCE - 1, exist)}" for first in range(1, exist + 1, AT_ONCE)] if exist > AT_ONCE else [""]
    found: set[int] = set()
    for part in reversed(parts):
        for line in _ok(connection.uid("SEARCH", *part.split(), *what.split())):
            found.update(map(int, (line or b"").split()))
    return found


def _fetch(connection: imaplib.IMAP4, uid: int, part: str) -> tuple[bytes, datetime]:
    """Return one part of a message, and when its server received it. A message that is gone by now is empty."""
    answer = [item for item in _ok(connection.uid("FETCH", str(uid), f"(UID INTERNALDATE {part})")) if item]
    contents = b"".join(item[1] for item in answer if isinstance(item, tuple))
    # The date may come before the contents or after them.
    date = imaplib.Internaldate2tuple(b" ".join(item[0] if isinstance(item, tuple) else item for item in answer))
    return contents, datetime.fromtimestamp(time.mktime(date), UTC) if date is not None else timezone.now()


def _quoted(folder: str) -> str:
    """Return a folder's name as a quoted string (RFC 3501, section 9)."""
    return '"' + folder.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _ok(answer: tuple[str, list[Any]]) -> list[Any]:
    kind, data = answer
    if kind != "OK":
        raise imaplib.IMAP4.error(f"the server said {kind}: {data!r}"[:300])
    return data
