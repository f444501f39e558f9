"""The bulk export of finished matches that everyone may watch: whole records, or their results, as lines of JSON.

An answer holds some matches, so few that no worker is busy with it for long, and a cursor behind each. A client that was cut
off, or comes back next year, goes on after the last cursor it has read.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import orjson
from django.http import StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request

from gamesvc import paging
from gamesvc.api.errors import BadQuery
from gamesvc.api.v1 import schemas
from gamesvc.api.v1.base import View, documented, place_parameter
from gamesvc.matches.models import Match
from gamesvc.matches.proof import export
from gamesvc.matches.reading import archive
from gamesvc.matches.reading.archive import Cursor

MEDIA_TYPE = "application/x-ndjson"
QUERY = [
    place_parameter(
        archive.CURSOR,
        name="after",
        description="The last cursor you have read; without it the archive begins with its oldest match.",
    ),
    OpenApiParameter("game", str, description="Only matches of this game."),
]
ANSWERS: dict[Any, Any] = {(200, MEDIA_TYPE): OpenApiTypes.STR, 400: schemas.Problem}


class _Archive(View):
    def perform_content_negotiation(self, request: Request, force: bool = False) -> Any:
        """Accept any media type: these addresses have one, which no renderer writes."""
        return super().perform_content_negotiation(request, force=True)

    def page(self, most: int) -> list[Match]:
        """Return the matches of the answer. Raises `BadQuery`."""
        query = self.request.query_params
        cursor = Cursor.parse(query["after"]) if "after" in query else None
        if "after" in query and cursor is None:
            raise BadQuery("`after` must be a cursor from an earlier answer.", "after", code="bad_cursor")
        return archive.after(cursor, game=query.get("game"), most=most)

    def lines(self, lines: Iterator[bytes]) -> StreamingHttpResponse:
        return StreamingHttpResponse(lines, content_type=MEDIA_TYPE, headers={"Cache-Control": "public, no-store"})


class Matches(_Archive):
    @documented(responses=ANSWERS, parameters=QUERY, operation_id="exports_matches")
    def get(self, request: Request) -> StreamingHttpResponse:
        """Export finished matches that everyone may watch, in the order of their ends: for each the lines of its `export/`, its
        events and the trailer, and then a line `{"cursor": "..."}`.

        Send the last cursor as `after` to go on, until an answer is empty. The lines between two cursors are a file that
        `verify` proves. A match appears a minute after its end.
        """
        return self.lines(_of_each(archive.together(self.page(paging.EXPORTED), paging.EXPORTED_EVENTS)))


class Results(_Archive):
    @documented(responses=ANSWERS, parameters=QUERY, operation_id="exports_results")
    def get(self, request: Request) -> StreamingHttpResponse:
        """Export the results of finished matches that everyone may watch, in the order of their ends: a line for each, with its
        game, options, seats with their players and ratings, outcome, times, and the `cursor` to go on after.

        Send the last cursor as `after`, until an answer is empty.
        """
        matches = self.page(paging.RESULTS)
        return self.lines(orjson.dumps(result) + b"\n" for result in archive.results(matches))


def _of_each(matches: Sequence[Match]) -> Iterator[bytes]:
    for match in matches:
        for line in export.whole_lines(match.id, match.version):
            yield line.encode()
        yield orjson.dumps({"cursor": str(Cursor.of(match))}) + b"\n"
