"""The invariants of every state."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from gamesvc.games.star_commander.data import CATALOGS, DOMAINS
from gamesvc.games.star_commander.manifest import MANIFEST
from gamesvc.games.star_commander.rules import pending
from gamesvc.games.star_commander.rules.values import Board
from gamesvc.games.star_commander.state import State, corners


def faults(state: State) -> list[str]:
    """Return the broken invariants of cards, supply, systems, credits, developments and places."""
    broken = list(_names(state))
    if broken:
        return broken
    board = Board(state)
    found: list[str] = [*_course(state), *pending.faults(board), *pending.order_faults(board)]
    places = Counter(uid for deck in (*state.decks.values(), *state.discards.values()) for uid in deck)
    for seat in state.seats:
        places.update(seat.hand)
        places.update(seat.technologies)
    places.update(vessel.uid for vessel in state.vessels.values() if vessel.uid)
    places.update(item.uid for item in state.stack if item.uid)
    if set(places) != set(state.faces) or any(count != 1 for count in places.values()):
        found.append("the domain cards do not lie each in one place")
    for domain in DOMAINS:
        here = Counter(card for card in state.faces.values() if board.cards[card].domain == domain)
        if here != Counter(board.cards.domain_deck(domain)):
            found.append(f"the {domain} cards are not those of the deck")
        if any(board.cards[state.faces[uid]].domain != domain for uid in (*state.decks[domain], *state.discards[domain])):
            found.append(f"a card of another domain lies with {domain}")
    for card, left in state.supply.items():
        out = sum(vessel.card == card and vessel.uid is None for vessel in state.vessels.values())
        if left < 0 or left + out != board.cards[card].supply:
            found.append(f"{card}: {left} in the supply and {out} on the board")
    systems = Counter([cell.card for cell in state.cells.values() if cell.home is None] + list(state.undealt))
    if systems != Counter(board.cards.system_deck()):
        found.append("the systems are not those of the deck")
    found += _cell_faults(board)
    for at, seat in enumerate(state.seats):
        if seat.credits < 0:
            found.append(f"seat {at} has {seat.credits} credits")
        if not seat.alive and (seat.hand or seat.technologies or board.fleet(at) or board.controlled(at)):
            found.append(f"seat {at} is out and still has something")
    for vessel in state.vessels.values():
        if board.is_lethal(vessel.damage, board.hp(vessel)):
            found.append(f"vessel {vessel.id} cannot be where or as it is")
    return found


def _names(state: State) -> Iterator[str]:
    """Yield unknown seats, cells, cards and vessels. All other checks rely on their existence."""
    count, cards = len(state.seats), CATALOGS[state.edition].cards
    if not MANIFEST.min_seats <= count <= MANIFEST.max_seats:
        yield f"/seats has {count} seats; there are {MANIFEST.min_seats} to {MANIFEST.max_seats}"
        return
    names = [f"{r},{c}" for r in range(state.grid) for c in range(state.grid)]
    homes = dict(zip(corners(state.grid, count), range(count), strict=True))
    if list(state.cells) != names:
        yield f"/cells must be {names[0]} to {names[-1]} in row order"
        return
    if any(
        cell.home != homes.get(name) or (cell.home is not None) != (cell.card == "homeworld")
        for name, cell in state.cells.items()
    ):
        yield f"/cells: Homeworlds lie at {', '.join(homes)}, in the order of seats"
    if any(set(piles) != set(DOMAINS) for piles in (state.decks, state.discards)):
        yield f"/decks and /discards must have {', '.join(DOMAINS)}"
    if set(state.supply) != set(CATALOGS[state.edition].core):
        yield "/supply must name the core vessels of the edition"
    named = {*state.faces.values(), *state.undealt, *(cell.card for cell in state.cells.values())}
    named |= {vessel.card for vessel in state.vessels.values()} | {modifier.source for modifier in state.modifiers}
    if unknown := sorted(named - cards.keys()):
        yield f"{unknown[0]} is not a card of this edition"
        return
    if wrong := [uid for uid, card in state.faces.items() if cards[card].domain not in DOMAINS or int(uid[1:]) > state.uids]:
        yield f"/faces/{wrong[0]} must be a card of a domain, numbered up to uids"
    if any(cards[cell.card].kind != "system" for cell in state.cells.values()):
        yield "/cells must hold systems"
    seats = {state.active, state.resume, *state.extra, *(seat for group in state.out for seat in group)}
    seats |= {seat for cell in state.cells.values() for seat in (cell.controller, *cell.first_developed_by) if seat is not None}
    seats |= {vessel.controller for vessel in state.vessels.values()}
    seats |= {seat for one in state.modifiers for seat in (one.seat, one.until_seat) if seat >= 0}
    if max(seats) >= count:
        yield f"there is no seat {max(seats)}"
    yield from _vessel_names(state)


def _vessel_names(state: State) -> Iterator[str]:
    cards = CATALOGS[state.edition].cards
    for name, vessel in state.vessels.items():
        face = state.faces.get(vessel.uid) if vessel.uid is not None else None
        if vessel.id != name or int(name[1:]) > state.vessels_made or vessel.cell not in state.cells:
            yield f"/vessels/{name} must have its own id, up to vessels_made, and lie in a cell"
        if not cards[vessel.card].is_vessel or (vessel.card in state.supply) != (vessel.uid is None):
            yield f"/vessels/{name}/card must be a vessel, from the supply or with the uid of a card"
        elif vessel.uid is not None and face != vessel.card:
            yield f"/vessels/{name}/uid must be that of its card"
    if any(one.vessel not in state.vessels or one.id > state.modifiers_made for one in state.modifiers):
        yield "/modifiers must lie on vessels, numbered up to modifiers_made"
    if len({one.id for one in state.modifiers}) < len(state.modifiers):
        yield "/modifiers must not have a number twice"


def _course(state: State) -> Iterator[str]:
    """Yield faults in the active seat and the eliminated seats."""
    gone = [at for at, seat in enumerate(state.seats) if not seat.alive]
    if sorted(seat for group in state.out for seat in group) != gone:
        yield "/out must name the seats that are out, each once"
    if state.result is None and len(state.seats) - len(gone) < 2:
        yield "the match goes on with fewer than two seats"
    if state.result is None and (not state.seats[state.active].alive or not state.turn):
        yield "the active seat plays, and turns count from 1"
    if state.edition == "revised" and state.lethal != "at_least":
        yield "lethal: more_than is an option of the classic edition only"
    if set(state.fought) - state.cells.keys() or set(state.abandoned) - state.cells.keys():
        yield "/fought and /abandoned name cells"
    kinds = {uid: CATALOGS[state.edition][card].kind for uid, card in state.faces.items()}
    if any(kinds.get(uid) != "technology" for seat in state.seats for uid in seat.technologies):
        yield "only technologies lie in front of a seat"


def _cell_faults(board: Board) -> list[str]:
    found = []
    for name, cell in board.state.cells.items():
        if cell.devs < 0 or (cell.devs > 0) != (cell.controller is not None):
            found.append(f"{name} has {cell.devs} developments and controller {cell.controller}")
        if not cell.explored and (cell.devs or cell.controller is not None):
            found.append(f"{name} is face down and developed")
    return found
