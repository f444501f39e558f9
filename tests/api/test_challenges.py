"""Bot accounts and challenges: who may challenge whom, what comes of it, and a match of a bot from the challenge to its end."""

from __future__ import annotations

import random
from datetime import timedelta

import pytest
from django.utils import timezone

from accounts import blocks, erasure, tokens
from accounts.bots import bots
from accounts.models import ApiToken, User
from gamesvc.api.live.callers import Caller, still_valid
from gamesvc.clients.python.gamesvc_client import fill
from gamesvc.matches.lobby import invitations, opening
from gamesvc.matches.models import Match, MessageBan, Rating
from gamesvc.matches.record import loading
from gamesvc.matches.statistics import leaderboards, ratings, totals
from tests.conftest import Program
from tests.matches.playing import play_out

pytestmark = pytest.mark.django_db


class Machine(Program):
    """The program of a bot account, with the token that its owner made."""

    def __init__(self, bot: User) -> None:
        super().__init__(bot)
        self.token = bots.new_token(bot, "machine")[1]


@pytest.fixture
def bot(anna):
    return bots.make(owner=anna, name="deep-bot")


@pytest.fixture
def machine(toy, bot):
    return Machine(bot)


@pytest.fixture
def ben_at_home(toy, ben, program):
    return program(ben)


def challenged(caller, opponent, **more):
    answer = caller.post("/challenges/", {"opponent": opponent, "game": "toy", **more})
    assert answer.status_code == 201, answer.content
    return answer.json()


def code(answer) -> str:
    refused = answer.json()
    assert answer.status_code == (404 if refused["code"] == "bad_challenge" else 422), answer.content
    return refused["code"]


def listed(caller, way="in"):
    return [one["id"] for one in caller.get(f"/challenges/?direction={way}").json()["results"]]


def finish(players: dict[int, Program], number: int) -> None:
    """Play a match to its end through the API, with random commands that forms offer."""
    rng = random.Random(5)
    for _ in range(500):
        for player in players.values():
            turns = [turn for turn in player.get("/me/turns/?forms=true").json()["results"] if turn["number"] == number]
            for turn in turns:
                command = fill(rng.choice(turn["forms"]), rng)
                assert player.post(f"/matches/{number}/commands/", command, etag=turn["etag"]).status_code == 200
        if players[0].get(f"/matches/{number}/").json()["status"] == "finished":
            return
    raise AssertionError("the match does not end")


# --- bot accounts ---


def test_the_bots_of_a_suspended_user_are_out_with_them_until_they_are_restored(anna, machine, ben_at_home):
    caller = Caller("192.0.2.1", User.objects.get(username="deep-bot").pk, token_id=ApiToken.objects.get(name="machine").pk)
    assert still_valid([caller])
    User.objects.filter(pk=anna.pk).update(is_active=False)
    assert machine.get("/me/").status_code == 401
    assert not still_valid([caller])
    User.objects.filter(pk=anna.pk).update(is_active=True)
    assert machine.get("/me/").status_code == 200
    assert still_valid([caller])


def test_whoever_may_write_no_messages_writes_none_by_a_bot(anna, machine, ben_at_home):
    made = challenged(ben_at_home, "deep-bot")
    assert machine.post(f"/challenges/{made['id']}/accept/").status_code == 200
    MessageBan.objects.create(user=anna, until=timezone.now() + timedelta(days=1))
    answer = machine.post(f"/matches/{made['number']}/press/", {"to": "all", "text": "It is me"})
    assert code(answer) == "press_banned"


def test_a_user_makes_limits_and_erases_bots_of_their_own(anna, ben, program):
    owner = program(anna, "account")
    made = owner.post("/me/bots/", {"name": "deep-bot", "matches": 3})
    assert (made.status_code, made.json()["matches"]) == (201, 3)
    assert owner.call("PATCH", "/me/bots/deep-bot/", {"matches": 4}).json()["matches"] == 4
    assert [one["name"] for one in owner.get("/me/bots/").json()["results"]] == ["deep-bot"]
    token = owner.post("/me/bots/deep-bot/tokens/", {"name": "laptop"}).json()
    assert token["made_with"] is not None, "it ends with the token that made it"
    assert token["scopes"] == ["read", "play"]
    machine = program(ben)
    machine.token = token["token"]
    me = machine.get("/me/").json()
    assert (me["name"], me["is_bot"]) == ("deep-bot", True)
    # Its token makes nothing that its owner would have to make.
    assert machine.get("/me/bots/").status_code == 403
    assert program(ben, "account").call("DELETE", "/me/bots/deep-bot/").json()["code"] == "unknown_bot"
    assert owner.call("DELETE", "/me/bots/deep-bot/tokens/").status_code == 204
    assert machine.get("/me/").status_code == 401
    assert owner.call("DELETE", "/me/bots/deep-bot/").status_code == 204
    assert User.named("deep-bot") is None


def test_names_and_numbers_of_bots(anna, ben, program, client):
    owner = program(anna, "account")
    assert code(owner.post("/me/bots/", {"name": "deep"})) == "bad_bot_name"
    assert code(owner.post("/me/bots/", {"name": "de ep-bot"})) == "bad_bot_name"
    assert code(owner.post("/me/bots/", {"name": "Support-bot"})) == "bad_bot_name"
    assert code(owner.post("/me/bots/", {"name": "deep.com-bot"})) == "bad_bot_name"
    assert code(owner.post("/me/bots/", {"name": "a-bot", "matches": 51})) == "bad_bot_matches"
    for number in range(bots.MOST):
        assert owner.post("/me/bots/", {"name": f"deep{number}-bot"}).status_code == 201
    assert code(owner.post("/me/bots/", {"name": "more-bot"})) == "too_many_bots"
    assert code(program(ben, "account").post("/me/bots/", {"name": "DEEP1-bot"})) == "bad_bot_name"
    # No person can take such a name.
    fields = {"username": "carla-Bot", "email": "c@players.example", "password1": "a long pass phrase"}
    assert "kept for bot accounts" in client.post("/accounts/signup/", fields).content.decode()


def test_bots_go_with_their_owner_and_lose_their_tokens_with_theirs(anna, bot):
    bots.new_token(bot, "one")
    tokens.revoke_all(anna)
    assert not ApiToken.objects.filter(user=bot, revoked_at=None).exists()
    erasure.erase(anna)
    bot.refresh_from_db()
    assert (bot.is_active, bot.is_bot, bot.username.startswith("erased-")) == (False, True, True)


# --- challenges ---


def test_a_bot_plays_a_match_from_the_challenge_to_its_end(machine, bot, ben_at_home, ben, feed):
    made = challenged(ben_at_home, "deep-bot", watch="all", seat=1)
    assert (made["status"], made["challenger"], made["opponent_is_bot"], made["seat"]) == ("open", "ben", True, 1)
    assert listed(machine) == [made["id"]] == listed(ben_at_home, "out")
    assert listed(ben_at_home) == listed(machine, "out") == []
    accepted = machine.post(f"/challenges/{made['id']}/accept/", {"contribution": "my own luck"}).json()
    assert accepted["status"] == "accepted"
    finish({0: machine, 1: ben_at_home}, made["number"])
    while ratings.follow():
        pass
    while totals.follow():
        pass
    # Its own list, and no rating of a person moves. The match counts as one among people for neither.
    assert {(row.user, row.pool) for row in Rating.objects.all()} == {(bot, "bots"), (ben, "bots")}
    assert [one.name for one in leaderboards.of_bots("toy")] == ["deep-bot"]
    assert leaderboards.of_player(ben) == []
    assert totals.differences(Match.objects.get(number=made["number"]).pk) == []
    assert totals.player_json(ben)["games"] == []
    [result] = ben_at_home.get("/matches/?public=true&status=finished").json()["results"]
    assert [(seat["name"], seat["is_bot"]) for seat in result["seats"]] == [("deep-bot", True), ("ben", False)]


def test_declined_or_cancelled_the_match_is_called_off(machine, ben_at_home):
    first, second = challenged(ben_at_home, "deep-bot"), challenged(ben_at_home, "deep-bot")
    assert machine.post(f"/challenges/{first['id']}/decline/").json()["status"] == "declined"
    assert machine.post(f"/challenges/{first['id']}/decline/").json()["status"] == "declined"
    assert ben_at_home.call("DELETE", f"/challenges/{second['id']}/").json()["status"] == "cancelled"
    assert {match.status for match in Match.objects.all()} == {"cancelled"}
    assert listed(machine) == listed(ben_at_home, "out") == []
    assert ben_at_home.get(f"/challenges/{first['id']}/").json()["status"] == "declined"
    assert machine.get(f"/challenges/{second['id']}/").json()["status"] == "cancelled"
    assert code(machine.post(f"/challenges/{second['id']}/accept/")) == "not_open"


@pytest.mark.parametrize("others", ["everyone", "another player", "a mail address"])
def test_a_match_that_others_may_join_is_not_called_off_by_one_who_declines(toy, anna, ben, ben_at_home, player, others):
    match = opening.create_match(by=anna, game="toy", entry="public" if others == "everyone" else "invited")
    invitations.invite(by=anna, match=match, username="ben")
    if others == "another player":
        player("carla")
        invitations.invite(by=anna, match=match, username="carla")
    if others == "a mail address":
        invitations.invite(by=anna, match=match, address="carla@players.example")
    [waiting] = listed(ben_at_home)
    assert ben_at_home.post(f"/challenges/{waiting}/decline/").json()["status"] == "declined"
    match.refresh_from_db()
    assert match.status == Match.Status.OPEN


def test_a_challenge_is_between_two(machine, ben_at_home, player, program):
    made = challenged(ben_at_home, "deep-bot")
    stranger = program(player("eve"))
    for answer in (
        stranger.get(f"/challenges/{made['id']}/"),
        stranger.post(f"/challenges/{made['id']}/accept/"),
        stranger.call("DELETE", f"/challenges/{made['id']}/"),
        ben_at_home.post(f"/challenges/{made['id']}/accept/"),
        machine.call("DELETE", f"/challenges/{made['id']}/"),
    ):
        assert code(answer) == "bad_challenge"


def test_bots_challenge_bots_and_people_who_allow_it(machine, ben, ben_at_home, player):
    other = bots.make(owner=ben, name="other-bot")
    challenged(machine, "other-bot")
    assert listed(Machine(other)) != []
    assert code(machine.post("/challenges/", {"opponent": "ben", "game": "toy"})) == "people_only"
    assert ben_at_home.call("PATCH", "/me/", {"plays_bots": True}).json()["plays_bots"] is True
    made = challenged(machine, "ben")
    assert ben_at_home.post(f"/challenges/{made['id']}/accept/").json()["status"] == "accepted"


def test_what_is_for_people_is_closed_to_bots(machine, bot, toy, ben, player, program):
    assert code(machine.post("/matches/", {"game": "toy"})) == "not_for_bots"
    match = opening.create_match(by=ben, game="toy")
    assert code(machine.post(f"/matches/{match.number}/join/")) == "not_for_bots"
    assert code(machine.post("/reports/", {"player": "ben", "kind": "abuse", "words": "x"})) == "not_for_bots"
    own = machine.post("/matches/", {"game": "toy", "entry": "invited"}).json()["number"]
    assert code(machine.post(f"/matches/{own}/invitations/", {"address": "x@players.example"})) == "people_only"
    # A player whom the host did not ask cannot bring a bot in.
    open_one = opening.create_match(by=ben, game="toy", take_seat=False)
    carla = player("carla")
    opening.join_match(by=carla, match=open_one)
    assert program(carla).post(f"/matches/{open_one.number}/invitations/", {"user": "deep-bot"}).status_code == 201
    assert code(machine.post(f"/matches/{open_one.number}/join/")) == "not_for_bots"


def test_a_bot_plays_as_many_matches_as_its_owner_allows(machine, bot, ben_at_home):
    bots.allow(bot, 1)
    first, second = challenged(ben_at_home, "deep-bot"), challenged(ben_at_home, "deep-bot")
    assert machine.post(f"/challenges/{first['id']}/accept/").status_code == 200
    assert code(machine.post(f"/challenges/{second['id']}/accept/")) == "bot_busy"
    assert code(ben_at_home.post("/challenges/", {"opponent": "deep-bot", "game": "toy"})) == "bot_busy"
    play_out(Match.objects.get(number=first["number"]))
    loading.forget_all()
    assert machine.post(f"/challenges/{second['id']}/accept/").status_code == 200


@pytest.mark.parametrize("by_owner", [False, True], ids=["the bot", "its owner"])
def test_blocks_hold_for_challenges(machine, bot, anna, ben, ben_at_home, by_owner):
    made = challenged(ben_at_home, "deep-bot")
    blocks.block(by=ben, name="anna" if by_owner else "deep-bot")
    assert code(ben_at_home.post("/challenges/", {"opponent": "deep-bot", "game": "toy"})) == "not_together"
    ben.plays_bots = True
    ben.save()
    assert code(machine.post("/challenges/", {"opponent": "ben", "game": "toy"})) == "not_together"
    if not by_owner:
        assert listed(machine) == []
        assert code(machine.post(f"/challenges/{made['id']}/accept/")) == "bad_challenge"


def test_a_challenge_that_does_not_fit_opens_nothing(machine, ben_at_home):
    for body, expected in (
        ({"opponent": "nobody", "game": "toy"}, "unknown_user"),
        ({"opponent": "ben", "game": "toy"}, "own_name"),
        ({"opponent": "deep-bot", "game": "chess"}, "unknown_game"),
        ({"opponent": "deep-bot", "game": "toy", "seat": 2}, "bad_seats"),
        ({"opponent": "deep-bot", "game": "toy", "options": {"no": 1}}, "bad_options"),
    ):
        assert code(ben_at_home.post("/challenges/", body)) == expected
    assert not Match.objects.exists()


def test_in_an_anonymous_match_its_invitations_do_not_tell_who_plays(toy, anna, ben, player, program):
    """Neither which of the invited sit in it, nor whose account it is to which a link or an address has led."""
    player("carla")
    doro = player("doro")
    match = opening.create_match(by=anna, game=toy, entry="public", anonymous=True)
    host = program(anna)
    place = f"/matches/{match.number}/invitations/"
    named = {name: host.post(place, {"user": name}).json()["id"] for name in ("ben", "carla")}
    sent = host.post(place, {"address": "someone@players.example"}).json()
    match.refresh_from_db()
    invitations.accept_invitation(by=doro, token=sent["link"].split("/")[2])
    assert host.get(f"/challenges/{sent['id']}/").status_code == 404
    assert program(doro).get(f"/challenges/{sent['id']}/").json()["status"] == "accepted"
    told = [host.get(f"/challenges/{named[name]}/").json()["status"] for name in ("ben", "carla")]
    assert told == ["cancelled", "cancelled"], "the seats are taken, by whomever"

    match = opening.create_match(by=anna, game=toy, entry="public", anonymous=True)
    place = f"/matches/{match.number}/invitations/"
    named = {name: host.post(place, {"user": name}).json()["id"] for name in ("ben", "carla")}
    assert program(ben).post(f"/challenges/{named['ben']}/accept/", {}).json()["status"] == "accepted"
    told = [host.get(f"/challenges/{named[name]}/").json() for name in ("ben", "carla")]
    assert [one["status"] for one in told] == ["cancelled", "cancelled"]
    assert [host.call("DELETE", f"/challenges/{one['id']}/").status_code for one in told] == [422, 422]
    Match.objects.update(status=Match.Status.FINISHED)
    assert host.get(f"/challenges/{named['ben']}/").json()["status"] == "accepted"
