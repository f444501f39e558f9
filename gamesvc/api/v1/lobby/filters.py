"""Filters of the list of open matches by the reliability of players."""

from __future__ import annotations

from collections.abc import Mapping

from django.db.models import QuerySet
from drf_spectacular.utils import OpenApiParameter
from rest_framework.exceptions import NotAuthenticated

from accounts.models import User
from gamesvc.api.errors import BadQuery
from gamesvc.api.v1.base import whole_parameter
from gamesvc.matches.models import Match
from gamesvc.matches.statistics import reliability

RELIABILITY = [
    OpenApiParameter("suitable", bool, description="Only open matches whose player requirements you meet."),
    whole_parameter("players_finished", "Only open matches whose players all finished at least this percentage.", digits=4),
    whole_parameter("players_timeouts", "Only open matches whose players had at most this many timeouts.", digits=4),
    whole_parameter("players_answer_hours", "Only open matches whose players answer within these hours on average.", digits=4),
]


def by_reliability(matches: QuerySet[Match], user: User | None, query: Mapping[str, str]) -> QuerySet[Match]:
    """Apply the filters in the query, which let open matches through alone.

    Raises `BadQuery`; for a guest who asks what suits them, `NotAuthenticated`.
    """
    if query.get("suitable", "false") != "false":
        if user is None:
            raise NotAuthenticated("Send a token: which matches suit you depends on your own reliability.")
        matches = reliability.for_player(matches, user)
    finished, timeouts = _number(query, "players_finished"), _number(query, "players_timeouts")
    hours = _number(query, "players_answer_hours")
    if finished is not None or timeouts is not None or hours is not None:
        matches = reliability.with_players(matches, finished=finished or 0, timeouts=timeouts, answer_hours=hours)
    return matches


def _number(query: Mapping[str, str], name: str) -> int | None:
    given = query.get(name)
    if given is None:
        return None
    if not (given.isascii() and given.isdecimal()) or len(given) > 4:
        raise BadQuery(f"`{name}` must be a whole number.", name, code=f"bad_{name}")
    return int(given)
