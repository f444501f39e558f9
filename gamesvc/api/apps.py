"""The API as a Django app."""

from django.apps import AppConfig


class ApiConfig(AppConfig):
    name = "gamesvc.api"
    label = "api"

    def ready(self) -> None:
        from gamesvc.request_limits import parsers

        parsers.use()
