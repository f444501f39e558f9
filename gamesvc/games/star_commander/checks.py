"""What must always hold (`faults`), how a match ended, and which events outdate a command."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from gamesvc.games.kernel import Command, Event, Outcome
from gamesvc.games.star_commander.board import Board
from gamesvc.games.star_commander.data import DOMAINS
from gamesvc.games.star_commander.state import State

PROMPTS = frozenset(["ready_draw", "choice", "command", "window", "combat_choose", "combat_assign", "combat_retreat", "over"])


def faults(state: State) -> list[str]:
    """Cards, supply, systems, credits, developments and places: everything is somewhere, once."""
    board = Board(state)
    found: list[str] = []
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
        if vessel.cell not in state.cells or board.is_lethal(vessel.damage, board.hp(vessel)):
            found.append(f"vessel {vessel.id} cannot be where or as it is")
    if state.prompt.kind not in PROMPTS:
        found.append(f"there is no prompt {state.prompt.kind}")
    return found


def _cell_faults(board: Board) -> list[str]:
    found = []
    for name, cell in board.state.cells.items():
        if cell.devs < 0 or (cell.devs > 0) != (cell.controller is not None):
            found.append(f"{name} has {cell.devs} developments and controller {cell.controller}")
        if not cell.explored and (cell.devs or cell.controller is not None):
            found.append(f"{name} is face down and developed")
    return found


def outcome(state: State) -> Outcome | None:
    if state.result is None:
        return None
    return Outcome(state.result.reason, state.result.ranking, state.result.scores)


_ASIDE = frozenset({"set_standing_orders", "resign", "accept_trade", "decline_trade", "withdraw_trade"})
_HARMLESS = frozenset({"standing_orders_set", "trade_offered", "trade_declined", "trade_withdrawn", "trades_lapsed"})
_NEW = frozenset({"card_played", "ability_activated", "action_declared", "phase_entered", "combat_opened", "turn_started"})
"""What a seat that wants to pass has not heard of yet."""


def stale(command: Command, since: Sequence[Event], seat: int) -> bool:
    """Whether what happened meanwhile outdates a command.

    Standing orders and answers to offers never are (an offer cannot change, and is checked again). A pass is outdated by
    something new to answer, not by others passing. Offers and early passes of others outdate nothing.
    """
    if command["name"] in _ASIDE:
        return False
    if command["name"] == "pass":
        return any(event.type in _NEW for event in since)
    return any(event.type not in _HARMLESS and not event.data.get("early") for event in since)
