"""Web push and the installed page: the user's browsers, the service worker, and the manifest."""

from __future__ import annotations

from pathlib import Path

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.templatetags.static import static
from django.views.decorators.http import require_POST, require_safe

from accounts.models import User
from gamesvc.forms import ActForm
from gamesvc.games.kernel.game import Refused
from gamesvc.language import say
from gamesvc.matches.models import Holding
from gamesvc.web.common.access import signed_in
from gamesvc.web.notices.forms import SubscribeForm, UnsubscribeForm
from notifications.other_channels import web_push
from notifications.wanted.wishes import WishRefused

WORKER = Path(__file__).parent.parent / "worker" / "sw.js"


@require_POST
@login_required
def change(request: HttpRequest) -> HttpResponse:
    """Turn push on for the browser whose subscription is posted, or off for one."""
    user = signed_in(request)
    try:
        if ActForm.read(request)["act"] == "unsubscribe":
            ended = web_push.unsubscribe(user, **UnsubscribeForm.read(request))
            messages.success(request, say("Notifications are off for this device.") if ended else say("This device had none."))
        else:
            web_push.subscribe(user, **SubscribeForm.read(request))
            messages.success(request, say("Notifications are on for this device. They come before any mail; change that here."))
    except (Refused, WishRefused) as refused:
        messages.error(request, refused.sentence)
    return redirect("web:profile")


@require_safe
def worker(request: HttpRequest) -> HttpResponse:
    """Return the service worker. It lies at the root, since it may only show pages at its own place or below."""
    answer = HttpResponse(WORKER.read_bytes(), content_type="text/javascript; charset=utf-8")
    answer["Cache-Control"] = "private, no-cache"
    return answer


@require_safe
def manifest(request: HttpRequest) -> HttpResponse:
    """Return what a device needs to install the page: name, icons, colours."""
    icons = [{"src": static(f"icon-{size}.png"), "sizes": f"{size}x{size}", "type": "image/png"} for size in (192, 512)]
    answer = JsonResponse(
        {
            "id": "/",
            "name": "Games by mail",
            "short_name": "Games",
            "description": "Slow games by mail, web page or API.",
            "start_url": "/",
            "scope": "/",
            "display": "minimal-ui",
            "background_color": "#F2F5F6",
            "theme_color": "#F2F5F6",
            "icons": [*icons, {"src": static("icon.svg"), "sizes": "any", "type": "image/svg+xml"}],
        },
        content_type="application/manifest+json",
    )
    answer["Cache-Control"] = "private, max-age=3600"
    return answer


def offer(user: User) -> dict[str, object]:
    """Return the context of the offer of push on the page of one's matches: after the first move, while no browser takes it."""
    offered = not web_push.has(user.pk) and Holding.objects.filter(user=user, answers__gt=0).exists()
    return {"offer_push": offered, "push_key": web_push.public_key() if offered else ""}
