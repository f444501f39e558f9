"""The pages, through Django's test client: a whole match is played using only their forms."""

import random
import re

import pytest
from django.test import Client

from gamesvc.games import catalog
from gamesvc.games.acts import acts
from gamesvc.games.kernel import forms as game_forms
from gamesvc.matches.lobby import invitations, opening
from gamesvc.matches.models import Match
from gamesvc.matches.record import loading
from gamesvc.web.common import controls
from tests.web.page import chosen, form_to, forms
from tests.web.posting import encode

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _clean():
    loading.forget_all()


def html(response) -> str:
    return response.content.decode()


def open_match(client, game="toy", **fields) -> Match:
    form = forms(html(client.get(f"/new/{game}/")))[-1]
    answer = client.post(f"/new/{game}/", chosen(form, {name: [str(value)] for name, value in fields.items()}))
    assert answer.status_code == 302, html(answer)
    return Match.objects.latest("created_at")


def running(clients, **fields) -> Match:
    match = open_match(clients[0], **fields)
    join = form_to(html(clients[1].get("/lobby/")), f"/matches/{match.number}/seats")
    assert clients[1].post(join.action, join.fields).status_code == 302
    match.refresh_from_db()
    assert match.status == "running"
    return match


def test_the_front_page_tells_strangers_what_this_is(toy_offered):
    page = html(Client().get("/"))
    assert "Sign up" in page
    assert "Toy" in page


def test_pages_that_need_a_user_ask_for_one(toy_offered):
    for path in ("/new/toy/", "/profile/"):
        answer = Client().get(path)
        assert answer.status_code == 302
        assert answer["Location"].startswith("/accounts/login/")


def test_rules_and_games(toy_offered):
    assert "Toy" in html(Client().get("/games/"))
    assert "play CARD" in html(Client().get("/games/toy/rules/"))
    assert Client().get("/games/chess/").status_code == 404


def test_options_of_a_new_match_are_read_by_the_schema(toy_offered, clients):
    match = open_match(clients[0], **{"options.points": "5", "hours": "72", "watch": "all"})
    assert (match.options, match.hours, match.watch) == ({"points": 5}, 72, "all")


def test_the_settings_of_a_new_match_read_right(toy_offered, clients):
    page = " ".join(html(clients[0].get("/new/toy/")).split())
    assert "Matches finished in the last year, at least (%)<input" in page
    assert re.search(r'name="press" value="none">None<', page)


def test_a_new_match_that_does_not_fit_says_why(toy_offered, clients):
    answer = clients[0].post("/new/toy/", {"options.points": "99"})
    assert answer.status_code == 422
    assert 'role="alert"' in html(answer)
    answer = clients[0].post("/new/toy/", {"options.points": "3", "hours": "many"})
    assert answer.status_code == 422
    assert not Match.objects.exists()


def test_a_bot_takes_the_other_seat_and_the_match_starts(toy_offered, clients):
    match = open_match(clients[0], bot1="greedy")
    assert match.status == "running"
    page = html(clients[0].get(f"/matches/{match.number}/"))
    assert "greedy bot" in page
    assert "Your move" in page


def test_a_whole_match_is_played_with_the_forms_of_the_page(toy_offered, clients, people):
    match = running(clients)
    rng = random.Random("whole match")
    for _ in range(60):
        match.refresh_from_db()
        if match.status != "running":
            break
        loaded = loading.load(match.id, "toy")
        [awaited] = loaded.awaited()
        client = clients[awaited.seat]
        page = html(client.get(f"/matches/{match.number}/"))
        legal = [form for form in acts(toy_offered, loaded.timeline.state, awaited.seat) if not form.aside]
        form = rng.choice(legal)
        sheet = controls.sheet(form)
        on_page = next(one for one in forms(page) if one.fields.get("_form") == [sheet.key])
        command = game_forms.fill(form, rng)
        answer = client.post(on_page.action, chosen(on_page, encode(sheet, command)))
        assert answer.status_code == 302, html(answer)
    assert match.status == "finished"
    page = html(clients[0].get(f"/matches/{match.number}/"))
    assert "The match is over" in page
    assert "What you can do" not in page
    assert "Finished" in html(clients[0].get("/"))


def a_card(form) -> dict[str, list[str]]:
    """Return one of the cards that may be played; a hand of equal cards leaves nothing to choose."""
    return {"card": [sorted(form.choices["card"])[0]]} if "card" in form.choices else {}


def awaited_client(match, clients):
    [awaited] = loading.load(match.id, "toy").awaited()
    return awaited.seat, clients[awaited.seat], clients[1 - awaited.seat]


def test_a_double_click_is_one_command(toy_offered, clients):
    match = running(clients)
    _, client, _ = awaited_client(match, clients)
    form = form_to(html(client.get(f"/matches/{match.number}/")), "/command", "Draw")
    assert client.post(form.action, form.fields).status_code == 302
    version = loading.load(match.id, "toy").version
    client.post(form.action, form.fields)
    assert loading.load(match.id, "toy").version == version


def test_a_form_that_is_no_longer_offered_is_not_done(toy_offered, clients):
    match = running(clients)
    _, client, _other = awaited_client(match, clients)
    page = html(client.get(f"/matches/{match.number}/"))
    play, draw = form_to(page, "/command", "Play"), form_to(page, "/command", "Draw")
    client.post(draw.action, draw.fields)
    version = loading.load(match.id, "toy").version
    answer = client.post(play.action, chosen(play, a_card(play)))
    assert answer.status_code == 409
    assert "send it again" in html(answer)
    assert loading.load(match.id, "toy").version == version


def test_a_field_that_was_left_out_is_named_and_the_rest_is_kept(toy_offered, clients):
    match = running(clients)
    _, client, _ = awaited_client(match, clients)
    page = html(client.get(f"/matches/{match.number}/"))
    play = form_to(page, "/command", "Play")
    if "card" in play.choices:
        answer = client.post(play.action, {**play.fields, "card": ["77"]})
        assert answer.status_code == 422
        assert "not among the choices" in html(answer)


def test_a_form_can_be_seen_as_an_order_before_it_is_sent(toy_offered, clients):
    match = running(clients)
    _seat, client, _other = awaited_client(match, clients)
    play = form_to(html(client.get(f"/matches/{match.number}/")), "/command", "Play")
    version = loading.load(match.id, "toy").version
    address = play.action.replace("command", "preview")
    assert client.post(address, chosen(play, a_card(play))).json()["order"].startswith("play ")
    assert client.post(address, {**play.fields, "_form": "gone"}).json()["order"] == ""
    assert loading.load(match.id, "toy").version == version


def test_orders_as_text(toy_offered, clients):
    match = running(clients)
    _seat, client, other = awaited_client(match, clients)
    page = html(client.get(f"/matches/{match.number}/"))
    orders = form_to(page, "/orders")
    assert client.post(orders.action, chosen(orders, {"orders": ["draw"]})).status_code == 302
    done = html(client.get(f"/matches/{match.number}/"))
    assert ">drew" in done
    orders = form_to(html(other.get(f"/matches/{match.number}/")), "/orders")
    answer = other.post(orders.action, chosen(orders, {"orders": ["draw\nplay 9"]}))
    assert answer.status_code == 422
    text = html(answer)
    assert "Line 2 (play 9)" in text
    assert "Done before it: drew" in text
    assert form_to(text, "/orders").fields["orders"] == ["play 9"]


def test_refused_orders_suggest_what_is_legal_now(clients, people):
    match = opening.create_match(by=people[0], game="stratastar", options={"homeworld_choice": "random"})
    match = opening.join_match(by=people[1], match=match)
    client = clients[match.questions.get().seat]
    for written, suggested in (("colonise_ C4", False), ("retolo none", True)):
        orders = form_to(html(client.get(f"/matches/{match.number}/")), "/orders")
        answer = html(client.post(orders.action, chosen(orders, {"orders": [written]})))
        assert ("Did you mean" in answer) == suggested


def test_one_sees_only_ones_own_hand(toy_offered, clients):
    match = running(clients)
    state = loading.load(match.id, "toy").timeline.state
    seat, client, other = awaited_client(match, clients)
    own = form_to(html(client.get(f"/matches/{match.number}/")), "/command", "Play")
    if len(set(state.hands[seat])) > 1:
        assert own.choices["card"] == {str(card) for card in state.hands[seat]}
    assert f"Card: {state.hands[seat][0]}" in own.text or "card" in own.choices
    assert "Play a card" not in html(other.get(f"/matches/{match.number}/"))


def test_the_page_shows_commitment_and_hash(toy_offered, clients):
    match = running(clients)
    page = html(clients[0].get(f"/matches/{match.number}/"))
    loaded = loading.load(match.id, "toy")
    assert loaded.opened.commitment in page
    assert loaded.head.hash.hex() in page


def test_watching_needs_leave(toy_offered, clients):
    hidden = running(clients, watch="nobody")
    linked = running(clients)
    stranger = clients[2]
    assert stranger.get(f"/matches/{hidden.number}/").status_code == 404
    assert stranger.get(f"/matches/{linked.number}/").status_code == 404
    page = html(stranger.get(f"/matches/{linked.number}/?link={linked.link_token}"))
    assert "Board as text" in page
    assert "What you can do" not in page
    assert stranger.get(f"/matches/{linked.number}/board.svg?link={linked.link_token}")["Content-Type"] == "image/svg+xml"
    assert stranger.post(f"/matches/{linked.number}/command", {"_link": linked.link_token, "_form": "x"}).status_code == 422


def test_a_new_link_takes_back_the_one_before(toy_offered, clients, people):
    match = running(clients)
    before, stranger = match.link_token, clients[2]
    page = html(clients[0].get(f"/matches/{match.number}/"))
    assert f"?link={before}" in page
    assert "Make a new link" not in html(clients[1].get(f"/matches/{match.number}/"))
    clients[1].post(f"/matches/{match.number}/seats", {"act": "link"})
    assert stranger.get(f"/matches/{match.number}/?link={before}").status_code == 200
    answer = clients[0].post(f"/matches/{match.number}/seats", {"act": "link"}, follow=True)
    match.refresh_from_db()
    assert f"?link={match.link_token}" in html(answer)
    assert "The match has a new link." in html(answer)
    assert match.link_token != before
    for path in ("", "board.svg", "thumbnail.svg", "press", "clock"):
        assert stranger.get(f"/matches/{match.number}/{path}?link={before}").status_code == 404, path
        assert stranger.get(f"/matches/{match.number}/{path}?link={match.link_token}").status_code == 200, path
    assert stranger.get(f"/api/v1/matches/{match.number}/view/?link={before}").status_code == 404


def test_an_open_match_says_what_game_it_is(clients):
    match = open_match(clients[0], game="stratastar")
    page = html(clients[1].get(f"/matches/{match.number}/"))
    assert catalog.game("stratastar").manifest.summary in page
    assert 'href="/games/stratastar/"' in page


def test_an_invitation_seats_any_user_with_the_link(toy_offered, clients, people):
    match = open_match(clients[0], entry="invited")
    assert clients[1].get(f"/matches/{match.number}/").status_code == 404
    form = form_to(html(clients[0].get(f"/matches/{match.number}/")), "/invite")
    clients[0].post(form.action, chosen(form, {"whom": ["marek"]}))
    assert match.invitations.get().user == people[1]

    _, token = invitations.invite(by=people[0], match=match, address="someone@example.org")
    page = html(clients[2].get(f"/invitations/{token}/"))
    assert "ines invites you" in page
    assert clients[2].post(f"/invitations/{token}/").status_code == 302
    match.refresh_from_db()
    assert match.status == "running"
    assert Client().get("/invitations/nonsense/").status_code == 404


def test_an_invitation_to_a_match_that_has_begun_names_none_of_its_players(toy_offered, clients, people):
    match = open_match(clients[0], entry="invited", watch="nobody")
    _, token = invitations.invite(by=people[0], match=match, address="someone@example.org")
    invitations.invite(by=people[0], match=match, username="marek")
    assert ">ines" in seats_of(clients[2], token)
    opening.join_match(by=people[1], match=match)
    assert clients[2].get(f"/matches/{match.number}/").status_code == 404
    assert not seats_of(clients[2], token)
    Match.objects.update(status=Match.Status.FINISHED)
    assert not seats_of(Client(), token)


def seats_of(client, token) -> str:
    """Return what the page of an invitation shows of the seats."""
    found = re.search(r'<p class="badges">(.*?)</p>', html(client.get(f"/invitations/{token}/")), re.DOTALL)
    return re.sub(r"\s+", "", found[1]) if found is not None else ""


def test_seats_are_taken_given_back_and_the_match_called_off(toy_offered, clients):
    match = open_match(clients[0])
    page = html(clients[0].get(f"/matches/{match.number}/"))
    assert "The match starts when all seats are taken." in page
    leave = form_to(page, "/seats", "Leave")
    assert clients[0].post(leave.action, leave.fields).status_code == 302
    cancel = form_to(html(clients[0].get(f"/matches/{match.number}/")), "/seats", "Call")
    clients[0].post(cancel.action, cancel.fields)
    match.refresh_from_db()
    assert match.status == "cancelled"


def test_my_matches_show_my_turns_first(toy_offered, clients):
    first, second = running(clients), running(clients)
    for client in clients[:2]:
        page = html(client.get("/"))
        assert str(first.number) in page
        assert str(second.number) in page
    _seat, client, _other = awaited_client(first, clients)
    page = html(client.get("/"))
    assert "Your turn" in page
    assert 'class="count"' in page


def test_the_profile_and_its_keys(clients, people):
    client = clients[0]
    assert client.post("/profile/", {"timezone": "Europe/Prague", "language": "de"}).status_code == 302
    people[0].refresh_from_db()
    assert (people[0].timezone, people[0].language) == ("Europe/Prague", "de")
    answer = client.post("/profile/", {"timezone": "Mars/Base", "language": "en"})
    assert answer.status_code == 422
    assert "ist keine Zeitzone" in html(answer)  # the reader has chosen German just before
    assert client.post("/profile/", {"timezone": "Europe/Prague", "language": "en"}).status_code == 302
    answer = client.post("/profile/tokens", {"act": "create", "name": "my bot", "scopes": ["read", "play"], "days": "30"})
    assert answer.status_code == 201
    assert "gsk_" in html(answer)
    assert answer["Cache-Control"] == "no-store"
    page = html(client.get("/profile/"))
    assert "my bot" in page
    revoke = form_to(page, "/tokens", "Revoke")
    client.post(revoke.action, revoke.fields)
    assert "my bot" not in html(client.get("/profile/"))


def test_mails_of_a_kind_can_be_switched_off_and_on(clients, people):
    client = clients[0]
    form = form_to(html(client.get("/profile/")), "/mails")
    every = form.choices["kinds"]
    assert set(form.fields["kinds"]) == every
    client.post(form.action, chosen(form, {"kinds": ["your_turn"]}))
    assert form_to(html(client.get("/profile/")), "/mails").fields["kinds"] == ["your_turn"]
    client.post(form.action, chosen(form, {"kinds": sorted(every)}))
    assert set(form_to(html(client.get("/profile/")), "/mails").fields["kinds"]) == every


def test_account_pages_wear_our_clothes(db, toy_offered):
    for path in ("/accounts/login/", "/accounts/signup/", "/accounts/password/reset/"):
        page = html(Client().get(path))
        assert "tokens.css" in page
        assert "btn" in page


def test_replay_shows_an_earlier_board(toy_offered, clients):
    match = running(clients)
    opening = loading.load(match.id, "toy").version
    _seat, client, _other = awaited_client(match, clients)
    form = form_to(html(client.get(f"/matches/{match.number}/")), "/command", "Draw")
    client.post(form.action, form.fields)
    page = html(clients[0].get(f"/matches/{match.number}/?at={opening}"))
    assert f"Version {opening} of" in page
    earliest = html(clients[0].get(f"/matches/{match.number}/?at=0"))
    assert f"Version {opening} of" in earliest
    newest = loading.load(match.id, "toy").version
    assert f"Version {newest} of {newest}" in html(clients[0].get(f"/matches/{match.number}/?at=99999"))
    assert 'form="f-' not in earliest
    assert "data-command" not in earliest


def test_after_the_end_a_replay_shows_what_any_seat_saw(people, clients):
    match = opening.join_match(by=people[1], match=opening.create_match(by=people[0], game="stratastar", seats=2))
    then = loading.load(match.id, "stratastar").viewer_version(0)
    path = f"/matches/{match.number}/?at={then}"
    before = html(clients[0].get(path))
    assert html(clients[0].get(f"{path}&as=1")).count("View as") == before.count("View as") == 0
    seat = loading.load(match.id, "stratastar").awaited()[0].seat
    resign = form_to(html(clients[seat].get(f"/matches/{match.number}/resign")), "/command", "Resign")
    clients[seat].post(resign.action, resign.fields)
    mine, theirs = (html(clients[0].get(f"{path}&as={seat}")) for seat in (0, 1))
    assert "View as" in mine
    assert mine != theirs


def test_help_is_given_on_what_the_board_shows(people, clients):
    match = opening.join_match(by=people[1], match=opening.create_match(by=people[0], game="stratastar", seats=2))
    told = clients[0].get(f"/matches/{match.number}/explained?of=cell:A1").json()
    assert told["name"]
    assert clients[0].get(f"/matches/{match.number}/explained?of=cell:Z99").json() == {"name": "", "text": ""}
    assert clients[2].get(f"/matches/{match.number}/explained?of=cell:A1").status_code == 404


def test_a_page_can_ask_for_news(toy_offered, clients):
    match = running(clients)
    before = clients[0].get(f"/matches/{match.number}/version").json()["version"]
    _seat, client, _other = awaited_client(match, clients)
    form = form_to(html(client.get(f"/matches/{match.number}/")), "/command", "Draw")
    client.post(form.action, form.fields)
    assert clients[0].get(f"/matches/{match.number}/version").json()["version"] > before
    assert clients[2].get(f"/matches/{match.number}/version").status_code == 404
