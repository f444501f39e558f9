"""The code of all effects, one function per op of RULES.md 16."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from gamesvc.games.star_commander.data import Effect
from gamesvc.games.star_commander.events.board import (
    DevelopmentsRemoved,
    ShipMoved,
)
from gamesvc.games.star_commander.events.course import ExtraTurnQueued
from gamesvc.games.star_commander.events.plays import DamageRedirected, StackItemCancelled
from gamesvc.games.star_commander.rules.decision import Play
from gamesvc.games.star_commander.rules.effects import building, changes
from gamesvc.games.star_commander.rules.effects.aims import cell_of
from gamesvc.games.star_commander.state import Vessel


@dataclass(frozen=True, slots=True)
class Acting:
    """The context of a running effect: the seat, the card or system it comes from, and the targets that are still legal."""

    seat: int
    card: str
    source: str
    targets: Mapping[str, str]
    x: int = 0
    paid: int = 0
    explore: bool = True


# --- amounts and scopes ---


def amount_of(play: Play, acting: Acting, expression: int | str) -> int | None:
    """Return the amount for an effect, evaluated now; None if the value it refers to is gone (RULES.md 16)."""
    if isinstance(expression, int):
        return expression
    if expression in ("X", "paid"):
        return acting.x if expression == "X" else acting.paid
    if expression == "count(own_stations)":
        return sum(play.board.card(vessel).kind == "station" for vessel in play.board.fleet(acting.seat))
    factor, _, rest = expression.rpartition("*")
    word, _, name = rest.rstrip(")").partition("(")
    value = acting.targets.get(name, "")
    if word == "devs":
        cell = play.state.cells.get(value)
        return None if cell is None else cell.devs * int(factor or 1)
    vessel = play.state.vessels.get(value)
    if vessel is None:
        return None
    return play.board.attack(vessel) if word == "attack" else play.board.hp(vessel)


def in_scope(play: Play, acting: Acting, scope: str) -> list[Vessel]:
    """Return the vessels in an effect's scope, fixed at this moment (RULES.md 19.25)."""
    board, state = play.board, play.state
    word, _, name = scope.partition(":")
    if word in ("a", "self"):
        vessel = state.vessels.get(acting.targets.get("a", "") if word == "a" else acting.source)
        return [vessel] if vessel else []
    cell = cell_of(board, acting.targets.get(name, ""))
    if cell is None:
        return []
    return board.here(cell, acting.seat) if word == "own_vessels_in" else board.ships(cell)


def _target(play: Play, acting: Acting, name: str) -> Vessel | None:
    return play.state.vessels.get(acting.source if name == "self" else acting.targets.get(name, ""))


# --- ops ---


def gain_credits(play: Play, acting: Acting, effect: Effect) -> None:
    amount = amount_of(play, acting, effect.amount)
    if amount:
        changes.gain(play, acting.seat, amount, [(acting.card, amount)])


def draw(play: Play, acting: Acting, effect: Effect) -> None:
    play.push("draw", seat=acting.seat, left=amount_of(play, acting, effect.amount), why="effect")


def develop_free(play: Play, acting: Acting, effect: Effect) -> None:
    if effect.where == "choose_own_with_room":
        play.push("place_free", seat=acting.seat)
        return
    cell = cell_of(play.board, acting.source)
    if cell is not None and cell in building.with_room(play.board, acting.seat):
        changes.place_development(play, acting.seat, cell, 1)


def remove_developments(play: Play, acting: Acting, effect: Effect) -> None:
    ship, amount = _target(play, acting, effect.where.partition(":")[2]), amount_of(play, acting, effect.amount)
    if ship is not None and amount is not None:
        devs = play.state.cells[ship.cell].devs
        left = max(min(devs, effect.floor), devs - amount)
        if left < devs:
            play.emit(DevelopmentsRemoved(cell=ship.cell, amount=devs - left, devs=left, seat=acting.seat, cause=acting.card))


_MODIFIERS = {"lock_movement": "lock", "prevent_damage": "prevent"}


def modify(play: Play, acting: Acting, effect: Effect) -> None:
    """Add modifiers to vessels. Also used for extra_targets, lock_movement, long_jump and prevent_damage."""
    kind = effect.stat if effect.op == "modify" else _MODIFIERS.get(effect.op, effect.op)
    amount = amount_of(play, acting, effect.amount)
    if amount is not None:
        marks = [
            changes.modifier_json(
                kind,
                vessel.id,
                amount,
                acting.card,
                acting.seat,
                effect.duration,
                cell=vessel.cell if kind == "long_jump" else "",
                untargetable=effect.untargetable,
            )
            for vessel in in_scope(play, acting, effect.scope)
        ]
        changes.add_modifiers(play, marks)
        changes.settle(play)


def deal_damage(play: Play, acting: Acting, effect: Effect) -> None:
    amount = amount_of(play, acting, effect.amount)
    word = effect.to.partition(":")[0]
    source = _target(play, acting, "a")
    if amount is None or source is None:
        return
    if word == "each_enemy_vessel_with":
        hit = [vessel for vessel in play.board.here(source.cell) if vessel.controller != acting.seat]
    else:
        one = _target(play, acting, word)
        hit = [one] if one else []
    changes.damage(play, [(source.id, vessel.id, amount) for vessel in hit], acting.card)


def destroy_targets(play: Play, acting: Acting, effect: Effect) -> None:
    word, _, name = effect.to.partition(":")
    if word == "each_vessel_in":
        cell = cell_of(play.board, acting.targets.get(name, ""))
        hit = play.board.here(cell) if cell else []
    else:
        one = _target(play, acting, word)
        hit = [one] if one else []
    changes.destroy(play, hit, acting.card)
    changes.settle(play)


def build_free(play: Play, acting: Acting, effect: Effect) -> None:
    """Build as many free copies as place, limits and supply allow (RULES.md 19.30)."""
    cell = cell_of(play.board, acting.source if effect.where == "here" else acting.targets.get(effect.where, ""))
    card = play.board.cards[effect.vessel]
    for _ in range(int(effect.amount)):
        if cell is not None and building.can_build(play.board, acting.seat, card, cell, free=True):
            changes.put_vessel(play, acting.seat, card, cell, paid=0)


def move_ship(play: Play, acting: Acting, effect: Effect) -> None:
    """Move a ship without a jump (RULES.md 19.26)."""
    ship, cell = _target(play, acting, effect.ship), acting.targets.get(effect.to)
    if ship is None or cell is None:
        return
    edition = play.board.edition
    if edition.lock_bars_moves and play.board.locked(ship):
        return
    if edition.barred_cells_bar_moves and play.board.refuses_entry(ship, cell):
        return
    play.emit(ShipMoved(ship=ship.id, card=ship.card, from_cell=ship.cell, to=cell, seat=acting.seat))
    changes.arrive(play, acting.seat, [ship.id], cell, explore=acting.explore)


def gain_control(play: Play, acting: Acting, effect: Effect) -> None:
    vessel = _target(play, acting, effect.to)
    if vessel is not None:
        changes.change_vessel_control(play, [vessel], acting.seat, acting.card)
        changes.settle(play)


def cancel_command(play: Play, acting: Acting, effect: Effect) -> None:
    value = acting.targets.get(effect.to)
    if value is not None:
        item = next(item for item in play.state.stack if f"s{item.id}" == value)
        play.emit(StackItemCancelled(item=item.id, name=item.name, seat=item.seat, by=acting.seat))


def extra_turn(play: Play, acting: Acting, effect: Effect) -> None:
    play.emit(ExtraTurnQueued(seat=acting.seat))


def take_hand_card(play: Play, acting: Acting, effect: Effect) -> None:
    victim = acting.targets.get(effect.from_)
    if victim is not None:
        play.push("take_card", seat=acting.seat, victim=int(victim), reveal=effect.reveal)


def redirect(play: Play, acting: Acting, effect: Effect) -> None:
    """Redirect all pending combat damage from one vessel to another, each amount only once."""
    combat = play.state.combat
    start, end = _target(play, acting, effect.from_), _target(play, acting, effect.to)
    if combat is None or start is None or end is None or end.cell != combat.cell:
        return
    amount = sum(a.amount for a in combat.assigned if a.target == start.id and not a.redirected)
    if amount:
        play.emit(DamageRedirected(from_vessel=start.id, to=end.id, amount=amount, seat=acting.seat))


OPS: Mapping[str, Callable[[Play, Acting, Effect], None]] = {
    "gain_credits": gain_credits,
    "draw": draw,
    "develop_free": develop_free,
    "remove_developments": remove_developments,
    "modify": modify,
    "extra_targets": modify,
    "lock_movement": modify,
    "long_jump": modify,
    "prevent_damage": modify,
    "damage": deal_damage,
    "destroy": destroy_targets,
    "build_free": build_free,
    "move_ship": move_ship,
    "gain_control": gain_control,
    "cancel_command": cancel_command,
    "extra_turn": extra_turn,
    "take_hand_card": take_hand_card,
    "redirect": redirect,
}
