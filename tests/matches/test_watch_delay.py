"""A delay for spectators: whichever door they read by, it shows the match of an earlier moment, and nothing that came later."""

from __future__ import annotations

import re
import uuid
from datetime import UTC, datetime, timedelta

import pytest
import time_machine
from django.test import Client
from django.urls import get_resolver, reverse

from accounts.bots import bots
from accounts.models import User
from gamesvc.api.live.streams import Look
from gamesvc.games.kernel.game import Refused
from gamesvc.matches.access.selectors import access_match
from gamesvc.matches.lobby import follows, invitations, opening, press, rematches, substitutes
from gamesvc.matches.mail_orders.words import openings
from gamesvc.matches.models import Holding, Match
from gamesvc.matches.notices import absence_notices, match_hooks
from gamesvc.matches.organising import looks
from gamesvc.matches.play import turns
from gamesvc.matches.reading import following
from gamesvc.matches.reading.board import caption_of
from gamesvc.matches.record import loading, service_events
from gamesvc.matches.record.append import Actor
from gamesvc.matches.record.rows import read_models
from gamesvc.matches.record.stream import STORE
from gamesvc.matches.timekeeping import pauses
from gamesvc.matches.undo import undoing
from notifications.models import Outbox, Webhook
from tests.mailing import mailing, verify  # noqa: F401
from tests.matches.playing import act, holder, play_out, sends
from tests.matches.test_mail_words import flat
from tests.web.page import chosen, form_to

pytestmark = pytest.mark.django_db

BEGIN = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
HOUR = timedelta(hours=1)
DELAY = 24
# All doors are asked after these acts of `script`; a sealed order, a message, a look behind, an undo and a pause follow.
LOOKED_AT = (1, 4, 7)
# Fresh in every answer, whatever it shows.
RANDOM = re.compile(rb'(?:csrfmiddlewaretoken|_once)" value="[^"]*"|nonce[-=]["\']?[\w+/=-]+')
# A ticket for the stream, fresh in every answer. What it tells is `followed`.
LEFT_OUT = {"/api/v1/matches/{}/stream/"}


@pytest.fixture(autouse=True)
def _unlimited(settings):
    settings.RATE_LIMIT_HISTORY = 0


@pytest.fixture
def eve(player):
    return player("eve")


@pytest.fixture
def host(player):
    return player("olga")


@pytest.fixture
def match(toy, host, anna, ben):
    """A match that everyone may watch a day late, begun and not yet played."""
    with time_machine.travel(BEGIN, tick=False):
        match = opening.create_match(by=host, game=toy, watch="all", watch_delay=DELAY, take_seat=False)
        opening.join_match(by=anna, match=match)
        return opening.join_match(by=ben, match=match)


def below_a_match():
    """Return the addresses below a match that take nothing else, of pages and API, from the URL configuration."""
    found = [*_addresses(get_resolver().url_patterns)]
    assert "/matches/{}/" in found
    assert "/api/v1/matches/{}/view/" in found
    return [path for path in found if path not in LEFT_OUT]


def _addresses(patterns, before="/"):
    for one in patterns:
        path = before + str(one.pattern).lstrip("^").rstrip("$")
        if hasattr(one, "url_patterns"):
            yield from _addresses(one.url_patterns, path)
        elif "matches/<str:ident>/" in path:
            path = path.replace("<str:ident>", "{}").replace("<str:kind>", "svg")
            if "<" not in path:
                yield path


def doors(match, moment):
    """Return the address of everything that a spectator can ask for, also at the version they know and at the next one."""
    told = [path.format(match.number) for path in below_a_match()]
    api, page = f"/api/v1/matches/{match.number}", f"/matches/{match.number}"
    for version in (head := STORE.head(match.id).version, head + 1):
        told += [f"{api}/view/?version={version}", f"{api}/events/?after={version - 1}", f"{api}/steps/{version - 1}/"]
        told += [f"{api}/board.svg?version={version}", f"{page}/?at={version}", f"{page}/?before={version}"]
        told += [f"{api}/clock/?before={version}", f"{page}/thumbnail.svg?v={version}"]
    at = (moment + timedelta(days=2)).isoformat().replace("+00:00", "Z")
    told += [f"{api}/view/?at={at}", f"{page}/as-of?moment={at}"]
    return [*told, "/lobby/watch/", "/api/v1/matches/?public=true", f"{page}/explained?of=card"]


def read(user, path):
    """Return what a reader gets at an address: status, ETag and body, without what is random in it."""
    client = Client(raise_request_exception=False)
    if user is not None:
        client.force_login(user)
    answer = client.get(path)
    body = b"".join(answer) if answer.streaming else answer.content
    return answer.status_code, answer.get("ETag"), answer.get("Location"), RANDOM.sub(b"", body)


def followed(match, user):
    """Return what a stream tells a follower, with all events."""
    (glance,) = following.glances(match.id, [(user, "")])
    return Look.of(glance, after=0)


def everything(match, user, moment):
    return {path: read(user, path) for path in doors(match, moment)} | {"stream": followed(match, user)}


def script(match, operator):
    """Yield after each of several acts of all kinds, an hour apart; the match still runs at its end."""

    def say():
        press.say(match=match, by=holder(match, 0), by_seat=0, to="all", text="Here we go", channel="web")

    def pause(seat, wanted):
        pauses.wish(match=match, by=holder(match, seat), seat=seat, pause=wanted, channel="web")

    def undo():
        sent = {"sender": sends(match, 0), "command_id": turns.command_id(sender="test", key="undo")}
        version = loading.load(match.id, match.game).viewer_version(0)
        undoing.undo(match=match, expected_version=version, **sent)

    acts = [
        lambda: act(match, 0),
        lambda: act(match, 1, {"name": "set_orders", "text": "kept"}),
        say,
        lambda: act(match, 1),
        lambda: looks.look_behind(by=operator, match=match, seat=0, version=STORE.head(match.id).version, reason="A doubt"),
        lambda: act(match, 0),
        undo,
        lambda: pause(0, True),
        lambda: pause(1, True),
        lambda: pause(0, False),
        lambda: pause(1, False),
        lambda: play_out(match, most=2),
    ]
    for number, one in enumerate(acts, 1):
        with time_machine.travel(BEGIN + number * HOUR, tick=False):
            one()
        yield BEGIN + number * HOUR


def test_no_door_tells_a_spectator_of_anything_later(match, eve, player):
    """Each door answers after later acts, byte for byte, what it answered before them."""
    before, moments = {}, []
    for moment in script(match, player("otto", is_staff=True)):
        moments.append(moment)
        if len(moments) in LOOKED_AT:
            with time_machine.travel(moment + DELAY * HOUR, tick=False):
                before[moment] = everything(match, eve, moment)
    assert Match.objects.get().status == Match.Status.RUNNING
    for moment, answers in before.items():
        with time_machine.travel(moment + DELAY * HOUR, tick=False):
            for path, told in answers.items():
                now = followed(match, eve) if path == "stream" else read(eve, path)
                assert now == told, (moment, path)
                if path != "stream" and path.startswith(f"/api/v1/matches/{match.number}/view/"):
                    assert read(None, path)[:3] == told[:3]


def test_a_spectator_sees_what_others_saw_at_that_moment(match, eve, player):
    """The same as without a delay, then: a position, its events, its picture."""
    shown = [f"/api/v1/matches/{match.number}/{one}" for one in ("events/", "board.svg", "export/", "steps/8/", "proof/")]
    then = {}
    for moment in script(match, player("otto", is_staff=True)):
        Match.objects.update(watch_delay=0)
        with time_machine.travel(moment, tick=False):
            then[moment] = [read(eve, path) for path in shown]
        Match.objects.update(watch_delay=DELAY)
    for moment, told in then.items():
        with time_machine.travel(moment + DELAY * HOUR, tick=False):
            assert [read(eve, path) for path in shown] == told


def test_the_start_is_shown_at_once_and_then_time_alone_shows_more(match, eve):
    view = f"/api/v1/matches/{match.number}/view/"

    def seen(moment):
        with time_machine.travel(moment, tick=False):
            return access_match(user=eve, ident=str(match.pk)).load().version

    begun = STORE.head(match.id).version
    with time_machine.travel(BEGIN + 2 * HOUR, tick=False):
        act(match, 0)
        assert read(eve, view)[0] == 200
    assert seen(BEGIN + 2 * HOUR) == seen(BEGIN + (DELAY + 2) * HOUR - timedelta(seconds=1)) == begun
    assert seen(BEGIN + (DELAY + 2) * HOUR) == STORE.head(match.id).version > begun


def test_players_host_and_operators_see_the_match_as_it_is(match, anna, host, player):
    with time_machine.travel(BEGIN + HOUR, tick=False):
        act(match, 0)
        for user in (anna, host, player("otto", is_staff=True)):
            assert access_match(user=user, ident=str(match.pk)).load().version == STORE.head(match.id).version


def test_a_host_who_gave_up_their_seat_sees_it_late(toy, anna, ben):
    """They rule no longer, and what they see now would reach others through them. Nor does their webhook tell that it moved."""
    with time_machine.travel(BEGIN, tick=False):
        match = opening.create_match(by=anna, game=toy, watch="all", watch_delay=DELAY)
        hook = Webhook.objects.create(user=anna, url="https://hooks.example/", topic=str(match.pk), channel=False)
        opening.join_match(by=ben, match=match)
        begun = STORE.head(match.id).version
    with time_machine.travel(BEGIN + HOUR, tick=False):
        assert match_hooks.look([hook])
        act(match, 0)
        substitutes.give_up(by=anna, match=match, seat=0)
        shown = read(anna, "/")
        act(match, 1)
        assert read(anna, "/") == shown
        pauses.wish(match=match, by=ben, seat=1, pause=True, channel="web")
        assert Match.objects.get().paused_at is not None
        assert read(anna, "/") == shown
        assert access_match(user=anna, ident=str(match.pk)).load().version == begun
        assert not match_hooks.look([hook])
        substitutes.take_over(by=anna, match=match)
        assert access_match(user=anna, ident=str(match.pk)).load().version == STORE.head(match.id).version
        assert match_hooks.look([hook])
        substitutes.give_up(by=anna, match=match, seat=0)
        service_events.append(match, lambda *_: [turns.ended(match, "aborted")], actor=Actor("host"), channel="test")
        assert match_hooks.look([hook])[hook.pk].data["status"] == Match.Status.CANCELLED


@pytest.mark.parametrize("hosts", ["the owner", "the bot"])
def test_a_host_sees_late_what_another_account_of_theirs_has_left(toy, ben, host, hosts):
    """A user and their bots are one person. While the other account plays, the host sees the match as it is."""
    bot = bots.make(owner=host, name="deep-bot")
    User.objects.update(plays_bots=True)
    opener, sitter = (host, bot) if hosts == "the owner" else (bot, host)
    with time_machine.travel(BEGIN, tick=False):
        match = opening.create_match(by=opener, game=toy, watch="all", watch_delay=DELAY, take_seat=False, entry="invited")
        for guest in (sitter, ben):
            invitations.invite(by=opener, match=match, username=guest.username)
            match = opening.join_match(by=guest, match=match)
        hook = Webhook.objects.create(user=opener, url="https://hooks.example/", topic=str(match.pk), channel=False)
    with time_machine.travel(BEGIN + HOUR, tick=False):
        act(match, 0)
        assert access_match(user=opener, ident=str(match.pk)).load().version == STORE.head(match.id).version
        substitutes.give_up(by=sitter, match=match, seat=0)
        view = f"/api/v1/matches/{match.number}/view/"
        shown = [read(opener, path) for path in (view, "/")]
        act(match, 1)
        assert access_match(user=opener, ident=str(match.pk)).load().version < STORE.head(match.id).version
        assert [read(opener, path) for path in (view, "/")] == shown
        assert not match_hooks.look([hook])


@pytest.mark.parametrize("seat", [0, 1])
def test_an_operator_who_gave_up_their_seat_sees_it_late_on_their_own_pages_too(toy, anna, ben, player, seat):
    """Whether or not they opened the match: neither its events, nor who must act until when, nor a pause, nor a look behind."""
    left = (anna, ben)[seat]
    left.is_staff = True
    left.save()
    with time_machine.travel(BEGIN, tick=False):
        match = opening.join_match(by=ben, match=opening.create_match(by=anna, game=toy, watch="all", watch_delay=DELAY))
    paths = [reverse("admin:matches_match_change", args=[match.pk], query=query) for query in ({}, {"after": 0}, {"version": 9})]
    with time_machine.travel(BEGIN + HOUR, tick=False):
        for one in range(seat + 1):
            act(match, one)
        substitutes.give_up(by=left, match=match, seat=seat)
        shown = [read(left, path) for path in paths]
        act(match, 1 - seat)
        otto, newest = player("otto", is_staff=True), STORE.head(match.id).version
        looks.look_behind(by=otto, match=match, seat=0, version=newest, reason="A doubt")
        pauses.wish(match=match, by=holder(match, 1 - seat), seat=1 - seat, pause=True, channel="web")
        assert Match.objects.get().paused_at is not None
        assert [status for status, *_rest in shown] == [200, 200, 200]
        assert [read(left, path) for path in paths] == shown
        assert b"A doubt" in read(otto, paths[0])[3]


def test_a_list_by_mail_tells_a_host_who_gave_up_their_seat_of_no_turn(toy, anna, ben, mailing):  # noqa: F811
    """Neither who must act now nor until when, as on the page of their matches; with their seat again, both."""
    verify(anna, ben)
    match = opening.create_match(by=anna, game=toy, watch="all", watch_delay=DELAY)
    opening.join_match(by=ben, match=match)

    def listed():
        mailing.write("list", to="play@reply.games.example")
        mailing.work()
        answer = [mail for mail in mailing.sink.to("anna@players.example") if mail.reason == "words-answered"][-1]
        return flat(answer).partition(f"#{match.number} ")[2]

    act(match, 0)
    assert "waits for ben until" in listed()
    substitutes.give_up(by=anna, match=match, seat=0)
    shown = listed()
    assert "is shown to you late" in shown
    assert "waits for" not in shown
    act(match, 1)
    assert listed() == shown
    substitutes.take_over(by=anna, match=match)
    assert "your turn, due" in listed()


def test_everything_is_shown_at_the_end(match, eve):
    with time_machine.travel(BEGIN + HOUR, tick=False):
        play_out(match)
        match.refresh_from_db()
        assert match.over
        assert read(None, f"/api/v1/matches/{match.number}/view/")[1] == read(eve, f"/api/v1/matches/{match.number}/view/")[1]
        assert access_match(user=eve, ident=str(match.pk)).load().version == STORE.head(match.id).version
        assert b"late" not in read(eve, f"/matches/{match.number}/")[3]


def test_the_delay_is_chosen_on_the_page_and_told_there(toy, anna, ben):
    page = Client()
    page.force_login(anna)
    form = form_to(page.get(f"/new/{toy}/").content.decode(), "", "Create game")
    page.post(f"/new/{toy}/", chosen(form, {"watch": ["all"], "watch_delay": ["24"]}))
    match = Match.objects.get()
    assert (match.watch_delay, loading.load(match.id, toy).opened.watch_delay) == (24, 24)
    opening.join_match(by=ben, match=match)
    assert b"Spectators see this match 1 day late" in re.sub(rb"\s+", b" ", page.get(f"/matches/{match.number}/").content)
    assert b"You see this match 1 day late" in re.sub(rb"\s+", b" ", Client().get(f"/matches/{match.number}/").content)
    assert read_models.opened_columns(loading.load(match.id, toy))["watch_delay"] == 24


def test_the_delay_is_chosen_by_programs_and_by_mail(toy, anna, program):
    made = program(anna).post("/matches/", {"game": toy, "watch_delay": 6}).json()
    assert made["watch_delay"] == 6
    refused = program(anna).post("/matches/", {"game": toy, "watch_delay": 721})
    assert (refused.status_code, refused.json()["code"]) == (422, "bad_watch_delay")
    openings.open_match(anna, "stratastar watch=all watch_delay=72")
    assert Match.objects.get(game="stratastar").watch_delay == 72
    with pytest.raises(Refused):
        opening.create_match(by=anna, game=toy, watch_delay=-1)


def test_a_rematch_keeps_the_delay(match, anna):
    with time_machine.travel(BEGIN + HOUR, tick=False):
        play_out(match)
        match.refresh_from_db()
        assert rematches.rematch(by=anna, match=match).watch_delay == DELAY


def test_a_page_reached_by_a_watch_link_is_not_for_search_engines(match):
    Match.objects.update(watch="link")
    page = Client().get(f"/matches/{match.number}/", {"link": match.link_token})
    assert b'<meta name="robots" content="noindex">' in page.content
    assert Client().get(f"/matches/{match.number}/").status_code == 404


@pytest.mark.parametrize("delay", [0, DELAY])
def test_a_call_for_a_substitute_shows_no_later_board(match, eve, ben, delay):
    """The mail to followers of the game goes out at once; its board is the one of the page, or none."""
    follows.follow(by=eve, organiser="olga")
    Match.objects.update(watch_delay=delay)
    with time_machine.travel(BEGIN + HOUR, tick=False):
        act(match, 0)
        substitutes.give_up(by=ben, match=match, seat=1)
        told = absence_notices.word_seat_free(Outbox.objects.get(kind="seat_free", user=eve))
        loaded = loading.load(match.id, match.game)
        board = loaded.game.board_text(loaded.game.view(loaded.timeline.state, None), caption_of(match, ("anna", "")))
    assert "no longer has a player" in told.text
    assert (board.splitlines()[-1] in told.text, bool(told.images)) == (not delay, not delay)


def test_who_may_not_take_a_free_seat_is_not_called(match, eve, ben):
    """The owner of a bot that has seen a hand: their answer would be refused."""
    program = bots.make(owner=eve, name="eves-bot")
    follows.follow(by=eve, organiser="olga")
    with time_machine.travel(BEGIN + HOUR, tick=False):
        substitutes.give_up(by=ben, match=match, seat=1)
        row = Outbox.objects.get(kind="seat_free", user=eve)
        assert absence_notices.word_seat_free(row) is not None
        Holding.objects.create(match=match, user=program, seat=0, holder=uuid.uuid4())
        assert absence_notices.word_seat_free(row) is None
        assert absence_notices.word_seat_free(Outbox.objects.get(kind="seat_free", user=match.creator)) is not None
