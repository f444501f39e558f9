"""Laws of the history, on random matches of all games: replay gives what was played, and the past what was served.

What a viewer may not see leaves no trace in any response to them.
"""

from __future__ import annotations

import copy
import itertools
import json
import random
import uuid
from typing import Any

import pytest

from events import canonical
from gamesvc.games import catalog
from gamesvc.games.kernel.dice import Dice, KeyedSource
from gamesvc.games.kernel.game import Refused, see_event
from gamesvc.games.kernel.timeline import replay
from gamesvc.matches.access import selectors
from gamesvc.matches.access.selectors import access_match, see_record
from gamesvc.matches.lobby import opening
from gamesvc.matches.reading import board, history, summaries
from gamesvc.matches.record import loading, snapshots, stream
from gamesvc.matches.record.stream import STORE
from tests.matches.exports import export_of
from tests.matches.playing import act, duel, log_of, play_out

pytestmark = pytest.mark.django_db
# Space Fleet Commander is played alone unless it is a race; the others are shortened.
OPTIONS = {"space_fleet_commander": {"mode": "race"}, "stratastar": {"max_rounds": 4}}
LONG = [*catalog.OFFERED, "toy"]
"""Games with acts that nobody else learns of, and matches long enough for them."""
GAMES = [*LONG, "auction"]


@pytest.fixture
def match_of(toy, auction, anna, ben):
    def make(game):
        match = opening.create_match(by=anna, game=game, options=OPTIONS.get(game), seats=2, contribution_text="tea", watch="all")
        return opening.join_match(by=ben, match=match)

    return make


def plain(value):
    return json.loads(json.dumps(value))


@pytest.mark.long
@pytest.mark.parametrize("game", GAMES)
def test_replay_is_the_live_state_and_the_past_is_what_was_served(match_of, game, anna, ben, monkeypatch):
    """At every version that was shown, for every viewer: snapshots, the process's memory and replay all agree."""
    monkeypatch.setattr(snapshots, "TAIL", 7)
    match = match_of(game)
    rng = random.Random(f"served {game}")
    served = {}
    for _ in range(18):
        play_out(match, seed=rng.randrange(10**6), most=2)
        match.refresh_from_db()
        live = loading.load(match.id, game)
        for user in (None, anna, ben):
            seen = board.look(access_match(user=user, ident=str(match.pk)))
            served[user, seen.version] = plain(seen.view)
        if rng.random() < 0.4:
            loading.forget_all()
            fresh = loading.load(match.id, game)
            assert (fresh.timeline.state, fresh.seen, fresh.head) == (live.timeline.state, live.seen, live.head)
        if live.ended:
            break
    events = log_of(match)
    assert replay(live.game, events).state == live.timeline.state
    loading.forget_all()
    for (user, version), view in served.items():
        then = board.look(access_match(user=user, ident=str(match.pk)), version=version)
        found = list(history.differences(view, plain(then.view)))
        assert found == [], (user, version)
        assert then.version == version or live.ended


@pytest.mark.long
@pytest.mark.parametrize("game", GAMES)
def test_each_step_tells_what_changed(match_of, game, anna):
    """The differences of a step, applied to the view before it, give the view after it; visible changes have sentences."""
    match = match_of(game)
    play_out(match, seed=5, most=12)
    access = access_match(user=anna, ident=str(match.pk))
    loaded = loading.load(match.id, game)
    last = loaded.viewer_version(access.viewer)
    told = 0
    for version in range(max(5, last - 25), last):
        step = history.step(access, version)
        before, after = (plain(board.look(access, version=at).view) for at in (version, version + 1))
        assert put_in(before, plain(step["changes"])) == after
        told += bool(step["words"])
        stored = STORE.read(match.id, version, version + 1)[0]
        if see_event(loaded.game, stream.lift(loaded.game, stored), 0) is None:
            assert (step["words"], step["changes"]) == ([], [])
    assert told
    assert history.step(access, 0)["words"]
    with pytest.raises(Refused):
        history.step(access, last)


def put_in(view: Any, changes: list[dict[str, Any]]) -> Any:
    """Apply differences as RFC 6902 does."""
    view = copy.deepcopy(view)
    for change in changes:
        if change["path"] == "":
            return change["after"]
        *path, name = [part.replace("~1", "/").replace("~0", "~") for part in change["path"].split("/")[1:]]
        inside = view
        for part in path:
            inside = inside[int(part)] if isinstance(inside, list) else inside[part]
        if isinstance(inside, list):
            inside[int(name)] = change["after"]
        elif change["op"] == "remove":
            del inside[name]
        else:
            inside[name] = change["after"]
    return view


# --- what a viewer may not see ---


def leaves(value, path=()):
    if isinstance(value, dict):
        for name, one in value.items():
            yield from leaves(one, (*path, name))
    elif isinstance(value, list):
        for at, one in enumerate(value):
            yield from leaves(one, (*path, at))
    else:
        yield path, value


def with_leaf(data, path, value):
    data = copy.deepcopy(data)
    inside = data
    for part in path[:-1]:
        inside = inside[part]
    inside[path[-1]] = value
    return data


def seen_data(game, stored, data, viewer):
    """Return what the viewer sees of an event with other data; None if the rules cannot read it."""
    event = stream.lift(game, stored._replace(data=data))
    try:
        found = see_event(game, event, viewer)
    except (KeyError, ValueError, TypeError, IndexError):
        return None
    return "sealed" if found is None else plain(found.data)


def other_values(value, rng):
    if isinstance(value, bool) or value is None:
        return []
    return [value + 1] if isinstance(value, int) else [rng.choice("xyz") * max(1, len(value))] if isinstance(value, str) else []


def otherwise(game, stored, viewer, rng):
    """Return the event with every hidden value changed, salt and hidden metadata included, and the number of these values."""
    data, changed = stored.data, 0
    seen = seen_data(game, stored, data, viewer)
    for path, value in list(leaves(data))[:80]:
        for other in other_values(value, rng):
            tried = with_leaf(data, path, other)
            if seen_data(game, stored, tried, viewer) == seen:
                data, changed = tried, changed + 1
    meta = dict(stored.meta)
    if "draws" in meta:
        meta["draws"] = [{**draw, "got": 99} for draw in meta["draws"]]
    own = viewer is not None and meta["actor"].get("seat") == viewer
    if "command" in meta and not own:
        meta |= {"command": {"name": "other"}, "command_id": str(uuid.uuid4()), "channel": "mail"}
        meta["received_at"] = "2020-01-01T00:00:00.000000Z"
    if seen == "sealed":
        meta |= {"actor": {"kind": "seat", "seat": 9}, "rules": "other/1"}
    written = (canonical.encode(data).decode(), canonical.encode(meta).decode())
    return stored._replace(data=data, meta=meta, salt=rng.randbytes(16), hash=rng.randbytes(32), written=written), changed


@pytest.mark.parametrize("game", LONG)
def test_what_is_hidden_changes_nothing_but_digest_and_hash(match_of, game):
    match = match_of(game)
    play_out(match, seed=3, most=2 if game == "toy" else 25)
    loaded = loading.load(match.id, game)
    assert not loaded.ended
    rng = random.Random(game)
    hidden = 0
    for stored in STORE.read(match.id):
        if stored.type.startswith("match."):
            continue
        for viewer in (None, 0, 1):
            record = see_record(loaded, stored, viewer, ended=False)
            if "salt" in record:
                assert record == stored.as_record(), "with its salt an event is whole"
                continue
            other, changed = otherwise(loaded.game, stored, viewer, rng)
            hidden += changed
            found = see_record(loaded, other, viewer, ended=False)
            assert {**found, "digest": "", "hash": ""} == {**record, "digest": "", "hash": ""}
            assert found["digest"] != record["digest"]
    assert hidden, "there was something to hide"


def test_guessing_hidden_values_against_the_digest_finds_nothing(match_of, anna, ben):
    """A drawn card is a 1 or a 2, so a known salt would reveal it at the second try. The salt is never shown with it."""
    match = match_of("toy")
    act(match, 0, {"name": "draw"})
    drew = next(stored for stored in STORE.read(match.id) if stored.type == "toy.drew")
    shown = see_record(loading.load(match.id, "toy"), drew, 1, ended=False)
    content = export_of(match, 1)
    assert drew.salt.hex() not in content.decode()

    def guess(salt):
        fields = {name: shown[name] for name in ("version", "type", "type_version", "occurred_at")}
        return [
            card
            for card in range(1, 9)
            if canonical.digest(
                stream=str(match.id),
                data=canonical.encode({"seat": 0, "card": card}),
                meta=drew.written[1].encode(),
                salt=salt,
                **fields,
            ).hex()
            == shown["digest"]
        ]

    assert guess(drew.salt) == [drew.data["card"]], "with the salt it would be no secret"
    salts = [stored.salt for stored in STORE.read(match.id) if stored.version != drew.version]
    assert len({*salts, drew.salt}) == len(salts) + 1
    tempting = [bytes(16), b"\xff" * 16, drew.hash[:16], bytes.fromhex(shown["digest"])[:16], match.id.bytes, *salts]
    tempting += [bytes(a ^ b for a, b in zip(one, two, strict=True)) for one, two in itertools.combinations(salts, 2)]
    assert all(guess(salt) == [] for salt in tempting)


# --- sealed events ---

PATHS = ("view/", "forms/", "events/", "export/", "board.svg", "view/?at=2100-01-01T00:00:00Z", "")


def everything(program, match):
    """Return everything that a player's program can fetch of a match, with its tags."""
    answers = {}
    for path in PATHS:
        answer = program.get(f"/matches/{match.pk}/{path}")
        body = b"".join(answer.streaming_content) if answer.streaming else answer.content
        answers[path] = (answer.status_code, answer.headers.get("ETag"), body)
    return answers


def sealed_command(loaded, seat, other, rng):
    """Return a command of the seat that is hidden from the other one, if the game has one now."""
    state = loaded.timeline.state
    forms = [form for form in loaded.game.legal_commands(state, seat) if form.aside and form.name != "resign"]
    for _ in range(30 if forms else 0):
        command = dict(loaded.game.bots["random"](loaded.game.view(state, seat), forms, rng))
        try:
            run = loaded.timeline.preview(seat, command)
        except Exception:
            continue
        if run.events and all(see_event(loaded.game, event, other) is None for event in run.events):
            return command
    return None


@pytest.mark.long
@pytest.mark.parametrize("game", [game for game in LONG if game != "space_fleet_commander"])
def test_sealed_events_move_nothing_that_others_see(match_of, game, anna, ben, program):
    """Neither version, ETag, events, export, picture, forms nor the time travel of the other seat and of observers."""
    match = match_of(game)
    rng = random.Random(game)
    readers = (program(ben), None)
    sealed = 0
    for _ in range(12):
        play_out(match, seed=rng.randrange(10**6), most=3)
        loaded = loading.load(match.id, game)
        command = None if loaded.ended else sealed_command(loaded, 0, 1, rng)
        if command is None:
            continue
        before = everything(readers[0], match)
        observed = observer_sees(match)
        mine = loaded.viewer_version(0)
        act(match, 0, command)
        loading.forget_all()
        assert everything(readers[0], match) == before
        assert observer_sees(match) == observed
        assert loading.load(match.id, game).viewer_version(0) > mine
        sealed += 1
        if sealed == 3:
            break
    assert sealed, "the game has commands of which the other seat knows nothing"


def observer_sees(match):
    loaded = loading.load(match.id, match.game)
    access = access_match(user=None, ident=str(match.pk))
    seen = board.look(access)
    records = selectors.records_for(loaded, None, 0, 10_000)
    return seen.version, plain(seen.view), records, summaries.summary(access), export_of(match)


def test_as_of_a_moment_does_not_tell_of_sealed_events(toy, anna, ben, program):
    match = duel(anna, ben)
    player = program(ben)
    path = f"/matches/{match.pk}/view/?at=2100-01-01T00:00:00Z"
    before = player.get(path)
    assert before.status_code == 200
    act(match, 0, {"name": "set_orders", "text": "hush"})
    after = player.get(path)
    assert (after.status_code, after.json(), after.headers["ETag"]) == (200, before.json(), before.headers["ETag"])
    assert player.get(f"/matches/{match.pk}/view/?at=2001-01-01T00:00:00Z").json()["code"] == "no_such_version"


@pytest.mark.parametrize("game", [game for game in LONG if game != "space_fleet_commander"])
def test_a_sealed_act_leaves_no_trace_in_what_is_dealt_anew(match_of, game):
    """Forks deal again what a seat cannot see: the same draws give the same result, whatever the other seat did in secret."""
    match = match_of(game)
    rng = random.Random(game)
    compared = 0
    for _ in range(10):
        play_out(match, seed=rng.randrange(10**6), most=3)
        loaded = loading.load(match.id, game)
        command = None if loaded.ended else sealed_command(loaded, 0, 1, rng)
        if command is None:
            continue
        before, after = loaded.timeline.state, loaded.timeline.preview(0, command).state
        seed = rng.randbytes(32)
        dealt = [loaded.game.redeal(state, 1, Dice(KeyedSource(seed))) for state in (before, after)]
        assert dealt[0] == dealt[1], command
        compared += 1
    assert compared
