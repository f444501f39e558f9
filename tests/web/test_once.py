"""Forms sent twice, by a double click or a second try, take effect once."""

from __future__ import annotations

import sys
from dataclasses import replace

import pytest

from gamesvc.games.kernel.game import Refused
from gamesvc.matches.models import Invitation, Match, Premove, Seat
from gamesvc.matches.record import loading
from gamesvc.matches.record.stream import STORE
from tests.games import toy
from tests.web.page import chosen, form_to, forms
from tests.web.test_pages import html, open_match, running

pytestmark = pytest.mark.django_db


def read(text, seen):
    """Parse orders like games with hands: a card that is no longer held cannot be ordered."""
    name, *rest = text.split()
    if name == "set_orders":
        return {"name": name, "text": rest[0]}
    if name == "play":
        held = next(hand for hand in seen["hands"] if isinstance(hand, list))
        if int(rest[0]) not in held:
            raise Refused("unreadable", "You hold no such card.")
        return {"name": name, "card": int(rest[0])}
    return {"name": name}


@pytest.fixture
def choosy(toy_offered, monkeypatch):
    monkeypatch.setitem(sys.modules, "gamesvc.games.toy", type("Offered", (), {"GAME": replace(toy.GAME, parse=read)}))


def page_of(client, match):
    return html(client.get(f"/matches/{match.number}/"))


def told(match):
    return [one.data["text"] for one in STORE.read(match.id) if one.type == "toy.orders_set"]


def test_orders_sent_twice_are_given_once(choosy, clients):
    match = running(clients)
    client = clients[1]
    orders = form_to(page_of(client, match), "/orders")
    fields = chosen(orders, {"orders": ["set_orders a\nset_orders b\nset_orders c"]})
    for _ in range(2):
        answer = client.post(orders.action, fields, follow=True)
        assert "orders_set orders_set orders_set" in html(answer)
        assert told(match) == ["a", "b", "c"]


def test_an_order_sent_again_is_done_though_it_can_no_longer_be_read(choosy, clients):
    match = running(clients)
    client = clients[0]
    card = loading.load(match.id, "toy").timeline.state.hands[0][0]
    orders = form_to(page_of(client, match), "/orders")
    fields = chosen(orders, {"orders": [f"set_orders a\nplay {card}"]})
    client.post(orders.action, fields)
    version = loading.load(match.id, "toy").version
    # The second click must not play the second of two equal cards.
    answer = client.post(orders.action, fields, follow=True)
    assert "orders_set played" in html(answer)
    assert loading.load(match.id, "toy").version == version


def test_a_corrected_line_goes_on_where_it_failed(choosy, clients):
    match = running(clients)
    orders = form_to(page_of(clients[1], match), "/orders")
    assert clients[1].post(orders.action, chosen(orders, {"orders": ["set_orders a\nplay 9"]})).status_code == 422
    clients[1].post(orders.action, chosen(orders, {"orders": ["set_orders a\nset_orders b"]}))
    assert told(match) == ["a", "b"]


def test_a_form_sent_twice_says_both_times_that_it_is_done(choosy, clients):
    match = running(clients)
    draw = form_to(page_of(clients[0], match), "/command", "Draw")
    for _ in range(2):
        answer = clients[0].post(draw.action, draw.fields, follow=True)
        assert ">drew" in html(answer)
    assert [one.type for one in STORE.read(match.id)].count("toy.drew") == 1


def test_an_order_for_a_case_is_laid_by_once(toy_offered, clients):
    match = running(clients)
    form = form_to(page_of(clients[1], match), "/standing")
    for _ in range(2):
        clients[1].post(form.action, chosen(form, {"order": ["if drew seat=0 then draw"]}))
    assert Premove.objects.count() == 1
    form = form_to(page_of(clients[1], match), "/standing", "Save")
    clients[1].post(form.action, chosen(form, {"order": ["if drew seat=0 then draw"]}))
    assert Premove.objects.count() == 2, "another page is another request"


def test_a_match_is_opened_once(toy_offered, clients):
    form = forms(html(clients[0].get("/new/toy/")))[-1]
    first, again = (clients[0].post("/new/toy/", form.fields) for _ in range(2))
    assert first.headers["Location"] == again.headers["Location"]
    assert Match.objects.count() == 1
    clients[0].post("/new/toy/", {**form.fields, "hours": ["24"]})
    assert Match.objects.count() == 2, "filled in otherwise it is another match"


def test_an_address_is_invited_once(toy_offered, clients):
    match = open_match(clients[0])
    form = form_to(page_of(clients[0], match), "/invite")
    for _ in range(2):
        answer = clients[0].post(form.action, chosen(form, {"whom": ["carl@elsewhere.example"]}), follow=True)
        assert "is invited" in html(answer)
    assert Invitation.objects.count() == 1


def test_a_fork_is_made_once(toy_offered, clients):
    match = running(clients)
    form = form_to(page_of(clients[0], match), "/fork")
    first, again = (clients[0].post(form.action, {**form.fields, "kind": ["board"]}) for _ in range(2))
    assert first.headers["Location"] == again.headers["Location"]
    assert Match.objects.count() == 2


def test_leaving_twice_is_leaving_once(toy_offered, clients):
    match = open_match(clients[0], watch="nobody")
    Match.objects.update(entry="invited")
    link = f"/matches/{match.number}/?link={match.link_token}"
    join = form_to(html(clients[1].get(link)), "/seats", "Take this seat")
    # A third seat keeps the match open, so that it can be left.
    Seat.objects.create(match=match, index=2)
    clients[1].post(join.action, {**join.fields, "act": ["join"]})
    leave = form_to(page_of(clients[1], match), "/seats", "Leave")
    for _ in range(2):
        assert clients[1].post(leave.action, leave.fields).headers["Location"] == "/"
    assert match.seats.filter(user=None).count() == 2
    assert clients[1].post(leave.action, {**leave.fields, "_once": ["another"]}).status_code == 404


def test_giving_a_seat_up_twice_frees_it_once(toy_offered, clients):
    match = running(clients)
    form = form_to(page_of(clients[0], match), "/absence")
    for _ in range(2):
        answer = clients[0].post(form.action, {**form.fields, "act": ["give_up"]}, follow=True)
        assert "Your seat is free for a substitute." in html(answer)
    assert [one.type for one in STORE.read(match.id)].count("match.vacated") == 1
