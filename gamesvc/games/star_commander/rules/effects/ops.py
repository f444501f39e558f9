"""The code of all effects, one function per op of RULES.md 16, and board changes shared with other rules."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gamesvc.games.star_commander.data import Card, Effect
from gamesvc.games.star_commander.rules.decision import Play
from gamesvc.games.star_commander.rules.effects import building
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


# --- changes of the board ---


def destroy(play: Play, vessels: Iterable[Vessel], cause: str) -> None:
    """Remove vessels from the board together."""
    gone = [
        {"id": v.id, "card": v.card, "uid": v.uid, "seat": v.controller, "cell": v.cell, "domain": play.board.card(v).domain}
        for v in vessels
    ]
    if gone:
        play.emit("vessel_destroyed", vessels=gone, cause=cause)


def check_damage(play: Play) -> None:
    """Destroy all vessels with lethal damage, at once and together: the state check (RULES.md 19.2).

    Hit points alone never drop to 0: every vessel prints 1 or more, and no effect lowers them below 1.
    """
    board = play.board
    dead = [v for v in play.state.vessels.values() if v.damage and board.is_lethal(v.damage, board.hp(v))]
    destroy(play, dead, "damage")


def settle(play: Play) -> None:
    """Run the state check and apply Jump Nexus, after vessels arrived, changed hands or changed value."""
    check_damage(play)
    board, active = play.board, play.state.active
    boosts = []
    for station in play.state.vessels.values():
        if station.controller != active:
            continue
        for effect in board.card(station).effects:
            if effect.scope != "own_ships_present_here_this_turn":
                continue
            for ship in board.ships(station.cell, active):
                if all(modifier.cell != station.id for modifier in board.modifiers(ship.id, "speed")):
                    # `cell` identifies the Nexus: each one works once per turn
                    boosts.append(
                        modifier_json(
                            "speed", ship.id, int(effect.amount), station.card, active, effect.duration, cell=station.id
                        )
                    )
    add_modifiers(play, boosts)


def modifier_json(
    kind: str,
    vessel: str,
    amount: int,
    source: str,
    seat: int,
    duration: str,
    *,
    until_seat: int | None = None,
    cell: str = "",
    untargetable: bool = False,
) -> dict[str, Any]:
    ends = duration == "end_of_turn"
    return {
        "kind": kind,
        "vessel": vessel,
        "amount": amount,
        "source": source,
        "seat": seat,
        "until": "end_of_turn" if ends else "turn_of",
        "until_seat": -1 if ends else seat if until_seat is None else until_seat,
        "cell": cell,
        "untargetable": untargetable,
    }


def add_modifiers(play: Play, modifiers: Sequence[dict[str, Any]]) -> None:
    if modifiers:
        first = play.state.modifiers_made + 1
        play.emit("modifier_added", modifiers=[{"id": first + at, **one} for at, one in enumerate(modifiers)])


def arrive(play: Play, seat: int, ships: Sequence[str], cell: str, *, explore: bool = True) -> None:
    """Apply the consequences of ships arriving in a cell: exploring, then entry effects (RULES.md 6)."""
    found = play.state.cells[cell]
    explores = not found.explored and explore
    if explores:
        play.emit("system_explored", seat=seat, cell=cell, card=found.card)
    card = play.board.system(cell)
    for effect in card.with_trigger("entered") if card is not None else ():
        if card is not None and effect.op == "deny_attack":
            owners = [(ship, play.state.vessels[ship].controller) for ship in ships]
            add_modifiers(
                play,
                [modifier_json("deny_attack", ship, 0, card.id, seat, "turn_of", until_seat=owner) for ship, owner in owners],
            )
    settle(play)
    if explores:
        run_system_effects(play, seat, cell, "explored")


def run_system_effects(play: Play, seat: int, cell: str, trigger: str) -> None:
    """Put a system's effects for one trigger on the list."""
    card = play.board.system(cell)
    if card is not None and card.with_trigger(trigger):
        play.push("effects", trigger=trigger, at=0, seat=seat, card=card.id, source=cell, targets={})


def spend(play: Play, seat: int, amount: int, why: str) -> None:
    if amount:
        play.emit("credits_spent", seat=seat, amount=amount, credits=play.state.seats[seat].credits - amount, why=why)


def gain(play: Play, seat: int, amount: int, sources: Sequence[tuple[str, int]]) -> None:
    if amount:
        play.emit(
            "credits_gained",
            seat=seat,
            amount=amount,
            credits=play.state.seats[seat].credits + amount,
            sources=[[name, part] for name, part in sources],
        )


def discard(play: Play, seat: int, uid: str, *, source: str = "hand") -> None:
    """Put a card from hand (or from the stack, or the top of a deck) on its discard pile."""
    card = play.board.cards[play.state.faces[uid]]
    play.emit("card_discarded", seat=seat, uid=uid, card=card.id, domain=card.domain, source=source)


def put_vessel(play: Play, seat: int, card: Card, cell: str, *, paid: int, uid: str | None = None) -> None:
    made = play.state.vessels_made + 1
    play.emit("vessel_built", seat=seat, vessel=f"v{made}", card=card.id, cell=cell, paid=paid, uid=uid, turn=play.state.turn)
    settle(play)


def place_development(play: Play, seat: int, cell: str, amount: int, *, first: bool = False) -> None:
    devs = play.state.cells[cell].devs + amount
    play.emit("development_placed", seat=seat, cell=cell, amount=amount, devs=devs, first=first)


def change_control(play: Play, cell: str, seat: int | None, devs: int, cause: str) -> None:
    before = play.state.cells[cell].controller
    play.emit("control_changed", cell=cell, seat=seat, before=before, devs=devs, cause=cause)


def change_vessel_control(play: Play, vessels: Sequence[Vessel], seat: int, cause: str) -> None:
    if vessels:
        moved = [{"id": v.id, "card": v.card, "before": v.controller} for v in vessels]
        play.emit("vessel_control_changed", vessels=moved, seat=seat, turn=play.state.turn, cause=cause)


def conquer(play: Play, cell: str, seat: int) -> None:
    """Take over a system that lost its last development: one new development, every remaining station (RULES.md 19.23)."""
    change_control(play, cell, seat, 1, "conquest")
    change_vessel_control(play, [v for v in play.board.stations(cell) if v.controller != seat], seat, "conquest")
    settle(play)


def damage(play: Play, hits: Sequence[tuple[str, str, int]], cause: str) -> None:
    """Deal damage (source, vessel, amount) together; prevented damage is 0. Then run the state check."""
    board, told = play.board, []
    totals: dict[str, int] = {}
    for source, at, amount in hits:
        vessel = play.state.vessels[at]
        dealt = 0 if board.prevented(vessel) else amount
        totals[at] = totals.get(at, vessel.damage) + dealt
        told.append({"source": source, "vessel": at, "card": vessel.card, "amount": dealt, "prevented": amount - dealt})
    if told:
        play.emit("damage_dealt", hits=told, damage=totals, cause=cause)
        settle(play)


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
        gain(play, acting.seat, amount, [(acting.card, amount)])


def draw(play: Play, acting: Acting, effect: Effect) -> None:
    play.push("draw", seat=acting.seat, left=amount_of(play, acting, effect.amount), why="effect")


def develop_free(play: Play, acting: Acting, effect: Effect) -> None:
    if effect.where == "choose_own_with_room":
        play.push("place_free", seat=acting.seat)
        return
    cell = cell_of(play.board, acting.source)
    if cell is not None and cell in building.with_room(play.board, acting.seat):
        place_development(play, acting.seat, cell, 1)


def remove_developments(play: Play, acting: Acting, effect: Effect) -> None:
    ship, amount = _target(play, acting, effect.where.partition(":")[2]), amount_of(play, acting, effect.amount)
    if ship is not None and amount is not None:
        devs = play.state.cells[ship.cell].devs
        left = max(min(devs, effect.floor), devs - amount)
        if left < devs:
            play.emit("developments_removed", cell=ship.cell, amount=devs - left, devs=left, seat=acting.seat, cause=acting.card)


_MODIFIERS = {"lock_movement": "lock", "prevent_damage": "prevent"}


def modify(play: Play, acting: Acting, effect: Effect) -> None:
    """Add modifiers to vessels. Also used for extra_targets, lock_movement, long_jump and prevent_damage."""
    kind = effect.stat if effect.op == "modify" else _MODIFIERS.get(effect.op, effect.op)
    amount = amount_of(play, acting, effect.amount)
    if amount is not None:
        marks = [
            modifier_json(
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
        add_modifiers(play, marks)
        settle(play)


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
    damage(play, [(source.id, vessel.id, amount) for vessel in hit], acting.card)


def destroy_targets(play: Play, acting: Acting, effect: Effect) -> None:
    word, _, name = effect.to.partition(":")
    if word == "each_vessel_in":
        cell = cell_of(play.board, acting.targets.get(name, ""))
        hit = play.board.here(cell) if cell else []
    else:
        one = _target(play, acting, word)
        hit = [one] if one else []
    destroy(play, hit, acting.card)
    settle(play)


def build_free(play: Play, acting: Acting, effect: Effect) -> None:
    """Build as many free copies as place, limits and supply allow (RULES.md 19.30)."""
    cell = cell_of(play.board, acting.source if effect.where == "here" else acting.targets.get(effect.where, ""))
    card = play.board.cards[effect.vessel]
    for _ in range(int(effect.amount)):
        if cell is not None and building.can_build(play.board, acting.seat, card, cell, free=True):
            put_vessel(play, acting.seat, card, cell, paid=0)


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
    play.emit("ship_moved", ship=ship.id, card=ship.card, from_cell=ship.cell, to=cell, seat=acting.seat)
    arrive(play, acting.seat, [ship.id], cell, explore=acting.explore)


def gain_control(play: Play, acting: Acting, effect: Effect) -> None:
    vessel = _target(play, acting, effect.to)
    if vessel is not None:
        change_vessel_control(play, [vessel], acting.seat, acting.card)
        settle(play)


def cancel_command(play: Play, acting: Acting, effect: Effect) -> None:
    value = acting.targets.get(effect.to)
    if value is not None:
        item = next(item for item in play.state.stack if f"s{item.id}" == value)
        play.emit("stack_item_cancelled", item=item.id, name=item.name, seat=item.seat, by=acting.seat)


def extra_turn(play: Play, acting: Acting, effect: Effect) -> None:
    play.emit("extra_turn_queued", seat=acting.seat)


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
        play.emit("damage_redirected", from_vessel=start.id, to=end.id, amount=amount, seat=acting.seat)


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
