"""Simulated players: their settings, their matches, and how long they take to answer."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, time, timedelta
from zoneinfo import ZoneInfo

from allauth.account.models import EmailAddress

from accounts.models import User
from gamesvc.json_types import JsonObject
from gamesvc.ops.simulation.sink import NOBODY
from notifications.models import Preference

ZONES = ("Europe/Berlin", "America/New_York", "Asia/Kolkata", "Australia/Sydney", "America/Sao_Paulo", "UTC")
KINDS = {"fast": 0.4, "slow": 0.25, "sleeping": 0.25, "absent": 0.1}
# Resolution of the time at which players act: closer acts happen together.
GRAIN = timedelta(minutes=10)
UNREACHABLE = 0.02
WAKES, SLEEPS = time(7), time(22)

# Clocks and how often they are chosen, each with its rule for timeouts.
CLOCKS: tuple[tuple[float, JsonObject], ...] = (
    (3, {"hours": 24}),
    (2, {"hours": 48, "excused": 1}),
    (2, {"hours": 12, "timeout": "lose"}),
    (2, {"hours": 24, "timeout": "bot"}),
    (2, {"hours": 24, "timeout": "pass", "after": 2}),
    (2, {"turn": "1d", "after": 1, "excused": 1, "grace": "2h"}),
    (2, {"turn": "1d", "quiet_hours": 10, "vacation": True, "minimum": "3h", "after": 3}),
    (2, {"turn": "6h", "bank": {"start": "2d", "increment": "4h", "cap": "3d"}, "quiet_hours": 9, "vacation": True}),
    (1, {"turn": "1d", "days_off": {"weekdays": ["sat", "sun"], "holidays": "DE", "zone": "Europe/Berlin"}}),
    (1, {"adjudication": {"at": ["18:00"], "days": ["tue", "fri"], "zone": "Europe/Berlin"}, "minimum": "12h", "after": 2}),
)
# Games and how often they are chosen: (share, game, options, seats).
GAMES: tuple[tuple[float, str, JsonObject, int], ...] = (
    (65, "stratastar", {"max_rounds": 1}, 2),
    (10, "stratastar", {"max_rounds": 1}, 3),
    (15, "stratastar", {"max_rounds": 2}, 2),
    (8, "space_fleet_commander", {"mode": "classic"}, 1),
    (2, "space_fleet_commander", {"mode": "race"}, 2),
)


@dataclass(frozen=True, slots=True)
class Plan:
    """A match to be opened: its time, its settings, and its players. Bots take the other seats."""

    at: datetime
    game: str
    options: JsonObject
    clock: JsonObject
    people: tuple[int, ...]
    bots: int = 0


# Longest time that a player lets a match without a deadline wait.
LONGEST = timedelta(days=30)


@dataclass(slots=True)
class Person:
    """A player: how they play, where they live, and when they are away."""

    id: int
    kind: str
    zone: ZoneInfo
    away: list[tuple[datetime, datetime]] = field(default_factory=list)

    def answers_at(self, asked: datetime, due: datetime | None, rng: random.Random) -> datetime | None:
        """Return when the player answers a question; None for never. It may be too late."""
        # While a match is paused nothing is due.
        left = min(max(due - asked, timedelta(hours=1)), LONGEST) if due is not None else LONGEST
        match self.kind:
            case "fast":
                moment = asked + min(left * 0.9, timedelta(minutes=15 + rng.expovariate(1 / 90)))
            case "slow":
                # A player who watches the clock: mostly in time, sometimes at the very last moment.
                moment = asked + left * rng.choice((0.5, 0.7, 0.85, 0.95, 0.99, 1.0, 1.05))
            case "sleeping":
                moment = self._awake(asked + timedelta(hours=rng.expovariate(1 / 3)))
            case _:
                if rng.random() < 0.5:
                    return None
                moment = asked + left * rng.uniform(0.3, 1.2)
        for start, end in self.away:
            if start <= moment < end:
                moment = end + timedelta(hours=rng.uniform(0, 12))
        return _grain(moment)

    def _awake(self, moment: datetime) -> datetime:
        local = moment.astimezone(self.zone)
        if WAKES <= local.time() < SLEEPS:
            return moment
        day = local.date() + timedelta(days=local.time() >= SLEEPS)
        return datetime.combine(day, WAKES, self.zone).astimezone(moment.tzinfo)


def settle(count: int, rng: random.Random) -> dict[int, Person]:
    """Create the players, with verified addresses and their own settings."""
    names = [f"player{number}" for number in range(count)]
    kinds = rng.choices(list(KINDS), list(KINDS.values()), k=count)
    users = []
    for name, kind in zip(names, kinds, strict=True):
        host = f"{NOBODY}example" if rng.random() < UNREACHABLE else "players.example"
        quiet = kind == "sleeping"
        users.append(
            User(
                username=name,
                email=f"{name}@{host}",
                password="!",
                timezone=rng.choice(ZONES),
                language=rng.choice(("en", "en", "de")),
                quiet_from=SLEEPS if quiet else None,
                quiet_until=WAKES if quiet else None,
            )
        )
    users = User.objects.bulk_create(users)
    EmailAddress.objects.bulk_create(EmailAddress(user=user, email=user.email, verified=True, primary=True) for user in users)
    Preference.objects.bulk_create(row for user in users if (row := _wishes(user, rng)) is not None)
    return {user.pk: Person(user.pk, kind, user.zone) for user, kind in zip(users, kinds, strict=True)}


def _wishes(user: User, rng: random.Random) -> Preference | None:
    """Return settings that differ from the defaults, for some players. The time of a digest is set when the clock runs."""
    chance = rng.random()
    if chance < 0.06:
        return Preference(user=user, digest_hour=rng.randrange(6, 22), immediate_below=rng.choice((None, None, 8)))
    if chance < 0.3:
        return Preference(user=user, reminders=rng.choice(([], ["50%"], ["6h", "1h"], ["90%", "30m"])))
    if chance < 0.4:
        return Preference(user=user, batch_minutes=rng.choice((0, 30, 120)))
    return None


def matches(count: int, people: dict[int, Person], start: datetime, days: int, rng: random.Random) -> Iterator[Plan]:
    """Yield the matches of the period in order, evenly distributed, so that the last ones have some days to be played."""
    lasting = timedelta(days=days) * (0.96 if days > 60 else 0.7)
    ids = sorted(people)
    last = start
    for part in sorted(rng.random() for _ in range(count)):
        # No two at once: if its creation is repeated, a match is recognised by its host and its moment.
        last = moment = max(_grain(start + lasting * part), last + GRAIN)
        _, game, options, seats = rng.choices(GAMES, [one[0] for one in GAMES])[0]
        _, clock = rng.choices(CLOCKS, [one[0] for one in CLOCKS])[0]
        bots = int(seats > 1 and rng.random() < 0.15)
        yield Plan(moment, game, options, clock, tuple(rng.sample(ids, seats - bots)), bots)


def _grain(moment: datetime) -> datetime:
    """Return the next moment at which players may act."""
    since = moment - moment.replace(hour=0, minute=0, second=0, microsecond=0)
    return moment + (-since % GRAIN)
