"""From a stored mail to its handler: small steps, each of which may refuse it with a code (`refusals`).

Everything here may run again for the same mail: the lease of a dead worker expires.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Iterable
from dataclasses import dataclass
from email.message import Message
from uuid import UUID

from gamesvc.time_limits import TimeIsUp
from notifications.inbound import destinations, held, purposes, store
from notifications.inbound.proving import trust
from notifications.inbound.proving.authentication import Verdict
from notifications.inbound.proving.names import Unanswered
from notifications.inbound.proving.sender import sender_of
from notifications.inbound.purposes import Letter
from notifications.models import InboundMail, MailStatus
from notifications.parsing import reading, robots, text
from notifications.parsing.limits import cpu_limit
from notifications.parsing.refusals import Hears, MailRefused

log = logging.getLogger(__name__)

BATCH = 25
SWEEP_LASTS = 20.0


def work(ids: Iterable[UUID] | None = None, *, most: int | None = None) -> int:
    """Process waiting mails (of `ids` only, if given) until none is left, the time is up, or `most` were taken.

    Returns how many were settled.
    """
    settled, taken, end = 0, 0, time.monotonic() + SWEEP_LASTS
    while time.monotonic() < end and (mails := store.claim(BATCH if most is None else min(BATCH, most - taken), ids=ids)):
        with store.kept(mails):
            for number, mail in enumerate(mails):
                if number and (time.monotonic() >= end or mails[number - 1].attempts > 1):
                    # Slow mails of some senders must not keep others claimed: the next claim is fair again. A mail that was tried
                    # before may be slow, so new ones go before the next of these.
                    store.release(mails[number:])
                    break
                taken += 1
                settled += work_on(mail)
    return settled


def work_on(mail: InboundMail) -> bool:
    """Process one claimed mail. Return False if it must be tried again, or belongs to another worker by now."""
    if not store.begin(mail):
        return False
    if mail.attempts > store.MOST_ATTEMPTS:
        return _give_up(mail, "too many attempts: working on this mail seems to stop the worker")
    try:
        return _steps(mail)
    except MailRefused as refused:
        return _refused(mail, refused)
    except Unanswered as silence:
        store.put_back(mail, error=str(silence))
        return False
    except TimeIsUp:
        # The task's time is up, not this mail's: it is tried again, and the task ends.
        store.put_back(mail, error="the time of the task was over")
        raise
    except Exception as fault:
        # Here the handlers begin: a fault in one mail is recorded and logged, and never stops the other mails.
        log.exception("the mail %s could not be worked on", mail.id)
        error = f"{type(fault).__name__}: {fault}"
        if mail.attempts >= store.MOST_ATTEMPTS:
            return _give_up(mail, error)
        store.put_back(mail, error=error)
        return False


@dataclass(frozen=True, slots=True)
class _Read:
    """A parsed mail: sender, proof (None if none is needed), headers, and its text or the reason why there is none."""

    sender: str
    verdict: Verdict | None
    headers: Message
    text: text.Written
    refusal: MailRefused | None


def _read(mail: InboundMail, *, prove: bool) -> _Read:
    """Parse a mail within its CPU limit, without database queries. Raises `MailRefused`.

    Automatic mail is recognised by its headers alone, before anything else can be wrong with it: it gets no answer.
    """
    raw = bytes(mail.raw)
    robots.check_envelope(mail.envelope_from)
    with cpu_limit():
        headers = reading.parse_head(raw)
        robots.check_marks(headers)
        sender = sender_of(headers)
        robots.check_person(headers, envelope_from=mail.envelope_from, sender=sender)
        message = reading.parse(raw)
        verdict = trust.prove(message, raw, sender, patient=mail.attempts > 1) if prove else None
        try:
            return _Read(sender, verdict, headers, text.written(message), None)
        except MailRefused as refused:
            if refused.hears is not Hears.WORDS:
                raise
            return _Read(sender, verdict, headers, text.Written("", ""), refused)


def _steps(mail: InboundMail) -> bool:
    address = mail.address
    if address.user is not None and not address.user.is_active:
        raise MailRefused("inactive")
    confirms = address.purpose == held.PURPOSE
    read = _read(mail, prove=not confirms and mail.confirmed_at is None)
    if confirms:
        held.answered(address, read.text.own)
        return store.settle(mail, MailStatus.DONE)
    if read.verdict is not None:
        trust.check_owner(address, read.sender, read.verdict)
        if not destinations.written_to(read.headers, address):
            raise MailRefused("misdirected")
    handler = purposes.find(address.purpose)
    if handler is None:
        raise MailRefused("no_such_purpose", address.purpose)
    refusal = read.refusal.code if read.refusal else ""
    own, below = read.text
    letter = Letter(mail.id, address.user, address.payload, own, mail.counts_at, mail.message_id, refusal, address.email, below)
    handled = handler(letter)
    notice = handled.notice if held.may_answer(address) else None
    return store.settle(mail, MailStatus.DONE, error=refusal, report=handled.report, notice=notice)


def _refused(mail: InboundMail, refused: MailRefused) -> bool:
    """Apply the table of refusals: silence, or a question or the reason, to the owner of the address at their own address."""
    log.info("the mail %s is refused: %s", mail.id, refused.code)
    status, notice = MailStatus.REFUSED, None
    if refused.hears is Hears.QUESTION:
        status, notice = MailStatus.HELD, held.question(mail, reason=refused.code)
    elif refused.hears is Hears.REASON and held.may_answer(mail.address, held.QUESTIONS_A_DAY, reason=refused.code):
        notice = store.failed_notice(mail, code=refused.code)
    return store.settle(mail, status, error=str(refused), notice=notice)


def _give_up(mail: InboundMail, error: str) -> bool:
    """Set the mail aside and notify its sender's account."""
    log.error("the mail %s is set aside after %s tries", mail.id, mail.attempts)
    return store.settle(mail, MailStatus.FAILED, error=error, notice=store.failed_notice(mail))
