"""The limits of new matches, out of the way of measurements and simulations that open many."""

from __future__ import annotations

from typing import Any

from django import conf

MATCH_LIMITS = ("MATCHES_PER_MINUTE", "MATCHES_PER_DAY", "MATCHES_OPEN_PER_USER")
LIFTED = 1_000_000
LIFTED_IN_ENVIRONMENT = dict.fromkeys(MATCH_LIMITS, str(LIFTED))
"""The lifted limits as environment variables, for a service in processes of its own."""


def lift_match_limits(settings: Any = conf.settings) -> None:
    """Let each user of this process open as many matches as they like."""
    for name in MATCH_LIMITS:
        setattr(settings, name, LIFTED)
