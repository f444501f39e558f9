"""Apps of OAuth 2: the page of those that act for the user and those they registered, and the page that asks for permission.

The addresses for programs (tokens, revocation, metadata) stand here too. The protocol itself is in `accounts.oauth`.
"""

from __future__ import annotations

from urllib.parse import urlsplit

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.models import App, User
from accounts.oauth import apps, grants
from accounts.tokens import SCOPES
from gamesvc.forms import ActForm
from gamesvc.games.kernel.game import Refused
from gamesvc.language import say
from gamesvc.web.account.forms import AppForm, NewAppForm
from gamesvc.web.common import protections
from gamesvc.web.common.access import signed_in


class Redirect(HttpResponse):
    """A redirect to an app, whose address may have a scheme of its own."""

    status_code = 302

    def __init__(self, address: str) -> None:
        super().__init__()
        self["Location"] = address


@never_cache
@require_http_methods(["GET", "POST"])
@login_required
def own_apps(request: HttpRequest) -> HttpResponse:
    """List the apps that act for the user, and those they registered. Register or delete one, or end a permission."""
    user = signed_in(request)
    if request.method != "POST":
        return _page(request, user)
    form = NewAppForm(request.POST)
    try:
        match ActForm.read(request)["act"]:
            case "register":
                fields = form.checked()
                app, secret = apps.register(
                    owner=user,
                    name=fields["name"],
                    redirect_uris=fields["redirect_uris"].splitlines(),
                    confidential=fields["confidential"],
                )
                return _page(request, user, fresh=app, secret=secret, status=201)
            case "delete":
                done = apps.delete(owner=user, app_id=AppForm.read(request)["app"])
                messages.success(request, say("The app is deleted.") if done else say("There is no such app."))
            case "revoke":
                done = apps.revoke(user=user, app_id=AppForm.read(request)["app"])
                messages.success(
                    request, say("The app can no longer act for you.") if done else say("This app could not act for you.")
                )
            case _:
                raise Refused("unreadable", say("Choose what to do with the app."), "act")
    except (Refused, apps.AppRefused) as refused:
        return _page(request, user, form=form, failed=refused, status=refused.status)
    return redirect("web:apps")


def _page(
    request: HttpRequest,
    user: User,
    *,
    fresh: App | None = None,
    secret: str = "",
    form: NewAppForm | None = None,
    failed: Refused | apps.AppRefused | None = None,
    status: int = 200,
) -> HttpResponse:
    context = {
        "permitted": apps.permitted(user),
        "registered": user.apps.all(),
        "fresh": fresh,
        "secret": secret,
        "form": form,
        "failed": failed,
        "authorize": settings.BASE_URL + reverse("web:authorize"),
        "token": settings.BASE_URL + reverse("web:oauth_token"),
    }
    return render(request, "web/apps.html", context, status=status)


@never_cache
@require_http_methods(["GET", "POST"])
@login_required
def authorize(request: HttpRequest) -> HttpResponse:
    """Ask the user whether an app may act for them (RFC 6749 4.1.1). Only a pressed button allows anything."""
    query = request.META.get("QUERY_STRING", "")
    try:
        asked = grants.asked(query)
        if request.method == "POST":
            if ActForm.read(request)["act"] == "allow":
                return Redirect(grants.allow(query, signed_in(request)))
            return Redirect(grants.deny(query))
    except grants.SentBack as back:
        return Redirect(back.address)
    except grants.BadRequest as bad:
        return render(request, "400.html", {"detail": f"{bad.title}. {bad.detail} {bad.advice}"}, status=400)
    context = {
        "asked": asked,
        "scopes": [(scope, say(SCOPES[scope])) for scope in asked.scopes],
        "returns_to": urlsplit(asked.redirect_uri).netloc or asked.redirect_uri,
    }
    answer = render(request, "web/authorize.html", context)
    answer["Content-Security-Policy"] = protections.LEAVING
    return answer


def _told(answer: grants.Answer) -> HttpResponse:
    headers, body, status = answer
    response = HttpResponse(
        body, status=status, headers={"Content-Type": "application/json", "Cache-Control": "no-store"} | headers
    )
    # A program in a browser may ask from any page: it brings no cookie, only what it was given for itself.
    response["Access-Control-Allow-Origin"] = "*"
    return response


@csrf_exempt
@require_POST
def token(request: HttpRequest) -> HttpResponse:
    """Exchange a code or a refresh token for tokens (RFC 6749 4.1.3 and 6)."""
    return _told(grants.answer_token_request(request.POST.urlencode(), request.META.get("HTTP_AUTHORIZATION", "")))


@csrf_exempt
@require_POST
def revoke(request: HttpRequest) -> HttpResponse:
    """Revoke an access token, or a permission by its refresh token (RFC 7009)."""
    return _told(grants.answer_revocation(request.POST.urlencode(), request.META.get("HTTP_AUTHORIZATION", "")))


@require_safe
def metadata(request: HttpRequest) -> JsonResponse:
    """Describe the authorization server (RFC 8414)."""
    base = settings.BASE_URL
    methods = ["none", "client_secret_basic", "client_secret_post"]
    answer = JsonResponse(
        {
            "issuer": base,
            "authorization_endpoint": base + reverse("web:authorize"),
            "token_endpoint": base + reverse("web:oauth_token"),
            "revocation_endpoint": base + reverse("web:oauth_revoke"),
            "scopes_supported": list(grants.OFFERED),
            "response_types_supported": ["code"],
            "grant_types_supported": ["authorization_code", "refresh_token"],
            "code_challenge_methods_supported": ["S256"],
            "token_endpoint_auth_methods_supported": methods,
            "revocation_endpoint_auth_methods_supported": methods,
        }
    )
    answer["Access-Control-Allow-Origin"] = "*"
    return answer
