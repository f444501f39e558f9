"""The Celery application. Workers: `celery -A gamesvc.celery worker`; one beat: `celery -A gamesvc.celery beat`."""

import os
from typing import Any

from celery import Celery
from celery.signals import worker_init

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "gamesvc.settings.dev")
app = Celery("gamesvc")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


@worker_init.connect  # type: ignore[untyped-decorator]
def _try_keys(**_: Any) -> None:
    from gamesvc.matches.checks import refuse_wrong_keys  # here: the apps are loaded by now

    refuse_wrong_keys()
