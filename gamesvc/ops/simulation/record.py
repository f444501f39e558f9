"""Observations made while a simulation runs, beside what the service itself stores."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from gamesvc.errors import GamesvcError

DueKey = tuple[str, int, str, datetime]
"""Match, seat, question, and the deadline."""


class Broken(GamesvcError):
    """The simulation cannot go on."""


@dataclass
class Record:
    """The observations, which grow while the simulation runs.

    `broken`: virtual moment, clock of the machine, and what happened; `hits`: the Message-IDs of the mails whose senders died
    between the server's 250 and the commit; `stopped`: the reason for an early end.
    """

    due: dict[DueKey, datetime] = field(default_factory=dict)
    broken: list[tuple[datetime, float, str]] = field(default_factory=list)
    hits: list[str] = field(default_factory=list)
    killed_jobs: list[tuple[object, ...]] = field(default_factory=list)
    failures: Counter[str] = field(default_factory=Counter)
    sittings: Counter[str] = field(default_factory=Counter)
    happened: Counter[str] = field(default_factory=Counter)
    spent: Counter[str] = field(default_factory=Counter)
    commands: int = 0
    opened: int = 0
    jobs: int = 0
    moments: int = 0
    seconds: float = 0.0
    swept: datetime | None = None
    stopped: str = ""

    def note(self, what: str) -> None:
        self.happened[what] += 1

    def did(self, job: tuple[object, ...], answer: Any) -> None:
        self.jobs += 1
        if job[0] == "act":
            self.sittings[answer[0]] += 1
            self.commands += answer[1]
        elif job[0] in ("take_over", "pause", "vacation"):
            self.happened[f"{job[0]}{'' if answer else ' without effect'}"] += 1

    def progress(self) -> str:
        return f"{self.opened} matches, {self.commands} commands, {len(self.due)} deadlines due, {len(self.killed_jobs)} kills"
