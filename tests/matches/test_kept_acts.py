"""What a player did on their own sheet stands when another one's act before it is undone, and with it their order that did it."""

from __future__ import annotations

import uuid

import pytest

from accounts.models import User
from gamesvc.matches.lobby import opening
from gamesvc.matches.models import Match, Premove
from gamesvc.matches.play import conditional_orders, standing_orders, turns
from gamesvc.matches.record import loading
from gamesvc.matches.record.stream import STORE
from gamesvc.matches.undo import undoing
from tests.matches import playing
from tests.matches.playing import holder, sends

pytestmark = pytest.mark.django_db

PLAIN, OF_THE_CALENDAR = {"turn": "48h"}, {"turn": "48h", "vacation": True}
CLOCKS = pytest.mark.parametrize("clock", [PLAIN, OF_THE_CALENDAR])
"""Only of the second each deadline is an event, the last one of its act."""
EXPLORED = {"event": {"type": "hex_explored", "data": {"seat": 0}}}


@pytest.fixture
def race(anna: User, ben: User, clock: dict[str, object], monkeypatch: pytest.MonkeyPatch) -> Match:
    """Return a race with the same dice each time, in which seat 0 is to explore, and seat 1 to end its first turn."""
    monkeypatch.setattr(turns, "draw_key", lambda *_parts: bytes(32))
    made = opening.create_match(by=anna, game="space_fleet_commander", seats=2, options={"mode": "race"}, clock=clock)
    made = opening.join_match(by=ben, match=made)
    play_until(made, 1, "push")
    play_until(made, 0, "explore")
    return made


def default(match: Match, seat: int) -> dict[str, object]:
    loaded = loading.load(match.id, match.game)
    return dict(loaded.game.default_command(loaded.timeline.state, seat))


def play_until(match: Match, seat: int, phase: str) -> None:
    for _ in range(40):
        if loading.load(match.id, match.game).timeline.state.sheets[seat].phase == phase:
            return
        playing.act(match, seat, default(match, seat))
    raise AssertionError(f"seat {seat} never comes to {phase}")


def explore(match: Match) -> None:
    """Let seat 0 explore, and then the worker come."""
    playing.act(match, 0, default(match, 0))
    conditional_orders.play(match.id)


def undo_by_consent(match: Match) -> None:
    expected = loading.load(match.id, match.game).viewer_version(0)
    asked = undoing.undo(match=match, sender=sends(match, 0), expected_version=expected, command_id=uuid.uuid4())
    assert not asked.done
    assert undoing.answer(match=match, sender=sends(match, 1), accept=True).done


def given(match: Match) -> list[str]:
    """Return the commands that conditional orders have given."""
    return [one.meta["command"]["name"] for one in STORE.read(match.id) if one.meta.get("channel") == "standing"]


@CLOCKS
def test_an_order_whose_act_stands_is_not_carried_out_again(race: Match) -> None:
    """It waited for its case once more, and ended its player's next turn too."""
    order = standing_orders.lay_by(match=race, seat=1, user=holder(race, 1), condition=EXPLORED, commands=[{"name": "end_turn"}])
    explore(race)
    undo_by_consent(race)
    play_until(race, 1, "push")
    play_until(race, 0, "explore")
    explore(race)
    assert Premove.objects.get(pk=order.pk).status == Premove.Status.DONE
    assert given(race) == ["end_turn"]
