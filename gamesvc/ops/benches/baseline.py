"""The minimum cost of a turn over HTTP, for `manage.py bench submit`: token look-up, tail read, one bare insert, JSON.

Its address stands beside those of the service, with the bench settings only. The bench creates and drops the table.
"""

from __future__ import annotations

from typing import Any
from uuid import UUID

import orjson
from django.db import connection
from django.urls import path
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from gamesvc import urls

handler400, handler404, handler500 = urls.handler400, urls.handler404, urls.handler500


class Baseline(APIView):
    schema = None

    def post(self, request: Request, stream: UUID) -> Response:
        with connection.cursor() as wrapper:
            cursor: Any = wrapper.cursor  # the wrapper passes on no wish to prepare a statement
            cursor.execute(
                "SELECT version, payload FROM events_event WHERE stream = %s::uuid ORDER BY version DESC LIMIT 5",
                [stream],
                prepare=True,
            )
            tail = [(version, orjson.loads(payload)) for version, payload in cursor.fetchall()]
            cursor.execute(
                "INSERT INTO bench_row (stream, payload) VALUES (%s::uuid, %s::text)",
                [stream, orjson.dumps(request.data).decode()],
                prepare=True,
            )
        return Response({"match": str(stream), "version": tail[0][0] if tail else 0, "events": [data for _, data in tail[:2]]})


urlpatterns = [path("api/v1/baseline/<uuid:stream>/", Baseline.as_view()), *urls.urlpatterns]
