"""An operator who takes a seat and rules or looks behind at the same moment, in matches of one family."""

from __future__ import annotations

import threading
import uuid

import pytest

from gamesvc.games.kernel.game import Refused
from gamesvc.matches.access.selectors import access_match
from gamesvc.matches.errors import Forbidden
from gamesvc.matches.lobby import forks, opening
from gamesvc.matches.models import Match
from gamesvc.matches.organising import looks
from gamesvc.matches.organising.measures import Measure, organise
from gamesvc.matches.record import loading, service_events
from tests.matches.playing import act
from tests.racing import at_once

pytestmark = pytest.mark.django_db(transaction=True)


def look(user, match):
    looks.look_behind(by=user, match=match, seat=0, version=match.version, reason="A complaint")


def pause(user, match):
    organise(by=user, match=match, measure=Measure("pause", "dispute", "A complaint"), command_id=uuid.uuid4())


def rewind(user, match):
    version = loading.first_playable(loading.load(match.id, match.game))
    organise(by=user, match=match, measure=Measure("rewind", "dispute", "A complaint", to=version), command_id=uuid.uuid4())


@pytest.fixture
def family(toy, anna, ben):
    """A running match that has a fork with a free seat."""
    match = opening.join_match(by=ben, match=opening.create_match(by=anna, game=toy, undo="never"))
    act(match, 0)
    access = access_match(user=anna, ident=str(match.pk))
    forks.fork(access=access, version=loading.load(match.id, toy).viewer_version(0), entry="public")
    match.refresh_from_db()
    return match


def join(user, match):
    [fork] = Match.objects.filter(beginning__origin=match)
    opening.join_match(by=user, match=fork)


@pytest.mark.parametrize(("first", "second"), [(join, look), (join, pause), (join, rewind), (look, join)])
def test_conflicting_acts_of_an_operator_exclude_each_other_in_a_family(family, player, monkeypatch, first, second):
    operator = player("operator", is_staff=True)
    checked, over = threading.Event(), threading.Event()
    module, name = (opening, "record") if first is join else (service_events, "append")
    write = getattr(module, name)

    def slowly(*args, **more):
        if not checked.is_set():
            checked.set()
            over.wait(1)  # In vain if the second act waits for this one.
        return write(*args, **more)

    monkeypatch.setattr(module, name, slowly)

    def follow():
        checked.wait()
        try:
            with pytest.raises((Forbidden, Refused)):
                second(operator, family)
        finally:
            over.set()

    at_once(lambda: first(operator, family), follow)
