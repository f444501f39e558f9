"""Refusals of commands: a code, the fault, and what would be right. Uses only information that the seat may see."""

from __future__ import annotations

from collections.abc import Callable

from gamesvc.games.kernel import forms
from gamesvc.games.kernel.game import Command, Refused
from gamesvc.games.kernel.wording import capital, counted
from gamesvc.games.space_war.data import CARDS, name_of
from gamesvc.games.space_war.rules.facts import Board
from gamesvc.games.space_war.rules.legal import awaited, legal_commands
from gamesvc.games.space_war.rules.playing import reach
from gamesvc.games.space_war.rules.playing.plays import budget, in_hand
from gamesvc.games.space_war.rules.refusing.refusals_use import (
    ability_refusal,
    action_refusal,
    anytime_refusal,
    collision_refusal,
    commander_refusal,
    counters_refusal,
    play_reason,
)
from gamesvc.games.space_war.state import Piece, State
from gamesvc.json_types import JsonObject
from gamesvc.language import joined, mark, say

_PHASES = {
    "choose_starter": mark("{name} is possible only when the starter is chosen."),
    "prepare": mark("{name} is possible only in preparation, once."),
    "upkeep": mark("{name} is possible only in your upkeep."),
    "action": mark("{name} is possible only in your action phase."),
    "discard": mark("{name} is possible only in your discard phase."),
    "attack": mark("{name} is possible only in your attack phase."),
}
"""The refusal of a command outside its phase."""
_NOW = {
    "draw": mark("This is your draw phase."),
    "upkeep": mark("This is your upkeep phase."),
    "action": mark("This is your action phase."),
    "discard": mark("This is your discard phase."),
    "attack": mark("This is your attack phase."),
    "between": mark("Your turn is ending."),
}
_PHASE_OF = {
    "choose_starter": "choose_starter",
    "prepare": "prepare",
    "pay_upkeep": "upkeep",
    "end_phase": "action",
    "add_station": "action",
    "move_station": "action",
    "use_counters": "action",
    "use_action": "action",
    "discard": "discard",
    "move": "attack",
    "attack": "attack",
    "attack_station": "attack",
    "use_ability": "attack",
    "collide": "attack",
    "end_turn": "attack",
}
_ANCHORS = ("card", "attacker", "prompt", "item", "mode", "slot", "row")


def refusal(state: State, seat: int, command: Command) -> Refused:
    """Return the refusal of a command that no form offers."""
    name = command["name"]
    if state.phase == "over":
        return Refused("over", say("The match is over."))
    return _early(state, seat, name) or _special(Board(state), seat, command) or _by_forms(state, seat, command)


def _early(state: State, seat: int, name: str) -> Refused | None:
    """Return a reason that holds for any parameters (wrong seat, phase or moment), or None."""
    waiting = awaited(state)
    acting = any(one.seat == seat for one in waiting)
    if name in ("choose", "draw"):
        if all(prompt.seat != seat for prompt in state.prompts):
            return Refused("no_prompt", say("You have no open choice."))
        return None
    if name == "let_stand":
        if any(prompt.seat == seat for prompt in state.prompts):
            return Refused("prompt_open", say("Answer the open choice first."))
        if not state.open_items(seat):
            return Refused("nothing_open", say("No item waits for you. Carry on with your turn, or wait for the other seat."))
        return None
    if name == "react":
        return None
    if name in _PHASE_OF and state.phase in ("choose_starter", "prepare"):
        if name != state.phase or not acting:
            return Refused("wrong_phase", _possible(name))
        return None
    if not acting:
        if state.phase in ("choose_starter", "prepare"):
            return Refused("not_your_turn", say("It is the other seat's turn to act."))
        return Refused("not_your_turn", say("It is the other seat's turn to act. React to an open item with react."))
    if any(prompt.seat == seat for prompt in state.prompts):
        return Refused("prompt_open", say("Answer the open choice first: choose."))
    prompt = waiting[0].prompt
    if prompt in ("review", "barrier", "last_answer"):
        return Refused("wrong_phase", say("Items wait for you: react to them, or let them stand."))
    if name in _PHASE_OF and state.phase != _PHASE_OF[name]:
        return Refused("wrong_phase", joined(_possible(name), say(_NOW[state.phase])))
    return None


def _possible(name: str) -> str:
    return say(_PHASES[_PHASE_OF[name]], name=capital(name.replace("_", " ")))


def _special(board: Board, seat: int, command: Command) -> Refused | None:
    name = command["name"]
    if name in ("add_station", "move_station") and board.state.sides[seat].managed:
        return Refused("already_managed", say("Station management is possible once a turn: add a card or move one."))
    if name == "add_station":
        if not board.room(seat):
            return Refused(
                "station_full",
                say("Your station is full: it may have {cards}.", cards=counted(board.max_station(seat), "card")),
                "card",
            )
        if not board.may_add_station(seat):
            return Refused("forbidden", say("Obstacles: nobody may add station cards from hand."))
    if name in _SPECIAL:
        return _SPECIAL[name](board, seat, command)
    if name in ("move", "attack", "attack_station", "collide", "use_ability"):
        return _battle(board, seat, command)
    if name == "pause":
        return Refused("nothing_open", say("There is nothing new to which the opponent could react."))
    if name == "replay":
        return Refused("nothing_to_replay", say("There is nothing to repeat."))
    return None


def _play(board: Board, seat: int, command: Command) -> Refused | None:
    card_id = command.get("card")
    if card_id not in in_hand(board, seat):
        return Refused("not_owned", say("You can play cards from your hand and flipped cards of your station only."), "card")
    card = CARDS[board.state.cards[card_id]]
    if ban := board.play_ban(seat, card.type):
        return Refused("forbidden", ban, "card")
    if "shield_limit" in card.keywords and board.limited_shield(seat):
        return Refused("shield_limit", say("You already have a limited shield in play; one per player."), "card")
    cost = (command.get("x", 0) if card.cost is None else card.cost) + board.cost_increase()
    money = budget(board, seat)
    if cost > money:
        if board.state.phase != "action":
            return Refused(
                "cannot_pay",
                say("Outside your action phase only cards that cost 0 can be played; this costs {cost}.", cost=cost),
                "card",
            )
        return Refused(
            "cannot_pay",
            say("{name} costs {cost}; you have {actions}.", name=card.name, cost=cost, actions=counted(money, "action")),
            "card",
        )
    if reason := play_reason(board, seat, card, command):
        return reason
    if not any(
        form.name == "play_card" and form.parameters["card"]["const"] == card_id for form in legal_commands(board.state, seat)
    ):
        if card.triggered("response"):
            return Refused("no_target", say("{name} is a response: use react with an open item.", name=card.name), "card")
        return Refused("no_target", say("{name} has no legal target now.", name=card.name), "card")
    return None


def _react(board: Board, seat: int, command: Command) -> Refused | None:
    state = board.state
    number = command.get("item")
    if number is not None and all(item.n != number for item in state.open_items(seat)):
        return Refused("not_open", say("That item is not open to you."), "item")
    play = command.get("play", {})
    card_id = play.get("card")
    if card_id is not None and card_id not in in_hand(board, seat):
        p = state.piece(card_id)
        if p is None or p.controller != seat:
            return Refused("not_owned", say("React with a card of your hand, a flipped station card or a card in play."), "play")
    if card_id is not None and number is not None and state.piece(card_id) is None:
        card = CARDS[state.cards[card_id]]
        cost = (card.cost or 0) + board.cost_increase()
        if cost > budget(board, seat):
            return Refused(
                "cannot_pay", say("{name} costs {cost} now; a reaction must cost 0.", name=card.name, cost=cost), "play"
            )
        if card.triggered("response"):
            return Refused("no_target", say("{name} cannot answer that item.", name=card.name), "play")
    if number is None:
        return None
    name = say("That") if card_id is None else name_of(state.cards[card_id])
    return Refused(
        "no_target",
        say(
            "{name} cannot answer item {number}: you must have had it then, at cost 0, and with its targets in place.",
            name=name,
            number=number,
        ),
        "play",
    )


def _upkeep(board: Board, seat: int, command: Command) -> Refused | None:
    due = {p.id: board.cost(p) for p in board.upkeep_due(seat)}
    keep = command.get("keep", [])
    if unknown := [card for card in keep if card not in due]:
        return Refused("not_owned", say("No upkeep is due for {card}.", card=unknown[0]), "keep")
    if (cost := sum(due[card] for card in keep)) > board.state.sides[seat].actions:
        return Refused(
            "cannot_pay",
            say("That costs {cost}; you have {actions}.", cost=cost, actions=counted(board.state.sides[seat].actions, "action")),
            "keep",
        )
    return None


def _battle(board: Board, seat: int, command: Command) -> Refused | None:
    name = command["name"]
    parameter = "attacker" if "attacker" in command else "card"
    p = board.state.piece(command.get(parameter, ""))
    if p is None or p.controller != seat:
        return Refused("not_owned", say("Choose a card in play that you control."), parameter)
    reason = {
        "move": reach.move_reason,
        "attack": reach.attack_reason,
        "attack_station": reach.attack_reason,
        "collide": reach.collide_reason,
        "use_ability": reach.ability_reason,
    }[name](board, p)
    if reason is None and name == "attack":
        target = board.state.piece(command.get("target", ""))
        reason = _target(board, p, target)
        parameter = "target"
    elif reason is None and name == "attack_station":
        reason = reach.station_reason(board, p)
        if reason is None:
            shields, flips = reach.station_plan(board, p)
            return _slots_of_attack(len(shields), flips, chosen=not board.own_flips(1 - seat))
    elif reason is None and name == "collide":
        return collision_refusal(board, p, command)
    elif reason is None and name == "use_ability":
        return ability_refusal(board, seat, p, command)
    return Refused(reason[0], reason[1], parameter) if reason is not None else None


def _slots_of_attack(shields: int, flips: int, *, chosen: bool) -> Refused:
    """Return the refusal of an attack on the station with wrong slots or shields. `chosen`: the attacker chooses the slots."""
    told = [say("This attack flips exactly {cards}.", cards=counted(flips, "face-down card"))]
    if shields:
        told.append(say("Name the shield.") if shields == 1 else say("Name all {shields} shields in order.", shields=shields))
    if not chosen:
        told.append(say("The owner chooses the cards: leave slots out."))
    return Refused("bad_slots", joined(*told), "slots")


def _discard(board: Board, seat: int, command: Command) -> Refused | None:
    hand, limit = board.state.sides[seat].hand, board.hand_limit(seat) or 0
    if unknown := [card for card in command["cards"] if card not in hand]:
        return Refused("not_owned", say("{card} is not in your hand.", card=unknown[0]), "cards")
    if len(command["cards"]) != len(hand) - limit:
        cards = counted(len(hand) - limit, "card")
        detail = say(
            "Discard exactly {cards}: you hold {hand}, and your hand limit is {limit}.", cards=cards, hand=len(hand), limit=limit
        )
        return Refused("not_possible", detail, "cards")
    return None


def _move_station(board: Board, seat: int, command: Command) -> Refused | None:
    card = next((card for card in board.state.sides[seat].station if card.slot == command["slot"]), None)
    if card is None:
        return Refused("not_owned", say("Your station has no slot {slot}.", slot=command["slot"]), "slot")
    if card.row == command["row"]:
        return Refused(
            "not_possible", say("{slot} is already in row {row}; name another row.", slot=card.slot, row=card.row), "row"
        )
    return None


_SPECIAL: dict[str, Callable[[Board, int, Command], Refused | None]] = {
    "play_card": _play,
    "react": _react,
    "pay_upkeep": _upkeep,
    "discard": _discard,
    "move_station": _move_station,
    "use_commander": commander_refusal,
    "use_anytime": anytime_refusal,
    "use_action": action_refusal,
    "use_counters": counters_refusal,
}


def _target(board: Board, p: Piece, target: Piece | None) -> reach.Reason | None:
    if target is None:
        return "no_target", say("That card is not in play.")
    return reach.target_reason(board, p, target)


def _by_forms(state: State, seat: int, command: Command) -> Refused:
    """Return the fault found by comparing the command with the closest form."""
    offered = [form for form in legal_commands(state, seat) if form.name == command["name"]]
    if not offered:
        return Refused("not_now", say("{name} is not possible now.", name=command["name"]))
    body: JsonObject = dict(command)
    near = offered
    for anchor in _ANCHORS:
        same = [
            form
            for form in near
            if anchor in form.parameters and anchor in body and forms.fault(form.parameters[anchor], body[anchor]) is None
        ]
        near = same or near
    fault = forms.fault(near[0].schema(), body)
    detail, path = (fault.detail, fault.path) if fault is not None else ("", "")
    code = "no_target" if path.startswith(("targets", "target")) else "bad_slots" if path.startswith("slots") else "not_possible"
    return Refused(code, joined(command["name"], detail or say("this is not possible now."), between=": "), path or None)
