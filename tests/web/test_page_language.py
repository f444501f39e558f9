"""Pages speak the language of the profile, else that of the browser; the API speaks English."""

import re
from pathlib import Path

import polib
import pytest
from django.apps import apps
from django.test import Client

pytestmark = pytest.mark.django_db


def test_a_stranger_reads_the_language_of_the_browser():
    german = Client(headers={"accept-language": "de-AT,de;q=0.9,en;q=0.5"})
    answer = german.get("/")
    page = answer.content.decode()
    assert '<html lang="de">' in page
    assert "Brettspiele per Mail" in page
    assert answer["Content-Language"] == "de"
    assert "Accept-Language" in answer["Vary"]
    assert '<html lang="en">' in Client(headers={"accept-language": "fr"}).get("/").content.decode()
    assert "nicht zugänglich" in german.get("/matches/404404/").content.decode()


def test_a_user_reads_the_language_of_the_profile(clients, people):
    people[0].language = "de"
    people[0].save(update_fields=["language"])
    page = clients[0].get("/", headers={"accept-language": "en"}).content.decode()
    assert '<html lang="de">' in page
    assert "Meine Partien" in page
    assert "Erste Partie" in page
    asked = clients[0].get("/api/v1/matches/404404/", headers={"accept-language": "de"})
    assert asked.json()["code"] == "not_found"
    assert "Content-Language" not in asked


@pytest.mark.parametrize("path", ["/accounts/login/", "/accounts/signup/", "/accounts/password/reset/"])
def test_the_pages_of_signing_in_are_in_sentence_case(client, path):
    text = re.sub(r"<[^>]+>", "\n", client.get(path).content.decode())
    assert not re.findall(r"(?:Sign (?:In|Up|Out)|Password Reset|Reset My)", text)


def test_the_english_of_signing_in_is_compiled():
    source = Path(apps.get_app_config("accounts").path) / "locale" / "en" / "LC_MESSAGES" / "django.po"
    told = {entry.msgid: entry.msgstr for entry in polib.pofile(str(source))}
    assert told == {entry.msgid: entry.msgstr for entry in polib.mofile(str(source.with_suffix(".mo")))}
