"""The API as a Django app."""

from django.apps import AppConfig


class ApiConfig(AppConfig):
    name = "gamesvc.api"
    label = "api"

    def ready(self) -> None:
        from gamesvc.request_limits import cookies

        cookies.read_in_one_pass()
