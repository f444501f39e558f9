"""Matches before their start: open, invite, join, leave, add bots, start, cancel, lapse.

Every change appends an event (who takes which seat belongs to the record) and locks the match row, so that two users cannot take
one seat.
"""

from __future__ import annotations

import json
import logging
import uuid
from collections.abc import Mapping
from contextlib import suppress
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import IntegrityError, transaction
from django.utils import timezone

from accounts.bots.bots import person
from accounts.models import User
from events import canonical
from gamesvc.errors import TooMany
from gamesvc.games import catalog
from gamesvc.games.kernel.dice import Dice, commitment, contribution
from gamesvc.games.kernel.game import Game, Refused
from gamesvc.games.kernel.timeline import Run, Timeline, check_options
from gamesvc.json_types import JsonMapping, JsonObject
from gamesvc.language import mark, say
from gamesvc.matches import backoff
from gamesvc.matches.access import daily_limits, holders, tenures
from gamesvc.matches.clock.parsing import nominal_hours
from gamesvc.matches.events import Joined, Left, MatchEvent, Opened, Started
from gamesvc.matches.lobby import blocked, choices, links, programs
from gamesvc.matches.models import Beginning, Holding, Match, Seat
from gamesvc.matches.play.turns import dice_for, ended
from gamesvc.matches.record import loading, positions, secrets
from gamesvc.matches.record.append import Act, Actor, record
from gamesvc.matches.record.positions import Start
from gamesvc.matches.statistics import reliability as reliable

logger = logging.getLogger(__name__)

USUAL_HOURS = 48
"""The hours for an answer where nobody chooses."""


def create_match(
    *,
    by: User,
    game: str,
    options: JsonMapping | None = None,
    seats: int | None = None,
    hours: int = USUAL_HOURS,
    clock: JsonMapping | str | None = None,
    entry: str = Match.Entry.PUBLIC,
    watch: str = Match.Watch.LINK,
    watch_delay: int = 0,
    press: str = Match.PressKind.PRIVATE,
    anonymous: bool = False,
    undo: str = Match.Undo.FREE,
    bots: Mapping[int, str] | None = None,
    take_seat: bool = True,
    contribution_text: str = "",
    channel: str = "api",
    start: Start | None = None,
    reliability: JsonMapping | None = None,
) -> Match:
    """Open a match. Its first event commits to the secret behind all draws, before anyone has a seat.

    Raises `Refused` for an unknown game, or for options, seats, hours or bots that do not fit; `TooMany` for a user with too many
    open matches. A match whose seats are all taken starts at once.
    """
    engine, bots = catalog.game(game), bots or {}
    count = choices.count_seats(engine, seats, start)
    chosen: JsonObject = {"seat_count": count, "options": check_options(engine, options or {}, count)}
    chosen["clock"] = choices.choose_clock(clock, hours)
    choices.check(entry, watch, watch_delay, press, undo)
    programs.check_opening(by, entry)
    chosen |= {"entry": entry, "watch": watch, "watch_delay": watch_delay, "press": press, "anonymous": anonymous}
    chosen |= {"undo": undo, "reliability": reliable.read(reliability)}
    choices.check_bots(engine, bots, count, take_seat=take_seat, start=start)
    match, secret = _seal(by, engine, start, **chosen)
    with transaction.atomic():
        tenures.lock_user(by)
        _count_match(by)
        _write(match, _opened(match, secret, start), start, channel)
        _seat_bots(match, bots, channel)
        _seat_host(match, start, take_seat, contribution_text, channel)
        _start_when_full(match, channel)
    match.refresh_from_db()
    return match


def quick_match(*, by: User, game: str, channel: str = "api") -> Match:
    """Open a match with all defaults, against the game's last bot on every other seat, and start it. Raises as `create_match`."""
    engine = catalog.game(game)
    bot = list(engine.bots)[-1]
    others = dict.fromkeys(range(1, engine.manifest.min_seats), bot)
    return create_match(by=by, game=game, bots=others, entry=Match.Entry.INVITED, channel=channel)


def _seal(by: User, engine: Game, start: Start | None, **chosen: Any) -> tuple[Match, bytes]:
    """Return a new match with everything its row holds, not yet written, and the secret that is sealed in it."""
    secret, match_id = secrets.new_secret(), uuid.uuid4()
    key_id, sealed = secrets.seal(secret, match_id)
    match = Match(
        id=match_id,
        game=engine.id,
        rules=engine.manifest.rules,
        hours=nominal_hours(chosen["clock"]),
        link_token=links.new_token(),
        creator=by,
        board=start is not None and start.board,
        key_id=key_id,
        sealed_secret=sealed,
        **chosen,
    )
    return match, secret


def _seat_host(match: Match, start: Start | None, take_seat: bool, contribution_text: str, channel: str) -> None:
    """Give the host all seats of an analysis board, or the one seat of a match they play in."""
    if match.board:
        _take_all(match, contribution_text, channel)
    elif take_seat:
        assert match.creator is not None
        _take(match, match.creator, start.own_seat if start is not None else None, contribution_text, channel)


def _opened(match: Match, secret: bytes, start: Start | None) -> Opened:
    return Opened(
        game=match.game,
        rules=match.rules,
        options=match.options,
        seats=match.seat_count,
        clock=match.clock,
        commitment=commitment(secret),
        entry=str(match.entry),
        watch=str(match.watch),
        watch_delay=match.watch_delay or None,
        press=str(match.press),
        anonymous=match.anonymous,
        undo=str(match.undo),
        reliability=match.reliability,
        position=start.commitment if start is not None else None,
        origin=start.from_match if start is not None else None,
        board=match.board,
    )


def _write(match: Match, opened: Opened, start: Start | None, channel: str) -> None:
    """Write the rows of a new match, and its first event."""
    match.save(force_insert=True)
    match.refresh_from_db(fields=["number"])
    Seat.objects.bulk_create([Seat(match=match, index=index) for index in range(match.seat_count)])
    if start is not None:
        _keep_beginning(match, start)
    _append(match, opened, Actor("host"), channel)


def _count_match(by: User) -> None:
    """Count one more match of a user and their bots. Raises `TooMany` beyond the limits, or if too many are not over."""
    for most, seconds, sentence in (
        (settings.MATCHES_PER_MINUTE, 60, mark("You can open at most {most} matches and analysis boards a minute.")),
        (settings.MATCHES_PER_DAY, daily_limits.DAY, mark("You can open at most {most} matches and analysis boards a day.")),
    ):
        daily_limits.count_for(by, f"matches {seconds}", most, seconds, say(sentence, most=most))
    running = Match.objects.filter(creator__in=person(by), status__in=Match.UNFINISHED).count()
    if running >= settings.MATCHES_OPEN_PER_USER:
        raise TooMany(
            say(
                "You have {running} unfinished matches, and {matches_open_per_user} are allowed. Finish or leave one first.",
                running=running,
                matches_open_per_user=settings.MATCHES_OPEN_PER_USER,
            ),
            3600,
        )


def join_match(
    *, by: User, match: Match, seat: int | None = None, contribution_text: str = "", link: str = "", channel: str = "api"
) -> Match:
    """Take a free seat, any or the one given. The match starts when the last seat is taken. Raises `Refused`."""
    with transaction.atomic():
        tenures.lock_user(by)
        match = _locked(match)
        invited = match.invitations.select_for_update().filter(user=by, declined_at=None).order_by("created_at", "pk")
        # By the host, if there is one: it lets a bot join, and a player of whatever reliability.
        invitation = min(invited, key=lambda one: one.invited_by_id != match.creator_id, default=None)
        programs.check_joining(by, match, invitation)
        if match.entry == Match.Entry.INVITED and not (invitation or link == match.link_token or match.creator_id == by.pk):
            raise Refused("not_invited", say("This match is open to invited players only; ask its host for a link."))
        if invitation is None or invitation.invited_by_id != match.creator_id:
            reliable.check(by, match)
        daily_limits.check_join(by.pk, match.pk)
        _take(match, by, seat, contribution_text, channel)
        if invitation is not None:
            invitation.accepted_at = timezone.now()
            invitation.save(update_fields=["accepted_at"])
        _start_when_full(match, channel)
    match.refresh_from_db()
    return match


def leave_match(*, by: User, match: Match, channel: str = "api") -> Match:
    """Leave a seat before the start. Raises `Refused`."""
    with transaction.atomic():
        match = _locked(match)
        seat = match.seats.filter(user=by).first()
        if seat is None:
            raise holders.no_seat()
        _vacate(match, seat, Actor("seat", seat.index), channel)
    match.refresh_from_db()
    return match


def remove_seat(*, by: User, match: Match, seat: int, channel: str = "api") -> Match:
    """Remove a player or a bot from a seat before the start, for the host. Raises `Refused`."""
    with transaction.atomic():
        match = _locked(match)
        _check_host(match, by)
        row = match.seats.filter(index=seat).first()
        if row is None or row.holder is None:
            raise Refused("no_seat", say("Nobody holds seat {seat}.", seat=seat), "seat")
        daily_limits.check_seats(by.pk, match.pk)
        _vacate(match, row, Actor("host"), channel)
    match.refresh_from_db()
    return match


def add_bot(*, by: User, match: Match, seat: int | None, bot: str, channel: str = "api") -> Match:
    """Put a bot on a free seat before the start, for the host. The match starts when the last seat is taken. Raises `Refused`."""
    with transaction.atomic():
        match = _locked(match)
        _check_host(match, by)
        engine = catalog.game(match.game)
        if bot not in engine.bots:
            raise Refused(
                "bad_bots", say("There is no bot {bot!r}; there are: {bots}.", bot=bot, bots=", ".join(engine.bots)), "bot"
            )
        free = [row.index for row in match.seats.filter(holder=None).order_by("index")]
        if not free or (seat is not None and seat not in free):
            raise Refused("seat_taken", say("Free seats: {free}.", free=", ".join(map(str, free)) or say("none")), "seat")
        daily_limits.check_seats(by.pk, match.pk)
        _seat_bot(match, free[0] if seat is None else seat, bot, channel)
        _start_when_full(match, channel)
    match.refresh_from_db()
    return match


def start_match(*, by: User, match: Match, bot: str | None = None, channel: str = "api") -> Match:
    """Start the match now, for the host. The given bot takes all free seats; without a bot none may be free. Raises `Refused`."""
    with transaction.atomic():
        match = _locked(match)
        _check_host(match, by)
        engine = catalog.game(match.game)
        free = [row.index for row in match.seats.filter(holder=None).order_by("index")]
        if free and bot is None:
            raise Refused(
                "seats_free",
                say("Seats {free} are free. Wait for players, or name a bot for them.", free=", ".join(map(str, free))),
                "bot",
            )
        if bot is not None and bot not in engine.bots:
            raise Refused(
                "bad_bots", say("There is no bot {bot!r}; there are: {bots}.", bot=bot, bots=", ".join(engine.bots)), "bot"
            )
        for index in free:
            _seat_bot(match, index, str(bot), channel)
        _start_when_full(match, channel)
    match.refresh_from_db()
    return match


def cancel_match(*, by: User, match: Match, channel: str = "api") -> Match:
    """Cancel an open match, for the host. Raises `Refused`."""
    with transaction.atomic():
        match = _locked(match)
        _check_host(match, by)
        _close(match, "cancelled", Actor("host"), channel)
    match.refresh_from_db()
    return match


def leave_all(user: User, *, channel: str = "api") -> None:
    """Take a user who can no longer play out of all open matches. Those that they host, and where nobody sits, are called off."""
    for match in Match.objects.filter(seats__user=user, status=Match.Status.OPEN):
        with suppress(Refused):  # it has started or ended meanwhile
            leave_match(by=user, match=match, channel=channel)
    for match in Match.objects.filter(creator=user, status=Match.Status.OPEN):
        if not match.seats.exclude(user=None).exists():
            try:
                with suppress(Refused):
                    cancel_match(by=user, match=match, channel=channel)
            except secrets.WrongKey:
                # It cannot end before its key is found again. It stays open without a host, and lapses when it can.
                logger.exception("Match %s could not be called off; it no longer has a host.", match.pk)
                Match.objects.filter(pk=match.pk).update(creator=None)


def lapse_matches(limit: int = 100) -> int:
    """End open matches that did not fill in time. Return how many."""
    before = timezone.now() - timedelta(days=settings.MATCH_LAPSES_AFTER_DAYS)
    waiting = Match.objects.filter(status=Match.Status.OPEN, created_at__lt=before).order_by("created_at")
    return backoff.each("the lapse of match", waiting.values_list("pk", flat=True), _lapse, limit=limit)


# --- within the lock of the match row ---


def _locked(match: Match) -> Match:
    locked = Match.objects.select_for_update(no_key=True).get(pk=match.pk)
    check_open(locked)
    return locked


def check_open(match: Match) -> None:
    """Raise `Refused` for a match that is no longer open."""
    if match.status != Match.Status.OPEN:
        raise Refused("not_open", say("The match is {status}; seats can change only while it is open.", status=match.status))


def check_no_seat(user: User, match: Match) -> None:
    """Raise `Refused` for a user who has a seat in the match."""
    if match.seats.filter(user=user).exists():
        raise Refused("joined_already", say("You already have a seat in this match."))


def _check_host(match: Match, user: User) -> None:
    if match.creator_id != user.pk:
        raise Refused("not_host", say("Only the host of the match may do this."))


def _append(match: Match, event: MatchEvent, actor: Actor, channel: str) -> None:
    loaded = loading.load(match.id, match.game)
    act = Act(actor, channel, uuid.uuid4(), timezone.now())
    record(match, loaded, [event.event(loaded.version + 1)], act, seats=list(match.seats.all()))


def _take(match: Match, user: User, index: int | None, text: str, channel: str) -> None:
    check_no_seat(user, match)
    blocked.check_seat(by=user, match=match, seats=match.seats.all())
    programs.check_busy(user)
    named = [seat for seat in match.seats.filter(holder=None).order_by("index") if index in (None, seat.index)]
    fitting = tenures.check_seat(by=user, match=match, free=[seat.index for seat in named])
    free = [seat for seat in named if seat.index in fitting]
    if not free:
        open_seats = ", ".join(str(seat.index) for seat in match.seats.filter(holder=None).order_by("index"))
        raise Refused("seat_taken", say("Free seats: {free}.", free=open_seats or say("none")), "seat")
    if len(text) > 1000:
        raise Refused("bad_contribution", say("A contribution to the draws has at most 1000 characters."), "contribution")
    seat = free[0]
    seat.user, seat.holder, seat.joined_at = user, uuid.uuid4(), timezone.now()
    seat.contribution = contribution(str(match.id), text) if text else ""
    try:
        with transaction.atomic():
            seat.save()
    except IntegrityError:
        raise Refused("joined_already", say("You already have a seat in this match.")) from None
    _append(match, _joined(seat, "program" if user.is_bot else "user"), Actor("seat", seat.index), channel)


def _keep_beginning(match: Match, start: Start) -> None:
    Beginning.objects.create(
        match=match,
        origin_id=start.origin,
        version=start.version,
        seat=start.seat,
        position=canonical.encode(dict(start.position)).decode(),
        salt=start.salt,
    )


def _take_all(match: Match, text: str, channel: str) -> None:
    """Give every seat without a bot to the owner of an analysis board. The seats have no user."""
    for seat in match.seats.filter(holder=None).order_by("index"):
        seat.holder, seat.joined_at = uuid.uuid4(), timezone.now()
        seat.contribution, text = (contribution(str(match.id), text) if text else ""), ""
        seat.save()
        _append(match, _joined(seat, "owner"), Actor("host"), channel)


def _seat_bots(match: Match, bots: Mapping[int, str], channel: str) -> None:
    for index, bot in sorted(bots.items()):
        _seat_bot(match, index, bot, channel)


def _seat_bot(match: Match, index: int, bot: str, channel: str) -> None:
    seat = match.seats.get(index=index)
    seat.bot, seat.holder, seat.joined_at = bot, uuid.uuid4(), timezone.now()
    seat.save()
    _append(match, _joined(seat, "bot"), Actor("host"), channel)


def _joined(seat: Seat, kind: str) -> Joined:
    return Joined(seat=seat.index, holder=str(seat.holder), kind=kind, contribution=seat.contribution)


def _vacate(match: Match, seat: Seat, actor: Actor, channel: str) -> None:
    index = seat.index
    # Nothing was dealt yet, so a player who leaves now may later take any seat, or act as organiser if nobody has joined them.
    Holding.objects.filter(match=match, seat=index).delete()
    if _sits_with_others(match.creator, match, seat):
        Match.objects.filter(pk=match.pk).update(creator_sat=True)
    seat.user, seat.holder, seat.bot, seat.contribution, seat.joined_at = None, None, "", "", None
    seat.save()
    _append(match, Left(index), actor, channel)


def _sits_with_others(user: User | None, match: Match, seat: Seat) -> bool:
    """Return True if a user or a bot of theirs has the seat, and another person sits in the match or is invited to it.

    A challenge says who plays, and is accepted days later without another look at the match.
    """
    own = [] if user is None else [one.pk for one in person(user)]
    if seat.user_id not in own:
        return False
    if match.invitations.filter(declined_at=None).exclude(user__in=own).exists():
        return True
    return match.seats.exclude(user=None).exclude(user__in=own).exists()


def _lapse(match_id: uuid.UUID) -> int:
    with transaction.atomic():
        match = Match.objects.select_for_update(no_key=True).get(pk=match_id)
        if match.status != Match.Status.OPEN:
            return 0
        _close(match, "lapsed", Actor("clock"), "clock")
    return 1


def _close(match: Match, reason: str, actor: Actor, channel: str) -> None:
    _append(match, ended(match, reason), actor, channel)


def _begin(match: Match, timeline: Timeline, dice: Dice) -> Run:
    """Begin with the game's own setup, or with the position of the match."""
    beginning = Beginning.objects.filter(match=match).first()
    if beginning is None:
        return timeline.begin(match.options, match.seat_count, dice)
    run = Run(timeline, dice)
    positions.place(run, json.loads(beginning.position), beginning.salt, beginning.seat)
    return run


def _start_when_full(match: Match, channel: str) -> None:
    if match.seats.filter(holder=None).exists():
        return
    loaded = loading.load(match.id, match.game)
    started = Started(match.seat_count, alone=tenures.alone(match)).event(loaded.version + 1)
    setting = loaded.copy()
    setting.timeline.apply(started)
    run = _begin(match, setting.timeline, dice_for(match, loaded))
    run.close()
    act = Act(Actor("system"), channel, uuid.uuid4(), timezone.now())
    record(match, loaded, [started, *run.events], act, seats=list(match.seats.all()))
