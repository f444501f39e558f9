"""Legal targets of cards and abilities, and the conditions for using an ability (RULES.md 7, 16)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gamesvc.games.kernel.game import Refused
from gamesvc.games.star_commander.data import Card, Effect, Target
from gamesvc.games.star_commander.rules.values import Board
from gamesvc.games.star_commander.state import MOST_FOR_ABILITIES, Item, Vessel
from gamesvc.language import say


@dataclass(frozen=True, slots=True)
class Aim:
    """A search for targets. `source`: the vessel or cell that an ability belongs to; `cell`: its cell."""

    seat: int
    targets: tuple[Target, ...]
    effects: tuple[Effect, ...]
    is_command: bool
    source: str = ""
    cell: str = ""


def aim_of_card(seat: int, card: Card) -> Aim:
    return Aim(seat, card.targets, card.with_trigger("play"), is_command=True)


def aim_of_ability(board: Board, seat: int, source: str, effect: Effect) -> Aim:
    vessel = board.state.vessels.get(source)
    cell = vessel.cell if vessel else source if source in board.state.cells else ""
    return Aim(seat, effect.targets, (effect,), is_command=False, source=source, cell=cell)


def cell_of(board: Board, value: str) -> str | None:
    """Return the cell of a vessel or system target, or None."""
    vessel = board.state.vessels.get(value)
    return vessel.cell if vessel else value if value in board.state.cells else None


def is_legal(board: Board, aim: Aim, target: Target, value: str, chosen: Mapping[str, str]) -> bool:
    """Return True if `value` is legal for this target, given the targets chosen before it."""
    if target.kind == "player":
        return value in (str(seat) for seat in board.living()) and (target.who != "opponent" or value != str(aim.seat))
    if target.kind == "stack_command":
        return any(f"s{item.id}" == value and item.kind == "command" and not item.cancelled for item in board.state.stack)
    if target.kind == "system":
        return value in board.state.cells and _is_legal_system(board, aim, target, value, chosen)
    vessel = board.state.vessels.get(value)
    return vessel is not None and _is_legal_vessel(board, aim, target, vessel, chosen)


def _is_legal_system(board: Board, aim: Aim, target: Target, cell: str, chosen: Mapping[str, str]) -> bool:
    if not _fits_who(aim.seat, target.who, board.state.cells[cell].controller):
        return False
    if not target.chosen and aim.is_command and _is_shielded(board, cell, "system"):
        return False
    if target.not_same_as and cell_of(board, chosen.get(target.not_same_as, "")) in (None, cell):
        return False
    if board.edition.barred_cells_bar_moves and not _admits_moved(board, aim, target, cell, chosen):
        return False
    return _fits_where(board, aim, target, cell, chosen)


def _admits_moved(board: Board, aim: Aim, target: Target, cell: str, chosen: Mapping[str, str]) -> bool:
    for effect in aim.effects:
        ship = board.state.vessels.get(chosen.get(effect.ship, "")) if effect.op == "move_ship" else None
        if effect.to == target.name and ship is not None and board.refuses_entry(ship, cell):
            return False
    return True


def _is_legal_vessel(board: Board, aim: Aim, target: Target, vessel: Vessel, chosen: Mapping[str, str]) -> bool:
    kind = board.card(vessel).kind
    if target.kind != "vessel" and target.kind != kind:
        return False
    if not _fits_who(aim.seat, target.who, vessel.controller):
        return False
    if (target.not_self and vessel.id == aim.source) or (target.not_same_as and chosen.get(target.not_same_as) == vessel.id):
        return False
    if target.same_controller_as:
        other = board.state.vessels.get(chosen.get(target.same_controller_as, ""))
        if other is None or other.controller != vessel.controller:
            return False
    if not target.chosen and (board.untargetable(vessel) or (aim.is_command and _is_shielded(board, vessel.cell, kind))):
        return False
    return _fits_where(board, aim, target, vessel.cell, chosen) and _fits_ops(board, aim, target, vessel)


def _fits_ops(board: Board, aim: Aim, target: Target, vessel: Vessel) -> bool:
    """Return True within the limits of the effects: no excess fighters (RULES.md 19.6), only damage that can still be moved."""
    for effect in aim.effects:
        limited = effect.op == "gain_control" and effect.to == target.name and board.edition.limit_counts == "fighters"
        if limited and board.is_fighter(vessel) and board.fighters(aim.seat) >= board.devs(aim.seat):
            return False
        if effect.op == "redirect" and effect.from_ == target.name and not aim.is_command:
            combat = board.state.combat
            if combat is None or all(a.target != vessel.id or a.redirected for a in combat.assigned):
                return False
    return True


def _is_shielded(board: Board, cell: str, what: str) -> bool:
    return any(what in effect.what for effect in board.geography(cell, "deny_command_targets"))


def _fits_who(seat: int, who: str, controller: int | None) -> bool:
    if who == "own":
        return controller == seat
    return who != "opponent" or (controller is not None and controller != seat)


def _fits_where(board: Board, aim: Aim, target: Target, cell: str, chosen: Mapping[str, str]) -> bool:
    word, _, name = target.where.partition(":")
    other = cell_of(board, chosen.get(name, "")) if name else None
    match word:
        case "here":
            return cell == aim.cell
        case "system_of":
            return cell == other
        case "adjacent_to":
            return other is not None and cell in board.next_to(other)
        case "with_own_vessel":
            return bool(board.here(cell, aim.seat))
        case "with_own_ship":
            return bool(board.ships(cell, aim.seat))
        case "enemy_system":
            return board.state.cells[cell].controller not in (None, aim.seat)
    return True


def candidates(board: Board, aim: Aim, target: Target, chosen: Mapping[str, str]) -> list[str]:
    """Return all legal values of one target in a fixed order."""
    pool: Sequence[str]
    if target.kind == "player":
        pool = [str(seat) for seat in board.living()]
    elif target.kind == "stack_command":
        pool = [f"s{item.id}" for item in board.state.stack]
    elif target.kind == "system":
        pool = list(board.state.cells)
    else:
        pool = list(board.state.vessels)
    return [value for value in pool if is_legal(board, aim, target, value, chosen)]


def bundles(board: Board, aim: Aim) -> list[dict[str, list[str]]]:
    """Return the legal combinations. Each lists the values of every target; only the last target has several values."""
    if not aim.targets:
        return [{}]
    first, *rest = aim.targets
    values = candidates(board, aim, first, {})
    if not rest:
        return [{first.name: values}] if values else []
    [second] = rest
    found = []
    for value in values:
        others = candidates(board, aim, second, {first.name: value})
        if others:
            found.append({first.name: [value], second.name: others})
        elif second.optional:
            found.append({first.name: [value]})
    return found


def check_targets(board: Board, aim: Aim, given: Mapping[str, str]) -> None:
    """Raise `Refused` for targets that are missing, unknown or illegal."""
    known = {target.name for target in aim.targets}
    for name in given:
        if name not in known:
            names = ", ".join(sorted(known)) or "none"
            raise Refused(
                "illegal_target", say("There is no target {name!r} here; targets: {names}.", name=name, names=names), "targets"
            )
    chosen: dict[str, str] = {}
    for target in aim.targets:
        if target.name not in given:
            if target.optional:
                continue
            raise Refused(
                "no_target", say("Target {target} ({kind}) is missing.", target=target.name, kind=target.kind), "targets"
            )
        if not is_legal(board, aim, target, given[target.name], chosen):
            raise Refused(
                "illegal_target",
                say(
                    "{value} is not a legal target {target} ({kind}).",
                    value=given[target.name],
                    target=target.name,
                    kind=target.kind,
                ),
                "targets",
            )
        chosen[target.name] = given[target.name]


def still_legal(board: Board, aim: Aim, given: Mapping[str, str]) -> dict[str, str]:
    """Return an item's targets that are still legal when it resolves."""
    chosen: dict[str, str] = {}
    for target in aim.targets:
        if target.name in given and is_legal(board, aim, target, given[target.name], chosen):
            chosen[target.name] = given[target.name]
    return chosen


# --- abilities ---


def ability_of(board: Board, seat: int, source: str) -> Effect | None:
    """Return the ability of a technology, vessel or system that this seat may use now, or None. Ignores costs and targets."""
    state = board.state
    if len(state.stack) >= MOST_FOR_ABILITIES:
        return None
    if source in state.seats[seat].technologies:
        effect = board.cards[state.faces[source]].ability
    elif source in state.vessels and state.vessels[source].controller == seat:
        effect = board.card(state.vessels[source]).ability
    elif source in state.cells and state.cells[source].controller == seat and not board.besieged(source):
        card = board.system(source)
        effect = card.ability if card else None
    else:
        return None
    return effect if effect is not None and _fits_window(board, source, effect) else None


def _fits_window(board: Board, source: str, effect: Effect) -> bool:
    if not effect.window:
        return True
    state = board.state
    if state.window is None or state.window.name != effect.window or state.combat is None:
        return False
    vessel = state.vessels.get(source)
    if vessel is None or vessel.cell != state.combat.cell:
        return False
    return effect.limit != "once_per_combat" or source not in state.combat.used


def sources(board: Board, seat: int) -> list[tuple[str, Effect]]:
    """Return all sources of abilities that the seat may use now. Copies of a technology count once."""
    state = board.state
    pool: dict[str, str] = {}
    for uid in state.seats[seat].technologies:
        pool.setdefault(state.faces[uid], uid)
    names = [*pool.values(), *(v.id for v in board.fleet(seat) if board.card(v).ability), *board.controlled(seat)]
    return [(source, effect) for source in names if (effect := ability_of(board, seat, source))]


def price_of(board: Board, effect: Effect, targets: Mapping[str, str], x: int) -> int:
    """Return the cost of an ability in credits. If it costs credits at all, the amount is never 0 (RULES.md 7)."""
    if effect.cost_credits == "X":
        return x
    if effect.cost_credits == "attack(a)":
        return board.attack(board.state.vessels[targets["a"]])
    return int(effect.cost_credits)


def affordable(board: Board, seat: int, source: str, effect: Effect) -> list[dict[str, list[str]]]:
    """Return the target combinations of an ability that the seat can pay for now."""
    purse = board.state.seats[seat]
    if len(purse.hand) < effect.cost_discard or (effect.cost_credits and purse.credits < 1):
        return []
    found = bundles(board, aim_of_ability(board, seat, source, effect))
    if effect.cost_credits == "attack(a)":
        found = [
            {**bundle, "a": payable}
            for bundle in found
            if (payable := [a for a in bundle["a"] if 1 <= board.attack(board.state.vessels[a]) <= purse.credits])
        ]
    return found


def can_use_any(board: Board, seat: int) -> bool:
    """Return True if the seat could use an ability. This is public, as hand sizes and credits are."""
    return any(affordable(board, seat, source, effect) for source, effect in sources(board, seat))


# --- affected seats ---


_FOR_ITS_PLAYER = frozenset({"gain_credits", "draw"})


def concerns(board: Board, item: Item, seat: int) -> bool:
    """Return True if an item affects the seat, its belongings, a cell with its vessels, or one of its items (RULES.md 14).

    An item that only gives its player credits or cards counts by its targets alone.
    """
    card = board.cards.cards.get(item.name)
    ops = {effect.op for effect in card.effects} if card is not None else set()
    if "extra_turn" in ops:
        return True  # Filibuster affects everyone
    if item.kind != "action" and ops and ops <= _FOR_ITS_PLAYER:
        return False
    return any(_touches(board, value, seat) for value in _aimed_at(item))


def _aimed_at(item: Item) -> list[str]:
    values = list(item.targets.values())
    params = item.params or {}
    for name in ("to", "cell"):
        if isinstance(params.get(name), str):
            values.append(params[name])
    return values


def _touches(board: Board, value: str, seat: int) -> bool:
    state = board.state
    if value in state.vessels:
        return state.vessels[value].controller == seat
    if value in state.cells:
        return state.cells[value].controller == seat or bool(board.here(value, seat))
    if value.startswith("s"):
        return any(f"s{item.id}" == value and item.seat == seat for item in state.stack)
    return value == str(seat)
