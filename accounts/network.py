"""Network addresses of clients: one function for all limits by address and for the trail of sign-ins.

A proxy writes the client's address into X-Forwarded-For, but so can anyone else. The header counts only if it comes from an
address in `TRUSTED_PROXIES`. It is read from its end, and the first address that is no proxy of ours is the client's.
"""

from __future__ import annotations

import functools
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.http import HttpRequest

Address = IPv4Address | IPv6Address

# A proxy on the same machine that connects through a socket file: such a peer has no address.
SOCKET_FILE = "unix"
# A customer of an IPv6 provider has at least a whole /64, and can use a new address of it for every request.
IPV6_PREFIX = 64
# Some get a whole /48, which holds 65,536 of them.
CUSTOMER_PREFIX = 48
# Such a customer gets this many times what one network gets; others of the same /48 still get the rest.
NETWORKS_OF_ONE = 3


def client_address(request: HttpRequest) -> str | None:
    """Return the network address a request comes from; None if neither the server nor a trusted proxy names one."""
    peer = str(request.META.get("REMOTE_ADDR", ""))
    address = _parse(peer)
    if not _is_proxy(address):
        return _text(address)
    for hop in reversed(str(request.META.get("HTTP_X_FORWARDED_FOR", "")).split(",")):
        named = _parse(hop)
        if named is None:
            break
        address = named
        if not _is_proxy(address):
            break
    return _text(address)


def network_of(address: str | None) -> str:
    """Return what limits count by: an IPv4 address itself, of an IPv6 address its /64."""
    parsed = _parse(address or "")
    if isinstance(parsed, IPv6Address):
        return str(IPv6Network((parsed, IPV6_PREFIX), strict=False))
    return _text(parsed) or ""


def provider_network(network: str) -> str:
    """Return the /48 around the /64 of an IPv6 address, which one customer may have whole; any other network as it is."""
    try:
        return str(IPv6Network(network).supernet(new_prefix=CUSTOMER_PREFIX))
    except ValueError:
        return network


def client_network(request: HttpRequest) -> str:
    """Return the network of a request's client, for limits to count by."""
    return network_of(client_address(request))


def client_provider(request: HttpRequest) -> str:
    """Return the /48 of a request's client, for limits on a customer with many networks; empty for clients by IPv4."""
    network = client_network(request)
    provider = provider_network(network)
    return provider if provider != network else ""


def check_settings() -> None:
    """Read `TRUSTED_PROXIES`. Raises `ImproperlyConfigured` for an entry that is no network."""
    _networks(tuple(settings.TRUSTED_PROXIES))


def trusts_everybody() -> bool:
    """Return True if `TRUSTED_PROXIES` takes every client for a proxy."""
    return any(network.prefixlen == 0 for network in _networks(tuple(settings.TRUSTED_PROXIES)))


def _is_proxy(address: Address | None) -> bool:
    if address is None:
        return SOCKET_FILE in settings.TRUSTED_PROXIES
    return any(address in network for network in _networks(tuple(settings.TRUSTED_PROXIES)))


@functools.cache
def _networks(names: tuple[str, ...]) -> tuple[IPv4Network | IPv6Network, ...]:
    try:
        return tuple(ip_network(name) for name in names if name != SOCKET_FILE)
    except ValueError as error:
        raise ImproperlyConfigured(
            "TRUSTED_PROXIES holds the addresses or networks from which your proxies connect, with commas between them, such as"
            f" 127.0.0.1,::1 (`{SOCKET_FILE}` for a socket file): {error}."
        ) from None


def _parse(text: str) -> Address | None:
    """Read an address, also with a port (`192.0.2.1:8080`, `[2001:db8::1]:8080`) and an IPv4 address written as IPv6."""
    text = text.strip()
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        address = ip_address(text)
    except ValueError:
        return None
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return mapped or address


def _text(address: Address | None) -> str | None:
    return None if address is None else str(address)
