"""The sections of the API: each address belongs to the first part of its path below the version."""

from __future__ import annotations

PREFIX = "/api/v1/"
# The section of the entry point, which has no such part.
START = "start"
WEBHOOKS = "webhooks"

SECTIONS = {
    START: "Where to begin.",
    "challenges": "Matches for two or more that one player proposes to others by name, bots among them.",
    "checkpoints": "Signed statements about all matches, by which anyone can prove later that nothing was changed.",
    "clocks": "The time controls that a match can have.",
    "exports": "All finished matches that everyone may watch, as lines of JSON.",
    "games": "The games on offer: their options, rules, schemas and best players.",
    "matches": "Matches: opening and joining them, looking, playing, writing, organising.",
    "me": "What belongs to you: your account, settings, turns, notices, bots, webhooks and vacations.",
    "players": "The public figures of players.",
    "reports": "Reports to the operators.",
    "substitutes": "Free seats in running matches.",
    "tokens": "Your access tokens.",
    WEBHOOKS: "Requests that the service sends to addresses of yours.",
}


def section(path: str) -> str:
    """Return the section of an address."""
    return path.removeprefix(PREFIX).split("/")[0] or START
