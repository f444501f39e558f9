"""The panel of a match that is over: the result, what decided it, the ratings, and the ways on from there."""

from __future__ import annotations

from typing import Any

from django.conf import settings

from gamesvc.matches.access.selectors import Access
from gamesvc.matches.lobby import rematches
from gamesvc.matches.models import Match
from gamesvc.matches.reading import result
from gamesvc.matches.record.loading import Loaded
from gamesvc.matches.statistics import leaderboards


def told(access: Access, loaded: Loaded) -> dict[str, object]:
    """Return what a page that asks for news is told of what follows the end, as the stream tells it."""
    mark = rematches.mark(access, loaded)
    return {"after_end": mark} if mark else {}


def panel(access: Access, loaded: Loaded, names: tuple[str, ...]) -> dict[str, Any]:
    """Return what the page shows after the end; only the way to a rematch if nobody has won anything."""
    match, outcome = access.match, access.match.outcome
    if outcome is None:
        return {"rematch": rematches.offer(access), "after_end": rematches.mark(access, loaded)}
    changes = leaderboards.changes([match]).get(match.pk, {})
    groups = [
        {"place": place, "seats": [(seat, names[seat], outcome["scores"][seat], changes.get(seat)) for seat in group]}
        for place, group in enumerate(outcome["ranking"], 1)
    ]
    found = result.decision(loaded, match, access.viewer, names, outcome)
    return {
        "rematch": rematches.offer(access),
        "after_end": rematches.mark(access, loaded),
        "ranking": groups,
        "rated": bool(changes),
        "won": result.winners(outcome, access.viewer, names),
        "decided": found.sentence,
        "took": result.took(match, found.turns),
        "to_share": _to_share(access),
    }


def _to_share(access: Access) -> str:
    """Return the address of a finished match for others; empty if they may not see it, or the reader may not pass it on."""
    if access.match.watch == Match.Watch.ALL:
        return f"{settings.BASE_URL}/matches/{access.match.number}/"
    return link_to_pass_on(access) if access.match.watch == Match.Watch.LINK else ""


def link_until_the_end(access: Access) -> str:
    """Return the link of an unfinished match, if it opens the match to others; empty for readers who may not pass it on."""
    match = access.match
    opens = match.status == Match.Status.OPEN or match.watch == Match.Watch.LINK
    return link_to_pass_on(access) if opens and not match.over else ""


def link_to_pass_on(access: Access) -> str:
    """Return the link of a match; empty for readers who may not pass it on."""
    if not (access.is_host or access.seat is not None):
        return ""
    return f"{settings.BASE_URL}/matches/{access.match.number}/?link={access.match.link_token}"
