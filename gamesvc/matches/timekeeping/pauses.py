"""Pausing a running match by agreement: every player says so, bots always agree, and empty seats are not asked.

A pause by the organiser is his to lift. Not here: what a pause does to the clocks, and the organiser's own pause (`deadlines`,
`organising.measures`). Whoever gives a word or takes a seat holds the lock of the match's seats.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from uuid import UUID

from django.db import transaction
from django.db.models import Exists, OuterRef

from gamesvc.games.kernel.game import Refused
from gamesvc.matches import sweeping
from gamesvc.matches.models import Match, PauseWish, Seat
from gamesvc.matches.record.append import Actor
from gamesvc.matches.record.loading import STORE
from gamesvc.matches.timekeeping import absence_announcements, deadlines


def wishes(match: Match) -> list[int]:
    """The seats that want the match paused or, while it is paused, want it to go on."""
    return list(match.pause_wishes.order_by("seat").values_list("seat", flat=True))


def paused_by(match: Match) -> str | None:
    """Who paused the match: `seats` (they agreed) or `host`; None while it is not paused."""
    return who_paused([match]).get(match.pk)


def who_paused(matches: Iterable[Match]) -> dict[UUID, str]:
    """The same of many matches by one query; those that are not paused are missing."""
    paused = [match.pk for match in matches if match.paused_at is not None]
    # While a match is paused little happens in it, so the event is near its end.
    found = STORE.last_of_type(paused, "match.paused") if paused else {}
    return {match_id: str(stored.data["by"]) for match_id, stored in found.items()}


def wish(*, match: Match, seat: int, pause: bool, channel: str = "api") -> bool:
    """Give a seat's word for a pause, or for going on. Returns whether that was the last one needed, and it is done.

    Raises `Refused` where the match does not run, already is what is wished for, or was paused by its organiser.
    """
    with transaction.atomic():
        seats = _locked(match)
        _check(Match.objects.get(pk=match.pk), pause)
        _row, new = PauseWish.objects.get_or_create(match=match, seat=seat)
        agreed = _agreed(match, seats)
        if agreed:
            _do(match, seats, pause, Actor("seat", seat), channel)
        elif new and len(wishes(match)) == 1:
            absence_announcements.tell_pause(match, seats, "asked" if pause else "asked_on", seat)
    return agreed


def withdraw(*, match: Match, seat: int) -> None:
    """Take a seat's word back, before all have given theirs. Raises `Refused` if it gave none."""
    if not PauseWish.objects.filter(match=match, seat=seat).delete()[0]:
        raise Refused("no_wish", "You have not asked for this.")


def settle(*, match: Match, channel: str = "clock") -> bool:
    """Do what all who are left have agreed to, when a seat has fallen free whose word was missing. Returns whether it was."""
    with transaction.atomic():
        seats = _locked(match)
        now = Match.objects.get(pk=match.pk)
        if now.status != Match.Status.RUNNING or not _agreed(match, seats):
            return False
        _do(match, seats, now.paused_at is None, Actor("system"), channel)
    return True


def sweep(limit: int = 100) -> int:
    """Settle what a time-out has left undecided. Returns in how many matches."""
    said = PauseWish.objects.filter(match=OuterRef("match"), seat=OuterRef("index"))
    missing = Seat.objects.filter(~Exists(said), match=OuterRef("pk"), user__isnull=False)
    wished = Match.objects.filter(~Exists(missing), Exists(PauseWish.objects.filter(match=OuterRef("pk"))))
    due = wished.filter(status=Match.Status.RUNNING).values_list("pk", flat=True)
    return sweeping.each("the pause agreed in match", due, lambda pk: settle(match=Match.objects.get(pk=pk)), limit=limit)


def _locked(match: Match) -> list[Seat]:
    return list(match.seats.select_for_update().order_by("index"))


def _agreed(match: Match, seats: Sequence[Seat]) -> bool:
    asked = {seat.index for seat in seats if seat.user_id is not None}
    return bool(asked) and asked <= set(wishes(match))


def _do(match: Match, seats: Sequence[Seat], pause: bool, actor: Actor, channel: str) -> None:
    change = deadlines.pause if pause else deadlines.resume
    change(match=match, mandate=deadlines.Mandate(actor, channel))
    absence_announcements.tell_pause(match, seats, "paused" if pause else "resumed", actor.seat)


def _check(match: Match, pause: bool) -> None:
    if match.status != Match.Status.RUNNING:
        raise Refused("not_running", f"The match is {match.status}; only a running match is paused.")
    if pause and match.paused_at is not None:
        raise Refused("paused_already", f"The match is paused since {match.paused_at:%d %b %Y %H:%M} UTC.")
    if not pause and match.paused_at is None:
        raise Refused("not_paused", "The match is not paused.")
    if not pause and paused_by(match) == "host":
        raise Refused("paused_by_host", "The organiser has paused the match; only he lets it go on.")
