"""The end of a match in words: what decided it, in the game's own words, and how long it took."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.timesince import timesince
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from gamesvc.games.kernel.game import Viewer
from gamesvc.games.kernel.wording import Speaker, opening
from gamesvc.json_types import JsonMapping
from gamesvc.language import say
from gamesvc.matches.models import Match
from gamesvc.matches.reading.board import caption_of
from gamesvc.matches.record.loading import Loaded


@dataclass(frozen=True, slots=True)
class Decision:
    """The decisive fact of a match, as a sentence; the figures of the game with a value for each seat; the number of turns."""

    sentence: str
    figures: Sequence[tuple[str, Sequence[str]]]
    turns: int


def decision(loaded: Loaded, match: Match, viewer: Viewer, names: tuple[str, ...], outcome: JsonMapping) -> Decision:
    """Return what decided a finished match, as a viewer may know it."""
    game, caption = loaded.game, caption_of(match, names)
    view = game.view(loaded.timeline.state, viewer)
    found = game.summary(view, caption)
    decided = found.decided if found is not None else say(outcome["reason"].replace("_", " "))
    if not decided.startswith(names):  # a player's name stays as it is
        decided = decided[:1].upper() + decided[1:]
    return Decision(f"{decided}.", found.figures if found is not None else (), game.glance(view, caption).turn)


def won_alone(outcome: JsonMapping) -> bool:
    """Return True if the only player of a match has won it, where its game can be won or lost alone."""
    return bool(outcome.get("detail", {}).get("won"))


def winners(outcome: JsonMapping, viewer: Viewer, names: tuple[str, ...]) -> str:
    """Return who has won, in a few words; empty for a match of one player that was not won."""
    best = outcome["ranking"][0]
    if len(names) == 1 and not won_alone(outcome):
        return ""
    if len(best) == len(names) > 1:
        return _("A draw")
    if len(best) > 1:
        return _("%(names)s share the win") % {"names": opening(Speaker(viewer, names).all(best))}
    return _("You won") if best[0] == viewer else _("%(name)s won") % {"name": names[best[0]]}


def took(match: Match, turns: int) -> str:
    """Return how long the match took, in turns and days."""
    if match.started_at is None or match.ended_at is None:
        return ""
    time = timesince(match.started_at, match.ended_at).replace("\xa0", " ")
    if not turns:
        return _("The match took %(time)s.") % {"time": time}
    told = ngettext("The match took %(turns)s turn in %(time)s.", "The match took %(turns)s turns in %(time)s.", turns)
    return told % {"turns": turns, "time": time}
