"""Every error as problem details (RFC 9457): ours as they say themselves, and those of the framework as one of ours."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.exceptions import PermissionDenied, RequestDataTooBig
from django.http import Http404
from rest_framework import exceptions
from rest_framework.response import Response

from gamesvc.errors import GamesvcError, Refusal
from gamesvc.matches.errors import Forbidden, Unknown

MEDIA_TYPE = "application/problem+json"


class BadRequest(GamesvcError):
    """The request cannot be read: its body is no JSON, or a field or a value of the query does not fit."""

    code = "bad_request"
    status = 400
    title = "The request cannot be read"
    detail = "The body is not JSON, or its fields do not fit."
    advice = "The sentence in `detail` says which values fit; `errors` names the fields."


class NotSignedIn(GamesvcError):
    """No user is signed in, and the address requires one."""

    code = "not_signed_in"
    status = 401
    title = "Not authenticated"
    detail = "There was no token, or one that does not exist, has expired or was revoked."
    advice = "Send `Authorization: Bearer gsk_...` with a token from your account page, or sign in."


class WrongMethod(GamesvcError):
    """This address takes other methods."""

    code = "method_not_allowed"
    status = 405
    title = "Method not allowed"
    detail = "This address takes other methods."
    advice = "See the API description."


class NotAcceptable(GamesvcError):
    """Accept names no form that we can answer in."""

    code = "not_acceptable"
    status = 406
    title = "Not available in this form"
    detail = "The answer is JSON only."
    advice = "Send `Accept: application/json`."


class TooLarge(GamesvcError):
    """The body exceeds the size limit."""

    code = "too_large"
    status = 413
    title = "The body is too large"
    detail = "Bodies have a limit in bytes."
    advice = "Send less; `detail` says how much is read."

    def __init__(self, limit: int) -> None:
        super().__init__(f"Send at most {limit} bytes.")


class WrongType(GamesvcError):
    """The body has a type that is not read here."""

    code = "unsupported_media_type"
    status = 415
    title = "The body has a type that is not read here"
    detail = "Bodies are JSON."
    advice = "Send `Content-Type: application/json`."


_KINDS = (BadRequest, NotSignedIn, Forbidden, Unknown, WrongMethod, NotAcceptable, WrongType)
OF_FRAMEWORK = {kind.status: kind for kind in _KINDS}


def details(error: GamesvcError, **more: Any) -> dict[str, Any]:
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
    """The error of ours that an exception stands for; None for a fault of ours."""
    match error:
        case GamesvcError():
            return error
        case Http404():
            return Unknown()
        case PermissionDenied():
            return Forbidden(str(exceptions.PermissionDenied.default_detail))
        case RequestDataTooBig():
            return TooLarge(settings.API_BODY_BYTES)
        case exceptions.ValidationError():
            return _invalid(error)
        case exceptions.APIException():
            kind = OF_FRAMEWORK.get(error.status_code)
            return kind(str(error.detail)) if kind is not None else None
    return None


def _pointed(refusal: Refusal) -> dict[str, Any]:
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
