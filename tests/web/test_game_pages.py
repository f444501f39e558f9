"""Pages about the games: each game is introduced, its cards are found, and the front page leads to it."""

import re

import pytest
from django.test import Client
from django.utils import translation

from gamesvc.games import catalog, lessons, specimen
from tests.web.page import form_to

pytestmark = pytest.mark.django_db

GAMES = [game.id for game in catalog.games()]


def html(response) -> str:
    return " ".join(response.content.decode().split())


@pytest.mark.parametrize("game", GAMES)
def test_a_game_is_introduced(game, clients):
    page = html(Client().get(f"/games/{game}/"))
    assert f"/accounts/signup/?next=/new/{game}/now" in page
    assert f'src="/static/games/{game}.svg"' in page
    section = page.split("In two minutes</h2>")[1]
    assert "<li>" in section.split("</article>")[0]
    assert f'action="/new/{game}/now"' in html(clients[0].get(f"/games/{game}/"))


@pytest.mark.parametrize("game", GAMES)
def test_cards_are_found_by_kind_and_by_text(game):
    entries = specimen.reference(game)
    everything = html(Client().get(f"/games/{game}/cards/"))
    assert everything.count("<article") == len(entries)
    wanted = entries[-1]
    found = html(Client().get(f"/games/{game}/cards/", {"q": wanted.name.upper(), "kind": wanted.kind}))
    assert f'id="{wanted.id}"' in found
    assert 0 < found.count("<article") < len(entries)
    assert "No card contains “<script>”" not in html(Client().get(f"/games/{game}/cards/", {"q": "<script>"}))
    assert "No card contains “&lt;script&gt;”" in html(Client().get(f"/games/{game}/cards/", {"q": "<script>"}))


@pytest.mark.parametrize("game", GAMES)
def test_the_language_of_one_reader_is_not_that_of_the_next(game):
    told = []
    for language in ("de", "en", "de"):
        with translation.override(language):
            told.append([(entry.kind, entry.line) for entry in specimen.reference(game)])
    assert told[0] == told[2] != told[1]


def test_the_front_page_leads_a_stranger_to_each_game():
    page = html(Client().get("/"))
    for game in GAMES:
        assert f'href="/games/{game}/"' in page
        assert f"/accounts/signup/?next=/new/{game}/now" in page


def test_the_way_back_from_the_sign_up_leads_to_the_game(clients):
    assert clients[0].get("/new/stratastar/now")["Location"] == "/games/stratastar/"


@pytest.mark.parametrize("game", [game for game in GAMES if lessons.lesson(game) is not None])
def test_a_lesson_is_played_without_an_account(game):
    client, address = Client(), f"/games/{game}/learn/"
    assert f'href="{address}"' in html(client.get(f"/games/{game}/"))
    for number, step in enumerate(lessons.lesson(game).steps):
        page = html(client.get(address, {"step": number}))
        assert step.title in page
        assert "<svg" in page
        refused = client.get(address, {"step": number, "order": "gibberish"})
        assert refused.status_code == 422
        assert 'role="alert"' in html(refused)
        answer = client.get(address, {"step": number, "order": step.order})
        assert answer["Location"] == f"{address}?step={number + 1}"
    assert "Well begun" in html(client.get(answer["Location"]))


def test_a_search_finds_rules_and_cards_of_all_games():
    page = html(Client().get("/games/", {"q": "warp"}))
    assert '<form method="get" action="/games/"' in html(Client().get("/games/"))
    addresses = re.findall(r'<h3 class="h3"><a href="([^"]*)"', page)
    assert {address.split("/")[2] for address in addresses} == {"stratastar", "space_war"}
    assert {address.split("/")[3] for address in addresses} == {"rules", "cards"}
    for address in addresses:
        path, anchor = address.split("#")
        assert f'id="{anchor}"' in html(Client().get(path)), address
    assert "<mark>warp</mark>" in page.lower()


@pytest.mark.parametrize("game", GAMES)
def test_a_search_from_the_rules_stays_in_the_game(game):
    form = form_to(Client().get(f"/games/{game}/rules/").content.decode(), "/games/")
    assert form.fields["game"] == [game]
    page = html(Client().get(form.action, {**form.fields, "q": "turn"}))
    addresses = re.findall(r'<h3 class="h3"><a href="([^"]*)"', page)
    assert {address.split("/")[2] for address in addresses} == {game}


def test_a_search_needs_all_words_in_any_order_and_case():
    entry = specimen.reference("space_war")[0]
    words = f"{entry.name} {entry.kind}".upper().split()
    assert f'#{entry.id}"' in html(Client().get("/games/", {"q": entry.name.upper()}))
    assert f'#{entry.id}"' in html(Client().get("/games/", {"q": " ".join(reversed(entry.name.split()))}))
    assert f'#{entry.id}"' not in html(Client().get("/games/", {"q": f"{words[0]} gibberish"}))


def test_a_search_without_result_says_so():
    page = html(Client().get("/games/", {"q": "<script>"}))
    assert "No rule and no card contains “&lt;script&gt;”." in page
    assert 'class="tile"' in html(Client().get("/games/", {"q": "  "}))
    assert html(Client().get("/games/", {"q": "turn", "game": "no_game"})).count("<h2>") == len(GAMES)
