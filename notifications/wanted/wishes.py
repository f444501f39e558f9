"""Notification settings: reminders, batches, the digest, the order of channels.

Mutes are in `preferences`. Durations are in the service's hours (`SECONDS_PER_HOUR`), so the short hours of a demonstration
shorten them too.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta

from django.conf import settings
from django.db import transaction
from django.dispatch import Signal
from django.utils import timezone

from accounts.bots import bots
from accounts.models import User
from accounts.throttling import count_or_wait
from gamesvc.database.prepared import OneOf, Prepared
from gamesvc.errors import Refusal
from gamesvc.json_types import JsonMapping, JsonObject
from gamesvc.language import say
from notifications import channels
from notifications.models import Outbox, Preference
from notifications.wanted import shared_reads
from notifications.wanted.digest_hour import next_digest
from notifications.wanted.reminders import DEFAULT_POINTS

MOST_POINTS = 6
POINTS_PER_DAY = 100
"""Times that a user sets reminders, in general and for matches: new ones whose time has come are sent at once."""
LONGEST_BATCH = 24 * 60
CHANNEL_MINUTES = 60
LONGEST_THRESHOLD = 30 * 24

_POINT = re.compile(r"\A(?:[1-9][0-9]?%|[1-9][0-9]{0,2}[mhd])\Z")
_OF_USERS = Prepared(lambda: Preference.objects.filter(user=OneOf("users", "bigint")).order_by("topic"))


class WishRefused(Refusal):
    """A wish about notices that cannot be met."""


@dataclass(frozen=True)
class Wishes:
    """The settings in force for a user and a topic, after all defaults.

    `reminders`: points of a deadline, `80%` of its time gone or `2h` before it. `batch_minutes`: how long notices gather after a
    mail; 0: never. `receipt_minutes`: the same for receipts. `subject_per_turn`: each mail about a match has its own subject;
    else all have the same. `immediate_below`: hours left below which a mail goes at once, None: always. `digest_hour`: the local
    hour of the daily digest, None: no digest. `channels`: in the order they are tried, `channel_minutes` apart.
    """

    reminders: tuple[str, ...] = DEFAULT_POINTS
    batch_minutes: int = field(default_factory=lambda: int(settings.NOTICE_BATCH_MINUTES))
    receipt_minutes: int = field(default_factory=lambda: int(settings.NOTICE_RECEIPT_MINUTES))
    subject_per_turn: bool = field(default_factory=lambda: bool(settings.NOTICE_SUBJECT_PER_TURN))
    immediate_below: int | None = None
    digest_hour: int | None = None
    channels: tuple[str, ...] = ("mail",)
    channel_minutes: int = CHANNEL_MINUTES

    def as_json(self) -> JsonObject:
        return {
            "reminders": list(self.reminders),
            "batch_minutes": self.batch_minutes,
            "receipt_minutes": self.receipt_minutes,
            "subject_per_turn": self.subject_per_turn,
            "immediate_below": self.immediate_below,
            "digest_hour": self.digest_hour,
            "channels": list(self.channels),
            "channel_minutes": self.channel_minutes,
        }


# Sent inside the transaction that changes a user's settings, with `user_id`.
wishes_changed = Signal()

GENERAL = (
    *("reminders", "batch_minutes", "receipt_minutes", "subject_per_turn", "immediate_below", "digest_hour"),
    *("channels", "channel_minutes"),
)
OF_A_TOPIC = ("reminders", "batch_minutes")


def wishes_of(user_id: int, topic: str = "") -> Wishes:
    """Return a user's settings for a topic: those for the topic, else the general ones, else the defaults."""
    rows = shared_reads.for_all(_rows_of, user_id, lambda: _read([user_id])[user_id])
    found: JsonObject = {}
    for row in (one for one in rows if one.topic in ("", topic)):
        for name in OF_A_TOPIC if row.topic else GENERAL:
            value = getattr(row, name)
            if value is not None:
                found[name] = tuple(value) if isinstance(value, list) else value
    return Wishes(**found)


def _rows_of(notices: Sequence[Outbox]) -> dict[int, list[Preference]]:
    return _read([row.user_id for row in notices if row.user_id is not None])


def _read(users: Sequence[int]) -> dict[int, list[Preference]]:
    """Return all settings of users, the general ones first."""
    found: dict[int, list[Preference]] = {user: [] for user in users}
    for row in _OF_USERS.rows(users=users):
        found[row.user_id].append(row)
    return found


def own_wishes(user: User, topic: str = "") -> JsonObject:
    """Return the user's own settings; None for a default."""
    row = Preference.objects.filter(user=user, topic=topic).first()
    return {name: getattr(row, name, None) for name in (OF_A_TOPIC if topic else GENERAL)}


def set_wishes(user: User, changes: JsonMapping, *, topic: str = "") -> Wishes:
    """Change some settings; None restores the default. Raises `WishRefused` and `TooMany`, and then nothing has changed."""
    names = OF_A_TOPIC if topic else GENERAL
    values = {name: _checked(name, value, names) for name, value in changes.items()}
    if "reminders" in values:
        sentence = say("You can set reminders at most {most} times a day.", most=POINTS_PER_DAY)
        count_or_wait(f"reminders of {bots.root(user)}", POINTS_PER_DAY, 86_400, sentence)
    with transaction.atomic():
        User.lock(user.pk)
        row, _ = Preference.objects.select_for_update().get_or_create(user=user, topic=topic)
        for name, value in values.items():
            setattr(row, name, value)
        if row.immediate_below is not None and row.digest_hour is None:
            raise WishRefused(
                "no_digest",
                "Mails that wait need a digest that tells of them: choose an hour for it, or let every mail go at once.",
                "immediate_below",
            )
        row.digest_at = next_digest(user, row.digest_hour) if row.digest_hour is not None else None
        if row.digest_hour is not None and row.digested_at is None:
            row.digested_at = timezone.now()
        row.save()
        wishes_changed.send(sender=Preference, user_id=user.pk)
    return wishes_of(user.pk, topic)


def minutes(number: float) -> timedelta:
    """Return this many minutes, by the service's hours."""
    return timedelta(seconds=number * settings.SECONDS_PER_HOUR / 60)


def _checked(name: str, value: object, names: tuple[str, ...]) -> object:
    if name not in names:
        raise WishRefused("unknown_wish", f"There is no such setting. The settings are: {', '.join(names)}.", name)
    if value is None:
        return None
    match name:
        case "reminders":
            return _points(value)
        case "channels":
            return _order(value)
        case "subject_per_turn":
            if isinstance(value, bool):
                return value
            raise WishRefused("bad_choice", "Give true for a subject per turn, or false for one subject per match.", name)
    low, high = {
        "batch_minutes": (0, LONGEST_BATCH),
        "receipt_minutes": (0, LONGEST_BATCH),
        "immediate_below": (0, LONGEST_THRESHOLD),
        "digest_hour": (0, 23),
        "channel_minutes": (1, LONGEST_BATCH),
    }[name]
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise WishRefused("bad_number", f"Give a whole number from {low} to {high}.", name)
    return value


def _points(value: object) -> list[str]:
    if not isinstance(value, list | tuple) or len(value) > MOST_POINTS:
        raise WishRefused(
            "bad_points", f"Give a list of at most {MOST_POINTS} points; an empty one means no reminders.", "reminders"
        )
    points = [str(point).strip().lower().replace(" ", "") for point in value]
    for point in points:
        if not _POINT.match(point):
            detail = (
                f"“{point[:20]}” is not a point of a deadline. Write 80% for a share of the time gone, or 2h, 30m, 1d before it."
            )
            raise WishRefused("bad_points", detail, "reminders")
    return list(dict.fromkeys(points))


def _order(value: object) -> list[str]:
    known = ["mail", *channels.names()]
    if (
        not isinstance(value, list | tuple)
        or "mail" not in value
        or len(set(value)) != len(value)
        or not set(value) <= set(known)
    ):
        detail = f"Give each channel once, in the order in which to try them: {', '.join(known)}. Mail is always one of them."
        raise WishRefused("bad_channels", detail, "channels")
    return list(value)
