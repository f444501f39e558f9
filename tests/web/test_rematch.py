"""A rematch from the page of a match that is over, and through the API."""

from __future__ import annotations

import pytest

from gamesvc.matches.access.selectors import access_match
from gamesvc.matches.lobby import forks, invitations, opening
from gamesvc.matches.models import Invitation, Match
from tests.matches.playing import act, duel, play_out
from tests.web.page import form_to, forms

pytestmark = pytest.mark.django_db


@pytest.fixture
def over(toy, clients, people):
    match = duel(people[0], people[1])
    play_out(match)
    match.refresh_from_db()
    return match


def page(client, match):
    answer = client.get(f"/matches/{match.number}/")
    assert answer.status_code == 200
    return answer.content.decode()


def offers(client, match):
    return [form for form in forms(page(client, match)) if form.action.endswith("/rematch")]


def press(client, match, text):
    form = form_to(page(client, match), "/rematch", text)
    return client.post(form.action, form.fields)


def newest():
    return Match.objects.latest("number")


def test_one_player_asks_and_the_other_joins(over, clients, people):
    answer = press(clients[0], over, "Ask for a rematch")
    again = newest()
    assert answer["Location"] == f"/matches/{again.number}/"
    assert (again.game, again.options, again.hours, again.entry) == (over.game, over.options, over.hours, "invited")
    assert Invitation.objects.get().user == people[1]
    assert not offers(clients[0], over), "their own is open"
    assert f'href="/matches/{again.number}/"' in page(clients[0], over)
    answer = press(clients[1], over, "Join the rematch")
    assert answer["Location"] == f"/matches/{again.number}/"
    again.refresh_from_db()
    assert again.status == Match.Status.RUNNING
    assert [seat.user for seat in again.seats.order_by("index")] == [people[1], people[0]], "the other player begins"
    assert Match.objects.count() == 2


def test_who_played_alone_plays_again_and_asks_nobody(toy, clients, people):
    match = opening.create_match(by=people[0], game="space_fleet_commander", seats=1)
    act(match, 0, {"name": "resign"})
    match.refresh_from_db()
    assert "Ask for a rematch" not in page(clients[0], match)
    press(clients[0], match, "Play again")
    assert newest().status == Match.Status.RUNNING


def test_a_form_sent_twice_opens_one_rematch(over, clients):
    form = form_to(page(clients[0], over), "/rematch")
    first, second = (clients[0].post(form.action, form.fields) for _ in range(2))
    assert first["Location"] == second["Location"] == f"/matches/{newest().number}/"
    assert Match.objects.count() == 2


def test_a_second_form_is_refused_with_the_match_that_is_open(over, clients):
    old = form_to(page(clients[0], over), "/rematch")
    press(clients[0], over, "Ask")
    answer = clients[0].post(old.action, {**old.fields, "_once": ["another"]}, follow=True)
    assert f"Your rematch is open already: match {newest().number}." in answer.content.decode()
    assert Match.objects.count() == 2


def test_only_the_players_of_a_match_that_is_over_are_offered_one(toy, over, clients, people, player, client):
    match = duel(people[0], people[1])
    assert not offers(clients[0], match), "it still runs"
    Match.objects.update(watch="all")
    assert not offers(client, over), "not signed in"
    client.force_login(player("carla"))
    assert not offers(client, over)
    answer = client.post(f"/matches/{over.number}/rematch", follow=True)
    assert "You have no seat in this match" in answer.content.decode()
    assert Match.objects.count() == 2


@pytest.mark.parametrize(
    "terms", [{"hours": 1}, {"press": "none"}, {"anonymous": True}, {"entry": "public"}, {"reliability": {"finished": 90}}]
)
def test_a_match_on_other_terms_is_no_rematch(over, clients, people, terms):
    other = opening.create_match(by=people[0], game=over.game, options=over.options, **({"entry": "invited"} | terms))
    invitations.invite(by=people[0], match=other, username=people[1].username)
    press(clients[1], over, "Ask for a rematch")
    again = newest()
    assert again.pk != other.pk
    assert (again.creator, again.hours, again.status) == (people[1], over.hours, "open")
    assert not other.seats.filter(user=people[1]).exists()


def test_a_match_whose_host_does_not_play_is_no_rematch(over, clients, people, player):
    other = opening.create_match(by=people[0], game=over.game, options=over.options, entry="invited", take_seat=False)
    invitations.invite(by=people[0], match=other, username=people[1].username)
    friend = player("friend")
    invitations.invite(by=people[0], match=other, username=friend.username)
    opening.join_match(by=friend, match=other)
    press(clients[1], over, "Ask for a rematch")
    assert newest().creator == people[1]
    assert not other.seats.filter(user=people[1]).exists()


@pytest.fixture
def over_for_three(clients, people, player):
    """A match of three players that two have left to the first, and the third player."""
    third = player("third")
    match = opening.join_match(by=people[1], match=opening.create_match(by=people[0], game="stratastar", seats=3))
    match = opening.join_match(by=third, match=match)
    for seat in (2, 1):
        act(match, seat, {"name": "resign"})
    match.refresh_from_db()
    assert match.over
    return match, third


@pytest.mark.parametrize("instead", ["friend", "bot"])
def test_a_match_with_somebody_else_on_a_seat_is_no_rematch(over_for_three, clients, people, player, instead):
    """It would begin at once, as soon as the last of its seats is taken."""
    over, _third = over_for_three
    press(clients[0], over, "Ask for a rematch")
    again = newest()
    if instead == "friend":
        friend = player("friend")
        invitations.invite(by=people[0], match=again, username=friend.username)
        opening.join_match(by=friend, match=again)
    else:
        opening.add_bot(by=people[0], match=again, seat=None, bot="random")
    press(clients[1], over, "Ask for a rematch")
    assert not again.seats.filter(user=people[1]).exists()
    assert newest().creator == people[1]
    opening.join_match(by=people[1], match=again)  # knowing who sits there


def test_the_third_player_joins_the_rematch_of_the_other_two(over_for_three, clients, people, client):
    over, third = over_for_three
    press(clients[0], over, "Ask for a rematch")
    press(clients[1], over, "Join the rematch")
    client.force_login(third)
    press(client, over, "Join the rematch")
    assert newest().status == Match.Status.RUNNING
    assert set(newest().seats.values_list("user", flat=True)) == {people[0].pk, people[1].pk, third.pk}


def test_a_fork_of_the_match_is_no_rematch(over, clients, people):
    access = access_match(user=people[0], ident=str(over.number))
    other = forks.fork(access=access, version=8, hours=over.hours, entry="invited", clock=over.clock)
    invitations.invite(by=people[0], match=other, username=people[1].username)
    press(clients[1], over, "Ask for a rematch")
    assert newest().creator == people[1]
    assert not other.seats.filter(user=people[1]).exists()


def test_a_board_is_not_played_again(over, clients):
    form = form_to(clients[0].get(f"/matches/{over.number}/?at=8").content.decode(), "/fork")
    clients[0].post(form.action, {**form.fields, "kind": ["board"]})
    board = newest()
    assert board.board
    play_out(board)
    board.refresh_from_db()
    assert board.over
    assert not offers(clients[0], board)
    answer = clients[0].post(f"/matches/{board.number}/rematch", follow=True)
    assert "You have no seat in this match" in answer.content.decode()
    assert Match.objects.count() == 2


def test_programs_ask_for_a_rematch_and_join_it(over, people, program):
    anna, ben = program(people[0]), program(people[1])
    asked = anna.post(f"/matches/{over.number}/rematch/")
    assert asked.status_code == 201
    assert (asked.json()["status"], asked.json()["number"]) == ("open", newest().number)
    again = anna.post(f"/matches/{over.number}/rematch/")
    assert (again.status_code, again.json()["code"]) == (422, "rematch_open")
    joined = ben.post(f"/matches/{over.number}/rematch/")
    assert joined.status_code == 201
    assert (joined.json()["id"], joined.json()["status"]) == (asked.json()["id"], "running")


def test_a_program_may_not_ask_before_the_end(toy, people, program):
    match = duel(people[0], people[1])
    answer = program(people[0]).post(f"/matches/{match.number}/rematch/")
    assert (answer.status_code, answer.json()["code"]) == (422, "not_over")
