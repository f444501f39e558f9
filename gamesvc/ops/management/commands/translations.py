"""`manage.py translations`: collect the texts of our mails into two `.po` files for each language, and compile them.

`django.po` holds the texts of templates and of Django's gettext, `sentences.po` those of `gamesvc.language`: the sentences of the
engines and of refusals. Python's and Django's own parsers find everything marked in Python and templates, so no gettext tools are
needed. A compiled file is kept beside its source: the service needs no compiler to start, and a test compares the two.
"""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import polib
from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.template import Template
from django.template.base import Node
from django.templatetags.i18n import BlockTranslateNode, TranslateNode

from gamesvc import language

PACKAGES = ("gamesvc", "notifications", "accounts")
SINGULAR = {"_", "gettext", "gettext_lazy", "gettext_noop"}
PLURAL = {"ngettext", "ngettext_lazy"}
CONTEXT = {"pgettext", "pgettext_lazy"}
OPERATORS = "gamesvc/ops"  # reads its reports in English
DJANGO, SENTENCES = "django", language.DOMAIN
_PLACEHOLDER = re.compile(r"%\((\w+)\)[sd]|(?<!\{)\{(\w+)[^{}]*\}")
# Most modules mark no text, and need not be parsed.
_MARKS = re.compile(r"gettext|\blabel=|gamesvc\.language|gamesvc import .*\blanguage\b|gamesvc\.forms|kernel\.wording")
# The nouns that readers of orders name in a refusal: the position of the argument.
_NOUNS = {"take": 1, "number": 1, "pick": 2}
# The fields of posted forms: the first argument is the sentence that refuses a value.
_FIELDS = ("WholeField", "OneOfField", "SomeOfField")
# The entries of a game's data that are sentences.
_TEXTS = ("text", "note", "title")


@dataclass(frozen=True, order=True)
class Text:
    """A text to translate; `plural` and `context` are empty if it has none."""

    singular: str
    plural: str = ""
    context: str = ""


class Command(BaseCommand):
    help = (
        "Gather the texts of mails into gamesvc/locale/*/LC_MESSAGES/django.po and sentences.po and compile them. Fail while "
        "a translation is missing."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--add", metavar="LANGUAGE", help="Add a new language, such as fr.")

    def handle(self, *, add: str | None, **_: object) -> None:
        if add:
            (folder() / add / "LC_MESSAGES").mkdir(parents=True, exist_ok=True)
        missing = 0
        for domain in (DJANGO, SENTENCES):
            texts = sorted(gathered(domain))
            for name in languages():
                path = source_of(name, domain)
                catalogue = updated(polib.pofile(str(path)) if path.exists() else begun(name), texts)
                catalogue.save(str(path))
                catalogue.save_as_mofile(str(path.with_suffix(".mo")))
                open_texts = untranslated(catalogue)
                missing += len(open_texts)
                self.stdout.write(f"{name}: {len(texts)} texts, {len(open_texts)} to be translated in {path}")
        if missing:
            raise CommandError("Translate what is empty there, and run this again.")


def folder() -> Path:
    return Path(settings.LOCALE_PATHS[0])


def languages() -> list[str]:
    """Return the languages with a folder. English is the source and needs none."""
    return sorted(path.name for path in folder().iterdir() if path.is_dir())


def source_of(language: str, domain: str = DJANGO) -> Path:
    return folder() / language / "LC_MESSAGES" / f"{domain}.po"


def gathered(domain: str = DJANGO) -> set[Text]:
    """Return all texts in our packages that are marked for translation."""
    found: set[Text] = set()
    for package in PACKAGES:
        root = Path(settings.BASE_DIR) / package
        for path in root.rglob("*.py"):
            if domain == DJANGO:
                found |= set(in_python(path.read_text()))
            elif not path.is_relative_to(Path(settings.BASE_DIR) / OPERATORS):
                found |= set(sentences_in(path.read_text()))
        if domain == SENTENCES:
            found |= {text for path in root.rglob("data/**/*.toml") for text in in_data(path.read_text())}
            continue
        for path in [*root.rglob("templates/**/*.html"), *root.rglob("templates/**/*.txt")]:
            found |= set(in_template(path.read_text()))
    return found


def in_python(source: str) -> Iterator[Text]:
    if not _MARKS.search(source):
        return
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Call):
            continue
        if isinstance(node.func, ast.Attribute) and node.func.attr == "register":
            # The name of a kind of notice, translated where it is shown.
            labels = [one.value for one in node.keywords if one.arg == "label" and isinstance(one.value, ast.Constant)]
            yield from (Text(str(label.value)) for label in labels)
        if not isinstance(node.func, ast.Name):
            continue
        given = [one.value for one in node.args if isinstance(one, ast.Constant) and isinstance(one.value, str)]
        if node.func.id in SINGULAR and given:
            yield Text(given[0])
        elif node.func.id in PLURAL and len(given) > 1:
            yield Text(given[0], given[1])
        elif node.func.id in CONTEXT and len(given) > 1:
            yield Text(given[1], context=given[0])


def sentences_in(source: str) -> Iterator[Text]:
    """Yield the sentences of engines and refusals: what `say` and its kin are given."""
    if not _MARKS.search(source):
        return
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call):
            name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
            yield from _said(name, node)


def _said(name: str, node: ast.Call) -> Iterator[Text]:
    given = [_words(one) for one in node.args]
    if name in ("say", "mark") and given:
        context = given[1][0] if len(given) > 1 and given[1] else ""
        yield from (Text(message, context=context) for message in given[0])
    elif name in _FIELDS and given:
        yield from map(Text, given[0])
    elif name == "say_many" and given[0] and given[1]:
        yield Text(given[0][0], given[1][0])
    elif name == "counted" and len(given) > 1 and given[1]:
        [noun] = given[1]
        yield Text(f"{{number}} {noun}", f"{{number}} {given[2][0] if len(given) > 2 else f'{noun}s'}")
    elif name == "named" and given[0]:
        yield from (Text(f"{noun} {{items}}", f"{noun}s {{items}}") for noun in given[0])
    elif name == "says" and given and given[0]:
        yield from _about_players(given[0][0], node)
    elif name in _NOUNS and len(given) > _NOUNS[name]:
        yield from map(Text, given[_NOUNS[name]])


def _about_players(message: str, node: ast.Call) -> Iterator[Text]:
    """Yield the sentence about others, and those about the viewer as the one and as the other."""
    keywords = {one.arg: one.value for one in node.keywords if one.arg}
    yield Text(message)
    for player, context, keyword in (("who", "you", "you"), ("whom", "to you", "to_you")):
        if keyword in keywords:
            yield from map(Text, _words(keywords[keyword]))
        elif player in keywords:
            yield Text(message, context=context)


def _words(node: ast.expr) -> list[str]:
    """Return the texts that an argument may be."""
    if isinstance(node, ast.IfExp):
        return [*_words(node.body), *_words(node.orelse)]
    return [node.value] if isinstance(node, ast.Constant) and isinstance(node.value, str) else []


def in_data(source: str) -> Iterator[Text]:
    """Yield the texts of cards and abilities in the data of a game."""
    waiting: list[object] = [tomllib.loads(source)]
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict):
            yield from (Text(text) for name, text in one.items() if name in _TEXTS and isinstance(text, str) and text)
            waiting += one.values()
        elif isinstance(one, list):
            waiting += one


def in_template(source: str) -> Iterator[Text]:
    for node in Template(source).nodelist.get_nodes_by_type(Node):
        if isinstance(node, TranslateNode):
            yield Text(node.filter_expression.var.literal, context=_context(node))
        elif isinstance(node, BlockTranslateNode):
            singular = node.render_token_list(node.singular)[0]
            yield Text(singular, node.render_token_list(node.plural)[0] if node.plural else "", _context(node))


def _context(node: TranslateNode | BlockTranslateNode) -> str:
    """Return the context of a text, which tells apart what is the same in English alone."""
    return str(node.message_context.var) if node.message_context is not None else ""


def begun(language: str) -> polib.POFile:
    catalogue = polib.POFile(wrapwidth=110)
    catalogue.metadata = {
        "Project-Id-Version": "gamesvc",
        "Language": language,
        "MIME-Version": "1.0",
        "Content-Type": "text/plain; charset=UTF-8",
        "Content-Transfer-Encoding": "8bit",
        # Right for the Germanic languages. Others need their own rule, which every gettext manual lists.
        "Plural-Forms": "nplurals=2; plural=(n != 1);",
    }
    return catalogue


def updated(catalogue: polib.POFile, texts: Iterable[Text]) -> polib.POFile:
    """Return the catalogue with exactly these texts, and the translations it has for them."""
    known = {Text(entry.msgid, entry.msgid_plural, entry.msgctxt or ""): entry for entry in catalogue}
    fresh = polib.POFile(wrapwidth=110)
    fresh.metadata = catalogue.metadata
    for text in texts:
        entry = known.get(text)
        if entry is None:
            entry = polib.POEntry(msgid=text.singular, msgid_plural=text.plural, msgctxt=text.context or None)
            if text.plural:
                entry.msgstr_plural = {0: "", 1: ""}
            if "%(" in text.singular + text.plural:
                entry.flags = ["python-format"]
        fresh.append(entry)
    return fresh


def untranslated(catalogue: polib.POFile) -> list[polib.POEntry]:
    return [entry for entry in catalogue if not all(entry.msgstr_plural.values() if entry.msgid_plural else [entry.msgstr])]


def placeholders(text: str) -> set[str]:
    """Return the names of the placeholders."""
    return {name or other for name, other in _PLACEHOLDER.findall(text)}
