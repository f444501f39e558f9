"""Validators of user names and time zones, for model fields, forms and sign-up."""

import re
from collections.abc import Callable
from functools import cache
from zoneinfo import available_timezones

from django.core.exceptions import ValidationError
from django.core.validators import MaxLengthValidator, MinLengthValidator, RegexValidator
from django.utils.translation import gettext_lazy as _
from publicsuffix2 import PublicSuffixList

USERNAME_LENGTH = 30
BOT_SUFFIX = "-bot"
"""The end of the names of bot accounts, which no person can choose."""

ERASED_PREFIX = "erased-"
"""The beginning of the names of erased accounts, which nobody can choose."""

# Look-alike letters of two alphabets, invisible marks and spaces would let one user pass for another, and a name also appears in
# addresses, mail headers and orders. So they are plain ASCII, with a letter or digit at both ends.
check_username_characters = RegexValidator(
    r"\A[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?\Z",
    _("A user name has letters a to z and digits, with dots, hyphens or underscores between them."),
    code="bad_username",
)
check_username_is_no_id = RegexValidator(
    r"\A[A-Za-z]{0,2}[._-]?[0-9][0-9._-]*\Z",
    _("A user name may not look like the id of a card or a space, such as E5, a-07 or 12."),
    inverse_match=True,
    code="bad_username",
)
username_validators: list[Callable[[str], None]] = [
    check_username_characters,
    check_username_is_no_id,
    MinLengthValidator(2),
    MaxLengthValidator(USERNAME_LENGTH),
]


def check_username_is_no_web_address(name: str) -> None:
    """Raise `ValidationError` for a new name that ends like a web address, such as `example.com`.

    Names stand in the mails of other players: mail programs would make a link of it, and mail servers refuse the mails for it.
    """
    _begin, dot, end = name.lower().rpartition(".")
    if dot and re.split("[-_]", end)[0] in _top_level_domains():
        raise ValidationError(_("A user name may not end like a web address, such as ann.com."), code="bad_username")


@cache
def _top_level_domains() -> frozenset[str]:
    """Return the names of the top-level domains, read once."""
    return frozenset(name for name in PublicSuffixList().tlds if "." not in name)


@cache
def zone_names() -> frozenset[str]:
    """Return the names of the IANA time zones in this installation, read once."""
    return frozenset(available_timezones())


def check_timezone(value: str) -> None:
    """Raise `ValidationError` unless the value is the name of an IANA time zone, such as `Europe/Berlin`."""
    if value not in zone_names():
        raise ValidationError(
            _("%(value)s is not a time zone; it should be a name like Europe/Berlin or UTC."),
            code="bad_timezone",
            params={"value": repr(value[:60])},
        )
