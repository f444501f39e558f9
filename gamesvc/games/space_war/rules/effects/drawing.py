"""Cards between piles, hands and stations: drawing, milling, discarding, returning, searching."""

from __future__ import annotations

from collections.abc import Sequence

from gamesvc.games.space_war.data import CARDS, Effect
from gamesvc.games.space_war.events.play import PutIntoPlay
from gamesvc.games.space_war.events.zones import (
    CardsDiscarded,
    CardsDrawn,
    CardsMilled,
    CardsReturned,
    Looked,
    PileOrdered,
    StationAdded,
)
from gamesvc.games.space_war.rules.decision import Flow, Task, task
from gamesvc.games.space_war.state import State


def whose(one: Task, effect: Effect) -> list[int]:
    seat: int = one["seat"]
    return {"self": [seat], "opponent": [1 - seat], "both": [seat, 1 - seat]}[effect.get("who", "self")]


@task("draw")
def _draw_cards(flow: Flow, one: Task) -> None:
    """Draw cards: one by one if The Miller may replace each draw, otherwise all at once. An empty pile gives none.

    Nobody waits for an absent player of The Miller: their preference decides whether each draw is replaced.
    """
    seat, count = one["seat"], one["n"]
    pile = flow.state.sides[seat].pile
    if count <= 0:
        return
    if not flow.board.miller(seat) or not flow.state.sides[1 - seat].pile:
        drawn(flow, seat, count)
    elif "picks" not in one and flow.answers_now(seat):
        flow.ask(seat, "draw", ["mill"], 0, 1, one, blocking=not one.get("loose", False))
    elif "picks" not in one and not flow.state.sides[seat].mills:
        drawn(flow, seat, count)
    else:
        rest = {key: value for key, value in one.items() if key != "picks"} | {"n": count - 1}
        flow.push(rest)
        if one.get("picks", ["mill"]):
            milled(flow, 1 - seat, 2)
        elif pile:
            drawn(flow, seat, 1)


def drawn(flow: Flow, seat: int, count: int) -> None:
    cards = list(flow.state.sides[seat].pile[:count])
    if cards:
        flow.emit(CardsDrawn(seat=seat, cards=cards, names=[flow.card(card) for card in cards]))


def milled(flow: Flow, seat: int, count: int) -> None:
    cards = list(flow.state.sides[seat].pile[:count])
    if cards:
        flow.emit(CardsMilled(seat=seat, cards=cards, names=[flow.card(card) for card in cards]))


@task("mill")
def _mill(flow: Flow, one: Task) -> None:
    milled(flow, one["seat"], one["n"])


def discard_cards(flow: Flow, seat: int, cards: Sequence[str], *, random: bool = False, chosen: bool = False) -> None:
    if cards:
        names = [flow.card(card) for card in cards]
        flow.emit(CardsDiscarded(seat=seat, cards=cards, names=names, random=random, chosen=chosen))


@task("discard")
def _discard_own(flow: Flow, one: Task) -> None:
    """Let a seat discard cards of its choice from its hand."""
    seat, hand = one["seat"], flow.state.sides[one["seat"]].hand
    count = min(one["n"], len(hand))
    if "picks" in one or count == len(hand):
        discard_cards(flow, seat, one.get("picks", list(hand)))
    else:
        flow.ask(seat, "discard", list(hand), count, count, one, blocking=not one.get("loose", False))


@task("put_on_top")
def _top(flow: Flow, one: Task) -> None:
    hand = flow.state.sides[one["seat"]].hand
    if "picks" in one or len(hand) == 1:
        return_cards(flow, one["seat"], one.get("picks", list(hand)), "pile", public=False)
    elif hand:
        flow.ask(one["seat"], "top", list(hand), 1, 1, one)


def return_cards(flow: Flow, seat: int, cards: Sequence[str], to: str, *, public: bool) -> None:
    """Move cards back to a hand or onto a pile.

    If not `public`, others see only the number and the cards that leave a public place.
    """
    if not cards:
        return
    sides = flow.state.sides
    shown = [
        card
        for card in cards
        if public or card in sides[seat].discard or any(one.id == card and one.flipped for one in sides[seat].station)
    ]
    origins = [
        "hand" if card in sides[seat].hand else "draw pile" if card in sides[seat].pile
        else "discard pile" if card in sides[seat].discard else "station"
        for card in cards
    ]  # fmt: skip
    names = [flow.card(card) for card in cards]
    flow.emit(CardsReturned(seat=seat, cards=cards, to=to, shown=shown, origins=origins, names=names))


@task("offer")
def _offered(flow: Flow, one: Task) -> None:
    if "picks" not in one:
        flow.ask(one["seat"], "offer", ["draw"], 0, 1, one, blocking=not one["loose"])
    elif one["picks"]:
        step = {"seat": one["seat"], "n": 1, "item": one["item"], "loose": one["loose"]}
        flow.push({"op": "draw", **step}, {"op": "discard", **step})


@task("search")
def _searched(flow: Flow, one: Task) -> None:
    seat = one["seat"]
    side = flow.state.sides[seat]
    sources = one["from"]
    offered = cards_to_search(flow.state, seat, one)
    if "picks" not in one:
        if "draw_pile" in sources:
            flow.emit(Looked(seat=seat, what="draw pile", count=len(side.pile)))
        if offered:
            flow.ask(seat, "search", offered, 0, one["n"], one)
        elif "draw_pile" in sources:
            flow.shuffle(seat)
        return
    picks = [card for card in one["picks"] if card in offered]
    public = bool(one["filter"]) or "draw_pile" not in sources
    if one["to"] == "hand":
        return_cards(flow, seat, picks, "hand", public=public)
    elif one["to"].startswith("play"):
        source = flow.state.piece(one["source"])
        zone = source.zone if source is not None and one["to"] == "play_same_zone" else seat
        for card in picks:
            flow.enter(card, seat, zone=zone, kind=PutIntoPlay)
    elif one["to"] == "attach":
        source = flow.state.piece(one["source"])
        if source is not None:
            for card in picks:
                flow.enter(card, seat, zone=source.zone, kind=PutIntoPlay, on=source.id, x=one["x"])
    if "draw_pile" in sources:
        _shuffle_but(flow, seat, picks if one["to"] == "draw_pile_top" else [])
    if one["to"] == "draw_pile_top" and "draw_pile" not in sources:
        return_cards(flow, seat, picks, "pile", public=public)


def _shuffle_but(flow: Flow, seat: int, top: Sequence[str]) -> None:
    rest = [card for card in flow.state.sides[seat].pile if card not in top]
    flow.emit(PileOrdered(seat=seat, order=[*top, *flow.run.dice.shuffle(rest)], known=len(top)))


def cards_to_search(state: State, seat: int, search: Task) -> list[str]:
    """Return the cards that a search may take, sorted so that their order reveals nothing about the pile."""
    side, wanted = state.sides[seat], search["filter"]
    pool: list[str] = []
    for source in search["from"]:
        if source == "station":
            pool += [card.id for card in side.station]
        else:
            pool += list(side.pile if source == "draw_pile" else side.discard)
    fitting = [
        card
        for card in pool
        if wanted.get("card", state.cards[card]) == state.cards[card]
        and wanted.get("type", CARDS[state.cards[card]].type) == CARDS[state.cards[card]].type
        and (CARDS[state.cards[card]].stands_alone or not search["to"].startswith("play"))
    ]
    return sorted(fitting, key=lambda card: (state.cards[card], card))


def new_slot(flow: Flow, seat: int) -> str:
    return f"s{flow.state.sides[seat].slots + 1}"


def add_to_station(flow: Flow, seat: int, instance: str, row: str, *, shown: bool, managed: bool = False) -> None:
    """Put a card face down into the station. `shown`: everyone saw which card it is."""
    slot, name = new_slot(flow, seat), flow.card(instance)
    flow.emit(StationAdded(seat=seat, slot=slot, row=row, card=instance, name=name, shown=shown, managed=managed))


@task("plan")
def _plan(flow: Flow, one: Task) -> None:
    seat = one["seat"]
    top = list(flow.state.sides[seat].pile[:7])
    count = min(2, len(top))
    if "picks" not in one and len(top) > count:
        flow.emit(Looked(seat=seat, what="top cards", count=len(top)))
        flow.ask(seat, "plan", sorted(top, key=lambda card: (flow.card(card), card)), count, count, one)
        return
    picks = one.get("picks", top)
    return_cards(flow, seat, picks, "hand", public=False)
    rest = [card for card in top if card not in picks]
    if rest:
        below = flow.state.sides[seat].pile[len(rest) :]
        flow.emit(PileOrdered(seat=seat, order=[*below, *flow.run.dice.shuffle(rest)]))
