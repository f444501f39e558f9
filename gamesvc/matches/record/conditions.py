"""Conditions of conditional orders: when they are met, and how an append changes the orders.

A condition refers only to what the seat may see: an event as the seat sees it, and values of its view; in a tree, a whole act.
Once it is met, the order waits until the seat is awaited and is then given command by command. The first command that the rules
refuse ends it: the rest is dropped, and the owner is notified.

Not here: giving them (`play.conditional_orders`), creating and cancelling them (`play.standing_orders`).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from django.utils import timezone

from events.store import Statement
from gamesvc.games.kernel.events import of_service
from gamesvc.games.kernel.game import Event, Game, see_event
from gamesvc.json_types import JsonMapping, JsonObject
from gamesvc.language import mark, say
from gamesvc.matches.events import Rewound
from gamesvc.matches.models import Match, Premove

# The explanation for the owner if the order failed for a reason other than the rules.
FAULT = "It could not be carried out, by a fault of the service."
# The explanation for a branch of a tree that lapsed.
ANOTHER_WAY = mark("The match took another way with version {version}.")
OPEN = (Premove.Status.WAITING, Premove.Status.ARMED)
# PostgreSQL chooses the order in which the parts of a statement run. Everything else that changes orders locks the match first.
_MATCH_FIRST = "EXISTS (SELECT FROM matches_match WHERE id = %s::uuid FOR NO KEY UPDATE)"

MOST_WAYS = 20
"""The ways of the match of which an order keeps what came of it, after the match has left them."""
# Rows that an earlier version has written hold the last way alone.
_WAYS = "coalesce(before->'ways', CASE WHEN before IS NULL THEN '[]' ELSE jsonb_build_array(before) END)"
# The version from which on the order is as it is now: what came of it was done there, or the match went back to it.
_SINCE = "greatest(armed_version, given_version, (before->>'since')::int)"
# A tree waits in the position in which it was laid alone: its first branch lapses where the match goes back behind that.
_LAID = "(condition->>'since')::int"
# Versions go on counting, so each lies on one way.
_HOLDS = "(way->>'last')::int <= %s::int AND (way->>'taken_back')::int > %s::int"
# A rewind names the kept events of the game alone; the last one of an act may be a deadline.
_KEPT = (
    "EXISTS (SELECT FROM events_event AS e, unnest(%s::int[]) AS kept_one WHERE e.stream = match_id AND e.version = given_version"
    " AND kept_one BETWEEN e.version - e.command_seq AND e.version)"
)
_WITH_THIS = (
    f"jsonb_path_query_array({_WAYS}, '$[last - {MOST_WAYS - 2} to last]')"
    " || jsonb_build_object('status', status, 'armed_version', armed_version, 'given', given, 'given_version', given_version,"
    f" 'ended_at', ended_at, 'why', why, 'last', {_SINCE}, 'taken_back', %s::int)"
)
_GO_BACK = (
    "UPDATE matches_premove"  # noqa: S608
    " SET (looked_version, status, armed_version, given, given_version, ended_at, why, before) = ("
    "SELECT %s::int, coalesce(way->>'status', CASE WHEN gone THEN 'lapsed' ELSE 'waiting' END),"
    " CASE WHEN way IS NULL AND gone THEN %s::int ELSE (way->>'armed_version')::int END,"
    " coalesce((way->>'given')::int, 0), (way->>'given_version')::int,"
    " CASE WHEN way IS NULL AND gone THEN %s::timestamptz ELSE (way->>'ended_at')::timestamptz END,"
    " coalesce(way->>'why', CASE WHEN gone THEN %s::text ELSE '' END),"
    " jsonb_build_object('since', CASE WHEN way IS NOT NULL THEN %s::int END, 'ways', ways)"
    f" FROM (SELECT CASE WHEN status = 'waiting' THEN {_WAYS} ELSE {_WITH_THIS} END AS ways,"
    f" coalesce({_LAID} > %s::int, false) AS gone) AS kept"
    f" LEFT JOIN LATERAL (SELECT way FROM jsonb_array_elements(ways) AS way WHERE {_HOLDS} LIMIT 1) AS there ON true)"
    " WHERE match_id = %s::uuid AND (%s::int IS NULL OR seat = %s::int)"
    f" AND (status = 'waiting' AND ({_LAID} > %s::int"
    f"   OR EXISTS (SELECT FROM jsonb_array_elements({_WAYS}) AS way WHERE {_HOLDS}))"
    f"  OR status IN ('armed', 'done', 'lapsed') AND {_SINCE} > %s::int"
    f"   AND NOT {_KEPT})"
    f" AND EXISTS (SELECT FROM appended) AND {_MATCH_FIRST}"
)


def wait_again(match: Match, events: Sequence[Event]) -> Iterator[Statement]:
    """Yield statements that make the orders what they were at the version that the match goes back to.

    An order that a rewind undoes waits for its condition again, as a whole, even if its condition and some of its commands
    remain: the rest was meant for what followed from them. What came of it counts again where the match goes back to the way on
    which it did, by a redo or otherwise: else it would be carried out there once more. A tree waits again only where the match is
    still on the way on which it was laid, and in the position of then or behind it.

    What nobody but its seat has seen changes the orders of no other seat: these would tell that it was taken back. What others
    did meanwhile stands.
    """
    for event in events:
        if event.type == Rewound.TYPE:
            back, here = Rewound.of(event.data), event.version
            holds = (back.to, back.to)
            # What nobody else has seen of an act changes no position that a tree waits in.
            laid, of = (here, back.seat) if back.private else (back.to, None)
            lapsed = (here, timezone.now(), say(ANOTHER_WAY, version=here))
            ways = (*lapsed, here, here, laid, *holds)
            yield Statement(_GO_BACK, [here, *ways, match.id, of, of, laid, *holds, back.to, list(back.kept), match.id])


def forgotten(match: Match, seat: int) -> Statement:
    """Return the statement, for an append, that deletes all conditional orders of a seat."""
    return Statement(
        "DELETE FROM matches_premove WHERE match_id = %s::uuid AND seat = %s::int"  # noqa: S608
        f" AND EXISTS (SELECT FROM appended) AND {_MATCH_FIRST}",
        [match.id, seat, match.id],
    )


# --- conditions ---

COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "=": lambda value, wanted: _same(value, wanted),
    "!=": lambda value, wanted: not _same(value, wanted),
    "<": lambda value, wanted: _number(value) and _number(wanted) and value < wanted,
    "<=": lambda value, wanted: _number(value) and _number(wanted) and value <= wanted,
    ">": lambda value, wanted: _number(value) and _number(wanted) and value > wanted,
    ">=": lambda value, wanted: _number(value) and _number(wanted) and value >= wanted,
}


def holds(game: Game, condition: JsonMapping, seat: int, events: Sequence[Event], view: Callable[[], object]) -> bool:
    """Return True if an event matches, as the seat sees it, and all comparisons with its view hold.

    `view` returns what the seat sees after these events. It is called only if it is needed.
    """
    if "act" in condition:
        return bool(seen_act(game, events, seat) == condition["act"])
    wanted = condition.get("event")
    if wanted is not None:
        seen = [see_event(game, event, seat) for event in events if not of_service(event.type)]
        if not any(event is not None and _fits(event, wanted) for event in seen):
            return False
    comparisons = condition.get("view", ())
    if not comparisons:
        return True
    seen_then = view()
    return all(COMPARE[one["op"]](find(seen_then, one["path"]), one["value"]) for one in comparisons)


def seen_act(game: Game, events: Iterable[Event], seat: int) -> list[JsonObject]:
    """Return the game's events of one act as a seat sees them, in plain JSON: the whole condition of a branch."""
    seen = [see_event(game, event, seat) for event in events if not of_service(event.type)]
    return [{"type": event.type, "data": json.loads(json.dumps(event.data))} for event in seen if event is not None]


def find(view: object, path: str) -> object:
    """Return the value at a path (`hands.0.cards`) of a view; None if there is none."""
    for part in path.split("."):
        if isinstance(view, Mapping):
            view = view.get(part)
        elif isinstance(view, list | tuple) and part.isdecimal() and int(part) < len(view):
            view = view[int(part)]
        else:
            return None
    return view


def _fits(event: Event, wanted: JsonMapping) -> bool:
    return event.type == wanted["type"] and all(_same(find(event.data, path), value) for path, value in wanted["data"].items())


def _same(value: object, wanted: object) -> bool:
    """Return True if the values are equal, ignoring case, or if a list contains the wanted value. An object equals no value."""
    if isinstance(value, Mapping):
        return False  # written out it may be most of a view, for each of many comparisons
    if isinstance(value, list | tuple) and not isinstance(wanted, list):
        return any(_same(one, wanted) for one in value)
    if isinstance(value, str) or isinstance(wanted, str):
        return str(value).casefold() == str(wanted).casefold()
    return bool(value == wanted)


def _number(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
