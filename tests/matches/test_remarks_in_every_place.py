"""Remarks in every place of a mail: what may revoke the orders keeps them back, and what people write beside them does not."""

from __future__ import annotations

from email.message import EmailMessage

import pytest

from gamesvc.games.stratastar import GAME
from gamesvc.matches.mail_orders import order_mail
from notifications.parsing import reading, text
from tests.mail_replies.positions import position

VIEW = position("stratastar").view
ORDERS = "colonize C4\nfleet"
LONG_QUOTE = f"> {'word ' * 15}"
SENTENCES = "It was a fine week-end.\nThe lake was warm."

CLEAR = """
Don't.
Only do the first one.
Only after Ben's move!
Don't build the fleet yet.
Strike that
Nope
Please don't
nur das erste
kein fleet
Nachtrag: ohne Flotte
Btw: skip the fleet
I changed my mind
Not yet
Forget it
only if Ben agrees
Cancel.
Leave the second order out, don't do it.
Nvm
roll back
ohne fleet
Vorbehaltlich
Olvídalo
Just the first.
Please ignore these orders, the right ones are in the attachment.
Don't execute this, I will print it first.
Ignore the above, see attachment.
Do not carry out the orders; the recipient was wrong.
Vergiss die Befehle, siehe Anhang.
Please wait, ask Ben (ben@example.org) at 18:00 first.
Ignore all of this and take what I wrote on 21 November:
"""
NEAR = """
Leave the second out.
These are Ben's.
That was for the other match.
just wondering
Still thinking
Do it twice
Das plant Ben
Ben plays
I got this from Ben
"""
HARMLESS = """
Bis dann
See you then
Until next time
Thanks for waiting!
Sorry this took so long.
Good luck next turn!
I did not see that coming.
Ben says hi.
No idea how this will end.
Das war knapp.
What a game!
Nice game!
No virus found in this message.
If received in error, please notify the sender and destroy all copies.
This message is intended only for the named person.
Please ignore this e-mail if you are not the intended recipient
May
Joke
Nur
Si
Skip
Esperanza
"""
PLACES = {
    "above": "{remark}\n\n{orders}",
    "right below": "{orders}\n\n{remark}",
    "below two paragraphs": "{orders}\n\nNice game!\n\nGreetings to all.\n\n{remark}",
    "below two paragraphs, above a closing": "{orders}\n\nNice game!\n\nGreetings to all.\n\n{remark}\n\nCheers,\nAnna",
    "below a closing": "{orders}\n\nCheers,\n{remark}",
    "below a name": "{orders}\n\nCheers,\nAnna\n{remark}",
    "apart below a name": "{orders}\n\nCheers,\nAnna\n\n{remark}",
    "far below a name": "{orders}\n\nCheers,\nAnna\n\nSales\n\nBerlin\n\n{remark}\n\nAnna",
    "in a signature": "{orders}\n\n-- \n{remark}\n\nAnna",
    "below a signature": "{orders}\n\n-- \nAnna\n\n{remark}",
    "below the line of a phone": "{orders}\n\nSent from my iPhone\n\n{remark}\n\nAnna",
    "below a quote": "{orders}\n\n> It is your turn\n\n{remark}\n\nThanks",
    "below a long quoted line": "{orders}\n\n{quote}\n{remark}\n\nThanks",
    "below a quote without marks": "{orders}\n\nOn 21 November 2026 at 18:00, Ben wrote:\n\n{said}\n\n{remark}\n\nAnna",
}


def done(body: str) -> list[str]:
    """Return the orders that a mail carries out; none if the player is asked about it."""
    lines = read(body)
    if order_mail.unreadable(lines):
        return []
    return [line.understood for line in lines if line.is_order and line.state == "read"]


def read(body: str) -> list[order_mail.Line]:
    mail = EmailMessage()
    mail.set_content(body)
    own, below, _quoting, perhaps_quoted = text.written(reading.parse(bytes(mail)))
    return order_mail.read(own, GAME, VIEW, ("anna", "ben"), below, perhaps_quoted)


def mail_with(remark: str, place: str) -> str:
    return PLACES[place].format(remark=remark, orders=ORDERS, quote=LONG_QUOTE, said=SENTENCES)


@pytest.mark.parametrize("place", PLACES)
def test_a_revocation_counts_in_every_place(place: str) -> None:
    assert [remark for remark in CLEAR.strip().split("\n") if done(mail_with(remark, place))] == []


@pytest.mark.parametrize("place", ["above", "right below"])
def test_any_doubt_counts_near_the_orders(place: str) -> None:
    assert [remark for remark in NEAR.strip().split("\n") if done(mail_with(remark, place))] == []


@pytest.mark.parametrize("place", sorted(PLACES.keys() - {"above"}))
def test_a_harmless_remark_keeps_back_no_order(place: str) -> None:
    left = [remark for remark in HARMLESS.strip().split("\n") if done(mail_with(remark, place)) != ORDERS.split("\n")]
    assert left == []


def test_three_lines_of_chatter_below_keep_back_no_order() -> None:
    for between in ("\n", "\n\n"):
        assert done(f"{ORDERS}{between}Sorry this took so long.\nWork was crazy this week.\nMore next time!") == ORDERS.split(
            "\n"
        )


def test_chatter_that_may_be_about_the_orders_is_asked_about_once() -> None:
    for between in ("\n", "\n\n"):
        *orders, asked = read(f"{ORDERS}{between}Lovely weather here.\nMaybe I win this time.\nMy cat sleeps.")
        assert [line.understood for line in orders] == ORDERS.split("\n")
        assert (asked.text, asked.state) == ("Lovely weather here.", "unreadable")
        assert "END" in asked.detail


@pytest.mark.parametrize(
    "name", ["Anna", "Wartenberg", "Waite", "Stopp", "Anna Stopp", "May", "Joke", "Nur", "Skip", "Esperanza"]
)
def test_a_name_below_a_closing_line_is_no_remark(name: str) -> None:
    for between in ("\n", "\n\n"):
        assert done(f"{ORDERS}\n\nCheers,{between}{name}\n\nBest Games Ltd.") == ORDERS.split("\n")


@pytest.mark.parametrize(
    "below",
    [
        "END\n\nNo virus found in this message.",
        "END\n\nStop the war!",
        "END\n\nNot on Fridays",
        "\n-- \nNever stop learning",
        "\n-- \nAnna\nWartburgstr. 12, Berlin",
        "\nCheers,\nAnna\nNo. 5 Lake Road",
        "\nSent from my iPhone. Please ignore typos.",
    ],
)
def test_what_stands_below_end_or_in_a_signature_keeps_back_no_order(below: str) -> None:
    assert done(f"{ORDERS}\n{below}") == ORDERS.split("\n")


def test_a_plain_revocation_counts_below_end_too() -> None:
    assert done(f"{ORDERS}\nEND\n\nWait, ignore these orders") == []


@pytest.mark.parametrize("greeting", ["Lieber Spielleiter,", "Lieber Herr Wartenberg,", "Liebe Spielleiterin,"])
def test_a_german_greeting_is_none(greeting: str) -> None:
    for between in ("\n", "\n\n"):
        assert done(f"{greeting}{between}{ORDERS}") == ORDERS.split("\n")


@pytest.mark.parametrize(
    "body",
    [
        "colonize C4\n\n{quote}\nfleet\n\nThanks",
        "colonize C4\n\nCheers,\nAnna\n\n{quote}\nfleet\n\nThanks",
        "colonize C4\n\n> {words}\nfleet\n> {words}\n\nCheers,\nAnna",
        "colonize C4\n\nSent from my iPhone\n\nfleet\n\nThanks",
        "colonize C4\n\n-- \nAnna\n\nfleet\n\nThanks",
    ],
)
def test_an_order_that_is_taken_for_a_quote_or_signature_is_told_of(body: str) -> None:
    lines = read(body.format(quote=LONG_QUOTE, words="word " * 11))
    assert [line.understood for line in lines if line.state == "read"] == ["colonize C4"]
    assert "looks like an order" in lines[-1].detail
    assert lines[-1].text == "fleet"
