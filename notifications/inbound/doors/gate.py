"""Limits on connections to the mail receiver and on guesses of addresses, in total and per network of the sender.

They are counted in the memory of one process: a limit that needs the database would cost what it is meant to save. Behind a mail
server (`INBOUND_AUTH=border`) everything comes from one address; there only the limits in total and per connection apply.
"""

from __future__ import annotations

import ipaddress
import time
from collections import Counter
from collections.abc import Callable

from django.conf import settings

from accounts.network import NETWORKS_OF_ONE, provider_network

HOUR = 3600.0
MOST_NETWORKS = 10_000
MOST_LARGE = 20
"""Bodies of more than 1 MB on their way at once, so that the disk is bounded."""
MOST_LARGE_OF_ONE = 4
"""Of these the most from one network: it could hold them back to the end of its connections."""
FLOOD = 20
"""The multiple of the unknown addresses of an hour that shuts the door to a network. One customer of a provider sends fewer."""
FULL = "421 4.3.2 Too many connections, try again later"
FULL_FOR_YOU = "421 4.7.0 Too many connections from your network, try again later"
CROWDED = "421 4.7.0 Others are waiting and your network has the most connections, try again later"
GUESSED = "421 4.7.1 Too many unknown addresses from your network, try again in an hour"


class Gate:
    """The connections of one receiver, and each network's unknown addresses in the last hour."""

    def __init__(self) -> None:
        self._guests: dict[Callable[[], object], str] = {}
        self._inside: Counter[str] = Counter()
        self._guesses: dict[str, tuple[float, int]] = {}
        self._providers: Counter[str] = Counter()
        self._large: dict[int, str] = {}

    def enter(self, network: str, give_way: Callable[[], object]) -> str:
        """Count a new connection. Return the reply that refuses it, or an empty text.

        `give_way` hangs it up. It is called once all connections are taken and another network has clearly fewer than this one:
        otherwise a few networks could hold all of them, and nobody else's mail would come in.
        """
        if counts_networks():
            most = settings.MAILSERVER_CONNECTIONS_PER_ADDRESS
            if self._inside[network] >= most or self._providers[provider_network(network)] >= NETWORKS_OF_ONE * most:
                return FULL_FOR_YOU
            if self._guessed(network) >= FLOOD * int(settings.MAILSERVER_UNKNOWN_PER_HOUR):
                return GUESSED
        if len(self._guests) >= settings.MAILSERVER_CONNECTIONS and not self._make_room(provider_network(network)):
            return FULL
        self._guests[give_way] = network
        self._inside[network] += 1
        self._providers[provider_network(network)] += 1
        return ""

    def leave(self, guest: Callable[[], object]) -> None:
        """Remove a connection if it was counted, by what makes it give way."""
        network = self._guests.pop(guest, None)
        if network is None:
            return
        for counted, key in ((self._inside, network), (self._providers, provider_network(network))):
            counted[key] -= 1
            if counted[key] <= 0:
                del counted[key]

    def _make_room(self, newcomer: str) -> bool:
        """Send away the oldest connection of the network with the most. Return False if none has two more than the newcomer's."""
        crowd, count = next(iter(self._providers.most_common(1)), ("", 0))
        if not counts_networks() or count < self._providers[newcomer] + 2:
            return False
        oldest = next(guest for guest, network in self._guests.items() if provider_network(network) == crowd)
        self.leave(oldest)
        oldest()
        return True

    def begin_large(self, body: object, network: str) -> bool:
        """Count a body on its way that is larger than most, once.

        Return False if there are too many of them for the disk, or from this network.
        """
        if id(body) in self._large:
            return True
        provider = provider_network(network)
        of_one = list(self._large.values()).count(provider)
        if len(self._large) >= MOST_LARGE or (counts_networks() and of_one >= MOST_LARGE_OF_ONE):
            return False
        self._large[id(body)] = provider
        return True

    def end_large(self, body: object) -> None:
        """Remove a body that may have been counted."""
        self._large.pop(id(body), None)

    def guess(self, network: str) -> bool:
        """Count an unknown address requested by a network. Return True if it is beyond those of an hour.

        The network still comes in, up to a flood: it may be the mail server of a provider, and another customer's mail would be
        late.
        """
        now = time.monotonic()
        began, count = self._guesses.get(network, (now, 0))
        if now - began > HOUR:
            began, count = now, 0
        self._guesses.pop(network, None)  # so that recent guessers come last
        if len(self._guesses) >= MOST_NETWORKS:
            del self._guesses[next(iter(self._guesses))]
        self._guesses[network] = began, count + 1
        return count >= int(settings.MAILSERVER_UNKNOWN_PER_HOUR)

    def _guessed(self, network: str) -> int:
        began, count = self._guesses.get(network, (0.0, 0))
        return count if time.monotonic() - began <= HOUR else 0


def network_of(peer: object) -> str:
    """Return the network of a peer (`host, port, ...`): its IPv4 address, or the /64 of its IPv6 address."""
    host = str(peer[0]) if isinstance(peer, tuple) and peer else ""
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return host
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped is not None:
            return str(address.ipv4_mapped)
        return str(ipaddress.IPv6Network((address, 64), strict=False))
    return str(address)


def counts_networks() -> bool:
    """Return True if the peer of a connection is the sender's server, and not a mail server of ours in front."""
    return settings.INBOUND_AUTH != "border"
