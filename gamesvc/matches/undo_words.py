"""What history says of taking back: what was undone, by whom, and why."""

from __future__ import annotations

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from gamesvc.games.kernel import REWOUND, Event
from gamesvc.matches.models import Reason

CODES = {
    "mistake": gettext_lazy("a mistake was made"),
    "dispute": gettext_lazy("a dispute is settled"),
    "agreement": gettext_lazy("the players agreed on it"),
    "fault": gettext_lazy("a fault of the service is mended"),
    "other": gettext_lazy("another reason"),
}
"""Why an organiser sets a match back, as events tell it."""


def sentence(event: Event, names: tuple[str, ...]) -> str:
    """One event of taking back in words; empty for any other event."""
    data = event.data
    if event.type == REWOUND:
        return _rewound(event, names)
    if event.type == "match.undo_asked":
        asked = ", ".join(names[seat] for seat in data["asked"])
        return _("%(name)s asks %(asked)s to take back what came after version %(to)s.") % {
            "name": names[data["seat"]],
            "asked": asked,
            "to": data["to"],
        }
    if event.type == "match.undo_answered":
        name = names[data["seat"]] if data["seat"] is not None else ""
        return {
            "accepted": _("%(name)s agrees to take it back."),
            "declined": _("%(name)s declines to take it back."),
            "withdrawn": _("%(name)s does not ask any longer to take it back."),
            "lapsed": _("The request to take back has lapsed."),
        }[data["answer"]] % {"name": name}
    return ""


def _rewound(event: Event, names: tuple[str, ...]) -> str:
    data = event.data
    to, last = data["to"], event.version - 1
    match data.get("cause"):
        case "undo":
            told = _("%(name)s takes back what came after version %(to)s, up to version %(last)s.")
        case "redo":
            told = _("%(name)s takes the undo back: the match is again as at version %(to)s.")
        case "host":
            told = _("The organiser sets the match back to version %(to)s: %(why)s.")
        case _:
            return _("The match goes back to version %(to)s.") % {"to": to}
    name = names[data["seat"]] if "seat" in data else ""
    said = told % {"name": name, "to": to, "last": last, "why": CODES.get(data.get("code", ""), "")}
    words = _words(data["reason_id"]) if "reason_id" in data else ""
    return f"{said} {words}".strip()


def _words(reason_id: str) -> str:
    """What the organiser wrote; empty where it was erased."""
    found = Reason.objects.filter(pk=reason_id).values_list("words", flat=True).first()
    return f"“{found}”" if found else ""
