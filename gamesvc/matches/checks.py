"""What a start checks: that the keys given open the secrets stored."""

from __future__ import annotations

from typing import Any

from django.core import checks
from django.db import connection

from gamesvc.matches import secrets
from gamesvc.matches.models import Match


@checks.register(checks.Tags.database)
def keys_open_the_secrets(app_configs: Any, databases: Any = None, **kwargs: Any) -> list[checks.CheckMessage]:
    """Refuse a start with keys that do not open the stored secrets (one match per key id is tried)."""
    if not databases or Match._meta.db_table not in connection.introspection.table_names():
        return []  # nothing to open yet
    for match in Match.objects.filter(status__in=["open", "running"]).order_by("key_id", "-created_at").distinct("key_id"):
        try:
            secrets.open_secret(match.key_id, match.sealed_secret, match.id)
        except secrets.WrongKey as wrong:
            hint = "Start with the key that was in use when the match began, or restore it from a backup of the data folder."
            return [checks.Critical(str(wrong), hint=hint, id="matches.E001")]
    return []
