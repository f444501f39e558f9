"""Battles: participants, committed cards, the result (RULES.md 8)."""

from __future__ import annotations

from collections.abc import Sequence

from gamesvc.games.kernel.game import Refused
from gamesvc.games.kernel.timeline import Run
from gamesvc.games.stratastar.data import POWER, RANK, RESEARCH
from gamesvc.games.stratastar.events.dealings import (
    AttackCommitted,
    AttacksRevealed,
    BattleCancelled,
    BattleDeclared,
    BattleResolved,
    HomeworldCaptured,
    UnitsDestroyed,
)
from gamesvc.games.stratastar.events.effects import ColonyPlaced
from gamesvc.games.stratastar.events.shapes import Losses
from gamesvc.games.stratastar.rules import facts, outcome
from gamesvc.games.stratastar.rules.actions.needs import need_space
from gamesvc.games.stratastar.rules.actions.payment import value
from gamesvc.games.stratastar.state import State
from gamesvc.language import say

ATTACKS = ("attack", POWER["attack"], RESEARCH)


def check_space(state: State, seat: int, space: str) -> None:
    """Raise `Refused` unless the seat may start a battle in the space now."""
    need_space(space)
    if space in facts.contested(state, seat):
        return
    if space in state.turn.fought:
        raise Refused("once_per_turn", say("{space} has been fought over in this phase.", space=space), "space")
    if not facts.has_unit(state.players[seat], space):
        raise Refused("no_units", say("You have no unit at {space}.", space=space), "space")
    if any(facts.stands(state.players[one], space) for one in facts.opponents(state, seat)):
        raise Refused("treaty", say("A treaty binds you and all others at {space}.", space=space), "space")
    raise Refused("no_target", say("Nobody else is at {space}.", space=space), "space")


def begin(run: Run[State], seat: int, space: str, *, called: bool, auto: bool = False) -> None:
    """Start a battle: determine its participants and the seats that commit cards. Standing orders commit at once."""
    state = run.state
    foes = facts.foes_at(state, seat, space)
    participants = [one for one in facts.from_active(state) if one == seat or one in foes]
    waiting = [one for one in participants if may_commit(state, one, space)]
    run.emit(
        BattleDeclared(
            id=state.next_id,
            seat=seat,
            space=space,
            participants=participants,
            waiting=waiting,
            called=called,
            auto=auto,
        )
    )
    for one in waiting:
        cards = by_order(run.state, one)
        if cards is not None:
            run.emit(AttackCommitted(one, cards, auto=True))


def may_commit(state: State, seat: int, space: str) -> bool:
    player = state.players[seat]
    return bool(player.hand) and (facts.has_unit(player, space) or player.home == space)


def may_win(state: State, seat: int, space: str) -> bool:
    """Return True if the seat could match the others' force in a battle it starts there with all its usable cards."""
    usable = [card for card in state.players[seat].hand if card in ATTACKS]
    others = (facts.force(state.players[one], space) for one in facts.foes_at(state, seat, space))
    return facts.force(state.players[seat], space) + value(usable) >= max(others)


def can_decide(state: State, seat: int) -> bool:
    """Return True if the seat's cards can change the battle.

    With all of them it reaches the others' force; without them it may lose.
    """
    now = state.battle
    assert now is not None
    others = [one for one in now.participants if one != seat]
    forces = {one: facts.force(state.players[one], now.space) for one in now.participants}
    usable = [card for card in state.players[seat].hand if card in ATTACKS]
    if not usable or forces[seat] + value(usable) < max(forces[one] for one in others):
        return False
    worth = value([POWER["attack"]]) if state.options.power_cards else 1
    feared = (len(state.players[one].hand) * worth if may_commit(state, one, now.space) else 0 for one in others)
    return forces[seat] <= max(forces[one] + most for one, most in zip(others, feared, strict=True))


def by_order(state: State, seat: int) -> tuple[str, ...] | None:
    """Return the cards that the seat's standing order commits; None if the seat is asked.

    A seat that passes when it can do nothing is not asked about a battle that its cards cannot change.
    """
    orders, hand = state.players[seat].orders, state.players[seat].hand
    order = orders.commit
    if order == "ask":
        return None if orders.when_unable == "ask" or can_decide(state, seat) else ()
    if order == "none":
        return ()
    if order == "all":
        return tuple(card for card in hand if card in ATTACKS)
    plain = [card for card in hand if card == "attack"][: int(order)]
    power = [card for card in hand if card == POWER["attack"]]
    while power and value(plain) < int(order):
        plain.append(power.pop())
    return tuple(plain)


def commit(run: Run[State], seat: int, cards: Sequence[str]) -> None:
    run.emit(AttackCommitted(seat, sorted(cards, key=RANK.__getitem__), auto=False))


def settle(run: Run[State]) -> None:
    """Resolve the battle. All commitments must be made."""
    now = run.state.battle
    assert now is not None
    if len(now.participants) < 2:
        run.emit(BattleCancelled(now.space))
    else:
        _resolve(run)


def _resolve(run: Run[State]) -> None:
    state = run.state
    now = state.battle
    assert now is not None
    space, sides = now.space, now.participants
    commits = {str(seat): list(now.commits.get(seat, ())) for seat in sides}
    forces = {seat: facts.force(state.players[seat], space) + value(commits[str(seat)]) for seat in sides}
    best = max(forces.values())
    leaders = [seat for seat in sides if forces[seat] == best]
    winner = leaders[0] if len(leaders) == 1 else None
    run.emit(AttacksRevealed(space, commits))
    run.emit(BattleResolved(space, {str(seat): forces[seat] for seat in sides}, winner))
    losses: dict[str, Losses] = {}
    for seat in sides:
        player = state.players[seat]
        lost: Losses = {
            "fleets": player.fleets.get(space, 0),
            "warfleets": player.warfleets.get(space, 0),
            "colonies": player.colonies.get(space, 0),
            "stargates": int(space in player.stargates),
        }
        if seat != winner and any(lost.values()):
            losses[str(seat)] = lost
    if losses:
        run.emit(UnitsDestroyed(space, losses))
    owner = next((seat for seat in sides if state.players[seat].home == space), None)
    if winner is not None and owner is not None and owner != winner:
        _capture(run, winner, owner, space)


def _capture(run: Run[State], winner: int, owner: int, space: str) -> None:
    run.emit(HomeworldCaptured(winner, owner, space))
    if not run.state.options.to_the_death:
        outcome.end(run, "capture", winner)
        return
    outcome.remove(run, owner, "captured", by=winner, world=space)
    if run.state.ended is None and facts.has_supply(run.state.players[winner], "colony"):
        run.emit(ColonyPlaced(winner, space, "capture"))
