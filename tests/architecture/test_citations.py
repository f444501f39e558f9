"""Citations: a rule is cited by a number that its game's RULES.md has, and no file cites a document that the repository lacks.

One form: `RULES.md 11.3`, in a list `RULES.md 6, 11.3`. The game is that of the folder; elsewhere the name stands in front:
`stratastar/RULES.md 7`.
"""

from __future__ import annotations

import functools
import importlib.util
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from gamesvc.games.catalog import OFFERED

ROOT = Path(__file__).resolve().parents[2]
TEXTS = (".py", ".toml", ".md", ".html", ".txt", ".po", ".js", ".css", ".cfg", ".yml", ".yaml")
NUMBER = r"\d{1,2}(?:\.\d{1,2})?"
CITED = re.compile(rf"(?:(?P<game>[a-z_]+)/)?RULES\.md (?P<numbers>{NUMBER}(?:(?:, | and )(?={NUMBER}\b){NUMBER})*)(?!\w)")
OTHER_FORMS = {
    "a word before the number": re.compile(r"RULES(?:\.md)?,? (?:section|ruling|rule|case|chapter|§|no\.)", re.IGNORECASE),
    "RULES without .md": re.compile(r"\bRULES,? \d"),
    "a ruling without RULES.md": re.compile(r"\b(?:rulings?|(?:acceptance|worked) (?:cases?|examples?)) \d", re.IGNORECASE),
    "a ruling by a letter": re.compile(r"(?<![\w\"'`#&-])R\d{1,2}(?![\w\"'`])"),
    "a number alone in parentheses": re.compile(rf"(?<=[a-z`]) \({NUMBER}(?:, {NUMBER})*\)(?:\.?\"\"\"|\.$)", re.MULTILINE),
}
SECTION = re.compile(r"(?<!RFC \d{4} )(?<!RFC \d{4}, )(?:\b[Ss]ections? |§ ?)\d")
MODULE = re.compile(r"`((?:[\w.]+/)*\w+\.py)`")
DOCUMENT = re.compile(r"[\w.-]+\.md\b")
SHOUTED = re.compile(r"\b(?!RFC\b)[A-Z][A-Z_]{3,} (?:section|chapter|§)")
IMPORT = re.compile(r"^from ((?:gamesvc|events|accounts|notifications)[\w.]*) import ([\w, ]+)$", re.MULTILINE)


def tracked() -> Iterator[Path]:
    names = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in names.split("\0"):
        path = ROOT / name
        if path.suffix in TEXTS and path.exists() and path != Path(__file__).resolve():
            yield path


@functools.cache
def texts() -> dict[Path, str]:
    return {path: path.read_text(encoding="utf-8") for path in tracked()}


@functools.cache
def rules(game: str) -> tuple[str, frozenset[str]]:
    """Return the RULES.md of a game, and the numbers in it: sections, subsections, and the numbered items of a section."""
    text = (ROOT / "gamesvc" / "games" / game / "RULES.md").read_text(encoding="utf-8")
    numbers, section = set(), ""
    for line in text.splitlines():
        if heading := re.match(r"#{2,3} (\d+(?:\.\d+)?)[. ]", line):
            numbers.add(heading[1])
            section = heading[1]
        elif (item := re.match(r"(\d+)\. ", line)) and "." not in section:
            numbers.add(f"{section}.{item[1]}")
    return text, frozenset(numbers)


def game_of(path: Path) -> str | None:
    """Return the game that a file belongs to, by its folder."""
    parts = path.relative_to(ROOT).parts
    for home in (("gamesvc", "games"), ("tests", "games")):
        if parts[:2] == home and len(parts) > 3 and parts[2] in OFFERED:
            return parts[2]
    return None


def faults(path: Path, text: str) -> list[str]:
    """Return the citations in a text that name no rule."""
    found = []
    for cited in CITED.finditer(text):
        game = cited["game"] or game_of(path)
        if game is None:
            found.append(f"{cited[0]}: name the game, as in {OFFERED[0]}/{cited[0]}")
        elif game not in OFFERED:
            found.append(f"{cited[0]}: there is no such game")
        else:
            known = rules(game)[1]
            found += [f"{cited[0]}: no {number}" for number in re.findall(NUMBER, cited["numbers"]) if number not in known]
    return found


@pytest.mark.parametrize("game", OFFERED)
def test_every_game_has_its_rules(game: str) -> None:
    text, numbers = rules(game)
    whole = sorted(int(number) for number in numbers if "." not in number)
    assert whole == list(range(1, len(whole) + 1)), "sections are numbered from 1 without a gap"
    for section in whole:
        items = sorted(int(number.split(".")[1]) for number in numbers if number.startswith(f"{section}."))
        assert items == list(range(1, len(items) + 1)), f"the items of section {section} are numbered from 1 without a gap"
    assert "unofficial implementation" in text


@pytest.mark.parametrize("game", OFFERED)
def test_rules_cite_what_exists(game: str) -> None:
    text, numbers = rules(game)
    cited = {*re.findall(r"\b[Ss]ections? (\d+)", text), *re.findall(r"(?<=[( ])(\d{1,2}\.\d{1,2})(?=[),; ]|\. |:|$)", text)}
    own = {number for number in cited if not re.search(rf"(?:version|Version) {re.escape(number)}", text)}
    assert sorted(own - numbers) == []
    paths = set(re.findall(r"gamesvc/[\w./-]*\w", text))
    assert paths
    assert [path for path in sorted(paths) if not (ROOT / path).exists()] == []
    assert all((ROOT / "gamesvc" / "games" / game / name).exists() for name in re.findall(r"`((?:text|data)/[\w./]*)`", text))


def test_every_citation_names_a_rule() -> None:
    wrong = {str(path.relative_to(ROOT)): found for path, text in texts().items() if (found := faults(path, text))}
    assert wrong == {}


def test_rules_are_cited_in_one_form() -> None:
    wrong = [
        f"{path.relative_to(ROOT)}: {what}: {found[0]}"
        for path, text in texts().items()
        if path.name not in ("RULES.md", "help.md")
        for what, form in OTHER_FORMS.items()
        if game_of(path) is not None or what in ("a word before the number", "RULES without .md")
        for found in form.finditer(text)
    ]
    assert wrong == []


def test_no_file_cites_a_document_that_is_not_in_the_repository() -> None:
    known = {path.name for path in texts()}
    missing = {
        f"{path.relative_to(ROOT)}: {name}"
        for path, text in texts().items()
        for name in DOCUMENT.findall(text)
        if name not in known
    }
    assert sorted(missing) == []


def test_documents_name_modules_that_exist() -> None:
    """A document may leave out the first folders of a path, never name a module that has moved."""
    modules = "\n".join(f"/{path.relative_to(ROOT)}" for path in texts() if path.suffix == ".py") + "\n"
    named = {
        f"{path.relative_to(ROOT)}: {module}": module
        for path, text in texts().items()
        if path.suffix == ".md"
        for module in MODULE.findall(text)
    }
    assert len(named) > 10
    assert [place for place, module in named.items() if f"/{module}\n" not in modules] == []


def test_sections_are_cited_of_rules_and_standards_only() -> None:
    """A section by its number belongs to an RFC or to RULES.md; a heading is cited by its words."""
    wrong = [
        f"{path.relative_to(ROOT)}: {found[0]}"
        for path, text in texts().items()
        if path.name != "RULES.md"
        for found in (*SECTION.finditer(text), *SHOUTED.finditer(text))
    ]
    assert wrong == []


@pytest.mark.parametrize(
    ("where", "text", "fault"),
    [
        ("gamesvc/games/stratastar/state.py", "RULES.md 15.17", ""),
        ("gamesvc/games/stratastar/state.py", "RULES.md 6, 15.33", "no 15.33"),
        ("gamesvc/games/space_war/state.py", "RULES.md 11.8", ""),
        ("gamesvc/games/space_war/state.py", "stratastar/RULES.md 11.8", "no 11.8"),
        ("gamesvc/matches/turns.py", "RULES.md 7", "name the game"),
        ("gamesvc/matches/turns.py", "stratastar/RULES.md 7", ""),
        ("gamesvc/matches/turns.py", "chess/RULES.md 7", "no such game"),
    ],
)
def test_a_wrong_citation_is_found(where: str, text: str, fault: str) -> None:
    found = faults(ROOT / where, text)
    assert len(found) == bool(fault)
    assert fault in "".join(found)


@pytest.mark.parametrize(
    "text", ["RULES.md section 5", "RULES 8", "(ruling 52)", "fixed now (R25).", 'stack (6, 10)."""', "RULES.md, rulings"]
)
def test_another_form_is_found(text: str) -> None:
    assert any(form.search(text) for form in OTHER_FORMS.values())


def test_scripts_that_tests_give_to_processes_import_what_exists() -> None:
    """A script in a string is no module: nothing but its own test, which may be a long one, would miss a moved name."""
    found = [
        (path, module, name.split(" as ")[0].strip())
        for path in sorted((ROOT / "tests").rglob("*.py"))
        for module, names in IMPORT.findall(path.read_text(encoding="utf-8"))
        for name in names.split(",")
    ]
    assert len(found) > 500
    missing = [f"{path.name}: {module} has no {name}" for path, module, name in found if not _offers(module, name)]
    assert not missing
    assert not _offers("gamesvc.paging", "sizes"), "a word of its docstring"


def _offers(module: str, name: str) -> bool:
    found = importlib.import_module(module)
    return hasattr(found, name) or (hasattr(found, "__path__") and importlib.util.find_spec(f"{module}.{name}") is not None)
