"""Press: messages between the players of a match. They are no part of the record, and the rules know nothing of them.

A message goes to chosen seats, or to everyone: then all who may watch the match read it too. The holder of a seat reads only
messages since they took it: a substitute does not see those of the previous player.
"""

from __future__ import annotations

import re
import unicodedata
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Literal

from django.db import transaction
from django.db.models import Count, F, Func, Q, QuerySet, Window
from django.utils import timezone

from accounts import blocks
from accounts.models import User
from gamesvc import language
from gamesvc.database.prepared import Given, Prepared
from gamesvc.games.kernel.game import Refused
from gamesvc.json_types import JsonObject
from gamesvc.matches import hints
from gamesvc.matches.access import bans, daily_limits, holders
from gamesvc.matches.access.selectors import Access
from gamesvc.matches.lobby import blocked
from gamesvc.matches.models import Match, Press, Seat
from gamesvc.matches.record import secrets
from notifications import outbox

LONGEST = 2000
MOST_MARKS = 30
"""Accents and other marks on one letter. No language needs as many (Unicode Standard Annex 15, stream-safe text)."""
UNREAD_FOR = timedelta(days=14)
"""Unread messages of a match that is over are shown this long."""
ALL: Literal["all"] = "all"

_SAID = Prepared(lambda: Press.objects.filter(pk=Given("message", "uuid"), match=Given("match", "uuid")))

# They reverse the direction of the text that follows, including our own.
_BIDI = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_JOINERS = ("\u200c", "\u200d")


@dataclass(frozen=True, slots=True)
class Unread:
    """The unread messages of one match: the newest, and how many there are."""

    newest: Press
    count: int


def message_id(by: User, match: Match, *what: str) -> uuid.UUID:
    """Return the id of a message sent from a page, so that a double click makes one message."""
    return secrets.keyed_uuid("press", by.pk, match.pk, *what)


def clean(text: str) -> str:
    """Return a text as it is stored: lines and words, without control characters, direction marks and other invisible ones."""
    text = _BIDI.sub("", re.sub("\r\n?|[\u0085\u2028\u2029]", "\n", text))
    kept = _few_marks("".join(map(_kept, text)))
    # Once more: one mark may become two.
    kept = _few_marks(unicodedata.normalize("NFC", kept))
    lines = [line.rstrip() for line in kept.split("\n")]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()


def _few_marks(text: str) -> str:
    """Return a text without the marks beyond the first on a letter: to put them in order takes the square of their number."""
    if text.isascii():
        return text
    kept, marks = [], 0
    for character in text:
        marks = marks + 1 if unicodedata.category(character).startswith("M") else 0
        if marks <= MOST_MARKS:
            kept.append(character)
    return "".join(kept)


def _kept(character: str) -> str:
    if character == "\n" or character in _JOINERS:
        return character
    if character.isspace():
        return " "
    return "" if unicodedata.category(character) in ("Cc", "Cf", "Cs", "Co", "Cn") else character


def say_within(
    *,
    match: Match,
    by: User,
    by_seat: int,
    to: Sequence[int] | Literal["all"],
    text: str,
    channel: str,
    key: uuid.UUID | None = None,
    again: bool = True,
) -> Press:
    """Send a message from a user's seat to others, or to all, within the caller's transaction.

    Repeating a `key` has no effect. `again` False: nobody can have sent it before; then a repetition raises `IntegrityError`.
    Raises `Refused`, and `TooMany` for a flood; then the transaction must end.
    """
    rows = holders.lock_seats(match)
    # The lock makes those wait who repeat a message meanwhile.
    if key is not None and again and (said := _SAID.rows(message=key, match=match.pk)):
        return said[0]
    holders.check(match, rows, by_seat, by.pk)
    seats = {seat.index: seat for seat in rows}
    hearers = _hearers(match, by_seat, to, seats)
    kept = _check_text(text)
    _check_ban(by)
    daily_limits.count_message(by, match.pk)
    message = Press(
        id=key or uuid.uuid4(),
        match=match,
        seat=by_seat,
        to=[] if to == ALL else hearers,
        user_id=by.pk,
        text=kept,
        channel=channel,
        said_at=timezone.now(),
    )
    apart = blocks.apart_each([user for index in hearers if (user := seats[index].user_id) is not None])
    reached = (index for index in hearers if arrives(message, seats[index].user_id, apart.__getitem__))
    outbox.notify(*(_notice(message, seats[index]) for index in reached), about=message)
    transaction.on_commit(lambda: hints.moved(match.pk), robust=True)
    return message


say = transaction.atomic(say_within)
"""`say_within` in a transaction of its own."""


def _check_text(text: str) -> str:
    """Return a text as it is stored. Raises `Refused` if nothing is left, or too much."""
    kept = clean(text)
    if not kept:
        raise Refused("press_empty", language.say("The message is empty. Write something."), "text")
    if len(kept) > LONGEST:
        detail = language.say("A message has at most {most} characters; this one has {length}.", most=LONGEST, length=len(kept))
        raise Refused("press_too_long", detail, "text")
    return kept


def _check_ban(by: User) -> None:
    until = bans.end_for(by)
    if until is not None:
        raise Refused(
            "press_banned", language.say("By decision of the operators you may not write messages until {until}.", until=until)
        )


def _hearers(match: Match, by_seat: int, to: Sequence[int] | Literal["all"], seats: Mapping[int, Seat]) -> list[int]:
    """Return the seats that a message reaches. Raises `Refused` if it is not allowed or reaches nobody."""
    people = sorted(index for index, seat in seats.items() if seat.user_id is not None and index != by_seat)
    if match.press == Match.PressKind.NONE:
        raise Refused("press_off", language.say("This match has no messages between players."))
    if to == ALL:
        if not people:
            raise Refused("press_nobody", language.say("There is nobody to write to: you are the only user in this match."), "to")
        return people
    if match.press == Match.PressKind.PUBLIC:
        raise Refused("press_public_only", language.say("In this match all messages are public. Write to all."), "to")
    wanted = sorted(set(to) - {by_seat})
    reachable = ", ".join(map(str, people)) or "none"
    if not wanted:
        raise Refused(
            "press_nobody",
            language.say("Name seats other than your own (people sit on: {reachable}), or write to all.", reachable=reachable),
            "to",
        )
    if missed := [index for index in wanted if index not in people]:
        raise Refused(
            "press_nobody",
            language.say("Nobody reads at seat {missed}; people sit on: {reachable}.", missed=missed[0], reachable=reachable),
            "to",
        )
    return wanted


def _notice(message: Press, seat: Seat) -> outbox.Notice:
    assert seat.user_id is not None
    payload = {"press": str(message.id), "match": str(message.match_id), "seat": seat.index, "circle": readers(message)}
    return outbox.Notice(kind="press", user_id=seat.user_id, topic=str(message.match_id), payload=payload)


def arrives(message: Press, reader: int | None, apart: Callable[[int | None], frozenset[int]] = blocks.apart) -> bool:
    """Return False for a message that a block keeps from a user, by whichever of the two it was set. `apart` looks for blocks."""
    return message.user_id not in blocked.hidden_from(reader, message.match, apart)


def messages(access: Access, reader: User | None) -> QuerySet[Press]:
    """Return the messages that may be read, newest first: those to everyone, and for a seat also those it sent or received.

    A block between their author and the user who reads hides them. Spectators of a match with a delay read them late.
    """
    match, viewer = access.match, access.viewer
    readable = Q(to=[])
    if (moment := access.shown_until) is not None:
        readable &= Q(said_at__lte=moment)
    if viewer is not None:
        seat = match.seats.filter(index=viewer).first()
        if seat is not None and seat.joined_at is not None:
            readable |= (Q(seat=viewer) | Q(to__contains=[viewer])) & Q(said_at__gte=seat.joined_at)
    found = Press.objects.filter(readable, match=match).exclude(user__in=blocked.hidden_from(reader, match))
    return found.select_related("user", "match").order_by("-said_at", "-id")


def newest(match_id: uuid.UUID) -> str:
    """Return the id of the newest message of a match among all of them; empty if there is none. No reader may be told."""
    found = Press.objects.filter(match=match_id).order_by("-said_at", "-id").values_list("pk", flat=True).first()
    return str(found or "")


def mark(access: Access) -> str:
    """Return the id of the newest message that the user may read; empty if there is none."""
    if access.match.press == Match.PressKind.NONE:
        return ""
    found = messages(access, access.user).values_list("pk", flat=True).first()
    return str(found or "")


def unread(user: User, most: int) -> list[Unread]:
    """Return a user's matches with messages they have not seen, the newest message first; at most so many matches.

    Messages of a match that ended over `UNREAD_FOR` ago no longer count.
    """
    lasting = Q(match__ended_at=None) | Q(match__ended_at__gt=timezone.now() - UNREAD_FOR)
    named = Q(match__anonymous=False) | Q(match__ended_at__isnull=False)
    own = Func(F("match__seats__index"), template="ARRAY[%(expressions)s]", output_field=Press._meta.get_field("to"))
    newest = (
        Press.objects.filter(
            lasting,
            ~(Q(user__in=blocks.apart(user)) & named),
            ~Q(seat=F("match__seats__index")),
            # Before they are counted: what others write to each other hides nothing from the reader.
            Q(to=[]) | Q(to__contains=own),
            match__seats__user=user,
            said_at__gt=F("match__seats__press_seen_at"),
            said_at__gte=F("match__seats__joined_at"),
        )
        .annotate(number=Window(Count("pk"), partition_by=[F("match")]))
        .select_related("user", "match")
        .order_by("match", "-said_at", "-id")
        .distinct("match")
    )
    found = sorted(newest, key=lambda message: (message.said_at, message.id), reverse=True)
    return [Unread(message, message.number) for message in found[:most]]


def mark_read(seat: Seat, newest: Press | None) -> None:
    """Record that the present holder of a seat has seen the messages up to the newest."""
    if newest is not None and newest.said_at > seat.press_seen_at:
        Seat.objects.filter(pk=seat.pk, holder=seat.holder).update(press_seen_at=newest.said_at)
        seat.press_seen_at = newest.said_at


def before(found: QuerySet[Press], last: Press) -> QuerySet[Press]:
    """Return the messages older than the given one."""
    return found.filter(Q(said_at__lt=last.said_at) | Q(said_at=last.said_at, id__lt=last.id))


def author(message: Press) -> str:
    """Return the author's name, which is hidden in a running anonymous match."""
    return f"player {message.seat + 1}" if message.match.hides_names else message.user.username


def readers(message: Press) -> list[int] | Literal["all"]:
    """Return the seats that share a message, the author included; `all` for a public one."""
    return sorted({message.seat, *message.to}) if message.to else ALL


def circle(message: Press, seat: int) -> list[int] | Literal["all"]:
    """Return the seats that an answer from `seat` goes to: all who read the message."""
    return sorted({message.seat, *message.to} - {seat}) if message.to else ALL


def as_json(message: Press) -> JsonObject:
    return {
        "id": str(message.id),
        "seat": message.seat,
        "name": author(message),
        "to": message.to or ALL,
        "text": message.text,
        "said_at": message.said_at.isoformat(),
    }


def erase(user: User) -> None:
    """Delete every message of a user."""
    Press.objects.filter(user=user).delete()
