"""Commands written as orders. `parse.parse` reads everything written here."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence

from gamesvc.games.kernel.game import Command
from gamesvc.games.kernel.wording import SEAT_NAMES
from gamesvc.games.stratastar.text import standing_orders
from gamesvc.games.stratastar.text.parse import VERBS
from gamesvc.games.stratastar.text.reading import LETTERS
from gamesvc.json_types import JsonMapping

_SHORT = {name: verb for verb, name in reversed(VERBS.items())}
# Never `end` alone: in a mail that may be the line END, which phones write in small letters.
_ENDS = {"end_phase": "end phase", "end_turn": "end turn", "go_to_movement": "go to movement"}


def show_cards(cards: Sequence[str]) -> str:
    """Write cards as `2A 1M+` in the given order."""
    parts = [f"{len(list(run))}{_letter(card)}" for card, run in itertools.groupby(cards)]
    return " ".join(parts) or "none"


def _letter(card: str) -> str:
    return f"{LETTERS[card[:-1]]}+" if card.endswith("2") else LETTERS[card]


def show_counts(counts: Mapping[str, int]) -> str:
    return " ".join(f"{n}{_letter(card)}" for card, n in counts.items()) or "none"


def _show_group(group: JsonMapping) -> list[str]:
    return [f"{group[name]}{letter}" for name, letter in (("fleets", "F"), ("warfleets", "W")) if name in group]


def render(command: Command) -> str:
    """Return the order that `parse` reads back as this command."""
    name = command["name"]
    if name == "set_orders":
        return standing_orders.render(command["orders"])
    parts = [_ENDS.get(name) or _SHORT[name]]
    for key in ("target", "seat", "to" if name == "offer_trade" else ""):
        if key in command:
            value = command[key]
            parts.append("anyone" if value is None else value if value == "deck" else SEAT_NAMES[value])
    parts += [str(command[key]) for key in ("corner", "ability", "offer", "piece", "space", "from") if key in command]
    if "to" in command and name != "offer_trade":
        parts.append(command["to"])
    parts += _show_group(command)
    if name in ("move", "gate"):
        parts += ["free" if command["free"] else "free=no"] if "free" in command else [] if "pay" in command else ["paid"]
    for key in ("cards", "others"):
        if key in command:
            parts.append(show_cards(command[key]))
    if name == "offer_trade":
        parts.append(f"give {show_counts(command['give'])} want {show_counts(command['want'])}")
        parts += [key if command[key] else f"{key}=no" for key in ("keep", "wait") if key in command]
    if name == "support":
        builds = command["builds"]
        parts.append(str(builds) if isinstance(builds, int) else show_cards(builds))
        if "disband" in command:
            parts.append("disband " + (" ".join(_listed(command["disband"], "space")) or "none"))
    if "groups" in command:
        parts += _listed(command["groups"], "from") or ["none"]
    if "then" in command:
        parts.append("then battle" if command["then"] == "battle" else "then end")
    if "pay" in command:
        parts.append(f"pay {show_cards(command['pay'])}")
    return " ".join(parts)


def _listed(groups: Iterable[JsonMapping], place: str) -> list[str]:
    return [" ".join([group[place], *_show_group(group)]) for group in groups]
