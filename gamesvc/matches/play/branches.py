"""Trees of conditional orders: a branch waits for one act, as its seat sees it, and the branches after it for what follows.

A match follows a tree exactly or not at all. So the position of each answer is the one that its player looked at, as far as they
could see it. The very next act after a branch decides: it meets one of the branches that follow, and the others lapse. A branch
without commands waits for the next act again. An undo makes them wait once more, but not behind the position in which the tree
was laid: there they lapse (`record.conditions`).

Not here: giving the commands (`conditional_orders`), making trees of the lines of an analysis board (`lobby.lines`).
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from accounts.models import User
from events.store import StoredEvent
from gamesvc.games.kernel.game import Refused, see_event
from gamesvc.json_types import JsonObject
from gamesvc.language import mark, say
from gamesvc.matches.access import daily_limits, holders
from gamesvc.matches.events import Rewound
from gamesvc.matches.models import Match, Premove
from gamesvc.matches.play import turns
from gamesvc.matches.record import conditions, stream
from gamesvc.matches.record.loading import Loaded
from gamesvc.matches.record.stream import STORE

Status = Premove.Status
MOST = 60
"""The most open branches of one seat in one match."""
MOST_EVER = 9999
"""Limit for one seat in one match, ended ones included: orders are numbered in four digits."""
MOST_ENDED = 60
"""The most ended orders of a seat that are kept. An undo may bring all of them back, and each act is tried with all that wait."""
CANCELLED = "Cancelled."
LISTED = 10
"""The ended orders of a seat that are shown."""
LEFT = mark("The match has taken another way since. Analyse from its present position.")
FULL = mark("You have placed {most} conditional orders in this match, which is the limit. Play when it is your turn.")


@dataclass(frozen=True, slots=True)
class Branch:
    """One step of a line: an act as its seat sees it, the command behind it with the seat that gave it, and the answers to it."""

    seat: int
    command: JsonObject
    act: list[JsonObject]
    answers: list[JsonObject] = field(default_factory=list)

    @property
    def condition(self) -> JsonObject:
        return {"act": self.act, "seat": self.seat, "command": self.command}


class Seen:
    """One act as a seat sees it. `seen_version`: that of the last of its events that the seat may know."""

    def __init__(self, loaded: Loaded, act: Sequence[StoredEvent], seat: int) -> None:
        self.version = act[-1].version
        self.game = loaded.game
        self.events = [stream.lift(loaded.game, stored) for stored in act]
        known = [event.version for event in self.events if see_event(loaded.game, event, seat) is not None]
        self.visible = bool(known)
        self.seen_version = max(known, default=0)
        self.is_own = act[0].meta["actor"].get("seat") == seat
        self.command: JsonObject = act[0].meta["command"]

    @property
    def is_private(self) -> bool:
        """Return True if the act is the seat's own and nobody else may know of it, like setting standing orders."""
        return self.is_own and all(see_event(self.game, event, None) is None for event in self.events)


def is_branch(row: Premove) -> bool:
    """Return True for an order of a tree."""
    return "act" in row.condition


def follow(row: Premove, before: Premove | None, acts: Sequence[Seen]) -> None:
    """Move a branch on with the acts that its seat has seen since, in memory: it is met, done, or lapses.

    `before`: the branch that must be done first.
    """
    if row.status == Status.ARMED:
        begun = row.given_version or row.armed_version or 0
        if (other := _next(row, acts, begun)) is not None:
            _lapse(row, other)
        return
    if before is not None and before.status != Status.DONE:
        if before.status in (Status.DROPPED, Status.LAPSED):
            row.status, row.armed_version, row.why = Status.LAPSED, before.armed_version, say("The branch before it ended.")
            row.ended_at = timezone.now()
        return
    begun = 0 if before is None else before.given_version or before.armed_version or 0
    act = _next(row, acts, begun)
    if act is None:
        return
    if not _meets(row, act):
        _lapse(row, act)
        return
    row.status, row.armed_version = (Status.ARMED if row.commands else Status.DONE), act.version
    row.ended_at = None if row.commands else timezone.now()
    if row.status == Status.ARMED:
        follow(row, before, acts)  # more may have happened since


def _next(row: Premove, acts: Sequence[Seen], begun: int) -> Seen | None:
    """Return the first act after a version that decides over a branch."""
    return next((act for act in acts if act.version > begun and (_meets(row, act) or not act.is_private)), None)


def _meets(row: Premove, act: Seen) -> bool:
    return bool(row.status == Status.WAITING) and conditions.seen_act(act.game, act.events, row.seat) == row.condition["act"]


def _lapse(row: Premove, act: Seen) -> None:
    row.status, row.armed_version, row.ended_at = Status.LAPSED, act.version, timezone.now()
    row.why = say(conditions.ANOTHER_WAY, version=act.seen_version)


# --- keeping and cancelling ---


def keep(*, match: Match, seat: int, user: User, line: Sequence[Branch], since: int, laid: int) -> list[Premove]:
    """Add a line to a seat's tree, as checked at version `since` of the match. Return its orders from the first to the last.

    `laid`: the last version that led to the position before the line, of those that the seat knows. Steps that the tree has
    already are shared. Another answer to the same act replaces the one before, with all that followed from it. Raises `Refused`.
    """
    with transaction.atomic():
        locked = Match.objects.select_for_update(no_key=True).get(pk=match.pk)
        holders.check(locked, locked.seats.all(), seat, user.pk)
        turns.check_in_time(locked, seat, timezone.now())
        _check_there(locked, since, laid)
        own = Premove.objects.filter(match=match, seat=seat)
        opened = [row for row in own.filter(status=Status.WAITING).select_related("after") if is_branch(row)]
        shared, replaced = fitting(opened, line)
        cancel_with_branches([replaced] if replaced is not None else [], opened)
        kept = [row for row in opened if row.status == Status.WAITING]
        if len(kept) + len(line) - len(shared) > MOST:
            raise Refused("too_many", say("You have {most} conditional orders. Cancel one first.", most=len(kept)))
        number = max(own.values_list("number", flat=True), default=0)
        if number + len(line) - len(shared) > MOST_EVER:
            raise Refused("too_many", say(FULL, most=MOST_EVER))
        daily_limits.check_conditional(user.pk)
        forget_ended(own)
        made = shared
        for step in line[len(shared) :]:
            number += 1
            made.append(
                Premove.objects.create(
                    match=match,
                    seat=seat,
                    user=user,
                    number=number,
                    condition=step.condition if made else {**step.condition, "since": laid},
                    commands=step.answers,
                    after=made[-1] if made else None,
                    looked_version=since,
                )
            )
    return made


def _check_there(match: Match, since: int, laid: int) -> None:
    """Refuse a line before which the match has gone back since it was checked."""
    back = [Rewound.of(one.data) for one in STORE.read(match.pk, since, match.version) if one.type == Rewound.TYPE]
    if any(one.to < laid and not one.private for one in back):
        raise Refused("line_left", say(LEFT))


def fitting(opened: Iterable[Premove], line: Sequence[Branch]) -> tuple[list[Premove], Premove | None]:
    """Return the branches that a tree shares with a line, and the one whose answers the line replaces."""
    rows = list(opened)
    shared: list[Premove] = []
    for step in line:
        before = shared[-1].pk if shared else None
        same = next((row for row in rows if _waits_behind(row) == before and row.condition["act"] == step.act), None)
        if same is None:
            break
        if same.commands != step.answers:
            return shared, same
        shared.append(same)
    return shared, None


def _waits_behind(row: Premove) -> uuid.UUID | None:
    """Return the branch that must be done before this one is next; None if it is."""
    return None if row.after is None or row.after.status == Status.DONE else row.after.pk


def cancel_with_branches(rows: Iterable[Premove], among: Iterable[Premove]) -> None:
    """Cancel orders together with the branches that follow them, of those given."""
    waiting, others, ended = list(rows), list(among), []
    while waiting:
        row = waiting.pop()
        waiting += [other for other in others if other.after_id == row.pk]
        row.status, row.why, row.ended_at = Status.DROPPED, CANCELLED, timezone.now()
        ended.append(row)
    Premove.objects.filter(pk__in=[row.pk for row in ended], status__in=conditions.OPEN).update(
        status=Status.DROPPED, why=CANCELLED, ended_at=timezone.now()
    )


def forget_ended(own: QuerySet[Premove]) -> None:
    """Delete a seat's orders that have ended, but not those listed, nor the last `MOST_ENDED` which an undo may bring back.

    Any that an open branch follows stay too.
    """
    cancelled = own.filter(status=Status.DROPPED, why=CANCELLED).order_by("-number")
    own.filter(pk__in=list(cancelled.values_list("pk", flat=True)[LISTED:])).delete()
    rows = list(own.order_by("-number").values_list("pk", "after", "status"))
    followed = {after for _pk, after, status in rows if status in conditions.OPEN}
    for pk, after, _status in rows:  # what comes before another order has a lower number
        if pk in followed:
            followed.add(after)
    ended = [pk for pk, _after, status in rows if status not in conditions.OPEN]
    own.filter(pk__in={*ended[MOST_ENDED:]} - followed).delete()
