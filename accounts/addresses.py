"""The mail addresses of a user: which are proved to be his, and where a notice goes. Kept by django-allauth."""

from __future__ import annotations

from allauth.account import app_settings
from allauth.account.models import EmailAddress
from django.db import transaction

from accounts.models import User


def verified_addresses(user: User) -> list[str]:
    """The addresses this user has proved to be his, the primary one first."""
    rows = EmailAddress.objects.filter(user=user, verified=True).order_by("-primary", "pk")
    return list(rows.values_list("email", flat=True))


def sending_address(user: User) -> str | None:
    """Where notices for this user go: the primary verified address, else another verified one, else None.

    An unverified address may be a stranger's, so it gets no mail; only where the operator switched verification off
    (`ACCOUNT_EMAIL_VERIFICATION = "none"`) is the primary one taken as it is.
    """
    verified = verified_addresses(user)
    if verified:
        return verified[0]
    if app_settings.EMAIL_VERIFICATION == app_settings.EmailVerificationMethod.NONE:
        return user.email or None
    return None


def user_of_address(address: str) -> User | None:
    """The active user to whom a verified address belongs; case does not matter."""
    row = EmailAddress.objects.select_related("user").filter(email=address.lower(), verified=True, user__is_active=True).first()
    return row.user if row else None


@transaction.atomic
def add_verified_address(user: User, address: str) -> None:
    """Give a user an address that the operator vouches for, as his primary one (first user, demo logins)."""
    EmailAddress.objects.filter(user=user, primary=True).update(primary=False)
    EmailAddress.objects.update_or_create(user=user, email=address.lower(), defaults={"verified": True, "primary": True})
    User.objects.filter(pk=user.pk).update(email=address.lower())
    user.email = address.lower()
