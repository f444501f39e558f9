"""Acts of organisers and operators as sentences: a look behind, an aborted match, a measure with its reason."""

from __future__ import annotations

from django.utils.translation import gettext as _

from gamesvc.matches.events import DeadlineSet, Ended, Looked, Reasoned
from gamesvc.matches.models import Reason
from gamesvc.matches.story.undo_words import CODES, Written


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
