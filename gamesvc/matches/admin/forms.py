"""The forms on the page of a match for operators."""

from __future__ import annotations

from django import forms

from gamesvc.forms import PostedForm, TextField, WholeField
from gamesvc.matches.organising.measures import Measure


class LookForm(PostedForm):
    """A look behind a seat, and the reason for it."""

    seat = WholeField("Choose the seat to look behind.", required=True)
    version = WholeField("Enter the version to look at as a whole number.", required=True)
    reason = TextField()


class MeasureForm(PostedForm):
    """A measure and its reason; the other fields are for the measures that need them."""

    action = TextField()
    code = TextField()
    reason = TextField()
    seat = WholeField("Enter the seat as a whole number.")
    hours = WholeField("Enter the hours as a whole number.")
    to = WholeField("Enter the version to rewind to as a whole number.")
    bot = forms.BooleanField(required=False)
    _once = TextField(max_length=40)

    def measure(self) -> Measure:
        """Return the measure. Raises `Refused`."""
        return Measure(**{name: value for name, value in self.checked().items() if name != "_once"})


class ReportActForm(PostedForm):
    """An act on a report: a note for it, and for a ban from messages its days."""

    act = TextField()
    words = TextField()
    days = WholeField("Enter the days as a whole number.")
