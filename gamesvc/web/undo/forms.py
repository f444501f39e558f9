"""The forms of the undo panel."""

from __future__ import annotations

from gamesvc.forms import PostedForm, TextField, WholeField

AGAIN = "The page did not say which version is meant; load it again."


class VersionForm(PostedForm):
    """Undo or redo, at the version that the page showed."""

    _version = WholeField(AGAIN, required=True)


class AnswerForm(PostedForm):
    """An answer to the open request, named by the version of its event."""

    request = WholeField(AGAIN, required=True)


class RewindForm(VersionForm):
    """A rewind by an organiser: to which version, and why."""

    to = WholeField("Write the version to rewind the match to as a whole number.", required=True)
    code = TextField()
    reason = TextField()
