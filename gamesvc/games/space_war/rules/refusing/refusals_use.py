"""Refusals of uses: the rule against using a card in play, a commander or a played card as requested.

Each function returns a `Refused`, or None if the comparison with the form explains the fault better. They use only information
that the seat may see.
"""

from __future__ import annotations

from collections.abc import Callable

from gamesvc.games.kernel.game import Command, Refused
from gamesvc.games.kernel.wording import counted
from gamesvc.games.space_war.data import CARDS, COMMANDERS, Card, Effect, name_of, uses_of
from gamesvc.games.space_war.rules.facts import Board
from gamesvc.games.space_war.rules.playing import reach
from gamesvc.games.space_war.rules.playing.plays import in_hand, matching
from gamesvc.games.space_war.rules.playing.powers import repairable
from gamesvc.games.space_war.state import Piece


def _wrong(code: str, detail: str, parameter: str | None = None) -> Refused:
    return Refused(code, detail, parameter)


# --- playing ---


def play_reason(board: Board, seat: int, card: Card, command: Command) -> Refused | None:
    """Return the rule that forbids these choices. The card itself is affordable and not forbidden."""
    if card.id in ("fatal_error", "duplication"):
        return _wrong_x(board, card, command)
    cards, discard = board.state.cards, board.state.sides[seat].discard
    if card.id == "excellent_work" and command.get("mode") == 1 and not board.room(seat):
        return _full(board, seat, "mode")
    if card.id == "revive_procedure":
        chosen = [one for one in command.get("targets", ()) if one in discard]
        cost = sum(CARDS[cards[one]].cost or 0 for one in chosen)
        if cost > 6:
            return _wrong("no_target", f"Revive Procedure: the ships may cost 6 together; these cost {cost}.", "targets")
    if card.id == "deploy_starship" and len(board.own(seat)) < 3:
        return _wrong("no_target", f"Deploy Starship gives up 3 of your cards in play; you have {len(board.own(seat))}.", "card")
    if card.id == "death_ray" and not any(p.card == "starship" for p in board.own(seat)):
        return _wrong("no_target", "A Death Ray is played onto a Starship of yours in play; there is none.", "card")
    if card.id in ("deja_vu", "revive_procedure") and not discard:
        return _wrong("no_target", f"{card.name} takes cards from your discard pile, which is empty.", "card")
    return None


def _wrong_x(board: Board, card: Card, command: Command) -> Refused | None:
    """Return the rule that forbids the chosen x: Fatal Error costs one more than its target, Duplication the same."""
    targets = command.get("targets", ())
    target = board.state.piece(targets[0]) if targets else None
    if target is None or target.on is not None:
        return None
    right = board.cost(target) + (card.id == "fatal_error")
    if command.get("x") == right:
        return None
    rule = "one more than the cost of its target" if card.id == "fatal_error" else "the cost of the card it copies"
    return _wrong("not_possible", f"{card.name}: x is {rule}; for {name_of(target.card)} that is {right}.", "x")


def _full(board: Board, seat: int, parameter: str) -> Refused:
    return _wrong("station_full", f"Your station is full: it may have {counted(board.max_station(seat), 'card')}.", parameter)


# --- cards in play ---


def ability_refusal(board: Board, seat: int, p: Piece, command: Command) -> Refused | None:
    """Return the rule that forbids the ability of a card that may act."""
    card = CARDS[p.card]
    effects = [effect for _, effect in card.triggered("ability") if effect.get("mode") == command.get("mode")]
    if not card.triggered("ability"):
        return _wrong("no_ability", f"{card.name} has no ability.", "card")
    if card.id == "death_ray" or any(effect["op"] == "collide" for effect in effects):
        verb = "attack" if card.id == "death_ray" else "collide"
        return _wrong("no_ability", f"{card.name} is used with {verb}.", "card")
    return _condition(board, seat, p, effects[0]) or _aim(board, seat, p, effects[0], command) if effects else None


def _condition(board: Board, seat: int, p: Piece, effect: Effect) -> Refused | None:
    condition, name = effect.get("condition", ""), name_of(p.card)
    if "not first turn" in condition and p.entered == board.state.turn:
        return _wrong("first_turn", f"{name} uses this ability from its second turn in play on.", "card")
    if "not moved" in condition and p.moved:
        return _wrong("already_moved", f"{name} has moved this turn, so it cannot use this ability.", "card")
    if "home zone" in condition and p.zone != seat:
        return _wrong("out_of_range", f"{name} is in the enemy zone; it does this in your home zone only.", "card")
    if "below maximum" in condition and not board.room(seat):
        return _full(board, seat, "card")
    if effect["op"] == "station_add" and p.owner != seat:
        return _wrong("forbidden", f"{name} belongs to the opponent; only its owner's station can take it.", "card")
    return None


def _aim(board: Board, seat: int, p: Piece, effect: Effect, command: Command) -> Refused | None:
    op, name, enemy = effect["op"], name_of(p.card), board.state.sides[1 - seat]
    chosen = [board.state.piece(one) for one in command.get("targets", ())]
    if op == "repair_station":
        return _nothing_flipped(board, seat)
    if op == "repair":
        for target in chosen:
            if target is not None and target.controller == seat and not (target.damage or target.paralyzed):
                return _wrong("no_target", f"{name_of(target.card)} has no damage and is not paralyzed.", "targets")
        if any(target is not None and target not in matching(board, seat, effect["target"], p) for target in chosen):
            return _wrong("no_target", f"{name} repairs {_reach_words(effect)}.", "targets")
        if not repairable(board, seat, effect["target"], p):
            return _wrong("no_target", f"Nothing that {name} could repair is damaged: it repairs {_reach_words(effect)}.", "card")
    if op == "control" and not matching(board, seat, effect["target"], p):
        return _wrong("no_target", f"No enemy spaceship or missile is in the zone of {name}.", "card")
    if op == "discard" and board.hand_is_safe(1 - seat):
        return _wrong("forbidden", "Extra Deposit: the opponent cannot be made to discard from hand.", "card")
    if op == "discard" and not enemy.hand:
        return _wrong("no_target", "The opponent's hand is empty.", "card")
    if (needed := effect.get("cost", {}).get("discard_in_play", 0)) and len(board.own(seat, "spaceship")) <= needed:
        return _wrong("no_target", f"{name} gives up {needed} other spaceships of yours in play; there are too few.", "card")
    if op == "search" and effect["from"] == ["discard_pile"] and not board.state.sides[seat].discard:
        return _wrong("no_target", "Your discard pile is empty.", "card")
    if effect.get("cost", {}).get("counters") and not p.counters:
        return _wrong("cannot_pay", f"{name} has no counters to remove.", "card")
    return None


def _reach_words(effect: Effect) -> str:
    what = "spaceships of yours" if effect["target"].get("kind") == ["spaceship"] else "cards of yours"
    return f"{what} in its own zone" if effect["target"].get("zone") == "same" else what


def _nothing_flipped(board: Board, seat: int) -> Refused | None:
    if any(card.flipped for card in board.state.sides[seat].station):
        return None
    return _wrong("no_target", "No card of your station is flipped; there is nothing to repair.")


def anytime_refusal(board: Board, seat: int, command: Command) -> Refused | None:
    """Return the rule that forbids giving up a card in play for its effect."""
    found = _in_play(board, seat, command, "any_time", "It cannot be given up for an effect.")
    if not isinstance(found, Piece):
        return found
    for _, effect in CARDS[found.card].triggered("any_time"):
        if effect.get("mode") != command.get("mode"):
            continue
        if effect["op"] == "repair_station":
            return _nothing_flipped(board, seat)
        if effect["op"] == "repair" and not repairable(board, seat, effect["target"]):
            return _wrong("no_target", "No spaceship of yours is damaged or paralyzed.", "card")
        if "target" in effect and not matching(board, seat, effect["target"], found):
            return _wrong("no_target", "There is no other duration in play.", "card")
    return None


def action_refusal(board: Board, seat: int, command: Command) -> Refused | None:
    """Return the rule that forbids the action-phase effect of a card in play."""
    found = _in_play(board, seat, command, "action_phase", "It has no effect that is used in the action phase.")
    if not isinstance(found, Piece):
        return found
    for _, effect in CARDS[found.card].triggered("action_phase"):
        if effect["op"] == "extra_turn" and found.counters < effect["cost"]["counters"]:
            return _wrong(
                "cannot_pay", f"An extra turn costs {counted(effect['cost']['counters'], 'counter')}; it has {found.counters}."
            )
        if effect["op"] == "station_to_hand" and all(card.row != "hand" for card in board.face_down(seat)):
            return _wrong("no_target", "No card lies face down in your hand row.", "slots")
        if effect.get("amount") == "removed" and command["name"] == "use_action":
            return _wrong("no_ability", "Turn its counters into actions with use_counters.", "card")
    return None


def counters_refusal(board: Board, seat: int, command: Command) -> Refused | None:
    """Return the rule that forbids removing counters for actions."""
    found = _in_play(board, seat, command, "action_phase", "Its counters cannot be turned into actions.")
    if not isinstance(found, Piece):
        return found
    if all(effect.get("amount") != "removed" for _, effect in CARDS[found.card].triggered("action_phase")):
        return _wrong("no_ability", "Its counters cannot be turned into actions.", "card")
    return _wrong(
        "cannot_pay", f"It has {counted(found.counters, 'counter')}; remove at least 1, and no more than there are.", "n"
    )


def _in_play(board: Board, seat: int, command: Command, trigger: str, otherwise: str) -> Piece | Refused:
    """Return the seat's own card in play that has an active effect with this trigger, or the refusal if there is none."""
    p = board.state.piece(command["card"])
    if p is None or p.controller != seat:
        held = command["card"] in in_hand(board, seat)
        more = " That one is in your hand: play it first." if held else ""
        return _wrong("not_owned", f"Name a card in play that you control.{more}", "card")
    if not CARDS[p.card].triggered(trigger):
        return _wrong("no_ability", otherwise, "card")
    if p.id in board.suppressed:
        return _wrong("forbidden", f"{name_of(p.card)} is without effect while it is suppressed.", "card")
    if not board.has_text(p):
        return _wrong("first_turn", f"{name_of(p.card)} is Delayed; its text counts from your next turn on.", "card")
    return p


# --- collisions ---


def collision_refusal(board: Board, p: Piece, command: Command) -> Refused:
    """Return the rule that forbids the target of a card that may collide."""
    if "target" in command:
        target = board.state.piece(command["target"])
        if target is None:
            return _wrong("no_target", "That card is not in play.", "target")
        if target.controller == p.controller or target.on is not None or CARDS[target.card].type == "duration":
            return _wrong("no_target", "Collide with an enemy card in play that is not a duration and not attached.", "target")
        return _wrong("out_of_range", "It is in the other zone; a collision needs the same zone.", "target")
    if not reach.at_station(board, p):
        rule = "A ship collides with the station from the enemy zone, in which it must be since before this turn."
        return _wrong("out_of_range", rule, "card")
    if board.shields(1 - p.controller):
        return _wrong("shielded", "The station has a shield; destroy it first. A collision never pierces.", "card")
    if board.own_flips(1 - p.controller):
        return _wrong("bad_slots", "Leave slots out: Keve Bakins chooses which of their cards flip.", "slots")
    flips = max(0, min(reach.collide_power(board, p), board.to_flip(1 - p.controller)))
    return _wrong(
        "bad_slots", f"This collision flips exactly {counted(flips, 'face-down card')}; name {counted(flips, 'slot')}.", "slots"
    )


# --- commanders ---


def commander_refusal(board: Board, seat: int, command: Command) -> Refused | None:
    """Return the rule that forbids using the seat's own commander."""
    side = board.state.sides[seat]
    if not side.commander:
        return _wrong("wrong_phase", "You have no commander yet; the match begins when both seats have prepared.")
    card = COMMANDERS[side.commander]
    effects = [effect for trigger in ("action_phase", "any_time") for _, effect in card.triggered(trigger)]
    if not effects:
        return _wrong("no_ability", f"{card.name} has no ability to use: its effect happens by itself.")
    modes = [effect["mode"] for effect in effects if "mode" in effect]
    if modes and command.get("mode") not in modes:
        return _wrong("not_possible", f"{card.name}: say which ability, mode {' or '.join(map(str, modes))}.", "mode")
    effect = next(effect for effect in effects if effect.get("mode") == (command.get("mode") if modes else None))
    cost = effect.get("cost", {})
    in_upkeep = board.state.phase == "upkeep" and cost.get("counters") == "any"
    if effect["trigger"] == "action_phase" and board.state.phase != "action" and not in_upkeep:
        return _wrong("wrong_phase", f"{card.name} is used in your action phase.")
    if "limit" in effect and side.commander_uses >= uses_of(effect):
        return _wrong("limit_reached", f"{card.name} can be used {counted(uses_of(effect), 'time')} a turn; you have done so.")
    if cost.get("actions", 0) > side.actions:
        return _wrong("cannot_pay", f"{card.name} costs {counted(cost['actions'], 'action')}; you have {side.actions}.")
    if cost.get("counters") == "any":
        return _wrong("cannot_pay", f"You have {counted(side.charge, 'Charge')}; turn 1 or more into actions.", "n")
    checks: dict[str, Callable[[], Refused | None]] = {
        "repair_station": lambda: _nothing_flipped(board, seat),
        "search": lambda: _nothing_to_take(board, seat, effect),
        "rearrange_station": lambda: _wrong("bad_slots", "Name cards of your station that lie in another row.", "slots"),
    }
    return checks[effect["op"]]() if effect["op"] in checks else None


def _nothing_to_take(board: Board, seat: int, effect: Effect) -> Refused | None:
    side = board.state.sides[seat]
    if effect["from"] == ["draw_pile"] and not side.pile:
        return _wrong("no_target", "Your draw pile is empty.")
    wanted = effect.get("filter", {}).get("card")
    if effect["from"] == ["discard_pile"] and all(board.state.cards[one] != wanted for one in side.discard):
        return _wrong("no_target", f"There is no {name_of(wanted)} in your discard pile.")
    return None
