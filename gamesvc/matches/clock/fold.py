"""Changes of a match's time account by one append. A fold of the log and nothing else.

One append is one `Step`. Deadlines that depend on facts outside the log are recorded in `match.deadline_set` within the same
append, so folding the log gives the same clocks that the service computed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from gamesvc.games.kernel.events import SERVICE_CAUSES
from gamesvc.matches.clock import going_on, holders, rewinding
from gamesvc.matches.clock.account import Account, Asked, Halted, Key, Step, name_of
from gamesvc.matches.clock.compute import ZERO, Clock, Recorded, Surroundings, read, run
from gamesvc.matches.clock.parsing import parse
from gamesvc.matches.clock.policy import TURNS, Policy
from gamesvc.matches.clock.running import Running
from gamesvc.matches.clock.spans import Span
from gamesvc.matches.events import DeadlineSet, Opened, Outage, Paused, Resumed, Rewound, TimedOut

# Number of stopped clocks to remember: a window in a turn, nested windows, and what a reaction may return to.
REMEMBERED = 32
# Causes that move a running deadline. The others start or continue one.
MOVES = ("moved", "outage", "extended", "vacation")


def follow(
    account: Account,
    step: Step,
    asked: Iterable[Asked],
    *,
    surroundings: Callable[[int], Surroundings] | None = None,
    recall: Callable[[int], Account] | None = None,
) -> dict[Key, str]:
    """Apply one append, after which `asked` is open. Return the clocks it set, each with the cause.

    `surroundings(seat)`: what is known of a seat now; without it, what the append itself recorded. `recall(version)`: the account
    at that version, for an undo.
    """
    if account.policy is None:
        opened = step.find(Opened)
        if opened is not None:
            account.policy = parse(opened.clock or {"hours": 48}, account.hour, judge=False)
        account.at = step.occurred_at
        if account.policy is None:
            return {}
    return _Fold(account, account.policy, step, {(one.seat, one.id): one for one in asked}, surroundings, recall).done()


class _Fold(Running):
    """One step of the fold, in this order: undo, stopped clocks, pauses, new clocks, moved clocks."""

    def __init__(
        self,
        account: Account,
        policy: Policy,
        step: Step,
        asked: dict[Key, Asked],
        live: Callable[[int], Surroundings] | None,
        recall: Callable[[int], Account] | None,
    ) -> None:
        super().__init__(account, policy, step, asked, live)
        self.recall = recall

    def done(self) -> dict[Key, str]:
        account, step = self.account, self.step
        rewound = self._rewound_by_person()
        then = self.recall(int(rewound.to)) if rewound is not None and self.recall is not None else None
        for event in step.events:
            if isinstance(event, TimedOut):
                self._ran_out(event)
        self._ask_again()
        for key in [key for key in account.open if key not in self.asked]:
            self._stop(key)
        self._pause_or_go_on()
        if then is not None and rewound is not None:
            rewinding.restore(self, then, rewound)
        for key, one in self.asked.items():
            if key not in account.open:
                self._begin(key, one)
        self._note_asked()
        if step.actor == "seat" and step.seat is not None and not step.automatic:
            account.missed.pop(step.seat, None)
        for event in step.events:
            holders.count(account, event)
            holders.renew(self, event)
        for key, told in self.told.items():
            if told.cause in MOVES and key in account.open and account.paused_since is None:
                self._move(key, told)
        self._forget_oldest()
        account.at = step.occurred_at
        return self.changed

    def _rewound_by_person(self) -> Rewound | None:
        """Return the rewind by a person. A reaction of the game restores no time."""
        rewound = self.step.find(Rewound)
        return rewound if rewound is not None and rewound.cause in SERVICE_CAUSES else None

    def _pause_or_go_on(self) -> None:
        """Stop all clocks where the match is paused, let them run where it goes on, and note an outage."""
        account, now = self.account, self.step.occurred_at
        if self.step.find(Paused) is not None and account.paused_since is None:
            account.paused_since = now
            for key in list(account.open):
                self.stand(key, "paused")
                self.changed[key] = "pause"
        if (outage := self.step.find(Outage)) is not None:
            account.outages = (*account.outages, Span(read(outage.from_), read(outage.until)))[-REMEMBERED:]
        if self.step.find(Resumed) is not None and account.paused_since is not None:
            account.pauses = (*account.pauses, Span(account.paused_since, now))[-REMEMBERED:]
            account.paused_since = None
            for key in list(account.open):
                self.run(key, replace(account.open[key], since=now), "pause")

    def _ran_out(self, told: TimedOut) -> None:
        """Note a timeout while the clock still runs, so that the line shows its deadline."""
        key, clock = told.key, self.account.open.get(told.key)
        if clock is not None and clock.due is not None:
            self.account.note(key, "excused" if told.excused else "ran out", clock.due, clock.used(clock.due))
            if not told.excused:
                self.account.open[key] = replace(clock, ran_out=read(told.due_at))

    def _stop(self, key: Key) -> None:
        """Stop the clock of a question that is closed, or waits behind a window."""
        account, clock, bank = self.account, self.account.open[key], self.account.bank(key[0])
        stood = self.stand(key, "stopped")
        name = key[0], stood.name
        account.stopped.pop(name, None)
        account.halted.pop(name, None)
        account.stopped[name] = account.open.pop(key)
        if account.seated.get(key[0]):
            account.tenure.pop(name, None)
            account.tenure[name] = stood
        # An act after the deadline is accepted only after an outage, which the clock does not know yet.
        if self.own(key[0]) and clock.due is not None and stood.since < clock.due:
            account.halted[name] = Halted(clock, bank - account.bank(key[0]), account.pauses, account.outages)

    def _note_asked(self) -> None:
        """Note which seats are asked something else while a clock that they stopped themselves stands."""
        seats = {seat for seat, _ in self.asked}
        for name, halted in self.account.halted.items():
            if halted.alone and name[0] in seats:
                self.account.halted[name] = replace(halted, alone=False)

    def _ask_again(self) -> None:
        """Carry over the clocks of questions that are closed and asked again under another id in the same append.

        After the seat's own act the clock runs on. After another player's act it has what was left, at least the minimum.
        """
        account, step = self.account, self.step
        running = {(key[0], clock.name): key for key, clock in account.open.items() if key not in self.asked}
        for key, one in self.asked.items():
            before = running.get(name_of(one))
            if before is None or key in account.open:
                continue
            own = self.own(key[0])
            if not own:
                self.stand(before, "stopped")
            clock = account.open[key] = account.open.pop(before)
            if own:
                self.changed[key] = "asked"
                account.note(key, "asked", step.occurred_at)
            else:
                self.run(key, replace(clock, since=self.starts_at(), kind=one.kind), "asked")

    def _begin(self, key: Key, one: Asked) -> None:
        """Start the clock of a newly open question: a new one, or one that continues with what was left."""
        account, policy, kind, name = self.account, self.policy, one.kind, name_of(one)
        before, halted = account.stopped.pop(name, None), account.halted.pop(name, None)
        had = account.tenure.pop(name, None)
        if before is not None:
            stood = replace(before, kind=kind)
            if halted is None or account.paused_since is not None:
                self.run(key, replace(stood, since=self.starts_at()), "asked")
            else:
                going_on.after_waiting(self, key, stood, replace(halted, clock=replace(halted.clock, kind=kind)))
            return
        if had is not None and going_on.in_tenure(self, key, replace(had, kind=kind)):
            return
        seat, starts = key[0], self.starts_at()
        if policy.bank is not None and kind in TURNS:
            if seat in account.moved:
                account.banks[seat] = min(account.bank(seat) + policy.bank.increment, policy.bank.cap)
            account.moved |= {seat}
        self.run(key, Clock(kind, starts, starts, policy.own_time(kind), ZERO, name=name[1]), "asked")

    def _move(self, key: Key, told: DeadlineSet) -> None:
        """Move a running deadline as the event records it."""
        because, clock = told.because, self.account.open[key]
        moved = clock.recorded(because)
        if told.cause == "extended":
            moved = replace(moved, given=clock.given + (moved.own - clock.own) + (moved.put_off - clock.put_off))
        self.account.open[key] = run(self.policy, moved, Recorded(because))
        self.changed[key] = told.cause
        self.account.note(key, told.cause, self.step.occurred_at)

    def _forget_oldest(self) -> None:
        account = self.account
        while len(account.stopped) > REMEMBERED:
            oldest = next(iter(account.stopped))
            account.stopped.pop(oldest)
            account.halted.pop(oldest, None)
        while len(account.tenure) > REMEMBERED:
            account.tenure.pop(next(iter(account.tenure)))
