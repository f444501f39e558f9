"""The page of the user's bot accounts: making one, its limit, its token, its end."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from accounts import tokens
from accounts.bots import bots
from accounts.models import User
from accounts.validators import BOT_SUFFIX
from gamesvc.errors import TooMany
from gamesvc.forms import ActForm
from gamesvc.games.kernel.game import Refused
from gamesvc.language import say
from gamesvc.matches.lobby import programs
from gamesvc.web.account.forms import BotForm, BotLimitForm, NewBotForm
from gamesvc.web.common.access import signed_in


@never_cache
@require_http_methods(["GET", "POST"])
@login_required
def own_bots(request: HttpRequest) -> HttpResponse:
    """List the user's bot accounts. Make one, set how much it plays, make its token, or erase it."""
    user = signed_in(request)
    if request.method != "POST":
        return _page(request, user)
    form = NewBotForm(request.POST)
    try:
        act = ActForm.read(request)["act"]
        if act == "make":
            fields = form.checked()
            bot = bots.make(owner=user, name=fields["name"].strip(), matches=fields["at_once"])
            messages.success(request, say("The bot account {name} is made. Make its key now.", name=bot.username))
            return redirect("web:bots")
        return _change(request, user, bots.find(user, BotForm.read(request)["bot"]), act)
    except (Refused, TooMany, bots.BotRefused, tokens.TokenRefused) as refused:
        return _page(request, user, form=form, failed=refused, status=refused.status)


def _change(request: HttpRequest, user: User, bot: User, act: str) -> HttpResponse:
    match act:
        case "token":
            _row, plain = bots.new_token(bot, bot.username)
            return _page(request, user, fresh=bot, token=plain, status=201)
        case "revoke":
            tokens.revoke_all(bot)
            messages.success(request, say("All keys of the bot are revoked."))
        case "limit":
            bots.allow(bot, BotLimitForm.read(request)["at_once"])
            messages.success(request, say("The limit is saved."))
        case "erase":
            programs.erase(bot)
            messages.success(request, say("The bot account is erased."))
        case _:
            raise Refused("unreadable", say("Choose what to do with the bot."), "act")
    return redirect("web:bots")


def _page(
    request: HttpRequest,
    user: User,
    *,
    fresh: User | None = None,
    token: str = "",
    form: NewBotForm | None = None,
    failed: Refused | TooMany | bots.BotRefused | tokens.TokenRefused | None = None,
    status: int = 200,
) -> HttpResponse:
    context = {
        "bots": bots.of(user),
        "fresh": fresh,
        "token": token,
        "failed": failed,
        "form": form,
        "suffix": BOT_SUFFIX,
        "most": bots.MOST_MATCHES,
    }
    return render(request, "web/bots.html", context, status=status)
