"""A player who has lost their seat acts for it no more, however early their request began and whatever it asks for."""

from __future__ import annotations

import ast
import re
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

import gamesvc
from accounts import tokens
from accounts.models import User
from gamesvc.games.kernel.game import Refused
from gamesvc.matches.access import selectors
from gamesvc.matches.lobby import forks, opening, press, substitutes
from gamesvc.matches.mail_orders import held_orders
from gamesvc.matches.models import HeldOrders, Match, PauseWish, Premove, Press
from gamesvc.matches.play import conditional_orders, standing_orders, turns
from gamesvc.matches.record import loading, stream
from gamesvc.matches.record.append import Actor
from gamesvc.matches.timekeeping import pauses
from gamesvc.matches.undo import undoing
from tests.matches import late
from tests.matches.playing import act, sends

pytestmark = pytest.mark.django_db
WHEN = {"event": {"type": "drew", "data": {"seat": 1}}}
DRAW = {"name": "draw"}


@pytest.fixture
def match(toy: str, anna: User, ben: User) -> Match:
    """Return a match in which anna holds seat 0 and has acted."""
    match = opening.create_match(by=anna, game=toy, options={"points": 9})
    match = opening.join_match(by=ben, match=match)
    act(match, 0, {"name": "play", "card": loading.load(match.id, toy).timeline.state.hands[0][0]})
    return match


@pytest.fixture
def carl(player: Callable[..., User]) -> User:
    return player("carl")


def taken_over(match: Match, by: User, seat: int = 0) -> None:
    substitutes.vacate(match=match, seat=seat, actor=Actor("host"))
    substitutes.take_over(by=by, match=match, seat=seat)


def seen(match: Match, user: User) -> dict[str, Any]:
    """Return what a request of the holder of seat 0 has read when it begins."""
    return {
        "access": selectors.access_match(user=user, ident=str(match.number)),
        "sender": sends(match, 0),
        "version": loading.load(match.id, match.game).viewer_version(0),
    }


def traces(match: Match) -> tuple[Any, ...]:
    """Return all that an act for a seat leaves behind."""
    match.refresh_from_db()
    rows = (Press, PauseWish, HeldOrders)
    kept = [list(row.objects.filter(match=match).values_list("pk", flat=True)) for row in rows]
    return match.version, *kept, list(Premove.objects.filter(match=match).values_list("number", "status"))


# --- every function that acts for a seat ---

Attempt = Callable[[Match, User, dict[str, Any]], object]


def submitted(match: Match, anna: User, before: dict[str, Any]) -> object:
    return turns.submit(
        match=match,
        sender=before["sender"],
        command=DRAW,
        expected_version=before["version"],
        command_id=uuid.uuid4(),
        seats=before["access"].seats,
    )


def went_back(match: Match, anna: User, before: dict[str, Any]) -> object:
    return undoing.undo(match=match, sender=before["sender"], expected_version=before["version"], command_id=uuid.uuid4())


def redone(match: Match, anna: User, before: dict[str, Any]) -> object:
    return undoing.redo(match=match, sender=before["sender"], expected_version=before["version"], command_id=uuid.uuid4())


def answered(match: Match, anna: User, before: dict[str, Any]) -> object:
    return undoing.answer(match=match, sender=before["sender"], accept=True)


def wrote(match: Match, anna: User, before: dict[str, Any]) -> object:
    return press.say(match=match, by=anna, by_seat=0, to="all", text="Still here", channel="api")


def laid_by(match: Match, anna: User, before: dict[str, Any]) -> object:
    return standing_orders.lay_by(match=match, seat=0, user=anna, condition=WHEN, commands=[DRAW])


def paused(match: Match, anna: User, before: dict[str, Any]) -> object:
    return pauses.wish(match=match, by=anna, seat=0, pause=True)


def unpaused(match: Match, anna: User, before: dict[str, Any]) -> object:
    return pauses.withdraw(match=match, by=anna, seat=0)


def left(match: Match, anna: User, before: dict[str, Any]) -> object:
    return substitutes.give_up(by=anna, match=match, seat=0)


def forked(match: Match, anna: User, before: dict[str, Any]) -> object:
    return forks.fork(access=before["access"], version=before["version"], board=True)


ATTEMPTS: tuple[Attempt, ...] = (
    submitted, went_back, redone, answered, wrote, laid_by, paused, unpaused, left, forked,
)  # fmt: skip


@pytest.mark.parametrize("attempt", ATTEMPTS)
def test_what_began_before_the_seat_changed_hands_is_refused(match: Match, anna: User, carl: User, attempt: Attempt) -> None:
    before = seen(match, anna)
    taken_over(match, carl)
    was = traces(match)
    with pytest.raises(Refused) as refused:
        attempt(match, anna, before)
    assert refused.value.code == "no_seat"
    assert traces(match) == was
    assert not Match.objects.filter(creator=anna, board=True).exists()


def test_the_orders_of_the_substitute_are_their_own(match: Match, anna: User, carl: User) -> None:
    taken_over(match, carl)
    row = standing_orders.lay_by(match=match, seat=0, user=carl, condition=WHEN, commands=[DRAW])
    for attempt in (
        lambda: standing_orders.cancel(match=match, seat=0, number=row.number, user=anna),
        lambda: standing_orders.change(premove=row, user=anna, condition=WHEN, commands=[DRAW]),
    ):
        with pytest.raises(Refused) as refused:
            attempt()
        assert refused.value.code == "unknown_order"
    assert held_orders.replace(match=match, seat=0, user_id=anna.pk, but=uuid.uuid4()) == 0
    row.refresh_from_db()
    assert row.status == Premove.Status.WAITING


def test_an_order_of_a_former_player_is_dropped(match: Match, anna: User, carl: User) -> None:
    """Its row may outlive the change of hands if both are written at the same moment."""
    taken_over(match, carl)
    row = standing_orders.lay_by(match=match, seat=0, user=carl, condition=WHEN, commands=[DRAW])
    Premove.objects.filter(pk=row.pk).update(user=anna)
    act(match, 1, DRAW)
    version = loading.load(match.id, match.game).version
    assert conditional_orders.play(match.id) == 0
    row.refresh_from_db()
    assert (row.status, loading.load(match.id, match.game).version) == (Premove.Status.DROPPED, version)


@pytest.mark.parametrize("attempt", [submitted, went_back])
def test_a_seat_that_changes_hands_between_the_decision_and_the_append(
    match: Match, anna: User, carl: User, monkeypatch: pytest.MonkeyPatch, attempt: Attempt
) -> None:
    """The append loses, and the next attempt sees who sits there now."""
    if attempt is submitted:
        act(match, 1, DRAW)
    real, begun = turns._decide if attempt is submitted else undoing.check_fresh, []
    place = (turns, "_decide") if attempt is submitted else (undoing, "check_fresh")

    def meanwhile(*given: Any) -> Any:
        result = real(*given)
        if not begun:
            begun.append(True)
            taken_over(match, carl)
        return result

    before = seen(match, anna)
    monkeypatch.setattr(*place, meanwhile)
    with pytest.raises(Refused) as refused:
        attempt(match, anna, before)
    assert begun
    assert refused.value.code == "no_seat"
    events = stream.events_after(match.id, before["version"], loading.load(match.id, match.game).version)
    assert [event.type for event in events if event.meta["actor"].get("kind") == "seat"] == ["match.seated"]


def test_the_owner_of_a_board_plays_all_its_seats(match: Match, anna: User) -> None:
    access = selectors.access_match(user=anna, ident=str(match.number))
    board = forks.fork(access=access, version=loading.load(match.id, match.game).viewer_version(0), board=True)
    for _ in range(2):
        seat = loading.load(board.id, board.game).awaited()[0].seat
        assert act(board, seat, DRAW).events


# --- through the doors ---


def bodies(match: Match) -> dict[str, tuple[str, dict[str, Any]]]:
    """Return the method and body of each address of the API that acts for a seat."""
    laid = {"when": WHEN, "commands": [DRAW]}
    return {
        "commands/": ("POST", DRAW),
        "orders/": ("POST", {"text": "draw"}),
        "undo/": ("POST", {}),
        "redo/": ("POST", {}),
        "undo/answer/": ("POST", {"accept": True}),
        "press/": ("POST", {"to": "all", "text": "Still here"}),
        "standing/": ("POST", laid),
        "standing/1/": ("PUT", laid),
        "standing/own/": ("PUT", {"orders": "hush"}),
        "pause/": ("POST", {"pause": True}),
        "give-up/": ("POST", {}),
        "forks/": ("POST", {"version": match.version, "kind": "board"}),
    }


@pytest.mark.parametrize("name", [
    "commands/", "orders/", "undo/", "redo/", "undo/answer/", "press/", "standing/", "standing/1/", "standing/own/", "pause/",
    "give-up/", "forks/",
])  # fmt: skip
def test_a_body_that_arrives_after_the_seat_changed_hands_does_nothing(match: Match, anna: User, carl: User, name: str) -> None:
    path, client = f"/api/v1/matches/{match.number}/", Client()
    token = f"Bearer {tokens.create_token(user=anna, name='x', scopes=['read', 'play'])[1]}"
    standing_orders.lay_by(match=match, seat=0, user=anna, condition=WHEN, commands=[DRAW])
    etag = client.get(f"{path}view/", headers={"Authorization": token})["ETag"]
    was: list[Any] = []

    def meanwhile() -> None:
        taken_over(match, carl)
        standing_orders.lay_by(match=match, seat=0, user=carl, condition=WHEN, commands=[DRAW])
        was.append(traces(match))

    method, body = bodies(match)[name]
    answer = late.send(
        client, path + name, body, meanwhile, method=method, authorization=token, if_match=etag, idempotency_key="k1"
    )
    assert answer.status_code in (403, 404, 422), answer.content
    assert traces(match) == was[0]
    assert match.seats.get(index=0).user == carl
    assert not Match.objects.filter(creator=anna, board=True).exists()


@pytest.mark.parametrize(("name", "fields"), [
    ("orders", {"orders": "draw", "_once": "1"}),
    ("press", {"to": "all", "text": "Still here", "_once": "1"}),
    ("standing", {"order": "if drew seat=1 then draw", "_once": "1"}),
    ("absence", {"act": "pause"}),
    ("absence", {"act": "give_up", "_once": "1"}),
    ("undo", {"act": "undo", "_once": "1"}),
])  # fmt: skip
def test_a_form_that_arrives_after_the_seat_changed_hands_does_nothing(
    match: Match, anna: User, carl: User, name: str, fields: dict[str, str]
) -> None:
    client = Client()
    client.force_login(anna)
    version = loading.load(match.id, match.game).viewer_version(0)
    was: list[Any] = []

    def meanwhile() -> None:
        taken_over(match, carl)
        was.append(traces(match))

    late.send(client, f"/matches/{match.number}/{name}", {**fields, "_version": version}, meanwhile)
    assert traces(match) == was[0]
    assert match.seats.get(index=0).user == carl


# --- the class ---


def test_nobody_sends_for_a_seat_without_saying_who() -> None:
    """A `Sender` of a seat without its user is always refused; the product names the user everywhere."""
    missing = []
    for path in Path(gamesvc.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Sender"):
                continue
            actor = ast.unparse(node.args[0])
            if "'seat'" in actor and len(node.args) < 4:
                missing.append(f"{path.name}:{node.lineno}")
    assert not missing


def test_what_acts_for_a_seat_asks_who_holds_it() -> None:
    """A function that writes as the actor `seat` checks the holder, but for these."""
    unchecked = {
        # They make or end a tenure themselves, with the seats locked.
        "lobby/opening.py:_take",
        "lobby/opening.py:leave_match",
        "lobby/substitutes.py:take_over",
        # It names the user in the `Sender`, whom `turns` checks.
        "play/turns.py:player",
        # It only reads who acted.
        "notices/acted.py:acted",
    }
    matches = Path(gamesvc.__file__).parent / "matches"
    checks = re.compile(r"holders\.(check|lock_and_check)\(")
    found = {
        f"{path.relative_to(matches)}:{function.name}": checks.search(ast.unparse(function)) is not None
        for path in matches.rglob("*.py")
        for function in ast.walk(ast.parse(path.read_text()))
        if isinstance(function, ast.FunctionDef) and "Actor('seat'" in ast.unparse(function)
    }
    assert {function for function, checked in found.items() if checked}
    assert {function for function, checked in found.items() if not checked} == unchecked
