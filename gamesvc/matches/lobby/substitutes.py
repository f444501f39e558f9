"""Free seats of running matches: substitutes, and what happens if none is found.

A substitute plays on from the current position. They see from now on what the seat may see, get the time of its open questions
afresh, and contribute nothing to the draws, which were fixed at the start. A player who returns to their own seat continues with
the time that is left, so that leaving gains nothing. After some days a bot takes the seat, or the seat resigns if the game has no
bot.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from datetime import timedelta

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.utils import timezone

from accounts import blocks
from accounts.models import User
from events.store import Statement, StoredEvent, VersionConflict
from gamesvc.games import catalog
from gamesvc.games.kernel import bots
from gamesvc.games.kernel.game import RESIGN, Refused
from gamesvc.language import say
from gamesvc.matches import backoff, hints
from gamesvc.matches.access import holders, selectors, tenures
from gamesvc.matches.clock.parsing import DECISIVE
from gamesvc.matches.events import MatchEvent, Seated, Vacated
from gamesvc.matches.lobby import blocked, programs
from gamesvc.matches.models import Match, Question, Seat
from gamesvc.matches.play import turns
from gamesvc.matches.play.turns import Sender
from gamesvc.matches.record import loading, service_events
from gamesvc.matches.record.append import Actor
from gamesvc.matches.record.loading import Loaded
from gamesvc.matches.sharing import Spent
from gamesvc.matches.statistics import reliability
from gamesvc.matches.timekeeping import absence_announcements, pauses, timeouts

# Limit of tenures for one player in one match: each time they leave, all subscribers of the game are notified.
MOST_TENURES = 5


def _waiting() -> QuerySet[Seat]:
    return Seat.objects.filter(vacated_at__isnull=False, given_over=False, match__status=Match.Status.RUNNING)


def free_seats(user: User | None = None) -> QuerySet[Seat]:
    """Return the seats of running public matches that wait for a substitute, the longest waiting first.

    For a user without those that a block, or what they or their bots have seen of the match, keeps them from taking. A bot takes
    none.
    """
    rows = tenures.without_refused(user, _waiting().filter(match__entry=Match.Entry.PUBLIC))
    if user is not None and user.is_bot:
        return rows.none()
    if apart := blocks.apart(user):
        rows = rows.exclude(match__in=selectors.with_any_of(apart))
    return rows.select_related("match").order_by("vacated_at", "pk")


def take_over(*, by: User, match: Match, seat: int | None = None, link: str = "", channel: str = "api") -> Match:
    """Take a free seat of a running match: the given one, or any that the user may take (see `tenures`). Raises `Refused`."""
    programs.check_substitute(by)
    with transaction.atomic():
        tenures.lock_user(by)
        seats = holders.lock_seats(match)
        newest = Match.objects.get(pk=match.pk)
        _check_running(newest)
        if any(one.user_id == by.pk for one in seats):
            raise Refused("joined_already", say("You already have a seat in this match."))
        free = [one for one in seats if one.waits]
        fitting = tenures.check_seat(by=by, match=match, free=[one.index for one in free if seat in (None, one.index)])
        found = next((one for one in free if one.index in fitting), None)
        if found is None:
            told = ", ".join(str(one.index) for one in free) or "none"
            raise Refused("seat_taken", say("Seats without a player: {told}.", told=told), "seat")
        if match.entry == Match.Entry.INVITED and link != match.link_token and match.creator_id != by.pk:
            invited = match.invitations.filter(user=by, declined_at=None).exists()
            if not invited and not tenures.played(by, match):
                raise Refused("not_invited", say("This match is open to invited players only; ask its host for a link."))
        returns = _check_tenures(by, newest, seats, found.index)
        found.user, found.bot, found.holder, found.vacated_at = by, "", uuid.uuid4(), None
        # Everything before is news to the substitute.
        found.contribution, found.joined_at, found.seen_version = "", timezone.now(), 0
        try:
            with transaction.atomic():
                found.save()
        except IntegrityError:
            raise Refused("joined_already", say("You already have a seat in this match.")) from None
        before = {"excused": tenures.excused(match=match, holders=returns)} if returns else None
        seated = Seated(seat=found.index, holder=str(found.holder), kind="user", returns=before, fresh_clocks=before is None)
        _append(match, seated, Actor("seat", found.index), channel)
        absence_announcements.tell_seat_taken(match, seats, found)
        # The seat's open questions are sent to the substitute.
        absence_announcements.ask_again(user=by, questions=Question.objects.filter(match=match, seat=found.index))
        # A pending vote to resume may suffice now.
        pauses.settle(match=match, channel=channel)
    match.refresh_from_db()
    return match


def _check_tenures(by: User, match: Match, seats: Sequence[Seat], seat: int) -> list[str]:
    """Return the holder ids under which a user held the seat before. Raises `Refused` if they may not take it now.

    A block does not keep players from their own seat: they have met already. Where running out of time loses the seat or the
    match, nobody leaves before that and comes back after it.
    """
    reliability.check(by, match)
    returns = tenures.returns(by=by, match=match, seat=seat)
    if len(returns) >= MOST_TENURES:
        detail = say("You have left this match {number} times. Leave the seat to another player.", number=len(returns))
        raise Refused("too_often", detail, "seat")
    decisive = match.clock.get("timeout") in DECISIVE
    if returns and decisive and tenures.ran_out_without(match=match, seat=seat, holders=returns):
        detail = say("Your time has run out since you left, and with it your part in this match. Leave the seat to others.")
        raise Refused("time_ran_out", detail, "seat")
    if not returns:
        blocked.check_seat(by=by, match=match, seats=seats)
    return returns


def give_up(*, by: User, match: Match, seat: int, channel: str = "api") -> None:
    """Leave a seat of a running match to a substitute, as its holder. Raises `Refused`."""
    with transaction.atomic():
        holders.lock_and_check(match, seat, by.pk)
        vacate(match=match, seat=seat, actor=Actor("seat", seat), channel=channel)


def vacate(
    *,
    match: Match,
    seat: int,
    actor: Actor,
    channel: str = "api",
    by: User | None = None,
    why: Mapping[str, str] | None = None,
    call: bool = True,
    command_id: uuid.UUID | None = None,
) -> tuple[StoredEvent, ...]:
    """Remove the holder from a seat of a running match, so that a substitute may take it. Raises `Refused`.

    The callers check who may do so: the organiser, the erasure of a user, a player who gives up their seat (`give_up`).
    `by`, `why`: the organiser and their reason, as events hold it. `call`: notify others that a substitute is wanted.
    """
    with transaction.atomic():
        seats = holders.lock_seats(match)
        _check_running(Match.objects.get(pk=match.pk))
        found = next((one for one in seats if one.index == seat), None)
        if found is None or (found.user_id is None and not found.bot):
            raise Refused("no_seat", say("Nobody holds seat {seat}.", seat=seat), "seat")
        after, more = timeouts.empty(match, seats, found, by=by.pk if by is not None else None, call=call)
        rows = [after if one is found else one for one in seats]

        def decide(loaded: Loaded, _seats: list[Seat]) -> list[MatchEvent]:
            return [Vacated(seat, **(why or {}))]

        stored = service_events.append(match, decide, actor=actor, channel=channel, command_id=command_id, seats=rows, more=more)
        # This seat's vote may have been the last one missing for a pause.
        pauses.settle(match=match, channel=channel)
        return stored


def seat_bot(*, match: Match, seat: int, actor: Actor, channel: str = "api") -> None:
    """Let a bot take a free seat. Raises `Refused`."""
    engine = catalog.game(match.game)
    if not engine.bots:
        raise Refused("bad_bots", say("This game has no bots."), "bot")
    with transaction.atomic():
        seats = holders.lock_seats(match)
        _check_running(Match.objects.get(pk=match.pk))
        found = next((one for one in seats if one.index == seat and one.waits), None)
        if found is None:
            raise Refused("seat_taken", say("Seat {seat} is not free.", seat=seat), "seat")
        found.bot, found.holder, found.vacated_at = bots.bot_of(engine), uuid.uuid4(), None
        found.save()
        _append(match, timeouts.seated_bot(found), actor, channel)
        transaction.on_commit(lambda: hints.bots(match.id), robust=True)


def sweep(limit: int = 100) -> int:
    """Let bots take seats that waited too long for a substitute, in turns between the users who opened the matches.

    Return how many seats were settled.
    """
    before = timezone.now() - timedelta(days=settings.SUBSTITUTE_DAYS)
    waiting = _waiting().filter(vacated_at__lt=before).order_by("vacated_at")

    def settle(seat_id: int) -> int:
        seat = Seat.objects.select_related("match").get(pk=seat_id)
        try:
            _settle(seat.match, seat)
        except (Refused, VersionConflict):
            return 0  # another process was faster
        return 1

    return backoff.each("the free seat", Spent().in_turn(waiting.values_list("match__creator", "pk")), settle, limit=limit)


def _settle(match: Match, seat: Seat) -> None:
    engine = catalog.game(match.game)
    if engine.bots:
        seat_bot(match=match, seat=seat.index, actor=Actor("system"), channel="clock")
        return
    loaded = loading.load(match.id, match.game)
    settled = Statement(
        "UPDATE matches_seat SET given_over = true WHERE id = %s::bigint AND vacated_at = %s::timestamptz"
        " AND EXISTS (SELECT FROM appended)",
        [seat.pk, seat.vacated_at],
    )
    try:
        with transaction.atomic():
            holders.lock_seats(match)
            turns.submit(
                match=match,
                sender=Sender(Actor("clock", seat.index), "clock", timezone.now()),
                command={"name": RESIGN},
                expected_version=loaded.viewer_version(seat.index),
                command_id=turns.command_id(sender=f"nobody {match.id}", key=f"{seat.index} {seat.vacated_at}"),
                more=[settled],
            )
    except Refused:
        # The seat cannot resign in this position. Another attempt would be refused as well, as long as the match goes on.
        Seat.objects.filter(pk=seat.pk, vacated_at=seat.vacated_at).update(given_over=True)


def _check_running(match: Match) -> None:
    if match.status != Match.Status.RUNNING:
        raise Refused(
            "not_running", say("The match is {status}; seats can be taken over only while it runs.", status=match.status)
        )


def _append(match: Match, event: MatchEvent, actor: Actor, channel: str) -> tuple[StoredEvent, ...]:
    return service_events.append(match, lambda loaded, seats: [event], actor=actor, channel=channel)
