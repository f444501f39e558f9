"""From a stored mail to its handler: small steps, each of which may refuse it with a code (`refusals`).

Everything here may run again for the same mail: the lease of a dead worker expires.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from email.message import Message
from uuid import UUID

from django.conf import settings
from django.utils import timezone, translation

from accounts.models import User
from gamesvc.away import is_at_fault
from gamesvc.time_limits import putting_off
from notifications import outbox
from notifications.inbound import destinations, held, purposes, standing, store
from notifications.inbound.proving import covering, names, trust
from notifications.inbound.proving.authentication import Verdict
from notifications.inbound.proving.names import Unanswered
from notifications.inbound.proving.sender import sender_of
from notifications.inbound.purposes import Letter
from notifications.models import InboundMail, MailStatus, ReplyAddress
from notifications.parsing import automatic, reading, robots, text
from notifications.parsing.limits import cpu_limit
from notifications.parsing.refusals import Hears, MailRefused

log = logging.getLogger(__name__)

BATCH = 25
SWEEP_LASTS = 20.0
# A mail that has met only faults of the database for so long may cause them itself.
FAULTS_LAST = timedelta(days=1)


def work(ids: Iterable[UUID] | None = None, *, most: int | None = None) -> int:
    """Process waiting mails (of `ids` only, if given) until none is left, the time is up, or `most` were taken.

    Returns how many were settled.
    """
    settled, taken, end = 0, 0, time.monotonic() + SWEEP_LASTS
    with outbox.waking_together():
        while time.monotonic() < end and (mails := store.claim(BATCH if most is None else min(BATCH, most - taken), ids=ids)):
            with store.kept(mails):
                for number, mail in enumerate(mails):
                    if number and (time.monotonic() >= end or mails[number - 1].attempts > 1):
                        # Slow mails of some senders must not keep others claimed: the next claim is fair again. A mail that was
                        # tried before may be slow, so new ones go before the next of these.
                        store.release(mails[number:])
                        break
                    taken += 1
                    settled += work_on(mail)
    return settled


def work_on(mail: InboundMail) -> bool:
    """Process one claimed mail. Return False if it must be tried again, or belongs to another worker by now."""
    verified = store.begin(mail)
    if verified is None:
        return False
    if mail.attempts > store.MOST_ATTEMPTS:
        return _give_up(mail, "too many attempts: working on this mail seems to stop the worker")
    try:
        with putting_off(lambda: store.put_back(mail, error="the time of the task was over")):
            return _steps(mail, verified)
    except MailRefused as refused:
        return _refused(mail, refused)
    except Unanswered as silence:
        store.put_back(mail, error=str(silence))
        return False
    except Exception as fault:
        # Here the handlers begin: a fault in one mail is recorded and logged, and never stops the other mails.
        log.exception("the mail %s could not be worked on", mail.id)
        error = f"{type(fault).__name__}: {fault}"
        if is_at_fault(fault) and timezone.now() < mail.received_at + FAULTS_LAST:
            store.put_off(mail, error=error)
            return False
        if mail.attempts >= store.MOST_ATTEMPTS:
            return _give_up(mail, error)
        store.put_back(mail, error=error)
        return False


@dataclass(frozen=True, slots=True)
class _Read:
    """A parsed mail: sender, proof (None if none is needed), headers, and its text or the reason why there is none.

    `automatic`: it may be the answer of a machine, although it is not marked as one. `fingerprint`: what a proved mail keeps when
    it is sent again.
    """

    sender: str
    verdict: Verdict | None
    headers: Message
    text: text.Written
    refusal: MailRefused | None
    automatic: bool = False
    fingerprint: str = ""


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
        verdict = _proof(mail, message, sender) if prove else None
        own, refusal = text.Written("", ""), None
        try:
            own = text.written(message)
        except MailRefused as refused:
            if refused.hears is not Hears.WORDS:
                raise
            refusal = refused
        mark = _fingerprint(mail, message, sender) if verdict is not None else ""
        return _Read(sender, verdict, headers, own, refusal, automatic.is_automatic(message, own.own), mark)


def _proof(mail: InboundMail, message: Message, sender: str) -> Verdict:
    raw, patient = bytes(mail.raw), names.is_patient(mail.attempts)
    return trust.prove(message, raw, sender, patient=patient, envelope_from=mail.envelope_from, digests=mail.body_digests)


def _fingerprint(mail: InboundMail, message: Message, sender: str) -> str:
    """Return the fingerprint of a mail; empty where every mail is believed, and repeated as it is."""
    if settings.INBOUND_AUTH == "loopback":
        return ""
    return covering.fingerprint(message, bytes(mail.raw), sender, mail.body_digests)


def _steps(mail: InboundMail, verified: Sequence[str]) -> bool:
    """Do all that a mail asks for. `verified`: the addresses that the owner of its reply address has verified."""
    address = mail.address
    if address.user is not None and not address.user.is_active:
        raise MailRefused("inactive")
    confirms = address.purpose == held.PURPOSE
    read = _read(mail, prove=not confirms and mail.confirmed_at is None)
    if confirms:
        _check_writer(address, read)
        held.answered(address, read.text.own)
        return store.settle(mail, MailStatus.DONE)
    try:
        owner = standing.check_sender(mail, read.sender, read.verdict) if standing.is_box(address) else address.user
    except standing.NoPlayer as stranger:
        if read.verdict is not None:
            _check_meant(mail, read, read.verdict)
        return _settle_stranger(mail, stranger)
    if read.verdict is not None:
        trust.check_owner(address, read.sender, read.verdict, verified)
        _check_meant(mail, read, read.verdict)
    if standing.is_box(address):
        standing.check_rate(mail)
    if mail.confirmed_at is None:
        _check_writer(address, read)
    return _handle(mail, read, owner)


def _handle(mail: InboundMail, read: _Read, owner: User | None) -> bool:
    """Give the letter to the handler of its purpose, in the language of its sender, and store the result."""
    address = mail.address
    handler = purposes.find(address.purpose)
    if handler is None:
        raise MailRefused("no_such_purpose", address.purpose)
    refusal = read.refusal.code if read.refusal else ""
    letter = Letter(
        id=mail.id,
        owner=owner,
        payload=address.payload,
        text=read.text.own,
        counts_at=mail.counts_at,
        message_id=mail.message_id,
        refusal=refusal,
        email=address.email,
        below=read.text.below,
        quoting=read.text.quoting,
        perhaps_quoted=read.text.perhaps_quoted,
        automatic=read.automatic,
        confirmed=mail.confirmed_at is not None,
        again=mail.attempts > 1,
    )
    with translation.override(owner.language if owner else settings.LANGUAGE_CODE):
        handled = handler(letter)
    notice = handled.notice if held.may_answer(address) else None
    # Only an answer needs it.
    report = handled.report if notice is not None or handled.notice is None else None
    return store.settle(mail, MailStatus.DONE, error=refusal, report=report, notice=notice)


def _check_meant(mail: InboundMail, read: _Read, verdict: Verdict) -> None:
    """Refuse a mail that its proved sender wrote to others, or that was worked on before. Raises `MailRefused`."""
    address = mail.address
    to_proved = verdict.proves("to")
    # Only where it is needed: what a mail answers is looked up in the database.
    meant = to_proved or (verdict.proves("subject") and destinations.answers_topic(read.headers, address))
    if not meant or not destinations.written_to(read.headers, address):
        raise MailRefused("misdirected")
    if read.fingerprint:
        if not trust.is_recent(read.headers):
            raise MailRefused("unproved", "too old")
        if not store.is_first(mail, read.fingerprint, among_all=not to_proved):
            raise MailRefused("repeated")


def _check_writer(address: ReplyAddress, read: _Read) -> None:
    """Refuse an automatic answer without marks, unless the purpose's handler looks for orders in it. Raises `MailRefused`."""
    if read.automatic and not purposes.weighs(address.purpose):
        raise MailRefused("automatic")


def _refused(mail: InboundMail, refused: MailRefused) -> bool:
    """Apply the table of refusals: silence, or a question or the reason, to the owner of the address at their own address."""
    log.info("the mail %s is refused: %s", mail.id, refused.code)
    status, notice = MailStatus.REFUSED, None
    if standing.is_box(mail.address):
        return _refused_at_standing(mail, refused)
    if refused.hears is Hears.QUESTION:
        status, notice = MailStatus.HELD, held.question(mail, reason=refused.code)
    elif _hears_why(mail, refused):
        notice = store.failed_notice(mail, code=refused.code)
    return store.settle(mail, status, error=str(refused), notice=notice)


def _refused_at_standing(mail: InboundMail, refused: MailRefused) -> bool:
    """Refuse a mail to the standing address: in silence, unless its sender is proved. Anyone can write there."""
    notice = None
    if standing.is_heard(refused) and _hears_why(mail, refused):
        notice = replace(store.failed_notice(mail, code=refused.code), **standing.receiver_of(mail))
    return store.settle(mail, MailStatus.REFUSED, error=str(refused), notice=notice) and standing.forget_text(mail)


def _settle_stranger(mail: InboundMail, stranger: standing.NoPlayer) -> bool:
    """Tell the proved sender of a mail to the standing address, who has no account, how to take part."""
    notice = standing.welcome(mail, stranger.sender)
    return store.settle(mail, MailStatus.REFUSED, error=str(stranger), notice=notice) and standing.forget_text(mail)


def _hears_why(mail: InboundMail, refused: MailRefused) -> bool:
    """Count the answer that gives the reason. Return False if there is none, or beyond its limit."""
    if refused.hears is Hears.ONCE:
        return held.may_answer(mail.address, 1, reason=f"{refused.code} {mail.address.topic}")
    return refused.hears is Hears.REASON and held.may_answer(mail.address, held.QUESTIONS_A_DAY, reason=refused.code)


def _give_up(mail: InboundMail, error: str) -> bool:
    """Set the mail aside and notify its sender's account."""
    log.error("the mail %s is set aside after %s tries", mail.id, mail.attempts)
    notice = None if standing.is_box(mail.address) else store.failed_notice(mail)
    return store.settle(mail, MailStatus.FAILED, error=error, notice=notice)
