"""The effects of declared actions that were not stopped. If one has become impossible, `action_failed` is emitted."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

from gamesvc.games.kernel.timeline import Run
from gamesvc.games.stratastar import data
from gamesvc.games.stratastar.rules import facts, outcome
from gamesvc.games.stratastar.rules.actions.payment import value
from gamesvc.games.stratastar.state import Action, State

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
            run.emit("deck_reshuffled", deck=list(run.dice.shuffle(pile)))
        cards = run.state.deck[:count]
        run.emit("cards_drawn", seat=seat, cards=list(cards))
        count -= len(cards)


def _meet(run: Run[State]) -> None:
    for a, b in itertools.combinations(sorted(facts.alive(run.state)), 2):
        if not facts.in_contact(run.state, a, b) and facts.touching(run.state, a, b):
            run.emit("contact_made", seats=[a, b])


def meet(run: Run[State]) -> None:
    """Record contacts created by the current positions (RULES.md 10, exploration)."""
    if run.state.options.exploration and run.state.ended is None:
        _meet(run)


def _fail(run: Run[State], action: Action, reason: str) -> None:
    run.emit("action_failed", id=action.id, seat=action.seat, action=action.name, reason=reason)


# --- trade ---


def _external_trade(run: Run[State], action: Action) -> None:
    target = action.args["target"]
    hand = run.state.players[target].hand
    if not hand:
        _fail(run, action, "no_cards")
        return
    at = run.dice.choose(len(hand))
    taken = hand[at] not in ("trade", data.POWER["trade"])
    event = "card_taken" if taken else "card_taken_discarded"
    run.emit(event, seat=action.seat, victim=target, card=hand[at], index=at)


def _internal_trade(run: Run[State], action: Action) -> None:
    draw_cards(run, action.seat, value(action.paid) + sum(action.credit.values()))


def _basic_research(run: Run[State], action: Action) -> None:
    draw_cards(run, action.seat, RESEARCH_DRAW)


# --- build ---


def _build_fleet(run: Run[State], action: Action) -> None:
    run.emit("fleet_built", seat=action.seat, space=action.args["space"])


def _build_warfleet(run: Run[State], action: Action) -> None:
    run.emit("warfleet_built", seat=action.seat, space=action.args["space"])


def _place_colony(run: Run[State], action: Action) -> None:
    run.emit("colony_placed", seat=action.seat, space=action.args["space"], how=action.name)
    outcome.check_worlds(run, action.seat)


def _build_stargate(run: Run[State], action: Action) -> None:
    run.emit("stargate_built", seat=action.seat, space=action.args["space"])


def _breakthrough(run: Run[State], action: Action) -> None:
    low, owned = run.state.options.low_technology, run.state.players[action.seat].abilities
    while True:
        roll = run.dice.roll(TABLE_SIDES)
        gained = [ability for ability in data.table_row(roll, low) if ability not in owned]
        choice = gained if len(gained) > 1 else []
        run.emit("ability_rolled", seat=action.seat, roll=roll, choice=choice, again=not gained)
        if gained:
            break
    if len(gained) == 1:
        run.emit("ability_gained", seat=action.seat, ability=gained[0], choice=[])


# --- movement ---


def _shift(run: Run[State], action: Action, group: Any, to: str) -> None:
    run.emit(
        "fleets_moved",
        seat=action.seat,
        **{"from": group["from"]},
        to=to,
        fleets=group["fleets"],
        warfleets=group["warfleets"],
        how=action.name,
    )


def _move(run: Run[State], action: Action) -> bool:
    args, state = action.args, run.state
    if args["to"] in state.chart.unknown:
        kind = _reveal(run, args["to"])
        may_wormhole = kind != "nebula" and facts.has(state, action.seat, "wormholes")
        if kind in data.HAZARDS and not may_wormhole:
            run.emit("move_bounced", seat=action.seat, **{"from": args["from"]}, to=args["to"], kind=kind)
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
    run.emit("space_revealed", space=space, kind=kind, taken=taken)
    return kind


def _scout(run: Run[State], action: Action) -> None:
    space, taken = action.args["to"], list[str]()
    kind = run.state.chart.scouted.get(space)
    if kind is None:
        kind, taken = _draw_chit(run, space)
    run.emit("space_scouted", seat=action.seat, **{"from": action.args["from"]}, space=space, kind=kind, taken=taken)


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
        run.emit("piece_destroyed", seat=action.seat, victim=args["seat"], piece=args["piece"], space=args["space"])


def _treason(run: Run[State], action: Action) -> None:
    if not _target_gone(run, action):
        args = action.args
        run.emit("unit_replaced", seat=action.seat, victim=args["seat"], piece=args["piece"], space=args["space"])
        outcome.check_worlds(run, action.seat)


def _planning(run: Run[State], action: Action) -> None:
    at = action.args["discard_at"] - 1
    run.emit("card_recovered", seat=action.seat, card=run.state.discard[at], discard_at=at)


def _piracy(run: Run[State], action: Action) -> None:
    target = action.args["target"]
    hand = run.state.players[target].hand
    if not hand:
        _fail(run, action, "no_cards")
        return
    at = run.dice.choose(len(hand))
    run.emit("card_lost", seat=action.seat, victim=target, card=hand[at], index=at)


def _treaty(run: Run[State], action: Action) -> None:
    target = action.args["target"]
    if not run.state.players[target].alive:
        _fail(run, action, "gone")
        return
    until = run.state.players[action.seat].turns + TREATY_TURNS
    run.emit("treaty_made", seat=action.seat, partner=target, until=until)


def _border_raids(run: Run[State], action: Action) -> None:
    victim, space = action.args["seat"], action.args["space"]
    player = run.state.players[victim]
    if player.raided.get(space, 0) >= player.colonies.get(space, 0):
        _fail(run, action, "gone")
        return
    run.emit("colony_raided", seat=action.seat, victim=victim, space=space)


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
