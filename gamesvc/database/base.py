"""Django's backend for PostgreSQL, which checks a connection before each request or task (`CONN_HEALTH_CHECKS`) without asking.

Django sends `SELECT 1`, a round trip for each request. A server that ends a connection says so, or its system does: then there is
something to read, where nothing should be.
"""

from __future__ import annotations

import select

from django.db.backends.postgresql import base
from psycopg import pq


class DatabaseWrapper(base.DatabaseWrapper):
    def is_usable(self) -> bool:
        """Return True if the connection can be used. The server is asked only if it has sent something."""
        return self._is_quiet() or bool(super().is_usable())

    def _is_quiet(self) -> bool:
        if self.connection is None or self.connection.closed:
            return False
        pgconn = self.connection.pgconn
        if pgconn.transaction_status != pq.TransactionStatus.IDLE:
            return False
        waiting = select.poll()  # `select.select` takes no descriptor beyond 1,023
        waiting.register(pgconn.socket, select.POLLIN)
        return not waiting.poll(0)
