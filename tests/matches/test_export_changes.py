"""Changes of an export, or of the database past the triggers, are found at the right place: random changes of many matches.

The seeds are fixed, so a run is repeated exactly.
"""

from __future__ import annotations

import random
import uuid

import pytest
from django.db import connection, transaction
from django.utils import timezone

from events.proofs import checkpoints
from gamesvc.games import catalog
from gamesvc.matches.access.selectors import access_match
from gamesvc.matches.lobby import forks, opening
from gamesvc.matches.models import Match
from gamesvc.matches.play import turns
from gamesvc.matches.proof import audit, verification
from gamesvc.matches.record import loading
from gamesvc.matches.record.append import Act, Actor, record
from gamesvc.matches.record.stream import STORE
from tests.matches import exports
from tests.matches.exports import edited, export_of, node_judge, node_verify, records_of
from tests.matches.playing import act, duel, of_bots, play_out, time_out

pytestmark = [pytest.mark.django_db, pytest.mark.long]
EACH = 170


def newest(match, user):
    access = access_match(user=user, ident=str(match.pk))
    return access, loading.load(match.id, match.game).viewer_version(access.viewer)


def a_fork(anna, ben):
    """Fork a seat of a running match into a match of two, with reactions that go back among its events."""
    access, version = newest(duel(anna, ben), anna)
    match = opening.join_match(by=ben, match=forks.fork(access=access, version=version, entry="public"))
    act(match, 0, {"name": "play", "card": loading.load(match.id, "toy").timeline.state.hands[0][0]})
    item = loading.load(match.id, "toy").version - 2
    act(match, 1, {"name": "counter", "item": item})
    play_out(match)
    return match


def from_a_position(anna, ben):
    finished = duel(anna, ben)
    play_out(finished)
    position = forks.position_at(access_match(user=anna, ident=str(finished.pk)), 8)
    start = forks.described(catalog.game("toy"), position)
    match = opening.join_match(by=ben, match=opening.create_match(by=anna, game="toy", start=start))
    time_out(match)
    play_out(match)
    return match


def undone(anna, ben):
    """Rewind a match as its organiser behind a draw, and forward again to an undone version."""
    match = duel(anna, ben)
    for version in (8, loading.load(match.id, "toy").version):
        loaded = loading.load(match.id, "toy")
        run = loaded.timeline.rewind(version, turns.dice_for(match, loaded), cause="host", code="dispute")
        who = Act(Actor("host"), "api", uuid.uuid4(), timezone.now())
        record(match, loaded, run.events, who, seats=list(match.seats.all()), run=run)
    play_out(match)
    return match


def aborted(anna, ben):
    """Open a board and close it."""
    access, version = newest(duel(anna, ben), anna)
    match = forks.fork(access=access, version=version, board=True)
    act(match, loading.load(match.id, "toy").awaited()[0].seat, {"name": "set_orders", "text": "x"})
    return forks.close_board(access=access_match(user=anna, ident=str(match.pk)))


def called_off(anna, ben):
    return opening.cancel_match(by=anna, match=opening.create_match(by=anna, game="toy", contribution_text="tea"))


def of_a_real_game(anna, ben):
    return of_bots(anna, "space_fleet_commander")


KINDS = [a_fork, from_a_position, undone, aborted, called_off, of_a_real_game]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_a_thousand_changes_over_all_kinds_of_matches_are_found_by_both(toy, anna, ben, tmp_path, kind):
    match = kind(anna, ben)
    match.refresh_from_db()
    assert match.over
    checkpoints.make()
    content = export_of(match)
    report = verification.verify(content)
    assert report.ok, report.first_failure
    assert report.ended
    assert node_verify(tmp_path, content)[0]["ok"]
    assert audit.check_match(match.id) == []
    count = len(records_of(content))
    edits = exports.random_edits(content, EACH, random.Random(kind.__name__))
    others = node_judge(tmp_path, content, [edit for edit, _ in edits])
    last = exports.spans_of(content)[count - 1][1] - 1
    for (edit, line), other in zip(edits, others, strict=True):
        report = verification.verify(edited(content, edit))
        assert not report.ok, edit
        assert not other["ok"], edit
        if line == count and edit[0][0] == last and (edit[0][1] > last or edit[0][2] in (b"\n", b"\r", b" ", b"\t")):
            line = count + 1  # without its newline the last event and the trailer are one line, the last
        found = {report.first_failure.version or count + 1, other["version"] or count + 1}
        assert found == {min(line, count + 1)}, (edit, line, report.first_failure, other)


def test_changes_of_a_running_export_are_found_as_well(toy, anna, ben, tmp_path):
    """Redacted and sealed events have no digest that could be recomputed; the chain protects what is shown of them."""
    match = duel(anna, ben)
    checkpoints.make()
    content = export_of(match, 0)
    spans = exports.spans_of(content)
    hidden = {number for number, one in enumerate(records_of(content), 1) if "salt" not in one}
    edits = exports.random_edits(content, EACH, random.Random("running"))
    others = node_judge(tmp_path, content, [edit for edit, _ in edits])
    judged = 0
    for (edit, line), other in zip(edits, others, strict=True):
        inside = len(edit) == 1 and edit[0][1] - edit[0][0] <= 1 and line in hidden
        if inside and edit[0][1] < spans[line - 1][1]:
            continue  # a word in what is shown of a hidden event: its digest can be checked after the end only
        judged += 1
        assert not verification.verify(edited(content, edit)).ok, edit
        assert not other["ok"], edit
    assert judged > EACH / 2


# --- the live database, changed as a superuser with the triggers disabled ---

SHIFTED = 1_000_000


def random_change(rng, match, last, written):
    """Return statements that change the stream somewhere, and the first version that they spoil."""
    kind = rng.choice(("payload", "payload", "meta", "type", "time", "salt", "hash", "remove", "swap", "insert", "tail"))
    version = rng.randint(1, last)
    other = rng.choice([one for one in range(1, last + 1) if one != version])
    where = "WHERE stream = %s AND version = %s"
    if kind in ("payload", "meta"):
        text = written[version][kind == "meta"]
        at = rng.randrange(len(text))
        letter = rng.choice([one for one in "abc019{}:," if one != text[at]])
        changed = text[:at] + letter + text[at + 1 :]
        return [(f"UPDATE events_event SET {kind} = %s {where}", [changed, match.id, version])], version  # noqa: S608
    if kind in ("type", "time", "salt", "hash"):
        to = {
            "type": "type = type || 'x'",
            "time": "occurred_at = occurred_at - interval '1 microsecond'",
            "salt": f"salt = set_byte(salt, 3, get_byte(salt, 3) # {rng.randint(1, 255)})",
            "hash": f"hash = set_byte(hash, 7, get_byte(hash, 7) # {rng.randint(1, 255)})",
        }[kind]
        return [(f"UPDATE events_event SET {to} {where}", [match.id, version])], version  # noqa: S608
    if kind == "remove":
        return [(f"DELETE FROM events_event {where}", [match.id, version])], version  # noqa: S608
    if kind == "tail":
        return [("DELETE FROM events_event WHERE stream = %s AND version >= %s", [match.id, version])], version
    moved = f"UPDATE events_event SET version = %s {where}"  # noqa: S608
    if kind == "swap":
        steps = [(SHIFTED, version), (version, other), (other, SHIFTED)]
        return [(moved, [to, match.id, at]) for to, at in steps], min(version, other)
    copied = (
        "INSERT INTO events_event (stream, version, type, type_version, payload, meta, command_id, command_seq, occurred_at,"
        " salt, hash) SELECT stream, %s, type, type_version, payload, meta, gen_random_uuid(), 0, occurred_at, salt, hash"
        " FROM events_event WHERE stream = %s AND version = %s"
    )
    return [(copied, [last + 1, match.id, version])], last + 1


def test_random_changes_behind_the_walls_are_found_by_the_audit(toy, anna, ben):
    match = a_fork(anna, ben)
    last = STORE.head(match.id).version
    written = {stored.version: stored.written for stored in STORE.read(match.id)}
    rng = random.Random("audit")
    assert audit.check_match(match.id) == []
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute("ALTER TABLE events_event DISABLE TRIGGER USER")
    try:
        for _ in range(250):
            statements, version = random_change(rng, match, last, written)
            with transaction.atomic():
                with connection.cursor() as cursor:
                    for sql, params in statements:
                        cursor.execute(sql, params)
                findings = audit.check_match(match.id)
                transaction.set_rollback(True)
            assert findings, statements
            assert findings[0].version == version, (statements, findings)
    finally:
        with connection.cursor() as cursor:
            cursor.execute("ALTER TABLE events_event ENABLE TRIGGER USER")
    assert audit.check_match(match.id) == []


def test_a_board_row_that_does_not_follow_is_found(toy, anna, ben):
    access, version = newest(duel(anna, ben), anna)
    match = forks.fork(access=access, version=version)
    assert audit.check_match(match.id) == []
    match.beginning.salt = "0" * 32
    match.beginning.save()
    assert [finding.code for finding in audit.check_match(match.id)] == ["match_row"]
    Match.objects.filter(pk=match.pk).update(board=True)
    assert {finding.code for finding in audit.check_match(match.id)} == {"match_row"}
