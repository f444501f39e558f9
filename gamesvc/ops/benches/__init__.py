"""Measurements of the service, each with the raw figure it is compared to, taken in the same run."""

from __future__ import annotations

from typing import Any

Row = dict[str, Any]


def row(name: str, value: float, unit: str, raw: float | None = None, **more: Any) -> Row:
    """One figure; `ratio` says how much of the raw figure is left (or, for times, how much longer it takes)."""
    found: Row = {"name": name, "value": round(value, 3), "unit": unit}
    if raw is not None:
        found |= {"raw": round(raw, 3), "ratio": round(value / raw, 3) if raw else None}
    return found | more
