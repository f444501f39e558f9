"""Timeouts, pauses and changes of players as sentences, for the game log."""

from __future__ import annotations

from django.utils.translation import gettext as _

from gamesvc.matches.events import MatchEvent, Outage, Paused, Resumed, Seated, TimedOut, Vacated


def sentence(event: MatchEvent, names: tuple[str, ...]) -> str:
    """Return the sentence for an event, for everyone who may see it."""
    match event:
        case TimedOut(seat=seat, excused=True):
            return _("%(name)s ran out of time (excused).") % {"name": names[seat]}
        case TimedOut(seat=seat):
            return _("%(name)s ran out of time.") % {"name": names[seat]}
        case Vacated(seat=seat):
            return _("Seat %(seat)s is free for a substitute.") % {"seat": seat + 1}
        case Seated(seat=seat, kind="bot"):
            return _("A bot plays on from seat %(seat)s.") % {"seat": seat + 1}
        case Seated(seat=seat, returns=None):
            return _("A substitute takes over seat %(seat)s.") % {"seat": seat + 1}
        case Seated(seat=seat):
            return _("The former player of seat %(seat)s is back.") % {"seat": seat + 1}
        case Paused(by="seats"):
            return _("The match is paused: all players agreed.")
        case Paused():
            return _("The match is paused by its organiser.")
        case Resumed():
            return _("The match goes on.")
        case Outage():
            return _("The service was down for a while. Deadlines in that time are moved.")
    return ""
