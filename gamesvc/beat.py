"""The Celery application of beat. It sends tasks by name, so it loads neither them nor Django and stays small."""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "gamesvc.settings.dev")
app = Celery("gamesvc", fixups=[])
app.config_from_object("django.conf:settings", namespace="CELERY")
