"""Tests: the embedded servers in a temporary folder, shared by all test processes of a run."""

import os
import tempfile
from pathlib import Path

if "DATABASE_URL" not in os.environ:
    from gamesvc.embedded import environment

    # The first process of a run comes here; the test workers it starts inherit the addresses.
    _folder = tempfile.TemporaryDirectory(prefix="gamesvc-test-")
    environment.provide(Path(_folder.name))
    os.environ["GAMESVC_DATA"] = _folder.name

from gamesvc.settings.base import *  # noqa: F403
from gamesvc.settings.base import DATABASE_OWNER_URL, DATABASES, database

# The test database is made and migrated by its owner; the tests of the walls connect as the runtime role.
DATABASES["default"] = database(DATABASE_OWNER_URL)
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
CELERY_TASK_ALWAYS_EAGER = False
