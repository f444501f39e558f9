"""Bot accounts: a program's own account, made by the user who answers for it.

Its name ends with `-bot`, so that every page, mail and answer marks it; no person can choose such a name. It has no password and
no address: it reads and plays with tokens that its owner makes. What bots may take part in is decided by the apps above.
"""

from __future__ import annotations

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Expression, Q, QuerySet

from accounts import erasure, tokens
from accounts.models import ApiToken, User
from accounts.throttling import count_or_wait
from accounts.validators import BOT_SUFFIX, ERASED_PREFIX, check_username_is_no_web_address, username_validators
from gamesvc.errors import Refusal, not_there
from gamesvc.language import joined, say

MOST = 5
"""Bot accounts of one user."""
MOST_MATCHES = 50
"""Unfinished matches of one bot at most, whatever its owner allows."""
MADE_A_DAY = 10
"""Bot accounts that a user makes in a day. Each has limits of its own, which erasing it and making another would renew."""
SCOPES = ("read", "play")
_DAY = 86_400


class BotRefused(Refusal):
    """A bot account that cannot be as requested."""

    title = "Nothing was done with the bot account"


def of(user: User) -> list[User]:
    """Return a user's bot accounts, by name."""
    return list(User.objects.filter(bot_owner=user, is_active=True).order_by("username"))


def person(user: User) -> QuerySet[User]:
    """Return all accounts of a user: their own, and their bots, also erased ones. A bot has those of its owner."""
    return accounts_of(root(user))


def accounts_of(owner: int | Expression) -> QuerySet[User]:
    """Return the account of a user with this id, and those of their bots, also erased ones."""
    return User.objects.filter(Q(pk=owner) | Q(bot_owner=owner))


def root(user: User) -> int:
    """Return the id of the user who answers for an account: the owner of a bot, else the user."""
    return user.bot_owner_id or user.pk


def root_of(user_id: int) -> int:
    """Return `root` of the account with this id."""
    return User.objects.filter(pk=user_id).values_list("bot_owner_id", flat=True).first() or user_id


def find(owner: User, name: str) -> User:
    """Return a bot account of a user. Raises `BotRefused` if they have none of this name."""
    found = User.objects.filter(bot_owner=owner, is_active=True, username=name).first()
    if found is None:
        raise not_there(BotRefused("unknown_bot", say("You have no bot account of this name."), "name"))
    return found


@transaction.atomic
def make(*, owner: User, name: str, matches: int = 8) -> User:
    """Make a bot account that plays so many matches at the same time. Raises `BotRefused` and `TooMany`."""
    if owner.is_bot:
        raise BotRefused("not_for_bots", say("A bot has no bot accounts of its own. Make it as yourself."))
    User.lock(owner.pk)
    _check_name(name)
    if len(of(owner)) >= MOST:
        raise BotRefused("too_many_bots", say("You have {most} bot accounts, which is the limit. Erase one first.", most=MOST))
    sentence = say("You can make at most {most} bot accounts a day.", most=MADE_A_DAY)
    count_or_wait(f"bots made by {owner.pk}", MADE_A_DAY, _DAY, sentence)
    return User.objects.create_user(  # without a password nobody signs in as it
        username=name,
        email="",
        is_bot=True,
        bot_owner=owner,
        bot_matches=_within(matches),
        plays_bots=True,
        timezone=owner.timezone,
        language=owner.language,
    )


def allow(bot: User, matches: int) -> User:
    """Let a bot play so many matches at the same time. Those that run go on. Raises `BotRefused`."""
    bot.bot_matches = _within(matches)
    bot.save(update_fields=["bot_matches"])
    return bot


def new_token(bot: User, name: str, parent: ApiToken | None = None) -> tuple[ApiToken, str]:
    """Make a token with which a program reads and plays as the bot; its text is shown this once.

    Raises `TokenRefused` and `TooMany`. `parent`: the token of the owner that requests it, with which it expires and is revoked.
    """
    return tokens.create_token(user=bot, name=name, scopes=SCOPES, parent=parent)


def erase(bot: User) -> None:
    """Erase a bot account. Its matches stay without its name, as those of any user."""
    erasure.erase(bot)


def _check_name(name: str) -> None:
    if not name.endswith(BOT_SUFFIX):
        raise BotRefused("bad_bot_name", say("The name of a bot ends with {suffix}.", suffix=BOT_SUFFIX), "name")
    if name.lower().startswith(ERASED_PREFIX):
        detail = say("Names that begin with {prefix} are kept for erased accounts.", prefix=ERASED_PREFIX)
        raise BotRefused("bad_bot_name", detail, "name")
    if name.removesuffix(BOT_SUFFIX).lower() in settings.ACCOUNT_USERNAME_BLACKLIST:
        raise BotRefused("bad_bot_name", say("This name could pass for the service itself. Choose another one."), "name")
    try:
        for check in (*username_validators, check_username_is_no_web_address):
            check(name)
    except ValidationError as invalid:
        raise BotRefused("bad_bot_name", joined(*invalid.messages), "name") from None
    if User.objects.filter(username__iexact=name).exists():
        raise BotRefused("bad_bot_name", say("This name is taken."), "name")


def _within(matches: int) -> int:
    if not 1 <= matches <= MOST_MATCHES:
        raise BotRefused(
            "bad_bot_matches", say("A bot plays 1 to {most} matches at the same time.", most=MOST_MATCHES), "matches"
        )
    return matches
