"""Giving up, taking over, forking and joining in any order: nobody holds two seats of a family of matches."""

from __future__ import annotations

import random
from collections import Counter, defaultdict

import pytest

from gamesvc.games.kernel.game import Refused
from gamesvc.matches.access.selectors import access_match
from gamesvc.matches.errors import Forbidden, Unknown
from gamesvc.matches.lobby import forks, opening, substitutes
from gamesvc.matches.models import Match
from gamesvc.matches.record import loading
from tests.matches.playing import act

pytestmark = [pytest.mark.django_db, pytest.mark.long]
STEPS = 150


def seats_of(match):
    return {seat.index: seat.user for seat in match.seats.select_related("user").order_by("index")}


class Family:
    """A match with its forks, and which seats each user has held in any of them that began."""

    def __init__(self, match, users, rng):
        self.matches, self.users, self.rng = [match], users, rng
        self.held = defaultdict(set)
        self.done = Counter()

    def step(self):
        match, user = Match.objects.get(pk=self.rng.choice(self.matches).pk), self.rng.choice(self.users)
        name = self.rng.choice(["give_up", "take", "take", "fork", "join", "join", "play"])
        try:
            getattr(self, name)(match, user)
        except (Refused, Forbidden, Unknown) as refused:
            self.done[refused.code] += 1
        else:
            self.done[name] += 1
        self.note()

    def give_up(self, match, user):
        held = [(index, holder) for index, holder in seats_of(match).items() if holder is not None]
        seat, holder = self.rng.choice(held or [(0, user)])
        substitutes.give_up(match=match, by=holder, seat=seat)

    def take(self, match, user):
        substitutes.take_over(by=user, match=match, seat=self.rng.choice([None, 0, 1]), link=match.link_token)

    def fork(self, match, user):
        if len(self.matches) < 6:
            version = loading.load(match.id, match.game).version
            self.matches.append(forks.fork(access=access_match(user=user, ident=str(match.number)), version=version))

    def join(self, match, user):
        opening.join_match(by=user, match=match, seat=self.rng.choice([None, 0, 1]), link=match.link_token)

    def play(self, match, user):
        own = [index for index, holder in seats_of(match).items() if holder == user]
        if own and match.status == Match.Status.RUNNING and loading.load(match.id, match.game).version < 12:
            act(match, own[0])

    def note(self):
        """Note who sits where, apart from the service's own records, and look for a second seat."""
        for match in Match.objects.filter(pk__in=[match.pk for match in self.matches], status=Match.Status.RUNNING):
            for index, user in seats_of(match).items():
                if user is not None:
                    self.held[user.username].add(index)
        assert [name for name, seats in self.held.items() if len(seats) > 1] == [], self.held


@pytest.mark.parametrize("seed", range(4))
def test_nobody_holds_two_seats_of_a_family(seed, toy, anna, ben, player):
    users = [anna, ben, player("cleo"), player("dora")]
    match = opening.join_match(by=ben, match=opening.create_match(by=anna, game=toy, watch="all"))
    family = Family(match, users, random.Random(seed))
    for _ in range(STEPS):
        family.step()
    assert family.done["take"] > 2
    assert family.done["another_seat"] > 2
    assert family.done["fork"] > 1
    assert family.done["join"] > 1
