"""The lists of the lobby: open matches with filters, matches to watch, and the archive with search."""

import html
import re

import pytest
from django.db import connection
from django.test import Client

from gamesvc.matches.lobby import opening
from gamesvc.matches.models import Match
from gamesvc.matches.record import loading
from tests.matches.playing import play_out
from tests.web.page import chosen, form_to

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _clean():
    loading.forget_all()


def numbers(client, path, query=None) -> list[int]:
    """Return the matches of a list in their order."""
    found = re.findall(r'href="/matches/(\d+)/(?:\?at=0)?">', client.get(path, query or {}).content.decode())
    return list(dict.fromkeys(int(number) for number in found))


def running(people, **more) -> Match:
    match = opening.create_match(by=people[0], game="toy", **more)
    return opening.join_match(by=people[1], match=match)


def finished(people, **more) -> Match:
    match = running(people, **more)
    play_out(match)
    match.refresh_from_db()
    assert match.status == "finished"
    return match


def prepared() -> set[str]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT statement FROM pg_prepared_statements")
        return {statement for (statement,) in cursor.fetchall()}


def test_lists_are_planned_with_their_filters(clients):
    before = prepared()
    for _ in range(8):
        clients[0].get("/lobby/", {"seats": "1"})
    assert [statement for statement in prepared() - before if 'FROM "matches_' in statement] == []


def test_open_matches_are_filtered(toy_offered, people, clients):
    fast = opening.create_match(by=people[1], game="toy", hours=12).number
    slow = opening.create_match(by=people[1], game="toy", hours=168).number
    people[2].language = "de"
    people[2].save()
    german = opening.create_match(by=people[2], game="toy", hours=48).number
    for query, fits in (
        ({}, [german, slow, fast]),
        ({"pace": "fast"}, [fast]),
        ({"pace": "slow"}, [slow]),
        ({"language": "de"}, [german]),
        ({"game": "toy", "seats": "2", "pace": "usual"}, [german]),
        ({"seats": "1"}, []),
        ({"pace": "swift"}, [german, slow, fast]),
    ):
        assert numbers(clients[0], "/lobby/", query) == fits, query
    page = clients[0].get("/lobby/", {"seats": "1"}).content.decode()
    assert "No open match fits." in page
    assert "Show all" in page


def test_own_open_matches_come_first(toy_offered, people, clients):
    own = opening.create_match(by=people[0], game="toy").number
    other = opening.create_match(by=people[1], game="toy").number
    assert numbers(clients[0], "/lobby/") == [own, other]
    assert "Your open matches" not in clients[2].get("/lobby/").content.decode()


def test_pages_of_the_lobby_go_on_where_the_last_ended(toy_offered, people, clients, monkeypatch):
    monkeypatch.setattr("gamesvc.paging.LOBBY", 2)
    opened = [opening.create_match(by=people[1], game="toy", hours=12).number for _ in range(3)]
    page = clients[0].get("/lobby/?pace=fast").content.decode()
    [older] = re.findall(r'href="(\?before=[^"]*)">Older', page)
    assert numbers(clients[0], "/lobby/?pace=fast") == opened[:0:-1]
    assert numbers(clients[0], f"/lobby/{older.replace('&amp;', '&')}") == opened[:1]


def test_everyone_watches_public_matches_alone(toy_offered, people, clients):
    public = running(people, watch="all")
    running(people, watch="link")
    running(people, watch="nobody")
    for client in (clients[0], clients[2], Client()):
        assert numbers(client, "/lobby/watch/") == [public.number]
        assert numbers(client, "/lobby/watch/", {"pace": "fast"}) == []


def test_players_of_anonymous_matches_stay_hidden_while_they_run(toy_offered, people):
    running(people, watch="all", anonymous=True)
    page = Client().get("/lobby/watch/").content.decode()
    assert "player 1" in page
    assert people[0].username not in page


def test_the_archive_is_searched(toy_offered, people, clients):
    public, private = finished(people, watch="all"), finished(people, watch="nobody")
    strangers = finished(people[1:], watch="all")
    assert numbers(Client(), "/lobby/archive/") == [strangers.number, public.number]
    assert numbers(Client(), "/lobby/archive/", {"player": people[0].username}) == [public.number]
    assert numbers(clients[0], "/lobby/archive/", {"player": people[0].username}) == [private.number, public.number]
    assert numbers(clients[2], "/lobby/archive/", {"player": people[0].username}) == [public.number]
    page = Client().get("/lobby/archive/", {"player": "nobody-of-this-name"}).content.decode()
    assert "There is no player with this name." in page
    answer = Client().get("/lobby/archive/", {"player": str(public.number)})
    assert answer["Location"] == f"/matches/{public.number}/"
    names = public.outcome["ranking"][0]
    assert f"{people[names[0]].username}" in Client().get("/lobby/archive/").content.decode()


def test_a_replay_begins_at_the_first_position(toy_offered, people):
    match = finished(people, watch="all")
    page = Client().get(f"/matches/{match.number}/?at=0")
    assert page.status_code == 200


def test_a_match_is_joined_from_the_list(toy_offered, people, clients):
    match = opening.create_match(by=people[0], game="toy")
    form = form_to(clients[1].get("/lobby/").content.decode(), f"/matches/{match.number}/seats")
    assert clients[1].post(form.action, form.fields).status_code == 302
    match.refresh_from_db()
    assert match.status == "running"


def test_two_readers_of_the_lobby_are_paired(clients, people):
    for client, status in ((clients[0], "open"), (clients[0], "open"), (clients[1], "running")):
        form = form_to(client.get("/lobby/").content.decode(), "/new/stratastar/pair")
        answer = client.post(form.action, form.fields)
        match = Match.objects.get()
        assert answer["Location"] == f"/matches/{match.number}/"
        assert match.status == status
    assert clients[2].get("/new/stratastar/pair")["Location"] == "/lobby/"
    assert "/pair" not in Client().get("/lobby/").content.decode()


def test_create_one_like_this_keeps_what_was_looked_for(people, clients):
    wanted = {"game": "stratastar", "seats": "3", "pace": "slow", "finished": "90", "timeouts": "3", "answer_hours": "12"}
    page = clients[0].get("/lobby/", wanted).content.decode()
    address = html.unescape(re.search(r'href="([^"]+)">Create one like this', page)[1])
    form = form_to(clients[0].get(address).content.decode(), "", "Create game")
    assert clients[0].post("/new/stratastar/", chosen(form, {})).status_code == 302
    match = Match.objects.get()
    assert (match.seat_count, match.hours, match.reliability) == (3, 120, {"finished": 90, "timeouts": 3})
    page = clients[0].get("/lobby/", {**wanted, "game": ""}).content.decode()
    address = html.unescape(re.search(r'href="([^"]+)">Create one like this', page)[1])
    assert "/new/stratastar/?seats=3&amp;hours=120" in clients[0].get(address).content.decode().replace("&amp;amp;", "&amp;")


def test_an_address_fills_in_numbers_alone(clients):
    page = clients[0].get("/new/stratastar/", {"seats": "<b>", "hours": "9" * 50, "finished": "-1"})
    assert page.status_code == 200
    assert b"<b>" not in page.content
