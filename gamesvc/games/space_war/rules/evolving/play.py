"""Events of cards in play."""

from __future__ import annotations

from gamesvc.games.kernel.frozen import replace
from gamesvc.games.space_war.events.play import (
    AbilityUsed,
    AttackDeclared,
    AttackResolved,
    Collided,
    CommanderUsed,
    ControlChanged,
    CountersChanged,
    Damaged,
    EnteredPlay,
    LeftPlay,
    Moved,
    Paralyzed,
    Protected,
    PutIntoPlay,
    Repaired,
    Transformed,
)
from gamesvc.games.space_war.rules.evolving.changes import Changes, Handlers, nothing, with_piece, with_side
from gamesvc.games.space_war.rules.evolving.zones import take
from gamesvc.games.space_war.state import Piece, State, owner_of


def _entered_play(state: State, event: EnteredPlay | PutIntoPlay) -> Changes:
    sides, changes = take(state, event.piece["id"])
    made = Piece(**event.piece)
    return {**changes, "sides": sides, "pieces": (*state.pieces, made), "next_order": made.order + 1}


def _left_play(state: State, event: LeftPlay) -> Changes:
    """Remove cards from play. Each goes to the zone `to` of its owner."""
    sides = list(state.sides)
    for card in event.cards:
        side = sides[owner_of(card)]
        if event.to == "hand":
            sides[owner_of(card)] = replace(side, hand=(*side.hand, card))
        else:
            sides[owner_of(card)] = replace(side, discard=(*side.discard, card))
    gone = set(event.cards)
    return {"pieces": tuple(p for p in state.pieces if p.id not in gone), "sides": tuple(sides)}


def _moved(state: State, event: Moved) -> Changes:
    zone, turn = event.zone, event.turn
    return {
        "pieces": tuple(
            replace(p, zone=zone, zone_turn=turn, moved=p.id == event.card or p.moved) if event.card in (p.id, p.on) else p
            for p in state.pieces
        )
    }


def _control_changed(state: State, event: ControlChanged) -> Changes:
    return {
        "pieces": tuple(
            replace(p, controller=event.seat, borrowed=event.borrowed) if p.id in event.cards else p for p in state.pieces
        )
    }


def _attack_declared(state: State, event: AttackDeclared) -> Changes:
    used = event.used
    return {"pieces": tuple(replace(p, attacks=used[p.id], last_attack=event.turn) if p.id in used else p for p in state.pieces)}


def _ability_used(state: State, event: AbilityUsed | Collided) -> Changes:
    return {"pieces": with_piece(state, event.card, ability=True, counters=event.counters)}


def _commander_used(state: State, event: CommanderUsed) -> Changes:
    uses = state.sides[event.seat].commander_uses + 1
    return {"sides": with_side(state, event.seat, actions=event.actions, charge=event.charge, commander_uses=uses)}


def _damaged(state: State, event: Damaged) -> Changes:
    hits = event.hits
    return {
        "pieces": tuple(
            replace(
                p, damage=hits[p.id]["damage"], counters=hits[p.id]["counters"], paralyzed=p.paralyzed or hits[p.id]["stunned"]
            )
            if p.id in hits
            else p
            for p in state.pieces
        )
    }


def _repaired(state: State, event: Repaired) -> Changes:
    return {"pieces": with_piece(state, event.card, damage=event.damage, paralyzed=False)}


def _paralyzed(state: State, event: Paralyzed) -> Changes:
    return {"pieces": tuple(replace(p, paralyzed=True) if p.id in event.cards else p for p in state.pieces)}


def _protected(state: State, event: Protected) -> Changes:
    return {"pieces": with_piece(state, event.card, protected=event.turn)}


def _counters_changed(state: State, event: CountersChanged) -> Changes:
    changes: Changes = {"pieces": with_piece(state, event.card, counters=event.counters)}
    if event.seat is not None:
        changes["sides"] = with_side(state, event.seat, actions=event.actions)
    return changes


def _transformed(state: State, event: Transformed) -> Changes:
    swapped = (event.attack, event.defense)
    return {"pieces": with_piece(state, event.card, damage=0, paralyzed=False, swapped=swapped)}


PLAY: Handlers = {
    EnteredPlay: _entered_play,
    PutIntoPlay: _entered_play,
    LeftPlay: _left_play,
    Moved: _moved,
    ControlChanged: _control_changed,
    AttackDeclared: _attack_declared,
    AttackResolved: nothing,
    Collided: _ability_used,
    AbilityUsed: _ability_used,
    CommanderUsed: _commander_used,
    Damaged: _damaged,
    Repaired: _repaired,
    Paralyzed: _paralyzed,
    Protected: _protected,
    CountersChanged: _counters_changed,
    Transformed: _transformed,
}
