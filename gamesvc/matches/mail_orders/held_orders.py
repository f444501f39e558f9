"""Held orders: kept until the deadline by the word `wait`, or kept because others may react first.

They are no commands yet: outside the record, visible to nobody, erasable. They are carried out by the same `OrderRun` as the
orders of a new mail, with the ids of the mail they came in.
"""

from __future__ import annotations

import functools
import logging
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from uuid import UUID

from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.utils import translation

from accounts.models import User
from gamesvc.database.asking import ask
from gamesvc.database.prepared import OneOf, Prepared
from gamesvc.database.rows import columns, row_of
from gamesvc.games.kernel.dice import DrawNeeded
from gamesvc.games.kernel.game import Refused
from gamesvc.json_types import JsonObject
from gamesvc.matches import backoff, errors
from gamesvc.matches.mail_orders import order_mail
from gamesvc.matches.mail_orders.order_mail import Line
from gamesvc.matches.mail_orders.order_run import OrderRun
from gamesvc.matches.models import HeldOrders, Match, Question, Seat
from gamesvc.matches.play import turns
from gamesvc.matches.record import loading
from gamesvc.matches.record.idempotency import known
from gamesvc.matches.sharing import Spent
from gamesvc.matches.timekeeping import last_orders
from notifications import outbox
from notifications.outbox import Notice

log = logging.getLogger(__name__)

# Most answers of others in a row to compute ahead.
MOST_ANSWERS = 60
# So long before a deadline what is held until then counts: in time, and all the time is used.
LAST_MOMENT = timedelta(microseconds=1)
Until, State = HeldOrders.Until, HeldOrders.State
# Nothing reads them again. A mail may hold 60 orders of 1,000 characters, and rows are kept as long as mails.
_REPLACED: JsonObject = {"state": State.REPLACED, "lines": []}
# The question that the held orders answer is still open.
_ASKED = Exists(Question.objects.filter(match=OuterRef("match"), seat=OuterRef("seat"), question=OuterRef("question")))
_UNTIL_DEADLINE = Prepared(
    lambda: HeldOrders.objects.filter(match=OneOf("matches", "uuid"), state=State.HELD, until=Until.DEADLINE).values_list(
        "match_id", "seat"
    )
)


def keep(
    *,
    match: Match,
    seat: int,
    user_id: int,
    mail: UUID,
    question: str,
    lines: Sequence[Line],
    version: int,
    kept_at: int,
    counts_at: datetime,
    until: HeldOrders.Until,
) -> None:
    """Store orders once. Orders of the seat from earlier mails are replaced. Raises `PermissionDenied` for an erased user."""
    with transaction.atomic():
        User.lock(user_id)
        replace(match=match, seat=seat, user_id=user_id, but=mail)
        HeldOrders.objects.bulk_create(
            [
                HeldOrders(
                    match=match,
                    seat=seat,
                    user_id=user_id,
                    question=question,
                    mail=mail,
                    first=lines[0].number,
                    lines=[_kept(line) for line in lines],
                    version=version,
                    kept_at=kept_at,
                    counts_at=counts_at,
                    until=until,
                )
            ],
            ignore_conflicts=True,
        )


def _kept(line: Line) -> JsonObject:
    return {"number": line.number, "text": line.text, "argument": line.argument, "mail": line.mail}


def held(*, match: Match, seat: int, user_id: int) -> QuerySet[HeldOrders]:
    """Return the held orders of a user on a seat."""
    return HeldOrders.objects.filter(match=match, seat=seat, user_id=user_id, state=State.HELD)


def seated(match_id: UUID) -> tuple[tuple[Seat, ...], set[int]]:
    """Return the seats of a match in order, with their match and users; and the numbers of those whose user holds orders."""
    match, seat = len(Match._meta.concrete_fields), len(Seat._meta.concrete_fields)
    seats: list[Seat] = []
    holding = set()
    for found in ask(_seated(), [match_id]).fetchall():
        one = row_of(Seat, found[1 + match : 1 + match + seat])
        one.match = seats[0].match if seats else row_of(Match, found[1 : 1 + match])
        if one.user_id is not None:
            one.user = row_of(User, found[1 + match + seat :])
        seats.append(one)
        if found[0]:
            holding.add(one.index)
    return tuple(seats), holding


@functools.cache
def _seated() -> str:
    """Return the SQL of `seated`. Built once, since every mail runs it."""
    held = (
        "EXISTS (SELECT FROM matches_held_orders h WHERE h.match_id = s.match_id AND h.seat = s.index AND h.user_id = s.user_id "
        "AND h.state = 'held')"
    )
    read = ", ".join([held, *columns("m", Match), *columns("s", Seat), *columns("u", User)])
    return (
        f"SELECT {read} FROM matches_seat s JOIN matches_match m ON m.id = s.match_id "  # noqa: S608
        "LEFT JOIN accounts_user u ON u.id = s.user_id WHERE s.match_id = %s::uuid ORDER BY s.index"
    )


def replace(*, match: Match, seat: int, user_id: int, but: UUID) -> int:
    """Replace the held orders by those of a later mail. Return from how many mails they were."""
    return held(match=match, seat=seat, user_id=user_id).exclude(mail=but).update(**_REPLACED)


def told_ready(*, match: Match, seat: int, user_id: int, mail: UUID, counts_at: datetime) -> list[HeldOrders]:
    """Return the orders that a `ready` mail carries out, and assign them to it, so that a restarted worker finds them again.

    Orders for a question that is no longer open are left out, unless some of them were carried out. After the deadline of one
    that is open the orders stay with the clock, as of the deadline: raises `Refused`.
    """
    rows = held(match=match, seat=seat, user_id=user_id).filter(until=Until.DEADLINE)
    due = dict(Question.objects.filter(match=match, seat=seat).values_list("question", "due_at"))
    meant = []
    for row in rows:
        if row.question in due:
            turns.check_due(match.pk, due[row.question], counts_at)
        elif not _begun(row):
            continue
        meant.append(row.pk)
    HeldOrders.objects.filter(pk__in=meant, state=State.HELD).update(state=State.DONE, done_by=mail)
    return list(HeldOrders.objects.filter(match=match, seat=seat, user_id=user_id, done_by=mail).order_by("created_at"))


def lines_of(row: HeldOrders, run: OrderRun) -> list[Line]:
    """Return the orders as lines, parsed again for the current position."""
    view = run.loaded.game.view(run.loaded.timeline.state, run.seat.index) if run.running else None
    lines = []
    for one in row.lines:
        line = Line(one["number"], one["text"], "order", one["argument"], mail=one["mail"] or str(row.mail))
        order_mail.understand(line, run.loaded.game, view, run.names)
        lines.append(line)
    return lines


def register() -> None:
    """Register with the clock, which carries out orders held until a deadline."""
    last_orders.register(until_deadline, at_deadline)


def until_deadline(matches: Iterable[UUID]) -> set[tuple[UUID, int]]:
    """Return the seats of these matches that hold orders until a deadline, in one query."""
    return set(_UNTIL_DEADLINE.values(matches=list(matches)))


def at_deadline(match: Match, seat: int, question: str, due_at: datetime) -> bool:
    """Carry out a seat's orders held until this deadline; return True if there were any. The clock calls it before its own
    answer.

    They count from the deadline, not from their mail: the others have waited, and until then the player could change them.
    """
    rows = HeldOrders.objects.filter(match=match, seat=seat, state=State.HELD, until=Until.DEADLINE, question=question)
    # Stored before anything is done: what continues after a crash counts from the deadline as well.
    rows.update(claimed_for=due_at)
    settled = [_carry_out(row) for row in rows.select_related("user")]
    return any(settled)


def sweep(limit: int = 200) -> int:
    """Continue orders that waited for others who have answered, in turns between their users. Return how many were settled.

    Also settle orders held for the deadline of a question that is gone: the worker died before it reported them, or the player
    answered otherwise.
    """
    due = Q(until=Until.WINDOW) | Q(until=Until.DEADLINE) & ~Q(_ASKED)
    rows = HeldOrders.objects.filter(due, state=State.HELD).exclude(looked_at=F("match__version")).order_by("created_at")
    return backoff.each("the held orders", Spent().in_turn(rows.values_list("user", "pk")), _go_on, limit=limit)


def _go_on(row_id: UUID) -> int:
    row = HeldOrders.objects.select_related("match", "user").filter(pk=row_id, state=State.HELD).first()
    try:
        return int(row is not None and _carry_out(row, answered=row.until == Until.DEADLINE))
    except errors.Busy:
        log.info("the match of held orders %s is busy; the next sweep tries again", row_id)
        return 0


def erase(user: User) -> None:
    """Delete a user's held orders."""
    HeldOrders.objects.filter(user=user).delete()


def _begun(row: HeldOrders) -> bool:
    """Return True if a worker carried out some of the orders and died before it reported them."""
    ids = (turns.command_id(sender=f"mail {line['mail'] or row.mail}", key=str(line["number"])) for line in row.lines)
    return any(known(row.match, command_id) is not None for command_id in ids)


def _carry_out(row: HeldOrders, *, answered: bool = False) -> bool:
    """Carry out one row and report to the player. Return False if it must wait longer, or no longer applies.

    `answered`: it was held for a question that is gone, so it continues only if some of it was carried out.
    """
    with translation.override(row.user.language):
        return _settled(row, answered=answered)


def _settled(row: HeldOrders, *, answered: bool) -> bool:
    match = row.match
    seats = tuple(match.seats.select_related("user").order_by("index"))
    seat = seats[row.seat]
    if seat.user_id != row.user_id:
        HeldOrders.objects.filter(pk=row.pk).update(**_REPLACED)
        return False
    run = OrderRun(
        match=match,
        seats=seats,
        seat=seat,
        mail=row.mail,
        user_id=row.user_id,
        counts_at=row.claimed_for - LAST_MOMENT if row.claimed_for is not None else row.counts_at,
        question=row.question,
    )
    version = run.loaded.version
    lines = lines_of(row, run)
    problem, rest = "", []
    if not run.begun(lines):
        if run.running and (answered if run.open() else run.others_answer()):
            HeldOrders.objects.filter(pk=row.pk).update(looked_at=version)
            return False
        if answered:
            HeldOrders.objects.filter(pk=row.pk, state=State.HELD).update(**_REPLACED)
            return False
        problem = _problem(run, lines)
    if problem:
        for line in lines:
            if line.state == "read":
                line.state = "not_done"
    else:
        rest = run.carry_out(lines, run.loaded.viewer_version(row.seat) if _as_expected(row, run) else row.version)
    settle(row, run, lines, rest, problem)
    return True


def _as_expected(row: HeldOrders, run: OrderRun) -> bool:
    """Return True if the others answered as if they had let everything happen, so that the basis of the orders is unchanged.

    The player could rely only on what follows from their own order. So that is computed from the position in which the orders
    were stored, and compared with the seat's present view. If chance takes part, the player could not know the result, and the
    orders come back to them.
    """
    if row.until != Until.WINDOW or run.others_seen(row.version, row.kept_at):
        return False
    game = run.loaded.game
    timeline = loading.load_at(game, row.match_id, row.kept_at).timeline
    try:
        for _step in range(MOST_ANSWERS):
            asked = game.awaited(timeline.state)
            if any((one.seat, one.id) == (row.seat, row.question) for one in asked):
                return game.view(timeline.state, row.seat) == game.view(run.loaded.timeline.state, row.seat)
            if not asked or any(one.seat == row.seat for one in asked):
                return False
            seat = asked[0].seat
            timeline.follow(timeline.preview(seat, game.default_command(timeline.state, seat)))
    except (Refused, DrawNeeded):
        pass
    return False


def _problem(run: OrderRun, lines: Sequence[Line]) -> str:
    if not run.running:
        return "match_over"
    if not run.open():
        return "turn_over"
    return "unreadable" if lines and lines[0].state == "unreadable" else ""


def settle(row: HeldOrders, run: OrderRun, lines: Sequence[Line], rest: Sequence[Line], problem: str) -> None:
    """Store the result of held orders, keep those that wait on, and queue the receipt: all or nothing, and once."""
    report: JsonObject = {"problem": problem, "lines": [line.as_json() for line in lines], "sections": [], "held": True}
    with transaction.atomic():
        # First the user, as for an erasure: else it would delete the row, and know nothing of what is written after it.
        list(User.objects.select_for_update(no_key=True).filter(pk=row.user_id).values_list("pk"))
        if not HeldOrders.objects.filter(pk=row.pk, state=State.HELD).update(state=State.DONE, report=report):
            return
        if rest:
            keep_rest(row, run, rest)
        payload = {"held": str(row.id), "match": str(row.match_id), "seat": row.seat}
        outbox.notify(Notice(kind="receipt", user_id=row.user_id, topic=str(row.match_id), payload=payload))


def keep_rest(row: HeldOrders, run: OrderRun, rest: Sequence[Line]) -> None:
    """Keep the rest of held orders until others have answered."""
    HeldOrders.objects.bulk_create(
        [
            HeldOrders(
                match_id=row.match_id,
                seat=row.seat,
                user_id=row.user_id,
                question=row.question,
                mail=row.mail,
                first=rest[0].number,
                lines=[one for one in row.lines if one["number"] >= rest[0].number],
                version=run.expected,
                kept_at=run.loaded.version,
                counts_at=row.counts_at,
                claimed_for=row.claimed_for,
                until=Until.WINDOW,
            )
        ],
        ignore_conflicts=True,
    )
