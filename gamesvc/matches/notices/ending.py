"""The mail at the end of a match: the result, what decided it, the last acts, figures, and where to see it again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.utils.timesince import timesince
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts.models import User
from gamesvc.games.kernel.wording import listed
from gamesvc.json_types import JsonMapping
from gamesvc.language import say
from gamesvc.matches.models import Match
from gamesvc.matches.notices import reply_addresses, wording
from gamesvc.matches.notices.repeating import calendar_part
from gamesvc.matches.reading.board import caption_of
from gamesvc.matches.story.sentences import tell_last
from notifications import registry
from notifications.models import Outbox
from notifications.registry import Message

LAST_ACTS = 8


def register() -> None:
    """Register the wording of the mail at the end."""
    registry.register("match_ended", match_ended, label="A match is over")


def match_ended(row: Outbox) -> Message | None:
    """Sum up a finished match for a player; a match that was called off has no result."""
    match = Match.objects.get(pk=row.payload["match"])
    seat = row.payload["seat"]
    context = wording.context_of(match, seat, row.user, whole=True)
    context |= calendar_part(match, seat, row.user, context["last"])
    context |= {"headline": _("The match was called off"), "described": []}
    if (outcome := match.outcome) is not None:
        names = context["names"]
        context |= {"headline": _headline(outcome["ranking"], seat, names), "ranking": _ranking(outcome, names)}
        context |= _summed_up(context, match, seat, outcome)
        context |= {"took": _took(match, context.get("turn", 0)), "replay": f"{context['link']}?at=1"}
        context["since"] = [sentence for _v, _m, sentence in tell_last(context["loaded"], seat, names, LAST_ACTS)]
        context["since_label"] = _("The last acts:")
        context["reply_to"] = reply_addresses.reply_address(
            match=match, loaded=context["loaded"], seat=seat, user=_holder(match, row), key=row.id, question=None
        )
    subject = _("[%(title)s #%(number)s] The match is over") % {"title": context["title"], "number": match.number}
    return wording.compose("ended", subject, context, reason="match-over")


def _holder(match: Match, row: Outbox) -> User | None:
    """Return the receiver if they still hold a seat: only then their answer counts."""
    return row.user if match.seats.filter(index=row.payload["seat"], user=row.user_id).exists() else None


def _headline(ranking: Sequence[Sequence[int]], seat: int, names: Sequence[str]) -> str:
    best = ranking[0]
    if len(names) == 1:
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
    game, state = context["loaded"].game, context["loaded"].timeline.state
    view, caption = game.view(state, seat), caption_of(match, context["names"])
    found = game.summary(view, caption)
    decided = found.decided if found is not None else say(outcome["reason"].replace("_", " "))
    if not decided.startswith(tuple(context["names"])):  # a player's name stays as it is
        decided = decided[:1].upper() + decided[1:]
    told: dict[str, object] = {"decided": f"{decided}.", "turn": game.glance(view, caption).turn}
    if found is not None:
        told["figures"] = [
            (noun, [f"{name} {value}" for name, value in zip(context["names"], values, strict=True)])
            for noun, values in found.figures
        ]
    return told


def _took(match: Match, turns: int) -> str:
    """Return how long the match took, in turns and days."""
    if match.started_at is None or match.ended_at is None:
        return ""
    time = timesince(match.started_at, match.ended_at).replace("\xa0", " ")
    if not turns:
        return _("The match took %(time)s.") % {"time": time}
    told = ngettext("The match took %(turns)s turn in %(time)s.", "The match took %(turns)s turns in %(time)s.", turns)
    return told % {"turns": turns, "time": time}
