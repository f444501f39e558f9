"""Our mails in each language: every text translated, same placeholders, the compiled file up to date, a whole match in German."""

from __future__ import annotations

import io
import re
import shutil
from pathlib import Path

import polib
import pytest
from django.conf import settings
from django.core.management import CommandError, call_command

from accounts.models import Language, User
from gamesvc.ops.management.commands import translations
from gamesvc.ops.management.commands.translations import Text
from tests.mailing import mailing, verify  # noqa: F401
from tests.matches.test_mail_texts import mails_of

DOMAINS = (translations.DJANGO, translations.SENTENCES)
TYPED = r"\b(?:END|NAME|\d{4}-\d\d-\d\d\S*)(?!\w)"
TYPED_IN_MAILS = r"\b(?:END|NAME|\d{4}-\d\d-\d\d\S*|join|decline|ready|undo (?:yes|no))(?!\w)"
PAGES = Path(settings.BASE_DIR) / "gamesvc" / "web" / "templates"
# A value that another language may leave out or name otherwise: the players, whom each has its own sentences about.
OF_ENGLISH = {"who", "whom", "whose", "their", "what", "status"}


def catalogue(language: str, domain: str = translations.DJANGO) -> polib.POFile:
    return polib.pofile(str(translations.source_of(language, domain)))


def both(entry: polib.POEntry) -> list[tuple[str, str]]:
    """Return original and translation, in singular and plural."""
    if entry.msgid_plural:
        return [(entry.msgid, entry.msgstr_plural[0]), (entry.msgid_plural, entry.msgstr_plural[1])]
    return [(entry.msgid, entry.msgstr)]


def test_every_language_a_person_may_choose_is_there():
    assert {*translations.languages(), "en"} == set(Language.values)


@pytest.mark.parametrize("domain", DOMAINS)
@pytest.mark.parametrize("language", translations.languages())
def test_every_text_is_translated(language, domain):
    """If this fails: run `manage.py translations`, fill the empty entries in the `.po` file, and run it again."""
    found = catalogue(language, domain)
    assert {Text(entry.msgid, entry.msgid_plural, entry.msgctxt or "") for entry in found} == translations.gathered(domain)
    assert [entry.msgid for entry in translations.untranslated(found)] == []


def texts_of_pages() -> set[str]:
    """Return the texts of the pages. Buttons are pressed there, where mails have words to type."""
    found = {one for path in PAGES.rglob("*.html") for one in translations.in_template(path.read_text())}
    return {text for one in found for text in (one.singular, one.plural)}


@pytest.mark.parametrize("language", translations.languages())
def test_placeholders_and_words_to_be_typed_agree(language):
    on_pages = texts_of_pages()
    for entry in catalogue(language):
        for original, text in both(entry):
            assert translations.placeholders(text) == translations.placeholders(original), original
            assert not re.search(r"%(?!\(\w+\)[sd])", text), f"a stray % breaks the text: {text}"
            for word in re.findall(TYPED if original in on_pages else TYPED_IN_MAILS, original):
                assert word in text, f"{word} is typed as it is in every language: {original}"


@pytest.mark.parametrize("language", translations.languages())
def test_values_agree_in_sentences(language):
    for entry in catalogue(language, translations.SENTENCES):
        for original, text in both(entry):
            here, there = translations.placeholders(text), translations.placeholders(original)
            assert here - OF_ENGLISH == there - OF_ENGLISH, original
            assert here - there <= {"whom"}, original
            assert text.count("{") == text.count("}"), original


@pytest.mark.long
def test_the_command_changes_nothing_where_all_is_translated_and_begins_a_language(tmp_path, settings):
    before = {path.name: path.read_bytes() for path in translations.folder().rglob("*.[mp]o")}
    shutil.copytree(translations.folder(), tmp_path, dirs_exist_ok=True)
    settings.LOCALE_PATHS = [tmp_path]
    told = io.StringIO()
    call_command("translations", stdout=told)
    assert "de: " in told.getvalue()
    assert ", 0 to be translated in " in told.getvalue()
    assert {path.name: path.read_bytes() for path in tmp_path.rglob("*.[mp]o")} == before
    with pytest.raises(CommandError, match="Translate what is empty"):
        call_command("translations", "--add", "fr", stdout=told)
    for domain in DOMAINS:
        assert len(translations.untranslated(catalogue("fr", domain))) == len(translations.gathered(domain))


@pytest.mark.parametrize("domain", DOMAINS)
@pytest.mark.parametrize("language", translations.languages())
def test_the_compiled_file_is_that_of_the_source(language, domain):
    compiled = polib.mofile(str(translations.source_of(language, domain).with_suffix(".mo")))
    found = catalogue(language, domain)
    assert {(one.msgctxt, one.msgid, one.msgstr) for one in compiled} == {(one.msgctxt, one.msgid, one.msgstr) for one in found}
    assert [one.msgstr_plural for one in compiled if one.msgid_plural] == [one.msgstr_plural for one in found if one.msgid_plural]


def test_what_is_marked_is_found():
    source = 'x = _("a %(b)s") % y\nngettext("one", "many", n)\npgettext("where", "what")\ngettext(f"no {literal}")\n'
    assert set(translations.in_python(source)) == {Text("a %(b)s"), Text("one", "many"), Text("what", context="where")}
    template = (
        "{% load i18n %}{% if a %}{% translate 'yes' %}{% else %}{% for b in c %}"
        "{% blocktranslate count n=b %}{{ n }} thing{% plural %}{{ n }} things{% endblocktranslate %}{% endfor %}{% endif %}"
    )
    sentences = (
        "from gamesvc.language import say\nsay('a {b}', b=1)\nsay('c' if d else 'e')\ncounted(2, 'card')\n"
        "t.says('{who} lost.', who=0)\nt.says('{who} is {f}.', you='You are {f}.', who=0)\nt.says('{whose} turn.', whom=1)\n"
    )
    assert set(translations.sentences_in(sentences)) == {
        *(Text("a {b}"), Text("c"), Text("e"), Text("{number} card", "{number} cards")),
        *(Text("{who} lost."), Text("{who} lost.", context="you"), Text("{who} is {f}."), Text("You are {f}.")),
        *(Text("{whose} turn."), Text("{whose} turn.", context="to you")),
    }
    beside = "from gamesvc import errors, language\nlanguage.say('g')\n"
    assert set(translations.sentences_in(beside)) == {Text("g")}
    assert set(translations.in_data('[[card]]\nname = "A"\ntext = "does b"\n')) == {Text("does b")}
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
