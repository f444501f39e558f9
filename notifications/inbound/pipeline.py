"""A stored mail's way to its handler: small steps, each of which may refuse it by name (MAIL_AND_API.md section 4).

Everything here may run again for the same mail: a worker that dies leaves a lease that runs out.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Iterable
from uuid import UUID

from notifications.inbound import held, purposes, reading, robots, store, text, trust
from notifications.inbound.purposes import Letter
from notifications.inbound.refusals import Hears, MailRefused
from notifications.models import InboundMail, MailStatus

log = logging.getLogger(__name__)

BATCH = 25
SWEEP_LASTS = 20.0


def work(ids: Iterable[UUID] | None = None) -> int:
    """Work on waiting mails (of `ids` only, if given) until none is left or the time is up; return how many were settled."""
    settled, end = 0, time.monotonic() + SWEEP_LASTS
    while time.monotonic() < end and (mails := store.claim(BATCH, ids=ids)):
        with store.kept(mails):
            settled += sum(work_on(mail) for mail in mails)
    return settled


def work_on(mail: InboundMail) -> bool:
    """Work on one claimed mail; False if it must be tried again, or is another worker's by now."""
    if not store.begin(mail):
        return False
    if mail.attempts > store.MOST_ATTEMPTS:
        return _give_up(mail, "too many attempts: working on this mail seems to stop the worker")
    try:
        return _steps(mail)
    except MailRefused as refused:
        return _refused(mail, refused)
    except Exception as fault:
        # The border to the handlers: a fault in one mail is recorded and logged, and never stops the other mails.
        log.exception("the mail %s could not be worked on", mail.id)
        error = f"{type(fault).__name__}: {fault}"
        if mail.attempts >= store.MOST_ATTEMPTS:
            return _give_up(mail, error)
        store.put_back(mail, error=error)
        return False


def _steps(mail: InboundMail) -> bool:
    address = mail.address
    raw = bytes(mail.raw)
    message = reading.parse(raw)
    sender = reading.sender_of(message)
    robots.check_person(message, envelope_from=mail.envelope_from, sender=sender)
    if address.user is not None and not address.user.is_active:
        raise MailRefused("inactive")
    if address.purpose == held.PURPOSE:
        held.answered(address, text.written(message))
        return store.settle(mail, MailStatus.DONE)
    if mail.confirmed_at is None:
        trust.check_owner(address, message, raw, sender)
    handler = purposes.find(address.purpose)
    if handler is None:
        raise MailRefused("no_such_purpose", address.purpose)
    written, refusal = "", ""
    try:
        written = text.written(message)
    except MailRefused as refused:
        if refused.hears is not Hears.WORDS:
            raise
        refusal = refused.code
    letter = Letter(mail.id, address.user, address.payload, written, mail.counts_at, mail.message_id, refusal, address.email)
    handled = handler(letter)
    notice = handled.notice if held.may_answer(address) else None
    return store.settle(mail, MailStatus.DONE, error=refusal, report=handled.report, notice=notice)


def _refused(mail: InboundMail, refused: MailRefused) -> bool:
    """By the table: silence, or a question to the owner of the address, at his own address."""
    log.info("the mail %s is refused: %s", mail.id, refused.code)
    if refused.hears is Hears.QUESTION:
        notice = held.question(mail) if held.may_answer(mail.address, held.QUESTIONS_A_DAY) else None
        return store.settle(mail, MailStatus.HELD, error=str(refused), notice=notice)
    return store.settle(mail, MailStatus.REFUSED, error=str(refused))


def _give_up(mail: InboundMail, error: str) -> bool:
    """Set the mail aside and tell its sender's account."""
    log.error("the mail %s is set aside after %s tries", mail.id, mail.attempts)
    return store.settle(mail, MailStatus.FAILED, error=error, notice=store.failed_notice(mail))
