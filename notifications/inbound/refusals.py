"""Why a mail is not worked on, by name, and the one table that says what its sender hears of it."""

from __future__ import annotations

from enum import Enum


class Hears(Enum):
    """What becomes of a refused mail."""

    NOTHING = "nothing"  # dropped: its sender is unknown, or a machine
    QUESTION = "question"  # held: the owner of the address is asked, at his own address
    WORDS = "words"  # handed to the purpose with the refusal's name: its receipt says what was wrong


ANSWERS: dict[str, Hears] = {
    "broken": Hears.NOTHING,
    "too_large": Hears.NOTHING,
    "too_many_parts": Hears.NOTHING,
    "too_deep": Hears.NOTHING,
    "null_return_path": Hears.NOTHING,
    "auto_submitted": Hears.NOTHING,
    "bulk": Hears.NOTHING,
    "mailing_list": Hears.NOTHING,
    "delivery_report": Hears.NOTHING,
    "mailer_daemon": Hears.NOTHING,
    "our_own": Hears.NOTHING,
    "no_single_sender": Hears.NOTHING,
    "spoofed": Hears.NOTHING,
    "inactive": Hears.NOTHING,
    "no_such_purpose": Hears.NOTHING,
    "not_confirmed": Hears.NOTHING,
    "used": Hears.NOTHING,
    "unproved": Hears.QUESTION,
    "stranger": Hears.QUESTION,
    "empty": Hears.WORDS,
    "too_long": Hears.WORDS,
}


class MailRefused(Exception):
    """A mail that a step does not let pass; `code` is a key of `ANSWERS`, `detail` is for the operator."""

    def __init__(self, code: str, detail: str = "") -> None:
        super().__init__(f"{code}: {detail}" if detail else code)
        self.code = code
        self.hears = ANSWERS[code]
