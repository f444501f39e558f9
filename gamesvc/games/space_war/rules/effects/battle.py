"""Resolution of declared attacks and collisions, and the end of missiles."""

from __future__ import annotations

from gamesvc.games.space_war.data import CARDS
from gamesvc.games.space_war.events.play import AttackResolved
from gamesvc.games.space_war.rules.decision import Flow, Task, task
from gamesvc.games.space_war.rules.effects.damage import damage_pieces, hit_station
from gamesvc.games.space_war.rules.effects.pieces import paralyze


@task("attack")
def _attack(flow: Flow, one: Task) -> None:
    """Deal the attack value to a card, or to shields in order and then to the station."""
    p = flow.state.piece(one["what"])
    if p is None:
        return
    power = flow.board.attack(p)
    flow.push({"op": "after_attack", "what": p.id, "failed": False, "item": one["item"]})
    if one["target"] is None:
        _attack_station(flow, one, p.controller, power)
        return
    target = flow.state.piece(one["target"])
    if target is None:
        return
    face = CARDS[target.card]
    for _, effect in CARDS[p.card].triggered("attack"):
        if effect["condition"] == "target is shield" and face.is_shield:
            flow.destroy([target.id], one["item"])
            return
        if effect["condition"] == "target is spaceship" and face.type == "spaceship":
            paralyze(flow, [target])
    damage_pieces(flow, {target.id: power}, one["item"])


def _attack_station(flow: Flow, one: Task, seat: int, power: int) -> None:
    board, hits = flow.board, {}
    order = {instance: at for at, instance in enumerate(one["shields"])}
    for shield in sorted(board.shields(1 - seat), key=lambda p: order.get(p.id, len(order))):
        absorbed = min(power, (board.defense(shield) or 0) - shield.damage)
        if absorbed > 0:
            hits[shield.id] = absorbed
            power -= absorbed
    if power > 0:
        flow.push(hit_station(1 - seat, power, one["item"], one["slots"]))
    damage_pieces(flow, hits, one["item"])


@task("after_attack")
def _after_attack(flow: Flow, one: Task) -> None:
    """Destroy a missile after its attack, even a failed one. A Cluster Nuke then explodes, once."""
    p = flow.state.piece(one["what"])
    if not one["failed"]:
        flow.emit(AttackResolved(attacker=one["what"]))
    if p is None or CARDS[p.card].type != "missile":
        return
    if CARDS[p.card].triggered("after_attack"):
        flow.push({"op": "blast", "zone": p.zone, "seat": p.controller, "exclude": p.id, "item": one["item"]})
    flow.leave([p.id], "destroyed")


@task("collide")
def _collide(flow: Flow, one: Task) -> None:
    """Deal the fixed damage of a collision. The ship has already left play."""
    if one["target"] is None:
        flow.push(hit_station(1 - one["seat"], one["power"], one["item"], one["slots"]))
    elif flow.state.piece(one["target"]) is not None:
        damage_pieces(flow, {one["target"]: one["power"]}, one["item"])
