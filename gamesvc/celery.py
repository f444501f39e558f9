"""The Celery application. Workers: `celery -A gamesvc.celery worker`; one beat: `celery -A gamesvc.celery beat`."""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "gamesvc.settings.dev")
app = Celery("gamesvc")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
