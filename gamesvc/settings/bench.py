"""The service for `manage.py bench submit`: as `dev`, with the minimal view for comparison."""

from gamesvc.settings.dev import *  # noqa: F403

ROOT_URLCONF = "gamesvc.ops.benches.baseline"
