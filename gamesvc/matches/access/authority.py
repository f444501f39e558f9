"""Authority over a match: ruling on it, looking behind it, and reading its organiser's records."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from uuid import UUID

from django.db.models import F, Q

from accounts.bots import bots
from accounts.models import User
from gamesvc.games.kernel.game import Refused
from gamesvc.language import mark, say
from gamesvc.matches import errors
from gamesvc.matches.access import bans, selectors, tenures
from gamesvc.matches.access.selectors import Access
from gamesvc.matches.errors import Forbidden
from gamesvc.matches.models import Holding, Match, Seat

LONGEST_REASON = 1000


def may_rule(user: User | None, match: Match) -> bool:
    """Return True for the organiser of a match and for operators, but for nobody who ever held a seat in it.

    This decides all that is done over the players' heads: measures, rewinds, looks behind, verifying. A host who left their seat
    before the start, when others sat beside them or were invited, is no organiser: these come to play with them, not to be ruled
    by them.
    """
    if user is None or not (user.is_operator or (match.creator_id == user.pk and not match.creator_sat)):
        return False
    return not tenures.played(user, match)


def may_look(user: User | None, match: Match) -> bool:
    """Return True for operators who may look behind."""
    return user is not None and user.is_operator and may_rule(user, match)


def may_audit(user: User | None, match: Match) -> bool:
    """Return True for users who may read the organiser's records: they may rule, or the match is over and hides nothing."""
    if user is None or not (match.creator_id == user.pk or user.is_operator):
        return False
    return match.over or may_rule(user, match)


def may_open(operator: User, match: Match) -> bool:
    """Return True if an operator may read a match on their pages: all of it once it is over, until then as observers see it.

    A private fork or analysis board may be over long before the match from which it comes, and shows a hand of that; before its
    end it tells those who play in that match what its player has in mind. A match that everybody may read is always open.
    """
    if selectors.access_many(operator, [match]):
        return True
    return not (tenures.comes_from_unfinished(match) if match.over else tenures.played(operator, match))


def is_organised(match: Match, seats: Iterable[Seat]) -> bool:
    """Return True if an unfinished match has an organiser: the person who opened it, and never played in it."""
    if not _opened_from_outside(match, seats):
        return False
    return match.started_at is None or match.creator is None or not tenures.played(match.creator, match)


def organised(matches: Collection[Match]) -> frozenset[UUID]:
    """Return those of many matches that have an organiser, without a look at what they did in forks of them.

    Their creators and seats must be there.
    """
    own = Q(user=F("match__creator")) | Q(user__bot_owner=F("match__creator"))
    played = set(Holding.objects.filter(own, match__in=matches).values_list("match_id", flat=True))
    return frozenset(one.pk for one in matches if one.pk not in played and _opened_from_outside(one, one.seats.all()))


def _opened_from_outside(match: Match, seats: Iterable[Seat]) -> bool:
    """Return True if the person who opened an unfinished match does not sit in it now, and did not give up ruling on it."""
    host = match.creator
    if host is None or match.over or match.board or match.creator_sat or host.is_bot or not host.is_active:
        return False
    person = bots.root(host)
    return not any(seat.user is not None and bots.root(seat.user) == person for seat in seats)


def check_may_rule(user: User, match: Match) -> None:
    """Raise `Forbidden` for users who may not rule on a match."""
    if not may_rule(user, match):
        raise Forbidden(say("Only the organiser of a match or an operator can do this, and only if they never played in it."))


def check_may_look(user: User, match: Match) -> None:
    """Raise `Forbidden` for users who may not look behind."""
    if not may_look(user, match):
        raise Forbidden(say("Only an operator who never played in this match may look behind a seat."))


def longest_reason(by: User) -> int:
    """Return how many characters the players are told of a user's reason; 0 for one who may write no messages."""
    return LONGEST_REASON if by.is_operator or bans.end_for(by) is None else 0


def read_told_reason(by: User, reason: str) -> str:
    """Return the reason for an act over the players' heads, as `read_reason`.

    It is mailed to the players. An organiser who is banned from messages gives none: the players learn its kind alone.
    """
    until = None if by.is_operator else bans.end_for(by)
    if until is None:
        return read_reason(reason)
    if reason.strip():
        banned = mark(
            "By decision of the operators you may not write messages until {until}, and the players would read this reason. "
            "Leave it empty: they see its kind alone."
        )
        raise Refused("press_banned", say(banned, until=until), "reason")
    return ""


def read_reason(reason: str) -> str:
    """Return a reason without surrounding blanks. Raises `Refused` if it is empty or too long."""
    if not reason.strip() or len(reason) > LONGEST_REASON:
        raise Refused(
            "bad_reason",
            say("Say why, in 1 to {most} characters; the players read it.", most=LONGEST_REASON),
            "reason",
        )
    return reason.strip()


def access_to_rule(*, by: User, ident: str, link: str = "") -> Access:
    """Return a match for a user who may want to rule on it. Operators find every match. Raises `Unknown`."""
    try:
        return selectors.access_match(user=by, ident=ident, link=link)
    except errors.Unknown:
        match = Match.objects.filter(selectors.by_ident(ident)).first() if by.is_operator else None
        if match is None:
            raise
        return Access(match, by, None, tuple(match.seats.select_related("user").order_by("index")))
