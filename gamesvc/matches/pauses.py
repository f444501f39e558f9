"""Pausing a running match by agreement: every player says so, bots always agree, and empty seats are not asked.

Not here: what a pause does to the clocks, and the organiser's own pause (`deadlines`, `organising`).
"""

from __future__ import annotations

from collections.abc import Sequence

from django.db import transaction

from gamesvc.games.kernel import Refused
from gamesvc.matches import absence_notices, deadlines
from gamesvc.matches.models import Match, PauseWish, Seat
from gamesvc.matches.recording import Actor


def wishes(match: Match) -> list[int]:
    """The seats that want the match paused or, while it is paused, want it to go on."""
    return list(match.pause_wishes.order_by("seat").values_list("seat", flat=True))


def wish(*, match: Match, seat: int, pause: bool, channel: str = "api") -> bool:
    """Give a seat's word for a pause, or for going on. Returns whether that was the last one needed, and it is done.

    Raises `Refused` where the match does not run, or already is what is wished for.
    """
    with transaction.atomic():
        locked = Match.objects.select_for_update().get(pk=match.pk)
        _check(locked, pause)
        seats = list(match.seats.order_by("index"))
        _row, new = PauseWish.objects.get_or_create(match=match, seat=seat)
        agreed = _asked(seats) <= set(wishes(match))
        if agreed:
            PauseWish.objects.filter(match=match).delete()
            change = deadlines.pause if pause else deadlines.resume
            change(match=match, by="seats", actor=Actor("seat", seat), channel=channel)
            absence_notices.tell_pause(match, seats, "paused" if pause else "resumed", seat)
        elif new and len(wishes(match)) == 1:
            absence_notices.tell_pause(match, seats, "asked" if pause else "asked_on", seat)
    return agreed


def withdraw(*, match: Match, seat: int) -> None:
    """Take a seat's word back, before all have given theirs. Raises `Refused` if it gave none."""
    if not PauseWish.objects.filter(match=match, seat=seat).delete()[0]:
        raise Refused("no_wish", "You have not asked for this.")


def _asked(seats: Sequence[Seat]) -> set[int]:
    return {seat.index for seat in seats if seat.user_id is not None}


def _check(match: Match, pause: bool) -> None:
    if match.status != Match.Status.RUNNING:
        raise Refused("not_running", f"The match is {match.status}; only a running match is paused.")
    if pause and match.paused_at is not None:
        raise Refused("paused_already", f"The match is paused since {match.paused_at:%d %b %Y %H:%M} UTC.")
    if not pause and match.paused_at is None:
        raise Refused("not_paused", "The match is not paused.")
