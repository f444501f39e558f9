"""A user and their bots are one person: what a bot has seen its owner knows, so together they may do what one player may."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from accounts import blocks, erasure
from accounts.bots import bots
from accounts.models import User
from gamesvc.errors import TooMany
from gamesvc.games.kernel.game import Refused
from gamesvc.matches.access import authority, daily_limits
from gamesvc.matches.errors import Forbidden
from gamesvc.matches.lobby import challenges, invitations, opening, press, programs, rematches, substitutes
from gamesvc.matches.models import Follow, Invitation, Match, MessageBan, Rated, Report
from gamesvc.matches.organising import looks, moderation, reports
from gamesvc.matches.record import loading
from gamesvc.matches.statistics import ratings
from notifications.models import Outbox
from tests.matches.playing import play_out

pytestmark = pytest.mark.django_db


@pytest.fixture
def bot(anna):
    return bots.make(owner=anna, name="deep-bot")


@pytest.fixture
def sister(anna):
    return bots.make(owner=anna, name="wide-bot")


def opened(host, *guests, game="toy", seats=2, take_seat=True, entry="invited"):
    """Open a match and let the guests, whom its host invites, take its seats in order."""
    match = opening.create_match(by=host, game=game, seats=seats, take_seat=take_seat, entry=entry)
    for guest in guests:
        match = joins(match, host, guest)
    return match


def joins(match, host, guest):
    invitations.invite(by=host, match=match, username=guest.username)
    return opening.join_match(by=guest, match=match)


def gives_up(user, match):
    substitutes.give_up(by=user, match=match, seat=match.seats.get(user=user).index)


def code(refused) -> str:
    return refused.value.code


def test_nobody_rules_where_a_bot_of_theirs_plays(toy, anna, ben, bot):
    match = opened(anna, bot, ben, take_seat=False)
    assert match.status == Match.Status.RUNNING
    assert not authority.may_rule(anna, match)
    gives_up(bot, match)
    assert not authority.may_rule(anna, match)
    assert authority.may_rule(ben, opened(ben, anna, bot, take_seat=False)), "nobody of theirs plays"


def test_no_operator_looks_behind_where_a_bot_of_theirs_plays(toy, anna, ben, bot):
    anna.is_staff = True
    anna.save()
    match = opened(ben, bot)
    with pytest.raises(Forbidden):
        looks.look_behind(by=anna, match=match, seat=0, version=match.version, reason="curious")


def test_no_operator_decides_about_a_bot_of_theirs(anna, ben, bot):
    anna.is_staff = True
    anna.save()
    report = reports.report(by=ben, subject=reports.of_player(ben, "deep-bot"), kind="cheating", words="It sees my hand")
    with pytest.raises(Forbidden):
        moderation.act(by=anna, report=report, act="dismiss", words="It does not")


def test_nobody_takes_over_where_a_bot_of_theirs_played(toy, anna, ben, bot):
    match = opened(ben, bot, entry="public")
    gives_up(bot, match)
    gives_up(ben, match)
    for seat in (0, 1):
        with pytest.raises(Refused) as refused:
            substitutes.take_over(by=anna, match=match, seat=seat)
        assert code(refused) == "another_seat"


@pytest.mark.parametrize("power", ["organiser", "operator"])
def test_no_challenge_of_a_bot_rids_players_of_who_rules_on_their_match(toy, program, player, anna, ben, bot, power):
    """A program takes each challenge, also one to a fork of the match that its owner organises."""
    User.objects.filter(pk=anna.pk).update(is_staff=power == "operator")
    host, cleo = (anna if power == "organiser" else player("host")), player("cleo")
    match = opened(host, ben, cleo, take_seat=False)
    fork = program(ben).post(f"/matches/{match.number}/forks/", {"version": match.version, "kind": "match"}).json()["number"]
    assert program(ben).post(f"/matches/{fork}/invitations/", {"user": "deep-bot"}).status_code == 201
    asked = program(bot).get("/challenges/").json()["results"][0]["id"]
    answer = program(bot).post(f"/challenges/{asked}/accept/", {})
    assert (answer.status_code, answer.json()["code"]) == (422, "not_for_bots")
    assert authority.may_rule(User.objects.get(pk=anna.pk), match)
    aborts = {"action": "abort", "code": "dispute", "reason": "They agreed on it"}
    powers = ("organise", "operate") if power == "operator" else ("organise",)
    ruled = program(User.objects.get(pk=anna.pk), *powers).post(f"/matches/{match.number}/organise/", aborts)
    assert ruled.status_code == 200, ruled.content
    assert program(bot).post(f"/challenges/{asked}/accept/", {}).status_code == 200, "nobody rules on it any more"


def test_a_host_challenges_a_bot_that_a_player_has_invited_first(program, player, ben, bot):
    """The player's invitation alone does not let the bot join, and takes nothing from the host's."""
    cleo, dora = player("cleo"), player("dora")
    match = opened(ben, cleo, dora, game="stratastar", seats=4)
    for by in (cleo, ben, dora):
        answer = program(by).post(f"/matches/{match.number}/invitations/", {"user": bot.username})
        assert answer.status_code == (422 if by == dora else 201), answer.content
    by_player, by_host = Invitation.objects.filter(match=match, user=bot).order_by("created_at")
    answer = program(bot).post(f"/challenges/{by_host.pk}/accept/", {})
    assert (answer.status_code, answer.json().get("status")) == (200, "accepted"), answer.content
    by_player.refresh_from_db()
    assert by_player.accepted_at is None


def test_nobody_sits_with_a_bot_of_theirs_among_others(anna, ben, bot, sister):
    match = opened(anna, bot, game="stratastar", seats=3, entry="public")
    with pytest.raises(Refused) as refused:
        opening.join_match(by=ben, match=match)
    assert code(refused) == "own_bots"
    among_others = opened(anna, ben, game="stratastar", seats=3)
    with pytest.raises(Refused) as refused:
        joins(among_others, anna, bot)
    assert code(refused) == "own_bots"
    assert joins(match, anna, sister).status == Match.Status.RUNNING, "a match of one person alone"


def test_nobody_takes_over_in_a_match_that_one_person_has_seen_from_two_seats(toy, anna, ben, bot):
    match = opened(anna, bot, entry="public")
    gives_up(bot, match)
    with pytest.raises(Refused) as refused:
        substitutes.take_over(by=ben, match=match)
    assert code(refused) == "own_bots"


def test_a_block_holds_for_the_bots_of_the_blocked_player(program, anna, ben, bot):
    host = User.objects.create_user("host")
    among = opened(host, bot, game="stratastar", seats=3, entry="public")
    known = opened(host, bot, ben, game="stratastar", seats=3)
    blocks.block(by=ben, name="anna")
    with pytest.raises(Refused) as refused:
        opening.join_match(by=ben, match=among)
    assert code(refused) == "not_together"
    seat = known.seats.get(user=bot).index
    press.say(match=known, by=bot, by_seat=seat, to="all", text="Hello", channel="api")
    assert program(ben).get(f"/matches/{known.number}/press/").json()["results"] == []
    assert not Outbox.objects.filter(user=ben, kind="press").exists()
    assert Outbox.objects.filter(user=host, kind="press").exists()


def test_a_ban_from_messages_holds_for_a_user_and_their_bots(toy, anna, ben, bot, sister):
    MessageBan.objects.create(user=bot, until=timezone.now() + timedelta(days=1))
    for by in (anna, bot, sister):
        with pytest.raises(Refused) as refused:
            press.say(match=opened(ben, by), by=by, by_seat=1, to="all", text="Hello", channel="api")
        assert code(refused) == "press_banned"
    press.say(match=opened(ben, anna), by=ben, by_seat=0, to="all", text="Hello", channel="api")


def test_nobody_is_rid_of_reports_and_a_ban_by_erasing_the_bot(toy, anna, ben, bot, program):
    operator = User.objects.create_user("olga", is_staff=True)
    made = reports.report(by=ben, subject=reports.of_player(ben, bot.username), kind="abuse", words="It insults me")
    moderation.act(by=operator, report=made, act="mute", words="Enough", days=3)
    later = reports.report(by=ben, subject=reports.of_player(ben, bot.username), kind="abuse", words="It went on")
    programs.erase(bot)
    for by in (anna, bots.make(owner=anna, name="next-bot")):
        with pytest.raises(Refused) as refused:
            press.say(match=opened(ben, by), by=by, by_seat=1, to="all", text="Hello", channel="api")
        assert code(refused) == "press_banned"
    assert [one.about for one in (Report.objects.get(pk=made.pk), Report.objects.get(pk=later.pk))] == [anna, anna]
    moderation.act(by=operator, report=Report.objects.get(pk=later.pk), act="warn", words="This is the last time")
    assert Outbox.objects.filter(user=anna, kind="conduct").exists()
    erasure.erase(anna)
    assert not Report.objects.exists()
    assert not MessageBan.objects.exists()


def offered(user, program):
    return [row["seat"] for row in program(user).get("/substitutes/").json()["results"]]


def test_a_seat_that_would_be_refused_is_not_offered(toy, program, anna, ben, bot):
    match = opened(ben, bot, entry="public")
    gives_up(bot, match)
    stranger = User.objects.create_user("stranger")
    assert [offered(user, program) for user in (stranger, anna, bot, ben)] == [[1], [], [], []]
    gives_up(ben, match)
    assert [offered(user, program) for user in (stranger, anna, bot, ben)] == [[1, 0], [], [], [0]]
    substitutes.take_over(by=ben, match=match, seat=0)
    substitutes.take_over(by=stranger, match=match, seat=1)


def test_a_seat_of_a_match_that_one_person_has_seen_is_offered_to_nobody(toy, program, anna, ben, bot):
    match = opened(anna, bot, entry="public")
    Follow.objects.create(user=ben, game="toy")
    gives_up(bot, match)
    assert [offered(user, program) for user in (anna, ben, bot)] == [[]] * 3
    assert not Outbox.objects.filter(user=ben).exists()


def test_a_bot_stays_while_a_match_of_it_runs(toy, anna, ben, bot):
    match = opened(ben, bot)
    gives_up(bot, match)
    with pytest.raises(bots.BotRefused) as refused:
        programs.erase(bot)
    assert code(refused) == "bot_plays"
    Match.objects.filter(pk=match.pk).update(status=Match.Status.FINISHED)
    programs.erase(bot)
    assert User.named("deep-bot") is None


def test_a_user_with_many_bots_sends_no_more_invitations(toy, ben, bot, sister):
    ben.plays_bots = True
    ben.save()
    for at in range(daily_limits.INVITATIONS_TO_ONE_PER_DAY):
        challenges.challenge(by=(bot, sister)[at % 2], opponent="ben", game="toy")
    for sender in (bot, sister):
        with pytest.raises(TooMany):
            challenges.challenge(by=sender, opponent="ben", game="toy")


def test_a_user_with_bots_opens_no_more_matches_a_day(toy, settings, anna, bot, sister):
    settings.MATCHES_PER_DAY = 3
    for host in (anna, bot, sister):
        opening.create_match(by=host, game="toy", entry="invited")
    for host in (anna, bot, sister):
        with pytest.raises(TooMany):
            opening.create_match(by=host, game="toy", entry="invited")


def test_a_user_with_bots_has_no_more_matches_open(toy, settings, anna, ben, bot, sister):
    settings.MATCHES_OPEN_PER_USER = 2
    for host in (bot, sister):
        opening.create_match(by=host, game="toy", entry="invited")
    for host in (anna, bot, sister):
        with pytest.raises(TooMany):
            opening.create_match(by=host, game="toy", entry="invited")
    opening.create_match(by=ben, game="toy", entry="invited")


def test_a_user_with_bots_writes_no_more_messages_a_day(toy, monkeypatch, anna, ben, bot, sister):
    monkeypatch.setattr(daily_limits, "MESSAGES_PER_DAY", 3)
    played = [(by, opened(ben, by, entry="invited")) for by in (anna, bot, sister)]
    for by, match in played:
        press.say(match=match, by=by, by_seat=1, to="all", text="Hello", channel="api")
    for by, match in played:
        with pytest.raises(TooMany):
            press.say(match=match, by=by, by_seat=1, to="all", text="Hello again", channel="api")


def test_a_user_with_bots_challenges_no_more_bots_a_day(toy, monkeypatch, anna, ben, bot, sister):
    monkeypatch.setattr(daily_limits, "CHALLENGES_OF_BOTS_PER_DAY", 3)
    bots.make(owner=ben, name="other-bot")
    for by in (anna, bot, sister):
        challenges.challenge(by=by, opponent="other-bot", game="toy")
    for by in (anna, bot, sister):
        with pytest.raises(TooMany):
            challenges.challenge(by=by, opponent="other-bot", game="toy")


def test_seats_that_bots_of_a_user_leave_call_no_more_followers(toy, monkeypatch, anna, ben, bot, sister):
    monkeypatch.setattr(daily_limits, "CALLS_PER_DAY", 1)
    follower = User.objects.create_user("follower")
    Follow.objects.create(user=follower, game="toy")
    for by in (bot, sister):
        gives_up(by, opened(ben, by, entry="public"))
    assert Outbox.objects.filter(user=follower, kind="seat_free").count() == 1


def test_no_limit_is_renewed_by_erasing_bots_and_making_others(anna):
    for _ in range(bots.MADE_A_DAY):
        programs.erase(bots.make(owner=anna, name="deep-bot"))
    with pytest.raises(TooMany):
        bots.make(owner=anna, name="deep-bot")


def test_a_match_of_one_person_alone_is_not_rated(feed, toy, anna, ben, bot, sister):
    for match in (opened(anna, bot), opened(bot, sister), opened(ben, bot)):
        play_out(match)
        loading.forget_all()
    while ratings.follow():
        pass
    assert {rated.match.creator for rated in Rated.objects.all()} == {ben}
    assert {rated.rating.user for rated in Rated.objects.all()} == {bot, ben}
    assert [ratings.differences(match.pk) for match in Match.objects.all()] == [[], [], []]


def test_a_rematch_leaves_out_a_bot_whose_owner_is_suspended(toy, program, anna, ben, bot):
    cleo = User.objects.create_user("cleo")
    match = opened(ben, bot, cleo, game="stratastar", seats=3)
    Match.objects.filter(pk=match.pk).update(status=Match.Status.FINISHED, ended_at=timezone.now())
    User.objects.filter(pk=anna.pk).update(is_active=False)
    again = program(ben).post(f"/matches/{match.number}/rematch/")
    assert again.status_code == 201, again.content
    assert [one.user for one in Match.objects.get(number=again.json()["number"]).invitations.all()] == [cleo]


def finished(*players):
    match = opened(*players, game="stratastar", seats=len(players))
    Match.objects.filter(pk=match.pk).update(status=Match.Status.FINISHED, ended_at=timezone.now())
    return match


def test_a_rematch_by_a_bot_leaves_out_whom_its_owner_has_blocked_since(toy, anna, ben, bot):
    cleo = User.objects.create_user("cleo", plays_bots=True)
    match = finished(ben, bot, cleo)
    blocks.block(by=anna, name="ben")
    again = rematches.rematch(by=bot, match=Match.objects.get(pk=match.pk))
    assert [one.user for one in again.invitations.all()] == [cleo]
