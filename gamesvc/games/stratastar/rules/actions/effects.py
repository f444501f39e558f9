"""The effects of declared actions that were not stopped. If one has become impossible, `action_failed` is emitted."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Literal

from gamesvc.games.kernel.timeline import Run
from gamesvc.games.stratastar import data
from gamesvc.games.stratastar.events.actions import ActionFailed
from gamesvc.games.stratastar.events.dealings import TreatyMade
from gamesvc.games.stratastar.events.effects import (
    AbilityRolled,
    CardLost,
    CardRecovered,
    CardTaken,
    CardTakenDiscarded,
    ColonyPlaced,
    ColonyRaided,
    ContactMade,
    FleetBuilt,
    FleetsMoved,
    MoveBounced,
    PieceDestroyed,
    SpaceRevealed,
    SpaceScouted,
    StargateBuilt,
    UnitReplaced,
    WarfleetBuilt,
)
from gamesvc.games.stratastar.events.turns import AbilityGained, CardsDrawn, DeckReshuffled
from gamesvc.games.stratastar.rules import facts, outcome
from gamesvc.games.stratastar.rules.actions.payment import value
from gamesvc.games.stratastar.state import Action, State
from gamesvc.json_types import JsonMapping

TREATY_TURNS = 2
RESEARCH_DRAW = 2
TABLE_SIDES = 10


def apply(run: Run[State], action: Action) -> bool:
    """Carry out an action. Returns True if the active seat's fleets entered a space, which may open an after-window."""
    entered = _EFFECTS[action.name](run, action)
    if run.state.ended is None and run.state.options.exploration:
        _meet(run)
    return bool(entered) and action.enters is not None


def draw_cards(run: Run[State], seat: int, count: int) -> None:
    """Draw from the deck. An empty deck is refilled from the discard pile (RULES.md 6)."""
    while count > 0:
        if not run.state.deck:
            if not run.state.discard:
                return
            pile = sorted(run.state.discard, key=data.RANK.__getitem__)
            run.emit(DeckReshuffled(run.dice.shuffle(pile)))
        cards = run.state.deck[:count]
        run.emit(CardsDrawn(seat, cards))
        count -= len(cards)


def _meet(run: Run[State]) -> None:
    for a, b in itertools.combinations(sorted(facts.alive(run.state)), 2):
        if not facts.in_contact(run.state, a, b) and facts.touching(run.state, a, b):
            run.emit(ContactMade((a, b)))


def meet(run: Run[State]) -> None:
    """Record contacts created by the current positions (RULES.md 10, exploration)."""
    if run.state.options.exploration and run.state.ended is None:
        _meet(run)


def _fail(run: Run[State], action: Action, reason: Literal["no_cards", "gone"]) -> None:
    run.emit(ActionFailed(id=action.id, seat=action.seat, action=action.name, reason=reason))


# --- trade ---


def _external_trade(run: Run[State], action: Action) -> None:
    target = action.args["target"]
    hand = run.state.players[target].hand
    if not hand:
        _fail(run, action, "no_cards")
        return
    at = run.dice.choose(len(hand))
    kind = CardTakenDiscarded if hand[at] in ("trade", data.POWER["trade"]) else CardTaken
    run.emit(kind(seat=action.seat, victim=target, card=hand[at], index=at))


def _internal_trade(run: Run[State], action: Action) -> None:
    draw_cards(run, action.seat, value(action.paid) + sum(action.credit.values()))


def _basic_research(run: Run[State], action: Action) -> None:
    draw_cards(run, action.seat, RESEARCH_DRAW)


# --- build ---


def _build_fleet(run: Run[State], action: Action) -> None:
    run.emit(FleetBuilt(action.seat, action.args["space"]))


def _build_warfleet(run: Run[State], action: Action) -> None:
    run.emit(WarfleetBuilt(action.seat, action.args["space"]))


def _place_colony(run: Run[State], action: Action) -> None:
    run.emit(ColonyPlaced(action.seat, action.args["space"], action.name))
    outcome.check_worlds(run, action.seat)


def _build_stargate(run: Run[State], action: Action) -> None:
    run.emit(StargateBuilt(action.seat, action.args["space"]))


def _breakthrough(run: Run[State], action: Action) -> None:
    low, owned = run.state.options.low_technology, run.state.players[action.seat].abilities
    while True:
        roll = run.dice.roll(TABLE_SIDES)
        gained = [ability for ability in data.table_row(roll, low) if ability not in owned]
        choice = gained if len(gained) > 1 else ()
        run.emit(AbilityRolled(seat=action.seat, roll=roll, choice=choice, again=not gained))
        if gained:
            break
    if len(gained) == 1:
        run.emit(AbilityGained(seat=action.seat, ability=gained[0], choice=()))


# --- movement ---


def _shift(run: Run[State], action: Action, group: JsonMapping, to: str) -> None:
    run.emit(
        FleetsMoved(
            seat=action.seat,
            from_=group["from"],
            to=to,
            fleets=group["fleets"],
            warfleets=group["warfleets"],
            how=action.name,
        )
    )


def _move(run: Run[State], action: Action) -> bool:
    args, state = action.args, run.state
    if args["to"] in state.chart.unknown:
        kind = _reveal(run, args["to"])
        may_wormhole = kind != "nebula" and facts.has(state, action.seat, "wormholes")
        if kind in data.HAZARDS and not may_wormhole:
            run.emit(MoveBounced(seat=action.seat, from_=args["from"], to=args["to"], kind=kind))
            return False
    _shift(run, action, args, args["to"])
    return True


def _relocate(run: Run[State], action: Action) -> bool:
    _shift(run, action, action.args, action.args["to"])
    return True


def _defend_homeworld(run: Run[State], action: Action) -> bool:
    for group in action.args["groups"]:
        _shift(run, action, group, action.args["to"])
    return True


def _draw_chit(run: Run[State], space: str) -> tuple[str, list[str]]:
    """Draw the chit of an unknown space. Returns its kind and the chits that leave the pile (RULES.md 10, exploration)."""
    state = run.state
    pile = [kind for kind in data.CHITS for _ in range(state.chart.pile.get(kind, 0))]
    if not facts.joined(state, closed=space):
        fitting = [kind for kind in pile if kind not in data.HAZARDS]
        if not fitting:
            return "blank", [pile[run.dice.choose(len(pile))]] if pile else []
        pile = fitting
    if not pile:
        return "blank", []
    kind = pile[run.dice.choose(len(pile))]
    return kind, [kind]


def _reveal(run: Run[State], space: str) -> str:
    taken: list[str] = []
    kind = run.state.chart.scouted.get(space)
    if kind is None:
        kind, taken = _draw_chit(run, space)
    run.emit(SpaceRevealed(space=space, kind=kind, taken=taken))
    return kind


def _scout(run: Run[State], action: Action) -> None:
    space, taken = action.args["to"], list[str]()
    kind = run.state.chart.scouted.get(space)
    if kind is None:
        kind, taken = _draw_chit(run, space)
    run.emit(SpaceScouted(seat=action.seat, from_=action.args["from"], space=space, kind=kind, taken=taken))


# --- actions in any phase of a seat's own turn ---


def _target_gone(run: Run[State], action: Action) -> bool:
    args = action.args
    if facts.has_piece(run.state.players[args["seat"]], args["piece"], args["space"]):
        return False
    _fail(run, action, "gone")
    return True


def _disaster(run: Run[State], action: Action) -> None:
    if not _target_gone(run, action):
        args = action.args
        run.emit(PieceDestroyed(seat=action.seat, victim=args["seat"], piece=args["piece"], space=args["space"]))


def _treason(run: Run[State], action: Action) -> None:
    if not _target_gone(run, action):
        args = action.args
        run.emit(UnitReplaced(seat=action.seat, victim=args["seat"], piece=args["piece"], space=args["space"]))
        outcome.check_worlds(run, action.seat)


def _planning(run: Run[State], action: Action) -> None:
    at = action.args["discard_at"] - 1
    run.emit(CardRecovered(action.seat, run.state.discard[at], at))


def _piracy(run: Run[State], action: Action) -> None:
    target = action.args["target"]
    hand = run.state.players[target].hand
    if not hand:
        _fail(run, action, "no_cards")
        return
    at = run.dice.choose(len(hand))
    run.emit(CardLost(seat=action.seat, victim=target, card=hand[at], index=at))


def _treaty(run: Run[State], action: Action) -> None:
    target = action.args["target"]
    if not run.state.players[target].alive:
        _fail(run, action, "gone")
        return
    until = run.state.players[action.seat].turns + TREATY_TURNS
    run.emit(TreatyMade(action.seat, target, until))


def _border_raids(run: Run[State], action: Action) -> None:
    victim, space = action.args["seat"], action.args["space"]
    player = run.state.players[victim]
    if player.raided.get(space, 0) >= player.colonies.get(space, 0):
        _fail(run, action, "gone")
        return
    run.emit(ColonyRaided(action.seat, victim, space))


_EFFECTS: dict[str, Callable[[Run[State], Action], bool | None]] = {
    "external_trade": _external_trade,
    "internal_trade": _internal_trade,
    "basic_research": _basic_research,
    "build_fleet": _build_fleet,
    "build_warfleet": _build_warfleet,
    "colonize": _place_colony,
    "terraform": _place_colony,
    "allied_minor_race": _place_colony,
    "build_stargate": _build_stargate,
    "breakthrough": _breakthrough,
    "move": _move,
    "gate": _relocate,
    "hyper_jump": _relocate,
    "retreat": _relocate,
    "defend_homeworld": _defend_homeworld,
    "scout": _scout,
    "disaster": _disaster,
    "treason": _treason,
    "planning": _planning,
    "piracy": _piracy,
    "treaty": _treaty,
    "border_raids": _border_raids,
}
