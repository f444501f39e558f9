"""The news for followers of matches: the version they may see, and whether a match waits for them.

An event that is sealed for a follower changes neither. Followers ask after each hint on the channel `MOVED`, and in a sweep.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from uuid import UUID

from django.db.models import F, Q

from accounts.models import User
from gamesvc import paging
from gamesvc.games.kernel.game import Viewer
from gamesvc.json_types import JsonObject
from gamesvc.matches import hints
from gamesvc.matches.access.invited import unanswered
from gamesvc.matches.access.selectors import Access, access_each, access_many, loads, records_for
from gamesvc.matches.models import Match, Seat
from gamesvc.matches.record.loading import Loaded, load

MOVED = hints.MOVED
MOST_ENDED = 100
"""Matches that have ended of which a follower is told after an absence. They say themselves which ones, and each costs a load."""
PAGE = 25
"""Matches of a user in one look: those of a user with thousands would keep all other followers waiting."""


@dataclass(frozen=True, slots=True)
class Glance:
    """A match as one follower may know it now."""

    access: Access
    loaded: Loaded
    invitation: UUID | None = None
    """The follower's unanswered invitation to the match."""

    @property
    def match_id(self) -> UUID:
        return self.loaded.match_id

    @property
    def number(self) -> int:
        return self.access.match.number

    @property
    def viewer(self) -> Viewer:
        return self.access.viewer

    @property
    def version(self) -> int:
        return self.loaded.viewer_version(self.viewer)

    @property
    def awaited(self) -> bool:
        """Return True if the follower must act."""
        return any(one.seat in self.access.may_be for one in self.loaded.awaited())

    @property
    def is_own(self) -> bool:
        """Return True if the follower has a seat in the match, opened it, or is invited to it."""
        return self.access.seat is not None or self.access.is_host or self.invitation is not None

    @property
    def is_unfinished(self) -> bool:
        """Return True if the row of the match, which was read before the events, does not say that it is over."""
        return self.access.match.status in Match.UNFINISHED

    @property
    def challenge(self) -> str:
        """Return the id of the challenge that the follower can accept; empty without one."""
        # The events were read after the row of the match, which may still say that it is open.
        is_open = self.access.match.status == Match.Status.OPEN and not self.loaded.ended
        return str(self.invitation) if self.invitation is not None and is_open else ""

    def records(self, after: int) -> list[JsonObject]:
        """Return the first page of the events after a version, as the follower may see them."""
        return records_for(self.loaded, self.viewer, after, paging.EVENTS)


def glances(match_id: UUID, callers: Collection[tuple[User | None, str]]) -> list[Glance | None]:
    """Return a match as each caller (user and watch link) may know it; None for those who may not."""
    found = access_each(match_id, callers)
    known = next((access for access in found if access is not None), None)
    if known is None:
        return [None for _caller in callers]
    newest = load(match_id, known.match.game)
    late = next((access.limit(newest) for access in found if access is not None and access.is_delayed), newest)
    users = {user.pk for user, _link in callers if user is not None}
    invited = dict(unanswered().filter(match=match_id, user__in=users).values_list("user_id", "pk")) if users else {}
    return [
        Glance(
            access,
            late if access.is_delayed else newest,
            invited.get(access.user.pk) if access.user is not None else None,
        )
        if access is not None
        else None
        for access in found
    ]


def own_glances(user: User, numbers: Collection[int], after: int = 0) -> tuple[list[Glance], int | None]:
    """Return the unfinished matches of a user as they may know them, and the newest of these numbers that are theirs and over.

    Those to which they are invited are among them. One page by number, and the number after which the next one begins, if any.
    """
    invited = dict(unanswered().filter(user=user, match__status__in=Match.UNFINISHED).values_list("match_id", "pk"))
    own = Q(pk__in=Seat.objects.filter(user=user).values("match")) | Q(creator=user) | Q(pk__in=invited)
    theirs = Match.objects.filter(own, board=False)
    over = theirs.filter(number__in=numbers).exclude(status__in=Match.UNFINISHED).order_by("-number")
    oldest = next(iter(over.values_list("number", flat=True)[MOST_ENDED - 1 : MOST_ENDED]), 0)
    # In one query: a match that ends meanwhile is not missed.
    told = Q(status__in=Match.UNFINISHED) | Q(number__in=numbers, number__gte=oldest)
    page, last = paging.cut(theirs.filter(told, number__gt=after).order_by("number"), PAGE)
    found = access_many(user, page)
    glances = [Glance(access, loaded, invited.get(access.match.id)) for access, loaded in zip(found, loads(found), strict=True)]
    return glances, last.number if last is not None else None


def versions(match_ids: Collection[UUID]) -> dict[UUID, int]:
    """Return the newest version of each match. It counts sealed events too: no follower may be told."""
    return dict(Match.objects.filter(pk__in=match_ids).values_list("pk", "version"))


def own_versions(user_ids: Collection[int]) -> dict[UUID, int]:
    """Return the newest version of every unfinished match of these users, as `versions`."""
    unfinished = Match.objects.filter(status__in=Match.UNFINISHED, board=False)
    seated = Seat.objects.filter(user__in=user_ids, match__status__in=Match.UNFINISHED, match__board=False)
    invited = unanswered().filter(user__in=user_ids, match__status__in=Match.UNFINISHED)
    return {
        **dict(unfinished.filter(creator__in=user_ids).values_list("pk", "version")),
        **dict(seated.values_list("match_id", "match__version")),
        **dict(invited.values_list("match_id", "match__version")),
    }


def followers(match_ids: Collection[UUID]) -> Mapping[UUID, set[int]]:
    """Return the ids of the users whose own matches these are, or who are invited to them, by match."""
    found: dict[UUID, set[int]] = {match_id: set() for match_id in match_ids}
    seated = Seat.objects.filter(match__in=match_ids, user__isnull=False, match__board=False)
    opened = Match.objects.filter(pk__in=match_ids, creator__isnull=False, board=False)
    invited = unanswered().filter(match__in=match_ids)
    rows = [*seated.values_list("match_id", "user_id"), *invited.values_list("match_id", "user_id")]
    for match_id, user_id in [*rows, *opened.values_list("pk", F("creator_id"))]:
        if user_id is not None:
            found[match_id].add(user_id)
    return found
