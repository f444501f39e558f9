"""Caps on what users do and undo at will: it tells others by mail each time, or adds to the record that every page reads."""

from __future__ import annotations

import uuid

import pytest

from events.store import VersionConflict
from gamesvc.games.kernel.game import Refused
from gamesvc.matches.access import daily_limits
from gamesvc.matches.lobby import follows, opening, substitutes
from gamesvc.matches.models import Premove, Refusal
from gamesvc.matches.organising import rewinds
from gamesvc.matches.organising.measures import Measure, organise
from gamesvc.matches.record import loading
from gamesvc.matches.record.append import Actor
from gamesvc.matches.timekeeping import pauses
from gamesvc.matches.undo import undo_acts, undoing
from notifications.models import Outbox
from tests.mailing import mailing, verify  # noqa: F401
from tests.matches.playing import act, holder, offer_and_withdraw, sends, to_trade

pytestmark = pytest.mark.django_db


@pytest.fixture
def duel(toy, anna, ben):
    return opening.join_match(by=ben, match=opening.create_match(by=anna, game=toy, options={"points": 9}))


@pytest.fixture(autouse=True)
def few(monkeypatch):
    """Lower the limits, so that the tests need not send hundreds of requests."""
    monkeypatch.setattr(daily_limits, "PER_HOUR", 3)
    monkeypatch.setattr(daily_limits, "CALLS_PER_DAY", 3)


def check_capped(do, user):
    """Repeat an act until it is refused. Then no one gets another notice of it."""
    for _ in range(daily_limits.PER_HOUR):
        do()
    before = Outbox.objects.filter(user=user).count()
    assert before
    with pytest.raises(Refused) as refused:
        do()
    assert refused.value.code == "told_too_often"
    assert "Try again in 60 minutes." in refused.value.detail
    assert Outbox.objects.filter(user=user).count() == before


def go_back(match, seat, how=undoing.undo):
    version = loading.load(match.id, match.game).viewer_version(seat)
    sender = sends(match, seat)
    return how(match=match, sender=sender, expected_version=version, command_id=uuid.uuid4())


def play(match, seat):
    act(match, seat, {"name": "play", "card": loading.load(match.id, match.game).timeline.state.hands[seat][0]})


def test_voting_for_a_pause_and_withdrawing_the_vote(duel, ben):
    def ask():
        pauses.wish(match=duel, by=holder(duel, 0), seat=0, pause=True)
        pauses.withdraw(match=duel, by=holder(duel, 0), seat=0)

    check_capped(ask, ben)
    pauses.wish(match=duel, by=holder(duel, 1), seat=1, pause=True)


def test_asking_for_pauses_in_many_matches(toy, anna, ben, monkeypatch):
    """Each is a mail to every other player, and a person may play in fifty matches and open more."""
    monkeypatch.setattr(daily_limits, "TOLD_IN_ALL_PER_DAY", 3)
    for number in range(4):
        match = opening.join_match(by=ben, match=opening.create_match(by=anna, game=toy, options={"points": 9}))
        if number < 3:
            pauses.wish(match=match, by=holder(match, 0), seat=0, pause=True)
    before = Outbox.objects.filter(user=ben).count()
    with pytest.raises(Refused) as refused:
        pauses.wish(match=match, by=holder(match, 0), seat=0, pause=True)
    assert refused.value.code == "told_too_often"
    assert Outbox.objects.filter(user=ben).count() == before
    pauses.wish(match=match, by=holder(match, 1), seat=1, pause=True)


def test_playing_and_undoing_a_card(duel, ben):
    play(duel, 0)

    def regret():
        go_back(duel, 0)
        play(duel, 0)

    check_capped(regret, ben)


def test_undo_and_redo(duel, ben):
    play(duel, 0)
    go_back(duel, 0)
    go_back(duel, 0, undoing.redo)
    go_back(duel, 0)
    with pytest.raises(Refused) as refused:
        go_back(duel, 0, undoing.redo)
    assert refused.value.code == "told_too_often"


def lose(monkeypatch, module, races):
    """Let the next appends of a module come too late for the version on which they were decided."""
    real, left = module.record, [None] * races

    def record(match, *args, **more):
        if left:
            left.pop()
            raise VersionConflict(match.id)
        return real(match, *args, **more)

    monkeypatch.setattr(module, "record", record)


@pytest.mark.parametrize("how", [undoing.undo, undoing.redo])
def test_an_undo_that_lost_races_counts_once(duel, monkeypatch, how):
    play(duel, 0)
    if how is undoing.redo:
        go_back(duel, 0)
    lose(monkeypatch, undo_acts, daily_limits.PER_HOUR)
    assert go_back(duel, 0, how).done


def test_a_rewind_that_lost_races_counts_once(duel, anna, player, monkeypatch):
    play(duel, 0)
    loaded = loading.load(duel.id, duel.game)
    measure = Measure("rewind", "other", "Why not?", to=loading.first_playable(loaded))
    lose(monkeypatch, rewinds, daily_limits.PER_HOUR)
    operator = player("operator", is_staff=True)
    organise(by=operator, match=duel, measure=measure, command_id=uuid.uuid4())
    after = loading.load(duel.id, duel.game)
    assert after.version > loaded.version
    assert after.timeline.state.hands == loading.load_at(after.game, duel.id, measure.to).timeline.state.hands


def test_asking_to_undo_and_withdrawing_that(duel, ben):
    play(duel, 0)
    play(duel, 1)

    def ask():
        assert not go_back(duel, 0).done
        undoing.answer(match=duel, sender=sends(duel, 0), accept=False)

    check_capped(ask, ben)


def test_an_organiser_who_pauses_and_lets_go_on(toy, anna, ben, player):
    match = opening.create_match(by=player("carol"), game=toy, take_seat=False)
    for user in (anna, ben):
        match = opening.join_match(by=user, match=match)
    actions = iter(["pause", "resume"] * 3)

    def measure():
        asked = Measure(action=next(actions), code="other", reason="Why not?")
        organise(by=match.creator, match=match, measure=asked, command_id=uuid.uuid4())

    check_capped(measure, ben)


def test_orders_left_again_and_again(duel, anna, program, monkeypatch):
    """All who look at a match look over what is hidden from them, so that orders left without end would slow their pages down."""
    monkeypatch.setattr(daily_limits, "UNSEEN_PER_HOUR", 3)
    api = program(anna)

    def order(number):
        shown = api.get(f"/matches/{duel.number}/view/")
        command = {"name": "set_orders", "text": f"{number}"}
        return api.post(f"/matches/{duel.number}/commands/", command, etag=shown["ETag"])

    assert [order(number).status_code for number in range(4)] == [200, 200, 200, 422]
    assert order(5).json()["code"] == "unseen_too_often"
    assert loading.load(duel.id, duel.game).timeline.state.orders[0] == "2"
    play(duel, 0)


def test_orders_left_in_many_matches(toy, anna, ben, program, monkeypatch):
    """Each stays in the record: with 200 new matches a day one account could store a gigabyte of them."""
    monkeypatch.setattr(daily_limits, "UNSEEN_IN_ALL_PER_DAY", 3)
    api, answers = program(anna), []
    for _ in range(2):
        match = opening.join_match(by=ben, match=opening.create_match(by=anna, game=toy))
        for number in range(2):
            shown = api.get(f"/matches/{match.number}/view/")
            command = {"name": "set_orders", "text": f"{number}"}
            answers.append(api.post(f"/matches/{match.number}/commands/", command, etag=shown["ETag"]))
    assert [answer.status_code for answer in answers] == [200, 200, 200, 422]
    assert answers[-1].json()["code"] == "unseen_too_often"
    assert loading.load(match.id, match.game).timeline.state.orders[0] == "0"


def test_conditional_orders_placed_again_and_again(duel, anna, program, monkeypatch):
    """Each may take 80 kB, and another 80 kB as the answer that is stored for its key."""
    monkeypatch.setattr(daily_limits, "CONDITIONAL_PER_DAY", 3)
    api, address = program(anna), f"/matches/{duel.number}/standing/"
    order = {"when": {"event": {"type": "drew", "data": {"seat": 0}}}, "commands": [{"name": "draw"}]}
    number = api.post(address, order).json()["number"]
    for _ in range(2):
        number = api.call("PUT", f"{address}{number}/", order).json()["number"]
    refused = api.call("PUT", f"{address}{number}/", order)
    assert (refused.status_code, refused.json()["code"]) == (422, "unseen_too_often")
    [waiting] = Premove.objects.filter(match=duel, status="waiting")
    assert waiting.number == number, "the order that was to be replaced still holds"


def test_commands_refused_again_and_again(duel, anna, program, monkeypatch):
    """Each is kept for a year: one account could store 3.6 GB of them a day."""
    monkeypatch.setattr(daily_limits, "REFUSED_PER_HOUR", 3)
    api = program(anna)
    shown = api.get(f"/matches/{duel.number}/view/")

    def nonsense(number, key):
        command = {"name": "attack", "what": f"{number}" * 1000}
        return api.post(f"/matches/{duel.number}/commands/", command, etag=shown["ETag"], key=key)

    answers = [nonsense(number, f"key {number}") for number in range(6)]
    assert [answer.status_code for answer in answers] == [422] * 6
    codes = [answer.json()["code"] for answer in answers]
    assert "refused_too_often" not in codes[:3]
    assert codes[3:] == ["refused_too_often"] * 3
    assert Refusal.objects.count() == 3
    assert nonsense(0, "key 0").json()["code"] == codes[0], "what is known is answered as before"
    monkeypatch.setattr(daily_limits, "REFUSED_PER_HOUR", 30)
    assert nonsense(5, "key 5").json()["code"] == codes[0], "the key was not used up"
    play(duel, 0)


@pytest.fixture
def trade(anna, ben):
    match = opening.join_match(by=ben, match=opening.create_match(by=anna, game="stratastar"))
    return match, to_trade(match)


def test_offers_made_and_withdrawn_again_and_again(trade, monkeypatch):
    """They do not move the match on, so they could be made without end; every page looks past them."""
    match, seat = trade
    monkeypatch.setattr(daily_limits, "ASIDE_PER_HOUR", 1000)
    for _ in range(daily_limits.PER_HOUR + 1):
        offer_and_withdraw(match, seat)
    monkeypatch.setattr(daily_limits, "ASIDE_PER_HOUR", 1)
    version = loading.load(match.id, match.game).version
    with pytest.raises(Refused) as refused:
        offer_and_withdraw(match, seat)
    assert refused.value.code == "aside_too_often"
    assert loading.load(match.id, match.game).version == version
    act(match, seat, {"name": "end_phase"})


def test_offers_that_wait_for_an_answer_are_told_of(trade):
    match, seat = trade
    asked = Outbox.objects.filter(user=match.seats.get(index=1 - seat).user, kind="your_turn")
    before = asked.count()
    for _ in range(daily_limits.PER_HOUR):
        offer_and_withdraw(match, seat, wait=True)
    assert asked.count() == before + daily_limits.PER_HOUR
    with pytest.raises(Refused) as refused:
        offer_and_withdraw(match, seat, wait=True)
    assert refused.value.code == "told_too_often"
    assert asked.count() == before + daily_limits.PER_HOUR
    act(match, seat, {"name": "end_phase"})


def test_a_turn_is_no_aside(duel, monkeypatch):
    monkeypatch.setattr(daily_limits, "ASIDE_PER_HOUR", 0)
    monkeypatch.setattr(daily_limits, "PER_HOUR", 0)
    for seat in (0, 1):
        before = loading.load(duel.id, duel.game).version
        play(duel, seat)
        after = loading.load(duel.id, duel.game)
        assert after.version > before
        assert after.timeline.state.hands[seat]


def test_undoing_alone(toy, anna, monkeypatch):
    monkeypatch.setattr(daily_limits, "ALONE_PER_HOUR", 2 * daily_limits.PER_HOUR)
    match = opening.create_match(by=anna, game=toy, bots={1: "random"})
    play(match, 0)
    for _ in range(daily_limits.PER_HOUR):
        assert go_back(match, 0).done
        assert go_back(match, 0, undoing.redo).done
    with pytest.raises(Refused) as refused:
        go_back(match, 0)
    assert refused.value.code == "recorded_too_often"


def test_followers_are_called_for_few_seats_a_day_of_one_player(toy, anna, ben):
    follows.Follow.objects.create(user=ben, game=toy)
    for _ in range(2 * daily_limits.CALLS_PER_DAY):
        match = opening.create_match(by=anna, game=toy, bots={1: "random"})
        substitutes.vacate(match=match, seat=0, actor=Actor("seat", 0))
        assert match.seats.get(index=0).waits
    assert Outbox.objects.filter(user=ben, kind="seat_free").count() == daily_limits.CALLS_PER_DAY


@pytest.mark.parametrize("seats_of", ["players", "bots"])
def test_followers_are_called_for_few_seats_a_day_of_one_organiser(toy, anna, ben, player, program, seats_of):
    """Whoever sits there: the seats of bots are freed as easily as those of players."""
    follows.Follow.objects.create(user=ben, game=toy)
    olga, calls = player("olga"), Outbox.objects.filter(user=ben, kind="seat_free")
    for _ in range(daily_limits.CALLS_PER_DAY):
        bots = {0: "random", 1: "random"} if seats_of == "bots" else {1: "random"}
        match = opening.create_match(by=olga, game=toy, take_seat=False, bots=bots)
        if seats_of == "players":
            match = opening.join_match(by=anna, match=match)
        for seat in (0, 1):
            measure = {"action": "replace", "code": "other", "reason": "Why not?", "seat": seat}
            assert program(olga, "organise").post(f"/matches/{match.number}/organise/", measure).status_code == 200
            assert match.seats.get(index=seat).waits
    assert calls.count() == daily_limits.CALLS_PER_DAY
    own = opening.create_match(by=anna, game=toy, bots={1: "random"})
    substitutes.give_up(by=anna, match=own, seat=0)
    assert calls.count() == daily_limits.CALLS_PER_DAY + 1, "the organiser's measures do not count for the player"


def test_nobody_is_called_for_a_seat_that_a_bot_takes_at_once(toy, anna, ben, player):
    carol, olga = player("carol"), player("olga")
    follows.Follow.objects.create(user=carol, game=toy)
    match = opening.create_match(by=olga, game=toy, take_seat=False)
    for user in (anna, ben):
        match = opening.join_match(by=user, match=match)
    measure = Measure("replace", "other", "Why not?", seat=0, bot=True)
    organise(by=olga, match=match, measure=measure, command_id=uuid.uuid4())
    assert match.seats.get(index=0).bot
    assert not Outbox.objects.filter(kind="seat_free").exists()
    assert Outbox.objects.filter(kind="measure").count() == 2


def check_recorded(match, do):
    """Repeat acts until one is refused. Then the record has not grown."""
    for _ in range(daily_limits.PER_HOUR):
        do()
    version = loading.load(match.id, match.game).version
    with pytest.raises(Refused) as refused:
        do()
    assert refused.value.code == "recorded_too_often"
    assert "Try again in " in refused.value.detail
    loading.forget_all()
    assert loading.load(match.id, match.game).version == version


def test_joining_and_leaving_again_and_again(anna, ben, player, program, monkeypatch):
    monkeypatch.setattr(daily_limits, "JOINS_PER_DAY", 3)
    match, api = opening.create_match(by=anna, game="stratastar", seats=3), program(player("eve"))
    for _ in range(3):
        assert api.post(f"/matches/{match.number}/join/", {}).status_code == 200
        assert api.post(f"/matches/{match.number}/leave/").status_code == 200
    refused = api.post(f"/matches/{match.number}/join/", {})
    assert (refused.status_code, refused.json()["code"]) == (422, "recorded_too_often")
    assert "3 times a day" in refused.json()["detail"]
    assert "Try again in 24 hours." in refused.json()["detail"]
    match.refresh_from_db()
    assert match.version == 2 + 6
    opening.join_match(by=ben, match=match)
    other = opening.create_match(by=anna, game="stratastar", seats=3)
    assert api.post(f"/matches/{other.number}/join/", {}).status_code == 200, "each match counts by itself"


def test_a_host_who_fills_and_empties_seats(anna, ben):
    match = opening.create_match(by=anna, game="stratastar", seats=4)
    opening.join_match(by=ben, match=match)

    def change():
        if match.seats.get(index=3).holder is None:
            opening.add_bot(by=anna, match=match, seat=3, bot="random")
        else:
            opening.remove_seat(by=anna, match=match, seat=3)

    check_recorded(match, change)
    opening.start_match(by=anna, match=match, bot="random")


def test_pausing_alone_and_going_on(toy, anna):
    match = opening.create_match(by=anna, game=toy, bots={1: "random"})

    def pause():
        assert pauses.wish(match=match, by=anna, seat=0, pause=True)
        assert pauses.wish(match=match, by=anna, seat=0, pause=False), "going on is never refused"

    check_recorded(match, pause)


def test_a_withdrawn_vote_for_a_pause_is_not_told(duel, anna, ben, mailing):  # noqa: F811
    verify(anna, ben)
    pauses.wish(match=duel, by=holder(duel, 0), seat=0, pause=True)
    pauses.withdraw(match=duel, by=holder(duel, 0), seat=0)
    mailing.work()
    assert [mail for mail in mailing.sink.to("ben@players.example") if mail.message["X-Game-Reason"] == "pause"] == []


def test_all_that_others_are_told_has_one_limit_in_all_matches(toy, anna, ben, program, monkeypatch):
    """With fifty matches and each act on its own, one player could send another thousands of mails a day."""
    monkeypatch.setattr(daily_limits, "TOLD_IN_ALL_PER_DAY", 3)
    matches = [opening.join_match(by=ben, match=opening.create_match(by=anna, game=toy)) for _each in range(3)]
    answers = []
    for match in matches:
        address = f"/matches/{match.number}/pause/"
        for _again in range(2):
            answers.append(program(anna).post(address, {"pause": True}))
            program(anna).call("DELETE", address)
    assert [answer.status_code for answer in answers] == [200] * 3 + [422] * 3
    assert {answer.json()["code"] for answer in answers[3:]} == {"told_too_often"}
    assert "at most 3 times a day in all matches together" in answers[-1].json()["detail"]
    assert Outbox.objects.filter(user=ben, kind="pause").count() == 3
    assert program(ben).post(address, {"pause": True}).status_code == 200
