"""The form of the organiser's panel."""

from __future__ import annotations

from django import forms

from gamesvc.forms import PostedForm, TextField, WholeField
from gamesvc.web.common.fields import SeatField


class MeasureForm(PostedForm):
    """A measure and its reason; `seat`, `hours` and `bot` for the measures that need them."""

    action = TextField()
    code = TextField()
    reason = TextField()
    seat = SeatField()
    hours = WholeField("Enter how many more hours the seat gets, as a whole number.", high=99_999)
    bot = forms.BooleanField(required=False)
