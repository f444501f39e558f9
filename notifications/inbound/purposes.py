"""The purposes of answers. The apps above register a handler per purpose at start-up; nothing here knows what it does."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from accounts.models import User
from gamesvc.json_types import JsonMapping, JsonObject
from notifications.outbox import Notice
from notifications.parsing.text import NONE_QUOTED, PerhapsQuoted


@dataclass(frozen=True, slots=True)
class Letter:
    """An answer that passed all steps: its sender, its purpose's data, its text, and the moment that counts.

    `owner` is None for a sender without an account: then it comes from the mailbox `email`, to which our mail went. `refusal`
    names a problem with its text ("empty", "too_long"); the text is empty then. `below`: what stands below a quote without marks,
    perhaps an answer; it is no part of the text. `quoting`: a line at which the text was cut, although what follows may be the
    sender's. `automatic`: it may be an automatic answer (only for handlers that weigh this). `confirmed`: its writer was asked,
    and said that it is theirs. `again`: an earlier run may have carried out a part of it.
    """

    id: UUID
    owner: User | None
    payload: JsonMapping
    text: str
    counts_at: datetime
    message_id: str
    refusal: str = ""
    email: str = ""
    below: str = ""
    quoting: str = ""
    perhaps_quoted: PerhapsQuoted = NONE_QUOTED
    automatic: bool = False
    confirmed: bool = False
    again: bool = False

    @property
    def user(self) -> User:
        """Return the sender, for purposes whose addresses are made for users only. Raises `LookupError` without an account."""
        if self.owner is None:
            raise LookupError("this mail comes from a sender without an account")
        return self.owner


@dataclass(frozen=True, slots=True)
class Handled:
    """The result of a letter: stored with the mail, and a notice (the receipt) queued in the transaction that settles it."""

    report: JsonObject
    notice: Notice | None = None


Handler = Callable[[Letter], Handled]
_handlers: dict[str, Handler] = {}
_weighing: set[str] = set()


def register(purpose: str, handler: Handler, *, weighs: bool = False) -> None:
    """Register `handler(letter)` for letters of this purpose.

    It may be called again for the same letter, and must then repeat nothing and return the same. It reads the text within
    `limits.cpu_limit`, and keeps the database out of that. A handler that `weighs` also gets letters that may be automatic
    answers, and refuses those that are (`MailRefused`).
    """
    if _handlers.get(purpose, handler) is not handler:
        raise ValueError(f"the purpose {purpose!r} is already registered")
    _handlers[purpose] = handler
    if weighs:
        _weighing.add(purpose)


def known() -> list[str]:
    """Return the registered purposes."""
    return list(_handlers)


def find(purpose: str) -> Handler | None:
    """Return the handler of a purpose, or None if no app registered one."""
    return _handlers.get(purpose)


def weighs(purpose: str) -> bool:
    """Return True if the handler of a purpose decides itself about letters that may be automatic answers."""
    return purpose in _weighing
