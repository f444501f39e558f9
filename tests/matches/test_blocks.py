"""Which lines of a mail count as orders, and the ways of writing them that are understood."""

from __future__ import annotations

from typing import Any

import pytest

from gamesvc.games import catalog
from gamesvc.games.kernel.game import Game, Refused
from gamesvc.games.kernel.timeline import check_command, read_order, replay
from gamesvc.games.selfplay import bounded, play
from gamesvc.games.stratastar import GAME as STRATASTAR
from gamesvc.matches.mail_orders import blocks, order_mail, player_names
from notifications.parsing import reading
from notifications.parsing.text import strip, written
from tests.games.space_war.table import table
from tests.games.stratastar.table import Table

NAMES = ("Ines", "Marek van Dam")
CHATTER = "What a week it was, with all that snow, and the trains that stood still in the hills for hours"


def moving() -> dict[str, Any]:
    seat_table = Table(2).hand(0, "2M 1A").hand(1, "1T").put(0, "D4", fleets=2).put(0, "D5", fleets=1)
    seat_table.phase("movement", free_move=True)
    view: dict[str, Any] = seat_table.ask(op="view", seat=0)["view"]
    return view


def orders(text: str, game: Game = STRATASTAR, view: dict[str, Any] | None = None) -> list[str]:
    """Return the orders that a mail would carry out; one that would refuse the mail begins with `?`."""
    lines = order_mail.read(text, game, moving() if view is None else view, NAMES)
    return [line.understood if line.state == "read" else f"? {line.text}" for line in lines if line.is_order]


def test_what_a_line_is_known_by_depends_on_the_text_alone() -> None:
    """A worker that dies after the first order is followed by one that reads the same mail in another position."""
    long = "move D4 D3 2F paid".replace(" ", " " * 16)
    assert len(long) >= 60
    text = f"hold\n{long[:-5]}\npaid\nmove D5 D6 1F paid\nmove D5 D4 1F paid\nEND"
    first = order_mail.read(text, STRATASTAR, moving())
    again = order_mail.read(text, STRATASTAR, None)
    assert len(again) == len(first) + 1, "the rest of the broken order is a line of its own where nothing can be read"
    for line in first:
        assert line.text.split()[:3] == next(one.text.split()[:3] for one in again if one.number == line.number)


def test_long_words_are_not_remembered() -> None:
    """Mails with words of 20,000 characters took 160 MB of each worker for mail."""
    blocks._is_like.cache_clear()
    lines = order_mail.read("hlod\n" + "\n".join(letter * 1_900 for letter in "abcdefgh"), STRATASTAR, moving())
    assert lines[0].is_order
    assert blocks._is_like.cache_info().currsize == 1


MOVE, OTHER = "move D4 D3 2F paid", "move D5 D6 1F paid"


@pytest.mark.parametrize(
    "below",
    [
        "Cheers,\nBob",
        "\nBob",
        "\nSee you on Friday!",
        "\nBest wishes from the mountains,\nBob\n\n--\nBob Miller, Sales",
        "\n________________________________\nThis e-mail is confidential and intended solely for the use of the addressee.",
        "\n_______________________________________________\nGames mailing list\nhttps://lists.example.org/games",
        f"\nHave a nice week-end\n\n{CHATTER}\n\nmove D5 D6",
        "\nBegin PGP signature stuff follows\n\niQIzBAEBCAAdFiEE\n=Wxyz",
    ],
)
def test_what_follows_the_orders_is_not_read(below: str) -> None:
    lines = order_mail.read(f"{MOVE}\n{OTHER}\n{below}", STRATASTAR, moving())
    assert [line.understood for line in lines if line.is_order] == [MOVE, OTHER]
    assert not order_mail.unreadable(lines)
    assert lines[-1].state == "ignored"
    assert "not read" in lines[-1].detail


@pytest.mark.parametrize("between", ["New orders:", "Make that:", "Else:", "Neue Befehle", "Thanks, or rather:", "Option 2:"])
def test_orders_that_may_replace_those_above_keep_all_from_being_carried_out(between: str) -> None:
    for text in (f"{MOVE}\n\n{between}\n\n{OTHER}", f"{MOVE}\n{between}\n{OTHER}"):
        assert order_mail.unreadable(order_mail.read(text, STRATASTAR, moving())), text


@pytest.mark.parametrize(
    "footer",
    [
        "Please consider the environment before printing this e-mail",
        "Working part time, not on Fridays",
        "Please ignore this mail and delete it if you are not the recipient.",
    ],
)
def test_a_footer_below_the_closing_line_keeps_nobody_from_playing(footer: str) -> None:
    assert orders(strip(f"{MOVE}\n\nBest regards\nBob Miller\n\n{footer}")) == [MOVE]


@pytest.mark.parametrize(
    "comment", ["cancelled", "for next turn", "plan B, maybe", "skip this one", "Marek's", "withdrawn", "pending"]
)
def test_a_comment_that_may_revoke_an_order_is_no_comment(comment: str) -> None:
    for mark in ("#", "//"):
        assert orders(f"{MOVE} {mark} {comment}") != [MOVE]


def test_the_receipt_mentions_orders_below_other_text() -> None:
    lines = order_mail.read(
        f"{MOVE}\n\n{CHATTER}\n\n{OTHER}\nend turn",
        STRATASTAR,
        moving(),
    )
    assert [line.understood for line in lines if line.is_order] == [MOVE]
    assert "2 lines there look like orders" in lines[-1].detail


@pytest.mark.parametrize(
    "above", ["Hi there!", "Hello Ines", "So, let us see.\nHere are my orders:", "Good morning, my orders:\n"]
)
def test_a_greeting_above_the_orders_is_not_read(above: str) -> None:
    assert orders(f"{above}\n{MOVE}") == [MOVE]
    assert orders(f"{above}\n\n{MOVE}") == [MOVE]


@pytest.mark.parametrize(
    "above",
    [
        "Marek kirjoitti:",
        "Marek van Dam skrifaði:",
        "Marek wrote:",
        "Lähettäjä: Marek",
        "Stratastar 42, your turn",
        "marek@players.example",
        "one\ntwo\nthree\nfour",
        "A long line that nobody would write as a greeting, " * 3,
    ],
)
def test_orders_below_what_a_program_may_have_written_are_not_carried_out(above: str) -> None:
    assert any(line.startswith("?") for line in orders(f"{above}\n\n{MOVE}"))


@pytest.mark.parametrize(
    "remark",
    [
        "Please only preview this",
        "please wait",
        "Nicht ausführen",
        "if Marek attacks me",
        "Question, would this be legal?",
        "Sorry, ignore that",
        "No wait, do not do that",
        "no sorry, I mean",
        "Don’t do this yet",
        "No!",
        "Hi, please only preview this",
        "Thanks but not yet",
        "Scratch that, new orders come tomorrow.",
        "Please disregard.",
        "Nevermind, wrong match.",
        "Hang on, let me think about it first.",
        "Actually, Bob has a plan.",
        "I am joking.",
        "Abort.",
        "As soon as Bob moves",
        "When Bob has attacked",
        "Assuming that he passes",
        "Bob suggested these orders:",
        "Here is what Bob wrote to me",
        "Storniere das.",
        "Vergiss es.",
        "Sobald Bob zieht",
        "Annule tout",
        "Can you check whether this is legal please",
        "How do I write this",
        "Please explain.",
        "This was refused. Please help.",
        "I was going to play this",
        "Execute this at the deadline please",
        "On behalf of Marek",
        "Bitte vorher Marek fragen",
        "Das wäre mein Zug",
        "Warum geht das nicht",
    ],
)
def test_a_remark_that_may_revoke_the_orders_does_so(remark: str) -> None:
    for text in (f"{remark}\n\n{MOVE}", f"{remark}\n{MOVE}\nEND", f"{MOVE}\n\n{remark}", f"{MOVE}\n\n{remark}\n\n{OTHER}"):
        assert order_mail.unreadable(order_mail.read(text, STRATASTAR, moving())), text


@pytest.mark.parametrize(
    "below",
    [
        "Cheers,\nBob\n\nP.S. On second thought, leave all of that until Marek has moved.",
        "I have thought about it for the whole evening with my brother, and so please do not carry out the second one of these.",
        "See you on Friday!\n\nIgnore the last order please",
        "Cheers,\nBob\nPS: forget the second order",
        "Gruß\nBob\n\nP.S. Bitte noch nicht!",
        "Please ignore this email.",
        "Sorry, please disregard this email, wrong game.",
        "Don't carry these out yet, new email follows.",
        "Thanks,\nAnn\n\nOnly if Bob agrees.",
        "Thanks!\n\nHold these until tomorrow.",
        "Thanks\nAnn\n\nActually, hold these orders please.",
        "Thanks\nCancel this.",
        "Thanks\nNo, stop, wrong!",
        "Thanks\nIgnore everything above.",
        "Thanks\nNot now.",
        "Cheers\nDo not execute these",
        "Gruß\nAnn\nBitte verwerfen",
        "Gruß\nAnn\nStopp, erst morgen",
    ],
)
def test_a_remark_further_below_revokes_the_orders(below: str) -> None:
    assert order_mail.unreadable(order_mail.read(strip(f"{MOVE}\n{OTHER}\n\n{below}"), STRATASTAR, moving()))


QUOTED = "> ##- Reply above this line -##\n> Your move: build\n"


def of_mail(body: str) -> list[order_mail.Line]:
    head = "From: a@players.example\nContent-Type: text/plain; charset=utf-8\n\n"
    own = written(reading.parse(f"{head}{body}".encode()))
    return order_mail.read(own.own, STRATASTAR, moving(), NAMES, own.below, own.perhaps_quoted)


@pytest.mark.parametrize(
    "body",
    [
        f"{MOVE}\n\nOn Friday, Ben wrote:\n\n{QUOTED}end turn\n> and so on",
        f"{MOVE}\n\nOn Friday, Ben wrote:\n\n{QUOTED}{MOVE}\n",
        f"{MOVE}\n\nA gépelt sor:\n{QUOTED}\n{OTHER}\nEND",
        f"{MOVE}\n\n{QUOTED}\nCheers\n\n{OTHER}",
        f"On Friday, Ben wrote:\n{QUOTED}{OTHER}\n> and so on\n\n{MOVE}",
        f"{QUOTED}{OTHER}\nend turn\n> and so on\n\n{MOVE}\nEND",
    ],
)
def test_orders_that_may_be_quoted_are_asked_about(body: str) -> None:
    """Below a quote with orders above it, and right between quoted lines, a line may have lost its mark on the way."""
    assert order_mail.unreadable(of_mail(body))


@pytest.mark.parametrize(
    "body",
    [
        f"{MOVE}\n{OTHER}\n\nOn Friday, Ben wrote:\n{QUOTED}> {MOVE}\n\nBob Miller\nExample Ltd.",
        f"Hello Ben,\n\nOn Friday, Ben wrote:\n{QUOTED}\n{MOVE}\n{OTHER}\nEND",
        f"{QUOTED}\n{MOVE}\n\n> build: end turn\n\n{OTHER}\n\n> and so on",
        f"{QUOTED}Here you are.\n> build: end turn\n\n{MOVE}\n{OTHER}",
    ],
)
def test_answers_below_and_in_a_quote_are_orders(body: str) -> None:
    lines = [line for line in of_mail(body) if line.state != "ignored"]
    assert [line.understood for line in lines if line.is_order] == [MOVE, OTHER]


@pytest.mark.parametrize("name", ["Tim", "Stan", "Don", "E", "Reto", "Al", "Home"])
@pytest.mark.parametrize("bye", ["Thanks,", "Cheers,", "Best regards,", "Gruß", "Viele Grüße,", "Cordialement,", "Thanks Bob!"])
def test_a_signature_is_no_order(bye: str, name: str) -> None:
    for between in ("\n", "\n\n"):
        assert orders(strip(f"{MOVE}{between}{bye}\n{name}")) == [MOVE]


@pytest.mark.parametrize(("game_id", "order"), [("stratastar", "Don"), ("stratastar", "f"), ("stratastar", "Reto")])
def test_a_name_that_begins_like_an_order_is_none(game_id: str, order: str) -> None:
    game = catalog.game(game_id)
    assert orders(f"{MOVE}\n\n{order}", game) == [MOVE]
    assert orders(f"{MOVE}\n{order}", game) == [MOVE, f"? {order}"], "right below an order it may be one"
    assert orders(order, game) == [f"? {order}"]


def test_above_end_a_short_word_is_an_order() -> None:
    assert orders(f"{MOVE}\ndon\nEND") == [MOVE, "end phase"]


def test_a_name_with_a_comma_is_no_order_above_end_either() -> None:
    assert orders(f"Don,\n{MOVE}\nEND")[0] == "? Don,"


@pytest.mark.parametrize("game_id", catalog.OFFERED)
def test_no_verb_reads_words_that_mean_nothing(game_id: str) -> None:
    """Else "Keep well, Bob" or "Draw your own conclusions" below an order is one."""
    game = catalog.game(game_id)
    record = play(game, options=bounded(game), seats=2 if game.manifest.min_seats > 1 else 1, seed="verbs", check_every=0)
    state = replay(game, record.events[: record.ends[len(record.ends) // 2]]).state
    view = game.view(state, next(iter(game.awaited(state))).seat)
    for verb in (*game.verbs, "set", "time"):
        with pytest.raises(Refused):
            check_command(game, read_order(game, f"{verb} xyzzy foo", view))


def test_a_conditional_order_with_a_players_name_means_their_seat() -> None:

    def read(order: str) -> str:
        if "Annabella" in order:
            raise Refused("no_target", "There is no seat Annabella.")
        return order

    assert player_names.read_with_names("if turn_started then spy Annabella", ("Annabella", "Bob"), read).endswith("spy Red")
    assert player_names.read_with_names("if turn_started then spy hit", ("hit", "Bob"), read).endswith("hit"), "as it is written"
    with pytest.raises(Refused) as refused:
        player_names.read_with_names("if turn_started then spy Red", ("Annabella", "Red"), read)
    assert "then spy Blue" in refused.value.sentence


def test_names_that_are_colours_turn_no_order_around() -> None:
    """Red is the player in the seat Blue; the seat Red is Annabella's."""
    assert player_names.with_colours("offer Annabella give 1T", ("Annabella", "Red")) == "offer Red give 1T"
    view = Table(3).phase("movement", free_move=True).ask(op="view", seat=2)["view"]
    for name, said in (("Red", "spy Red"), ("R-ed", "spy R-ed"), ("re", "spy re"), ("deck", "spy deck")):
        [line] = order_mail.read(said, STRATASTAR, view, ("Annabella", name, "Carl"))
        assert line.state == "unreadable", name
        assert "spy Blue" in line.detail, "as the player of that name is meant"
    for said, meant in (("spy Annabella", "spy Red"), ("spy Blue", "spy Blue")):
        [line] = order_mail.read(said, STRATASTAR, view, ("Annabella", "Red", "Carl"))
        assert line.understood == meant


def test_a_name_of_two_bots_means_neither() -> None:
    [line] = order_mail.read("spy greedy bot", STRATASTAR, moving(), ("greedy bot", "greedy bot"))
    assert line.state == "unreadable"


def test_a_name_of_digits_is_no_part_of_an_id() -> None:
    t = table(a={"hand": ["titan"]})
    [line] = order_mail.read(f"play {t['a.titan']}", GAME_WAR, t.view(0), ("Ines", t["a.titan"][-2:]))
    assert line.state == "read"


@pytest.mark.parametrize("line", ["undo?", "ready?", "resign?"])
def test_a_question_is_no_order(line: str) -> None:
    [read] = order_mail.read(line, STRATASTAR, moving())
    assert read.state == "unreadable"


@pytest.mark.parametrize("line", ["mvoe D5 D6", "D5 to D6", "move", "move the fleet", "fleeet D5", "colonise the world"])
def test_a_mistyped_order_keeps_the_whole_mail_from_being_carried_out(line: str) -> None:
    for text in (f"{line}\n{MOVE}", f"{MOVE}\n{line}", f"{MOVE}\n\n{line}", f"{MOVE}\n{line}\n{OTHER}"):
        assert f"? {line}" in orders(text), text


def test_a_line_between_two_orders_or_right_above_end_is_no_chatter() -> None:
    assert "? something" in orders(f"{MOVE}\nsomething\n{OTHER}")
    assert "? something" in orders(f"{MOVE}\nsomething\nEND")


@pytest.mark.parametrize("end", ["END", "End", "end", "end.", "ENDE", "*End*"])
def test_end_as_the_last_line_is_end(end: str) -> None:
    for text in (f"{MOVE}\n{end}", f"{MOVE}\n\n{end}\n", f"{MOVE}\n{end}\nBob", f"{MOVE}\n{end}\n\nBob Miller"):
        assert orders(text) == [MOVE], text


def test_end_is_the_order_where_it_cannot_be_meant_otherwise() -> None:
    assert orders("end") == ["end phase"]
    assert orders(f"end\n{MOVE}")[0] == "end phase"
    assert orders(f"{MOVE}\nend phase") == [MOVE, "end phase"]
    [_order, note] = order_mail.read(f"{MOVE}\nend", STRATASTAR, moving())
    assert "end phase" in note.detail


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ('"move D4 D3 2F"', MOVE),
        ("*move D4 to D3, 2F*", MOVE),
        ("„move D4 D3“", "move D4 D3 paid"),
        ("1. move D4 D3.", "move D4 D3 paid"),
        ("- move D4 D3 # to the nebula", "move D4 D3 paid"),
        ("move D4 D3 // to the world", "move D4 D3 paid"),
        ("Move D4 D3;", "move D4 D3 paid"),
        ("spy Marek van Dam", "spy Blue"),
        ("spy marek van dam.", "spy Blue"),
    ],
)
def test_ways_of_writing_an_order(written: str, meant: str) -> None:
    assert orders(written) == [meant]


def test_several_orders_in_a_line() -> None:
    assert orders("move D4 D3 2F; move D5 D6 1F; end phase") == [MOVE, OTHER, "end phase"]
    assert len(orders("orders retreat never; diplomacy auto")) == 1


def test_ids_of_the_space_war_without_their_dash() -> None:
    t = table(a={"hand": ["titan"]})
    assert GAME_WAR.parse("play a1", t.view(0)) == GAME_WAR.parse(f"play {t['a.titan']}", t.view(0))


GAME_WAR = catalog.game("space_war")


@pytest.mark.parametrize(("word", "meant"), [("Hilfe", "help"), ("BRETT", "board"), ("zurück", "undo"), ("Verlauf", "history")])
def test_german_words(word: str, meant: str) -> None:
    [line] = order_mail.read(word, STRATASTAR, moving())
    assert line.word == meant


def test_a_message_is_sent_whole_or_not_at_all() -> None:
    below = "press all:\nWrite to <me@players.example> if you like.\nPlan for turn 5:\nwait and see"
    lines = order_mail.read(below, STRATASTAR, moving(), NAMES)
    assert order_mail.unreadable(lines)
    assert "Plan for turn 5" in lines[0].detail
    [line] = order_mail.read("press all:\nWrite to <me@players.example> if you like.\nBob", STRATASTAR, moving(), NAMES)
    assert line.argument.endswith("Bob")


@pytest.mark.parametrize("game_id", catalog.OFFERED)
def test_every_order_is_meant_as_one(game_id: str) -> None:
    """Else a part of the mail would be left out without a refusal."""
    game = catalog.game(game_id)
    record = play(game, options=bounded(game), seats=2 if game.manifest.min_seats > 1 else 1, seed="meant", check_every=0)
    said = {game.render(command) for seat, command in record.commands if seat is not None and "name" in command}
    assert len(said) > 10
    for order in said:
        assert blocks.means_order(order, game.verbs, game), order
        first = order.split()[0]
        assert first.casefold() in game.verbs, f"{game_id} does not list {first}"
