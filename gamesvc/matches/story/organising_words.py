"""What history says of organisers and operators: a look behind, a match called off, a measure with its reason."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _

from gamesvc.games.kernel.game import Event
from gamesvc.matches.models import Reason
from gamesvc.matches.story.undo_words import CODES, Written


def reason_words(reason_id: str) -> str:
    """What the organiser wrote; empty where it was erased."""
    return Reason.objects.filter(pk=reason_id).values_list("words", flat=True).first() or ""


def looked(event: Event, names: tuple[str, ...], written: Written) -> str:
    """A look behind."""
    said = _("An operator looked at what %(name)s sees, at version %(version)s.") % {
        "name": names[event.data["seat"]],
        "version": event.data["version"],
    }
    words = written.look(event.data)
    return f"{said} “{words}”" if words else said


def with_reason(said: str, data: Mapping[str, Any], written: Written) -> str:
    """A sentence about a measure, and why it was taken, if the event says so."""
    why = CODES.get(data.get("code", ""))
    if why is not None:
        said = f"{said} {_('Reason: %(why)s.') % {'why': why}}"
    words = written.reason(data)
    return f"{said} “{words}”" if words else said


def extended(event: Event, names: tuple[str, ...], written: Written) -> str:
    """More time for a seat."""
    said = _("The organiser gives %(name)s more time.") % {"name": names[event.data["seat"]]}
    return with_reason(said, event.data["because"], written)


def aborted(event: Event, written: Written) -> str:
    """The end of a match that its organiser called off."""
    return with_reason(_("The organiser calls the match off."), event.data, written)
