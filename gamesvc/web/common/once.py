"""What a form sends is done once, however often it is sent: each page gives its forms a key of their own.

The key goes with all that was filled in, so that a form that was corrected, or is filled in otherwise, is another request.
"""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Callable

from django.http import HttpRequest

from gamesvc.matches.record import idempotency
from gamesvc.web.common.access import signed_in


def given(request: HttpRequest) -> str:
    """The key of the page that the form stood on; empty for what no page of ours has sent."""
    return request.POST.get("_once", "")[:40]


def fingerprint(request: HttpRequest) -> str:
    """What was sent, and to where, in a few letters."""
    fields = {name: request.POST.getlist(name) for name in request.POST if name != "csrfmiddlewaretoken"}
    return hashlib.sha256(json.dumps([request.path, fields], sort_keys=True).encode()).hexdigest()


def request_key(request: HttpRequest) -> str:
    """Return the idempotency key of a posted form: the page's key with everything that was filled in; random without one."""
    return f"{given(request)} {fingerprint(request)}" if given(request) else secrets.token_hex(16)


def once(request: HttpRequest, effect: Callable[[], object]) -> str:
    """Run what a form asks for and return, as text, what `effect` names; sent again it gets the same without a second effect.

    What `effect` refuses is not kept: it may be tried again.
    """
    if not given(request):
        return str(effect())
    sent = fingerprint(request)

    def first() -> idempotency.Answer:
        return 200, {"made": str(effect())}

    _status, body = idempotency.once(user=signed_in(request), key=f"web {sent}", fingerprint=sent, effect=first)
    return str(body["made"])
