"""The pages behind links in mails: unsubscribing, and confirming orders that are held."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import translation
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

from notifications import preferences, registry
from notifications.inbound import addresses, held
from notifications.inbound.refusals import MailRefused
from notifications.models import Scope
from notifications.unsubscribe import Subscription, read

PAGE = "notifications/unsubscribe.html"
CONFIRM_PAGE = "notifications/confirm.html"


def in_readers_language(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """A page in the language that the reader's browser asks for: nobody is signed in here."""

    @functools.wraps(view)
    def answer(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        with translation.override(translation.get_language_from_request(request)):
            return view(request, *args, **kwargs)

    return answer


# A mail provider posts without cookie, login or form token; the signed link is the authority, and all it can do is this.
@csrf_exempt
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@in_readers_language
def unsubscribe(request: HttpRequest, token: str) -> HttpResponse:
    """GET shows a button and changes nothing, since link scanners follow links; POST acts, as often as it comes."""
    subscription = read(token)
    if subscription is None:
        return render(request, PAGE, {"state": "unknown"}, status=404)
    if request.method != "POST":
        return _page(request, subscription, "ask")
    wanted = request.POST.get("scope", subscription.scopes[0].value)
    if wanted not in subscription.scopes:
        return _page(request, subscription, "refused", status=400)
    scope = Scope(wanted)
    if request.POST.get("again") == "1":
        preferences.unmute(subscription.receiver, scope, subscription.value(scope))
        return _page(request, subscription, "resumed", scope=scope)
    preferences.mute(subscription.receiver, scope, subscription.value(scope))
    return _page(request, subscription, "done", scope=scope)


def _page(
    request: HttpRequest, subscription: Subscription, state: str, *, scope: Scope | None = None, status: int = 200
) -> HttpResponse:
    kind = registry.find(subscription.kind)
    label = kind.label if kind else subscription.kind.replace("_", " ")
    words = {
        Scope.TOPIC: _("all mails about this match"),
        Scope.KIND: _("all mails of the kind “%(label)s”") % {"label": _(label)},
        Scope.ALL: _("all mails about matches"),
    }
    context = {
        "state": state,
        "choices": [(choice.value, words[choice]) for choice in subscription.scopes],
        "chosen": scope.value if scope else subscription.scopes[0].value,
        "chosen_words": words[scope] if scope else "",
        "about_match": bool(subscription.topic),
    }
    return render(request, PAGE, context, status=status)


# Without login and form token: whoever reads the player's mailbox is the player, and the link stands in a mail to him alone.
@csrf_exempt
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@in_readers_language
def confirm(request: HttpRequest, token: str) -> HttpResponse:
    """GET shows the orders that are held and changes nothing, since link scanners follow links; POST confirms them, once."""
    address = addresses.find(token)
    if address is None or address.purpose != held.PURPOSE:
        return render(request, CONFIRM_PAGE, {"state": "unknown"}, status=404)
    mail = held.find(UUID(address.payload["mail"]))
    if request.method == "POST":
        try:
            done = held.accept(address)
        except MailRefused:
            done = False
        return render(request, CONFIRM_PAGE, {"state": "done" if done else "unknown"}, status=200 if done else 410)
    if mail is None or address.used_at is not None:
        return render(request, CONFIRM_PAGE, {"state": "unknown"}, status=410)
    return render(request, CONFIRM_PAGE, {"state": "ask", "orders": held.shown(mail), "received_at": mail.received_at})
