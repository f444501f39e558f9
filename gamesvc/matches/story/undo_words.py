"""Undos and rewinds as sentences: what was undone, by which player, and why."""

from __future__ import annotations

import functools
from uuid import UUID

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from gamesvc.matches.events import MatchEvent, Rewound, UndoAnswered, UndoAsked
from gamesvc.matches.models import Look, Reason

CODES = {
    "mistake": gettext_lazy("a mistake was made"),
    "dispute": gettext_lazy("a dispute is settled"),
    "agreement": gettext_lazy("the players agreed on it"),
    "fault": gettext_lazy("a fault of the service is repaired"),
    "other": gettext_lazy("another reason"),
}
"""Reasons for a rewind by the organiser, by the code in the event."""


class Written:
    """Texts by organisers and operators about measures in a match, by the ids in its events. Read once, on demand.

    Each is one line: it stands in a sentence of ours, and a line of its own in a plain mail could pass for our words.
    `quoting`: False for the mails that would be lost with them, since a mail server may refuse a mail for its words.
    """

    def __init__(self, match_id: UUID, *, quoting: bool = True) -> None:
        self._match_id = match_id
        self._quoting = quoting

    def reason(self, reason_id: str) -> str:
        """Return the reason for a measure; empty if the event names none or the text was erased."""
        return _one_line(self._reasons.get(reason_id, "")) if reason_id and self._quoting else ""

    def look(self, look_id: str) -> str:
        """Return the reason for a look behind; empty if the text was erased."""
        return _one_line(self._looks.get(look_id, "")) if self._quoting else ""

    @functools.cached_property
    def _reasons(self) -> dict[str, str]:
        return {str(pk): words for pk, words in Reason.objects.filter(match=self._match_id).values_list("pk", "words")}

    @functools.cached_property
    def _looks(self) -> dict[str, str]:
        return {str(pk): words for pk, words in Look.objects.filter(match=self._match_id).values_list("pk", "words")}


def _one_line(words: str) -> str:
    return " ".join(words.split())


def sentence(event: MatchEvent, names: tuple[str, ...], written: Written) -> str:
    """Return the sentence for an event about an undo; empty for any other event."""
    match event:
        case Rewound():
            return _rewound(event, names, written)
        case UndoAsked():
            return _("%(name)s asks %(asked)s for an undo.") % {
                "name": names[event.seat],
                "asked": ", ".join(names[seat] for seat in event.asked),
            }
        case UndoAnswered():
            return {
                "accepted": _("%(name)s accepts the undo."),
                "declined": _("%(name)s declines the undo."),
                "withdrawn": _("%(name)s withdraws the undo request."),
                "lapsed": _("The undo request has lapsed."),
            }[event.answer] % {"name": names[event.seat] if event.seat is not None else ""}
    return ""


def _rewound(event: Rewound, names: tuple[str, ...], written: Written) -> str:
    to = event.to
    match event.cause:
        case "undo":
            told = _("%(name)s has undone a move.")
        case "redo":
            told = _("%(name)s reverts the undo.")
        case "host":
            told = _("The organiser rewinds the match to version %(to)s: %(why)s.")
        case _:
            return _("What came after version %(to)s is undone.") % {"to": to}
    name = names[event.seat] if event.seat is not None else ""
    said = told % {"name": name, "to": to, "why": CODES.get(event.code, "")}
    words = written.reason(event.reason_id)
    return f"{said} “{words}”" if words else said
