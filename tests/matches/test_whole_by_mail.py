"""Whole matches of each game by mail only, over SMTP in both directions, from the invitation to the end.

All on one running service; each game has a test of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from gamesvc.games.space_fleet_commander.fleeting import plan_fleet
from tests.matches.by_mail import Table, World, running

pytestmark = pytest.mark.timeout(280)


def stratastar_plan(table: Table, seat: int) -> list[str]:
    """One order, then the rest of the turn is left."""
    order = table.choose(seat)
    if order in ("end", "end turn"):
        return ["end turn"]
    return [order] if order.startswith("home") else [order, "end turn"]


def play_stratastar(world: World, folder: Path) -> None:
    table = Table(world, "stratastar", options={"max_rounds": 2})
    table.invite("anna", "ben")
    table.run_out_of_time()
    table.go_on_vacation()
    while table.prompt() in ("homeworld", "retool"):
        table.step()
    later = 1 - table.mover()
    table.lay_by(later, f"if turn_started seat={later} then retool none")
    table.mend_a_mistake()
    table.stop_in_the_middle("battle D5")
    table.take_back_freely()
    table.ask_to_take_back(stratastar_plan)
    table.play_on(stratastar_plan)
    table.check_the_end(folder)


def star_commander_plan(table: Table, seat: int) -> list[str]:
    """One order, then the command phase is over."""
    order = table.choose(seat)
    return [order] if order.startswith("end") or table.kind() != "turn" else [order, "end"]


def play_star_commander(world: World, folder: Path) -> None:
    table = Table(world, "star_commander", options={"turn_limit": 7})
    table.invite("clara", "dan")
    table.run_out_of_time()
    table.go_on_vacation()
    table.mend_a_mistake()
    later = 1 - table.mover()
    table.lay_by(later, f"if turn_started seat={later} then end command")
    table.stop_in_the_middle("fire nothing")
    table.take_back_freely()
    table.ask_to_take_back(star_commander_plan)
    table.play_on(star_commander_plan)
    table.check_the_end(folder)


def one_fleet_order(table: Table, seat: int) -> list[str]:
    """The whole fleet in one mail; then one order a mail, so that the first dice are asked back before a sheet can end."""
    order = table.choose(seat)
    if not order.startswith("place"):
        return [order]
    view = table.seen(seat)["view"]
    standing = {row["slot"]: row["ship"] for row in view["sheet"]["roster"]}
    ships = [one for one in plan_fleet(tuple(view["formation"])) if standing.get(one[2]) != one[1]]
    return [f"place {die} {ship} {slot}" for die, ship, slot in ships]


def fleet_plan(table: Table, seat: int) -> list[str]:
    """The same; then dice are kept as they fall, as far as the rules go on with it, which ends turns fast."""
    orders = one_fleet_order(table, seat)
    kept = ["keep"] * 12
    if orders[0].startswith(("keep", "reroll")):
        return kept
    if orders[0].startswith(("push", "end")):
        return ["end", *kept]
    return [*orders, "end", *kept] if orders[0].startswith("explore") else orders


def play_space_fleet(world: World, folder: Path) -> None:
    """Here both are asked at once, from the beginning; so the clock comes when the fleets are formed."""
    table = Table(world, "space_fleet_commander", options={"mode": "race"})
    table.invite("emma", "finn")
    table.give_more_time(hours=20)
    table.go_on_vacation()
    assert table.prompts() == ["fleet", "fleet"], "the clock was faster than the organiser"
    table.cross()
    table.mend_a_mistake()
    table.stop_in_the_middle("confirm")
    table.take_back_freely()
    table.lay_by(1, "if dice_rolled seat=1 then keep")
    table.ask_to_take_back(one_fleet_order)
    while "fleet" in table.prompts():
        table.step(fleet_plan)
    table.come_back(table.mover())
    table.run_out_of_time(late=False)
    table.play_on(fleet_plan)
    table.check_the_end(folder)


def space_war_plan(table: Table, seat: int) -> list[str]:
    """One order, then the turn is over where nothing has to be discarded."""
    order = table.choose(seat)
    if order == "end turn" or table.prompt() not in ("action", "attack"):
        return [order]
    return ["end phase", "end turn"] if order == "end phase" else [order, "end phase", "end turn"]


def play_space_war(world: World, folder: Path) -> None:
    table = Table(world, "space_war", options={"max_timeouts": 0})
    table.invite("gina", "hugo")
    table.run_out_of_time()
    table.go_on_vacation()
    table.cross()
    table.mend_a_mistake()
    table.stop_in_the_middle("end turn")
    later = 1 - table.mover()
    table.lay_by(later, f"if turn_ended seat={1 - later} then stand")
    table.take_back_freely()
    table.ask_to_take_back(space_war_plan)
    for _turn in range(8):
        table.step(space_war_plan)
    seat = table.mover()
    asked = table.say(seat, "resign")
    assert "resign yes" in asked.text
    assert not table.over
    table.say(seat, "resign yes")
    assert table.over
    table.check_the_end(folder)


MATCHES: dict[str, Callable[[World, Path], None]] = {
    "stratastar": play_stratastar,
    "star_commander": play_star_commander,
    "space_war": play_space_war,
    "space_fleet_commander": play_space_fleet,
}


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    with running(tmp_path_factory.mktemp("by_mail")) as started:
        yield started


@pytest.mark.parametrize("game", MATCHES)
def test_a_whole_match_by_mail(world: World, tmp_path: Path, game: str) -> None:
    sent = len(world.sink.messages)
    MATCHES[game](world, tmp_path)
    assert len(world.sink.messages) > sent
