"""Clocks and timeout counts of a seat's holder: a new holder starts fresh, an excused timeout gives the time again."""

from __future__ import annotations

from dataclasses import replace

from gamesvc.matches.clock.account import Account
from gamesvc.matches.clock.compute import ZERO
from gamesvc.matches.clock.running import Running
from gamesvc.matches.events import MatchEvent, Seated, TimedOut, Vacated


def count(account: Account, event: MatchEvent) -> None:
    """Count the timeouts of a seat's holder, those in a row as the event counts them.

    A new holder starts from zero; a returning one keeps their count of excuses.
    """
    match event:
        case TimedOut(seat=seat, excused=True):
            account.excused[seat] = account.excused.get(seat, 0) + 1
        case TimedOut(seat=seat, in_row=in_row):
            # A seat without a player has no count of its own.
            account.missed[seat] = in_row or account.missed.get(seat, 0) + 1
        case Vacated(seat=seat) | Seated(seat=seat):
            account.missed.pop(seat, None)
            account.excused.pop(seat, None)
    match event:
        case Seated(seat=seat, returns=None, fresh_clocks=fresh_clocks):
            account.seated[seat] = account.seated.get(seat, 0) + 1
            account.fresh_clocks = account.fresh_clocks | {seat} if fresh_clocks else account.fresh_clocks - {seat}
            _forget_stops(account, seat)
        case Seated(seat=seat, excused_before=before) if before:
            account.excused[seat] = before


def renew(running: Running, event: MatchEvent) -> None:
    """Give a substitute the question's full time and a full bank, and an excused seat the time of its question.

    If turns have no time except the bank, an excused seat gains what a turn adds to the bank. A player who returns to their
    own seat has what is left.
    """
    account, policy = running.account, running.policy
    match event:
        case Seated(returns=None):
            keys = [key for key in account.open if key[0] == event.seat]
        case TimedOut(excused=True):
            keys = [key for key in account.open if key == event.key]
        case _:
            return
    for key in keys:
        running.stand(key, "stopped")
    if isinstance(event, Seated):
        account.banks.pop(event.seat, None)
        if event.fresh_clocks:
            _renew_stopped(running, event.seat)
    for key in keys:
        starts, kind = running.starts_at(), account.open[key].kind
        own = policy.own_time(kind)
        if policy.bank is not None and not own and isinstance(event, TimedOut):
            account.banks[key[0]] = max(account.bank(key[0]), policy.bank.increment)
        running.run(key, replace(account.open[key], since=starts, own=own, put_off=ZERO), "asked")


def _renew_stopped(running: Running, seat: int) -> None:
    """Give a substitute the full time of waiting questions too. In logs without `fresh_clocks` those kept what was left."""
    stopped = running.account.stopped
    for name, clock in stopped.items():
        if name[0] == seat:
            stopped[name] = replace(clock, own=running.policy.own_time(clock.kind), put_off=ZERO)


def _forget_stops(account: Account, seat: int) -> None:
    """Forget the clocks that the seat's earlier holder had and stopped: they are not the new holder's."""
    account.halted = {name: halted for name, halted in account.halted.items() if name[0] != seat}
    for clocks in (account.open, account.stopped):
        for key, clock in clocks.items():
            if key[0] == seat and clock.granted:
                clocks[key] = replace(clock, granted=0)
    account.tenure = {name: clock for name, clock in account.tenure.items() if name[0] != seat}
