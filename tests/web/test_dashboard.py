"""The page with a reader's own matches: what waits for them, and answers without opening a match."""

import re
from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from gamesvc.matches.lobby import invitations, opening, press, substitutes
from gamesvc.matches.models import Match, Question, Seat
from gamesvc.matches.record import loading
from gamesvc.matches.timekeeping import pauses
from tests.matches.playing import act
from tests.web.page import form_to, forms

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _clean():
    loading.forget_all()


@pytest.fixture
def match(toy_offered, people):
    """A running match of the first two people."""
    opened = opening.create_match(by=people[0], game="toy")
    return opening.join_match(by=people[1], match=opened)


def html(response) -> str:
    return " ".join(response.content.decode().split())


def awaited(match, clients):
    [one] = loading.load(match.id, "toy").awaited()
    return one.seat, clients[one.seat], clients[1 - one.seat]


def test_the_head_of_the_tab_names_the_next_match(match, clients):
    _seat, client, other = awaited(match, clients)
    page = html(client.get("/"))
    assert re.search(rf"<title>\(1\) My matches: Toy {match.number} due \w+ \d+ \w+ \d\d:\d\d", page), page[:400]
    assert f"Play next: Toy {match.number}" in page
    assert "<title>My matches</title>" in html(other.get("/"))
    assert "Play next" not in html(other.get("/"))


def test_a_card_tells_the_last_act(match, clients):
    seat, _client, other = awaited(match, clients)
    act(match, seat)
    assert '<p class="last">' in html(other.get("/"))


def test_an_invitation_is_answered_on_the_page(toy_offered, people, clients):
    kept, declined = (opening.create_match(by=people[0], game="toy", entry="invited") for _ in range(2))
    for match in (kept, declined):
        invitations.invite(by=people[0], match=match, username=people[1].username)
    page = html(clients[1].get("/"))
    assert page.count("ines invites you to") == 2
    for match, answer in ((kept, "accept"), (declined, "decline")):
        invitation = match.invitations.get()
        form = next(one for one in forms(page) if one.fields.get("invitation") == [str(invitation.pk)])
        assert clients[1].post(form.action, form.fields | {"act": [answer]}).status_code == 302
    assert Seat.objects.filter(user=people[1]).values_list("match", flat=True).get() == kept.pk
    assert "invites you" not in html(clients[1].get("/"))
    assert clients[1].get(f"/matches/{declined.number}/").status_code == 404


def test_nobody_answers_the_invitation_of_another(toy_offered, people, clients):
    match = opening.create_match(by=people[0], game="toy", entry="invited")
    invitation, _token = invitations.invite(by=people[0], match=match, username=people[1].username)
    for answer in ("accept", "decline"):
        clients[2].post("/invitations/answer", {"invitation": invitation.pk, "act": answer})
    assert match.invitations.filter(accepted_at=None, declined_at=None).exists()
    assert not match.seats.filter(user=people[2]).exists()


def test_a_pause_is_agreed_on_the_page(match, people, clients):
    pauses.wish(match=match, by=people[0], seat=0, pause=True)
    assert "asks to pause" not in html(clients[0].get("/"))
    form = form_to(html(clients[1].get("/")), f"/matches/{match.number}/absence")
    answer = clients[1].post(form.action, form.fields)
    assert answer["Location"] == "/"
    match.refresh_from_db()
    assert match.paused_at is not None


def test_messages_wait_until_they_are_read(match, people, clients):
    press.say(match=match, by=people[0], by_seat=0, to="all", text="Hello <b>there</b>", channel="web")
    press.say(match=match, by=people[0], by_seat=0, to="all", text="Still there?", channel="web")
    page = html(clients[1].get("/"))
    assert "2 unread messages, the last from ines" in page
    assert "Still there?" in page
    assert "unread" not in html(clients[0].get("/"))
    clients[1].get(f"/matches/{match.number}/press")
    assert "unread" not in html(clients[1].get("/"))


def test_a_private_message_is_unread_for_its_receiver_alone(toy_offered, people, clients):
    match = opening.create_match(by=people[0], game="toy")
    match = opening.join_match(by=people[1], match=match)
    press.say(match=match, by=people[0], by_seat=0, to=[1], text="Between us", channel="web")
    assert "Between us" in html(clients[1].get("/"))
    assert "Between us" not in html(clients[2].get("/"))


def test_a_new_player_finds_each_game(toy_offered, clients):
    page = html(clients[0].get("/"))
    assert "Nothing to answer" in page
    form = form_to(page, "/new/toy/now")
    answer = clients[0].post(form.action, form.fields)
    match = Match.objects.get()
    assert answer["Location"] == f"/matches/{match.number}/"
    assert match.status == Match.Status.RUNNING
    assert [seat.bot for seat in match.seats.order_by("index")] == ["", list(toy_offered.bots)[-1]]


@pytest.mark.parametrize("game", ["stratastar", "space_war", "star_commander", "space_fleet_commander"])
def test_each_game_starts_with_one_click(game, people, clients):
    answer = clients[0].post(f"/new/{game}/now")
    match = Match.objects.get()
    assert answer["Location"] == f"/matches/{match.number}/"
    assert match.status == Match.Status.RUNNING
    picture = clients[0].get(f"/matches/{match.number}/thumbnail.svg")
    assert picture["Content-Type"] == "image/svg+xml"
    body = picture.content.decode()
    assert "<text" not in body
    assert "prefers-color-scheme:dark" in body


def test_a_thumbnail_is_kept_by_version(match, people, clients):
    address = f"/matches/{match.number}/thumbnail.svg"
    first = clients[0].get(address)
    assert "no-cache" in first["Cache-Control"]
    assert clients[0].get(address, headers={"If-None-Match": first["ETag"]}).status_code == 304
    version = loading.load(match.id, "toy").viewer_version(0)
    assert "max-age=86400" in clients[0].get(f"{address}?v={version}")["Cache-Control"]
    assert "Cookie" in first["Vary"]
    seat, *_ = awaited(match, clients)
    act(match, seat, {"name": "draw"})
    assert clients[seat].get(address)["ETag"] != first["ETag"]


def test_a_thumbnail_is_for_those_who_may_look(match):
    assert Client().get(f"/matches/{match.number}/thumbnail.svg").status_code == 404


def test_a_long_list_shows_its_first_matches_and_the_way_to_all(toy_offered, people, clients, monkeypatch):
    monkeypatch.setattr("gamesvc.paging.CARDS", 2)
    for _ in range(3):
        opening.join_match(by=people[1], match=opening.create_match(by=people[0], game="toy"))
        opening.create_match(by=people[2], game="toy")
    found = {}
    for reader, part in ((clients[0], "turns"), (clients[1], "waiting"), (clients[2], "open")):
        page = html(reader.get("/"))
        section = page.split(f'id="{part}"')
        if len(section) == 1:  # the toy asks the other seat first
            continue
        [link] = re.findall(r'href="(\?all=1#\w+)">Show all 3</a>', section[1].split("</section>")[0])
        every = html(reader.get(f"/{link.partition('#')[0]}"))
        found[part] = [len(set(re.findall(r'href="/matches/(\d+)/"', one))) for one in (page, every)]
        assert link.endswith(f"#{part}")
        assert "Show all" not in every
    assert found == {part: [2, 3] for part in ("turns", "waiting", "open")}


def test_more_matches_cost_no_more_queries_and_load_no_more_positions(toy_offered, people, clients, monkeypatch):
    monkeypatch.setattr("gamesvc.paging.CARDS", 1)
    loaded: list[int] = []
    load_many = loading.load_many
    monkeypatch.setattr(loading, "load_many", lambda games: loaded.append(len(games)) or load_many(games))

    def add(count: int) -> Match:
        for _ in range(count):
            opening.create_match(by=people[0], game="toy")
            match = opening.join_match(by=people[1], match=opening.create_match(by=people[0], game="toy"))
        return match

    def cost(client: Client) -> tuple[int, list[int]]:
        client.get("/")  # keeps what a process reads once
        loading.forget_all()
        loaded.clear()
        with CaptureQueriesContext(connection) as queries:
            client.get("/")
        return len(queries), list(loaded)

    _seat, client, _other = awaited(add(2), clients)
    few = cost(client)
    assert few[1][0] == 1
    add(3)
    assert cost(client) == few


def test_turns_come_by_deadline_however_many_there_are(toy_offered, people, clients, monkeypatch):
    monkeypatch.setattr("gamesvc.paging.CARDS", 2)
    for _ in range(4):
        opening.join_match(by=people[1], match=opening.create_match(by=people[0], game="toy"))
    asked = Question.objects.order_by("match__number")
    seat = asked[0].seat
    for days, question in zip((3, 1, 4, 2), asked, strict=True):
        Question.objects.filter(pk=question.pk).update(due_at=timezone.now() + timedelta(days=days), grace_from=None)
    numbers = [question.match.number for question in asked]
    section = html(clients[seat].get("/")).split('id="turns"')[1].split("</section>")[0]
    assert re.findall(r'<h3 class="h3"><a href="/matches/(\d+)/"', section) == [str(numbers[1]), str(numbers[3])]


def test_a_match_that_its_host_sees_late_has_no_deadline_to_come_by(toy_offered, people, clients):
    late = opening.create_match(by=people[0], game="toy", watch="all", watch_delay=24)
    opening.join_match(by=people[1], match=late)
    substitutes.give_up(by=people[0], match=late, seat=0)
    hosted = opening.create_match(by=people[0], game="toy", watch="all", watch_delay=24)
    opening.join_match(by=people[1], match=hosted)
    Question.objects.filter(match=late).update(due_at=timezone.now() + timedelta(days=1), grace_from=None)
    Question.objects.filter(match=hosted).update(due_at=timezone.now() + timedelta(days=2), grace_from=None, seat=1)
    section = html(clients[0].get("/")).split('id="waiting"')[1].split("</section>")[0]
    assert re.findall(r'<h3 class="h3"><a href="/matches/(\d+)/"', section) == [str(hosted.number), str(late.number)]
