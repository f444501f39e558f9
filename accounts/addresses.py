"""The mail addresses of a user: the verified ones, and the one for notices. django-allauth stores them."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from email.utils import parseaddr

from allauth.account import app_settings
from allauth.account.models import EmailAddress
from django.conf import settings
from django.db import transaction

from accounts.models import User
from gamesvc.database.asking import ask
from gamesvc.database.prepared import OneOf, Prepared

# In a statement: whether the user `%(user)s` has verified the address `%(email)s`.
IS_VERIFIED = """
EXISTS (SELECT FROM account_emailaddress WHERE user_id = %(user)s::bigint AND verified AND lower(email) = lower(%(email)s::text))
"""

_DOTLESS = ("gmail.com", "googlemail.com")

_OF_USERS = Prepared(
    lambda: (
        EmailAddress.objects.filter(user=OneOf("users", "bigint"), verified=True)
        .order_by("-primary", "pk")
        .values_list("user_id", "email")
    )
)


def is_own(address: str) -> bool:
    """Return True for an address of the service itself: it would write to itself, and answer itself.

    These are the addresses it writes from, and those that take answers: its mailbox with any tag, or the whole reply domain if
    that is its own. Other addresses of these domains belong to users.
    """
    local, _at, domain = address.strip().lower().rpartition("@")
    senders = (parseaddr(str(sender))[1].lower() for sender in (settings.DEFAULT_FROM_EMAIL, settings.SERVER_EMAIL))
    if f"{local}@{domain}" in senders:
        return True
    if not settings.REPLY_DOMAIN or domain != str(settings.REPLY_DOMAIN).lower():
        return False
    mailbox = str(settings.REPLY_MAILBOX).lower()
    return not mailbox or local == mailbox or local.startswith((f"{mailbox}+", f"{mailbox}="))


def mailbox_of(address: str) -> str:
    """Return a name for the mailbox behind an address: mail to `ann+games@example.org` reaches `ann@example.org`.

    Gmail passes over the dots in a name, and has two domains.
    """
    local, _at, domain = address.lower().rpartition("@")
    mailbox = local.split("+")[0]
    return f"{mailbox.replace('.', '')}@gmail.com" if domain in _DOTLESS else f"{mailbox}@{domain}"


def verified_addresses(user: User) -> list[str]:
    """Return the verified addresses of a user, the primary one first."""
    return [email for (email,) in ask(verified_sql("%s::bigint"), [user.pk]).fetchall()]


def verified_sql(user: str) -> str:
    """Return the SQL of `verified_addresses` for the id of a user in SQL."""
    return f'SELECT email FROM account_emailaddress WHERE user_id = {user} AND verified ORDER BY "primary" DESC, id'  # noqa: S608


def verified_of(users: Collection[int]) -> dict[int, set[str]]:
    """Return the verified addresses of users in lower case, by their ids, in one query. Users without one are missing."""
    found: dict[int, set[str]] = {}
    for user_id, email in _OF_USERS.values(users=list(users)):
        found.setdefault(user_id, set()).add(email.lower())
    return found


def is_proved(user: User) -> bool:
    """Return True if a user has verified an address. A further one that they give is theirs only once it is verified too."""
    return bool(verified_addresses(user))


def sending_address(user: User) -> str | None:
    """Return the address for notices to a user: the primary verified one, else another verified one, else None.

    An unverified address may be a stranger's, so it gets no mail. Only if the operator has switched verification off
    (`ACCOUNT_EMAIL_VERIFICATION = "none"`) is the primary one used as it is.
    """
    return sending_addresses([user]).get(user.pk)


def sending_addresses(users: Iterable[User]) -> dict[int, str]:
    """Return the addresses for notices to many users, in one query. Users without one are missing."""
    known = {user.pk: user for user in users}
    found: dict[int, str] = {}
    for user_id, email in _OF_USERS.values(users=list(known)):
        found.setdefault(user_id, email)
    if app_settings.EMAIL_VERIFICATION == app_settings.EmailVerificationMethod.NONE:
        return {pk: user.email for pk, user in known.items() if user.email} | found
    return found


def user_of_address(address: str) -> User | None:
    """Return the active user with this verified address, ignoring case; None if there is none."""
    row = EmailAddress.objects.select_related("user").filter(email=address.lower(), verified=True, user__is_active=True).first()
    return row.user if row else None


def held_by(users: Iterable[User], address: str) -> list[User]:
    """Return those of some users with an address who hold it: they have verified it, or no address at all yet.

    One that a user has only added may have been mistyped, and be a stranger's. It takes the same query without any user.
    """
    found = list(users)
    known = verified_of({user.pk for user in found} or {0})
    return [user for user in found if user.pk not in known or address.lower() in known[user.pk]]


def is_taken(address: str) -> bool:
    """Return True if an account has verified this address, also a suspended one: no other account can."""
    return bool(EmailAddress.objects.filter(email=address.lower(), verified=True).exists())


@transaction.atomic
def add_verified_address(user: User, address: str) -> None:
    """Give a user a verified primary address for which the operator vouches (first user, demo logins)."""
    EmailAddress.objects.filter(user=user, primary=True).update(primary=False)
    EmailAddress.objects.update_or_create(user=user, email=address.lower(), defaults={"verified": True, "primary": True})
    User.objects.filter(pk=user.pk).update(email=address.lower())
    user.email = address.lower()
