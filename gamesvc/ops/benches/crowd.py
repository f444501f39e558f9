"""A site with many users and matches for `bench pages`: real rows of a few matches, copied by the database.

Lists read rows alone, so only the reader's own matches have copies of their events too.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping

from django.db import connection
from django.db.models import Count, F, Max
from django.db.models.functions import Abs

from accounts.models import User
from gamesvc import paging
from gamesvc.matches.lobby import opening
from gamesvc.matches.models import Holding, Match, Rated, Rating, Seat
from gamesvc.matches.play import turns
from gamesvc.matches.play.turns import Sender
from gamesvc.matches.record import loading
from gamesvc.matches.statistics import ratings, totals
from gamesvc.ops.benches import owner
from gamesvc.ops.benches.load import Table
from gamesvc.ops.benches.sweep import copy_rows, fill, template_of

PLAYERS, OPEN, WATCHED, ARCHIVED = 100_000, 10_000, 10_000, 1_000_000
OWN = 200
# Archived matches are added in so many parts, so that the games do not lie one behind the other.
MIXED = 20
GAMES = ("stratastar", "space_war")
# The pace of the oldest matches of the archive, which no later one has.
SLOW = 240
# As many rows as fill a page of every list, and as many pages as fill one of every filtered list.
PAGE = max(paging.LOBBY, paging.LEADERS) + 1
PAGES = 10
# Matches per player fall off: the first player has about 7,000, most have a few.
_FIRST = "(SELECT id FROM accounts_user WHERE username = 'crowd1')"
_SOMEONE = f"{_FIRST} + floor({{players}} * power(random(), 2))::int"


class Crowd:
    """Two users with one match of each kind, and the copies of them."""

    def __init__(self) -> None:
        self.table = Table()
        self.reader = self.table.players[0]
        self.players = 0
        User.objects.create(username="crowd1", email="crowd1@players.example")
        self.finished: dict[str, Match] = {}
        self.open: Match | None = None
        self.watched: Match | None = None

    def paths(self) -> list[tuple[str, str]]:
        """Return the pages to measure, with addresses that fit the rows there are."""
        middle = (Match.objects.aggregate(last=Max("number"))["last"] or 0) // 2
        novice = self._novice()
        archive, lobby = "/lobby/archive/?", "/lobby/?"
        return [
            ("dashboard", "/"),
            ("lobby", "/lobby/"),
            ("lobby_filtered", f"{lobby}game=stratastar&seats=2&pace=usual&language=en"),
            ("lobby_none", f"{lobby}game=stratastar&seats=4"),
            ("lobby_reliable", f"{lobby}finished=90&timeouts=3&answer_hours=24&suitable=1"),
            ("lobby_deep", f"{lobby}before={middle}"),
            ("substitutes", "/substitutes/"),
            ("watch", "/lobby/watch/"),
            ("watch_filtered", "/lobby/watch/?game=stratastar&seats=2&pace=usual"),
            ("archive", "/lobby/archive/"),
            ("archive_game", f"{archive}game=space_war"),
            ("archive_filtered", f"{archive}game=stratastar&seats=2&pace=usual"),
            ("archive_oldest", f"{archive}pace=slow&seats=2&game=stratastar&before=9999999"),
            ("archive_none", f"{archive}seats=4"),
            ("archive_no_pair", f"{archive}seats=1&pace=fast"),
            ("archive_deep", f"{archive}before={middle}"),
            ("archive_veteran", f"{archive}player=crowd1"),
            ("archive_veteran_game", f"{archive}player=crowd1&game=space_war&pace=usual"),
            ("archive_novice", f"{archive}player={novice}"),
            ("archive_own", f"{archive}player={self.reader.username}"),
            ("leaderboard", "/games/stratastar/leaderboard/"),
            ("leaderboard_deep", f"/games/stratastar/leaderboard/?after={self.players // 2}&behind={self._middle()}"),
            ("game", "/games/stratastar/"),
            ("player_veteran", "/players/crowd1/"),
            ("player_novice", f"/players/{novice}/"),
        ]

    def _middle(self) -> str:
        """Return the key of the player in the middle of a leaderboard."""
        ranked = Rating.objects.filter(game=GAMES[0], pool=Rating.Pool.PEOPLE).order_by("low")
        rating = ranked[self.players // 2 : self.players // 2 + 1].first()
        return str(rating.pk) if rating is not None else "none"

    def _novice(self) -> str:
        """Return a player whose finished matches fill one page, as nearly as anybody's do."""
        counted = Holding.objects.filter(user__username__startswith="crowd").values("user__username").annotate(count=Count("pk"))
        nearest = counted.order_by(Abs(F("count") - paging.LOBBY), "user__username").first()
        return str(nearest["user__username"]) if nearest is not None else "crowd1"

    def _begin(self) -> None:
        """Play the matches that are copied, and rate them."""
        for game in GAMES:
            self.finished[game] = self._finished(game)
        self.open = opening.create_match(by=self.table.players[1], game=GAMES[0])
        self.watched = self.table.match()
        Match.objects.filter(pk=self.watched.pk).update(watch=Match.Watch.ALL)
        for consumer in (totals.follow, ratings.follow):
            while consumer():
                pass

    def _finished(self, game: str) -> Match:
        match = opening.create_match(by=self.table.players[1], game=game, watch=Match.Watch.ALL)
        match = opening.join_match(by=User.objects.get(username="crowd1"), match=match)
        sender = Sender.player(self.table.players[1].pk, 0, "web")
        version = loading.load(match.id, game).viewer_version(0)
        turns.submit(match=match, sender=sender, command={"name": "resign"}, expected_version=version, command_id=uuid.uuid4())
        match.refresh_from_db()
        return match

    def page(self) -> None:
        """Add as many rows as one page of each list shows, filtered or not."""
        self._begin()
        self._more_players(10 * PAGE)
        self._more_archived(PAGE, hours=str(SLOW))
        self._more_archived(PAGES * PAGE)
        self._more_open(PAGES * PAGE)
        self._more_watched(PAGES * PAGE)
        self._own(2 * paging.CARDS)
        owner.analyze()

    def _own(self, count: int) -> None:
        """Add running matches of the reader, who is awaited in half of them."""
        mine, theirs = self.table.match(), self.table.match()
        for match in (mine, theirs):
            loaded = loading.load(match.id, match.game)
            if (loaded.awaited()[0].seat == 0) != (match == mine):
                self.table.turn(match)
        fill([template_of(mine), template_of(theirs)], count - 2)

    def full(self) -> None:
        """Add the rest."""
        self._more_players(PLAYERS - self.players)
        for _ in range(MIXED):
            self._more_archived(ARCHIVED // len(GAMES) // MIXED)
        self._more_open(OPEN)
        self._more_watched(WATCHED)
        self._own(OWN - 2 * paging.CARDS)
        owner.analyze()

    def _more_players(self, count: int) -> None:
        """Add players, each with a rating in every game."""
        names = {"id": None, "username": "'crowd' || n.n", "email": "'crowd' || n.n || '@players.example'"}
        first, last = self.players + 2, self.players + 1 + count
        copy_rows(User, names, f"generate_series({first}, {last}) AS n(n)", "t.username = 'crowd1'")
        points = "(1000 + u.id * 7919 % 100000 / 100.0)"
        rated = {
            "id": "gen_random_uuid()",
            "user_id": "u.id",
            "mu": points,
            "low": f"{points} - 100",
            "matches": "20",
            "won": "10",
        }
        fresh = f"u.username LIKE 'crowd%' AND substr(u.username, 6)::int BETWEEN {first} AND {last}"
        copy_rows(Rating, rated, "accounts_user u", f"t.pool = 'people' AND t.user_id = {_FIRST} AND {fresh}")
        self.players += count

    def _more_archived(self, count: int, hours: str = "24 * (1 + floor(random() * 7))::int") -> None:
        for match in self.finished.values():
            self._copies(match, count, {"hours": hours, "creator_id": "c.first"})
            seats = "bench_crowd c JOIN matches_seat s ON s.match_id = c.id"
            here = f"t.match_id = '{match.id}' AND t.seat = s.index"
            own = {"holder": "s.holder", "match_id": "c.id"}
            copy_rows(Holding, own | {"user_id": "s.user_id"}, seats, here)
            ratings_of = f"JOIN matches_rating r ON r.user_id = s.user_id AND r.pool = 'people' AND r.game = '{match.game}'"
            copy_rows(Rated, own | {"rating_id": "r.id"}, f"{seats} {ratings_of}", here)

    def _more_open(self, count: int) -> None:
        assert self.open is not None
        self._copies(self.open, count, {"creator_id": "c.first"})

    def _more_watched(self, count: int) -> None:
        assert self.watched is not None
        self._copies(self.watched, count, {"creator_id": "c.first"})

    def _copies(self, match: Match, count: int, instead: Mapping[str, str | None]) -> None:
        """Copy the rows of a match and its seats, each copy with two players of the crowd."""
        someone = _SOMEONE.format(players=self.players)
        with connection.cursor() as cursor:
            cursor.execute("DROP TABLE IF EXISTS bench_crowd")
            copies = f"SELECT gen_random_uuid() AS id, {someone} AS first FROM generate_series(1, {count})"  # noqa: S608
            cursor.execute(f"CREATE TEMP TABLE bench_crowd AS {copies}")
            cursor.execute("ANALYZE bench_crowd")
        own = {"id": "c.id", "number": "nextval('matches_number')", "link_token": "c.id::text"}
        copy_rows(Match, {**own, **instead}, "bench_crowd c", f"t.id = '{match.id}'")
        second = f"{_FIRST} + (c.first - {_FIRST} + {max(1, self.players // 3)}) % {self.players}"
        user = f"CASE WHEN t.user_id IS NULL THEN NULL WHEN t.index = 0 THEN c.first ELSE {second} END"
        holder = "CASE WHEN t.holder IS NULL THEN NULL ELSE gen_random_uuid() END"
        seats = {"id": None, "match_id": "c.id", "user_id": user, "holder": holder}
        copy_rows(Seat, seats, "bench_crowd c", f"t.match_id = '{match.id}'")
