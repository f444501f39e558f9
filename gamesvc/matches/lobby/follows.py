"""Subscriptions to a game or an organiser: notices of seats that fall free in running matches."""

from __future__ import annotations

from django.db import transaction

from accounts.models import User
from gamesvc.errors import not_there
from gamesvc.games import catalog
from gamesvc.games.kernel.game import Refused
from gamesvc.language import say
from gamesvc.matches.models import Follow

MOST = 100


def of(user: User) -> list[Follow]:
    """Return a user's subscriptions, oldest first."""
    return list(Follow.objects.filter(user=user).select_related("organiser").order_by("since", "pk"))


@transaction.atomic
def follow(*, by: User, game: str = "", organiser: str = "") -> Follow:
    """Subscribe to a game, or to an organiser by user name. Repeating it changes nothing. Raises `Refused`."""
    if bool(game) == bool(organiser):
        raise Refused("bad_follow", say("Name either a game or an organiser."), "game")
    # One user's subscriptions are counted one after the other.
    User.lock(by.pk)
    if Follow.objects.filter(user=by).count() >= MOST:
        raise Refused("too_many", say("You already follow {most}. Stop following one first.", most=MOST))
    if game:
        if game not in catalog.OFFERED:
            raise Refused(
                "unknown_game",
                say("There is no game {game!r}; there are: {offered}.", game=game, offered=", ".join(catalog.OFFERED)),
                "game",
            )
        return Follow.objects.get_or_create(user=by, game=game, organiser=None)[0]
    other = User.named(organiser)
    if other is None:
        raise Refused("unknown_user", say("There is no user {organiser!r}.", organiser=organiser), "organiser")
    return Follow.objects.get_or_create(user=by, game="", organiser=other)[0]


def stop(*, by: User, follow_id: int) -> None:
    """End a subscription. Raises `Refused` if the user does not have it."""
    if not Follow.objects.filter(user=by, pk=follow_id).delete()[0]:
        raise not_there(Refused("unknown_follow", say("You do not follow this.")))
