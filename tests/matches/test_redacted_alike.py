"""Records of events: whether one is whole tells nothing of what is hidden in others of its type."""

from __future__ import annotations

import random

import pytest

from gamesvc.matches.lobby import opening
from gamesvc.matches.proof import verification
from gamesvc.matches.record import loading
from gamesvc.matches.record.stream import STORE
from tests.matches.exports import export_of
from tests.matches.playing import act

pytestmark = pytest.mark.django_db


def fight(match):
    """Play random forms, without resigning, until a window has opened that a seat had passed in advance."""
    rng = random.Random(1)
    for _ in range(600):
        loaded = loading.load(match.id, match.game)
        state, seat = loaded.timeline.state, rng.choice(loaded.awaited()).seat
        forms = [form for form in loaded.game.legal_commands(state, seat) if form.name != "resign"]
        act(match, seat, dict(loaded.game.bots["random"](loaded.game.view(state, seat), forms, rng)))
        if {bool(one.data["passed"]) for one in windows(match)} == {True, False}:
            return


def windows(match):
    return [one for one in STORE.read(match.id) if one.type.endswith("phase_entered") and "passed" in one.data]


def test_no_reader_learns_by_a_whole_event_that_nobody_has_passed_in_advance(anna, ben, player, program):
    """With its damage a seat may pass the window that follows. Only the seat itself knows that before its turn to answer."""
    match = opening.create_match(by=anna, game="star_commander", seats=2, watch="all")
    match = opening.join_match(by=ben, match=match)
    fight(match)
    passed = {one.version: one.data["passed"] for one in windows(match)}
    assert {bool(seats) for seats in passed.values()} == {True, False}
    for user in (anna, ben, player("watcher")):
        seen, query = {}, ""
        while query is not None:
            page = program(user).get(f"/matches/{match.number}/events/{query}").json()
            seen |= {one["version"]: one for one in page["events"]}
            query = page["next"]
        shown = [seen[version] for version in passed]
        assert {("salt" in one, one.get("redacted", False)) for one in shown} == {(False, True)}
    assert verification.verify(export_of(match, 0)).ok
