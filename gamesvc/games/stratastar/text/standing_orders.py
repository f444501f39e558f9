"""Standing orders as text: `orders retreat never; diplomacy auto homeworld; commit 3`."""

from __future__ import annotations

from collections.abc import Mapping

from gamesvc.games.kernel.game import Refused
from gamesvc.games.kernel.notation import no_more, number, pick, some, words
from gamesvc.games.stratastar.commands import MOST_COMMITTED, SABOTAGE_KINDS
from gamesvc.games.stratastar.data.geometry import INDEX
from gamesvc.json_types import JsonMapping, JsonObject
from gamesvc.language import say

_KEYS = {
    "unable": "when_unable",
    "when_unable": "when_unable",
    "diplomacy": "diplomacy",
    "retreat": "retreat",
    "sabotage": "sabotage",
    "defend": "defend_homeworld",
    "defend_homeworld": "defend_homeworld",
    "fight": "fight",
    "commit": "commit",
    "offers": "offers",
}
_WORDS = {"when_unable": ("ask", "pass"), "fight": ("peace", "ask", "fight"), "offers": ("ask", "reject")}
_MODES = ("never", "ask", "auto")


def parse(text: str) -> JsonObject:
    """Read a line that begins with the word `orders` as the parameter `orders`. Semicolons separate the parts."""
    body = text.strip().split(None, 1)
    if body[0].casefold() == "set":
        body = body[1].split(None, 1) if len(body) > 1 else body
    some(body[1:], "orders none")
    found: JsonObject = {}
    if body[1].casefold() == "none":
        return found
    for part in body[1].split(";"):
        tokens = words(part, frozenset())
        if tokens:
            key = pick(tokens[0], _KEYS, "standing order")
            if key in found:
                no_more(tokens)
            found[key] = _value(key, [token.casefold() for token in tokens[1:]])
    return found


def _value(key: str, tokens: list[str]) -> JsonObject | str | int:
    if key in _WORDS:
        return pick(_single(key, tokens), _WORDS[key], key)
    if key == "commit":
        word = _single(key, tokens)
        if word in ("ask", "none", "all"):
            return word
        count = number(word, "commit")
        if not 0 <= count <= MOST_COMMITTED:
            raise Refused(
                "unreadable",
                say("commit takes 0 to {most}, ask, none or all.", most=MOST_COMMITTED),
                "commit",
            )
        return count
    section: JsonObject = {}
    if tokens and tokens[0] in _MODES:
        section["mode"] = tokens.pop(0)
        if key == "sabotage" and section["mode"] == "auto":
            raise Refused("unreadable", say("Sabotage takes never or ask; a standing order cannot play it."), key)
    if key in ("retreat", "defend_homeworld"):
        if tokens:
            raise Refused(
                "unreadable", say("{key} takes never, ask or auto, not {tokens!r}.", key=key, tokens=" ".join(tokens)), key
            )
    elif tokens:
        section["spaces" if key == "diplomacy" else "kinds"] = _list(key, tokens)
    return section


def _single(key: str, tokens: list[str]) -> str:
    if len(tokens) != 1:
        raise Refused("unreadable", say("{key} takes one word.", key=key), key)
    return tokens[0]


def _list(key: str, tokens: list[str]) -> list[str] | str:
    if tokens == ["none"]:
        return []
    if key == "diplomacy":
        if len(tokens) == 1 and tokens[0] in ("any", "homeworld"):
            return tokens[0]
        spaces = [token.upper() for token in tokens]
        if wrong := [space for space in spaces if space not in INDEX]:
            raise Refused("unreadable", say("{word!r} is not a space. Write any, homeworld, or spaces.", word=wrong[0]), key)
        return spaces
    if tokens == ["all"]:
        return "all"
    return [pick(token, SABOTAGE_KINDS, "action") for token in tokens]


def render(orders: JsonMapping) -> str:
    """Return the line that `parse` reads back as these standing orders."""
    short = {meant: word for word, meant in reversed(_KEYS.items())}
    parts = [" ".join([short[key], *_shown(value)]) for key, value in orders.items()]
    return f"orders {'; '.join(parts) or 'none'}"


def _shown(value: object) -> list[str]:
    if not isinstance(value, Mapping):
        return [str(value)]
    shown = [value["mode"]] if "mode" in value else []
    for key in ("spaces", "kinds"):
        if key in value:
            shown += [value[key]] if isinstance(value[key], str) else list(value[key]) or ["none"]
    return shown
