"""Answers to messages by mail: none is passed on with the writer's own orders in it, and none without half of its text."""

from __future__ import annotations

import pytest

from gamesvc.matches.lobby import opening, press, substitutes
from gamesvc.matches.models import Press
from gamesvc.matches.record import loading
from gamesvc.matches.record.append import Actor
from notifications.parsing.text import MARK
from tests.mailing import mailing, verify  # noqa: F401
from tests.matches.test_mail_words import flat

pytestmark = pytest.mark.django_db

HELLO = "Hello"


@pytest.fixture
def answered(anna, ben, mailing):  # noqa: F811
    """A match in which the player who is awaited has got a message. Return what answers it, and the mail that comes back."""
    verify(anna, ben)
    match = opening.join_match(by=ben, match=opening.create_match(by=anna, game="stratastar"))
    seat = loading.load(match.id, match.game).awaited()[0].seat
    players = {one.index: one.user for one in match.seats.select_related("user")}
    press.say(match=match, by=players[1 - seat], by_seat=1 - seat, to="all", text=HELLO, channel="web")
    mailing.work()
    address = f"{players[seat].username}@players.example"
    notice = [one for one in mailing.sink.to(address) if one.message["X-Game-Reason"] == "press"][-1]

    def answer(text, meanwhile=lambda: None):
        before = len(mailing.sink.to(address))
        mailing.write(text, to=str(notice.message["Reply-To"]), sender=address)
        meanwhile()
        mailing.work()
        return " ".join(flat(one) for one in mailing.sink.to(address)[before:])

    return answer


def passed_on():
    return [one.text for one in Press.objects.order_by("said_at") if one.text != HELLO]


@pytest.mark.parametrize(
    "said",
    [
        "Here are my orders for this turn:\n\nplace A1",
        "Hi,\n\nplace A1\n\nThanks and have a nice weekend, everybody!",
        "place A1\nplaec J10",
        "Dear Ben, that sounds good and I agree with you.\n\nplace A1\n\nCheers\nAnna",
        "orders when_unable ask",
    ],
)
def test_orders_beside_a_message_are_shown_to_nobody(answered, said):
    assert "that you can give now, and others would read it" in (told := answered(said)) or "nothing but orders" in told
    assert passed_on() == []


@pytest.mark.parametrize(
    "said",
    ["Place A1 if you like, I take the other side.", "All done here", "I suggest that you attack E5 with 3F and I attack D4."],
)
def test_talk_about_orders_is_passed_on(answered, said):
    assert answered(said) == ""
    assert passed_on() == [said]


@pytest.mark.parametrize(
    "said",
    [
        "Hi Ben,\n\nThanks!\n\nI will move to B3 and you take C4. OK",
        "Hallo Ben,\n\ndanke!\n\nIch greife morgen früh Carla an.",
        "Hi\n\nThank you all.\n\nI resign from the alliance.",
    ],
)
def test_thanks_in_the_middle_end_no_message(answered, said):
    assert answered(said) == ""
    assert passed_on() == [said]


@pytest.mark.parametrize(
    "said",
    [
        "I agree.\n\nCheers\nAnna\n\nPS: only if you leave B3",
        "Ok.\n\nBest\n\nAnna\n\nP.S. Not before Friday.",
        "I agree.\n\nCheers\nAnna\n\nOne more thing, please leave B3 before you attack.",
    ],
)
def test_a_postscript_is_not_lost(answered, said):
    told = answered(said)
    assert "stands below the closing line of your mail" in told
    assert passed_on() == []
    assert answered(f"{said}\nEND") == ""
    assert passed_on() == [said]


@pytest.mark.parametrize(
    "said",
    [
        "Hi Ben,\n\nOn Monday Carla wrote:\n\nLet us attack Ben on Friday.\n\nI said no to her.",
        "Hallo Ben\n\nAm Montag schrieb Carla:\nWir greifen Ben am Freitag an, wenn du willst.",
    ],
)
def test_what_others_wrote_is_not_lost(answered, said):
    assert "The message may go on below “" in answered(said)
    assert passed_on() == []


def test_a_quote_that_a_program_wrote_is_left_out(answered):
    quoted = f"{MARK}\n\nben writes\n\n  Let us attack Carla on Friday, if you will.\n\nIf you answer this mail, it goes to ben."
    for above in (
        "On Mon, 1 Nov 2026 at 18:00, Games <play@games.example> wrote:\n",
        "\nFrom: Games <play@games.example>\nSent: Monday\nTo: Anna\nSubject: ben writes to you and to all the others\n",
        "\nLähettäjä: Games <play@games.example>\nLähetetty: ma\nVastaanottaja: Anna\nAihe: ben writes\n",
    ):
        assert answered(f"I agree.\n\n{above}\n{quoted}") == ""
    assert (
        answered("I agree.\n\nOn Mon, 1 Nov 2026, Games wrote:\n" + "\n".join(f"> {line}" for line in quoted.split("\n"))) == ""
    )
    assert set(passed_on()) == {"I agree."}


@pytest.mark.parametrize(
    "signature",
    [
        "Anna Meier\nHead of Sales, Acme GmbH & Co. KG\nTel. +49 30 1234567",
        "Anna\n\nPlease consider the environment before printing this mail.",
        "Anna\n\n“The early bird catches the worm.”",
        "Anna\n\nThis message is confidential and intended for the addressee only.",
    ],
)
def test_a_signature_is_shown_to_nobody(answered, signature):
    assert answered(f"I agree.\n\nBest regards\n{signature}") == ""
    assert passed_on() == ["I agree."]


@pytest.mark.parametrize("said", ["place A1", "Let us see:\n\nplace A1", "orders when_unable ask"])
def test_an_answer_that_waits_while_the_seat_changes_hands_tells_nothing_about_the_seat(answered, player, said):
    """A held answer may be confirmed a week later, when the substitute holds other cards."""
    match = Press.objects.get().match
    seat = loading.load(match.id, match.game).awaited()[0].seat

    def replace():
        substitutes.vacate(match=match, seat=seat, actor=Actor("host"))
        substitutes.take_over(by=player("carl"), match=match, seat=seat)

    told = answered(said, meanwhile=replace)
    assert "You no longer hold that seat." in told
    assert "can give now" not in told
    assert "nothing but orders" not in told
    assert passed_on() == []
