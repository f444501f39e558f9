"""GET /health/: whether this service answers, and which one it is. For balancers, and for `up` to know its own web server."""

from __future__ import annotations

from django.conf import settings
from django.db import connection
from django.http import HttpRequest, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe


@require_safe
@never_cache
def health(request: HttpRequest) -> JsonResponse:
    """Answer 200 where requests can be served; a database that is away makes it 503, as with every other address."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    return JsonResponse({"status": "ok", "instance": settings.INSTANCE})
