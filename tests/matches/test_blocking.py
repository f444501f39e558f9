"""Blocks between players: invitations, messages and seats, through pages, the API and mail; nobody is told of them."""

from __future__ import annotations

import pytest
from django.test import Client
from django.utils import timezone

from accounts import blocks, erasure
from accounts.addresses import add_verified_address
from accounts.models import Block
from gamesvc.games.kernel.game import Refused
from gamesvc.matches.lobby import follows, invitations, opening, press, rematches, substitutes
from gamesvc.matches.lobby.press import ALL
from gamesvc.matches.models import Invitation, Match
from notifications.models import Outbox
from tests.mailing import mailing, verify  # noqa: F401
from tests.matches.playing import play_out
from tests.matches.test_invited import asked, flat, to
from tests.web.page import chosen, form_to

pytestmark = pytest.mark.django_db


@pytest.fixture
def carl(player):
    return player("carl")


@pytest.fixture
def browser():
    def of(user):
        client = Client()
        client.force_login(user)
        return client

    return of


def told(user) -> int:
    return Outbox.objects.filter(user=user).count()


def writes(program, user, match, text) -> None:
    assert program(user).post(f"/matches/{match.number}/press/", {"to": "all", "text": text}).status_code == 201


def reads(program, user, match) -> list[str]:
    return [one["text"] for one in program(user).get(f"/matches/{match.number}/press/").json()["results"]]


# --- set and ended ---


def test_a_player_is_blocked_on_their_page_and_unblocked_on_the_profile(anna, ben, browser):
    page = browser(anna).get("/players/ben/").content.decode()
    answer = browser(anna).post("/profile/blocked/", chosen(form_to(page, "/profile/blocked/", "Block"), {}), follow=True)
    assert "You block ben. They are not told." in answer.content.decode()
    assert answer.redirect_chain[-1][0] == "/players/ben/"
    assert told(ben) == 0
    page = browser(anna).get("/profile/blocked/").content.decode()
    browser(anna).post("/profile/blocked/", chosen(form_to(page, "/profile/blocked/", "Unblock"), {}))
    assert not Block.objects.exists()
    assert "Block" not in browser(anna).get("/players/anna/").content.decode()


def test_a_program_lists_sets_and_ends_blocks(anna, ben, program):
    assert program(anna).call("PUT", "/me/blocks/ben/").status_code == 200
    assert program(anna).call("PUT", "/me/blocks/ben/").status_code == 200
    assert [one["name"] for one in program(anna).get("/me/blocks/").json()["results"]] == ["ben"]
    assert program(ben).get("/me/blocks/").json()["results"] == []
    for name, code in (("anna", "own_name"), ("nobody", "unknown_user")):
        refused = program(anna).call("PUT", f"/me/blocks/{name}/")
        assert (refused.status_code, refused.json()["code"]) == (422 if code == "own_name" else 404, code)
    assert program(anna).call("DELETE", "/me/blocks/ben/").status_code == 204
    assert program(anna).call("DELETE", "/me/blocks/ben/").json()["code"] == "not_blocked"


def test_a_user_has_a_limited_number_of_blocks(anna, ben, carl, monkeypatch):
    monkeypatch.setattr(blocks, "MOST", 1)
    blocks.block(by=anna, name="ben")
    with pytest.raises(blocks.BlockRefused, match="already block 1"):
        blocks.block(by=anna, name="carl")
    assert blocks.block(by=anna, name="ben").blocked == ben


def test_an_erased_user_leaves_no_block_behind(anna, ben, carl):
    blocks.block(by=anna, name="ben")
    blocks.block(by=ben, name="carl")
    erasure.erase(ben)
    assert not Block.objects.exists()


# --- invitations ---


@pytest.mark.parametrize("blocker", ["anna", "ben"])
def test_neither_invites_the_other_by_name(toy, anna, ben, blocker):
    match = opening.create_match(by=anna, game=toy)
    blocks.block(by=anna if blocker == "anna" else ben, name="ben" if blocker == "anna" else "anna")
    with pytest.raises(Refused, match="ben cannot be invited"):
        invitations.invite(by=anna, match=match, username="ben")
    assert not Invitation.objects.exists()
    assert told(ben) == 0


def test_an_invitation_to_the_address_of_a_blocker_looks_like_any_other_and_never_arrives(toy, anna, ben, mailing):  # noqa: F811
    verify(ben)
    blocks.block(by=ben, name="anna")
    match = opening.create_match(by=anna, game=toy)
    for address in ("ben@players.example", "ben+again@players.example", "stranger@players.example"):
        invitations.invite(by=anna, match=match, address=address)
    mailing.work()
    assert not mailing.sink.to("ben@players.example")
    assert not mailing.sink.to("ben+again@players.example"), "the same mailbox"
    assert asked(mailing, "stranger@players.example")


def test_no_other_spelling_of_a_blockers_address_arrives(toy, anna, ben, mailing):  # noqa: F811
    add_verified_address(ben, "ben.jamin@gmail.com")
    blocks.block(by=ben, name="anna")
    match = opening.create_match(by=anna, game=toy)
    for address in ("benjamin@gmail.com", "b.e.njamin+x@googlemail.com", "ben.jamin@players.example"):
        invitations.invite(by=anna, match=match, address=address)
    mailing.work()
    assert [sent.recipients for sent in mailing.sink.messages] == [("ben.jamin@players.example",)]


def test_an_invitation_from_before_the_block_disappears(toy, anna, ben, mailing, browser):  # noqa: F811
    verify(ben)
    match = opening.create_match(by=anna, game=toy, entry="invited")
    invitations.invite(by=anna, match=match, username="ben")
    assert "invites you" in browser(ben).get("/").content.decode()
    blocks.block(by=ben, name="anna")
    assert "invites you" not in browser(ben).get("/").content.decode()
    mailing.work()
    assert not mailing.sink.to("ben@players.example")


def test_the_word_block_in_the_answer_to_an_invitation_declines_and_blocks(toy, anna, ben, mailing):  # noqa: F811
    verify(ben)
    match = opening.create_match(by=anna, game=toy, entry="invited")
    invitations.invite(by=anna, match=match, username="ben")
    mail = asked(mailing, "ben@players.example")
    assert "keeps anna from inviting you" in flat(mail)
    mailing.write("block", to=to(mail), sender="ben@players.example")
    mailing.work()
    assert "You block anna" in mailing.last("ben@players.example", "You block anna").text
    assert Invitation.objects.get().declined_at is not None
    assert Block.objects.get(user=ben).blocked == anna


# --- messages ---


def test_messages_are_hidden_both_ways_from_the_moment_of_the_block(anna, ben, carl, program, mailing, browser):  # noqa: F811
    for user in (anna, ben, carl):
        verify(user)
    match = opening.create_match(by=anna, game="stratastar", seats=3, watch="all")
    for user in (ben, carl):
        match = opening.join_match(by=user, match=match)
    writes(program, anna, match, "Before the block")
    blocks.block(by=ben, name="anna")
    writes(program, anna, match, "From the blocked one")
    writes(program, ben, match, "From the blocker")
    assert reads(program, carl, match) == ["From the blocker", "From the blocked one", "Before the block"]
    assert reads(program, anna, match) == ["From the blocked one", "Before the block"]
    assert reads(program, ben, match) == ["From the blocker"]
    assert [one.newest.text for one in press.unread(anna, 10)] == []
    assert [one.count for one in press.unread(carl, 10)] == [3]
    assert "From the blocked one" not in browser(ben).get(f"/matches/{match.number}/press").content.decode()
    mailing.work()
    written = {user: " ".join(mail.text for mail in mailing.sink.to(user.email)) for user in (anna, ben, carl)}
    assert "From the blocker" not in written[anna]
    assert "the blocked one" not in written[ben]
    assert "Before the block" not in written[ben]
    assert "From the blocked one" in written[carl]


def test_in_an_anonymous_match_a_block_tells_nothing(toy, anna, ben, program):
    match = opening.create_match(by=anna, game=toy, anonymous=True)
    blocks.block(by=ben, name="anna")
    assert match.number in [one["number"] for one in program(ben).get("/matches/?mine=false").json()["results"]]
    match = opening.join_match(by=ben, match=match)
    press.say(match=match, by=anna, by_seat=0, to=ALL, text="Who am I?", channel="api")
    assert reads(program, ben, match) == ["Who am I?"]
    play_out(match)
    match.refresh_from_db()
    assert reads(program, ben, match) == []


# --- seats ---


@pytest.mark.parametrize("blocker", ["anna", "ben"])
def test_the_lobby_hides_the_match_and_joining_is_refused_without_telling_who_blocked(toy, anna, ben, carl, program, blocker):
    match = opening.create_match(by=carl, game=toy, take_seat=False)
    opening.join_match(by=anna, match=match)
    blocks.block(by=anna if blocker == "anna" else ben, name="ben" if blocker == "anna" else "anna")
    assert program(ben).get("/matches/?mine=false").json()["results"] == []
    refused = program(ben).post(f"/matches/{match.number}/join/", {})
    assert (refused.status_code, refused.json()["code"]) == (422, "not_together")
    assert "anna" not in refused.json()["detail"]
    # An invitation by somebody else does not help.
    invitations.invite(by=carl, match=match, username="ben")
    with pytest.raises(Refused, match="do not play together"):
        opening.join_match(by=ben, match=match)


def test_a_match_hosted_by_the_blocked_one_is_closed_as_well(toy, anna, ben, program):
    match = opening.create_match(by=anna, game=toy, take_seat=False)
    blocks.block(by=ben, name="anna")
    assert program(ben).get("/matches/?mine=false").json()["results"] == []
    with pytest.raises(Refused, match="do not play together"):
        opening.join_match(by=ben, match=match)


def test_a_substitute_is_not_seated_beside_the_blocked_one_and_not_called(anna, ben, carl, player, program):
    match = opening.create_match(by=anna, game="stratastar", seats=2, watch="all")
    opening.join_match(by=ben, match=match)
    other = player("dora")
    for user in (carl, other):
        follows.follow(by=user, game="stratastar")
    blocks.block(by=carl, name="anna")
    substitutes.give_up(match=match, by=ben, seat=1)
    called = set(Outbox.objects.filter(kind="seat_free").values_list("user__username", flat=True))
    assert called == {"anna", "dora"}
    assert program(carl).get("/substitutes/").json()["results"] == []
    assert len(program(other).get("/substitutes/").json()["results"]) == 1
    with pytest.raises(Refused, match="do not play together"):
        substitutes.take_over(by=carl, match=match)
    # Those who played together return to their own seat.
    blocks.block(by=ben, name="anna")
    assert substitutes.take_over(by=ben, match=match).seats.get(index=1).user == ben


def test_a_rematch_invites_only_those_who_still_play_together(toy, anna, ben, program):
    match = opening.join_match(by=ben, match=opening.create_match(by=anna, game=toy))
    play_out(match)
    match.refresh_from_db()
    blocks.block(by=ben, name="anna")
    again = rematches.rematch(by=anna, match=match)
    assert again.status == Match.Status.OPEN
    assert not again.invitations.exists()


def test_who_blocks_the_host_of_a_rematch_opens_one_of_their_own(anna, ben, carl, program):
    match = opening.create_match(by=ben, game="stratastar", seats=3)
    for player in (anna, carl):
        match = opening.join_match(by=player, match=match)
    Match.objects.filter(pk=match.pk).update(status=Match.Status.FINISHED, ended_at=timezone.now())
    theirs = program(ben).post(f"/matches/{match.number}/rematch/").json()["number"]
    blocks.block(by=anna, name="ben")
    answer = program(anna).post(f"/matches/{match.number}/rematch/")
    assert answer.status_code == 201, answer.content
    own = Match.objects.get(number=answer.json()["number"])
    assert own.number != theirs
    assert [one.user for one in own.invitations.all()] == [carl]


def test_a_block_does_not_tell_who_has_invited_to_an_anonymous_match(anna, ben, toy):
    for anonymous in (True, False):
        match = opening.create_match(by=ben, game=toy, entry="invited", anonymous=anonymous)
        invitations.invite(by=ben, match=match, username="anna")
    assert len(invitations.pending(anna, 10)) == 2
    blocks.block(by=anna, name="ben")
    assert [one.match.anonymous for one in invitations.pending(anna, 10)] == [True]
