"""The forms of blocks and reports."""

from __future__ import annotations

from django import forms

from gamesvc.forms import OneOfField, PostedForm, TextField, WholeField, says
from gamesvc.matches.models import Report


class BlockForm(PostedForm):
    """The player to block or to unblock, and the page to return to."""

    name = TextField()
    _back = TextField(max_length=10)


class SubjectForm(PostedForm):
    """The subject of a report, from the address of its page: a message or a seat of a match, or a player."""

    match = TextField(max_length=40)
    message = forms.UUIDField(required=False, error_messages=says("There is no such message."))
    seat = WholeField("There is no such seat.", high=99)
    player = TextField(max_length=150)


class ReportForm(PostedForm):
    """A report. `matches.organising.reports` checks what it means."""

    kind = OneOfField("Choose what the report is about.", Report.Kind.choices)
    words = TextField()
    _once = TextField(max_length=40)
