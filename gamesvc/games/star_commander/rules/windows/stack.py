"""Windows, priority, and the resolution of the stack (RULES.md 10, 14)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gamesvc.games.kernel import codec
from gamesvc.games.kernel.game import Refused
from gamesvc.games.kernel.wording import counted
from gamesvc.games.star_commander.data import Card, Effect, Target
from gamesvc.games.star_commander.events.course import PhaseEntered
from gamesvc.games.star_commander.events.plays import (
    AbilityActivated,
    CardPlayed,
    ItemAdded,
    ItemData,
    PriorityPassed,
    StackItemFizzled,
    StackItemResolved,
)
from gamesvc.games.star_commander.rules.acting import actions
from gamesvc.games.star_commander.rules.combat import phase
from gamesvc.games.star_commander.rules.decision import Play, Step
from gamesvc.games.star_commander.rules.effects import changes, ops
from gamesvc.games.star_commander.rules.effects.aims import (
    ability_of,
    aim_of_ability,
    aim_of_card,
    check_targets,
    price_of,
    still_legal,
)
from gamesvc.games.star_commander.rules.windows import standing_orders
from gamesvc.games.star_commander.state import Item
from gamesvc.json_types import JsonMapping
from gamesvc.language import say


def on_top(play: Play, item: Item) -> tuple[ItemData, str, int]:
    """Return what the event of a play begins with: the item, the running window or a new one, and the seat with priority."""
    window = play.state.window
    return codec.to_json(item, Item), window.name if window else "stack", play.state.active


def put_item(play: Play, added: ItemAdded) -> None:
    """Put an item on top of the stack. The active seat gets priority, in the running window or a new one."""
    opens = play.state.window is None
    play.emit(added)
    if opens:
        play.push("window", name="stack")


def next_item(play: Play, kind: str, seat: int, name: str, **fields: Any) -> Item:
    return Item(id=play.state.items_made + 1, kind=kind, seat=seat, name=name, **fields)


def play_command(
    play: Play, seat: int, uid: str, targets: Mapping[str, str], *, hold: bool = False, auto: bool = False, prepared: bool = False
) -> None:
    """Play a command card from hand onto the stack."""
    card = check_command_card(play, seat, uid)
    check_targets(play.board, aim_of_card(seat, card), targets)
    item = next_item(play, "command", seat, card.id, uid=uid, targets=dict(targets), hold=hold)
    put_item(play, CardPlayed(*on_top(play, item), auto=auto, prepared=prepared))


def check_named(targets: Sequence[Target], command: JsonMapping) -> None:
    """Raise `Refused` for `targets` on a card or ability that has no targets."""
    if "targets" in command and not targets:
        raise Refused("illegal_target", say("This has no targets; leave targets out."), "targets")


def check_command_card(play: Play, seat: int, uid: str) -> Card:
    if uid not in play.state.seats[seat].hand:
        raise Refused("not_owned", say("There is no card {uid} in your hand.", uid=uid), "uid")
    card = play.board.cards[play.state.faces[uid]]
    if card.kind != "command":
        raise Refused("wrong_card", say("{card} is a {kind}, not a command.", card=card.name, kind=card.kind), "uid")
    return card


def check_play(play: Play, seat: int, command: JsonMapping) -> None:
    """Check a command card that a seat plays, and its targets. Raises `Refused`."""
    card = check_command_card(play, seat, command["uid"])
    check_named(card.targets, command)
    check_targets(play.board, aim_of_card(seat, card), command.get("targets", {}))


def check_activate(play: Play, seat: int, command: JsonMapping) -> tuple[Effect, int]:
    """Check the use of an ability. Returns its effect and its price in credits. Raises `Refused`."""
    source, board = command["source"], play.board
    effect = ability_of(board, seat, source)
    if effect is None:
        raise Refused("no_ability", say("{source} has no ability that you can use now.", source=source), "source")
    state, targets = play.state, dict(command.get("targets", {}))
    check_named(effect.targets, command)
    check_targets(board, aim_of_ability(board, seat, source, effect), targets)
    x, thrown = command.get("x", 0), command.get("discard")
    if (effect.cost_credits == "X") != ("x" in command):
        raise Refused("bad_price", say("Name x, the credits to pay, where the ability costs X, and only there."), "x")
    if bool(effect.cost_discard) != (thrown is not None):
        raise Refused("bad_price", say("Name the card to discard where the ability costs one, and only there."), "discard")
    if thrown is not None and thrown not in state.seats[seat].hand:
        raise Refused("not_owned", say("There is no card {uid} in your hand.", uid=thrown), "discard")
    if "explore" in command and not (board.edition.may_leave_unexplored and effect.op == "move_ship"):
        raise Refused("no_choice", say("Leave `explore` out: there is no choice here."), "explore")
    price = price_of(board, effect, targets, x)
    if effect.cost_credits and not 1 <= price <= state.seats[seat].credits:
        raise Refused(
            "cannot_pay",
            say("This costs {price}; you have {credits}.", price=price, credits=counted(state.seats[seat].credits, "credit")),
            "x",
        )
    return effect, price


def activate(play: Play, seat: int, command: JsonMapping, *, auto: bool = False, prepared: bool = False) -> None:
    """Use an ability. Its cost is paid at once."""
    effect, price = check_activate(play, seat, command)
    source, thrown = command["source"], command.get("discard")
    item = next_item(
        play,
        "ability",
        seat,
        name_of(play, source),
        source=source,
        targets=dict(command.get("targets", {})),
        x=command.get("x", 0),
        paid=price,
        explore=command.get("explore", True),
        hold=command.get("hold", False),
    )
    once = effect.limit == "once_per_combat"
    if thrown is not None:
        changes.discard(play, seat, thrown)
    changes.spend(play, seat, price, item.name)
    put_item(play, AbilityActivated(*on_top(play, item), once=once, auto=auto, prepared=prepared))


def name_of(play: Play, source: str) -> str:
    state = play.state
    if source in state.vessels:
        return state.vessels[source].card
    return state.cells[source].card if source in state.cells else state.faces[source]


# --- windows ---


def run_window(play: Play, step: Step) -> bool:
    """Give priority round until all living seats have passed in a row.

    Then the stack resolves, and a combat window starts again.
    """
    name = step["name"]
    if play.state.window is None:
        if name == "stack":
            return False
        if phase.is_over_early(play, name):
            return phase.drop_to_close(play)
        passed = _passed_before(play, name)
        play.emit(PhaseEntered(phase="combat", window=name, priority=play.state.active, passed=passed))
    passing: list[int] = []
    while True:
        board, window = play.board, play.state.window
        assert window is not None
        order = board.clockwise(window.priority)
        waiting = [seat for seat in order if seat not in window.passed and seat not in passing]
        if not waiting:
            play.emit(PriorityPassed(seats=passing, auto=True, closed=True))
            break
        seat = waiting[0]
        response = None if seat in window.early else standing_orders.automatic(board, seat)[1]
        if _is_ready(play, seat):
            _pass_automatically(play, passing)
            passing = []
            _play_ready(play, seat, window.ready[seat])
        elif seat in window.early or not standing_orders.can_respond(board, seat):
            passing.append(seat)
        elif response is not None:
            _pass_automatically(play, passing)
            passing = []
            _respond(play, seat, response)
        elif standing_orders.is_asked(board, seat):
            _pass_automatically(play, passing)
            return _ask(play, step, seat, waiting[1:])
        else:
            passing.append(seat)
    if play.state.stack:
        if name != "stack":
            play.work.append(step)
        play.push("resolve")
    return False


def _ask(play: Play, step: Step, seat: int, behind: Sequence[int]) -> bool:
    """Ask the seat with priority, and the seats after it that will be asked unless it plays something.

    Their answers stay sealed until they get priority. A new item on the stack drops these answers.
    """
    window, board = play.state.window, play.board
    assert window is not None
    answered = {*window.early, *window.ready}
    asked = [one for one in behind if one not in answered and standing_orders.is_asked(board, one)]
    return play.wait(step, "window", seat, step["name"], asked=asked)


def prepare(play: Play, seat: int, command: JsonMapping) -> None:
    """Store the play that a seat makes when it gets priority. Others do not learn whether it plays or passes."""
    if command["name"] == "play_command":
        check_play(play, seat, command)
    else:
        check_activate(play, seat, command)
    play.answering = False
    play.emit(PriorityPassed(seats=[seat], auto=False, closed=False, early=True, sealed=True, play=dict(command)))


def _is_ready(play: Play, seat: int) -> bool:
    """Return True if the seat has prepared a play that it can make. In a described position, its card may be missing."""
    window = play.state.window
    if window is None or seat not in window.ready:
        return False
    command = window.ready[seat]
    try:
        check = check_play if command["name"] == "play_command" else check_activate
        check(play, seat, command)
    except Refused:
        return False
    return True


def _play_ready(play: Play, seat: int, command: JsonMapping) -> None:
    """Make a prepared play. It is still legal, because any change in a window drops prepared plays.

    The event says that the play was prepared: the seat whose pass triggers it has learnt something hidden.
    """
    if command["name"] == "play_command":
        hold = command.get("hold", False)
        play_command(play, seat, command["uid"], command.get("targets", {}), hold=hold, prepared=True)
    else:
        activate(play, seat, command, prepared=True)


def _passed_before(play: Play, window: str) -> list[int]:
    """Return the seats that passed a combat window in advance, together with their assignment, if nothing was played since."""
    phase = play.state.combat
    return list(phase.passed) if phase is not None and window == "after_assign" else []


def _pass_automatically(play: Play, passing: list[int]) -> None:
    if passing:
        play.emit(PriorityPassed(seats=list(passing), auto=True, closed=False))


def _respond(play: Play, seat: int, response: standing_orders.Response) -> None:
    if response.uid:
        play_command(play, seat, response.uid, response.targets, auto=True)
    else:
        command = {"source": response.source, "targets": response.targets, "discard": response.discard}
        activate(play, seat, command, auto=True)


def run_resolve(play: Play, step: Step) -> bool:
    """Resolve the top item, then return for the next one (RULES.md 19.16)."""
    if not play.state.stack:
        return False
    play.work.append(step)
    item = play.state.stack[-1]
    if item.kind == "action":
        actions.resolve(play, item)
        return False
    board = play.board
    if item.kind == "command":
        card = board.cards[item.name]
        aim, trigger = aim_of_card(item.seat, card), "play"
    else:
        effect = board.cards[item.name].ability
        assert effect is not None
        aim, trigger = aim_of_ability(board, item.seat, item.source, effect), "activate"
    targets = still_legal(board, aim, item.targets)
    fizzles = item.cancelled or (bool(item.targets) and not targets)
    why = "cancelled" if item.cancelled else "no_target" if fizzles else ""
    if fizzles:
        play.emit(StackItemFizzled(item=item.id, name=item.name, seat=item.seat, why=why, returned=None, refund=0))
    else:
        play.emit(StackItemResolved(item=item.id, name=item.name, seat=item.seat))
    if item.uid is not None:
        changes.discard(play, item.seat, item.uid, source="stack")
    if not fizzles:
        play.push(
            "effects",
            trigger=trigger,
            at=0,
            seat=item.seat,
            card=item.name,
            source=item.source,
            targets=targets,
            x=item.x,
            paid=item.paid,
            explore=item.explore,
        )
    return False


def run_effects(play: Play, step: Step) -> bool:
    """Run one effect of a card, in the listed order. Steps that it adds come before the next effect."""
    effects = play.board.cards[step["card"]].with_trigger(step["trigger"])
    at, seat = step["at"], step["seat"]
    if not play.state.seats[seat].alive:
        return False
    if step["trigger"] == "first_developed" and at == 0 and play.board.besieged(step["source"]):
        return False  # RULES.md 19.42
    if at + 1 < len(effects):
        play.work.append({**step, "at": at + 1})
    acting = ops.Acting(
        seat,
        step["card"],
        step["source"],
        step["targets"],
        step.get("x", 0),
        step.get("paid", 0),
        step.get("explore", True),
    )
    ops.OPS[effects[at].op](play, acting, effects[at])
    return False
