"""What a user name and a time zone may be: small functions for model fields, forms and the sign-up."""

from collections.abc import Callable
from functools import cache
from zoneinfo import available_timezones

from django.core.exceptions import ValidationError
from django.core.validators import MaxLengthValidator, MinLengthValidator, RegexValidator

USERNAME_LENGTH = 30

# Letters that look alike in two alphabets, invisible marks and spaces would let one user pass for another, and a name
# also stands in addresses, mail headers and order texts: so plain ASCII, with a letter or digit at both ends.
check_username_characters = RegexValidator(
    r"\A[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?\Z",
    "A user name has letters a to z and digits, and between them dots, hyphens and underscores.",
    code="bad_username",
)
username_validators: list[Callable[[str], None]] = [
    check_username_characters,
    MinLengthValidator(2),
    MaxLengthValidator(USERNAME_LENGTH),
]


@cache
def zone_names() -> frozenset[str]:
    """The names of the IANA time zones this installation knows, read once."""
    return frozenset(available_timezones())


def check_timezone(value: str) -> None:
    """Refuse what is not the name of an IANA time zone, such as `Europe/Berlin`."""
    if value not in zone_names():
        raise ValidationError(
            "%(value)s is not a time zone; it should be a name like Europe/Berlin or UTC.",
            code="bad_timezone",
            params={"value": repr(value[:60])},
        )
