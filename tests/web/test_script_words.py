"""The words that scripts show come from the page, in its language."""

import json
import re
from pathlib import Path

import pytest

from gamesvc.web.common.script_words import WORDS

STATIC = Path(__file__).parents[2] / "gamesvc/web/static"
SCRIPTS = sorted(path for path in STATIC.rglob("*.js") if "vendor" not in path.parts)
COMMENT = re.compile(r"/\*.*?\*/|(?<!:)//[^\n]*", re.S)
TRANSLATED = re.compile(r'\btr\("([^"]+)"')
LITERAL = r"""("[^"\n]*"|'[^'\n]*'|`[^`]*`)"""
# A sentence anywhere, and a single word where a reader would meet it.
SENTENCE = re.compile(r"[A-Z][a-z]+[,.:]? [a-zA-Z$]")
SHOWN = re.compile(
    r"""(?:textContent|title|ariaLabel|placeholder)\s*=[^;\n]*|\b(?:button|say|alert|Error)\([^,\n]*|["']aria-label["']\s*[,:][^;\n]*"""
)
WORD = re.compile(r"[A-Za-z]{2,}")


def bare(code):
    """Return the English that a script shows past `tr`."""
    code = re.sub(r'\btr\("[^"]*"', "tr(", COMMENT.sub("", code))
    code = re.sub(r'\b(?:closest|querySelector|matches)\("[^"]*"\)', "", code)
    sentences = [text for text in re.findall(LITERAL, code) if SENTENCE.search(text[1:-1])]
    words = [text for shown in SHOWN.findall(code) for text in re.findall(LITERAL, shown.replace('"aria-label"', ""))]
    return sentences + [text for text in words if WORD.search(re.sub(r"\$\{.*?\}", "", text[1:-1]))]


def test_every_word_of_a_script_stands_in_the_list_that_is_translated():
    assert len(SCRIPTS) > 8
    found = {text for path in SCRIPTS for text in TRANSLATED.findall(path.read_text())}
    assert found == set(WORDS)


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.name)
def test_no_script_holds_english_of_its_own(path):
    assert bare(path.read_text()) == []


@pytest.mark.parametrize(
    "code",
    [
        'said.textContent = ready ? "" : "Wait";',
        'const go = button("Confirm", "go", confirm);',
        'made.setAttribute("aria-label", by < 0 ? "Less" : "More");',
        'element("svg", { "aria-label": "Facts" });',
        "const told = { lost: 'The connection is lost' };",
        "label = `Use ${zone}, the zone of this browser`;",
    ],
)
def test_english_in_a_script_is_found(code):
    assert bare(code)


@pytest.mark.parametrize(
    "code",
    [
        'said.textContent = ready ? "" : tr("Wait");',
        'const go = button(tr("Confirm"), "go", confirm);',
        'made.setAttribute("aria-label", nameOf(hit)); // The name of it',
        'fetch(address, { headers: { Accept: "application/json" } });',
    ],
)
def test_what_no_reader_meets_is_let_pass(code):
    assert not bare(code)


@pytest.mark.django_db
def test_a_page_brings_the_words_of_its_language(clients, people):
    def words():
        found = re.search(r'<script id="words" type="application/json">(.*?)</script>', clients[0].get("/").content.decode())
        return json.loads(found[1]) if found else {}

    assert words() == {}
    reader = people[0]
    reader.language = "de"
    reader.save(update_fields=["language"])
    told = words()
    assert told.keys() == set(WORDS)
    assert told["Confirm"] == "Bestätigen"
