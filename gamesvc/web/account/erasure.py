"""Erasing one's account. The page first says what is deleted and what stays, then asks for the user name."""

from __future__ import annotations

from allauth.account.decorators import reauthentication_required
from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache

from accounts import erasure
from gamesvc.language import say
from gamesvc.matches.models import Match
from gamesvc.web.account.forms import EraseForm
from gamesvc.web.common.access import signed_in


@never_cache
@login_required
@reauthentication_required(allow_get=True)  # type: ignore[untyped-decorator]
def erase(request: HttpRequest) -> HttpResponse:
    """Explain on GET; on POST with the user name, erase the account. The password is asked for once more before."""
    user = signed_in(request)
    form = EraseForm(request.POST if request.method == "POST" else None, user=user)
    if form.is_valid():
        erasure.erase(user)
        logout(request)
        messages.success(request, say("Your account is erased."))
        return redirect("web:home")
    running = Match.objects.filter(seats__user=user, status=Match.Status.RUNNING).count()
    return render(request, "web/erase.html", {"form": form, "running": running}, status=422 if form.is_bound else 200)
