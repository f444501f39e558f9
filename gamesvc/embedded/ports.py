"""TCP ports of this machine, taken so that nobody shares them unknowingly."""

from __future__ import annotations

import socket
import sys


class PortTaken(Exception):
    """Another program has the port."""


class Port:
    """A port of the loopback interface (0: any free one), held until `release`. Raises `PortTaken`.

    The web server opens its port with SO_REUSEPORT, with which two services would share it in silence. We bind it without,
    which only one process can, and allow sharing afterwards. A socket that never listens gets no connections.
    """

    def __init__(self, port: int) -> None:
        self._socket = socket.socket()
        try:
            # Connections of a server that ended a moment ago do not stand in the way.
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            self._socket.bind(("127.0.0.1", port))
        except OSError as error:
            self.release()
            raise PortTaken(f"Port {port} is not free ({error.strerror}).") from error
        self.number = int(self._socket.getsockname()[1])
        if sys.platform != "linux":
            # Only Linux lets the server share a held port; elsewhere this was a trial.
            self.release()
            return
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 0)
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)

    def release(self) -> None:
        self._socket.close()


def free_port() -> int:
    """A port that nobody uses now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
