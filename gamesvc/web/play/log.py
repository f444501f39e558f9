"""The log of the match page: one line for each act, with its consequences folded below it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import groupby

from django.http import HttpRequest

from gamesvc.games.kernel import intake
from gamesvc.games.kernel.targets import named
from gamesvc.matches.access.selectors import Access
from gamesvc.matches.record.loading import Loaded
from gamesvc.matches.story import sentences
from gamesvc.matches.story.gist import outcome_first
from gamesvc.matches.story.sentences import Told

LOG_LINES = 60
MOST_NEWS = 8


@dataclass(slots=True)
class Act:
    """The events of one moment: the first as its sentence, the others as `more`. `version`: that of the last of them.

    An outcome comes before what only announced it, so that no act is told twice.

    `own`: the reader took it. `new`: it is news to the reader. `since`: the first act that they knew at their last visit; a line
    above it separates the news. `clock`: the moment, for the first act of a minute. `begins`: the turn that begins with one of
    its events. `turn`: the turn in which it was taken, if that is known. `headed`: it is the newest of its turn. `places`: the
    targets of the shown picture that it names.
    """

    version: int
    sentence: str
    more: Sequence[str] = ()
    clock: datetime | None = None
    now: bool = False
    own: bool = False
    new: bool = False
    begins: int | None = None
    turn: int | None = None
    headed: bool = False
    since: bool = False
    places: Sequence[str] = ()


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


def log(
    request: HttpRequest, access: Access, loaded: Loaded, names: tuple[str, ...], until: int, targets: Collection[str] = ()
) -> Log:
    """Return the acts up to a version, or those before the requested one. `targets`: those of the picture that the page shows."""
    before = intake.whole(request.GET.get("before", ""))
    last = until if before is None else min(until, before - 1)
    told = sentences.tell_last(loaded, access.viewer, names, LOG_LINES + 1, until=last)[::-1]
    acts = list(_acts(told[:LOG_LINES], targets))
    _head(acts)
    _mark(acts, _seen(request, access), until if before is None else 0)
    return Log(acts, told[LOG_LINES - 1].version if len(told) > LOG_LINES else None, before is not None)


def _acts(lines: Iterable[Told], targets: Collection[str]) -> Iterable[Act]:
    minute = None
    for moment, group in groupby(lines, key=lambda line: line.moment):
        newest_first = list(group)
        told = [line.sentence for line in outcome_first(newest_first[::-1])]
        shown = moment if moment.replace(second=0, microsecond=0) != minute else None
        minute = moment.replace(second=0, microsecond=0)
        begins = next((line.turn for line in newest_first if line.turn is not None), None)
        places = named(targets, [line.data for line in newest_first if line.data is not None])
        own = any(line.own for line in newest_first)
        yield Act(newest_first[0].version, told[0], told[1:], shown, own=own, begins=begins, places=places)


def _head(acts: Sequence[Act]) -> None:
    """Give each act its turn, and mark the newest of each. An act that ends a turn belongs to that turn, not to the next."""
    first = next((act.begins for act in reversed(acts) if act.begins is not None), None)
    turn = None if first is None else max(0, first - 1)
    for act in reversed(acts):
        before = turn
        if act.begins is not None:
            turn = max(turn or 0, act.begins)
        act.turn = before if act.more else turn
    shown = None
    for act in acts:
        act.headed = act.turn is not None and act.turn != shown
        shown = act.turn


def _seen(request: HttpRequest, access: Access) -> int | None:
    """Return the version that the reader knew at their last visit. A page that stays open names it with each request."""
    if (since := intake.whole(request.GET.get("since", ""))) is not None:
        return since
    return access.seat.seen_version if access.seat is not None else None


def _mark(acts: list[Act], seen: int | None, newest: int) -> None:
    for act in acts:
        act.now = act.version == newest
        act.new = seen is not None and act.version > seen and not act.own
    known = next((act for act in acts if seen is not None and act.version <= seen), None)
    if known is not None and any(act.new for act in acts):
        known.since = True
