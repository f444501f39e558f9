"""The options of a match in words, for those who think of joining."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext, gettext_noop

from gamesvc.games import catalog
from gamesvc.matches.models import Match

# The games know no gettext. What they have everybody told stands here once more, to be gathered for the translators.
TRANSLATED = (
    gettext_noop("Who is asked about a reaction or a battle"),
    gettext_noop("only those who can do something"),
    gettext_noop("also those who can only pass"),
    gettext_noop(
        "fast: a player who can only pass is not asked, so the others may learn which cards they lack. "
        "secret: they are asked all the same, and their pause tells nothing. Players can change that for themselves."
    ),
)


def always_told(match: Match) -> list[str]:
    """Say what is chosen, and what it means, of the options that their game marks as `told`: one cannot join without knowing."""
    return [
        f"{gettext(schema['title'])}: {gettext(_value(schema, match.options[name]))} ({match.options[name]})."
        f" {gettext(schema['description'])}"
        for name, schema in _of(match).items()
        if schema.get("told")
    ]


def changed(match: Match) -> list[tuple[str, str]]:
    """Return the other options that are not the default, with their values."""
    return [
        (str(schema.get("title", name)), _value(schema, match.options[name]))
        for name, schema in _of(match).items()
        if not schema.get("told") and match.options[name] != schema.get("default")
    ]


def _of(match: Match) -> dict[str, Any]:
    properties = catalog.game(match.game).manifest.options.get("properties", {})
    return {name: schema for name, schema in properties.items() if name in match.options}


def _value(schema: dict[str, Any], value: Any) -> str:
    return str(schema.get("labels", {}).get(value, value))
