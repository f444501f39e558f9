"""The forms of blocks and reports."""

from __future__ import annotations

from gamesvc.forms import PostedForm, TextField


class BlockForm(PostedForm):
    """The player to block or to unblock, and the page to return to."""

    name = TextField()
    _back = TextField(max_length=10)
