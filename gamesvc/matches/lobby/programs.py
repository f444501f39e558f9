"""Limits of bot accounts: they play matches to which they are challenged, and only so many at the same time.

The open matches of the lobby, and the seats that wait for a substitute, are for people. A bot challenges people only if they
allow it.
"""

from __future__ import annotations

from django.db import transaction

from accounts.bots import bots
from accounts.models import User
from gamesvc.games.kernel.game import Refused
from gamesvc.language import say
from gamesvc.matches.access import tenures
from gamesvc.matches.models import Holding, Invitation, Match, Seat


def check_opening(by: User, entry: str) -> None:
    """Raise `Refused` for a bot that opens a match to everyone."""
    if by.is_bot and entry == Match.Entry.PUBLIC:
        raise Refused(
            "not_for_bots", say("Matches open to everyone are for people. A bot challenges others to its own."), "entry"
        )


def check_joining(by: User, match: Match, invitation: Invitation | None) -> None:
    """Raise `Refused` for a bot that the host has not invited."""
    if by.is_bot and match.creator_id != by.pk and (invitation is None or invitation.invited_by_id != match.creator_id):
        raise Refused("not_for_bots", say("A bot plays where the host of the match has challenged it."))


def check_substitute(by: User) -> None:
    """Raise `Refused` for a bot account: free seats of running matches are for people."""
    if by.is_bot:
        raise Refused("not_for_bots", say("Seats that wait for a substitute are for people."))


def check_busy(bot: User) -> None:
    """Raise `Refused` for a bot that already plays as many matches as its owner allows."""
    if bot.is_bot and Seat.objects.filter(user=bot, match__status__in=Match.UNFINISHED).count() >= bot.bot_matches:
        raise Refused("bot_busy", say("{username} plays as many matches as it can. Try again later.", username=bot.username))


def check_challenge(*, by: User, user: User | None) -> None:
    """Raise `Refused` for a bot that invites a mail address, or a person who does not want to be challenged by bots."""
    if by.is_bot and (user is None or not user.plays_bots):
        raise Refused("people_only", say("Bots may challenge only players who allow it, and other bots."), "username")
    if user is not None:
        check_busy(user)


def erase(bot: User) -> None:
    """Erase a bot account. Raises `BotRefused` while a match runs in which it has played.

    An erased account is linked to no seat, so its owner could rule on the match, or play another seat of it.
    """
    with transaction.atomic():
        tenures.lock_user(bot)
        if Holding.objects.filter(user=bot, match__status=Match.Status.RUNNING).exists():
            raise bots.BotRefused("bot_plays", say("The bot has played in a match that still runs. Erase it when that is over."))
        bots.erase(bot)
