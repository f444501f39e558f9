"""The errors that the services of matches raise; each door answers them in its own way."""

from __future__ import annotations

from typing import Any


class Stale(Exception):
    """Something has happened since the version the sender saw that outdates his command. Nothing was applied."""

    def __init__(self, version: int, events: list[dict[str, Any]]) -> None:
        super().__init__(f"The match has moved on to version {version}.")
        self.version = version
        self.events = events


class KeyReused(Exception):
    """The command id was used before for something else."""


class Busy(Exception):
    """Other writers were faster several times in a row; the same request may be sent again."""


class Unknown(Exception):
    """There is no such match, or not for this user."""


class Forbidden(Exception):
    """The user may know of the match but may not do this."""


class TooMany(Exception):
    """The user has reached a limit; `retry_after` is in seconds."""

    def __init__(self, detail: str, retry_after: int) -> None:
        super().__init__(detail)
        self.retry_after = retry_after
