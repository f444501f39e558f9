"""Forks, analysis boards, described positions: none of them reveals anything hidden."""

from __future__ import annotations

import json
import random
import uuid

import pytest

from events import canonical
from gamesvc.games import catalog
from gamesvc.games.kernel import codec
from gamesvc.games.kernel.dice import Dice, KeyedSource
from gamesvc.games.kernel.game import Refused
from gamesvc.games.kernel.timeline import replay
from gamesvc.games.secrecy import words_in
from gamesvc.games.selfplay import bounded, play
from gamesvc.matches.access.selectors import access_match
from gamesvc.matches.errors import Forbidden, Unknown
from gamesvc.matches.lobby import forks, opening
from gamesvc.matches.models import Beginning, Match, Question
from gamesvc.matches.proof import audit, verification
from gamesvc.matches.record import loading, positions
from gamesvc.matches.record.stream import STORE
from notifications.models import Outbox
from tests.games.test_positions import CASE_SEATS, CASES
from tests.matches.exports import export_of, forge, node_verify, records_of
from tests.matches.playing import act, duel, play_out

pytestmark = pytest.mark.django_db


@pytest.fixture
def running(toy, anna, ben):
    return duel(anna, ben)


def access(user, match):
    return access_match(user=user, ident=str(match.pk))


def position_event(match):
    return next(stored for stored in STORE.read(match.id) if stored.type == "match.positioned")


def view(match, seat):
    loaded = loading.load(match.id, match.game)
    return loaded.game.view(loaded.timeline.state, seat)


def unplaced(seen):
    """Return a view without its versions, which differ in another match."""
    return {**seen, "items": [{**item, "id": 0} for item in seen["items"]]} if "items" in seen else seen


def test_a_seat_forks_what_it_sees_and_the_rest_is_dealt_anew(running, anna, ben, tmp_path):
    version = loading.load(running.id, "toy").viewer_version(0)
    made = forks.fork(access=access(anna, running), version=version, contribution_text="new")
    assert made.status == Match.Status.OPEN
    assert made.entry == Match.Entry.INVITED
    opened = STORE.read(made.id)[0].data
    assert opened["origin"] == {"match": str(running.id), "version": version, "seat": 0}
    made = opening.join_match(by=ben, match=made, link=made.link_token)
    assert made.status == Match.Status.RUNNING
    assert unplaced(view(made, 0)) == unplaced(view(running, 0))
    placed = position_event(made)
    assert placed.data["dealt"]["seat"] == 0
    assert [draw["i"] for draw in placed.meta["draws"]] == list(range(len(placed.meta["draws"])))
    assert made.options == running.options
    play_out(made)
    content = export_of(made)
    report = verification.verify(content)
    assert report.ok, report.first_failure
    found = {check.name: check.status for check in report.checks}
    assert found["position"] == found["draws"] == found["decisions"] == "proved"
    [other] = node_verify(tmp_path, content)
    assert other["ok"], other
    assert audit.check_match(made.id) == []


def test_forks_of_one_version_differ_in_what_is_hidden(running, anna, settings):
    settings.MATCHES_PER_MINUTE = 100
    hands = set()
    for _ in range(12):
        made = forks.fork(access=access(anna, running), version=running_version(running), board=True)
        loaded = loading.load(made.id, "toy")
        hands.add((loaded.timeline.state.hands[1], loaded.timeline.state.deck))
    assert len(hands) > 1


@pytest.mark.parametrize("game", ["space_war", "star_commander"])
def test_hidden_cards_have_other_ids_in_a_fork(game, anna, ben):
    """Else a player who has once seen which card an id is would find its place on an analysis board."""
    match = opening.join_match(by=ben, match=opening.create_match(by=anna, game=game))
    then = loading.load(match.pk, game)
    fork = forks.fork(access=access(anna, match), version=then.viewer_version(0), board=True)
    state, before = loading.load(fork.pk, game).timeline.state, then.timeline.state
    known = words_in(then.game.view(before, 0))
    ids = [one for one in then.game.ids(before) if one not in known]
    assert sorted(ids) == sorted(one for one in then.game.ids(state) if one not in known)
    piles = [one.sides[0].pile if game == "space_war" else one.decks["industry"] for one in (before, state)]
    assert piles[0] != piles[1]
    assert shape(then.game.view(state, 0)) == shape(then.game.view(before, 0))


def test_boards_of_others_do_not_crowd_out_the_forks_of_a_match(running, anna, ben, monkeypatch):
    monkeypatch.setattr(forks, "MOST_LOOKED_AT", 1)
    made = forks.fork(access=access(anna, running), version=running_version(running), watch="all")
    forks.fork(access=access(ben, running), version=running_version(running), board=True)
    assert [one.match.pk for one in forks.forks_of(access(anna, running))] == [made.pk]


def running_version(match):
    return loading.load(match.id, match.game).viewer_version(0)


def test_what_is_kept_of_a_fork_is_not_the_origin(toy, anna, ben):
    """Neither the row nor the events of a fork hold what the seat could not see: it differs from the origin."""
    match = opening.join_match(by=ben, match=opening.create_match(by=anna, game=toy))
    act(match, 1, {"name": "set_orders", "text": "a secret of bens"})
    made = [forks.fork(access=access(anna, match), version=running_version(match), board=True) for _ in range(8)]
    kept = [json.loads(Beginning.objects.get(match=one).position)["state"] for one in made]
    assert all(one["orders"] == ["", ""] for one in kept)
    assert len({json.dumps(one["deck"] + one["hands"][1]) for one in kept}) > 1
    for one in made:
        assert all("secret of bens" not in "".join(stored.written) for stored in STORE.read(one.id))


def test_few_matches_from_positions_are_remembered(running, anna, monkeypatch):
    """A described position may take fifty times the memory of others: 512 of them a gigabyte, in each process."""
    monkeypatch.setattr(loading, "REMEMBERED_POSITIONS", 2)
    loading.forget_all()
    version = running_version(running)
    boards = [forks.fork(access=access(anna, running), version=version, board=True) for _ in range(4)]
    for match in (running, *boards, boards[2]):
        loading.remember(loading.load(match.id, match.game))
    assert loading._remembered.keys() == {running.id, boards[2].id, boards[3].id}
    loading.remember(loading.load(boards[0].id, "toy"))
    assert loading._remembered.keys() == {running.id, boards[2].id, boards[0].id}
    monkeypatch.setattr(loading, "REMEMBERED", 1)
    loading.remember(loading.load(running.id, "toy"))
    assert loading._remembered.keys() == {running.id}
    assert not loading._from_positions


def test_a_fork_may_be_gone_back_in_behind_its_first_event(running, anna, ben):
    """An item that was open in the origin can be countered in the fork: the state it marks came along."""
    act(running, 0, {"name": "draw"})
    act(running, 1, {"name": "play", "card": loading.load(running.id, "toy").timeline.state.hands[1][0]})
    made = forks.fork(access=access(anna, running), version=running_version(running), board=True)
    loaded = loading.load(made.id, "toy")
    first = next(stored.version for stored in STORE.read(made.id) if stored.type == "match.positioned")
    [item] = [item for item in loaded.timeline.state.items if item.seat == 1]
    assert item.id < first
    act(made, 0, {"name": "counter", "item": int(item.id)})
    loading.forget_all()
    loaded = loading.load(made.id, "toy")
    assert loaded.timeline.state.counters[0] == 1
    play_out(made)
    report = verification.verify(export_of(made))
    assert report.ok, report.first_failure
    assert audit.check_match(made.id) == []


@pytest.mark.parametrize("after", [False, True])
def test_the_whole_position_is_forked_after_the_end_only(running, anna, ben, after, tmp_path):
    version = 9
    with pytest.raises(Forbidden):
        forks.fork(access=access(anna, running), version=version, as_seat=1)
    with pytest.raises(Forbidden):
        forks.position_at(access(anna, running), version)
    play_out(running)
    made = forks.fork(access=access(ben, running), version=version, as_seat=0 if after else None, bots={1: "random"})
    assert made.status == Match.Status.RUNNING
    origin = loading.state_at(
        catalog.game("toy"), running.id, forks.settled_version(loading.load(running.id, "toy"), None, version)[0]
    )
    loaded = loading.load(made.id, "toy")
    if not after:
        assert (loaded.timeline.state.hands, loaded.timeline.state.deck) == (origin.hands, origin.deck)
        assert "draws" not in position_event(made).meta
    assert loaded.timeline.state.hands[0] == origin.hands[0]
    play_out(made)
    content = export_of(made)
    assert verification.verify(content).ok
    assert node_verify(tmp_path, content)[0]["ok"]


def test_who_may_not_fork_is_refused(running, anna, ben, player):
    Match.objects.filter(pk=running.pk).update(watch="all")
    with pytest.raises(Forbidden):
        forks.fork(access=access(player("carl"), running), version=9)
    for version in (1, 3, 9000):
        with pytest.raises(Refused) as refused:
            forks.fork(access=access(anna, running), version=version)
        assert refused.value.code == "no_such_version"
    with pytest.raises(Refused) as refused:
        forks.fork(access=access(anna, opening.create_match(by=anna, game="toy")), version=1)
    assert refused.value.code == "not_started"
    Match.objects.filter(pk=running.pk).update(anonymous=True)
    with pytest.raises(Refused) as refused:
        forks.fork(access=access(anna, running), version=9)
    assert refused.value.code == "anonymous"
    play_out(running)
    running.refresh_from_db()
    with pytest.raises(Refused) as refused:
        forks.fork(access=access(anna, running), version=running.version)
    assert refused.value.code == "game_over"


def test_the_version_of_a_fork_follows_from_the_view(toy, anna, ben):
    """A sealed event after the last one the seat knows changes nothing, and no position lies within an act."""
    match = opening.join_match(by=ben, match=opening.create_match(by=anna, game=toy))
    act(match, 0, {"name": "draw"})
    loaded = loading.load(match.id, toy)
    versions = range(4, loaded.version + 1)
    before = [forks.settled_version(loaded, 0, version) for version in versions]
    assert before == [(6, 6)] * 3 + [(8, 8)] * 2
    act(match, 1, {"name": "set_orders", "text": "hidden"})
    after = [forks.settled_version(loading.load(match.id, toy), 0, version) for version in versions]
    assert [shown for _, shown in after] == [shown for _, shown in before]
    with pytest.raises(Refused) as refused:
        forks.settled_version(loading.load(match.id, toy), 0, 9)
    assert "4 to 8" in refused.value.detail


# --- boards ---


def test_a_board_is_played_by_its_owner_alone(running, anna, ben, program):
    asked, told = Question.objects.count(), Outbox.objects.count()
    player = program(anna)
    version = player.get(f"/matches/{running.pk}/view/").json()["version"]
    made = player.post(f"/matches/{running.pk}/forks/", {"version": version, "kind": "board"})
    assert made.status_code == 201, made.content
    body = made.json()
    assert (body["kind"], body["status"], body["counted"], body["from_position"]) == ("board", "running", False, True)
    assert body["origin"] == {"match": str(running.pk), "number": running.number, "version": version, "seat": 0}
    board = body["id"]
    with pytest.raises(Unknown):
        access_match(user=ben, ident=board)
    for path in ("view/", "forms/", "events/", "export/"):
        assert program(ben).get(f"/matches/{board}/{path}").status_code == 404
    seats = set()
    for _ in range(60):
        seen = player.get(f"/matches/{board}/view/")
        if seen.json()["status"] != "running":
            break
        [awaited] = seen.json()["awaited"]
        assert awaited["due_at"] is None
        assert seen.json()["seat"] == awaited["seat"]
        seats.add(awaited["seat"])
        forms = {form["name"]: form for form in player.get(f"/matches/{board}/forms/").json()["forms"]}
        command = {"name": "pass"}
        if "play" in forms:
            command = {"name": "play", "card": forms["play"]["parameters"]["properties"]["card"]["enum"][0]}
        elif "draw" in forms:
            command = {"name": "draw"}
        key = str(uuid.uuid4())
        first = player.post(f"/matches/{board}/commands/", command, etag=seen.headers["ETag"], key=key)
        assert first.status_code == 200, first.content
        again = player.post(f"/matches/{board}/commands/", command, etag=seen.headers["ETag"], key=key)
        assert again.json() == first.json()
        assert again.headers["Idempotent-Replayed"] == "true"
    assert seats == {0, 1}
    assert player.get(f"/matches/{board}/").json()["status"] == "finished"
    assert Question.objects.count() == asked
    assert Outbox.objects.count() == told
    assert audit.check_match(uuid.UUID(board)) == []


def test_the_owner_of_a_board_looks_from_each_seat_and_closes_it(running, anna, program):
    player = program(anna)
    made = forks.fork(access=access(anna, running), version=running_version(running), board=True)
    for seat in (0, 1):
        seen = player.get(f"/matches/{made.pk}/view/?as={seat}").json()
        assert seen["seat"] == seat
        assert isinstance(seen["view"]["hands"][seat], list)
        assert isinstance(seen["view"]["hands"][1 - seat], int)
    # Any seat acts, even one that is not awaited: the ETag says which.
    for seat in (0, 1):
        etag = player.get(f"/matches/{made.pk}/view/?as={seat}").headers["ETag"]
        sent = player.post(f"/matches/{made.pk}/commands/", {"name": "set_orders", "text": "x"}, etag=etag)
        assert sent.status_code == 200, sent.content
    assert {stored.meta["actor"]["seat"] for stored in STORE.read(made.id) if "command" in stored.meta} == {0, 1}
    closed = player.post(f"/matches/{made.pk}/close/")
    assert closed.json()["status"] == "cancelled"
    assert player.post(f"/matches/{made.pk}/close/").json()["code"] == "match_over"
    assert player.post(f"/matches/{running.pk}/close/").json()["code"] == "not_a_board"
    assert verification.verify(export_of(made)).ok
    assert audit.check_match(made.id) == []


def test_a_board_against_bots(running, anna, django_capture_on_commit_callbacks):
    made = forks.fork(access=access(anna, running), version=running_version(running), board=True, bots={1: "random"})
    assert set(Question.objects.filter(match=made).values_list("bot", flat=True)) <= {True}
    assert access(anna, made).may_be == {0}
    play_out(made)
    made.refresh_from_db()
    assert made.status == Match.Status.FINISHED
    with pytest.raises(Refused, match="yours"):
        forks.fork(access=access(anna, running), version=running_version(running), board=True, bots={0: "random"})


# --- positions ---


def test_a_match_begins_from_a_described_position(toy, anna, ben, program, tmp_path):
    finished = duel(anna, ben)
    play_out(finished)
    player = program(anna)
    told = player.get(f"/matches/{finished.pk}/position/?version=8").json()
    made = player.post(
        "/matches/", {"game": toy, "position": told["position"], "options": told["options"], "bots": {"1": "greedy"}}
    )
    assert made.status_code == 201, made.content
    body = made.json()
    assert (body["kind"], body["counted"], body["from_position"], body["origin"]) == ("match", False, True, None)
    match = Match.objects.get(pk=body["id"])
    expected = loading.state_at(catalog.game(toy), finished.id, 8)
    assert loading.load(match.id, toy).timeline.state.hands == expected.hands
    assert player.get(f"/matches/{match.pk}/events/").json()["events"][-1].get("data") == {}
    play_out(match)
    content = export_of(match)
    report = verification.verify(content)
    assert report.ok, report.first_failure
    assert {check.name: check.status for check in report.checks}["position"] == "proved"
    assert node_verify(tmp_path, content)[0]["ok"]


def test_a_match_begins_from_a_position_described_in_short(anna, program):
    """Named parts are set, all others are as at the start of a match; the turn begins with its ready phase."""
    state = {"phase": "ready", "turn": 5, "seats": [{"credits": 4, "hand": ["barrage"]}, {}]}
    position = {"format": 1, "game": "star_commander", "state": state}
    player = program(anna)
    made = player.post("/matches/", {"game": "star_commander", "position": position, "bots": {"1": "greedy"}})
    assert made.status_code == 201, made.content
    match = Match.objects.get(pk=made.json()["id"])
    reached = loading.load(match.id, match.game).timeline.state
    assert (reached.turn, reached.active, reached.seats[0].credits) == (5, 0, 5)
    assert "barrage" in [reached.faces[uid] for uid in reached.seats[0].hand]
    play_out(match, most=30)
    act(match, 0, {"name": "resign"})
    assert verification.verify(export_of(match)).ok
    refused = player.post(
        "/matches/", {"game": "star_commander", "position": {**position, "state": {"seats": [{"hand": ["nope"]}, {}]}}}
    )
    assert (refused.status_code, refused.json()["code"]) == (422, "bad_position")
    assert "/seats/0/hand" in refused.json()["detail"]


@pytest.mark.parametrize(
    "position",
    [
        {},
        {"format": 2},
        {"format": 1, "game": "chess", "state": {}},
        {"format": 1, "game": "toy", "state": {"deck": [1] * 20, "hands": [[], []]}},
        {"format": 1, "game": "toy", "state": {"deck": [1], "hands": [[1.5], []]}},
        {"format": 1, "game": "toy", "state": {"deck": [1], "hands": []}},
        {"format": 1, "game": "toy", "state": {"deck": [1], "hands": [[1], [1]], "items": [{"id": -1, "seat": 0, "card": 1}]}},
        {"format": 1, "game": "toy", "state": {"deck": ["x" * 500_000], "hands": [[1], [1]]}},
    ],
)
def test_what_is_no_position_is_refused(toy, anna, program, position):
    answer = program(anna).post("/matches/", {"game": toy, "position": position})
    assert answer.status_code in (413, 422), answer.content
    assert answer.status_code == 413 or answer.json()["code"] in ("bad_position", "bad_number")
    assert not Match.objects.exists()


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if case[2] == case[2] and case[2] != "\ud800"])
def test_what_the_rules_could_not_go_on_from_is_refused_with_the_place(anna, program, name):
    game_id, path, value, named = CASES[name]
    position = started_position(catalog.game(game_id), CASE_SEATS[game_id], share=0)
    holder = position
    for key in path[:-1]:
        holder = holder[key]
    holder[path[-1]] = value
    answer = program(anna).post("/matches/", {"game": game_id, "position": position})
    assert (answer.status_code, answer.json()["code"]) == (422, "bad_position"), answer.content
    assert named in answer.json()["detail"]
    assert not Match.objects.exists()


def test_seats_that_do_not_fit_and_games_that_are_over_are_refused(anna, program):
    game = catalog.game("stratastar")
    position = started_position(game, 2)
    answer = program(anna).post("/matches/", {"game": "stratastar", "position": position, "seats": 3})
    assert answer.json()["code"] == "bad_seats"


def test_a_position_of_unusual_size_is_refused(anna, program):
    """It stays in the record for ever, again in each snapshot, and 200 matches a day may begin from one."""
    made = (started_position(catalog.game("space_war"), 2, share=number / 40) for number in range(40))
    position = json.loads(json.dumps(next(one for one in made if one["state"]["items"])))
    item = position["state"]["items"][-1]
    for size, status in ((400, 201), (600, 422)):
        item["plays"] = [{"any": "x" * size}] * 200
        answer = program(anna).post("/matches/", {"game": "space_war", "position": position})
        assert answer.status_code == status, answer.json()
    assert (answer.json()["code"], "at most 100000" in answer.json()["detail"]) == ("bad_position", True)


def test_what_a_position_leaves_out_counts_for_its_size(anna, program, monkeypatch):
    game = catalog.game("space_war")
    position = json.loads(json.dumps(started_position(game, 2, share=0)))
    for side in position["state"]["sides"]:
        for name in ("commit", "free_hand", "mills", "timed", "flip_preference"):
            del side[name]
    given = len(canonical.encode(position))
    monkeypatch.setattr(positions, "MOST_BYTES", given)
    answer = program(anna).post("/matches/", {"game": "space_war", "position": position})
    assert (answer.status_code, answer.json()["code"]) == (422, "bad_position")
    assert f"at most {given} are read" in answer.json()["detail"]


def started_position(game, seats, share=0.5):
    record = play(game, options=bounded(game), seats=seats, seed="position", bots=("random",), check_every=0)
    timeline = replay(game, record.events[: record.ends[int(share * (len(record.ends) - 1))]])
    return codec.write_position(game, timeline.state, timeline.version, timeline.keep_marked())


# --- forgers ---


def change_position(records):
    placed = next(record for record in records if record["type"] == "match.positioned")
    placed["data"]["dealt"]["from"]["state"]["points"] = [2, 2]
    return placed["version"]


def change_commitment(records):
    records[0]["data"]["position"] = "0" * 64
    return next(record["version"] for record in records if record["type"] == "match.positioned")


def forget_commitment(records):
    del records[0]["data"]["position"]
    return next(record["version"] for record in records if record["type"] == "match.positioned")


def leave_out_position(records):
    at = next(at for at, record in enumerate(records) if record["type"] == "match.positioned")
    del records[at]
    for version, record in enumerate(records, 1):
        record["version"] = version
    return at + 1


def deal_otherwise(records):
    """The draws are right, but another position is played: only the rules can tell."""
    placed = next(record for record in records if record["type"] == "match.positioned")
    state = placed["data"]["position"]["state"]
    state["deck"][0], state["hands"][1] = 3 - state["deck"][0], [3 - card for card in state["hands"][1]]
    return placed["version"]


@pytest.mark.parametrize(
    "change",
    [change_position, change_commitment, forget_commitment, leave_out_position, deal_otherwise],
    ids=lambda one: one.__name__,
)
def test_a_forged_beginning_is_found(running, anna, tmp_path, change):
    made = forks.fork(access=access(anna, running), version=running_version(running), board=True)
    play_out(made)
    records = records_of(export_of(made))
    version = change(records)
    forged = forge(records)
    report = verification.verify(forged)
    assert not report.ok
    assert report.first_failure.version == version, report.first_failure
    [other] = node_verify(tmp_path, forged)
    if change is not deal_otherwise:
        assert (other["ok"], other["version"]) == (False, version)


# --- the four games ---


# Space Fleet Commander is played alone unless it is a race.
OF_TWO = {"space_fleet_commander": {"mode": "race"}, "stratastar": {"max_rounds": 2}}


@pytest.mark.long
@pytest.mark.parametrize("game", catalog.OFFERED)
def test_every_game_is_forked_and_played_on(game, anna, ben, tmp_path):
    """From random versions of a running match: the seat sees the same, the rest is consistent, the fork is played and proved."""
    engine = catalog.game(game)
    match = opening.create_match(by=anna, game=game, options=OF_TWO.get(game), seats=2)
    match = opening.join_match(by=ben, match=match)
    rng = random.Random(game)
    made = 0
    for _ in range(3):
        play_out(match, seed=rng.randrange(10**6), most=12)
        loaded = loading.load(match.id, game)
        if loaded.ended:
            break
        version = rng.randint(loaded.viewer_version(0) // 2, loaded.viewer_version(0))
        version = max(version, 6)
        at, _ = forks.settled_version(loaded, 0, version)
        if loaded.game.outcome(loading.state_at(engine, match.id, at)) is not None:
            continue
        fork = forks.fork(access=access(anna, match), version=version, board=True)
        state = loading.load(fork.id, game).timeline.state
        assert engine.faults(state) == []
        seen = engine.view(loading.state_at(engine, match.id, at), 0)
        assert shape(engine.view(state, 0)) == shape(seen)
        play_out(fork, seed=rng.randrange(10**6), most=20)
        assert engine.faults(loading.load(fork.id, game).timeline.state) == []
        assert audit.check_match(fork.id) == []
        made += 1
    assert made


def shape(value):
    """Return a view without numbers that are versions."""
    if isinstance(value, dict):
        return {name: shape(one) for name, one in value.items() if name not in ("seq", "version", "end")}
    return [shape(one) for one in value] if isinstance(value, list) else value


@pytest.mark.parametrize("game", catalog.OFFERED)
def test_dealing_anew_keeps_a_position_sound(game):
    """Also in the states that an undo may return to; what is written reads back the same."""
    engine = catalog.game(game)
    seats = max(engine.manifest.min_seats, min(2, engine.manifest.max_seats))
    options = bounded(engine) | OF_TWO.get(game, {})
    record = play(engine, options=options, seats=seats, seed="forks", bots=("random",), check_every=0)
    rng = random.Random(game)
    for version in sorted(rng.sample(range(3, len(record.events)), min(25, len(record.events) - 3))):
        timeline = replay(engine, record.events[:version])
        if engine.outcome(timeline.state) is not None or engine.faults(timeline.state):
            continue  # in the middle of an act
        position = codec.write_position(engine, timeline.state, version, timeline.keep_marked())
        for seat in range(seats):
            dice = Dice(KeyedSource(rng.randbytes(32)))
            dealt = positions.redeal(engine, position, seat, dice, version)
            assert canonical.encode(dealt)
            state, marked = codec.read_position(engine, dealt, version)
            assert engine.view(state, seat) == engine.view(timeline.state, seat)
            assert all(engine.faults(one) == [] for one in (state, *marked.values()))
