"""Fair use of the few threads of a web process: who has used much computing time lately runs one request at a time.

A limit of requests a minute does not bound their cost: the dearest page may take a second. So each process counts the time that
its threads compute for a user, or for a network without sign-in. Beyond a limit a request is refused while another one of them
runs here, or two of others beyond theirs. So everyone else finds a free thread, and the heartbeat an open door, whatever a few
users have sent.

A credential that came before is refused before anything is asked of the database: many requests may wait in front of the
threads, and their refusals must take next to no time. The counts are of this process alone. 0 means no limit.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from django.conf import settings
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse

from accounts.bots import bots
from accounts.models import User
from accounts.network import client_network
from gamesvc.errors import TooMany

Holder = tuple[str, object]
AT_ONCE = 30.0
"""Seconds in which the limit of a minute may be used up by requests that run at the same time."""
KEPT = 1_000
"""Most holders to remember without looking which of them have sent nothing for long, and most credentials."""
FEW = 2
"""Requests that may run at the same time for a holder whose requests are dear, or for a user of whom none has ended here yet."""
DEAR = 0.25
"""The seconds from which a request is dear."""
BEYOND = 2
"""Requests that may run at the same time for all holders beyond their limits together. The other threads, of four by default, are
for everyone else, however many accounts someone has.
"""
LONG = 3_600.0
"""Seconds after which a holder is forgotten."""


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

    def exceeds(self, limit: float) -> bool:
        if self.running >= FEW and (self.dear is None or self.dear >= DEAR):
            return True
        if self.dear is None:
            return False
        return self.running > 0 and self.used + self.running * self.dear > limit * AT_ONCE / 60

    def is_beyond(self, limit: float) -> bool:
        return self.used > limit * AT_ONCE / 60


class Shares:
    """The computing time of all holders in this process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._uses: dict[Holder, _Use] = {}

    def enter(self, holder: Holder, limit: float) -> bool:
        """Let a request run, under a limit of seconds a minute. Return False if it must not run beside those that run now."""
        with self._lock:
            # Many guests may come from one network.
            use = self._uses.setdefault(holder, _Use(0.0, now(), dear=None if holder[0] == "user" else 0.0))
            if self._exceeds(use, limit):
                return False
            use.running += 1
            return True

    def exceeds(self, holder: Holder, limit: float) -> bool:
        """Return True if a request must not run beside those that run now."""
        with self._lock:
            use = self._uses.get(holder)
            return use is not None and self._exceeds(use, limit)

    def _exceeds(self, use: _Use, limit: float) -> bool:
        moment = now()
        use.used, use.at = max(0.0, use.used - (moment - use.at) * limit / 60), moment
        if use.exceeds(limit):
            return True
        return use.is_beyond(limit) and sum(one.running for one in self._uses.values() if one.is_beyond(limit)) >= BEYOND

    def leave(self, holder: Holder, seconds: float) -> None:
        """Count the time of a request that has ended."""
        with self._lock:
            use = self._uses[holder]
            use.running -= 1
            use.used += seconds
            use.dear = max(seconds, 0.9 * (use.dear or 0.0))
            if len(self._uses) > KEPT:
                self._forget(now())

    def _forget(self, moment: float) -> None:
        for holder in [holder for holder, use in self._uses.items() if not use.running and moment > use.at + LONG]:
            del self._uses[holder]


SHARES = Shares()
now = time.monotonic
_known: dict[str, Holder] = {}


def computed() -> float:
    """Return the seconds that this thread has computed."""
    return time.thread_time()


def enter(request: HttpRequest, user: object) -> None:
    """Let a request run for a user, together with those of their bots, or for its network. Raises `OneAtATime`."""
    limit = settings.RATE_LIMIT_SECONDS
    if limit <= 0:
        return
    holder: Holder = ("user", bots.root(user)) if isinstance(user, User) else ("network", client_network(request))
    if not SHARES.enter(holder, limit):
        raise OneAtATime
    request.computed_for = holder  # type: ignore[attr-defined]
    if sent := _credential(request):
        if len(_known) > KEPT:
            _known.clear()
        _known[sent] = holder


def refuse_known(request: HttpRequest) -> None:
    """Refuse a request by the holder whom its credential last had, before its user is looked up. Raises `OneAtATime`."""
    limit = settings.RATE_LIMIT_SECONDS
    if limit <= 0 or request.path_info.startswith(settings.STATIC_URL):
        return
    sent = _credential(request)
    holder = _known.get(sent) if sent else ("network", client_network(request))
    if holder is not None and SHARES.exceeds(holder, limit):
        raise OneAtATime


def _credential(request: HttpRequest) -> str:
    """Return what the request shows of its user; empty for guests."""
    return request.META.get("HTTP_AUTHORIZATION") or request.COOKIES.get(settings.SESSION_COOKIE_NAME) or ""


def leave(request: HttpRequest, response: HttpResponse | StreamingHttpResponse | None, since: float) -> None:
    """Count the time of a request that has been answered. A response that is still to be written counts until its end."""
    holder: Holder | None = getattr(request, "computed_for", None)
    if holder is None:
        return
    if isinstance(response, StreamingHttpResponse) and not response.is_async:
        response.streaming_content = _Counted(response, holder, computed() - since)
    else:
        SHARES.leave(holder, computed() - since)


class _Counted:
    """The parts of a response, counted until the last one or until it is closed or dropped."""

    def __init__(self, response: StreamingHttpResponse, holder: Holder, seconds: float) -> None:
        self.parts: Iterator[bytes] = iter(_plain(response))
        self.holder, self.seconds, self.shares = holder, seconds, SHARES
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
            self.shares.leave(self.holder, self.seconds)

    __del__ = close


def _plain(response: StreamingHttpResponse) -> Iterable[bytes]:
    content: Iterable[bytes] = response.streaming_content  # type: ignore[assignment]
    return content
