"""Time limits of tasks in a real Celery worker with a prefork pool: no `except Exception` swallows them."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from celery.exceptions import SoftTimeLimitExceeded
from django.conf import settings

from gamesvc.celery import app
from gamesvc.time_limits import LimitedTask
from tests.architecture.test_queues import OURS
from tests.architecture.trees import statements

ROOT = Path(__file__).resolve().parents[2]
PATIENCE = 120.0


@pytest.fixture(scope="module")
def tasks():
    """The tasks of `limited_tasks`, with a worker of one child that runs them."""
    patch = pytest.MonkeyPatch()
    patch.setenv("REDIS_URL", settings.REDIS_URL)
    from tests.architecture import limited_tasks  # here: it reads the address of the broker

    command = [sys.executable, "-m", "celery", "-A", "tests.architecture.limited_tasks", "worker", "--concurrency", "1"]
    command += [
        "--queues",
        "limited",
        "--hostname",
        "limited@%h",
        "--loglevel",
        "WARNING",
    ]
    worker = subprocess.Popen(command, cwd=ROOT, env={**os.environ, "REDIS_URL": settings.REDIS_URL})
    try:
        yield limited_tasks
    finally:
        worker.terminate()
        worker.wait(timeout=60)
        patch.undo()


def test_a_task_over_its_soft_limit_ends_although_it_swallows_every_exception(tasks):
    with pytest.raises(SoftTimeLimitExceeded):
        tasks.swallows.delay().get(timeout=PATIENCE)
    assert tasks.goes_on.delay().get(timeout=PATIENCE) == "done"


def test_a_mail_over_its_cpu_limit_is_refused_in_a_worker(tasks):
    assert [tasks.costs_cpu.delay().get(timeout=PATIENCE) for _ in range(2)] == ["too_slow", "too_slow"]
    assert tasks.goes_on.delay().get(timeout=PATIENCE) == "done"


@pytest.mark.parametrize("name", OURS)
def test_every_task_lets_its_limit_pass(name):
    assert isinstance(app.tasks[name], LimitedTask)


def handlers():
    """Return the handlers in our code that also catch what is no `Exception`, by file and line."""
    for package in ("gamesvc", "accounts", "events", "notifications"):
        for file in sorted((ROOT / package).rglob("*.py")):
            source = file.read_text()
            if not re.search(r"except\s*:|BaseException", source):
                continue
            for node in statements(ast.parse(source)):
                if isinstance(node, ast.ExceptHandler) and (node.type is None or "BaseException" in ast.unparse(node.type)):
                    yield f"{file.relative_to(ROOT)}:{node.lineno}", node


def test_what_takes_every_exception_raises_it_again():
    found = dict(handlers())
    assert found
    # A bench hands exceptions of its threads to the main thread.
    silent = [where for where, node in found.items() if not any(isinstance(each, ast.Raise) for each in ast.walk(node))]
    assert [where.partition(":")[0] for where in silent] == ["gamesvc/ops/benches/submit.py"]
