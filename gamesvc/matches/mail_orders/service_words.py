"""Service words of an order mail with an effect: press, vacation, standing orders, new matches. Each line counts once.

They are checked with the whole mail before anything is applied, and do not depend on the orders beside them.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime

from django.db import transaction
from django.utils.translation import gettext as _

from accounts import absences
from accounts.models import User
from gamesvc.database.rows import insert
from gamesvc.errors import TooMany
from gamesvc.games.kernel.game import Refused
from gamesvc.language import shortened
from gamesvc.matches.lobby import press
from gamesvc.matches.mail_orders import player_names
from gamesvc.matches.mail_orders.order_mail import Line
from gamesvc.matches.mail_orders.words import openings
from gamesvc.matches.models import DoneWord, Match
from gamesvc.matches.play import standing_orders
from gamesvc.matches.record import loading, secrets
from gamesvc.matches.timekeeping import pauses, vacations

CHANNEL = "mail"
LONGEST_LISTED = 200
"""A conditional order in a list, in characters."""
Act = Callable[[], str]
"""An act of a line. It returns the sentence for the receipt, and raises `Refused` or `TooMany`."""
_DAY = r"\d{4}-\d\d-\d\d|\d{1,2}\s?[./]\s?\d{1,2}\s?[./]\s?\d{4}"
_DAYS = re.compile(rf"^(?P<first>{_DAY})(?:\s*(?:\.{{2,3}}|…|–|-|to|bis|until)\s*(?P<last>{_DAY}))?$", re.IGNORECASE)


# Behind `all`: the message is not for all.
_EXCEPT = re.compile(
    r"\W*(?:but|except\w*|excluding|excl|without|save|minus|not|only|other than|apart from|besides|außer|ausser|ohne|bis auf"
    r"|nicht|nur|sauf|hormis|menos|excepto|salvo|tranne|eccetto|behalve|utom|oprócz|kromě|кроме)\b|[(\[{<–—-]",
    re.IGNORECASE,
)
_AND = re.compile(r"(?:and|und|or|oder|et|y|e|[&+/,])\s*", re.IGNORECASE)
# So far into a line a colon may end the names of receivers.
_NAMES_END = 60


@dataclass(frozen=True, slots=True)
class Writer:
    """The sender of a mail, with the match and seat they write for."""

    mail: uuid.UUID
    user: User
    match: Match
    seat: int
    names: tuple[str, ...]
    at: datetime
    """The moment the mail counts from: when the service received it, or when it was confirmed."""
    again: bool
    """An earlier run of this mail may have done some of its words."""
    told: set[str] = field(default_factory=set)
    """The lists that were told already: a mail may ask for one in each of its lines."""


def check(writer: Writer, lines: Sequence[Line]) -> None:
    """Mark the words that cannot be understood. Nothing is done yet."""
    for line in lines:
        reader = _READ.get(line.word)
        if reader is None or line.state != "read":
            continue
        try:
            reader(writer, line)
        except Refused as refused:
            line.state, line.detail = "unreadable", refused.sentence


def do(writer: Writer, line: Line) -> None:
    """Carry out a word once. A restarted worker finds the stored result, except of one that has no effect."""
    if line.word == "standing" and standing_orders.asks_for_list(line.argument):
        line.state, line.detail = "answered", _list(writer)
        return
    once(writer.mail, line, lambda: _DO[line.word](writer, line), again=writer.again)
    if line.word == "vacation" and line.argument:
        vacations.settle(writer.user.pk)


def once(mail: uuid.UUID, line: Line, act: Act, *, again: bool) -> None:
    """Do what a line of a mail says, and keep the result for a worker that comes after.

    Only when the mail is handled `again` it is looked for: two results of one line cannot be kept, so no act happens twice.
    """
    if again and (before := DoneWord.objects.filter(mail_id=mail, number=line.number).first()) is not None:
        line.state, line.detail = before.state, before.detail
        return
    try:
        with transaction.atomic():
            line.detail, line.state = act(), "answered"
            _keep(mail, line)
    except (Refused, TooMany, absences.AbsenceRefused) as refused:
        line.state, line.detail = "refused", refused.sentence
        _keep(mail, line)


def _keep(mail: uuid.UUID, line: Line) -> None:
    insert(DoneWord(mail_id=mail, number=line.number, state=line.state, detail=line.detail))


# --- press ---


def _press(writer: Writer, line: Line) -> tuple[list[int] | str, str]:
    """Return the receivers and the text. A receiver is a player's name, or a seat number as mails count them, from 1."""
    head, _newline, below = line.argument.partition("\n")
    if below:
        head, below = head.strip().rstrip(":"), below.strip()
    known: dict[str, list[int] | str] = {"alle": "all"} | {player.lower(): [at] for at, player in enumerate(writer.names)}
    # Numbers always mean seats and `all` always means everyone, even if a player has such a name.
    known |= {str(at + 1): [at] for at in range(len(writer.names))} | {"all": "all"}
    written, head = head, _without_to(head, known)
    lowered = head.lower()
    # Behind `to` all stands for the receiver up to the colon: "press to all my friends: hello" names nobody here.
    named = lowered.partition(":")[0].strip()
    unknown = written != head and ":" in head and named not in known
    for name, seats in [] if unknown else sorted(known.items(), key=lambda pair: -len(pair[0])):
        if lowered == name or lowered.startswith((name + " ", name + ":")):
            rest = head[len(name) :]
            if _names_others(rest, below, known, to_all=seats == "all"):
                break
            words = below or rest.lstrip(" :")
            if not words:
                raise Refused("unreadable", _('Write the message behind the name; for several lines begin with "press all:".'))
            return seats, words
    names = ", ".join(name for at, name in enumerate(writer.names) if at != writer.seat)
    raise Refused("unreadable", _("Press goes to all or to one of: %(names)s.") % {"names": names})


def _names_others(rest: str, below: str, known: Collection[str], *, to_all: bool) -> bool:
    """Return True if a message may be for others than the receiver that it names first, by the `rest` of its line."""
    if rest.startswith(":"):
        return bool(below)
    rest = rest.strip()
    if below and rest:
        return True
    to, colon, _text = rest[:_NAMES_END].partition(":")
    if to_all:
        return bool(colon) or bool(_EXCEPT.match(rest))
    joined = _AND.match(rest)
    others = rest[joined.end() :] if joined else to if colon else ""
    return any(others.casefold() == name or others.casefold().startswith((f"{name} ", f"{name}:")) for name in known)


def _without_to(head: str, known: Collection[str]) -> str:
    """Return the head without a leading `to` or `an`. Raises `Refused` if that may be the name of a player."""
    word, blank, rest = head.partition(" ")
    if not blank or word.lower() not in ("to", "an"):
        return head
    rest = rest.lstrip()
    if word.lower() not in known:
        return rest
    if any(rest.lower().startswith(name) for name in known):
        raise Refused("unreadable", _("A player has that name. Write the number of the seat, as in: press 2 text"))
    return head


def _say(writer: Writer, line: Line) -> str:
    to, words = _press(writer, line)
    key = secrets.keyed_uuid("press by mail", writer.mail, str(line.number))
    wanted = press.ALL if isinstance(to, str) else to
    press.say_within(
        match=writer.match,
        by=writer.user,
        by_seat=writer.seat,
        to=wanted,
        text=words,
        channel=CHANNEL,
        key=key,
        again=writer.again,
    )
    return _("Passed on.")


# --- vacation ---


def _vacation(writer: Writer, line: Line) -> tuple[date, date] | str:
    """Return the days, "off", or an empty text for the list."""
    wanted = line.argument.lower().strip(" .")
    if wanted in ("", "off"):
        return wanted
    found = _DAYS.match(wanted)
    if found is None:
        raise Refused("unreadable", _("Write the first and the last day, as in: vacation 2026-12-24..2027-01-02"))
    try:
        first = _day(found["first"])
        return first, _day(found["last"]) if found["last"] else first
    except ValueError:
        raise Refused("unreadable", _("There is no such day; days are written as in 2026-12-24.")) from None


def _day(written: str) -> date:
    """Read `2026-12-24`, `24.12.2026`, or a date with slashes.

    Raises `Refused` if the slashes leave the order of day and month open, `ValueError` if there is no such day.
    """
    if "-" in written:
        return date.fromisoformat(written)
    first, second, year = (int(part) for part in re.split(r"\s?[./]\s?", written))
    if "/" not in written or first > 12 or first == second:
        return date(year, second, first)
    if second > 12:
        return date(year, first, second)
    raise Refused("unreadable", _("%(day)s can mean two days. Write it like 2026-12-24.") % {"day": written})


def _leave(writer: Writer, line: Line) -> str:
    wanted = _vacation(writer, line)
    known = absences.absences_of(writer.user)
    if wanted == "":
        listed = ", ".join(f"{one.first_day}..{one.last_day}" for one in known)
        return _("Your vacations: %(days)s.") % {"days": listed} if listed else _("You have not announced a vacation.")
    if isinstance(wanted, str):
        if not known:
            raise Refused("no_vacation", _("You have not announced a vacation."))
        absences.call_off(absence=known[0], at=writer.at)
        return _("Your vacation from %(first)s to %(last)s is called off.") % {
            "first": known[0].first_day,
            "last": known[0].last_day,
        }
    absence = absences.announce(user=writer.user, first=wanted[0], last=wanted[1], at=writer.at)
    return _("You are away from %(first)s to %(last)s.") % {"first": absence.first_day, "last": absence.last_day}


# --- standing orders ---


def _standing(writer: Writer, line: Line) -> standing_orders.Asked:
    return player_names.read_with_names(
        line.argument, writer.names, lambda said: standing_orders.parse_text(writer.match, writer.seat, said)
    )


def _lay_by(writer: Writer, line: Line) -> str:
    asked = _standing(writer, line)
    if asked.what == "cancel":
        standing_orders.cancel(match=writer.match, seat=writer.seat, number=asked.number, user=writer.user)
        return _("Order %(number)s is cancelled.") % {"number": asked.number}
    if asked.what == "lay_by":
        laid = standing_orders.lay_by(
            match=writer.match,
            seat=writer.seat,
            user=writer.user,
            condition=asked.condition or {},
            commands=asked.commands,
            received_at=writer.at,
        )
        return _("Saved as conditional order %(number)s.") % {"number": laid.number}
    return _list(writer)


def _list(writer: Writer) -> str:
    """Return the conditional orders of a writer; the same list a second time in a few words."""
    loaded = loading.load(writer.match.id, writer.match.game)
    laid_by = [
        f"{one.number}: {shortened(standing_orders.words(loaded, one), LONGEST_LISTED)} ({one.status})"
        for one in standing_orders.laid_by(writer.match, writer.seat)
    ]
    text = "\n".join(laid_by) or _("You have no conditional orders.")
    if text in writer.told:
        return _("They are the same as above.")
    writer.told.add(text)
    return text


# --- a pause ---


def _pause(writer: Writer, line: Line) -> str:
    """Vote for a pause or for resuming, or withdraw the vote."""
    pause = line.word == "pause"
    if line.argument == "no":
        pauses.withdraw(match=writer.match, by=writer.user, seat=writer.seat)
        return _("Your request is withdrawn.")
    if not pauses.wish(match=writer.match, by=writer.user, seat=writer.seat, pause=pause, channel=CHANNEL):
        return _("The others are asked. It happens when all agree.")
    return _("The match is paused; all clocks are stopped.") if pause else _("The match goes on; all clocks run again.")


# --- a draw ---


def _draw(writer: Writer, line: Line) -> str:
    raise Refused("no_draws", _("This game has no draw by agreement. It ends by its rules, or when a player resigns."))


# --- matches ---


def _new(writer: Writer, line: Line) -> str:
    return openings.open_match(writer.user, line.argument)


def _invite(writer: Writer, line: Line) -> str:
    return openings.invite(writer.user, line.argument)


def _rematch(writer: Writer, line: Line) -> str:
    return openings.rematch(writer.user, writer.match)


def _check_new(writer: Writer, line: Line) -> None:
    openings.check_new(line.argument)


_READ: dict[str, Callable[[Writer, Line], object]] = {
    "press": _press,
    "vacation": _vacation,
    "standing": _standing,
    "new": _check_new,
}
_DO: dict[str, Callable[[Writer, Line], str]] = {
    "press": _say,
    "vacation": _leave,
    "standing": _lay_by,
    "draw?": _draw,
    "pause": _pause,
    "resume": _pause,
    "new": _new,
    "invite": _invite,
    "rematch": _rematch,
}
