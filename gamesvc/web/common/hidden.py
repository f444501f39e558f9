"""The hidden fields of forms, and what to say where a field shows that the page is old.

What any form may have counts as missing if no page of ours sends such a value. A form that needs the version is a `VersionForm`.
"""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest

from gamesvc.forms import PostedForm, TextField, WholeField

WHICH_VERSION = "The page did not say which version it showed. Load it again."
WHICH_SEAT = "Choose one of the seats on the page."


class HiddenForm(PostedForm):
    """`_once`: the key of the page; `_link`: the link that lets the reader in; `_as`: their side of an analysis board."""

    _once = TextField(max_length=40)
    _link = TextField()
    _as = WholeField("Load the page again.", high=99)


class VersionForm(PostedForm):
    """`_version`: the version that the page showed."""

    _version = WholeField(WHICH_VERSION, required=True)


def hidden(request: HttpRequest, name: str) -> Any:
    """Return a hidden field of a posted form; None or empty if there is none."""
    if request.method != "POST":
        return None
    form = HiddenForm(request.POST)
    form.is_valid()
    return form.cleaned_data.get(name)
