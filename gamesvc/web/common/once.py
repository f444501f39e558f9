"""Protection against repeated forms: each page gives its forms a key of their own.

The key is combined with the content, so a corrected form is another request.
"""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Callable

from django.http import HttpRequest

from gamesvc.matches.record import idempotency
from gamesvc.web.common.access import signed_in
from gamesvc.web.common.hidden import hidden


def given(request: HttpRequest) -> str:
    """Return the key of the page with the form; empty if no page of ours sent it."""
    return str(hidden(request, "_once") or "")


def fingerprint(request: HttpRequest) -> str:
    """Return a hash of the content and the address."""
    fields = {name: request.POST.getlist(name) for name in request.POST if name != "csrfmiddlewaretoken"}
    return hashlib.sha256(json.dumps([request.path, fields], sort_keys=True).encode()).hexdigest()


def request_key(request: HttpRequest) -> str:
    """Return the idempotency key of a posted form: the page's key with its content, or a random one if there is none."""
    return f"{given(request)} {fingerprint(request)}" if given(request) else secrets.token_hex(16)


def once(request: HttpRequest, effect: Callable[[], object]) -> str:
    """Run the effect of a form once and return, as text, what `effect` returns. A repetition gets the same.

    A refusal by `effect` is not stored: the form may be sent again.
    """
    if not given(request):
        return str(effect())
    sent = fingerprint(request)

    def first() -> idempotency.Answer:
        return 200, {"made": str(effect())}

    _status, body = idempotency.once(user=signed_in(request), key=f"web {sent}", fingerprint=sent, effect=first)
    return str(body["made"])
