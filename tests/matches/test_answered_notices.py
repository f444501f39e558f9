"""Other mails that players answer: calls for a substitute, pauses, the start, undos."""

from __future__ import annotations

import io
import random
import smtplib

import pytest
from django.test import Client
from django.utils.html import escape
from PIL import Image

from gamesvc.games import catalog
from gamesvc.matches.access import daily_limits
from gamesvc.matches.lobby import follows, invitations, opening, substitutes
from gamesvc.matches.models import Match, Question, Seat
from gamesvc.matches.notices import reminding, wording
from gamesvc.matches.reading import board
from gamesvc.matches.record import loading
from gamesvc.matches.record.append import Actor
from gamesvc.matches.record.stream import STORE
from gamesvc.matches.timekeeping import pauses
from notifications import registry
from notifications.inbound import addresses, pipeline, store
from notifications.models import InboundMail, MailStatus, Outbox, Scope, Status
from notifications.sending import delivery
from notifications.wanted import muting, preferences
from tests.mailing import mailing, verify  # noqa: F401
from tests.matches.playing import play_out

pytestmark = pytest.mark.django_db

GAMES = ("stratastar", "space_fleet_commander", "star_commander", "space_war")


@pytest.fixture
def carol(player):
    carol = player("carol")
    verify(carol)
    return carol


@pytest.fixture
def match(anna, ben, mailing):  # noqa: F811
    return opened("stratastar", anna, ben, mailing, watch="all")


def opened(game, anna, ben, mailing, **more):  # noqa: F811
    """Return a started match whose first mails are out; of one player if there is no opponent."""
    verify(anna, ben)
    match = opening.create_match(by=anna, game=game, **more)
    if match.seat_count > 1:
        match = opening.join_match(by=ben, match=match)
    work(mailing)
    return match


def work(mailing):  # noqa: F811
    """Read waiting mail and send queued notices, even those held back for a batch."""
    pipeline.work()
    Outbox.objects.filter(status=Status.QUEUED).update(claimed_until=None)
    delivery.sweep()


def mail_of(mailing, name, reason):  # noqa: F811
    """Return a player's newest mail of a kind, or of any kind that can be answered."""
    mails = mailing.sink.to(f"{name}@players.example")
    return [one for one in mails if (one.message["X-Game-Reason"] == reason if reason else one.message["Reply-To"])][-1]


def answer(mailing, name, text, reason):  # noqa: F811
    """Answer a player's newest mail of a kind, and let the workers work."""
    to = str(mail_of(mailing, name, reason).message["Reply-To"])
    mailing.write(text, to=to, sender=f"{name}@players.example")
    work(mailing)


def flat(caught):
    return " ".join(caught.text.split())


def types(match):
    return [one.type for one in STORE.read(match.id) if one.type.startswith("match.")]


def called(match, mailing, carol):  # noqa: F811
    """Ben's seat falls free, and subscribers of the game are called."""
    follows.follow(by=carol, game=match.game)
    substitutes.vacate(match=match, seat=1, actor=Actor("seat", 1))
    work(mailing)
    return mail_of(mailing, "carol", "seat-free")


# --- a substitute ---


def test_a_substitute_comes_by_one_word_and_plays(match, carol, mailing):  # noqa: F811
    call = called(match, mailing, carol)
    assert "answer this mail with the one word “join”" in flat(call)
    assert "answer this mail with the one word “join”" in " ".join(call.html.split())
    assert "o world  * Supernova" in call.text, "he sees the position he would take over"
    answer(mailing, "carol", "Join!\n\nSent from my phone", "seat-free")
    assert Seat.objects.get(match=match, index=1).user == carol
    told = mail_of(mailing, "carol", "seat-answer")
    assert "You have a seat" in told.subject
    assert "You are Blue" in told.text
    assert told.message["In-Reply-To"] == mailing.newest.message_id
    # if the player is awaited, they can answer this mail right away
    answer(mailing, "carol", "status", "seat-answer")
    assert "Status:" in mailing.receipt("carol@players.example").text


@pytest.mark.parametrize("said", ["Yes, I'd love to, sadly my exams begin.", "Join later", "Ja, leider fehlt mir die Zeit"])
def test_a_polite_refusal_takes_no_free_seat(match, carol, mailing, said):  # noqa: F811
    called(match, mailing, carol)
    answer(mailing, "carol", said, "seat-free")
    assert Seat.objects.get(match=match, index=1).user is None
    assert "could not be read" in mail_of(mailing, "carol", "seat-answer").subject


def test_a_substitute_who_is_awaited_is_told_their_turn_and_plays_it(match, carol, mailing):  # noqa: F811
    follows.follow(by=carol, game=match.game)
    seat = loading.load(match.id, match.game).awaited()[0].seat
    substitutes.vacate(match=match, seat=seat, actor=Actor("seat", seat))
    work(mailing)
    answer(mailing, "carol", "join", "seat-free")
    assert "Due " in mail_of(mailing, "carol", "your-turn").text
    loaded = loading.load(match.id, match.game)
    game, state = loaded.game, loaded.timeline.state
    order = game.render(game.bots["greedy"](game.view(state, seat), game.legal_commands(state, seat), random.Random(1)))
    answer(mailing, "carol", order, "your-turn")
    assert "1 order done" in mailing.receipt("carol@players.example").subject


def test_a_worker_that_dies_seats_the_substitute_once(match, carol, mailing, monkeypatch):  # noqa: F811
    called(match, mailing, carol)
    settle = store.settle

    def dies(*args, **more):
        monkeypatch.setattr(store, "settle", settle)
        raise SystemExit

    monkeypatch.setattr(store, "settle", dies)
    with pytest.raises(SystemExit):
        answer(mailing, "carol", "join", "seat-free")
    InboundMail.objects.update(claimed_until=None)
    work(mailing)
    assert types(match).count("match.seated") == 1
    assert "You have a seat" in mail_of(mailing, "carol", "seat-answer").subject


def test_the_second_to_answer_is_told_that_it_is_taken(match, carol, player, mailing):  # noqa: F811
    dora = player("dora")
    verify(dora)
    follows.follow(by=dora, game=match.game)
    called(match, mailing, carol)
    answer(mailing, "carol", "join", "seat-free")
    answer(mailing, "dora", "join", "seat-free")
    told = mail_of(mailing, "dora", "seat-answer")
    assert "You have no seat" in told.subject
    assert "Proof of the record" not in told.text
    assert told.message["Reply-To"] is None
    assert types(match).count("match.seated") == 1


@pytest.mark.parametrize(("text", "said"), [("no, thank you", "You have declined"), ("who is it?", "could not be read")])
def test_anything_else_takes_no_seat(match, carol, mailing, text, said):  # noqa: F811
    called(match, mailing, carol)
    answer(mailing, "carol", text, "seat-free")
    assert said in mail_of(mailing, "carol", "seat-answer").subject
    assert Seat.objects.get(match=match, index=1).user is None


def test_a_stranger_with_the_address_takes_no_seat(match, carol, mailing):  # noqa: F811
    to = str(called(match, mailing, carol).message["Reply-To"])
    mailing.write("join", to=to, sender="mallory@elsewhere.example")
    work(mailing)
    assert mailing.newest.status == MailStatus.HELD
    assert Seat.objects.get(match=match, index=1).user is None


def test_a_player_who_has_a_seat_is_not_asked_to_take_another(match, carol, mailing):  # noqa: F811
    called(match, mailing, carol)
    told = mail_of(mailing, "anna", "seat-free")
    assert "join" not in told.text
    answer(mailing, "anna", "status", "seat-free")
    assert "Status" in mailing.receipt().text


@pytest.mark.parametrize("entry", ["public", "invited"])
def test_a_player_who_lost_their_seat_takes_it_again_by_mail(anna, ben, mailing, entry):  # noqa: F811
    verify(anna, ben)
    match = opening.create_match(by=anna, game="stratastar", entry=entry)
    invitations.invite(by=anna, match=match, username="ben")
    match = opening.join_match(by=ben, match=match)
    substitutes.vacate(match=match, seat=1, actor=Actor("clock", 1))
    gone = {"match": str(match.id), "seat": 1, "what": "vacated", "question": "", "left": 0, "due_at": ""}
    Outbox.objects.create(kind="timed_out", user=ben, topic=str(match.id), payload=gone)
    work(mailing)
    answer(mailing, "ben", "join", "timed-out")
    assert Seat.objects.get(match=match, index=1).user == ben


# --- a pause ---


def test_a_match_is_paused_and_goes_on_by_mail(match, mailing):  # noqa: F811
    answer(mailing, "anna", "pause match", "")
    assert "The others are asked" in flat(mailing.receipt())
    asked = mail_of(mailing, "ben", "pause")
    assert "answer this mail with the line: pause match" in flat(asked)
    answer(mailing, "ben", "pause match", "pause")
    assert Match.objects.get(pk=match.pk).paused_at is not None
    assert "The match is paused" in flat(mailing.receipt("ben@players.example"))
    answer(mailing, "ben", "resume match", "pause")
    assert "answer this mail with the line: resume match" in flat(mail_of(mailing, "anna", "pause"))
    answer(mailing, "anna", "resume", "pause")
    assert Match.objects.get(pk=match.pk).paused_at is None
    assert [one for one in types(match) if one in ("match.paused", "match.resumed")] == ["match.paused", "match.resumed"]


@pytest.mark.parametrize("words", ["pause match no", "pause no", "Resume no."])
def test_a_vote_for_a_pause_is_withdrawn(match, mailing, words):  # noqa: F811
    answer(mailing, "anna", "pause match", "")
    answer(mailing, "anna", words, "receipt")
    assert pauses.wishes(match) == []
    answer(mailing, "anna", "resume match", "receipt")
    assert "The match is not paused" in flat(mailing.receipt())


# --- players who read only mails ---


def test_every_mail_about_a_running_match_can_be_answered(match, mailing):  # noqa: F811
    name = ("ben", "anna")[loading.load(match.id, match.game).awaited()[0].seat]
    answer(mailing, name, "status", "match-started")
    assert "Status" in mailing.receipt(f"{name}@players.example").subject


@pytest.mark.parametrize("game", GAMES)
def test_the_words_work_in_every_game(game, anna, ben, mailing):  # noqa: F811
    match = opened(game, anna, ben, mailing)
    seat = loading.load(match.id, match.game).awaited()[0].seat
    name = ("anna", "ben")[seat]
    before = len(STORE.read(match.id))
    words = "help\nboard\nhand\nstatus\nhistory 5\npause match no"
    answer(mailing, name, words, "your-turn")
    receipt = mailing.receipt(f"{name}@players.example")
    states = [line["state"] for line in mailing.newest.report["lines"]]
    assert states == ["answered"] * 5 + ["refused"], "the service's words are not taken for orders"
    assert len(STORE.read(match.id)) == before
    for title in ("Orders:", "Your hand:", "Status:", "What happened:", "The match waits for:", "Due "):
        assert title in receipt.text
    engine, state = catalog.game(game), loading.load(match.id, match.game).timeline.state
    first_line = engine.board_text(engine.view(state, seat), board.caption_of(match, ("anna", "ben")[: match.seat_count]))
    assert " ".join(first_line.splitlines()[0].split()) in flat(receipt)


@pytest.mark.parametrize("game", GAMES)
def test_a_turn_mail_names_the_turn_and_describes_the_board(game, anna, ben, mailing):  # noqa: F811
    match = opened(game, anna, ben, mailing)
    loaded = loading.load(match.id, match.game)
    seat = loaded.awaited()[0].seat
    mail = mail_of(mailing, ("anna", "ben")[seat], "your-turn")
    view = loaded.game.view(loaded.timeline.state, seat)
    told = loaded.game.glance(view, board.caption_of(match, ("anna", "ben")[: match.seat_count]))
    assert (f"Your turn {told.turn}, due" if told.turn else "Your turn, due") in mail.subject
    assert f'alt="{escape(told.description)}"' in mail.html


@pytest.mark.long
@pytest.mark.parametrize("game", GAMES)
def test_what_a_mail_showed_is_not_told_again(game, anna, ben, mailing):  # noqa: F811
    match = opened(game, anna, ben, mailing)
    engine, loaded = catalog.game(game), loading.load(match.id, match.game)
    seat = loaded.awaited()[0].seat
    name, state = ("anna", "ben")[seat], loaded.timeline.state
    bot = engine.bots.get("greedy") or engine.bots["random"]
    order = engine.render(bot(engine.view(state, seat), engine.legal_commands(state, seat), random.Random(1)))
    assert "The match starts." in mail_of(mailing, name, "your-turn").text
    answer(mailing, name, "status", "your-turn")
    assert "The match starts." not in mailing.receipt(f"{name}@players.example").text
    answer(mailing, name, order, "your-turn")
    receipt = mailing.receipt(f"{name}@players.example")
    assert "1 order done" in receipt.subject
    assert "Since your last look" in receipt.text


# --- what a user causes to themselves ---


def test_open_turns_are_sent_again_so_often_a_day(match, mailing, monkeypatch):  # noqa: F811
    """Each time all open questions of a player are queued once more, and stay for months: a disk was full within a day."""
    monkeypatch.setattr(daily_limits, "RENEWED_PER_DAY", 2)
    client = Client()
    client.force_login(match.seats.get(index=Question.objects.get(match=match).seat).user)
    before = Outbox.objects.filter(kind="your_turn").count()
    for _each in range(5):
        assert client.post("/profile/reply-addresses").status_code == 302
    assert Outbox.objects.filter(kind="your_turn").count() == before + 2
    assert "You can do this at most 2 times a day. Try again in" in client.get("/profile/").content.decode()


def test_mails_are_chosen_so_often_a_day(anna, mailing, monkeypatch):  # noqa: F811
    """Each choice that stops one is confirmed by a mail."""
    monkeypatch.setattr(muting, "CHOICES_A_DAY", 4)
    client = Client()
    client.force_login(anna)
    every = [kind.name for kind in registry.kinds() if not kind.essential]
    for _each in range(4):
        client.post("/profile/mails", {"kinds": every})
        client.post("/profile/mails", {"kinds": []})
    assert Outbox.objects.filter(kind=muting.STOPPED).count() == 2
    assert "You can choose your mails at most 4 times a day." in client.get("/profile/").content.decode()


# --- protection of shared mailboxes ---


def test_a_player_may_do_without_the_position_in_mails(match, mailing):  # noqa: F811
    question = Question.objects.get(match=match)
    user = match.seats.get(index=question.seat).user
    client = Client()
    client.force_login(user)
    assert "The position in mails; without it they cannot be answered" in client.get("/profile/").content.decode()
    wanted = [kind.name for kind in registry.kinds() if not kind.essential and kind.name != "position"]
    client.post("/profile/mails", {"kinds": wanted})
    work(mailing)
    before = len(mailing.sink.to(f"{user.username}@players.example"))
    payload = {"match": str(match.id), "seat": question.seat, "question": question.question, "what": "resumed", "by": None}
    for kind in ("match_started", "your_turn", "pause"):
        Outbox.objects.create(kind=kind, user=user, topic=str(match.id), payload=payload)
    work(mailing)
    told = mailing.sink.to(f"{user.username}@players.example")[before:]
    assert {str(one.message["X-Game-Reason"]) for one in told} == {"your-turn", "pause"}, (
        "one mail tells of the match and the turn"
    )
    for caught in told:
        assert caught.message["Reply-To"] is None
        assert "answer this mail" not in flat(caught) + " ".join(caught.html.split())
        assert not any(part.get_content_type() == "image/png" for part in caught.message.walk())
        for hidden in ("Supernova", "Since your last look", "Your hand", "Orders:"):
            assert hidden not in caught.text + caught.html
    [brief] = reminding.open_matches(Outbox(kind="digest", user=user), user)
    assert (brief.lines, brief.orders, brief.reply_to) == ((), "", "")


def test_the_picture_in_a_mail_is_as_wide_as_the_operator_set(toy, anna, ben, mailing, settings):  # noqa: F811
    settings.MAIL_PICTURE_WIDTH = 1080
    match = opened(toy, anna, ben, mailing)
    work(mailing)
    mover = loading.load(match.id, match.game).awaited()[0].seat
    told = mail_of(mailing, ("anna", "ben")[mover], "your-turn")
    [picture] = [part for part in told.message.walk() if part.get_content_type() == "image/png"]
    assert Image.open(io.BytesIO(picture.get_payload(decode=True))).width == 1080


@pytest.mark.parametrize("position", [True, False])
def test_how_a_match_ended_is_told_to_everybody(toy, anna, ben, mailing, position):  # noqa: F811
    if not position:
        preferences.mute(preferences.Receiver(user_id=anna.pk), Scope.KIND, wording.POSITION)
    match = opened(toy, anna, ben, mailing)
    play_out(match)
    match.refresh_from_db()
    work(mailing)
    told = mail_of(mailing, "anna", "match-over")
    reason = match.outcome["reason"].replace("_", " ")
    assert reason
    for part in (told.text, told.html):
        assert f"{reason[:1].upper()}{reason[1:]}." in part
    pictures = [part for part in told.message.walk() if part.get_content_type() == "image/png"]
    assert bool(pictures) is position


def test_who_wants_no_position_in_mails_gets_none_by_asking(toy, anna, ben, mailing):  # noqa: F811
    match = opened(toy, anna, ben, mailing)
    seat = loading.load(match.id, match.game).awaited()[0].seat
    name, user = ("anna", "ben")[seat], match.seats.get(index=seat).user
    to = str(mail_of(mailing, name, "your-turn").message["Reply-To"])
    for muted in (False, True):
        if muted:
            preferences.mute(preferences.Receiver(user_id=user.pk), Scope.KIND, wording.POSITION)
        mailing.write("history 3\nhelp", to=to, sender=f"{name}@players.example")
        work(mailing)
        told = mailing.receipt(f"{name}@players.example")
        for part in (told.text, told.html):
            assert ("history 3" in part.lower(), "vacation" in part) == (True, not muted)


def test_revoked_addresses_are_dead_and_open_turns_are_sent_again(match, anna, mailing):  # noqa: F811
    seat = loading.load(match.id, match.game).awaited()[0].seat
    name, user = ("anna", "ben")[seat], match.seats.get(index=seat).user
    old = str(mail_of(mailing, name, "your-turn").message["Reply-To"])
    client = Client()
    client.force_login(user)
    client.get("/profile/reply-addresses")
    assert addresses.resolve(old) is not None, "looking changes nothing"
    assert client.post("/profile/reply-addresses").status_code == 302
    with pytest.raises(smtplib.SMTPRecipientsRefused):
        mailing.write("status", to=old, sender=f"{name}@players.example")
    work(mailing)
    new = str(mail_of(mailing, name, "your-turn").message["Reply-To"])
    assert new != old
    answer(mailing, name, "status", "your-turn")
    assert "Status" in mailing.receipt(f"{name}@players.example").subject
