"""The handlers of commands. Each declares its act (cost paid, card shown, item opened) and adds tasks to the agenda.

The commands before the first turn are in `setup`.
"""

from __future__ import annotations

from collections.abc import Callable

from gamesvc.games.space_war.data import BARRIER_CARDS, CARDS, COMMANDERS, Effect
from gamesvc.games.space_war.events.answers import OrdersSet, Paused, PromptAnswered
from gamesvc.games.space_war.events.course import (
    UpkeepPaid,
)
from gamesvc.games.space_war.events.play import AbilityUsed, AttackDeclared, Collided, CommanderUsed, CountersChanged, Moved
from gamesvc.games.space_war.events.zones import StationMoved
from gamesvc.games.space_war.rules.decision import Flow, Task
from gamesvc.games.space_war.rules.effects.drawing import add_to_station, discard_cards
from gamesvc.games.space_war.rules.playing import reach
from gamesvc.games.space_war.rules.reactions import declare, is_response, open_item, pay_and_show, respond
from gamesvc.games.space_war.rules.turn import end_turn_tasks, phase_item
from gamesvc.json_types import JsonMapping

Params = JsonMapping
_CHOICES = ("x", "mode", "targets", "slots", "row", "options", "n")


def _chosen(params: Params) -> Task:
    return {name: params[name] for name in _CHOICES if name in params}


# --- playing and using ---


def play_card(flow: Flow, seat: int, params: Params) -> None:
    flow.start = flow.run.version
    instance = params["card"]
    card = CARDS[flow.card(instance)]
    options = params.get("options", {})
    x = options["draw"] + options["mill"] if card.id == "release_of_energy" else params.get("x", 0)
    step = {**_chosen(params), "op": "resolve", "what": instance, "seat": seat, "x": x}
    barrier = [{"op": "barrier", "seat": 1 - seat}] if card.id in BARRIER_CARDS else []
    declare(flow, *barrier, step)
    pay_and_show(flow, seat, instance, x)
    note: Task = {"cost": x if card.cost is None else card.cost, "type": card.type}
    if "targets" in params and card.id != "discovery":
        note["targets"] = params["targets"]
        note["aims"] = [p.card for p in flow.state.pieces if p.id in params["targets"]]
    if params.get("slots"):
        note["station"] = True
    open_item(flow, seat, "play", card.id, instance, note)


def _effect_of(card_id: str, trigger: str, params: Params) -> tuple[int, Effect]:
    card = CARDS[card_id] if card_id in CARDS else COMMANDERS[card_id]
    wanted = params.get("mode")
    return next((at, e) for at, e in card.triggered(trigger) if e.get("mode") == wanted and e["op"] != "collide")


def use_anytime(flow: Flow, seat: int, params: Params) -> None:
    flow.start = flow.run.version
    p = flow.state.piece(params["card"])
    assert p is not None
    at, _ = _effect_of(p.card, "any_time", params)
    declare(flow, {**_chosen(params), "op": "effect", "card": p.card, "i": at, "seat": seat, "source": p.id})
    flow.leave([p.id], "discarded")
    open_item(flow, seat, "anytime", p.card, p.id, {"targets": params.get("targets", [])})


def use_commander(flow: Flow, seat: int, params: Params) -> None:
    flow.start = flow.run.version
    side = flow.state.sides[seat]
    card = side.commander
    anytime = bool(COMMANDERS[card].triggered("any_time"))
    at, effect = _effect_of(card, "any_time" if anytime else "action_phase", params)
    cost = effect.get("cost", {})
    actions, charge = side.actions - cost.get("actions", 0), side.charge
    if effect["op"] == "add_counter":
        charge += effect["amount"]
    elif cost.get("counters") == "any":
        charge -= params["n"]
    tasks: list[Task] = []
    if "station_damage" in cost:
        tasks.append({"op": "hit", "seat": seat, "n": cost["station_damage"], "slots": []})
    tasks.append({**_chosen(params), "op": "effect", "card": card, "i": at, "seat": seat, "source": ""})
    declare(flow, *tasks)
    flow.emit(CommanderUsed(seat=seat, name=card, actions=actions, charge=charge))
    open_item(flow, seat, "commander", card, "", {"targets": params.get("targets", [])})


def use_counters(flow: Flow, seat: int, params: Params) -> None:
    p = flow.state.piece(params["card"])
    assert p is not None
    spent = params["n"]
    actions = flow.state.sides[seat].actions + spent
    flow.emit(CountersChanged(card=p.id, name=p.card, counters=p.counters - spent, change=-spent, seat=seat, actions=actions))


def use_action(flow: Flow, seat: int, params: Params) -> None:
    flow.start = flow.run.version
    p = flow.state.piece(params["card"])
    assert p is not None
    at, effect = next((at, e) for at, e in CARDS[p.card].triggered("action_phase"))
    paid = effect.get("cost", {}).get("counters", 0)
    declare(flow, {**_chosen(params), "op": "effect", "card": p.card, "i": at, "seat": seat, "source": p.id})
    flow.emit(CountersChanged(card=p.id, name=p.card, counters=p.counters - paid, change=-paid))
    open_item(flow, seat, "ability", p.card, p.id, {})


def use_ability(flow: Flow, seat: int, params: Params) -> None:
    flow.start = flow.run.version
    p = flow.state.piece(params["card"])
    assert p is not None
    at, effect = _effect_of(p.card, "ability", params)
    cost = effect.get("cost", {})
    counters = 0 if cost.get("counters") == "all" else p.counters
    step = {**_chosen(params), "op": "effect", "card": p.card, "i": at, "seat": seat, "source": p.id}
    step |= {"n": p.counters} if cost.get("counters") else {}
    declare(flow, step)
    flow.emit(AbilityUsed(card=p.id, name=p.card, counters=counters, targets=params.get("targets", [])))
    if cost.get("discard_self"):
        given = params["targets"] if "discard_in_play" in cost else []
        flow.leave([p.id, *given], "discarded")
    open_item(flow, seat, "ability", p.card, p.id, {"targets": params.get("targets", [])})


# --- station, phases ---


def add_station(flow: Flow, seat: int, params: Params) -> None:
    add_to_station(flow, seat, params["card"], params["row"], shown=False, managed=True)


def move_station(flow: Flow, seat: int, params: Params) -> None:
    flow.emit(StationMoved(seat=seat, slots=[params["slot"]], row=params["row"], managed=True))


def end_phase(flow: Flow, seat: int, params: Params) -> None:
    phase_item(flow, seat, "action", {"op": "after_action", "seat": seat})


def pay_upkeep(flow: Flow, seat: int, params: Params) -> None:
    state, keep = flow.state, params["keep"]
    due = flow.board.upkeep_due(seat)
    cost = sum(flow.board.cost(p) for p in due if p.id in keep)
    names = {p.id: p.card for p in due}
    gone = [p.id for p in due if p.id not in keep]
    left = state.sides[seat].actions - cost
    flow.emit(UpkeepPaid(seat=seat, kept=keep, discarded=gone, names=names, cost=cost, actions=left))
    flow.leave(gone, "discarded")


def discard(flow: Flow, seat: int, params: Params) -> None:
    discard_cards(flow, seat, params["cards"])


def end_turn(flow: Flow, seat: int, params: Params) -> None:
    flow.push(*end_turn_tasks(flow, seat, list(params.get("flip_slots", []))))


# --- attack phase ---


def move(flow: Flow, seat: int, params: Params) -> None:
    p = flow.state.piece(params["card"])
    assert p is not None
    flow.emit(Moved(card=p.id, name=p.card, zone=1 - p.zone, turn=flow.state.turn))


def attack(flow: Flow, seat: int, params: Params) -> None:
    flow.start = flow.run.version
    board = flow.board
    p = flow.state.piece(params["attacker"])
    assert p is not None
    used = {p.id: p.attacks + 1}
    carrier = board.carrier(p)
    if carrier is not None:
        used[carrier.id] = max(board.attacks(carrier), carrier.attacks + 1)
    target = params.get("target")
    there = flow.state.piece(target) if target is not None else None
    step = {"op": "attack", "what": p.id, "target": target}
    declare(flow, step | {"slots": params.get("slots", []), "shields": params.get("shields", [])})
    flow.emit(
        AttackDeclared(
            attacker=p.id,
            name=p.card,
            target=target,
            target_name=there.card if there is not None else None,
            power=board.attack(p),
            used=used,
            turn=flow.state.turn,
            seat=seat,
            slots=params.get("slots", []),
        )
    )
    note = {"targets": [target] if target is not None else [], "station": target is None, "power": board.attack(p)}
    note["aims"] = [there.card] if there is not None else []
    open_item(flow, seat, "attack", p.card, p.id, note)


def collide(flow: Flow, seat: int, params: Params) -> None:
    flow.start = flow.run.version
    p = flow.state.piece(params["card"])
    assert p is not None
    power, target = reach.collide_power(flow.board, p), params.get("target")
    there = flow.state.piece(target) if target is not None else None
    name = there.card if there is not None else None
    declare(flow, {"op": "collide", "seat": seat, "target": target, "slots": params.get("slots", []), "power": power})
    flow.emit(Collided(card=p.id, name=p.card, target=target, target_name=name, power=power, counters=p.counters, seat=seat))
    flow.leave([p.id], "destroyed")
    note = {"targets": [target] if target is not None else [], "station": target is None, "power": power}
    note["aims"] = [name] if name is not None else []
    open_item(flow, seat, "collide", p.card, p.id, note)


OWN_TURN: dict[str, Callable[[Flow, int, Params], None]] = {
    "play_card": play_card,
    "use_anytime": use_anytime,
    "use_commander": use_commander,
    "use_counters": use_counters,
    "use_action": use_action,
    "use_ability": use_ability,
    "add_station": add_station,
    "move_station": move_station,
    "end_phase": end_phase,
    "pay_upkeep": pay_upkeep,
    "discard": discard,
    "end_turn": end_turn,
    "move": move,
    "attack": attack,
    "attack_station": attack,
    "collide": collide,
}
"""The commands of a seat's own turn."""


# --- outside the seat's own turn ---


def react(flow: Flow, seat: int, params: Params) -> None:
    """Answer an item. The match goes back as far as the answer needs, then settles the item and those before it.

    Settling comes second because it reveals flipped cards: a flip that is undone must never be revealed. A play without an item
    settles everything open: an answer to an earlier item would take it back, with all that it has shown or thrown.
    """
    play, number = params["play"], params.get("item")
    item = next((one for one in flow.state.items if one.n == number), None)
    answer = is_response(flow.state, item, play)
    if item is not None:
        version = item.seq if answer else item.end
        if version is not None:
            flow.back(version, cause="reaction", seat=seat, item=item.n)
    if item is None:
        flow.settle_along(seat)
    else:
        flow.settle(seat, item.n)
    if answer and item is not None:
        respond(flow, seat, item.n, answer)
    elif "card" not in play:
        use_commander(flow, seat, play)
    elif flow.state.piece(play["card"]) is not None:
        use_anytime(flow, seat, play)
    else:
        play_card(flow, seat, play)


def let_stand(flow: Flow, seat: int, params: Params) -> None:
    state = flow.state
    flow.settle(seat, params.get("upto"))
    if state.phase == "review" and state.active == seat and not flow.state.open_items(seat):
        flow.push({"op": "start_turn", "seat": seat})


def pause(flow: Flow, seat: int, params: Params) -> None:
    flow.push({"op": "barrier", "seat": 1 - seat})
    flow.emit(Paused(seat=seat, at=flow.state.items[-1].n))


def choose(flow: Flow, seat: int, params: Params) -> None:
    prompt = next(prompt for prompt in flow.state.prompts if prompt.id == params["prompt"])
    if prompt.kind == "offer" and params["picks"]:
        flow.settle_along(seat)  # else an answer to an earlier item would open the offer again, for another draw
    flow.push({**prompt.task, "picks": params["picks"]})
    flow.emit(PromptAnswered(prompt=prompt.id, seat=seat, kind=prompt.kind, picks=params["picks"]))


def draw(flow: Flow, seat: int, params: Params) -> None:
    prompt = next(prompt for prompt in flow.state.prompts if prompt.seat == seat and prompt.kind == "draw")
    choose(flow, seat, {"prompt": prompt.id, "picks": ["mill"] if params["mill"] else []})


def set_orders(flow: Flow, seat: int, params: Params) -> None:
    orders = [
        {
            "when": order["when"],
            "do": order["do"],
            "use": order.get("use", []),
            "times": order.get("times", 1 if order["do"] == "react" else 0),
            "until": order.get("until", "turn"),
        }
        for order in params["orders"]
    ]
    preference = params.get("flip_preference")
    flow.emit(OrdersSet(seat=seat, orders=orders, flip_preference=preference, draws=params.get("draws")))
