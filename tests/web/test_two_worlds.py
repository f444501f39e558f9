"""Worlds that differ only in what a seat cannot see: it gets the same bytes from every address of the match, and in its mails.

The other world is the same log, with everything hidden from a seat dealt again in each state that the service looks at, also in
those of earlier versions. Spectators and an organiser who does not play see less than each seat, so nothing differs for them.
"""

from __future__ import annotations

import re
from contextlib import contextmanager

import pytest
import time_machine

from gamesvc.games import catalog, dealing
from gamesvc.games.kernel.dice import seeded
from gamesvc.games.kernel.timeline import Timeline
from gamesvc.matches.lobby import opening, substitutes
from gamesvc.matches.record import loading
from gamesvc.matches.timekeeping import inaction
from notifications import registry
from notifications.models import Outbox
from tests.matches.playing import play_out
from tests.matches.test_hidden_time import NOON, page_of
from tests.matches.test_same_path import paths_of

pytestmark = [pytest.mark.django_db, pytest.mark.long, pytest.mark.timeout(600)]
# Values that are new in every response.
_NEW = re.compile(r'name="(?:csrfmiddlewaretoken|_once)" value="[^"]*"')
_PAST = ("/view/", "/forms/", "/board.svg")


@contextmanager
def world(seat, seed):
    """Deal everything hidden from a seat again, wherever the service looks at a running match."""
    follow, load_at = loading._follow, loading.load_at

    def deal(loaded):
        real = loaded.timeline
        if real.started and not loaded.ended:
            state, kept = dealing.redeal(real.game, real.state, real.at, seat, seeded(f"{seed} {loaded.version}"))
            more = {"draws": real.draws, "kept": kept, "recall": real.recall, "log": real.log}
            loaded.timeline = Timeline.resume(real.game, version=real.version, state=state, **more)
        return loaded

    def followed(loaded, tail):
        follow(loaded, tail)
        deal(loaded)

    with pytest.MonkeyPatch.context() as patch:
        loading.forget_all()
        patch.setattr(loading, "_follow", followed)
        patch.setattr(loading, "load_at", lambda *named, **more: deal(load_at(*named, **more)))
        # Nothing of this world is kept.
        patch.setattr(loading, "remember", lambda loaded: None)
        patch.setattr(loading, "save_snapshot", lambda loaded: None)
        yield
    loading.forget_all()


def shown(match, user, page, api):
    """Return everything that a user gets of a match: status, tag and body by address, and the words of their mails."""
    found = {}
    for path in [*paths_of(match), "/", "/api/v1/matches/", "/api/v1/me/turns/", "/api/v1/me/notices/"]:
        if "clock" in path:
            continue  # it reckons on from a state of the past
        past = "?version=" if path.endswith(_PAST) else "?at=" if path == f"/matches/{match.number}/" else ""
        for query in ("", *(f"{past}{match.version - back}" for back in (3, 20) if past)):
            told = api.get(f"{path.removeprefix('/api/v1')}{query}") if path.startswith("/api/") else page.get(f"{path}{query}")
            if told.status_code == 405:
                break
            body = b"".join(told) if told.streaming else told.content
            found[path + query] = (told.status_code, told.headers.get("ETag"), _NEW.sub("", body.decode()))
    for row in Outbox.objects.filter(topic=str(match.id), user=user):
        kind = registry.find(row.kind)
        found[f"mail {row.kind} {row.pk}"] = (kind.renderer(row), kind.brief(row) if kind.brief else None, registry.facts_of(row))
    return found


@pytest.mark.parametrize("game", catalog.OFFERED)
def test_nothing_that_a_reader_gets_differs_by_what_is_hidden(game, player, program, monkeypatch):
    # It deals again by itself, at random, and tells what is the same in three deals.
    monkeypatch.setattr(inaction, "sentence", lambda *_named, **_more: "")
    anna, ben, host, watcher, substitute = (player(name) for name in ("anna", "ben", "olga", "wanda", "susan"))
    with time_machine.travel(NOON, tick=False) as clock:
        match = opening.create_match(by=host, game=game, seats=2, watch="all", take_seat=False)
        match = opening.join_match(by=ben, match=opening.join_match(by=anna, match=match))
        play_out(match, seed=1, most=35)
        clock.shift(60)
        match.refresh_from_db()
        assert differing(match, program, (anna, 0), (ben, 1), (watcher, 0), (watcher, 1), (host, 0)) == []
        substitutes.give_up(by=anna, match=match, seat=0)
        substitutes.take_over(by=substitute, match=match, seat=0)
        play_out(match, seed=2, most=10)
        match.refresh_from_db()
        assert differing(match, program, (anna, 1), (substitute, 0)) == []


def differing(match, program, *readers):
    """Return what readers get otherwise in a world where what a seat cannot see is dealt again: user, seat and address."""
    assert not match.over
    found = []
    for user, seat in readers:
        page, api = page_of(user), program(user)
        page.get(f"/matches/{match.number}/")  # a visit records what was seen
        before = shown(match, user, page, api)
        with world(seat, f"{match.game} {user.username}"):
            after = shown(match, user, page, api)
        paths = {*before, *after}
        found += [(user.username, seat, path) for path in sorted(paths) if after.get(path) != before.get(path)]
    return found


@pytest.mark.parametrize("game", catalog.OFFERED)
def test_the_other_world_is_another_one(game, player, program):
    """Else the comparison could not fail: the other seat is shown something else there. Space Fleet hides nothing then."""
    anna, ben = player("anna"), player("ben")
    match = opening.join_match(by=ben, match=opening.create_match(by=anna, game=game, seats=2))
    play_out(match, seed=1, most=35)
    views = []
    for _world in range(2):
        views.append(program(ben).get(f"/matches/{match.number}/view/").json())
        with world(0, game):
            views.append(program(ben).get(f"/matches/{match.number}/view/").json())
    assert views[0] == views[2]
    assert (views[0] != views[1]) or game == "space_fleet_commander"
