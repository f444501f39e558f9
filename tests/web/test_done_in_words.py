"""After an act the page tells what was done, and what can be undone, in the words of the log and in the reader's language."""

from __future__ import annotations

import random
import re
from html import unescape

import pytest

from gamesvc.games import catalog
from gamesvc.matches.lobby import opening
from gamesvc.matches.record import loading
from tests.web.page import chosen, form_to
from tests.web.test_pages import html

SAYS = re.compile(r'id="says"[^>]*><b\s+class="success">(.*?)</b>', re.DOTALL)
LOG = re.compile(r'<ol class="log"[^>]*>(.*?)</ol>', re.DOTALL)
UNDO = re.compile(r'name="act"\s+value="undo">(?:Undo|Ask to undo): (.*?)</button>', re.DOTALL)
ACTS = 4


@pytest.mark.django_db
@pytest.mark.parametrize("game_id", catalog.OFFERED)
def test_the_page_tells_an_act_as_the_log_does(game_id, people, clients):
    rng, seats = random.Random(game_id), 1 if game_id == "space_fleet_commander" else 2
    match = opening.create_match(by=people[0], game=game_id, seats=seats)
    if seats == 2:
        opening.join_match(by=people[1], match=match)
    undone = 0
    for _ in range(ACTS):
        loaded = loading.load(match.id, game_id)
        game, state, seat = loaded.game, loaded.timeline.state, loaded.awaited()[0].seat
        command = game.bots["greedy"](game.view(state, seat), game.legal_commands(state, seat), rng)
        client = clients[seat]
        form = form_to(html(client.get(f"/matches/{match.number}/")), "/orders")
        page = html(client.post(form.action, chosen(form, {"orders": [game.render(command)]}), follow=True))
        [said], log = SAYS.findall(page), " ".join(LOG.findall(page))
        first = unescape(said).split(". ")[0].rstrip(".")
        assert first in unescape(log), "the sentence stands in the log"
        assert game.render(command) not in unescape(said)
        for act in UNDO.findall(page):
            undone += 1
            assert unescape(act).split(". ")[0].rstrip(".") in unescape(log)
    assert undone


@pytest.mark.django_db
def test_the_words_are_in_the_language_of_the_reader(people, clients):
    for person in people:
        person.language = "de"
        person.save(update_fields=["language"])
    match = opening.create_match(by=people[0], game="stratastar", seats=2)
    opening.join_match(by=people[1], match=match)
    seat = loading.load(match.id, "stratastar").awaited()[0].seat
    form = form_to(html(clients[seat].get(f"/matches/{match.number}/")), "/orders")
    page = html(clients[seat].post(form.action, chosen(form, {"orders": ["home A1"]}), follow=True))
    assert SAYS.findall(page) == ["Du hast deine Homeworld in A1 gesetzt."]
