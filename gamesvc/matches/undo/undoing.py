"""Undo and redo: the offer to a seat, undoing freely or by consent.

A seat may undo its latest command freely until another seat acts or something is revealed. After that it asks, and all others who
still play or can still win must accept. Hidden acts of others are kept if they remain legal; if not, the undo needs consent as
well. Organisers rewind through `organising.rewinds`. The clocks settle their time themselves (`clock.fold`): the undoer's runs on
as if nothing had been sent, the others get theirs back.
"""

from __future__ import annotations

import dataclasses
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db.models import F, Q
from django.utils import timezone

from events.canonical import write_time
from events.store import DuplicateCommand, Statement, VersionConflict
from gamesvc.games.kernel.events import SERVICE_CAUSES
from gamesvc.games.kernel.game import Event, Refused, see_event
from gamesvc.games.kernel.undo import undo_rules
from gamesvc.games.kernel.undo.trail import Trail
from gamesvc.games.kernel.undo.undo_rules import Found, Taken
from gamesvc.json_types import JsonObject
from gamesvc.language import mark, say
from gamesvc.matches import backoff
from gamesvc.matches.access import holders
from gamesvc.matches.clock import fold
from gamesvc.matches.clock.account import Key, Step
from gamesvc.matches.clock.compute import Clock
from gamesvc.matches.events import Rewound, UndoAsked, read_event
from gamesvc.matches.models import Match, Seat, UndoRequest
from gamesvc.matches.play import turns
from gamesvc.matches.play.turns import Sender
from gamesvc.matches.record import availability, loading, surroundings
from gamesvc.matches.record.append import Act, Actor, record
from gamesvc.matches.record.loading import Loaded
from gamesvc.matches.sharing import Spent
from gamesvc.matches.undo import undo_announcements
from gamesvc.matches.undo.undo_acts import Decided, Outcome, carry_out, check_fresh, check_running, rewind, trail_of
from gamesvc.matches.undo.undo_requests import ACCEPT, HOURS_TO_ANSWER, INSERT, SETTLE, answered, is_over, open_request, settle


@dataclass(frozen=True, slots=True)
class Offer:
    """The undo open to a seat now. `how`: `free`, `ask`, or empty with the reason in `code` and `detail`."""

    how: str
    code: str = ""
    detail: str = ""
    to: int | None = None
    command: JsonObject | None = None
    asks: tuple[int, ...] = ()
    redo: int | None = None
    request: UndoRequest | None = None

    @classmethod
    def refused(cls, refused: Refused) -> Offer:
        """Return the offer of no undo, with the reason."""
        return cls("", refused.code, refused.detail)


STAYS = mark(
    "What was drawn, rolled or shown stays: all others would have to agree to an undo, and bots and free seats never do."
)
NO_SEAT = Offer.refused(holders.no_seat())


def undo(*, match: Match, sender: Sender, expected_version: int, command_id: uuid.UUID) -> Outcome:
    """Undo the sender's latest command, or ask the others for consent. Raises `Refused`, `Stale`, `KeyReused` or `Busy`."""

    def decide(loaded: Loaded, seats: Sequence[Seat]) -> Decided:
        seat = sender.seat
        check_fresh(loaded, seat, expected_version)
        found, offer = _look(loaded, match, seats, seat, trail_of(loaded), open_request(match))
        _check_due(loaded, seats, seat, found.to, sender.received_at)
        if offer.how == "free":
            try:
                return _go_back(match, loaded, seats, seat, found.to, found, [])
            except Taken:
                pass  # an act hidden from the seat depends on the command: this needs consent too
        return _ask(match, loaded, seats, seat, found, sender.received_at)

    return carry_out(match, sender, command_id, {"name": "undo"}, decide, counted=True)


def redo(*, match: Match, sender: Sender, expected_version: int, command_id: uuid.UUID) -> Outcome:
    """Redo what the sender has undone, as long as nothing else has happened. Raises as `undo`."""

    def decide(loaded: Loaded, seats: Sequence[Seat]) -> Decided:
        seat = sender.seat
        check_fresh(loaded, seat, expected_version)
        check_running(match, loaded)
        trail = trail_of(loaded)
        undone = undo_rules.find_redo(loaded.game, trail, seat)
        if undone is None:
            raise Refused("nothing_to_redo", say("There is no undo of yours to redo: something has happened since."))
        _check_due(loaded, seats, seat, undone.before, sender.received_at, "redo")
        private = undone.going_back is not None and Rewound.of(undone.going_back.data).private
        try:
            since = undo_rules.since_undo(trail, undone)
            return rewind(match, loaded, seats, undone.before, since, [], cause="redo", seat=seat, private=private)
        except Taken:
            raise Refused("nothing_to_redo", say("The match has moved on, so this undo can no longer be redone.")) from None

    return carry_out(match, sender, command_id, {"name": "redo"}, decide, counted=True)


def answer(
    *, match: Match, sender: Sender, accept: bool, request: int | None = None, command_id: uuid.UUID | None = None
) -> Outcome:
    """Accept or decline the open request, or withdraw one's own. The last consent carries out the undo.

    `request`: the version of the request. Raises `Refused` if none is open, or if the seat has no answer to give.
    """

    def decide(loaded: Loaded, seats: Sequence[Seat]) -> Decided:
        row = open_request(match)
        if row is None or request not in (None, row.version) or is_over(loaded, row):
            raise Refused("no_request", say("There is no open undo request. It was answered, or the match has moved on."))
        seat = sender.seat
        if seat == row.seat:
            if accept:
                raise Refused("own_request", say("The others answer your request. You can only withdraw it."), "accept")
            return settle(match, loaded, seats, row, seat, "withdrawn")
        if seat not in row.asked or seat in row.accepted:
            raise Refused("not_asked", say("You are not asked to agree, or you have already answered."))
        if not accept:
            return settle(match, loaded, seats, row, seat, "declined")
        if {*row.accepted, seat} != set(row.asked):
            more = [Statement(ACCEPT, [seat, row.pk])]
            return Decided([answered(loaded.version + 1, row.version, seat, "accepted")], more)
        found = _find(loaded, trail_of(loaded), row.seat)
        settled = settle(match, loaded, seats, row, seat, "accepted")
        return _go_back(match, loaded, seats, row.seat, found.to, found, settled.events, give_up=True, more=settled.more)

    content = {"name": "undo_answer", "accept": accept, "request": request}
    return carry_out(match, sender, command_id or uuid.uuid4(), content, decide)


def lapse_requests(limit: int = 100) -> int:
    """Settle requests that are past their time or whose match has moved on, in turns between the users who opened the matches.

    Return how many.
    """
    moved_on = Q(until__lte=timezone.now()) | Q(match__version__gt=F("version"))
    rows = UndoRequest.objects.filter(moved_on, settled_at=None).order_by("until")
    return backoff.each("the lapse of request", Spent().in_turn(rows.values_list("match__creator", "pk")), _lapse, limit=limit)


def _lapse(request_id: int) -> int:
    row = UndoRequest.objects.select_related("match").get(pk=request_id)
    loaded = loading.load(row.match.id, row.match.game)
    if row.settled_at is not None or not is_over(loaded, row):
        return 0
    if loaded.ended:
        UndoRequest.objects.filter(pk=row.pk, settled_at=None).update(settled_at=timezone.now())
        return 1
    seats = list(row.match.seats.all())
    decided = settle(row.match, loaded, seats, row, None, "lapsed")
    act = Act(Actor("clock"), "clock", turns.command_id(sender=f"lapse {row.pk}", key=""), timezone.now())
    try:
        record(row.match, loaded, decided.events, act, seats=seats, more=decided.more)
    except (VersionConflict, DuplicateCommand):
        return 0  # another writer was faster; the next sweep looks again
    return 1


def offer(loaded: Loaded, match: Match, seat: int) -> Offer:
    """Return the undo open to this seat now, computed only from what it may see."""
    request = open_request(match)
    request = None if request is not None and is_over(loaded, request) else request
    trail, now = trail_of(loaded), timezone.now()
    try:
        seats = list(match.seats.all())
        found, given = _look(loaded, match, seats, seat, trail, request, find=_find_again)
        if not _surely_in_time(loaded, seat, found, now):
            _check_due(loaded, seats, seat, found.to, now)
    except Refused as refused:
        given = Offer.refused(refused)
    seen_until = loaded.viewer_version(seat)
    running = loaded.started and not loaded.ended
    undone = undo_rules.find_redo(loaded.game, trail, seat, seen_until) if running else None
    more: dict[str, Any] = {"request": request, "redo": undone.before if undone is not None else None}
    return dataclasses.replace(given, **more)


# --- finding the undo ---


def gone_since(loaded: Loaded, seat: int, version: int) -> bool:
    """Return True if a player or organiser has undone what a seat saw at a version: an answer to it is no longer accepted."""
    if loaded.viewer_version(seat) <= version:
        return False  # nothing that it sees has happened since
    for past, _kept_by in trail_of(loaded).back(loaded.version):
        if past.event.version <= version:
            return False
        back = read_event(past.event)
        if isinstance(back, Rewound) and back.to < version and version not in back.kept:
            seen = see_event(loaded.game, past.event, seat) is not None
            return seen and back.cause in SERVICE_CAUSES
    return False


def _find(loaded: Loaded, trail: Trail, seat: int) -> Found:
    """Return the seat's latest command, with all deeds since. Raises `Refused`."""
    return undo_rules.find(loaded.game, trail, seat, changes=undo_rules.changing(loaded.timeline, seat))


def _find_again(loaded: Loaded, trail: Trail, seat: int) -> Found:
    """Return the same without the deeds since, for a page: it looks at what is new since the page before. Raises `Refused`."""
    changes, known = undo_rules.changing(loaded.timeline, seat), loaded.behind.get(seat)
    behind = undo_rules.look_back(loaded.game, trail, seat, changes=changes, known=known)
    if loading.lasts():
        loaded.behind[seat] = behind
    return behind.found()


def _look(
    loaded: Loaded,
    match: Match,
    seats: Sequence[Seat],
    seat: int,
    trail: Trail,
    request: UndoRequest | None,
    find: Callable[[Loaded, Trail, int], Found] = _find,
) -> tuple[Found, Offer]:
    """Return the command to undo, and if that is free or needs consent. Raises `Refused` if it is neither."""
    check_running(match, loaded)
    opened = loaded.opened
    option = opened.undo if opened is not None and opened.undo is not None else Match.Undo.FREE
    if option == Match.Undo.NEVER:
        raise Refused("never", say("This match has no undo."))
    found = find(loaded, trail, seat)
    shown = Offer("free", to=found.deed.before, command=found.deed.first.command)
    if option == Match.Undo.FREE and not found.others and not found.told:
        return found, shown
    asks, bots = _asked(loaded, seats, seat, found)
    if found.told and (bots or not asks or _any_free(loaded, seats)):
        raise Refused("draw_stays", say(STAYS))
    if not asks and not bots:
        return found, shown
    if request is not None and not is_over(loaded, request):
        raise Refused(
            "asked_already", say("An undo request is open. It must be answered or withdrawn, or lapse, before the next one.")
        )
    return found, dataclasses.replace(shown, how="ask", asks=asks)


def _asked(loaded: Loaded, seats: Sequence[Seat], seat: int, found: Found) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the other seats to ask, as people and bots: those that acted since and those for which the match is still open."""
    people: list[int] = []
    bots: list[int] = []
    for other in sorted(seats, key=lambda one: one.index):
        if other.index == seat or not (other.user_id or other.bot):
            continue
        if other.index in found.others or _is_open(loaded, other.index):
            (bots if other.bot else people).append(other.index)
    return tuple(people), tuple(bots)


def _any_free(loaded: Loaded, seats: Sequence[Seat]) -> bool:
    """Return True if a seat that can still win waits for a player, whom another throw may hurt."""
    return any(other.waits and _is_open(loaded, other.index) for other in seats)


def _is_open(loaded: Loaded, seat: int) -> bool:
    """Return True if a seat has something left to do, or can win although it has not."""
    state = loaded.timeline.state
    return bool(loaded.game.legal_commands(state, seat)) or seat in loaded.game.awaiting_result(state)


def _check_due(loaded: Loaded, seats: Sequence[Seat], seat: int, to: int, now: datetime, cause: str = "undo") -> None:
    """Refuse an undo after a deadline of the seat: of its present questions, and of one that would open again.

    The clock of such a question runs on as if it had never been answered.
    """
    reopened = _reopened(loaded, seats, seat, to, now, cause)
    for key, clock in (reopened | loaded.account.open).items():
        due = clock.due
        if key[0] == seat and due is not None and now >= due and not availability.forgives(due, loaded.match_id):
            raise Refused("too_late", say("The deadline for that answer was {due:%d %b %Y %H:%M} UTC.", due=due))


def _reopened(loaded: Loaded, seats: Sequence[Seat], seat: int, to: int, now: datetime, cause: str) -> dict[Key, Clock]:
    """Return the clocks that would open if the seat undid now, without those that already run."""
    then = loading.load_at(loaded.game, loaded.match_id, to)
    account = loaded.account.copy()
    step = Step([Rewound(to=to, cause=cause, seat=seat)], "seat", seat, now, now)
    around = surroundings.around(account.policy, seats)
    fold.follow(account, step, then.awaited(), surroundings=around, recall=lambda version: then.account)
    running = {(seat, clock.name) for (seat, _), clock in loaded.account.open.items()}
    return {key: clock for key, clock in account.open.items() if (key[0], clock.name) not in running}


def _surely_in_time(loaded: Loaded, seat: int, found: Found, now: datetime) -> bool:
    """Return True if the clock that the command stopped would still run. It does not load the match at that version.

    Days and hours that do not count only delay a deadline, so a clock never runs out before its remaining time.
    """
    stopped_at = min(found.deed.first.received_at, found.deed.first.occurred_at)
    own = [clock for key, clock in loaded.account.stopped.items() if key[0] == seat and clock.since == stopped_at]
    return bool(own) and all(now < clock.since + clock.own for clock in own)


def _due(loaded: Loaded, seats: Sequence[Seat], seat: int, to: int, now: datetime) -> datetime | None:
    """Return the seat's deadline after the undo; None if it has none. A past deadline waits for its outage."""
    found = {**loaded.account.open, **_reopened(loaded, seats, seat, to, now, "undo")}
    own = [clock.due for key, clock in found.items() if key[0] == seat and clock.due is not None]
    return min((due for due in own if due > now), default=None)


# --- carrying it out ---


def _go_back(
    match: Match,
    loaded: Loaded,
    seats: Sequence[Seat],
    seat: int,
    to: int,
    found: Found,
    leading: list[Event],
    *,
    give_up: bool = False,
    more: Sequence[Statement] = (),
) -> Decided:
    """Undo. `leading`: events that come first. Raises `Taken` if it would remove an act of another seat without `give_up`."""
    private = not leading and undo_rules.unseen(loaded.game, found.deed, seat, loaded.seats)
    return rewind(
        match, loaded, seats, to, found.since, leading, give_up=give_up, more=more, cause="undo", seat=seat, private=private
    )


def _ask(match: Match, loaded: Loaded, seats: Sequence[Seat], seat: int, found: Found, now: datetime) -> Decided:
    """Ask the others for consent. Bots answer at once, and if nobody else is asked the undo happens at once."""
    people, bots = _asked(loaded, seats, seat, found)
    if (found.told and (bots or _any_free(loaded, seats))) or not (people or bots):
        raise Refused("draw_stays", say(STAYS))
    due = _due(loaded, seats, seat, found.to, now)
    until = now + timedelta(seconds=HOURS_TO_ANSWER * settings.SECONDS_PER_HOUR)
    until = min(until, due) if due is not None else until
    leading: list[Event] = []
    more: list[Statement] = []
    if (old := open_request(match)) is not None:  # lapsed, but not yet found by a sweep
        leading.append(answered(loaded.version + 1, old.version, None, "lapsed"))
        more.append(Statement(SETTLE, [now, old.pk]))
    version = loaded.version + len(leading) + 1
    asked = sorted((*people, *bots))
    leading.append(UndoAsked(seat, found.to, asked, write_time(until)).event(version))
    leading += [answered(version + at, version, bot, "accepted") for at, bot in enumerate(bots, 1)]
    if not people:
        return _go_back(match, loaded, seats, seat, found.to, found, leading, give_up=True, more=more)
    more.append(Statement(INSERT, [match.id, version, seat, found.to, asked, list(bots), until]))
    return Decided(leading, [*more, *undo_announcements.asked(match, seats, seat, people, version)])
