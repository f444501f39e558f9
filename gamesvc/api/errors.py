"""Errors of the API: requests that it cannot read or answer."""

from __future__ import annotations

from typing import TypeVar

from gamesvc.errors import GamesvcError


class BadRequest(GamesvcError):
    """The request cannot be read: its body is not JSON, or a field or query value does not fit."""

    code = "bad_request"
    status = 400
    title = "The request cannot be read"
    detail = "The body is not JSON, or its fields do not fit."
    advice = "The sentence in `detail` says which values fit; `errors` names the fields."


class BadQuery(BadRequest):
    """A part of the query is unknown at this address, or its value does not fit."""

    code = "bad_query"
    title = "The query does not fit"
    detail = "The query names something unknown, or gives it a value that does not fit."
    advice = "`parameter` names the part at fault, and `detail` says what fits. A misspelt filter is refused, not ignored."

    def __init__(self, detail: str, parameter: str, *, code: str = "") -> None:
        errors = [{"parameter": parameter, "detail": detail}]
        super().__init__(detail, code=code, more={"parameter": parameter, "errors": errors})


R = TypeVar("R", bound=BadRequest)


def beyond_schema(refused: R) -> R:
    """Return the refusal of a request that fits the OpenAPI document, which cannot say all: 422 (RFC 9110 15.5.21)."""
    refused.status = 422
    return refused


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
    """The Accept header names no format that the API offers."""

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
    """The API does not read bodies of this type."""

    code = "unsupported_media_type"
    status = 415
    title = "The body has a type that is not read here"
    detail = "Bodies are JSON."
    advice = "Send `Content-Type: application/json`."
