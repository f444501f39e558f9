"""What must hold of every state: cards, pieces and chits are neither lost nor made (RULES.md 1)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from gamesvc.games.stratastar import data, facts
from gamesvc.games.stratastar.board import INDEX
from gamesvc.games.stratastar.state import State
from gamesvc.games.stratastar.turn import NEXT

PHASES = ("homeworld", "ability_draft", *NEXT, "battle_call", "over")


def faults(state: State) -> list[str]:
    """What is wrong with a state, in words; empty when nothing is."""
    return [*_cards(state), *_pieces(state), *_map(state), *_course(state)]


def _cards(state: State) -> Iterator[str]:
    if state.order:
        cards = Counter([*state.deck, *state.discard, *(card for player in state.players for card in player.hand)])
        right = Counter(data.deck(state.options.power_cards))
        if cards != right:
            yield f"the cards are not those of the deck: too many {dict(cards - right)}, missing {dict(right - cards)}"
    for seat, player in enumerate(state.players):
        if list(player.hand) != sorted(player.hand, key=data.RANK.__getitem__):
            yield f"the hand of seat {seat} is not in canonical order"
    if state.battle is not None:
        for seat, committed in state.battle.commits.items():
            if Counter(committed) - Counter(state.players[seat].hand):
                yield f"seat {seat} committed cards that are not in its hand"
    if any(n <= 0 for n in state.turn.credit.values()):
        yield "credit must be above zero"


def _pieces(state: State) -> Iterator[str]:
    for seat, player in enumerate(state.players):
        counts = {"fleets": player.fleets, "warfleets": player.warfleets, "colonies": player.colonies, "raided": player.raided}
        for name, per_space in counts.items():
            if any(n <= 0 or space not in INDEX for space, n in per_space.items()):
                yield f"seat {seat}: {name} must name spaces with a number above zero"
        if facts.fleets_in_play(player) > data.FLEETS or len(player.stargates) > data.STARGATES:
            yield f"seat {seat} has more fleets or Stargates than there are"
        if sum(player.colonies.values()) > data.COLONIES:
            yield f"seat {seat} has more colonies than there are"
        if len(set(player.stargates)) != len(player.stargates):
            yield f"seat {seat} has two Stargates in one space"
        if any(n > player.colonies.get(space, 0) for space, n in player.raided.items()):
            yield f"seat {seat} has more raids than colonies somewhere"
        if not player.alive and (player.hand or player.home or facts.unit_spaces(player) or player.stargates):
            yield f"seat {seat} left and still owns something"
        for space in (*player.fleets, *player.warfleets, *player.stargates):
            if space in state.chart.unknown:
                yield f"seat {seat} stands in the unknown space {space}"
    for space in {space for player in state.players for space in player.colonies}:
        if facts.chit(state, space) != "world":
            yield f"a colony lies on {space}, which is no world"
        if facts.colonies_at(state, space) > data.COLONIES_PER_WORLD:
            yield f"there are more than {data.COLONIES_PER_WORLD} colonies on {space}"


def _map(state: State) -> Iterator[str]:
    chart = state.chart
    if set(chart.chits) & chart.unknown or not set(chart.scouted) <= chart.unknown or set(chart.scouts) != set(chart.scouted):
        yield "known, unknown and scouted spaces overlap"
    if sum(chart.pile.values()) + len(chart.scouted) != len(chart.unknown):
        yield "the chits in the pile do not fill the unknown spaces"
    homes = facts.homes(state)
    if len(set(homes)) != len(homes) or any(home not in data.CORNERS for home in homes):
        yield "Homeworlds lie on different corners"


def _course(state: State) -> Iterator[str]:
    seats = range(len(state.players))
    if state.turn.active not in seats or state.turn.phase not in PHASES:
        yield "the active seat or the phase does not exist"
    if not set(state.order) <= set(seats) or len(set(state.order)) != len(state.order):
        yield "the turn order names seats that do not exist, or twice"
    if not state.order and state.turn.phase not in ("homeworld", "over"):
        yield "the turn order is missing"
    if sorted(state.placement) != list(seats):
        yield "the placement order must name every seat once"
    if state.ended is not None and (state.actions or state.battle or state.offers):
        yield "the match is over and something is open"
    ids = [offer.id for offer in state.offers] + [action.id for action in state.actions]
    if len(set(ids)) != len(ids) or any(one >= state.next_id for one in ids):
        yield "ids of offers and actions are used twice"
    if state.waiting is not None and state.waiting not in ids:
        yield "the offer waited for is not open"
