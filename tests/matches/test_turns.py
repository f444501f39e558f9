"""Taking turns through the one service: once each, on the right version, with hidden information, to the end."""

from __future__ import annotations

import random
import uuid
from dataclasses import replace
from datetime import timedelta

import pytest
import time_machine
from django.utils import timezone

from gamesvc import paging
from gamesvc.games import catalog
from gamesvc.games.kernel.dice import KeyedSource, draw_key
from gamesvc.games.kernel.game import Refused
from gamesvc.games.kernel.timeline import replay
from gamesvc.matches import errors
from gamesvc.matches.access import selectors
from gamesvc.matches.lobby import opening
from gamesvc.matches.models import Match, Question, Refusal
from gamesvc.matches.play import bots, turns
from gamesvc.matches.reading import board
from gamesvc.matches.record import loading, secrets, stream
from gamesvc.matches.record.stream import STORE
from gamesvc.matches.story import sentences
from gamesvc.matches.timekeeping import timeout_sweep
from notifications.models import Outbox
from tests.games.toy import GAME as TOY
from tests.matches.playing import sends

pytestmark = pytest.mark.django_db


@pytest.fixture
def duel(toy, anna, ben):
    match = opening.create_match(by=anna, game=toy, contribution_text="tea")
    return opening.join_match(by=ben, match=match, contribution_text="coffee")


def act(match, seat, command, *, key=None, version=None, received_at=None):
    loaded = loading.load(match.id, match.game)
    return turns.submit(
        match=match,
        sender=sends(match, seat, received_at),
        command=command,
        expected_version=loaded.viewer_version(seat) if version is None else version,
        command_id=turns.command_id(sender=f"user {seat}", key=key or str(uuid.uuid4())),
    )


def play_out(match, most=200):
    rng = random.Random(1)
    for _ in range(most):
        loaded = loading.load(match.id, match.game)
        if loaded.ended:
            return loaded
        seat = loaded.awaited()[0].seat
        state = loaded.timeline.state
        command = loaded.game.bots["random"](loaded.game.view(state, seat), loaded.game.legal_commands(state, seat), rng)
        act(match, seat, command)
    raise AssertionError("no end")


def test_a_command_is_applied_once_however_often_it_is_sent(duel):
    first = act(duel, 0, {"name": "draw"}, key="k", version=6)
    again = act(duel, 0, {"name": "draw"}, key="k", version=6)
    assert again.as_json() == first.as_json()
    assert again.repeated
    assert not first.repeated
    assert len(STORE.read(duel.id)) == 8
    with pytest.raises(errors.KeyReused):
        act(duel, 0, {"name": "play", "card": 1}, key="k")


def test_a_refusal_is_remembered_and_answers_the_same(duel):
    for _ in range(2):
        with pytest.raises(Refused) as refused:
            act(duel, 1, {"name": "draw"}, key="k")
        assert refused.value.code == "not_your_turn"
    [row] = Refusal.objects.all()
    assert (row.seat, row.channel, row.code, row.command) == (1, "api", "not_your_turn", {"name": "draw"})
    assert len(STORE.read(duel.id)) == 6
    act(duel, 0, {"name": "draw"})
    with pytest.raises(Refused, match="other seat's turn"):
        act(duel, 1, {"name": "draw"}, key="k")
    with pytest.raises(errors.KeyReused):
        act(duel, 1, {"name": "pass"}, key="k")


def test_the_same_key_of_two_senders_is_two_commands(duel):
    act(duel, 0, {"name": "draw"}, key="k")
    act(duel, 1, {"name": "draw"}, key="k")
    assert len(STORE.read(duel.id)) == 10


def test_many_events_that_outdate_nothing_make_no_command_stale(duel, monkeypatch):
    """In a race the other seats write many."""
    met = []
    race = replace(TOY, stale=lambda command, event, seat: bool(met.append(event.version)))
    monkeypatch.setattr(catalog, "game", lambda _game_id: race)
    monkeypatch.setattr(stream, "NEAR", 2)
    loading.forget_all()
    version = loading.load(duel.id, duel.game).viewer_version(0)
    for number in range(7):
        act(duel, 0, {"name": "set_orders", "text": str(number)})
    act(duel, 0, {"name": "draw"}, version=version)
    assert met == [version + number for number in range(1, 8)]


def test_a_version_far_back_is_stale_and_told_one_page_of_what_happened(duel, monkeypatch):
    """Else a request that names version 0 would read a long match whole, and twice."""
    monkeypatch.setattr(paging, "EVENTS", 2)
    monkeypatch.setattr(turns, "FARTHEST", 4)
    for seat in (0, 1, 0):
        act(duel, seat, {"name": "draw"})
    read, whole = [], type(STORE).read

    def reading(store, match, after=0, until=None):
        read.append((after, until))
        return whole(store, match, after, until)

    for expected, most in ((0, 2), (6, 2), (11, 12)):
        monkeypatch.setattr(type(STORE), "read", reading)
        read.clear()
        with pytest.raises(errors.Stale) as stale:
            act(duel, 1, {"name": "draw"}, version=expected)
        assert stale.value.version == 12
        assert [event["version"] for event in stale.value.events] == [*range(expected + 1, min(expected + 2, 12) + 1)]
        assert all(until is None or until - after <= most for after, until in read)


def test_a_stale_version_is_told_what_happened_and_nothing_is_applied(duel):
    act(duel, 0, {"name": "draw"})
    with pytest.raises(errors.Stale) as stale:
        act(duel, 1, {"name": "draw"}, version=6)
    assert stale.value.version == 8
    assert [event["type"] for event in stale.value.events] == ["toy.drew", "toy.turn_ended"]
    assert "card" not in stale.value.events[0]["data"]
    assert len(STORE.read(duel.id)) == 8
    assert not Refusal.objects.exists(), "a conflict uses up no id"


def test_sealed_events_move_nobody_elses_version(duel):
    act(duel, 1, {"name": "set_orders", "text": "secret"})
    loaded = loading.load(duel.id, duel.game)
    assert (loaded.viewer_version(0), loaded.viewer_version(None), loaded.viewer_version(1)) == (6, 6, 7)
    act(duel, 0, {"name": "draw"}, version=6)
    loaded = loading.load(duel.id, duel.game)
    seen = selectors.records_for(loaded, 0, 6, 100)
    assert set(seen[0]) == {"match", "version", "digest", "hash"}
    assert seen[0]["version"] == 7


def test_an_own_event_is_whole_but_for_its_draws_and_others_are_redacted(duel):
    act(duel, 0, {"name": "draw"})
    loaded = loading.load(duel.id, duel.game)
    own = selectors.records_for(loaded, 0, 6, 100)[0]
    other = selectors.records_for(loaded, 1, 6, 100)[0]
    assert own["data"]["card"]
    assert own["meta"]["command"] == {"name": "draw"}
    assert "salt" in own
    assert "card" not in other["data"]
    assert other["redacted"]
    for name in ("command", "command_id", "channel", "received_at", "draws"):
        assert name not in other["meta"]
    assert "salt" not in other
    assert (other["digest"], other["hash"]) == (own["digest"], own["hash"])
    dealt = selectors.records_for(loaded, 0, 5, 1)[0]
    assert "draws" not in dealt["meta"]


def test_a_match_is_played_to_its_end_and_opens(duel):
    loaded = play_out(duel)
    duel.refresh_from_db()
    assert duel.status == Match.Status.FINISHED
    assert duel.outcome["ranking"]
    assert not Question.objects.filter(match=duel).exists()
    stored = STORE.read(duel.id)
    assert stored[-1].type == "match.ended"
    assert duel.version == len(stored)
    assert sorted(Outbox.objects.filter(kind="match_ended").values_list("user__username", flat=True)) == ["anna", "ben"]
    events = [stream.lift(loaded.game, one) for one in stored]
    assert replay(loaded.game, events).state == loaded.timeline.state
    for viewer in (None, 0, 1):
        assert selectors.records_for(loaded, viewer, 0, 1000) == [one.as_record() for one in stored]
    with pytest.raises(Refused) as refused:
        act(duel, 0, {"name": "draw"})
    assert refused.value.code == "match_over"


def test_every_draw_follows_from_the_revealed_secret_and_the_contributions(duel):
    play_out(duel)
    stored = STORE.read(duel.id)
    contributed = [one.data["contribution"] for one in stored if one.type == "match.joined"]
    source = KeyedSource(draw_key(bytes.fromhex(stored[-1].data["secret"]), str(duel.id), contributed))
    draws = [draw for one in stored for draw in one.meta.get("draws", ())]
    assert [draw["i"] for draw in draws] == list(range(len(draws)))
    assert draws
    for draw in draws:
        assert draw["got"] == list(source.order(draw["i"], draw["shuffle"], draw["shuffle"]))


def test_a_reaction_goes_back_in_the_store_too(duel):
    act(duel, 0, {"name": "play", "card": loading.load(duel.id, "toy").timeline.state.hands[0][0]})
    act(duel, 1, {"name": "draw"})
    act(duel, 1, {"name": "counter", "item": 6})
    loading.forget_all()
    loaded = loading.load(duel.id, duel.game)
    assert loaded.timeline.state.points == (0, 0)
    stored = [one.type for one in STORE.read(duel.id)][-4:]
    # The own clock goes on, and that is on record.
    assert stored == ["match.rewound", "toy.countered", "toy.turn_ended", "match.deadline_set"]
    rewound = next(event for event in selectors.records_for(loaded, 0, 0, 100) if event.get("type") == "match.rewound")
    assert "deck" not in str(rewound["data"])


def test_what_is_remembered_equals_what_is_read_anew(duel):
    for seat in (0, 1, 0, 1):
        act(duel, seat, {"name": "draw"})
    warm = loading.load(duel.id, duel.game)
    loading.forget_all()
    cold = loading.load(duel.id, duel.game)
    assert (warm.head, warm.seen, warm.timeline.state) == (cold.head, cold.seen, cold.timeline.state)
    assert warm.timeline.draws == cold.timeline.draws


def test_a_command_after_the_deadline_does_not_count(duel):
    due = timezone.now() - timedelta(minutes=1)
    Question.objects.filter(match=duel).update(due_at=due)
    with pytest.raises(Refused) as refused:
        act(duel, 0, {"name": "draw"})
    assert refused.value.code == "too_late"
    act(duel, 0, {"name": "draw"}, received_at=due - timedelta(seconds=1))


def test_the_sweep_answers_for_who_is_late_and_only_once(duel):
    Question.objects.filter(match=duel).update(due_at=timezone.now() - timedelta(seconds=1))
    assert timeout_sweep.sweep() == 1
    assert timeout_sweep.sweep() == 0
    stored = STORE.read(duel.id)[6:]
    assert stored[0].type == "toy.drew"
    assert stored[0].meta["actor"] == {"kind": "clock", "seat": 0}
    assert stored[0].meta["channel"] == "clock"
    assert [row.seat for row in Question.objects.filter(match=duel)] == [1]


def test_a_claimed_question_is_left_to_its_sweep_until_the_lease_ends(duel):
    Question.objects.filter(match=duel).update(due_at=timezone.now() - timedelta(seconds=1))
    assert len(timeout_sweep.claim_due()) == 1
    assert timeout_sweep.claim_due() == []
    Question.objects.filter(match=duel).update(claimed_until=timezone.now() - timedelta(seconds=1))
    assert len(timeout_sweep.claim_due()) == 1


def test_a_question_answered_before_the_sweep_gets_there_is_left_alone(duel, monkeypatch):
    Question.objects.filter(match=duel).update(due_at=timezone.now() - timedelta(seconds=1))
    real = timeout_sweep.claim_due

    def claimed(*given):
        claims = real(*given)
        act(duel, 0, {"name": "draw"}, received_at=timezone.now() - timedelta(seconds=2))
        return claims

    monkeypatch.setattr(timeout_sweep, "claim_due", claimed)
    assert timeout_sweep.sweep() == 0
    assert len(STORE.read(duel.id)) == 8
    assert [row.seat for row in Question.objects.filter(match=duel)] == [1]


def test_bots_play_among_themselves_to_the_end(toy, anna):
    match = opening.create_match(by=anna, game=toy, take_seat=False, bots={0: "random", 1: "greedy"})
    assert bots.play(match.id) > 0
    match.refresh_from_db()
    assert match.status == Match.Status.FINISHED
    commanded = [one for one in STORE.read(match.id) if "command" in one.meta]
    assert {one.meta["actor"]["kind"] for one in commanded} == {"bot"}


def test_a_forgotten_bot_is_found(toy, anna):
    match = opening.create_match(by=anna, game=toy, take_seat=False, bots={0: "random", 1: "greedy"})
    assert bots.forgotten() == []
    for moved in (timedelta(minutes=-1), timedelta(days=1)):  # the clock may have been a day ahead
        Question.objects.filter(match=match).update(asked_at=timezone.now() + moved)
        assert bots.forgotten() == [(match.creator_id, match.id)]


def test_nobody_acts_before_the_start(toy, anna):
    match = opening.create_match(by=anna, game=toy)
    with pytest.raises(Refused) as refused:
        act(match, 0, {"name": "draw"})
    assert refused.value.code == "not_started"


def test_a_wrong_key_is_named(duel, settings):
    settings.MATCH_KEYS = "k1:" + "A" * 43 + "="
    with pytest.raises(secrets.WrongKey, match="does not open the secret"):
        turns.dice_for(duel, loading.load(duel.id, duel.game))
    settings.MATCH_KEYS = "k2:" + "A" * 43 + "="
    with pytest.raises(secrets.WrongKey, match="no key 'k1'"):
        turns.dice_for(duel, loading.load(duel.id, duel.game))
    from gamesvc.matches.checks import keys_open_the_secrets

    [problem] = keys_open_the_secrets(None, databases=["default"])
    assert problem.id == "matches.E001"


def test_events_are_told_since_the_last_look(duel):
    act(duel, 0, {"name": "draw"})
    loaded = loading.load(duel.id, duel.game)
    seat = duel.seats.get(index=1)
    board.mark_seen(seat, 6)
    assert [one.sentence for one in sentences.tell_since(loaded, seat, ("anna", "ben"))] == ["drew", "turn_ended"]


def test_a_turn_is_told_at_once_although_the_clock_was_set_back(duel):
    """The record never goes back: its moments stay ahead until the clock has caught up with them."""
    with time_machine.travel(timezone.now() + timedelta(days=1), tick=True):
        act(duel, 0, {"name": "draw"})
    act(duel, 1, {"name": "draw"})
    told = Outbox.objects.filter(kind="your_turn", payload__question=Question.objects.get(match=duel).question)
    assert told.filter(due_at__lte=timezone.now(), topic=str(duel.id)).exists()
