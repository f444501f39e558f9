"""Tickets: the web server has seen who calls and hands over to the live process, which listens on another port.

Programs drop their `Authorization` on a redirect to another port. The ticket stands in the address instead: encrypted, for one
stream, valid for half a minute. What it grants is checked again as long as the stream is open.
"""

from __future__ import annotations

import base64
import dataclasses
import functools
import hashlib
from uuid import UUID

import orjson
from cryptography.fernet import Fernet, InvalidToken
from django.conf import settings

from gamesvc.api.live.callers import Caller
from gamesvc.api.live.errors import TicketRefused

LASTS_SECONDS = 30


def issue(caller: Caller, path: str) -> str:
    """Return a ticket with which this caller may open the stream at this path."""
    told = {**dataclasses.asdict(caller), "path": path}
    return _cipher(settings.SECRET_KEY).encrypt(orjson.dumps(told)).decode()


def redeem(ticket: str, path: str) -> Caller:
    """Return the caller for whom a ticket was issued. Raises `TicketRefused`."""
    try:
        told = orjson.loads(_cipher(settings.SECRET_KEY).decrypt(ticket, ttl=LASTS_SECONDS))
    except (InvalidToken, TypeError, ValueError):
        raise TicketRefused from None
    if told.pop("path") != path:
        raise TicketRefused
    token_id = told.pop("token_id")
    return Caller(**told, token_id=UUID(token_id) if token_id else None)


@functools.cache
def _cipher(secret: str) -> Fernet:
    return Fernet(base64.urlsafe_b64encode(hashlib.sha256(b"gamesvc live ticket " + secret.encode()).digest()))
