"""Commands to events."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from gamesvc.games.kernel import codec
from gamesvc.games.kernel.game import Command, Refused
from gamesvc.games.kernel.timeline import Run
from gamesvc.games.kernel.wording import listed, seat_name
from gamesvc.games.star_commander.commands import ASKED
from gamesvc.games.star_commander.events.board import VesselScrapped
from gamesvc.games.star_commander.events.course import ChoiceMade, StandingOrdersSet
from gamesvc.games.star_commander.events.plays import ActionDeclared, PriorityPassed, TradeDeclined, TradesLapsed, TradeWithdrawn
from gamesvc.games.star_commander.rules.acting import actions, movement, trade
from gamesvc.games.star_commander.rules.combat import phase
from gamesvc.games.star_commander.rules.decision import Play
from gamesvc.games.star_commander.rules.effects import building, changes, drawing, elimination
from gamesvc.games.star_commander.rules.turn import advance
from gamesvc.games.star_commander.rules.windows import stack
from gamesvc.games.star_commander.rules.windows.choices import choice_values
from gamesvc.games.star_commander.state import Orders, State
from gamesvc.json_types import JsonObject
from gamesvc.language import say


def decide(run: Run[State], seat: int, command: Command) -> None:
    """Carry out a command and continue until a seat must answer. Raises `Refused` for an illegal command."""
    state, name = run.state, command["name"]
    if state.result is not None:
        raise Refused("over", say("The match is over."))
    if not 0 <= seat < len(state.seats) or not state.seats[seat].alive:
        raise Refused("not_alive", say("This seat is out of the match."))
    play = Play(run, answering=name not in ANYTIME)
    if name in ANYTIME:
        ANYTIME[name](play, seat, command)
    else:
        prompts = AT[name]
        if state.prompt.kind not in prompts:
            raise _wrong_time(state, name, prompts)
        window = state.window
        if window is not None and seat in window.asked and name in ("play_command", "activate"):
            stack.prepare(play, seat, command)
        elif state.prompt.seat != seat:
            raise Refused("not_your_turn", say("The match waits for {seat}.", seat=seat_name(state.prompt.seat)))
        else:
            HANDLE[name](play, seat, command)
    if play.state.result is None:
        advance(play)
    trade.drop_hollow(play)


def _wrong_time(state: State, name: str, prompts: Iterable[str]) -> Refused:
    """Return the refusal of a command that does not answer the open question."""
    said, prompt = (
        {"name": name.replace("_", " "), "possible": listed((say(ASKED[kind]) for kind in prompts), "or")},
        state.prompt,
    )
    if prompt.kind in ASKED:
        task, asked = say(ASKED[prompt.kind]), seat_name(prompt.seat)
        sentence = say(
            "{name} is for a player who is asked {possible}. Now {seat} is asked {task}.", **said, seat=asked, task=task
        )
    else:
        sentence = say("{name} is for a player who is asked {possible}. Now nobody is asked.", **said)
    return Refused("wrong_time", sentence, "name")


def set_standing_orders(play: Play, seat: int, command: Command) -> None:
    """Change the given standing orders. All others stay unchanged."""
    given = command["orders"]
    current: JsonObject = codec.to_json(play.state.seats[seat].orders, Orders)
    merged: Any = {**current, **given, "combat": {**current["combat"], **given.get("combat", {})}}
    merged["auto"] = [{"on": [], "by": None, "only_concerned": False, **auto} for auto in merged["auto"]]
    known = len(play.state.seats)
    if any(auto["by"] is not None and auto["by"] >= known for auto in merged["auto"]):
        raise Refused("no_target", say("There are seats 0 to {known}.", known=known - 1), "orders")
    play.emit(StandingOrdersSet(seat=seat, orders=merged))


def resign(play: Play, seat: int, command: Command) -> None:
    """Eliminate the seat as in classic. If it is the active seat, its stack, combat and turn end without conquest."""
    ends_turn = seat == play.state.active
    elimination.eliminate(play, [seat], "resigned")
    if ends_turn and play.state.result is None:
        play.work[:] = [{"do": "cleanup"}]


def pass_priority(play: Play, seat: int, command: Command) -> None:
    """Pass with priority, or pass early without it. An early pass holds until a new item is added.

    `rest`: the seat also passes in all windows for the rest of the turn, until it changes its standing orders.
    """
    window, prompt = play.state.window, play.state.prompt
    if window is None or prompt.kind != "window":
        raise Refused("wrong_time", say("There is no open window to pass in."), "name")
    rest = bool(command.get("rest")) and seat not in play.state.resting
    if prompt.seat == seat:
        play.emit(PriorityPassed(seats=[seat], auto=False, closed=False, rest=rest))
        play.answering = True
        return
    if seat in (*window.early, *window.passed, *window.ready):
        raise Refused(
            "already_passed", say("You have already passed. You will be asked again when something new is played."), "name"
        )
    sealed = seat in window.asked
    play.emit(PriorityPassed(seats=[seat], auto=False, closed=False, early=True, sealed=sealed, rest=rest))


def offer_trade(play: Play, seat: int, command: Command) -> None:
    trade.offer(play, seat, command["to"], command["give"], command["want"])


def accept_trade(play: Play, seat: int, command: Command) -> None:
    trade.accept(play, seat, command["offer"], command.get("hand", ()))


def decline_trade(play: Play, seat: int, command: Command) -> None:
    one = trade.find_for(play.board, seat, command["offer"], "to")
    play.emit(TradeDeclined(offer=one.id, seat=seat, to=one.maker))


def withdraw_trade(play: Play, seat: int, command: Command) -> None:
    one = trade.find_for(play.board, seat, command["offer"], "maker")
    play.emit(TradeWithdrawn(offer=one.id, seat=seat, to=one.to, auto=False))


def draw_card(play: Play, seat: int, command: Command) -> None:
    board = play.board
    if command["domain"] not in board.drawable(seat):
        able = ", ".join(board.drawable(seat))
        raise Refused(
            "no_domain",
            say("You cannot draw from {domain}; you can draw from: {able}.", domain=command["domain"], able=able),
            "domain",
        )
    actions.check_discard(board, seat, command.get("discard"), board.hand_is_full(seat))
    step = play.work[-1]
    step["domain"] = command["domain"]
    if "discard" in command:
        step["discard"] = command["discard"]


def choose(play: Play, seat: int, command: Command) -> None:
    value, what = command["value"], play.state.prompt.what
    if value not in choice_values(play.board):
        raise Refused("no_choice", say("{value} is not among what can be chosen.", value=value), "value")
    play.emit(ChoiceMade(seat=seat, what=what, value=value))
    step = play.work[-1]
    if what == "keep_or_discard":
        drawing.look(play, step, value)
    elif what == "discard" and step["do"] == "take_card":
        changes.discard(play, seat, value)
    else:
        step[{"draw_domain": "domain", "core_world": "cell", "take_card": "take", "discard": "discard"}[what]] = value


def end_command(play: Play, seat: int, command: Command) -> None:
    if play.state.offers:
        play.emit(TradesLapsed(offers=[one.id for one in play.state.offers]))
    play.work[-1] = {"do": "combat_choose"}


def open_combat(play: Play, seat: int, command: Command) -> None:
    cells = phase.eligible(play.board)
    if command["cell"] not in cells:
        raise Refused(
            "no_target",
            say("No combat can be opened there; it can in: {cells}.", cells=", ".join(cells) or say("no system")),
            "cell",
        )
    phase.open_combat(play, command["cell"])


def end_combat(play: Play, seat: int, command: Command) -> None:
    left = phase.eligible(play.board)
    if left and not play.board.edition.may_skip_combat:
        raise Refused("combat_left", say("These combats must be fought first: {left}.", left=", ".join(left)), "name")
    play.work[-1] = {"do": "end"}


def assign_damage(play: Play, seat: int, command: Command) -> None:
    """Assign damage. `more`: the seat continues to assign; damage assigned so far counts against guards.

    Its question stays open then, with its clock. Who assigns nothing is done: else they could go on without end.
    """
    more = command.get("more", False) and any(command["assignments"].values())
    passes = command.get("pass", phase.passes_by_itself(play.board, seat))
    phase.assign(play, seat, command["assignments"], more=more, passes=passes, stays=command.get("stay", False))
    play.answering = not more
    if not more:
        play.work[-1]["queue"] = play.work[-1]["queue"][1:]


def retreat(play: Play, seat: int, command: Command) -> None:
    step = play.work[-1]
    step["queue"] = step["queue"][1:]
    phase.retreat(play, seat, command["moves"])


def act(play: Play, seat: int, command: Command) -> None:
    """Carry out an action: on the stack if the edition allows responses, otherwise at once."""
    name = command["name"]
    params = {key: value for key, value in command.items() if key != "name"}
    actions.check(play.board, seat, name, params)
    if name == "move_ships":
        first = next(iter([*params["ships"], *params.get("carried", {})]))
        params["from"] = play.state.vessels[first].cell
    if play.board.edition.actions_respondable:
        item = stack.next_item(play, "action", seat, name, params=params)
        stack.put_item(play, ActionDeclared(*stack.on_top(play, item)))
    else:
        actions.PERFORM[name](play, seat, params)


def build(play: Play, seat: int, command: Command) -> None:
    if ("card" in command) == ("uid" in command):
        raise Refused("bad_parameter", say("Name either card, a core vessel, or uid, a card of your hand."), "card")
    if "card" in command:
        act(play, seat, command)
        return
    name, uid = command["name"], command["uid"]
    card = actions.check_hand_card(play.board, seat, uid, name.removeprefix("build_"))
    price = building.check_build(play.board, seat, card, command["cell"])
    changes.spend(play, seat, price, card.id)
    item = stack.next_item(play, "action", seat, name, uid=uid, paid=price, params={"cell": command["cell"]})
    stack.put_item(play, ActionDeclared(*stack.on_top(play, item), card=card.id))


def build_ship(play: Play, seat: int, command: Command) -> None:
    if play.state.prompt.kind == "combat_choose" and not building.builds_in_combat(play.board, seat):
        raise Refused("wrong_time", say("Ships are built in the command phase; only Forsei allows it now."), "name")
    build(play, seat, command)


def play_technology(play: Play, seat: int, command: Command) -> None:
    card = actions.check_hand_card(play.board, seat, command["uid"], "technology")
    item = stack.next_item(play, "action", seat, "play_technology", uid=command["uid"], params={})
    stack.put_item(play, ActionDeclared(*stack.on_top(play, item), card=card.id))


def scrap(play: Play, seat: int, command: Command) -> None:
    board = play.board
    if not board.edition.may_scrap:
        raise Refused("not_in_edition", say("Ships cannot be scrapped in this edition."), "name")
    ship = movement.own_ship(board, seat, command["ship"], "ship")
    if board.contested(ship.cell):
        raise Refused("contested", say("{cell} is contested; nothing can be scrapped there.", cell=ship.cell), "ship")
    card = board.card(ship)
    refund = max(1, card.cost // 2)
    play.emit(VesselScrapped(seat=seat, vessel=ship.id, card=ship.card, cell=ship.cell, domain=card.domain, refund=refund))
    changes.gain(play, seat, refund, [("scrap", refund)])


def play_command(play: Play, seat: int, command: Command) -> None:
    card = stack.check_command_card(play, seat, command["uid"])
    stack.check_named(card.targets, command)
    stack.play_command(play, seat, command["uid"], command.get("targets", {}), hold=command.get("hold", False))


def activate(play: Play, seat: int, command: Command) -> None:
    stack.activate(play, seat, command)


Handler = Callable[[Play, int, Command], None]


ANYTIME: Mapping[str, Handler] = {
    "set_standing_orders": set_standing_orders,
    "resign": resign,
    "pass": pass_priority,
    "offer_trade": offer_trade,
    "accept_trade": accept_trade,
    "decline_trade": decline_trade,
    "withdraw_trade": withdraw_trade,
}


HANDLE: Mapping[str, Handler] = {
    "draw_card": draw_card,
    "choose": choose,
    "move_ships": act,
    "build_ship": build_ship,
    "build_station": build,
    "develop": act,
    "scrap": scrap,
    "play_technology": play_technology,
    "play_command": play_command,
    "activate": activate,
    "trade_draw": act,
    "trade_discard": act,
    "end_command": end_command,
    "open_combat": open_combat,
    "end_combat": end_combat,
    "assign_damage": assign_damage,
    "retreat": retreat,
}


AT: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(HANDLE, ("command",)),
    "draw_card": ("ready_draw",),
    "choose": ("choice",),
    "build_ship": ("command", "combat_choose"),
    "play_command": ("command", "window"),
    "activate": ("command", "window"),
    "open_combat": ("combat_choose",),
    "end_combat": ("combat_choose",),
    "assign_damage": ("combat_assign",),
    "retreat": ("combat_retreat",),
}
