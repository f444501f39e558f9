"""The uses of cards in play and of commanders: any-time effects, counters, actions, abilities."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gamesvc.games.kernel.game import Schema
from gamesvc.games.space_war.data import CARDS, COMMANDERS, ROWS, Effect, uses_of
from gamesvc.games.space_war.rules.facts import Board
from gamesvc.games.space_war.rules.playing.plays import Option, cards_schema, matching, one, pick_pieces, slots_schema
from gamesvc.games.space_war.rules.playing.reach import ability_reason
from gamesvc.games.space_war.state import MOST_USES, Piece


def own_flipped(board: Board, seat: int, amount: int) -> Schema | None:
    """Return the parameter `slots` for repairing the seat's own station; None if no card is flipped."""
    flipped = [card.slot for card in board.state.sides[seat].station if card.flipped]
    return slots_schema(board, seat, flipped, min(amount, len(flipped))) if flipped else None


def repairable(board: Board, seat: int, target: Effect, source: Piece | None = None) -> list[Piece]:
    return [p for p in matching(board, seat, target, source) if p.damage or p.paralyzed]


def anytime_options(board: Board, seat: int) -> Iterator[Option]:
    """Yield the seat's own cards in play, and its commander, that can be used at any time."""
    for p in board.own(seat):
        if not board.has_text(p):
            continue
        for _, effect in CARDS[p.card].triggered("any_time"):
            base: dict[str, Schema] = {"card": one(p.id, CARDS[p.card].name)}
            if "mode" in effect:
                base["mode"] = {"const": effect["mode"]}
            if effect["op"] == "repair_station":
                slots = own_flipped(board, seat, effect["amount"])
                if slots is not None:
                    yield Option("use_anytime", CARDS[p.card].name, {**base, "slots": slots})
            elif effect["op"] == "repair":
                if found := repairable(board, seat, effect["target"]):
                    yield Option("use_anytime", CARDS[p.card].name, {**base, "targets": pick_pieces(board, found)})
            elif "target" in effect:
                if found := matching(board, seat, effect["target"], p):
                    yield Option("use_anytime", CARDS[p.card].name, {**base, "targets": pick_pieces(board, found)})
            else:
                yield Option("use_anytime", CARDS[p.card].name, base)


def commander_anytime(board: Board, seat: int) -> Iterator[Option]:
    side = board.state.sides[seat]
    if side.commander and COMMANDERS[side.commander].triggered("any_time") and side.pile:
        yield Option("use_commander", COMMANDERS[side.commander].name)


def commander_options(board: Board, seat: int) -> Iterator[Option]:
    """Yield the commander's effects for the action phase."""
    state = board.state
    side = state.sides[seat]
    if not side.commander or board.uses_to_answer(seat) >= MOST_USES:
        return
    card = COMMANDERS[side.commander]
    for _, effect in card.triggered("action_phase"):
        cost = effect.get("cost", {})
        if cost.get("actions", 0) > side.actions or ("limit" in effect and side.commander_uses >= uses_of(effect)):
            continue
        base: dict[str, Schema] = {"mode": {"const": effect["mode"]}} if "mode" in effect else {}
        if effect["op"] == "rearrange_station":
            for row in ROWS:
                if others := [one_card.slot for one_card in side.station if one_card.row != row]:
                    schema = {**slots_schema(board, seat, others, 1), "maxItems": len(others)}
                    yield Option("use_commander", card.name, {"slots": schema, "row": {"const": row}})
        elif effect["op"] == "gain_actions" and effect["amount"] == "removed":
            if side.charge:
                yield Option("use_commander", card.name, {**base, "n": {"type": "integer", "minimum": 1, "maximum": side.charge}})
        elif effect["op"] == "repair_station":
            if (slots := own_flipped(board, seat, effect["amount"])) is not None:
                yield Option("use_commander", card.name, {**base, "slots": slots})
        elif effect["op"] == "search" and effect["from"] == ["discard_pile"]:
            wanted = [c for c in side.discard if state.cards[c] == effect["filter"]["card"]]
            if wanted:
                yield Option("use_commander", card.name, {**base, "targets": cards_schema(board, wanted)})
        else:
            yield Option("use_commander", card.name, base)


def counter_options(board: Board, seat: int) -> Iterator[Option]:
    """Yield the cards whose counters can be turned into actions."""
    for p in board.own(seat):
        if p.counters and board.has_text(p):
            for _, effect in CARDS[p.card].triggered("action_phase"):
                if effect.get("amount") == "removed":
                    n = {"type": "integer", "minimum": 1, "maximum": p.counters}
                    yield Option("use_counters", CARDS[p.card].name, {"card": one(p.id, CARDS[p.card].name), "n": n})


def action_options(board: Board, seat: int) -> Iterator[Option]:
    """Yield the other effects of cards in play for the action phase."""
    for p in board.own(seat):
        if not board.has_text(p):
            continue
        for _, effect in CARDS[p.card].triggered("action_phase"):
            base: dict[str, Schema] = {"card": one(p.id, CARDS[p.card].name)}
            if effect["op"] == "extra_turn" and p.counters >= effect["cost"]["counters"]:
                yield Option("use_action", CARDS[p.card].name, base)
            elif effect["op"] == "station_to_hand":
                row = [card.slot for card in board.face_down(seat) if card.row == effect["target"]["row"]]
                if row:
                    schema = {**slots_schema(board, seat, row, 1), "maxItems": len(row)}
                    yield Option("use_action", CARDS[p.card].name, {**base, "slots": schema})


def ability_options(board: Board, seat: int) -> Iterator[Option]:
    """Yield the abilities of own cards in the attack phase, for cards that may use one now."""
    state = board.state
    side = state.sides[seat]
    for p in board.own(seat):
        card = CARDS[p.card]
        effects = card.triggered("ability")
        if not effects or ability_reason(board, p) is not None:
            continue
        for _, effect in effects:
            if effect["op"] == "collide" or card.id == "death_ray":
                continue
            condition = effect.get("condition", "")
            if ("not first turn" in condition and p.entered == state.turn) or ("not moved" in condition and p.moved):
                continue
            if ("home zone" in condition and p.zone != seat) or ("below maximum" in condition and not board.room(seat)):
                continue
            base: dict[str, Schema] = {"card": one(p.id, card.name)}
            if "mode" in effect:
                base["mode"] = {"const": effect["mode"]}
            for properties in _ability_choices(board, seat, p, effect, side.discard):
                yield Option("use_ability", card.name, {**base, **properties})


def _ability_choices(board: Board, seat: int, p: Piece, effect: Effect, discard: Sequence[str]) -> Iterator[dict[str, Schema]]:
    op = effect["op"]
    if op == "repair":
        if found := repairable(board, seat, effect["target"], p):
            yield {"targets": pick_pieces(board, found)}
    elif op == "repair_station":
        if (slots := own_flipped(board, seat, effect["amount"])) is not None:
            yield {"slots": slots}
    elif op == "station_add":
        if p.owner == seat:
            yield {"row": {"enum": list(ROWS)}}
    elif op == "control":
        if found := matching(board, seat, effect["target"], p):
            yield {"targets": pick_pieces(board, found)}
    elif op == "discard":
        if board.state.sides[1 - seat].hand and not board.hand_is_safe(1 - seat):
            yield {}
    elif "discard_in_play" in effect.get("cost", {}):
        others = [other for other in board.own(seat, "spaceship") if other.id != p.id]
        if len(others) >= effect["cost"]["discard_in_play"]:
            count = effect["cost"]["discard_in_play"]
            yield {"targets": pick_pieces(board, others, count, count)}
    elif op == "search" and effect["from"] == ["discard_pile"]:
        if discard:
            yield {"targets": cards_schema(board, discard)}
    elif effect.get("cost", {}).get("counters"):
        if p.counters:
            yield {}
    else:
        yield {}
