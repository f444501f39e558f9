"""Clocks that continue with the time they had left, where a new clock would give their seat more.

A seat gains no time by stopping its own clock, and a substitute gains none by a rewind. Each such clock is recorded with the
cause `continued`, whatever the policy. Logs without that record gave the minimum, or a new clock, and are folded by that rule.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from gamesvc.matches.clock.account import Account, Halted, Key
from gamesvc.matches.clock.compute import ZERO, Clock, Recorded, Spliced, fell_into, known_until, no_more, put_off, run
from gamesvc.matches.clock.policy import TURNS
from gamesvc.matches.clock.running import Running
from gamesvc.matches.clock.spans import SECOND, counted, merged
from gamesvc.matches.events import DeadlineSet

# Cause of a clock that continues.
CONTINUED = "continued"
# How many times a clock that its own seat stopped gets the minimum when another seat's act resumes it.
GRANTS = 3


def in_tenure(running: Running, key: Key, had: Clock) -> bool:
    """Continue the clock that a substitute had, although the match went back to before their tenure.

    Return False if they get a new clock: in logs without the record. In a pause no deadline can be recorded, so there
    `Seated.fresh_clocks` decides.
    """
    account, recorded = running.account, _recorded(running, key)
    allowed = key[0] in account.fresh_clocks if account.paused_since is not None else running.live is not None
    if recorded is None and not allowed:
        return False
    if had.kind in TURNS:
        account.moved |= {key[0]}
    if recorded is not None:
        _as_recorded(running, key, had, recorded)
    else:
        running.run(key, replace(had, since=running.starts_at()), CONTINUED)
    return True


def after_waiting(running: Running, key: Key, stood: Clock, halted: Halted) -> None:
    """Continue a clock that its seat's own act stopped.

    If the seat ends its own waiting, the clock runs as if it had never stopped. If its own act answers a question asked in
    between, the clock keeps what it had. If another seat's act resumes it, it gets at least the minimum. This may add time
    at most three times (`GRANTS`).
    """
    account, own, recorded = running.account, running.own(key[0]), _recorded(running, key)
    allowed = running.live is not None or recorded is not None
    if own and halted.alone and allowed:
        if halted.taken:
            account.banks[key[0]] = account.bank(key[0]) + halted.taken
        run_on(running, key, halted.clock, halted, stood.since, CONTINUED)
        return
    if recorded is not None:
        _as_recorded(running, key, stood, recorded)
        return
    kept = no_more(running.policy, halted.clock, stood, running.step.occurred_at, running.known(key))
    given = running.with_minimum(key, replace(stood, since=running.starts_at()))
    assert kept.due is not None
    assert given.due is not None
    if given.due <= kept.due:
        running.put(key, given, "asked")
    elif allowed and (own or stood.granted >= GRANTS):
        running.put(key, kept, CONTINUED)
    else:
        running.put(key, replace(given, granted=stood.granted + (not own)), "asked")


def run_on(running: Running, key: Key, was: Clock, then: Account | Halted, stopped_at: datetime, cause: str = "undo") -> None:
    """Run a clock as if its seat's own act had not stopped it. Whatever has stopped all clocks since has stopped it too.

    Up to `stopped_at`, when that act stopped it, its recorded nights and vacations count; later the present ones.
    """
    account, step, policy = running.account, running.step, running.policy
    pauses = tuple(span for span in account.pauses if span not in then.pauses)
    outages = tuple(span for span in account.outages if span not in then.outages)
    # An outage moves a fixed time only if the fixed time fell into it.
    gaps = pauses if policy.fixed(was.kind) else (*pauses, *outages)
    if account.paused_since is not None:
        stood_at = max(account.paused_since, was.since)
        excluded = tuple(merged([*was.excluded, *gaps], was.since, stood_at))
        running.run(key, running.reduced(key[0], replace(was, excluded=excluded, due=stood_at), stood_at), "undo")
        return
    if running.live is None and key in running.told:
        _as_recorded(running, key, was, running.told[key], cause)
        return
    around = Spliced(was.excluded, min(known_until(was), stopped_at), running.known(key), gaps)
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
    running.put(key, found, cause)


def _recorded(running: Running, key: Key) -> DeadlineSet | None:
    """Return the append's own record that a clock continues, for an append that is read again."""
    told = running.told.get(key)
    return told if running.live is None and told is not None and told.cause == CONTINUED else None


def _as_recorded(running: Running, key: Key, clock: Clock, told: DeadlineSet, cause: str = CONTINUED) -> None:
    running.put(key, run(running.policy, clock.recorded(told.because), Recorded(told.because)), cause)
