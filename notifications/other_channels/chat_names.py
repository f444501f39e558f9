"""The chat services by the names of their channels, for those who do not need Apprise loaded."""

from __future__ import annotations

from gamesvc.errors import not_there
from gamesvc.language import say
from notifications.wanted.wishes import WishRefused

SERVICES = {"discord": "Discord", "slack": "Slack", "telegram": "Telegram", "matrix": "Matrix", "ntfy": "ntfy"}
"""The services by the names of their channels."""
EXAMPLES = {
    "discord": "https://discord.com/api/webhooks/ID/TOKEN",
    "slack": "https://hooks.slack.com/services/A/B/C",
    "telegram": "tgram://BOT:TOKEN/CHAT",
    "matrix": "matrixs://TOKEN@matrix.org/#ROOM",
    "ntfy": "https://ntfy.sh/TOPIC",
}


def check_service(service: str) -> None:
    """Raise `WishRefused` for a service that is not one of ours."""
    if service not in SERVICES:
        detail = say("The services are: {known}.", known=", ".join(SERVICES))
        raise not_there(WishRefused("unknown_service", detail, "service"))
