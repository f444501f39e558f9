"""The privileges of the runtime role. Migrations run as the owner and grant them; no role is created here."""

from __future__ import annotations

from urllib.parse import urlsplit

from django.conf import settings
from django.core.checks import CheckMessage, Warning
from django.core.exceptions import ImproperlyConfigured
from django.db import DEFAULT_DB_ALIAS, connections, transaction
from psycopg import sql

# Everything else in the schema is a projection, or belongs to another app: the runtime role may change its rows.
LIMITED = {
    "events_event": "SELECT, INSERT",
    "events_checkpoint": "SELECT, INSERT",
    "events_checkpoint_head": "SELECT, INSERT",
    "events_epoch": "SELECT",
    "django_migrations": "SELECT",
}
ALL = "SELECT, INSERT, UPDATE, DELETE"


def runtime_role() -> str:
    """Return the role that the service runs as; empty if the settings name none."""
    return str(getattr(settings, "DATABASE_RUNTIME_ROLE", "") or settings.DATABASES[DEFAULT_DB_ALIAS].get("USER", ""))


def grant(using: str) -> None:
    """Grant the runtime role the privileges it needs on the tables of this schema. Does nothing if it is the owner."""
    connection = connections[using]
    role = runtime_role()
    with transaction.atomic(using), connection.cursor() as cursor:
        cursor.execute("SELECT current_user = %s::text, EXISTS (SELECT FROM pg_roles WHERE rolname = %s::text)", [role, role])
        same, exists = cursor.fetchone()
        if same or not role:
            return
        if not exists:
            raise ImproperlyConfigured(f"The service is to run as the database role {role!r}, which does not exist: create it.")
        cursor.execute(
            "SELECT relname, relkind = 'S' FROM pg_class WHERE relnamespace = current_schema()::regnamespace"
            " AND relkind IN ('r', 'p', 'S') AND pg_get_userbyid(relowner) = current_user"
        )
        found = cursor.fetchall()
        tables = {name for name, is_sequence in found if not is_sequence}
        sequences = {name for name, is_sequence in found if is_sequence}
        limited = {table: rights for table, rights in LIMITED.items() if table in tables}
        to = sql.Identifier(role)
        statements = []
        for table, rights in limited.items():
            statements.append(sql.SQL("REVOKE ALL ON TABLE {} FROM {}").format(sql.Identifier(table), to))
            statements.append(sql.SQL("GRANT {} ON TABLE {} TO {}").format(sql.SQL(rights), sql.Identifier(table), to))
        if others := tables - limited.keys():
            statements.append(sql.SQL("GRANT {} ON TABLE {} TO {}").format(sql.SQL(ALL), _names(others), to))
        if sequences:
            statements.append(sql.SQL("GRANT USAGE ON SEQUENCE {} TO {}").format(_names(sequences), to))
        for statement in statements:
            cursor.execute(statement.as_string(connection.connection))


def _names(names: set[str]) -> sql.Composed:
    return sql.SQL(", ").join(sql.Identifier(name) for name in sorted(names))


def check_two_roles(app_configs: object, **_: object) -> list[CheckMessage]:
    """Warn if the role that runs the service owns the tables: it could remove the protection of the log."""
    owner = urlsplit(getattr(settings, "DATABASE_OWNER_URL", "")).username
    if owner and owner != runtime_role():
        return []
    return [
        Warning(
            "The service runs as the role that owns the event log, and could drop the triggers that keep it append-only.",
            hint="Name a second role in DATABASE_URL, and the owner in DATABASE_OWNER_URL.",
            id="events.W001",
        )
    ]
