"""Erasing a user. The apps above register erasers for the data they hold about users; nothing below knows these apps.

Events hold random ids only, so matches still replay and verify afterwards. The user's row stays, blank, so that its id is never
used again. What others wrote about the user in their own texts and mails belongs to them and stays.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from django.contrib.auth import SESSION_KEY
from django.contrib.sessions.models import Session
from django.db import transaction
from django.db.models import CASCADE, SET_NULL, Model, QuerySet
from django.db.models.fields.reverse_related import ForeignObjectRel
from django.utils import timezone

from accounts import absences, signins
from accounts.models import ApiToken, Language, User
from accounts.oauth import apps
from accounts.validators import ERASED_PREFIX

AT_ONCE = 500
"""Rows that are deleted with one statement."""
Eraser = Callable[[User], None]
_erasers: dict[str, Eraser] = {}
_before: list[Eraser] = []


def register(name: str, eraser: Eraser, *, before: Eraser | None = None) -> None:
    """Register `eraser(user)`, which is called inside the transaction for each erased user. A name registers once.

    `before(user)` is called before that transaction, and takes one of its own for each thing that others may wait for. What
    comes after it is left to `eraser`.
    """
    if _erasers.get(name, eraser) is not eraser:
        raise ValueError(f"an eraser named {name!r} is already registered")
    _erasers[name] = eraser
    if before is not None and before not in _before:
        _before.append(before)


def erase(user: User) -> None:
    """Erase a user everywhere or nowhere: the data of the apps above, then addresses, tokens and the account's own data.

    Their matches are left before that, one by one: what is left of an erasure that fails is an account without seats, which can
    be erased again. Repeating it changes nothing.
    """
    # To find them takes long where many people are signed in, and other players wait for the seats that the erasers lock.
    sessions = _sessions_of(user)
    for one in (*user.bots.all(), user):
        for leave in _before:
            leave(one)
    with transaction.atomic():
        _erase(user)
        Session.objects.filter(pk__in=sessions).delete()


def delete(rows: QuerySet[Model]) -> None:
    """Delete rows with all that depends on them, some at a time, and read nothing of them but their keys.

    Django reads whole what others depend on, all at once: of one player more than a process has room for.
    """
    keys = list(rows.values_list("pk", flat=True))
    for start in range(0, len(keys), AT_ONCE):
        rows.model._base_manager.filter(pk__in=keys[start : start + AT_ONCE]).only("pk").delete()


def _erase(user: User) -> None:
    """Erase a user and their bots. The erasers run first, while the addresses they may have to look for are still known."""
    user = User.objects.select_for_update(no_key=True).get(pk=user.pk)
    for bot in user.bots.all():  # also one that the operators have suspended
        _erase(bot)
    for eraser in _erasers.values():
        eraser(user)
    signins.erase(user, [user.username, user.email, *EmailAddress.objects.filter(user=user).values_list("email", flat=True)])
    delete(ApiToken.objects.filter(user=user))
    absences.forget(user)
    EmailAddress.objects.filter(user=user).delete()
    Authenticator.objects.filter(user=user).delete()
    apps.erase(user)
    _let_go(user)
    user.groups.clear()
    user.user_permissions.clear()
    user.username = f"{ERASED_PREFIX}{secrets.token_hex(8)}"
    user.email = ""
    user.set_unusable_password()  # also ends every session: each holds a hash of the password
    user.is_active = user.is_staff = user.is_superuser = False
    user.timezone = "UTC"
    user.language = Language.ENGLISH
    user.last_login = None
    user.save()


def _sessions_of(user: User) -> list[str]:
    """Return the keys of the user's sessions. Only their content names the user, so all are read; a bot signs in nowhere."""
    if user.bot_owner_id is not None:
        return []
    own = str(user.pk)
    sessions = Session.objects.filter(expire_date__gt=timezone.now()).iterator()
    return [one.session_key for one in sessions if one.get_decoded().get(SESSION_KEY) == own]


def _let_go(user: User) -> None:
    """Treat all rows that refer to the user as if the user's row were deleted, also in tables without an eraser."""
    for field in User._meta.get_fields(include_hidden=True):
        if isinstance(field, ForeignObjectRel) and not field.many_to_many:
            rows = field.related_model._base_manager.filter(**{field.field.name: user})
            if field.on_delete is CASCADE:
                delete(rows)
            elif field.on_delete is SET_NULL:
                rows.update(**{field.field.name: None})
