"""A match as the caller may see it: position, forms, picture, events, steps, export; now, at a version, or at a moment."""

from __future__ import annotations

from datetime import datetime

from django.http import HttpResponse, StreamingHttpResponse
from django.utils.cache import patch_vary_headers
from django.utils.dateparse import parse_datetime
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request
from rest_framework.response import Response

from gamesvc import paging
from gamesvc.api.errors import BadQuery
from gamesvc.api.etags import etag, is_known
from gamesvc.api.v1 import schemas
from gamesvc.api.v1.base import PROBLEMS, View, documented, whole_parameter
from gamesvc.matches.access import selectors
from gamesvc.matches.access.selectors import Access
from gamesvc.matches.errors import Unknown
from gamesvc.matches.notices.pictures.png import to_png
from gamesvc.matches.proof import export
from gamesvc.matches.reading import board, history
from gamesvc.matches.reading.board import Board

SHARED = "public, no-cache"
PAST = {**PROBLEMS, 422: schemas.Problem}
"""The problems of reading a match at a version: the reader may not know that version."""


class _Boards(View):
    def board(self, ident: str) -> Board:
        """Return the board as the caller sees it; after the end, as the seat in `?as=` saw it."""
        access = self.access(ident)
        return board.look(access, self.number("as", 2), self.version(access))

    def version(self, access: Access) -> int | None:
        """Return the requested past version, given by number or by moment; None for the newest."""
        moment = self.request.query_params.get("at")
        if moment is None:
            return self.number("version", 9)
        try:
            found = parse_datetime(moment)
        except ValueError:  # well-formed but impossible, such as 30 February
            found = None
        if found is None or found.tzinfo is None:
            raise BadQuery("`at` must be a moment like 2026-11-20T20:00:00Z.", "at", code="bad_at")
        return history.version_at(access, found)

    def tagged(self, seen: Board, answer: Response | HttpResponse) -> Response | HttpResponse:
        answer["ETag"] = etag(seen.access.match.id, seen.viewer, seen.version)
        # All guests get the same answer, so a shared cache may keep it for them. Users get their own.
        answer["Cache-Control"] = "private, no-cache" if self.reader or self.request.query_params.get("link") else SHARED
        patch_vary_headers(answer, ["Authorization", "Cookie"])
        return answer

    def unchanged(self, seen: Board) -> HttpResponse | None:
        if is_known(self.request, etag(seen.access.match.id, seen.viewer, seen.version)):
            answer = self.tagged(seen, HttpResponse(status=304))
            assert isinstance(answer, HttpResponse)
            return answer
        return None


AS = whole_parameter("as", "Another seat's view; open when the match is over.", digits=2)
NARROW = OpenApiParameter(
    "narrow", bool, description="A form for each origin, card or way of paying, without alternatives, instead of one per act."
)
THEN = [
    whole_parameter("version", "As it was at this version."),
    OpenApiParameter("at", datetime, description="As it was at this moment, like 2026-11-20T20:00:00Z."),
]


KINDS = ("svg", "png", "txt")
KIND = OpenApiParameter("kind", str, OpenApiParameter.PATH, enum=KINDS)


class MatchView(_Boards):
    @documented(responses={200: schemas.View, **PAST}, parameters=[AS, *THEN], operation_id="matches_view")
    def get(self, request: Request, ident: str) -> Response | HttpResponse:
        """Return the position as you may see it; `view` is null before the game has begun.

        The ETag is your version: send it as If-Match with your command.
        """
        seen = self.board(ident)
        if (same := self.unchanged(seen)) is not None:
            return same
        match = seen.access.match
        return self.tagged(
            seen,
            Response(
                {
                    "match": str(match.id),
                    "version": seen.version,
                    "seat": seen.viewer,
                    "status": match.status,
                    "view": seen.view,
                    "awaited": [board.question_json(question) for question in seen.questions],
                    "outcome": match.outcome,
                }
            ),
        )


class MatchForms(_Boards):
    @documented(responses={200: schemas.Forms, **PAST}, parameters=[AS, NARROW, *THEN], operation_id="matches_forms")
    def get(self, request: Request, ident: str) -> Response | HttpResponse:
        """Return the commands open to your seat now, with their parameters as JSON Schema, narrowed to what is legal."""
        seen = self.board(ident)
        if (same := self.unchanged(seen)) is not None:
            return same
        prompt = next((question.prompt for question in seen.questions if question.seat == seen.viewer), None)
        narrow = request.query_params.get("narrow") == "true"
        return self.tagged(
            seen,
            Response(
                {
                    "match": str(seen.access.match.id),
                    "version": seen.version,
                    "forms": seen.as_json(seen.narrow_forms if narrow else seen.forms),
                    "help": seen.loaded.game.order_help(prompt),
                }
            ),
        )


class Picture(_Boards):
    @documented(
        responses={
            (200, "image/svg+xml"): OpenApiTypes.STR,
            (200, "image/png"): OpenApiTypes.BINARY,
            (200, "text/plain"): OpenApiTypes.STR,
            **PAST,
        },
        parameters=[KIND, AS, *THEN],
    )
    def get(self, request: Request, ident: str, kind: str) -> Response | HttpResponse:
        """Return the board as a picture, or as text as in a mail; before the game has begun, a placeholder."""
        seen = self.board(ident)
        if kind not in KINDS:
            raise Unknown
        if (same := self.unchanged(seen)) is not None:
            return same
        if kind == "txt":
            text = seen.text or "The game has not begun.\n"
            return self.tagged(seen, HttpResponse(text, content_type="text/plain; charset=utf-8"))
        if kind == "png":
            return self.tagged(seen, HttpResponse(to_png(seen.picture), content_type="image/png"))
        return self.tagged(seen, HttpResponse(seen.picture, content_type="image/svg+xml"))


class Step(_Boards):
    @documented(responses={200: schemas.Step, **PAST}, parameters=[AS], operation_id="matches_step")
    def get(self, request: Request, ident: str, version: int) -> Response:
        """Return the changes from a version to the next one, in words and as differences of your view."""
        return Response(history.step(self.access(ident), version, self.number("as", 2)))


class MatchEvents(_Boards):
    @documented(
        responses={200: schemas.Events, **PAST},
        parameters=[whole_parameter("after", "Events after this version."), AS, *THEN],
        operation_id="matches_events",
    )
    def get(self, request: Request, ident: str) -> Response | HttpResponse:
        """List the events as you may see them: whole, redacted, or sealed (digest and hash only)."""
        after = self.number("after", 9) or 0
        seen = self.board(ident)
        events = selectors.records_for(seen.loaded, seen.viewer, after, paging.EVENTS)
        more = bool(events) and events[-1]["version"] < seen.version
        following = f"?after={events[-1]['version']}" if more else None
        return self.tagged(seen, Response({"events": events, "version": seen.version, "next": following}))


class Export(_Boards):
    @documented(responses={(200, "application/jsonl"): OpenApiTypes.STR, **PAST}, parameters=[AS, *THEN])
    def get(self, request: Request, ident: str) -> StreamingHttpResponse:
        """Export the match as JSON Lines: every event as you may see it, whole after the end, and a trailer."""
        seen = self.board(ident)
        answer = StreamingHttpResponse(export.lines(seen.loaded, seen.viewer), content_type="application/jsonl")
        answer["Content-Disposition"] = f'attachment; filename="match-{seen.access.match.number}.jsonl"'
        answer["Cache-Control"] = "private, no-store"
        return answer
