"""Settings from the environment: a wrong value is refused in words, and the table in `deploy/README.md` tells of every one."""

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from gamesvc.settings.environment import declarations

ROOT = Path(__file__).resolve().parents[1]
TABLE = (ROOT / "deploy" / "README.md").read_text(encoding="utf-8").split("## Settings")[1].split("\n## ")[0]
# Read by Django, and by django-anymail under names of its own.
OTHERS = {"DJANGO_SETTINGS_MODULE", "ANYMAIL_..."}
WRONG = {
    "EMAIL_PORT": ("two", "EMAIL_PORT='two' cannot be used: set it to a whole number from 1 to 65535, such as 25."),
    "MATCHES_PER_MINUTE": ("-1", "MATCHES_PER_MINUTE='-1' cannot be used: set it to a whole number of 0 or more, such as 10."),
    "SWEEP_SECONDS": ("0", "SWEEP_SECONDS='0' cannot be used: set it to a number above 0, such as 2."),
    "SUBSTITUTE_DAYS": ("nan", "SUBSTITUTE_DAYS='nan' cannot be used: set it to a number of 0 or more, such as 3."),
    "EMAIL_USE_TLS": ("perhaps", "EMAIL_USE_TLS='perhaps' cannot be used: set it to 1 for yes or 0 for no."),
    "INBOUND_AUTH": ("dmarc", "INBOUND_AUTH='dmarc' cannot be used: set it to one of border, own, loopback."),
    "BASE_URL": ("games.example", "BASE_URL='games.example' cannot be used: set it to an address that begins with http:// or https://."),
    "DATABASE_OWNER_URL": (
        "mysql://a:hidden@db/x",
        "DATABASE_OWNER_URL cannot be used: set it to an address that begins with postgresql:// or postgres://.",
    ),
    "REDIS_URL": (
        "redis://:hidden@host:port/0",
        "REDIS_URL cannot be used: set it to an address that begins with redis:// or rediss:// or redis+socket://.",
    ),
}  # fmt: skip


def start(*command: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *command], cwd=ROOT, env={**os.environ, **environment}, capture_output=True, text=True, check=False
    )


def test_a_start_names_every_value_that_cannot_be_used_and_what_would_be_right():
    wrong = {name: value for name, (value, _) in WRONG.items()}
    done = start("manage.py", "check", **wrong, DJANGO_SETTINGS_MODULE="gamesvc.settings.dev")
    assert done.returncode == 1
    lines = done.stderr.removeprefix("gamesvc does not start: ").splitlines()
    assert set(lines) == {sentence for _, sentence in WRONG.values()} | {"deploy/README.md lists all settings."}
    assert "hidden" not in done.stdout + done.stderr


@pytest.mark.parametrize("process", ["gamesvc.wsgi", "gamesvc.celery", "gamesvc.beat"])
def test_no_process_starts_with_a_value_that_cannot_be_used(process):
    done = start("-c", f"import {process}; from django.conf import settings; settings.DEBUG", EMAIL_PORT="two")
    assert done.returncode == 1
    assert WRONG["EMAIL_PORT"][1] in done.stderr


def test_an_empty_number_flag_or_choice_leaves_its_default():
    show = "from django.conf import settings as s; print(s.EMAIL_PORT, s.SWEEP_SECONDS, s.EMAIL_USE_TLS, s.INBOUND_AUTH)"
    empty = dict.fromkeys(("EMAIL_PORT", "SWEEP_SECONDS", "EMAIL_USE_TLS", "INBOUND_AUTH"), "")
    done = start("-c", show, **empty, DJANGO_SETTINGS_MODULE="gamesvc.settings.base")
    assert done.stdout.split() == ["25", "2.0", "False", "border"], done.stderr


def test_a_database_server_that_vanishes_is_given_up_soon_unless_its_address_says_otherwise():
    show = "from django.conf import settings as s; o = s.DATABASES['default']['OPTIONS']"
    show += "; print(o['tcp_user_timeout'], o['connect_timeout'])"
    address = "postgresql://gamesvc@db.players.example/gamesvc"
    assert start("-c", show, DATABASE_OWNER_URL=address).stdout.split() == ["30000", "10"]
    assert start("-c", show, DATABASE_OWNER_URL=f"{address}?connect_timeout=3").stdout.split() == ["30000", "3"]


def test_the_server_settings_refuse_to_start_without_keys():
    done = start("manage.py", "check", DJANGO_SETTINGS_MODULE="gamesvc.settings.prod", SECRET_KEY="x", MATCH_KEYS="")
    # `manage.py` makes keys that are missing, and leaves an empty one empty.
    assert done.returncode == 1
    assert done.stderr == "gamesvc does not start: Set SECRET_KEY and MATCH_KEYS (deploy/README.md, Settings).\n"


def rows() -> list[list[str]]:
    return [[cell.strip() for cell in line.split("|")[1:-1]] for line in TABLE.splitlines() if line.startswith("| `")]


def test_the_table_tells_of_every_setting_once_with_its_type_and_default():
    told = {name.strip("`"): (kind, default.strip("`")) for name, kind, default, _ in rows() if name.strip("`") not in OTHERS}
    assert told == {name: (declared.kind, declared.default) for name, declared in declarations.items()}
    assert len(rows()) == len(declarations) + len(OTHERS)
    for name, *_, meaning in rows():
        assert re.fullmatch(r"[A-Z].*\.", meaning), f"{name}: not a sentence"


def test_nothing_else_of_the_environment_is_a_setting():
    """Shipped code reads no variable by name that the table does not tell of."""
    known = {*declarations, *OTHERS, "PYTHONPYCACHEPREFIX", "PYTHONDONTWRITEBYTECODE", "GAMESVC_TEST_TEMPLATE"}
    # The client runs elsewhere; its help tells of them.
    known |= {"GAMESVC_URL", "GAMESVC_TOKEN"}
    read = set()
    for package in ("manage.py", "gamesvc", "accounts", "events", "notifications"):
        for path in [ROOT / package] if package.endswith(".py") else (ROOT / package).rglob("*.py"):
            source = path.read_text(encoding="utf-8")
            if "environ" in source or "getenv" in source:
                read |= {(path.name, name) for name in variables(ast.parse(source))}
    assert {name for _, name in read} & set(declarations), "no reader was found at all"
    assert not {(file, name) for file, name in read if name not in known}


def variables(tree: ast.AST) -> set[str]:
    """Names that a module reads from `os.environ` as literals: by index, by `get` and the like, or by `in`."""
    found = []
    for node in ast.walk(tree):
        match node:
            case ast.Subscript(value=ast.Attribute(attr="environ"), slice=key):
                found.append(key)
            case ast.Call(func=ast.Attribute(attr="getenv"), args=[key, *_]):
                found.append(key)
            case ast.Call(func=ast.Attribute(value=ast.Attribute(attr="environ")), args=[key, *_]):
                found.append(key)
            case ast.Compare(left=key, comparators=[ast.Attribute(attr="environ")]):
                found.append(key)
    return {key.value for key in found if isinstance(key, ast.Constant) and isinstance(key.value, str)}
