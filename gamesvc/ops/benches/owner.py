"""The owner of the database, who creates the tables of a bench and gathers statistics. The runtime role may do neither."""

from __future__ import annotations

import psycopg
from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, connections
from psycopg.rows import TupleRow


def connect() -> psycopg.Connection[TupleRow]:
    """Return a connection of the owner to the database in use, each statement a transaction of its own."""
    name = connections.databases[DEFAULT_DB_ALIAS]["NAME"]
    return psycopg.connect(settings.DATABASE_OWNER_URL, dbname=name, autocommit=True)


def analyze() -> None:
    """Gather the planner's statistics, which a service in use has from autovacuum."""
    with connect() as connection:
        connection.execute("ANALYZE")
