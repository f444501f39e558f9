"""The service that `manage.py bench submit` measures: as `dev`, with the view that a turn is compared to."""

from gamesvc.settings.dev import *  # noqa: F403

ROOT_URLCONF = "gamesvc.ops.benches.urls"
