"""Clock policies as they are written: their JSON Schema and the presets.

`{"hours": 48}` is short for `{"turn": "48h"}`. A duration is text such as `3d`, `36h` or `1d12h30m`.
"""

from __future__ import annotations

from gamesvc.json_types import JsonObject
from gamesvc.language import mark

WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
MOST_QUIET_HOURS = 12
LENGTH = r"^(\d{1,3}d)?(\d{1,3}h)?(\d{1,3}m)?$"
_SHAPE = "a length of time such as 3d, 36h or 1d12h30m"
_CLOCK_TIME = r"^([01]\d|2[0-3]):[0-5]\d$"


def _length(title: str, **more: str) -> JsonObject:
    return {"title": title, "type": "string", "pattern": LENGTH, "shape": _SHAPE, "minLength": 2, "maxLength": 12, **more}


_ZONE = {"title": "Time zone", "type": "string", "maxLength": 64, "description": "A name such as Europe/Berlin."}
_DAYS = {"type": "array", "items": {"enum": list(WEEKDAYS)}, "uniqueItems": True, "maxItems": 7}

SCHEMA: JsonObject = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "Clock policy",
    "description": "How long a seat may take. Lengths of time are texts such as 3d, 36h or 1d12h30m.",
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "hours": {"title": "Hours for each turn", "type": "integer", "minimum": 1, "maximum": 720},
        "turn": _length("Time for each turn"),
        "commit": _length("Time for each simultaneous phase", description="As `turn` where it is not given."),
        "reaction": _length("Time for each reaction", description="As `turn` where it is not given; never from the bank."),
        "choice": _length("Time for each choice", description="As `turn` where it is not given; never from the bank."),
        "bank": {
            "title": "Time bank",
            "description": "Each seat's own, used after the time of a turn; `increment` comes with every turn but the first.",
            "type": "object",
            "additionalProperties": False,
            "required": ["start"],
            "properties": {
                "start": _length("At the start"),
                "increment": _length("With every turn"),
                "cap": _length("Never more than", description="As `start` where it is not given."),
            },
        },
        "adjudication": {
            "title": "Fixed times",
            "description": "Turns and simultaneous phases are due at the next of these times, regardless of quiet hours.",
            "type": "object",
            "additionalProperties": False,
            "required": ["at", "zone"],
            "properties": {
                "at": {
                    "type": "array",
                    "minItems": 1,
                    "maxItems": 4,
                    "uniqueItems": True,
                    "items": {
                        "type": "string",
                        "pattern": _CLOCK_TIME,
                        "shape": "a time of day such as 18:00",
                        "minLength": 5,
                        "maxLength": 5,
                    },
                },
                "days": {**_DAYS, "title": "On", "description": "Every day where it is not given."},
                "zone": _ZONE,
            },
        },
        "grace": _length("Grace", description="From the deadline until then an answer is late, but still counts."),
        "minimum": _length(
            "Minimum", description="The least time from a question to its deadline; an hour where it is not given."
        ),
        "days_off": {
            "title": "Days that do not count",
            "type": "object",
            "additionalProperties": False,
            "required": ["zone"],
            "properties": {
                "weekdays": {**_DAYS, "title": "Every"},
                "holidays": {
                    "title": "Public holidays of",
                    "description": "A country or a part of one: DE, DE-BY, US-NY.",
                    "type": "string",
                    "maxLength": 10,
                },
                "zone": _ZONE,
            },
        },
        "quiet_hours": {
            "title": "Hours of a seat's quiet hours that are honoured each day",
            "type": "integer",
            "minimum": 1,
            "maximum": MOST_QUIET_HOURS,
        },
        "vacation": {"title": "Vacations stop the clock", "type": "boolean"},
        "timeout": {"title": "When time runs out", "enum": ["default", "pass", "lose", "bot"]},
        "after": {"title": "Timeouts in a row after which a seat is vacated", "type": "integer", "minimum": 1, "maximum": 20},
        "excused": {"title": "Excused timeouts per player", "type": "integer", "minimum": 0, "maximum": 20},
    },
}

PRESETS: dict[str, tuple[str, JsonObject]] = {
    "two_days": (mark("2 days per turn"), {"hours": 48}),
    "working_days": (
        mark("2 days per turn, 12 h to react; nights and weekends do not count"),
        {
            "turn": "2d",
            "reaction": "12h",
            "choice": "12h",
            "days_off": {"weekdays": ["sat", "sun"], "zone": "UTC"},
            "quiet_hours": 10,
            "vacation": True,
        },
    ),
    "considerate": (
        mark("3 days per turn; nights and vacations do not count"),
        {"turn": "3d", "reaction": "1d", "choice": "1d", "quiet_hours": 10, "vacation": True},
    ),
    "bank": (
        mark("7 days + 12 h per turn, max. 10 days"),
        {
            "bank": {"start": "7d", "increment": "12h", "cap": "10d"},
            "reaction": "12h",
            "choice": "12h",
            "quiet_hours": 10,
            "vacation": True,
        },
    ),
    "tuesdays_and_fridays": (
        mark("Every Tuesday and Friday at 18:00"),
        {
            "adjudication": {"at": ["18:00"], "days": ["tue", "fri"], "zone": "Europe/Berlin"},
            "reaction": "1d",
            "choice": "1d",
            "minimum": "12h",
        },
    ),
}
