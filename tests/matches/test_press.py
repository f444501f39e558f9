"""Press: permissions to write and read, through the API, the page and by mail; and anonymous matches."""

from __future__ import annotations

import unicodedata
from dataclasses import replace
from datetime import timedelta

import pytest
import time_machine
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from gamesvc.errors import TooMany
from gamesvc.games import catalog
from gamesvc.games.kernel.game import Refused
from gamesvc.matches.access import daily_limits
from gamesvc.matches.access.selectors import access_match
from gamesvc.matches.lobby import invitations, opening, press
from gamesvc.matches.models import Match, Press, Seat
from gamesvc.matches.record.stream import STORE
from notifications import channels
from notifications.models import Handover, InboundMail, Outbox
from notifications.other_channels import handovers
from notifications.wanted import wishes
from tests.games.toy import GAME as TOY
from tests.mailing import mailing, verify  # noqa: F401
from tests.matches.playing import holder
from tests.matches.test_replies import read_toy
from tests.web.page import chosen, forms

pytestmark = pytest.mark.django_db


@pytest.fixture
def carl(player):
    return player("carl")


@pytest.fixture
def trio(anna, ben, carl):
    """A running match of three, which everyone may watch."""
    match = opening.create_match(by=anna, game="stratastar", seats=3, watch="all")
    opening.join_match(by=ben, match=match)
    return opening.join_match(by=carl, match=match)


def duel(anna, ben, **more):
    match = opening.create_match(by=anna, game="toy", watch="all", **more)
    return opening.join_match(by=ben, match=match)


# --- the text ---

UNSEEN = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u0000\u0007\u001b\ufeff\u00ad"


@given(st.text(alphabet=st.characters() | st.sampled_from(UNSEEN + "\r\n\t\u2028\u200d"), max_size=200))
def test_what_is_kept_of_a_text_can_be_shown_anywhere_and_stays_as_it_is(text):
    kept = press.clean(text)
    assert press.clean(kept) == kept
    assert not set(kept) & set(UNSEEN)
    assert all(unicodedata.category(one) not in ("Cc", "Cs", "Cn", "Co", "Zl", "Zp") or one == "\n" for one in kept)
    assert kept == kept.strip()
    assert "\n\n\n" not in kept


def test_words_of_all_scripts_stay():
    for words in ("Grüße, Łódź", "こんにちは", "שלום עליכם", "نامه‌ای برای تو", "👩‍🚀 ok"):
        assert press.clean(words) == unicodedata.normalize("NFC", words)


MANY_MARKS = "a" + "\u0345\u0344" * 5_000 + "\u0f73" * 5_000 + "\u0315" * 5_000 + "\u0300" * 5_000


def test_a_letter_with_very_many_marks_keeps_a_few(duel_page, client):
    """Python takes the square of their number to put them in order, while all threads of the process stand still (`growth`)."""
    for address, field in ((f"{duel_page}press", "text"), (f"{duel_page}notes", "text"), ("/report/?player=ben", "words")):
        answer = client.post(address, {field: MANY_MARKS, "to": "all", "player": "ben", "kind": "spam"})
        assert answer.status_code in (200, 302, 422)
    assert len(press.clean(MANY_MARKS)) == 1 + press.MOST_MARKS
    assert press.clean(press.clean(MANY_MARKS) + "b") == press.clean(MANY_MARKS) + "b"
    assert press.clean("a\u200b\u0301") == "\u00e1"


@pytest.fixture
def duel_page(toy, anna, ben, client):
    client.force_login(anna)
    return f"/matches/{duel(anna, ben).number}/"


# --- permissions ---


def test_a_private_message_is_read_by_its_writer_and_its_receivers_alone(trio, anna, ben, carl, player, program):
    answer = program(anna).post(f"/matches/{trio.number}/press/", {"to": [1], "text": "Let us join against carl."})
    assert answer.status_code == 201, answer.content
    assert answer.json() == {
        "id": answer.json()["id"],
        "seat": 0,
        "name": "anna",
        "to": [1],
        "text": "Let us join against carl.",
        "said_at": answer.json()["said_at"],
    }
    read = {
        user.username: [one["text"] for one in program(user).get(f"/matches/{trio.number}/press/").json()["results"]]
        for user in (anna, ben, carl, player("watcher"))
    }
    assert read == {"anna": ["Let us join against carl."], "ben": ["Let us join against carl."], "carl": [], "watcher": []}
    assert list(Outbox.objects.filter(kind="press").values_list("user__username", flat=True)) == ["ben"]


def test_a_message_to_all_is_read_by_observers_too(trio, anna, player, program):
    assert program(anna).post(f"/matches/{trio.number}/press/", {"to": "all", "text": "Good luck!"}).status_code == 201
    [seen] = program(player("watcher")).get(f"/matches/{trio.number}/press/").json()["results"]
    assert (seen["name"], seen["to"], seen["text"]) == ("anna", "all", "Good luck!")
    assert Outbox.objects.filter(kind="press").count() == 2


def test_press_is_no_part_of_the_record(trio):
    before = STORE.head(trio.id)
    press.say(match=trio, by=holder(trio, 0), by_seat=0, to="all", text="Hello", channel="api")
    assert STORE.head(trio.id) == before


@pytest.mark.parametrize(
    ("kind", "to", "text", "code"),
    [
        ("none", "all", "hello", "press_off"),
        ("public", [1], "hello", "press_public_only"),
        ("private", [0], "hello", "press_nobody"),
        ("private", [7], "hello", "press_nobody"),
        ("private", [1], " \u202e\n\t ", "press_empty"),
        ("private", "all", "a" * 2001, "press_too_long"),
    ],
)
def test_what_may_not_be_written_is_refused(toy, anna, ben, program, kind, to, text, code):
    match = duel(anna, ben, press=kind)
    answer = program(anna).post(f"/matches/{match.number}/press/", {"to": to, "text": text})
    assert (answer.status_code, answer.json()["code"]) == (422, code)
    assert not Press.objects.exists()
    assert not Outbox.objects.filter(kind="press").exists()


@pytest.mark.parametrize(
    "body", [{"to": [], "text": "x"}, {"to": "ben", "text": "x"}, {"to": [True], "text": "x"}, {"text": "x"}]
)
def test_a_body_that_does_not_fit_is_told_where(toy, anna, ben, program, body):
    answer = program(anna).post(f"/matches/{duel(anna, ben).number}/press/", body)
    assert answer.status_code == 400
    assert answer.json()["errors"][0]["pointer"] == "#/to"


def test_only_players_write_and_bots_do_not_read(toy, anna, ben, program):
    match = duel(anna, ben)
    assert program(anna).post(f"/matches/{match.number}/press/", {"to": "all", "text": "hi"}).status_code == 201
    with pytest.raises(Refused, match="You have no seat"):
        press.say(match=match, by=anna, by_seat=5, to="all", text="hi", channel="api")
    alone = opening.create_match(by=anna, game="toy", bots={1: "random"})
    for to in ("all", [1]):
        with pytest.raises(Refused) as refused:
            press.say(match=alone, by=holder(alone, 0), by_seat=0, to=to, text="hi", channel="api")
        assert refused.value.code == "press_nobody"


def test_an_observer_may_read_and_not_write(trio, player, program):
    answer = program(player("watcher")).post(f"/matches/{trio.number}/press/", {"to": "all", "text": "boo"})
    assert (answer.status_code, answer.json()["code"]) == (422, "no_seat")


def test_the_same_request_says_it_once(trio, anna, program):
    client = program(anna)
    answers = [client.post(f"/matches/{trio.number}/press/", {"to": "all", "text": "once"}, key="k1").json() for _ in range(2)]
    assert answers[0] == answers[1]
    assert Press.objects.count() == 1
    assert Outbox.objects.filter(kind="press").count() == 2


def test_a_flood_is_stopped(trio, anna, program, monkeypatch):
    monkeypatch.setattr(daily_limits, "MESSAGES_PER_HOUR", 3)
    for at in range(3):
        press.say(match=trio, by=holder(trio, 0), by_seat=0, to="all", text=f"{at}", channel="api")
    answer = program(anna).post(f"/matches/{trio.number}/press/", {"to": "all", "text": "more"})
    assert answer.status_code == 429
    assert 0 < int(answer["Retry-After"]) <= 3600
    with pytest.raises(TooMany):
        press.say(match=trio, by=holder(trio, 0), by_seat=0, to="all", text="more", channel="api")
    press.say(match=trio, by=holder(trio, 1), by_seat=1, to="all", text="another may", channel="api")


def test_a_long_conversation_comes_in_pages(trio, program, anna):
    start = timezone.now() - timedelta(days=1)
    Press.objects.bulk_create(
        Press(match=trio, seat=0, to=[], user=anna, text=f"{at}", channel="api", said_at=start + timedelta(seconds=at // 3))
        for at in range(130)
    )
    client, path, read = program(anna), f"/matches/{trio.number}/press/", []
    following = ""
    while following is not None:
        page = client.get(path + following).json()
        read += [one["id"] for one in page["results"]]
        following = page["next"]
    assert len(read) == len(set(read)) == 130
    assert client.get(f"{path}?before=yesterday").json()["code"] == "bad_before"


def test_what_others_write_hides_no_unread_message(trio, anna, ben, carl):
    other = opening.join_match(by=carl, match=opening.create_match(by=anna, game="stratastar"))
    seats = {user.pk: trio.seats.get(user=user).index for user in (anna, ben, carl)}

    def write(match, by_seat, to, text):
        press.say(match=match, by=anna, by_seat=by_seat, to=to, text=text, channel="web")

    write(trio, seats[anna.pk], [seats[carl.pk]], "for carl")
    for number in range(3):
        write(trio, seats[anna.pk], [seats[ben.pk]], f"for ben {number}")
        write(other, other.seats.get(user=anna).index, "all", f"for all {number}")
    found = press.unread(carl, 2)
    assert [(one.newest.match, one.newest.text, one.count) for one in found] == [
        (other, "for all 2", 3),
        (trio, "for carl", 1),
    ]
    assert [(one.newest.text, one.count) for one in press.unread(ben, 2)] == [("for ben 2", 3)]


def test_a_substitute_does_not_read_the_messages_of_their_predecessor(trio, ben, player):
    press.say(match=trio, by=holder(trio, 0), by_seat=0, to=[1], text="for ben alone", channel="api")
    press.say(match=trio, by=holder(trio, 0), by_seat=0, to="all", text="for all", channel="api")
    dora = player("dora")
    Seat.objects.filter(match=trio, index=1).update(user=dora, joined_at=timezone.now())
    press.say(match=trio, by=holder(trio, 0), by_seat=0, to=[1], text="for dora", channel="api")
    assert [one.text for one in press.messages(access_match(user=dora, ident=str(trio.pk)), dora)] == ["for dora", "for all"]
    anna = access_match(user=holder(trio, 0), ident=str(trio.pk))
    assert [one.text for one in press.messages(anna, anna.user)] == ["for dora", "for all", "for ben alone"]


# --- the page ---


def signed_in(user):
    client = Client()
    client.force_login(user)
    return client


def test_the_page_of_the_match_shows_press_and_takes_it(trio, anna, ben, carl):
    client = signed_in(anna)
    page = client.get(f"/matches/{trio.number}/").content.decode()
    assert "Send the message" in page
    sent = {"to": "1", "text": "<b>secret</b> & more", "_once": "k"}
    assert [client.post(f"/matches/{trio.number}/press", sent).status_code for _ in range(2)] == [302, 302]
    assert Press.objects.count() == 1
    for user, sees in ((anna, True), (ben, True), (carl, False)):
        shown = signed_in(user).get(f"/matches/{trio.number}/").content.decode()
        assert ("&lt;b&gt;secret&lt;/b&gt; &amp; more" in shown) is sees
        assert "<b>secret" not in shown
    refused = client.post(f"/matches/{trio.number}/press", {"to": "1", "text": "a" * 2100})
    assert refused.status_code == 422
    assert "at most 2000 characters" in refused.content.decode()
    assert "a" * 2100 in refused.content.decode()


def test_a_stranger_who_may_watch_sees_the_public_press(trio, anna):
    press.say(match=trio, by=holder(trio, 0), by_seat=0, to="all", text="Hear, hear", channel="web")
    page = Client().get(f"/matches/{trio.number}/press").content.decode()
    assert "Hear, hear" in page
    assert "Send the message" not in page
    assert Client().post(f"/matches/{trio.number}/press", {"to": "all", "text": "boo"}).status_code == 422


def test_without_press_the_match_page_shows_none(toy, anna, ben):
    match = duel(anna, ben, press="none")
    assert 'id="press"' not in signed_in(anna).get(f"/matches/{match.number}/").content.decode()


def test_the_form_for_a_new_match_asks_for_both(toy, anna):
    client = signed_in(anna)
    form = forms(client.get("/new/stratastar/").content.decode())[-1]
    assert form.choices["press"] == {"private", "public", "none"}
    posted = chosen(form, {"press": ["public"], "anonymous": ["1"]})
    assert client.post("/new/stratastar/", posted).status_code == 302
    match = Match.objects.get()
    assert (match.press, match.anonymous) == ("public", True)


# --- by mail ---


def press_mail(mailing, name):  # noqa: F811
    return [mail for mail in mailing.sink.to(f"{name}@players.example") if mail.message["X-Game-Reason"] == "press"][-1]


def test_a_message_comes_by_mail_and_its_answer_goes_back(toy, anna, ben, mailing):  # noqa: F811
    verify(anna, ben)
    match = duel(anna, ben)
    press.say(match=match, by=holder(match, 0), by_seat=0, to=[1], text="Shall we call it a draw?\nEND\n-- \nanna", channel="api")
    mailing.work()
    caught = press_mail(mailing, "ben")
    assert "anna writes" in caught.subject
    for part in (caught.text, caught.html):
        assert "Shall we call it a draw?" in part
        assert "your answer goes to anna." in part
    assert "anna@players.example" not in caught.message.as_string()
    to = str(caught.message["Reply-To"])
    assert to.startswith("press+")

    mailing.write("No, I am winning.\n\n> Shall we call it a draw?\n", to=to, sender="ben@players.example")
    mailing.work()
    answer = Press.objects.latest("said_at")
    assert (answer.seat, answer.to, answer.text, answer.channel) == (1, [0], "No, I am winning.", "mail")
    back = press_mail(mailing, "anna")
    assert "No, I am winning." in back.text
    assert "ben@players.example" not in back.message.as_string()
    assert Press.objects.count() == 2


def press_mails(mailing, name):  # noqa: F811
    return [mail for mail in mailing.sink.to(f"{name}@players.example") if mail.message["X-Game-Reason"] == "press"]


def test_ten_messages_make_two_mails(toy, anna, ben, mailing, settings):  # noqa: F811
    settings.NOTICE_BATCH_MINUTES = 10
    verify(anna, ben)
    match = duel(anna, ben)
    for number in range(10):
        press.say(match=match, by=holder(match, 0), by_seat=0, to=[1], text=f"Line {number} of ten", channel="api")
        mailing.work()
    press.say(match=match, by=holder(match, 0), by_seat=0, to="all", text="Hello all", channel="api")
    mailing.work()
    assert [mail.text.count("of ten") for mail in press_mails(mailing, "ben")] == [1, 0], "another circle has its own mails"
    with time_machine.travel(timezone.now() + timedelta(minutes=11), tick=True):
        mailing.work()
    caught = press_mail(mailing, "ben")
    assert len(press_mails(mailing, "ben")) == 3
    assert "9 messages, the last from anna" in caught.text
    places = [caught.text.index(f"Line {number} of ten") for number in range(1, 10)]
    assert places == sorted(places)
    assert caught.html.count("anna writes:") == 9
    mailing.write("Enough", to=str(caught.message["Reply-To"]), sender="ben@players.example")
    mailing.work()
    assert Press.objects.latest("said_at").to == [0]


def test_a_player_who_has_answered_gets_the_next_message_at_once(toy, anna, ben, mailing, settings):  # noqa: F811
    settings.NOTICE_BATCH_MINUTES = 10
    verify(anna, ben)
    match = duel(anna, ben)
    for seat, text in ((0, "Draw?"), (0, "Well?"), (1, "No."), (0, "A pity.")):
        press.say(match=match, by=holder(match, seat), by_seat=seat, to=[1 - seat], text=text, channel="api")
        mailing.work()
    first, second = press_mails(mailing, "ben")
    assert "Draw?" in first.text
    assert "Well?" in second.text
    assert "A pity." in second.text


def test_a_message_that_was_erased_takes_no_other_along(toy, anna, ben, mailing, settings):  # noqa: F811
    settings.NOTICE_BATCH_MINUTES = 10
    verify(anna, ben)
    match = duel(anna, ben)
    for text in ("one", "kept", "erased"):
        press.say(match=match, by=holder(match, 0), by_seat=0, to=[1], text=f"This is {text}.", channel="api")
        mailing.work()
    Press.objects.filter(text="This is erased.").delete()
    with time_machine.travel(timezone.now() + timedelta(minutes=11), tick=True):
        mailing.work()
    assert "This is kept." in press_mail(mailing, "ben").text
    assert len(press_mails(mailing, "ben")) == 2


@pytest.fixture
def handed(ben, monkeypatch):
    """The kinds of the notices that were handed to ben's program; they come after the mails."""
    taken = []
    taking = channels.Channel("webhook", lambda notice, _: taken.append(notice.kind), lambda user: user == ben.pk)
    monkeypatch.setattr(channels, "_channels", {"webhook": taking})
    wishes.set_wishes(ben, {"channels": ["mail", "webhook"]})
    return taken


@pytest.mark.parametrize("tried", [False, True])
def test_a_message_that_was_erased_is_told_by_no_channel(toy, anna, ben, mailing, handed, settings, tried):  # noqa: F811
    verify(anna, ben)
    match = duel(anna, ben)
    mailing.work()
    press.say(match=match, by=holder(match, 0), by_seat=0, to=[1], text="erased", channel="api")
    if tried:
        # The mail waits for its server, and the next channel is already due.
        there, settings.EMAIL_PORT = settings.EMAIL_PORT, 1
        mailing.work()
        settings.EMAIL_PORT = there
        assert Handover.objects.filter(notice__kind="press", status="waiting").count() == 1
    Press.objects.all().delete()
    with time_machine.travel(timezone.now() + timedelta(minutes=50), tick=True):
        mailing.work()
        handovers.sweep()
    with time_machine.travel(timezone.now() + timedelta(minutes=120), tick=True):
        handovers.sweep()
    assert Outbox.objects.get(kind="press").error == "it no longer held"
    assert press_mails(mailing, "ben") == []
    assert "press" not in handed


def test_a_message_to_one_whose_mails_cannot_go_is_told_by_the_next_channel(toy, anna, ben, mailing, handed):  # noqa: F811
    verify(anna)
    match = duel(anna, ben)
    press.say(match=match, by=holder(match, 0), by_seat=0, to=[1], text="Hello", channel="api")
    mailing.work()
    handovers.sweep()
    assert Outbox.objects.get(kind="press").error == "the account has no verified address"
    assert "press" in handed


def test_a_notice_is_acted_upon_by_a_message_to_those_who_read_it(trio, anna, ben, program, mailing):  # noqa: F811
    verify(ben)
    press.say(match=trio, by=holder(trio, 0), by_seat=0, to=[1], text="Between us", channel="api")
    press.say(match=trio, by=holder(trio, 0), by_seat=0, to="all", text="Hello all", channel="api")
    mailing.work()

    def answered():
        told = program(ben).get("/me/notices/").json()["results"]
        acted = {one["id"] for one in told if "acted upon" in [step["state"] for step in one["steps"]]}
        return {Press.objects.get(pk=row.payload["press"]).text for row in Outbox.objects.filter(pk__in=acted, kind="press")}

    press.say(match=trio, by=holder(trio, 1), by_seat=1, to=[0, 2], text="Between us three", channel="api")
    assert answered() == set()
    press.say(match=trio, by=holder(trio, 1), by_seat=1, to="all", text="Hello you two", channel="api")
    assert answered() == {"Hello all"}
    press.say(match=trio, by=holder(trio, 1), by_seat=1, to=[0], text="Agreed", channel="api")
    assert answered() == {"Hello all", "Between us"}


def test_a_page_of_notices_asks_once_for_the_answers_to_all(trio, anna, ben, program, mailing):  # noqa: F811
    verify(ben)
    client = program(ben)

    def asked():
        with CaptureQueriesContext(connection) as queries:
            told = client.get("/me/notices/").json()["results"]
        return len([one for one in told if one["kind"] == "press"]), len(queries)

    press.say(match=trio, by=holder(trio, 0), by_seat=0, to=[1], text="first", channel="api")
    mailing.work()
    asked()  # what is asked once for all requests
    (one, before) = asked()
    for number in range(5):
        press.say(match=trio, by=holder(trio, 0), by_seat=0, to=[1], text=f"{number}", channel="api")
        mailing.work()
    assert (one, asked()) == (1, (6, before))


def test_an_answer_is_passed_on_once_however_often_it_is_worked_on(toy, anna, ben, mailing):  # noqa: F811
    verify(anna, ben)
    match = duel(anna, ben)
    press.say(match=match, by=holder(match, 0), by_seat=0, to="all", text="Hello", channel="api")
    mailing.work()
    to = str(press_mail(mailing, "ben").message["Reply-To"])
    mailing.write("Hello anna", to=to, sender="ben@players.example")
    mailing.work()
    InboundMail.objects.update(status="waiting", claimed_until=None)
    mailing.work()
    said = list(Press.objects.order_by("said_at").values_list("seat", "to", "text"))
    assert said == [(0, [], "Hello"), (1, [], "Hello anna")]


def test_an_answer_that_cannot_be_passed_on_comes_back_with_the_reason(toy, anna, ben, mailing):  # noqa: F811
    verify(anna, ben)
    match = duel(anna, ben)
    press.say(match=match, by=holder(match, 0), by_seat=0, to=[1], text="Hello", channel="api")
    mailing.work()
    to = str(press_mail(mailing, "ben").message["Reply-To"])
    for words, reason in (("> only a quote", "nothing to pass on"), ("so many words\n" * 300, "at most 2000 characters")):
        mailing.write(words, to=to, sender="ben@players.example")
        mailing.work()
        assert reason in mailing.last("ben@players.example", "not passed on").text.replace("\n", " ")
    Seat.objects.filter(match=match, index=1).update(user=None)
    mailing.write("I am gone", to=to, sender="ben@players.example")
    mailing.work()
    assert "no longer hold that seat" in mailing.last("ben@players.example", "not passed on").text
    assert Press.objects.count() == 1


def test_a_reason_is_in_the_language_of_its_reader(toy, anna, ben, mailing):  # noqa: F811
    verify(anna, ben)
    ben.language = "de"
    ben.save()
    press.say(match=duel(anna, ben), by=anna, by_seat=0, to=[1], text="Hallo", channel="api")
    mailing.work()
    to = str(mailing.sink.to("ben@players.example")[-1].message["Reply-To"])
    mailing.write("> nur ein Zitat", to=to, sender="ben@players.example")
    mailing.work()
    assert "Da war nichts weiterzugeben" in mailing.last("ben@players.example").text.replace("\n", " ")


def test_a_strange_sender_is_asked_first(toy, anna, ben, mailing):  # noqa: F811
    verify(anna, ben)
    match = duel(anna, ben)
    press.say(match=match, by=holder(match, 0), by_seat=0, to=[1], text="Hello", channel="api")
    mailing.work()
    mailing.write("I am ben, really", to=str(press_mail(mailing, "ben").message["Reply-To"]), sender="mallory@elsewhere.example")
    mailing.work()
    assert Press.objects.count() == 1
    assert "Are these orders yours?" in mailing.last("ben@players.example").subject


# --- without names ---


def test_in_an_anonymous_match_no_door_tells_who_plays(toy, anna, ben, player, program, mailing):  # noqa: F811
    verify(anna, ben)
    match = opening.create_match(by=anna, game="toy", watch="all", anonymous=True)
    _invitation, token = invitations.invite(by=anna, match=match, username="ben")
    mailing.work()
    told = [
        mailing.last("ben@players.example").message.as_string(),
        signed_in(ben).get(f"/invitations/{token}/").content.decode(),
    ]
    told[1] = told[1].replace(">ben<", "")  # ben's own name above the page
    match = opening.join_match(by=ben, match=match)
    press.say(match=match, by=holder(match, 0), by_seat=0, to="all", text="Guess who", channel="api")
    mailing.work()
    watcher = player("watcher")
    paths = ["", "view/", "events/", "press/", "export/", "board.svg", "steps/3/"]
    told += [b"".join(program(watcher).get(f"/matches/{match.number}/{path}")).decode() for path in paths]
    told += [program(watcher).get("/matches/?mine=false").content.decode()]
    told += [
        signed_in(watcher).get(path).content.decode()
        for path in ("/lobby/", f"/matches/{match.number}/", f"/matches/{match.number}/press")
    ]
    told += [mail.message.as_string() for mail in mailing.sink.to("ben@players.example")]
    assert "player 1" in "".join(told)
    for text in told:
        assert "anna" not in text
    summary = program(ben).get(f"/matches/{match.number}/").json()
    assert summary["host"] is None
    assert [seat["name"] for seat in summary["seats"]] == ["player 1", "player 2"]
    assert summary["anonymous"] is True


def test_after_the_end_the_names_are_told(toy, anna, ben, program):
    match = opening.create_match(by=anna, game="toy", watch="all", anonymous=True)
    press.say(match=opening.join_match(by=ben, match=match), by=ben, by_seat=1, to="all", text="Bye", channel="api")
    assert program(anna).get(f"/matches/{match.number}/press/").json()["results"][0]["name"] == "player 2"
    Match.objects.filter(pk=match.pk).update(status="finished")
    assert program(anna).get(f"/matches/{match.number}/press/").json()["results"][0]["name"] == "ben"
    summary = program(anna).get(f"/matches/{match.number}/").json()
    assert (summary["host"], [seat["name"] for seat in summary["seats"]]) == ("anna", ["anna", "ben"])


def test_an_answer_of_nothing_but_orders_is_not_passed_on(toy, anna, ben, mailing, monkeypatch):  # noqa: F811
    monkeypatch.setattr(catalog, "game", lambda game_id: replace(TOY, parse=read_toy))
    verify(anna, ben)
    match = duel(anna, ben)
    press.say(match=match, by=anna, by_seat=0, to="all", text="Hello", channel="web")
    mailing.work()
    to = str(press_mail(mailing, "ben").message["Reply-To"])
    mailing.write("draw\nEND", to=to, sender="ben@players.example")
    mailing.work()
    assert [message.text for message in Press.objects.all()] == ["Hello"]
    assert "nothing but orders" in " ".join(mailing.last("ben@players.example").text.split())
    mailing.write("I shall draw\ndraw", to=to, sender="ben@players.example")
    mailing.work()
    assert Press.objects.count() == 2
