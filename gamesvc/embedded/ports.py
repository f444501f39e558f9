"""TCP ports of this machine, reserved so that two services never share one unknowingly."""

from __future__ import annotations

import socket
import sys

from gamesvc.errors import GamesvcError


class PortTaken(GamesvcError):
    """Another program uses the port."""


class Port:
    """A port of the loopback interface (0: any free one), held until `release`. Raises `PortTaken`.

    The web server opens its port with SO_REUSEPORT, so two services would share it silently. We bind it without that option,
    which only one process can do, and allow sharing afterwards. A socket that never listens gets no connections.
    """

    def __init__(self, port: int) -> None:
        self._socket = socket.socket()
        try:
            # Connections of a server that has just ended must not block the port.
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            self._socket.bind(("127.0.0.1", port))
        except OSError as error:
            self.release()
            raise PortTaken(f"Port {port} is not free ({error.strerror}).") from error
        self.number = int(self._socket.getsockname()[1])
        if sys.platform != "linux":
            # Only Linux lets the server share a held port. On other systems this was just a test.
            self.release()
            return
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 0)
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)

    def release(self) -> None:
        self._socket.close()


def free_port() -> int:
    """Return a free port."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
