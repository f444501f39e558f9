"""The form of the organiser's panel."""

from __future__ import annotations

from gamesvc.forms import PostedForm, TextField, WholeField


class MeasureForm(PostedForm):
    """A measure and its reason; `seat`, `hours` and `bot` for the measures that need them."""

    action = TextField()
    code = TextField()
    reason = TextField()
    seat = WholeField("Choose one of the seats on the page.", high=99)
    hours = WholeField("Write how many more hours the seat gets, as a whole number.", high=99_999)
    bot = TextField()
