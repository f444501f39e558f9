"""The options of a match as text, for users who consider joining."""

from __future__ import annotations

from django.utils.translation import gettext, gettext_noop

from gamesvc.games import catalog
from gamesvc.json_types import JsonObject
from gamesvc.language import say
from gamesvc.matches.models import Match

# The games know no gettext. Options that are always shown are repeated here, so that translators get them.
TRANSLATED = (
    gettext_noop("Who is asked about a reaction or a battle"),
    gettext_noop("only those who can do something"),
    gettext_noop("also those who can only pass"),
    gettext_noop(
        "To ask only some saves time, but the others may learn from it which cards a player lacks. "
        "If everyone is asked, a pause tells nothing. Players can change this for themselves."
    ),
)


def always_told(match: Match) -> list[str]:
    """Return the value and meaning of each option that its game marks as `told`. Players must see these before they join."""
    return [
        f"{gettext(schema['title'])}: {gettext(_value(schema, match.options[name]))} ({match.options[name]})."
        f" {gettext(schema['description'])}"
        for name, schema in _of(match).items()
        if schema.get("told")
    ]


def changed(match: Match) -> list[tuple[str, str]]:
    """Return the other options that differ from the default, with their values."""
    return [
        (str(schema.get("title", name)), _value(schema, match.options[name]))
        for name, schema in _of(match).items()
        if not schema.get("told") and match.options[name] != schema.get("default")
    ]


def _of(match: Match) -> JsonObject:
    properties = catalog.game(match.game).manifest.options.get("properties", {})
    return {name: schema for name, schema in properties.items() if name in match.options}


def _value(schema: JsonObject, value: object) -> str:
    """Return a value as text: of a list each item, of several lines (a deck list) the first."""
    if isinstance(value, list):
        return ", ".join(_value(schema.get("items", {}), item) for item in value)
    if isinstance(value, dict):
        return "; ".join(f"{key}: {_value(schema.get('additionalProperties', {}), item)}" for key, item in value.items())
    labels = schema.get("labels", {})
    if isinstance(value, bool):
        return say("Yes") if value else say("No")
    first, *others = str(labels.get(value, labels.get(str(value), value))).splitlines() or [""]
    return f"{first} …" if others else first
