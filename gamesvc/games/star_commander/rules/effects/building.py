"""Legal building and developing (RULES.md 6)."""

from __future__ import annotations

from gamesvc.games.kernel.game import Refused
from gamesvc.games.kernel.wording import counted
from gamesvc.games.star_commander.data import Card
from gamesvc.games.star_commander.rules.values import Board
from gamesvc.language import say


def is_own_home(board: Board, seat: int, cell: str) -> bool:
    found = board.state.cells[cell]
    return found.home == seat and found.controller == seat


def permits_ship(board: Board, seat: int, card: Card, cell: str) -> bool:
    """Return True if an effect allows building this ship in the cell: capitals, Homeworlds, Shipyard, Fighter Bays."""
    if is_own_home(board, seat, cell):
        return True  # also under siege
    system = board.system(cell)
    effects = list(system.effects) if system is not None and not board.besieged(cell) else []
    effects += [effect for station in board.stations(cell, seat) for effect in board.card(station).effects]
    if board.stations(cell, seat):
        effects += [e for e in board.technology(seat) if e.scope == "own_systems_with_own_station"]
    return any(e.op == "permit_build" and ("ship" in e.what or card.size in e.what) for e in effects)


def is_barred(board: Board, seat: int, card: Card, cell: str) -> str:
    """Return the reason why nothing of the kind can be built here (control, siege, contest); empty if it can."""
    if board.state.cells[cell].controller != seat:
        return say("You do not control {cell}.", cell=cell)
    if card.kind == "ship" and is_own_home(board, seat, cell):
        return ""
    if board.besieged(cell):
        return say("{cell} is under siege.", cell=cell)
    return say("{cell} is contested.", cell=cell) if board.contested(cell) else ""


def is_over_limit(board: Board, seat: int, card: Card, cell: str) -> str:
    """Return the reason why one more would exceed a limit; empty if it would not (RULES.md 19.5, 19.6)."""
    devs, there = board.devs(seat), board.state.cells[cell].devs
    if card.kind == "station":
        if len(board.stations(cell)) < there:
            return ""
        developments = counted(there, "development")
        return say("{cell} has {developments} and no room for another station.", cell=cell, developments=developments)
    if board.edition.limit_counts == "ships":
        ships = sum(board.card(vessel).kind == "ship" for vessel in board.fleet(seat))
        return _develop_first(counted(ships, "ship"), devs) if ships >= devs else ""
    if card.size != "fighter":
        return ""
    if board.fighters(seat) >= devs:
        return _develop_first(counted(board.fighters(seat), "fighter"), devs)
    if sum(board.is_fighter(vessel) for vessel in board.here(cell, seat)) < there:
        return ""
    developments = counted(there, "development")
    return say("{cell} has {developments} and no room for another fighter.", cell=cell, developments=developments)


def _develop_first(ships: str, devs: int) -> str:
    return say("You have {ships} and {developments}; develop first.", ships=ships, developments=counted(devs, "development"))


def check_build(board: Board, seat: int, card: Card, cell: str, *, free: bool = False, paid: bool = False) -> int:
    """Return the price. Raises `Refused`. `free`: ignore place limits and cost; `paid`: the credits were paid before."""
    if cell not in board.state.cells:
        raise Refused("no_target", say("There is no system {cell}.", cell=cell), "cell")
    if card.id in board.state.supply and board.state.supply[card.id] < 1:
        raise Refused("no_supply", say("No {name} is left.", name=card.name), "card")
    if why := is_barred(board, seat, card, cell):
        raise Refused("cannot_build_here", why, "cell")
    if card.kind == "ship" and not free and not permits_ship(board, seat, card, cell):
        raise Refused(
            "cannot_build_here",
            say("{name} cannot be built in {cell}: ships need a Homeworld or capital.", name=card.name, cell=cell),
            "cell",
        )
    if why := is_over_limit(board, seat, card, cell):
        raise Refused("limit", why, "cell")
    price = 0 if free else board.cost(card, seat)
    if not paid and board.state.seats[seat].credits < price:
        have = board.state.seats[seat].credits
        raise Refused(
            "cannot_pay",
            say("{name} costs {price}; you have {credits}.", name=card.name, price=price, credits=counted(have, "credit")),
            "card",
        )
    return price


def can_build(board: Board, seat: int, card: Card, cell: str, *, free: bool = False) -> bool:
    try:
        check_build(board, seat, card, cell, free=free)
    except Refused:
        return False
    return True


def places(board: Board, seat: int, card: Card) -> list[str]:
    """Return the cells where a seat can build this now."""
    if board.state.seats[seat].credits < board.cost(card, seat):
        return []
    return [cell for cell in board.controlled(seat) if can_build(board, seat, card, cell)]


def core_cards(board: Board, kind: str) -> list[Card]:
    return [card for at in board.cards.core if (card := board.cards[at]).kind == kind and card.buildable]


def builds_in_combat(board: Board, seat: int) -> bool:
    """Return True if the seat may build ships in its combat phase (Forsei, RULES.md 19.46)."""
    return any(
        effect.op == "permit_build_phase" and "combat" in effect.phases
        for _, card in board.active_systems(seat)
        for effect in card.effects
    )


def check_develop(board: Board, seat: int, cell: str) -> int:
    """Return the price of one development. Raises `Refused`. Siege and contest do not matter (RULES.md 19.8)."""
    found = board.find(cell)
    if found is None or not found.explored:
        raise Refused("no_target", say("{cell} is not explored.", cell=cell), "cell")
    if found.devs >= board.max_devs(cell):
        raise Refused("limit", say("{cell} is at its maximum of {most}.", cell=cell, most=board.max_devs(cell)), "cell")
    if found.controller is None:
        ships = board.ships(cell, seat)
        if not board.edition.fighters_found_colonies:
            ships = [ship for ship in ships if not board.is_fighter(ship)]
        if not ships:
            raise Refused("illegal_target", say("You need a ship in {cell} to develop it.", cell=cell), "cell")
        price = 1
    elif found.controller == seat:
        price = found.devs + 1
    else:
        raise Refused("illegal_target", say("{cell} is controlled by another seat.", cell=cell), "cell")
    if board.state.seats[seat].credits < price:
        raise Refused(
            "cannot_pay",
            say(
                "Developing {cell} costs {price}; you have {credits}.",
                cell=cell,
                price=price,
                credits=board.state.seats[seat].credits,
            ),
            "cell",
        )
    return price


def can_develop(board: Board, seat: int, cell: str) -> bool:
    try:
        check_develop(board, seat, cell)
    except Refused:
        return False
    return True


def with_room(board: Board, seat: int) -> list[str]:
    """Return the controlled systems below their maximum."""
    return [cell for cell in board.controlled(seat) if board.state.cells[cell].devs < board.max_devs(cell)]
