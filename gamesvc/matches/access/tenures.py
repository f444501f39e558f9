"""Seat tenure: users who hold or held a seat of a match, and what is closed to them until the match is over.

A user who has seen a hand may return to that seat only, and may neither rule nor look behind. The record is `Holding`: it
outlasts the tenure, and an erasure removes the user from it. A seat left before the start leaves no record, since nothing was
dealt yet. An organiser who has removed a player takes no seat: else they could take the one of a player who wins.

What a bot account has seen, its owner knows, so they and their bots are one person here. That person sits twice in a match only
if nobody else plays in it. A second account that is no bot cannot be detected.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import TypeVar
from uuid import UUID

from django.db.models import Count, Exists, OuterRef, Q, QuerySet
from django.db.models.functions import Coalesce

from accounts import operators
from accounts.bots import bots
from accounts.models import User
from gamesvc.games.kernel.game import Refused
from gamesvc.games.kernel.wording import listed
from gamesvc.json_types import JsonObject
from gamesvc.language import say
from gamesvc.matches.events import Joined, Left, MatchEvent, Rewound, Seated, TimedOut, Vacated
from gamesvc.matches.models import Holding, Look, Match, Reason, Seat
from gamesvc.matches.record.loading import sit
from gamesvc.matches.record.stream import STORE

_TOLD = (
    "SELECT type, payload FROM events_event WHERE stream = %s::uuid"
    " AND type = ANY(%s::text[]) AND version <= %s::int ORDER BY version"
)
_FAMILY = """
    WITH RECURSIVE origins (id) AS (
        SELECT %s::uuid
        UNION SELECT b.origin_id FROM matches_beginning b JOIN origins o ON b.match_id = o.id WHERE b.origin_id IS NOT NULL
    ), family (id) AS (
        SELECT m.id FROM matches_match m JOIN origins USING (id) WHERE m.id = %s::uuid OR m.status = ANY(%s::text[])
        UNION SELECT b.match_id FROM matches_beginning b JOIN family f ON b.origin_id = f.id
    )
    SELECT id FROM family
"""
_PLAYED_ORIGIN = """
    WITH RECURSIVE origins (id) AS (
        SELECT origin_id FROM matches_beginning WHERE match_id = %s::uuid
        UNION SELECT b.origin_id FROM matches_beginning b JOIN origins o ON b.match_id = o.id
    )
    SELECT EXISTS (SELECT FROM matches_match JOIN origins USING (id) WHERE status = ANY(%s::text[]))
"""
E = TypeVar("E", bound=MatchEvent)


def lock_user(user: User) -> None:
    """Lock a person's row until the transaction ends, so that taking a seat, measures and looking behind exclude each other.

    Each of them depends on what they and their bots did in any match of a family. Lock the user before matches and seats.
    """
    User.lock(user.pk, bots.root(user))


def seats_held(user: User, match: Match) -> set[int]:
    """Return the seats whose hidden information the user has seen, while that matters.

    These are the seats held in the match or, if there are none, in its family: a fork begins with the hand of the seat that made
    it, so a user who has seen a hand in one of them knows it in all.
    """
    return _held([user], [match.pk]) or _held([user], _family(match))


def played(user: User, match: Match) -> bool:
    """Return True if the user or a bot of theirs holds or held a seat in the match or in its family."""
    person = bots.person(user)
    return bool(_held(person, [match.pk]) or _held(person, _family(match)))


def check_seat(*, by: User, match: Match, free: Iterable[int]) -> list[int]:
    """Return the free seats that a user may take in an unfinished match. Raises `Refused` if their past leaves none."""
    family = _family(match)
    if Look.objects.filter(user__in=bots.person(by), match__in=family).exists():
        detail = say("You have looked behind in this match, so you cannot take a seat in it. Watch it, or join another match.")
        raise Refused("looked_behind", detail)
    if _has_removed(by, match):
        detail = say("You have removed a player from this match, so you cannot take a seat in it. Let others play on.")
        raise Refused("removed_a_player", detail)
    _check_person(by, match, family)
    _check_ruling(by, family - {match.pk})
    held, free = _held([by], [match.pk]) or _held([by], family), list(free)
    fitting = [seat for seat in free if not held or seat in held]
    if free and not fitting:
        own = listed(say("seat {number}", number=seat) for seat in sorted(held))
        detail = say(
            "You held {seats}, so you know what it hides. You can return to that seat when it is free, but cannot take "
            "another one.",
            seats=own,
        )
        raise Refused("another_seat", detail, "seat")
    return fitting


def _check_person(by: User, match: Match, family: Collection[UUID]) -> None:
    """Raise `Refused` if other accounts of the same person know what the match hides, or if one person has two seats of it while
    others play."""
    # The caller's match may be of before it began.
    begun = not Match.objects.filter(pk=match.pk, status=Match.Status.OPEN).exists()
    dealt = {one for one in family if one != match.pk or begun}
    if _held(bots.person(by).exclude(pk=by.pk), dealt):
        detail = say("You and your bots are one player here, and another account of yours knows what this match hides.")
        raise Refused("another_seat", detail)
    taken = _people(match)
    if not begun:
        taken.append(bots.root(by))
    if len(taken) > len(set(taken)) and {*taken} != {bots.root(by)}:
        detail = say("You cannot take a seat here: nobody plays together with a bot of their own among others.")
        raise Refused("own_bots", detail)


def _check_ruling(by: User, others: Collection[UUID]) -> None:
    """Raise `Refused` for a bot whose owner rules on another match of the family.

    With a seat they would no longer do so. A program takes each challenge, so a player would need one alone to be rid of their
    organiser.
    """
    if by.bot_owner is None or _held([by], others):
        return
    unfinished = Match.objects.filter(pk__in=others, status__in=Match.UNFINISHED, board=False)
    if (unfinished if by.bot_owner.is_operator else unfinished.filter(creator=by.bot_owner, creator_sat=False)).exists():
        detail = say("The bot's owner rules on the match from which this one comes. With a seat here they could no longer do so.")
        raise Refused("not_for_bots", detail)


def _has_removed(by: User, match: Match) -> bool:
    """Return True if a person, as organiser, has removed another one from a seat of the match; bots do not count."""
    # Also without its words a reason keeps its author.
    given = {str(pk) for pk in Reason.objects.filter(match=match, user__in=bots.person(by)).values_list("pk", flat=True)}
    if not given:
        return False
    kinds: dict[int, str] = {}
    for event in _events(match, Joined, Seated, Vacated):
        match event:
            case Joined() | Seated():
                kinds[event.seat] = event.kind
            case Vacated() if event.reason_id in given and kinds.get(event.seat) != "bot":
                return True
    return False


def without_refused(user: User | None, seats: QuerySet[Seat]) -> QuerySet[Seat]:
    """Return of some free seats of running matches those that `check_seat` lets a user take, as far as the match itself tells it;
    for no user those that it lets anybody take.

    What a user knows by a fork of the match, or did as its organiser, is not looked at: it takes a walk through all forks, or
    through its events.
    """
    here = Holding.objects.filter(match=OuterRef("match"), user__isnull=False)
    people = here.annotate(person=Coalesce("user__bot_owner", "user")).values("person")
    seats = seats.exclude(Exists(people.annotate(seats=Count("seat", distinct=True)).filter(seats__gt=1)))
    if user is None:
        return seats
    person = bots.person(user)
    own = here.filter(user=user)
    return (
        seats.exclude(Exists(here.filter(user__in=person.exclude(pk=user.pk))))
        .exclude(Exists(Seat.objects.filter(match=OuterRef("match"), user__in=person)))
        .exclude(Exists(Look.objects.filter(match=OuterRef("match"), user__in=person)))
        .filter(~Exists(own) | Exists(own.filter(seat=OuterRef("index"))))
    )


def alone(match: Match) -> bool:
    """Return True if one person, with their bots, holds more than one seat of a match. Nobody else plays then."""
    taken = _people(match)
    return len(taken) > len(set(taken))


def _people(match: Match) -> list[int]:
    """Return who holds or held the seats of a match, as ids of the users who answer for them: one for each seat and person."""
    seatings = Holding.objects.filter(match=match, user__isnull=False).values_list("seat", "user", "user__bot_owner")
    return [person for _seat, person in {(seat, owner or user) for seat, user, owner in seatings}]


def returns(*, by: User, match: Match, seat: int) -> list[str]:
    """Return the holder ids under which a user held this seat before; none for a substitute."""
    held = Holding.objects.filter(match=match, user=by, seat=seat)
    return [str(holder) for holder in held.values_list("holder", flat=True)]


def holders_at(match: Match, version: int) -> dict[int, str]:
    """Return the holder id of each taken seat at a version."""
    holders: dict[int, str] = {}
    for event in _events(match, Joined, Left, Seated, Vacated, until=version):
        sit(holders, event)
    return holders


def excused(*, match: Match, holders: Collection[str]) -> int:
    """Return how many timeouts of these holders were excused: returning to a seat renews no excuses."""
    count, seated = 0, dict[int, str]()
    for event in _events(match, Joined, Seated, TimedOut):
        match event:
            case TimedOut():
                count += event.excused and seated.get(event.seat) in holders
            case Joined() | Seated():
                seated[event.seat] = event.holder
    return count


def ran_out_without(*, match: Match, seat: int, holders: Collection[str]) -> bool:
    """Return True if the clock of a seat has run out while nobody had it, since the last of these holders left. What an
    organiser has rewound since counts no longer.
    """
    holder, late = "", False
    for event in _events(match, Joined, Seated, Vacated, TimedOut, Rewound):
        match event:
            case Joined(seat=changed) | Seated(seat=changed) if changed == seat:
                holder = event.holder
                late = late and holder not in holders
            case Vacated(seat=changed) if changed == seat:
                holder = ""
            case TimedOut(seat=changed) if changed == seat:
                late = late or not holder
            case Rewound(cause="host"):
                late = False
    return late


def closed_to(user: User) -> list[UUID]:
    """Return the unfinished matches that an operator may read only like a player, having played in them or in their family."""
    person = bots.person(user)
    mine = Q(pk__in=Holding.objects.filter(user__in=person).values("match")) | Q(seats__user__in=person)
    found: set[UUID] = set()
    # Of matches that are over, only forks still know what another one hides.
    for match in Match.objects.filter(mine).filter(Q(status__in=Match.UNFINISHED) | Q(beginning__isnull=False)).distinct():
        if match.pk not in found:
            family = _family(match)
            found |= family if match.status in Match.UNFINISHED else family - {match.pk}
    return list(Match.objects.filter(pk__in=found, status__in=Match.UNFINISHED).values_list("pk", flat=True))


def comes_from_unfinished(match: Match) -> bool:
    """Return True if a match from which this one was forked, at whatever distance, is not over: the fork tells what it hides."""
    [(found,)] = STORE.ask(_PLAYED_ORIGIN, [match.pk, list(Match.UNFINISHED)]).fetchall()
    return bool(found)


def register() -> None:
    """Register the restriction with the operators' lists."""
    operators.register_closed(closed_to)


def of_match(match: Match) -> list[JsonObject]:
    """Return the tenures of a match, oldest first, for its organiser.

    Tenures of one player share the number `player`. It is None if the player was erased or is no longer known.
    """
    holdings = {str(row.holder): row for row in Holding.objects.filter(match=match)}
    current = {str(holder) for holder in match.seats.exclude(holder=None).values_list("holder", flat=True)}
    numbers: dict[int, int] = {}
    rows = []
    for event in _events(match, Joined, Seated):
        holding = holdings.get(event.holder) if isinstance(event, Joined | Seated) else None
        if holding is None:
            continue
        player = None if holding.user_id is None else numbers.setdefault(holding.user_id, len(numbers) + 1)
        holder = str(holding.holder)
        rows.append({"seat": holding.seat, "holder": holder, "player": player, "holds": holder in current})
    return rows


def _events(match: Match, *kinds: type[E], until: int | None = None) -> Iterator[E]:
    """Read a match's events of some types, in order, up to its newest version or an earlier one."""
    by_type = {kind.TYPE: kind for kind in kinds}
    for event_type, payload in STORE.ask(_TOLD, [match.pk, list(by_type), match.version if until is None else until]).fetchall():
        yield by_type[event_type].of(json.loads(payload))


def _held(users: Sequence[User] | QuerySet[User], matches: Collection[UUID]) -> set[int]:
    now = Seat.objects.filter(match__in=matches, user__in=users).values_list("index", flat=True)
    ever = Holding.objects.filter(match__in=matches, user__in=users).values_list("seat", flat=True)
    return set(now.union(ever))


def _family(match: Match) -> set[UUID]:
    """Return the match, its unfinished origins, and all forks of these: each may hide what another one hides.

    Finished origins hide nothing. One query, however long a chain of forks is.
    """
    return {found for (found,) in STORE.ask(_FAMILY, [match.pk, match.pk, list(Match.UNFINISHED)]).fetchall()}
