"""The turns of a user: what waits for them in all matches."""

from __future__ import annotations

import orjson
from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request
from rest_framework.response import Response

from gamesvc import paging
from gamesvc.api.etags import etag
from gamesvc.api.v1 import places, schemas
from gamesvc.api.v1.base import PROBLEMS, View, documented, place_parameter
from gamesvc.json_types import JsonObject
from gamesvc.matches.reading import board, pending
from gamesvc.matches.reading.pending import Pending


class Turns(View):
    @documented(
        responses={200: schemas.TurnPage, **PROBLEMS},
        parameters=[
            OpenApiParameter("forms", bool, description="Also return the forms of what you can do."),
            place_parameter(places.PATTERN),
        ],
        operation_id="me_turns",
    )
    def get(self, request: Request) -> Response:
        """List the decisions that wait for you in all matches, the most urgent first. `me/stream/` tells when to ask again.

        With `forms` a page ends early where they are large.
        """
        found, following = pending.of_user(self.user, places.read(request.query_params.get("cursor")))
        results: list[JsonObject] = []
        size = 0
        for one in found:
            if size > paging.FORMS_BYTES:
                following = found[len(results) - 1].place
                break
            results.append(_turn_json(one, forms=self.wants_forms))
            size += len(orjson.dumps(results[-1]["forms"])) if self.wants_forms else 0
        return Response({"results": results, "next": places.write(following)})


def _turn_json(one: Pending, *, forms: bool) -> JsonObject:
    match, seen = one.board.access.match, one.board
    turn = {
        "match": str(match.id),
        "number": match.number,
        "game": match.game,
        "version": seen.version,
        "etag": etag(match.id, seen.viewer, seen.version),
        **board.question_json(one.question),
    }
    return turn | {"forms": seen.forms_as_json} if forms else turn
