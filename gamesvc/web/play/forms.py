"""The forms of the match page. The fields of a command follow from the game's schema (`web.common.posted`)."""

from __future__ import annotations

from gamesvc.forms import PostedForm, TextField, WholeField
from gamesvc.web.common.fields import VersionForm


class PreviewForm(PostedForm):
    """`_form`: the key of the form that is filled in."""

    _form = TextField()


class CommandForm(PreviewForm, VersionForm):
    """A command for the version that the page showed. `_sure`: set by the page that asks before resigning."""

    _sure = TextField(max_length=10)


class OrdersForm(VersionForm):
    """Orders as text, one a line."""

    orders = TextField()


class StandingForm(PostedForm):
    """A conditional order as text, or the number of one to cancel, or of a branch to look at on an analysis board."""

    order = TextField()
    cancel = WholeField("There is no such conditional order. Load the page again.", high=9999)
    look = WholeField("There is no such conditional order. Load the page again.", high=9999)
