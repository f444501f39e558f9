"""A receipt says in plain words which line to correct."""

from __future__ import annotations

import pytest
from django.utils import translation

from gamesvc.matches.mail_orders.receipts import advice


def report(*states: str) -> dict[str, object]:
    return {"problem": "unreadable", "lines": [{"number": at, "state": state} for at, state in enumerate(states, 1)]}


@pytest.mark.parametrize(
    ("states", "language", "words"),
    [
        (("read", "read", "unreadable"), "en", "Correct line 3 and send all orders again."),
        (("unreadable", "read", "unreadable"), "en", "Correct lines 1 and 3 and send all orders again."),
        (("read", "unreadable"), "de", "Verbessere Zeile 2 und schick alle Befehle noch einmal."),
    ],
)
def test_the_line_to_correct_is_named(states, language, words):
    with translation.override(language):
        assert advice(report(*states)) == words
