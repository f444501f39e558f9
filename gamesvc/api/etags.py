"""Versions as ETags: `"<match>-<seat or o>-<version>"`, with the viewer's version."""

from __future__ import annotations

import re
from uuid import UUID

from rest_framework.request import Request

from gamesvc.api.problems import Problem
from gamesvc.games.kernel.game import Viewer

_FORM = re.compile(r'^"?(?P<match>[0-9a-f-]{36})-(?P<viewer>o|\d+)-(?P<version>\d{1,9})"?$')


def etag(match_id: UUID, viewer: Viewer, version: int) -> str:
    return f'"{match_id}-{"o" if viewer is None else viewer}-{version}"'


def named_seat(request: Request) -> int | None:
    """Return the seat in If-Match, whose view the sender answers. On an analysis board it is the seat they act for."""
    parts = _FORM.match(request.headers.get("If-Match", "").strip())
    return int(parts["viewer"]) if parts is not None and parts["viewer"] != "o" else None


def required_version(request: Request, match_id: UUID, viewer: Viewer) -> int:
    """Return the version the sender saw, from If-Match.

    Raises `Problem`: 428 if it is missing, 412 if it names something else.
    """
    given = request.headers.get("If-Match")
    if not given:
        detail = "Send If-Match with the ETag of the view this command answers."
        raise Problem(428, "version_missing", "Which version have you seen?", detail)
    parts = _FORM.match(given.strip())
    wanted = "o" if viewer is None else str(viewer)
    if parts is None or parts["match"] != str(match_id) or parts["viewer"] != wanted:
        detail = f"If-Match must be an ETag of this match as your seat saw it, like {etag(match_id, viewer, 17)}."
        raise Problem(412, "version_unknown", "This is no version of your view", detail)
    return int(parts["version"])
