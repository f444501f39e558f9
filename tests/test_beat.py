"""Beat goes on whatever becomes of the machine's clock."""

import subprocess
import sys
import textwrap

import pytest
from celery.signals import task_prerun
from django.conf import settings

from gamesvc import sent_tasks
from gamesvc.celery import app

# In a process of its own, with the scheduler that `celery -A gamesvc.beat beat` takes.
PROGRAM = """
import time, sys
import time_machine
from celery.utils.imports import symbol_by_name
from gamesvc.beat import app

def started():
    scheduler = symbol_by_name(app.conf.beat_scheduler)(app, schedule_filename=sys.argv[1])
    scheduler.producer, scheduler.apply_entry = None, lambda entry, producer=None: sent.append(entry.name)
    return scheduler

def run(scheduler, seconds):
    sent.clear()
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        time.sleep(min(max(scheduler.tick(), 0), 0.05))
    return set(sent)

sent = []
with time_machine.travel(time.time() + float(sys.argv[2]), tick=True):
    scheduler = started()
    assert set(app.conf.beat_schedule) <= run(scheduler, 1), "at the start all are sent"
    scheduler.sync()
assert "deadlines" in run(scheduler, 2.5), "in the same process"
assert "statistics" not in sent and sent.count("deadlines") <= 3, sent
scheduler.close()
assert "deadlines" in run(started(), 2.5), "in a new one"
"""


@pytest.mark.parametrize("ahead", [86_400.0, -86_400.0])
def test_a_clock_that_is_set_stops_no_sweep(tmp_path, ahead):
    command = [sys.executable, "-c", textwrap.dedent(PROGRAM), str(tmp_path / "beat"), str(ahead)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr


WAITING = """
from celery.utils.imports import symbol_by_name
from gamesvc import sent_tasks
from gamesvc.beat import app

free, sent = [True, False, True], []
sent_tasks.may_be_sent = lambda url, task: free.pop(0)
scheduler = symbol_by_name(app.conf.beat_scheduler)(app)
scheduler.send_task = lambda task, *args, **options: sent.append((task, options["expires"]))
for _ in range(3):
    scheduler.apply_entry(scheduler.schedule["deadlines"])
[(task, expires), _again] = sent
assert task == "gamesvc.matches.tasks.sweep_deadlines" and expires > 60, "the clock of a worker may be ahead"
"""


def test_a_task_that_waits_is_not_sent_again():
    done = subprocess.run([sys.executable, "-c", WAITING], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr


def test_a_task_may_be_sent_again_once_it_has_begun():
    url, task = settings.REDIS_URL, "gamesvc.matches.tasks.watch_outages"
    sent_tasks.begun(url, task)
    assert [sent_tasks.may_be_sent(url, task) for _ in range(2)] == [True, False]
    task_prerun.send(app.tasks[task], task=app.tasks[task])
    assert sent_tasks.may_be_sent(url, task)
    sent_tasks.begun(url, task)
    assert sent_tasks.may_be_sent("redis://127.0.0.1:1/0", task), "a broker that is away is told by the sending"
