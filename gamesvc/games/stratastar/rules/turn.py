"""The course of a turn: retool and production, phases, support, the next seat (RULES.md 6)."""

from __future__ import annotations

from collections.abc import Sequence

from gamesvc.games.kernel.game import Refused
from gamesvc.games.kernel.timeline import Run
from gamesvc.games.kernel.wording import counted
from gamesvc.games.stratastar.commands import OWN_TIME
from gamesvc.games.stratastar.data import CARD_NAMES, POWER, RESEARCH
from gamesvc.games.stratastar.data.geometry import distance
from gamesvc.games.stratastar.events.dealings import CallsOpened, TreatyEnded
from gamesvc.games.stratastar.events.shapes import Group
from gamesvc.games.stratastar.events.turns import CardsDiscarded, FleetsDisbanded, PhaseEnded, TurnStarted
from gamesvc.games.stratastar.rules import facts, outcome
from gamesvc.games.stratastar.rules.actions import battle, effects
from gamesvc.games.stratastar.rules.actions.needs import need_groups
from gamesvc.games.stratastar.rules.actions.payment import pick, value
from gamesvc.games.stratastar.rules.facts import spendable
from gamesvc.games.stratastar.state import State
from gamesvc.json_types import JsonObject
from gamesvc.language import say

NEXT = {
    "retool": "trade",
    "trade": "support",
    "support": "build",
    "build": "movement",
    "movement": "battle",
    "battle": "battle_call",
}


def start(run: Run[State], seat: int, unasked: Sequence[int] = ()) -> None:
    """Begin a seat's turn. `unasked`: the seats that could have called a battle before it and were not asked."""
    state = run.state
    began = state.turn.number > 0
    wraps = began and state.order.index(seat) <= state.order.index(state.turn.active)
    number_of_round = state.turn.round + (1 if wraps or not began else 0)
    own = state.players[seat].turns + 1
    run.emit(
        TurnStarted(
            seat=seat,
            turn=state.turn.number + 1,
            round=number_of_round,
            own_turn=own,
            offers_ended=[offer.id for offer in state.offers if not offer.keep],
            unasked=tuple(unasked),
        )
    )


def retool(run: Run[State], seat: int, cards: Sequence[str]) -> None:
    """Discard up to three cards, then let every seat draw (RULES.md 6, draw)."""
    if cards:
        run.emit(CardsDiscarded(seat, cards))
    for one in facts.from_active(run.state):
        missing = facts.hand_limit(run.state, one) - len(run.state.players[one].hand)
        effects.draw_cards(run, one, missing)
    leave_phase(run)


def leave_phase(run: Run[State]) -> None:
    """End the phase. Skips a support phase in which nothing is due."""
    state = run.state
    phase, seat = state.turn.phase, state.turn.active
    following = NEXT[phase]
    clears_raids = phase == "support"
    if following == "support" and facts.excess(state.players[seat]) == 0:
        following, clears_raids = "build", True
    run.emit(
        PhaseEnded(
            seat=seat,
            phase=phase,
            next=following,
            clears_raids=clears_raids,
            offers_ended=[offer.id for offer in state.offers if not offer.keep] if phase == "trade" else (),
            free_move=following == "movement",
        )
    )


def go_to_movement(run: Run[State]) -> None:
    """End the phases before movement (RULES.md 5)."""
    while run.state.turn.phase != "movement":
        leave_phase(run)


def end_turn(run: Run[State]) -> None:
    """End all remaining phases (RULES.md 5)."""
    while run.state.turn.phase in OWN_TIME:
        leave_phase(run)


def go_on(run: Run[State]) -> None:
    """Advance the match until a seat must act."""
    while run.state.ended is None:
        state = run.state
        if state.battle is not None:
            if state.battle.waiting:
                return
            battle.settle(run)
        elif state.order and not state.players[state.turn.active].alive:
            finish(run)
        elif state.turn.phase != "battle_call":
            return
        elif left := _not_calling(state):
            # A seat that left may have been the only foe of an asked seat.
            run.emit(CallsOpened([seat for seat in state.turn.calling if seat not in left]))
        elif state.turn.calling:
            return
        else:
            _call_on(run)


def _not_calling(state: State) -> list[int]:
    return [seat for seat in state.turn.calling if not facts.contested(state, seat)]


def _call_on(run: Run[State]) -> None:
    """Ask the other seats that may want to fight. If none is left, the turn ends (RULES.md 8)."""
    state = run.state
    able = [
        seat
        for seat in facts.from_active(state)
        if seat != state.turn.active and seat not in state.turn.declined and facts.contested(state, seat)
    ]
    for seat in able:
        if state.players[seat].orders.fight == "fight":
            battle.begin(run, seat, facts.contested(state, seat)[0], called=True, auto=True)
            return
    asked = [seat for seat in able if _is_asked_to_call(state, seat)]
    if asked:
        run.emit(CallsOpened(asked))
    else:
        finish(run, able if state.options.pace else ())


def _is_asked_to_call(state: State, seat: int) -> bool:
    """Return True if a seat is asked to call a battle. With `when_unable: pass` it is not asked about hopeless ones."""
    orders = state.players[seat].orders
    return orders.fight == "ask" and (
        orders.when_unable == "ask" or any(battle.may_win(state, seat, space) for space in facts.contested(state, seat))
    )


def check_support(state: State) -> None:
    """Raise `Refused` if support is still due, which no command may skip (RULES.md 5)."""
    if state.turn.phase == "trade" and facts.excess(state.players[state.turn.active]):
        raise Refused("wrong_phase", say("You have more fleets than you can support: end the trade phase and settle that first."))


def finish(run: Run[State], unasked: Sequence[int] = ()) -> None:
    """End the turn: expire treaties, then start the next seat's turn or end the last round. `unasked`: see `start`."""
    state = run.state
    seat = state.turn.active
    for one in state.treaties:
        if one.seat == seat and one.until <= state.players[seat].turns:
            run.emit(TreatyEnded(one.seat, one.partner))
    following = _after(run.state, seat)
    limit = state.options.max_rounds
    if limit and state.turn.round >= limit and state.order.index(following) <= state.order.index(seat):
        outcome.end(run, "max_rounds", None)
        return
    start(run, following, unasked)


def _after(state: State, seat: int) -> int:
    at = state.order.index(seat)
    return next(one for one in state.order[at + 1 :] + state.order[: at + 1] if state.players[one].alive)


# --- support ---


def build_value(hand: Sequence[str], n: int) -> tuple[str, ...] | None:
    """Choose Build cards for a given value; None if there are too few."""
    return pick(hand, "build", n)


def support(run: Run[State], seat: int, builds: Sequence[str] | int, disband: Sequence[Group]) -> None:
    """Discard Build cards and disband exactly the excess fleets (RULES.md 6, support)."""
    state = run.state
    player, hand = state.players[seat], spendable(state, seat)
    cards = _builds(hand, builds)
    due = facts.excess(player, value(cards))
    seen: set[str] = set()
    for at, group in enumerate(disband):
        space = group["space"]
        need_groups(state, seat, space, group["fleets"], group["warfleets"], f"disband.{at}")
        if space in seen:
            raise Refused("no_units", say("{space} is named twice.", space=space), f"disband.{at}")
        seen.add(space)
    named = sum(group["fleets"] + group["warfleets"] for group in disband)
    if named != due:
        limit = facts.capacity(player, value(cards))
        raise Refused(
            "bad_excess",
            say(
                "You support {fleets}: disband exactly {number}, not {named}.",
                fleets=counted(limit, "fleet"),
                number=due,
                named=named,
            ),
            "disband",
        )
    run.emit(FleetsDisbanded(seat=seat, builds=cards, disband=disband))
    leave_phase(run)


def _builds(hand: Sequence[str], builds: Sequence[str] | int) -> tuple[str, ...]:
    if isinstance(builds, int):
        chosen = build_value(hand, builds)
        if chosen is None:
            raise Refused("cannot_pay", say("You have no cards worth {builds} Build.", builds=builds), "builds")
        return chosen
    for card in set(builds):
        if card not in ("build", POWER["build"], RESEARCH):
            raise Refused("bad_pay", say("{card} does not count for support.", card=CARD_NAMES[card]), "builds")
        if builds.count(card) > hand.count(card):
            raise Refused(
                "cannot_pay", say("You do not have {count} {card}.", count=builds.count(card), card=CARD_NAMES[card]), "builds"
            )
    return tuple(builds)


def default_disband(state: State, seat: int) -> list[JsonObject]:
    """Return the default groups to disband: farthest from the Homeworld first, ties A1 to J10, Fleets first (RULES.md 14)."""
    player = state.players[seat]
    home = player.home or ""
    left, groups = facts.excess(player), []
    for space in sorted(facts.fleet_spaces(player), key=lambda one: -distance(one, home)):
        fleets = min(left, player.fleets.get(space, 0))
        warfleets = min(left - fleets, player.warfleets.get(space, 0))
        left -= fleets + warfleets
        if fleets + warfleets:
            groups.append({"space": space, "fleets": fleets, "warfleets": warfleets})
    return groups
