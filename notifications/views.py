"""The pages behind links in mails: unsubscribing, and confirming held orders."""

from __future__ import annotations

import functools
from collections.abc import Callable
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import translation
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

from notifications import moments
from notifications.forms import UnsubscribeForm
from notifications.inbound import addresses, held, stopping
from notifications.models import Scope
from notifications.parsing.refusals import MailRefused
from notifications.sending.unsubscribe import Subscription, read
from notifications.wanted import muting, preferences

PAGE = "notifications/unsubscribe.html"
RESUME_PAGE = "notifications/resume.html"
CONFIRM_PAGE = "notifications/confirm.html"


def in_readers_language(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Wrap a view to use the browser's language: nobody is signed in here."""

    @functools.wraps(view)
    def answer(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponse:
        with translation.override(translation.get_language_from_request(request)):
            return view(request, *args, **kwargs)

    return answer


# A mail provider posts without cookie, sign-in or form token. The signed link is the authority, and this is all it can do.
@csrf_exempt
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@in_readers_language
def unsubscribe(request: HttpRequest, token: str) -> HttpResponse:
    """Show a button on GET, since link scanners follow links; act on POST, however often it comes."""
    subscription = read(token)
    if subscription is None:
        return render(request, PAGE, {"state": "unknown"}, status=404)
    if request.method != "POST":
        return _page(request, subscription, "ask")
    form = UnsubscribeForm(request.POST, subscription=subscription)
    if not form.is_valid():
        return _page(request, subscription, "refused", status=400)
    scope, again = Scope(form.cleaned_data["scope"]), form.cleaned_data["again"] == "1"
    receiver, value = subscription.receiver, subscription.value(scope)
    changes = receiver.mutes.filter(scope=scope, value=value).exists() == again
    if changes and not muting.may_change(receiver):
        return _page(request, subscription, "too_often", scope=scope, status=429)
    if again:
        preferences.unmute(receiver, scope, value)
        return _page(request, subscription, "resumed", scope=scope)
    muting.mute(receiver, [(scope, value)])
    return _page(request, subscription, "done", scope=scope)


# Without sign-in and form token: only one mail to the receiver contains the link, and all it can do is to reverse that mail.
@csrf_exempt
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@in_readers_language
def resume(request: HttpRequest, token: str) -> HttpResponse:
    """Show the stopped mails on GET, since link scanners follow links; resume them on POST."""
    known = muting.read_undo(token)
    if known is None:
        return render(request, RESUME_PAGE, {"state": "unknown"}, status=404)
    receiver, pairs = known
    if request.method == "POST":
        muting.undo(receiver, pairs)
    context = {"state": "done" if request.method == "POST" else "ask", "stopped": [muting.words(*pair) for pair in pairs]}
    return render(request, RESUME_PAGE, context)


def _page(
    request: HttpRequest, subscription: Subscription, state: str, *, scope: Scope | None = None, status: int = 200
) -> HttpResponse:
    words = {choice: muting.words(choice, subscription.value(choice)) for choice in subscription.scopes}
    context = {
        "state": state,
        "choices": [(choice.value, words[choice]) for choice in subscription.scopes],
        "chosen": scope.value if scope else subscription.scopes[0].value,
        "chosen_words": words[scope] if scope else "",
        "about_match": bool(subscription.topic),
    }
    return render(request, PAGE, context, status=status)


# Without sign-in and form token: anyone who reads the player's mailbox counts as the player, and only a mail to them has the
# link.
@csrf_exempt
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@in_readers_language
def confirm(request: HttpRequest, token: str) -> HttpResponse:
    """Show the held orders on GET, since link scanners follow links; confirm them on POST, once."""
    address = addresses.find(token)
    if address is None or address.purpose != held.PURPOSE:
        return render(request, CONFIRM_PAGE, {"state": "unknown"}, status=404)
    mail = held.find(UUID(address.payload["mail"]))
    stops = mail is not None and mail.address.purpose == stopping.PURPOSE
    if request.method == "POST":
        try:
            done = held.accept(address)
        except MailRefused:
            done = False
        context: dict[str, object] = {"state": "done" if done else "unknown", "stops": stops}
        return render(request, CONFIRM_PAGE, context, status=200 if done else 410)
    if mail is None or address.used_at is not None:
        return render(request, CONFIRM_PAGE, {"state": "unknown"}, status=410)
    context = {
        "state": "ask",
        "stops": stopping.words_of(mail.address) if stops else "",
        "why": held.reason_of(mail),
        "orders": held.shown(mail),
        "received": moments.shown(mail.received_at),
    }
    return render(request, CONFIRM_PAGE, context)
