"""The delivery of each notice, channel by channel, for its receiver: queued, sent, refused, bounced, acted on."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from uuid import UUID

from django.db.models import Q, QuerySet
from django.utils import timezone

from accounts.models import User
from gamesvc.json_types import JsonObject
from notifications import registry
from notifications.models import Bounce, Handover, Outbox, Status

# Later acts are not counted: they would not be because of the notice.
LOOKED_FOR = timedelta(days=60)


def notices(user: User, *, before: tuple[datetime, UUID] | None = None) -> QuerySet[Outbox]:
    """Return a user's notices before a place in the list, newest first."""
    rows = Outbox.objects.filter(user=user).order_by("-created_at", "-id")
    if before is not None:
        rows = rows.filter(Q(created_at__lt=before[0]) | Q(created_at=before[0], id__lt=before[1]))
    return rows.prefetch_related("handovers")


def note_acts(rows: Sequence[Outbox]) -> None:
    """Find out which of these notices were acted on since they were sent by any channel, and store it."""
    since = timezone.now() - LOOKED_FOR
    carriers = Outbox.objects.in_bulk([row.merged_into for row in rows if row.merged_into is not None])
    for row in rows:
        carrier = carriers.get(row.merged_into) if row.merged_into is not None else None
        if carrier is not None:
            row.sent_at = carrier.sent_at  # in memory: when its text was sent, by whatever mail
    told = {row.pk: at for row in rows if row.acted_at is None and (at := _told_at(row)) is not None and at > since}
    by_kind: dict[str, list[Outbox]] = {}
    for row in rows:
        if row.pk in told:
            by_kind.setdefault(row.kind, []).append(row)
    for name, of_kind in by_kind.items():
        kind = registry.find(name)
        if kind is None or kind.acted is None:
            continue
        found = kind.acted(of_kind, told)
        for row in of_kind:
            if row.pk in found:
                row.acted_at = found[row.pk]
                Outbox.objects.filter(pk=row.pk, acted_at=None).update(acted_at=row.acted_at)


def _told_at(row: Outbox) -> datetime | None:
    """Return when the notice was first sent."""
    moments = [row.sent_at, *(one.done_at for one in row.handovers.all() if one.status == Handover.Status.SENT)]
    return min((moment for moment in moments if moment is not None), default=None)


def entries(rows: Sequence[Outbox]) -> list[JsonObject]:
    """Return the delivery of these notices, each with its steps in order of time."""
    note_acts(rows)
    bounces: dict[UUID, list[Bounce]] = {}
    for bounce in Bounce.objects.filter(delivery__in=[row.pk for row in rows]):
        if bounce.delivery is not None:
            bounces.setdefault(bounce.delivery, []).append(bounce)
    return [_entry(row, bounces.get(row.pk, [])) for row in rows]


def _entry(row: Outbox, bounces: Sequence[Bounce]) -> JsonObject:
    kind = registry.find(row.kind)
    steps = [_step("queued", "", row.created_at)]
    if row.sent_at is not None:
        steps.append(_step("sent", "mail", row.sent_at))
    if row.status == Status.FAILED:
        steps.append(_step("refused", "mail", None, row.error))
    steps += [_step("bounced", "mail", bounce.happened_at, f"{bounce.report} {bounce.status}".strip()) for bounce in bounces]
    for handover in row.handovers.all():
        if handover.status == Handover.Status.WAITING:
            steps.append(_step("planned", handover.channel, handover.due_at, handover.error))
        else:
            state = "refused" if handover.status == Handover.Status.FAILED else handover.status
            steps.append(_step(state, handover.channel, handover.done_at, handover.error))
    if row.acted_at is not None:
        steps.append(_step("acted upon", "", row.acted_at))
    steps.sort(key=lambda step: (step["at"] is None, step["at"].timestamp() if step["at"] else 0))
    return {
        "id": str(row.pk),
        "kind": row.kind,
        "label": kind.label if kind is not None else row.kind,
        "match": row.topic or None,
        "status": row.status,
        "due_at": row.due_at,
        "reason": row.error if row.status in (Status.DROPPED, Status.FAILED) else "",
        "told_by": str(row.merged_into) if row.merged_into is not None else None,
        "steps": steps,
    }


def _step(state: str, channel: str, at: datetime | None, detail: str = "") -> JsonObject:
    return {"state": state, "channel": channel, "at": at, "detail": detail}
