"""Django's backend for PostgreSQL, which checks a connection before each request or task (`CONN_HEALTH_CHECKS`) without asking.

Django sends `SELECT 1`, a round trip for each request. A server that ends a connection says so, or its system does: then there is
something to read, where nothing should be.

A client may vanish without a word, too, with its machine or network. Its session would go on for two hours, with the advisory
locks that it holds: nobody else would send what is due. So the server is told the limits that the client has (`OPTIONS`).

A session that only reads, as it may begin during a failover, stays so for as long as it lives, though other processes write
again. So it is replaced: libpq begins none where `target_session_attrs` asks for one that writes.
"""

from __future__ import annotations

import select

from django.db.backends.postgresql import base
from psycopg import pq

# The parameters of libpq, and those of the server for the same connection.
_GONE = {
    "keepalives_idle": "tcp_keepalives_idle",
    "keepalives_interval": "tcp_keepalives_interval",
    "keepalives_count": "tcp_keepalives_count",
    "tcp_user_timeout": "tcp_user_timeout",
}
# What the server reports of each session by itself.
_ONLY_READS = (b"default_transaction_read_only", b"in_hot_standby")


class DatabaseWrapper(base.DatabaseWrapper):
    def init_connection_state(self) -> None:
        """Let the server give up a client that has vanished as soon as the client would give up the server."""
        super().init_connection_state()
        limits = self.settings_dict["OPTIONS"]
        given = {theirs: str(limits[ours]) for ours, theirs in _GONE.items() if ours in limits}
        if given:
            with self.cursor() as cursor:
                each = ", ".join(["set_config(%s, %s, false)"] * len(given))
                cursor.execute(f"SELECT {each}", [word for limit in given.items() for word in limit])

    def is_usable(self) -> bool:
        """Return True if the connection can be used. The server is asked only if it has sent something."""
        return not self._only_reads() and (self._is_quiet() or bool(super().is_usable()))

    def _only_reads(self) -> bool:
        if self.connection is None or self.settings_dict["OPTIONS"].get("target_session_attrs") != "read-write":
            return False
        return any(self.connection.pgconn.parameter_status(name) == b"on" for name in _ONLY_READS)

    def _is_quiet(self) -> bool:
        if self.connection is None or self.connection.closed:
            return False
        pgconn = self.connection.pgconn
        if pgconn.transaction_status != pq.TransactionStatus.IDLE:
            return False
        waiting = select.poll()  # `select.select` takes no descriptor beyond 1,023
        waiting.register(pgconn.socket, select.POLLIN)
        return not waiting.poll(0)
