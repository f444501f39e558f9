"""Words of an order mail with an effect: undo, wait and ready, press, vacation; and orders that wait for others."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
import time_machine
from django.utils import timezone

from accounts import absences, erasure
from accounts.models import Absence, User
from events import canonical
from gamesvc.games import catalog
from gamesvc.games.kernel.game import Awaited, Refused
from gamesvc.matches import retention
from gamesvc.matches.lobby import opening
from gamesvc.matches.mail_orders import held_orders, order_run, service_words
from gamesvc.matches.models import DoneWord, HeldOrders, Match, Premove, Press, Question
from gamesvc.matches.play import standing_orders, turns
from gamesvc.matches.record import loading
from gamesvc.matches.record.stream import STORE
from gamesvc.matches.timekeeping import timeout_sweep
from notifications.inbound import pipeline
from notifications.models import InboundMail, MailStatus
from tests.games.toy import GAME as TOY
from tests.games.toy import Drew, OrdersSet, Played
from tests.mailing import mailing, verify  # noqa: F401
from tests.matches.playing import act
from tests.matches.test_replies import read_toy, reply_to, turn_mail

pytestmark = pytest.mark.django_db


def awaited(state):
    """The toy with a window: the other seat may counter what is played before its player continues."""
    if state.over:
        return ()
    if state.items and state.orders[state.items[-1].seat].startswith("open"):
        return (Awaited(1 - state.items[-1].seat, "window", f"window{state.items[-1].id}", "reaction"),)
    return (Awaited(0, "turn", "turn0"),)


def decide(run, seat, command):
    """Seat 0 plays as often as it likes; seat 1 answers `pass`, `draw` (something happens) or `counter`."""
    if command["name"] == "play":
        run.emit(Played(seat, command["card"], run.version))
        run.emit(OrdersSet(seat, f"open{run.version}"))
    elif command["name"] == "pass":
        run.emit(OrdersSet(1 - seat, ""))
    elif command["name"] == "draw":
        if seat == 1:
            run.emit(Drew(seat, run.state.deck[0]))
            run.emit(OrdersSet(0, ""))
        else:
            run.emit(OrdersSet(0, "drawn"))
    elif command["name"] == "set_orders":
        run.emit(OrdersSet(seat, command["text"]))
    else:
        raise Refused("no_target", "Not here.")


def view(state, viewer):
    seen = TOY.view(state, viewer)
    return {**seen, "items": [item["card"] for item in seen["items"]], "orders": None}


WINDOWED = replace(
    TOY,
    parse=read_toy,
    awaited=awaited,
    decide=decide,
    view=view,
    outcome=lambda state: None,
    default_command=lambda state, seat: {"name": "pass"},
    legal_commands=lambda state, seat: () if any(one.seat != seat for one in awaited(state)) else TOY.legal_commands(state, seat),
)


def open_duel(anna, ben, mailing, monkeypatch, game, clock=None):  # noqa: F811
    offered = catalog.game
    monkeypatch.setattr(catalog, "game", lambda game_id: game if game_id == "toy" else offered(game_id))
    verify(anna, ben)
    match = opening.create_match(by=anna, game="toy", clock=clock, contribution_text="tea")
    match = opening.join_match(by=ben, match=match, contribution_text="coffee")
    mailing.work()
    return match


@pytest.fixture
def duel(toy, anna, ben, mailing, monkeypatch):  # noqa: F811
    return open_duel(anna, ben, mailing, monkeypatch, replace(TOY, parse=read_toy))


@pytest.fixture
def windowed(toy, anna, ben, mailing, monkeypatch):  # noqa: F811
    return open_duel(anna, ben, mailing, monkeypatch, WINDOWED)


def state_of(match):
    return loading.load(match.id, match.game).timeline.state


def events(match):
    return [stored.type for stored in STORE.read(match.id)][6:]


def flat(caught):
    """Return the text of a mail on one line, however it was wrapped."""
    return " ".join(caught.text.split())


def cards(match, seat):
    return sorted(state_of(match).hands[seat])


# --- wait and ready ---


TO_SOME = (
    "press to all my friends: hi",
    "press all but ben: he will attack",
    "press all except ben he will attack",
    "press all but ben:\nHe will attack.",
    "press all my friends:\nHe will attack.",
    "press all players in the north: hi",
    "nachricht all außer ben: er greift an",
    "press all (except ben): we attack",
    "press all not ben: we attack him",
    "press all - except ben: we attack",
    "press all [but ben] we attack",
    "press all -ben: we attack",
    "press all my allies: we attack ben",
    "press all the others but ben: we attack",
    "press all only clara: we attack",
    "press all excl. ben: we attack",
    "press ben and anna: we attack",
    "press ben & 1: we attack",
    "press ben anna: we attack",
    "press 2 and anna we attack",
)


def test_orders_wait_for_the_deadline(duel, mailing):  # noqa: F811
    mailing.write("draw\nwait", to=reply_to(turn_mail(mailing)))
    mailing.work()
    assert events(duel) == []
    receipt = mailing.receipt()
    assert "1 order kept" in receipt.subject
    assert "or until you answer: ready" in flat(receipt)
    Question.objects.filter(match=duel).update(due_at=timezone.now() - timedelta(seconds=1))
    held = HeldOrders.objects.get()
    HeldOrders.objects.update(counts_at=timezone.now() - timedelta(minutes=1))
    assert timeout_sweep.sweep() == 1
    [drew, _ended] = STORE.read(duel.id)[6:]
    assert drew.meta["actor"] == {"kind": "seat", "seat": 0}
    assert drew.meta["command_id"] == str(turns.command_id(sender=f"mail {held.mail}", key="1"))
    assert timeout_sweep.sweep() == 0
    mailing.work()
    assert "1 order done" in mailing.receipt().subject


def both_awaited(state):
    """The toy with both seats asked at once, as in a race: one for its turn, the other for its orders."""
    turn = TOY.awaited(state)
    return (*turn, *(Awaited(1 - one.seat, "orders", f"orders{state.turn}") for one in turn))


def test_orders_wait_for_the_deadline_beside_conditional_ones(toy, anna, ben, mailing, monkeypatch):  # noqa: F811
    """Another seat acts so late that only the clock gives its conditional order: the player's held orders come after that."""
    match = open_duel(anna, ben, mailing, monkeypatch, replace(TOY, parse=read_toy, awaited=both_awaited))
    mailing.write(f"play {cards(match, 0)[0]}\nwait", to=reply_to(turn_mail(mailing)))
    mailing.work()
    always = {"view": [{"path": "points", "op": "!=", "value": 99}]}
    leave = {"name": "set_orders", "text": "x"}
    standing_orders.lay_by(match=match, seat=1, user=ben, condition=always, commands=[leave])
    act(match, 1, leave)
    Question.objects.filter(match=match, seat=0).update(due_at=timezone.now() - timedelta(seconds=1))
    assert timeout_sweep.sweep() == 1
    acts = [(one.meta["channel"], one.meta["command"]["name"]) for one in STORE.read(match.id) if "command" in one.meta]
    assert acts == [("api", "set_orders"), ("standing", "set_orders"), ("mail", "play")]
    assert HeldOrders.objects.get().state == "done"


def drawing_beside(run, seat, command):
    """The toy in which seat 1 draws whenever it likes."""
    if seat == 1 and command["name"] == "draw":
        run.emit(Drew(seat, run.state.deck[0]))
    else:
        TOY.decide(run, seat, command)


def test_a_conditional_order_placed_after_the_deadline_answers_nothing(toy, anna, ben, mailing, monkeypatch):  # noqa: F811
    """Another seat may act before the clock answers, and the order would be given for the seat that was late."""
    game = replace(TOY, parse=read_toy, awaited=both_awaited, decide=drawing_beside)
    match = open_duel(anna, ben, mailing, monkeypatch, game)
    Question.objects.filter(match=match, seat=0).update(due_at=timezone.now() - timedelta(minutes=1))
    always = {"view": [{"path": "points", "op": "!=", "value": 99}]}
    play = {"name": "play", "card": cards(match, 0)[0]}
    with pytest.raises(Refused, match="The deadline for this answer was"):
        standing_orders.lay_by(match=match, seat=0, user=anna, condition=always, commands=[play])
    act(match, 1)
    assert timeout_sweep.sweep() == 1
    assert [one.meta["channel"] for one in STORE.read(match.id) if "command" in one.meta] == ["api", "clock"]


def test_orders_wait_for_a_deadline_that_comes_while_their_mail_is_read(duel, mailing, monkeypatch):  # noqa: F811
    """The clock sees the mail unread with many due matches, and orders held for none. It looks again for this one."""
    mailing.write(f"play {cards(duel, 0)[0]}\nwait", to=reply_to(turn_mail(mailing)))
    real = timeout_sweep.Batch.of

    def of(claims):
        batch = real(claims)
        pipeline.work()
        return batch

    monkeypatch.setattr(timeout_sweep.Batch, "of", of)
    InboundMail.objects.update(counts_at=timezone.now() - timedelta(minutes=1))
    Question.objects.filter(match=duel).update(due_at=timezone.now() - timedelta(seconds=1))
    assert timeout_sweep.sweep() == 1
    assert [one.meta["channel"] for one in STORE.read(duel.id) if "command" in one.meta] == ["mail"]
    assert HeldOrders.objects.get().state == "done"


def test_orders_replaced_by_those_of_a_later_mail_are_not_kept(duel, mailing):  # noqa: F811
    for _ in range(3):
        mailing.write("draw\nwait", to=reply_to(turn_mail(mailing)))
        mailing.work()
    kept = [(row.state, len(row.lines)) for row in HeldOrders.objects.order_by("created_at")]
    assert kept == [("replaced", 0), ("replaced", 0), ("held", 1)]


def test_who_waits_until_the_deadline_pays_for_the_time_until_then(toy, anna, ben, mailing, monkeypatch):  # noqa: F811
    """What is held may be changed until the deadline, and the other waits as long: it counts from there, also for the bank."""
    clock = {"bank": {"start": "7d", "increment": "12h", "cap": "10d"}}
    with time_machine.travel(datetime(2026, 6, 1, 10, tzinfo=UTC), tick=False) as travel:
        match = open_duel(anna, ben, mailing, monkeypatch, replace(TOY, parse=read_toy), clock)
        travel.shift(timedelta(hours=1))
        mailing.write("wait\ndraw", to=reply_to(turn_mail(mailing)))
        mailing.work()
        travel.shift(timedelta(days=7))
        assert timeout_sweep.sweep() == 1
        assert events(match) == ["toy.drew", "toy.turn_ended"]
        assert STORE.read(match.id)[6].meta["actor"] == {"kind": "seat", "seat": 0}
        assert loading.load(match.id, match.game).account.bank(0) <= timedelta(seconds=1)


def run_out(match, mailing, monkeypatch):  # noqa: F811
    """Let the deadline pass, and kill the clock's worker before it reports what it has carried out; the sweeps continue."""
    Question.objects.filter(match=match).update(due_at=timezone.now() - timedelta(seconds=1))
    HeldOrders.objects.update(counts_at=timezone.now() - timedelta(minutes=1))
    with monkeypatch.context() as patch:

        def dies(*_a, **_k):
            raise MemoryError

        patch.setattr(held_orders, "settle", dies)
        timeout_sweep.sweep()
    assert HeldOrders.objects.get().state == "held"


def test_a_clock_that_dies_before_it_tells_leaves_that_to_the_sweep(duel, mailing, monkeypatch):  # noqa: F811
    mailing.write("draw\nwait", to=reply_to(turn_mail(mailing)))
    mailing.work()
    run_out(duel, mailing, monkeypatch)
    assert events(duel) == ["toy.drew", "toy.turn_ended"]
    assert (held_orders.sweep(), held_orders.sweep()) == (1, 0)
    mailing.work()
    assert "1 order done" in mailing.receipt().subject
    assert events(duel) == ["toy.drew", "toy.turn_ended"]


@pytest.mark.parametrize("dies", [False, True])
def test_what_goes_on_after_the_deadline_counts_from_it(windowed, mailing, monkeypatch, dies):  # noqa: F811
    """A worker that died does not make it count from its mail."""
    mailing.write(f"play {cards(windowed, 0)[0]}\ndraw\nwait", to=reply_to(turn_mail(mailing)))
    mailing.work()
    due = timezone.now().replace(microsecond=500) - timedelta(seconds=2)
    Question.objects.filter(match=windowed).update(due_at=due)
    HeldOrders.objects.update(counts_at=due - timedelta(hours=5))
    with monkeypatch.context() as patch:
        real = turns.submit

        def killed(**given):
            real(**given)
            raise MemoryError

        if dies:
            patch.setattr(turns, "submit", killed)
        timeout_sweep.sweep()
    if dies:
        assert HeldOrders.objects.get().state == "held"
        assert held_orders.sweep() == 1
    act(windowed, 1, {"name": "pass"})
    assert held_orders.sweep() == 1
    sent = [one for one in STORE.read(windowed.id) if one.meta.get("channel") == "mail"]
    assert [one.meta["command"]["name"] for one in sent] == ["play", "draw"]
    moment = canonical.write_time(due - held_orders.LAST_MOMENT)
    assert [one.meta["received_at"] for one in sent] == [moment, moment]


def check_the_rest_comes_behind_the_window(match, person):
    assert "1 of 2 orders done, the rest kept" in person.receipt().subject
    act(match, 1, {"name": "pass"})
    assert held_orders.sweep() == 1
    assert state_of(match).orders[0] == "drawn"


def test_what_waits_behind_a_window_is_not_lost_with_the_clock(windowed, mailing, monkeypatch):  # noqa: F811
    mailing.write(f"play {cards(windowed, 0)[0]}\ndraw\nwait", to=reply_to(turn_mail(mailing)))
    mailing.work()
    run_out(windowed, mailing, monkeypatch)
    assert events(windowed) == ["toy.played", "toy.orders_set"]
    assert held_orders.sweep() == 1
    mailing.work()
    check_the_rest_comes_behind_the_window(windowed, mailing)


def test_orders_held_for_a_question_answered_otherwise_are_dropped(duel, mailing):  # noqa: F811
    mailing.write("draw\nwait", to=reply_to(turn_mail(mailing)))
    mailing.work()
    act(duel, 0)
    assert held_orders.sweep() == 0
    assert HeldOrders.objects.get().state == "replaced"


def test_orders_held_for_a_question_that_may_come_back_are_kept(windowed, mailing):  # noqa: F811
    mailing.write("draw\nwait", to=reply_to(turn_mail(mailing)))
    mailing.work()
    act(windowed, 0, {"name": "play", "card": cards(windowed, 0)[0]})
    assert held_orders.sweep() == 0
    assert HeldOrders.objects.get().state == "held"


def test_ready_does_not_mean_what_was_held_for_an_earlier_question(duel, mailing):  # noqa: F811
    to = reply_to(turn_mail(mailing))
    mailing.write(f"play {cards(duel, 0)[0]}\nwait", to=to)
    mailing.work()
    act(duel, 0)
    before = events(duel)
    mailing.write("ready", to=to)
    mailing.work()
    assert "You have no held orders." in flat(mailing.receipt())
    assert events(duel) == before


def test_ready_means_what_a_dead_clock_has_begun(windowed, mailing, monkeypatch):  # noqa: F811
    to = reply_to(turn_mail(mailing))
    mailing.write(f"play {cards(windowed, 0)[0]}\ndraw\nwait", to=to)
    mailing.work()
    run_out(windowed, mailing, monkeypatch)
    mailing.write("ready", to=to)
    mailing.work()
    check_the_rest_comes_behind_the_window(windowed, mailing)


def test_ready_carries_them_out(duel, mailing):  # noqa: F811
    mailing.write("wait\ndraw", to=reply_to(turn_mail(mailing)))
    mailing.work()
    mailing.write("status", to=reply_to(mailing.receipt()))
    mailing.work()
    assert "Orders held:" in flat(mailing.receipt())
    mailing.write("ready", to=reply_to(mailing.receipt()))
    mailing.work()
    assert events(duel) == ["toy.drew", "toy.turn_ended"]
    assert "1 order done" in mailing.receipt().subject
    mailing.write("ready", to=reply_to(mailing.receipt()))
    mailing.work()
    assert "You have no held orders." in flat(mailing.receipt())
    assert len(events(duel)) == 2


@pytest.mark.parametrize("late", ["ready", "draw\nwait"])
def test_what_is_held_stays_with_the_clock_after_the_deadline(duel, mailing, late):  # noqa: F811
    """A mail that comes between the deadline and the clock changes nothing, neither the orders nor who gives them."""
    mailing.write(f"play {cards(duel, 0)[0]}\nwait", to=reply_to(turn_mail(mailing)))
    mailing.work()
    Question.objects.filter(match=duel).update(due_at=timezone.now() - timedelta(minutes=1))
    mailing.write(late, to=reply_to(mailing.receipt()))
    mailing.work()
    assert "The deadline for this answer was" in flat(mailing.receipt())
    assert timeout_sweep.sweep() == 1
    assert [one.meta["command"]["name"] for one in STORE.read(duel.id) if "command" in one.meta] == ["play"]
    assert HeldOrders.objects.get().state == "done"


def test_no_orders_are_held_after_the_deadline(duel, mailing):  # noqa: F811
    Question.objects.filter(match=duel).update(due_at=timezone.now() - timedelta(minutes=1))
    mailing.write("draw\nwait", to=reply_to(turn_mail(mailing)))
    mailing.work()
    assert "The deadline for this answer was" in flat(mailing.receipt())
    assert not HeldOrders.objects.exists()
    assert timeout_sweep.sweep() == 1
    assert [one.meta["channel"] for one in STORE.read(duel.id) if "command" in one.meta] == ["clock"]


def test_a_worker_that_dies_after_ready_repeats_nothing(duel, mailing, monkeypatch):  # noqa: F811
    mailing.write("wait\ndraw", to=reply_to(turn_mail(mailing)))
    mailing.work()
    mailing.write("ready", to=reply_to(mailing.receipt()))
    with monkeypatch.context() as patch:

        def dies(*_a, **_k):
            raise MemoryError

        patch.setattr(order_run.OrderRun, "_load", dies)
        pipeline.work()
    assert mailing.newest.status == MailStatus.WAITING
    InboundMail.objects.update(claimed_until=None)
    mailing.work()
    assert events(duel) == ["toy.drew", "toy.turn_ended"]
    assert "1 order done" in mailing.receipt().subject


@pytest.mark.parametrize("second", ["draw", "wait\ndraw"])
def test_a_later_mail_replaces_what_is_held(duel, mailing, second):  # noqa: F811
    card = cards(duel, 0)[0]
    mailing.write(f"wait\nplay {card}", to=reply_to(turn_mail(mailing)))
    mailing.work()
    mailing.write(second, to=reply_to(mailing.receipt()))
    mailing.work()
    assert HeldOrders.objects.filter(state="replaced").count() == 1
    if second != "draw":
        mailing.write("ready", to=reply_to(mailing.receipt()))
        mailing.work()
    assert events(duel) == ["toy.drew", "toy.turn_ended"]
    assert "1 order done" in mailing.receipt().subject


def test_waiting_needs_something_to_wait_for(duel, mailing):  # noqa: F811
    mailing.write("draw", to=reply_to(turn_mail(mailing)))
    mailing.work()
    mailing.write("wait\ndraw", to=reply_to(mailing.receipt()))
    mailing.work()
    assert "no deadline to wait for" in flat(mailing.receipt())
    mailing.write("wait\nready\ndraw", to=reply_to(mailing.receipt()))
    mailing.work()
    assert "not both" in flat(mailing.receipt())
    assert HeldOrders.objects.count() == 0


# --- orders that wait for others ---


def test_the_rest_goes_on_by_itself_when_nobody_reacts(windowed, mailing):  # noqa: F811
    card = cards(windowed, 0)[0]
    mailing.write(f"play {card}\ndraw", to=reply_to(turn_mail(mailing)))
    mailing.work()
    assert events(windowed) == ["toy.played", "toy.orders_set"]
    receipt = mailing.receipt()
    assert "1 of 2 orders done, the rest kept" in receipt.subject
    assert "2. draw: kept" in receipt.text
    assert held_orders.sweep() == 0  # they have not answered
    act(windowed, 1, {"name": "pass"})
    assert held_orders.sweep() == 1
    assert held_orders.sweep() == 0
    [*_, last] = STORE.read(windowed.id)
    assert last.meta["channel"] == "mail"
    assert last.meta["command"] == {"name": "draw"}
    mailing.work()
    assert "1 order done" in mailing.receipt().subject
    assert "2. draw: done" in flat(mailing.receipt())


def test_the_rest_comes_back_when_something_has_changed(windowed, mailing):  # noqa: F811
    card = cards(windowed, 0)[0]
    mailing.write(f"play {card}\ndraw", to=reply_to(turn_mail(mailing)))
    mailing.work()
    act(windowed, 1, {"name": "draw"})
    before = events(windowed)
    assert held_orders.sweep() == 1
    assert events(windowed) == before
    mailing.work()
    receipt = mailing.receipt()
    assert "an order was refused" in receipt.subject
    assert "Something happened that you had not seen" in flat(receipt)
    assert held_orders.sweep() == 0


def test_the_rest_waits_again_behind_the_next_window(windowed, mailing):  # noqa: F811
    one, two = cards(windowed, 0)
    mailing.write(f"play {one}\nplay {two}\ndraw", to=reply_to(turn_mail(mailing)))
    mailing.work()
    act(windowed, 1, {"name": "pass"})
    assert held_orders.sweep() == 1
    mailing.work()
    check_the_rest_comes_behind_the_window(windowed, mailing)
    assert HeldOrders.objects.filter(state="held").count() == 0


def test_orders_sent_while_others_may_react_wait_too(windowed, mailing):  # noqa: F811
    to = reply_to(turn_mail(mailing))
    mailing.write(f"play {cards(windowed, 0)[0]}", to=to)
    mailing.work()
    mailing.write("draw", to=to)
    mailing.work()
    assert "1 order kept" in mailing.receipt().subject
    act(windowed, 1, {"name": "pass"})
    assert held_orders.sweep() == 1
    assert state_of(windowed).orders[0] == "drawn"


def test_held_orders_of_one_who_left_are_never_carried_out(windowed, mailing, player):  # noqa: F811
    mailing.write(f"play {cards(windowed, 0)[0]}\ndraw", to=reply_to(turn_mail(mailing)))
    mailing.work()
    act(windowed, 1, {"name": "pass"})
    windowed.seats.filter(index=0).update(user=player("cara"))
    before = events(windowed)
    assert held_orders.sweep() == 0
    assert events(windowed) == before
    assert HeldOrders.objects.get().state == "replaced"


def test_held_orders_are_erased_with_their_writer(duel, mailing, anna):  # noqa: F811
    mailing.write("wait\ndraw", to=reply_to(turn_mail(mailing)))
    mailing.work()
    erasure.erase(anna)
    assert HeldOrders.objects.count() == 0


def test_held_orders_are_forgotten_long_after(duel, mailing):  # noqa: F811
    for text in ("wait\ndraw", "wait\ndraw"):
        mailing.write(text, to=reply_to(turn_mail(mailing)))
        mailing.work()
    HeldOrders.objects.update(created_at=timezone.now() - timedelta(days=31))
    retention.forget()
    assert HeldOrders.objects.get().state == "held"


# --- undo ---


def test_undo_by_mail(duel, mailing):  # noqa: F811
    card = cards(duel, 0)[0]
    mailing.write(f"play {card}", to=reply_to(turn_mail(mailing)))
    mailing.work()
    mailing.write("undo\ndraw", to=reply_to(mailing.receipt()))
    mailing.work()
    assert events(duel)[2:] == ["match.rewound", "toy.drew", "toy.turn_ended"]
    assert "2 orders done" in mailing.receipt().subject
    # a draw revealed something: that needs the other player's consent
    mailing.write("undo", to=reply_to(mailing.receipt()))
    mailing.work()
    assert events(duel)[-1] == "match.undo_asked"
    assert "The others are asked" in flat(mailing.receipt())
    mailing.write("undo yes", to=reply_to(turn_mail(mailing, "ben")), sender="ben@players.example")
    mailing.work()
    assert events(duel)[-1] == "match.rewound"
    mailing.write("undo no", to=reply_to(mailing.receipt("ben@players.example")), sender="ben@players.example")
    mailing.work()
    assert "no open undo request" in flat(mailing.receipt("ben@players.example"))


# --- press ---


def test_press_by_mail_reaches_a_player_or_all(duel, mailing):  # noqa: F811
    duel.press = Match.PressKind.PRIVATE
    duel.save()
    blocks = "press ALL:\nfirst line\n second line\n\nNachricht alle:\nViel Glück"
    text = f"press ben: well played\npress 2 again\npress all: to everybody\n{blocks}\n\ndraw"
    mailing.write(text, to=reply_to(turn_mail(mailing)))
    mailing.work()
    assert [one.text for one in Press.objects.order_by("said_at")] == [
        "well played",
        "again",
        "to everybody",
        "first line\nsecond line",
        "Viel Glück",
    ]
    assert [one.to for one in Press.objects.order_by("said_at")] == [[1], [1], [], [], []]
    assert events(duel) == ["toy.drew", "toy.turn_ended"]
    assert "1. press ben: well played Passed on." in flat(mailing.receipt())
    assert "1 order done" in mailing.receipt().subject
    assert "anna@players.example" not in "".join(mail.raw.decode() for mail in mailing.sink.to("ben@players.example"))


@pytest.mark.parametrize(("name", "word", "to"), [("all", "all", []), ("1", "2", [1]), ("2", "2", [1])])
def test_no_name_of_a_player_takes_what_is_written_to_others(duel, anna, ben, name, word, to, mailing):  # noqa: F811
    duel.press = Match.PressKind.PRIVATE
    duel.save()
    # Old accounts may have names that can no longer be chosen.
    User.objects.filter(pk=(anna if name == "2" else ben).pk).update(username=name)
    mailing.write(f"press {word}: the secret plan", to=reply_to(turn_mail(mailing)))
    pipeline.work()
    assert [message.to for message in Press.objects.all()] == [to]


def test_press_to_nobody_or_beside_a_mistake_is_not_passed_on(duel, mailing):  # noqa: F811
    duel.press = Match.PressKind.PRIVATE
    duel.save()
    for text in ("press cara hello\ndraw", "press ben hello\nplya 1", "press all\ndraw", *TO_SOME):
        mailing.write(text, to=reply_to(turn_mail(mailing)))
        mailing.work()
        assert "Nothing was done" in mailing.receipt().subject
    assert Press.objects.count() == 0
    assert events(duel) == []


def test_a_word_is_done_once_however_often_its_worker_dies(duel, mailing, monkeypatch):  # noqa: F811
    duel.press = Match.PressKind.PRIVATE
    duel.save()
    mailing.write("press all hello\nvacation 2031-01-01", to=reply_to(turn_mail(mailing)))
    real = service_words.do

    def dies(writer, line):
        real(writer, line)
        raise MemoryError

    monkeypatch.setattr(service_words, "do", dies)
    for _ in range(2):
        pipeline.work()
        InboundMail.objects.update(claimed_until=None)
    monkeypatch.setattr(service_words, "do", real)
    mailing.work()
    assert Press.objects.count() == 1
    assert [one.state for one in DoneWord.objects.order_by("number")] == ["answered", "refused"]  # that is far ahead


# --- vacation and the rest ---


def test_vacation_by_mail(duel, mailing, anna):  # noqa: F811
    first = timezone.now().date() + timedelta(days=3)
    last = first + timedelta(days=2)
    mailing.write(f"vacation {first}..{last}\nvacation", to=reply_to(turn_mail(mailing)))
    mailing.work()
    absence = Absence.objects.get(user=anna)
    assert (absence.first_day, absence.last_day) == (first, last)
    assert f"You are away from {first} to {last}." in flat(mailing.receipt())
    assert f"{first}..{last}" in flat(mailing.receipt())
    mailing.write("vacation off", to=reply_to(mailing.receipt()))
    mailing.work()
    assert Absence.objects.count() == 0
    mailing.write("vacation next week\ndraw", to=reply_to(mailing.receipt()))
    mailing.work()
    assert "vacation 2026-12-24..2027-01-02" in flat(mailing.receipt())
    assert events(duel) == []


def test_a_mail_that_lists_long_orders_in_each_of_its_lines_gets_and_stores_one_list(duel, anna, mailing):  # noqa: F811
    """Two megabytes a mail were stored twice for thirty days, and 300 mails an hour are read."""
    longest = {"view": [{"path": "a" * 100, "op": "=", "value": "z" * 100}] * 8}
    for _ in range(3):
        standing_orders.lay_by(match=duel, seat=0, user=anna, condition=longest, commands=[{"name": "draw"}])
    mailing.write("\n".join(["standing", "standing list"] * 20), to=reply_to(turn_mail(mailing)))
    mailing.work()
    assert mailing.receipt().text.count("(waiting)") == 3
    assert "They are the same as above." in mailing.receipt().text
    assert len(json.dumps(mailing.newest.report)) < 10_000
    assert not DoneWord.objects.exists()


def test_standing_orders_by_mail(duel, mailing):  # noqa: F811
    mailing.write("standing if drew seat=1 then draw\nstanding", to=reply_to(turn_mail(mailing)))
    mailing.work()
    assert Premove.objects.get().commands == [{"name": "draw"}]
    assert "Saved as conditional order 1." in flat(mailing.receipt())
    assert "1: if drew seat=1 then draw" in flat(mailing.receipt())
    mailing.write("standing cancel 1", to=reply_to(mailing.receipt()))
    mailing.work()
    assert "Order 1 is cancelled." in flat(mailing.receipt())
    mailing.write("standing whatever\ndraw", to=reply_to(mailing.receipt()))
    mailing.work()
    assert "cannot be read" in flat(mailing.receipt())
    assert Premove.objects.filter(status="dropped").count() == 1
    assert events(duel) == []


def test_a_conditional_order_that_a_program_broke_gives_no_part_of_itself_at_once(duel, mailing):  # noqa: F811
    """Programs put what stands behind column 76 on the next line: there the second order would look like one for now."""
    condition = "standing if drew seat=1 and turn.number >= 3 and hand.count >= 10"
    mailing.write(f"{condition} then draw;\ndraw\n", to=reply_to(turn_mail(mailing)))
    mailing.work()
    assert events(duel) == []
    assert not Premove.objects.exists()
    assert "“draw” may be an order, or belong to the conditional order above it" in flat(mailing.receipt())
    mailing.write(f"{condition} then draw;\n\ndraw\n", to=reply_to(mailing.receipt()))
    mailing.work()
    assert Premove.objects.get().commands == [{"name": "draw"}]
    assert "toy.drew" in events(duel), "an empty line divides them"


def test_a_draw_is_no_word_of_this_game_and_says_so(duel, mailing):  # noqa: F811
    mailing.write("draw?", to=reply_to(turn_mail(mailing)))
    mailing.work()
    assert "no draw by agreement" in flat(mailing.receipt())
    assert events(duel) == []


def test_help_names_every_word(duel, mailing):  # noqa: F811
    mailing.write("help", to=reply_to(turn_mail(mailing)))
    mailing.work()
    text = mailing.receipt().text
    for word in (
        "preview",
        "help",
        "board",
        "history",
        "hand",
        "undo",
        "wait",
        "ready",
        "standing",
        "vacation",
        "pause match",
        "resume match",
        "press",
        "resign",
        "status",
    ):
        assert f"\n{word}" in text.replace("\r\n", "\n")


def test_a_vacation_counts_from_when_our_border_took_the_mail(toy, anna, ben, mailing, monkeypatch):  # noqa: F811
    """Received before the deadline and read after it, it moves the deadline, which waited for the mail."""
    monkeypatch.setattr(catalog, "game", lambda _id: replace(TOY, parse=read_toy))
    verify(anna, ben)
    match = opening.create_match(by=anna, game="toy", clock={"turn": "24h", "vacation": True})
    opening.join_match(by=ben, match=match)
    mailing.work()
    due = Question.objects.get(match=match).due_at
    today = (due - timedelta(minutes=1)).astimezone(anna.zone).date()
    with time_machine.travel(due - timedelta(minutes=1), tick=False) as clock:
        mailing.write(f"vacation {today}..{today + timedelta(days=1)}", to=reply_to(turn_mail(mailing)))
        clock.move_to(due + timedelta(minutes=2))
        timeout_sweep.availability.keep_alive()
        assert timeout_sweep.sweep() == 0, "unread mail holds it back"
        mailing.work()
        absence = Absence.objects.get(user=anna)
        assert absence.starts_at == due - timedelta(minutes=1)
        assert Question.objects.get(match=match).due_at == absence.ends_at + timedelta(minutes=1)
        assert timeout_sweep.sweep() == 0


def test_what_was_said_late_counts_back_so_far(anna):
    now = datetime(2026, 6, 1, 10, tzinfo=UTC)
    today = now.date()
    with time_machine.travel(now, tick=False) as clock:
        long_ago = absences.announce(user=anna, first=today, last=today + timedelta(days=1), at=now - timedelta(days=9))
        assert long_ago.announced_at == now - absences.AWAY_SINCE
        clock.shift(timedelta(minutes=30))
        ended = absences.call_off(absence=long_ago, at=now)
        assert ended.ends_at == now + timedelta(minutes=30) - absences.BACK_SINCE
        again = absences.announce(user=anna, first=today, last=today, at=now)
        assert again.starts_at == ended.ends_at, "what has ended does not come back"
        clock.shift(timedelta(seconds=1))
        assert absences.call_off(absence=again, at=now + timedelta(days=3)).ends_at == timezone.now(), "never ahead"
