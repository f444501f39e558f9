"""The layout of the repository, as the README describes it."""

from __future__ import annotations

import ast
import re
import subprocess
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tests.architecture.trees import statements, walk

ROOT = Path(__file__).resolve().parents[2]
TOP = {"manage.py", "pyproject.toml", "README.md", "gamesvc", "accounts", "events", "notifications", "tests", "deploy"}


@cache
def tracked() -> list[str]:
    return subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()


def nodes(path: str, word: re.Pattern[str]) -> Iterator[ast.AST]:
    """Yield every node of a tracked module that contains the word."""
    source = (ROOT / path).read_text(encoding="utf-8")
    if word.search(source):
        yield from walk(ast.parse(source))


def test_the_top_level_holds_nothing_else() -> None:
    found = {path.split("/")[0] for path in tracked()}
    assert {name for name in found if not name.startswith(".")} <= TOP


def test_the_package_itself_stays_empty() -> None:
    assert (ROOT / "gamesvc" / "__init__.py").read_text() == ""


def test_no_lock_file_is_kept() -> None:
    assert not [path for path in tracked() if path.endswith((".lock", "pylock.toml"))]


def test_every_version_is_pinned() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    named = [
        *project["project"]["dependencies"],
        *project["dependency-groups"]["dev"],
        *project["tool"]["uv"]["constraint-dependencies"],
    ]
    assert all(re.match(r"^[A-Za-z0-9_.\[\],-]+==[A-Za-z0-9.]+(;.*)?$", entry) for entry in named)


def test_the_indirect_versions_are_pinned_too() -> None:
    """The list of names and versions contains everything that the resolver chose."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    named = [
        *project["project"]["dependencies"],
        *project["dependency-groups"]["dev"],
        *project["tool"]["uv"]["constraint-dependencies"],
    ]
    pinned = {re.split(r"[\[=;]", entry)[0].lower().replace("_", "-") for entry in named}
    lock = ROOT / "uv.lock"
    if lock.exists():  # written by `uv run`, not kept
        chosen = {package["name"] for package in tomllib.loads(lock.read_text())["package"]} - {"gamesvc"}
        assert chosen <= pinned


SALTS = {
    "accounts.known_browsers",
    "accounts.oauth.refresh",
    "accounts.signins",
    "notifications.calendar",
    "notifications.calendar.uid",
    "notifications.mute",
    "notifications.muting",
    "notifications.rates",
    "notifications.threads",
    "notifications.unsubscribe",
    "notifications.web_push",
    "notifications.webhook",
}


def test_a_salt_keeps_its_name_where_its_module_moves() -> None:
    """Links in mails already sent, threads, calendar entries and stored digests are derived with these."""
    found = set()
    for path in tracked():
        if not path.startswith(("gamesvc/", "accounts/", "events/", "notifications/")) or not path.endswith(".py"):
            continue
        for node in nodes(path, re.compile("salt|Signer|dumps|loads")):
            if isinstance(node, ast.Call):
                name = ast.unparse(node.func).rpartition(".")[2]
                if name == "salted_hmac":
                    found.add(ast.literal_eval(node.args[0]))
                elif name in ("Signer", "TimestampSigner", "dumps", "loads"):
                    found |= {ast.literal_eval(word.value) for word in node.keywords if word.arg == "salt"}
    assert found == SALTS


def test_events_of_the_service_are_named_in_one_place() -> None:
    """Everything else asks `gamesvc.matches.events` for a type, or `gamesvc.games.kernel.events`."""
    named = re.compile(r"""["']match\.(?!js["'])""")
    shipped = ("gamesvc/", "accounts/", "events/", "notifications/", "deploy/", "manage.py")
    found = {
        path
        for path in tracked()
        if path.startswith(shipped) and "/migrations/" not in path and path.endswith((".py", ".html", ".txt", ".js", ".sql"))
        if named.search((ROOT / path).read_text())
    }
    assert found == {"gamesvc/games/kernel/events.py", "gamesvc/matches/events.py"}


def test_nothing_that_runs_after_a_commit_can_fail_what_was_committed() -> None:
    """An exception there would be reported as a fault, although the command is stored."""
    calls = [
        (path, node)
        for path in tracked()
        if path.endswith(".py") and not path.startswith("tests/")
        for node in nodes(path, re.compile("on_commit"))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "on_commit"
    ]
    assert len(calls) >= 7
    careless = [f"{path}:{call.lineno}" for path, call in calls if not any(word.arg == "robust" for word in call.keywords)]
    assert careless == []


def test_mails_stop_in_one_place_which_also_says_so() -> None:
    callers = [
        name
        for name in tracked()
        if name.endswith(".py")
        and not name.startswith("tests/")
        and re.search(r"preferences\.mute\(|Mute\.objects\.(bulk_)?create", (ROOT / name).read_text())
    ]
    assert callers == ["notifications/wanted/muting.py"]


def test_no_line_of_a_template_is_long() -> None:
    templates = [path for path in tracked() if "/templates/" in path]
    assert len(templates) > 80
    long = [
        f"{path}:{number}"
        for path in templates
        for number, line in enumerate((ROOT / path).read_text(encoding="utf-8").splitlines(), 1)
        if len(line) >= 160
    ]
    assert not long


LONGEST_FUNCTION = 40


def lines_of(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Count the lines of a function with its signature, without decorators and docstring."""
    documented = function.body[0] if ast.get_docstring(function) is not None else None
    docstring = 0 if documented is None else (documented.end_lineno or 0) - documented.lineno + 1
    return (function.end_lineno or 0) - function.lineno + 1 - docstring


def long_functions(path: str) -> Iterator[str]:
    for node in statements(ast.parse((ROOT / path).read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and lines_of(node) > LONGEST_FUNCTION:
            yield f"{path} {node.name}"


def test_a_function_is_a_table_of_contents_of_its_steps() -> None:
    """Part a longer one at a seam whose pieces have good names."""
    shipped = [
        path for path in tracked() if path.endswith(".py") and not path.startswith("tests/") and "/migrations/" not in path
    ]
    assert len(shipped) > 500
    assert not [name for path in shipped for name in long_functions(path)]


def test_the_docstring_of_a_function_does_not_make_it_long() -> None:
    [short] = ast.parse('def f(\n    x,\n):\n    """Say\n\n    more.\n    """\n    return x\n').body
    assert isinstance(short, ast.FunctionDef)
    assert lines_of(short) == 4


def test_who_follows_the_feed_in_a_test_waits_for_no_other_database() -> None:
    """The feed ends before the oldest transaction of the whole server, also of one in the database of another test's process."""
    consumes = re.compile(r"\b(totals|ratings)\.follow\b|rated import .*\b(follow|season)\b")
    modules = [path for path in tracked() if re.search(r"^tests/(?!.*(rated|test_layout)\.py).*\.py$", path)]
    following = [path for path in modules if consumes.search((ROOT / path).read_text(encoding="utf-8"))]
    assert len(following) > 8
    assert [path for path in following if not re.search(r"\bfeed\b", (ROOT / path).read_text(encoding="utf-8"))] == []
