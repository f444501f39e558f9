"""Sending claimed notices, and handling failures.

A refusal of this one mail ends it. If the server is away or busy, or a renderer has a fault, there are further tries with growing
pauses. No notice blocks another.
"""

from __future__ import annotations

import logging
import math
import random
import smtplib
import time
from collections.abc import Sequence
from datetime import timedelta
from enum import Enum
from functools import partial
from uuid import UUID

from anymail.exceptions import AnymailError, AnymailRecipientsRefused
from django.conf import settings
from django.core.mail import get_connection
from django.core.mail.backends.base import BaseEmailBackend
from django.db import transaction
from django.utils import timezone, translation

from gamesvc.time_limits import putting_off
from notifications import channels, registry
from notifications.models import Outbox, Status
from notifications.returned import bounces
from notifications.sending import addressing, claims, mail, patience, shown
from notifications.sending.results import Results, recorded
from notifications.wanted import preferences, shared_reads, timing

log = logging.getLogger(__name__)

# Few, so that senders share what is due, and a notice that comes meanwhile waits for few others.
BATCH = 10
SWEEP_LASTS = 30.0
FIRST_PAUSE = timedelta(seconds=10)
LONGEST_PAUSE = timedelta(minutes=30)
# So many times as long is the pause after a mail that the server may have taken without an answer: the receiver may have it.
UNANSWERED = 6
GIVE_UP_AFTER = timedelta(days=5)
# Reached only by a notice that kills its worker each time, so that no failure is ever recorded.
MOST_ATTEMPTS = 500
# "Authentication required" and the like: for the operator to fix, not a fault of the receiver.
_OUR_OWN_FAULT = {530, 534, 535, 538}


class Outcome(Enum):
    """The result of one try."""

    SENT = "sent"
    DROPPED = "dropped"
    FAILED = "failed"
    RETRY = "retry"
    UNREACHABLE = "unreachable"
    HELD = "held"
    MERGED = "merged"
    LOST = "lost"


def deliver(row: Outbox, connection: BaseEmailBackend | None = None, results: Results | None = None) -> Outcome:
    """Send one claimed notice if it is still current and its receiver wants it. Store and return the result.

    With `results`, a mail that was sent is recorded there, together with others.
    """
    if not claims.count(row):
        return Outcome.LOST
    if row.attempts > MOST_ATTEMPTS:
        return _end(row, Status.FAILED, "too many attempts: sending this notice seems to stop the worker")
    kind = registry.find(row.kind)
    if kind is None:
        return _later(row, f"no renderer is registered for the kind {row.kind!r}")
    if row.user_id is not None and (row.user is None or not row.user.is_active):
        return _end(row, Status.DROPPED, "the account is no longer active")
    if _is_muted(row, kind):
        return _end(row, Status.DROPPED, "the receiver does not want it")
    if (held := _held(row, kind)) is not None:
        return held
    address = addressing.address_of(row)
    if address is None:
        return _end(row, Status.DROPPED, "the account has no verified address")
    if reason := _stopped(row, address):
        return _end(row, Status.DROPPED, reason)
    try:
        with (
            translation.override(row.user.language if row.user else settings.LANGUAGE_CODE),
            timezone.override(row.user.zone if row.user else None),
        ):
            message = _word(row, kind)
        if message is None:
            return _end(row, Status.DROPPED, "it no longer held", holds=False)
        if not claims.begin(row, sent_to=preferences.address_hash(address), muteable=not kind.essential):
            return _unwanted_since(row, kind, address)
        email = mail.build(row, message, address=address, kind=kind)
    except Exception as fault:
        # Here other apps' code writes notices: its faults are recorded and logged, and never stop the other notices.
        log.exception("the notice %s (%s) could not be worded", row.id, row.kind)
        return _later(row, f"{type(fault).__name__}: {fault}")
    return _send(row, email, connection or open_connection(), message.shows, results)


def _is_muted(row: Outbox, kind: registry.Kind) -> bool:
    return not kind.essential and preferences.is_muted(row)


def _takes_summaries(row: Outbox) -> bool:
    """Return False if a mail of several notices to the receiver of this one would be dropped, with all that it includes."""
    address = addressing.address_of(row)
    return address is not None and addressing.stopped(address, timing.SUMMARY) is None


def _stopped(row: Outbox, address: str) -> str:
    """Return why no mail goes to an address; an empty text if it does."""
    stopped = addressing.stopped(address, row.kind)
    return f"mail to this address is stopped: {stopped.report} {stopped.status}".strip() if stopped is not None else ""


def _unwanted_since(row: Outbox, kind: registry.Kind, address: str) -> Outcome:
    """Drop a notice that was muted, or whose address was stopped, while it was written. Others are no longer ours."""
    shared_reads.forget()
    reason = "the receiver does not want it" if _is_muted(row, kind) else _stopped(row, address)
    return _end(row, Status.DROPPED, reason) if reason else Outcome.LOST


def _word(row: Outbox, kind: registry.Kind) -> registry.Message | None:
    """Return the text of a notice, None if it is obsolete.

    The match may go on while the text is written, between one look and the next. So after a failure it is written once more, from
    the state by then; and if its deadline says that it is obsolete, there was no fault.
    """
    try:
        return kind.renderer(row)
    except Exception:
        log.debug("the notice %s (%s) is worded once more", row.id, row.kind, exc_info=True)
    shared_reads.forget()
    if kind.deadline is not None and kind.deadline(row) is None:
        return None
    return kind.renderer(row)


def _held(row: Outbox, kind: registry.Kind) -> Outcome | None:
    """Return the result for a notice that does not go now as its own mail; None if it does."""
    try:
        # In one transaction: channels scheduled without the mail being held would let it go too early.
        with transaction.atomic():
            match timing.look(row, kind, takes_summaries=lambda: _takes_summaries(row)):
                case timing.Hold(until):
                    if claims.hold(row, until=until):
                        return Outcome.HELD
                    transaction.set_rollback(True)
                    return Outcome.LOST
                case timing.Merged():
                    return Outcome.MERGED
    except Exception as fault:
        # As with texts: the app that queued the notice answers the questions here.
        log.exception("the time of the notice %s (%s) could not be determined", row.id, row.kind)
        return _later(row, f"{type(fault).__name__}: {fault}")
    return None


def open_connection() -> BaseEmailBackend:
    """Return an unopened connection of Django's mail backend, with a timeout."""
    backend: BaseEmailBackend = get_connection(timeout=settings.EMAIL_TIMEOUT or 30)
    return backend


def send_batch(rows: Sequence[Outbox], end: float = math.inf, connection: BaseEmailBackend | None = None) -> list[Outcome]:
    """Send claimed rows through one connection (the given one, which stays open) and return the results.

    If the server cannot be reached, or the moment `end` of the monotonic clock has come, release the rest untried.
    """
    through = connection or open_connection()
    outcomes: list[Outcome] = []
    results = Results()
    try:
        with claims.kept(rows), shared_reads.shared(rows), recorded(results):
            for index, row in enumerate(rows):
                results.before(row)
                shared_reads.only_for(rows[index:])
                with putting_off(partial(_put_off, row, rows[index + 1 :])):
                    outcomes.append(deliver(row, through, results))
                if outcomes[-1] is Outcome.UNREACHABLE or time.monotonic() > end:
                    claims.release(rows[index + 1 :])
                    break
    finally:
        if connection is None:
            _close(through)
    return [
        Outcome.LOST if row.pk in results.lost else outcome for row, outcome in zip(rows[: len(outcomes)], outcomes, strict=True)
    ]


def _put_off(row: Outbox, rest: Sequence[Outbox]) -> None:
    _later(row, "the time of the task was over")
    claims.release(rest)


def send_claimed(ids: Sequence[UUID]) -> int:
    """Claim and send these notices, if they are due and free. Return how many were sent."""
    return send_batch(claims.claim(len(ids), ids=ids), time.monotonic() + SWEEP_LASTS).count(Outcome.SENT)


def sweep(*, lasting: float = SWEEP_LASTS) -> int:
    """Send due notices until none are left, the server cannot be reached or the time is up. Return how many were sent."""
    end = time.monotonic() + lasting
    sent = 0
    connection = open_connection()
    try:
        while rows := claims.claim(BATCH):
            outcomes = send_batch(rows, end, connection)
            sent += outcomes.count(Outcome.SENT)
            if Outcome.UNREACHABLE in outcomes or time.monotonic() > end:
                break
    finally:
        _close(connection)
    return sent


def pause(attempts: int) -> timedelta:
    """Return the pause after this many tries: doubling, limited, and randomised so that failures do not repeat together."""
    longest: timedelta = min(FIRST_PAUSE * 2 ** min(attempts - 1, 20), LONGEST_PAUSE)
    return longest * random.uniform(0.8, 1.0)


def _send(
    row: Outbox, email: mail.NoticeMail, connection: BaseEmailBackend, shows: registry.Shows | None, results: Results | None
) -> Outcome:
    try:
        connection.open()
    except (OSError, AnymailError) as fault:  # smtplib's exceptions are OSErrors too
        _close(connection)
        _later(row, f"the mail server cannot be reached: {fault}")
        return Outcome.UNREACHABLE
    try:
        patience.wait_longer(connection)
        connection.send_messages([email])
    except (smtplib.SMTPRecipientsRefused, smtplib.SMTPDataError, AnymailRecipientsRefused) as refusal:
        _close(connection)
        code, text = _verdict(refusal)
        if 500 <= code <= 599 and code not in _OUR_OWN_FAULT:
            bounces.refused(row, text, code=code, about_receiver=not isinstance(refusal, smtplib.SMTPDataError))
            return _end(row, Status.FAILED, f"refused with {code}: {text}")
        return _later(row, f"refused with {code}: {text}")
    except ValueError as fault:  # an address that is invalid in a mail
        return _end(row, Status.FAILED, f"the address cannot be used: {fault}")
    except (OSError, AnymailError) as fault:
        _close(connection)
        return _later(row, f"{type(fault).__name__}: {fault}")
    except patience.Unanswered as fault:
        _close(connection)
        return _later(row, str(fault), times=UNANSWERED)
    if results is None:
        return _end(row, Status.SENT, shows=shows)
    results.add(row, shows)
    return Outcome.SENT


def _verdict(refusal: smtplib.SMTPException | AnymailRecipientsRefused) -> tuple[int, str]:
    """Return the reply code and text of a mail server that refused one mail."""
    text: bytes | str
    if isinstance(refusal, smtplib.SMTPRecipientsRefused):
        code, text = next(iter(refusal.recipients.values()))
    elif isinstance(refusal, smtplib.SMTPDataError):
        code, text = refusal.smtp_code, refusal.smtp_error
    else:
        code, text = 550, str(refusal)
    return code, text.decode(errors="replace") if isinstance(text, bytes) else text


def _close(connection: BaseEmailBackend) -> None:
    try:
        connection.close()
    except OSError as fault:  # the server hung up first
        log.debug("closing the connection to the mail server: %s", fault)


def _end(row: Outbox, status: Status, reason: str = "", *, holds: bool = True, shows: registry.Shows | None = None) -> Outcome:
    if status == Status.FAILED:
        # Without the reason: servers like to repeat the address in it. It is in the row, which can be erased.
        log.warning("the notice %s (%s) failed for good after %s tries", row.id, row.kind, row.attempts)
    with transaction.atomic():
        if not claims.settle(row, status, error=reason):
            return Outcome.LOST
        timing.settled(row, status, holds=holds)
        shown.note(row, shows)
    if holds and status != Status.SENT:
        channels.hurry(row)
    return Outcome(status.value)


def _later(row: Outbox, reason: str, *, times: int = 1) -> Outcome:
    now = timezone.now()
    if now - row.due_at > GIVE_UP_AFTER:
        return _end(row, Status.FAILED, reason)
    if not claims.put_back(row, until=now + times * pause(row.attempts), error=reason):
        return Outcome.LOST
    timing.waits_for_server(row)
    return Outcome.RETRY
