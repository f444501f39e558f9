"""The forms offered to a seat: exactly what `decide` accepts, as far as the seat's view shows."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from gamesvc.games.kernel.game import Awaited, Form, Schema
from gamesvc.games.kernel.wording import SEAT_NAMES
from gamesvc.games.stratastar.commands import SCHEMA as ORDERS
from gamesvc.games.stratastar.data import ABILITY_NAMES, RETOOL_MAX
from gamesvc.games.stratastar.rules import facts
from gamesvc.games.stratastar.rules.actions import reactions
from gamesvc.games.stratastar.rules.actions.battle import ATTACKS
from gamesvc.games.stratastar.rules.actions.payment import cards_schema, cost_of
from gamesvc.games.stratastar.rules.decide import check_spy
from gamesvc.games.stratastar.rules.forms import building, movement, offers
from gamesvc.games.stratastar.rules.forms.fields import choice, is_legal, priced, spaces
from gamesvc.games.stratastar.rules.setup import free_corners
from gamesvc.games.stratastar.state import State
from gamesvc.language import mark, say


def awaited(state: State) -> tuple[Awaited, ...]:
    """Return the seats whose clocks run (RULES.md 5)."""
    turn = state.turn
    if state.ended is not None:
        return ()
    if turn.phase in ("homeworld", "ability_draft"):
        return (Awaited(turn.active, turn.phase, f"{turn.phase}-{turn.active}", "choice"),)
    if state.actions:
        action = state.actions[-1]
        return tuple(Awaited(seat, "window", f"{action.stage}-{action.id}", "reaction") for seat in action.asked)
    if state.battle is not None:
        return tuple(Awaited(seat, "commit", f"battle-{state.battle.id}", "commit") for seat in state.battle.waiting)
    if turn.phase == "battle_call":
        return tuple(Awaited(seat, "battle_call", f"call-{turn.number}", "reaction") for seat in turn.calling)
    if state.waiting is not None:
        [offer] = [one for one in state.offers if one.id == state.waiting]
        assert offer.to is not None
        return (Awaited(offer.to, "trade_reply", f"offer-{offer.id}", "reaction"),)
    return (Awaited(turn.active, "pick_ability" if turn.choice else turn.phase, f"turn-{turn.number}"),)


def legal_commands(state: State, seat: int) -> tuple[Form, ...]:
    """Return all forms of a seat: first those that move the match on, then the others."""
    if state.ended is not None or not state.players[seat].alive:
        return ()
    return (*_main(state, seat), *_aside(state, seat))


def _main(state: State, seat: int) -> Iterable[Form]:
    turn = state.turn
    if turn.phase == "homeworld":
        if turn.active == seat:
            yield Form("place_homeworld", say("Place the Homeworld"), {"corner": choice(free_corners(state), mark("Corner"))})
    elif turn.choice:
        if turn.active == seat:
            yield Form("pick_ability", say("Pick an ability"), {"ability": choice(turn.choice, mark("Ability"), ABILITY_NAMES)})
    elif state.actions:
        if seat in state.actions[-1].asked:
            yield from _answers(state, seat)
    elif state.battle is not None:
        if seat in state.battle.waiting:
            yield _commit_form(state, seat)
    elif turn.phase == "battle_call":
        if seat in turn.calling:
            yield Form("call_battle", say("Call a battle"), {"space": spaces(facts.contested(state, seat))})
            yield Form("pass", say("No battle"))
    elif turn.active == seat and state.waiting is None:
        yield from _turn_forms(state, seat)


def _commit_form(state: State, seat: int) -> Form:
    cards = [card for card in state.players[seat].hand if card in ATTACKS]
    return Form("commit_attack", say("Commit cards to the battle"), {"cards": cards_schema(cards, title=mark("Cards"))})


def _answers(state: State, seat: int) -> Iterable[Form]:
    action = state.actions[-1]
    for name in reactions.possible(state, seat, action):
        if name == "sabotage":
            yield from priced(state, seat, "sabotage", say("Sabotage it"), cost_of("sabotage"))
        elif name == "diplomacy_block":
            yield from priced(state, seat, "diplomacy_block", say("Block it by diplomacy"), cost_of("diplomacy_block"))
        elif name == "retreat":
            yield from movement.retreats(state, seat)
        else:
            yield from movement.defence(state, seat)
    for name in reactions.preparable(state, seat, action):
        yield from movement.retreats(state, seat, then=True) if name == "retreat" else movement.defence(state, seat, then=True)
    yield Form("pass", _passing(state, seat))


def _passing(state: State, seat: int) -> str:
    action = state.actions[-1]
    if action.stage == "after":
        return say("No more reaction")
    return say("Let it happen and stay") if reactions.stands_aside(state, seat, action) else say("Let it happen")


_ENDS = {
    "trade": mark("End the trade phase"),
    "build": mark("End the build phase"),
    "movement": mark("End the movement phase"),
    "battle": mark("End the battle phase"),
}


def _turn_forms(state: State, seat: int) -> Iterable[Form]:
    phase = state.turn.phase
    if phase == "retool":
        cards = cards_schema(state.players[seat].hand, title=mark("Cards to discard"))
        cards["maxItems"] = min(RETOOL_MAX, cards["maxItems"])
        yield Form("retool", say("Discard and draw"), {"cards": cards})
        return
    if phase == "support":
        yield from building.support(state, seat)
        return
    makers: dict[str, Callable[[State, int], Iterable[Form]]] = {
        "trade": offers.trade_actions,
        "build": building.build,
        "movement": movement.movement,
    }
    if phase in makers:
        yield from makers[phase](state, seat)
    elif phase == "battle" and (contested := facts.contested(state, seat)):
        yield Form("declare_battle", say("Start a battle"), {"space": spaces(contested)})
    yield from building.own_time(state, seat)
    yield Form("end_phase", say(_ENDS[phase]))
    supported = phase != "trade" or not facts.excess(state.players[seat])
    if phase == "trade" and supported:
        yield Form("go_to_movement", say("Go to movement"))
    if supported:
        yield Form("end_turn", say("End the turn"))


def _aside(state: State, seat: int) -> Iterable[Form]:
    yield from offers.dealing(state, seat)
    targets = [one for one in (*facts.opponents(state, seat), "deck") if is_legal(check_spy, state, seat, one)]
    if targets:
        labels = {str(one): SEAT_NAMES[one] if isinstance(one, int) else say("the next cards of the deck") for one in targets}
        target: Schema = {"enum": targets, "labels": labels, "title": mark("Whose cards")}
        yield from priced(state, seat, "spy", say("Spy"), cost_of("spy"), {"target": target}, aside=True)
    yield Form("set_orders", say("Standing orders"), {"orders": ORDERS}, aside=True)
    yield Form("resign", say("Resign"), aside=True)
