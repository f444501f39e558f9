"""The user's own account: time zone and language, kinds of mail, and API keys."""

from __future__ import annotations

import uuid
from datetime import timedelta

from allauth.account.decorators import reauthentication_required
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.forms import ModelForm
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_POST

from accounts.models import User
from accounts.signing_in import proving
from accounts.tokens import GUARDED, SCOPES, TokenRefused, create_token, revoke_all, revoke_token
from accounts.validators import zone_names
from gamesvc.games.kernel import intake
from gamesvc.web.common.access import signed_in
from gamesvc.web.notices import preferences as notices
from gamesvc.web.notices import undelivered
from gamesvc.web.timekeeping import absence
from notifications import registry
from notifications.models import Scope
from notifications.wanted import digest_hour, muting, preferences


class ProfileForm(ModelForm):  # type: ignore[type-arg]
    """The settings a user may change here. Addresses and password are on django-allauth's pages."""

    class Meta:
        model = User
        fields = ["timezone", "language"]

    def save(self, commit: bool = True) -> User:
        """Write the fields of the form alone: the request's copy of the user may be old, and knows no newer password."""
        user: User = self.instance
        user.save(update_fields=self._meta.fields)
        return user


@login_required
def profile(request: HttpRequest) -> HttpResponse:
    user = signed_in(request)
    form = ProfileForm(request.POST or None, instance=user)
    if request.method == "POST" and form.is_valid():
        form.save()
        digest_hour.plan_digest(user)
        messages.success(request, "Your profile is saved.")
        return redirect("web:profile")
    # A refused form has changed the user in memory. The rest of the page shows what is stored.
    user.refresh_from_db()
    return _page(request, user, form)


def _page(request: HttpRequest, user: User, form: ProfileForm, fresh_key: str = "", status: int = 200) -> HttpResponse:
    context = {
        "form": form,
        "zones": sorted(zone_names()),
        "keys": user.api_tokens.filter(revoked_at=None),
        "scopes": [(scope, told) for scope, told in SCOPES.items() if scope != "operate" or user.is_staff],
        "fresh_key": fresh_key,
        "kinds": _kinds(user),
        **notices.context(user),
        **absence.of_user(user),
        "undelivered": undelivered.of_user(user),
    }
    answer = render(request, "web/profile.html", context, status=422 if form.errors else status)
    answer["Cache-Control"] = "no-store"
    return answer


def _kinds(user: User) -> list[tuple[str, str, bool]]:
    """Return the optional kinds of mail as (name, label, True if it is sent)."""
    unwanted = {(row.scope, row.value) for row in preferences.mutes_of(user)}
    everything = (Scope.ALL, "") in unwanted
    return [(kind.name, kind.label, not everything and (Scope.KIND, kind.name) not in unwanted) for kind in _choosable()]


def _choosable() -> list[registry.Kind]:
    return [kind for kind in registry.kinds() if not kind.essential]


@require_POST
@login_required
def mails(request: HttpRequest) -> HttpResponse:
    """Store which kinds of mail the user wants."""
    user = signed_in(request)
    receiver = preferences.Receiver(user_id=user.pk)
    wanted = request.POST.getlist("kinds")
    preferences.unmute(receiver, Scope.ALL)
    for kind in _choosable():
        if kind.name in wanted:
            preferences.unmute(receiver, Scope.KIND, kind.name)
    muting.mute(receiver, [(Scope.KIND, kind.name) for kind in _choosable() if kind.name not in wanted])
    messages.success(request, "Your choice of mails is saved.")
    return redirect("web:profile")


def _guarded(request: HttpRequest) -> bool:
    """Return True for creating a key with dangerous scopes, which needs the password first."""
    return request.POST.get("act") == "create" and not GUARDED.isdisjoint(request.POST.getlist("scopes"))


@require_POST
@login_required
@reauthentication_required(enabled=_guarded)  # type: ignore[untyped-decorator]
def tokens(request: HttpRequest) -> HttpResponse:
    """Create a key, or revoke one or all. A new key is shown once, in the response itself."""
    user = signed_in(request)
    if request.POST.get("act") == "revoke-all":
        count = revoke_all(user)
        messages.success(request, f"{count} key{'' if count == 1 else 's'} revoked." if count else "You have no keys.")
        return redirect("web:profile")
    if request.POST.get("act") == "revoke":
        try:
            found = revoke_token(user=user, token_id=uuid.UUID(request.POST.get("token", "")))
        except ValueError:
            found = False
        (messages.success if found else messages.error)(
            request, "The key is revoked, with all keys made with it." if found else "There is no such key."
        )
        return redirect("web:profile")
    days = intake.whole(request.POST.get("days", ""), 4) or 0
    expires = timezone.now() + timedelta(days=days) if 0 < days < 3660 else None
    try:
        _token, plain = create_token(
            user=user,
            name=request.POST.get("name", ""),
            scopes=request.POST.getlist("scopes"),
            expires_at=expires,
            proven=proving.proved_in_session(request),
        )
    except TokenRefused as refused:
        messages.error(request, refused.sentence)
        return redirect("web:profile")
    return _page(request, user, ProfileForm(instance=user), plain, 201)
