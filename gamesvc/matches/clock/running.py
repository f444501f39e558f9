"""The clocks of a match during one append: how a clock is stopped, run and noted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta

from gamesvc.matches.clock.account import Account, Asked, Key, Step
from gamesvc.matches.clock.compute import NOTHING_KNOWN, ZERO, Clock, Recorded, Surroundings, run
from gamesvc.matches.clock.policy import Policy
from gamesvc.matches.clock.spans import SECOND
from gamesvc.matches.events import DeadlineSet

# A timeout counts from the deadline and not from the sweep that found it, unless the sweep was much later.
PROMPT = timedelta(minutes=15)


class Running:
    """The account, the append that changes it, the questions open after it, and the clocks it has set, each with the cause."""

    def __init__(
        self, account: Account, policy: Policy, step: Step, asked: dict[Key, Asked], live: Callable[[int], Surroundings] | None
    ) -> None:
        self.account, self.policy, self.step, self.asked, self.live = account, policy, step, asked, live
        self.told = {event.key: event for event in step.events if isinstance(event, DeadlineSet)}
        self.changed: dict[Key, str] = {}

    # --- moments ---

    def stops_at(self, seat: int) -> datetime:
        """Return the moment at which a clock of this seat stopped.

        The seat's own act counts from when the service received it.
        """
        step = self.step
        return min(step.received_at, step.occurred_at) if step.seat == seat else step.occurred_at

    def own(self, seat: int) -> bool:
        """Return True if the append is an act of this seat's player."""
        return self.step.actor == "seat" and self.step.seat == seat

    def starts_at(self) -> datetime:
        """Return the moment at which a new clock starts. After a timeout this is the old deadline, so that nothing drifts."""
        step = self.step
        if step.actor == "clock" and step.occurred_at - PROMPT <= step.received_at <= step.occurred_at:
            return step.received_at
        return step.occurred_at

    # --- one clock ---

    def reduced(self, seat: int, clock: Clock, moment: datetime) -> Clock:
        """Return the clock as it stands at a moment. What it has used beyond its own time comes from the seat's bank."""
        account, used = self.account, clock.used(max(moment, clock.since))
        over = max(used - clock.own, ZERO) if self.policy.banked(clock.kind) else ZERO
        if over:
            account.banks[seat] = max(account.bank(seat) - over, ZERO)
        # A fixed time is found again when the clock resumes. Of its delay, only what an organiser gave remains.
        off, own = min(clock.put_off, clock.given), max(clock.own - used, ZERO)
        return replace(clock, since=moment, own=own, due=None, grace_from=None, excluded=(), fixed=None, put_off=off)

    def stand(self, key: Key, what: str) -> Clock:
        """Stop an open clock with the time it has left, and return it."""
        account, moment = self.account, self.stops_at(key[0])
        clock = account.open[key]
        stood = account.open[key] = self.reduced(key[0], clock, moment)
        account.note(key, what, moment, clock.used(max(moment, clock.since)))
        return stood

    def run(self, key: Key, clock: Clock, cause: str) -> None:
        """Start a clock at its `since` with all its time left, at least the minimum, unless the match is paused."""
        if self.account.paused_since is None:
            self.put(key, self.with_minimum(key, clock), cause)
            return
        self.changed[key] = cause
        self.account.open[key] = clock
        self.account.note(key, "waits", clock.since)

    def with_minimum(self, key: Key, clock: Clock) -> Clock:
        """Return the clock running with all its time left, at least the minimum."""
        policy = self.policy
        bank = self.account.bank(key[0]) if policy.banked(clock.kind) else ZERO
        # A clock that starts at a past deadline still leaves the minimum from now.
        late = max(self.step.occurred_at - clock.since, ZERO)
        clock = replace(clock, left=max(clock.own + bank, policy.minimum - -late // SECOND * SECOND))
        return run(policy, clock, self.known(key))

    def put(self, key: Key, clock: Clock, cause: str) -> None:
        """Let the question have this clock."""
        self.changed[key] = cause
        self.account.open[key] = clock
        self.account.note(key, cause, clock.since)

    def known(self, key: Key) -> Surroundings:
        """Return what is known of the seat now; where the append is read again, what it recorded."""
        if self.policy.plain:
            return NOTHING_KNOWN
        if self.live is not None:
            return self.live(key[0])
        return Recorded(self.told[key].because) if key in self.told else NOTHING_KNOWN
