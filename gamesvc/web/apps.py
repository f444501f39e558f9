"""The app of the pages."""

from django.apps import AppConfig


class WebConfig(AppConfig):
    name = "gamesvc.web"
    label = "web"
