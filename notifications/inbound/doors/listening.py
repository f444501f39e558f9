"""Sockets that mail servers listen on."""

from __future__ import annotations

import socket


def listen(host: str, port: int = 0) -> socket.socket:
    """Return a socket that listens on `host` and `port` (0: any free one). Its connections send each line at once.

    asyncio sets TCP_NODELAY only on sockets with an explicit protocol, and `create_server` names none. Without the option each
    greeting waits 40 ms for an acknowledgement. Connections inherit it from the listening socket.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.create_server((host, port), family=family, backlog=128)
    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listening
