"""Undo, redo, consent and the organiser's rewind as two players' programs use them, with hidden information."""

from __future__ import annotations

import json
import random

import pytest

from accounts import erasure
from gamesvc.games import catalog
from gamesvc.matches.models import Match, Reason
from gamesvc.matches.proof import audit, verification
from gamesvc.matches.record import loading
from gamesvc.ops.client import read_form
from notifications.models import Outbox
from tests.matches import exports, playing

pytestmark = pytest.mark.django_db
RULING = {"to": 6, "code": "dispute", "reason": "A slip of the pen."}


@pytest.fixture
def two(anna, ben, program):
    return program(anna, "organise"), program(ben, "organise")


@pytest.fixture
def duel(toy, two):
    opened = two[0].post("/matches/", {"game": toy, "options": {"points": 9}})
    match = opened.json()["id"]
    two[1].post(f"/matches/{match}/join/")
    return match


def etag(program, match):
    return program.get(f"/matches/{match}/view/").headers["ETag"]


def view(program, match):
    return program.get(f"/matches/{match}/view/").json()["view"]


def command(program, match, body, **more):
    answer = program.post(f"/matches/{match}/commands/", body, etag=etag(program, match), **more)
    assert answer.status_code == 200, answer.content
    return answer.json()


def undo(program, match, **more):
    return program.post(f"/matches/{match}/undo/", etag=more.pop("tag", None) or etag(program, match), **more)


def expect(answer, status, code=None):
    assert answer.status_code == status, answer.content
    body = answer.json()
    if code is not None:
        assert answer.headers["Content-Type"] == "application/problem+json"
        assert body["code"] == code
    return body


def test_a_player_undoes_and_redoes(duel, two):
    anna, _ben = two
    before = view(anna, duel)
    command(anna, duel, {"name": "play", "card": before["hands"][0][0]})
    played = view(anna, duel)
    offer = expect(anna.get(f"/matches/{duel}/undo/"), 200)
    assert (offer["how"], offer["option"], offer["order"]) == ("free", "free", f"{before['hands'][0][0]} play")
    done = expect(undo(anna, duel, key="k"), 200)
    assert done["done"]
    assert view(anna, duel)["hands"] == before["hands"]
    again = undo(anna, duel, key="k")
    assert again.headers["Idempotent-Replayed"] == "true"
    assert again.json() == done
    assert expect(anna.get(f"/matches/{duel}/undo/"), 200)["redo"] is not None
    expect(anna.post(f"/matches/{duel}/redo/", etag=etag(anna, duel)), 200)
    assert view(anna, duel) == played
    expect(anna.post(f"/matches/{duel}/redo/", etag=etag(anna, duel)), 422, "nothing_to_redo")


def test_what_is_needed_is_asked_for(duel, two, program, player):
    anna, _ben = two
    expect(anna.post(f"/matches/{duel}/undo/"), 428, "version_missing")
    expect(anna.post(f"/matches/{duel}/undo/", etag=etag(anna, duel), key=None), 400, "key_missing")
    expect(anna.post(f"/matches/{duel}/undo/answer/", {"accept": True}), 422, "no_request")
    expect(anna.post(f"/matches/{duel}/undo/answer/", {"accept": True, "why": "so"}), 400, "bad_request")
    stranger = program(player("carla"))
    expect(stranger.get(f"/matches/{duel}/undo/"), 404, "not_found")
    before = etag(anna, duel)
    expect(stranger.post(f"/matches/{duel}/undo/", etag=before), 404, "not_found")
    assert etag(anna, duel) == before


def test_undo_racing_a_move_is_a_clear_conflict(duel, two):
    anna, ben = two
    command(anna, duel, {"name": "play", "card": view(anna, duel)["hands"][0][0]})
    seen = etag(anna, duel), etag(ben, duel)
    command(ben, duel, {"name": "draw"})
    body = expect(undo(anna, duel, tag=seen[0]), 412, "stale")
    assert [event["type"] for event in body["events"]] == ["toy.drew", "toy.turn_ended"]
    assert "card" not in body["events"][0]["data"]
    expect(undo(ben, duel, tag=etag(ben, duel)), 200)
    asked = ben.get(f"/matches/{duel}/undo/").json()["request"]
    expect(anna.post(f"/matches/{duel}/undo/answer/", {"accept": True, "request": asked["request"]}), 200)
    late = ben.post(f"/matches/{duel}/commands/", {"name": "draw"}, etag=seen[1])
    body = expect(late, 412, "stale")
    assert body["events"][-1]["type"] == "match.rewound"


def first_move(program, match, rng):
    """Submit any legal command of the seat, from its forms."""
    answer = program.get(f"/matches/{match}/forms/?narrow=true").json()
    game = catalog.game(program.get(f"/matches/{match}/").json()["game"])
    forms = [read_form(form) for form in answer["forms"]]
    return dict(game.bots["greedy"](view(program, match), forms, rng))


@pytest.mark.long
def test_stratastar_with_hidden_hands_and_consent(two):
    """In every undo, with consent or without, nobody sees another hand, and both verifiers accept the record."""
    rng = random.Random(7)
    game = {"game": "stratastar", "options": {"max_rounds": 2, "homeworld_choice": "random"}}
    match = two[0].post("/matches/", game).json()["id"]
    two[1].post(f"/matches/{match}/join/")
    free = asked = 0
    for _ in range(60):
        seen = two[0].get(f"/matches/{match}/view/").json()
        if seen["status"] != "running":
            break
        seat = seen["awaited"][0]["seat"]
        mine, other = two[seat], two[1 - seat]
        before = view(mine, match)
        command(mine, match, first_move(mine, match, rng))
        if mine.get(f"/matches/{match}/").json()["status"] != "running":
            break
        offer = mine.get(f"/matches/{match}/undo/").json()
        if offer["how"] == "free" and free < 4:
            free += 1
            assert expect(undo(mine, match), 200)["done"]
            assert view(mine, match) == before
            expect(mine.post(f"/matches/{match}/redo/", etag=etag(mine, match)), 200)
        elif offer["how"] == "ask" and asked < 3:
            asked += 1
            wait = expect(undo(mine, match), 200)
            assert not wait["done"]
            request = other.get(f"/matches/{match}/undo/").json()["request"]
            assert request["yours_to_answer"]
            answer = other.post(f"/matches/{match}/undo/answer/", {"accept": asked != 2, "request": request["request"]})
            assert expect(answer, 200)["done"] == (asked != 2)
        for one in range(2):
            events = two[one].get(f"/matches/{match}/events/").json()["events"]
            for event in events:
                if event.get("type") == "match.rewound":
                    assert "data" not in event["data"]
                if event.get("type") == "stratastar.cards_drawn" and event["data"]["seat"] != one:
                    assert "cards" not in event["data"]
    assert free
    assert asked >= 2
    row = Match.objects.get(pk=match)
    report = verification.verify(exports.export_of(row, 0))
    assert report.ok, report.first_failure
    assert audit.check_match(row.id) == []


def test_a_record_with_everything_in_it_is_proved_by_both(duel, two, tmp_path):
    anna, ben = two
    command(anna, duel, {"name": "play", "card": view(anna, duel)["hands"][0][0]})
    expect(undo(anna, duel), 200)
    expect(anna.post(f"/matches/{duel}/redo/", etag=etag(anna, duel)), 200)
    command(ben, duel, {"name": "draw"})
    expect(undo(ben, duel), 200)
    expect(anna.post(f"/matches/{duel}/undo/answer/", {"accept": True}), 200)
    command(ben, duel, {"name": "draw"})
    expect(undo(ben, duel), 200)
    expect(anna.post(f"/matches/{duel}/undo/answer/", {"accept": False}), 200)
    row = Match.objects.get(pk=duel)
    playing.play_out(row)
    content = exports.export_of(row)
    types = [json.loads(line).get("type") for line in content.splitlines()]
    assert types.count("match.rewound") >= 3
    assert {"match.undo_asked", "match.undo_answered", "match.ended"} <= set(types)
    report = verification.verify(content)
    assert report.ok, report.first_failure
    assert {check.name: check.status for check in report.checks}["decisions"] == "proved"
    assert exports.node_verify(tmp_path, content)[0]["ok"]
    assert audit.check_match(row.id) == []
    loading.forget_all()
    log = exports.records_of(content)
    drawn = next(one for one in log if one["type"] == "match.rewound" and "draws" in one["meta"])
    drawn["data"]["data"]["deck"] = drawn["data"]["data"]["deck"][::-1]
    if drawn["data"]["data"]["deck"] != drawn["data"]["data"]["deck"][::-1]:
        failure = verification.verify(exports.forge(log)).first_failure
        assert failure.version == drawn["version"]


def test_an_organiser_sets_the_match_back_with_a_reason(toy, player, program, two):
    carla = program(host := player("carla"), "organise")
    match = carla.post("/matches/", {"game": toy, "take_seat": False, "options": {"points": 9}}).json()["id"]
    for one in two:
        one.post(f"/matches/{match}/join/")
    start = carla.get(f"/matches/{match}/view/").json()["version"]
    command(two[0], match, {"name": "draw"})
    held = view(two[0], match)["hands"][0]
    assert carla.get(f"/matches/{match}/undo/").json()["may_rewind"]
    body = {**RULING, "to": start}
    expect(carla.post(f"/matches/{match}/rewind/", {**body, "to": start + 1}, etag=etag(carla, match)), 422, "bad_version")
    for far in (1, 2**31, 10**12):
        expect(carla.post(f"/matches/{match}/rewind/", {**body, "to": far}, etag=etag(carla, match)), 422, "bad_version")
    expect(carla.post(f"/matches/{match}/rewind/", {**body, "reason": " "}, etag=etag(carla, match)), 400, "bad_request")
    seen = etag(carla, match)
    done = expect(carla.post(f"/matches/{match}/rewind/", body, etag=seen, key="r"), 200)
    assert done["done"]
    assert expect(carla.post(f"/matches/{match}/rewind/", body, etag=seen, key="r"), 200) == done
    assert view(two[0], match)["hands"][0] == held[:2]
    event = done["events"][0]
    assert (event["data"]["cause"], event["data"]["code"]) == ("host", "dispute")
    assert RULING["reason"] not in json.dumps(done), "the words are not in the record"
    words = two[1].get(f"/matches/{match}/steps/{event['version'] - 1}/").json()["words"]
    assert RULING["reason"] in words[0]
    assert "a dispute is settled" in words[0]
    assert Outbox.objects.filter(kind="taken_back", topic=match).count() == 2
    expect(undo(two[0], match), 422, "ruled")
    erasure.erase(host)
    assert Reason.objects.get().words == ""
    assert RULING["reason"] not in two[1].get(f"/matches/{match}/steps/{event['version'] - 1}/").json()["words"][0]
    assert audit.check_match(Match.objects.get(pk=match).id) == []


def test_who_plays_in_a_match_sets_nothing_back_in_it(duel, two, anna, player, program):
    expect(two[0].post(f"/matches/{duel}/rewind/", RULING, etag=etag(two[0], duel)), 403, "forbidden")
    expect(two[1].post(f"/matches/{duel}/rewind/", RULING, etag=etag(two[1], duel)), 403, "forbidden")
    anna.is_staff = True
    anna.save()
    expect(two[0].post(f"/matches/{duel}/rewind/", RULING, etag=etag(two[0], duel)), 403, "forbidden")
    assert not two[0].get(f"/matches/{duel}/undo/").json()["may_rewind"]
    operator = program(player("olga", is_staff=True), "operate")
    command(two[0], duel, {"name": "draw"})
    tag = f'"{duel}-o-8"'
    expect(operator.post(f"/matches/{duel}/rewind/", RULING, etag=tag), 200)


def test_the_page_offers_and_does_it(duel, two, anna, ben, client):
    command(two[0], duel, {"name": "play", "card": view(two[0], duel)["hands"][0][0]})
    number = Match.objects.get(pk=duel).number
    client.force_login(anna)
    page = client.get(f"/matches/{number}/").content.decode()
    assert "Undo: played" in page
    version = two[0].get(f"/matches/{duel}/view/").json()["version"]
    client.post(f"/matches/{number}/undo", {"act": "undo", "_once": "a", "_version": str(version)})
    assert "Redo" in client.get(f"/matches/{number}/").content.decode()
    version = two[0].get(f"/matches/{duel}/view/").json()["version"]
    client.post(f"/matches/{number}/undo", {"act": "redo", "_once": "b", "_version": str(version)})
    command(two[1], duel, {"name": "draw"})
    expect(undo(two[1], duel), 200)
    page = client.get(f"/matches/{number}/").content.decode()
    assert "ben asks for an undo. Answer by <time" in " ".join(page.split())
    client.force_login(ben)
    own = client.get(f"/matches/{number}/").content.decode()
    assert "You asked for an undo. The others can answer until <time" in " ".join(own.split())
    client.force_login(anna)
    request = two[0].get(f"/matches/{duel}/undo/").json()["request"]["request"]
    client.post(f"/matches/{number}/undo", {"act": "accept", "_once": "c", "request": str(request)})
    page = client.get(f"/matches/{number}/").content.decode()
    assert "ben has undone a move." in page
    assert len(view(two[1], duel)["hands"][1]) == 2
