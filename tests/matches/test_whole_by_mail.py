"""Whole matches of each game by mail only, over SMTP in both directions, from the invitation to the end.

Each game has its own test. Further tests send single mails at critical moments: the worker is killed, the mail comes twice, the
deadline passes before it is read. All run on one service.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from gamesvc.games.space_fleet_commander.bots.fleets import plan_fleet
from tests.matches import breaking
from tests.matches.breaking import Held, standing_still
from tests.matches.by_mail import Player, Table, World, running, wait_for

# Every wait has its own limit; a whole race is some fifty mails, each of which is slow on a busy machine.
pytestmark = [pytest.mark.timeout(600), pytest.mark.long]


def stratastar_plan(table: Table, seat: int) -> list[str]:
    """Give one order, then end the turn."""
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
    table.undo_freely()
    table.ask_to_undo(stratastar_plan)
    table.play_on(stratastar_plan)
    table.check_the_end(folder)


def star_commander_plan(table: Table, seat: int) -> list[str]:
    """Give one order, then end the command phase."""
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
    table.undo_freely()
    table.ask_to_undo(star_commander_plan)
    table.play_on(star_commander_plan)
    table.check_the_end(folder)


def one_fleet_order(table: Table, seat: int) -> list[str]:
    """Give the whole fleet in one mail; then one order per mail, so that a reroll is asked for before a sheet can end."""
    order = table.choose(seat)
    if not order.startswith("place"):
        return [order]
    view = table.seen(seat)["view"]
    standing = {row["slot"]: row["ship"] for row in view["sheet"]["roster"]}
    ships = [one for one in plan_fleet(tuple(view["formation"])) if standing.get(one[2]) != one[1]]
    return [f"place {die} {ship} {slot}" for die, ship, slot in ships]


def fleet_plan(table: Table, seat: int) -> list[str]:
    """Play as before; then keep dice as they fall if the rules allow it, which ends turns fast."""
    orders = one_fleet_order(table, seat)
    kept = ["keep"] * 12
    if orders[0].startswith(("keep", "reroll")) and orders[0] != "reroll hit":
        return kept
    if orders[0].startswith(("push", "end")):
        return ["end", *kept]
    return [*orders, "end", *kept] if orders[0].startswith("explore") else orders


def play_space_fleet(world: World, folder: Path) -> None:
    """Play Space Fleet Commander. Both players are asked at once from the beginning, so the timeout comes with the fleets.

    The clock leaves them time for their vacations on the slowest machine. While it runs down for one, the other plays.
    """
    table = Table(world, "space_fleet_commander", options={"mode": "race"}, clock={"turn": "16h", "vacation": True})
    table.invite("emma", "finn")
    table.go_on_vacation()
    assert table.prompts() == ["fleet", "fleet"], "the clock was faster than two mails"
    table.cross()
    table.mend_a_mistake()
    table.stop_in_the_middle("confirm")
    table.undo_freely()
    table.lay_by(1, "if dice_rolled seat=1 then keep")
    table.ask_to_undo(one_fleet_order)
    while "fleet" in table.prompts():
        table.step(fleet_plan)
    slow = table.mover()
    table.come_back(slow)
    while table.left() > timedelta(seconds=40) and 1 - slow in table.asked():
        table.step(fleet_plan, 1 - slow)
    table.run_out_of_time(late=False)
    table.play_on(fleet_plan)
    table.check_the_end(folder)


def space_war_plan(table: Table, seat: int) -> list[str]:
    """Give one order, then end the turn if nothing has to be discarded."""
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
    table.undo_freely()
    table.ask_to_undo(space_war_plan)
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
def world(tmp_path_factory: pytest.TempPathFactory, django_db_modify_db_settings: None) -> Iterator[World]:
    with running(tmp_path_factory.mktemp("by_mail")) as started:
        yield started


@pytest.mark.parametrize("game", MATCHES)
def test_a_whole_match_by_mail(world: World, tmp_path: Path, game: str) -> None:
    sent = len(world.sink.messages)
    MATCHES[game](world, tmp_path)
    assert len(world.sink.messages) > sent


# --- single mails ---

# Long enough that no clock runs out.
CALM = {"turn": "700h"}


def two_at_a_table(world: World, **opened: object) -> Table:
    table = Table(world, "stratastar", entry="public", **opened)
    table.sit_down("ida", "jan")
    return table


def deeds(table: Table, after: int) -> list[str]:
    """Return the acts of players and the clock since a version, as their channels."""
    found: list[str] = breaking.ask(table.world, breaking.DEEDS, table.match, after)
    return found


def check_done_once(table: Table, player: Player, message_id: str, *, after: int) -> None:
    """Check that one order of a mail was carried out, and that it got one receipt.

    More would have come before the next answer.
    """
    receipt = player.receipt(message_id)
    assert "1 order done" in receipt.subject, receipt.text
    assert "Status" in player.answer("status\nEND", to=receipt).subject
    assert player.receipts(message_id) == [receipt]
    assert deeds(table, after) == ["mail"]


@pytest.mark.parametrize("moment", ["before its order stands", "before its receipt is queued"])
def test_a_mail_whose_worker_is_killed_is_done_once(world: World, moment: str) -> None:
    table = two_at_a_table(world, clock=CALM)
    seat, before = table.mover(), table.version
    player, asked, order = table.players[seat], table.mail_of(seat), table.choose(seat)
    with Held(world, breaking.MATCH, table.match) as match_row:
        sent = player.write(f"{order}\nEND", to=asked)
        wait_for(match_row.awaited, "the order to be on its way into the record")
        with Held(world, breaking.MAIL, sent) as mail_row:
            if moment == "before its receipt is queued":
                match_row.release()
                wait_for(mail_row.awaited, "the mail to be settled")
                assert deeds(table, before) == ["mail"]
            breaking.kill(world, "inbound")
            # The result and its receipt are one statement: the server would complete it without its worker.
            mail_row.forget()
            assert not player.receipts(sent)
    # The dead worker's lease would run out in a minute.
    hurry = "UPDATE notifications_inbound_mail SET claimed_until = NULL WHERE message_id = %s AND attempts = 1 RETURNING status"
    assert breaking.ask(world, hurry, sent) == "waiting"
    check_done_once(table, player, sent, after=before)


def test_a_mail_that_comes_twice_is_done_once(world: World) -> None:
    """Twice at once before either is read, and once more after the answer."""
    table = two_at_a_table(world, clock=CALM)
    seat, before = table.mover(), table.version
    player = table.players[seat]
    mail = player.letter(f"{table.choose(seat)}\nEND", to=table.mail_of(seat))
    with standing_still(world, "inbound"), ThreadPoolExecutor(2) as pool:
        list(pool.map(player.post, [mail, mail]))
    player.receipt(str(mail["Message-ID"]))
    player.post(mail)
    check_done_once(table, player, str(mail["Message-ID"]), after=before)
    assert len(player.receipts(str(mail["Message-ID"]))) == 1


def test_the_moment_at_our_border_counts(world: World) -> None:
    """A mail received before the deadline counts even if it is read after it; one received after it does not, even if the clock
    is late.

    Both players are away when they are asked, so that nothing hurries; their clocks run once they cancel it.
    """
    today = datetime.now(UTC).date()
    days = {"first": str(today), "last": str(today + timedelta(days=2))}
    away = {name: world.eyes(name).post("/api/v1/me/absences/", days).body["id"] for name in ("ida", "jan")}
    table = two_at_a_table(world, clock={"turn": "2h", "vacation": True})

    def come_back(player: Player) -> datetime:
        """Return the deadline that runs from now on."""
        assert table.left() > timedelta(days=1)
        assert player.eyes.call("DELETE", f"/api/v1/me/absences/{away[player.name]}/").status == 200
        assert table.left() < timedelta(seconds=10)
        return datetime.fromisoformat(table.seen()["awaited"][0]["due_at"])

    seat, before = table.mover(), table.version
    early, order = table.players[seat], table.choose(seat)
    asked = early.newest("your-turn", table.about)
    with standing_still(world, "inbound"):
        sent = early.write(f"{order}\nEND", to=asked)
        due = come_back(early)
        # The sweep has found it, and puts it off by seconds: a lease would be a minute.
        put_off = "SELECT count(*) FROM matches_question WHERE match_id = %s AND claimed_until BETWEEN due_at AND now() + '9s'"
        wait_for(lambda: breaking.ask(world, put_off, table.match), "the clock to wait for the mail")
        assert datetime.now(UTC) > due
        assert not deeds(table, before)
    check_done_once(table, early, sent, after=before)
    assert "match.timed_out" not in [event.get("type") for event in table.events()]

    late, before = table.players[table.mover()], table.version
    assert late is not early
    order, asked = table.choose(1 - seat), late.newest("your-turn", table.about)
    due = come_back(late)
    with Held(world, breaking.QUESTION, table.match, 1 - seat):
        wait_for(lambda: table.left() < timedelta(0), "the deadline to pass")
        receipt = late.answer(f"{order}\nEND", to=asked)
        assert "Nothing was done" in receipt.subject, receipt.text
        assert f"The deadline for this answer was {due:%d %b %Y %H:%M} UTC." in " ".join(receipt.text.split())
        assert not deeds(table, before)
    assert wait_for(lambda: deeds(table, before), "the clock to act")[0] == "clock"
    assert "mail" not in deeds(table, before)
    assert "match.timed_out" in [event.get("type") for event in table.events(before)]
