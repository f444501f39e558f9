"""Consequences of a timeout for a seat, from the match's clock policy (`timeout`, `after`, `excused`).

`default`: the game's own answer. `pass`: the game's `pass` if it is legal, else its own answer. `lose`: the seat resigns. `bot`:
a bot takes the seat for good. `after`: this many timeouts in a row vacate the seat, and a substitute may take it (`substitutes`);
the clock of a turn counts once.
`excused`: this many timeouts of a player give the question's time again.

Each timeout is an event with the deadline, the policy and the reminders sent, in the append of its consequences. Not here: when a
clock runs out (`timeout_sweep`), and the new time (`clock.fold`).
"""

from __future__ import annotations

import copy
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from django.utils import timezone

from events.canonical import write_time
from events.store import Statement
from gamesvc.games.kernel import forms
from gamesvc.games.kernel.bots import bot_of
from gamesvc.games.kernel.game import DECLINE, RESIGN
from gamesvc.json_types import JsonMapping, JsonObject
from gamesvc.matches.clock.account import Account
from gamesvc.matches.events import MatchEvent, Seated, TimedOut, Vacated
from gamesvc.matches.models import Match, Seat
from gamesvc.matches.record import conditions
from gamesvc.matches.record.loading import Loaded
from gamesvc.matches.timekeeping import absence_announcements
from notifications.models import ReplyAddress
from notifications.wanted import reminders

Reminded = Mapping[tuple[str, str, datetime], Sequence[JsonMapping]]
"""The result of `reminders.sent_in`."""


@dataclass(frozen=True, slots=True)
class Ruling:
    """The consequences of a timeout beside the game's own answer."""

    events: tuple[MatchEvent, ...] = ()
    more: tuple[Statement, ...] = ()
    command: JsonObject | None = None
    """The command that the clock gives for the seat; None: the game's own answer."""
    seats: list[Seat] | None = None
    """The seats afterwards; None: unchanged."""
    excused: int = 0
    """The number of this excused timeout, from 1. The seat is asked again and no command is given."""


class Due(Protocol):
    """A question past its deadline."""

    @property
    def seat(self) -> int: ...
    @property
    def question(self) -> str: ...
    @property
    def due_at(self) -> datetime: ...


@dataclass(frozen=True, slots=True)
class Consequence:
    """The policy's answer to a seat's next timeout.

    `kind`: excused, bot, lose, vacated or default. `command`: the command that is given for the seat; None: the game's own
    answer, or none at all (excused, bot). `left`: the excuses that are left after this one.
    """

    kind: str
    command: JsonObject | None = None
    left: int = 0


def row_with(account: Account, seat: int, question: str) -> int:
    """Return how many timeouts in a row the seat has with one of this open question.

    The clock of a turn counts once, however often it goes on and runs out again: others could make a player who is away lose
    their seat within one turn, by acts that interrupt it.
    """
    missed, clock = account.missed.get(seat, 0), account.open.get((seat, question))
    again = missed > 0 and clock is not None and clock.ran_out is not None
    return missed if again else missed + 1


def consequence(loaded: Loaded, seat: int, question: str) -> Consequence:
    """Return what the match's clock policy does when this seat, which has a player, runs out of time for a question now."""
    account = loaded.account
    told = account.policy.told if account.policy is not None else {}
    kind, missed, used = told.get("timeout", "default"), row_with(account, seat, question), account.excused.get(seat, 0)
    if used < told.get("excused", 0):
        return Consequence("excused", left=told["excused"] - used - 1)
    if kind == "bot" and loaded.game.bots:
        return Consequence("bot")
    if kind == "lose" and RESIGN in loaded.game.commands:
        return Consequence("lose", {"name": RESIGN})
    vacates = told.get("after") is not None and missed >= told["after"]
    return Consequence("vacated" if vacates else "default", _pass(loaded, seat) if kind == "pass" else None)


def rule(match: Match, loaded: Loaded, due: Due, seats: Sequence[Seat], reminded: Reminded | None = None) -> Ruling:
    """Return the consequences of an open question's timeout. `reminded`: the reminders sent, if the caller has read them."""
    account = loaded.account
    clock = account.open.get((due.seat, due.question))
    if clock is not None and clock.ran_out == due.due_at:
        return Ruling()  # already recorded by a worker that died before it had answered for the seat
    seat = next(one for one in seats if one.index == due.seat)
    if seat.user_id is None:
        return Ruling((_timed_out(match, due, "default", seat, reminded),))
    told = account.policy.told if account.policy is not None else {}
    follows, policy = consequence(loaded, due.seat, due.question), told.get("timeout", "default")
    if follows.kind == "excused":
        used = account.excused.get(due.seat, 0) + 1
        notice = absence_announcements.timed_out(match, seat, due, "excused", follows.left)
        return Ruling((_timed_out(match, due, policy, seat, reminded, excused=True),), tuple(notice), excused=used)
    event = _timed_out(match, due, policy, seat, reminded, in_row=row_with(account, due.seat, due.question))
    if follows.kind == "bot":
        after, more = _hand_over(match, seat, bot_of(loaded.game))
        more += absence_announcements.timed_out(match, seat, due, "bot")
        return Ruling((event, Vacated(due.seat), seated_bot(after)), tuple(more), seats=_with(seats, after))
    if follows.kind == "vacated":
        after, more = empty(match, seats, seat)
        more += absence_announcements.timed_out(match, seat, due, "vacated")
        return Ruling((event, Vacated(due.seat)), tuple(more), follows.command, _with(seats, after))
    return Ruling((event,), tuple(absence_announcements.timed_out(match, seat, due, follows.kind)), follows.command)


def _with(seats: Sequence[Seat], after: Seat) -> list[Seat]:
    return [after if one.index == after.index else one for one in seats]


def seated_bot(seat: Seat) -> Seated:
    """Return the event by which a bot takes over this seat."""
    return Seated(seat=seat.index, holder=str(seat.holder), kind="bot", fresh_clocks=True)


def empty(
    match: Match, seats: Sequence[Seat], seat: Seat, *, by: int | None = None, call: bool = True
) -> tuple[Seat, list[Statement]]:
    """Return the seat without its holder, and the statements that empty it and, with `call`, call for a substitute.

    `by`: the user who removes the holder; None: nobody but the holder.
    """
    after = copy.copy(seat)
    after.user_id, after.bot, after.holder, after.vacated_at = None, "", None, timezone.now()
    more = [
        Statement(
            "UPDATE matches_seat SET user_id = NULL, bot = '', holder = NULL, vacated_at = %s::timestamptz"
            " WHERE match_id = %s::uuid AND index = %s::int AND EXISTS (SELECT FROM appended)",
            [after.vacated_at, match.id, seat.index],
        )
    ]
    more += _laid_aside(match, seat)
    return after, more + absence_announcements.seat_free(match, seats, seat, by) if call else more


def _hand_over(match: Match, seat: Seat, bot: str) -> tuple[Seat, list[Statement]]:
    after = copy.copy(seat)
    after.user_id, after.bot, after.holder, after.vacated_at = None, bot, uuid.uuid4(), None
    row = Statement(
        "UPDATE matches_seat SET user_id = NULL, bot = %s::text, holder = %s::uuid, vacated_at = NULL"
        " WHERE match_id = %s::uuid AND index = %s::int AND EXISTS (SELECT FROM appended)",
        [bot, after.holder, match.id, seat.index],
    )
    return after, [row, *_laid_aside(match, seat)]


def _laid_aside(match: Match, seat: Seat) -> list[Statement]:
    """Return statements that delete the holder's conditional orders and pause vote, and expire the reply addresses of their
    mails.
    """
    wish = Statement(
        "DELETE FROM matches_pausewish WHERE match_id = %s::uuid AND seat = %s::int AND EXISTS (SELECT FROM appended)",
        [match.id, seat.index],
    )
    dead = Statement(
        f"UPDATE {ReplyAddress._meta.db_table} SET expires_at = %s::timestamptz"  # noqa: S608
        " WHERE topic = %s::text AND user_id = %s::bigint AND EXISTS (SELECT FROM appended)",
        [timezone.now(), str(match.id), seat.user_id],
    )
    return [conditions.forgotten(match, seat.index), wish, dead]


def _pass(loaded: Loaded, seat: int) -> JsonObject | None:
    command = {"name": DECLINE}
    legal = [form for form in loaded.game.legal_commands(loaded.timeline.state, seat) if not form.aside]
    return command if forms.offered(legal, command) else None


def _timed_out(
    match: Match, due: Due, policy: str, seat: Seat, reminded: Reminded | None, *, excused: bool = False, in_row: int = 0
) -> TimedOut:
    told = []
    if seat.user_id is not None:
        topic, subject = str(match.id), f"{due.seat} {due.question}"
        # Reminders for every deadline of the question, which may have moved since.
        if reminded is not None:
            sent = [one for (*asked, _), found in reminded.items() if asked == [topic, subject] for one in found]
        else:
            sent = list(reminders.sent(topic=topic, subject=subject))
        sent = sorted((one for one in sent if one["sent_at"] is not None), key=lambda one: one["sent_at"])
        told = [
            {"point": one["point"], "deadline": write_time(one["deadline"]), "sent_at": write_time(one["sent_at"])}
            for one in sent
        ]
    return TimedOut(
        seat=due.seat,
        question=due.question,
        due_at=write_time(due.due_at),
        policy=policy,
        excused=excused,
        in_row=in_row,
        reminders=told,
    )
