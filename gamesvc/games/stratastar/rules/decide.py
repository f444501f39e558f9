"""Commands to events: the permission check and the consequences of each command (RULES.md 5 and 11)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from gamesvc.games.kernel.game import Command, Refused
from gamesvc.games.kernel.timeline import Run
from gamesvc.games.stratastar import commands
from gamesvc.games.stratastar.data import CARD_NAMES
from gamesvc.games.stratastar.events.actions import Passed, Spied
from gamesvc.games.stratastar.events.dealings import BattleCancelled
from gamesvc.games.stratastar.events.turns import OrdersSet
from gamesvc.games.stratastar.rules import facts, outcome, setup, standing_orders, turn, windows
from gamesvc.games.stratastar.rules.actions import battle, needs, offers, plans, reactions
from gamesvc.games.stratastar.rules.actions.payment import cost_of, settle, value
from gamesvc.games.stratastar.rules.forms import building
from gamesvc.games.stratastar.state import State
from gamesvc.language import say

SPIED_CARDS = 5
RECORDS_KEPT = 8


def decide(run: Run[State], seat: int, command: Command) -> None:
    """Emit the events of a command. Raises `Refused` for an illegal one."""
    state = run.state
    if state.ended is not None:
        raise Refused("wrong_phase", say("The match is over."))
    if not 0 <= seat < len(state.players) or not state.players[seat].alive:
        raise Refused("not_your_turn", say("This seat is no longer in the game."))
    name = command["name"]
    if name in _HANDLERS:
        _HANDLERS[name](run, seat, command)
    elif name in reactions.REACTIONS and (state.actions or name != "defend_homeworld"):
        windows.need_answer(state, seat)
        windows.react(run, seat, command)
    else:
        _act(run, seat, command)
    windows.resolve(run)
    turn.go_on(run)
    while _has_fought(run.state):
        turn.leave_phase(run)
        turn.go_on(run)


def _has_fought(state: State) -> bool:
    """Return True if the active seat has fought, can only end its battle phase, and does not want to be asked for that."""
    now = state.turn
    if not state.options.pace or state.ended is not None or now.phase != "battle" or not now.fought or facts.is_pending(state):
        return False
    standing_orders = state.players[now.active].orders
    can_act = facts.contested(state, now.active) or any(building.own_time(state, now.active))
    return standing_orders.when_unable == "pass" and not can_act


def need_turn(state: State, seat: int, *phases: str) -> None:
    """Raise `Refused` unless the seat is active, in one of the phases, with nothing pending."""
    now = state.turn
    if now.active != seat or now.phase in ("homeworld", "ability_draft"):
        raise Refused("not_your_turn", say("It is not your turn."))
    if facts.is_pending(state):
        raise Refused("wrong_phase", say("Answer the open question first, or wait for the seat that is asked."))
    if now.phase not in phases:
        raise Refused(
            "wrong_phase",
            say(
                "That is possible in: {phases}. Now it is the phase {phase}.",
                phases=", ".join(map(say, phases)),
                phase=say(now.phase),
            ),
        )


def _act(run: Run[State], seat: int, command: Command) -> None:
    state, name = run.state, command["name"]
    need_turn(state, seat, *commands.PHASES[name])
    plan = plans.plan(state, seat, command)
    if name == "internal_trade":
        _internal_trade(run, seat, plan, command)
    else:
        windows.declare(run, seat, plan, command.get("pay"), reaction=False)


def _internal_trade(run: Run[State], seat: int, plan: needs.Plan, command: Command) -> None:
    """Discard the other cards with the payment. Every card counts its value, and no credit arises (RULES.md 6)."""
    payment = settle(run.state, seat, plan.cost, command.get("pay"), reaction=True, name="Internal trade")
    others = tuple(command["others"])
    left = Counter(facts.spendable(run.state, seat)) - Counter(payment.cards)
    if short := Counter(others) - left:
        missing = ", ".join(f"{n} {CARD_NAMES[card]}" for card, n in short.items())
        raise Refused(
            "cannot_pay", say("Besides the payment, you do not have these cards: {missing} too many.", missing=missing), "others"
        )
    full = type(payment)((*payment.cards, *others), payment.credit, {})
    worth = value(full.cards) + sum(full.credit.values())
    windows.announce(run, seat, needs.Plan("internal_trade", {"draws": worth}), full)


def _place_homeworld(run: Run[State], seat: int, command: Command) -> None:
    _need_chooser(run.state, seat, "homeworld")
    setup.place_homeworld(run, seat, command["corner"])


def _need_chooser(state: State, seat: int, phase: str) -> None:
    if state.turn.phase != phase:
        raise Refused("wrong_phase", say("You are not asked for that now."))
    if state.turn.active != seat:
        raise Refused("not_your_turn", say("Another seat chooses first."))


def _pick_ability(run: Run[State], seat: int, command: Command) -> None:
    state = run.state
    if not state.turn.choice:
        raise Refused("wrong_phase", say("There is no ability to pick now."))
    if state.turn.active != seat:
        raise Refused("not_your_turn", say("Another seat chooses."))
    setup.pick_ability(run, seat, command["ability"])


def _retool(run: Run[State], seat: int, command: Command) -> None:
    need_turn(run.state, seat, "retool")
    hand = Counter(run.state.players[seat].hand)
    if short := Counter[str](command["cards"]) - hand:
        raise Refused(
            "cannot_pay",
            say("You do not have {names} to discard.", names=", ".join(CARD_NAMES[card] for card in short)),
            "cards",
        )
    turn.retool(run, seat, command["cards"])


def _support(run: Run[State], seat: int, command: Command) -> None:
    need_turn(run.state, seat, "support")
    turn.support(run, seat, command["builds"], command.get("disband", ()))


def _end_phase(run: Run[State], seat: int, command: Command) -> None:
    need_turn(run.state, seat, *commands.OWN_TIME)
    turn.leave_phase(run)


def _go_to_movement(run: Run[State], seat: int, command: Command) -> None:
    need_turn(run.state, seat, "trade")
    turn.check_support(run.state)
    turn.go_to_movement(run)


def _end_turn(run: Run[State], seat: int, command: Command) -> None:
    need_turn(run.state, seat, *commands.OWN_TIME)
    turn.check_support(run.state)
    turn.end_turn(run)


def _declare_battle(run: Run[State], seat: int, command: Command) -> None:
    need_turn(run.state, seat, "battle")
    battle.check_space(run.state, seat, command["space"])
    battle.begin(run, seat, command["space"], called=False)


def _need_call(state: State, seat: int) -> None:
    if state.turn.phase != "battle_call" or seat not in state.turn.calling:
        raise Refused("wrong_phase", say("You are not asked to call a battle now."))


def _call_battle(run: Run[State], seat: int, command: Command) -> None:
    _need_call(run.state, seat)
    battle.check_space(run.state, seat, command["space"])
    battle.begin(run, seat, command["space"], called=True)


def _pass(run: Run[State], seat: int, command: Command) -> None:
    state = run.state
    if state.actions:
        action = windows.need_answer(state, seat)
        windows.let_happen(run, seat, action)
    else:
        _need_call(state, seat)
        run.emit(Passed(seat=seat, action=None, how="passes"))


def _commit(run: Run[State], seat: int, command: Command) -> None:
    now = run.state.battle
    if now is None or seat not in now.participants:
        raise Refused("wrong_phase", say("There is no battle of yours to commit cards to."))
    if seat not in now.waiting:
        raise Refused("wrong_phase", say("Your cards are committed; that cannot be changed."))
    cards = command["cards"]
    if wrong := next((card for card in cards if card not in battle.ATTACKS), None):
        raise Refused(
            "bad_pay",
            say("{wrong} cannot be committed to a battle. Commit Attack or Research.", wrong=CARD_NAMES[wrong]),
            "cards",
        )
    if short := Counter[str](cards) - Counter(run.state.players[seat].hand):
        raise Refused(
            "cannot_pay",
            say("You do not have that many {names}.", names=", ".join(CARD_NAMES[card] for card in short)),
            "cards",
        )
    battle.commit(run, seat, cards)


def check_spy(state: State, seat: int, target: int | str) -> None:
    """Raise `Refused` unless a seat may look at a hand or the deck (RULES.md 10, spy)."""
    if not state.options.spying:
        raise Refused("not_owned", say("This match is played without spying."))
    if target == "deck":
        if not state.deck:
            raise Refused("no_target", say("The deck is empty."), "target")
        return
    assert isinstance(target, int)
    needs.need_opponent(state, seat, target)
    if not state.players[target].hand:
        raise Refused("no_target", say("That seat has no cards."), "target")


def _spy(run: Run[State], seat: int, command: Command) -> None:
    state, target = run.state, command["target"]
    check_spy(state, seat, target)
    payment = settle(state, seat, cost_of("spy"), command.get("pay"), name="Spying")
    cards = state.deck[:SPIED_CARDS] if target == "deck" else state.players[target].hand
    run.emit(
        Spied(
            seat=seat,
            target=target,
            cards=cards,
            turn=state.turn.number,
            keeps=RECORDS_KEPT,
            paid=payment.cards,
            credit=payment.credit,
            made=payment.made,
        )
    )


def _set_orders(run: Run[State], seat: int, command: Command) -> None:
    run.emit(OrdersSet(seat, standing_orders.updated(run.state.players[seat].orders, command["orders"])))


def _resign(run: Run[State], seat: int, command: Command) -> None:
    state = run.state
    if state.battle is not None and seat == state.turn.active:
        run.emit(BattleCancelled(state.battle.space))
    outcome.remove(run, seat, "resigned")
    if run.state.ended is None:
        _go_on_choosing(run)


def _go_on_choosing(run: Run[State]) -> None:
    """Begin the match if the seat that left was the last one to choose something."""
    state = run.state
    if state.turn.phase == "homeworld" and all(state.players[one].home for one in facts.alive(state)):
        setup.begin(run)
    elif state.turn.phase == "ability_draft" and not state.turn.picking:
        turn.start(run, facts.alive(state)[0])


_HANDLERS: dict[str, Callable[[Run[State], int, Command], None]] = {
    "place_homeworld": _place_homeworld,
    "pick_ability": _pick_ability,
    "retool": _retool,
    "support": _support,
    "end_phase": _end_phase,
    "go_to_movement": _go_to_movement,
    "end_turn": _end_turn,
    "declare_battle": _declare_battle,
    "call_battle": _call_battle,
    "pass": _pass,
    "commit_attack": _commit,
    "spy": _spy,
    "set_orders": _set_orders,
    "resign": _resign,
    "offer_trade": lambda run, seat, command: offers.make(run, seat, command),
    "accept_offer": lambda run, seat, command: offers.accept(run, seat, command["offer"]),
    "reject_offer": lambda run, seat, command: offers.reject(run, seat, command["offer"]),
    "withdraw_offer": lambda run, seat, command: offers.withdraw(run, seat, command["offer"]),
}
