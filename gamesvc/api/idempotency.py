"""Idempotency-Key for requests that create something: the first response is stored in the transaction of its effect.

Commands need none of this: their key becomes the event's command id, which is unique for ever (`matches.play.turns`).
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable

import orjson
from django.db import transaction
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.models import User
from gamesvc.api.error_responses import details
from gamesvc.api.errors import BadRequest
from gamesvc.errors import Refusal
from gamesvc.json_types import JsonObject
from gamesvc.matches.access import daily_limits
from gamesvc.matches.record import idempotency
from gamesvc.matches.record.idempotency import Answer

LONGEST_KEY = 255
KEY_PATTERN = r'^"?[!#-~]([ -~]*[!#-~])?"?$'
"""Printable ASCII, spaces only between the others; in quotes or not."""
_KEY = re.compile(KEY_PATTERN)


class KeyMissing(BadRequest):
    """The request has no Idempotency-Key, or one that is too long or has other characters than `KEY_PATTERN`."""

    code = "key_missing"
    title = "The Idempotency-Key is missing"
    detail = "Send an Idempotency-Key header: 1 to 255 printable ASCII characters, new for each request, the same for a retry."
    advice = "A request that creates or commands something carries a key, so that a retry does nothing twice."


def required_key(request: Request) -> str:
    """The request's Idempotency-Key, quotes stripped. Raises `KeyMissing`."""
    given = str(request.headers.get("Idempotency-Key", "")).strip()
    key = given.strip('"')
    if not _KEY.fullmatch(given) or len(key) > LONGEST_KEY:
        raise KeyMissing
    return key


def once(request: Request, effect: Callable[[], Answer]) -> Response:
    """Run `effect` once per user and key. A repetition gets the first response, be it a success or a refusal by the rules.

    Both are counted, since they are stored. Beyond the limit another refusal comes instead, which is not; nothing is done then.

    `effect` itself must check whether the user may do it: its own success may take that permission away.
    """
    key, user = required_key(request), request.user
    assert isinstance(user, User)
    fingerprint = hashlib.sha256(
        b"\n".join([str(request.method).encode(), request.path.encode(), orjson.dumps(request.data, option=orjson.OPT_SORT_KEYS)])
    ).hexdigest()

    def decided() -> Answer:
        try:
            with transaction.atomic():
                answer = effect()
        except Refusal as refused:
            daily_limits.check_refused(user.pk)
            return refused.status, details(refused, instance=request.path)
        daily_limits.count_answer(user)
        return answer

    return _answer(*idempotency.once(user=user, key=key, fingerprint=fingerprint, effect=decided))


def _answer(status: int, body: JsonObject) -> Response:
    return Response(body, status=status, content_type="application/problem+json" if status >= 400 else None)
