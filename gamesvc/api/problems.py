"""Every error as problem details (RFC 9457): one handler for refusals by services and for HTTP errors."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.exceptions import PermissionDenied, RequestDataTooBig
from django.http import Http404
from rest_framework import exceptions
from rest_framework.response import Response

from accounts.tokens import TokenRefused
from gamesvc.games.kernel.game import Refused
from gamesvc.matches.errors import Busy, Forbidden, KeyReused, Stale, TooMany, Unknown
from gamesvc.rate_limits import Exceeded

MEDIA_TYPE = "application/problem+json"


class Problem(Exception):
    """An error raised by the API itself."""

    def __init__(self, status: int, code: str, title: str, detail: str, **more: Any) -> None:
        super().__init__(detail)
        self.status, self.code, self.title, self.detail, self.more = status, code, title, detail, more


class TooLarge(exceptions.APIException):
    """The body exceeds the size limit."""

    status_code = 413

    def __init__(self, limit: int) -> None:
        super().__init__(f"The body may have {limit} bytes at most.", "too_large")


TITLES = {
    400: ("bad_request", "The request cannot be read"),
    401: ("not_signed_in", "Who are you?"),
    403: ("forbidden", "Not allowed"),
    404: ("not_found", "Not found"),
    405: ("method_not_allowed", "Not possible with this method"),
    406: ("not_acceptable", "Not available in this form"),
    413: ("too_large", "The body is too large"),
    415: ("unsupported_media_type", "The body has a type that is not read here"),
    429: ("too_many", "Too many requests"),
}


def details(status: int, code: str, title: str, detail: str, **more: Any) -> dict[str, Any]:
    """Return problem details. `type` is our permanent address for the code."""
    return {
        "type": f"{settings.BASE_URL}/problems/{code}",
        "title": title,
        "status": status,
        "detail": detail,
        "code": code,
        **more,
    }


def problem(status: int, code: str, title: str, detail: str, **more: Any) -> Response:
    """Return a response with problem details."""
    return Response(details(status, code, title, detail, **more), status=status, content_type=MEDIA_TYPE)


def handle(error: Exception, context: dict[str, Any]) -> Response | None:
    """Return the response for an exception of a view; None for a fault of ours, which is logged and answered with 500."""
    answer = translate(error)
    if answer is not None:
        request = context.get("request")
        if request is not None and isinstance(answer.data, dict):
            answer.data["instance"] = request.path
        answer["Cache-Control"] = "no-store"
    return answer


def translate(error: Exception) -> Response | None:
    """Return the problem for an exception; None for a fault of ours."""
    match error:
        case Refused():
            pointer = f"#/{error.parameter.replace('.', '/')}" if error.parameter else None
            errors = [{"pointer": pointer, "detail": error.detail}] if pointer else []
            return problem(422, error.code, "The rules do not allow this", error.detail, parameter=error.parameter, errors=errors)
        case TokenRefused():
            errors = [{"pointer": f"#/{error.parameter}", "detail": error.detail}]
            return problem(422, error.code, "No token was made", error.detail, parameter=error.parameter, errors=errors)
        case Stale():
            detail = f"{error} Look at what happened since and decide again."
            return problem(412, "stale", "The match has moved on", detail, version=error.version, events=error.events)
        case KeyReused():
            return problem(422, "key_reused", "This key is taken", "The Idempotency-Key was used before for another request.")
        case Busy():
            answer = problem(
                503, "busy", "Too many writers", "Others were faster several times in a row. Send the same request again."
            )
            answer["Retry-After"] = "1"
            return answer
        case Exceeded():
            answer = problem(429, "too_many", TITLES[429][1], str(error))
            answer["Retry-After"] = str(error.count.seconds)
            return answer
        case TooMany():
            answer = problem(429, "too_many", "Too many", str(error))
            answer["Retry-After"] = str(error.retry_after)
            return answer
        case Unknown() | Http404():
            return problem(404, "not_found", "Not found", "There is nothing here, or nothing for you.")
        case Forbidden():
            return problem(403, "forbidden", "Not allowed", str(error))
        case Problem():
            return problem(error.status, error.code, error.title, error.detail, **error.more)
        case PermissionDenied():
            error = exceptions.PermissionDenied()
        case RequestDataTooBig():
            error = TooLarge(settings.API_BODY_BYTES)
    if not isinstance(error, exceptions.APIException):
        return None
    if isinstance(error, exceptions.ValidationError):
        return _invalid(error)
    code, title = TITLES.get(error.status_code, ("error", "Error"))
    answer = problem(error.status_code, code, title, str(error.detail))
    if header := getattr(error, "auth_header", None):
        answer["WWW-Authenticate"] = header
    if wait := getattr(error, "wait", None):
        answer["Retry-After"] = str(int(wait) + 1)
    return answer


def _invalid(error: exceptions.ValidationError) -> Response:
    """Return the problem for invalid fields: the place of each, and what would be right."""
    errors = []
    fields = error.detail if isinstance(error.detail, dict) else {"": error.detail}
    for name, details in fields.items():
        listed = details if isinstance(details, list) else [details]
        errors += [{"pointer": f"#/{name}" if name else "#", "detail": str(detail)} for detail in listed]
    detail = "; ".join(f"{one['pointer'][2:]}: {one['detail']}" if one["pointer"] != "#" else one["detail"] for one in errors)
    return problem(400, "bad_request", TITLES[400][1], detail, errors=errors)
