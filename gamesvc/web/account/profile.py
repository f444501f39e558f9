"""The user's own account: time zone and language, kinds of mail, and API keys."""

from __future__ import annotations

from datetime import timedelta

from allauth.account.decorators import reauthentication_required
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_POST

from accounts.models import User
from accounts.signing_in import proving
from accounts.tokens import GUARDED, SCOPES, TokenRefused, create_token, own_tokens, revoke_all, revoke_token
from accounts.validators import zone_names
from gamesvc.errors import TooMany
from gamesvc.forms import ActForm
from gamesvc.games.kernel.game import Refused
from gamesvc.language import say, say_many
from gamesvc.web.account.forms import MailsForm, NewKeyForm, ProfileForm, RevokeForm, optional_kinds
from gamesvc.web.common.access import signed_in
from gamesvc.web.notices import preferences as notices
from gamesvc.web.notices import undelivered
from gamesvc.web.timekeeping import absence
from notifications.models import Scope
from notifications.wanted import digest_hour, muting, preferences


@login_required
def profile(request: HttpRequest) -> HttpResponse:
    user = signed_in(request)
    form = ProfileForm(request.POST or None, instance=user)
    if request.method == "POST" and form.is_valid():
        form.save()
        digest_hour.plan_digest(user)
        messages.success(request, say("Your profile is saved."))
        return redirect("web:profile")
    # A refused form has changed the user in memory. The rest of the page shows what is stored.
    user.refresh_from_db()
    return _page(request, user, form)


def _page(request: HttpRequest, user: User, form: ProfileForm, fresh_key: str = "", status: int = 200) -> HttpResponse:
    context = {
        "form": form,
        "zones": sorted(zone_names()),
        "keys": own_tokens(user).select_related("parent"),
        "scopes": [(scope, say(told)) for scope, told in SCOPES.items() if scope != "operate" or user.is_staff],
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
    return [
        (kind.name, gettext(kind.label), not everything and (Scope.KIND, kind.name) not in unwanted) for kind in optional_kinds()
    ]


@require_POST
@login_required
def mails(request: HttpRequest) -> HttpResponse:
    """Store which kinds of mail the user wants."""
    user = signed_in(request)
    receiver = preferences.Receiver(user_id=user.pk)
    try:
        wanted = MailsForm.read(request)["kinds"]
        muting.count_choice(user)
    except (Refused, TooMany) as refused:
        messages.error(request, refused.sentence)
        return redirect("web:profile")
    names = [kind.name for kind in optional_kinds()]
    preferences.unmute(receiver, Scope.ALL)
    for name in wanted:
        preferences.unmute(receiver, Scope.KIND, name)
    muting.mute(receiver, [(Scope.KIND, name) for name in names if name not in wanted])
    messages.success(request, say("Your choice of mails is saved."))
    return redirect("web:profile")


def _guarded(request: HttpRequest) -> bool:
    """Return True for creating a key with dangerous scopes, which needs the password first."""
    return ActForm.read(request)["act"] == "create" and not GUARDED.isdisjoint(NewKeyForm(request.POST).wanted())


@require_POST
@login_required
@reauthentication_required(enabled=_guarded)  # type: ignore[untyped-decorator]
def tokens(request: HttpRequest) -> HttpResponse:
    """Create a key, or revoke one or all. A new key is shown once, in the response itself."""
    user = signed_in(request)
    try:
        match ActForm.read(request)["act"]:
            case "create":
                return _page(request, user, ProfileForm(instance=user), _make_key(request, user), 201)
            case "revoke":
                _revoke_key(request, user)
            case "revoke-all":
                count = revoke_all(user)
                messages.success(
                    request,
                    say_many("{number} key revoked.", "{number} keys revoked.", count) if count else say("You have no keys."),
                )
                if notices.is_reached_elsewhere(user):
                    told = say("Webhooks, chats and your calendar address stay. Remove those that are not yours below.")
                    messages.info(request, told)
            case _:
                raise Refused("unreadable", say("Choose what to do with your keys."), "act")
    except (Refused, TokenRefused, TooMany) as refused:
        messages.error(request, refused.sentence)
    return redirect("web:profile")


def _make_key(request: HttpRequest, user: User) -> str:
    fields = NewKeyForm.read(request)
    days = fields["days"]
    _token, plain = create_token(
        user=user,
        name=fields["name"],
        scopes=fields["scopes"],
        expires_at=timezone.now() + timedelta(days=days) if days is not None else None,
        proven=proving.proved_in_session(request),
    )
    return plain


def _revoke_key(request: HttpRequest, user: User) -> None:
    if revoke_token(user=user, token_id=RevokeForm.read(request)["token"]):
        messages.success(request, say("The key is revoked, with all keys made with it."))
    else:
        messages.error(request, say("There is no such key."))
