"""The page of the chat services that take the user's notices."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from gamesvc.forms import ActForm
from gamesvc.games.kernel.game import Refused
from gamesvc.language import say
from gamesvc.web.common.access import signed_in
from gamesvc.web.notices.forms import ChatForm
from notifications.other_channels import chat_names, chats
from notifications.wanted.wishes import WishRefused


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def own_chats(request: HttpRequest) -> HttpResponse:
    """Show the chat services; on POST, set or remove the address of one."""
    user = signed_in(request)
    if request.method != "POST":
        own = chats.of(user)
        rows = [(name, title, chat_names.EXAMPLES[name], own.get(name)) for name, title in chat_names.SERVICES.items()]
        return render(request, "web/notices/chats.html", {"rows": rows})
    try:
        fields = ChatForm.read(request)
        service = fields["service"]
        if ActForm.read(request)["act"] == "remove":
            chats.remove(user, service)
            messages.success(request, say("The address is removed."))
        else:
            chats.set_up(user, service, fields["address"].strip())
            messages.success(request, say("Notices go there when mail had no effect; your profile says when."))
    except (Refused, WishRefused) as refused:
        messages.error(request, refused.sentence)
    return redirect("web:chats")
