"""Fair use of the few threads of a web process: who has used much computing time lately runs one request at a time.

A limit of requests a minute does not bound their cost: the dearest page may take a second. So each process counts the time that
its threads compute for a user, or for a network without sign-in. Beyond a limit a request is refused while another one of them
runs here, or two of others beyond theirs. So everyone else finds a free thread, and the heartbeat an open door, whatever a few
users have sent.

What waits in front of the threads is answered in the order in which it came. So while all threads have been taken for a moment,
the limits are those of a few seconds, and a request that only waits counts too: a few users with very many cheap requests, or
with some that wait for each other, would keep everyone else waiting. If that lasts, all who have seen a few pages meanwhile are
beyond such a limit. So of the two threads for them, those who have used most share one, and leave the other one to those who have
used less.

A credential that came before is refused before anything is asked of the database: many requests may wait in front of the
threads, and their refusals must take next to no time. The counts are of this process alone. 0 means no limit.
"""

from __future__ import annotations

import contextlib
import hashlib
import threading
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from django.conf import settings
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse

from accounts.bots import bots
from accounts.models import User
from accounts.network import NETWORKS_OF_ONE, client_network, client_provider
from accounts.signing_in import known_browsers
from gamesvc.errors import TooMany

Holder = tuple[str, object]
Holders = tuple[Holder, ...]
"""Those whose time a request takes: the user; or for guests their network, and by IPv6 all networks of its customer as well. For
one who signs in from a known browser, the known browsers of that user.
"""
AT_ONCE = 30.0
"""Seconds of a limit that may be used up by requests that run at the same time."""
AT_ONCE_WHEN_BUSY = 5.0
"""The same while others wait."""
KEPT = 1_000
"""Most holders to remember without looking which of them have sent nothing for long, and most credentials."""
KEPT_OF_ONE = 8
"""Credentials of one user that are remembered when there are too many."""
FEW = 2
"""Requests that may run at the same time for a holder whose requests are dear, or for a user of whom none has ended here yet."""
DEAR = 0.25
"""The seconds from which a request is dear."""
BEYOND = 2
"""Requests that may run at the same time for all holders beyond their limits together. The other threads, of four by default, are
for everyone else, however many accounts someone has.
"""
FAR_LESS = 4
"""The difference in use, as a factor, from which a request is not refused for one of a user who has used more."""
THREADS = 4
"""The threads of a process, by default."""
BUSY = 1.0
"""Seconds for which threads beyond half of them were taken, from which a process is busy: half a second of all of them."""
BUSIEST = 3.0
"""Most of these seconds that are counted. Without any request they are gone after half as many."""
LONG = 3_600.0
"""Seconds after which a holder is forgotten."""
CHEAP = 60.0
"""The same for one whose requests were cheap."""


class OneAtATime(TooMany):
    """A request beside others, of a user who has used much computing time, or of whom nothing is known yet."""

    def __init__(self) -> None:
        detail = "Few requests that may take much computing time are answered at the same time. Send this one in a moment."
        super().__init__(detail, retry_after=1)


@dataclass(slots=True)
class _Use:
    """The computing time of one holder: seconds above what was allowed until `at`, and the requests that run now."""

    used: float
    at: float
    running: int = 0
    dear: float | None = None
    """The seconds that one request may be expected to take, by the dearest ones before it; None before the first has ended."""

    def exceeds(self, allowed: float) -> bool:
        if self.running >= FEW and (self.dear is None or self.dear >= DEAR):
            return True
        if self.dear is None:
            return False
        return self.running > 0 and self.used + self.running * self.dear > allowed

    def is_over(self, moment: float) -> bool:
        """Return True if nothing has to be remembered."""
        idle = moment - self.at
        return not self.running and (idle > LONG or (idle > CHEAP and self.used < DEAR and (self.dear or 0.0) < DEAR))


class Shares:
    """The computing time of all holders in this process."""

    def __init__(self) -> None:
        # Taken again by the collector of garbage, which may close a dropped answer at any moment.
        self._lock = threading.RLock()
        self._uses: dict[Holder, _Use] = {}
        self._running: list[Holders] = []
        self._most = KEPT
        self._threads, self._waited, self._waited_at, self._busy_since = 0, 0.0, 0.0, 0.0

    def enter(self, holders: Holders, limit: float) -> bool:
        """Let a request run, under a limit of seconds a minute. Return False if it must not run beside those that run now."""
        with self._lock:
            for holder in holders:
                # Many guests may come from one network.
                self._uses.setdefault(holder, _Use(0.0, now(), dear=None if holder[0] == "user" else 0.0))
            if self._exceed(holders, limit):
                return False
            for holder in holders:
                self._uses[holder].running += 1
            self._running.append(holders)
            return True

    def exceed(self, holders: Holders, limit: float) -> bool:
        """Return True if a request must not run beside those that run now."""
        with self._lock:
            return self._exceed(holders, limit)

    def _exceed(self, holders: Holders, limit: float) -> bool:
        moment = now()
        busy = self._is_busy(moment)
        # While others wait nothing is given back: ten users would use up all that there is, each within the limit of a minute.
        until, at_once = (self._busy_since, AT_ONCE_WHEN_BUSY) if busy else (moment, AT_ONCE)
        for holder in holders:
            if (use := self._uses.get(holder)) is not None:
                a_second = _limit(holder, limit) / 60
                use.used, use.at = max(0.0, use.used - max(0.0, until - use.at) * a_second), moment
                if use.exceeds(at_once * a_second):
                    return True
        if not self._are_beyond(holders, limit, at_once):
            return False
        beyond = [each for each in self._running if self._are_beyond(each, limit, at_once)]
        if len(beyond) >= BEYOND:
            return True
        # While others wait, those who have used most share one thread: the other one is for those who have used less.
        uses_most = busy and self._are_beyond(holders, limit, AT_ONCE)
        return uses_most and any(self._share(each) < FAR_LESS * self._share(holders) for each in beyond)

    def _are_beyond(self, holders: Holders, limit: float, at_once: float) -> bool:
        for holder in holders:
            if (use := self._uses.get(holder)) is not None and use.used > at_once * _limit(holder, limit) / 60:
                return True
        return False

    def _share(self, holders: Holders) -> float:
        """Return how much holders have used, a customer with many networks in the time of one."""
        return max(use.used / _limit(holder, 1.0) for holder in holders if (use := self._uses.get(holder)) is not None)

    def leave(self, holders: Holders, seconds: float, held: float = 0.0) -> None:
        """Count the time of a request that has ended: what it computed, and for how long it has held its thread."""
        with self._lock:
            self._running.remove(holders)
            if self._is_busy(now()):
                seconds = max(seconds, min(held / THREADS, DEAR))
            for holder in holders:
                use = self._uses[holder]
                use.running -= 1
                use.used += seconds
                use.dear = max(seconds, 0.9 * (use.dear or 0.0))
            if len(self._uses) > self._most:
                self._forget(now())

    def take(self, threads: int) -> None:
        """Count a thread that a request takes, whatever is answered; with -1 one that is free again."""
        with self._lock:
            moment = now()
            if not self._is_busy(moment):
                self._busy_since = moment
            self._waited, self._waited_at = self._waited_until(moment), moment
            self._threads += threads

    def _waited_until(self, moment: float) -> float:
        waited = self._waited + (moment - self._waited_at) * (self._threads - THREADS / 2)
        return min(max(waited, 0.0), BUSIEST)

    def _is_busy(self, moment: float) -> bool:
        return self._waited_until(moment) > BUSY

    def _forget(self, moment: float) -> None:
        for holder in [holder for holder, use in self._uses.items() if use.is_over(moment)]:
            del self._uses[holder]
        # Not at each request: a customer by IPv6 has very many networks.
        self._most = max(KEPT, 2 * len(self._uses))

    def __len__(self) -> int:
        return len(self._uses)


def _limit(holder: Holder, limit: float) -> float:
    return limit * NETWORKS_OF_ONE if holder[0] == "provider" else limit


SHARES = Shares()
_UNKNOWN = threading.BoundedSemaphore(BEYOND)
now = time.monotonic
_known: dict[bytes, Holders] = {}
"""The holder whom each credential last had, by its hash: guests may send any number of any length."""


def computed() -> float:
    """Return the seconds that this thread has computed."""
    return time.thread_time()


def enter(request: HttpRequest, user: object) -> None:
    """Let a request run for a user, together with those of their bots, or for its network. Raises `OneAtATime`."""
    holders: Holders = (("user", bots.root(user)),) if isinstance(user, User) else _guests(request)
    if sent := _credential(request):
        _note_known(sent, holders)
    limit = settings.RATE_LIMIT_SECONDS
    if limit <= 0:
        return
    if not SHARES.enter(holders, limit):
        raise OneAtATime
    request.computed_for = holders  # type: ignore[attr-defined]


@contextlib.contextmanager
def of_unknown_cost() -> Iterator[None]:
    """Run what may compute for seconds, for any user, beside few others of the kind. Raises `OneAtATime`.

    The first requests of several new users would take all threads before it is known what they cost.
    """
    if settings.RATE_LIMIT_SECONDS <= 0:
        yield
        return
    if not _UNKNOWN.acquire(blocking=False):
        raise OneAtATime
    try:
        yield
    finally:
        _UNKNOWN.release()


def _note_known(sent: bytes, holders: Holders) -> None:
    """Note the holder of a credential. Of too many, those of guests are forgotten first: they may make up any number, and only
    users who are known have a part of their network's requests to themselves (`request_limits.LEFT_BY_GUESTS`).
    """
    if len(_known) > KEPT:
        users = _newest_of_users()
        _known.clear()
        if len(users) <= KEPT // 2:
            _known.update(users)
    _known[sent] = holders


def _newest_of_users() -> dict[bytes, Holders]:
    """Return the newest credentials of each user. A program may write its token in any number of ways."""
    found: dict[bytes, Holders] = {}
    counts = Counter[Holders]()
    for one, whose in reversed(list(_known.items())):
        counts[whose] += 1
        if whose[0][0] == "user" and counts[whose] <= KEPT_OF_ONE:
            found[one] = whose
    return dict(reversed(found.items()))


def refuse_known(request: HttpRequest) -> None:
    """Refuse a request by the holder whom its credential last had, before its user is looked up. Raises `OneAtATime`."""
    limit = settings.RATE_LIMIT_SECONDS
    if limit <= 0 or request.path_info.startswith(settings.STATIC_URL):
        return
    sent = _credential(request)
    holders = _known.get(sent, ()) if sent else _guests(request)
    if holders and SHARES.exceed(holders, limit):
        raise OneAtATime


def knows(request: HttpRequest) -> bool:
    """Return True if the credential of a request was lately that of a user, as far as this process knows."""
    return any(kind == "user" for kind, _whose in _known.get(_credential(request), ()))


def _guests(request: HttpRequest) -> Holders:
    # They keep nobody of their network from signing in who has done so before.
    if browser := known_browsers.signing_in(request):
        return (("browser", browser),)
    network, provider = ("network", client_network(request)), client_provider(request)
    return (network, ("provider", provider)) if provider else (network,)


def _credential(request: HttpRequest) -> bytes:
    """Return the hash of what the request shows of its user; empty for guests."""
    shown = request.META.get("HTTP_AUTHORIZATION") or request.COOKIES.get(settings.SESSION_COOKIE_NAME) or ""
    return hashlib.blake2b(shown.encode(errors="surrogatepass"), digest_size=16).digest() if shown else b""


@dataclass(slots=True)
class Begun:
    """The moment at which a request took its thread."""

    computed: float
    at: float


def begin() -> Begun:
    """Count a request that takes a thread. `leave` ends it."""
    SHARES.take(1)
    return Begun(computed(), now())


def leave(request: HttpRequest, response: HttpResponse | StreamingHttpResponse | None, begun: Begun) -> None:
    """Count the time of a request that has been answered. A response that is still to be written counts until its end."""
    SHARES.take(-1)
    held = now() - begun.at
    holders: Holders | None = getattr(request, "computed_for", None)
    if holders is None:
        return
    if isinstance(response, StreamingHttpResponse) and not response.is_async:
        response.streaming_content = _Counted(response, holders, computed() - begun.computed)
    else:
        SHARES.leave(holders, computed() - begun.computed, held)


class _Counted:
    """The parts of a response, counted until the last one or until it is closed or dropped."""

    def __init__(self, response: StreamingHttpResponse, holders: Holders, seconds: float) -> None:
        self.parts: Iterator[bytes] = iter(_plain(response))
        self.holders, self.seconds, self.shares = holders, seconds, SHARES
        self.open = True

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        since = computed()
        try:
            return next(self.parts)
        except BaseException:
            self.close()
            raise
        finally:
            self.seconds += max(0.0, computed() - since)

    def close(self) -> None:
        if self.open:
            self.open = False
            self.shares.leave(self.holders, self.seconds)

    __del__ = close


def _plain(response: StreamingHttpResponse) -> Iterable[bytes]:
    content: Iterable[bytes] = response.streaming_content  # type: ignore[assignment]
    return content
