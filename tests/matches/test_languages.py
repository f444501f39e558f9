"""Our mails in each language: every text translated, same placeholders, the compiled file up to date, a whole match in German."""

from __future__ import annotations

import io
import re
import shutil

import polib
import pytest
from django.core.management import CommandError, call_command

from accounts.models import Language, User
from gamesvc.ops.management.commands import translations
from gamesvc.ops.management.commands.translations import Text
from tests.mailing import mailing, verify  # noqa: F401
from tests.matches.test_mail_texts import mails_of


def catalogue(language: str) -> polib.POFile:
    return polib.pofile(str(translations.source_of(language)))


def both(entry: polib.POEntry) -> list[tuple[str, str]]:
    """Return original and translation, in singular and plural."""
    if entry.msgid_plural:
        return [(entry.msgid, entry.msgstr_plural[0]), (entry.msgid_plural, entry.msgstr_plural[1])]
    return [(entry.msgid, entry.msgstr)]


def test_every_language_a_person_may_choose_is_there():
    assert {*translations.languages(), "en"} == set(Language.values)


@pytest.mark.parametrize("language", translations.languages())
def test_every_text_is_translated(language):
    """If this fails: run `manage.py translations`, fill the empty entries in the `.po` file, and run it again."""
    found = catalogue(language)
    assert {Text(entry.msgid, entry.msgid_plural, entry.msgctxt or "") for entry in found} == translations.gathered()
    assert [entry.msgid for entry in translations.untranslated(found)] == []


@pytest.mark.parametrize("language", translations.languages())
def test_placeholders_and_words_to_be_typed_agree(language):
    for entry in catalogue(language):
        for original, text in both(entry):
            assert translations.placeholders(text) == translations.placeholders(original), original
            assert not re.search(r"%(?!\(\w+\)[sd])", text), f"a stray % breaks the text: {text}"
            for word in re.findall(r"\b(?:END|NAME|\d{4}-\d\d-\d\d\S*|join|decline|ready|undo (?:yes|no))(?!\w)", original):
                assert word in text, f"{word} is typed as it is in every language: {original}"


def test_the_command_changes_nothing_where_all_is_translated_and_begins_a_language(tmp_path, settings):
    before = {path.name: path.read_bytes() for path in translations.folder().rglob("django.*")}
    shutil.copytree(translations.folder(), tmp_path, dirs_exist_ok=True)
    settings.LOCALE_PATHS = [tmp_path]
    told = io.StringIO()
    call_command("translations", stdout=told)
    assert "de: " in told.getvalue()
    assert ", 0 to be translated in " in told.getvalue()
    assert {path.name: path.read_bytes() for path in tmp_path.rglob("django.*")} == before
    with pytest.raises(CommandError, match="Translate what is empty"):
        call_command("translations", "--add", "fr", stdout=told)
    assert len(translations.untranslated(catalogue("fr"))) == len(translations.gathered())


@pytest.mark.parametrize("language", translations.languages())
def test_the_compiled_file_is_that_of_the_source(language):
    compiled = polib.mofile(str(translations.source_of(language).with_suffix(".mo")))
    found = catalogue(language)
    assert {(one.msgctxt, one.msgid, one.msgstr) for one in compiled} == {(one.msgctxt, one.msgid, one.msgstr) for one in found}
    assert [one.msgstr_plural for one in compiled if one.msgid_plural] == [one.msgstr_plural for one in found if one.msgid_plural]


def test_what_is_marked_is_found():
    source = 'x = _("a %(b)s") % y\nngettext("one", "many", n)\npgettext("where", "what")\ngettext(f"no {literal}")\n'
    assert set(translations.in_python(source)) == {Text("a %(b)s"), Text("one", "many"), Text("what", context="where")}
    template = (
        "{% load i18n %}{% if a %}{% translate 'yes' %}{% else %}{% for b in c %}"
        "{% blocktranslate count n=b %}{{ n }} thing{% plural %}{{ n }} things{% endblocktranslate %}{% endfor %}{% endif %}"
    )
    assert set(translations.in_template(template)) == {Text("yes"), Text("%(n)s thing", "%(n)s things")}


def test_a_new_language_begins_empty_and_keeps_what_is_done():
    texts = [Text("One"), Text("Two %(name)s"), Text("thing", "things")]
    begun = translations.updated(translations.begun("fr"), texts)
    assert len(translations.untranslated(begun)) == 3
    begun[0].msgstr = "Un"
    again = translations.updated(begun, [Text("One"), Text("Three")])
    assert [(entry.msgid, entry.msgstr) for entry in again] == [("One", "Un"), ("Three", "")]


@pytest.mark.django_db
def test_a_match_is_told_in_german(anna, ben, mailing):  # noqa: F811
    User.objects.update(language="de")
    for user in (anna, ben):
        user.refresh_from_db()
    found = mails_of("stratastar", anna, ben, mailing)
    known = {entry.msgid for entry in catalogue("de") if " " in entry.msgid and "%" not in entry.msgid}
    for reason, mails in found.items():
        for caught in mails:
            if not caught.recipients[0].startswith(("anna", "ben")):
                continue  # the language of an unknown address is English
            lines = set(caught.text.replace("\r\n", "\n").splitlines())
            assert not {line for line in lines if line.rstrip(":") in known or line in known}, reason
            assert 'lang="de"' in caught.html
    (turn, *_) = found["your-turn"]
    assert "Du bist am Zug: " in turn.text
    assert re.search(r"Frist: (?:Mo|Di|Mi|Do|Fr|Sa|So) \d{1,2}\. \w{3} \d\d:\d\d (?:CET|CEST|EST|EDT)", turn.text)
    assert "Du kannst auf diese Mail antworten" in turn.html
    assert "Du bist am Zug, Frist" in turn.subject
    assert "Die Partie ist beendet" in found["match-over"][0].subject
    receipts = " ".join(caught.text for caught in found["receipt"])
    assert "So wurde deine Mail verstanden:" in receipts
    assert "nicht lesbar" in receipts
    invited = {caught.recipients[0]: caught.text for caught in found["invitation"]}
    assert "lädt dich zu einer Partie Stratastar ein" in invited["ben@players.example"]
    assert "invites you to a match of Stratastar" in invited["stranger@elsewhere.example"]
