"""Limits of the form "at most so many times within so many seconds", for sign-ups, invitations and requested mails.

They live in a table and not in the cache: a limit on mail to strangers must hold even if Redis is down or was emptied, and across
processes.
"""

from __future__ import annotations

import hashlib
from datetime import timedelta
from math import ceil

from django.db import connection
from django.utils import timezone

_COUNT = """
INSERT INTO accounts_throttle AS t (key, started_at, ends_at, count) VALUES (%s, %s::timestamptz, %s::timestamptz, 1)
ON CONFLICT (key) DO UPDATE SET
    count = CASE WHEN t.ends_at <= excluded.started_at THEN 1 ELSE t.count + 1 END,
    started_at = CASE WHEN t.ends_at <= excluded.started_at THEN excluded.started_at ELSE t.started_at END,
    ends_at = CASE WHEN t.ends_at <= excluded.started_at THEN excluded.ends_at ELSE t.ends_at END
RETURNING count, ends_at
"""


def throttle(key: str, limit: int, seconds: int) -> int:
    """Count one more `key`. Return 0 if it is within `limit` for this window, else the seconds to wait.

    The window begins with the first count and lasts `seconds`. Counts are exact with concurrent callers. The count is part of the
    caller's transaction, so an act that is rolled back is not counted.
    """
    now = timezone.now()
    digest = hashlib.sha256(key.encode()).hexdigest()
    with connection.cursor() as cursor:
        cursor.execute(_COUNT, [digest, now, now + timedelta(seconds=seconds)])
        row = cursor.fetchone()
    assert row is not None  # the statement always returns its row
    count, ends_at = row
    return 0 if count <= limit else max(1, ceil((ends_at - now).total_seconds()))
