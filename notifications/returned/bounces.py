"""Reports of undelivered or unwanted mail, from all sources in one table. Each counts once.

The mail server reports while it takes the mail, a delivery report comes to the return path, a provider calls our webhook
(django-anymail's tracking signal). `notifications.returned.suppression` draws the consequences.
"""

from __future__ import annotations

import hashlib
import logging
from dataclasses import replace
from datetime import datetime
from uuid import UUID

from anymail.signals import AnymailTrackingEvent, EventType, RejectReason, tracking
from django.db import transaction
from django.utils import timezone

from gamesvc.json_types import JsonMapping
from notifications import channels, registry
from notifications.models import Bounce, Outbox, Report, Scope, Source, Status
from notifications.parsing import dsn
from notifications.parsing.dsn import Finding
from notifications.returned import suppression
from notifications.returned.return_paths import ReturnPath
from notifications.wanted import muting
from notifications.wanted.preferences import address_hash, receiver_of

log = logging.getLogger(__name__)


def register() -> None:
    """Listen to the tracking events of mail providers."""
    tracking.connect(tracked, dispatch_uid="notifications.returned.bounces")


def take(path: ReturnPath, raw: bytes, *, received_at: datetime) -> None:
    """Process a mail to one of our return paths. A repetition has no effect. It is never answered."""
    row = Outbox.objects.filter(pk=path.delivery).first()
    if row is None or (row.status == Status.QUEUED and not row.sent_to):
        log.info("a mail came back for the notice %s, which was never sent or is forgotten", path.delivery)
        return
    finding = dsn.read(raw)
    if finding is None:
        log.info("a mail to the return path of the notice %s reports no failure", row.id)
        return
    _record(finding, Source.DSN, row=row, key=f"{row.id} {finding.report}", moment=received_at)


def refused(row: Outbox, reply: str, *, code: int, about_receiver: bool) -> None:
    """Record that the mail server refused this notice for good. `about_receiver`: the reason was the receiver, not the mail."""
    finding = dsn.judge(f"{code} {reply}")
    if finding.report == Report.HARD and not finding.status and not about_receiver:
        finding = Finding(Report.SOFT, finding.status, finding.detail)
    _record(finding, Source.SMTP, row=row, key=str(row.id), moment=timezone.now())


def tracked(sender: object, event: AnymailTrackingEvent, esp_name: str, **_: object) -> None:
    """Process a provider's event about one of our mails."""
    row = _row_of(event.metadata)
    if event.event_type == EventType.UNSUBSCRIBED:
        if row is not None:
            _mute(row)
        return
    finding = _said(event, row)
    address = address_hash(event.recipient) if event.recipient else ""
    if finding is None or (row is None and not address):
        return
    moment = event.timestamp or timezone.now()
    told = event.event_id or f"{row.id if row is not None else address} {finding.report} {moment.isoformat()}"
    _record(finding, Source.PROVIDER, row=row, address=address, key=f"{esp_name} {told}", moment=moment)


def _said(event: AnymailTrackingEvent, row: Outbox | None) -> Finding | None:
    text = event.mta_response or event.description or ""
    match event.event_type:
        case EventType.COMPLAINED:
            return Finding(Report.COMPLAINT, "", "")
        case EventType.BOUNCED:
            finding = dsn.judge(text)
            # Without a server's status code the provider's own classification counts: it says "soft" if it means soft.
            plain = not finding.status and not any(character.isdecimal() for character in text)
            hard = plain and event.reject_reason in (RejectReason.BOUNCED, RejectReason.INVALID) and "soft" not in text.lower()
            return Finding(Report.HARD, "", finding.detail) if hard else finding
        case EventType.REJECTED:
            report = {
                RejectReason.INVALID: Report.HARD,
                RejectReason.BOUNCED: Report.HARD,
                RejectReason.SPAM: Report.COMPLAINT,
            }.get(event.reject_reason, Report.SOFT)
            if report == Report.COMPLAINT and row is not None and row.kind in registry.quoting():
                report = Report.SOFT  # perhaps a filter said so, of what another player wrote
            return Finding(report, "", dsn.redact(text))
    return None


def _row_of(metadata: JsonMapping | None) -> Outbox | None:
    """Return the notice named in the metadata that we gave the provider with the mail."""
    try:
        identity = UUID(str((metadata or {}).get("delivery", "")))
    except ValueError:
        return None
    return Outbox.objects.filter(pk=identity).first()


def _record(finding: Finding, source: Source, *, row: Outbox | None, key: str, moment: datetime, address: str = "") -> None:
    """Store a report and draw its consequence, once."""
    about = (row.sent_to if row is not None else "") or address
    if not about:
        return
    if finding.report == Report.HARD and row is not None and row.kind in registry.quoting() and not dsn.is_gone(finding):
        finding = replace(finding, report=Report.SOFT)
    with transaction.atomic():
        bounce, new = Bounce.objects.get_or_create(
            key=hashlib.sha256(f"{source} {key}".encode()).hexdigest(),
            defaults={
                "delivery": row.id if row is not None else None,
                "kind": row.kind if row is not None else "",
                "topic": row.topic if row is not None else "",
                "user_id": row.user_id if row is not None else None,
                "address_hash": about,
                "report": finding.report,
                "source": source,
                "status": finding.status,
                "detail": finding.detail,
                "happened_at": moment,
            },
        )
        if new and row is not None and finding.report == Report.HARD:
            channels.hurry(row)
        if new and suppression.weigh(bounce):
            log.warning("no more mail to the receiver of the notice %s: %s %s", bounce.delivery, bounce.report, bounce.status)


def _mute(row: Outbox) -> None:
    """Mute as one click does: the match, or without a match the kind."""
    muting.mute(receiver_of(row), [(Scope.TOPIC, row.topic) if row.topic else (Scope.KIND, row.kind)])
