"""The names of the service's own events that games and their records must know.

All others, and what each of them says, are in `gamesvc.matches.events`.
"""

from __future__ import annotations

SERVICE = "match."
"""The prefix of the types of the service's own events. A type of a game has no dot, or the name of the game before it."""

STARTED = "match.started"
SEATED = "match.seated"
VACATED = "match.vacated"
REWOUND = "match.rewound"
POSITIONED = "match.positioned"

SERVICE_CAUSES = ("undo", "redo", "host")
"""The causes of rewinds by the service. A rewind with any other cause comes from the rules."""


def of_service(event_type: str) -> bool:
    """Return True if the service itself writes events of this type."""
    return event_type.startswith(SERVICE)


def makes_state(event_type: str) -> bool:
    """Return True for the events that a position comes of: all of the game, and two of the service."""
    return event_type in (REWOUND, POSITIONED) or not event_type.startswith(SERVICE)
