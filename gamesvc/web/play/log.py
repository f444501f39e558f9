"""The log of the match page: one line for each act, with its consequences folded below it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import groupby

from django.http import HttpRequest

from gamesvc.games.kernel import intake
from gamesvc.matches.access.selectors import Access
from gamesvc.matches.record.loading import Loaded
from gamesvc.matches.story import sentences

LOG_LINES = 60
MOST_NEWS = 8

Line = tuple[int, datetime, str]


@dataclass(slots=True)
class Act:
    """The events of one moment: the first as its sentence, the others as `more`. `version`: that of the last of them.

    `since`: the first act that the reader knew at their last visit; a line above it separates the news. `clock`: the moment, for
    the first act of a minute.
    """

    version: int
    sentence: str
    more: Sequence[str] = ()
    clock: datetime | None = None
    now: bool = False
    new: bool = False
    since: bool = False


@dataclass(slots=True)
class Log:
    """A part of the log, newest first. `before`: the version before which the next part ends; `past`: this is not the newest."""

    acts: list[Act] = field(default_factory=list)
    before: int | None = None
    past: bool = False

    @property
    def news(self) -> list[Act]:
        """Return the newest acts since the reader's last visit."""
        return [act for act in self.acts if act.new][:MOST_NEWS]


def log(request: HttpRequest, access: Access, loaded: Loaded, names: tuple[str, ...], until: int) -> Log:
    """Return the acts up to a version, or those before the requested one."""
    before = intake.whole(request.GET.get("before", ""))
    last = until if before is None else min(until, before - 1)
    told = sentences.tell_last(loaded, access.viewer, names, LOG_LINES + 1, until=last)[::-1]
    acts = list(_acts(told[:LOG_LINES]))
    _mark(acts, _seen(request, access), until if before is None else 0)
    return Log(acts, told[LOG_LINES - 1][0] if len(told) > LOG_LINES else None, before is not None)


def _acts(lines: Iterable[Line]) -> Iterable[Act]:
    minute = None
    for moment, group in groupby(lines, key=lambda line: line[1]):
        newest_first = list(group)
        told = [sentence for _version, _moment, sentence in reversed(newest_first)]
        shown = moment if moment.replace(second=0, microsecond=0) != minute else None
        minute = moment.replace(second=0, microsecond=0)
        yield Act(newest_first[0][0], told[0], told[1:], shown)


def _seen(request: HttpRequest, access: Access) -> int | None:
    """Return the version that the reader knew at their last visit. A page that stays open names it with each request."""
    if (since := intake.whole(request.GET.get("since", ""))) is not None:
        return since
    return access.seat.seen_version if access.seat is not None else None


def _mark(acts: list[Act], seen: int | None, newest: int) -> None:
    for act in acts:
        act.now = act.version == newest
        act.new = seen is not None and act.version > seen
    known = next((act for act in acts if not act.new), None)
    if known is not None and known is not acts[0]:
        known.since = True
