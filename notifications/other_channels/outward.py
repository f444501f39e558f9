"""Requests to an address that a user named: https to a public host, within a time limit.

The host is looked up once, and the connection goes to the very address that was checked. Neither redirects nor proxies are
followed. `WEBHOOK_TRUSTED_HOSTS` lists exceptions: `host:port`, or `host` alone for its ports 80 and 443.
"""

from __future__ import annotations

import contextlib
import http.client
import io
import ipaddress
import queue
import socket
import ssl
import threading
import time
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit
from weakref import WeakValueDictionary

from django.conf import settings

from gamesvc.errors import GamesvcError
from notifications.wanted.wishes import WishRefused

STEP_SECONDS = 5.0
LOOKUP_SECONDS = 5.0
WHOLE_SECONDS = 15.0
LONGEST_URL = 500
LONGEST_HEAD = 64 * 1024
"""The most bytes of an answer that are read: its status and headers, and those of all interim answers before it."""
UNLIKE = "The address must begin with https:// and be at most 500 characters: like https://example.org/hook."
PRIVATE = "The address leads into a private network; it must be reachable from the open net."
# Names below these are resolved within a network only (RFC 6761, 6762, 8375).
_INSIDE = ("localhost", "local", "internal", "arpa", "test", "invalid")
MOST_LOOKUPS = 16
MOST_LOOKUPS_OF_ONE = 2

# A lookup cannot be cancelled: one that hangs keeps its thread, so only this many may hang at once.
_lookups = threading.BoundedSemaphore(MOST_LOOKUPS)
# Kept as long as a transfer or a lookup of the user goes on.
_of_users: WeakValueDictionary[int, threading.BoundedSemaphore] = WeakValueDictionary()
_changing = threading.Lock()

# The IANA registries of special-purpose addresses, with multicast and reserved ones; written out, because what the standard
# library calls global differs between its versions.
_CLOSED_V4 = [
    ipaddress.IPv4Network(block)
    for block in (
        "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
        "192.0.2.0/24", "192.31.196.0/24", "192.52.193.0/24", "192.88.99.0/24", "192.168.0.0/16", "192.175.48.0/24",
        "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4",
    )
]  # fmt: skip
# The only range assigned as unicast (RFC 4291); everything else, such as fec0::/10 and ::a.b.c.d, is closed.
_UNICAST_V6 = ipaddress.IPv6Network("2000::/3")
# Within it: protocol assignments with Teredo, documentation, 6to4 and AS112.
_CLOSED_V6 = [
    ipaddress.IPv6Network(block) for block in ("2001::/23", "2001:db8::/32", "2002::/16", "2620:4f:8000::/48", "3fff::/20")
]
# In networks with IPv6 only, all of IPv4 is reached through this (RFC 6052); the embedded address decides.
_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")


class BadAddress(WishRefused):
    """The address cannot be used; the text gives the reason."""

    code = "bad_address"
    title = "The address does not fit"
    detail = "Nothing can be sent there."
    advice = "Give an address like https://example.org/hook that is reachable from the open net."
    parameter = "url"

    def __init__(self, detail: str) -> None:
        super().__init__(detail=detail)


class Unreachable(GamesvcError, OSError):
    """The host has no address, or takes no connection: the fault is its own, and not that of one address there."""


class _Head(io.BufferedReader):
    """The head of an answer, up to its longest. 100 headers of 64 kB from each of many receivers would fill the memory."""

    room = LONGEST_HEAD

    def readline(self, size: int | None = -1, /) -> bytes:
        line = super().readline(size)
        self.room -= len(line)
        if self.room < 0:
            raise http.client.HTTPException(f"the status and headers have more than {LONGEST_HEAD} bytes")
        return line


class _Answer(http.client.HTTPResponse):
    """An answer of which only the head is read."""

    def __init__(self, sock: socket.socket, *given: Any, **named: Any) -> None:
        super().__init__(sock, *given, **named)
        self.fp.close()
        self.fp = _Head(sock.makefile("rb", buffering=0))


def lane(url: str) -> str:
    """Return scheme, host and port of an address, as transfers count them: all that decides whether there is a connection."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.hostname or ''}:{parts.port or (443 if parts.scheme == 'https' else 80)}"


def check(url: str) -> tuple[str, str, int, str]:
    """Return scheme, host, port and path of an acceptable address. Raises `BadAddress`."""
    # Before it is read: of a host with very many accents Python takes the square (`press.clean`).
    if len(url) > LONGEST_URL or not url.isascii() or not url.isprintable():
        raise BadAddress(UNLIKE)
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise BadAddress("This is not an address; it should be like https://example.org/hook.") from None
    host = parts.hostname or ""
    port = port or (443 if parts.scheme == "https" else 80)
    plain = parts.scheme == "http" and is_trusted(host, port)
    if not (parts.scheme == "https" or plain) or not host:
        raise BadAddress(UNLIKE)
    if parts.username is not None or parts.fragment or " " in url:
        raise BadAddress("The address may hold no user name, no fragment and no space; the signature proves who sends.")
    if host.endswith("."):  # no certificate is valid for such a name
        raise BadAddress("The name of the host may not end with a dot.")
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return parts.scheme, host, port, path


def check_host(url: str) -> None:
    """Raise `BadAddress` for an address that by its name leads into a private network as well.

    Nothing is looked up: the answer would take as long as the name server of the address likes. `post` judges what it is told.
    """
    _scheme, host, port, _path = check(url)
    if is_trusted(host, port):
        return
    try:
        is_private = not is_public(host)
    except ValueError:
        is_private = "." not in host or host.rpartition(".")[2] in _INSIDE
    if is_private:
        raise BadAddress(PRIVATE)


def is_trusted(host: str, port: int) -> bool:
    """Return True if the operator allows webhooks to this port of this host, in any network and without https."""
    for entry in settings.WEBHOOK_TRUSTED_HOSTS:
        named = urlsplit(f"//{entry}")
        if named.hostname == host and port in ({named.port} if named.port is not None else {80, 443}):
            return True
    return False


def is_public(number: str) -> bool:
    """Return True for the public address of a single host."""
    address = ipaddress.ip_address(number)
    if isinstance(address, ipaddress.IPv6Address):
        if address.scope_id is not None:
            return False
        if address in _NAT64:
            address = ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
        else:
            return address in _UNICAST_V6 and not any(address in block for block in _CLOSED_V6)
    return not any(address in block for block in _CLOSED_V4)


def lookups_of(user_id: int) -> threading.BoundedSemaphore:
    """Return the part of all lookups that the addresses of one user may have hanging at once, in all transfers together."""
    with _changing:
        found = _of_users.get(user_id)
        if found is None:
            found = _of_users[user_id] = lookups_of_one()
        return found


def lookups_of_one() -> threading.BoundedSemaphore:
    """Return the part of all lookups that the addresses of one receiver may have hanging at once."""
    return threading.BoundedSemaphore(MOST_LOOKUPS_OF_ONE)


def post(url: str, body: bytes, headers: Mapping[str, str], *, lookups: threading.BoundedSemaphore | None = None) -> int:
    """Post `body` and return the status of the response. Raises `BadAddress`, `HTTPException`, and `OSError`: `Unreachable`
    if the host gave no connection.

    `lookups`: of a receiver with several addresses (`lookups_of`).
    """
    end = time.monotonic() + WHOLE_SECONDS
    scheme, host, port, path = check(url)
    family, number = _open_address(host, port, lookups)
    link = socket.socket(family, socket.SOCK_STREAM)
    # A receiver that sends single bytes slowly would keep each read within its time, and a worker for ever.
    watch = threading.Timer(max(end - time.monotonic(), 0), lambda: _hang_up(link))
    watch.daemon = True
    watch.start()
    try:
        link.settimeout(STEP_SECONDS)
        try:
            link.connect((number, port))
            # As http.client does for sockets it opens itself: the body does not wait until the headers are acknowledged.
            link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if scheme == "https":
                link = ssl.create_default_context().wrap_socket(link, server_hostname=host, do_handshake_on_connect=False)
                link.do_handshake()
        except OSError as fault:
            raise _unreachable(fault) from None
        # Given an open socket, http.client neither looks anything up nor follows redirects.
        connection = http.client.HTTPConnection(host, port, timeout=STEP_SECONDS)
        connection.response_class = _Answer
        connection.sock = link
        connection.request("POST", path, body=body, headers={"Host": urlsplit(url).netloc, **headers})
        return connection.getresponse().status
    finally:
        watch.cancel()
        link.close()


def _open_address(host: str, port: int, own: threading.BoundedSemaphore | None = None) -> tuple[socket.AddressFamily, str]:
    """Return family and address of the host. Raises `BadAddress` if any of its addresses is private."""
    known = _look_up(host, port, own)
    if not is_trusted(host, port) and not all(is_public(str(address[0])) for *_rest, address in known):
        raise BadAddress(PRIVATE)
    return socket.AddressFamily(known[0][0]), str(known[0][4][0])


def _look_up(host: str, port: int, own: threading.BoundedSemaphore | None = None) -> list[Any]:
    """Ask the resolver, with a time limit. Raises `Unreachable` for a name without an address, `TimeoutError` while there is no
    room, and `BadAddress`.

    A lookup that hangs keeps its place, also the one among the receiver's `own`.
    """
    room, own = _lookups, own or lookups_of_one()
    if not own.acquire(timeout=LOOKUP_SECONDS):
        raise TimeoutError("too many names of this receiver are being looked up")
    if not room.acquire(blocking=False):
        own.release()
        raise TimeoutError("too many names are being looked up")
    answers: queue.SimpleQueue[list[Any] | Exception] = queue.SimpleQueue()

    def ask() -> None:
        try:
            answers.put(list(socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)))
        except Exception as fault:
            answers.put(fault)
        finally:
            room.release()
            own.release()

    threading.Thread(target=ask, name="webhook-lookup", daemon=True).start()
    try:
        answer = answers.get(timeout=LOOKUP_SECONDS)
    except queue.Empty:
        raise Unreachable(f"{host} could not be looked up in time") from None
    if isinstance(answer, UnicodeError):
        raise BadAddress("The address names no host: a part of its name is empty or too long.")
    if isinstance(answer, OSError):
        raise _unreachable(answer)
    if isinstance(answer, Exception):
        raise answer
    return answer


def _unreachable(fault: OSError) -> Unreachable:
    return Unreachable(f"{type(fault).__name__}: {fault}")


def _hang_up(link: socket.socket) -> None:
    with contextlib.suppress(OSError):  # it is closed already
        link.shutdown(socket.SHUT_RDWR)
