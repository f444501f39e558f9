"""Exports are proved by both verifiers; every change in one is found, at the right place."""

from __future__ import annotations

import io
import json
import random
import subprocess
import sys
import uuid
from datetime import timedelta
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from events import canonical
from events.proofs import checkpoints
from gamesvc.clients.python.gamesvc_client import check_chain
from gamesvc.games import catalog
from gamesvc.games.kernel import timeline
from gamesvc.matches.lobby import opening
from gamesvc.matches.models import Match
from gamesvc.matches.play import turns
from gamesvc.matches.proof import audit, verification
from gamesvc.matches.record import loading, stream
from gamesvc.matches.record.append import Act, Actor, record
from gamesvc.ops.benches import verify as bench
from tests.matches import exports
from tests.matches.exports import edited, export_of, forge, node_judge, node_verify, records_of
from tests.matches.playing import act, duel, of_bots, play_out, time_out

pytestmark = pytest.mark.django_db
ROOT = Path(__file__).resolve().parents[2]
SHORT = {"stratastar": {"max_rounds": 2}}


def statuses(report):
    return {check.name: check.status for check in report.checks}


def failure(content, **more):
    report = verification.verify(content, **more)
    assert not report.ok
    return report.first_failure


@pytest.fixture
def played(toy, anna, ben):
    match = duel(anna, ben)
    play_out(match)
    match.refresh_from_db()
    assert match.status == Match.Status.FINISHED
    return match


def test_a_whole_match_is_proved_by_both(played, tmp_path):
    checkpoints.make()
    content = export_of(played)
    types = [record["type"] for record in records_of(content)]
    assert "match.rewound" in types
    assert any(record["meta"]["actor"]["kind"] == "clock" for record in records_of(content))
    report = verification.verify(content, key=checkpoints.trusted()[0])
    assert report.ok, report.as_json()
    names = ("chain", "trailer", "commitment", "contributions", "draws", "decisions", "outcome", "checkpoint", "key")
    assert statuses(report) == dict.fromkeys(names, "proved")
    [other] = node_verify(tmp_path, content)
    assert other.pop("file")
    assert other["draws"] >= 1
    assert other == {
        "ok": True,
        "version": None,
        "count": report.count,
        "head": report.head,
        "ended": True,
        "draws": other["draws"],
        "checkpoint": True,
    }


def test_every_kind_of_match_is_proved_by_both(toy, anna, ben, tmp_path):
    cancelled = opening.cancel_match(by=anna, match=opening.create_match(by=anna, game=toy, contribution_text="tea"))
    left = opening.join_match(by=ben, match=opening.create_match(by=anna, game=toy, take_seat=False), contribution_text="x")
    left = opening.start_match(by=anna, match=opening.leave_match(by=ben, match=left), bot="greedy")
    Match.objects.filter(pk=(lapsing := opening.create_match(by=anna, game=toy)).pk).update(
        created_at=timezone.now() - timedelta(days=60)
    )
    assert opening.lapse_matches() == 1
    timed_out = opening.join_match(by=ben, match=opening.create_match(by=anna, game=toy))
    for _ in range(4):
        time_out(timed_out)
    by_bots = of_bots(anna, toy)
    contents = [export_of(match) for match in (cancelled, left, lapsing, timed_out, by_bots)]
    reports = [verification.verify(content) for content in contents]
    assert [report.ok for report in reports] == [True] * 5, [report.first_failure for report in reports]
    assert [report.ended for report in reports] == [True, False, True, False, True]
    assert statuses(reports[0])["outcome"] == "proved"
    assert [other["ok"] for other in node_verify(tmp_path, *contents)] == [True] * 5


@pytest.mark.parametrize("command", [None, {"name": "undo", "to": 8}])
def test_a_match_that_the_service_took_back_is_proved_by_both(toy, anna, ben, tmp_path, command):
    match = duel(anna, ben)
    loaded = loading.load(match.id, toy)
    run = loaded.timeline.rewind(8, turns.dice_for(match, loaded), reason="asked")
    assert run.events[0].draws, "a draw was undone, so the deck is shuffled anew"
    who = Act(Actor("host") if command is None else Actor("seat", 0), "api", uuid.uuid4(), timezone.now(), command)
    record(match, loaded, run.events, who, seats=list(match.seats.all()), run=run)
    play_out(match)
    content = export_of(match)
    report = verification.verify(content)
    assert report.ok, report.first_failure
    assert statuses(report)["decisions"] == statuses(report)["outcome"] == "proved"
    assert node_verify(tmp_path, content)[0]["ok"]
    assert audit.check_match(match.id) == []
    records = records_of(content)
    back = next(one for one in records if one["data"].get("reason") == "asked")
    back["data"]["data"]["deck"] = [card ^ 3 for card in back["data"]["data"]["deck"]]
    assert failure(forge(records)).version == back["version"]


@pytest.mark.long
@pytest.mark.parametrize("game", catalog.OFFERED)
def test_the_real_games_are_proved_by_both(game, anna, ben, tmp_path):
    """To the end, or for this many commands; then the service's own audit decides again what the file still hides."""
    engine = catalog.game(game)
    match = opening.create_match(by=anna, game=game, options=SHORT.get(game), contribution_text="tea")
    if engine.manifest.min_seats > 1:
        match = opening.join_match(by=ben, match=match)
    match = opening.start_match(by=anna, match=match, bot="random") if match.status == Match.Status.OPEN else match
    play_out(match, most=150)
    match.refresh_from_db()
    content = export_of(match, 0)
    report = verification.verify(content)
    assert report.ok, report.first_failure
    assert audit.check_match(match.id) == []
    [other] = node_verify(tmp_path, content)
    assert other["ok"], other
    if match.status == Match.Status.FINISHED:
        assert statuses(report)["decisions"] == statuses(report)["outcome"] == "proved"


def test_a_command_is_decided_in_the_order_in_which_it_is_recorded(toy, anna, ben, monkeypatch):
    """JSON objects have no order, but the record has one; rules may iterate over a command's keys."""
    match = opening.join_match(by=ben, match=opening.create_match(by=anna, game=toy))
    decided = []
    command = timeline.Timeline.command
    monkeypatch.setattr(
        timeline.Timeline, "command", lambda self, seat, given, dice: decided.append(given) or command(self, seat, given, dice)
    )
    act(match, 0, {"text": "x", "name": "set_orders"})
    assert [list(given) for given in decided] == [["name", "text"]]
    assert decided[0] == stream.STORE.read(match.id)[-1].meta["command"]


@pytest.mark.long
def test_a_long_match_is_proved_by_both(tmp_path):
    """The match that `bench verify` measures, which is written without a database."""
    content = bench.make_export()
    report = verification.verify(content)
    assert report.ok, report.first_failure
    assert statuses(report)["decisions"] == "proved"
    assert report.count > 500
    assert node_verify(tmp_path, content)[0]["ok"]


def test_a_running_match_is_proved_as_far_as_it_goes(toy, anna, ben, tmp_path):
    match = duel(anna, ben)
    checkpoints.make()
    act(match, 0, {"name": "set_orders", "text": "quietly"})
    contents = [export_of(match, viewer) for viewer in (None, 0, 1)]
    for content in contents:
        report = verification.verify(content)
        assert report.ok, report.first_failure
        assert not report.ended
        found = statuses(report)
        assert found["digests"] == found["commitment"] == found["decisions"] == "open"
        assert found["chain"] == found["trailer"] == "proved"
        assert b"secret" not in content
    assert all(other["ok"] for other in node_verify(tmp_path, *contents))
    # Events known only to seat 0 are counted for nobody else, and the checkpoint before them is shown to nobody else yet.
    newest = match_version(match)
    assert [len(records_of(content)) for content in contents] == [newest - 1, newest, newest - 1]
    trailers = [json.loads(content.splitlines()[-1])["trailer"] for content in contents]
    assert ["checkpoint" in trailer for trailer in trailers] == [False, True, False]


def match_version(match):
    match.refresh_from_db()
    return match.version


def test_a_running_match_shows_the_checkpoint_between_two_events_one_may_know_of(toy, anna, ben, tmp_path):
    match = opening.join_match(by=ben, match=opening.create_match(by=anna, game=toy))
    made = checkpoints.make()
    act(match, 0, {"name": "draw"})
    content = export_of(match, 1)
    shown = json.loads(content.splitlines()[-1])["trailer"]["checkpoint"]
    assert shown["proof"]["version"] == 6
    assert shown["statement"] == made.statement
    act(match, 0, {"name": "set_orders", "text": "quietly"})
    checkpoints.make()
    act(match, 1, {"name": "draw"})
    for viewer, version in ((0, 9), (1, 6), (None, 6)):
        content = export_of(match, viewer)
        assert json.loads(content.splitlines()[-1])["trailer"]["checkpoint"]["proof"]["version"] == version
        assert statuses(verification.verify(content, key=made.key))["key"] == "proved"
        assert node_verify(tmp_path, content)[0]["checkpoint"]


@pytest.mark.long
def test_a_thousand_changes_are_found_at_the_right_place_by_both(played, tmp_path):
    checkpoints.make()
    content = export_of(played)
    count = len(records_of(content))
    edits = exports.random_edits(content, 1000, random.Random(7))
    others = node_judge(tmp_path, content, [edit for edit, _ in edits])
    for (edit, line), other in zip(edits, others, strict=True):
        report = verification.verify(edited(content, edit))
        assert not report.ok, edit
        assert not other["ok"], edit
        found = {report.first_failure.version or count + 1, other["version"] or count + 1}
        if line == count and edit[0][0] == exports.spans_of(content)[count - 1][1] - 1:
            line = count + 1  # without its newline the last event and the trailer are one line, the last
        assert found == {min(line, count + 1)}, (edit, line, report.first_failure, other)


def test_a_draw_recorded_rightly_but_played_wrongly_is_found_by_deciding_again(played, tmp_path):
    records = records_of(export_of(played))
    [dealt] = [record for record in records if record["type"] == "toy.dealt"]
    dealt["data"]["hands"][0][0] ^= 3  # a 1 becomes a 2, or vice versa
    forged = forge(records)
    found = failure(forged)
    assert (found.name, found.version) == ("decisions", dealt["version"])
    assert statuses(verification.verify(forged))["draws"] == "proved"
    assert node_verify(tmp_path, forged)[0]["ok"], "it knows no rules"


def change_draw(records):
    record = next(record for record in records if record["meta"].get("draws"))
    record["meta"]["draws"][0]["got"].reverse()
    return record["version"], "draws"


def skip_draw(records):
    record = next(record for record in records if record["meta"].get("draws"))
    record["meta"]["draws"][0]["i"] = 1
    return record["version"], "draws"


def change_contribution(records):
    record = next(record for record in records if record["data"].get("contribution"))
    record["data"]["contribution"] = "0" * 64
    return next(record["version"] for record in records if record["meta"].get("draws")), "draws"


def change_secret(records):
    records[-1]["data"]["secret"] = "0" * 64
    return records[-1]["version"], "commitment"


def join_late(records):
    started = next(at for at, record in enumerate(records) if record["type"] == "match.started")
    records[started]["type"], records[started - 1]["type"] = "match.joined", "match.started"
    records[started]["data"], records[started - 1]["data"] = records[started - 1]["data"], records[started]["data"]
    return records[started - 1]["version"], "commitment"


def change_command(records):
    record = next(record for record in records if record["meta"].get("command", {}).get("name") == "draw")
    record["meta"]["command"] = {"name": "play", "card": 9}
    return record["version"], "decisions"


def change_seat(records):
    record = next(record for record in records if record["meta"].get("command", {}).get("name") == "draw")
    record["meta"]["actor"]["seat"] ^= 1
    return record["version"], "decisions"


def take_seat_away(records):
    record = next(record for record in records if "command" in record["meta"])
    del record["meta"]["actor"]["seat"]
    return record["version"], "decisions"


def change_outcome(records):
    records[-1]["data"]["outcome"]["scores"].reverse()
    records[-1]["data"]["outcome"]["scores"][0] += 1
    return records[-1]["version"], "decisions"


def change_reason(records):
    records[-1]["data"]["reason"] = "charm"
    return records[-1]["version"], "decisions"


def lose_outcome(records):
    records[-1]["data"]["outcome"] = None
    return records[-1]["version"], "decisions"


def insert_event(records):
    at = next(at for at, record in enumerate(records) if record["type"] == "toy.turn_ended")
    records.insert(at + 1, {**records[at], "version": at + 2, "meta": dict(records[at]["meta"])})
    for version, one in enumerate(records, 1):
        one["version"] = version
    return at + 2, "decisions"


def go_back_in_time(records):
    records[3]["occurred_at"] = "2020-01-01T00:00:00.000000Z"
    return 4, "chain"


def spoil_rewind(records):
    record = next(record for record in records if record["type"] == "match.rewound")
    record["data"]["to"] = 1
    return record["version"], "decisions"


def forget_options(records):
    del records[0]["data"]["options"]
    return next(record["version"] for record in records if record["type"] == "match.started"), "decisions"


def nest_draws(records):
    record = next(record for record in records if record["meta"].get("draws"))
    record["meta"]["draws"] = [{"i": 0, "shuffle": 2**50, "got": []}]
    return record["version"], "draws"


def claim_seats(records):
    """Claim more seats than could be listed in the memory of the computer that verifies."""
    records[0]["data"]["seats"] = 2**50
    return next(record["version"] for record in records if record["type"] == "match.started"), "commitment"


@pytest.mark.parametrize(
    "change",
    [
        *(change_draw, skip_draw, change_contribution, change_secret, join_late, change_command, change_seat, take_seat_away),
        *(change_outcome, change_reason, lose_outcome, insert_event, go_back_in_time, spoil_rewind, forget_options, nest_draws),
        claim_seats,
    ],
    ids=lambda change: change.__name__,
)
def test_what_a_forger_changes_with_new_hashes_is_found_where_it_is(played, tmp_path, change):
    records = records_of(export_of(played))
    version, check = change(records)
    forged = forge(records)
    found = failure(forged)
    assert (found.version, found.name) == (version, check), found
    if check != "decisions":
        [other] = node_verify(tmp_path, forged)
        assert (other["ok"], other["version"]) == (False, version)


def test_an_end_written_anew_is_not_among_what_the_checkpoint_proves(toy, anna, ben):
    """Once the secret is revealed, its loser can play a match from any version to another end, all by the rules."""
    match = duel(anna, ben)
    made = checkpoints.make()
    match.refresh_from_db()
    kept, until = checkpoints.prove(match.id, made.number).as_json(), match.version
    play_out(match)
    records = records_of(export_of(match))
    records[-1]["occurred_at"] = "2030-01-01T00:00:00.000000Z"
    report = verification.verify(forge(records, kept), key=made.key)
    assert statuses(report) | {"uncovered": "open", "checkpoint": "proved"} == statuses(report)
    [told] = [check.text for check in report.checks if check.name == "uncovered"]
    assert f"versions {until + 1} to {len(records)}:" in told
    checkpoints.make()
    assert "uncovered" not in statuses(verification.verify(export_of(match), key=made.key))


def test_a_file_written_anew_fails_against_what_one_holds(played, tmp_path):
    made = checkpoints.make()
    content = export_of(played)
    records = records_of(content)
    mailed = f"9:{records[8]['hash'][:16]}"
    assert verification.verify(content, heads=[mailed, records[3]["hash"], records[4]["hash"][:20]], key=made.key).ok
    records[0]["occurred_at"] = "2026-01-01T00:00:00.000000Z"
    forged = forge(records)
    assert verification.verify(forged).ok, "nothing inside the file tells"
    for held in (mailed, records[3]["hash"]):
        assert failure(forged, heads=[held]).name == "head"
    assert failure(forged, heads=[mailed]).version == 9
    assert failure(forged, key=made.key).name == "checkpoint"
    kept = json.loads(content.splitlines()[-1])["trailer"]["checkpoint"]
    assert failure(forge(records, kept)).name == "checkpoint"
    assert not node_verify(tmp_path, forge(records, kept))[0]["ok"]
    assert failure(content, key=bytes(32)).name == "key"
    assert failure(content, heads=[f"{len(records) + 1}:{'a' * 16}"]).name == "head"
    assert failure(content, heads=["tea"]).name == "head"


def test_other_rules_are_replayed_and_it_says_so(played):
    records = records_of(export_of(played))
    for one in records:
        one["meta"]["rules"] = "toy/0.9.0"
    report = verification.verify(forge(records))
    assert report.ok
    assert statuses(report)["decisions"] == "open"
    assert statuses(report)["outcome"] == "proved"
    assert "toy/0.9.0" in next(check.text for check in report.checks if check.name == "decisions")
    records[-1]["data"]["outcome"]["scores"][0] += 1
    assert failure(forge(records)).version == len(records)


def test_unknown_rules_leave_the_decisions_open(played, monkeypatch):
    content = export_of(played)
    monkeypatch.undo()
    found = statuses(verification.verify(content))
    assert found["draws"] == "proved"
    assert found["decisions"] == "open"


RUBBISH = [b"", b"\n", b"{}\n", b"tea", b"\n\n\n", b"[]\n[]\n", b"\xff\xfe\n\x00\n", b'{"trailer":1}\n' * 2]


@pytest.mark.parametrize("content", RUBBISH)
def test_rubbish_is_refused(content, tmp_path):
    assert failure(content)
    assert not node_verify(tmp_path, content)[0]["ok"]
    with pytest.raises(ValueError, match=r"."):
        check_chain(content)


def test_no_file_steers_the_terminal_of_its_reader(played, tmp_path):
    """Else it could write over what is said of it."""
    *lines, trailer = export_of(played).splitlines()
    told = json.loads(trailer)
    told["trailer"]["head"] = "\x1b[2J\rproved \u202e\n  Everything that could be proved holds."
    file = tmp_path / "export.jsonl"
    file.write_bytes(b"\n".join([*lines, canonical.encode(told)]) + b"\n")
    said = io.StringIO()
    with pytest.raises(CommandError):
        call_command("verify", str(file), stdout=said)
    assert r"\x1b[2J\rproved \u202e\n  Everything" in said.getvalue()
    assert all(one.isprintable() or one == "\n" for one in said.getvalue())
    told["trailer"]["match"] = json.loads(lines[0])["match"] + "\n"
    with pytest.raises(ValueError, match="this is no event"):
        check_chain(
            b"\n".join([canonical.encode({**json.loads(lines[0]), "match": "all\nis proved"}), canonical.encode(told), b""])
        )


# --- the client for Python ---


def test_the_client_proves_the_chain_as_the_service_does(played):
    checkpoints.make()
    content = export_of(played)
    assert check_chain(content) == (str(played.id), played.version, played.version, played_head(content))
    for edit, _line in exports.random_edits(content, 300, random.Random(8)):
        changed = edited(content, edit)
        try:
            check_chain(changed)
            refused = False
        except ValueError:
            refused = True
        found = statuses(verification.verify(changed))
        assert refused == ("failed" in (found.get("chain"), found.get("trailer"))), edit


def played_head(content):
    return json.loads(content.splitlines()[-1])["trailer"]["head"]


def test_the_client_says_how_much_of_an_export_it_has_proved(played):
    *lines, trailer = export_of(played).splitlines()
    forged = json.loads(lines[7])
    forged["data"] = {"seat": 1}
    for shown in ({**forged, "redacted": True}, {**forged, "salt": None}):
        changed = {name: value for name, value in shown.items() if value is not None}
        with pytest.raises(ValueError, match="version 8"):
            check_chain(b"\n".join([*lines[:7], canonical.encode(changed), *lines[8:], trailer, b""]))
    hidden = {name: value for name, value in forged.items() if name != "salt"} | {"redacted": True}
    content = b"\n".join([*lines[:7], canonical.encode(hidden), *lines[8:], trailer, b""])
    assert verification.verify(content).checks[1].name == "digests"
    assert check_chain(content)[1:3] == (played.version, played.version - 1)
    twice = lines[7].replace(b'"data":{', b'"data":{"seat":1},"data":{', 1)
    with pytest.raises(ValueError, match="version 8: this is not canonical"):
        check_chain(b"\n".join([*lines[:7], twice, *lines[8:], trailer, b""]))


def test_export_writes_a_file_whole_or_redacted(played, anna, ben, tmp_path):
    file = tmp_path / "match.jsonl"
    told = io.StringIO()
    call_command("export", str(played.number), "--out", str(file), "--json", stdout=told)
    assert json.loads(told.getvalue())["whole"]
    assert file.read_bytes() == export_of(played)
    printed = io.StringIO()
    call_command("export", str(played.id), stdout=printed)
    assert printed.getvalue().encode() == file.read_bytes()
    running = opening.join_match(by=ben, match=opening.create_match(by=anna, game="toy"))
    for seat in (None, 0, 1):
        call_command("export", str(running.number), "--out", str(file), *(["--as", str(seat)] if seat is not None else []))
        assert file.read_bytes() == export_of(running, seat)
        assert b'"redacted":true' in file.read_bytes()
    for wrong in (["999999"], ["tea"], [str(running.number), "--as", "2"], [str(running.number), "--out", "/no/such/folder/x"]):
        with pytest.raises(CommandError):
            call_command("export", *wrong)
    assert [path.name for path in tmp_path.iterdir()] == ["match.jsonl"]


def test_verify_tells_and_fails(played, tmp_path):
    made = checkpoints.make()
    good, bad, key = tmp_path / "good.jsonl", tmp_path / "bad.jsonl", tmp_path / "key"
    good.write_bytes(export_of(played))
    bad.write_bytes(good.read_bytes().replace(b'"version":7}', b'"version":8}'))
    key.write_text(made.key.hex() + "\n")
    out = io.StringIO()
    call_command("verify", str(good), "--key", str(key), stdout=out)
    assert "Everything that could be proved holds." in out.getvalue()
    out = io.StringIO()
    with pytest.raises(CommandError, match="1 of 2 files failed"):
        call_command("verify", str(good), str(bad), "--json", stdout=out)
    told = json.loads(out.getvalue())
    assert (told["ok"], [file["ok"] for file in told["files"]]) == (False, [True, False])
    assert told["files"][1]["failed"]["version"] == 7
    for wrong in ([str(tmp_path / "none")], [str(good), "--key", str(good)]):
        with pytest.raises(CommandError):
            call_command("verify", *wrong)


def test_verify_needs_neither_database_nor_server(played, tmp_path):
    file = tmp_path / "match.jsonl"
    file.write_bytes(export_of(played))
    nowhere = {
        "DATABASE_URL": "postgresql://nobody@192.0.2.1/none",
        "REDIS_URL": "redis://192.0.2.1",
        "PATH": "/usr/bin:/bin",
    }
    done = subprocess.run(
        [sys.executable, "manage.py", "verify", str(file), "--json"],
        cwd=ROOT, env=nowhere, capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["ok"]


def test_a_change_in_the_store_is_not_hidden_by_what_is_remembered(played):
    """Exports read the store, not the state in memory."""
    first = export_of(played)
    loading.load(played.id, played.game)
    assert export_of(played) == first
