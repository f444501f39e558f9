"""Organisers and operators in sentences: who organises a match, a look behind, an aborted match, a measure with its reason."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from uuid import UUID

from django.utils.translation import gettext as _

from gamesvc.language import joined, say
from gamesvc.matches.access import authority
from gamesvc.matches.events import DeadlineSet, Ended, Looked, Reasoned
from gamesvc.matches.models import Match, Reason, Seat
from gamesvc.matches.story.undo_words import CODES, Written


def organiser(match: Match, seats: Iterable[Seat]) -> str:
    """Return a sentence on the organiser of an unfinished match; empty if it has none.

    Players must see it before they join: who sits in the match may be a friend of the organiser.
    """
    return _organiser(match) if authority.is_organised(match, seats) else ""


def organisers(matches: Collection[Match]) -> dict[UUID, str]:
    """Return the same for many matches, by match. Their creators and seats must be there."""
    organised = authority.organised(matches)
    return {match.pk: _organiser(match) if match.pk in organised else "" for match in matches}


def _organiser(match: Match) -> str:
    powers = say("They can pause it, rewind it, give more time, replace players and call it off.")
    if match.hides_names or match.creator is None:
        return joined(say("The user who opened this match does not play in it."), powers)
    return joined(say("{name} opened this match and does not play in it.", name=match.creator.username), powers)


def reason_words(reason_id: str) -> str:
    """Return the organiser's text; empty if it was erased."""
    return Reason.objects.filter(pk=reason_id).values_list("words", flat=True).first() or ""


def looked(event: Looked, names: tuple[str, ...], written: Written) -> str:
    """Return the sentence for a look behind."""
    said = _("An operator looked at what %(name)s sees, at version %(version)s.") % {
        "name": names[event.seat],
        "version": event.version,
    }
    words = written.look(event.look_id)
    return f"{said} “{words}”" if words else said


def with_reason(said: str, event: Reasoned, written: Written) -> str:
    """Return a sentence about a measure, with the reason if the event names one."""
    why = CODES.get(event.code)
    if why is not None:
        said = f"{said} {_('Reason: %(why)s.') % {'why': why}}"
    words = written.reason(event.reason_id)
    return f"{said} “{words}”" if words else said


def extended(event: DeadlineSet, names: tuple[str, ...], written: Written) -> str:
    """Return the sentence for an extension."""
    said = _("The organiser gives %(name)s more time.") % {"name": names[event.seat]}
    return with_reason(said, event, written)


def aborted(event: Ended, written: Written) -> str:
    """Return the sentence for a match that its organiser aborted."""
    return with_reason(_("The organiser calls the match off."), event, written)
