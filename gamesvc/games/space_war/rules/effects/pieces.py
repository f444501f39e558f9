"""Effects on cards in play and on stations: destruction, damage, paralysis, repair, control."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from gamesvc.games.space_war.data import CARDS, Effect
from gamesvc.games.space_war.events.play import ControlChanged, Paralyzed, Protected
from gamesvc.games.space_war.rules.decision import Flow, Task, task
from gamesvc.games.space_war.rules.effects.damage import damage_pieces, hit_station, mend, mend_station
from gamesvc.games.space_war.rules.effects.drawing import whose
from gamesvc.games.space_war.state import Piece

Effecting = Callable[[Flow, Task, Effect], None]
"""The code of one `op`."""


def alive(flow: Flow, one: Task) -> list[Piece]:
    return [p for p in flow.state.pieces if p.id in one.get("targets", ())]


def _fits(p: Piece, target: Effect, seat: int) -> bool:
    side, face = target.get("side", "any"), CARDS[p.card]
    if (side == "own" and p.controller != seat) or (side == "enemy" and p.controller == seat):
        return False
    kinds = target.get("kind")
    return kinds is None or face.type in kinds or ("shield" in kinds and face.is_shield)


def _targets(flow: Flow, one: Task, effect: Effect) -> list[Piece]:
    """Return the cards that an effect reaches: all that match, or the chosen ones that are still in play."""
    target = effect.get("target")
    if isinstance(target, dict) and target.get("count") == "all":
        return [p for p in flow.state.pieces if _fits(p, target, one["seat"])]
    return alive(flow, one)


def _destroy(flow: Flow, one: Task, effect: Effect) -> None:
    if "copied" in one and "picks" not in one:  # a Duplication of The Dark Destroyer chooses now
        others = [p.id for p in flow.state.pieces if p.on is None and p.id != one["source"]]
        if others:
            flow.ask(one["seat"], "destroy", others, 0, 1, one)
        return
    chosen = {**one, "targets": one["picks"]} if "picks" in one else one
    flow.destroy([p.id for p in _targets(flow, chosen, effect)], one["item"])


def _damage(flow: Flow, one: Task, effect: Effect) -> None:
    targets = _targets(flow, one, effect)
    if effect.get("destroy_if") == "paralyzed":
        doomed = [p.id for p in targets if p.paralyzed and CARDS[p.card].type == "spaceship"]
        if doomed:
            flow.destroy(doomed, one["item"])
            return
    damage_pieces(flow, {p.id: effect["amount"] for p in targets}, one["item"])


def paralyze(flow: Flow, pieces: Sequence[Piece]) -> None:
    fresh = [p for p in pieces if not p.paralyzed]
    if fresh:
        flow.emit(Paralyzed(cards=[p.id for p in fresh], names={p.id: p.card for p in fresh}))


def _paralyze(flow: Flow, one: Task, effect: Effect) -> None:
    paralyze(flow, _targets(flow, one, effect))


def _protect(flow: Flow, one: Task, effect: Effect) -> None:
    for p in alive(flow, one):
        flow.emit(Protected(card=p.id, name=p.card, turn=flow.state.turn))


def _repair(flow: Flow, one: Task, effect: Effect) -> None:
    for p in alive(flow, one):
        mend(flow, p.id, None if effect["amount"] == "all" else effect["amount"])


def _repair_station(flow: Flow, one: Task, effect: Effect) -> None:
    mend_station(flow, one["seat"], one.get("slots", ()))


def _station_damage(flow: Flow, one: Task, effect: Effect) -> None:
    victim = whose(one, effect)[0]
    slots = one.get("slots", ()) if victim != one["seat"] else ()
    flow.push(hit_station(victim, effect["amount"], one["item"], slots))


def _station_or_shield(flow: Flow, one: Task, effect: Effect) -> None:
    tasks = [
        {"op": "hit_or_shield", "seat": who, "n": effect["amount"], "shield_n": effect["shield_amount"], "by": one["seat"]}
        for who in whose(one, effect)
    ]
    flow.push(*({**step, "item": one["item"]} for step in tasks))


def _discard_from_play(flow: Flow, one: Task, effect: Effect) -> None:
    """Discard cards from play: Deploy Starship, and Sacrifice for both seats."""
    if one["card"] == "sacrifice":
        who = one["seat"] if effect["target"]["side"] == "own" else 1 - one["seat"]
        flow.push({"op": "sacrifice", "seat": who, "item": one["item"], "by": one["seat"], "named": one.get("targets", [])})
    elif effect.get("target") == "self":
        p = flow.state.piece(one["source"])
        if p is not None and p.counters >= 2:
            flow.leave([p.id], "discarded")
    else:
        flow.leave([p.id for p in alive(flow, one)], "discarded")


@task("sacrifice")
def _sacrifice(flow: Flow, one: Task) -> None:
    own = [p.id for p in flow.board.own(one["seat"])]
    asked: list[str] = one["picks"] if "picks" in one else one["named"] if one["seat"] == one["by"] else []
    named = [card for card in asked if card in own]
    if named or len(own) == 1:
        flow.leave(named or own, "discarded")
    elif own:
        flow.ask(one["seat"], "sacrifice", own, 1, 1, one)


def _control(flow: Flow, one: Task, effect: Effect) -> None:
    for p in alive(flow, one):
        cards = [p.id, *(other.id for other in flow.state.pieces if other.on == p.id)]
        flow.emit(ControlChanged(cards=cards, name=p.card, seat=one["seat"], borrowed=True))


IN_PLAY: Mapping[str, Effecting] = {
    "destroy": _destroy,
    "damage": _damage,
    "paralyze": _paralyze,
    "protect": _protect,
    "repair": _repair,
    "repair_station": _repair_station,
    "station_damage": _station_damage,
    "station_damage_or_shield": _station_or_shield,
    "discard_from_play": _discard_from_play,
    "control": _control,
}
