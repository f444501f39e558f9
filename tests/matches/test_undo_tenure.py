"""Seats that change hands: nobody undoes, redoes or gains time from what an earlier player of their seat did."""

from __future__ import annotations

import random
import uuid
from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import time_machine
from django.utils import timezone

from gamesvc.games.kernel.game import Awaited, Refused
from gamesvc.matches.clock.account import Account
from gamesvc.matches.clock.fold import follow
from gamesvc.matches.clock.going_on import CONTINUED
from gamesvc.matches.errors import Stale
from gamesvc.matches.events import DeadlineSet, Rewound, Seated, Vacated, read_event
from gamesvc.matches.lobby import opening, substitutes
from gamesvc.matches.models import UndoRequest
from gamesvc.matches.organising import rewinds
from gamesvc.matches.record import loading, snapshots, stream
from gamesvc.matches.record.stream import STORE
from gamesvc.matches.statistics import reliability
from gamesvc.matches.undo import undoing
from tests.matches.playing import act, play_out, sends
from tests.matches.test_clock_going_back import played
from tests.matches.test_clock_policy import HOUR, seated
from tests.matches.test_deadlines import check_store, due

pytestmark = pytest.mark.django_db(transaction=True)
BEGIN = datetime(2026, 6, 1, 10, tzinfo=UTC)
HOURS = {"hours": 48}
BANK = {"bank": {"start": "1d", "increment": "12h", "cap": "10d"}}


@pytest.fixture
def clock():
    with time_machine.travel(BEGIN, tick=False) as travel:
        yield travel


@pytest.fixture
def operator(player):
    return player("operator", is_staff=True)


@pytest.fixture
def carl(player):
    return player("carl")


def begun(anna, ben, clock, policy=HOURS):
    """Return a toy match in which Anna has drawn and Ben, in seat 1, is asked."""
    match = opening.create_match(by=anna, game="toy", options={"points": 9}, clock=policy)
    match = opening.join_match(by=ben, match=match)
    act(match, 0)
    clock.shift(60)
    return match


def play(match, seat):
    act(match, seat, {"name": "play", "card": loading.load(match.id, match.game).timeline.state.hands[seat][0]})


def take(deed, match, seat):
    version = loading.load(match.id, match.game).viewer_version(seat)
    return deed(match=match, sender=sends(match, seat), expected_version=version, command_id=uuid.uuid4())


def offered(match, seat):
    return undoing.offer(loading.load(match.id, match.game), match, seat)


def replace(match, leaver, newcomer, seat=1):
    substitutes.give_up(by=leaver, match=match, seat=seat)
    substitutes.take_over(by=newcomer, match=match, seat=seat)


def refused(deed, match, seat=1):
    with pytest.raises(Refused) as caught:
        take(deed, match, seat)
    return caught.value.code


@pytest.mark.parametrize("policy", [HOURS, BANK], ids=["hours", "bank"])
@pytest.mark.parametrize("direct", [False, True], ids=["substitute", "returns"])
def test_nobody_redoes_what_was_undone_before_their_tenure(toy, anna, ben, carl, clock, policy, direct):
    match = begun(anna, ben, clock, policy)
    play(match, 1)
    take(undoing.undo, match, 1)
    assert offered(match, 1).redo is not None
    replace(match, ben, ben if direct else carl)
    before = due(match)
    assert offered(match, 1).redo is None
    assert refused(undoing.redo, match) == "nothing_to_redo"
    assert refused(undoing.undo, match) == "nothing_to_undo"
    assert due(match) == before
    play(match, 1)
    clock.shift(60)
    take(undoing.undo, match, 1)
    assert due(match) == before, "their own card they undo as ever"
    assert offered(match, 1).redo is not None
    check_store(match)


@pytest.mark.parametrize("remembers", [True, False])
def test_nobody_undoes_what_lies_before_their_tenure_after_another_went_back_behind_it(
    toy, anna, ben, carl, clock, monkeypatch, remembers
):
    monkeypatch.setattr(snapshots, "TAIL", 0)
    match = begun(anna, ben, clock)
    play(match, 1)
    assert offered(match, 1).how == "free", "this look back is remembered"
    play(match, 0)
    replace(match, ben, carl)
    take(undoing.undo, match, 0)
    if not remembers:
        loading.forget_all()
        assert loading.load(match.id, match.game).hands.keys() == {1}, "a snapshot knows it too"
    assert offered(match, 1).code == "nothing_to_undo"
    assert refused(undoing.undo, match) == "nothing_to_undo"
    assert refused(undoing.redo, match) == "nothing_to_redo"
    check_store(match)


def test_a_request_lapses_when_its_seat_changes_hands(toy, anna, ben, carl, clock):
    match = begun(anna, ben, clock)
    play(match, 1)
    play(match, 0)
    take(undoing.undo, match, 1)
    assert UndoRequest.objects.get(match=match).settled_at is None
    replace(match, ben, carl)
    with pytest.raises(Refused) as caught:
        undoing.answer(match=match, sender=sends(match, 0), accept=True)
    assert caught.value.code == "no_request"
    undoing.lapse_requests()
    assert UndoRequest.objects.get(match=match).settled_at is not None
    assert offered(match, 1).code == "nothing_to_undo"


def test_nobody_is_bound_by_the_consent_of_who_held_their_seat(anna, ben, carl, player):
    match = opening.create_match(by=anna, game="stratastar", seats=3, undo="consent")
    for user in (ben, player("dora")):
        match = opening.join_match(by=user, match=match)
    asks = loading.load(match.id, match.game).awaited()[0].seat
    play_out(match, most=1)
    agrees, other = (seat for seat in range(3) if seat != asks)

    def accept(seat):
        return undoing.answer(match=match, sender=sends(match, seat), accept=True)

    take(undoing.undo, match, asks)
    assert not accept(agrees).done
    replace(match, match.seats.get(index=agrees).user, carl, agrees)
    with pytest.raises(Refused) as caught:
        accept(other)
    assert caught.value.code == "no_request"
    take(undoing.undo, match, asks)
    assert not accept(agrees).done
    assert accept(other).done


def lift(table, stored):
    return stream.lift(loading.load(table.match.id, table.match.game).game, stored)


def rewind(match, operator, to):
    version = loading.load(match.id, match.game).viewer_version(None)
    rewinds.rewind(
        by=operator,
        match=match,
        to=to,
        code="dispute",
        reason="A card was misread.",
        expected_version=version,
        command_id=uuid.uuid4(),
        received_at=timezone.now(),
    )


@pytest.mark.parametrize("policy", [HOURS, BANK], ids=["hours", "bank"])
def test_a_substitute_has_the_time_of_a_question_once_however_often_the_match_goes_back(toy, anna, ben, carl, clock, policy):
    match = begun(anna, ben, clock, policy)
    play(match, 1)
    play(match, 0)
    replace(match, ben, carl)
    left, bank = due(match) - timezone.now(), loading.load(match.id, match.game).account.bank(1)
    for deed in (lambda: take(undoing.redo, match, 0), *[lambda: play(match, 0)] * 3):
        clock.shift(5 * HOUR)
        take(undoing.undo, match, 0)
        deed()
        assert due(match) - timezone.now() <= left
        assert loading.load(match.id, match.game).account.bank(1) <= bank
        check_store(match)


POLICIES: dict[str, dict[str, Any]] = {
    "plain": {"hours": 48},
    "nights": {"turn": "48h", "quiet_hours": 10},
    "bank": {"bank": {"start": "20h", "increment": "1h"}},
}


policies = pytest.mark.parametrize("told", POLICIES.values(), ids=POLICIES)


def going_back(table):
    """Go back to the question of seat 0 from before the change of hands, and return what is left of its clock."""
    table.take([Rewound(to=2, cause="host", data={})], "host", None, asked=[Awaited(0, "turn", "a", "turn")])
    return table.due(0, "a") - table.now


def taken_over(told):
    """Seat 0 acted, and a substitute came."""
    table = played(told, 10)
    table.take([Vacated(0)], "host", None)
    table.take([seated(0)], "seat", 0)
    return table


@policies
def test_rewinds_across_a_change_of_hands_bring_the_time_once(told):
    table = taken_over(told)
    whole, bank = going_back(table), table.account.bank(0)
    for number in range(1, 4):
        table.wait(3 * HOUR)
        table.ask((1, "b", "turn"), by=0)
        assert going_back(table) == whole - number * 3 * HOUR
        assert table.account.bank(0) == bank - (number * 3 * HOUR if "bank" in told else timedelta(0))
        assert table.replayed().as_json() == table.account.as_json()
        assert Account.from_json(table.account.as_json(), HOUR).as_json() == table.account.as_json()
    table.take([Vacated(0)], "host", None)
    table.take([seated(0)], "seat", 0)
    table.ask((1, "b", "turn"), by=0)
    assert going_back(table) >= whole, "the next substitute has had none of it"
    assert table.replayed().as_json() == table.account.as_json()


@policies
def test_a_log_in_which_such_a_rewind_brought_a_new_clock_folds_to_its_deadlines(told):
    table = taken_over(told)
    written = []
    for _ in range(3):
        table.account.tenure.clear()  # the older rule did not ask what the substitute had had
        going_back(table)
        written.append((len(table.log), table.due(0, "a")))
        table.wait(3 * HOUR)
        table.ask((1, "b", "turn"), by=0)
    assert not any(event.cause == CONTINUED for step, _ in table.log for event in step.events if isinstance(event, DeadlineSet))
    account, past, found = Account(), {}, []
    for number, (step, open_now) in enumerate(table.log, 1):
        follow(account, step, open_now, recall=past.__getitem__)
        past[number] = account.copy()
        found.append((number, account.due((0, "a"))))
    assert set(written) <= set(found)


# --- acts in any order ---


DEEDS = ("act", "act", "undo", "undo", "redo", "redo", "answer", "change", "rewind")


class Tenures:
    """A match whose seats change hands between acts, undos, redos and rewinds. Judges each act by the record alone."""

    def __init__(self, match, people, operator, clock, seed) -> None:
        self.match, self.people, self.operator, self.clock = match, people, operator, clock
        self.rng, self.tried = random.Random(f"tenures {match.game} {seed}"), Counter[str]()
        self.last: dict[tuple[int, int, str], datetime] = {}
        self.plan: list[str] = []
        self.seat = 0  # of the last act: it most often acts again

    def floors(self) -> dict[int, int]:
        """Return the version of the newest change of hands of each seat, read from the log."""
        events = [(one.version, told) for one in STORE.read(self.match.id) if (told := read_event(lift(self, one)))]
        return {told.seat: version for version, told in events if isinstance(told, Seated | Vacated)}

    def dues(self) -> dict[tuple[int, int, str], datetime]:
        """Return the running deadlines, by seat, tenure and clock."""
        floors = self.floors()
        account = loading.load(self.match.id, self.match.game).account
        return {(key[0], floors.get(key[0], 0), clock.name): clock.due for key, clock in account.open.items() if clock.due}

    def step(self) -> None:
        self.clock.shift(timedelta(minutes=self.rng.randrange(1, 90)))
        if not self.plan and self.rng.random() < 0.15:
            self.seat = loading.load(self.match.id, self.match.game).awaited()[0].seat
            self.plan = ["act", "undo", *self.rng.choice(([], ["change"])), "redo", "undo"]
        seat = self.rng.randrange(2) if not self.plan and self.rng.random() < 0.3 else self.seat
        deed = self.plan.pop(0) if self.plan else self.rng.choice(DEEDS)
        before = loading.load(self.match.id, self.match.game).version
        self.last |= self.dues()
        try:
            getattr(self, deed)(seat)
        except (Refused, Stale):
            return
        if loading.load(self.match.id, self.match.game).version > before:
            self.tried[deed] += 1
            self.seat = seat
            self.judge(deed, seat, before)

    def judge(self, deed: str, seat: int, before: int) -> None:
        floor, dues = self.floors().get(seat, 0), self.dues()
        if deed in ("undo", "redo"):
            for stored in STORE.read(self.match.id, before):
                told = read_event(lift(self, stored))
                assert not isinstance(told, Rewound) or told.to >= floor, "it reached the deeds of an earlier player"
        if deed in ("act", "undo", "redo"):
            for key, ends in dues.items():
                if key[0] == seat and key in self.last and (deed != "act" or key in self.open_before):
                    assert ends <= self.last[key], f"an own {deed} moved the own deadline"

    def act(self, seat: int) -> None:
        loaded = loading.load(self.match.id, self.match.game)
        seat_forms = [form for form in loaded.game.legal_commands(loaded.timeline.state, seat) if form.name != "resign"]
        self.open_before = self.dues()
        if seat_forms:
            view = loaded.game.view(loaded.timeline.state, seat)
            act(self.match, seat, dict(loaded.game.bots["random"](view, tuple(seat_forms), self.rng)))

    def undo(self, seat: int) -> None:
        take(undoing.undo, self.match, seat)

    def redo(self, seat: int) -> None:
        take(undoing.redo, self.match, seat)

    def answer(self, seat: int) -> None:
        undoing.answer(match=self.match, sender=sends(self.match, seat), accept=self.rng.random() < 0.9)

    def change(self, seat: int) -> None:
        leaver = self.match.seats.get(index=seat).user
        replace(self.match, leaver, self.rng.choice(self.people[seat]), seat)

    def rewind(self, seat: int) -> None:
        newest = loading.load(self.match.id, self.match.game).version
        rewind(self.match, self.operator, self.rng.randrange(max(1, newest - 25), newest))


@pytest.mark.parametrize("policy", [HOURS, BANK], ids=["hours", "bank"])
@pytest.mark.parametrize(
    ("game", "matches", "steps"),
    [("toy", 2, 60), *(pytest.param(*more, marks=pytest.mark.long) for more in [("toy", 3, 60), ("star_commander", 1, 60)])],
)
def test_no_holder_undoes_or_redoes_another_or_gains_time_by_their_own_act(
    toy, anna, ben, carl, player, operator, clock, monkeypatch, game, matches, steps, policy
):
    monkeypatch.setattr(substitutes, "MOST_TENURES", 1000)
    monkeypatch.setattr(reliability, "check", lambda by, match: None)  # these players leave their seats often
    people, tried = [[anna, carl, player("dora")], [ben, player("erin"), player("fred")]], Counter()
    for seed in range(matches):
        match = opening.create_match(by=anna, game=game, options={"points": 9} if game == "toy" else {}, clock=policy)
        match = opening.join_match(by=ben, match=match)
        table = Tenures(match, people, operator, clock, seed)
        for _ in range(steps):
            if loading.load(match.id, match.game).ended:
                break
            table.step()
        check_store(match)
        tried += table.tried
    wanted = {"act", "undo", "change"} | ({"redo", "rewind"} if game == "toy" else set())
    assert wanted <= set(tried), tried
