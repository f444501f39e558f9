"""Undo through the services: what is free, what needs consent, what stays, and what it must not reveal."""

from __future__ import annotations

import random
import uuid
from datetime import timedelta

import pytest
from django.utils import timezone

from gamesvc.games import catalog
from gamesvc.games.kernel.dice import seeded
from gamesvc.games.kernel.game import Refused
from gamesvc.games.kernel.undo import undo_rules
from gamesvc.matches import errors
from gamesvc.matches.access import selectors
from gamesvc.matches.events import UndoAnswered
from gamesvc.matches.lobby import forks, opening
from gamesvc.matches.models import Match, Question, UndoRequest
from gamesvc.matches.play import turns
from gamesvc.matches.proof import audit, verification
from gamesvc.matches.record import loading, stream
from gamesvc.matches.undo import undoing
from tests.games.paths import effective
from tests.games.space_war import table as war
from tests.games.star_commander.table import Table
from tests.games.stratastar import table as strata
from tests.matches import exports
from tests.matches.playing import act, log_of, play_out, sends, time_out

pytestmark = pytest.mark.django_db


def load(match):
    return loading.load(match.id, match.game)


def state(match):
    return load(match).timeline.state


def undo(match, seat, *, key=None, version=None, at=None):
    return undoing.undo(
        match=match,
        sender=sends(match, seat, at),
        expected_version=load(match).viewer_version(seat) if version is None else version,
        command_id=key or uuid.uuid4(),
    )


def redo(match, seat, *, at=None):
    version = load(match).viewer_version(seat)
    return undoing.redo(match=match, sender=sends(match, seat, at), expected_version=version, command_id=uuid.uuid4())


def answer(match, seat, accept, **more):
    return undoing.answer(match=match, sender=sends(match, seat), accept=accept, **more)


def offer(match, seat):
    return undoing.offer(load(match), match, seat)


def play(match, seat):
    act(match, seat, {"name": "play", "card": state(match).hands[seat][0]})


@pytest.fixture
def duel(toy, anna, ben):
    match = opening.create_match(by=anna, game=toy, options={"points": 9})
    return opening.join_match(by=ben, match=match)


def test_an_own_move_is_undone_freely_and_redone(duel):
    before = state(duel)
    assert offer(duel, 0).code == "nothing_to_undo"
    play(duel, 0)
    played = state(duel)
    assert (offer(duel, 0).how, offer(duel, 1).how) == ("free", "")
    outcome = undo(duel, 0)
    assert outcome.done
    assert state(duel) == before
    assert load(duel).awaited()[0].seat == 0
    assert redo(duel, 0).done
    assert state(duel) == played
    with pytest.raises(Refused, match="something has happened since"):
        redo(duel, 0)


def test_an_offer_folds_no_more_of_a_match_however_many_orders_a_seat_has_left(duel, monkeypatch):
    """Each set of orders is a deed that may be nothing to undo: looked at one by one, they made a page take minutes."""
    folded: list[int] = []
    load_at = loading.load_at

    def counting(game, match_id, version):
        folded.append(version)
        return load_at(game, match_id, version)

    monkeypatch.setattr(loading, "load_at", counting)
    play(duel, 0)
    seen = []
    for _ in range(3):
        for _ in range(undo_rules.MOST_IDLE):
            act(duel, 1, {"name": "set_orders", "text": f"{len(seen)}"})
        folded.clear()
        assert offer(duel, 1).code == "nothing_to_undo"
        seen.append(len(folded))
    assert 0 < seen[1] == seen[2] <= 2 * undo_rules.MOST_IDLE
    assert offer(duel, 0).how == "free", "of others' orders nothing is folded"


def test_a_move_behind_many_orders_is_undone(duel):
    before = state(duel).hands
    play(duel, 0)
    for number in range(undo_rules.MOST_IDLE - 1):
        act(duel, 0, {"name": "set_orders", "text": f"{number}"})
    assert undo(duel, 0).done
    assert state(duel).hands == before


def test_repeated_undo_goes_further_back_and_redo_forward_again(duel):
    loaded = load(duel)
    states = [loaded.timeline.state]
    # Both seats play until seat 0 has two unanswered moves in a row: orders take no turn.
    play(duel, 0)
    act(duel, 0, {"name": "set_orders", "text": "one"})
    states.append(state(duel))
    assert offer(duel, 0).command == {"name": "play", "card": states[0].hands[0][0]}, "standing orders are not undone"
    undo(duel, 0)
    assert state(duel).orders == ("one", "")
    assert state(duel).hands == states[0].hands
    with pytest.raises(Refused) as refused:
        undo(duel, 0)
    assert refused.value.code == "nothing_to_undo"
    redo(duel, 0)
    assert state(duel).hands == states[1].hands


def test_a_repeated_request_gets_the_first_answer(duel):
    play(duel, 0)
    key, version = uuid.uuid4(), load(duel).viewer_version(0)
    first = undo(duel, 0, key=key, version=version)
    again = undo(duel, 0, key=key, version=version)
    assert (again.repeated, again.as_json()) == (True, first.as_json())
    assert len([event for event in log_of(duel) if event.type == "match.rewound"]) == 1
    with pytest.raises(errors.KeyReused):
        undoing.redo(match=duel, sender=sends(duel, 0), expected_version=99, command_id=key)
    refused_key = uuid.uuid4()
    for _ in range(2):
        with pytest.raises(Refused) as refused:
            undo(duel, 0, key=refused_key)
        assert refused.value.code == "nothing_to_undo"


def test_a_command_that_was_undone_is_not_applied_again_by_its_key(duel):
    version = load(duel).viewer_version(0)
    sent = {"match": duel, "sender": sends(duel, 0), "expected_version": version, "command_id": uuid.uuid4()}
    command = {"name": "play", "card": state(duel).hands[0][0]}
    first = turns.submit(command=command, **sent)
    undo(duel, 0)
    after = load(duel).version
    again = turns.submit(command=command, **sent).as_json()
    assert (first.awaited, again["awaited"]) == (False, True), "it tells who is awaited now"
    assert again == first.as_json() | {"awaited": True}
    assert load(duel).version == after
    with pytest.raises(errors.Stale):
        turns.submit(command=command, **{**sent, "command_id": uuid.uuid4()})


def test_what_was_drawn_is_given_back_only_with_the_others_word(duel):
    act(duel, 0, {"name": "draw"})
    drawn = state(duel)
    assert offer(duel, 0).how == "ask"
    outcome = undo(duel, 0)
    assert not outcome.done
    assert state(duel) == drawn
    with pytest.raises(Refused) as refused:
        undo(duel, 0)
    assert refused.value.code == "asked_already"
    with pytest.raises(Refused) as refused:
        answer(duel, 0, True)
    assert refused.value.code == "own_request"
    given = answer(duel, 1, True, request=outcome.request)
    assert given.done
    assert state(duel).hands[0] == drawn.hands[0][:2]
    back = log_of(duel)[-1]
    assert back.type == "match.rewound"
    assert back.draws, "the deck is shuffled anew"
    assert UndoRequest.objects.get().settled_at is not None


def test_a_declined_request_leaves_all_as_it_is(duel):
    act(duel, 0, {"name": "draw"})
    drawn = state(duel)
    undo(duel, 0)
    answer(duel, 1, False)
    assert state(duel) == drawn
    with pytest.raises(Refused) as refused:
        answer(duel, 1, True)
    assert refused.value.code == "no_request"


def test_a_withdrawn_request_is_over(duel):
    act(duel, 0, {"name": "draw"})
    undo(duel, 0)
    answer(duel, 0, False)
    with pytest.raises(Refused) as refused:
        answer(duel, 1, True)
    assert refused.value.code == "no_request"


def test_a_request_lapses_with_its_time_and_when_the_match_moves_on(duel):
    act(duel, 0, {"name": "draw"})
    undo(duel, 0)
    assert undoing.lapse_requests() == 0
    UndoRequest.objects.update(until=timezone.now() - timedelta(seconds=1))
    assert undoing.lapse_requests() == 1
    assert log_of(duel)[-1].data["answer"] == "lapsed"
    undo(duel, 0)
    act(duel, 1, {"name": "draw"})
    with pytest.raises(Refused) as refused:
        answer(duel, 1, True)
    assert refused.value.code == "no_request"
    undo(duel, 0)
    log = log_of(duel)
    assert [event.data.get("answer") for event in log[-2:]] == ["lapsed", None], "a new request settles the one that has lapsed"
    assert undoing.lapse_requests() == 0


def test_a_request_that_ends_with_its_match_is_no_fault_of_the_store(anna, ben):
    """Its end settles it without an event: nothing comes after the end."""
    match = opening.create_match(by=anna, game="stratastar", undo="consent")
    match = opening.join_match(by=ben, match=match)
    seat = load(match).awaited()[0].seat
    play_out(match, most=1)
    undo(match, seat)
    act(match, 1 - seat, {"name": "resign"})
    assert audit.check_match(match.id) == []
    assert undoing.lapse_requests() == 1
    assert audit.check_match(match.id) == []
    UndoRequest.objects.update(settled_at=None, seat=1 - seat)
    assert [finding.code for finding in audit.check_match(match.id)] == ["undo_requests"]


def test_a_request_tells_nobody_that_its_player_has_set_standing_orders(duel, program):
    """An undo leaves them as they are, so the request stays; else its end would tell of them, and when."""
    act(duel, 0, {"name": "draw"})
    undo(duel, 0)
    asked = program(duel.seats.get(index=1).user)
    before = asked.get(f"/matches/{duel.number}/undo/").json()
    assert before["request"]["yours_to_answer"]
    act(duel, 0, {"name": "set_orders", "text": "hush"})
    assert undoing.lapse_requests() == 0
    assert asked.get(f"/matches/{duel.number}/undo/").json() == before
    assert answer(duel, 1, True).done
    assert (state(duel).orders[0], state(duel).turn) == ("hush", 0)


def test_an_undo_past_another_seats_act_needs_their_consent(duel):
    before = state(duel)
    play(duel, 0)
    play(duel, 1)
    assert offer(duel, 0).asks == (1,)
    undo(duel, 0)
    answer(duel, 1, True)
    assert state(duel).hands == before.hands
    assert load(duel).awaited()[0].seat == 0


def test_undo_racing_a_move_one_wins_and_the_other_is_told(duel):
    play(duel, 0)
    version = load(duel).viewer_version(0)
    act(duel, 1, {"name": "draw"})
    with pytest.raises(errors.Stale) as stale:
        undo(duel, 0, version=version)
    assert [event["type"] for event in stale.value.events] == ["toy.drew", "toy.turn_ended"]


def test_the_options(toy, anna, ben):
    never = opening.join_match(by=ben, match=opening.create_match(by=anna, game=toy, undo="never"))
    play(never, 0)
    assert offer(never, 0).code == "never"
    with pytest.raises(Refused):
        undo(never, 0)
    consent = opening.join_match(by=ben, match=opening.create_match(by=anna, game=toy, undo="consent"))
    play(consent, 0)
    assert offer(consent, 0).how == "ask"
    with pytest.raises(Refused) as refused:
        opening.create_match(by=anna, game=toy, undo="sometimes")
    assert refused.value.parameter == "undo"


def test_bots_decide_at_once_and_give_no_draw_back(toy, anna):
    match = opening.create_match(by=anna, game=toy, options={"points": 9}, bots={1: "random"})
    before = state(match)
    play(match, 0)
    act(match, 1, {"name": "play", "card": state(match).hands[1][0]})
    assert offer(match, 0).how == "ask"
    assert undo(match, 0).done
    assert state(match).hands == before.hands
    act(match, 0, {"name": "draw"})
    assert offer(match, 0).code == "draw_stays"
    with pytest.raises(Refused) as refused:
        undo(match, 0)
    assert refused.value.code == "draw_stays"


def test_past_the_deadline_nothing_is_opened_again(duel):
    due = Question.objects.get(match=duel).due_at
    play(duel, 0)
    with pytest.raises(Refused) as refused:
        undo(duel, 0, at=due + timedelta(seconds=1))
    assert refused.value.code == "too_late"
    undo(duel, 0)
    assert Question.objects.get(match=duel).due_at == due, "no time is won by playing and undoing"
    with pytest.raises(Refused) as refused:
        redo(duel, 0, at=due + timedelta(seconds=1))
    assert refused.value.code == "too_late", "nor by doing it again"
    redo(duel, 0)


def test_what_the_clock_did_is_not_undone(duel):
    time_out(duel)
    assert offer(duel, 0).code == "timed_out"


def test_a_finished_match_is_not_gone_back_in(toy, anna, ben):
    match = opening.join_match(by=ben, match=opening.create_match(by=anna, game=toy, options={"points": 1}))
    play_out(match)
    match.refresh_from_db()
    assert match.status == Match.Status.FINISHED
    with pytest.raises(Refused) as refused:
        undo(match, 0)
    assert refused.value.code == "match_over"


def test_the_offer_is_the_same_whatever_others_do_unseen(duel):
    play(duel, 0)
    before = offer(duel, 0)
    act(duel, 1, {"name": "set_orders", "text": "hidden"})
    assert offer(duel, 0) == before
    version = load(duel).viewer_version(0)
    outcome = undo(duel, 0)
    assert outcome.done
    assert state(duel).orders[1] == "hidden", "what another seat left for himself is not undone"
    assert outcome.version > version
    act(duel, 1, {"name": "set_orders", "text": "again"})
    assert offer(duel, 0).redo is not None
    assert redo(duel, 0).done
    assert state(duel).orders[1] == "again"


def test_who_was_told_of_a_hidden_thing_may_not_free_himself_of_it(duel):
    """A card is seen and given back with consent. After a free undo of the move before it, the pile is still shuffled."""
    play(duel, 0)
    play(duel, 1)
    act(duel, 0, {"name": "draw"})
    drawn = state(duel).hands[0][-1]
    undo(duel, 0)
    answer(duel, 1, True)
    undo(duel, 0)  # over seat 1's play
    answer(duel, 1, True)
    log = log_of(duel)
    assert log[-1].type == "match.rewound"
    assert log[-1].draws, "what a branch told that was left counts as told"
    assert drawn in (1, 2)


def test_a_log_ends_with_the_version_of_its_timeline_whatever_others_have_appended(duel):
    loaded = load(duel)
    unwritten = [UndoAnswered(1, None, "lapsed").event(loaded.version + number) for number in (1, 2)]
    act(duel, 0, {"name": "draw"})
    act(duel, 1, {"name": "draw"})
    assert load(duel).version > loaded.version + 1
    assert [event.version for event in loaded.timeline.whole_log()] == list(range(1, loaded.version + 1))
    log = stream.Log(loaded.game, duel.id, loaded.version + 2, unwritten)
    assert [event.version for event in log] == list(range(1, loaded.version + 3))
    assert log[-2:] == unwritten


def test_nothing_told_is_ever_undone_without_leave(duel):
    """Every sequence of plays, undo, redo and looks leaves each card that was drawn on the path of the match."""
    for command in ("play", "draw", "draw", "draw"):
        seat = load(duel).awaited()[0].seat
        if command == "play":
            play(duel, seat)
        else:
            act(duel, seat, {"name": command})
        for _ in range(3):
            for other in (0, 1):
                for attempt in (undo, redo):
                    if attempt is undo and offer(duel, other).how != "free":
                        continue
                    try:
                        attempt(duel, other)
                    except Refused:
                        continue
        log = log_of(duel)
        path = set(effective(log, len(log)))
        assert [event.version for event in log if event.type == "drew" and event.version not in path] == []


def test_only_players_who_saw_a_turn_learn_what_was_undone(duel):
    act(duel, 0, {"name": "draw"})
    undo(duel, 0)
    answer(duel, 1, True)
    loaded = load(duel)
    seen = selectors.records_for(loaded, 1, 0, 100)[-1]
    assert seen["type"] == "match.rewound"
    assert seen["redacted"]
    assert seen["data"] == {"to": 6, "cause": "undo", "seat": 0}


# --- the real games ---


def test_in_a_race_a_seat_undoes_its_own_part_alone_and_unseen(anna, ben):
    """Every seat plays its own sheet: hidden acts of others are kept, and nobody notices."""
    match = opening.create_match(by=anna, game="space_fleet_commander", seats=2, options={"mode": "race"})
    match = opening.join_match(by=ben, match=match)
    rng = random.Random(3)

    def quiet(seat, tries=12):
        """Play any move of the seat that reveals nothing."""
        loaded = load(match)
        game, now = loaded.game, loaded.timeline.state
        for _ in range(tries):
            command = dict(game.bots["random"](game.view(now, seat), game.legal_commands(now, seat), rng))
            run = loaded.timeline.command(seat, command, seeded("quiet"))
            if not any(event.draws for event in run.events) and game.outcome(run.state) is None and command["name"] != "resign":
                return command
        raise AssertionError("no quiet move")

    for seat in (0, 1, 0):
        act(match, seat, quiet(seat))
    first = load(match)
    act(match, 0, quiet(0))
    before = load(match)
    act(match, 1, quiet(1))
    seen = [(load(match).viewer_version(one), load(match).game.view(state(match), one)) for one in (0, 1, None)]
    assert offer(match, 0).how == "free"
    assert undo(match, 0).done
    after = load(match)
    game = after.game
    assert game.view(after.timeline.state, 0) == game.view(first.timeline.state, 0)
    for viewer, at in ((1, 1), (None, 2)):
        assert (after.viewer_version(viewer), game.view(after.timeline.state, viewer)) == seen[at], viewer
    assert before.timeline.state != after.timeline.state
    loading.forget_all()
    assert load(match).timeline.state == after.timeline.state
    redo(match, 0)
    assert game.view(state(match), 0) == seen[0][1]
    assert game.view(state(match), 1) == seen[1][1]
    undo(match, 1)
    assert game.view(state(match), 0) == seen[0][1]
    loading.forget_all()
    content = exports.export_of(match, 0)
    assert verification.verify(content).ok
    assert audit.check_match(match.id) == []


def test_solo_a_roll_stays_and_what_was_only_placed_is_free(anna):
    match = opening.create_match(by=anna, game="space_fleet_commander")
    rng = random.Random(1)
    found = set()
    for _ in range(20):
        loaded = load(match)
        if loaded.ended:
            break
        game, now = loaded.game, loaded.timeline.state
        command = dict(game.bots["greedy"](game.view(now, 0), game.legal_commands(now, 0), rng))
        act(match, 0, command)
        if load(match).ended:
            break
        log = log_of(match)
        rolled = any(event.draws for event in log if event.version > loaded.version)
        given = offer(match, 0)
        assert (given.how, given.code) == (("", "draw_stays") if rolled else ("free", "")), command
        found.add(rolled)
        if not rolled:
            undo(match, 0)
            assert state(match) == now
            redo(match, 0)
    assert found == {True, False}
    assert audit.check_match(match.id) == []


def test_the_space_war_with_reactions_that_go_back_by_themselves(anna, ben):
    match = opening.join_match(by=ben, match=opening.create_match(by=anna, game="space_war"))
    rng = random.Random(5)
    free = 0
    for _ in range(45):
        loaded = load(match)
        if loaded.ended:
            break
        seat = loaded.awaited()[0].seat
        game, now = loaded.game, loaded.timeline.state
        act(match, seat, dict(game.bots["greedy"](game.view(now, seat), game.legal_commands(now, seat), rng)))
        given = offer(match, seat)
        if given.how == "free" and free < 8:
            free += 1
            hidden = game.view(now, 1 - seat)
            undo(match, seat)
            assert game.view(state(match), seat)["hand"] == game.view(now, seat)["hand"] if "hand" in hidden else True
            redo(match, seat)
        elif given.how == "ask" and rng.random() < 0.1:
            undo(match, seat)
            answer(match, 1 - seat, rng.random() < 0.7)
    assert free
    loading.forget_all()
    assert load(match).timeline.state == loaded.timeline.state if loaded.ended else True
    assert audit.check_match(match.id) == []
    assert verification.verify(exports.export_of(match, 1)).ok


def test_a_pass_that_brought_out_what_another_had_prepared_is_not_undone_freely(anna, ben):
    """Otherwise every window would reveal the other seat's next act, as often as a player passes and undoes it."""
    table = Table().system("1,1", "trade_world").credits(1, 6)
    table.vessel(0, "destroyer", "1,1")
    ship = table.vessel(1, "corvette", "1,1")
    table.hand(0, "trade_envoy")
    [gun] = table.tech(1, "railgun_turrets")
    for seat in table.state["seats"]:
        seat["orders"]["abilities"] = seat["orders"]["combat"]["after_initiate"] = "ask"
    start = forks.described(catalog.game("star_commander"), table.position)
    match = opening.join_match(by=ben, match=opening.create_match(by=anna, game="star_commander", start=start))
    act(match, 0, {"name": "end_command"})
    act(match, 0, {"name": "open_combat", "cell": "1,1"})
    act(match, 1, {"name": "activate", "source": gun, "targets": {"a": ship}})
    assert offer(match, 1).how == "free", "nobody has seen it yet"
    act(match, 0, {"name": "pass"})
    assert [item.source for item in state(match).stack] == [gun]
    assert offer(match, 0).how == "ask"


@pytest.mark.parametrize("hand", ["2A", "2T"])
def test_a_move_about_which_nobody_was_asked_is_not_undone_freely(anna, ben, hand):
    """Otherwise a player would try move after move, to learn from each that was not answered which cards the others lack."""
    table = strata.Table(2, pace="fast").hand(1, hand).phase("movement")
    table.put(0, "A3", fleets=1).put(0, "F6", fleets=1).put(1, "A4", colonies=1)
    start = forks.described(catalog.game("stratastar"), table.position)
    match = opening.join_match(by=ben, match=opening.create_match(by=anna, game="stratastar", start=start))
    away = {"name": "move", "from": "F6", "to": "F7", "fleets": 1, "free": True}
    act(match, 0, away)
    assert offer(match, 0).how == "free", "nobody could answer this move"
    undo(match, 0)
    act(match, 0, {**away, "from": "A3", "to": "A4"})
    assert load(match).awaited()[0].seat == (hand == "2T")
    assert offer(match, 0).how == "ask"


@pytest.mark.parametrize("hand", ["1M", "1B", ""])
def test_a_move_that_leaves_the_only_refuge_free_is_not_undone_freely(anna, ben, hand):
    """Ben could retreat to the space that Anna leaves. That he is not asked tells that he lacks the card, if he has any."""
    table = strata.Table(2, pace="fast").hand(1, hand).phase("movement").chit("B4", "nebula").chit("A5", "nebula")
    table.put(0, "A3", fleets=1).put(1, "A4", fleets=1)
    start = forks.described(catalog.game("stratastar"), table.position)
    match = opening.join_match(by=ben, match=opening.create_match(by=anna, game="stratastar", start=start))
    act(match, 0, {"name": "move", "from": "A3", "to": "A4", "fleets": 1, "free": True})
    assert load(match).awaited()[0].seat == (hand == "1M")
    assert offer(match, 0).how == ("ask" if hand else "free")


def test_a_turn_after_which_nobody_was_asked_to_fight_is_not_undone_freely(anna, ben):
    """That Ben is not asked tells that his cards could not win."""
    table = strata.Table(2, pace="fast").hand(0, "1B").hand(1, "1B").phase("battle")
    table.put(0, "E5", fleets=3).put(1, "E5", fleets=1)
    start = forks.described(catalog.game("stratastar"), table.position)
    match = opening.join_match(by=ben, match=opening.create_match(by=anna, game="stratastar", start=start))
    act(match, 0, {"name": "end_turn"})
    assert load(match).awaited()[0].seat == 1
    assert offer(match, 0).how == "ask"


@pytest.mark.parametrize("hand", ["2A", "2B", ""])
def test_a_battle_to_which_another_may_commit_cards_is_not_undone_freely(anna, ben, hand):
    """That Ben is asked tells that his cards could decide it. Without a card he cannot be asked, which tells nothing."""
    table = strata.Table(2, pace="fast").hand(0, "1A").hand(1, hand).phase("battle").order(0, when_unable="ask")
    table.put(0, "D5", fleets=2).put(1, "D5", fleets=1)
    start = forks.described(catalog.game("stratastar"), table.position)
    match = opening.join_match(by=ben, match=opening.create_match(by=anna, game="stratastar", start=start))
    act(match, 0, {"name": "declare_battle", "space": "D5"})
    assert [one.seat for one in load(match).awaited()] == ([0, 1] if hand == "2A" else [0])
    assert offer(match, 0).how == ("ask" if hand else "free")


def test_an_act_after_which_others_roll_is_undone_only_with_their_consent(anna, ben, player):
    """The seat that ends a turn of a race last sees nothing of their dice, but they do: the undo would be another throw."""
    match = opening.create_match(by=anna, game="space_fleet_commander", seats=3, options={"lockstep": True})
    match = opening.join_match(by=player("cleo"), match=opening.join_match(by=ben, match=match))
    rng = random.Random(3)
    while waiting := [one.seat for one in load(match).awaited() if one.seat != 2]:
        game, seat = load(match).game, waiting[0]
        view, forms = game.view(state(match), seat), game.legal_commands(state(match), seat)
        act(match, seat, dict(game.bots["greedy"](view, forms, rng)))
    act(match, 2, {"name": "resign"})
    rolled = [sheet.dice for sheet in state(match).sheets]
    assert (offer(match, 2).how, offer(match, 2).asks) == ("ask", (0, 1))
    assert not undo(match, 2).done
    assert [sheet.dice for sheet in state(match).sheets] == rolled


@pytest.fixture
def moved(anna, ben) -> Match:
    """Return a match of Stratastar in which seat 0 has just made a move that nobody could answer."""
    table = strata.Table(2, pace="fast").hand(1, "2A").phase("movement")
    table.put(0, "A3", fleets=1).put(0, "F6", fleets=1).put(1, "A4", colonies=1)
    start = forks.described(catalog.game("stratastar"), table.position)
    match = opening.join_match(by=ben, match=opening.create_match(by=anna, game="stratastar", start=start))
    act(match, 0, {"name": "move", "from": "F6", "to": "F7", "fleets": 1, "free": True})
    assert offer(match, 0).how == "free"
    return match


def orders(match, seat, **given):
    act(match, seat, {"name": "set_orders", "orders": given})


def test_an_undo_does_not_tell_that_another_seat_has_set_parts_of_its_standing_orders(moved):
    """Ben's first part, decided again beside the second, would give other orders: Anna's undo would have had to be asked for."""
    orders(moved, 1, when_unable="pass")
    orders(moved, 1, fight="peace")
    laid = state(moved).players[1].orders
    assert offer(moved, 0).how == "free"
    assert undo(moved, 0).done
    assert state(moved).players[1].orders == laid
    orders(moved, 1, when_unable="ask")
    orders(moved, 1, fight="ask")
    laid = state(moved).players[1].orders
    assert redo(moved, 0).done
    assert state(moved).players[1].orders == laid
    loading.forget_all()
    assert state(moved).players[1].orders == laid


def test_standing_orders_set_again_and_again_make_no_undo_longer(moved):
    """Each of a day's thousand changes was decided again, recorded as kept, and folded again with every load."""
    for number in range(12):
        orders(moved, 1, when_unable=("pass", "ask")[number % 2])
    assert undo(moved, 0).done
    assert log_of(moved)[-1].kept == ()


def guarded(anna, ben, **order) -> Match:
    """Return a match of The Space War in which Anna may attack, and Ben has left a standing order."""
    table = war.table(
        a={"play": [("titan", {"zone": "enemy"})]},
        b={"hand": ["target_missed"], "play": ["battlestar"], "station": {"draw": 2, "hand": 2}},
        phase="attack",
        points="all",
    )
    start = forks.described(catalog.game("space_war"), table.ok({"op": "position"})["position"])
    match = opening.join_match(by=ben, match=opening.create_match(by=anna, game="space_war", start=start))
    act(match, 1, {"name": "set_orders", "orders": [{"when": {"kind": "attack"}, **order}]})
    return match


STOP = {"do": "react", "use": ["target_missed"]}


def attack(match, **at):
    act(match, 0, {"name": "attack", "attacker": "a-01", **at})


def test_who_ends_a_turn_and_undoes_that_is_not_rid_of_the_other_seats_standing_orders(anna, ben):
    """They hold until the turn ends. Anna attacked afterwards, and nothing answered for Ben, who was away."""
    match = guarded(anna, ben, **STOP)
    laid = state(match).sides[1].orders
    act(match, 0, {"name": "end_turn"})
    assert [one.prompt for one in load(match).awaited()] == ["review"]
    assert offer(match, 0).how == "free"
    assert undo(match, 0).done
    assert state(match).sides[1].orders == laid
    loading.forget_all()
    assert state(match).sides[1].orders == laid
    attack(match, target="b-02")
    assert "attack_failed" in [event.type for event in log_of(match)]
    assert audit.check_match(match.id) == []


def test_an_undone_attack_uses_up_no_standing_order(anna, ben):
    match = guarded(anna, ben, do="stand", times=1)
    laid = state(match).sides[1].orders
    attack(match, target="b-02")
    assert state(match).sides[1].orders == ()
    assert offer(match, 0).how == "free"
    assert undo(match, 0).done
    assert state(match).sides[1].orders == laid


def test_standing_orders_set_since_an_undone_act_stay(anna, ben):
    match = guarded(anna, ben, **STOP)
    act(match, 0, {"name": "end_turn"})
    act(match, 1, {"name": "set_orders", "orders": []})
    assert undo(match, 0).done
    assert state(match).sides[1].orders == ()
    act(match, 1, {"name": "set_orders", "orders": [{"when": {"kind": "play"}, "do": "stand"}]})
    laid = state(match).sides[1].orders
    assert redo(match, 0).done
    assert state(match).sides[1].orders == laid
    assert undo(match, 0).done
    assert state(match).sides[1].orders == laid, "the first ones lie on the way that is undone, but they are older"
    assert audit.check_match(match.id) == []


def test_an_undo_brings_no_standing_orders_back_that_another_seat_has_replaced(moved):
    orders(moved, 1, fight="peace")
    assert undo(moved, 0).done
    orders(moved, 1, fight="fight")
    assert redo(moved, 0).done
    assert undo(moved, 0).done
    assert state(moved).players[1].orders.fight == "fight"


def test_an_undo_brings_no_preference_back_that_another_seat_has_replaced(anna, ben):
    """Ben's later choice of station cards to lose was gone, and nobody was told: his orders themselves are the same."""
    match = guarded(anna, ben, do="stand")
    attack(match, target="b-02")
    act(match, 1, {"name": "set_orders", "orders": [], "flip_preference": ["hand"]})
    assert undo(match, 0).done
    act(match, 1, {"name": "set_orders", "orders": [], "flip_preference": ["action"]})
    assert redo(match, 0).done
    assert undo(match, 0).done
    assert state(match).sides[1].flip_preference == ("action",)
