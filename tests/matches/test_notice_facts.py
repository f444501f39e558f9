"""What programs are told of a notice: the match and its receiver's version of it, whatever seat the notice is about."""

from __future__ import annotations

import json

import pytest

from gamesvc.matches.lobby import opening, substitutes
from gamesvc.matches.record.loading import load
from notifications.models import Outbox
from notifications.other_channels import deliveries
from notifications.outbox import Notice, notify
from tests.matches.playing import act

pytestmark = pytest.mark.django_db
ABOUT_OTHERS = ["seat_free", "seat_taken", "timed_out"]


@pytest.fixture
def duel(toy, anna, ben):
    return opening.join_match(by=ben, match=opening.create_match(by=anna, game=toy))


def told(row):
    return json.loads(deliveries.body_of(row))["data"]


def notice(match, user, kind, seat):
    queued = Notice(kind=kind, user_id=user.pk, topic=str(match.pk), payload={"match": str(match.pk), "seat": seat})
    notify(queued)
    return Outbox.objects.get(pk=queued.id)


@pytest.mark.parametrize("kind", ABOUT_OTHERS)
def test_a_notice_about_another_seat_does_not_count_its_sealed_acts(duel, anna, kind):
    row = notice(duel, anna, kind, 1)
    before = told(row)
    act(duel, 1, {"name": "set_orders", "text": "hush"})
    assert told(row) == before
    assert (before["seat"], before["version"]) == (1, load(duel.id, duel.game).viewer_version(0))
    act(duel, 0, {"name": "set_orders", "text": "mine"})
    assert told(row)["version"] == load(duel.id, duel.game).viewer_version(0) > before["version"]


def test_the_acts_of_a_substitute_are_not_counted_to_the_other_player(duel, anna, ben, player):
    substitutes.give_up(by=ben, match=duel, seat=1)
    substitutes.take_over(by=player("susan"), match=duel)
    row = Outbox.objects.get(user=anna, kind="seat_taken")
    before = told(row)
    act(duel, 1, {"name": "set_orders", "text": "hush"})
    assert told(row) == before


def test_a_notice_of_a_seat_that_its_receiver_no_longer_holds_tells_no_version(duel, ben):
    row = notice(duel, ben, "timed_out", 1)
    assert told(row)["version"] == load(duel.id, duel.game).viewer_version(1)
    substitutes.give_up(by=ben, match=duel, seat=1)
    assert set(told(row)) == {"notice"}
