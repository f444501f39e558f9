"""The errors that the services of matches raise, beside refusals by the rules (`Refused`); their base is `gamesvc.errors`."""

from __future__ import annotations

from django.utils.translation import gettext_noop

from gamesvc.errors import GamesvcError
from gamesvc.json_types import JsonObject


class Outdated(GamesvcError):
    """An act that was overtaken; nothing was done. The user looks again, whichever of these it is."""

    code = "outdated"
    status = 409
    title = "Something happened in the meantime"
    detail = gettext_noop("Something happened that you had not seen. Look at it, then send it again if you still want to.")
    advice = "Look at the match as it is now and decide again."

    @property
    def sentence(self) -> str:
        return Outdated.detail


class Stale(Outdated):
    """Something has happened since the version the sender saw that outdates their command."""

    code = "stale"
    status = 412
    title = "The match has moved on"
    detail = "Something happened that makes your request outdated. Nothing was done."
    advice = "Fetch the view again, look at what happened since, and decide again with the new ETag."

    def __init__(self, version: int, events: list[JsonObject]) -> None:
        """Describe what the sender has missed.

        `version`: the newest version that the sender may know. `events`: the first page of the events after the sender's version.
        """
        super().__init__(
            f"The match has moved on to version {version}. Look at what happened since and decide again.",
            more={"version": version, "events": events},
        )
        self.version = version
        self.events = events


class KeyReused(Outdated):
    """The command id was used before for a different command."""

    code = "key_reused"
    status = 422
    title = "This key was already used"
    detail = "The Idempotency-Key was used for another request."
    advice = "Use a new key for a new request."


class Busy(Outdated):
    """Other writers were faster several times in a row. The same request may be sent again."""

    code = "busy"
    status = 503
    title = "Too many simultaneous changes"
    detail = "Others were faster several times in a row. Send the same request again."
    advice = "Send it again unchanged: with the same Idempotency-Key it counts once."
    retry_after = 1


class Unknown(GamesvcError):
    """There is no such thing, or not for this user."""

    code = "not_found"
    status = 404
    title = "Not found"
    detail = "There is nothing here, or it is not open to you."
    advice = (
        "Check the number. A match that you may not see looks the same as one that does not exist; for a match that is open by "
        "link, add `?link=` with its token."
    )


class Forbidden(GamesvcError):
    """The user may know the match, but may not do this."""

    code = "forbidden"
    status = 403
    title = "Not allowed"
    detail = "You may see this but not do it: your token lacks the scope, or it is for others to do."
    advice = "Read `detail`; make a token with the scope it names, or ask the host of the match."
