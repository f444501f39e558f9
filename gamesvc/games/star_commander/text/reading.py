"""Readers for the words of an order: cells, vessels, cards and seats as people type them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from gamesvc.games.kernel.game import Data, Refused
from gamesvc.games.kernel.notation import begins, no_more, number, pick, suggest, without_fillers
from gamesvc.games.kernel.wording import SEAT_NAMES
from gamesvc.games.star_commander.data import CATALOGS, Catalog
from gamesvc.games.star_commander.state import MOST_SEATS
from gamesvc.json_types import JsonObject
from gamesvc.language import say

NOTE = "note:"
"""The beginning of an offer's note under rules 1.1."""
_CELL = re.compile(r"\(?(\d)[,.]?(\d)\)?")


def tokens(text: str) -> list[str]:
    """Split an order into words. Keeps case, drops filler words and stray commas, and reads `2, 1` as one word."""
    joined = re.sub(r"(?<![\w,])(\d)\s*,\s*(\d)(?!\d)", r"\1,\2", " ".join(text.split()))
    joined = re.sub(r" ?(->|=>|>|=) ?", lambda found: ">" if ">" in found[1] else "=", joined)
    joined = re.sub(r"(?<!\d),|,(?!\d)|;", " ", joined)
    return without_fillers(joined.split())


def has_note(text: str) -> bool:
    return re.search(rf"\s{NOTE}", text, re.IGNORECASE) is not None


def unreadable(detail: str, what: str) -> Refused:
    return Refused("unreadable", detail, what)


def catalog(view: Data) -> Catalog:
    return CATALOGS[view["edition"]]


def cell(word: str, view: Data) -> str:
    found = _CELL.fullmatch(word)
    name = f"{found[1]},{found[2]}" if found else word
    if name in view["cells"]:
        return name
    by_name: dict[str, list[str]] = {}
    for at, one in view["cells"].items():
        if one["name"]:
            by_name.setdefault(one["name"].casefold().replace(" ", "_"), []).append(at)
    cells = by_name.get(word.casefold(), [])
    if len(cells) == 1:
        return cells[0]
    if found is None and not cells:
        raise unreadable(
            say("{word!r} is not a system. Write row and column, as in 2,1.{suggest}", word=word, suggest=suggest(word, by_name)),
            "cell",
        )
    if cells:
        raise unreadable(say("{word!r} may be {cells}.", word=word, cells=" or ".join(cells)), "cell")
    raise unreadable(
        say("There is no system {word}; rows and columns go from 0 to {grid}.", word=word, grid=view["grid"] - 1), "cell"
    )


def is_cell(word: str, view: Data) -> bool:
    found = _CELL.fullmatch(word)
    return found is not None and f"{found[1]},{found[2]}" in view["cells"]


def vessel(word: str, view: Data) -> str:
    """Read a vessel by id (`v12` or `12`), or by name if the viewer has only one with that name."""
    folded = word.casefold()
    if re.fullmatch(r"v?\d{1,4}", folded):
        return folded if folded.startswith("v") else f"v{folded}"
    own: dict[str, Data] = {at: one for at, one in view["vessels"].items() if one["seat"] == view["seat"]}
    key = folded.replace("_", "")
    named = [at for at, one in own.items() if begins(one["name"].casefold().replace(" ", ""), key)]
    if len(named) == 1:
        return named[0]
    if named:
        raise unreadable(say("{word!r} may be {named}. Write the number.", word=word, named=", ".join(named[:6])), "vessel")
    raise unreadable(
        say("{word!r} is not a vessel. Write its number, as in v3.{suggest}", word=word, suggest=suggest(word, own)), "vessel"
    )


def card_in(word: str, cards: Iterable[Iterable[str]], what: str, view: Data) -> str:
    """Read a card by uid or by name (the first copy)."""
    folded = word.casefold()
    if re.fullmatch(r"c\d{1,5}", folded):
        return folded
    known: dict[str, str] = {}
    for uid, card in cards:
        known.setdefault(card, uid)
    return pick(word, known, what)


def hand_card(word: str, view: Data) -> str:
    return card_in(word, view["hand"], "card of your hand", view)


def thing(word: str, view: Data) -> str:
    """Read any target: a vessel, a system, a seat, an item on the stack."""
    folded = word.casefold()
    if re.fullmatch(r"[sv]\d{1,5}", folded):
        return folded
    if is_cell(word, view):
        return cell(word, view)
    if folded in COLOUR_NAMES or re.fullmatch(r"[0-3]", folded):
        return str(seat(word))
    if any(one["name"] and one["name"].casefold().replace(" ", "_") == folded for one in view["cells"].values()):
        return cell(word, view)
    return vessel(word, view)


COLOUR_NAMES = {colour.casefold(): at for at, colour in enumerate(SEAT_NAMES[:MOST_SEATS])}


def seat(word: str) -> int:
    folded = word.casefold()
    if re.fullmatch(r"[0-3]", folded):
        return int(folded)
    return int(pick(word, {name: str(at) for name, at in COLOUR_NAMES.items()}, "seat"))


def flag(words: list[str], name: str) -> JsonObject:
    """Remove a flag (`hold` or `no-hold`) from the words and return it as a parameter."""
    for word in list(words):
        if word.casefold().replace("-", "") in (name, f"no{name}"):
            words.remove(word)
            return {name: not word.casefold().startswith("no")}
    return {}


def split_list(text: str) -> list[str]:
    return [] if text.casefold() in ("", "none", "nothing") else [part for part in text.split("+") if part]


def options(words: list[str]) -> dict[str, str]:
    """Remove all `name=value` words and return them."""
    found: dict[str, str] = {}
    for word in list(words):
        if "=" in word:
            name, _, value = word.partition("=")
            if name.casefold() in found:
                no_more([word])
            found[name.casefold()] = value
            words.remove(word)
    return found


def no_options(given: Mapping[str, str]) -> None:
    """Refuse the `name=value` words that an order has no use for."""
    no_more([f"{name}={value}" for name, value in given.items()])


def only(words: list[str], count: int, usage: str) -> list[str]:
    if len(words) != count:
        raise unreadable(say("Write: {usage}", usage=usage), "text")
    return words


def whole(text: str, what: str) -> int:
    return number(text, what)
