"""Ratings follow from the feed: who counts and how, the same numbers live and from zero, and after an erasure."""

from __future__ import annotations

import io
import json
import uuid

import pytest
from django.core.management import call_command
from django.db import transaction
from hypothesis import HealthCheck, given
from hypothesis import settings as examples
from hypothesis import strategies as st

from accounts import erasure
from gamesvc.matches.access import selectors
from gamesvc.matches.events import Ended, Joined, Left, Opened, Seated, Started, TimedOut, Vacated
from gamesvc.matches.lobby import forks, opening, substitutes
from gamesvc.matches.models import FeedCursor, Rated, Rating
from gamesvc.matches.organising.measures import Measure, organise
from gamesvc.matches.play import turns
from gamesvc.matches.proof import audit
from gamesvc.matches.record import loading, service_events
from gamesvc.matches.record.append import Actor
from gamesvc.matches.statistics import leaderboards, rating_rules, ratings
from gamesvc.matches.statistics.rating_rules import START, Strength, after, result_of
from tests.conftest import make_player
from tests.matches.playing import act, by_bots, of_bots

GAME = "stratastar"
OPENED = Opened(game=GAME, rules="", options={}, seats=2, commitment="")


def follow(limit=7):
    while ratings.follow(limit=limit):
        pass


def begun(*players, **more):
    """Begin a match of these players, in the order of its seats."""
    match = opening.create_match(by=players[0], game=GAME, seats=len(players) + len(more.get("bots", ())), **more)
    for user in players[1:]:
        match = opening.join_match(by=user, match=match)
    match.refresh_from_db()
    return match


def lost_by(*losers, by):
    """Play a match in which the losers resign, the first one first."""
    match = begun(*by)
    for user in losers:
        act(match, match.seats.get(user=user).index, {"name": "resign"})
    match.refresh_from_db()
    assert match.over
    return match


def numbers():
    """Return all ratings and rated results, by who holds them."""
    rated = Rated.objects.order_by("pos", "seat").values_list(
        "match", "seat", "place", "shared", "left", "rating", "mu_before", "sigma_before", "mu", "sigma"
    )
    sums = Rating.objects.order_by("pk").values_list("pk", "game", "pool", "mu", "sigma", "low", "matches", "won", "last_at")
    return list(rated), list(sums)


def strength(user, pool="people"):
    found = Rating.objects.get(user=user, pool=pool)
    return Strength(found.mu, found.sigma)


# --- the rules ---


strengths = st.builds(Strength, st.integers(800, 2200).map(float), st.integers(40, 250).map(float))
fields = st.lists(st.tuples(strengths, st.integers(1, 4)), min_size=2, max_size=4)


@given(fields, st.randoms(use_true_random=False))
def test_the_order_of_seats_does_not_matter(field, rng):
    before, places = zip(*field, strict=True)
    found = after(before, places)
    order = list(range(len(field)))
    rng.shuffle(order)
    assert after([before[at] for at in order], [places[at] for at in order]) == [found[at] for at in order]


@given(strengths, strengths)
def test_the_winner_gains_and_the_loser_loses(winner, loser):
    first, second = after([winner, loser], [1, 2])
    assert first.mu >= winner.mu
    assert second.mu <= loser.mu


def test_a_surprise_moves_more_than_what_was_expected_and_a_draw_of_equals_nothing():
    strong, weak = Strength(1800.0, 80.0), Strength(1200.0, 80.0)
    [expected, _], [_, surprise] = after([strong, weak], [1, 2]), after([strong, weak], [2, 1])
    assert surprise.mu - weak.mu > 10 * (expected.mu - strong.mu)
    first, second = after([START, START], [1, 1])
    assert first == second
    assert (first.mu, first.sigma < START.sigma) == (START.mu, True)


def joined(*kinds):
    return [Joined(seat=seat, holder=f"h{seat}", kind=kind, contribution="") for seat, kind in enumerate(kinds)]


def told(*course, kinds=("user", "user"), ranking=((0,), (1,)), opened=OPENED):
    """Return the places of a match by holder, and who left; None if it is not rated."""
    outcome = None if ranking is None else {"ranking": ranking}
    events = [opened, *joined(*kinds), Started(len(kinds)), *course, Ended("won", outcome, "")]
    result = result_of(events)
    return None if result is None else {one.holder: (one.place, one.left) for one in result.placings}


def late(seat, *, excused=False):
    return TimedOut(seat=seat, question="turn", due_at="", policy="default", excused=excused, in_row=1)


THREE = {"kinds": ("user", "user", "user"), "ranking": ((1,), (0, 2))}


def test_places_follow_the_ranking_and_whoever_left_is_last():
    assert told() == {"h0": (1, False), "h1": (2, False)}
    assert told(ranking=((0, 1),)) == {"h0": (1, False), "h1": (1, False)}
    assert told(**THREE) == {"h1": (1, False), "h0": (2, False), "h2": (2, False)}
    assert told(Vacated(1), **THREE) == {"h0": (1, False), "h2": (1, False), "h1": (3, True)}
    stranger = Seated(seat=1, holder="h9", kind="user")
    assert told(Vacated(1), stranger, ranking=((1,), (0,))) == {"h0": (1, False), "h1": (2, True)}
    assert told(Vacated(1), Seated(seat=1, holder="h9", kind="bot")) == {"h0": (1, False), "h1": (2, True)}


def test_a_player_who_returns_has_not_left():
    back = Seated(seat=0, holder="h7", kind="user", returns={"excused": 0})
    bot, stranger = Seated(seat=0, holder="h8", kind="bot"), Seated(seat=0, holder="h9", kind="user")
    assert told(Vacated(0), bot, back) == {"h0": (1, False), "h1": (2, False)}
    # After a stranger, a user who returns may be the stranger.
    assert told(Vacated(0), stranger, Vacated(0), back) == {"h1": (1, False), "h0": (2, True)}


def test_whom_an_organiser_removes_is_rated_only_after_a_timeout():
    removed = Vacated(1, "other", "reason")
    assert told(removed) is None
    assert told(removed, **THREE) == {"h0": (1, False), "h2": (1, False)}
    assert told(late(1, excused=True), removed) is None
    assert told(late(1), removed) == {"h0": (1, False), "h1": (2, True)}


def test_what_is_not_rated():
    assert told(ranking=None) is None
    assert told(kinds=("user",), ranking=((0,),)) is None
    described = Opened(game=GAME, rules="", options={}, seats=2, commitment="", position="digest")
    board = Opened(game=GAME, rules="", options={}, seats=2, commitment="", board=True)
    assert told(opened=described) is told(opened=board) is None
    left = [OPENED, *joined("user", "user"), Left(1), Started(1), Ended("won", {"ranking": [[0]]}, "")]
    assert result_of(left) is None
    assert result_of([OPENED, *joined("user", "user"), Started(2)]) is None


# --- the consumer ---


@pytest.mark.django_db
def test_a_match_of_people_is_rated_at_its_end(feed, anna, ben):
    match = begun(anna, ben)
    follow()
    assert not Rated.objects.exists()
    act(match, 1, {"name": "resign"})
    follow()
    [won, lost] = after([START, START], [1, 2])
    assert (strength(anna), strength(ben)) == (won, lost)
    assert ratings.differences(match.pk) == []
    shown = leaderboards.of_player(anna)
    assert [(one.game, one.matches, one.won, one.provisional) for one in shown] == [(GAME, 1, 1, True)]


@pytest.mark.django_db
def test_matches_that_do_not_count_change_nothing(feed, anna, ben, player, many_matches):
    olga = player("olga")
    opening.cancel_match(by=anna, match=opening.create_match(by=anna, game=GAME))
    hosted = opening.create_match(by=olga, game=GAME, take_seat=False)
    for user in (anna, ben):
        hosted = opening.join_match(by=user, match=hosted)
    organise(by=olga, match=hosted, measure=Measure("abort", "other", "A mistake."), command_id=uuid.uuid4())
    origin = begun(anna, ben)
    access = selectors.access_match(user=anna, ident=str(origin.pk))
    fork = forks.fork(access=access, version=loading.load(origin.id, GAME).viewer_version(0))
    fork = opening.join_match(by=ben, match=fork, link=fork.link_token)
    act(fork, 0, {"name": "resign"})
    fork.refresh_from_db()
    assert fork.over
    follow()
    assert not Rated.objects.exists()
    with_bot = begun(anna, bots={1: "greedy"})
    act(with_bot, 0, {"name": "resign"})
    follow()
    assert not Rating.objects.filter(pool="people").exists()
    [bot] = leaderboards.of_bots(GAME)
    assert (bot.name, bot.matches, bot.won) == ("greedy", 1, 1)
    assert leaderboards.of_player(anna) == []


@pytest.mark.django_db
def test_a_seat_left_is_last_whatever_its_substitute_does(feed, anna, ben, player):
    match = begun(anna, ben)
    substitutes.give_up(by=ben, match=match, seat=1)
    substitutes.take_over(by=player("cleo"), match=match, seat=1, link=match.link_token)
    act(match, 0, {"name": "resign"})
    follow()
    assert {row.rating.user: (row.place, row.left) for row in Rated.objects.all()} == {anna: (1, False), ben: (2, True)}
    assert ratings.differences(match.pk) == []


@pytest.fixture
def history(feed, anna, ben, player, many_matches):
    """Matches of three players, and one with a bot, rated in small steps."""
    cleo = player("cleo")
    with_bot = begun(anna, bots={1: "greedy"})
    act(with_bot, 0, {"name": "resign"})
    matches = [lost_by(ben, by=(anna, ben)), lost_by(cleo, by=(ben, cleo)), lost_by(anna, ben, by=(anna, ben, cleo))]
    follow()
    matches += [lost_by(cleo, by=(cleo, anna)), lost_by(ben, by=(anna, ben)), with_bot]
    follow(limit=3)
    assert Rated.objects.count() == 13
    return matches


def rebuilt():
    out = io.StringIO()
    call_command("rebuild", "--statistics", "--json", stdout=out)
    return json.loads(out.getvalue())["differences"]


@pytest.mark.django_db
def test_numbers_from_zero_equal_the_live_ones(history):
    live = numbers()
    assert rebuilt() == []
    Rated.objects.all().delete()
    assert {one["code"] for one in rebuilt() if "holder" in one["detail"].lower()} == {"ratings"}
    # Users keep their ids, so the numbers can be compared.
    assert numbers() == live
    Rated.objects.all().delete()
    FeedCursor.objects.filter(name="ratings").update(epoch=0, xid=0, pos=0)
    follow(limit=500)
    assert numbers() == live


@pytest.mark.django_db
@pytest.mark.parametrize("damage", [
    lambda first: Rated.objects.filter(match=first).delete(),
    lambda first: Rated.objects.filter(match=first).update(place=1),
    lambda first: Rated.objects.filter(match=first, seat=0).update(pos=1),
    lambda first: Rated.objects.filter(match=first, seat=1).update(mu=1700),
    lambda first: Rating.objects.update(mu=1700, matches=3, won=0),
])  # fmt: skip
def test_what_was_damaged_is_folded_again_from_there_on(history, damage):
    live = numbers()
    damage(history[0])
    assert [one for match in history for one in audit.statistics_findings(match.pk)]
    assert rebuilt()
    assert numbers() == live
    assert rebuilt() == []


@pytest.mark.django_db
def test_an_erased_user_drops_out_and_changes_no_other_number(history, anna, ben):
    live = numbers()
    erasure.erase(ben)
    follow()
    assert rebuilt() == []
    assert numbers() == live
    assert not Rating.objects.filter(user=ben).exists()
    Rated.objects.all().update(mu=1)
    rebuilt()
    assert numbers() == live
    lost_by(anna, by=(anna, history[2].seats.get(index=2).user))
    follow()
    assert Rating.objects.filter(user=None, pool="people").count() == 1, "nobody's number goes on"


@pytest.mark.django_db
def test_bots_have_a_list_of_their_own_and_play_not_against_themselves(feed, anna):
    short = {"max_rounds": 2}
    of_themselves = of_bots(anna, GAME, short)
    same = begun(anna, bots={1: "greedy", 2: "greedy"}, options=short)
    act(same, 0, {"name": "resign"})
    assert of_themselves.over
    assert by_bots(same).over
    follow()
    assert not Rated.objects.exclude(rating__bot="").exists()


@pytest.mark.django_db
def test_a_rating_is_shown_after_some_matches(feed, anna, ben, many_matches):
    for _ in range(rating_rules.RATED_FROM):
        assert leaderboards.top(GAME) == []
        lost_by(ben, by=(anna, ben))
        follow()
    rows = leaderboards.top(GAME)
    assert [(row.place, row.name) for row in rows] == [(1, "anna"), (2, "ben")]
    assert rows[0].points > rows[0].low > rows[1].low


# --- any history ---


@st.composite
def histories(draw):
    """Return matches as seats of four players, their ranking, the seats left, and true if it is aborted."""
    found = []
    for _ in range(draw(st.integers(2, 6))):
        seats = draw(st.permutations(range(4)))[: draw(st.integers(2, 4))]
        places = [draw(st.integers(0, 2)) for _ in seats]
        ranking = [group for place in range(3) if (group := [seat for seat, own in enumerate(places) if own == place])]
        left = draw(st.sets(st.sampled_from(range(len(seats))), max_size=1))
        found.append((seats, ranking, left, draw(st.integers(0, 4)) == 0))
    return found


def played(auction, people, seats, ranking, left, aborted):
    match = opening.create_match(by=people[seats[0]], game=auction, seats=len(seats))
    for seat in seats[1:]:
        match = opening.join_match(by=people[seat], match=match)
    for seat in left:
        substitutes.vacate(match=match, seat=seat, actor=Actor("seat", seat))
    outcome = {"reason": "sold", "ranking": ranking, "scores": [0] * len(seats)}
    end = turns.ended(match, "aborted") if aborted else turns.ended(match, "sold", outcome)
    service_events.append(match, lambda loaded, rows: [end], actor=Actor("system"), channel="api")
    return match


@pytest.mark.long
@pytest.mark.django_db
@examples(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(histories(), st.integers(1, 40), st.randoms(use_true_random=False))
def test_any_history_gives_the_same_numbers_in_any_order_of_discovery(feed, auction, many_matches, history, limit, rng):
    with transaction.atomic():
        people = [make_player(f"p{number}") for number in range(4)]
        matches = [played(auction, people, *one) for one in history]
        follow(limit)
        live = numbers()
        counted = [match.pk for match, (*_rest, aborted) in zip(matches, history, strict=True) if not aborted]
        assert {row[0] for row in live[0]} == set(counted)
        missed = rng.sample(counted, rng.randint(0, len(counted)))
        Rated.objects.filter(match__in=missed).delete()
        for match in missed:
            ratings.rebuild(match)
        assert numbers() == live
        assert [one for match in matches for one in ratings.differences(match.pk)] == []
        transaction.set_rollback(True)
