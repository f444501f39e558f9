"""The API as programs use it: order of checks, status codes, problem details, secrecy, repetition."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from datetime import timedelta

import pytest
from django.conf import settings
from django.utils import timezone

from gamesvc import paging
from gamesvc.games import catalog
from gamesvc.games.kernel.game import Refused
from gamesvc.matches.lobby import opening
from gamesvc.matches.models import Answered, Match
from gamesvc.matches.record import loading
from gamesvc.matches.record.stream import STORE
from gamesvc.matches.retention import forget
from gamesvc.ops.client import read_form
from tests.games import toy as toy_game

pytestmark = pytest.mark.django_db


@pytest.fixture
def two(anna, ben, program):
    return program(anna), program(ben)


@pytest.fixture
def duel(toy, two):
    opened = two[0].post("/matches/", {"game": toy, "contribution": "tea"})
    assert opened.status_code == 201, opened.content
    match = opened.json()["id"]
    joined = two[1].post(f"/matches/{match}/join/", {"seat": 1})
    assert joined.json()["status"] == "running"
    return match


def etag(program, match):
    return program.get(f"/matches/{match}/view/").headers["ETag"]


def expect_problem(answer, status, code):
    assert answer.status_code == status, answer.content
    body = answer.json()
    assert answer.headers["Content-Type"] == "application/problem+json"
    assert body["code"] == code
    assert body["status"] == status
    assert body["type"].endswith(f"/problems/{code}")
    assert body["title"]
    assert body["detail"]
    return body


def test_the_root_says_where_to_begin(client, anna, program):
    places = client.get("/api/v1/").json()
    assert "Bearer" in places.pop("sign_in")
    somebody = program(anna)
    for place in places.values():
        assert place.startswith(settings.BASE_URL)
        assert somebody.get(place.removeprefix(f"{settings.BASE_URL}/api/v1")).status_code == 200, place


def test_an_address_that_is_none_is_a_problem_here_and_a_page_elsewhere(client):
    body = expect_problem(client.get("/api/v1/nothing/"), 404, "not_found")
    assert body["instance"] == "/api/v1/nothing/"
    assert client.get("/api/v1/games").headers["Location"] == "/api/v1/games/"
    page = client.get("/nothing/")
    assert (page.status_code, page.headers["Content-Type"]) == (404, "text/html; charset=utf-8")


def test_a_fault_of_ours_is_a_problem_that_tells_nothing_of_it(client, monkeypatch):
    client.raise_request_exception = False
    monkeypatch.setattr(catalog, "games", lambda: 1 / 0)
    body = expect_problem(client.get("/api/v1/games/"), 500, "fault")
    assert "division" not in str(body)
    assert client.get(f"/problems/{body['code']}").status_code == 200


def test_the_games_are_served_with_their_schemas(client):
    listed = client.get("/api/v1/games/").json()
    assert [game["id"] for game in listed] == list(catalog.OFFERED)
    for game in listed:
        detail = client.get(f"/api/v1/games/{game['id']}/").json()
        assert detail["schema"]["options"]["type"] == "object"
        assert detail["schema"]["commands"]
        assert detail["rules_help"].startswith("#")
        assert detail["credit"]
    expect_problem(client.get("/api/v1/games/chess/"), 404, "unknown_game")


def test_who_comes_first(client, duel, two):
    answer = client.get(f"/api/v1/matches/{duel}/view/")
    expect_problem(answer, 401, "not_signed_in")
    assert answer.headers["WWW-Authenticate"].startswith("Bearer")
    two[0].token = "gsk_" + "wrong"
    expect_problem(two[0].get(f"/matches/{duel}/view/"), 401, "not_signed_in")


def test_unknown_matches_and_those_of_others_look_alike(duel, two, player, program):
    Match.objects.update(watch="nobody")
    stranger = program(player("carl"))
    hidden = expect_problem(stranger.get(f"/matches/{duel}/view/"), 404, "not_found")
    for ident in ("00000000-0000-0000-0000-000000000000", "999999", "nonsense", "1" * 40):
        other = expect_problem(stranger.get(f"/matches/{ident}/view/"), 404, "not_found")
        assert {**other, "instance": ""} == {**hidden, "instance": ""}


def test_only_users_that_the_match_admits_can_watch(duel, player, program):
    stranger = program(player("carl"))
    match = Match.objects.get()
    assert stranger.get(f"/matches/{duel}/view/").status_code == 404
    seen = stranger.get(f"/matches/{duel}/view/?link={match.link_token}")
    assert seen.json()["seat"] is None
    assert seen.json()["view"]["hands"] == [2, 2]
    Match.objects.update(watch="all")
    assert stranger.get(f"/matches/{duel}/view/").status_code == 200
    expect_problem(stranger.post(f"/matches/{duel}/commands/", {"name": "draw"}, etag='"x"'), 403, "forbidden")
    expect_problem(stranger.get(f"/matches/{duel}/view/?as=0"), 403, "forbidden")


def test_a_seat_sees_its_own_hand_only(duel, two):
    for seat, program in enumerate(two):
        hands = program.get(f"/matches/{duel}/view/").json()["view"]["hands"]
        assert len(hands[seat]) == 2
        assert hands[1 - seat] == 2


def test_the_version_is_an_etag(duel, two):
    first = two[0].get(f"/matches/{duel}/view/")
    assert first.headers["ETag"] == f'"{duel}-0-6"'
    assert first.headers["Cache-Control"] == "private, no-cache"
    again = two[0].get(f"/matches/{duel}/view/", **{"If-None-Match": first.headers["ETag"]})
    assert again.status_code == 304
    two[1].post(f"/matches/{duel}/commands/", {"name": "set_orders", "text": "x"}, etag=etag(two[1], duel))
    assert etag(two[0], duel) == first.headers["ETag"], "a sealed event moves nobody else's version"


def test_a_command_needs_key_and_version(duel, two):
    path = f"/matches/{duel}/commands/"
    expect_problem(two[0].post(path, {"name": "draw"}, key=None, etag=etag(two[0], duel)), 400, "key_missing")
    expect_problem(two[0].post(path, {"name": "draw"}), 428, "version_missing")
    for wrong in ('"nonsense"', f'"{duel}-1-6"', f'"{duel}-0-x"', f"W/{etag(two[0], duel)}"):
        expect_problem(two[0].post(path, {"name": "draw"}, etag=wrong), 412, "version_unknown")
    assert len(STORE.read(Match.objects.get().id)) == 6


def test_a_stale_version_brings_what_happened_since(duel, two):
    old = etag(two[1], duel)
    two[0].post(f"/matches/{duel}/commands/", {"name": "draw"}, etag=etag(two[0], duel))
    body = expect_problem(two[1].post(f"/matches/{duel}/commands/", {"name": "draw"}, etag=old), 412, "stale")
    assert body["version"] == 8
    assert [event["type"] for event in body["events"]] == ["toy.drew", "toy.turn_ended"]
    assert "card" not in body["events"][0]["data"]


def test_a_second_sealed_bid_on_the_old_version_is_accepted(auction, two):
    """The auction leaves `stale` at its default."""
    match = two[0].post("/matches/", {"game": auction, "seats": 2, "contribution": "tea"}).json()["id"]
    two[1].post(f"/matches/{match}/join/", {"seat": 1})
    tags = [etag(program, match) for program in two]
    lot = two[0].get(f"/matches/{match}/view/").json()["view"]["lots"][0]
    path = f"/matches/{match}/commands/"
    for program, tag, coins in zip(two, tags, (3, 4), strict=True):
        answer = program.post(path, {"name": "bid", "lot": lot, "coins": coins}, etag=tag)
        assert answer.status_code == 200, answer.content
    assert two[0].get(f"/matches/{match}/view/").json()["view"]["owners"] == {lot: 1}
    again = two[0].post(path, {"name": "bid", "lot": lot, "coins": 1}, etag=tags[0])
    expect_problem(again, 412, "stale")


def test_a_retry_after_success_gets_the_first_answer(duel, two):
    old = etag(two[0], duel)
    first = two[0].post(f"/matches/{duel}/commands/", {"name": "draw"}, key="once", etag=old)
    assert first.status_code == 200
    again = two[0].post(f"/matches/{duel}/commands/", {"name": "draw"}, key="once", etag=old)
    assert again.status_code == 200
    assert again.json() == first.json()
    assert again.headers["Idempotent-Replayed"] == "true"
    without = two[0].post(f"/matches/{duel}/commands/", {"name": "draw"}, key="once")
    assert without.json() == first.json()
    expect_problem(two[0].post(f"/matches/{duel}/commands/", {"name": "pass"}, key="once", etag=old), 422, "key_reused")


def test_refusals_by_the_rules(duel, two):
    path = f"/matches/{duel}/commands/"
    body = expect_problem(two[1].post(path, {"name": "draw"}, etag=etag(two[1], duel)), 422, "not_your_turn")
    assert body["detail"] == "It is the other seat's turn."
    hidden = two[0].get(f"/matches/{duel}/view/").json()
    card = 3 - hidden["view"]["hands"][0][0] if len(set(hidden["view"]["hands"][0])) == 1 else 7
    body = expect_problem(two[0].post(path, {"name": "play", "card": card}, etag=etag(two[0], duel)), 422, "not_owned")
    assert body["parameter"] == "card"
    assert body["errors"][0]["pointer"] == "#/card"


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"name": "fly"}, "unknown_command"),
        ({}, "unknown_command"),
        ({"name": 7}, "unknown_command"),
        ({"name": "play"}, "bad_parameter"),
        ({"name": "play", "card": "one"}, "bad_parameter"),
        ({"name": "play", "card": 1.5}, "bad_parameter"),
        ({"name": "play", "card": None}, "bad_parameter"),
        ({"name": "play", "card": 1, "seat": 1}, "bad_parameter"),
        ({"name": "draw", "": ""}, "bad_parameter"),
    ],
)
def test_commands_of_the_wrong_shape(duel, two, body, code):
    answer = two[0].post(f"/matches/{duel}/commands/", body, etag=etag(two[0], duel))
    expect_problem(answer, 422, code)
    assert len(STORE.read(Match.objects.get().id)) == 6


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        (b"{", 400, "bad_request"),
        (b"[]", 400, "bad_request"),
        (b'"text"', 400, "bad_request"),
        (b"\xff\xfe", 400, "bad_request"),
        (b'{"name": ' + b"[" * 5000 + b"]" * 5000 + b"}", 400, "bad_request"),
        (b'{"name": NaN}', 400, "bad_request"),
        (b'{"x": "' + b"y" * 10_000_000 + b'"}', 413, "too_large"),
    ],
    ids=["cut", "list", "text", "bytes", "deep", "nan", "10MB"],
)
def test_bodies_that_cannot_be_read(duel, two, body, status, code):
    version = etag(two[0], duel)
    expect_problem(two[0].post(f"/matches/{duel}/commands/", body, etag=version), status, code)
    expect_problem(two[0].post("/matches/", body), status, code)
    assert etag(two[0], duel) == version
    assert Match.objects.count() == 1


def test_a_body_of_another_type(duel, two):
    answer = two[0].client.post(
        f"/api/v1/matches/{duel}/commands/", {"name": "draw"}, headers={"Authorization": f"Bearer {two[0].token}"}
    )
    assert "multipart/form-data" in expect_problem(answer, 415, "unsupported_media_type")["detail"]
    answer = two[0].call("PUT", f"/matches/{duel}/commands/")
    assert "PUT" in expect_problem(answer, 405, "method_not_allowed")["detail"]


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({"game": "chess"}, 422, "unknown_game"),
        ({}, 400, "bad_request"),
        ({"game": "toy", "colour": "red"}, 400, "bad_request"),
        ({"game": "toy", "seats": "two"}, 400, "bad_request"),
        ({"game": "toy", "options": []}, 400, "bad_request"),
        ({"game": "toy", "bots": {"x": "random"}}, 400, "bad_request"),
        ({"game": "toy", "options": {"points": "many"}}, 422, "bad_options"),
    ],
)
def test_matches_that_do_not_fit(toy, anna, program, body, status, code):
    expect_problem(program(anna).post("/matches/", body), status, code)
    assert not Match.objects.exists()


@pytest.mark.parametrize(
    ("game", "seats", "options", "pointer"),
    [
        ("toy", 2, {"points": "many"}, "#/options/points"),
        ("stratastar", 2, {"fleets": 4}, "#/options/fleets"),
        ("space_fleet_commander", 1, {"mode": "classic", "lockstep": True}, "#/options/lockstep"),
        ("star_commander", 2, {"lethal": "more_than"}, "#/options/lethal"),
    ],
)
def test_an_option_that_does_not_fit_is_pointed_at(toy, anna, program, game, seats, options, pointer):
    answer = program(anna).post("/matches/", {"game": game, "seats": seats, "options": options})
    assert [one["pointer"] for one in answer.json()["errors"]] == [pointer]


def test_creating_twice_with_one_key_makes_one_match(toy, anna, program):
    caller = program(anna)
    first = caller.post("/matches/", {"game": toy}, key="k")
    again = caller.post("/matches/", {"game": toy}, key="k")
    assert again.status_code == 201
    assert again.json() == first.json()
    assert Match.objects.count() == 1
    expect_problem(caller.post("/matches/", {"game": toy, "hours": 3}, key="k"), 422, "key_reused")
    expect_problem(caller.post("/matches/", {"game": toy}, key=None), 400, "key_missing")
    refused = caller.post("/matches/", {"game": "chess"}, key="r")
    assert caller.post("/matches/", {"game": "chess"}, key="r").json() == refused.json()


def test_answers_are_forgotten_when_their_day_is_over(toy, anna, program):
    caller = program(anna)
    for key in ("old", "young"):
        caller.post("/matches/", {"game": toy}, key=key)
    Answered.objects.filter(key="old").update(created_at=timezone.now() - timedelta(hours=25))
    forget()
    assert Answered.objects.get().key == "young"


def test_a_thousand_matches_in_a_minute_are_throttled(toy, anna, program):
    caller = program(anna)
    answers = [caller.post("/matches/", {"game": toy}) for _ in range(settings.MATCHES_PER_MINUTE + 3)]
    assert [answer.status_code for answer in answers].count(201) == settings.MATCHES_PER_MINUTE
    expect_problem(answers[-1], 429, "too_many")
    assert 50 <= int(answers[-1].headers["Retry-After"]) <= 60


def test_an_order_as_text(duel, two):
    answer = two[0].post(f"/matches/{duel}/orders/", {"text": "draw"}, etag=etag(two[0], duel))
    assert answer.json()["events"][0]["type"] == "toy.drew"


def test_refused_orders_suggest_what_is_legal_now(anna, ben, program):
    match = opening.create_match(by=anna, game="stratastar", options={"homeworld_choice": "random"})
    match = opening.join_match(by=ben, match=match)
    mover = program((anna, ben)[match.questions.get().seat])
    path = f"/matches/{match.number}/orders/"
    illegal = mover.post(path, {"text": "colonise_ C4"}, etag=etag(mover, match.number))
    expect_problem(illegal, 422, "unreadable")
    assert "Did you mean" not in illegal.json()["detail"]
    legal = mover.post(path, {"text": "retolo none"}, etag=etag(mover, match.number))
    assert "Did you mean retool?" in legal.json()["detail"]


def test_an_order_sent_again_is_read_as_it_was_the_first_time(duel, two, monkeypatch):
    """The order's effect may make it unreadable."""

    def parse(text, seen):
        if text != "draw" and seen["items"]:
            raise Refused("unreadable", "A card lies on the table.")
        return toy_game.parse(text, seen)

    game = replace(toy_game.GAME, parse=parse)
    monkeypatch.setattr(catalog, "game", lambda game_id: game)
    loading.forget_all()
    path, seen = f"/matches/{duel}/orders/", etag(two[0], duel)
    hand = two[0].get(f"/matches/{duel}/view/").json()["view"]["hands"][0]
    card = hand[0]
    first = two[0].post(path, {"text": f"play {card}"}, key="once", etag=seen)
    assert first.status_code == 200
    again = two[0].post(path, {"text": f"play {card}"}, key="once", etag=seen)
    assert again.status_code == 200, again.content
    assert again.json() == first.json()
    assert again.headers["Idempotent-Replayed"] == "true"
    expect_problem(two[0].post(path, {"text": "draw"}, key="once", etag=seen), 422, "key_reused")
    # A refused order stays refused, even if it would be legal later.
    refused = two[0].post(path, {"text": "draw"}, key="early", etag=etag(two[0], duel))
    expect_problem(refused, 422, "not_your_turn")
    two[1].post(path, {"text": "draw"}, etag=etag(two[1], duel))
    expect_problem(two[0].post(path, {"text": "draw"}, key="early", etag=seen), 422, "not_your_turn")


def test_a_repeated_leave_is_answered_alike_though_the_match_is_closed_by_then(toy, anna, ben, program):
    match = opening.create_match(by=anna, game=toy, entry="invited", watch="nobody")
    three = opening.create_match(by=anna, game=toy, entry="invited", watch="nobody", take_seat=False)
    opening.join_match(by=ben, match=three, link=three.link_token)
    first = program(ben)
    answers = [first.post(f"/matches/{three.number}/leave/", key="once") for _ in range(2)]
    assert [one.status_code for one in answers] == [200, 200]
    assert answers[0].json() == answers[1].json()
    expect_problem(first.post(f"/matches/{three.number}/leave/"), 404, "not_found")
    opening.join_match(by=ben, match=match, link=match.link_token)
    answers = [first.post(f"/matches/{match.number}/give-up/", key="gone") for _ in range(2)]
    assert [one.status_code for one in answers] == [200, 200]
    assert answers[0].json() == answers[1].json()
    expect_problem(first.post(f"/matches/{match.number}/give-up/"), 403, "forbidden")


def test_the_lobby_over_http(toy, anna, ben, player, program):
    host, guest = program(anna, "organise"), program(ben)
    match = host.post("/matches/", {"game": toy, "entry": "invited"}).json()
    expect_problem(guest.post(f"/matches/{match['id']}/join/"), 404, "not_found")
    assert guest.get("/matches/?mine=false").json()["results"] == []
    invited = host.post(f"/matches/{match['id']}/invitations/", {"user": "ben"})
    assert invited.status_code == 201
    assert [one["id"] for one in guest.get("/matches/?mine=false").json()["results"]] == [match["id"]]
    joined = guest.post(f"/matches/{match['number']}/join/", {"contribution": "coffee"})
    assert joined.json()["your_seat"] == 1
    expect_problem(guest.post(f"/matches/{match['id']}/leave/"), 422, "not_open")
    expect_problem(host.post(f"/matches/{match['id']}/cancel/"), 422, "not_open")
    by_link = host.post("/matches/", {"game": toy, "entry": "invited"}).json()
    other = program(player("carl"))
    assert other.post(f"/matches/{by_link['id']}/join/", {"link": by_link["link"]}).json()["your_seat"] == 1
    with_bot = host.post("/matches/", {"game": toy}).json()
    assert host.post(f"/matches/{with_bot['id']}/bots/", {"bot": "greedy"}).json()["seats"][1]["kind"] == "bot"
    removed = host.post("/matches/", {"game": toy, "bots": {"1": "random"}, "take_seat": False}).json()
    answer = host.call("DELETE", f"/matches/{removed['id']}/seats/1/")
    assert answer.json()["seats"][1]["kind"] == "free"
    assert host.post(f"/matches/{removed['id']}/start/", {"bot": "random"}).json()["status"] == "running"


def test_lists_page_by_cursor(toy, anna, program, monkeypatch, many_matches):
    monkeypatch.setattr(paging, "MATCHES", 2)
    caller = program(anna)
    made = [caller.post("/matches/", {"game": toy}).json()["number"] for _ in range(5)]
    seen, cursor = [], ""
    while cursor is not None:
        page = caller.get(f"/matches/?cursor={cursor}").json()
        seen += [match["number"] for match in page["results"]]
        cursor = page["next"]
    assert seen == made[::-1]
    expect_problem(caller.get("/matches/?cursor=x"), 400, "bad_cursor")


def test_a_whole_match_by_the_forms_alone(duel, two):
    rng = random.Random(3)
    for _ in range(200):
        view = two[0].get(f"/matches/{duel}/view/").json()
        if view["status"] != "running":
            break
        mover = two[view["awaited"][0]["seat"]]
        forms = mover.get(f"/matches/{duel}/forms/")
        offered = [read_form(form) for form in forms.json()["forms"]]
        command = catalog.game("toy").bots["random"](view["view"], offered, rng)
        assert mover.post(f"/matches/{duel}/commands/", command, etag=forms.headers["ETag"]).status_code == 200
    assert view["outcome"]["ranking"]
    assert two[1].get(f"/matches/{duel}/view/?as=0").json()["seat"] == 0
    whole = two[1].get(f"/matches/{duel}/events/").json()["events"]
    assert all("salt" in event for event in whole)
    lines = b"".join(two[1].get(f"/matches/{duel}/export/").streaming_content).decode().splitlines()
    assert [json.loads(line) for line in lines[:-1]] == whole
    assert json.loads(lines[-1])["trailer"]["count"] == len(whole)


def test_the_past_as_it_was_seen_then(duel, two):
    shots = {}
    for seat in (0, 1, 0):
        for who, program in enumerate(two):
            answer = program.get(f"/matches/{duel}/view/").json()
            shots[who, answer["version"]] = answer["view"]
        two[seat].post(f"/matches/{duel}/commands/", {"name": "draw"}, etag=etag(two[seat], duel))
    for (who, version), view in shots.items():
        then = two[who].get(f"/matches/{duel}/view/?version={version}")
        assert then.json()["view"] == view
        assert then.json()["awaited"] == []
    expect_problem(two[0].get(f"/matches/{duel}/view/?version=99"), 422, "no_such_version")
    expect_problem(two[0].get(f"/matches/{duel}/view/?version=-1"), 400, "bad_version")
    expect_problem(two[0].get(f"/matches/{duel}/view/?version=6&as=1"), 403, "forbidden")
    assert two[0].get(f"/matches/{duel}/board.svg?version=6").status_code == 200
    expect_problem(two[0].get(f"/matches/{duel}/view/?at=yesterday"), 400, "bad_at")
    expect_problem(two[0].get(f"/matches/{duel}/view/?at=2001-01-01T00:00:00Z"), 422, "no_such_version")
    assert two[0].get(f"/matches/{duel}/view/?at=2999-01-01T00:00:00Z").json()["version"] == 12


def test_step_by_step(duel, two):
    two[0].post(f"/matches/{duel}/commands/", {"name": "draw"}, etag=etag(two[0], duel))
    own = two[0].get(f"/matches/{duel}/steps/6/").json()
    assert (own["from"], own["to"], own["words"]) == (6, 7, ["drew"])
    changed = {change["path"] for change in own["changes"]}
    assert changed == {"/deck", "/hands/0"}
    other = two[1].get(f"/matches/{duel}/steps/6/").json()
    assert next(change for change in other["changes"] if change["path"] == "/hands/0")["after"] == 3
    expect_problem(two[0].get(f"/matches/{duel}/steps/99/"), 422, "no_such_version")


def test_pictures(duel, two):
    svg = two[0].get(f"/matches/{duel}/board.svg")
    assert svg.headers["Content-Type"] == "image/svg+xml"
    assert svg.content.startswith(b"<svg")


def test_tokens(anna, program):
    caller = program(anna, "account")
    made = caller.post("/tokens/", {"name": "phone", "scopes": ["read"]})
    assert made.status_code == 201
    caller.token, mine = made.json()["token"], caller.token
    assert caller.get("/matches/").status_code == 200
    expect_problem(caller.post("/matches/", {"game": "toy"}), 403, "forbidden")
    caller.token = mine
    expect_problem(caller.post("/tokens/", {"name": "x", "scopes": ["organise"]}), 422, "scope_not_allowed")
    expect_problem(caller.post("/tokens/", {"name": "x", "scopes": ["fly"]}), 400, "bad_request")
    ident = made.json()["id"]
    assert ident in [token["id"] for token in caller.get("/tokens/").json()]
    assert "token" not in caller.get("/tokens/").json()[0]
    assert caller.call("DELETE", f"/tokens/{ident}/").status_code == 204
    caller.token = made.json()["token"]
    expect_problem(caller.get("/matches/"), 401, "not_signed_in")


def test_the_schema_is_whole(client, recwarn):
    schema = client.get("/api/v1/openapi.json").json()
    assert schema["openapi"].startswith("3.1")
    operations = {(path, method) for path, item in schema["paths"].items() for method in item}
    assert ("/api/v1/matches/{ident}/commands/", "post") in operations
    assert len(operations) >= 20
    assert not [warning for warning in recwarn if "spectacular" in str(warning.message).casefold()]


@pytest.mark.django_db(transaction=True)
def test_a_turn_goes_to_the_database_five_times(duel, two, django_assert_max_num_queries):
    """The queries: the token, the match with its seats, new events, the known command, and the append."""
    for mover in (*two, *two):
        tag = etag(mover, duel)
        with django_assert_max_num_queries(5):
            assert mover.post(f"/matches/{duel}/commands/", {"name": "draw"}, etag=tag).status_code == 200
