"""The app of the pages, which is loaded last."""

import gc

from django.apps import AppConfig


class WebConfig(AppConfig):
    name = "gamesvc.web"
    label = "web"

    def ready(self) -> None:
        # Everything loaded so far stays. The entry points switch the garbage collector off; a process starts a quarter faster if
        # it never looks through these objects.
        gc.freeze()
        gc.enable()
