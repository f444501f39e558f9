"""The page behind a mail's unsubscribe link."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

from notifications import preferences, registry
from notifications.models import Scope
from notifications.unsubscribe import Subscription, read

PAGE = "notifications/unsubscribe.html"


# A mail provider posts without cookie, login or form token; the signed link is the authority, and all it can do is this.
@csrf_exempt
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
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
        Scope.TOPIC: "all mails about this match",
        Scope.KIND: f"all mails of the kind “{label}”",
        Scope.ALL: "all mails about matches",
    }
    context = {
        "state": state,
        "choices": [(choice.value, words[choice]) for choice in subscription.scopes],
        "chosen": scope.value if scope else subscription.scopes[0].value,
        "chosen_words": words[scope] if scope else "",
        "about_match": bool(subscription.topic),
    }
    return render(request, PAGE, context, status=status)
