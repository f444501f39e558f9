"""The benchmark runs, reports its figures, and leaves nothing behind."""

from __future__ import annotations

import psycopg
from django.conf import settings
from django.db import connections

from gamesvc.ops.benches import append


def test_append_rows(database: str) -> None:
    assert database
    rows = append.append_rows(0.4, (1, 2))
    assert [row["name"] for row in rows] == ["append_1", "append_2"]
    for row in rows:
        assert row["unit"] == "events/s"
        assert row["value"] > 0
        assert row["raw"] > 0
        assert row["ratio"] > 0
    with psycopg.connect(settings.DATABASE_OWNER_URL, dbname=connections.databases["default"]["NAME"]) as connection:
        assert connection.execute("SELECT to_regnamespace('bench_append')").fetchone() == (None,)
