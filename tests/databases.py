"""The databases of a run: migrated once and copied, and emptied after a test that commits."""

from __future__ import annotations

import subprocess
from functools import cache
from typing import Any

import psycopg
from django.conf import settings
from django.contrib.auth.models import Permission
from django.contrib.contenttypes.models import ContentType
from django.core.management import call_command
from django.db import connections, transaction
from psycopg import sql
from psycopg.conninfo import make_conninfo

from gamesvc.embedded import Servers
from gamesvc.embedded.postgres import bundled_programs

DUMP = settings.DATA_DIR / "migrated.dump"
MAKING = 0x74656D706C617465  # "template"
LOG = ("events_event", "events_checkpoint", "events_checkpoint_head")
# The same rows in every database, created by `migrate`.
KEPT = {ContentType._meta.db_table, Permission._meta.db_table}


def make_template(name: str) -> None:
    """Create and migrate a template database, unless another process of this run has done so."""
    default: dict[str, Any] = connections["default"].settings_dict
    own = default["NAME"]
    with psycopg.connect(settings.DATABASE_OWNER_URL, autocommit=True) as owner:
        owner.execute("SELECT pg_advisory_lock(%s::bigint)", [MAKING])
        if owner.execute("SELECT 1 FROM pg_database WHERE datname = %s", [name]).fetchone():
            return
        half_made = sql.Identifier(f"{name}_new")
        owner.execute(sql.SQL("CREATE DATABASE {}").format(half_made))
        connections["default"].close()
        default["NAME"] = f"{name}_new"
        try:
            call_command("migrate", interactive=False, verbosity=0, skip_checks=True)
        finally:
            connections["default"].close()
            default["NAME"] = own
        # Now, since a database cannot be copied while another connection uses it.
        _pg("pg_dump", "--format=custom", "--file", str(DUMP), make_conninfo(settings.DATABASE_OWNER_URL, dbname=f"{name}_new"))
        owner.execute(sql.SQL("ALTER DATABASE {} RENAME TO {}").format(half_made, sql.Identifier(name)))


def copy_into(servers: Servers) -> None:
    """Give the servers of a service the migrated database of this run: `prepare` then finds nothing to migrate."""
    if not DUMP.exists():
        return
    _pg("pg_restore", "--exit-on-error", "--dbname", servers.admin_url, str(DUMP))
    with psycopg.connect(servers.admin_url) as admin:
        # As if it had been created here, not restored.
        admin.execute("UPDATE events_epoch SET system_identifier = s.system_identifier FROM pg_control_system() s")


def _pg(program: str, *arguments: str) -> None:
    programs = bundled_programs()
    assert programs is not None
    subprocess.run([programs / program, *arguments], stdin=subprocess.DEVNULL, check=True)


def empty(alias: str) -> None:
    """Empty the tables that have rows, and the event log, which triggers of its owner protect."""
    with connections[alias].cursor() as cursor:
        filled_ones = (f"SELECT '{table}' WHERE EXISTS (SELECT FROM {table})" for table in _tables(alias))  # noqa: S608
        cursor.execute(" UNION ALL ".join(filled_ones))
        filled = [table for (table,) in cursor.fetchall()]
    if not filled:
        return
    guarded = [f"ALTER TABLE {table} {{}} TRIGGER {table}_rows" for table in LOG if table in filled]
    with transaction.atomic(alias), connections[alias].cursor() as cursor:
        for change in guarded:
            cursor.execute(change.format("DISABLE"))
        # Of few rows, faster than TRUNCATE by a factor of ten. Foreign keys are checked at the end of the transaction.
        cursor.execute("; ".join(f"DELETE FROM {table}" for table in filled))  # noqa: S608
        for change in guarded:
            cursor.execute(change.format("ENABLE ALWAYS"))


@cache
def _tables(alias: str) -> list[str]:
    """Return the names of the tables that tests fill."""
    of_models = connections[alias].introspection.django_table_names(only_existing=True, include_views=False)
    return [*sorted({*of_models} - KEPT), *LOG, "events_snapshot"]
