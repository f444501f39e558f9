"""The service for `manage.py bench submit`: as `dev`, with the minimal view for comparison."""

from gamesvc.settings.dev import *  # noqa: F403

ROOT_URLCONF = "gamesvc.ops.benches.baseline"

# The minimal view has its statements prepared by psycopg, which otherwise prepares none.
DATABASES["default"] |= {"OPTIONS": {"server_side_binding": True, "prepare_threshold": 10**9}}  # noqa: F405
