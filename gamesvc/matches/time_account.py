"""The account of a match's time for a viewer: reckoned again from the log, each step told, so that a time-out can be disputed.

The steps themselves are noted where the log is folded (`clock.account`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from events.canonical import write_time
from gamesvc.games import catalog
from gamesvc.games.kernel import Viewer, see_event
from gamesvc.matches import loading
from gamesvc.matches.clock.account import Key, Line
from gamesvc.matches.clock.compute import Clock
from gamesvc.matches.loading import STORE, lift
from gamesvc.matches.models import Match


@dataclass(frozen=True, slots=True)
class TimeAccount:
    """The account of a match's time for one viewer: its policy, the clocks that are open, and line by line what happened."""

    policy: Mapping[str, Any]
    paused_since: datetime | None
    clocks: Mapping[Key, Clock]
    banks: Mapping[int, int]
    lines: Sequence[tuple[int, Line]]

    def as_json(self) -> dict[str, Any]:
        return {
            "policy": dict(self.policy),
            "paused_since": _text(self.paused_since),
            "clocks": [
                {
                    "seat": seat,
                    "question": question,
                    "kind": clock.kind,
                    "asked_at": write_time(clock.asked),
                    "due_at": _text(clock.due),
                    "grace_from": _text(clock.grace_from),
                    "because": clock.because(),
                }
                for (seat, question), clock in self.clocks.items()
            ],
            "banks": [{"seat": seat, "seconds": left} for seat, left in sorted(self.banks.items())],
            "lines": [
                {
                    "version": version,
                    "at": write_time(line.at),
                    "seat": line.seat,
                    "question": line.question,
                    "what": line.what,
                    "used": line.used,
                    "left": line.own,
                    "bank": line.bank,
                    "due_at": _text(line.due_at),
                    "because": line.clock.because() if line.due_at is not None else None,
                }
                for version, line in self.lines
            ],
        }


def explain(match: Match, seat: int | None = None, *, viewer: Viewer = None) -> TimeAccount:
    """Reckon the clocks again from the log and tell each step; of one seat, or of all.

    A viewer gets all lines of his own seat. Of others he gets those of acts that he may know of: when somebody sent what
    is still hidden is hidden, too. Once the match is over everything is open.
    """
    loaded = loading.fresh(catalog.game(match.game), match.id)
    collected: list[Line] = []
    loaded.account.lines = collected
    lines: list[tuple[int, Line]] = []
    stored = STORE.read(match.id)
    # The first event says whether names are hidden; the last one opens everything.
    hidden = not (stored and stored[-1].type == "match.ended") and bool(stored and stored[0].data.get("anonymous"))
    over = bool(stored) and stored[-1].type == "match.ended"
    for act in loading.acts(stored):
        events = [lift(loaded.game, one) for one in act]
        loaded.fold(act, events)
        seen = over or any(see_event(loaded.game, event, viewer) is not None for event in events)
        for line in collected:
            if line.seat == viewer or over:
                lines.append((act[-1].version, line))
            elif seen:
                line = replace(line, at=act[-1].occurred_at)
                lines.append((act[-1].version, _anonymous(line) if hidden else line))
        collected.clear()
    account = loaded.account
    banks = {line.seat: line.bank for _, line in lines} if account.policy and account.policy.bank else {}
    return TimeAccount(
        policy=account.policy.told if account.policy is not None else {},
        paused_since=account.paused_since,
        clocks={
            key: replace(clock, excluded=()) if hidden and key[0] != viewer else clock
            for key, clock in account.open.items()
            if seat in (None, key[0])
        },
        banks={index: left for index, left in banks.items() if seat in (None, index)},
        lines=[one for one in lines if seat in (None, one[1].seat)],
    )


def _anonymous(line: Line) -> Line:
    """Return a line without what would tell its player from others: nights and vacations."""
    return replace(line, what=loading.impersonal(line.what), clock=replace(line.clock, excluded=()))


def _text(moment: datetime | None) -> str | None:
    return write_time(moment) if moment is not None else None
