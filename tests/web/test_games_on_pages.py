"""Every game on offer can be played on the page: its forms fit the controls, in play and through the whole stack."""

import random
import re
from dataclasses import replace

import pytest
from django.test import Client
from django.utils.html import escape

from gamesvc.games import catalog
from gamesvc.games.acts import acts
from gamesvc.games.kernel import forms as game_forms
from gamesvc.games.protocol import Session
from gamesvc.matches.lobby import opening
from gamesvc.matches.reading import board
from gamesvc.matches.record import loading
from gamesvc.web.common import controls
from gamesvc.web.common import posted as reading
from tests.web.page import chosen, forms
from tests.web.posting import TooManyRows, canonical, encode, said


@pytest.mark.long
@pytest.mark.parametrize("game_id", catalog.OFFERED)
def test_every_form_met_in_play_can_be_posted(game_id):
    game = catalog.game(game_id)
    rng = random.Random(game_id)
    for seats in {game.manifest.min_seats, game.manifest.max_seats}:
        session = Session(game)
        options = {"mode": "race"} if game_id == "space_fleet_commander" and seats > 1 else {}
        session.answer({"op": "new", "seats": seats, "options": options, "seed": "pages"})
        for _ in range(120):
            state = session.timeline.state
            if game.outcome(state) is not None:
                break
            awaited = rng.choice(list(game.awaited(state)))
            offered = list(acts(game, state, awaited.seat))
            for form in offered:
                command = game_forms.fill(form, rng)
                try:
                    posted = encode(controls.sheet(form), command)
                except TooManyRows:
                    assert form.aside, f"{form.name} must fit on the page"
                    continue
                sheet = controls.sheet(form)
                assert canonical(reading.read(sheet, posted)) == canonical(said(sheet, command))
            moving = [form for form in offered if not form.aside]
            answer = session.answer({"op": "command", "seat": awaited.seat, "command": game_forms.fill(rng.choice(moving), rng)})
            assert answer["ok"], answer


@pytest.mark.django_db
@pytest.mark.parametrize("moves", [5, pytest.param(12, marks=pytest.mark.long)])
@pytest.mark.parametrize("game_id", catalog.OFFERED)
def test_a_match_goes_forward_by_the_forms_on_the_page(game_id, people, moves):
    loading.forget_all()
    game = catalog.game(game_id)
    seats = max(2, game.manifest.min_seats) if game_id != "space_fleet_commander" else 1
    match = opening.create_match(by=people[0], game=game_id, seats=seats)
    for person in people[1:seats]:
        opening.join_match(by=person, match=match)
    match.refresh_from_db()
    assert match.status == "running"
    names = tuple(person.username for person in people[:seats])
    clients = []
    for person in people[:seats]:
        client = Client()
        client.force_login(person)
        clients.append(client)
    rng = random.Random(game_id)
    named = set()
    for _ in range(moves):
        loaded = loading.load(match.id, game_id)
        if loaded.ended:
            break
        seat = rng.choice(list(loaded.awaited())).seat
        page = clients[seat].get(f"/matches/{match.number}/").content.decode()
        state = loaded.timeline.state
        view = game.view(state, seat)
        caption = replace(board.caption_of(match, names), past=True)
        assert f'<p class="quiet phase">{escape(game.glance(view, caption).headline)}</p>' in page, (
            "without who acts: that is beside it"
        )
        for held in game.hand(view) or ():
            assert f"<dt>{escape(held.words)}</dt><dd>{escape(game.explain(view, held.id).text)}</dd>" in page
        parts = set(re.findall(r'\sdata-t="([^"]*)"', page))
        board_targets = re.findall(r'<g class="hits">.*?</g>', page, re.DOTALL)[0]
        assert set(re.findall(r'\sdata-t="([^"]*)"', page)) <= set(re.findall(r'\sdata-t="([^"]*)"', board_targets)), (
            "each is on the board"
        )
        named |= parts
        moving = [form for form in acts(game, state, seat) if not form.aside]
        form = rng.choice(moving)
        sheet = controls.sheet(form)
        on_page = next(one for one in forms(page) if one.fields.get("_form") == [sheet.key])
        answer = clients[seat].post(on_page.action, chosen(on_page, encode(sheet, game_forms.fill(form, rng))))
        assert answer.status_code == 302, answer.content.decode()
    replayed = clients[0].get(f"/matches/{match.number}/?at={loading.load(match.id, game_id).viewer_version(0) - 1}")
    assert f"Version {loading.load(match.id, game_id).viewer_version(0) - 1} of" in replayed.content.decode()
    assert clients[0].get(f"/matches/{match.number}/version").json()["version"] > 0
    assert named, "some controls can be chosen on the board"
