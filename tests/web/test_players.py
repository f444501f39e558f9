"""The player's page, leaderboards and ratings on pages: what they show, and what they keep to themselves."""

import re

import pytest

from gamesvc import paging
from gamesvc.matches.lobby import opening
from gamesvc.matches.models import Invitation, Match, Rating
from tests.matches.playing import act
from tests.web.page import chosen, form_to
from tests.web.rated import ended, follow, season

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("feed", "many_matches")]


def html(client, path):
    response = client.get(path)
    assert response.status_code == 200
    # The token of a form is another one each time.
    return re.sub(r'value="\w{64}"', "", " ".join(response.content.decode().split()))


def listed(page):
    """Return the numbers of the matches in the list of a player's page."""
    section = page.split('id="matches"')[1].split("</section>")[0]
    return [int(number) for number in re.findall(r'href="/matches/(\d+)/\?at=0"', section)]


def test_a_player_is_shown_with_rating_results_and_matches(people, clients):
    ines, marek, tolu = people
    last = season(ines, marek, tolu)
    page = html(clients[1], "/players/ines/")
    assert "±" in page
    assert 'aria-label="Rating in Stratastar' in page
    assert '<b>4</b><span class="note">ines was better' in page
    assert '<b>1</b><span class="note">you were better' in page
    assert f"Rematch: Stratastar {last.number}" in page
    assert 'href="/new/?invite=ines"' in page
    mine = html(clients[0], "/players/ines/")
    assert "Invite to a match" not in mine
    assert "You against" not in mine
    assert "after 3 more" in html(clients[0], "/players/tolu/")
    assert "±" not in html(clients[0], "/players/tolu/")


def test_private_matches_are_listed_for_those_who_played_them(people, clients):
    ines, marek, _tolu = people
    private, public = ended(ines, marek, watch="nobody"), ended(ines, marek)
    assert listed(html(clients[1], "/players/ines/")) == [public.number, private.number]
    assert listed(html(clients[2], "/players/ines/")) == [public.number]
    other = ended(ines, marek, game="space_war")
    assert listed(html(clients[2], "/players/ines/?game=space_war")) == [other.number]


def test_matches_are_paged(people, clients, monkeypatch):
    monkeypatch.setattr(paging, "PLAYED", 2)
    numbers = [ended(people[0], people[1]).number for _ in range(3)]
    assert listed(html(clients[2], "/players/ines/")) == [numbers[2], numbers[1]]
    assert listed(html(clients[2], f"/players/ines/?before={numbers[1]}")) == [numbers[0]]


def test_nobody_learns_from_the_page_who_plays_an_anonymous_match(people, clients):
    """Nor its opponent: both play in it, and neither knows the other."""
    ines, marek, _tolu = people
    before = html(clients[1], "/players/ines/")
    match = opening.join_match(by=marek, match=opening.create_match(by=ines, game="stratastar", anonymous=True, watch="all"))
    follow()
    after = html(clients[1], "/players/ines/")
    assert after.split("<main")[1] == before.split("<main")[1]
    open_one = opening.join_match(by=marek, match=opening.create_match(by=ines, game="stratastar"))
    assert '<b>1</b><span class="note">running' in html(clients[1], "/players/ines/")
    act(match, 0, {"name": "resign"})
    act(open_one, 0, {"name": "resign"})
    follow()
    assert listed(html(clients[1], "/players/ines/")) == [open_one.number, match.number]


def test_pages_of_the_leaderboard_go_on_where_the_last_ended(people, clients, monkeypatch):
    season(*people)
    Rating.objects.update(matches=5, low=100.0)
    monkeypatch.setattr("gamesvc.paging.LEADERS", 1)
    path, found = "/games/stratastar/leaderboard/", []
    for place in (1, 2, 3):
        page = html(clients[0], path)
        [row] = re.findall(
            r'<tr[^>]*><td class="n" data-l="Place">(\d)</td>\s*<th scope="row"><a\s+href="/players/(\w+)/">', page
        )
        assert row[0] == str(place)
        found.append(row[1])
        if place < 3:
            path = f"/games/stratastar/leaderboard/{re.search('href=.([^ ]*).>Next places', page)[1]}".replace("&amp;", "&")
    assert "Next places" not in page
    assert sorted(found) == sorted(one.username for one in people)


def test_the_leaderboard_shows_players_their_place(people, clients, client):
    season(*people)
    page = html(clients[1], "/games/stratastar/leaderboard/")
    assert "You are in place <b>2</b>" in page
    assert "tolu" not in page
    assert "You are in place" not in html(clients[2], "/games/stratastar/leaderboard/")
    assert "Nobody is in this place" in html(clients[2], "/games/stratastar/leaderboard/?after=50&behind=x")
    assert "Nobody has 5 rated matches yet" in html(clients[2], "/games/space_war/leaderboard/")
    assert client.get("/games/stratastar/leaderboard/").status_code == 302, "figures of players are for players"
    assert "How ratings work" in html(client, "/ratings/")
    assert clients[0].get("/games/chess/leaderboard/").status_code == 404


def test_ratings_are_in_the_api(people, program):
    season(*people)
    board = program(people[2]).get("/games/stratastar/leaderboard/").json()
    assert [(row["place"], row["name"], row["matches"], row["won"]) for row in board["players"]] == [
        (1, "ines", 6, 5),
        (2, "marek", 6, 2),
    ]
    assert board["bots"] == []
    [rating] = program(people[2]).get("/players/ines/").json()["ratings"]
    assert rating == {key: value for key, value in board["players"][0].items() if key not in ("place", "name")}
    [provisional] = program(people[0]).get("/players/tolu/").json()["ratings"]
    assert provisional == {
        "game": "stratastar", "rating": None, "range": None, "provisional": True, "matches": 2, "won": 0,
    }  # fmt: skip
    assert program(people[0]).get("/games/chess/leaderboard/").json()["code"] == "unknown_game"


def test_the_form_for_a_match_invites_the_player(people, clients):
    page = html(clients[0], "/new/stratastar/?invite=marek")
    assert 'name="invite" value="marek"' in page
    assert 'value="invited" checked' in page
    assert "/new/space_war/?invite=marek" in page
    assert 'name="invite" value=""' in html(clients[0], "/new/stratastar/?invite=nobody")
    form = form_to(clients[0].get("/new/stratastar/?invite=marek").content.decode(), "", "Create game")
    answer = clients[0].post("/new/stratastar/", chosen(form, {}))
    assert answer.status_code == 302
    assert Invitation.objects.get().user == people[1]
    refused = clients[0].post("/new/stratastar/", chosen(form, {"invite": ["nobody"]}))
    assert refused.status_code == 422
    assert "There is no user" in refused.content.decode()
    assert Match.objects.count() == 1, "a refused invitation opens no match"
    clients[0].post("/new/stratastar/", chosen(form, {"entry": ["public"]}))
    assert Invitation.objects.count() == 1, "the field belongs to the choice"
