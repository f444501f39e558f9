"""Conditional commands at work: after each append, what has its case now is given, in the transaction of what triggered it.

A condition speaks only of what the seat may see: an event as the seat sees it, and values of its view. When its case has
come a premove waits until the seat is asked, and is then given command by command, each an append of its own through the
channel `standing`. The first that the rules refuse ends it: the rest is dropped, and its owner is told. So many automatic
commands at most follow one command of a person, a bot or the clock; then the seats are asked. Whatever goes wrong with one
ends that one alone: what somebody else has sent stands.
Not here: leaving and cancelling them (`standing`).
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Protocol
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from events.store import Statement, StoredEvent, VersionConflict
from gamesvc.games.kernel import REWOUND, Event, Game, Refused, see_event
from gamesvc.matches import loading
from gamesvc.matches.loading import STORE, Loaded
from gamesvc.matches.models import Match, Premove
from notifications import outbox

logger = logging.getLogger(__name__)

MOST_AUTOMATIC = 10
# What its owner reads where it was not the rules that refused it.
FAULT = "It could not be carried out, by a fault of the service."
OPEN = (Premove.Status.WAITING, Premove.Status.ARMED)
# Whether any seat of a match has something laid by, as a value of a query.
ANY_OPEN = "EXISTS (SELECT FROM matches_premove WHERE match_id = %s::uuid AND status IN ('waiting', 'armed'))"
_COURSE = ("status", "armed_version", "given", "given_version")
# The parts of an append's one statement run in an order of PostgreSQL's own. Whoever else changes orders locks the match first.
_MATCH_FIRST = "EXISTS (SELECT FROM matches_match WHERE id = %s::uuid FOR NO KEY UPDATE)"


class Give(Protocol):
    """Append one command of a seat, decided on the newest version. Raises `Refused`."""

    def __call__(self, *, loaded: Loaded, seat: int, command: dict[str, Any], key: str) -> Sequence[StoredEvent]: ...


def follow(match: Match, stored: Sequence[StoredEvent], give: Give) -> None:
    """Give what has its case after these events. Runs in the transaction that appended them.

    Only a seat that may see something of what happened is looked at: an order that answers to a hidden act would tell that
    there was one, and when.
    """
    fresh, budget = list(stored), MOST_AUTOMATIC
    saw: set[int] = set()
    while True:
        loaded = loading.load(match.id, match.game)
        # Locked, so that whoever cancels one meanwhile hears what became of it.
        rows = Premove.objects.select_for_update().filter(match=match, status__in=OPEN).order_by("seat", "number")
        open_now = list(rows)
        if loaded.ended:
            for one in open_now:
                _end(one, Premove.Status.DROPPED, "The match is over.")
            return
        events = [loading.lift(loaded.game, one) for one in fresh]
        saw |= {one.seat for one in open_now if any(see_event(loaded.game, event, one.seat) is not None for event in events)}
        open_now = [one for one in open_now if one.seat in saw]
        for one in open_now:
            _look(match, one, loaded, events)
        awaited = {one.seat for one in loaded.awaited()}
        ready = next((one for one in open_now if one.status == Premove.Status.ARMED and one.seat in awaited), None)
        if ready is None or not budget:
            return
        fresh, budget = _give(match, ready, loaded, give), budget - 1


def _look(match: Match, one: Premove, loaded: Loaded, events: Sequence[Event]) -> None:
    """Arm what has its case now."""
    if one.status != Premove.Status.WAITING:
        return
    try:
        if not holds(loaded.game, one.condition, one.seat, events, loaded.timeline.state):
            return
    except Exception:
        logger.exception("The condition of premove %s could not be read.", one.id)
        _drop(match, one, FAULT)
        return
    one.status, one.armed_version = Premove.Status.ARMED, loaded.version
    one.save(update_fields=["status", "armed_version"])


def wait_again(match: Match, events: Sequence[Event]) -> Iterator[Statement]:
    """Written with an append: what had its case, or was given, before the match went back waits for it again.

    From its first command on, also where the case and some of what was given stand: the rest was meant for what came of that.
    Where the match returns to what it had gone back from (a redo), what it did there is done again.
    """
    for event in events:
        if event.type != REWOUND:
            continue
        to = event.data["to"]
        yield Statement(
            "UPDATE matches_premove"  # noqa: S608
            " SET status = before->>'status', armed_version = (before->>'armed_version')::int,"
            " given = (before->>'given')::int, given_version = (before->>'given_version')::int,"
            " ended_at = (before->>'ended_at')::timestamptz, before = NULL"
            " WHERE match_id = %s::uuid AND status = 'waiting' AND (before->>'last')::int <= %s::int"
            " AND (before->>'taken_back')::int > %s::int"
            f" AND EXISTS (SELECT FROM appended) AND {_MATCH_FIRST}",
            [match.id, to, to, match.id],
        )
        yield Statement(
            "UPDATE matches_premove"  # noqa: S608
            " SET status = 'waiting', armed_version = NULL, given = 0, given_version = NULL, ended_at = NULL, why = '',"
            " before = jsonb_build_object('status', status, 'armed_version', armed_version, 'given', given,"
            " 'given_version', given_version, 'ended_at', ended_at, 'last', greatest(armed_version, given_version),"
            " 'taken_back', %s::int)"
            " WHERE match_id = %s::uuid AND status IN ('armed', 'done') AND greatest(armed_version, given_version) > %s::int"
            " AND (given_version IS NULL OR given_version <> ALL (%s::int[]))"
            f" AND EXISTS (SELECT FROM appended) AND {_MATCH_FIRST}",
            [event.version, match.id, to, list(event.data.get("kept", ())), match.id],
        )


def forgotten(match: Match, seat: int) -> Statement:
    """Written with an append: what a seat has laid by is gone."""
    return Statement(
        "DELETE FROM matches_premove WHERE match_id = %s::uuid AND seat = %s::int"  # noqa: S608
        f" AND EXISTS (SELECT FROM appended) AND {_MATCH_FIRST}",
        [match.id, seat, match.id],
    )


def _give(match: Match, one: Premove, loaded: Loaded, give: Give) -> list[StoredEvent]:
    """Give the next command of a premove that has its case."""
    # When its case came is part of the key: after the match went back it may come again, and the command is another one.
    key = f"{one.id} {one.armed_version} {one.given}"
    try:
        with transaction.atomic():
            stored = give(loaded=loaded, seat=one.seat, command=one.commands[one.given], key=key)
    except VersionConflict:
        raise
    except Refused as refused:
        _drop(match, one, refused.detail)
        return []
    except Exception:
        logger.exception("Premove %s could not be given.", one.id)
        _drop(match, one, FAULT)
        return []
    one.given, one.given_version = one.given + 1, stored[-1].version
    if one.given == len(one.commands):
        _end(one, Premove.Status.DONE, "")
    else:
        # With its case: a command by which the game went back has not taken its own order back.
        one.save(update_fields=_COURSE)
    return list(stored)


def _drop(match: Match, one: Premove, why: str) -> None:
    """End a premove that cannot be given, and tell its owner."""
    _end(one, Premove.Status.DROPPED, why)
    if one.user_id is not None:
        payload = {"match": str(match.id), "seat": one.seat, "premove": str(one.id)}
        outbox.notify(outbox.Notice(kind="standing_dropped", user_id=one.user_id, topic=str(match.id), payload=payload))


def _end(one: Premove, status: str, why: str) -> None:
    one.status, one.why, one.ended_at = status, why, timezone.now()
    one.save(update_fields=[*_COURSE, "why", "ended_at"])


def any_open(match_id: UUID) -> bool:
    """Whether any seat of a match has something laid by."""
    return bool(STORE.ask(f"SELECT {ANY_OPEN}", [match_id]).fetchone()[0])


# --- conditions ---

COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "=": lambda value, wanted: _same(value, wanted),
    "!=": lambda value, wanted: not _same(value, wanted),
    "<": lambda value, wanted: _number(value) and _number(wanted) and value < wanted,
    "<=": lambda value, wanted: _number(value) and _number(wanted) and value <= wanted,
    ">": lambda value, wanted: _number(value) and _number(wanted) and value > wanted,
    ">=": lambda value, wanted: _number(value) and _number(wanted) and value >= wanted,
}


def holds(game: Game[Any], condition: Mapping[str, Any], seat: int, events: Sequence[Event], state: Any) -> bool:
    """Whether the case has come: one of the events, as the seat sees them, fits, and all comparisons on its view hold."""
    wanted = condition.get("event")
    if wanted is not None:
        seen = [see_event(game, event, seat) for event in events if not event.type.startswith("match.")]
        if not any(event is not None and _fits(event, wanted) for event in seen):
            return False
    comparisons = condition.get("view", ())
    if not comparisons:
        return True
    view = game.view(state, seat)
    return all(COMPARE[one["op"]](find(view, one["path"]), one["value"]) for one in comparisons)


def find(view: Any, path: str) -> Any:
    """A value of a view by its path (`hands.0.cards`); None where there is none."""
    for part in path.split("."):
        if isinstance(view, Mapping):
            view = view.get(part)
        elif isinstance(view, list | tuple) and part.isdecimal() and int(part) < len(view):
            view = view[int(part)]
        else:
            return None
    return view


def _fits(event: Event, wanted: Mapping[str, Any]) -> bool:
    return event.type == wanted["type"] and all(_same(find(event.data, path), value) for path, value in wanted["data"].items())


def _same(value: Any, wanted: Any) -> bool:
    """Equal, letters in any case; a list has the value among its own."""
    if isinstance(value, list | tuple) and not isinstance(wanted, list):
        return any(_same(one, wanted) for one in value)
    if isinstance(value, str) or isinstance(wanted, str):
        return str(value).casefold() == str(wanted).casefold()
    return bool(value == wanted)


def _number(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
