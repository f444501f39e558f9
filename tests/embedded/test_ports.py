"""A port belongs to its holder alone, although the web server opens it in a way that could be shared."""

from __future__ import annotations

import socket
import sys

import pytest

from gamesvc.embedded.ports import Port, PortTaken


def listening(port: int) -> socket.socket:
    """Return a socket opened like granian does."""
    server = socket.socket()
    server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    server.bind(("127.0.0.1", port))
    server.listen()
    return server


def test_nobody_else_gets_a_port_that_is_listened_on():
    with listening(0) as server, pytest.raises(PortTaken, match="not free"):
        Port(server.getsockname()[1])


@pytest.mark.skipif(
    sys.platform != "linux",
    reason="only Linux lets a server listen on a port that is held (SO_REUSEPORT)",
)
def test_a_held_port_is_its_holders_before_and_after_its_server_listens():
    held = Port(0)
    with pytest.raises(PortTaken):
        Port(held.number)
    with listening(held.number) as server:
        with pytest.raises(PortTaken):
            Port(held.number)
        with socket.create_connection(("127.0.0.1", held.number), 5), server.accept()[0]:
            pass
    with pytest.raises(PortTaken):
        Port(held.number)
    held.release()
    Port(held.number).release()
