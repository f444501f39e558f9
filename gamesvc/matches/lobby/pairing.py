"""Quick pairing: a match of one game against the next user who wants one, on terms that need no choice."""

from __future__ import annotations

from django.db import connection, transaction
from django.db.models import Exists, OuterRef, QuerySet

from accounts.models import User
from gamesvc.games import catalog
from gamesvc.games.kernel.game import Game, Refused
from gamesvc.games.kernel.timeline import check_options
from gamesvc.matches.access import selectors, tenures
from gamesvc.matches.lobby import choices, opening
from gamesvc.matches.models import Beginning, Match, Seat
from gamesvc.matches.statistics import reliability

TRIED = 20
"""So many of the oldest open matches are tried, before a new one is opened."""
_PAIRING = 0x50414952


def seats_of(game: Game) -> int:
    """Return how many players a quick match has: two, or as many as the game needs."""
    return min(max(2, game.manifest.min_seats), game.manifest.max_seats)


def pair(*, by: User, game: str, channel: str = "api") -> Match:
    """Take a seat in the oldest open match on the usual terms, or open one; a user who waits in one already goes on waiting.

    Usual are two players, two days a turn, and the default of everything else. Raises `Refused` and `TooMany` as
    `opening.create_match`.
    """
    engine = catalog.game(game)
    with transaction.atomic():
        # Locked first: who waits for another request of their own must not keep everyone else waiting behind `_lock`.
        tenures.lock_user(by)
        _lock(engine)
        waiting = _usual(engine, Match.objects.filter(creator=by, status=Match.Status.OPEN, seats__user=by)).first()
        if waiting is not None:
            return waiting
        suitable = reliability.for_player(_usual(engine, selectors.open_matches(by)), by).order_by("number")
        for match in suitable[:TRIED]:
            if not _lock_now(match):
                continue
            try:
                return opening.join_match(by=by, match=match, channel=channel)
            except Refused:  # a seat that this user may not take; another match may fit
                continue
        return opening.create_match(by=by, game=engine.id, seats=seats_of(engine), hours=opening.USUAL_HOURS, channel=channel)


def _lock(game: Game) -> None:
    """Let one user at a time be paired in a game: two at once would both open a match and wait for each other."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s::int, hashtext(%s))", [_PAIRING, game.id])


def _lock_now(match: Match) -> bool:
    """Lock a match until the transaction ends. Return False if another request is changing it: nobody waits for its host here."""
    return Match.objects.select_for_update(no_key=True, skip_locked=True).filter(pk=match.pk).exists()


def _usual(game: Game, matches: QuerySet[Match]) -> QuerySet[Match]:
    """Return those of some open matches that anyone may join on the usual terms. Their hosts play too: nobody rules on them."""
    seats = seats_of(game)
    return matches.filter(
        Exists(Seat.objects.filter(match=OuterRef("pk"), user=OuterRef("creator"))),
        game=game.id,
        seat_count=seats,
        options=check_options(game, {}, seats),
        hours=opening.USUAL_HOURS,
        clock=choices.choose_clock(None, opening.USUAL_HOURS),
        entry=Match.Entry.PUBLIC,
        press=Match.PressKind.PRIVATE,
        undo=Match.Undo.FREE,
        watch_delay=0,
        anonymous=False,
    ).exclude(pk__in=Beginning.objects.values("match"))
