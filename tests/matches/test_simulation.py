"""Weeks of matches on the virtual clock, and the real service, both with failures; and virtual clocks."""

from __future__ import annotations

import itertools
import json
import multiprocessing
import os
import random
import signal
import subprocess
import sys
import threading
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import psutil
import pytest

from gamesvc import queues
from gamesvc.ops.simulation.clock import VirtualClock
from gamesvc.ops.simulation.crew import Crew
from gamesvc.ops.simulation.people import GRAIN, Person
from gamesvc.ops.simulation.record import Broken, Record
from gamesvc.ops.simulation.report import Report
from gamesvc.ops.simulation.strikes import KINDS, Striker

# Real services on a busy machine take their time.
pytestmark = pytest.mark.timeout(900)
ROOT = Path(__file__).parents[2]
VIRTUAL = """
from datetime import UTC, datetime
import django; django.setup()
from django.utils import timezone
from accounts.models import User
from gamesvc.ops.simulation.clock import VirtualClock
clock = VirtualClock(datetime(2030, 2, 3, 4, 5, 6, 789, tzinfo=UTC))
clock.install()
print(timezone.now().isoformat(), User().created.isoformat())
clock.set(datetime(2031, 1, 1, tzinfo=UTC))
print(timezone.now().isoformat(), isinstance(datetime(2020, 1, 1), timezone.datetime))
"""


def run(*arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments], cwd=ROOT, env=surroundings(**more), capture_output=True, text=True, check=False
    )


def surroundings(**more: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.endswith(("DATABASE_URL", "OWNER_URL", "REDIS_URL"))}
    return kept | {"DJANGO_SETTINGS_MODULE": "gamesvc.settings.dev", **more}


@pytest.fixture(scope="module")
def mishaps(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The report of some weeks and some seconds of the real service, both with failures."""
    folder = tmp_path_factory.mktemp("mishaps")
    sizes = ["--matches", "8", "--days", "14", "--service-minutes", "0.05", "--clients", "4"]
    done = run("manage.py", "simulate", *sizes, "--seed", "395", "--chaos", "--json", TMPDIR=str(folder))
    assert done.stdout, done.stderr[-4000:]
    assert not list(folder.iterdir()), "nothing is left behind"
    told: dict[str, Any] = json.loads(done.stdout)
    assert done.returncode == bool(told["wrong"])
    # The duration of a stop depends on the machine.
    assert [finding for finding in told["wrong"] if not finding.startswith("Ctrl-C took")] == []
    return told


@pytest.mark.long
def test_weeks_with_mishaps_have_each_deadline_and_each_notice_once(mishaps):
    assert mishaps["The simulation"]["matches opened"] == 8
    broken = mishaps["Mishaps"]
    assert broken["workers killed in mid-work"] == 1
    assert broken["database restarted in mid-work"] == broken["database killed in mid-work"] == 1
    assert broken["commits wait for the disk"] == "on"
    assert mishaps["Deadlines"]["came due"] >= mishaps["Deadlines"]["fired"] > 0
    assert mishaps["Notices"]["handed over"] > 20


@pytest.mark.long
def test_a_sender_that_dies_after_the_servers_250_sends_the_same_mail_again(mishaps):
    hits = mishaps["Mishaps"]["senders killed between the mail server's 250 and the commit"]
    told = mishaps["Notices"]
    again = told["hit between the server's 250 and the commit, sent again"]
    assert hits == again + told["hit there, done with before the second copy"]
    assert again >= 1
    assert told["handed over twice, the sender having died between"] >= 1
    assert told["mails the server took"] > told["handed over"]
    assert told["handed over twice under two Message-IDs"] == told["neither handed over nor refused"] == 0


@pytest.mark.long
def test_the_service_keeps_what_it_has_answered_while_its_parts_are_killed(mishaps):
    told = mishaps["The service under kills"]
    assert told["kills in all"] == sum(told["kills"].values()) >= 1
    assert told["commands answered with success"] > 0
    assert told["answered with success and not in the log"] == told["in the log twice"] == told["findings of the audit"] == 0
    assert told["processes left behind"] == 0
    assert mishaps["Mails of the service"]["mails the server took"] > 0


def test_every_kind_of_kill_is_in_every_round():
    striker = Striker(None, None, "7")
    order = list(itertools.islice(striker.order(), 2 * len(KINDS)))
    assert sorted(order[: len(KINDS)]) == sorted(order[len(KINDS) :]) == sorted(KINDS)
    assert order == list(itertools.islice(Striker(None, None, "7").order(), 2 * len(KINDS)))
    assert {*queues.WORKERS, "web", "web worker", "beat", "mailserver", "postgres", "valkey"} < set(KINDS)


@pytest.fixture
def long_one(tmp_path: Path) -> subprocess.Popen[str]:
    """A simulation of many matches whose first mails are sent."""
    command = [sys.executable, "manage.py", "simulate", "--matches", "500", "--days", "300", "--json"]
    running = subprocess.Popen(
        command,
        cwd=ROOT,
        env=surroundings(TMPDIR=str(tmp_path)),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    until = time.monotonic() + 120
    while not any(file.stat().st_size for file in tmp_path.glob("*/mails.jsonl")):
        assert running.poll() is None, running.communicate()
        assert time.monotonic() < until
        time.sleep(0.1)
    return running


@pytest.mark.long
def test_ctrl_c_ends_it_where_it_is_with_its_report(tmp_path, long_one):
    os.killpg(long_one.pid, signal.SIGINT)
    out, err = long_one.communicate(timeout=120)
    assert long_one.returncode == 0, err
    told = json.loads(out)
    assert told["wrong"] == []
    assert told["The simulation"]["simulated days"] < 300
    assert not list(tmp_path.iterdir())


@pytest.mark.long
def test_one_that_cannot_go_on_says_why_with_its_report(tmp_path, long_one):
    [inside] = [one for one in psutil.Process(long_one.pid).children() if "simulate" in one.cmdline()]
    inside.children()[-1].kill()  # the first is the mail server
    out, err = long_one.communicate(timeout=120)
    assert long_one.returncode == 1
    assert out, err
    told = json.loads(out)
    assert told["wrong"][0].startswith("it could not go on: A worker died by itself")
    assert told["The simulation"]["matches opened"] < 500
    assert "it could not go on" in err
    assert not list(tmp_path.iterdir())


def test_a_worker_that_dies_with_its_job_unread_is_said_to_have_died_by_itself():
    moment = datetime(2027, 1, 4, tzinfo=UTC)
    crew = Crew(1, VirtualClock(moment), 1, Record(), random.Random(1), [], [])
    [process] = [psutil.Process(one.pid) for one in multiprocessing.active_children() if one.name == "worker"]
    process.suspend()

    def strike():
        time.sleep(0.2)
        process.kill()

    striking = threading.Thread(target=strike)
    striking.start()
    with pytest.raises(Broken, match="A worker died by itself over"):
        crew.work([("task", "nothing")])
    striking.join()
    crew.stop()


def test_every_default_and_every_call_tells_the_virtual_time():
    done = run("-c", VIRTUAL, DATABASE_URL="postgresql://nobody@/none", SECRET_KEY="only here")
    assert done.stdout.split() == ["2030-02-03T04:05:06.000789+00:00"] * 2 + ["2031-01-01T00:00:00+00:00", "True"], done.stderr


@pytest.mark.parametrize("kind", ["fast", "slow", "sleeping"])
def test_people_answer_after_they_are_asked_and_never_while_they_are_away(kind):
    asked = datetime(2027, 1, 4, 21, 50, tzinfo=UTC)
    away = (asked, asked + timedelta(days=3))
    person = Person(1, kind, ZoneInfo("Europe/Berlin"))
    for seed in range(200):
        moment = person.answers_at(asked, asked + timedelta(days=2), random.Random(seed))
        assert asked <= moment <= asked + timedelta(days=3)
        assert (moment - asked) % GRAIN == timedelta(0)
        if kind == "sleeping":
            assert 7 <= moment.astimezone(person.zone).hour < 22
    person.away.append(away)
    assert person.answers_at(asked, asked + timedelta(days=2), random.Random(1)) >= away[1]


@pytest.mark.parametrize("kind", ["fast", "slow", "sleeping", "absent"])
def test_what_is_asked_in_a_pause_is_answered_within_weeks(kind):
    asked = datetime(2027, 1, 4, 21, 50, tzinfo=UTC)
    person = Person(1, kind, ZoneInfo("Europe/Berlin"))
    moments = [person.answers_at(asked, None, random.Random(seed)) for seed in range(200)]
    assert any(moments)
    assert all(moment - asked < timedelta(days=40) for moment in moments if moment is not None)


def test_a_report_names_what_must_not_be():
    report = Report({"Deadlines": {}})
    report.must_be_none("Deadlines", "missed", [])
    report.must_be_none("Deadlines", "fired twice", ["the deadline of anna"])
    assert report.sections == {"Deadlines": {"missed": 0, "fired twice": 1}}
    assert report.wrong == ["deadlines: 1 fired twice, the first: the deadline of anna"]
    assert "1 fired twice" in report.as_text()
