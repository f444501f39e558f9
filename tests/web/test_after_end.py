"""The panel of a match that is over, and a game's figures: result, ratings, the ways on, and nothing for strangers to pass on."""

import pytest
from django.test import Client

from gamesvc.matches.reading import figures
from tests.web.rated import ended, follow, season

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("feed", "many_matches")]


def html(client, path):
    response = client.get(path)
    assert response.status_code == 200
    return " ".join(response.content.decode().split())


def result(client, path):
    return html(client, path).split('id="result"')[1].split("</section>")[0]


def path_of(match):
    return f"/matches/{match.number}/"


def test_the_result_tells_what_decided_the_match_and_leads_on(people, clients, settings):
    match = ended(people[0], people[1])
    page = result(clients[0], path_of(match))
    assert "The last empire standing." in page
    assert f"{people[1].username} won." in page or "You won." in page
    shown = html(clients[0], path_of(match))
    bar = shown[shown.index('id="says"') : shown.index('id="choices"')]
    assert " won" in bar, "the bar tells who won and why, not the last act"
    assert "The last empire standing." in bar
    assert "Rating" not in page, "it is not rated yet"
    follow()
    page = result(clients[0], path_of(match))
    assert page.count("provisional") == 2
    for way in ("rematch", "next"):
        assert f"/matches/{match.number}/{way}" in page
    assert f'/matches/{match.number}/export/" download' in page
    assert "?at=" in page
    assert f'readonly value="{settings.BASE_URL}/matches/{match.number}/"' in page


def test_changes_of_ratings_are_shown_once_there_are_enough(people, clients):
    last = season(*people)
    page = result(clients[2], path_of(last))
    assert '<span class="quiet no">+' in page
    assert '<span class="quiet no">-' in page
    assert "provisional" not in page
    assert "/rematch" not in page, "only players ask for a rematch"


def test_a_link_is_passed_on_by_those_who_have_it(people, clients):
    private, linked = (ended(people[0], people[1], watch=watch) for watch in ("nobody", "link"))
    assert "Link to share" not in result(clients[0], path_of(private))
    assert linked.link_token in result(clients[0], path_of(linked))
    stranger = result(Client(), f"/matches/{linked.number}/?link={linked.link_token}")
    assert "Link to share" not in stranger


def test_a_game_shows_its_best_players_and_what_each_seat_wins(people, clients, monkeypatch):
    season(*people)
    monkeypatch.setattr(figures, "FEWEST", 5)
    page = html(clients[2], "/games/stratastar/")
    assert figures.of_game("stratastar").won == (100, 0)
    assert "100 %" in page
    assert page.index('href="/players/ines/"') < page.index('href="/players/marek/"')
    assert "/players/" not in html(Client(), "/games/stratastar/"), "figures of players are for players"
