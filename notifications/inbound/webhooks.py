"""The door for those whose mail provider posts what came: django-anymail reads the provider's format, and here it is stored.

A mail counts when it arrives here. The addresses exist only while `WEBHOOK_SECRETS` names at least one secret
(`user:password`, several while they change); anymail compares them in constant time. Who sent the mail is proved as at
the other doors: by the `Authentication-Results` that the provider leaves in it, or by its DKIM signature.
"""

from __future__ import annotations

import functools
import logging
from collections.abc import Callable, Iterable
from email.policy import compat32
from typing import Any

from anymail import inbound as anymail_inbound
from anymail import signals
from anymail.inbound import AnymailInboundMessage
from anymail.signals import AnymailInboundEvent
from anymail.urls import urlpatterns as provider_urls
from anymail.utils import get_anymail_setting
from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import URLPattern
from django.utils import timezone

from notifications.inbound import doors, rates, reading, store
from notifications.models import ReplyAddress

log = logging.getLogger(__name__)


class _Posted(AnymailInboundMessage):  # type: ignore[misc]
    """A mail that a provider posted raw. Only its headers are parsed here; the worker reads the rest, within its limits.

    anymail would parse all of it with the modern policy, in the process that serves the pages, and write it anew for us.
    """

    raw = b""

    @classmethod
    def parse_raw_mime_bytes(cls, raw: bytes) -> AnymailInboundMessage:
        message = cls(policy=compat32)
        for name, value in reading.headers_of(raw).raw_items():
            message.set_raw(name, value)
        message.raw = raw
        return message

    @classmethod
    def parse_raw_mime_chunks(cls, chunks: Iterable[bytes]) -> AnymailInboundMessage:
        return cls.parse_raw_mime_bytes(b"".join(chunks))


def register() -> None:
    """Have what the providers post stored, as it was posted."""
    # The class that anymail's views call makes another one of raw mail; what they build from parsed fields stays its own.
    AnymailInboundMessage.parse_raw_mime_bytes = _Posted.parse_raw_mime_bytes
    AnymailInboundMessage.parse_raw_mime_chunks = _Posted.parse_raw_mime_chunks
    anymail_inbound.default_policy = compat32
    signals.inbound.connect(arrived, dispatch_uid="notifications.inbound.webhooks")


def urls() -> list[URLPattern]:
    """The addresses of all providers (`postmark/inbound/`, `mailgun/inbound_mime/` ...), each closed without a secret."""
    return [URLPattern(one.pattern, _guarded(one.callback), one.default_args, one.name) for one in provider_urls]


def arrived(sender: Any, event: AnymailInboundEvent, esp_name: str, **_more: Any) -> None:
    """Store one mail that a provider posted. A fault goes up and is answered with 500: the provider posts it again."""
    received_at = timezone.now()
    message: AnymailInboundMessage | None = event.message
    if message is None:
        log.warning("%s reports mail that it could not take", esp_name)
        return
    raw = _raw(message)
    headers = reading.headers_of(raw)
    named = (str(message.envelope_recipient),) if message.envelope_recipient else ()
    to = doors.addressed(headers, named=named)
    if not to:
        log.info("a mail that %s posted is refused: unknown_address", esp_name)
        return
    envelope_from = str(message.envelope_sender) if message.envelope_sender else doors.sent_by(headers)
    for address in to:
        if isinstance(address, ReplyAddress):
            rates.check(address, envelope_from)
    taken = doors.take(raw, to=to, envelope_from=envelope_from, received_at=received_at)
    if taken:
        store.wake(taken)


def _raw(message: AnymailInboundMessage) -> bytes:
    """Return the mail as it came; of one that was posted in fields what can be written, cut just above the limit."""
    if isinstance(message, _Posted):
        return message.raw[: reading.LARGEST + 1]
    try:
        return bytes(message.as_bytes())[: reading.LARGEST + 1]
    except (UnicodeError, ValueError, LookupError, TypeError, AttributeError):
        return str(message.as_string()).encode("utf-8", "replace")[: reading.LARGEST + 1]


def _guarded(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    @functools.wraps(view)  # with the marks that the view bears: no form token
    def answer(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        # With `loopback` whatever a provider posts would be believed.
        if not get_anymail_setting("webhook_secret", default=[]) or settings.INBOUND_AUTH == "loopback":
            raise Http404
        try:
            return view(request, *args, **kwargs)
        except rates.TooMuchMail:
            # Every provider keeps the mail and posts it again after a 5xx; some throw it away after a 429.
            return HttpResponse("Too many mails to this address within an hour.", status=503, headers={"Retry-After": "600"})

    # A mail may hold any byte; what becomes of its text is for `inbound.text`.
    answer.takes_bytes = True  # type: ignore[attr-defined]
    # One provider posts the mails of everybody: the caps by address and by player hold instead.
    answer.uncounted = True  # type: ignore[attr-defined]
    return answer
