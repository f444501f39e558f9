"""The invariants of every state: cards, pieces and chits are neither lost nor created (RULES.md 1)."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict

from gamesvc.games.kernel import forms
from gamesvc.games.kernel.game import Refused
from gamesvc.games.stratastar import data
from gamesvc.games.stratastar.data.geometry import INDEX
from gamesvc.games.stratastar.manifest import MANIFEST
from gamesvc.games.stratastar.rules import facts, pending
from gamesvc.games.stratastar.rules.setup import check_options
from gamesvc.games.stratastar.state import State


def faults(state: State) -> list[str]:
    """Return the broken invariants of a state as sentences; empty if all hold."""
    seats = range(len(state.players))
    unknown = [seat for seat in sorted(_named_seats(state)) if seat not in seats]
    if unknown:
        return [f"there is no seat {unknown[0]}; seats are 0 to {len(seats) - 1}"]
    checks = (_options, _cards, _pieces, _map, _course, _turn, pending.faults)
    return list(itertools.chain.from_iterable(check(state) for check in checks))


def _named_seats(state: State) -> set[int]:
    """Return every seat number that occurs in a state."""
    turn, battle = state.turn, state.battle
    named = {turn.active, *turn.declined, *turn.calling, *turn.picking, *state.placement, *state.order}
    named |= {seat for seats in state.chart.scouts.values() for seat in seats}
    named |= {seat for pair in state.chart.contacts for seat in pair}
    named |= {seat for action in state.actions for seat in (action.seat, *action.asked)}
    named |= {seat for one in state.treaties for seat in (one.seat, one.partner)}
    named |= {seat for offer in state.offers for seat in (offer.seat, offer.to) if seat is not None}
    named |= {int(record.target) for player in state.players for record in player.records if record.target != "deck"}
    named |= set(state.options.abilities_by_seat)
    if battle is not None:
        named |= {battle.caller, *battle.participants, *battle.waiting, *battle.commits}
    if state.ended is not None:
        named |= {seat for group in state.ended.ranking for seat in group}
    return named


def _options(state: State) -> Iterator[str]:
    options = {name: value for name, value in asdict(state.options).items() if (name, value) != ("pace", "")}
    options["abilities_all"] = list(options["abilities_all"])
    options["abilities_by_seat"] = {str(seat): list(owned) for seat, owned in options["abilities_by_seat"].items()}
    fault = forms.fault(MANIFEST.options, options)
    if fault is not None:
        yield f"/options: {fault.detail}"
        return
    try:
        check_options(options, len(state.players))
    except Refused as refused:
        yield f"/options: {refused.detail}"


def _cards(state: State) -> Iterator[str]:
    hands = [card for player in state.players for card in player.hand]
    if not state.order and (state.deck or state.discard or hands):
        yield "cards lie about before the turn order is set"
    if state.order:
        cards = Counter([*state.deck, *state.discard, *hands])
        right = Counter(data.deck(state.options.power_cards))
        if cards != right:
            yield f"the cards are not those of the deck: too many {dict(cards - right)}, missing {dict(right - cards)}"
    for seat, player in enumerate(state.players):
        if list(player.hand) != sorted(player.hand, key=data.RANK.__getitem__):
            yield f"the hand of seat {seat} is not in canonical order"


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
            yield f"a colony lies on {space}, which is not a world"
        if facts.colonies_at(state, space) > data.COLONIES_PER_WORLD:
            yield f"there are more than {data.COLONIES_PER_WORLD} colonies on {space}"


def _map(state: State) -> Iterator[str]:
    chart = state.chart
    if not state.options.exploration and (chart.unknown or chart.pile or chart.contacts):
        yield "unknown spaces, chits in a pile and contacts belong to exploration"
    if any(not a < b for a, b in chart.contacts) or not all(chart.scouts.values()):
        yield "contacts name two seats, the lower one first, and a scouted space names who knows it"
    if set(chart.chits) & chart.unknown or not set(chart.scouted) <= chart.unknown or set(chart.scouts) != set(chart.scouted):
        yield "known, unknown and scouted spaces overlap"
    if sum(chart.pile.values()) + len(chart.scouted) != len(chart.unknown):
        yield "the chits in the pile do not fill the unknown spaces"
    homes = facts.homes(state)
    if len(set(homes)) != len(homes) or any(home not in data.CORNERS for home in homes):
        yield "Homeworlds lie on different corners"


def _course(state: State) -> Iterator[str]:
    seats = range(len(state.players))
    if sorted(state.placement) != list(seats):
        yield "the placement order must name every seat once"
    if not state.order and state.turn.phase not in ("homeworld", "over"):
        yield "the turn order is missing"
    if state.order and (set(facts.alive(state)) - set(state.order) or state.turn.phase == "homeworld"):
        yield "the turn order names every seat that plays, once all Homeworlds are placed"
    playing = [seat for seat in seats if state.players[seat].alive]
    if [seat for seat in playing if seat not in facts.alive(state)]:
        yield "the turn order lacks a seat that plays"
    if state.order and any(state.players[seat].home is None for seat in playing):
        yield "a seat that plays has no Homeworld"
    if not state.order and any(facts.unit_spaces(player) or player.stargates for player in state.players):
        yield "pieces lie on the map before the turn order is set"
    if (state.ended is not None) != (state.turn.phase == "over"):
        yield "the phase is over if, and only if, the match has ended"
    if state.ended is None and len(playing) < 2:
        yield "the match goes on with fewer than two seats"
    if state.ended is not None:
        if state.actions or state.battle or state.offers or state.waiting is not None or state.turn.choice:
            yield "the match is over and something is open"
        if sorted(seat for group in state.ended.ranking for seat in group) != list(seats):
            yield "the ranking must name every seat once"
        if len(state.ended.scores) != len(seats):
            yield "there must be a score for each seat"


def _turn(state: State) -> Iterator[str]:
    """Yield faults in the active seat and the pending decision of its phase."""
    turn = state.turn
    active = state.players[turn.active]
    if turn.phase == "over":
        return
    if not active.alive:
        yield f"it is the turn of seat {turn.active}, which has left"
    if turn.phase == "homeworld":
        if active.home is not None or turn.number:
            yield f"seat {turn.active} places a Homeworld that it has"
        return
    if turn.active not in state.order:
        yield f"the turn order lacks seat {turn.active}, whose turn it is"
    if turn.phase == "ability_draft":
        if not turn.picking or turn.picking[0] != turn.active or len(turn.choice) < len(turn.picking):
            yield "in the draft the first seat of those still to pick is active, and there is an ability for each"
    elif turn.picking or not turn.number or not turn.round or not active.turns:
        yield "turns and rounds count from 1, and only a draft has seats still to pick"
    if turn.phase != "ability_draft" and turn.choice and turn.phase != "build":
        yield "abilities are picked in the draft or in the build phase"
    if any(not state.players[seat].alive for seat in (*turn.picking, *turn.calling)):
        yield "a seat that has left is asked"
    owned = {ability for seat in turn.picking or (turn.active,) for ability in state.players[seat].abilities}
    if owned & set(turn.choice) or not set(turn.choice) <= set(data.abilities(state.options.low_technology)):
        yield "an ability is offered that cannot be picked"
    if turn.calling and turn.phase != "battle_call":
        yield "battles are called in the phase battle_call"
    if turn.active in turn.calling or set(turn.calling) & set(turn.declined):
        yield "a seat is asked to call a battle that cannot"
    if turn.internal_used and turn.phase == "retool":
        yield "internal trade comes after retooling"
