"""Settings for tests: embedded servers in a temporary folder, shared by all test processes of a run."""

import atexit
import os
import shutil
import sys
import tempfile
from pathlib import Path

if sys.dont_write_bytecode:
    # The tests start hundreds of processes, each of which would compile every module again. None is written beside its source.
    _compiled = Path(__file__).resolve().parents[2] / ".pytest_cache" / "bytecode"
    sys.dont_write_bytecode, sys.pycache_prefix = False, str(_compiled)
    os.environ["PYTHONPYCACHEPREFIX"] = str(_compiled)
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

if "DATABASE_URL" not in os.environ:
    import psycopg

    from gamesvc.embedded import environment
    from gamesvc.embedded.postgres import Postgres

    # Only in the first process of a run; the test workers it starts inherit the addresses.
    _folder = tempfile.mkdtemp(prefix="gamesvc-test-")
    # Choices of bots and ids of requests depend on this key: it is the same in every run.
    os.environ["SECRET_KEY"] = "tests only, the same in every run of theirs".ljust(50, ".")

    def _tidy() -> None:
        environment.release()
        shutil.rmtree(_folder, ignore_errors=True)

    environment.provide(Path(_folder))
    with psycopg.connect(Postgres(Path(_folder)).url("postgres", "postgres"), autocommit=True) as _admin:
        # Test data need not survive a power cut.
        for _setting in ("fsync", "synchronous_commit", "full_page_writes"):
            _admin.execute(f"ALTER SYSTEM SET {_setting} = off")
        _admin.execute("SELECT pg_reload_conf()")
    (Path(_folder) / "static").mkdir()
    atexit.register(_tidy)
    os.environ["GAMESVC_DATA"] = _folder
    os.environ["GAMESVC_TEST_TEMPLATE"] = "migrated"

from gamesvc.embedded.environment import RATE_LIMITS

# Tests send requests faster than any user, as do the services they start. Tests of the limits set them.
os.environ |= dict.fromkeys(RATE_LIMITS, "0")

# Whole matches are played by mail, and most of their pictures are never looked at.
os.environ["MAIL_PICTURE_WIDTH"] = "120"

from gamesvc.settings.base import *  # noqa: F403
from gamesvc.settings.base import DATABASE_OWNER_URL, DATABASES, STORAGES, database

# The owner creates and migrates the test database. Tests of permissions connect as the runtime role.
DATABASES["default"] = database(DATABASE_OWNER_URL)
if "GAMESVC_TEST_TEMPLATE" in os.environ:
    DATABASES["default"]["TEST"] = {"TEMPLATE": os.environ["GAMESVC_TEST_TEMPLATE"]}
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
CELERY_TASK_ALWAYS_EAGER = False
# Most tests play several matches at one moment. Tests of the batch window set it.
NOTICE_BATCH_MINUTES = 0
# Most tests wait for the receipt of each mail, and find mails by their own subjects. Tests of these settings set them.
NOTICE_RECEIPT_MINUTES = 0
NOTICE_SUBJECT_PER_TURN = True
# Whole matches are played by mail within a minute. Tests of the limits set them.
INBOUND_MAILS_PER_ADDRESS = INBOUND_MAILS_PER_USER = MAILSERVER_UNKNOWN_PER_HOUR = 1_000_000
# Most tests make a question time out by moving the clock to its deadline. Tests of the margin set it.
DEADLINE_MARGIN_SECONDS = 0.0
CACHES = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}
# No test collects static files: they keep their own names.
STORAGES = {**STORAGES, "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}}
# Each test client creates the middleware again: it looks for a static file on request, and not for all at the start.
WHITENOISE_AUTOREFRESH = True
