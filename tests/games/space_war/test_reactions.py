"""The reaction system of RULES.md 11 beyond its worked examples: windows, barriers, orders, replay, secrecy."""

from __future__ import annotations

import json

import pytest

from gamesvc.games.kernel import codec
from gamesvc.games.kernel.game import Caption
from gamesvc.games.protocol import Session
from gamesvc.games.space_war import GAME
from gamesvc.games.space_war.rules import rewinds
from tests.games.space_war.table import kinds, table


def busy_turn(points="plays_only", **a):
    """Return a table where seat b plays three cards in turn 6. Seat a is as given."""
    t = table(a=a, b={"hand": ["drone", "battlestar", "hunter"], "actions": 9}, turn=6, active=1, points=points)
    for card in ("drone", "battlestar", "hunter"):
        t.do(1, "play_card", card=t[f"b.{card}"], **({"options": {"draw": False}} if card == "drone" else {}))
    return t


def test_reacting_to_an_item_settles_earlier_ones_and_undoes_later_ones():
    t = busy_turn(hand=["luck"])
    t.react(0, t.item("battlestar"), card=t["a.luck"])
    assert not t.gone("b.drone")
    assert t.gone("b.battlestar")
    assert t.gone("b.hunter")
    assert [item.card for item in t.state.open_items(0)] == []
    assert t.hand(1) == ["hunter"]
    assert t.awaited == [(1, "offer")]
    t.choose(1)
    assert t.awaited == [(1, "action")]


def test_replay_fills_in_what_leaves_no_choice_like_any_command():
    """A described position may offer such a command, and so may cards that are dealt otherwise behind a seat's back."""
    t = table(a={"hand": ["deja_vu"], "discard": ["luck"]})
    position = t.ok({"op": "position"})["position"]
    position["state"]["replay"] = [{"name": "play_card", "card": t["a.deja_vu"]}]
    session = Session(GAME)
    assert session.answer({"op": "new", "position": position, "seed": "table"})["ok"]
    assert session.answer({"op": "command", "seat": 0, "command": {"name": "replay"}})["ok"]
    [opened] = [one.data for one in session.log if one.type == "item_opened"]
    assert opened["note"]["targets"] == [t["a.luck"]]


def test_replay_repeats_undone_commands_and_is_dropped_with_another_command():
    t = busy_turn(hand=["luck"])
    t.react(0, t.item("drone"), card=t["a.luck"])
    t.choose(1)
    assert [form["label"] for form in t.forms(1, "replay")] == ["Repeat what was undone"]
    t.do(1, "replay")
    assert not t.gone("b.battlestar")
    assert not t.gone("b.hunter")
    t = busy_turn(hand=["luck"])
    t.react(0, t.item("drone"), card=t["a.luck"])
    t.choose(1)
    t.do(1, "play_card", card=t["b.hunter"])
    t.no(1, "nothing_to_replay", "replay")


def test_commands_to_repeat_are_shown_to_their_own_seat_alone():
    """Who answered an act of a player whose time then ran out read in the next turn what that player had done secretly."""
    t = table(a={"hand": ["luck"]}, b={"hand": ["drone", "battlestar"], "actions": 9}, turn=6, active=1)
    t.do(1, "play_card", card=t["b.drone"], options={"draw": False})
    t.do(1, "add_station", card=t["b.battlestar"], row="draw")
    t.react(0, t.item("drone"), card=t["a.luck"])
    t.choose(1)
    assert [command["card"] for command in t.state.replay] == [t["b.battlestar"]]
    while t.state.active == 1:
        t.do(1, "time_out")
    assert GAME.view(t.state, 0)["replay"] == []
    assert t.state.replay == ()


def charges(t, times):
    """Let seat a store an action as a Charge and take it back, as often as it likes. Return the version before."""
    version = t.session.match.version
    for _ in range(times):
        t.do(0, "use_commander", mode=1)
        t.do(0, "use_commander", mode=2, n=1)
    return version


def test_who_goes_back_and_repeats_again_and_again_repeats_no_more_each_time():
    """Commands retracted before were retracted once more: each time there were twice as many, soon more than a server can do."""
    t = table(a={"commander": "nicia_satu", "actions": 3})
    version = charges(t, 2)
    for _ in range(5):
        t.ok({"op": "rewind", "version": version})
        assert len(t.state.replay) == 4
        t.do(0, "replay")
    t.ok({"op": "rewind", "version": version})
    t.do(0, "end_phase")
    t.ok({"op": "rewind", "version": version})
    assert [command["name"] for command in t.state.replay] == ["end_phase"], "what was retracted before is left behind"


def test_a_redone_way_is_repeated_whole():
    t = table(a={"commander": "nicia_satu", "actions": 3})
    version = charges(t, 1)
    played = t.session.match.version
    t.ok({"op": "rewind", "version": version})
    t.ok({"op": "rewind", "version": played})
    t.do(0, "use_commander", mode=1)
    t.ok({"op": "rewind", "version": version})
    assert [command["mode"] for command in t.state.replay] == [1, 2, 1]


def test_what_costs_nothing_is_not_done_without_end_in_a_turn():
    """Each use is open to an answer, with the state before it: after 740 no fork and no preview came to an end."""
    t = table(a={"commander": "nicia_satu", "actions": 3}, b={"hand": ["sabotage"], "actions": 5})
    charges(t, 20)
    told = t.no(0, "limit_reached", "use_commander", mode=1)
    assert "40 times before" in told["detail"]
    assert not t.forms(0, "use_commander")
    t.do(0, "end_phase")


def test_an_extra_turn_brings_no_further_uses_for_nothing():
    """The uses of the turn before it are still open to an answer, so with three portals they were without end again."""
    portal = ("time_travel_portal", {"counters": 3})
    t = table(a={"commander": "nicia_satu", "actions": 3, "play": [portal]}, b={"hand": ["sabotage"], "actions": 5})
    t.do(0, "use_action", card=t["a.time_travel_portal"])
    charges(t, 20)
    t.do(0, "end_phase")
    t.do(0, "end_turn")
    assert (t.state.active, t.state.phase) == (0, "action")
    t.no(0, "limit_reached", "use_commander", mode=1)
    t.do(0, "end_phase")
    t.do(0, "end_turn")
    t.do(1, "let_stand")
    t.do(1, "end_phase")
    t.do(1, "end_turn")
    charges(t, 1)


def test_a_match_can_be_forked_whatever_a_commander_does_for_nothing():
    """With 60 open uses by decks of 60 cards the states of the position were more than are read."""
    cards = {"hand": ["sabotage"], "pile": ["battlestar"] * 54}
    t = table(a={"commander": "nicia_satu", "actions": 3, **cards}, b={"actions": 5, **cards})
    while t.forms(0, "use_commander"):
        t.do(0, "use_commander", **({"mode": 2, "n": 1} if t.side(0).charge else {"mode": 1}))
    assert len(t.session.match.marked()) > 30
    position = t.ok({"op": "position"})["position"]
    assert Session(GAME).answer({"op": "new", "position": position, "seed": "again"})["ok"]


def test_no_more_is_repeated_than_a_position_holds(monkeypatch):
    """With more than 200 commands no match, and no fork, could begin from it."""
    monkeypatch.setattr(rewinds, "MOST_REPLAYED", 3)
    t = table(a={"commander": "nicia_satu", "actions": 3})
    t.ok({"op": "rewind", "version": charges(t, 2)})
    assert len(t.state.replay) == 3


def test_what_an_own_undo_took_back_is_not_called_a_reaction():
    t = table(a={"hand": ["battlestar"]}, turn=6, active=0)
    start = t.session.match.version
    t.do(0, "play_card", card=t["a.battlestar"])
    t.ok({"op": "rewind", "version": start})
    (form,) = t.forms(0, "replay")
    assert "reaction" not in form["label"]


def test_let_stand_up_to_an_item_stays_secret():
    t = busy_turn(hand=["luck"])
    first, second = t.item("drone"), t.item("battlestar")
    before = t.view(1)
    events = t.do(0, "let_stand", upto=first)
    assert [t.seen(event, 1) for event in events] == [None]
    assert t.view(1) == before
    t.no(0, "not_open", "react", item=first, play={"card": t["a.luck"]})
    t.react(0, second, card=t["a.luck"])


def test_settled_marks_and_orders_survive_a_rewind():
    t = busy_turn(hand=["luck", "avoid"], play=["avoid"])
    t.do(0, "set_orders", orders=[{"when": {"card": "supernova"}, "do": "ask", "until": "cancelled"}], flip_preference=["hand"])
    t.do(0, "let_stand", upto=t.item("drone"))
    t.react(0, t.item("hunter"), card=t["a.avoid.2"])
    assert len(t.side(0).orders) == 1
    assert t.side(0).flip_preference == ("hand",)
    assert not t.state.open_items(0)


def test_a_card_drawn_later_cannot_answer_something_earlier():
    t = table(a={"hand": [], "pile": ["luck"]}, b={"hand": ["drone", "discovery"]}, turn=6, active=1)
    t.do(1, "play_card", card=t["b.drone"], options={"draw": False})
    t.do(1, "play_card", card=t["b.discovery"], mode=1)
    assert t.hand(0) == ["luck"]
    t.no(0, "no_target", "react", item=t.item("drone"), play={"card": t["a.luck"]})


def test_a_flipped_card_cannot_stop_the_attack_that_flipped_it_but_later_ones():
    ships = {"play": [("battlestar", {"zone": "enemy"}), ("titan", {"zone": "enemy"})]}
    t = table(a=ships, b={"station": {"draw": ["target_missed"], "hand": 4}}, phase="attack")
    t.do(0, "attack_station", attacker=t["a.battlestar"], slots=["s1", "s2"])
    t.no(1, "no_target", "react", item=t.item(), play={"card": t["b.target_missed"], "mode": 1})
    t.do(0, "attack_station", attacker=t["a.titan"], slots=["s3", "s4", "s5"])
    t.react(1, t.item(), card=t["b.target_missed"], mode=1)
    assert t.flipped(1) == ["s2"]


def test_a_chain_of_four_reactions_in_which_each_counters_the_one_before():
    t = table(a={"hand": ["luck", "luck"]}, b={"hand": ["battlestar", "luck", "luck"]}, turn=6, active=1)
    t.do(1, "play_card", card=t["b.battlestar"])
    for seat, card in ((0, "a.luck"), (1, "b.luck"), (0, "a.luck.2"), (1, "b.luck.2")):
        events = t.react(seat, t.item(), card=t[card])
        assert "match.rewound" in [event["type"] for event in events]
        assert t.gone("b.battlestar") == (seat == 0)
    assert t.discarded(0) == ["luck", "luck"]
    assert sorted(t.discarded(1)) == ["luck", "luck"]


def test_pause_is_a_barrier():
    t = table(b={"hand": ["luck"]}, a={"hand": ["drone", "hunter"]})
    t.no(0, "nothing_open", "pause")
    t.do(0, "play_card", card=t["a.drone"], options={"draw": False})
    t.do(0, "pause")
    assert t.awaited == [(1, "barrier")]
    t.no(0, "not_your_turn", "end_phase")
    t.do(1, "let_stand")
    assert t.awaited == [(0, "action")]
    t.do(0, "play_card", card=t["a.hunter"])
    t.do(0, "pause")
    t.no(1, "not_open", "react", item=t.item("drone"), play={"card": t["b.luck"]})


def test_a_barrier_card_of_the_other_seat_waits_for_the_active_seat():
    t = table(a={"hand": ["sabotage"]}, b={"hand": ["luck", "titan"]}, turn=6, active=1)
    t.react(0, None, card=t["a.sabotage"])
    assert t.awaited == [(1, "barrier")]
    t.no(1, "wrong_phase", "end_phase")
    t.do(1, "let_stand")
    assert t.awaited == [(0, "sabotage")]
    t.choose(0, t["b.titan"])
    assert t.awaited == [(1, "action")]
    t = table(a={"hand": ["sabotage"]}, b={"hand": ["luck", "titan"]}, turn=6, active=1)
    t.react(0, None, card=t["a.sabotage"])
    t.react(1, t.item(), card=t["b.luck"])
    assert t.hand(1) == ["titan"]


BAITS = {
    "draw": ({"hand": ["discovery"]}, {"mode": 1}),
    "random discard": ({"hand": ["discovery"]}, {"mode": 2}),
    "given up for a draw": ({"play": ["satellite"]}, {}),
    "look": ({"hand": ["sabotage"]}, {}),
}


@pytest.mark.parametrize("bait", BAITS)
@pytest.mark.parametrize("ended", [False, True])
def test_nobody_takes_back_a_play_of_their_own_by_answering_an_earlier_item(bait, ended):
    """A draw would be thrown again, and a look at the hand would cost nothing."""
    side, play = BAITS[bait]
    hand = [*side.get("hand", ()), "ambush", "luck"]
    t = table(a={**side, "hand": hand}, b={"hand": ["drone", "hunter", "titan"], "actions": 9}, turn=6, active=1)
    t.do(1, "play_card", card=t["b.drone"], options={"draw": False})
    if ended:
        t.do(1, "end_phase")
        t.do(1, "end_turn")
    drone = t.item("drone")
    card = [*side.get("hand", ()), *side.get("play", ())][0]
    given_up = {"targets": [t["a.luck"]]} if play.get("mode") == 2 else {}
    t.react(0, None, card=t[f"a.{card}"], **play, **given_up)
    assert not t.state.open_items(0)
    t.no(0, "not_open", "react", item=drone, play={"card": t["a.ambush"], "targets": [t["b.drone"]]})
    t.no(0, "not_open", "react", item=drone, play={"card": t["a.luck"]})
    assert t.gone("a.satellite") if card == "satellite" else card not in t.hand(0)
    if card == "sabotage":
        t.do(1, "let_stand")
        assert t.awaited == [(0, "sabotage")]
        t.no(0, "not_open", "react", item=drone, play={"card": t["a.luck"]})


@pytest.mark.parametrize("taken", [True, False])
def test_who_takes_an_offered_draw_lets_everything_stand(taken):
    """An answer to an earlier item would open the offer again, for another draw."""
    a = {"hand": ["ambush", "luck", "luck"]}
    t = table(a=a, b={"hand": ["luck", "battlestar"], "play": ["drone"], "actions": 9}, turn=6, active=1)
    t.react(0, None, card=t["a.ambush"], targets=[t["b.drone"]])
    t.react(1, t.item(), card=t["b.luck"])
    t.do(1, "play_card", card=t["b.battlestar"])
    battlestar = t.item("battlestar")
    t.choose(0, *["draw"] * taken)
    if taken:
        t.no(0, "not_open", "react", item=battlestar, play={"card": t["a.luck"]})
    else:
        t.react(0, battlestar, card=t["a.luck"])
        assert t.gone("b.battlestar")


def test_a_play_at_a_barrier_lets_the_barrier_card_happen():
    """The barrier card itself may be answered first, or with this very card."""
    t = table(a={"hand": ["ambush", "luck"]}, b={"hand": ["sabotage"], "play": ["drone"]}, turn=6, active=1)
    t.do(1, "play_card", card=t["b.sabotage"])
    assert t.awaited == [(0, "barrier")]
    t.react(0, None, card=t["a.ambush"], targets=[t["b.drone"]])
    assert t.gone("b.drone")
    assert t.awaited == [(1, "sabotage")]


def test_a_reaction_to_the_end_of_a_turn_leaves_the_reviewer_awaited():
    b = {"play": ["battlestar"], "hand": ["luck"]}
    t = table(a={"hand": ["ambush"]}, b=b, turn=6, active=1, phase="attack", points="all")
    t.do(1, "end_turn")
    assert t.awaited == [(0, "review")]
    events = t.react(0, t.item("turn"), card=t["a.ambush"], targets=[t["b.battlestar"]])
    assert "match.rewound" not in [event["type"] for event in events]
    assert t.awaited == [(0, "review")]
    t.react(1, t.item("ambush"), card=t["b.luck"])
    assert t.piece("b.battlestar").damage == 0
    t.choose(0)
    t.do(0, "let_stand")
    assert t.state.turn == 7


def test_the_end_of_a_phase_is_a_moment_to_react_to():
    t = table(a={"hand": ["ambush"]}, b={"play": ["battlestar"]}, turn=6, active=1, points="all")
    t.do(1, "end_phase")
    t.do(1, "move", card=t["b.battlestar"])
    t.do(1, "end_turn")
    t.react(0, t.item("action"), card=t["a.ambush"], targets=[t["b.battlestar"]])
    assert t.piece("b.battlestar").damage == 3
    assert t.piece("b.battlestar").moved  # the move belongs to the item, the end of the turn does not
    assert t.awaited == [(1, "attack")]


def test_standing_orders_count_and_expire():
    order = {"when": {"kind": "play"}, "do": "react", "use": ["luck"], "times": 2}
    t = table(a={"hand": ["luck", "luck", "luck"]}, b={"hand": ["drone", "drone", "drone"]}, turn=6, active=1)
    t.do(0, "set_orders", orders=[order])
    for at in ("b.drone", "b.drone.2", "b.drone.3"):
        t.do(1, "play_card", card=t[at], options={"draw": False})
        while any(prompt.seat == 1 for prompt in t.state.prompts):
            t.choose(1)
    assert [piece.id for piece in t.state.pieces] == [t["b.drone.3"]]
    assert t.side(0).orders == ()
    t.do(0, "set_orders", orders=[{"when": {"any": True}, "do": "ask"}])
    t.do(1, "end_phase")
    t.do(1, "end_turn")
    assert t.side(0).orders == ()


def test_an_order_that_settles_reveals_the_flip_but_nothing_else():
    t = table(a={"play": [("battlestar", {"zone": "enemy"})]}, b={"station": {"draw": ["luck"]}}, phase="attack")
    t.do(1, "set_orders", orders=[{"when": {"hits_station": True}, "do": "stand"}])
    events = t.do(0, "attack_station", attacker=t["a.battlestar"], slots=["s1", "s2"])
    assert kinds(events)[:2] == ["attack_declared", "item_opened"]
    assert not [event for event in events if {"orders", "left"} & {*(t.seen(event, 0) or {})}]
    assert "left" in t.seen(events[1], 1)


def test_positions_and_restarts_between_item_and_reaction_change_nothing():
    one, two = busy_turn(hand=["luck"]), busy_turn(hand=["luck"])
    position = json.loads(json.dumps(two.ok({"op": "position"})["position"]))
    two.session = Session(GAME)
    two.ok({"op": "new", "position": position, "seed": "table"})
    for t in (one, two):
        t.dice([0], [0], [0])
        t.react(0, t.item("battlestar"), card=t["a.luck"])
    same = [codec.to_json(t.state, GAME.state, t.session.match.version) for t in (one, two)]
    assert same[0]["pieces"] == same[1]["pieces"]
    assert same[0]["sides"] == same[1]["sides"]


def test_default_of_a_blocking_prompt():
    t = table(a={"hand": ["sacrifice"], "play": ["drone"]}, b={"play": ["titan", "drone"]})
    t.do(0, "play_card", card=t["a.sacrifice"], targets=[t["a.drone"]])
    t.do(1, "let_stand")
    assert t.awaited == [(1, "sacrifice")]
    command = t.ok({"op": "default", "seat": 1})["command"]
    assert command["does"] == f"choose 1 {t['b.titan']}"
    t.do(1, "time_out")
    assert t.discarded(1) == ["titan"]


def test_timeouts_in_a_row_lose_and_a_command_resets_them():
    t = table(max_timeouts=3)
    t.do(0, "time_out")
    t.do(0, "time_out")
    assert t.side(0).timeouts == 1  # one decision: the whole turn
    assert t.state.active == 1
    t.do(1, "end_phase")
    t.do(1, "end_turn")
    t.do(0, "time_out")
    assert t.side(0).timeouts == 2
    t.do(0, "end_turn")
    assert t.side(0).timeouts == 0
    t = table(max_timeouts=1)
    command = t.ok({"op": "default", "seat": 0})["command"]
    events = t.do(0, **command)
    assert (events[-1]["data"]["winner"], events[-1]["data"]["reason"]) == (1, "timed_out")


def test_a_turn_that_a_reaction_opens_again_is_no_further_timeout():
    """Else who may react twice could win as soon as the opponent misses one turn."""
    t = table(b={"play": ["satellite"]}, points="all", max_timeouts=2)
    t.do(0, "time_out")
    t.do(0, "time_out")
    assert t.awaited == [(1, "review")]
    t.react(1, t.state.items[0].n, card=t["b.satellite"])
    assert t.awaited == [(0, "attack")]
    t.do(0, "time_out")
    assert (t.state.phase, t.side(0).timeouts) == ("review", 1)


def test_resign_ends_the_match_at_any_time():
    t = busy_turn(hand=["luck"])
    t.do(0, "resign")
    assert (t.state.winner, t.state.reason) == (1, "resigned")
    t.no(1, "over", "end_phase")


def test_orders_by_text_and_help():
    t = busy_turn(hand=["luck"], play=["avoid"])
    for text, name in (
        ("orders react kind play min 3 use Avoid cancel | stand any | flips action draw hand", "set_orders"),
        (f"React {t.item('battlestar')} Luck", "react"),
    ):
        assert t.ok({"op": "order", "seat": 0, "text": text})["command"]["name"] == name
    answer = t.session.answer({"op": "order", "seat": 1, "text": "plai hunter"})
    assert answer["refusal"]["code"] == "unreadable"
    assert "play" in answer["refusal"]["detail"]
    for prompt in (None, "action", "attack", "review", "flips"):
        assert GAME.order_help(prompt)
    assert len(GAME.order_help("action").splitlines()) <= 8


def test_pictures_and_texts_are_made_from_the_view_alone():
    t = busy_turn(hand=["luck"], play=["titan"])
    for viewer in (None, 0, 1):
        svg = GAME.picture(t.view(viewer), Caption("203", ("Ines", "Marek")))
        assert svg.startswith("<svg")
        assert 'width="720"' in svg
        assert "Hunter" in svg
    session = Session(GAME)
    session.answer({"op": "new", "seed": "blank"})
    assert session.answer({"op": "picture", "seat": 0})["svg"].startswith("<svg")
    assert "Jim Westergren" in GAME.rules_help()
    assert "unofficial" in GAME.rules_help()
    assert "| Luck | 4 | event | 0 |" in GAME.rules_help()


def test_the_match_can_go_back_to_any_version_and_continue():
    """An undo by the service may go back to the middle of a command; declared acts are then still resolved."""
    t = table(
        a={"hand": ["perfect_plan", "drone", "good_karma"], "play": ["battlestar", ("titan", {"zone": "enemy"})]},
        b={"hand": ["luck"], "play": [("drone", {"zone": "enemy"})]},
        points="all",
        max_timeouts=0,
    )
    for name, parameters in (
        ("play_card", {"card": t["a.drone"]}),
        ("end_phase", {}),
        ("attack", {"attacker": t["a.battlestar"], "target": t["b.drone"]}),
        ("attack_station", {"attacker": t["a.titan"], "slots": ["s1", "s2", "s3"]}),
        ("end_turn", {}),
    ):
        t.do(0, name, **parameters)
    last = t.session.match.version
    for version in range(1, last):
        t.ok({"op": "rewind", "version": version})
        for _ in range(12):
            [(seat, _prompt)] = t.awaited
            t.do(seat, "time_out")
            if t.state.turn > 7:
                break
        assert t.state.turn > 7
        assert t.state.limbo == ()


def test_going_back_to_an_item_and_repeating_the_commands_gives_the_same():
    def begin():
        return table(
            a={"hand": ["drone", "scout", "titan"], "play": ["battlestar"]},
            b={"hand": ["luck"], "play": [("drone", {"zone": "enemy"})]},
        )

    commands = (
        ("play_card", {"card": "a.drone"}),
        ("play_card", {"card": "a.scout"}),
        ("end_phase", {}),
        ("attack", {"attacker": "a.battlestar", "target": "b.drone"}),
    )

    def send(t, steps):
        for name, parameters in steps:
            t.do(0, name, **{key: t[value] for key, value in parameters.items()})

    one, two = begin(), begin()
    send(one, commands)
    send(two, commands)
    two.dice(list(range(8)))
    two.ok({"op": "rewind", "version": two.state.items[0].seq})
    two.do(0, "go_on")
    send(two, commands[1:])
    assert one.state.pieces == two.state.pieces
    assert one.state.sides == two.state.sides


# --- what a cancelled act has revealed ---


def told(t, events, viewer):
    """Return a viewer's copy of events as text."""
    return json.dumps([t.seen(event, viewer) for event in events])


def face_down(t, seat):
    return [card.id for card in t.side(seat).station if not card.flipped]


def test_an_attack_that_is_stopped_shows_nothing_of_the_station():
    ships = {"play": [("titan", {"zone": "enemy"})]}
    t = table(a=ships, b={"hand": ["target_missed"], "station": {"draw": 2, "hand": 2}}, phase="attack")
    attack = t.do(0, "attack_station", attacker=t["a.titan"], slots=["s1", "s2", "s3"])
    events = t.react(1, t.item(), card=t["b.target_missed"], mode=1)
    assert t.flipped(1) == []
    for viewer in (0, None):
        for card in face_down(t, 1):
            assert card not in told(t, [*attack, *events], viewer)
            assert card not in json.dumps(t.view(viewer))


def test_a_supernova_that_is_countered_shows_nothing_of_either_station():
    b = {"hand": ["supernova"], "actions": 9, "station": {"draw": 3, "hand": 3}}
    t = table(a={"play": ["avoid"], "station": {"draw": 3, "hand": 3}}, b=b, turn=6, active=1)
    play = t.do(1, "play_card", card=t["b.supernova"], slots=["s1", "s2", "s3"])
    while own := [prompt for prompt in t.state.prompts if prompt.seat == 1]:
        play += t.choose(1, *own[0].options[: own[0].least])
    assert t.flipped(0)
    events = t.react(0, t.item("supernova"), card=t["a.avoid"])
    assert t.flipped(0) == t.flipped(1) == []
    for viewer, seat in ((0, 1), (1, 0), (None, 0), (None, 1)):
        assert not [card for card in face_down(t, seat) if card in told(t, [*play, *events], viewer)]


def test_an_answer_shows_only_the_flips_of_earlier_items():
    ships = {"play": [("battlestar", {"zone": "enemy"}), ("titan", {"zone": "enemy"})]}
    t = table(a=ships, b={"hand": ["target_missed"], "station": {"draw": 2, "hand": 5}}, phase="attack")
    t.do(0, "attack_station", attacker=t["a.battlestar"], slots=["s1", "s2"])
    t.do(0, "attack_station", attacker=t["a.titan"], slots=["s3", "s4", "s5"])
    station = {card.slot: card.id for card in t.side(1).station}
    events = t.react(1, t.item("titan"), card=t["b.target_missed"], mode=1)
    assert t.flipped(1) == ["s1", "s2"]
    for slot, card in station.items():
        assert (card in told(t, events, 0)) == (slot in ("s1", "s2"))
        assert (card in json.dumps(t.view(0))) == (slot in ("s1", "s2"))


def test_an_answer_ends_a_row_of_timeouts_even_if_it_goes_back():
    t = table(a={"hand": ["luck"]}, b={"hand": ["battlestar"], "station": {"action": 3}})
    t.do(0, "time_out")
    t.do(0, "time_out")
    assert t.side(0).timeouts == 1
    t.do(1, "play_card", card=t["b.battlestar"])
    assert "match.rewound" in [event["type"] for event in t.react(0, t.item("battlestar"), card=t["a.luck"])]
    assert t.side(0).timeouts == 0
