"""The form of the organiser's panel."""

from __future__ import annotations

from django import forms

from gamesvc.forms import PostedForm, TextField, WholeField
from gamesvc.web.common.hidden import WHICH_SEAT


class MeasureForm(PostedForm):
    """A measure and its reason; `seat`, `hours` and `bot` for the measures that need them."""

    action = TextField()
    code = TextField()
    reason = TextField()
    seat = WholeField(WHICH_SEAT, high=99)
    hours = WholeField("Write how many more hours the seat gets, as a whole number.", high=99_999)
    bot = forms.BooleanField(required=False)
