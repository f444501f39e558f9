"""The offer to undo on a page: it looks at what is new since the page before, however much the others do beside their turns."""

from __future__ import annotations

import random
import uuid
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from accounts.models import User
from gamesvc.games.kernel.game import Refused
from gamesvc.games.kernel.undo import undo_rules
from gamesvc.games.kernel.undo.trail import Trail
from gamesvc.matches.access import daily_limits
from gamesvc.matches.lobby import opening
from gamesvc.matches.models import Match
from gamesvc.matches.record import loading
from gamesvc.matches.record.stream import STORE
from gamesvc.matches.undo import undoing
from tests.matches.playing import act, offer_and_withdraw, sends, to_trade

pytestmark = pytest.mark.django_db
MANY = 150


@pytest.fixture(autouse=True)
def uncapped(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("PER_HOUR", "UNSEEN_PER_HOUR", "ASIDE_PER_HOUR"):
        monkeypatch.setattr(daily_limits, name, 10_000)


@pytest.fixture
def duel(toy: str, anna: User, ben: User) -> Match:
    return opening.join_match(by=ben, match=opening.create_match(by=anna, game=toy, options={"points": 9}))


def play(match: Match, seat: int) -> None:
    act(match, seat, {"name": "play", "card": loading.load(match.id, match.game).timeline.state.hands[seat][0]})


def hush(match: Match, seat: int, times: int) -> None:
    for number in range(times):
        act(match, seat, {"name": "set_orders", "text": f"{number}"})


def offered(match: Match, seat: int) -> undoing.Offer:
    return undoing.offer(loading.load(match.id, match.game), match, seat)


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> Callable[[Match, int], int]:
    """Return how many events of the past an offer to a seat looks at."""

    def count(match: Match, seat: int) -> int:
        looked: list[int] = []
        with monkeypatch.context() as patch:
            real = Trail.__getitem__

            def note(trail: Trail, version: int) -> Any:
                looked.append(version)
                return real(trail, version)

            patch.setattr(Trail, "__getitem__", note)
            offered(match, seat)
        return len(looked)

    return count


def test_what_a_page_looks_at_does_not_grow_with_what_others_keep_secret(duel: Match, read: Callable[[Match, int], int]) -> None:
    play(duel, 0)
    offered(duel, 0)
    hush(duel, 1, 1)
    once = read(duel, 0)
    hush(duel, 1, MANY)
    offered(duel, 0)
    hush(duel, 1, 1)
    assert read(duel, 0) <= once
    hush(duel, 1, 20)
    assert read(duel, 0) <= 20 * once
    assert offered(duel, 0).how == "free"


def test_what_a_page_looks_at_does_not_grow_with_what_others_do_beside_their_turns(
    anna: User, ben: User, read: Callable[[Match, int], int]
) -> None:
    match = opening.join_match(by=ben, match=opening.create_match(by=anna, game="stratastar"))
    seat = to_trade(match)

    def offer(times: int) -> None:
        for _ in range(times):
            offer_and_withdraw(match, seat)

    offered(match, 1 - seat)
    offer(1)
    once = read(match, 1 - seat)
    offer(MANY // 2)
    offered(match, 1 - seat)
    offer(1)
    assert read(match, 1 - seat) <= once


def test_a_page_reads_no_more_however_much_others_keep_secret(duel: Match, anna: User, monkeypatch: pytest.MonkeyPatch) -> None:
    play(duel, 0)
    client, store, rows = Client(), type(STORE), []
    client.force_login(anna)
    real = store.read

    def note(*given: Any, **more: Any) -> Any:
        found = real(*given, **more)
        rows.append(len(found))
        return found

    def page() -> int:
        assert client.get(f"/matches/{duel.number}/").status_code == 200
        rows.clear()
        assert client.get(f"/matches/{duel.number}/").status_code == 200
        return sum(rows)

    monkeypatch.setattr(store, "read", note)
    hush(duel, 1, 100)
    few = page()
    hush(duel, 1, MANY)
    assert page() <= few


def both(match: Match, seat: int) -> tuple[object, object]:
    """Return what is offered with what was looked at before, and without."""

    def told(behind: undo_rules.Behind) -> object:
        before = behind.deed.before if behind.deed is not None else None
        return before, behind.to, behind.refusal.code if before is None else "", behind.others, behind.told

    loaded = loading.load(match.id, match.game)
    trail = undoing.trail_of(loaded)
    changes = undo_rules.changing(loaded.timeline, seat)
    anew = undo_rules.look_back(loaded.game, trail, seat, changes=changes)
    known = undo_rules.look_back(loaded.game, trail, seat, changes=changes, known=loaded.behind.get(seat))
    # Nothing is lost of which a refusal tells nothing.
    return (told(known), told(anew)) if anew.deed is not None else (told(known)[:3], told(anew)[:3])  # type: ignore[index]


@pytest.mark.parametrize("seed", [3, 5, *(pytest.param(seed, marks=pytest.mark.long) for seed in (0, 1, 2, 4))])
def test_what_was_looked_at_before_gives_the_same_offer(duel: Match, seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(60):
        seat = rng.randrange(2)
        deed = rng.choice(("play", "draw", "orders", "orders", "undo", "redo", "look", "accept"))
        version = loading.load(duel.id, duel.game).viewer_version(seat)
        sent: dict[str, Any] = {"match": duel, "sender": sends(duel, seat)}
        try:
            match deed:
                case "play":
                    play(duel, seat)
                case "draw":
                    act(duel, seat)
                case "orders":
                    hush(duel, seat, rng.choice((1, 1, 8)))
                case "undo":
                    undoing.undo(**sent, expected_version=version, command_id=uuid.uuid4())
                case "redo":
                    undoing.redo(**sent, expected_version=version, command_id=uuid.uuid4())
                case "accept":
                    undoing.answer(**sent, accept=True)
                case "look":
                    offered(duel, seat)
        except (Refused, IndexError):
            pass
        if loading.load(duel.id, duel.game).ended:
            break
        for viewer in (0, 1):
            found, anew = both(duel, viewer)
            assert found == anew
