"""GET /health/: the state of the service and its instance. For load balancers, and for `up` to recognise its own web server."""

from __future__ import annotations

from django.conf import settings
from django.db import connection
from django.http import HttpRequest, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe


@require_safe
@never_cache
def health(request: HttpRequest) -> JsonResponse:
    """Answer 200 if requests can be served. Without the database it is 503, as for every other address."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    return JsonResponse({"status": "ok", "instance": settings.INSTANCE})
