"""The application with the commands of `manage.py`."""

from django.apps import AppConfig


class OpsConfig(AppConfig):
    name = "gamesvc.ops"
