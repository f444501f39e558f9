"""Rate limits of the API, checked by the framework after authentication."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from accounts.models import User
from accounts.tokens import Bearer, limited_as
from gamesvc import request_limits
from gamesvc.request_limits import computing_time

if TYPE_CHECKING:  # the framework imports this module for its view classes
    from rest_framework.views import APIView


class Throttle(BaseThrottle):
    """Counts a request for its user and token, and for looking at the past. Raises `TooMany`."""

    def allow_request(self, request: Request, view: APIView) -> bool:
        token = limited_as(request.auth.token) if isinstance(request.auth, Bearer) else None
        plain = request._request
        if isinstance(request.user, User):
            request_limits.count(plain, request_limits.holders(plain, request.user, token))
        elif request_limits.folds(plain):
            request_limits.count(plain, request_limits.of_network(plain, "history"))
        computing_time.enter(plain, request.user)
        return True
