"""The mail at the end of a match: the result, what decided it, the last acts, figures, and where to see it again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts.models import User
from gamesvc.games.kernel.wording import listed
from gamesvc.json_types import JsonMapping
from gamesvc.matches.models import Match
from gamesvc.matches.notices import reply_addresses, wording
from gamesvc.matches.notices.repeating import calendar_part
from gamesvc.matches.reading import result
from gamesvc.matches.story.sentences import tell_last
from notifications import registry
from notifications.models import Outbox
from notifications.registry import Message

LAST_ACTS = 8


def register() -> None:
    """Register the wording of the mail at the end."""
    registry.register("match_ended", match_ended, label="A match is over", quotes=True)


def match_ended(row: Outbox) -> Message | None:
    """Sum up a finished match for a player; a match that was called off has no result."""
    match = Match.objects.get(pk=row.payload["match"])
    seat = row.payload["seat"]
    context = wording.context_of(match, seat, row.user, whole=True)
    context |= calendar_part(match, seat, row.user, context["last"])
    context |= {"headline": _("The match was called off"), "described": []}
    if (outcome := match.outcome) is not None:
        names = context["names"]
        context |= {"headline": _headline(outcome, seat, names), "ranking": _ranking(outcome, names)}
        context |= _summed_up(context, match, seat, outcome)
        context |= {"took": result.took(match, context.get("turn", 0)), "replay": f"{context['link']}?at=1"}
        context["since"] = tell_last(context["loaded"], seat, names, LAST_ACTS)
        context["since_label"] = _("The last moves:")
        context["reply_to"] = reply_addresses.reply_address(
            match=match, loaded=context["loaded"], seat=seat, user=_holder(match, row), key=row.id, question=None
        )
    subject = _("[%(title)s #%(number)s] The match is over") % {"title": context["title"], "number": match.number}
    return wording.compose("ended", subject, context, reason="match-over")


def _holder(match: Match, row: Outbox) -> User | None:
    """Return the receiver if they still hold a seat: only then their answer counts."""
    return row.user if match.seats.filter(index=row.payload["seat"], user=row.user_id).exists() else None


def _headline(outcome: JsonMapping, seat: int, names: Sequence[str]) -> str:
    best = outcome["ranking"][0]
    if len(names) == 1 and not result.won_alone(outcome):
        return _("The match is over")
    if seat not in best:
        winners = listed(names[winner] for winner in best)
        return ngettext("%(names)s won", "%(names)s share the win", len(best)) % {"names": winners}
    if len(best) == 1:
        return _("You won")
    return _("You share the win with %(names)s") % {"names": listed(names[winner] for winner in best if winner != seat)}


def _ranking(outcome: JsonMapping, names: Sequence[str]) -> list[dict[str, object]]:
    return [
        {
            "place": place,
            "names": ", ".join(names[seat] for seat in group),
            "score": ", ".join(str(outcome["scores"][seat]) for seat in group),
        }
        for place, group in enumerate(outcome["ranking"], 1)
    ]


def _summed_up(context: dict[str, Any], match: Match, seat: int, outcome: JsonMapping) -> dict[str, object]:
    """Return the game's own words on what decided the match, its figures, and the number of turns."""
    found = result.decision(context["loaded"], match, seat, tuple(context["names"]), outcome)
    told: dict[str, object] = {"decided": found.sentence, "turn": found.turns}
    if found.figures:
        told["figures"] = [
            (noun, [f"{name} {value}" for name, value in zip(context["names"], values, strict=True)])
            for noun, values in found.figures
        ]
    return told
