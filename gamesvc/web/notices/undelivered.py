"""Bounced mails on the profile page, and the button that resumes sending."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from accounts.models import User
from gamesvc.language import say
from gamesvc.web.common.access import signed_in
from gamesvc.web.notices.forms import SuppressionForm
from notifications import registry
from notifications.returned import suppression


def of_user(user: User) -> list[dict[str, object]]:
    """Return the mail held back from a user, for the profile page."""
    found = []
    for row in suppression.of_user(user):
        kind = registry.find(row.kind)
        label = kind.label if kind is not None else row.kind.replace("_", " ")
        found.append(
            {
                "pk": row.pk,
                "kind": row.kind,
                "label": label,
                "report": row.report,
                "detail": row.detail,
                "created_at": row.created_at,
            }
        )
    return found


@require_POST
@login_required
def send_again(request: HttpRequest) -> HttpResponse:
    """Resume sending to the user's own address after a bounce."""
    form = SuppressionForm(request.POST)
    if form.is_valid() and suppression.lift(signed_in(request), form.cleaned_data["suppression"]):
        messages.success(request, say("Mail is sent to you again. If it bounces again, this page says so."))
    else:
        messages.error(request, say("Nothing was held back there."))
    return redirect("web:profile")
