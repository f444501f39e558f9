"""Refusals of uses: the rule against using a card in play, a commander or a played card as requested.

Each function returns a `Refused`, or None if the comparison with the form explains the fault better. They use only information
that the seat may see.
"""

from __future__ import annotations

from collections.abc import Callable

from gamesvc.games.kernel.game import Command, Refused
from gamesvc.games.kernel.wording import counted, listed
from gamesvc.games.space_war.data import CARDS, COMMANDERS, Card, Effect, name_of, uses_of
from gamesvc.games.space_war.rules.facts import Board
from gamesvc.games.space_war.rules.playing import reach
from gamesvc.games.space_war.rules.playing.plays import in_hand, matching
from gamesvc.games.space_war.rules.playing.powers import repairable
from gamesvc.games.space_war.state import MOST_USES, Piece
from gamesvc.language import joined, say

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
            detail = say("{card}: the ships may cost 6 together; these cost {cost}.", card=card.name, cost=cost)
            return Refused("no_target", detail, "targets")
    if card.id == "deploy_starship" and len(board.own(seat)) < 3:
        detail = say("{card} gives up 3 of your cards in play; you have {count}.", card=card.name, count=len(board.own(seat)))
        return Refused("no_target", detail, "card")
    if card.id == "death_ray" and not any(p.card == "starship" for p in board.own(seat)):
        return Refused("no_target", say("A Death Ray is played onto a Starship of yours in play; there is none."), "card")
    if card.id in ("deja_vu", "revive_procedure") and not discard:
        detail = say("{card} takes cards from your discard pile, which is empty.", card=card.name)
        return Refused("no_target", detail, "card")
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
    facts = {"card": card.name, "target": name_of(target.card), "right": right}
    if card.id == "fatal_error":
        detail = say("{card}: x is one more than the cost of its target; for {target} that is {right}.", **facts)
    else:
        detail = say("{card}: x is the cost of the card it copies; for {target} that is {right}.", **facts)
    return Refused("not_possible", detail, "x")


def _full(board: Board, seat: int, parameter: str) -> Refused:
    detail = say("Your station is full: it may have {cards}.", cards=counted(board.max_station(seat), "card"))
    return Refused("station_full", detail, parameter)


# --- cards in play ---


def ability_refusal(board: Board, seat: int, p: Piece, command: Command) -> Refused | None:
    """Return the rule that forbids the ability of a card that may act."""
    card = CARDS[p.card]
    effects = [effect for _, effect in card.triggered("ability") if effect.get("mode") == command.get("mode")]
    if not card.triggered("ability"):
        return Refused("no_ability", say("{card} has no ability.", card=card.name), "card")
    if card.id == "death_ray" or any(effect["op"] == "collide" for effect in effects):
        order = "attack" if card.id == "death_ray" else "collide"
        return Refused("no_ability", say("{card} is used with {order}.", card=card.name, order=order), "card")
    return _condition(board, seat, p, effects[0]) or _aim(board, seat, p, effects[0], command) if effects else None


def _condition(board: Board, seat: int, p: Piece, effect: Effect) -> Refused | None:
    condition, name = effect.get("condition", ""), name_of(p.card)
    if "not first turn" in condition and p.entered == board.state.turn:
        return Refused("first_turn", say("{card} uses this ability from its second turn in play on.", card=name), "card")
    if "not moved" in condition and p.moved:
        return Refused("already_moved", say("{card} has moved this turn, so it cannot use this ability.", card=name), "card")
    if "home zone" in condition and p.zone != seat:
        return Refused(
            "out_of_range", say("{card} is in the enemy zone; it does this in your home zone only.", card=name), "card"
        )
    if "below maximum" in condition and not board.room(seat):
        return _full(board, seat, "card")
    if effect["op"] == "station_add" and p.owner != seat:
        return Refused(
            "forbidden", say("{card} belongs to the opponent; only its owner's station can take it.", card=name), "card"
        )
    return None


def _aim(board: Board, seat: int, p: Piece, effect: Effect, command: Command) -> Refused | None:
    op, name, enemy = effect["op"], name_of(p.card), board.state.sides[1 - seat]
    chosen = [board.state.piece(one) for one in command.get("targets", ())]
    if op == "repair_station":
        return _nothing_flipped(board, seat)
    if op == "repair":
        for target in chosen:
            if target is not None and target.controller == seat and not (target.damage or target.paralyzed):
                detail = say("{card} has no damage and is not paralyzed.", card=name_of(target.card))
                return Refused("no_target", detail, "targets")
        if any(target is not None and target not in matching(board, seat, effect["target"], p) for target in chosen):
            return Refused("no_target", say("{card} repairs {targets}.", card=name, targets=_reach_words(effect)), "targets")
        if not repairable(board, seat, effect["target"], p):
            targets = _reach_words(effect)
            detail = say("Nothing that {card} could repair is damaged: it repairs {targets}.", card=name, targets=targets)
            return Refused("no_target", detail, "card")
    if op == "control" and not matching(board, seat, effect["target"], p):
        return Refused("no_target", say("No enemy spaceship or missile is in the zone of {card}.", card=name), "card")
    if op == "discard" and board.hand_is_safe(1 - seat):
        return Refused("forbidden", say("Extra Deposit: the opponent cannot be made to discard from hand."), "card")
    if op == "discard" and not enemy.hand:
        return Refused("no_target", say("The opponent's hand is empty."), "card")
    if (needed := effect.get("cost", {}).get("discard_in_play", 0)) and len(board.own(seat, "spaceship")) <= needed:
        detail = say("{card} gives up {needed} other spaceships of yours in play; there are too few.", card=name, needed=needed)
        return Refused("no_target", detail, "card")
    if op == "search" and effect["from"] == ["discard_pile"] and not board.state.sides[seat].discard:
        return Refused("no_target", say("Your discard pile is empty."), "card")
    if effect.get("cost", {}).get("counters") and not p.counters:
        return Refused("cannot_pay", say("{card} has no counters to remove.", card=name), "card")
    return None


def _reach_words(effect: Effect) -> str:
    ships, near = effect["target"].get("kind") == ["spaceship"], effect["target"].get("zone") == "same"
    if ships:
        return say("spaceships of yours in its own zone") if near else say("spaceships of yours")
    return say("cards of yours in its own zone") if near else say("cards of yours")


def _nothing_flipped(board: Board, seat: int) -> Refused | None:
    if any(card.flipped for card in board.state.sides[seat].station):
        return None
    return Refused("no_target", say("No card of your station is flipped; there is nothing to repair."))


def anytime_refusal(board: Board, seat: int, command: Command) -> Refused | None:
    """Return the rule that forbids giving up a card in play for its effect."""
    found = _in_play(board, seat, command, "any_time", say("It cannot be given up for an effect."))
    if not isinstance(found, Piece):
        return found
    for _, effect in CARDS[found.card].triggered("any_time"):
        if effect.get("mode") != command.get("mode"):
            continue
        if effect["op"] == "repair_station":
            return _nothing_flipped(board, seat)
        if effect["op"] == "repair" and not repairable(board, seat, effect["target"]):
            return Refused("no_target", say("No spaceship of yours is damaged or paralyzed."), "card")
        if "target" in effect and not matching(board, seat, effect["target"], found):
            return Refused("no_target", say("There is no other duration in play."), "card")
    return None


def action_refusal(board: Board, seat: int, command: Command) -> Refused | None:
    """Return the rule that forbids the action-phase effect of a card in play."""
    found = _in_play(board, seat, command, "action_phase", say("It has no effect that is used in the action phase."))
    if not isinstance(found, Piece):
        return found
    for _, effect in CARDS[found.card].triggered("action_phase"):
        if effect["op"] == "extra_turn" and found.counters < effect["cost"]["counters"]:
            cost = counted(effect["cost"]["counters"], "counter")
            return Refused(
                "cannot_pay", say("An extra turn costs {cost}; it has {counters}.", cost=cost, counters=found.counters)
            )
        if effect["op"] == "station_to_hand" and all(card.row != "hand" for card in board.face_down(seat)):
            return Refused("no_target", say("No card lies face down in your hand row."), "slots")
        if effect.get("amount") == "removed" and command["name"] == "use_action":
            return Refused("no_ability", say("Turn its counters into actions with use_counters."), "card")
    return None


def counters_refusal(board: Board, seat: int, command: Command) -> Refused | None:
    """Return the rule that forbids removing counters for actions."""
    found = _in_play(board, seat, command, "action_phase", say("Its counters cannot be turned into actions."))
    if not isinstance(found, Piece):
        return found
    if all(effect.get("amount") != "removed" for _, effect in CARDS[found.card].triggered("action_phase")):
        return Refused("no_ability", say("Its counters cannot be turned into actions."), "card")
    counters = counted(found.counters, "counter")
    return Refused("cannot_pay", say("It has {counters}; remove at least 1, and no more than there are.", counters=counters), "n")


def _in_play(board: Board, seat: int, command: Command, trigger: str, otherwise: str) -> Piece | Refused:
    """Return the seat's own card in play that has an active effect with this trigger, or the refusal if there is none."""
    p = board.state.piece(command["card"])
    if p is None or p.controller != seat:
        told = [say("Name a card in play that you control.")]
        if command["card"] in in_hand(board, seat):
            told.append(say("That one is in your hand: play it first."))
        return Refused("not_owned", joined(*told), "card")
    if not CARDS[p.card].triggered(trigger):
        return Refused("no_ability", otherwise, "card")
    if p.id in board.suppressed:
        return Refused("forbidden", say("{card} is without effect while it is suppressed.", card=name_of(p.card)), "card")
    if not board.has_text(p):
        detail = say("{card} is Delayed; its text counts from your next turn on.", card=name_of(p.card))
        return Refused("first_turn", detail, "card")
    return p


# --- collisions ---


def collision_refusal(board: Board, p: Piece, command: Command) -> Refused:
    """Return the rule that forbids the target of a card that may collide."""
    if "target" in command:
        target = board.state.piece(command["target"])
        if target is None:
            return Refused("no_target", say("That card is not in play."), "target")
        if target.controller == p.controller or target.on is not None or CARDS[target.card].type == "duration":
            detail = say("Collide with an enemy card in play that is not a duration and not attached.")
            return Refused("no_target", detail, "target")
        return Refused("out_of_range", say("It is in the other zone; a collision needs the same zone."), "target")
    if not reach.at_station(board, p):
        rule = say("A ship collides with the station from the enemy zone, in which it must be since before this turn.")
        return Refused("out_of_range", rule, "card")
    if board.shields(1 - p.controller):
        return Refused("shielded", say("The station has a shield; destroy it first. A collision never pierces."), "card")
    if board.own_flips(1 - p.controller):
        return Refused("bad_slots", say("Leave slots out: Keve Bakins chooses which of their cards flip."), "slots")
    flips = max(0, min(reach.collide_power(board, p), board.to_flip(1 - p.controller)))
    cards, slots = counted(flips, "face-down card"), counted(flips, "slot")
    return Refused("bad_slots", say("This collision flips exactly {cards}; name {slots}.", cards=cards, slots=slots), "slots")


# --- commanders ---


def commander_refusal(board: Board, seat: int, command: Command) -> Refused | None:
    """Return the rule that forbids using the seat's own commander."""
    side = board.state.sides[seat]
    if not side.commander:
        return Refused("wrong_phase", say("You have no commander yet; the match begins when both seats have prepared."))
    card = COMMANDERS[side.commander]
    effects = [effect for trigger in ("action_phase", "any_time") for _, effect in card.triggered(trigger)]
    if not effects:
        return Refused("no_ability", say("{card} has no ability to use: its effect happens by itself.", card=card.name))
    modes = [effect["mode"] for effect in effects if "mode" in effect]
    if modes and command.get("mode") not in modes:
        detail = say("{card}: say which ability, mode {modes}.", card=card.name, modes=listed(modes, "or"))
        return Refused("not_possible", detail, "mode")
    effect = next(effect for effect in effects if effect.get("mode") == (command.get("mode") if modes else None))
    cost = effect.get("cost", {})
    in_upkeep = board.state.phase == "upkeep" and cost.get("counters") == "any"
    if effect["trigger"] == "action_phase" and board.state.phase != "action" and not in_upkeep:
        return Refused("wrong_phase", say("{card} is used in your action phase.", card=card.name))
    if (refused := _used_up(board, seat, card, effect)) is not None:
        return refused
    if cost.get("actions", 0) > side.actions:
        price = counted(cost["actions"], "action")
        return Refused(
            "cannot_pay", say("{card} costs {price}; you have {left}.", card=card.name, price=price, left=side.actions)
        )
    if cost.get("counters") == "any":
        charges = counted(side.charge, "Charge")
        return Refused("cannot_pay", say("You have {charges}; turn 1 or more into actions.", charges=charges), "n")
    checks: dict[str, Callable[[], Refused | None]] = {
        "repair_station": lambda: _nothing_flipped(board, seat),
        "search": lambda: _nothing_to_take(board, seat, effect),
        "rearrange_station": lambda: Refused("bad_slots", say("Name cards of your station that lie in another row."), "slots"),
    }
    return checks[effect["op"]]() if effect["op"] in checks else None


def _used_up(board: Board, seat: int, card: Card, effect: Effect) -> Refused | None:
    if "limit" in effect and board.state.sides[seat].commander_uses >= uses_of(effect):
        times = counted(uses_of(effect), "time")
        return Refused("limit_reached", say("{card} can be used {times} a turn; you have done so.", card=card.name, times=times))
    if board.uses_to_answer(seat) >= MOST_USES:
        times = counted(MOST_USES, "time")
        detail = say("{card} can be used {times} before your opponent's turn; you have done so.", card=card.name, times=times)
        return Refused("limit_reached", detail)
    return None


def _nothing_to_take(board: Board, seat: int, effect: Effect) -> Refused | None:
    side = board.state.sides[seat]
    if effect["from"] == ["draw_pile"] and not side.pile:
        return Refused("no_target", say("Your draw pile is empty."))
    wanted = effect.get("filter", {}).get("card")
    if effect["from"] == ["discard_pile"] and all(board.state.cards[one] != wanted for one in side.discard):
        return Refused("no_target", say("There is no {card} in your discard pile.", card=name_of(wanted)))
    return None
