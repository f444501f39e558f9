"""Rate limits of HTTP: requests per minute from one network, user and token, with a lower limit for looking at the past, and acts
per day.

The counts live in Valkey, in fixed windows of a minute or a day, all counts of a request in one round trip. A limit that is
reached uses up none of those behind it: a program beyond the limit of its token does not keep its user from pages, nor from
playing for the rest of the day. Requests without sign-in leave a quarter of what their network has to those who are signed in:
many people may share one address. The counts protect other users and guard no secret: while Valkey does not answer, requests
pass uncounted. 0 means no limit.
"""

from __future__ import annotations

import functools
import hashlib
import logging
import math
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TypeVar

import redis
from django.conf import settings
from django.http import HttpRequest, HttpResponse

from accounts.bots import bots
from accounts.models import User
from accounts.network import NETWORKS_OF_ONE, client_network, client_provider
from gamesvc.errors import TooMany
from gamesvc.language import again_in, joined, mark, say
from gamesvc.sent_tasks import client_url

WINDOW_SECONDS = 60
WINDOWS = {"acts": 86_400}
"""The seconds of a limit's window, where they are not `WINDOW_SECONDS`."""
LONGEST_WAIT_SECONDS = 0.25
"""Longest wait for Valkey. After that a request passes uncounted."""
PAUSE_SECONDS = 10.0
"""Time without queries to Valkey after it did not answer."""
ALWAYS = "always"

SETTINGS = {
    "address": "RATE_LIMIT_PER_ADDRESS",
    "user": "RATE_LIMIT_PER_USER",
    "token": "RATE_LIMIT_PER_TOKEN",
    "history": "RATE_LIMIT_HISTORY",
    "acts": "RATE_LIMIT_ACTS",
    "provider": "RATE_LIMIT_PER_ADDRESS",
    "provider-history": "RATE_LIMIT_HISTORY",
}
LEFT_BY_GUESTS = 4
"""Requests without sign-in leave one in so many of their network to users: a flood without an account keeps none of them out."""
OF_A_PROVIDER = {"address": "provider", "history": "provider-history"}
"""The limits for all networks of one customer together, by those for one of them."""
SENTENCES = {
    "address": mark("{limit} requests a minute are allowed from one network."),
    "user": mark("{limit} requests a minute are allowed for one user."),
    "token": mark("{limit} requests a minute are allowed with one token."),
    "history": mark(
        "{limit} requests a minute are allowed that look at the past, try a position, draw a board or export a match."
    ),
    "acts": mark("{limit} commands, undos and steps on boards a day are allowed for one user with their bots."),
    "provider": mark("{limit} requests a minute are allowed from one network of a provider."),
    "provider-history": mark("{limit} requests a minute are allowed from one network of a provider that look at the past."),
}

V = TypeVar("V", bound=Callable[..., object])
logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Count:
    """The state of one limit at a request."""

    name: str
    """A key of `SETTINGS`."""
    limit: int
    used: int
    """Requests in this window, including this one."""
    seconds: int
    """Seconds until the window ends."""

    @property
    def window(self) -> int:
        return _window(self.name)

    @property
    def remaining(self) -> int:
        return max(0, self.limit - self.used)

    @property
    def sentence(self) -> str:
        """Return what is exceeded and what to do."""
        return joined(say(SENTENCES[self.name], limit=self.limit), again_in(self.seconds))


class Exceeded(TooMany):
    """A request beyond a limit."""

    def __init__(self, count: Count) -> None:
        super().__init__(count.sentence, retry_after=count.seconds)


def folds_history(*queries: str) -> Callable[[V], V]:
    """Mark a view as one that folds or draws the past: always, or only with one of these query parameters."""

    def mark(view: V) -> V:
        view.folds = queries or (ALWAYS,)  # type: ignore[attr-defined]
        return view

    return mark


def folds(request: HttpRequest) -> bool:
    """Return True if the view of a request folds or draws the past for it."""
    assert request.resolver_match is not None
    marks = getattr(request.resolver_match.func, "folds", ())
    return any(mark == ALWAYS or mark in request.GET for mark in marks)


def adds_to_record(view: V) -> V:
    """Mark a view that adds to the record of a match when something is posted to it."""
    view.adds = True  # type: ignore[attr-defined]
    return view


def _adds(request: HttpRequest) -> bool:
    assert request.resolver_match is not None
    return request.method == "POST" and getattr(request.resolver_match.func, "adds", False)


def count(request: HttpRequest, who: Mapping[str, object], *, guest: bool = False) -> None:
    """Count a request under limits by name, each for one holder. Its response will name the rest. Raises `Exceeded`.

    `guest`: nothing is known of its user.
    """
    met = _counted(who, guest=guest)
    names = {one.name for one in met}
    before = (one for one in getattr(request, "rate_counts", ()) if one.name not in names)
    request.rate_counts = [*before, *met]  # type: ignore[attr-defined]
    _check(met)


def count_act(user_id: int) -> None:
    """Count one more act of a person that comes without a request of its own, as one of several in a mail. Raises `Exceeded`."""
    _check(_counted({"acts": user_id}))


def _counted(who: Mapping[str, object], *, guest: bool = False) -> list[Count]:
    named = {name: (holder, _limit(name, guest=guest)) for name, holder in who.items()}
    named = {name: (holder, limit) for name, (holder, limit) in named.items() if limit > 0 and holder not in (None, "")}
    if not named:
        return []
    now = time.time()
    used = _increase([(_key(name, holder, now), _window(name), limit) for name, (holder, limit) in named.items()])
    return [
        Count(name, limit, number, math.ceil(_window(name) - now % _window(name)))
        for (name, (_holder, limit)), number in zip(named.items(), used, strict=False)
    ]


def _check(met: Iterable[Count]) -> None:
    for one in met:
        if one.used > one.limit:
            raise Exceeded(one)


def _limit(name: str, *, guest: bool = False) -> int:
    limit: int = getattr(settings, SETTINGS[name])
    if guest and SETTINGS[name] == SETTINGS["address"]:
        limit -= limit // LEFT_BY_GUESTS
    return limit * NETWORKS_OF_ONE if name in OF_A_PROVIDER.values() else limit


def of_network(request: HttpRequest, name: str) -> dict[str, object]:
    """Return the limits for a client by its network: the one named, and the one for all IPv6 networks of its customer."""
    return {name: client_network(request), OF_A_PROVIDER[name]: client_provider(request)}


def holders(request: HttpRequest, user: User, token: object = None) -> dict[str, object]:
    """Return the limits for a user's request: their token's, their own, and the one for the past, which a
    user shares with their bots, as that for acts: these are the costly parts."""
    found = {"token": token, "user": user.pk}
    if folds(request):
        found["history"] = bots.root(user)
    if _adds(request):
        found["acts"] = bots.root(user)
    return found


def add_headers(request: HttpRequest, response: HttpResponse) -> None:
    """Add the remaining requests (draft-ietf-httpapi-ratelimit-headers-10), and Retry-After to a 429."""
    counts: list[Count] = getattr(request, "rate_counts", [])
    if counts:
        response["RateLimit-Policy"] = ", ".join(f'"{one.name}";q={one.limit};w={one.window}' for one in counts)
        response["RateLimit"] = ", ".join(f'"{one.name}";r={one.remaining};t={one.seconds}' for one in counts)
        if response.status_code == 429 and "Retry-After" not in response:
            over = (one for one in counts if one.used > one.limit)
            response["Retry-After"] = str(next(over, counts[0]).seconds)


def _key(name: str, holder: object, now: float) -> str:
    digest = hashlib.sha256(f"{name} {holder}".encode()).hexdigest()[:32]
    return f"rate:{digest}:{int(now // _window(name))}"


def _window(name: str) -> int:
    return WINDOWS.get(name, WINDOW_SECONDS)


@functools.cache
def valkey(url: str) -> redis.Redis:
    """Return a client that gives up soon: nothing may wait for Valkey."""
    # The older protocol needs no handshake, which a busy machine may not answer in time.
    return redis.Redis.from_url(
        client_url(url), protocol=2, socket_timeout=LONGEST_WAIT_SECONDS, socket_connect_timeout=LONGEST_WAIT_SECONDS
    )


_not_before = 0.0


# Redis runs a script as one command.
_IN_TURN = """
local used = {}
for at, key in ipairs(KEYS) do
    local most = tonumber(ARGV[2 * at])
    if tonumber(redis.call('GET', key) or 0) >= most then
        used[at] = most + 1
        break
    end
    used[at] = redis.call('INCR', key)
    redis.call('EXPIRE', key, ARGV[2 * at - 1])
end
return used
"""


def _increase(counts: Sequence[tuple[str, int, int]]) -> list[int]:
    """Increment each key, with the seconds of its window and its limit, until one is at its limit.

    Return the counts, the last one with one more; nothing while Valkey does not answer.
    """
    global _not_before
    if time.monotonic() < _not_before:
        return []
    try:
        keys, about = [key for key, _window, _limit in counts], [(window + WINDOW_SECONDS, most) for _key, window, most in counts]
        return [int(number) for number in valkey(settings.REDIS_URL).eval(_IN_TURN, len(keys), *keys, *chain(*about))]
    except Exception as error:  # also faults of the client itself after a timeout: a count must never fail a request
        _not_before = time.monotonic() + PAUSE_SECONDS
        logger.warning("Valkey does not answer, so requests pass uncounted for %.0f s: %s", PAUSE_SECONDS, error)
        return []
