"""Errors raised by the services of matches. API, pages and mail each present them in their own way."""

from __future__ import annotations

from typing import Any


class Stale(Exception):
    """The command is outdated by an event after the version its sender saw. Nothing was applied."""

    def __init__(self, version: int, events: list[dict[str, Any]]) -> None:
        super().__init__(f"The match has moved on to version {version}.")
        self.version = version
        self.events = events


class KeyReused(Exception):
    """The command id was used before for a different command."""


class Busy(Exception):
    """Other writers were faster several times in a row. The same request may be sent again."""


class Unknown(Exception):
    """The match does not exist, or the user may not know it."""


class Forbidden(Exception):
    """The user may know the match, but may not do this."""


class TooMany(Exception):
    """The user has reached a limit. `retry_after` is in seconds."""

    def __init__(self, detail: str, retry_after: int) -> None:
        super().__init__(detail)
        self.retry_after = retry_after
