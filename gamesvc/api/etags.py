"""Versions as ETags: `"<match>-<seat or o>-<version>"`, with the viewer's version."""

from __future__ import annotations

import re
from collections.abc import Callable
from uuid import UUID

from django.http import HttpRequest
from django.utils.http import parse_etags
from rest_framework.request import Request

from gamesvc.errors import GamesvcError
from gamesvc.games.kernel.game import Viewer

_FORM = re.compile(r'^"?(?P<match>[0-9a-f-]{36})-(?P<viewer>o|\d+)-(?P<version>\d{1,9})"?$')


class VersionMissing(GamesvcError):
    """A command does not say which version it answers."""

    code = "version_missing"
    status = 428
    title = "If-Match is missing"
    detail = "Send If-Match with the ETag of the view this command answers."
    advice = "Fetch the view, and send its ETag as If-Match: a command says which position it answers."


class VersionUnknown(GamesvcError):
    """If-Match names something else than a version of this match as the sender's seat saw it."""

    code = "version_unknown"
    status = 412
    title = "This is not a version of your view"
    detail = "If-Match does not hold an ETag of this match as your seat saw it."
    advice = "Fetch the view again, look at what happened since, and decide again with the new ETag."


def etag(match_id: UUID, viewer: Viewer, version: int) -> str:
    return f'"{match_id}-{"o" if viewer is None else viewer}-{version}"'


def named_seat(request: Request) -> int | None:
    """Return the seat in If-Match, whose view the sender answers. On an analysis board it is the seat they act for."""
    seats = [viewer for _match, viewer, _version in _versions(request) if viewer != "o"]
    return int(seats[0]) if seats else None


def required_version(request: Request, match_id: UUID, viewer: Viewer, newest: Callable[[], int]) -> int:
    """The version the sender saw, from If-Match; of several the newest that there is. `*` stands for the `newest` of the viewer.

    Raises `VersionMissing` or `VersionUnknown`.
    """
    given = request.headers.get("If-Match", "").strip()
    if not given:
        raise VersionMissing
    if given == "*":
        return newest()
    wanted = str(match_id), "o" if viewer is None else str(viewer)
    versions = {int(version) for match, seat, version in _versions(request) if (match, seat) == wanted}
    if not versions:
        raise VersionUnknown(f"If-Match must be an ETag of this match as your seat saw it, like {etag(match_id, viewer, 17)}.")
    return versions.pop() if len(versions) == 1 else _newest_known(versions, newest())


def _newest_known(versions: set[int], newest: int) -> int:
    return max((version for version in versions if version <= newest), default=max(versions))


def _versions(request: Request) -> list[tuple[str, str, str]]:
    """Return match, viewer and version of each ETag in If-Match. Weak ones match nothing there (RFC 9110 13.1.1)."""
    found = (_FORM.match(one.strip()) for one in request.headers.get("If-Match", "").split(","))
    return [(parts["match"], parts["viewer"], parts["version"]) for parts in found if parts is not None]


def is_known(request: HttpRequest | Request, tag: str) -> bool:
    """Return True if If-None-Match names this ETag, weak or strong, alone or in a list, or is `*` (RFC 9110 13.1.2)."""
    given = parse_etags(request.headers.get("If-None-Match", ""))
    return given == ["*"] or tag.removeprefix("W/") in {one.removeprefix("W/") for one in given}
