"""Beat goes on whatever becomes of the machine's clock."""

import subprocess
import sys
import textwrap

import pytest

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
