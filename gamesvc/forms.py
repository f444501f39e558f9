"""The base of the forms that pages post: cleaned fields, or a refusal with the sentence of the first field at fault.

A form checks what a browser sends: that a number is one, that a choice is offered. The services check what the values mean in a
match or an account.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NoReturn

from django import forms
from django.core.exceptions import NON_FIELD_ERRORS
from django.http import HttpRequest

from gamesvc.games.kernel.game import Refused
from gamesvc.language import say

_FAULTS = ("required", "invalid", "invalid_choice", "invalid_list", "min_value", "max_value", "max_length")


def says(sentence: str) -> dict[str, str]:
    """Return the error messages of a field that has one sentence for all its faults."""
    return dict.fromkeys(_FAULTS, sentence)


class PostedForm(forms.Form):
    """The fields of a posted page. Fields that a page may leave out are not required."""

    @classmethod
    def read(cls, request: HttpRequest) -> dict[str, Any]:
        """Return the cleaned fields of a request. Raises `Refused`."""
        return cls(request.POST).checked()

    def checked(self) -> dict[str, Any]:
        """Return the cleaned fields. Raises `Refused` with the first fault."""
        if not self.is_valid():
            self._refuse()
        return self.cleaned_data

    def _refuse(self) -> NoReturn:
        name, faults = next(iter(self.errors.items()))
        raise Refused("unreadable", say(str(faults[0])), None if name == NON_FIELD_ERRORS else name.lstrip("_"))


class TextField(forms.CharField):
    """A text as it was typed; empty if it is left out."""

    def __init__(self, *, max_length: int | None = None) -> None:
        super().__init__(required=False, strip=False, max_length=max_length)


class WholeField(forms.IntegerField):
    """A whole number; None if it is left empty. One sentence refuses everything else."""

    def __init__(self, sentence: str, *, required: bool = False, low: int = 0, high: int = 999_999_999) -> None:
        super().__init__(required=required, min_value=low, max_value=high, error_messages=says(sentence))


class OneOfField(forms.TypedChoiceField):
    """One of the choices that a page offers; `default` if it is left out."""

    def __init__(self, sentence: str, choices: Iterable[tuple[str, str]], *, default: str = "") -> None:
        super().__init__(required=False, choices=choices, empty_value=default, error_messages=says(sentence))


class SomeOfField(forms.MultipleChoiceField):
    """Several of the choices that a page offers."""

    def __init__(self, sentence: str, choices: Any) -> None:
        super().__init__(required=False, choices=choices, error_messages=says(sentence))


class ActForm(PostedForm):
    """The button pressed in a form with several."""

    act = TextField()
