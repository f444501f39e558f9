"""System checks: the given keys must open the stored secrets, and a public server should watch its availability."""

from __future__ import annotations

import logging
import sys

from celery.signals import worker_init
from django.conf import settings
from django.core import checks
from django.db import DatabaseError, connection

from gamesvc.matches.models import Match
from gamesvc.matches.record import secrets

logger = logging.getLogger(__name__)


@checks.register(checks.Tags.database)
def keys_open_the_secrets(app_configs: object, databases: object = None, **_: object) -> list[checks.CheckMessage]:
    """Refuse to start with keys that do not open the stored secrets. One match per key id is tried."""
    if not databases or Match._meta.db_table not in connection.introspection.table_names():
        return []  # nothing to open yet
    try:
        open_one_secret_per_key()
    except secrets.WrongKey as wrong:
        hint = "Start with the key that was in use when the match began, or restore it from a backup of the data folder."
        return [checks.Critical(str(wrong), hint=hint, id="matches.E001")]
    return []


@checks.register(deploy=True)
def doors_are_watched(app_configs: object, **_: object) -> list[checks.CheckMessage]:
    """Warn if the service cannot detect an outage: then deadlines fire although nobody can meet them."""
    if settings.HEARTBEAT_PROBES:
        return []
    hint = "Name the web server and the mail receiver, such as http://127.0.0.1:8000/api/v1/games/,tcp://127.0.0.1:8024."
    return [checks.Warning("HEARTBEAT_PROBES is empty: an outage of the doors goes unseen.", hint=hint, id="matches.W001")]


def open_one_secret_per_key() -> None:
    """Try the given keys on the stored secrets, one match per key id. Raises `WrongKey`."""
    for match in Match.objects.filter(status__in=["open", "running"]).order_by("key_id", "-created_at").distinct("key_id"):
        secrets.open_secret(match.key_id, match.sealed_secret, match.id)


def refuse_wrong_keys() -> None:
    """Exit with a clear message if the keys do not fit the stored secrets. For the processes of the service."""
    try:
        open_one_secret_per_key()
    except secrets.WrongKey as wrong:
        sys.exit(
            f"gamesvc does not start: {wrong} Give the key that was in use when the match began (deploy/README.md, Settings)."
        )
    except DatabaseError:
        # The database may come back; each draw tries the key again.
        logger.warning("The database does not answer; the keys were not tried.")
    finally:
        connection.close()


@worker_init.connect  # type: ignore[untyped-decorator]
def _before_a_worker_forks(**_: object) -> None:
    refuse_wrong_keys()
