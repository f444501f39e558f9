"""Clocks after a rewind: the undoer's runs on as if nothing had been sent, the others get theirs back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TypeVar

from gamesvc.matches.clock.account import Account, Name, name_of
from gamesvc.matches.clock.compute import ZERO, Clock, put_off
from gamesvc.matches.clock.going_on import run_on
from gamesvc.matches.clock.policy import Policy
from gamesvc.matches.clock.running import Running
from gamesvc.matches.events import Rewound

T = TypeVar("T")


def restore(running: Running, then: Account, rewound: Rewound) -> None:
    """Set the clocks after an undo to those of the account `then`, at the version that the match went back to.

    Redoing one's own undo costs the time in between. A seat that has changed hands since loses no time: it has a new clock, or
    continues with the one that its holder has had since.
    """
    account, undoer = running.account, rewound.seat
    redoing = {undoer} if rewound.cause == "redo" and undoer is not None else set[int]()
    reseated = {seat for seat in account.seated if account.seated[seat] != then.seated.get(seat, 0)}
    stopped = account.stopped
    _go_back(account, then, redoing, reseated)
    before = {(key[0], clock.name): clock for key, clock in then.open.items() if key[0] not in reseated}
    for key, question in running.asked.items():
        name = name_of(question)
        was, since = before.get(name), stopped.get(name)
        if was is None or key in account.open:
            continue
        if since is not None:
            was = _as_extended(running.policy, was, since)
        if key[0] == undoer:
            run_on(running, key, was, then, max(since.since if since is not None else was.since, was.since))
        else:
            stood = running.reduced(key[0], was, then.at or was.since)
            running.run(key, replace(stood, since=running.step.occurred_at), "undo")


def _go_back(account: Account, then: Account, redoing: set[int], reseated: set[int]) -> None:
    """Set the banks and the stopped clocks to those of `then`.

    `redoing`: the seat that redoes, which keeps its own. `reseated`: the seats that have changed hands, which get none back.
    """
    as_now = {seat for seat, _ in account.open} | redoing | reseated
    kept = {seat: left for seat, left in account.banks.items() if seat in as_now}
    account.banks = kept | {seat: left for seat, left in then.banks.items() if seat not in as_now}
    account.moved = then.moved
    account.stopped = _without(then.stopped, reseated) | _of(account.stopped, redoing)
    account.halted = _without(then.halted, reseated) | _of(account.halted, redoing)
    account.tenure = _of(account.tenure, reseated | redoing) | _without(then.tenure, reseated | redoing)


def _of(clocks: Mapping[Name, T], seats: set[int]) -> dict[Name, T]:
    return {name: clock for name, clock in clocks.items() if name[0] in seats}


def _without(clocks: Mapping[Name, T], seats: set[int]) -> dict[Name, T]:
    return {name: clock for name, clock in clocks.items() if name[0] not in seats}


def _as_extended(policy: Policy, was: Clock, since: Clock) -> Clock:
    """Return the clock with what an organiser has given it since: an extension is permanent."""
    more = since.given - was.given
    if more <= ZERO:
        return was
    longer = put_off(was, more) if policy.fixed(was.kind) else replace(was, own=was.own + more, left=was.left + more)
    return replace(longer, given=since.given)
