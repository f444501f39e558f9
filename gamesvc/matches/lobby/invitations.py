"""Invitations to open matches, by name or by mail address; a link seats one player."""

from __future__ import annotations

import hashlib
import uuid

from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import transaction
from django.db.models import Exists, OuterRef, Prefetch
from django.utils import timezone

from accounts import blocks
from accounts.addresses import mailbox_of, user_of_address, verified_of
from accounts.models import User
from accounts.throttling import count_or_wait
from gamesvc.games.kernel.game import Refused
from gamesvc.language import say
from gamesvc.matches.access import daily_limits, tenures
from gamesvc.matches.lobby import blocked, programs
from gamesvc.matches.lobby.opening import check_no_seat, check_open, join_match
from gamesvc.matches.models import Invitation, Match, Seat
from gamesvc.matches.record import secrets
from notifications import outbox


def invite(*, by: User, match: Match, username: str = "", address: str = "") -> tuple[Invitation, str]:
    """Invite a user or a mail address, for the host or a player. Return the invitation and the token of its link.

    Raises `Refused` and `TooMany`.
    """
    invitation_id = uuid.uuid4()
    token = invitation_token(invitation_id)
    with transaction.atomic():
        match = Match.objects.select_for_update(no_key=True).get(pk=match.pk)
        if not (match.creator_id == by.pk or match.seats.filter(user=by).exists()):
            raise Refused("not_yours", say("Only the host and the players of a match can invite to it."))
        if match.status != Match.Status.OPEN:
            raise Refused("not_open", say("The match is no longer open."))
        user = _invited(by, match, username, address)
        _count_invitation(by, user or address)
        invitation = Invitation.objects.create(
            id=invitation_id, match=match, user=user, address=address, token_hash=token_hash(token), invited_by=by
        )
        outbox.notify(
            outbox.Notice(
                kind="invitation",
                user_id=user.pk if user is not None else None,
                address=address,
                topic=str(match.id),
                payload={"invitation": str(invitation.id)},
            )
        )
    return invitation, token


def invite_by_text(*, by: User, match: Match, whom: str) -> Invitation:
    """Invite a user or a mail address that a player has typed: a name has no `@`. Raises `Refused` and `TooMany`."""
    whom = whom.strip()
    return invite(by=by, match=match, **({"address": whom} if "@" in whom else {"username": whom}))[0]


def _invited(by: User, match: Match, username: str, address: str) -> User | None:
    """Return the user to invite; None for a mail address. Raises `Refused`."""
    if bool(username) == bool(address):
        raise Refused("bad_invitation", say("Name either a user or a mail address."), "username")
    if not username:
        try:
            validate_email(address)
        except ValidationError:
            raise Refused("bad_address", say("{address!r} is not a mail address.", address=address), "address") from None
        programs.check_challenge(by=by, user=None)
        return None
    user = User.named(username)
    if user is None:
        raise Refused("unknown_user", say("There is no user {username!r}.", username=username), "username")
    if user.pk == by.pk:
        raise Refused("own_name", say("You cannot invite yourself."), "username")
    known = match.invitations.filter(user=user)
    # In an anonymous match nobody learns whom another player has invited, not even by asking for the same user. An invitation by
    # the host lets a user do more than one by a player, so no player can forestall it.
    if (known.filter(invited_by=by) if match.hides_names or match.creator_id == by.pk else known).exists():
        raise Refused("invited_already", say("{username} is already invited.", username=username), "username")
    blocked.check_invitation(by=by, user=user)
    programs.check_challenge(by=by, user=user)
    return user


def arrives(invitation: Invitation) -> bool:
    """Return False for an invitation that a block keeps from its receiver, also if it was sent to their mail address.

    The sender is not told of the latter: it would tell whose address it is. Another address may lead to the same mailbox.
    """
    receiver = invitation.user or user_of_address(invitation.address)
    if receiver is not None:
        return not blocks.between(receiver, [invitation.invited_by_id])
    apart = verified_of(blocks.apart(invitation.invited_by_id))
    return mailbox_of(invitation.address) not in {mailbox_of(address) for found in apart.values() for address in found}


def _count_invitation(by: User, receiver: User | str) -> None:
    """Count one more invitation to a user or a mail address. Raises `TooMany` beyond the limits.

    Those of a user and of their bots count together, and those of all users to one address too: it gets no flood, and no single
    user can use its limit up.
    """
    most, to_one, day = daily_limits.INVITATIONS_PER_DAY, daily_limits.INVITATIONS_TO_ONE_PER_DAY, daily_limits.DAY
    if isinstance(receiver, User) and receiver.is_bot:
        most = daily_limits.CHALLENGES_OF_BOTS_PER_DAY
        sentence = say("You can challenge bots at most {most} times a day.", most=most)
        daily_limits.count_for(by, "challenges of bots", most, day, sentence)
        return
    daily_limits.count_for(by, "invitations", most, day, say("You can send at most {most} invitations a day.", most=most))
    if isinstance(receiver, User):
        sentence = say("You invited {name} several times today.", name=receiver.username)
        daily_limits.count_for(by, f"invitations to {receiver.pk} by", to_one, day, sentence)
        return
    sentence, mailbox = say("This address was invited several times today."), mailbox_of(receiver)
    daily_limits.count_for(by, f"invitations to {mailbox} by", to_one, day, sentence)
    count_or_wait(f"invitations to {mailbox}", daily_limits.INVITATIONS_TO_ADDRESS_PER_DAY, day, sentence)


def invitation_token(invitation_id: uuid.UUID) -> str:
    """Return the token in the link of an invitation. It is derived from our key for each mail and stored nowhere."""
    return secrets.keyed_token("invitation", invitation_id)


def token_hash(token: str) -> str:
    """Return the stored hash of an invitation's token. Nobody can guess the token, so a slow hash is not needed."""
    return hashlib.sha256(token.encode()).hexdigest()


def find_invitation(token: str) -> Invitation | None:
    """Return the invitation that a link's token opens; None if there is none, or if it was declined."""
    return Invitation.objects.filter(token_hash=token_hash(token), declined_at=None).select_related("match").first()


def pending(user: User, most: int) -> list[Invitation]:
    """Return a user's unanswered invitations to open matches, newest first, with their matches and seats.

    Without those of users whom they block, or who block them.
    """
    found = Invitation.objects.filter(user=user, accepted_at=None, declined_at=None, match__status=Match.Status.OPEN)
    # Of an anonymous match that would tell who has invited.
    found = found.exclude(invited_by__in=blocks.apart(user), match__anonymous=False)
    found = found.exclude(Exists(Seat.objects.filter(match=OuterRef("match"), user=user)))
    seats = Prefetch("match__seats", Seat.objects.select_related("user").order_by("index"))
    return list(found.select_related("match__creator", "invited_by").prefetch_related(seats).order_by("-created_at", "id")[:most])


def answer(*, by: User, invitation_id: uuid.UUID, accept: bool, channel: str = "web") -> Match:
    """Accept or decline an invitation to a user, and return its match. Raises `Refused`."""
    found = Invitation.objects.filter(pk=invitation_id, user=by, declined_at=None).select_related("match").first()
    if found is None:
        raise Refused("bad_invitation", say("This invitation does not exist or has been used."), "invitation")
    if accept:
        return join_match(by=by, match=found.match, channel=channel)
    if not decline(found):
        raise Refused("bad_invitation", say("You already have a seat. You can leave it on the page of the match."), "invitation")
    return found.match


def decline(invitation: Invitation) -> bool:
    """Decline an invitation. Return False if it was accepted before."""
    return bool(Invitation.objects.filter(pk=invitation.pk, accepted_at=None).update(declined_at=timezone.now()))


def accept_invitation(*, by: User, token: str, contribution_text: str = "", channel: str = "web") -> Match:
    """Join by the link of an invitation. Anyone with the link counts as invited; each link seats one player. Raises `Refused`."""
    found = find_invitation(token)
    with transaction.atomic():
        tenures.lock_user(by)
        # Lock the match before the invitation, as everywhere. Of two users with one link the second waits here.
        invitation = None
        if found is not None:
            match = Match.objects.select_for_update(no_key=True).get(pk=found.match_id)
            invitation = Invitation.objects.select_for_update().filter(pk=found.pk, declined_at=None).first()
        if invitation is None:
            raise _used()
        _check_accepts(invitation, match, by)
        if invitation.user_id is None:
            # The invitation is bound to the user together with the seat; if joining is refused, neither happens.
            invitation.user = by
            invitation.save(update_fields=["user"])
        return join_match(by=by, match=match, contribution_text=contribution_text, channel=channel)


def _check_accepts(invitation: Invitation, match: Match, by: User) -> None:
    """Raise `Refused` if an invitation seats a user in no case.

    What holds for the match comes first. Else its senders, who have the link too, would learn by it who has taken a seat of an
    anonymous match.
    """
    check_open(match)
    check_no_seat(by, match)
    if not invitation.address or (match.hides_names and invitation.invited_by_id == by.pk):
        if invitation.user_id != by.pk:
            raise Refused("bad_invitation", say("This invitation is for another user."), "token")
    elif invitation.accepted_at is not None and invitation.user_id != by.pk:
        raise _used()


def _used() -> Refused:
    return Refused("bad_invitation", say("This invitation does not exist or has been used."), "token")
