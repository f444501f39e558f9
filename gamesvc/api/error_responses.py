"""Every error as problem details (RFC 9457): ours as they say themselves, and those of the framework as one of ours."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.exceptions import PermissionDenied, RequestDataTooBig, TooManyFieldsSent
from django.http import Http404
from rest_framework import exceptions
from rest_framework.response import Response

from gamesvc.api.errors import BadRequest, NotAcceptable, NotSignedIn, TooLarge, WrongMethod, WrongType
from gamesvc.errors import GamesvcError, Refusal
from gamesvc.json_types import JsonObject
from gamesvc.matches.errors import Forbidden, Unknown

MEDIA_TYPE = "application/problem+json"


_KINDS = (BadRequest, NotSignedIn, Forbidden, Unknown, WrongMethod, NotAcceptable, WrongType)
OF_FRAMEWORK = {kind.status: kind for kind in _KINDS}


def details(error: GamesvcError, **more: object) -> JsonObject:
    """Return problem details. `type` is our permanent address for the code."""
    return {
        "type": f"{settings.BASE_URL}/problems/{error.code}",
        "title": error.title,
        "status": error.status,
        "detail": error.detail,
        "code": error.code,
        **(_pointed(error) if isinstance(error, Refusal) else error.more),
        **more,
    }


def handle(error: Exception, context: dict[str, Any]) -> Response | None:
    """Return the response for an exception of a view; None for a fault of ours, which is logged and answered with 500."""
    ours = translate(error)
    if ours is None or ours.status == GamesvcError.status:
        return None
    request = context.get("request")
    body = details(ours, instance=request.path) if request is not None else details(ours)
    answer = Response(body, status=ours.status, content_type=MEDIA_TYPE, headers={"Cache-Control": "no-store"})
    if ours.retry_after is not None:
        answer["Retry-After"] = str(ours.retry_after)
    if header := getattr(error, "auth_header", None):
        answer["WWW-Authenticate"] = header
    return answer


def translate(error: Exception) -> GamesvcError | None:
    """Return our error for an exception; None for an internal fault."""
    match error:
        case GamesvcError():
            return error
        case Http404():
            return Unknown()
        case PermissionDenied():
            return Forbidden(str(exceptions.PermissionDenied.default_detail))
        case RequestDataTooBig():
            return TooLarge(settings.API_BODY_BYTES)
        case TooManyFieldsSent():
            return BadRequest("The request names too many fields.")
        case exceptions.ValidationError():
            return _invalid(error)
        case exceptions.APIException():
            kind = OF_FRAMEWORK.get(error.status_code)
            return kind(str(error.detail)) if kind is not None else None
    return None


def _pointed(refusal: Refusal) -> JsonObject:
    """The field at fault, and its place as a JSON Pointer (RFC 6901)."""
    pointers = [f"#/{refusal.parameter.replace('.', '/')}"] if refusal.parameter else []
    return {"parameter": refusal.parameter, "errors": [{"pointer": one, "detail": refusal.detail} for one in pointers]}


def _invalid(error: exceptions.ValidationError) -> BadRequest:
    """Return the problem for invalid fields: the place of each, and what would be right."""
    errors = []
    fields = error.detail if isinstance(error.detail, dict) else {"": error.detail}
    for name, found in fields.items():
        listed = found if isinstance(found, list) else [found]
        errors += [{"pointer": f"#/{name}" if name else "#", "detail": str(detail)} for detail in listed]
    detail = "; ".join(f"{one['pointer'][2:]}: {one['detail']}" if one["pointer"] != "#" else one["detail"] for one in errors)
    return BadRequest(detail, more={"errors": errors})
