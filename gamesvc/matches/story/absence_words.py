"""Timeouts, pauses and changes of players as sentences, for the game log."""

from __future__ import annotations

from django.utils.translation import gettext as _

from gamesvc.games.kernel.game import Event


def sentence(event: Event, names: tuple[str, ...]) -> str:
    """Return the sentence for an event, for everyone who may see it."""
    data = event.data
    name = names[data["seat"]] if "seat" in data else ""
    match event.type:
        case "match.timed_out" if data["excused"]:
            return _("The time of %(name)s ran out, and is excused.") % {"name": name}
        case "match.timed_out":
            return _("The time of %(name)s ran out.") % {"name": name}
        case "match.vacated":
            return _("Seat %(seat)s is free for a substitute.") % {"seat": data["seat"] + 1}
        case "match.seated" if data.get("kind") == "bot":
            return _("A bot plays on from seat %(seat)s.") % {"seat": data["seat"] + 1}
        case "match.seated" if "returns" in data:
            return _("The former player of seat %(seat)s is back.") % {"seat": data["seat"] + 1}
        case "match.seated":
            return _("A substitute takes over seat %(seat)s.") % {"seat": data["seat"] + 1}
        case "match.paused" if data["by"] == "seats":
            return _("The match is paused: all players agreed.")
        case "match.paused":
            return _("The match is paused by its organiser.")
        case "match.resumed":
            return _("The match goes on.")
        case "match.outage":
            return _("The service could take no orders for a while; deadlines that fell into it are moved.")
    return ""
