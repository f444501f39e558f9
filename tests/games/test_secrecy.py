"""The secrecy checks find leaks, and self-play with interruptions finds none in any game."""

from __future__ import annotations

import importlib
import random
from collections import Counter
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass, fields, replace
from typing import Any

import pytest

from gamesvc.games import catalog, records, selfplay
from gamesvc.games.kernel.dice import seeded
from gamesvc.games.kernel.events import REWOUND
from gamesvc.games.kernel.game import Event, Game, Refused
from gamesvc.games.kernel.timeline import Run, Timeline, check_options, replay
from gamesvc.games.secrecy import Broken, Watch, command_of, rewind_of
from gamesvc.games.selfplay import Record, bounded, play
from gamesvc.games.space_fleet_commander import GAME as FLEET
from gamesvc.games.space_war import GAME as SPACE_WAR
from gamesvc.games.space_war.events.answers import OrdersSet
from gamesvc.games.space_war.rules import acts
from gamesvc.games.star_commander import GAME as STAR_COMMANDER
from gamesvc.ops.management.commands.selfplay import fitting_seats, vary
from tests.games.space_war.table import Table, table
from tests.games.star_commander.table import Table as StarTable
from tests.games.toy import GAME as TOY
from tests.games.toy import State as ToyState

pytestmark = pytest.mark.long

SHORT = {
    "stratastar": {"max_rounds": 4},
    "space_fleet_commander": {"mode": "race"},
    "star_commander": {"turn_limit": 6},
    "space_war": {"decks": ["terrans", "swarm"]},
}


@pytest.mark.parametrize("game_id", catalog.OFFERED)
def test_a_match_with_rewinds_forks_and_acts_out_of_turn_keeps_its_secrets(game_id: str) -> None:
    game = catalog.game(game_id)
    checks: Counter[str] = Counter()
    for seed in ("secrecy", "c"):
        record = play(game, options=SHORT[game_id], seats=2, seed=seed, check_every=3, interrupt=0.5)
        checks += record.checks
        again = records.load(records.dump(game, record))
        records.check_replay(game, again)
        records.check_again(game, again)
    assert min(checks["rewinds"], checks["undos"], checks["redos"]) > 2
    assert checks["doubled acts alike"] > 10


def test_a_form_may_name_a_card_that_lay_open_where_the_answer_goes_back_to() -> None:
    """In this match an attack turns Ambush of the station up, and Station Repair turns it down again. At the end of the attack,
    where an answer to it goes back to, it still lies open for its owner."""
    options = {"decks": ["united_stars", "united_stars"], "reaction_points": "all", "max_timeouts": 18}
    record = play(SPACE_WAR, options=options, seats=2, seed="29112600-109", bots=("random", "greedy"), interrupt=0.1)
    assert record.outcome is not None


@pytest.mark.parametrize("seed", range(30))
def test_the_toy_keeps_its_secrets(seed: int) -> None:
    record = play(TOY, options={}, seats=2, seed=f"secrecy {seed}", interrupt=0.4)
    assert record.outcome is not None
    assert record.checks["acts"] == len(record.commands)


def broken(game: Game[Any]) -> str:
    """Return the leak that self-play finds in a game within some matches; empty if none."""
    for seed in range(20):
        try:
            play(game, options={}, seats=2, seed=f"broken {seed}", interrupt=0.4)
        except Broken as found:
            return str(found)
    return ""


def test_an_event_that_reveals_must_say_so() -> None:
    assert "no event reveals anything" in broken(replace(TOY, reveals=lambda event: False))


def test_public_events_are_visible_to_every_seat() -> None:
    def redact(event: Event, viewer: int | None) -> Any:
        return event.data if viewer is None else TOY.redact(event, viewer)

    assert "all seats" in broken(replace(TOY, redact=redact)) or "None" in broken(replace(TOY, redact=redact))


def test_who_awaits_the_result_depends_on_nothing_hidden() -> None:
    """An undo asks these seats, so that its offer would tell."""
    with_orders = replace(TOY, awaiting_result=lambda state: [seat for seat, orders in enumerate(state.orders) if orders])
    assert "the awaited changes with hidden things" in broken(with_orders)


def test_what_happens_to_an_absent_seat_depends_on_nothing_hidden_from_it() -> None:
    """It is told before the time runs out."""

    def default_command(state: ToyState, seat: int) -> Any:
        return {**TOY.default_command(state, seat), "last": state.deck[:1]}

    assert "the default changes with hidden things" in broken(replace(TOY, default_command=default_command))


def test_a_sealed_act_changes_no_view() -> None:
    def view(state: Any, viewer: int | None) -> Any:
        return {**TOY.view(state, viewer), "orders": list(map(bool, state.orders))}

    assert "hidden" in broken(replace(TOY, view=view))


@dataclass(frozen=True, slots=True)
class Midway(ToyState):
    """A state of the toy game that knows when it is in the middle of drawing a card."""

    drawing: bool = False


def evolve_midway(state: Any, event: Event) -> Midway:
    after = TOY.evolve(state, event)
    return Midway(**{name.name: getattr(after, name.name) for name in fields(ToyState)}, drawing=event.type == "drew")


@pytest.mark.parametrize("peeks", [False, True])
def test_a_view_in_the_middle_of_an_act_shows_only_what_events_reveal(peeks: bool) -> None:
    """A seat that draws a card learns it, but its view at that moment must not also show the next card of the deck."""

    def view(state: Any, viewer: int | None) -> Any:
        top = state.deck[:1] if peeks and state.drawing and viewer == state.turn % 2 else ()
        return {**TOY.view(state, viewer), "top": list(top)}

    found = broken(replace(TOY, evolve=evolve_midway, state=Midway, view=view))
    assert ("no event tells what a view in the middle of the act shows: after drew" in found) is peeks, found


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({}, r"the view of 0 after card_drawn names \['c\d+'\], which nothing tells"),
        ({"ids": lambda state: ()}, "no event tells what a view in the middle of the act shows: after card_drawn"),
    ],
)
def test_an_answer_that_shows_the_next_top_card_is_found(changes: dict[str, Any], named: str) -> None:
    """Between the events of an answer, Star Commander 1.1.0 showed the new top card of the deck."""

    def view(state: Any, viewer: int | None) -> Any:
        shown = STAR_COMMANDER.view(state, viewer)
        if state.prompt.what == "keep_or_discard" and viewer == state.prompt.seat:
            uids = state.decks[state.work[-1]["domain"]][:1]
            shown["prompt"] = {**shown["prompt"], "cards": [[uid, state.faces[uid]] for uid in uids]}
        return shown

    table = StarTable().system("1,1", "trade_world", 0, 1).credits(0, 3)
    table.tech(0, "research_initiative")
    table.done(0, "trade_draw", domain="industry")
    answer = {"name": "choose", "value": "keep"}
    watched(table, 0, answer, STAR_COMMANDER)
    with pytest.raises(Broken, match=named):
        watched(table, 0, answer, replace(STAR_COMMANDER, view=view, **changes))


def watched(t: Table | StarTable, seat: int, command: dict[str, Any], game: Game[Any] = SPACE_WAR) -> Run[Any]:
    """Send a command at a table with the secrecy checks on."""
    timeline = t.session.match
    watch = Watch(game, timeline, random.Random(1), "watched")
    watch.look()
    act, dice = command_of(seat, command), seeded("watched", next_draw=timeline.draws)
    run = act(timeline, dice)
    watch.follow(run, act, seeded("watched").source, timeline.draws, seat)
    return run


def settle_first(flow: Any, seat: int, params: Any) -> None:
    """Answer as version 1.0.1 did: settle the answered item first, then go back."""
    item = next(item for item in flow.state.items if item.n == params["item"])
    flow.settle(seat, item.n)
    flow.back(item.seq, cause="reaction", seat=seat, item=item.n)
    acts.respond(flow, seat, item.n, params["play"]["card"])


@pytest.mark.parametrize("react", [acts.react, settle_first])
def test_an_answer_does_not_reveal_what_it_undoes(react: Callable[..., None], monkeypatch: pytest.MonkeyPatch) -> None:
    ships = {"play": [("titan", {"zone": "enemy"})]}
    t = table(a=ships, b={"hand": ["target_missed"], "station": {"draw": 2, "hand": 2}}, phase="attack")
    t.do(0, "attack_station", attacker=t["a.titan"], slots=["s1", "s2", "s3"])
    answer = {"name": "react", "item": t.item(), "play": {"card": t["b.target_missed"], "mode": 1}}
    monkeypatch.setitem(importlib.import_module("gamesvc.games.space_war.rules.decide")._OTHERS, "react", react)
    if react is acts.react:
        assert REWOUND in [event.type for event in watched(t, 1, answer).events]
    else:
        with pytest.raises(Broken, match="items_settled tells None of"):
            watched(t, 1, answer)


def test_sealed_events_in_an_act_of_another_do_not_depend_on_what_only_that_seat_knows(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def decide(run: Run[Any], seat: int, command: Any) -> None:
        SPACE_WAR.decide(run, seat, command)
        if "titan" in (run.state.cards[card] for card in run.state.sides[seat].hand):
            run.emit(OrdersSet(seat=seat, orders=[], flip_preference=None))

    t = table(a={"hand": ["titan", "drone"]}, b={"hand": ["hunter"]})
    monkeypatch.setattr(t.session.match, "game", replace(SPACE_WAR, decide=decide))
    with pytest.raises(Broken, match="seat 1: hidden things decide how many sealed events there are: the end is event 4"):
        watched(t, 0, {"name": "end_phase"}, t.session.match.game)


@pytest.mark.parametrize("leaks", [False, True])
def test_sealed_events_in_an_act_do_not_depend_on_hidden_things(leaks: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """In The Space War 1.2.2 an order that let an item stand added two: the acting seat counted them by their versions."""

    def decide(run: Run[Any], seat: int, command: Any) -> None:
        SPACE_WAR.decide(run, seat, command)
        if leaks and run.state.sides[1 - seat].orders:
            run.emit(OrdersSet(seat=1 - seat, orders=[], flip_preference=None))

    t = table(a={"hand": ["drone"]}, b={"hand": ["titan"]})
    t.do(1, "set_orders", orders=[{"when": {"any": True}, "do": "stand"}])
    monkeypatch.setattr(t.session.match, "game", replace(SPACE_WAR, decide=decide))
    command = {"name": "play_card", "card": t["a.drone"], "options": {"draw": False}}
    if leaks:
        with pytest.raises(Broken, match="how many sealed events there are: the end is event 6 of the act, redealt 5"):
            watched(t, 0, command, t.session.match.game)
    else:
        assert watched(t, 0, command).state.items[-1].settled


@pytest.mark.parametrize(
    ("told", "found"),
    [
        (lambda state: (), ""),
        (lambda state: [deck[0] for deck in state.decks.values()], "changes with what it names"),
        (lambda state: [uid for uid, card in state.faces.items() if card == "barrage"], "changes with what it names"),
    ],
)
def test_the_refusal_of_a_wrong_command_tells_nothing_of_what_it_names(told: Callable[..., Any], found: str) -> None:
    """A seat may name ids of cards that it cannot know. It must not read where they lie, or which cards they are."""

    def decide(run: Run[Any], seat: int, command: Any) -> None:
        try:
            STAR_COMMANDER.decide(run, seat, command)
        except Refused as refused:
            raise Refused(refused.code, f"{refused.detail} {command['uid'] in told(run.state)}", refused.parameter) from refused

    timeline: Timeline[Any] = Timeline(replace(STAR_COMMANDER, decide=decide))
    timeline.follow(timeline.begin(check_options(timeline.game, {"edition": "classic"}, 2), 2, seeded("named")))
    watch = Watch(timeline.game, timeline, random.Random(1), "watched")
    with pytest.raises(Broken, match=found) if found else nullcontext():
        for _ in range(100):
            watch.check_named(0, {"name": "play_command", "uid": "c01"}, watch.rng)
    assert found or watch.counts["named"] == 100


def gone_back() -> Table:
    """Return a match that an answer to an attack took back from the next turn, whose commands the attacker may repeat."""
    ships = {"play": [("titan", {"zone": "enemy"})], "station": {"hand": 2}}
    begun = table(a=ships, b={"hand": ["target_missed"], "station": {"draw": 2, "hand": 2}}, phase="attack")
    again = replace(begun.state.sides[0], extra_turns=1)
    t = Table(replace(begun.state, sides=(again, begun.state.sides[1])), begun.names)
    t.do(0, "attack_station", attacker=t["a.titan"], slots=["s1", "s2", "s3"])
    attack = t.item()
    t.do(0, "end_turn")
    t.do(0, "end_phase")
    assert t.state.phase == "attack"
    t.do(1, "react", item=attack, play={"card": t["b.target_missed"], "mode": 1})
    return t


def test_a_repeated_turn_shows_what_it_had_shown() -> None:
    """A seat may look at its own station in its upkeep, so also while its commands are repeated after the match went back."""
    t = gone_back()
    run = watched(t, 0, {"name": "replay"})
    assert (run.state.turn, run.state.phase) == (t.state.turn + 1, "attack")


def test_a_match_may_go_back_into_the_middle_of_a_command(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody may act there, so there are no forms to compare: The Space War has none while it reveals the preparation."""
    gone: list[int] = []

    def go_back(record: Record, timeline: Timeline[Any], *_: object) -> tuple[None, dict[str, Any] | None]:
        revealed = [at for at, event in enumerate(record.events, 1) if event.type == "preparation_revealed"]
        if not revealed or gone:
            return None, None
        gone.append(revealed[0])
        assert not selfplay.playable(timeline, record, gone[0])
        return None, {"to": gone[0]}

    monkeypatch.setattr(selfplay, "_interruption", go_back)
    options = {"starter": "random", "reaction_points": "all", "max_timeouts": 6}
    record = play(SPACE_WAR, options=options, seats=2, seed="middle", bots=("greedy", "random"), interrupt=1.0)
    assert (None, {"to": gone[0]}) in record.commands
    assert record.outcome is not None


def test_within_a_command_a_match_goes_on_only_where_the_game_may_go_back_to() -> None:
    """Between the damage of an attack and the destruction that it brings, what was hit is worse than destroyed."""
    options = bounded(SPACE_WAR)
    record = play(SPACE_WAR, options=options, seats=2, seed="mid11", bots=("random", "greedy"), check_every=0, interrupt=0.05)
    timeline = replay(SPACE_WAR, record.events)
    within = sorted({*range(record.ends[0], record.ends[-1])} - {*record.ends})
    playable = [version for version in within if selfplay.playable(timeline, record, version)]
    assert playable
    assert not [(version, *faults) for version in playable if (faults := SPACE_WAR.faults(timeline.at(version)))]


def test_an_undo_that_nobody_may_know_of_leaves_what_another_may_repeat() -> None:
    """In The Space War 1.2.0 it took from the active player the commands that they might repeat."""
    t = gone_back()
    timeline = t.session.match
    version, offered = timeline.version, SPACE_WAR.view(timeline.state, 0)["replay"]
    assert offered
    t.do(1, "set_orders", orders=[{"when": {"kind": "attack"}, "do": "stand"}])
    undo = {"to": version, "cause": "undo", "seat": 1, "private": True}
    timeline.follow(rewind_of(undo)(timeline, seeded("undone", next_draw=timeline.draws)))
    assert timeline.version > version + 1
    assert SPACE_WAR.view(timeline.state, 0)["replay"] == offered


@pytest.mark.parametrize("game_id", catalog.OFFERED)
def test_every_option_varies(game_id: str) -> None:
    game, drawn = catalog.game(game_id), {}
    for number in range(400):
        options = vary(game, random.Random(number))
        assert fitting_seats(game, options, random.Random(number))
        for name, value in options.items():
            drawn.setdefault(name, []).append(value)
    for name, schema in game.manifest.options["properties"].items():
        values = [repr(value) for value in drawn[name]]
        assert len(set(values)) > 1, name
        assert {repr(value) for value in schema.get("enum", ())} <= set(values), name


@pytest.mark.parametrize("told", [True, False])
def test_who_lets_a_turn_of_others_begin_knows_that_they_roll(told: bool) -> None:
    """Else a seat could undo its end freely, again and again, until the others have the dice that it wants them to have."""
    fleet = FLEET if told else replace(FLEET, reveals=lambda event: event.type != "turn_started" and FLEET.reveals(event))
    timeline: Timeline[Any] = Timeline(fleet)
    dice, rng = seeded("lockstep"), random.Random(3)
    options = check_options(fleet, {"mode": "race", "lockstep": True}, 3)
    timeline.follow(timeline.begin(options, 3, dice))
    while waiting := [one.seat for one in fleet.awaited(timeline.state) if one.seat != 2]:
        view, forms = fleet.view(timeline.state, waiting[0]), fleet.legal_commands(timeline.state, waiting[0])
        timeline.follow(timeline.command(waiting[0], dict(fleet.bots["greedy"](view, forms, rng)), dice))
    watch, act = Watch(fleet, timeline, random.Random(1), "watched"), command_of(2, {"name": "resign"})
    run = act(timeline, dice)
    assert {event.data["seat"] for event in run.events if event.type == "dice_rolled"} == {0, 1}
    if told:
        watch.follow(run, act, dice.source, timeline.draws, 2)
    else:
        with pytest.raises(Broken, match="its act throws dice"):
            watch.follow(run, act, dice.source, timeline.draws, 2)
