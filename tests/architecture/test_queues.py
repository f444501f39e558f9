"""Queues and time limits: every task has both, and every queue has a worker in `up` and in `deploy/`."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.conf import settings

from gamesvc import queues
from gamesvc.celery import app
from gamesvc.embedded.service import HTTP, SHORT_HEADS, Service

DEPLOY = Path(__file__).resolve().parents[2] / "deploy"
app.loader.import_default_modules()
OURS = sorted(name for name in app.tasks if not name.startswith("celery."))
PROCFILE = dict(line.split(": ", 1) for line in (DEPLOY / "Procfile").read_text().splitlines())


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    service = Service(tmp_path_factory.mktemp("service"), port=0, environment={})
    yield service
    service.stop()


def queue_of(task: str) -> str:
    """Return the queue to which Celery itself sends a task."""
    return str(app.amqp.router.route({}, task)["queue"].name)


def listened_to(command: str) -> set[str]:
    found = re.search(r"--queues (\S+)", command)
    return set(found[1].split(",")) if found else set()


def test_all_apps_are_walked():
    assert {name.split(".")[0] for name in OURS} == {"gamesvc", "notifications"}
    assert len(OURS) >= 20


@pytest.mark.parametrize("name", OURS)
def test_every_task_has_time_limits(name):
    task = app.tasks[name]
    assert 0 < task.soft_time_limit < task.time_limit <= 600


@pytest.mark.parametrize("name", OURS)
def test_no_task_waits_in_a_queue_that_nobody_listens_to(name, service):
    up = [" ".join(command) for command in service.commands.values()]
    assert any(queue_of(name) in listened_to(command) for command in up)
    assert any(queue_of(name) in listened_to(command) for command in PROCFILE.values())


def test_every_queue_has_one_worker_and_tasks_of_its_own():
    assert sorted(queue for listens in queues.WORKERS.values() for queue in listens) == sorted(queues.QUEUES)
    assert {queue_of(name) for name in OURS} == set(queues.QUEUES)


@pytest.mark.parametrize(
    ("task", "queue"),
    [
        ("gamesvc.matches.tasks.sweep_deadlines", "deadlines"),
        ("gamesvc.matches.tasks.play_bots", "play"),
        ("gamesvc.matches.tasks.play_bots_on", "play_on"),
        ("gamesvc.matches.tasks.make_checkpoint", "checkpoints"),
        ("gamesvc.matches.tasks.sweep_reminders", "celery"),
        ("notifications.tasks.send_due", "notices"),
        ("notifications.tasks.send_soon", "notices"),
        ("notifications.tasks.sweep_channels", "channels"),
        ("notifications.inbound.tasks.work_soon", "inbound"),
    ],
)
def test_deadlines_and_mail_wait_for_nothing_else(task, queue):
    assert queue_of(task) == queue
    alone = [listens for listens in queues.WORKERS.values() if queue in listens]
    assert alone == [(queue,)] or queue not in ("deadlines", "notices", "channels", "inbound")


@pytest.mark.parametrize("entry", sorted(settings.CELERY_BEAT_SCHEDULE))
def test_every_periodic_task_exists_and_expires_although_clocks_differ(entry):
    planned = settings.CELERY_BEAT_SCHEDULE[entry]
    assert planned["task"] in OURS
    assert planned["options"]["expires"] == planned["schedule"] + queues.CLOCKS_APART_SECONDS > queues.CLOCKS_APART_SECONDS


@pytest.mark.parametrize("name", queues.WORKERS)
def test_up_and_the_procfile_start_the_same_workers(name, service):
    assert PROCFILE[name].endswith(" ".join(queues.worker_options(name)))
    assert f"gamesvc@{name}" in (DEPLOY / "gamesvc@.service").read_text()
    assert set(PROCFILE) == set(service.commands)


@pytest.mark.parametrize("name", queues.WORKERS)
def test_the_pool_of_every_worker_keeps_time_limits(name):
    assert "--pool" not in queues.worker_options(name)
    assert "--pool" not in PROCFILE[name]


def test_no_worker_leaves_its_sweeps_waiting_for_bots():
    """Bots that play among themselves always have something to do, and sweeps expire when the next ones come."""
    assert settings.CELERY_BROKER_TRANSPORT_OPTIONS["queue_order_strategy"] == "sorted"
    for listens in queues.WORKERS.values():
        assert list(listens) == sorted(listens)
    assert queues.WORKERS["worker"][-2:] == ("play", "play_on")
    assert queues.WORKERS["worker"][0] == queues.DEFAULT


@pytest.mark.parametrize("name", ["web", "live"])
def test_the_headers_of_requests_take_little_memory(name, service):
    for command in (" ".join(service.commands[name]), PROCFILE[name]):
        assert f" {' '.join((*HTTP, *SHORT_HEADS))} " in command
