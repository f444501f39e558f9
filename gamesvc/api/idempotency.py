"""Idempotency-Key on requests that create something: the first answer is kept, in the transaction of its effect.

Commands need none of this: their key becomes the event's command id, which guards for ever (`matches.turns`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import orjson
from django.db import transaction
from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.models import User
from gamesvc.api.problems import Problem, translate
from gamesvc.games.kernel import Refused
from gamesvc.matches.models import Answered
from gamesvc.matches.turns import KeyReused

KEPT_HOURS = 24


def required_key(request: Request) -> str:
    """The request's Idempotency-Key, quotes stripped. Raises `Problem` (400) for none, or one that is too long."""
    key = str(request.headers.get("Idempotency-Key", "")).strip().strip('"')
    if not key or len(key) > 255:
        detail = "Send an Idempotency-Key header: 1 to 255 characters, new for each new request, the same for a retry."
        raise Problem(400, "key_missing", "The Idempotency-Key is missing", detail)
    return key


def once(request: Request, effect: Callable[[], tuple[int, dict[str, Any]]]) -> Response:
    """Run `effect` once per user and key; a repetition gets the first answer, success or refusal by the rules."""
    key, user = required_key(request), request.user
    assert isinstance(user, User)
    fingerprint = hashlib.sha256(
        b"\n".join([str(request.method).encode(), request.path.encode(), orjson.dumps(request.data, option=orjson.OPT_SORT_KEYS)])
    ).hexdigest()
    with transaction.atomic():
        Answered.objects.filter(user=user, key=key, created_at__lt=timezone.now() - timedelta(hours=KEPT_HOURS)).delete()
        # Of several requests at once the others wait here for the first one's transaction.
        row, made = Answered.objects.get_or_create(
            user=user, key=key, defaults={"fingerprint": fingerprint, "status": 0, "body": {}}
        )
        if not made:
            if row.fingerprint != fingerprint:
                raise KeyReused
            return _answer(row.status, row.body)
        try:
            with transaction.atomic():
                status, body = effect()
        except Refused as refused:
            refusal = translate(refused)
            assert refusal is not None
            status, body = 422, {**refusal.data, "instance": request.path}
        row.status, row.body = status, body
        row.save(update_fields=["status", "body"])
    return _answer(status, body)


def _answer(status: int, body: dict[str, Any]) -> Response:
    return Response(body, status=status, content_type="application/problem+json" if status >= 400 else None)
