"""The forms of the undo panel."""

from __future__ import annotations

from gamesvc.forms import PostedForm, TextField, WholeField
from gamesvc.web.common.fields import VersionForm


class AnswerForm(PostedForm):
    """An answer to the open request, named by the version of its event."""

    request = WholeField("The page did not say which request you answer. Load it again.", required=True)


class RewindForm(VersionForm):
    """A rewind by an organiser: to which version, and why."""

    to = WholeField("Enter the version to rewind the match to as a whole number.", required=True)
    code = TextField()
    reason = TextField()
