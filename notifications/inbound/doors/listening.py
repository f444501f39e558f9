"""Sockets that mail servers listen on."""

from __future__ import annotations

import socket


def listen(host: str, port: int = 0) -> socket.socket:
    """Return a socket that listens on `host` and `port` (0: any free one), and whose connections send each line at once.

    asyncio asks for that only where a socket names its protocol, which `accept` leaves out: the lines of an answer then waited
    for the other side's acknowledgement, 40 ms for each greeting. Connections have the option of the socket that listens.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.create_server((host, port), family=family, backlog=128)
    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listening
