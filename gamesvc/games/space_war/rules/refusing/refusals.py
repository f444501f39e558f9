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

_PHASES = {
    "choose_starter": "when the starter is chosen",
    "prepare": "in preparation, once",
    "upkeep": "in your upkeep",
    "action": "in your action phase",
    "discard": "in your discard phase",
    "attack": "in your attack phase",
}
"""The end of `is possible only ...`, by the phase."""
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
        return Refused("over", "The match is over.")
    return _early(state, seat, name) or _special(Board(state), seat, command) or _by_forms(state, seat, command)


def _early(state: State, seat: int, name: str) -> Refused | None:
    """Return a reason that holds for any parameters (wrong seat, phase or moment), or None."""
    waiting = awaited(state)
    acting = any(one.seat == seat for one in waiting)
    if name in ("choose", "draw"):
        if all(prompt.seat != seat for prompt in state.prompts):
            return Refused("no_prompt", "You have no open choice.")
        return None
    if name == "let_stand":
        if any(prompt.seat == seat for prompt in state.prompts):
            return Refused("prompt_open", "Answer the open choice first.")
        if not state.open_items(seat):
            return Refused("nothing_open", "No item waits for you. Carry on with your turn, or wait for the other seat.")
        return None
    if name == "react":
        return None
    if name in _PHASE_OF and state.phase in ("choose_starter", "prepare"):
        if name != state.phase or not acting:
            return Refused("wrong_phase", f"{_possible(name)}.")
        return None
    if not acting:
        hint = " React to an open item with react." if state.phase not in ("choose_starter", "prepare") else ""
        return Refused("not_your_turn", f"It is the other seat's turn to act.{hint}")
    if any(prompt.seat == seat for prompt in state.prompts):
        return Refused("prompt_open", "Answer the open choice first: choose.")
    prompt = waiting[0].prompt
    if prompt in ("review", "barrier", "last_answer"):
        return Refused("wrong_phase", "Items wait for you: react to them, or let them stand.")
    if name in _PHASE_OF and state.phase != _PHASE_OF[name]:
        return Refused("wrong_phase", f"{_possible(name)}; this is your {state.phase} phase.")
    return None


def _possible(name: str) -> str:
    return f"{capital(name.replace('_', ' '))} is possible only {_PHASES[_PHASE_OF[name]]}"


def _special(board: Board, seat: int, command: Command) -> Refused | None:
    name = command["name"]
    if name in ("add_station", "move_station") and board.state.sides[seat].managed:
        return Refused("already_managed", "Station management is possible once a turn: add a card or move one.")
    if name == "add_station":
        if not board.room(seat):
            return Refused(
                "station_full", f"Your station is full: it may have {counted(board.max_station(seat), 'card')}.", "card"
            )
        if not board.may_add_station(seat):
            return Refused("forbidden", "Obstacles: nobody may add station cards from hand.")
    if name in _SPECIAL:
        return _SPECIAL[name](board, seat, command)
    if name in ("move", "attack", "attack_station", "collide", "use_ability"):
        return _battle(board, seat, command)
    if name == "pause":
        return Refused("nothing_open", "There is nothing new to which the opponent could react.")
    if name == "replay":
        return Refused("nothing_to_replay", "There is nothing to repeat.")
    return None


def _play(board: Board, seat: int, command: Command) -> Refused | None:
    card_id = command.get("card")
    if card_id not in in_hand(board, seat):
        return Refused("not_owned", "You can play cards from your hand and flipped cards of your station only.", "card")
    card = CARDS[board.state.cards[card_id]]
    if ban := board.play_ban(seat, card.type):
        return Refused("forbidden", ban, "card")
    if "shield_limit" in card.keywords and board.limited_shield(seat):
        return Refused("shield_limit", "You already have a limited shield in play; one per player.", "card")
    cost = (command.get("x", 0) if card.cost is None else card.cost) + board.cost_increase()
    money = budget(board, seat)
    if cost > money:
        if board.state.phase != "action":
            return Refused(
                "cannot_pay", f"Outside your action phase only cards that cost 0 can be played; this costs {cost}.", "card"
            )
        return Refused("cannot_pay", f"{card.name} costs {cost}; you have {counted(money, 'action')}.", "card")
    if reason := play_reason(board, seat, card, command):
        return reason
    if not any(
        form.name == "play_card" and form.parameters["card"]["const"] == card_id for form in legal_commands(board.state, seat)
    ):
        if card.triggered("response"):
            return Refused("no_target", f"{card.name} is a response: use react with an open item.", "card")
        return Refused("no_target", f"{card.name} has no legal target now.", "card")
    return None


def _react(board: Board, seat: int, command: Command) -> Refused | None:
    state = board.state
    number = command.get("item")
    if number is not None and all(item.n != number for item in state.open_items(seat)):
        return Refused("not_open", "That item is not open to you.", "item")
    play = command.get("play", {})
    card_id = play.get("card")
    if card_id is not None and card_id not in in_hand(board, seat):
        p = state.piece(card_id)
        if p is None or p.controller != seat:
            return Refused("not_owned", "React with a card of your hand, a flipped station card or a card in play.", "play")
    if card_id is not None and number is not None and state.piece(card_id) is None:
        card = CARDS[state.cards[card_id]]
        cost = (card.cost or 0) + board.cost_increase()
        if cost > budget(board, seat):
            return Refused("cannot_pay", f"{card.name} costs {cost} now; a reaction must cost 0.", "play")
        if card.triggered("response"):
            return Refused("no_target", f"{card.name} cannot answer that item.", "play")
    if number is None:
        return None
    name = "That" if card_id is None else name_of(state.cards[card_id])
    return Refused(
        "no_target",
        f"{name} cannot answer item {number}: you must have had it then, at cost 0, and with its targets in place.",
        "play",
    )


def _upkeep(board: Board, seat: int, command: Command) -> Refused | None:
    due = {p.id: board.cost(p) for p in board.upkeep_due(seat)}
    keep = command.get("keep", [])
    if unknown := [card for card in keep if card not in due]:
        return Refused("not_owned", f"No upkeep is due for {unknown[0]}.", "keep")
    if (cost := sum(due[card] for card in keep)) > board.state.sides[seat].actions:
        return Refused("cannot_pay", f"That costs {cost}; you have {counted(board.state.sides[seat].actions, 'action')}.", "keep")
    return None


def _battle(board: Board, seat: int, command: Command) -> Refused | None:
    name = command["name"]
    parameter = "attacker" if "attacker" in command else "card"
    p = board.state.piece(command.get(parameter, ""))
    if p is None or p.controller != seat:
        return Refused("not_owned", "Choose a card in play that you control.", parameter)
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
            return Refused(
                "bad_slots",
                f"This attack flips exactly {counted(flips, 'face-down card')}"
                + (f"; name {'the shield' if len(shields) == 1 else f'all {len(shields)} shields in order'}" if shields else "")
                + (" and the owner chooses them (leave slots out)." if board.own_flips(1 - seat) else "."),
                "slots",
            )
    elif reason is None and name == "collide":
        return collision_refusal(board, p, command)
    elif reason is None and name == "use_ability":
        return ability_refusal(board, seat, p, command)
    return Refused(reason[0], reason[1], parameter) if reason is not None else None


def _discard(board: Board, seat: int, command: Command) -> Refused | None:
    hand, limit = board.state.sides[seat].hand, board.hand_limit(seat) or 0
    if unknown := [card for card in command["cards"] if card not in hand]:
        return Refused("not_owned", f"{unknown[0]} is not in your hand.", "cards")
    if len(command["cards"]) != len(hand) - limit:
        detail = f"Discard exactly {counted(len(hand) - limit, 'card')}: you hold {len(hand)}, and your hand limit is {limit}."
        return Refused("not_possible", detail, "cards")
    return None


def _move_station(board: Board, seat: int, command: Command) -> Refused | None:
    card = next((card for card in board.state.sides[seat].station if card.slot == command["slot"]), None)
    if card is None:
        return Refused("not_owned", f"Your station has no slot {command['slot']}.", "slot")
    if card.row == command["row"]:
        return Refused("not_possible", f"{card.slot} is already in row {card.row}; name another row.", "row")
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
        return "no_target", "That card is not in play."
    return reach.target_reason(board, p, target)


def _by_forms(state: State, seat: int, command: Command) -> Refused:
    """Return the fault found by comparing the command with the closest form."""
    offered = [form for form in legal_commands(state, seat) if form.name == command["name"]]
    if not offered:
        return Refused("not_now", f"{command['name']} is not possible now.")
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
    return Refused(code, f"{command['name']}: {detail or 'this is not possible now.'}", path or None)
