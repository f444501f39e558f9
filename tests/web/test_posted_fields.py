"""A field that cannot be read is named to the reader, and nothing is done: it never counts as another value."""

from __future__ import annotations

import html
import random
import unicodedata
import uuid
from urllib.parse import quote

import pytest

from accounts.models import ApiToken
from accounts.oauth import apps
from gamesvc.games import catalog
from gamesvc.games.acts import merged
from gamesvc.games.kernel.forms import Unfillable, fill
from gamesvc.games.protocol import Session
from gamesvc.matches.lobby import opening
from gamesvc.matches.models import Match, Question, Seat
from gamesvc.matches.play import turns
from gamesvc.matches.play.turns import Sender
from gamesvc.matches.record import loading
from gamesvc.web.common import controls, posted
from notifications.models import Mute, Preference
from tests.web.page import forms
from tests.web.posting import TooManyRows, encode

pytestmark = pytest.mark.django_db


@pytest.fixture
def match(toy_offered, people):
    return opening.join_match(by=people[1], match=opening.create_match(by=people[0], game="toy"))


def told(answer):
    return html.unescape(answer.content.decode())


def test_a_key_that_would_expire_too_late_is_not_made_for_ever(clients):
    fields = {"act": "create", "name": "bot", "scopes": ["read"], "days": "99999"}
    assert "A key expires after 1 to 3650 days, or never." in told(clients[0].post("/profile/tokens", fields, follow=True))
    assert not ApiToken.objects.exists()


MANY_MARKS = "https://a" + "\u0344" * 1_000 + "\u0f73" * 1_000


def test_an_address_of_the_web_is_measured_before_it_is_read(clients, people, monkeypatch):
    """Of a host with very many accents Python takes the square, while all threads of the process stand still."""
    normalize = unicodedata.normalize

    def of_few(form, text):
        assert len(text) <= 1_000
        return normalize(form, text)

    monkeypatch.setattr(unicodedata, "normalize", of_few)
    app, _secret = apps.register(owner=people[0], name="x", redirect_uris=["http://127.0.0.1/cb"], confidential=False)
    for address, fields in (
        ("/profile/webhook", {"act": "save", "url": MANY_MARKS}),
        ("/profile/webhooks/", {"act": "add", "url": MANY_MARKS, "match": ""}),
        ("/profile/apps/", {"act": "register", "name": "y", "redirect_uris": MANY_MARKS}),
    ):
        answer = clients[0].post(address, fields, follow=True)
        assert "at most 500 characters" in told(answer) or "cannot be a redirect address" in told(answer), address
    asking = f"/oauth/authorize/?response_type=code&client_id={app.pk}&redirect_uri={quote(MANY_MARKS)}"
    assert clients[0].get(asking).status_code == 400


def test_an_unknown_act_makes_no_key(clients):
    page = clients[0].post("/profile/tokens", {"act": "rename", "name": "bot", "scopes": ["read"]}, follow=True)
    assert "Choose what to do with your keys." in told(page)
    assert not ApiToken.objects.exists()


def test_a_seat_that_is_no_number_is_not_any_seat(toy_offered, clients, people):
    match = opening.create_match(by=people[0], game="toy")
    page = clients[1].post(f"/matches/{match.number}/seats", {"act": "join", "seat": "second"}, follow=True)
    assert "Choose one of the seats on the page." in told(page)
    assert Seat.objects.filter(match=match, user=None).count() == 1


@pytest.mark.parametrize(
    ("field", "value", "sentence"),
    [
        ("clock_quiet_hours", "8.5", "Enter how many quiet hours do not count, as a whole number."),
        ("clock_after", "2000", "Enter the number of timeouts in a row as a whole number."),
        ("clock_off", "someday", "Choose from the days of the week."),
        ("clock_turn", "3" * 41, "Write at most 40 characters in each field of the time control."),
        ("hours", "two days", "Choose how many hours players have to answer."),
        ("entry", "friends", "Choose who may join: anyone, or invited players."),
        ("timeouts", "-1", "Enter the number of timeouts as a whole number."),
        ("bot1", "deep blue", "Choose a bot for Blue ("),
    ],
)
def test_a_new_match_names_the_field_that_cannot_be_read(toy_offered, clients, field, value, sentence):
    answer = clients[0].post("/new/toy/", {"options.points": "3", "clock": "parts", "clock_turn": "3d", field: value})
    assert answer.status_code == 422
    assert sentence in told(answer)
    assert not Match.objects.exists()


def test_the_parts_of_a_clock_do_not_matter_beside_a_preset(toy_offered, clients):
    for fields in ({"clock": "working_days"}, {"hours": "48"}):
        answer = clients[0].post("/new/toy/", {"options.points": "3", **fields, "clock_quiet_hours": "many"})
        assert answer.status_code == 302


@pytest.mark.parametrize(
    ("address", "fields", "sentence"),
    [
        ("orders", {"orders": "draw", "_version": "new"}, "The page did not say which version it showed."),
        ("command", {"_form": "draw", "_version": ""}, "The page did not say which version it showed."),
        ("fork", {"version": "9" * 10, "kind": "board"}, "The page did not say which version it showed."),
        ("fork", {"version": "4", "kind": "board", "seat": "mine"}, "Choose one of the seats on the page."),
        ("undo", {"act": "undo", "_version": "last"}, "The page did not say which version it showed."),
        ("standing", {"cancel": "all"}, "There is no such conditional order. Load the page again."),
        ("press", {"to": "everybody", "text": "hello"}, "Choose whom to write to."),
    ],
)
def test_the_page_of_a_match_says_what_it_cannot_read(match, clients, address, fields, sentence):
    asked = list(Question.objects.values_list("pk", flat=True))
    assert sentence in told(clients[0].post(f"/matches/{match.number}/{address}", fields, follow=True))
    assert list(Question.objects.values_list("pk", flat=True)) == asked
    assert Match.objects.count() == 1


@pytest.mark.parametrize(
    ("address", "fields", "sentence"),
    [
        ("timing", {"batch_minutes": "soon"}, "Enter for how many minutes turn mails are collected, as a whole number."),
        ("timing", {"webhook": "always"}, "Choose when the webhook is used."),
        ("quiet-hours", {"start": "late", "end": "7:00"}, "Write the time like 22:00."),
        ("vacations", {"first": "2026-13-01", "last": ""}, "Write the day like 2026-12-24."),
        ("vacations", {"first": "20261224", "last": "2026-12-24"}, "Write the day like 2026-12-24."),
        ("vacations", {"act": "cancel", "absence": "all"}, "You have not announced such a vacation."),
        ("follow", {"act": "stop", "follow": "all"}, "You do not follow this."),
        ("mails", {"kinds": "carrier pigeon"}, "One of these kinds of mail no longer exists."),
        ("mails/again", {"suppression": "all"}, "Nothing was held back there."),
        ("tokens", {"act": "revoke", "token": "mine"}, "There is no such key."),
    ],
)
def test_the_profile_says_what_it_cannot_read(clients, address, fields, sentence):
    assert sentence in told(clients[0].post(f"/profile/{address}", fields, follow=True))
    assert not Preference.objects.exists()
    assert not Mute.objects.exists()


def test_operators_read_which_field_is_no_number(match, desk):
    page = f"/admin/matches/match/{match.pk}/act/"
    fields = {"act": "measure", "action": "extend", "code": "other", "reason": "more time", "seat": "0", "hours": "many"}
    assert "Enter the hours as a whole number." in told(desk.post(page, fields, follow=True))
    assert "Choose the seat to look behind." in told(
        desk.post(page, {"act": "look", "version": "1", "reason": "why"}, follow=True)
    )


@pytest.mark.parametrize(
    ("language", "sentences"),
    [
        ("en", ("Cards: choose 2 (1 chosen).", "Cards: choose 2 (0 chosen).")),
        ("de", ("Karten: Wähle 2 (gewählt: 1).", "Karten: Wähle 2 (gewählt: 0).")),
    ],
)
def test_too_few_cards_are_refused_in_the_words_of_the_form(people, clients, language, sentences):
    """Star Commander: two cards are discarded for 3 credits. The page and the preview that fills its bar say the same."""
    for person in people:
        person.language = language
        person.save(update_fields=["language"])
    match = opening.create_match(by=people[0], game="star_commander", seats=2)
    opening.join_match(by=people[1], match=match)
    form = _form_with(match, clients, "uids")
    for count, sentence in zip((1, 0), sentences, strict=True):
        fields = {**form.fields, "uids": sorted(form.choices["uids"])[:count]}
        answer = clients[_awaited(match)].post(form.action, fields)
        assert answer.status_code == 422
        assert sentence in told(answer)
        preview = clients[_awaited(match)].post(form.action.replace("command", "preview"), fields)
        assert preview.json()["why"] == sentence


def _awaited(match):
    return loading.load(match.id, match.game).awaited()[0].seat


def _form_with(match, clients, field):
    """Let the greedy bot act until the page offers a form with a field."""
    rng = random.Random(field)
    for _ in range(200):
        seat = _awaited(match)
        for form in forms(clients[seat].get(f"/matches/{match.number}/").content.decode()):
            if len(form.choices.get(field, ())) > 1:
                return form
        loaded = loading.load(match.id, match.game)
        state = loaded.timeline.state
        command = loaded.game.bots["greedy"](loaded.game.view(state, seat), loaded.game.legal_commands(state, seat), rng)
        sender = Sender.player(_user_of(match, seat), seat, "web")
        version = loaded.viewer_version(seat)
        turns.submit(match=match, sender=sender, command=command, expected_version=version, command_id=uuid.uuid4())
    raise AssertionError(f"no page offers {field}")


def _user_of(match, seat):
    return Seat.objects.get(match=match, index=seat).user_id


@pytest.mark.parametrize("game_id", catalog.OFFERED)
def test_every_refusal_of_a_form_begins_with_words_of_the_page(game_id):
    """Forms of many positions are posted empty, and with one value missing: what is wrong is said as the form says it."""
    refusals = [found for sheet, fields in _damaged(catalog.game(game_id)) if (found := _refusal(sheet, fields))]
    assert refusals
    assert [sentence for sentence, words in refusals if not sentence.startswith(words)] == []


@pytest.mark.parametrize("value", ["1.0", "two", "²", "9" * 5000])
def test_a_count_that_is_no_number_is_shown_again_as_it_was_typed(value):
    counts = [
        posted.filled(one, {child.path: [value] for child in one.children})
        for game in catalog.OFFERED
        for sheet, fields in _damaged(catalog.game(game))
        if not fields
        for one in sheet.controls
        if one.kind == "counts"
    ]
    assert {child.value for one in counts for child in one.children} == {value}
    assert all(isinstance(one.complete, bool) for one in counts)


def _refusal(sheet, fields):
    """Return the sentence with which fields are refused, and the words that the page has for the parts of the form."""
    try:
        posted.read(sheet, fields)
    except posted.Unreadable as unreadable:
        return unreadable.sentence, tuple(_labels(sheet.controls))
    return None


def _damaged(game):
    """Yield forms of a match between bots with fields as no player means them."""
    rng, session = random.Random(game.id), Session(game)
    session.answer({"op": "new", "seats": 1 if game.id == "space_fleet_commander" else 2, "seed": "refused"})
    for _ in range(120):
        state = session.timeline.state
        if game.outcome(state) is not None:
            return
        seat = game.awaited(state)[0].seat
        offered = game.legal_commands(state, seat)
        for form in merged(game, offered):
            sheet = controls.sheet(form)
            yield sheet, {}
            try:
                whole = encode(sheet, fill(form, rng))
            except (TooManyRows, Unfillable):
                continue
            for name in whole:
                yield sheet, {field: values[:-1] if field == name else values for field, values in whole.items()}
        command = game.bots["greedy"](game.view(state, seat), offered, rng)
        session.answer({"op": "command", "seat": seat, "command": command})


def _labels(tree):
    for one in tree:
        yield from filter(None, (one.label, *(option.label for option in one.options)))
        yield from _labels(one.children)
