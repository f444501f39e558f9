"""Looking back and forking, using only the forms and links of the page."""

from __future__ import annotations

import pytest
from django.test import Client

from gamesvc.matches.models import Match
from gamesvc.matches.record import loading
from tests.matches.playing import act, duel, play_out
from tests.web.page import form_to, forms

pytestmark = pytest.mark.django_db


@pytest.fixture
def page(anna):
    client = Client()
    client.force_login(anna)

    def get(match, query="", **more):
        answer = client.get(f"/matches/{match.number}/{query}", **more)
        assert answer.status_code == 200
        return answer.content.decode()

    get.client = client
    return get


def fork_from(page, match, kind, query="", **fields):
    form = form_to(page(match, query), f"/matches/{match.number}/fork")
    answer = page.client.post(form.action, {**form.fields, "kind": kind, **fields})
    assert answer.status_code == 302
    made = Match.objects.latest("created_at")
    assert answer["Location"] == f"/matches/{made.number}/"
    return made


def test_a_board_is_made_and_played_on_the_page(toy, anna, ben, page):
    match = duel(anna, ben)
    board = fork_from(page, match, "board")
    assert board.board
    assert "Analysis boards" in page.client.get("/").content.decode()
    seen = page(board)
    assert "private analysis board" in seen
    assert f'href="/matches/{match.number}/?at=' in seen
    assert "If you do nothing" not in seen
    acted = set()
    for _ in range(30):
        board.refresh_from_db()
        if board.status != Match.Status.RUNNING:
            break
        acted.add(loading.load(board.id, toy).awaited()[0].seat)
        offered = [form for form in forms(page(board)) if form.action.endswith("/command")]
        command = next(form for form in offered if "text" not in form.choices and "item" not in form.choices)
        picked = {name: [sorted(given - {""})[0]] for name, given in command.choices.items() if given - {"", "*"}}
        answer = page.client.post(command.action, {**command.fields, **picked})
        assert answer.status_code == 302, answer.content
    assert acted == {0, 1}
    assert board.status == Match.Status.FINISHED
    assert f'href="/matches/{board.number}/"' in page(match), "the origin shows its forks to those who may see them"


def test_the_owner_looks_from_the_other_side_and_closes(toy, anna, ben, page):
    match = duel(anna, ben)
    board = fork_from(page, match, "board", "?at=8")
    for seat in (0, 1):
        assert f'name="_as" value="{seat}"' in page(board, f"?as={seat}")
    orders = form_to(page(board, "?as=1"), f"/matches/{board.number}/orders")
    page.client.post(orders.action, {**orders.fields, "orders": "set_orders"})
    close = form_to(page(board), f"/matches/{board.number}/close")
    assert page.client.post(close.action, close.fields).status_code == 302
    board.refresh_from_db()
    assert board.status == Match.Status.CANCELLED


def test_a_match_goes_on_from_the_past_of_one_that_is_over(toy, anna, ben, page):
    match = duel(anna, ben)
    play_out(match)
    made = fork_from(page, match, "match", "?at=8", seat="1")
    assert made.status == Match.Status.OPEN
    assert loading.load(made.id, toy).opened.origin == {"match": str(match.id), "version": 9, "seat": 1}
    assert [seat.index for seat in made.seats.filter(user=anna)] == [1]
    assert "is a fork of version 9" in page(made)


def test_what_changed_is_told_in_words_and_as_a_difference(toy, anna, ben, page):
    match = duel(anna, ben)
    act(match, 0, {"name": "draw"})
    version = loading.load(match.id, toy).viewer_version(0)
    seen = page(match, f"?at={version - 1}")
    assert f"What changed with version {version - 1}" in seen
    assert "/hands/0" in seen
    assert "Nothing visible to you" in page(match, "?at=7"), "the other seat's orders"


def test_the_board_as_of_a_moment(toy, anna, ben, page):
    match = duel(anna, ben)
    answer = page.client.get(f"/matches/{match.number}/as-of", {"moment": "2100-01-01T00:00"})
    version = loading.load(match.id, toy).viewer_version(0)
    assert answer["Location"] == f"/matches/{match.number}/?at={version}"
    for wrong in ("yesterday", "", "2001-01-01T00:00:00"):
        answer = page.client.get(f"/matches/{match.number}/as-of", {"moment": wrong}, follow=True)
        assert "Write a moment" in answer.content.decode() or "did not exist" in answer.content.decode()


def test_strangers_get_no_form(toy, anna, ben):
    match = duel(anna, ben)
    Match.objects.filter(pk=match.pk).update(watch="all")
    seen = Client().get(f"/matches/{match.number}/").content.decode()
    assert "/fork" not in seen
    assert Client().post(f"/matches/{match.number}/fork", {"version": "8", "kind": "board"}).status_code == 302
    assert Match.objects.count() == 1
