"""`manage.py translations`: collect the texts of our mails into one `.po` file for each language, and compile it.

Python's and Django's own parsers find everything marked with gettext in Python and templates, so no gettext tools are needed. The
compiled file is kept beside its source: the service needs no compiler to start, and a test compares the two.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import polib
from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.template import Template
from django.template.base import Node
from django.templatetags.i18n import BlockTranslateNode, TranslateNode

PACKAGES = ("gamesvc", "notifications", "accounts")
ENGINES = "gamesvc/games"  # they know no gettext: their texts stay English
SINGULAR = {"_", "gettext", "gettext_lazy", "gettext_noop"}
PLURAL = {"ngettext", "ngettext_lazy"}
CONTEXT = {"pgettext", "pgettext_lazy"}
_PLACEHOLDER = re.compile(r"%\((\w+)\)[sd]")
# Most modules mark no text, and need not be parsed.
_MARKS = re.compile(r"gettext|\blabel=")


@dataclass(frozen=True, order=True)
class Text:
    """A text to translate; `plural` and `context` are empty if it has none."""

    singular: str
    plural: str = ""
    context: str = ""


class Command(BaseCommand):
    help = (
        "Gather the texts of mails into gamesvc/locale/*/LC_MESSAGES/django.po and compile them. Fail while a "
        "translation is missing."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--add", metavar="LANGUAGE", help="Add a new language, such as fr.")

    def handle(self, *, add: str | None, **_: object) -> None:
        if add:
            (folder() / add / "LC_MESSAGES").mkdir(parents=True, exist_ok=True)
        texts = sorted(gathered())
        missing = 0
        for language in languages():
            path = source_of(language)
            catalogue = updated(polib.pofile(str(path)) if path.exists() else begun(language), texts)
            catalogue.save(str(path))
            catalogue.save_as_mofile(str(path.with_suffix(".mo")))
            open_texts = untranslated(catalogue)
            missing += len(open_texts)
            self.stdout.write(f"{language}: {len(texts)} texts, {len(open_texts)} to be translated in {path}")
        if missing:
            raise CommandError("Translate what is empty there, and run this again.")


def folder() -> Path:
    return Path(settings.LOCALE_PATHS[0])


def languages() -> list[str]:
    """Return the languages with a folder. English is the source and needs none."""
    return sorted(path.name for path in folder().iterdir() if path.is_dir())


def source_of(language: str) -> Path:
    return folder() / language / "LC_MESSAGES" / "django.po"


def gathered() -> set[Text]:
    """Return all texts in our packages that are marked for translation."""
    found: set[Text] = set()
    for package in PACKAGES:
        root = Path(settings.BASE_DIR) / package
        for path in root.rglob("*.py"):
            if not path.is_relative_to(Path(settings.BASE_DIR) / ENGINES):
                found |= set(in_python(path.read_text()))
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


def in_template(source: str) -> Iterator[Text]:
    for node in Template(source).nodelist.get_nodes_by_type(Node):
        if isinstance(node, TranslateNode):
            yield Text(node.filter_expression.var.literal)
        elif isinstance(node, BlockTranslateNode):
            singular = node.render_token_list(node.singular)[0]
            yield Text(singular, node.render_token_list(node.plural)[0] if node.plural else "")


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
            if _PLACEHOLDER.search(text.singular + text.plural):
                entry.flags = ["python-format"]
        fresh.append(entry)
    return fresh


def untranslated(catalogue: polib.POFile) -> list[polib.POEntry]:
    return [entry for entry in catalogue if not all(entry.msgstr_plural.values() if entry.msgid_plural else [entry.msgstr])]


def placeholders(text: str) -> set[str]:
    """Return the names of the placeholders."""
    return set(_PLACEHOLDER.findall(text))
