"""Readers for the words of an order: spaces, seats, cards, groups of fleets, payments."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from gamesvc.games.kernel.game import Data, Refused
from gamesvc.games.kernel.intake import whole
from gamesvc.games.kernel.notation import items, no_more, pick, suggest
from gamesvc.games.kernel.wording import SEAT_NAMES
from gamesvc.games.stratastar.data import CARDS, RESEARCH
from gamesvc.games.stratastar.data.geometry import INDEX, SPACES
from gamesvc.games.stratastar.state import MOST_SEATS
from gamesvc.json_types import JsonObject
from gamesvc.language import say

LETTERS = {"attack": "A", "move": "M", "build": "B", "trade": "T", RESEARCH: "R"}
_CARD = re.compile(r"(\d{0,2})(attack|move|build|trade|research|(?<=\d)[ambtr]|[ambtr](?!s))s?(\+|2)?", re.IGNORECASE)
_GROUP = re.compile(r"(\d{1,2})(f|w|fleets?|warfleets?)?", re.IGNORECASE)


def unreadable(detail: str, parameter: str | None = None) -> Refused:
    return Refused("unreadable", detail, parameter)


def read_space(word: str) -> str:
    space = word.upper()
    if space not in INDEX:
        raise unreadable(
            say("There is no space {word!r}. Spaces are A1 to J10.{suggest}", word=word, suggest=suggest(word, SPACES)), "space"
        )
    return space


def is_space(word: str) -> bool:
    return word.upper() in INDEX


def read_seat(word: str) -> int:
    number = whole(word, 2)
    if number is not None and number < MOST_SEATS:
        return number
    return SEAT_NAMES.index(pick(word, SEAT_NAMES[:MOST_SEATS], "seat"))


def _card(word: str) -> list[str]:
    found = _CARD.fullmatch(word)
    if not found:
        raise unreadable(
            say("{word!r} is not a card. Write 2A for two Attack; letters A M B T R, a plus for power (1M+).", word=word), "cards"
        )
    count, name, power = found.groups()
    if power == "2" and len(name) == 1:
        raise unreadable(say("{word!r} is a space. A power card is written {letter}+.", word=word, letter=name.upper()), "cards")
    kind = next(card for card, letter in LETTERS.items() if name.casefold() in (card, letter.casefold()))
    card = f"{kind}2" if power else kind
    if card not in CARDS:
        raise unreadable(say("There is no power card of Research."), "cards")
    return [card] * (int(count) if count else 1)


def _merged(found: Iterable[str]) -> list[str]:
    """Merge the two words of `2 Fleets` or `2 Attack` into one."""
    merged: list[str] = []
    for word in found:
        if (
            merged
            and merged[-1].isdecimal()
            and not word[0].isdecimal()
            and (_CARD.fullmatch(word) or _GROUP.fullmatch(f"1{word}"))
        ):
            merged[-1] += word
        else:
            merged.append(word)
    return merged


def read_cards(found: Iterable[str]) -> list[str]:
    return [card for word in items(_merged(found)) for card in _card(word)]


def read_counts(found: Iterable[str]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for word in items(_merged(found)):
        match = _CARD.fullmatch(word)
        times = int(match.group(1)) if match and match.group(1) else 1
        [card, *_] = _card(f"1{word.lstrip('0123456789')}" if match else word)
        counts[card] = counts.get(card, 0) + times
    return counts


def read_numbers(found: Sequence[str]) -> dict[str, int]:
    """Read `2F 1W` as parameters. A bare number means Fleets."""
    group: dict[str, int] = {}
    for word in _merged(found):
        match = _GROUP.fullmatch(word)
        if not match:
            raise unreadable(
                say("{word!r} is not a number of fleets. Write 2F 1W for two Fleets and one Warfleet.", word=word), "fleets"
            )
        heavy = (match.group(2) or "f").casefold().startswith("w")
        if (kind := "warfleets" if heavy else "fleets") in group:
            no_more([word])
        group[kind] = int(match.group(1))
    return group


def all_at(seen: Data, space: str) -> dict[str, int]:
    """Return all fleets of the viewer in a space, the default of an order without numbers."""
    viewer = seen.get("viewer")
    if viewer is None:
        return {}
    player = seen["players"][viewer]
    group = {"fleets": player["fleets"].get(space, 0), "warfleets": player["warfleets"].get(space, 0)}
    return {name: n for name, n in group.items() if n}


def take(found: list[str], what: str) -> str:
    if not found:
        raise unreadable(say("Your order lacks {what}.", what=say(what)), what)
    return found.pop(0)


def split_pay(found: list[str]) -> tuple[list[str], JsonObject]:
    """Split off `pay ...` at the end."""
    folded = [word.casefold() for word in found]
    if "pay" not in folded:
        return found, {}
    at = folded.index("pay")
    return found[:at], {"pay": read_cards(found[at + 1 :])}
