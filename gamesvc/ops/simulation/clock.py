"""One virtual time for all processes of a simulation: a number in shared memory, read by `django.utils.timezone.now`.

Everything in the service asks there for the time. The clocks of the database and the machine serve only what no user sees.
"""

from __future__ import annotations

import mmap
import struct
from datetime import UTC, datetime, timedelta, tzinfo

from django.utils import timezone

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


class VirtualClock:
    """A moment that stands still until it is set. Processes forked from its maker share it."""

    def __init__(self, moment: datetime) -> None:
        self._page = mmap.mmap(-1, mmap.PAGESIZE)
        self.set(moment)

    def now(self) -> datetime:
        microseconds: int = struct.unpack_from("q", self._page)[0]
        return _EPOCH + microseconds * _MICROSECOND

    def set(self, moment: datetime) -> None:
        struct.pack_into("q", self._page, 0, (moment - _EPOCH) // _MICROSECOND)

    def install(self) -> None:
        """Switch this process to the virtual time, for good. Only for processes that do nothing else."""
        clock = self

        class Moment(datetime, metaclass=_AnyMoment):
            """The replacement for `datetime` in `django.utils.timezone`."""

            @classmethod
            def now(cls, tz: tzinfo | None = None) -> datetime:  # type: ignore[override]
                return clock.now() if tz is None else clock.now().astimezone(tz)

        # Not `now` itself: models that use it as a default hold the function.
        timezone.datetime = Moment  # type: ignore[attr-defined]


class _AnyMoment(type):
    """A metaclass that makes every datetime an instance of `Moment`, as it is of the `datetime` that it replaces."""

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, datetime)
