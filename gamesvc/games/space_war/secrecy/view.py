"""The view of a seat or a spectator (RULES.md 9)."""

from __future__ import annotations

from collections.abc import Sequence

from gamesvc.games.kernel.game import Viewer
from gamesvc.games.space_war.data import CARDS, FLIPS_FIRST
from gamesvc.games.space_war.rules.effects.lasting import commander_left, lasting, plays_left
from gamesvc.games.space_war.rules.facts import Board
from gamesvc.games.space_war.rules.legal import awaited
from gamesvc.games.space_war.rules.playing.prompts import live_options, option_label, prompt_range
from gamesvc.games.space_war.state import Side, State, StationCard
from gamesvc.json_types import JsonObject


def view(state: State, viewer: Viewer) -> JsonObject:
    """Return the position as this viewer may see it, complete enough to draw it and to play from it."""
    board = Board(state)
    return {
        "you": viewer,
        "phase": state.phase,
        "turn": state.turn,
        "active": state.active,
        "awaited": [waiting.as_json() for waiting in awaited(state)],
        "sides": [_side(board, seat, viewer) for seat in (0, 1)],
        "pieces": [_piece(board, at) for at in range(len(state.pieces))],
        "limbo": [{"id": card, "card": state.cards[card]} for card in state.limbo],
        "items": _items(state, viewer),
        "prompts": [_prompt(state, at, viewer) for at in range(len(state.prompts))],
        "replay": list(state.replay) if viewer == state.active else [],
        "winner": state.winner,
        "reason": state.reason,
    }


def _cards(state: State, cards: Sequence[str]) -> list[dict[str, str]]:
    return [{"id": card, "card": state.cards[card]} for card in cards]


def knows_station(state: State, seat: int, viewer: Viewer) -> bool:
    """Return True if a viewer may look at the face-down station cards of a seat."""
    if viewer != seat:
        return False
    if state.active == seat and state.phase in ("action", "upkeep"):
        return True
    return any(p.seat == seat and p.kind == "flips" and p.task["seat"] == seat for p in state.prompts) or any(
        p.seat == seat and p.kind == "search" and "station" in p.task["from"] for p in state.prompts
    )


def knows_flipped(state: State, seat: int, card: StationCard, viewer: Viewer) -> bool:
    """Return True if a viewer knows a flipped card. While the item of the flip is open, only the owner does.

    A spectator must not learn from a card whether the other seat let its owner's flip stand.
    """
    if viewer == seat:
        return True
    return not any(item.n == card.item and (not item.settled or (viewer is None and item.by == seat)) for item in state.items)


def _side(board: Board, seat: int, viewer: Viewer) -> JsonObject:
    state = board.state
    side = state.sides[seat]
    begun = bool(side.commander)
    shown: JsonObject = {
        "seat": seat,
        "deck": side.deck,
        "commander": side.commander,
        "life": side.life,
        "full_life": side.full_life,
        "actions": side.actions,
        "charge": side.charge,
        "pile": len(side.pile),
        "hand_size": len(side.hand),
        "hand": _cards(state, side.hand) if viewer == seat else None,
        "discard": _cards(state, side.discard),
        "station": _station(state, seat, viewer),
        "face_down": sum(not card.flipped for card in side.station),
        "max_station": board.max_station(seat) if begun else 0,
        "per_action_card": board.actions_per_card(seat) if begun else 0,
        "hand_limit": board.hand_limit(seat) if begun else None,
        "extra_turns": side.extra_turns,
        "plays": side.plays,
        "plays_left": plays_left(board, seat),
        "commander_left": commander_left(board, seat),
        "managed": side.managed,
        "committed": side.commit is not None,
    }
    return {**shown, **_secrets(side)} if viewer == seat else shown


def _secrets(side: Side) -> JsonObject:
    """Return what only a side's own player sees, beside their hand."""
    return {
        "pool": list(side.pool),
        "commit": side.commit,
        "orders": list(side.orders),
        "flip_preference": list(side.flip_preference or FLIPS_FIRST),
        "draws": "mill" if side.mills else "draw",
        # A command hidden from the other seat also ends a row of timeouts.
        "timeouts": side.timeouts,
    }


def _station(state: State, seat: int, viewer: Viewer) -> list[JsonObject]:
    """Return a side's station cards, with the cards that the viewer knows."""
    looks = knows_station(state, seat, viewer)
    station = []
    for card in state.sides[seat].station:
        entry: JsonObject = {"slot": card.slot, "row": card.row, "flipped": card.flipped}
        if knows_flipped(state, seat, card, viewer) if card.flipped else looks:
            entry |= {"id": card.id, "card": state.cards[card.id]}
        station.append(entry)
    return station


def _piece(board: Board, at: int) -> JsonObject:
    p = board.pieces[at]
    card = CARDS[p.card]
    marks = {
        "paralyzed": p.paralyzed,
        "fast": board.fast(p),
        "slow": board.slow(p),
        "suppressed": not board.has_text(p),
        "moved": p.moved,
        "acted": bool(p.attacks or p.ability),
        "new": p.entered == board.state.turn,
        "protected": p.protected == board.state.turn,
        "borrowed": p.borrowed,
        "delayed": p.dormant,
        "cannot_move": board.forbidden(p, "move"),
        "cannot_attack": board.forbidden(p, "attack"),
    }
    return {
        "id": p.id,
        "card": p.card,
        "owner": p.owner,
        "controller": p.controller,
        "zone": p.zone,
        "attack": board.attack(p) if card.type in ("spaceship", "missile") or card.attack is not None else None,
        "defense": board.defense(p),
        "damage": p.damage,
        "counters": p.counters,
        "attacks_used": p.attacks,
        "attacks": board.attacks(p),
        "x": p.x if CARDS[board.state.cards[p.id]].cost is None else None,
        "on": p.on,
        "marks": sorted(name for name, on in marks.items() if on),
        "lasting": list(lasting(board, p)),
    }


def _items(state: State, viewer: Viewer) -> list[JsonObject]:
    """Return the open items. Only the seat that may react to an item knows whether it is settled."""
    shown = []
    for item in state.items:
        if viewer is not None and viewer != item.by and item.settled:
            continue
        shown.append({"item": item.n, "by": item.by, "kind": item.kind, "card": item.card, "what": item.what, **item.note})
    return shown


def _prompt(state: State, at: int, viewer: Viewer) -> JsonObject:
    prompt = state.prompts[at]
    shown: JsonObject = {"prompt": prompt.id, "seat": prompt.seat, "kind": prompt.kind}
    if viewer == prompt.seat:
        options = live_options(state, prompt)
        least, most = prompt_range(state, prompt)
        labels = [option_label(state, prompt, option) for option in options]
        shown |= {"options": options, "labels": labels, "least": least, "most": most}
        if prompt.kind == "flips":
            shown["station"] = prompt.task["seat"]
    return shown
