"""Moments in mails that hold or refuse a mail, as in all other mails: in the player's zone, in the format of their language."""

from __future__ import annotations

import re

import pytest
from django.conf import settings
from django.test import Client

from gamesvc.matches.lobby import opening
from tests.mailing import mailing, verify  # noqa: F401
from tests.matches.playing import holder

GERMAN = r"\w\w \d{1,2}\. \w+\.? \d\d:\d\d CES?T"


@pytest.fixture
def asked(anna, ben, mailing):  # noqa: F811
    """The first turn mail of a German player in Berlin."""
    verify(anna, ben)
    match = opening.create_match(by=anna, game="stratastar")
    match = opening.join_match(by=ben, match=match)
    for seat in (0, 1):
        user = holder(match, seat)
        user.language, user.timezone = "de", "Europe/Berlin"
        user.save()
    mailing.work()
    return next(one for one in mailing.sink.messages if one.message["X-Game-Reason"] == "your-turn")


@pytest.mark.django_db
def test_a_held_mail_tells_arrival_and_deadline_as_other_mails_do(asked, mailing):  # noqa: F811
    mailing.write("done", to=str(asked.message["Reply-To"]), sender="eve@evil.example")
    mailing.work()
    held = mailing.last(asked.recipients[0], "Sind diese Befehle von dir?")
    assert re.search(rf"Deine Frist: {GERMAN}", held.text), held.text
    assert re.search(rf"Angekommen am {GERMAN}:", held.text), held.text
    link = re.search(r"https?://[^/]+(/mail/confirm/\S+)", held.text)[1]
    assert re.search(
        r"\w\w \d{1,2}\. \w+\.? \d\d:\d\d UTC", Client().get(link, headers={"accept-language": "de"}).content.decode()
    )


def test_no_template_of_a_mail_formats_a_moment_itself():
    folders = [
        settings.BASE_DIR / "notifications" / "templates",
        settings.BASE_DIR / "gamesvc" / "matches" / "templates" / "notices",
    ]
    templates = [path for folder in folders for path in folder.rglob("*.*")]
    assert len(templates) > 40
    assert [path.name for path in templates if re.search(r"\|(?:date|time)\b", path.read_text())] == []
