"""Damage, repair and destruction, and their consequences for stations and commanders."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gamesvc.games.space_war.data import CARDS, FLIPS_FIRST
from gamesvc.games.space_war.events.course import LifeChanged
from gamesvc.games.space_war.events.play import Damaged, Hit, Repaired
from gamesvc.games.space_war.events.zones import StationFlipped, StationUnflipped
from gamesvc.games.space_war.rules.decision import Flow, Task, by_rows, task


def damage_pieces(flow: Flow, amounts: Mapping[str, int], item: int) -> None:
    """Deal damage to several cards at once within an item, then destroy those with lethal damage."""
    board, dead = flow.board, []
    hits: dict[str, Hit] = {}
    for p in flow.state.pieces:
        defense = board.defense(p)
        amount = amounts.get(p.id, 0)
        if amount <= 0 or defense is None:
            continue
        soaked = 0
        if CARDS[p.card].triggered("damaged"):  # Starhunter: counters go first, each with its point of defense
            soaked = min(amount, p.counters)
            defense -= soaked
        damage, stunned = p.damage + amount - soaked, False
        if damage >= defense:
            if CARDS[p.card].triggered("would_be_destroyed"):
                damage, stunned = defense - 1, True
            else:
                dead.append(p.id)
        hits[p.id] = {"damage": damage, "counters": p.counters - soaked, "stunned": stunned, "amount": amount}
    if dead:
        flow.push({"op": "destroy", "cards": dead, "item": item})
    if hits:
        flow.emit(Damaged(hits=hits, names={p.id: p.card for p in flow.state.pieces if p.id in hits}))


@task("destroy")
def _destroy(flow: Flow, one: Task) -> None:
    flow.destroy(one["cards"], one.get("item", 0))  # tasks of version 1.0 name no item


def mend(flow: Flow, instance: str, amount: int | None) -> None:
    """Repair up to `amount` damage (None: all) and all paralysis."""
    p = flow.state.piece(instance)
    if p is not None:
        left = 0 if amount is None else max(0, p.damage - amount)
        flow.emit(Repaired(card=instance, name=p.card, damage=left, amount=p.damage - left, freed=p.paralyzed))


def mend_station(flow: Flow, seat: int, slots: Sequence[str]) -> None:
    flipped = {card.slot: card.id for card in flow.state.sides[seat].station if card.flipped}
    chosen = [slot for slot in slots if slot in flipped]
    if chosen:
        flow.emit(StationUnflipped(seat=seat, slots=chosen))


def hit_station(seat: int, amount: int, item: int, slots: Sequence[str] = ()) -> Task:
    """Return the task of damaging a station."""
    return {"op": "hit", "seat": seat, "n": amount, "item": item, "slots": list(slots)}


@task("hit")
def _hit(flow: Flow, one: Task) -> None:
    """Split damage into flips and life points."""
    seat = one["seat"]
    flips = max(0, min(one["n"], flow.board.to_flip(seat)))
    tasks: list[Task] = []
    if flips:
        tasks.append({**one, "op": "flip", "n": flips})
    if one["n"] > flips:
        tasks.append({"op": "life", "seat": seat, "n": one["n"] - flips, "item": one["item"]})
    flow.push(*tasks)


@task("flip")
def _flip(flow: Flow, one: Task) -> None:
    """Flip cards: the named ones, or all if no more remain, or the chooser's picks.

    Nobody waits for an absent chooser: their preference decides. An owner who may look first (Keve Bakins) and left no preference
    picks on their next visit; the other seat continues meanwhile.
    """
    seat, count = one["seat"], one["n"]
    down = [card.slot for card in flow.board.face_down(seat)]
    count = min(count, len(down))
    if count <= 0:
        return
    chosen = [slot for slot in (one["picks"] if "picks" in one else one["slots"]) if slot in down][:count]
    own = flow.board.own_flips(seat)
    if own and "picks" not in one:
        chosen = []
    if count == len(down):
        chosen = down
    if len(chosen) == count:
        _flipped(flow, seat, chosen, one["item"])
        return
    chooser = seat if own else 1 - seat
    preference = flow.state.sides[chooser].flip_preference
    present = flow.answers_now(chooser)
    if present or (own and not preference):
        rest = {**one, "n": count, "slots": []}
        rest.pop("picks", None)
        flow.ask(chooser, "flips", down, count, count, rest, blocking=present)
    else:
        rows = {card.slot: card.row for card in flow.board.face_down(seat)}
        _flipped(flow, seat, by_rows(down, rows, preference or FLIPS_FIRST)[:count], one["item"])


def _flipped(flow: Flow, seat: int, slots: Sequence[str], item: int) -> None:
    still_open = any(other.n == item and not other.settled for other in flow.state.items)
    cards = {card.slot: card.id for card in flow.state.sides[seat].station if card.slot in slots}
    names = {slot: flow.card(instance) for slot, instance in cards.items()}
    flow.emit(StationFlipped(seat=seat, slots=slots, item=item if still_open else 0, cards=cards, names=names))


@task("life")
def _life(flow: Flow, one: Task) -> None:
    seat = one["seat"]
    life = flow.state.sides[seat].life - one["n"]
    flow.emit(LifeChanged(seat=seat, life=life, lost=one["n"]))
    flow.check_life(seat, one["item"])


@task("hit_or_shield")
def _hit_or_shield(flow: Flow, one: Task) -> None:
    """Damage a station, or a shield that protects it. The controller of the card picks the shield (RULES.md 18.52)."""
    shields = [p.id for p in flow.board.shields(one["seat"])]
    if not shields:
        flow.push(hit_station(one["seat"], one["n"], one["item"], one.get("slots", ())))
    elif len(shields) == 1 or "picks" in one:
        damage_pieces(flow, {one.get("picks", shields)[0]: one["shield_n"]}, one["item"])
    else:
        flow.ask(one["by"], "shield", shields, 1, 1, one)


@task("blast")
def _blast(flow: Flow, one: Task) -> None:
    """Deal the damage of a Cluster Nuke: to every card in the zone, then to the zone's station or one of its shields."""
    hit = {
        p.id: 2
        for p in flow.state.pieces
        if p.zone == one["zone"] and p.on is None and p.id != one["exclude"] and CARDS[p.card].type != "duration"
    }
    station = {"op": "hit_or_shield", "seat": one["zone"], "n": 1, "shield_n": 1, "by": one["seat"], "item": one["item"]}
    flow.push(station)
    damage_pieces(flow, hit, one["item"])


@task("pending")
def _pending(flow: Flow, one: Task) -> None:
    """End the match: the item that took the last life point was let stand."""
    flow.finish(1 - one["seat"], "commander")


@task("barrier")
def _barrier(flow: Flow, one: Task) -> None:
    """Continue: everything before the barrier is settled."""
