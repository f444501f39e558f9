"""Erasing a person. The apps above register here what they hold about users; nothing below knows them.

Events hold random ids only (DESIGN.md section 3, rule 7), so matches still replay and verify afterwards. The user's row
stays, blank, because rows elsewhere point at it.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from django.db import transaction

from accounts.models import ApiToken, Language, User

Eraser = Callable[[User], None]
_erasers: dict[str, Eraser] = {}


def register(name: str, eraser: Eraser) -> None:
    """Have `eraser(user)` called, inside the transaction, for each user who is erased. A name registers once."""
    if _erasers.get(name, eraser) is not eraser:
        raise ValueError(f"an eraser named {name!r} is already registered")
    _erasers[name] = eraser


@transaction.atomic
def erase(user: User) -> None:
    """Erase a person everywhere or nowhere: what the apps above hold, then addresses, keys and the account's own data.

    The erasers run first, while the addresses they may have to look for are still known. Erasing again changes nothing more.
    """
    user = User.objects.select_for_update().get(pk=user.pk)
    for eraser in _erasers.values():
        eraser(user)
    ApiToken.objects.filter(user=user).delete()
    EmailAddress.objects.filter(user=user).delete()
    Authenticator.objects.filter(user=user).delete()
    user.groups.clear()
    user.user_permissions.clear()
    user.username = f"erased-{secrets.token_hex(8)}"
    user.email = ""
    user.set_unusable_password()  # also ends every session: each holds a hash of the password
    user.is_active = user.is_staff = user.is_superuser = False
    user.timezone = "UTC"
    user.language = Language.ENGLISH
    user.last_login = None
    user.save()
