"""The conditions for moving, attacking and colliding (RULES.md 7), as reasons in words."""

from __future__ import annotations

from gamesvc.games.space_war.data import CARDS
from gamesvc.games.space_war.rules.facts import Board
from gamesvc.games.space_war.state import Piece
from gamesvc.language import say

Reason = tuple[str, str]
"""A refusal code and its sentence."""


def move_reason(board: Board, piece: Piece) -> Reason | None:
    """Return the reason why a piece may not move; None if it may."""
    kind = CARDS[piece.card].type
    if kind not in ("spaceship", "missile") or piece.on is not None:
        return "cannot_move", say("Only spaceships and missiles move.")
    if piece.paralyzed:
        return "paralyzed", say("It is paralyzed and cannot move until it is repaired.")
    if piece.moved:
        return "already_moved", say("It has already moved this turn.")
    if piece.entered == board.state.turn and not board.fast(piece):
        return "first_turn", say("It came into play this turn and is not Fast. It can move from its next turn on.")
    if board.slow(piece) and (piece.attacks or piece.ability):
        return "slow", say("It is Slow and has acted this turn; it may either move or act.")
    if board.forbidden(piece, "move"):
        return "forbidden", say("An effect in play forbids it to move.")
    return None


def _acts_reason(board: Board, piece: Piece) -> Reason | None:
    if piece.paralyzed:
        return "paralyzed", say("It is paralyzed and cannot act until it is repaired.")
    if piece.ability:
        return "already_acted", say("It has used its ability this turn.")
    if board.slow(piece) and piece.moved:
        return "slow", say("It is Slow and has moved this turn; it may either move or act.")
    return None


def attack_reason(board: Board, piece: Piece) -> Reason | None:
    """Return the reason why a piece may not attack at all; None if it may."""
    face = CARDS[piece.card]
    if face.type not in ("spaceship", "missile") and "cannon" not in face.keywords:
        return "cannot_attack", say("Only spaceships, missiles and cannons attack.")
    if piece.on is not None:
        carrier = board.carrier(piece)
        assert carrier is not None
        if piece.entered == board.state.turn:
            return "first_turn", say("A Death Ray can be launched from the turn after it was attached.")
        if carrier.attacks:
            return "already_acted", say("The ship that carries it has attacked this turn.")
        if (reason := _acts_reason(board, carrier)) is not None:
            return reason
    elif (reason := _acts_reason(board, piece)) is not None:
        return reason
    if piece.attacks >= board.attacks(piece):
        return "no_attack_left", say("It has no attack left this turn.")
    if board.forbidden(piece, "attack"):
        return "forbidden", say("An effect in play forbids it to attack.")
    if board.attack(piece) <= 0 and not _picky(piece):
        return "no_attack_value", say("Its attack is 0.")
    return None


def _picky(piece: Piece) -> bool:
    return any(effect["op"] == "attack_only" for effect in CARDS[piece.card].effects)


def _far(board: Board, piece: Piece) -> bool:
    """Return True if a piece can reach the other zone from its current zone."""
    if piece.on is not None:
        return True
    if piece.zone != piece.controller:
        return False
    past_first = piece.entered < board.state.turn
    if any(source is piece and past_first for _, source, _ in board.statics("range")):
        return True
    return CARDS[piece.card].type == "missile" and not board.slow(piece) and (past_first or board.fast(piece))


def target_reason(board: Board, piece: Piece, target: Piece) -> Reason | None:
    """Return the reason why an attacker that may attack may not attack this card; None if it may."""
    face = CARDS[target.card]
    if target.controller == piece.controller or face.type == "duration" or target.on is not None:
        return "no_target", say("Attack an enemy card in play that is not a duration and not attached to another card.")
    if target.zone != piece.zone and not _far(board, piece):
        return "out_of_range", say("It is in the other zone, out of range.")
    if target.protected == board.state.turn:
        return "protected", say("Target Missed protects it until the turn ends.")
    if _untargetable(board, target):
        return "protected", say("{card} cannot be attacked now.", card=face.name)
    if _picky(piece) and not (face.is_shield or (face.type == "spaceship" and not target.paralyzed)):
        card = CARDS[piece.card].name
        return "no_target", say("{card} attacks only shields and spaceships that are not paralyzed.", card=card)
    return None


def _untargetable(board: Board, target: Piece) -> bool:
    for _, source, effect in board.statics("untargetable_by_attack"):
        if source is not target:
            continue
        side = board.state.sides[target.controller]
        if "station_damage" in effect["condition"]:
            return sum(card.flipped for card in board.state.sides[target.owner].station) < 3
        return target.last_attack == 0 or target.last_attack < side.last_turn
    return False


def attack_targets(board: Board, piece: Piece) -> list[Piece]:
    return [target for target in board.pieces if target_reason(board, piece, target) is None]


def station_reason(board: Board, piece: Piece) -> Reason | None:
    """Return the reason why an attacker that may attack may not attack the enemy station; None if it may."""
    face = CARDS[piece.card]
    if face.type == "defense":
        return "out_of_range", say("Cannons cannot attack the station.")
    if _picky(piece):
        return "no_target", say("{card} cannot attack the station.", card=face.name)
    if not at_station(board, piece) and not _far(board, piece):
        return "out_of_range", say("It does not reach the enemy station: be in the enemy zone since before this turn.")
    if board.shields(1 - piece.controller) and "pierce" not in face.keywords:
        return "shielded", say("The station has a shield; destroy it first.")
    return None


def at_station(board: Board, piece: Piece) -> bool:
    """Return True for a card in the enemy zone that may attack the station from there."""
    if piece.zone == piece.controller:
        return False
    return CARDS[piece.card].type == "missile" or piece.zone_turn < board.state.turn


def station_plan(board: Board, piece: Piece) -> tuple[list[Piece], int]:
    """Return the shields that absorb damage first, and the number of cards that an attack on the station flips."""
    enemy, attack = 1 - piece.controller, board.attack(piece)
    shields = board.shields(enemy)
    absorbed = min(attack, sum((board.defense(shield) or 0) - shield.damage for shield in shields))
    return shields, max(0, min(attack - absorbed, board.to_flip(enemy)))


def collide_power(board: Board, piece: Piece) -> int:
    """Return the damage of a collision; 0 if the piece cannot collide."""
    for _, effect in CARDS[piece.card].triggered("ability"):
        if effect["op"] == "collide":
            return int(effect["amount"]) if piece.entered < board.state.turn else 0
    if CARDS[piece.card].type != "spaceship":
        return 0
    return max([0, *(int(e["amount"]) for seat, _, e in board.statics("grant_collide") if seat == piece.controller)])


def collide_reason(board: Board, piece: Piece) -> Reason | None:
    if piece.attacks:
        return "already_acted", say("It has attacked this turn; a collision replaces the attack.")
    if (reason := _acts_reason(board, piece)) is not None:
        return reason
    if not collide_power(board, piece):
        return "cannot_collide", say(
            "It cannot collide: only a Pursuiter after its first turn, or any ship under Collision Skill."
        )
    return None


def collide_targets(board: Board, piece: Piece) -> list[Piece]:
    return [
        target
        for target in board.pieces
        if target.controller != piece.controller
        and target.zone == piece.zone
        and target.on is None
        and CARDS[target.card].type != "duration"
    ]


def collide_station(board: Board, piece: Piece) -> bool:
    return at_station(board, piece) and not board.shields(1 - piece.controller)


def ability_reason(board: Board, piece: Piece) -> Reason | None:
    if piece.attacks:
        return "already_acted", say("It has attacked this turn; an ability replaces the attack.")
    return _acts_reason(board, piece)
