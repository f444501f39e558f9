"""Everything a seat may play or use. Each option is a command with its parameters narrowed to legal values.

Only this module knows which choices a card requires when it is played (RULES.md 6). Options depend only on information
that the seat may see.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from gamesvc.games.kernel.game import Form, Schema
from gamesvc.games.space_war.data import CARDS, ROWS, Card, Effect
from gamesvc.games.space_war.rules.facts import Board
from gamesvc.games.space_war.state import LETTERS, Piece
from gamesvc.json_types import JsonMapping, JsonObject
from gamesvc.language import mark, say

_USE = mark("Use {card}")
_DONE_WITH_CARDS = {
    "play_card": mark("Play {card}"),
    "use_ability": _USE,
    "use_action": _USE,
    "use_anytime": _USE,
    "use_commander": _USE,
    "use_counters": _USE,
}
"""The label of a form for each command whose option has only the name of a card, which is what events hold (`Option.as_play`)."""


@dataclass(frozen=True, slots=True)
class Option:
    """A legal command: its name, its description or card, and its parameters."""

    name: str
    label: str
    properties: dict[str, Schema] = field(default_factory=dict)
    optional: tuple[str, ...] = ()

    @property
    def required(self) -> list[str]:
        return [name for name in self.properties if name not in self.optional]

    def form(self) -> Form:
        needed = [name for name in self.required if only_choice(name, self.properties[name]) is None]
        label = say(_DONE_WITH_CARDS[self.name], card=self.label) if self.name in _DONE_WITH_CARDS else self.label
        return Form(self.name, label, self.properties, tuple(needed))

    def as_play(self) -> JsonObject:
        """Return the option in the form of a reaction's `play`. Events hold it, so its words stay English."""
        return {"p": self.properties, "r": self.required, "l": self.label}


_IMPLIED = ("targets", "slots", "shields")


def only_choice(name: str, schema: Schema) -> list[str] | None:
    """Return the picks of a parameter that leaves no choice, such as a single target; None if there is a choice.

    A command may leave out such a parameter. The order of several shields counts as a choice.
    """
    values = schema["items"]["enum"] if name in _IMPLIED else ()
    if not values or schema["minItems"] != len(values) or (name == "shields" and len(values) > 1):
        return None
    return list(values)


def completed(form: Form, command: JsonMapping) -> JsonObject:
    """Return a command that a form offers, with omitted parameters filled in where there is no choice."""
    whole = _filled(form.parameters, command)
    if form.name == "react":
        whole["play"] = _filled(form.parameters["play"]["properties"], command["play"])
    return whole


def _filled(properties: Mapping[str, Schema], given: JsonMapping) -> JsonObject:
    missing = {name: only_choice(name, schema) for name, schema in properties.items() if name not in given}
    return {**given, **{name: picks for name, picks in missing.items() if picks is not None}}


def some(values: Sequence[str], least: int, most: int, labels: dict[str, str]) -> Schema:
    """Return the schema of a selection of `least` to `most` different values."""
    return {
        "type": "array",
        "items": {"enum": list(values), "labels": labels},
        "minItems": least,
        "maxItems": min(most, len(values)),
        "uniqueItems": True,
    }


def labelled(board: Board, pieces: Sequence[Piece]) -> dict[str, str]:
    return {p.id: f"{CARDS[p.card].name} {p.id}" for p in pieces}


def pick_pieces(board: Board, pieces: Sequence[Piece], least: int = 1, most: int = 1) -> Schema:
    return some([p.id for p in pieces], least, most, labelled(board, pieces))


def slots_schema(board: Board, seat: int, slots: Sequence[str], count: int) -> Schema:
    rows = {card.slot: card.row for card in board.state.sides[seat].station}
    return some(slots, count, count, {slot: say("{slot} ({row} row)", slot=slot, row=rows[slot]) for slot in slots})


def cards_schema(board: Board, instances: Sequence[str], least: int = 1, most: int = 1) -> Schema:
    return some(instances, least, most, {one: f"{CARDS[board.state.cards[one]].name} {one}" for one in instances})


def one(instance: str, name: str) -> Schema:
    return {"const": instance, "title": name}


def in_hand(board: Board, seat: int) -> list[str]:
    """Return the instances that a seat may play: its hand and its flipped station cards."""
    side = board.state.sides[seat]
    return [*side.hand, *(card.id for card in side.station if card.flipped)]


def budget(board: Board, seat: int) -> int:
    state = board.state
    return state.sides[seat].actions if state.active == seat and state.phase == "action" else 0


def play_options(board: Board, seat: int, cards: Sequence[str] | None = None) -> Iterator[Option]:
    """Yield every card the seat may play now, with each combination of choices."""
    money, dearer = budget(board, seat), board.cost_increase()
    for instance in in_hand(board, seat) if cards is None else cards:
        card = CARDS[board.state.cards[instance]]
        if (card.cost or 0) + dearer > money or board.play_ban(seat, card.type):
            continue
        if "shield_limit" in card.keywords and board.limited_shield(seat):
            continue
        for properties, optional in _choices(board, seat, instance, card, money - dearer):
            yield Option("play_card", card.name, {"card": one(instance, card.name), **properties}, optional)


Choice = tuple[dict[str, Schema], tuple[str, ...]]
_DRAW_OR_NOT: Schema = {
    "type": "object",
    "properties": {"draw": {"type": "boolean", "default": True, "title": mark("Draw a card")}},
    "additionalProperties": False,
    "required": ["draw"],
}


def _choices(board: Board, seat: int, instance: str, card: Card, most: int) -> Iterator[Choice]:
    """Yield the parameters of a card, one entry per combination of mode and x."""
    if not any(effect["trigger"] in ("played", "played_from_hand") for effect in card.effects):
        if card.type != "event":
            yield {}, ()
        return
    special = _SPECIAL.get(card.id)
    if special is not None:
        yield from special(board, seat, instance, most)
        return
    modes = sorted({effect.get("mode", 0) for effect in card.effects if effect["trigger"].startswith("played")})
    for mode in modes:
        chosen: dict[str, Schema] = {"mode": {"const": mode}} if mode else {}
        optional: tuple[str, ...] = ()
        possible = True
        for effect in card.effects:
            if not effect["trigger"].startswith("played") or effect.get("mode", 0) != mode:
                continue
            target = effect.get("target")
            if effect["trigger"] == "played_from_hand":
                chosen["options"], optional = _DRAW_OR_NOT, ("options",)
            elif isinstance(target, dict) and target.get("count", 1) == 1:
                found = matching(board, seat, target)
                possible = possible and bool(found)
                chosen["targets"] = pick_pieces(board, found)
        if possible:
            yield chosen, optional


def matching(board: Board, seat: int, target: Effect, source: Piece | None = None) -> list[Piece]:
    """Return the cards in play that a target description allows. Attached cards are never included."""
    found = []
    for p in board.pieces:
        face = CARDS[p.card]
        if p.on is not None or (source is not None and target.get("exclude") == "self" and p.id == source.id):
            continue
        side = target.get("side", "any")
        if (side == "own" and p.controller != seat) or (side == "enemy" and p.controller == seat):
            continue
        if "kind" in target and face.type not in target["kind"] and not ("shield" in target["kind"] and face.is_shield):
            continue
        if face.type in target.get("not_kind", ()) or ("card" in target and face.id != target["card"]):
            continue
        if "max_cost" in target and board.cost(p) > target["max_cost"]:
            continue
        zone = target.get("zone", "any")
        if (zone == "same" and source is not None and p.zone != source.zone) or (zone == "home" and p.zone != seat):
            continue
        found.append(p)
    return found


def _dark_destroyer(board: Board, seat: int, instance: str, most: int) -> Iterator[Choice]:
    found = matching(board, seat, {"side": "any"})
    if found:
        yield {"targets": pick_pieces(board, found, 0)}, ("targets",)
    else:
        yield {}, ()


def _excellent_work(board: Board, seat: int, instance: str, most: int) -> Iterator[Choice]:
    if board.room(seat):
        yield {"mode": {"const": 1}, "row": {"enum": list(ROWS)}}, ()
    yield {"mode": {"const": 2}}, ()


def enemy_slots(board: Board, seat: int, amount: int) -> dict[str, Schema]:
    """Return the parameter `slots` for damage to the enemy station, if the seat chooses the slots."""
    enemy = 1 - seat
    count = min(amount, board.to_flip(enemy))
    if count <= 0 or board.own_flips(enemy):
        return {}
    return {"slots": slots_schema(board, enemy, [card.slot for card in board.face_down(enemy)], count)}


def _supernova(board: Board, seat: int, instance: str, most: int) -> Iterator[Choice]:
    yield enemy_slots(board, seat, 3), ()


def _target_missed(board: Board, seat: int, instance: str, most: int) -> Iterator[Choice]:
    found = matching(board, seat, {"kind": ["spaceship", "missile"]})
    if found:
        yield {"mode": {"const": 2}, "targets": pick_pieces(board, found)}, ()


def _fatal_error(board: Board, seat: int, instance: str, most: int) -> Iterator[Choice]:
    by_cost: dict[int, list[Piece]] = {}
    for p in matching(board, seat, {"side": "any"}):
        by_cost.setdefault(board.cost(p), []).append(p)
    for cost, pieces in sorted(by_cost.items()):
        if cost + 1 <= most:
            yield {"x": {"const": cost + 1}, "targets": pick_pieces(board, pieces)}, ()


def _discovery(board: Board, seat: int, instance: str, most: int) -> Iterator[Choice]:
    yield {"mode": {"const": 1}}, ()
    others = [card for card in board.state.sides[seat].hand if card != instance]
    if others:
        yield {"mode": {"const": 2}, "targets": cards_schema(board, others)}, ()
    else:
        yield {"mode": {"const": 2}}, ()


def _revive(board: Board, seat: int, instance: str, most: int) -> Iterator[Choice]:
    cards = board.state.cards
    faces = {c: CARDS[cards[c]] for c in board.state.sides[seat].discard}
    ships = [c for c, face in faces.items() if face.type == "spaceship" and face.stands_alone]
    worth = {c: faces[c].cost or 0 for c in ships}
    ships = [c for c in ships if worth[c] <= 6]
    if ships:
        schema = {**cards_schema(board, ships, 1, 2), "total": {"minimum": 0, "maximum": 6, "worth": worth}}
        yield {"targets": schema}, ()


def _sabotage(board: Board, seat: int, instance: str, most: int) -> Iterator[Choice]:
    """Yield no parameters: the cards to discard are chosen when the hand is seen."""
    yield {}, ()


def _sacrifice(board: Board, seat: int, instance: str, most: int) -> Iterator[Choice]:
    own = board.own(seat)
    yield ({"targets": pick_pieces(board, own)} if own else {}), ()


def _deploy(board: Board, seat: int, instance: str, most: int) -> Iterator[Choice]:
    own = board.own(seat)
    if len(own) >= 3:
        yield {"targets": pick_pieces(board, own, 3, 3)}, ()


def _duplication(board: Board, seat: int, instance: str, most: int) -> Iterator[Choice]:
    """Yield one choice for each cost. Copies of cards with an optional draw are listed separately, as when played."""
    groups: dict[tuple[int, bool], list[Piece]] = {}
    limited = board.limited_shield(seat)
    for p in matching(board, seat, {"side": "own", "zone": "home"}):
        face = CARDS[p.card]
        if not ("shield_limit" in face.keywords and limited):
            groups.setdefault((board.cost(p), bool(face.triggered("played_from_hand"))), []).append(p)
    for (cost, draws), pieces in sorted(groups.items()):
        if cost <= most:
            chosen: dict[str, Schema] = {"x": {"const": cost}, "targets": pick_pieces(board, pieces)}
            yield ({**chosen, "options": _DRAW_OR_NOT}, ("options",)) if draws else (chosen, ())


def _death_ray(board: Board, seat: int, instance: str, most: int) -> Iterator[Choice]:
    loaded = {p.on for p in board.pieces if p.on is not None}
    ships = [p for p in board.own(seat) if p.card == "starship" and p.id not in loaded]
    if ships:
        x: Schema = {"type": "integer", "minimum": 0, "maximum": most} if most > 0 else {"const": 0}
        yield {"x": x, "targets": pick_pieces(board, ships)}, ()


def _release(board: Board, seat: int, instance: str, most: int) -> Iterator[Choice]:
    part = {"type": "integer", "minimum": 0, "maximum": max(0, most)}
    yield (
        {
            "options": {
                "type": "object",
                "properties": {
                    "draw": {**part, "title": mark("Cards to draw")},
                    "mill": {**part, "title": mark("Times two cards to mill")},
                },
                "required": ["draw", "mill"],
                "additionalProperties": False,
                "total": {"minimum": 0, "maximum": max(0, most)},
            }
        },
        (),
    )


def _deja_vu(board: Board, seat: int, instance: str, most: int) -> Iterator[Choice]:
    pile = board.state.sides[seat].discard
    if pile:
        count = min(2, len(pile))
        yield {"targets": cards_schema(board, pile, count, count)}, ()


def _return(board: Board, seat: int, instance: str, most: int) -> Iterator[Choice]:
    flipped = {
        f"{LETTERS[who]}:{card.slot}": f"{card.slot} of {'yours' if who == seat else 'the opponent'}"
        for who in (0, 1)
        for card in board.state.sides[who].station
        if card.flipped and card.id != instance
    }
    if flipped:
        yield {"mode": {"const": 1}, "targets": some(list(flipped), 1, 1, flipped)}, ()
    found = matching(board, seat, {"not_kind": ["defense"], "max_cost": 3})
    if found:
        yield {"mode": {"const": 2}, "targets": pick_pieces(board, found)}, ()


_SPECIAL = {
    "the_dark_destroyer": _dark_destroyer,
    "excellent_work": _excellent_work,
    "supernova": _supernova,
    "target_missed": _target_missed,
    "fatal_error": _fatal_error,
    "discovery": _discovery,
    "revive_procedure": _revive,
    "sabotage": _sabotage,
    "sacrifice": _sacrifice,
    "deploy_starship": _deploy,
    "duplication": _duplication,
    "death_ray": _death_ray,
    "release_of_energy": _release,
    "deja_vu": _deja_vu,
    "return": _return,
}
