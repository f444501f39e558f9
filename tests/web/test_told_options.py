"""The meaning of some options is shown to every user who considers joining: on three pages and in the mail."""

from __future__ import annotations

import html
from typing import Any

import pytest
from django.test import Client
from django.utils import translation

from accounts.models import Language
from gamesvc.games import catalog
from gamesvc.json_types import JsonObject
from gamesvc.matches.lobby import invitations, opening
from gamesvc.matches.models import Match
from gamesvc.matches.story import option_words
from tests.mailing import mailing, verify  # noqa: F401

pytestmark = pytest.mark.django_db
MARKED = [
    (game.manifest.id, name, value)
    for game in catalog.games()
    for name, schema in game.manifest.options.get("properties", {}).items()
    if schema.get("told")
    for value in schema["enum"]
]
every_choice = pytest.mark.parametrize(("game", "option", "value"), MARKED)


@pytest.fixture
def opened(anna, game, option, value):
    return opening.create_match(by=anna, game=game, options={option: value})


def flat(text: str) -> str:
    return " ".join(html.unescape(text).split())


def test_the_pace_of_stratastar_is_one_of_them():
    assert {("stratastar", "pace", "fast"), ("stratastar", "pace", "secret")} <= set(MARKED)


@every_choice
def test_every_page_before_the_start_tells_it(opened, anna, ben, value):
    (sentence,) = option_words.always_told(opened)
    assert f"({value})" in sentence
    reader = Client()
    reader.force_login(ben)
    _invitation, token = invitations.invite(by=anna, match=opened, username="ben")
    for path in (f"/matches/{opened.number}/", f"/invitations/{token}/", "/lobby/"):
        for client in (reader, Client()):
            assert sentence in flat(client.get(path).content.decode()), path


@every_choice
@pytest.mark.parametrize("language", Language.values)
def test_the_mail_tells_it_in_the_readers_language(opened, anna, ben, mailing, language):  # noqa: F811
    verify(ben)
    ben.language = language
    ben.save()
    invitations.invite(by=anna, match=opened, username="ben")
    mailing.work()
    with translation.override(language):
        (sentence,) = option_words.always_told(opened)
    (mail,) = [mail for mail in mailing.sink.to("ben@players.example") if mail.message["X-Game-Reason"] == "invitation"]
    for kind in ("plain", "html"):
        assert sentence in flat(mail.message.get_body((kind,)).get_content())


@every_choice
def test_it_is_translated(opened, game, option, value):
    schema = catalog.game(game).manifest.options["properties"][option]
    with translation.override("de"):
        for text in (schema["title"], schema["labels"][value], schema["description"]):
            assert translation.gettext(text) != text


def test_a_match_of_before_there_was_a_choice_tells_nothing(anna):
    match = opening.create_match(by=anna, game="stratastar")
    Match.objects.filter(pk=match.pk).update(options={})
    match.refresh_from_db()
    assert option_words.always_told(match) == option_words.changed(match) == []


def other(schema: JsonObject) -> list[Any]:
    """Return values of an option that are not its default: one of each kind that its schema allows."""
    if schema.get("type") == "array":
        items = schema["items"].get("enum") or schema["items"]["examples"]
        return [[item] * schema.get("minItems", 1) for item in items[-2:]]
    values = [*schema.get("enum", ()), *schema.get("examples", ()), *((True, False) if schema.get("type") == "boolean" else ())]
    return [value for value in values or [schema["minimum"], schema["minimum"] + 1] if value != schema["default"]]


OTHERS = [
    (game.manifest.id, name, value)
    for game in catalog.games()
    for name, schema in game.manifest.options["properties"].items()
    for value in other(schema)
    if name != "mode"  # belongs to the number of seats
]
NEEDS: JsonObject = {"lethal": {"edition": "classic"}}


@pytest.mark.parametrize(("game", "option", "value"), OTHERS, ids=lambda value: str(value)[:20])
def test_every_option_can_be_read_on_every_page(anna, ben, game, option, value):
    """A list of decks or abilities was no key of its words, and took down the lobby of everybody."""
    match = opening.create_match(by=anna, game=game, seats=2, options={option: value, **NEEDS.get(option, {})})
    reader = Client()
    reader.force_login(ben)
    title = catalog.game(game).manifest.options["properties"][option]["title"]
    for path in (f"/matches/{match.number}/", "/lobby/"):
        answer = reader.get(path)
        assert answer.status_code == 200, path
        assert title in html.unescape(answer.content.decode())
    words = dict(option_words.changed(match)).get(title, "told")
    assert words
    assert not set("[\n") & set(words)
