"""The hidden fields that any form may have. A value that no page of ours sends counts as missing."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest

from gamesvc.forms import PostedForm, TextField, WholeField


class HiddenForm(PostedForm):
    """`_once`: the key of the page; `_link`: the link that lets the reader in; `_as`: their side of an analysis board.

    `_back`: the page with the form, to which the answer returns: `home`, the reader's matches, or `match`.
    """

    _once = TextField(max_length=40)
    _link = TextField()
    _back = TextField(max_length=10)
    _as = WholeField("Load the page again.", high=99)


def hidden(request: HttpRequest, name: str) -> Any:
    """Return a hidden field of a posted form; None or empty if there is none."""
    if request.method != "POST":
        return None
    form = HiddenForm(request.POST)
    form.is_valid()
    return form.cleaned_data.get(name)
