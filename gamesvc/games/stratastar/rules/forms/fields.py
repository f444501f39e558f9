"""The parts of forms: choices of spaces, seats and groups, and the payment of a priced form."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from gamesvc.games.kernel.game import Form, Refused, Schema
from gamesvc.games.kernel.wording import SEAT_NAMES
from gamesvc.games.stratastar.rules.actions.payment import Cost, can_pay, pay_schema
from gamesvc.games.stratastar.state import Player, State
from gamesvc.json_types import JsonObject
from gamesvc.language import mark


def is_legal(check: Callable[..., None], *values: object) -> bool:
    """Return True if a check passes."""
    try:
        check(*values)
    except Refused:
        return False
    return True


def choice(items: Sequence[str], title: str, labels: Mapping[str, str] | None = None) -> JsonObject:
    """Return the schema of a choice between words."""
    schema: JsonObject = {"enum": list(items), "title": title}
    if labels:
        schema["labels"] = {item: labels[item] for item in items}
    return schema


def spaces(items: Sequence[str], title: str = mark("Space")) -> JsonObject:
    return {"enum": list(items), "title": title}


def seat_choice(seats: Sequence[int], title: str = mark("Seat")) -> JsonObject:
    return {"enum": list(seats), "labels": {str(seat): SEAT_NAMES[seat] for seat in seats}, "title": title}


def priced(
    state: State,
    seat: int,
    name: str,
    label: str,
    cost: Cost,
    parameters: Mapping[str, Schema] | None = None,
    required: Iterable[str] | None = None,
    *,
    aside: bool = False,
) -> Iterable[Form]:
    """Yield a form with an optional payment, or nothing if the seat cannot pay. `required` None: all parameters but `pay`."""
    if not can_pay(state, seat, cost):
        return
    fields = dict(parameters or {})
    needed = tuple(fields) if required is None else tuple(required)
    yield Form(name, label, {**fields, "pay": pay_schema(state, seat, cost)}, needed, aside)


def group_fields(player: Player, space: str) -> list[tuple[dict[str, Schema], tuple[str, ...]]]:
    """Return the parameters `fleets` and `warfleets` for a non-empty group from one space, each with the required names."""
    fleets, warfleets = player.fleets.get(space, 0), player.warfleets.get(space, 0)
    found: list[tuple[dict[str, Schema], tuple[str, ...]]] = []
    if fleets:
        found.append(
            ({"fleets": _count(1, fleets, mark("Fleets")), "warfleets": _count(0, warfleets, mark("Warfleets"))}, ("fleets",))
        )
    if warfleets:
        found.append(
            ({"fleets": _count(0, 0, mark("Fleets")), "warfleets": _count(1, warfleets, mark("Warfleets"))}, ("warfleets",))
        )
    return found


def _count(low: int, high: int, title: str) -> JsonObject:
    return {"type": "integer", "minimum": low, "maximum": high, "title": title}


def groups_schema(player: Player, starts: Sequence[str], place: str, most: int | None = None, **more: object) -> JsonObject:
    """Return the schema of an array of groups: at most one from each space, none empty, none of more than `most` of a kind."""

    def counted(fleets: int, title: str) -> JsonObject:
        return _count(0, fleets if most is None else min(most, fleets), title)

    options = [
        {
            "type": "object",
            "properties": {
                place: {"const": start},
                "fleets": counted(player.fleets.get(start, 0), mark("Fleets")),
                "warfleets": counted(player.warfleets.get(start, 0), mark("Warfleets")),
            },
            "required": [place, "fleets", "warfleets"],
            "additionalProperties": False,
            "total": {"minimum": 1},
            "title": start,
        }
        for start in starts
    ]
    return {"type": "array", "items": {"oneOf": options}, "maxItems": len(options), "pairwise": [place], **more}
