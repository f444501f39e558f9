"""The Celery application.

`gamesvc.queues` lists the workers and their queues. Start one beat: `celery -A gamesvc.beat beat`.
"""

import gc
import os

from celery import Celery, Task
from celery.signals import task_prerun, worker_init

from gamesvc import sent_tasks

gc.disable()  # until everything is loaded: `gamesvc.web.apps`
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "gamesvc.settings.dev")
app = Celery("gamesvc", task_cls="gamesvc.time_limits:LimitedTask")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


@worker_init.connect  # type: ignore[untyped-decorator]
def _before_forking(**_: object) -> None:
    from django.db import connections

    connections.close_all()  # the children would share the connection
    # Everything loaded so far stays. If the garbage collector never looks through it, its memory remains shared with the
    # children.
    gc.collect()
    gc.freeze()


@task_prerun.connect  # type: ignore[untyped-decorator]
def _note_begun(task: Task, **_: object) -> None:
    if task.name in {entry["task"] for entry in app.conf.beat_schedule.values()}:
        sent_tasks.begun(app.conf.broker_url, task.name)
