"""Mail posted by mail providers: django-anymail reads the provider's format, and it is stored here.

A mail counts from its arrival here. The addresses exist only while `WEBHOOK_SECRETS` names at least one secret (`user:password`,
several during a change); anymail compares them in constant time. The sender is proved as everywhere: by the
`Authentication-Results` that the provider leaves in the mail, or by its DKIM signature.
"""

from __future__ import annotations

import functools
import logging
import sys
from collections.abc import Callable

from anymail import signals
from anymail.signals import AnymailInboundEvent
from anymail.urls import urlpatterns as provider_urls
from anymail.utils import get_anymail_setting
from anymail.webhooks import postal, postmark, sparkpost
from anymail.webhooks.base import AnymailBasicAuthMixin, AnymailCoreWebhookView
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.db import InterfaceError, OperationalError
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import URLPattern
from django.utils import timezone

from notifications.inbound import destinations, store
from notifications.inbound.doors import posted, rates
from notifications.inbound.doors.posted import Posted
from notifications.parsing import reading

log = logging.getLogger(__name__)


def register() -> None:
    """Have posts of providers stored as they came."""
    for name, module in list(sys.modules.items()):
        if name.startswith("anymail.webhooks.") and hasattr(module, "AnymailInboundMessage"):
            module.AnymailInboundMessage = Posted  # type: ignore[attr-defined]
    postmark.EmailAddress = posted.address
    for module in (postal, sparkpost):
        module.b64decode = posted.raw_mail
    AnymailCoreWebhookView.post = answer_each
    signals.inbound.connect(arrived, dispatch_uid="notifications.inbound.doors.webhooks")


def urls() -> list[URLPattern]:
    """Return the addresses of all providers (`postmark/inbound/`, `mailgun/inbound_mime/` ...), each closed without a secret."""
    return [URLPattern(one.pattern, _guarded(one.callback), one.default_args, one.name) for one in provider_urls]


def answer_each(view: AnymailCoreWebhookView, request: HttpRequest, *_args: object, **_kwargs: object) -> HttpResponse:
    """Handle each event of a post, whatever becomes of the others: a provider may post the mails of several senders together.

    If one failed, the provider posts all of them again, and those that are stored are recognised.
    """
    # First of all the secret: some providers sign their posts, and anymail reads a body to see whose it is.
    AnymailBasicAuthMixin.validate_request(view, request)
    view.run_validators(request)
    faults: list[Exception] = []
    for event in view.parse_events(request):
        try:
            view.signal.send(sender=type(view), event=event, esp_name=view.esp_name)
        except (OperationalError, InterfaceError):
            raise  # none of them could be stored
        except Exception as fault:
            faults.append(fault)
    if faults:
        raise next((fault for fault in faults if not isinstance(fault, rates.TooMuchMail)), faults[0])
    return HttpResponse()


def arrived(sender: object, event: AnymailInboundEvent, esp_name: str, **_more: object) -> None:
    """Store one mail that a provider posted. An exception becomes a 500, after which the provider posts it again."""
    received_at = timezone.now()
    message: Posted | None = event.message
    if message is None:
        log.warning("%s reports mail that it could not take", esp_name)
        return
    mail = message.mail
    headers = reading.headers_of(mail.raw)
    # Some providers post once for all receivers, with a comma between them.
    named = [one.strip() for one in str(message.envelope_recipient or "").split(",")][: destinations.MOST_ADDRESSES]
    to = destinations.addressed(headers, named=named)
    if not to:
        log.info("a mail that %s posted is refused: unknown_address", esp_name)
        return
    envelope_from = str(message.envelope_sender) if message.envelope_sender else destinations.sent_by(headers)
    for address in to:
        rates.check_any(address, envelope_from, headers=headers)
    taken = destinations.take(mail, to=to, envelope_from=envelope_from, received_at=received_at)
    if taken:
        store.wake(taken)


def _guarded(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    @functools.wraps(view)  # with the attributes of the view: no form token
    def answer(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponse:
        # With `loopback`, any post would be trusted.
        if not get_anymail_setting("webhook_secret", default=[]) or settings.INBOUND_AUTH == "loopback":
            raise Http404
        try:
            return view(request, *args, **kwargs)
        except rates.TooMuchMail:
            # Every provider keeps the mail and posts it again after a 5xx; some discard it after a 429.
            return HttpResponse("Too many mails to this address within an hour.", status=503, headers={"Retry-After": "600"})
        except ImproperlyConfigured as fault:
            # A provider that is not used here, or not yet: it lacks a package or a key of its own. Anyone may post there.
            log.warning("a post to %s is refused: %s", request.path, " ".join(str(fault).split()), extra={"status_code": 503})
            return HttpResponse("This address is not set up.", status=503)

    # A mail may hold any byte; `parsing.text` handles its text.
    answer.takes_bytes = True  # type: ignore[attr-defined]
    # One provider posts the mails of all users: the limits by address and by player apply instead.
    answer.uncounted = True  # type: ignore[attr-defined]
    return answer
