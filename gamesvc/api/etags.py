"""Versions as ETags: `"<match>-<seat or o>-<version>"`, with the viewer's version."""

from __future__ import annotations

import re
from uuid import UUID

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
    parts = _FORM.match(request.headers.get("If-Match", "").strip())
    return int(parts["viewer"]) if parts is not None and parts["viewer"] != "o" else None


def required_version(request: Request, match_id: UUID, viewer: Viewer) -> int:
    """The version the sender saw, from If-Match. Raises `VersionMissing` or `VersionUnknown`."""
    given = request.headers.get("If-Match")
    if not given:
        raise VersionMissing
    parts = _FORM.match(given.strip())
    wanted = "o" if viewer is None else str(viewer)
    if parts is None or parts["match"] != str(match_id) or parts["viewer"] != wanted:
        raise VersionUnknown(f"If-Match must be an ETag of this match as your seat saw it, like {etag(match_id, viewer, 17)}.")
    return int(parts["version"])
