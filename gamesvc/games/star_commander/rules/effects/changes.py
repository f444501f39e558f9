"""Changes of the board, of credits and of hands, shared by effects and all other rules."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from gamesvc.games.star_commander.data import Card
from gamesvc.games.star_commander.events.board import (
    ControlChanged,
    DamageDealt,
    DevelopmentPlaced,
    Gone,
    HandedOver,
    Hit,
    ModifierAdded,
    NewModifier,
    SystemExplored,
    VesselBuilt,
    VesselControlChanged,
    VesselDestroyed,
)
from gamesvc.games.star_commander.events.cards import CardDiscarded, CreditsGained, CreditsSpent
from gamesvc.games.star_commander.rules.decision import Play
from gamesvc.games.star_commander.state import Vessel


def destroy(play: Play, vessels: Iterable[Vessel], cause: str) -> None:
    """Remove vessels from the board together."""
    gone: list[Gone] = [
        {"id": v.id, "card": v.card, "uid": v.uid, "seat": v.controller, "cell": v.cell, "domain": play.board.card(v).domain}
        for v in vessels
    ]
    if gone:
        play.emit(VesselDestroyed(vessels=gone, cause=cause))


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
    boosts: list[NewModifier] = []
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
) -> NewModifier:
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


def add_modifiers(play: Play, modifiers: Sequence[NewModifier]) -> None:
    if modifiers:
        first = play.state.modifiers_made + 1
        play.emit(ModifierAdded(modifiers=[{"id": first + at, **one} for at, one in enumerate(modifiers)]))


def arrive(play: Play, seat: int, ships: Sequence[str], cell: str, *, explore: bool = True) -> None:
    """Apply the consequences of ships arriving in a cell: exploring, then entry effects (RULES.md 6)."""
    found = play.state.cells[cell]
    explores = not found.explored and explore
    if explores:
        play.emit(SystemExplored(seat=seat, cell=cell, card=found.card))
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
        play.emit(CreditsSpent(seat=seat, amount=amount, credits=play.state.seats[seat].credits - amount, why=why))


def gain(play: Play, seat: int, amount: int, sources: Sequence[tuple[str, int]]) -> None:
    if amount:
        play.emit(
            CreditsGained(
                seat=seat,
                amount=amount,
                credits=play.state.seats[seat].credits + amount,
                sources=list(sources),
            )
        )


def discard(play: Play, seat: int, uid: str, *, source: str = "hand") -> None:
    """Put a card from hand (or from the stack, or the top of a deck) on its discard pile."""
    card = play.board.cards[play.state.faces[uid]]
    play.emit(CardDiscarded(seat=seat, uid=uid, card=card.id, domain=card.domain, source=source))


def put_vessel(play: Play, seat: int, card: Card, cell: str, *, paid: int, uid: str | None = None) -> None:
    made = play.state.vessels_made + 1
    play.emit(VesselBuilt(seat=seat, vessel=f"v{made}", card=card.id, cell=cell, paid=paid, uid=uid, turn=play.state.turn))
    settle(play)


def place_development(play: Play, seat: int, cell: str, amount: int, *, first: bool = False) -> None:
    devs = play.state.cells[cell].devs + amount
    play.emit(DevelopmentPlaced(seat=seat, cell=cell, amount=amount, devs=devs, first=first))


def change_control(play: Play, cell: str, seat: int | None, devs: int, cause: str) -> None:
    before = play.state.cells[cell].controller
    play.emit(ControlChanged(cell=cell, seat=seat, before=before, devs=devs, cause=cause))


def change_vessel_control(play: Play, vessels: Sequence[Vessel], seat: int, cause: str) -> None:
    if vessels:
        moved: list[HandedOver] = [{"id": v.id, "card": v.card, "before": v.controller} for v in vessels]
        play.emit(VesselControlChanged(vessels=moved, seat=seat, turn=play.state.turn, cause=cause))


def conquer(play: Play, cell: str, seat: int) -> None:
    """Take over a system that lost its last development: one new development, every remaining station (RULES.md 19.23)."""
    change_control(play, cell, seat, 1, "conquest")
    change_vessel_control(play, [v for v in play.board.stations(cell) if v.controller != seat], seat, "conquest")
    settle(play)


def damage(play: Play, hits: Sequence[tuple[str, str, int]], cause: str) -> None:
    """Deal damage (source, vessel, amount) together; prevented damage is 0. Then run the state check."""
    board = play.board
    told: list[Hit] = []
    totals: dict[str, int] = {}
    for source, at, amount in hits:
        vessel = play.state.vessels[at]
        dealt = 0 if board.prevented(vessel) else amount
        totals[at] = totals.get(at, vessel.damage) + dealt
        told.append({"source": source, "vessel": at, "card": vessel.card, "amount": dealt, "prevented": amount - dealt})
    if told:
        play.emit(DamageDealt(hits=told, damage=totals, cause=cause))
        settle(play)
