"""Notification settings on the profile page: timing, reply addresses, calendar address, webhook; and the calendar itself."""

from __future__ import annotations

from collections.abc import Sequence

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_GET, require_POST

from accounts.models import User
from gamesvc.errors import TooMany
from gamesvc.forms import ActForm
from gamesvc.games.kernel.game import Refused
from gamesvc.language import joined, say
from gamesvc.matches.notices import reply_addresses as addresses
from gamesvc.web.common.access import signed_in
from gamesvc.web.notices.forms import TimingForm, WebhookForm
from notifications.models import Webhook
from notifications.other_channels import chats, signing, subscriptions, web_push, webhooks
from notifications.other_channels.chat_names import SERVICES
from notifications.sending import calendar
from notifications.wanted import wishes
from notifications.wanted.wishes import WishRefused


def context(user: User) -> dict[str, object]:
    """Return the context of this section of the profile page."""
    holds = wishes.wishes_of(user.pk)
    own_chats = chats.of(user)
    hook = webhooks.of(user)
    return {
        "holds": holds,
        "points": ", ".join(holds.reminders),
        "hours": range(24),
        "feed_address": calendar.address(user),
        "hook": hook,
        "devices": web_push.of(user),
        "push_key": web_push.public_key(),
        "push_when": _when("push", holds.channels),
        "chats": [(name, title, _when(name, holds.channels)) for name, title in SERVICES.items() if name in own_chats],
    }


def is_reached_elsewhere(user: User) -> bool:
    """Return True if notices of a user go to addresses that a key could have set."""
    return bool(calendar.address(user) or subscriptions.all_of(user) or chats.of(user))


def _when(name: str, order: Sequence[str]) -> str:
    """Return when a channel is used, as the form has it: never, after a mail, or first."""
    if name not in order:
        return ""
    return "first" if order.index(name) < order.index("mail") else "after"


@require_POST
@login_required
def timing(request: HttpRequest) -> HttpResponse:
    """Set the timing of notices. Empty fields mean: no digest, every mail at once."""
    user = signed_in(request)
    try:
        wishes.set_wishes(user, TimingForm(request.POST).changes())
    except (Refused, WishRefused, TooMany) as refused:
        messages.error(request, refused.sentence)
    else:
        messages.success(request, say("Your choice is saved."))
    return redirect("web:profile")


@require_POST
@login_required
def feed_address(request: HttpRequest) -> HttpResponse:
    """Create or withdraw the calendar address."""
    user = signed_in(request)
    if ActForm.read(request)["act"] == "withdraw":
        calendar.withdraw_address(user)
        messages.success(request, say("The calendar address is withdrawn."))
    else:
        calendar.renew_address(user)
        messages.success(request, say("You have a new calendar address."))
    return redirect("web:profile")


@require_POST
@login_required
def reply_addresses(request: HttpRequest) -> HttpResponse:
    """Revoke the reply addresses of all mails sent so far, after one of them went astray."""
    try:
        addresses.renew(user=signed_in(request))
    except TooMany as refused:
        messages.error(request, refused.sentence)
    else:
        messages.success(request, say("Mails you have received can no longer be answered. Pending turns are sent again."))
    return redirect("web:profile")


@require_POST
@login_required
def webhook(request: HttpRequest) -> HttpResponse:
    """Set or delete the webhook address."""
    user = signed_in(request)
    match ActForm.read(request)["act"]:
        case "remove":
            webhooks.remove(user)
            messages.success(request, say("The webhook is removed."))
        case "rotate":
            if (hook := webhooks.rotate(user)) is not None:
                messages.success(
                    request, joined(_secret(hook), say("For one more day, notices are signed with the old one as well."))
                )
        case _:
            try:
                hook, new = subscriptions.set_channel(user, WebhookForm.read(request)["url"].strip())
            except (Refused, WishRefused, TooMany) as refused:
                messages.error(request, refused.sentence)
            else:
                messages.success(
                    request,
                    joined(say("The address is saved."), _secret(hook)) if new else say("The address is saved."),
                )
    return redirect("web:profile")


def _secret(hook: Webhook) -> str:
    return say("Notices are signed with {secret}, which is shown this once.", secret=signing.secret_of(hook))


@require_GET
def calendar_feed(request: HttpRequest, secret: str) -> HttpResponse:
    """Return a player's deadlines for a calendar program. It cannot sign in: the address is the key."""
    user = calendar.owner_of(secret)
    if user is None:
        raise Http404("There is no such calendar, or its address was withdrawn.")
    answer = HttpResponse(calendar.feed(user), content_type="text/calendar; charset=utf-8")
    answer["Content-Disposition"] = 'inline; filename="matches.ics"'
    answer["Cache-Control"] = "private, no-store"
    answer["Referrer-Policy"] = "no-referrer"
    return answer
