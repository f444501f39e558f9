"""The question on pages whether a player consents to an undo by another."""

import random
import re
import uuid

import pytest

from gamesvc.matches.lobby import opening
from gamesvc.matches.record import loading
from gamesvc.matches.undo import undoing
from tests.matches.playing import act, sends

pytestmark = pytest.mark.django_db


def sheet(match, seat):
    return loading.load(match.id, match.game).timeline.state.sheets[seat]


def plays(match, seat, enough):
    """Play a seat of a race until a command of it is enough."""
    rng = random.Random(4)
    for _ in range(100):
        loaded = loading.load(match.id, match.game)
        game, now = loaded.game, loaded.timeline.state
        forms = [form for form in game.legal_commands(now, seat) if form.name != "resign"]
        command = dict(game.bots["greedy"](game.view(now, seat), forms, rng))
        act(match, seat, command)
        if enough(command):
            return
    raise AssertionError("never enough")


def listed(client, match):
    """Return the sentences that the page gives as what would be undone."""
    page = client.get(f"/matches/{match.number}/").content.decode()
    _before, _words, rest = page.partition("This would be undone:</p><ul>")
    return re.findall("<li>(.*?)</li>", rest.partition("</ul>")[0])


def test_who_is_asked_learns_what_of_their_own_would_be_undone(anna, ben, client):
    """In a race the others play on meanwhile, unseen and with the same dice: if these are thrown again, that is gone."""
    match = opening.create_match(by=anna, game="space_fleet_commander", seats=2)
    match = opening.join_match(by=ben, match=match)
    plays(match, 0, lambda command: command["name"] == "reroll" and command["dice"])
    plays(match, 1, lambda _command: sheet(match, 1).turn == 3)
    stars, version = sheet(match, 1).stars, loading.load(match.id, match.game).viewer_version(0)
    asked = undoing.undo(match=match, sender=sends(match, 0), expected_version=version, command_id=uuid.uuid4())
    assert not asked.done
    client.force_login(ben)
    before = listed(client, match)
    assert "You began turn 3." in before
    plays(match, 1, lambda _command: True)
    after = listed(client, match)
    since = after[after.index(before[-1]) + 1 :]
    assert since, "what Ben did since he was asked"
    assert all(sentence.startswith("You") for sentence in since)
    home = client.get("/").content.decode()
    assert f'href="/matches/{match.number}/#undo"' in home
    assert 'value="accept"' not in home
    told = client.get(f"/api/v1/matches/{match.number}/undo/").json()["request"]
    seen = client.get(f"/api/v1/matches/{match.number}/events/").json()["events"]
    assert any(one["version"] > told["to"] and one.get("meta", {}).get("actor") == {"kind": "seat", "seat": 1} for one in seen)
    client.post(f"/matches/{match.number}/undo", {"act": "accept", "_once": "a", "request": str(asked.request)})
    assert sheet(match, 1).stars < stars
    client.force_login(anna)
    assert listed(client, match) == []
