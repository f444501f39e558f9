"""An address that can be shut and opened again."""

from __future__ import annotations

import socket


class Listener:
    """A server on a port of its own. While it is shut it keeps the port, so that no server of another test is taken for it."""

    def __init__(self) -> None:
        self._bind(0)
        self.port: int = self._socket.getsockname()[1]
        self.open()

    @property
    def probe(self) -> str:
        """The address as `HEARTBEAT_PROBES` names it."""
        return f"tcp://127.0.0.1:{self.port}"

    def open(self) -> None:
        self._socket.listen()

    def shut(self) -> None:
        """Refuse connections from now on."""
        self._socket.close()
        self._bind(self.port)

    def close(self) -> None:
        """Give the port back."""
        self._socket.close()

    def _bind(self, port: int) -> None:
        self._socket = socket.socket()
        self._socket.bind(("127.0.0.1", port))
