"""The code of all effects: one small function per `op` in cards.toml, and custom ones by card id.

Cards are data; this module, `pieces` and `plays` (their choices) are all the code they need. An effect runs as a task of the
agenda with the choices made (`targets`, `slots`, `row`, `x`, `options`, `n`).
"""

from __future__ import annotations

from collections.abc import Mapping

from gamesvc.games.space_war.data import CARDS, Card, Effect, printed
from gamesvc.games.space_war.events.course import ActionsChanged, ExtraTurnGained, HandFreed
from gamesvc.games.space_war.events.play import CountersChanged
from gamesvc.games.space_war.events.zones import CardResolved, StationLeft, StationMoved
from gamesvc.games.space_war.rules.decision import Flow, Task, task
from gamesvc.games.space_war.rules.effects.drawing import add_to_station, discard_cards, return_cards, whose
from gamesvc.games.space_war.rules.effects.pieces import IN_PLAY, Effecting, alive
from gamesvc.games.space_war.state import LETTERS


def effect_tasks(card: str, trigger: str, base: Task) -> list[Task]:
    """Return the tasks of a card's effects with a trigger. If a mode was chosen, only its effects are included."""
    mode = base.get("mode", 0)
    return [
        {**base, "op": "effect", "card": card, "i": at}
        for at, effect in printed(card).triggered(trigger)
        if effect.get("mode", mode) == mode
    ]


@task("effect")
def _effect(flow: Flow, one: Task) -> None:
    effect = printed(one["card"]).effects[one["i"]]
    if effect["op"] == "custom":
        _CUSTOM[one["card"]](flow, one, effect)
    else:
        _OPS[effect["op"]](flow, one, effect)


@task("resolve")
def _resolve(flow: Flow, one: Task) -> None:
    """Resolve a played card that was not countered (RULES.md 6)."""
    instance, seat, item = one["what"], one["seat"], one["item"]
    card = CARDS[flow.card(instance)]
    base = {key: value for key, value in one.items() if key not in ("op", "what")} | {"source": instance}
    if card.type == "event":
        flow.push(*effect_tasks(card.id, "played", base), {"op": "event_done", "what": instance, "item": item})
        return
    x = one.get("x", 0)
    if card.id in ("death_ray", "duplication"):
        chosen = flow.state.piece(one["targets"][0])
        if chosen is None:
            flow.emit(CardResolved(card=instance, name=card.id))
        elif card.id == "death_ray":
            flow.enter(instance, seat, on=chosen.id, zone=chosen.zone, x=x)
        else:
            del base["targets"]
            _enter(flow, instance, seat, CARDS[chosen.card], x, {**base, "copied": True})
        return
    _enter(flow, instance, seat, card, x, base)


def _enter(flow: Flow, instance: str, seat: int, card: Card, x: int, base: Task) -> None:
    """Put a played card into play, as the copied card for a Duplication. Its effects follow as tasks."""
    flow.push(*effect_tasks(card.id, "played", base), *effect_tasks(card.id, "played_from_hand", base))
    flow.enter(instance, seat, card=card.id, x=x)


@task("event_done")
def _event_done(flow: Flow, one: Task) -> None:
    if one["what"] in flow.state.limbo:
        flow.emit(CardResolved(card=one["what"], name=flow.card(one["what"])))


def _draw(flow: Flow, one: Task, effect: Effect) -> None:
    if effect.get("optional") and not one.get("options", {}).get("draw", True):
        return
    flow.push(*({"op": "draw", "seat": who, "n": effect["amount"], "item": one["item"]} for who in whose(one, effect)))


def _discard(flow: Flow, one: Task, effect: Effect) -> None:
    seat: int = one["seat"]
    if effect.get("random"):
        victim = whose(one, effect)[0]
        hand = flow.state.sides[victim].hand
        if hand and not flow.board.hand_is_safe(victim):
            discard_cards(flow, victim, flow.run.dice.sample(hand, min(effect["amount"], len(hand))), random=True)
    elif one.get("targets"):
        discard_cards(flow, seat, [card for card in one["targets"] if card in flow.state.sides[seat].hand])
    elif one["card"] != "discovery":
        flow.push({"op": "discard", "seat": seat, "n": effect["amount"], "item": one["item"]})


def _put_on_top(flow: Flow, one: Task, effect: Effect) -> None:
    flow.push({"op": "put_on_top", "seat": one["seat"], "item": one["item"]})


def _offer(flow: Flow, one: Task, effect: Effect) -> None:
    """Offer a seat the choice to draw a card and discard one (Luck and Fate)."""
    who = whose(one, effect)[0]
    if flow.state.sides[who].pile and not (one.get("by_order") and who == one["seat"]):
        flow.push({"op": "offer", "seat": who, "item": one["item"], "loose": who != one["seat"]})


# --- back to the hand ---


def _return_to_hand(flow: Flow, one: Task, effect: Effect) -> None:
    if one["card"] == "deja_vu":
        flow.push({"op": "deja_vu", "seat": 1 - one["seat"], "item": one["item"], "cards": one["targets"]})
        return
    [target] = one["targets"]
    if effect["mode"] == 2:
        flow.leave([target], "returned", to="hand")
        return
    who = LETTERS.index(target[0])
    cards = [card.id for card in flow.state.sides[who].station if card.slot == target[2:] and card.flipped]
    return_cards(flow, who, cards, "hand", public=True)


@task("deja_vu")
def _deja_vu(flow: Flow, one: Task) -> None:
    """Let the other seat choose which of the cards returns. The turn does not wait for that choice."""
    owner = 1 - one["seat"]
    there = [card for card in one["cards"] if card in flow.state.sides[owner].discard]
    if "picks" in one or len(there) < 2:
        return_cards(flow, owner, [card for card in one.get("picks", there) if card in there], "hand", public=True)
    else:
        flow.ask(one["seat"], "deja_vu", there, 1, 1, one, blocking=False)


def _look(flow: Flow, one: Task, effect: Effect) -> None:
    """Resolve Sabotage: the player sees the hand in the prompt that follows."""


def _discard_target(flow: Flow, one: Task, effect: Effect) -> None:
    flow.push({"op": "sabotage", "seat": one["seat"], "item": one["item"]})


@task("sabotage")
def _sabotage(flow: Flow, one: Task) -> None:
    victim = 1 - one["seat"]
    side = flow.state.sides[victim]
    options = [] if flow.board.hand_is_safe(victim) else list(side.hand)
    options += [card.id for card in side.station if card.flipped]
    if "picks" in one:
        discard_cards(flow, victim, [card for card in one["picks"] if card in options], chosen=True)
    elif options:
        flow.ask(one["seat"], "sabotage", options, 1, 1, one)


# --- searching ---


def _search(flow: Flow, one: Task, effect: Effect) -> None:
    """Search the seat's own piles and station. If all sources are public, the choice was made when the card was played."""
    seat = one["seat"]
    step = {
        "op": "search",
        "seat": seat,
        "item": one["item"],
        "from": effect["from"],
        "filter": effect.get("filter", {}),
        "to": effect["to"],
        "n": effect["amount"],
        "source": one.get("source", ""),
    }
    if "draw_pile" not in effect["from"] and "station" not in effect["from"]:
        step["picks"] = one.get("targets", [])
    flow.push(step)


# --- station, counters, actions ---


def _station_add(flow: Flow, one: Task, effect: Effect) -> None:
    seat, instance = one["seat"], one["source"]
    there = instance in flow.state.limbo or flow.state.piece(instance) is not None
    if there and flow.board.room(seat):
        add_to_station(flow, seat, instance, one["row"], shown=True)


def _station_to_hand(flow: Flow, one: Task, effect: Effect) -> None:
    side = flow.state.sides[one["seat"]]
    cards = [card.id for card in side.station if card.slot in one["slots"] and not card.flipped]
    if cards:
        names = [flow.card(card) for card in cards]
        slots = one["slots"]
        flow.emit(StationLeft(seat=one["seat"], cards=cards, to="hand", slots=slots, shown=[], names=names, origins=[]))


def _rearrange(flow: Flow, one: Task, effect: Effect) -> None:
    slots = [card.slot for card in flow.state.sides[one["seat"]].station if card.slot in one["slots"]]
    flow.emit(StationMoved(seat=one["seat"], slots=slots, row=one["row"], managed=False))


def _add_counter(flow: Flow, one: Task, effect: Effect) -> None:
    """Add counters to a card that is not paralyzed. A commander's Charge was stored when its cost was paid."""
    p = flow.state.piece(one.get("source", ""))
    if p is not None and not p.paralyzed:
        more = effect["amount"]
        flow.emit(CountersChanged(card=p.id, name=p.card, counters=p.counters + more, change=more))


def gain_actions(flow: Flow, seat: int, amount: int) -> None:
    flow.emit(ActionsChanged(seat=seat, actions=flow.state.sides[seat].actions + amount, change=amount))


def _gain_actions(flow: Flow, one: Task, effect: Effect) -> None:
    gain_actions(flow, one["seat"], one["n"] if effect["amount"] == "removed" else effect["amount"])


def _extra_turn(flow: Flow, one: Task, effect: Effect) -> None:
    p = flow.state.piece(one["source"])
    side = flow.state.sides[one["seat"]]
    counters = p.counters if p is not None else 0
    flow.emit(ExtraTurnGained(seat=one["seat"], turns=side.extra_turns + 1, card=one["source"], counters=counters))


def _no_hand_limit(flow: Flow, one: Task, effect: Effect) -> None:
    flow.emit(HandFreed(seat=one["seat"]))


_OPS: Mapping[str, Effecting] = {
    **IN_PLAY,
    "draw": _draw,
    "discard": _discard,
    "put_on_top": _put_on_top,
    "draw_then_discard": _offer,
    "return_to_hand": _return_to_hand,
    "look": _look,
    "discard_target": _discard_target,
    "search": _search,
    "station_add": _station_add,
    "station_to_hand": _station_to_hand,
    "rearrange_station": _rearrange,
    "add_counter": _add_counter,
    "gain_actions": _gain_actions,
    "extra_turn": _extra_turn,
    "no_hand_limit": _no_hand_limit,
}


# --- custom effects, by card ---


def _death_ray_cannon(flow: Flow, one: Task, effect: Effect) -> None:
    flow.push(
        {
            "op": "search",
            "seat": one["seat"],
            "item": one["item"],
            "from": ["draw_pile", "discard_pile", "station"],
            "filter": {"card": "death_ray"},
            "to": "attach",
            "n": 1,
            "x": one["n"],
            "source": one["source"],
        }
    )


def _great_disturbance(flow: Flow, one: Task, effect: Effect) -> None:
    victim = 1 - one["seat"]
    for p in alive(flow, one):
        card = flow.card(p.id)
        flow.destroy([p.id], one["item"])
        if p.owner == victim and not flow.board.hand_is_safe(victim):
            discard_cards(flow, victim, [other for other in flow.state.sides[victim].hand if flow.card(other) == card])


def _great_plan(flow: Flow, one: Task, effect: Effect) -> None:
    flow.push({"op": "plan", "seat": one["seat"], "item": one["item"]})


def _release(flow: Flow, one: Task, effect: Effect) -> None:
    options = one["options"]
    flow.push(
        {"op": "draw", "seat": one["seat"], "n": options["draw"], "item": one["item"]},
        {"op": "mill", "seat": 1 - one["seat"], "n": 2 * options["mill"], "item": one["item"]},
    )


_CUSTOM: Mapping[str, Effecting] = {
    "death_ray_cannon": _death_ray_cannon,
    "great_disturbance": _great_disturbance,
    "great_plan": _great_plan,
    "release_of_energy": _release,
}
