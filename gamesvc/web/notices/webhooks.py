"""The page of the user's webhooks, and the log of each."""

from __future__ import annotations

from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from accounts.models import User
from gamesvc import paging
from gamesvc.errors import GamesvcError, TooMany
from gamesvc.forms import ActForm
from gamesvc.games.kernel.game import Refused
from gamesvc.language import say
from gamesvc.matches.errors import Forbidden, Unknown
from gamesvc.matches.models import Match
from gamesvc.matches.notices import match_hooks
from gamesvc.web.common.access import signed_in
from gamesvc.web.notices.forms import DeliveryForm, HookForm, NewHookForm
from notifications.models import Webhook
from notifications.other_channels import signing, subscriptions, webhooks
from notifications.wanted.wishes import WishRefused

_REFUSALS = (Refused, WishRefused, TooMany, Forbidden, Unknown)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def own_webhooks(request: HttpRequest) -> HttpResponse:
    """List the user's webhooks. Add, test or remove one, give it a new secret, or switch it on again."""
    user = signed_in(request)
    if request.method != "POST":
        return _page(request, user)
    form = NewHookForm(request.POST)
    try:
        match ActForm.read(request)["act"]:
            case "add":
                return _page(request, user, fresh=_added(user, form), status=201)
            case "rotate":
                hook = _hook(user, HookForm.read(request)["hook"])
                webhooks.turn(hook)
                return _page(request, user, fresh=hook)
            case act:
                _change(request, _hook(user, HookForm.read(request)["hook"]), act)
    except _REFUSALS as refused:
        return _page(request, user, form=form, failed=refused, status=refused.status)
    return redirect("web:webhooks")


def _added(user: User, form: NewHookForm) -> Webhook:
    fields = form.checked()
    url, match = fields["url"].strip(), fields["match"].strip()
    if match:
        return match_hooks.add(by=user, url=url, kinds=None, ident=match)
    return subscriptions.add(user, url=url, kinds=fields["kinds"] or None)


def _change(request: HttpRequest, hook: Webhook, act: str) -> None:
    if act == "ping":
        subscriptions.ping(hook)
        messages.success(request, say("A test is on its way. The log says what your program answered."))
    elif act == "remove":
        subscriptions.remove(hook)
        messages.success(request, say("The webhook is removed."))
    elif act == "enable":
        subscriptions.change(hook)
        messages.success(request, say("The webhook is on again."))
    else:
        raise Refused("unreadable", say("Choose what to do with the webhook."), "act")


def _hook(user: User, hook_id: UUID) -> Webhook:
    hook = subscriptions.find(user, hook_id)
    if hook is None:
        raise Unknown(say("You have no such webhook."))
    return hook


def _page(
    request: HttpRequest,
    user: User,
    *,
    fresh: Webhook | None = None,
    form: NewHookForm | None = None,
    failed: GamesvcError | None = None,
    status: int = 200,
) -> HttpResponse:
    hooks = subscriptions.all_of(user)
    numbers = dict(Match.objects.filter(pk__in=[hook.topic for hook in hooks if hook.topic]).values_list("pk", "number"))
    labels = {kind.name: gettext(kind.label) for kind in subscriptions.offered()}
    context = {
        "hooks": [
            (hook, numbers.get(UUID(hook.topic)) if hook.topic else None, [labels.get(name, name) for name in hook.kinds or ()])
            for hook in hooks
        ],
        "kinds": labels.items(),
        "room": len(hooks) < subscriptions.MOST,
        "fresh": fresh,
        "secret": signing.secret_of(fresh) if fresh is not None else "",
        "form": form,
        "failed": failed,
    }
    return render(request, "web/notices/webhooks.html", context, status=status)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def webhook_log(request: HttpRequest, hook_id: UUID) -> HttpResponse:
    """Show what was sent to a webhook; on POST, send an entry again."""
    hook = subscriptions.find(signed_in(request), hook_id)
    if hook is None:
        raise Http404("There is no such webhook.")
    if request.method != "POST":
        rows = list(subscriptions.log_of(hook)[: paging.DELIVERIES])
        return render(request, "web/notices/webhook_log.html", {"hook": hook, "rows": rows})
    try:
        if subscriptions.again(hook, DeliveryForm.read(request)["delivery"]) is None:
            raise Unknown(say("There is no such delivery in the log."))
    except _REFUSALS as refused:
        messages.error(request, refused.sentence)
    else:
        messages.success(request, say("It is sent again."))
    return redirect(reverse("web:webhook_log", args=[hook.pk]))
