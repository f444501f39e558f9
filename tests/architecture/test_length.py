"""The cost of every address of a match does not depend on its length: each reads a bounded part of it."""

from __future__ import annotations

import copy
from dataclasses import replace

import pytest
from django.test import Client

import events.store
from accounts.models import User
from gamesvc.games.kernel.game import see_event
from gamesvc.matches.lobby import opening
from gamesvc.matches.models import Question
from gamesvc.matches.record import loading, snapshots, stream
from gamesvc.matches.record.stream import STORE
from gamesvc.matches.story import sentences
from gamesvc.matches.timekeeping import explanation
from gamesvc.ops.benches.load import Table
from notifications.models import Outbox
from tests.mailing import mailing, verify  # noqa: F401
from tests.matches.playing import act, play_out, time_out
from tests.walking import doors

pytestmark = [pytest.mark.django_db, pytest.mark.long]

LONG = 600
# The beginning of a match may be looked up. What lies between it and the last part is read on request only.
OPENING, LAST_PART = 60, 240
# Addresses that deliver a whole match, in batches.
WHOLE = {"api/v1/matches/<str:ident>/export/"}
VALUES = {"kind": "svg", "version": LONG - 50, "number": 1}


@pytest.fixture
def read(monkeypatch):
    """The versions of all events that are read from now on."""
    versions: list[int] = []
    unpack = events.store.unpack

    def noting(row):
        stored = unpack(row)
        versions.append(stored.version)
        return stored

    monkeypatch.setattr(events.store, "unpack", noting)
    return versions


@pytest.fixture(scope="module")
def world(shared):
    """Two players and a long match of theirs."""
    with shared():
        table = Table()
        match = table.match()
        play_long(table, match)
        match.refresh_from_db()
        return table, match


def play_long(table, match):
    for version in range(50, LONG + 50, 50):
        table.play_to(match, version)
        # Save a snapshot like the service, which the test's transaction prevents.
        loading.save_snapshot(loading.load(match.id, match.game))


@pytest.fixture
def table(world, db):
    return copy.deepcopy(world[0])


@pytest.fixture
def long_match(world, db):
    return copy.deepcopy(world[1])


@pytest.fixture
def long_match_of_three(table):
    """Return a long match with banks, whose third player left before their first turn."""
    leaver = User.objects.create(username="leaver", email="leaver@players.example")
    clock = {"turn": "24h", "bank": {"start": "48h", "increment": "1h", "cap": "72h"}}
    match = opening.create_match(
        by=table.players[0], game="stratastar", options={"homeworld_choice": "random"}, seats=3, clock=clock
    )
    for player in (table.players[1], leaver):
        match = opening.join_match(by=player, match=match)
    table.players.append(leaver)
    [gone] = [seat for seat in range(3) if seat not in asked(match)][-1:]
    act(match, gone, {"name": "resign"})
    play_long(table, match)
    return match, gone


def asked(match):
    return {key[0] for key in loading.load(match.id, match.game).account.open}


def middle(versions):
    return [version for version in versions if OPENING < version < LAST_PART]


def paths(match):
    """Return every address that reads something of the match, some of them with a look at its past."""
    found = [door for door in doors() if "ident" in door.parameters and "GET" in door.methods and door.route not in WHOLE]
    assert len(found) > 30
    for door in found:
        path = door.path(ident=match.number, **{name: VALUES[name] for name in door.parameters if name != "ident"})
        yield f"{path}?after={LONG - 200}" if door.route.endswith("events/") else path
        if door.route.endswith(("view/", "position/")):
            yield f"{path}?version={LONG - 50}"
        if door.route == "matches/<str:ident>/":
            yield from (f"{path}?at={LONG - 50}", f"{path}?before={LONG - 50}", f"{path}?all=1")
        if "clock" in door.route:
            yield f"{path}?before={LONG - 50}"


def test_no_address_reads_a_long_match_from_its_beginning(long_match, table, program, read):
    program_of, client = program(table.players[0]), Client()
    client.force_login(table.players[0])
    for path in paths(long_match):
        loading.forget_all()
        read.clear()
        if path.startswith("/api/v1"):
            answer = program_of.get(path.removeprefix("/api/v1"))
        else:
            answer = client.get(path)
        b"".join(answer) if answer.streaming else answer.content
        assert answer.status_code < 500, path
        assert not middle(read), f"{path} reads {len(read)} events"


def test_the_clock_of_a_seat_that_never_acted_is_told_in_bounded_parts(long_match_of_three, table, program, read):
    match, gone = long_match_of_three
    for player in table.players:
        api, client = program(player), Client()
        client.force_login(player)
        for get, path in (
            (api.get, f"/matches/{match.number}/clock/?seat={gone}"),
            (client.get, f"/matches/{match.number}/clock"),
        ):
            loading.forget_all()
            read.clear()
            answer = get(path)
            assert answer.status_code == 200
            assert not middle(read), f"{path} reads {len(read)} events"
            assert b"No clock has run yet" not in answer.content
    api, query, parts, lines = program(table.players[0]), f"?seat={gone}", 0, []
    while query:
        loading.forget_all()
        read.clear()
        told = api.get(f"/matches/{match.number}/clock/{query}").json()
        assert len(set(read)) < 2 * explanation.MOST_PIECES * (explanation.PIECE + snapshots.STRETCH)
        query, parts = told["next"], parts + 1
        lines += told["lines"]
        assert query is None or told["lines"] or told["banks"] == []
    assert 1 < parts <= LONG // explanation.PIECE
    assert lines == [line for line in whole(match, table) if line["seat"] == gone]


def whole(match, table):
    """Return all lines of the account, in one part."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(explanation, "MOST_PIECES", LONG)
        patch.setattr(explanation, "MOST_LINES", 100 * LONG)
        return explanation.explain(match, viewer=0).as_json()["lines"]


def test_the_mails_of_a_long_match_read_its_end_alone(long_match, table, mailing, read):  # noqa: F811
    for player in table.players:
        verify(player)
        Outbox.objects.filter(user=player).delete()
    table.turn(long_match)
    seat = Question.objects.get(match=long_match).seat
    address = f"{table.players[seat].username}@players.example"
    read.clear()
    mailing.work()
    [asked] = [mail for mail in mailing.sink.to(address) if mail.message["X-Game-Reason"] == "your-turn"]
    assert not middle(read), "the mail that asks for a turn, to a player who never looked"
    for text in ("history 200\nretool none", "status\nboard\nhistory 40"):
        read.clear()
        mailing.write(text, to=str(asked.message["Reply-To"]), sender=address)
        mailing.work()
        assert "done" in mailing.receipt(address).text or "history" in text
        assert not middle(read), f"the receipt for {text!r} reads {len(read)} events"


def test_the_log_of_a_page_is_read_in_parts(long_match, table):
    client = Client()
    client.force_login(table.players[0])
    seen: list[int] = []
    lines = 0
    path, older = f"/matches/{long_match.number}/", ""
    while older is not None:
        log = client.get(path + older).context["log"]
        seen += [act.version for act in log.acts]
        lines += sum(1 + len(act.more) for act in log.acts)
        older = None if log.before is None else f"?before={log.before}"
    assert seen == sorted(set(seen), reverse=True), "no line is missing or told twice"
    loaded = loading.load(long_match.id, long_match.game)
    assert lines == len(sentences.tell_last(loaded, 0, ("Anna", "Ben"), loaded.version))


def reckoned_whole(match, viewer):
    """Return the lines of the account that a viewer may see, and their banks, from one fold of all events."""
    now = loading.load(match.id, match.game)
    loaded = loading.fresh(now.game, match.id)
    loaded.account.lines = collected = []
    found = []
    for deed in stream.acts(STORE.read(match.id)):
        events = [stream.lift(loaded.game, stored) for stored in deed]
        loaded.fold(deed, events)
        known = now.ended or any(see_event(now.game, event, viewer) is not None for event in events)
        found += [(deed[-1].version, line) for line in collected if known or line.seat == viewer]
        collected.clear()
    return found, {line.seat: line.bank for _version, line in found}


def told(version, line):
    return version, line.at, line.seat, line.question, line.what, line.used, line.own, line.bank, line.due_at, line.clock


@pytest.mark.parametrize("ends", [False, True])
@pytest.mark.parametrize(("most", "piece", "pieces"), [(1, 1, 99), (3, 4, 99), (50, 7, 99), (50, 1, 1), (3, 2, 2)])
def test_the_account_of_time_in_parts_is_the_whole_one(toy, anna, ben, monkeypatch, ends, most, piece, pieces):
    """With sealed acts, reactions that go back, timeouts and banks, for every viewer."""
    monkeypatch.setattr(explanation, "MOST_LINES", most)
    monkeypatch.setattr(explanation, "PIECE", piece)
    monkeypatch.setattr(explanation, "MOST_PIECES", pieces)
    monkeypatch.setattr(stream, "NEAR", 3)
    bank = {"turn": "24h", "bank": {"start": "48h", "increment": "1h", "cap": "72h"}}
    match = opening.create_match(by=anna, game=toy, options={"points": 9}, clock=bank)
    match = opening.join_match(by=ben, match=match)
    act(match, 1, {"name": "set_orders", "text": "hush"})
    act(match, 0, {"name": "play", "card": loading.load(match.id, toy).timeline.state.hands[0][0]})
    played = loading.load(match.id, toy).version - 2
    act(match, 1)
    act(match, 1, {"name": "counter", "item": played})
    time_out(match)
    for seat in (0, 1, 0, 1):
        act(match, seat, {"name": "set_orders", "text": "hush"})
    if ends:
        play_out(match)
    assert loading.load(match.id, toy).ended == ends
    for viewer in (0, 1, None):
        lines, banks = reckoned_whole(match, viewer)
        for seat in (None, 0, 1):
            found, before = [], None
            while True:
                page = explanation.explain(match, seat, viewer=viewer, before=before)
                known = {index: left for index, left in banks.items() if seat in (None, index)}
                assert page.banks.items() <= known.items()
                assert page.banks == known or pieces < 99
                assert viewer not in known or viewer in page.banks, "their own bank is known to a player"
                found = [*page.lines, *found]
                if (before := page.older) is None:
                    break
            wanted = [(version, line) for version, line in lines if seat in (None, line.seat)]
            assert [told(*one) for one in found] == [
                told(version, line if line.seat == viewer or ends else shown_late(match, version, line))
                for version, line in wanted
            ]
    for cut in range(1, loading.load(match.id, toy).version + 2):
        page = explanation.explain(match, viewer=0, before=cut)
        assert all(version < cut for version, _line in page.lines), "an act that goes on is not told in part"


def shown_late(match, version, line):
    """Return the time at which another player's act was stored, which is shown instead of the time it was sent."""
    [stored] = STORE.read(match.id, version - 1, version)
    return replace(line, at=stored.occurred_at)
