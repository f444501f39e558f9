"""Measurements of the service, each beside a raw figure taken in the same run."""

from __future__ import annotations

from gamesvc.json_types import JsonObject

Row = JsonObject


def row(name: str, value: float, unit: str, raw: float | None = None, **more: object) -> Row:
    """Return one figure. `ratio` is its share of the raw figure (for times: how many times longer it takes)."""
    found: Row = {"name": name, "value": round(value, 3), "unit": unit}
    if raw is not None:
        found |= {"raw": round(raw, 3), "ratio": round(value / raw, 3) if raw else None}
    return found | more
