"""The forms before a match starts, of messages between players, and of forks."""

from __future__ import annotations

from typing import Any

from django import forms

from gamesvc.forms import OneOfField, PostedForm, TextField, WholeField, says
from gamesvc.games.kernel.game import Game
from gamesvc.games.kernel.wording import SEAT_NAMES
from gamesvc.language import say
from gamesvc.matches.lobby import press
from gamesvc.matches.models import Match
from gamesvc.web.common.fields import SeatField, VersionField

BOTS = "bots"
"""The choice of opponents that puts a bot on every other seat."""


class NewMatchForm(PostedForm):
    """A new match, without its clock (`web.timekeeping.forms`) and the options of the game, which its schema describes."""

    seats = WholeField("Choose how many players take part.")
    hours = WholeField("Choose how many hours players have to answer.")
    entry = OneOfField(
        "Choose who may join: anyone, or invited players.", [*Match.Entry.choices, (BOTS, "Bots")], default=Match.Entry.PUBLIC
    )
    watch = OneOfField(
        "Choose who may watch: anyone with the link, anyone, or nobody.", Match.Watch.choices, default=Match.Watch.LINK
    )
    watch_delay = WholeField("Choose by how many hours spectators see the match late.")
    press = OneOfField("Choose which messages players may send.", Match.PressKind.choices, default=Match.PressKind.PRIVATE)
    undo = OneOfField("Choose when an undo is possible.", Match.Undo.choices, default=Match.Undo.FREE)
    anonymous = forms.BooleanField(required=False)
    invite = TextField()
    finished = WholeField("Enter the percentage of matches finished as a whole number.")
    timeouts = WholeField("Enter the number of timeouts as a whole number.")

    def __init__(self, data: Any = None, *, engine: Game) -> None:
        super().__init__(data)
        self._most = engine.manifest.max_seats
        bots = [(bot, bot) for bot in engine.bots]
        self.fields["bot"] = OneOfField(
            say("Choose one of the bots: {bots}.", bots=", ".join(engine.bots)), bots, default=bots[-1][0]
        )
        for index in range(1, self._most):
            sentence = say(
                "Choose a bot for {seat} ({bots}), or leave the seat to a player.",
                seat=say(SEAT_NAMES[index]),
                bots=", ".join(engine.bots),
            )
            self.fields[f"bot{index}"] = OneOfField(sentence, [(bot, bot) for bot in engine.bots])

    def bots(self, seats: int) -> dict[int, str]:
        """Return the bot of each seat that has one."""
        every = self.cleaned_data["bot"] if self.cleaned_data["entry"] == BOTS else ""
        chosen = {index: self.cleaned_data[f"bot{index}"] or every for index in range(1, min(seats, self._most))}
        return {index: bot for index, bot in chosen.items() if bot}

    def reliability(self) -> dict[str, int] | None:
        """Return the required reliability of players."""
        return {name: asked for name in ("finished", "timeouts") if (asked := self.cleaned_data[name]) is not None} or None


class SeatForm(PostedForm):
    """A change of seats before the start; `contribution` goes into the draws."""

    seat = SeatField()
    bot = TextField()
    contribution = TextField()


class InviteForm(PostedForm):
    """The user name or mail address to invite."""

    whom = TextField()


class AnswerForm(PostedForm):
    """The answer to an invitation: `act` is accept or decline."""

    invitation = forms.UUIDField(error_messages=says("Load the page again: it names no invitation."))
    act = OneOfField("Choose Accept or Decline.", [("accept", "Accept"), ("decline", "Decline")])


class ForkForm(PostedForm):
    """The version to fork, and the kind of fork: a match or an analysis board."""

    version = VersionField()
    kind = TextField()
    seat = SeatField()


class GoToForm(PostedForm):
    """The version of an analysis board to go to."""

    to = VersionField()


class NotesForm(PostedForm):
    """The user's private notes about a match."""

    text = TextField()


class PressForm(PostedForm):
    """A message to all, or to one seat."""

    to = TextField()
    text = TextField()

    def clean_to(self) -> str | list[int]:
        chosen: str = self.cleaned_data["to"]
        return chosen if chosen == press.ALL else [WholeField("Choose whom to write to.", required=True, high=99).clean(chosen)]
