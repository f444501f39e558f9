"""The meaning of each status of an answer, and the headers that come with it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

# Problems that any address may answer with.
ANYWHERE = ("400", "405", "406", "429", "500", "503")
# Headers of every answer that is no problem.
ALWAYS = ("RateLimit", "RateLimit-Policy")
# Problems of an address that reads a body.
WITH_BODY = ("413", "415")

STATUSES = {
    "200": "Done.",
    "201": "Made. `Location` is its address.",
    "202": "Queued. Look at it again later.",
    "204": "Done; the answer has no content.",
    "304": "Not changed since the ETag that you sent as `If-None-Match`.",
    "307": "The stream is served at `Location`, with a ticket for this one connection. Follow it without your token.",
    "400": "The request is malformed. `errors` points at each field that does not fit.",
    "401": "You are not signed in, or the token is unknown, revoked or expired.",
    "403": "You may not do this, or the token lacks the scope.",
    "404": "There is nothing here, or nothing that you may know of.",
    "405": "The address does not know this method. `Allow` lists those it knows.",
    "406": "The address cannot answer in the media type that `Accept` names.",
    "412": "The match has moved on since the ETag that you sent as `If-Match`. Fetch it again and decide again.",
    "413": "The body is larger than this address reads.",
    "415": "The body is sent as another type than `application/json`.",
    "422": "The request is well-formed, but a rule forbids it. `code` and `detail` say which, `parameter` and `errors` where.",
    "428": "`If-Match` is missing. Without it your command could answer a position that you have not seen.",
    "429": "A limit is reached. Wait for the seconds in `Retry-After`.",
    "500": "A fault of ours, which is logged. Nothing was changed; send it again with the same Idempotency-Key.",
    "503": "The service is busy or away for a moment. Send it again after `Retry-After` with the same Idempotency-Key.",
}

_SECONDS = {"schema": {"type": "integer", "minimum": 0}}
HEADERS: Mapping[str, Mapping[str, Any]] = {
    "ETag": {
        "schema": {"type": "string"},
        "description": "The state that the answer shows. Send it as `If-None-Match` or `If-Match`.",
    },
    "Location": {"schema": {"type": "string"}, "description": "Where to go on."},
    "Allow": {"schema": {"type": "string"}, "description": "The methods that the address knows."},
    "Retry-After": {**_SECONDS, "description": "Seconds to wait before the next attempt (RFC 9110 10.2.3)."},
    "RateLimit": {"schema": {"type": "string"}, "description": "What is left of the tightest limit, and for how many seconds."},
    "RateLimit-Policy": {"schema": {"type": "string"}, "description": "The limits that count this request."},
    "WWW-Authenticate": {"schema": {"type": "string"}, "description": "How to authenticate (RFC 6750)."},
}
OF_STATUS = {
    "201": ("Location",),
    "304": ("ETag",),
    "307": ("Location",),
    "401": ("WWW-Authenticate",),
    "405": ("Allow",),
    "429": ("Retry-After",),
    "503": ("Retry-After",),
}
