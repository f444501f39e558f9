"""A release changes the rules: the value of a card, the name of an event's field, the class of the state.

Running and finished matches go on unharmed, and the release check finds changes that would harm them.
"""

from __future__ import annotations

import io
import json
from dataclasses import dataclass, replace
from typing import ClassVar

import pytest
from django.core.management import CommandError, call_command

from gamesvc.games import catalog
from gamesvc.games.kernel.game import Game, Version
from gamesvc.games.kernel.typed import TypedEvent
from gamesvc.matches.lobby import opening
from gamesvc.matches.models import Match
from gamesvc.matches.proof import audit, verification
from gamesvc.matches.record import loading, snapshots
from gamesvc.matches.record.rows import projections
from gamesvc.matches.record.stream import STORE
from gamesvc.ops import compat
from tests.games import toy as old
from tests.games.toy import GAME as OLD
from tests.matches.exports import export_of
from tests.matches.playing import act, duel, play_out

pytestmark = pytest.mark.django_db


@dataclass(frozen=True, slots=True)
class NewState(old.State):
    """The state of the new rules, which also counts the cards played."""

    played: int = 0


@dataclass(frozen=True, slots=True)
class NewPlayed(TypedEvent):
    TYPE: ClassVar[str] = "played"
    seat: int
    face: int
    worth: int
    item: int


def new_decide(run, seat, command):
    """Play a card for one point more than printed, recorded under a better name."""
    if command["name"] != "play" or run.state.turn % 2 != seat or command["card"] not in run.state.hands[seat]:
        old.decide(run, seat, command)
        return
    run.emit(NewPlayed(seat, command["card"], command["card"] + 1, run.version))
    run.emit(old.TurnEnded())
    if max(run.state.points) >= 3 or not (run.state.deck or any(run.state.hands)):
        run.emit(old.Ended())


def new_evolve(state, event):
    if state is None:
        return NewState((), ((), ()))
    if event.type != "played":
        return old.evolve(state, event)
    data = event.data
    points = tuple(p + data["worth"] * (s == data["seat"]) for s, p in enumerate(state.points))
    items = (*state.items[-2:], old.Item(Version(data["item"]), data["seat"], data["face"]))
    hands = old._without(state.hands, data["seat"], data["face"])
    return replace(state, hands=hands, points=points, items=items, played=state.played + 1)


def lift_played(data):
    """Return the data with the value of the card under the old rules: the printed one."""
    card = data.pop("card")
    return {**data, "face": card, "worth": card}


NEW: Game[NewState] = replace(
    OLD,
    manifest=replace(OLD.manifest, version="2.0.0"),
    state=NewState,
    decide=new_decide,
    evolve=new_evolve,
    type_versions={"played": 2},
    upcasters={("played", 1): lift_played},
)


@pytest.fixture
def release(monkeypatch):
    """A function that puts another version of the toy's rules in force."""
    offered = catalog.game
    now = [OLD]
    monkeypatch.setattr(catalog, "game", lambda game_id: now[0] if game_id == "toy" else offered(game_id))
    monkeypatch.setattr(snapshots, "fingerprint", lambda game_id: f"code of {now[0].manifest.rules}")
    monkeypatch.setattr(snapshots, "TAIL", 3)

    def put(game):
        now[0] = game
        loading.forget_all()

    return put


@pytest.fixture
def matches(release, anna, ben):
    """A running match, with a card played, a reaction and a timeout in it, and a finished one."""
    over = duel(anna, ben)
    play_out(over)
    running = opening.join_match(by=ben, match=opening.create_match(by=anna, game="toy", options={"points": 9}))
    card = state_of(running).hands[0][0]
    act(running, 0, {"name": "play", "card": card})
    act(running, 1, {"name": "draw"})
    return running, over


def state_of(match):
    return loading.load(match.id, match.game).timeline.state


def check_all():
    """Check that no audit finds any harm."""
    for match in Match.objects.all():
        assert audit.check_match(match.pk) == []
        assert projections.rebuild(match.pk) == projections.Rebuilt()
        checked = compat.check_match(match)
        assert checked.ok, checked
    call_command("compat", "--all", stdout=io.StringIO())


def test_a_match_that_runs_goes_on_under_the_new_rules(matches, release):
    running, _ = matches
    before = state_of(running)
    release(NEW)
    after = state_of(running)
    assert isinstance(after, NewState)
    assert (after.points, after.hands, after.deck) == (before.points, before.hands, before.deck)
    assert after.played == 1, "also what was played before is counted"
    card = after.hands[0][0]
    act(running, 0, {"name": "play", "card": card})
    assert state_of(running).points[0] == before.points[0] + card + 1
    versions = {(one.type, one.type_version) for one in STORE.read(running.id)}
    assert {("toy.played", 1), ("toy.played", 2)} <= versions
    loading.forget_all()
    assert state_of(running).played == 2, "read back from the store"
    check_all()
    play_out(running)
    check_all()
    report = verification.verify(export_of(running))
    assert report.ok, report.first_failure
    texts = " ".join(check.text for check in report.checks)
    assert "follow from the recorded commands and draws under toy/2.0.0" in texts
    assert "replayed by evolve alone, not decided again: decided under toy/1.0.0" in texts


def test_a_match_that_is_over_stays_what_it_was(matches, release):
    _, over = matches
    before, export = state_of(over), export_of(over)
    release(NEW)
    after = state_of(over)
    assert (after.points, after.over) == (before.points, True)
    assert export_of(over) == export, "what is stored is not touched"
    assert verification.verify(export).ok
    check_all()


def test_a_match_goes_back_to_a_version_of_the_old_rules(matches, release):
    running, _ = matches
    item = int(state_of(running).items[0].id)
    release(NEW)
    act(running, 1, {"name": "counter", "item": item})
    state = state_of(running)
    assert (state.points, state.played) == ((0, 0), 0), "the card that was played under the old rules is taken back"
    check_all()


def test_snapshots_of_other_code_are_not_read_and_are_made_anew(matches, release):
    running, _ = matches
    loading.save_snapshot(loading.load(running.id, running.game))
    assert snapshots.get(OLD, running.id) is not None
    release(NEW)
    assert snapshots.get(NEW, running.id) is None
    assert state_of(running).played == 1
    loading.save_snapshot(loading.load(running.id, running.game))
    assert snapshots.get(NEW, running.id) is not None


# --- what the release check finds ---


def told(*arguments):
    out = io.StringIO()
    with pytest.raises(CommandError, match="differ from today's code"):
        call_command("compat", "--json", *arguments, stdout=out)
    found = json.loads(out.getvalue())
    assert not found["ok"]
    return {one["name"]: (one["version"], one["reason"]) for one in found["parted"]}


def first_played(match):
    return next(one.version for one in STORE.read(match.id) if one.type == "toy.played")


def test_a_renamed_field_without_an_upcaster_is_found_at_its_first_event(matches, release, tmp_path):
    running, over = matches
    file = tmp_path / "over.jsonl"
    file.write_bytes(export_of(over))
    release(replace(NEW, upcasters={}))
    parted = told("--all")
    for match in (running, over):
        version, reason = parted[f"match {match.number}"]
        assert version == first_played(match)
        assert "played cannot be folded (KeyError: 'worth')" in reason
    assert told(str(file))["over.jsonl"][0] == first_played(over)


def test_an_evolve_that_looks_a_number_up_is_found(matches, release):
    running, over = matches
    for match in (running, over):
        loading.save_snapshot(loading.load(match.id, match.game))
    kept = snapshots.get(OLD, running.id)[0].version

    def looks_up(state, event):
        after = new_evolve(state, event)
        if event.type == "played":
            after = replace(after, points=tuple(p + (s == event.data["seat"]) for s, p in enumerate(after.points)))
        return after

    release(replace(OLD, manifest=NEW.manifest, evolve=lambda state, event: as_old(looks_up, state, event)))
    parted = told("--all")
    assert parted[f"match {running.number}"] == (kept, "The state kept at this version differs from today's fold in points.")
    assert f"match {over.number}" in parted


def as_old(evolve, state, event):
    """Evolve on the old class of state, which the snapshots of the old code still fit."""
    names = old.State.__slots__
    lifted = replace(event, data=lift_played(dict(event.data))) if event.type == "played" else event
    new = NewState(**{name: getattr(state, name) for name in names}) if state is not None else None
    found = evolve(new, lifted)
    return old.State(**{name: getattr(found, name) for name in names})


def test_rules_that_decide_otherwise_under_the_same_name_are_found(matches, release):
    """The value of a card changed without a new version of the rules."""
    _, over = matches

    def plays_instead(run, seat, command):
        drawn = command["name"] == "draw" and run.state.hands[seat]
        old.decide(run, seat, {"name": "play", "card": run.state.hands[seat][0]} if drawn else command)

    release(replace(OLD, decide=plays_instead))
    version, reason = told("--all")[f"match {over.number}"]
    drew = next(one.version for one in STORE.read(over.id) if one.type == "toy.drew")
    assert version == drew
    assert "recorded is drew" in reason


def test_the_matches_beside_the_code_are_compatible(tmp_path):
    """A sample of the files that `manage.py compat` takes by default, and one that is no match at all."""
    from gamesvc.ops.management.commands.compat import beside

    files = beside()
    assert len(files) > 60
    for file in files[::12]:
        checked = compat.check_file(file)
        assert checked.ok, checked
        assert checked.events > 0
    rubbish = tmp_path / "rubbish.json"
    rubbish.write_text("{}")
    assert compat.check_file(rubbish).skipped
    rubbish.write_text("tea\n")
    assert not compat.check_file(rubbish).ok
    with pytest.raises(CommandError, match="cannot be read"):
        call_command("compat", str(tmp_path / "none.json"))
