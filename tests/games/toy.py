"""A toy engine for the kernel tests: a card duel with hidden hands, open items and reactions that go back.

Each turn the active seat plays a card or draws one. A played card is an open item that marks the version it was played at. While
the item is open, the other seat may `counter` it at any time: the match goes back to that moment and the card has no effect.
Three points win. The toy uses everything the kernel offers: draws, hidden hands, marks, `at`, state that survives a rewind.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from gamesvc.games.kernel.bots import play_random
from gamesvc.games.kernel.game import Awaited, Command, Data, Event, Form, Game, Manifest, Outcome, Refused, Version, Viewer
from gamesvc.games.kernel.targets import Picture
from gamesvc.games.kernel.telling import Glance
from gamesvc.games.kernel.timeline import Run
from gamesvc.games.kernel.typed import TypedEvent, by_type

DECK = (1, 1, 1, 1, 2, 2, 2, 2)


@dataclass(frozen=True, slots=True)
class Item:
    id: Version  # the version at which the card was played, and which a counter goes back to
    seat: int
    card: int


@dataclass(frozen=True, slots=True)
class State:
    deck: tuple[int, ...]
    hands: tuple[tuple[int, ...], ...]
    points: tuple[int, ...] = (0, 0)
    counters: tuple[int, ...] = (2, 2)
    turn: int = 0
    items: tuple[Item, ...] = ()
    orders: tuple[str, ...] = ("", "")
    over: bool = False


@dataclass(frozen=True, slots=True)
class Created(TypedEvent):
    TYPE: ClassVar[str] = "created"
    points: int


@dataclass(frozen=True, slots=True)
class Dealt(TypedEvent):
    TYPE: ClassVar[str] = "dealt"
    deck: tuple[int, ...]
    hands: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class Drew(TypedEvent):
    TYPE: ClassVar[str] = "drew"
    seat: int
    card: int


@dataclass(frozen=True, slots=True)
class Played(TypedEvent):
    TYPE: ClassVar[str] = "played"
    seat: int
    card: int
    item: int


@dataclass(frozen=True, slots=True)
class Countered(TypedEvent):
    TYPE: ClassVar[str] = "countered"
    seat: int
    card: int


@dataclass(frozen=True, slots=True)
class OrdersSet(TypedEvent):
    TYPE: ClassVar[str] = "orders_set"
    seat: int
    text: str


@dataclass(frozen=True, slots=True)
class TurnEnded(TypedEvent):
    TYPE: ClassVar[str] = "turn_ended"


@dataclass(frozen=True, slots=True)
class Ended(TypedEvent):
    TYPE: ClassVar[str] = "ended"


def setup(run: Run[State], options: Data, seats: int) -> None:
    run.emit(Created(options["points"]))
    order = run.dice.shuffle(DECK)
    run.emit(Dealt(order[4:], (order[:2], order[2:4])))


def decide(run: Run[State], seat: int, command: Command) -> None:
    state, name = run.state, command["name"]
    if name == "set_orders":
        run.emit(OrdersSet(seat, command["text"]))
        return
    if state.over:
        raise Refused("over", "The duel is over.")
    if name == "counter":
        _counter(run, seat, command["item"])
        return
    if state.turn % 2 != seat:
        raise Refused("not_your_turn", "It is the other seat's turn.")
    if name == "draw":
        if not state.deck:
            raise Refused("no_target", "The deck is empty.")
        run.emit(Drew(seat, state.deck[0]))
    elif name == "play":
        if command["card"] not in state.hands[seat]:
            raise Refused("not_owned", f"You hold {', '.join(map(str, state.hands[seat])) or 'no cards'}.", "card")
        run.emit(Played(seat, command["card"], run.version))
    run.emit(TurnEnded())
    if max(run.state.points) >= 3 or not (run.state.deck or any(run.state.hands)):
        run.emit(Ended())


def _counter(run: Run[State], seat: int, item: int) -> None:
    if run.state.counters[seat] == 0:
        raise Refused("cannot_pay", "You have no counter left.")
    if all(open_item.id != item or open_item.seat == seat for open_item in run.state.items):
        raise Refused("no_target", "That item is not open to you.", "item")
    then = run.at(item)
    card = next(open_item.card for open_item in run.state.items if open_item.id == item)
    assert card in then.hands[1 - seat]
    run.rewind(item, cause="counter")
    run.emit(Countered(seat, card))
    run.emit(TurnEnded())


def evolve(state: State | None, event: Event) -> State:
    data = event.data
    if state is None:
        return State((), ((), ()))
    match event.type:
        case "dealt":
            return replace(state, deck=tuple(data["deck"]), hands=tuple(tuple(hand) for hand in data["hands"]))
        case "drew":
            return replace(state, deck=state.deck[1:], hands=_with(state.hands, data["seat"], (data["card"],)))
        case "played":
            points = tuple(p + data["card"] * (s == data["seat"]) for s, p in enumerate(state.points))
            items = (*state.items[-2:], Item(Version(data["item"]), data["seat"], data["card"]))
            return replace(state, hands=_without(state.hands, data["seat"], data["card"]), points=points, items=items)
        case "countered":
            counters = tuple(c - (s == data["seat"]) for s, c in enumerate(state.counters))
            return replace(state, hands=_without(state.hands, 1 - data["seat"], data["card"]), counters=counters)
        case "turn_ended":
            return replace(state, turn=state.turn + 1)
        case "orders_set":
            return replace(state, orders=tuple(data["text"] if s == data["seat"] else o for s, o in enumerate(state.orders)))
        case "ended":
            return replace(state, over=True, items=())
    return state


def _with(hands: tuple[tuple[int, ...], ...], seat: int, cards: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    return tuple((*hand, *cards) if s == seat else hand for s, hand in enumerate(hands))


def _without(hands: tuple[tuple[int, ...], ...], seat: int, card: int) -> tuple[tuple[int, ...], ...]:
    at = hands[seat].index(card)
    return tuple((*hand[:at], *hand[at + 1 :]) if s == seat else hand for s, hand in enumerate(hands))


def legal(state: State, seat: int) -> tuple[Form, ...]:
    forms = [Form("set_orders", "Leave orders", {"text": {"type": "string", "maxLength": 20}}, aside=True)]
    if state.over:
        return ()
    items = [int(item.id) for item in state.items if item.seat != seat]
    if items and state.counters[seat]:
        forms.append(Form("counter", "Counter", {"item": {"enum": items}}, aside=True))
    if state.turn % 2 == seat:
        if state.hands[seat]:
            forms.append(Form("play", "Play a card", {"card": {"enum": sorted(set(state.hands[seat]))}}))
        if state.deck:
            forms.append(Form("draw", "Draw a card"))
        if not state.hands[seat] and not state.deck:
            forms.append(Form("pass", "Pass"))
    return tuple(forms)


def view(state: State, viewer: Viewer) -> dict[str, Any]:
    return {
        "points": list(state.points),
        "turn": state.turn,
        "deck": len(state.deck),
        "hands": [list(hand) if seat == viewer else len(hand) for seat, hand in enumerate(state.hands)],
        "items": [{"id": int(item.id), "seat": item.seat, "card": item.card} for item in state.items],
        "orders": state.orders[viewer] if viewer is not None else None,
        "counters": list(state.counters),
    }


def redact(event: Event, viewer: Viewer) -> Data | None:
    data = event.data
    match event.type:
        case "dealt":
            return {
                "deck": len(data["deck"]),
                "hands": [hand if seat == viewer else len(hand) for seat, hand in enumerate(data["hands"])],
            }
        case "drew":
            return data if data["seat"] == viewer else {"seat": data["seat"]}
        case "orders_set":
            return data if data["seat"] == viewer else None
    return data


def on_rewind(then: State, now: State, retracted: Any, dice: Any) -> Data:
    return {"deck": list(dice.shuffle(then.deck))} if any(event.type == "drew" for event in retracted) else {}


def rewound(then: State, now: State, data: Data) -> State:
    deck = tuple(data["deck"]) if "deck" in data else then.deck
    return replace(then, deck=deck, orders=now.orders, counters=now.counters)


def redeal(state: State, seat: int, dice: Any) -> State:
    hidden = dice.shuffle(state.deck + state.hands[1 - seat])
    other = len(state.hands[1 - seat])
    hands = tuple(hand if s == seat else hidden[:other] for s, hand in enumerate(state.hands))
    orders = tuple(text if s == seat else "" for s, text in enumerate(state.orders))
    return replace(state, deck=hidden[other:], hands=hands, orders=orders)


def redeal_marked(then: State, version: int, redealt: State, seat: int, dice: Any) -> State:
    """Redeal everything hidden in an earlier state, except the card that was played next."""
    other = 1 - seat
    shown = [item.card for item in redealt.items if item.id == version and item.seat == other]
    pool = list(then.deck + then.hands[other])
    for card in shown:
        pool.remove(card)
    pool = list(dice.shuffle(pool))
    size = len(then.hands[other]) - len(shown)
    hands = tuple(hand if s == seat else (*shown, *pool[:size]) for s, hand in enumerate(then.hands))
    orders = tuple(text if s == seat else "" for s, text in enumerate(then.orders))
    return replace(then, deck=tuple(pool[size:]), hands=hands, orders=orders)


def outcome(state: State) -> Outcome | None:
    if not state.over:
        return None
    a, b = state.points
    ranking = ((0, 1),) if a == b else ((0,), (1,)) if a > b else ((1,), (0,))
    return Outcome("points", ranking, state.points)


def faults(state: State) -> list[str]:
    cards = len(state.deck) + sum(map(len, state.hands))
    return [] if cards <= len(DECK) else [f"{cards} cards"]


def parse(text: str, seen: Data) -> Command:
    name, *rest = text.split()
    return {"name": name, **({"card": int(rest[0])} if rest else {})}


def render(command: Command) -> str:
    return " ".join(str(value) for value in command.values())


def choose_greedy(seen: Data, forms: Any, rng: random.Random) -> Command:
    return play_random(seen, [form for form in forms if form.name == "play"] or forms, rng)


GAME: Game[State] = Game(
    manifest=Manifest(
        id="toy",
        title="Toy",
        designer="nobody",
        rules_link="",
        version="1.0.0",
        min_seats=2,
        max_seats=2,
        options={"type": "object", "properties": {"points": {"type": "integer", "minimum": 1, "maximum": 9, "default": 3}}},
        summary="",
        credit="",
    ),
    state=State,
    commands={
        "play": {"properties": {"card": {"type": "integer"}}, "required": ["card"]},
        "draw": {"properties": {}, "additionalProperties": False},
        "pass": {"properties": {}, "additionalProperties": False},
        "counter": {"properties": {"item": {"type": "integer"}}, "required": ["item"]},
        "set_orders": {"properties": {"text": {"type": "string", "maxLength": 20}}, "required": ["text"]},
    },
    events=by_type((Created, Dealt, Drew, Played, Countered, OrdersSet, TurnEnded, Ended)),
    setup=setup,
    decide=decide,
    evolve=evolve,
    awaited=lambda state: () if state.over else (Awaited(state.turn % 2, "turn", f"turn{state.turn}"),),
    legal_commands=legal,
    view=view,
    redact=redact,
    default_command=lambda state, seat: {"name": "draw"} if state.deck else {"name": "pass"},
    outcome=outcome,
    redeal=redeal,
    seats=lambda state: 2,
    parse=parse,
    render=render,
    order_help=lambda prompt: "play CARD, draw, counter ITEM",
    picture=lambda seen, caption: Picture("<svg xmlns='http://www.w3.org/2000/svg'/>", {}, (0, 0, 1, 1)),
    board_text=lambda seen, caption: str(seen["points"]),
    glance=lambda seen, caption: Glance(f"Turn {seen['turn']}", f"Points {seen['points']}.", seen["turn"]),
    tell=lambda event, viewer, names: event.type,
    bots={"random": play_random, "greedy": choose_greedy},
    rules_help=lambda: "# Toy",
    reveals=lambda event: event.type in ("dealt", "drew"),
    marks=lambda state: frozenset(item.id for item in state.items),
    redeal_marked=redeal_marked,
    on_rewind=on_rewind,
    rewound=rewound,
    faults=faults,
)
