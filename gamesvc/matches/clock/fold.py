"""Changes of a match's time account by one append. A fold of the log and nothing else.

One append is one `Step`. Deadlines that depend on facts outside the log are recorded in `match.deadline_set` within the same
append, so folding the log gives the same clocks that the service computed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import datetime, timedelta

from gamesvc.matches.clock.account import Account, Asked, Halted, Key, Name, Step
from gamesvc.matches.clock.compute import (
    NOTHING_KNOWN,
    ZERO,
    Clock,
    Recorded,
    Spliced,
    Surroundings,
    fell_into,
    known_until,
    no_more,
    put_off,
    read,
    run,
)
from gamesvc.matches.clock.policy import TURNS, Policy, parse
from gamesvc.matches.clock.spans import SECOND, Span, counted, merged
from gamesvc.matches.events import (
    DeadlineSet,
    MatchEvent,
    Opened,
    Outage,
    Paused,
    Resumed,
    Rewound,
    Seated,
    TimedOut,
    Vacated,
)

# Number of stopped clocks to remember: a window in a turn, nested windows, and what a reaction may return to.
REMEMBERED = 32
# A timeout counts from the deadline and not from the sweep that found it, unless the sweep was much later.
PROMPT = timedelta(minutes=15)
# Causes that move a running deadline. The others start or continue one.
MOVES = ("moved", "outage", "extended", "vacation")
# Cause of a clock that goes on without the minimum, since its own seat had stopped it. It is recorded whatever the policy: a log
# without it gave the minimum each time.
CONTINUED = "continued"
# How often the minimum gives more time to a clock that its own seat stops and another's act lets go on.
GRANTS = 3


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


class _Fold:
    """One step of the fold, in this order: undo, stopped clocks, pauses, new clocks, moved clocks."""

    def __init__(
        self,
        account: Account,
        policy: Policy,
        step: Step,
        asked: dict[Key, Asked],
        surroundings: Callable[[int], Surroundings] | None,
        recall: Callable[[int], Account] | None,
    ) -> None:
        self.account, self.policy, self.step, self.asked = account, policy, step, asked
        self.live, self.recall = surroundings, recall
        self.told = {event.key: event for event in step.events if isinstance(event, DeadlineSet)}
        self.set: dict[Key, str] = {}

    def done(self) -> dict[Key, str]:
        account, step = self.account, self.step
        then, rewound = self._taken_back()
        for event in step.events:
            if isinstance(event, TimedOut):
                self._ran_out(event)
        self._ask_anew()
        for key in [key for key in account.open if key not in self.asked]:
            self._stop(key)
        self._pause_or_go_on()
        if then is not None and rewound is not None:
            self._restore(then, rewound.seat, rewound.cause)
        for key, one in self.asked.items():
            if key not in account.open:
                self._begin(key, one)
        self._note_asked()
        if step.actor == "seat" and step.seat is not None and not step.automatic:
            account.missed.pop(step.seat, None)
        for event in step.events:
            self._count(event)
            self._renew(event)
        for key, told in self.told.items():
            if told.cause in MOVES and key in account.open and account.paused_since is None:
                self._move(key, told)
        while len(account.stopped) > REMEMBERED:
            oldest = next(iter(account.stopped))
            account.stopped.pop(oldest)
            account.halted.pop(oldest, None)
        while len(account.tenure) > REMEMBERED:
            account.tenure.pop(next(iter(account.tenure)))
        account.at = step.occurred_at
        return self.set

    def _pause_or_go_on(self) -> None:
        """Stop all clocks where the match is paused, let them run where it goes on, and note an outage."""
        account, now = self.account, self.step.occurred_at
        if self.step.find(Paused) is not None and account.paused_since is None:
            account.paused_since = now
            for key in list(account.open):
                self._hold(key)
        if (outage := self.step.find(Outage)) is not None:
            account.outages = (*account.outages, Span(read(outage.from_), read(outage.until)))[-REMEMBERED:]
        if self.step.find(Resumed) is not None and account.paused_since is not None:
            account.pauses = (*account.pauses, Span(account.paused_since, now))[-REMEMBERED:]
            account.paused_since = None
            for key in list(account.open):
                self._run(key, replace(account.open[key], since=now), "pause")

    # --- moments ---

    def _stops(self, seat: int) -> datetime:
        """Return the moment at which a clock of this seat stopped.

        The seat's own act counts from when the service received it.
        """
        step = self.step
        return min(step.received_at, step.occurred_at) if step.seat == seat else step.occurred_at

    def _own(self, seat: int) -> bool:
        """Return True if the append is an act of this seat's player."""
        return self.step.actor == "seat" and self.step.seat == seat

    def _starts(self) -> datetime:
        """Return the moment at which a new clock starts. After a timeout this is the old deadline, so that nothing drifts."""
        step = self.step
        if step.actor == "clock" and step.occurred_at - PROMPT <= step.received_at <= step.occurred_at:
            return step.received_at
        return step.occurred_at

    # --- what happens to a clock ---

    def _reduced(self, key: Key, clock: Clock, moment: datetime) -> tuple[Clock, timedelta]:
        """Return the state of the clock at a moment, and the time taken from the bank."""
        used = clock.used(max(moment, clock.since))
        over = max(used - clock.own, ZERO) if self.policy.banked(clock.kind) else ZERO
        own = max(clock.own - used, ZERO)
        # A fixed time is found again when the clock resumes. Of its delay, only what an organiser gave remains.
        off = min(clock.put_off, clock.given)
        return replace(clock, since=moment, own=own, due=None, grace_from=None, excluded=(), fixed=None, put_off=off), over

    def _stand(self, key: Key, what: str) -> Clock:
        account, moment = self.account, self._stops(key[0])
        clock = account.open[key]
        stood, over = self._reduced(key, clock, moment)
        if over:
            account.banks[key[0]] = max(account.bank(key[0]) - over, ZERO)
        account.open[key] = stood
        account.note(key, what, moment, clock.used(max(moment, clock.since)))
        return stood

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
        stood = self._stand(key, "stopped")
        name = key[0], stood.name
        account.stopped.pop(name, None)
        account.halted.pop(name, None)
        account.stopped[name] = account.open.pop(key)
        if account.seated.get(key[0]):
            account.tenure.pop(name, None)
            account.tenure[name] = stood
        # An act after the deadline is accepted only after an outage, which the clock does not know yet.
        if self._own(key[0]) and clock.due is not None and stood.since < clock.due:
            account.halted[name] = Halted(clock, bank - account.bank(key[0]), account.pauses, account.outages)

    def _note_asked(self) -> None:
        """Note which seats are asked something else while a clock that they stopped themselves stands."""
        seats = {seat for seat, _ in self.asked}
        for name, halted in self.account.halted.items():
            if halted.alone and name[0] in seats:
                self.account.halted[name] = replace(halted, alone=False)

    def _ask_anew(self) -> None:
        """Carry over the clocks of questions that are closed and asked again under another id in the same append.

        After the seat's own act the clock runs on. After another player's act it has what was left, at least the minimum.
        """
        account, step = self.account, self.step
        running = {(key[0], clock.name): key for key, clock in account.open.items() if key not in self.asked}
        for key, one in self.asked.items():
            before = running.get(_name(one))
            if before is None or key in account.open:
                continue
            own = self._own(key[0])
            if not own:
                self._stand(before, "stopped")
            clock = account.open[key] = account.open.pop(before)
            if own:
                self.set[key] = "asked"
                account.note(key, "asked", step.occurred_at)
            else:
                self._run(key, replace(clock, since=self._starts(), kind=one.kind), "asked")

    def _hold(self, key: Key) -> None:
        self._stand(key, "paused")
        self.set[key] = "pause"

    def _begin(self, key: Key, one: Asked) -> None:
        """Start the clock of a newly open question: a new one, or one that continues with what was left."""
        account, policy, starts, kind = self.account, self.policy, self._starts(), one.kind
        before, halted = account.stopped.pop(_name(one), None), account.halted.pop(_name(one), None)
        had = account.tenure.pop(_name(one), None)
        if before is not None:
            stood = replace(before, kind=kind)
            if halted is None or account.paused_since is not None:
                self._run(key, replace(stood, since=starts), "asked")
            else:
                self._go_on(key, stood, replace(halted, clock=replace(halted.clock, kind=kind)))
            return
        if had is not None and self._goes_on_in_tenure(key, replace(had, kind=kind)):
            return
        seat = key[0]
        if policy.bank is not None and kind in TURNS:
            if seat in account.moved:
                account.banks[seat] = min(account.bank(seat) + policy.bank.increment, policy.bank.cap)
            account.moved |= {seat}
        self._run(key, Clock(kind, starts, starts, policy.own_time(kind), ZERO, name=_name(one)[1]), "asked")

    def _recorded(self, key: Key) -> DeadlineSet | None:
        """Return the append's own record that a clock goes on, for an append that is read again."""
        told = self.told.get(key)
        return told if self.live is None and told is not None and told.cause == CONTINUED else None

    def _goes_on_in_tenure(self, key: Key, had: Clock) -> bool:
        """Let a clock go on that a substitute has had, though the match went back to before they came.

        A log that does not record it gave a new clock. In a pause, in which no deadline can be recorded, `Seated.anew` decides.
        """
        recorded, paused = self._recorded(key), self.account.paused_since is not None
        if recorded is None and not (key[0] in self.account.anew if paused else self.live is not None):
            return False
        if had.kind in TURNS:
            self.account.moved |= {key[0]}
        if recorded is not None:
            self._set(key, run(self.policy, had.recorded(recorded.because), Recorded(recorded.because)), CONTINUED)
        else:
            self._run(key, replace(had, since=self._starts()), CONTINUED)
        return True

    def _go_on(self, key: Key, stood: Clock, halted: Halted) -> None:
        """Let a clock go on that its seat's own act stopped.

        If the seat breaks off its own waiting, the clock runs on as if it had never stopped. If its own act answers something
        that it was asked in between, the clock has what it had. Another's act leaves it the minimum, but not without end.
        """
        account, own, recorded = self.account, self._own(key[0]), self._recorded(key)
        allowed = self.live is not None or recorded is not None
        if own and halted.alone and allowed:
            if halted.taken:
                account.banks[key[0]] = account.bank(key[0]) + halted.taken
            self._run_on(key, halted.clock, halted, stood.since, CONTINUED)
            return
        if recorded is not None:
            self._set(key, run(self.policy, stood.recorded(recorded.because), Recorded(recorded.because)), CONTINUED)
            return
        kept = no_more(self.policy, halted.clock, stood, self.step.occurred_at, self._known(key))
        given = self._with_minimum(key, replace(stood, since=self._starts()))
        assert kept.due is not None
        assert given.due is not None
        if given.due <= kept.due:
            self._set(key, given, "asked")
        elif allowed and (own or stood.granted >= GRANTS):
            self._set(key, kept, CONTINUED)
        else:
            self._set(key, replace(given, granted=stood.granted + (not own)), "asked")

    def _run(self, key: Key, clock: Clock, cause: str) -> None:
        """Start a clock at its `since` with all its time left, at least the minimum, unless the match is paused."""
        if self.account.paused_since is None:
            self._set(key, self._with_minimum(key, clock), cause)
            return
        self.set[key] = cause
        self.account.open[key] = clock
        self.account.note(key, "waits", clock.since)

    def _with_minimum(self, key: Key, clock: Clock) -> Clock:
        policy = self.policy
        bank = self.account.bank(key[0]) if policy.banked(clock.kind) else ZERO
        # A clock that starts at a past deadline still leaves the minimum from now.
        late = max(self.step.occurred_at - clock.since, ZERO)
        clock = replace(clock, left=max(clock.own + bank, policy.minimum - -late // SECOND * SECOND))
        return run(policy, clock, self._known(key))

    def _set(self, key: Key, clock: Clock, cause: str) -> None:
        self.set[key] = cause
        self.account.open[key] = clock
        self.account.note(key, cause, clock.since)

    def _known(self, key: Key) -> Surroundings:
        if self.policy.plain:
            return NOTHING_KNOWN
        if self.live is not None:
            return self.live(key[0])
        return Recorded(self.told[key].because) if key in self.told else NOTHING_KNOWN

    # --- rewinds, new time, moved deadlines ---

    def _taken_back(self) -> tuple[Account | None, Rewound | None]:
        """Return the account at the version that a person went back to, and the rewind.

        A reaction of the game restores no time.
        """
        rewound = self.step.find(Rewound)
        if rewound is None or rewound.cause not in ("undo", "redo", "host") or self.recall is None:
            return None, None
        return self.recall(int(rewound.to)), rewound

    def _restore(self, then: Account, undoer: int | None, cause: str) -> None:
        """Set the clocks after an undo: the undoer's clock runs on as if nothing had been sent, the others get theirs back.

        Redoing an own undo costs the time spent in between. A seat that has changed hands since has lost none of its time: it has
        a new clock, or goes on with the one that its holder has had since.
        """
        account, step = self.account, self.step
        thought = {undoer} if cause == "redo" else set()
        new = {seat for seat in account.seated if account.seated[seat] != then.seated.get(seat, 0)}
        as_now = {seat for seat, _ in account.open} | thought | new
        account.banks = {seat: left for seat, left in account.banks.items() if seat in as_now} | {
            seat: left for seat, left in then.banks.items() if seat not in as_now
        }
        account.moved = then.moved
        stopped = account.stopped
        account.stopped = {name: clock for name, clock in then.stopped.items() if name[0] not in new}
        account.stopped |= {name: clock for name, clock in stopped.items() if name[0] in thought}
        account.tenure = {name: clock for name, clock in account.tenure.items() if name[0] in new | thought} | {
            name: clock for name, clock in then.tenure.items() if name[0] not in new | thought
        }
        own = account.halted
        account.halted = {name: halted for name, halted in then.halted.items() if name[0] not in new}
        account.halted |= {name: halted for name, halted in own.items() if name[0] in thought}
        before = {(key[0], clock.name): clock for key, clock in then.open.items() if key[0] not in new}
        for key, one in self.asked.items():
            name = _name(one)
            was = before.get(name)
            if was is None or key in account.open:
                continue
            since = stopped.get(name)
            if since is not None and since.given > was.given:
                # An organiser's extension is permanent.
                more = since.given - was.given
                if self.policy.fixed(was.kind):
                    was = put_off(was, more)
                else:
                    was = replace(was, own=was.own + more, left=was.left + more)
                was = replace(was, given=since.given)
            if key[0] == undoer:
                self._run_on(key, was, then, max(since.since if since is not None else was.since, was.since))
            else:
                stood, over = self._reduced(key, was, then.at or was.since)
                if over:
                    account.banks[key[0]] = max(account.bank(key[0]) - over, ZERO)
                self._run(key, replace(stood, since=step.occurred_at), "undo")

    def _run_on(self, key: Key, was: Clock, then: Account | Halted, stopped_at: datetime, cause: str = "undo") -> None:
        """Run a clock as if its seat's own act had not stopped it. Whatever has stopped all clocks since has stopped it too.

        Up to `stopped_at`, when that act stopped it, its recorded nights and vacations count; later the present ones.
        """
        account, step, policy = self.account, self.step, self.policy
        pauses = tuple(span for span in account.pauses if span not in then.pauses)
        outages = tuple(span for span in account.outages if span not in then.outages)
        # An outage moves a fixed time only if the fixed time fell into it.
        gaps = pauses if policy.fixed(was.kind) else (*pauses, *outages)
        if account.paused_since is not None:
            stood_at = max(account.paused_since, was.since)
            excluded = tuple(merged([*was.excluded, *gaps], was.since, stood_at))
            stood, over = self._reduced(key, replace(was, excluded=excluded, due=stood_at), stood_at)
            if over:
                account.banks[key[0]] = max(account.bank(key[0]) - over, ZERO)
            self._run(key, stood, "undo")
            return
        if self.live is None and key in self.told:
            because = self.told[key].because
            found = run(policy, was.recorded(because), Recorded(because))
        else:
            around = Spliced(was.excluded, min(known_until(was), stopped_at), self._known(key), gaps)
            # A pause restores the minimum, and so does an undo granted by others.
            least = [max(span.end, was.since) for span in gaps] + ([step.occurred_at] if step.seat != key[0] else [])
            left = was.left
            if was.due is None:
                left = max(was.own + (account.bank(key[0]) if policy.banked(was.kind) else ZERO), policy.minimum)
            for moment in least:
                used = counted(was.since, moment, around.excluded(was.since, moment))
                left = max(left, -(-used // SECOND) * SECOND + policy.minimum)
            found = run(policy, replace(was, left=left), around)
            for span in outages:
                if found.fixed is not None and fell_into(found, span, account.hour):
                    found = put_off(found, span.end - span.start)
        self._set(key, found, cause)

    def _count(self, event: MatchEvent) -> None:
        """Count the timeouts of a seat's holder. A new holder starts from zero; a returning one keeps their count of excuses."""
        account = self.account
        match event:
            case TimedOut(seat=seat, excused=excused):
                counts = account.excused if excused else account.missed
                counts[seat] = counts.get(seat, 0) + 1
            case Vacated(seat=seat) | Seated(seat=seat):
                account.missed.pop(seat, None)
                account.excused.pop(seat, None)
        match event:
            case Seated(seat=seat, returns=None, anew=anew):
                account.seated[seat] = account.seated.get(seat, 0) + 1
                account.anew = account.anew | {seat} if anew else account.anew - {seat}
                self._forget_stops(seat)
            case Seated(seat=seat, excused_before=before) if before:
                account.excused[seat] = before

    def _forget_stops(self, seat: int) -> None:
        """Forget the clocks that a seat's earlier holder had, and that they stopped them: its new holder did not."""
        account = self.account
        account.halted = {name: halted for name, halted in account.halted.items() if name[0] != seat}
        for clocks in (account.open, account.stopped):
            for key, clock in clocks.items():
                if key[0] == seat and clock.granted:
                    clocks[key] = replace(clock, granted=0)
        account.tenure = {name: clock for name, clock in account.tenure.items() if name[0] != seat}

    def _renew(self, event: MatchEvent) -> None:
        """Give a substitute the question's full time and a full bank, and an excused seat the time of its question.

        If turns have no time except the bank, an excused seat gains what a turn adds to the bank. A player who returns to their
        own seat has what is left.
        """
        account, policy = self.account, self.policy
        match event:
            case Seated(returns=None):
                keys = [key for key in account.open if key[0] == event.seat]
            case TimedOut(excused=True):
                keys = [key for key in account.open if key == event.key]
            case _:
                return
        for key in keys:
            self._stand(key, "stopped")
        if isinstance(event, Seated):
            account.banks.pop(event.seat, None)
            self._renew_stopped(event)
        for key in keys:
            starts, kind = self._starts(), account.open[key].kind
            own = policy.own_time(kind)
            if policy.bank is not None and not own and isinstance(event, TimedOut):
                account.banks[key[0]] = max(account.bank(key[0]), policy.bank.increment)
            self._run(key, replace(account.open[key], since=starts, own=own, put_off=ZERO), "asked")

    def _renew_stopped(self, event: Seated) -> None:
        """Give a substitute the full time of the questions that wait. A log that does not say `anew` left them what was left."""
        stopped = self.account.stopped
        for name, clock in stopped.items():
            if event.anew and name[0] == event.seat:
                stopped[name] = replace(clock, own=self.policy.own_time(clock.kind), put_off=ZERO)

    def _move(self, key: Key, told: DeadlineSet) -> None:
        """Move a running deadline as the event records it."""
        because, clock = told.because, self.account.open[key]
        moved = clock.recorded(because)
        if told.cause == "extended":
            moved = replace(moved, given=clock.given + (moved.own - clock.own) + (moved.put_off - clock.put_off))
        self.account.open[key] = run(self.policy, moved, Recorded(because))
        self.set[key] = told.cause
        self.account.note(key, told.cause, self.step.occurred_at)


def _name(one: Asked) -> Name:
    return one.seat, one.clock or one.id
