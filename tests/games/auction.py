"""A small game with simultaneous sealed acts, written as the guide describes: an auction with sealed bids.

Every seat bids once for each lot, at any time and unseen. The last bid reveals all, and the highest one buys. `stale` stays at
its default: a sealed bid does not outdate anyone else's.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Annotated, Any, ClassVar

from gamesvc.games.kernel.bots import play_random
from gamesvc.games.kernel.game import Awaited, Caption, Command, Data, Event, Form, Game, Manifest, Outcome, Refused, Viewer
from gamesvc.games.kernel.limits import AtMost, OneOf, Within
from gamesvc.games.kernel.targets import Picture
from gamesvc.games.kernel.telling import Glance
from gamesvc.games.kernel.timeline import Run
from gamesvc.games.kernel.typed import TypedEvent, by_type
from gamesvc.games.kernel.wording import listed

LOTS = ("clock", "map", "ship")
COINS = 20
Seat = Annotated[int, Within(0, 3)]
Coins = Annotated[int, Within(0, COINS)]
Lot = Annotated[str, OneOf(LOTS)]


@dataclass(frozen=True, slots=True)
class State:
    coins: Annotated[tuple[Coins, ...], AtMost(4)]
    lots: Annotated[tuple[Lot, ...], AtMost(3, unique=True)] = ()  # not sold yet; the first is on offer
    bids: dict[Seat, Coins] = field(default_factory=dict)  # sealed
    owners: dict[Lot, Seat] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Opened(TypedEvent):
    TYPE: ClassVar[str] = "opened"
    coins: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class LotsShuffled(TypedEvent):
    TYPE: ClassVar[str] = "lots_shuffled"
    lots: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Bid(TypedEvent):
    TYPE: ClassVar[str] = "bid"
    seat: int
    coins: int


@dataclass(frozen=True, slots=True)
class Sold(TypedEvent):
    TYPE: ClassVar[str] = "sold"
    lot: str
    seat: int
    price: int
    bids: dict[str, int]


def setup(run: Run[State], options: Data, seats: int) -> None:
    run.emit(Opened((options["coins"],) * seats))
    run.emit(LotsShuffled(run.dice.shuffle(LOTS)))


def decide(run: Run[State], seat: int, command: Command) -> None:
    state = run.state
    if not state.lots:
        raise Refused("over", "Everything is sold.")
    if command["lot"] != state.lots[0]:
        raise Refused("sold", f"The {state.lots[0]} is for sale now.", "lot")
    if seat in state.bids:
        raise Refused("has_bid", "You have bid for this lot. Wait for the others.")
    if command["coins"] > state.coins[seat]:
        raise Refused("cannot_pay", f"You have {state.coins[seat]} coins.", "coins")
    run.emit(Bid(seat, command["coins"]))
    bids = run.state.bids
    if len(bids) == len(state.coins):
        best = max(bids.values())
        highest = sorted(bidder for bidder, coins in bids.items() if coins == best)
        winner = highest[run.dice.choose(len(highest))] if len(highest) > 1 else highest[0]
        shown = {str(bidder): coins for bidder, coins in bids.items()}
        run.emit(Sold(state.lots[0], winner, best, shown))


def evolve(state: State | None, event: Event) -> State:
    data = event.data
    if state is None:
        return State(tuple(data["coins"]))
    if event.type == "lots_shuffled":
        return replace(state, lots=tuple(data["lots"]))
    if event.type == "bid":
        return replace(state, bids={**state.bids, data["seat"]: data["coins"]})
    coins = tuple(left - data["price"] * (seat == data["seat"]) for seat, left in enumerate(state.coins))
    return State(coins, state.lots[1:], {}, {**state.owners, data["lot"]: data["seat"]})


def bidders(state: State) -> list[int]:
    return [seat for seat in range(len(state.coins)) if state.lots and seat not in state.bids]


def legal(state: State, seat: int) -> tuple[Form, ...]:
    if seat not in bidders(state):
        return ()
    coins = {"type": "integer", "minimum": 0, "maximum": state.coins[seat], "title": "Coins"}
    return (Form("bid", f"Bid for the {state.lots[0]}", {"lot": {"enum": [state.lots[0]]}, "coins": coins}),)


def view(state: State, viewer: Viewer) -> dict[str, Any]:
    own = state.bids.get(viewer) if viewer is not None else None
    owners = {lot: state.owners[lot] for lot in LOTS if lot in state.owners}
    return {"coins": list(state.coins), "lots": list(state.lots), "have_bid": sorted(state.bids), "bid": own, "owners": owners}


def redact(event: Event, viewer: Viewer) -> Data | None:
    """Hide the amount of another seat's bid. The bid itself is public."""
    if event.type == "bid" and event.data["seat"] != viewer:
        return {"seat": event.data["seat"]}
    return event.data


def redeal(state: State, seat: int, dice: Any) -> State:
    bids = {bidder: coins if bidder == seat else dice.choose(state.coins[bidder] + 1) for bidder, coins in state.bids.items()}
    return replace(state, bids=bids)


def outcome(state: State) -> Outcome | None:
    if state.lots or not state.owners:
        return None
    scores = tuple(sum(owner == seat for owner in state.owners.values()) for seat in range(len(state.coins)))
    ranking = tuple(
        tuple(seat for seat, score in enumerate(scores) if score == place) for place in sorted({*scores}, reverse=True)
    )
    return Outcome("sold", ranking, scores)


def faults(state: State) -> list[str]:
    seats = range(len(state.coins))
    found = [f"seat {seat} has bid too much" for seat in state.bids if seat not in seats or state.bids[seat] > state.coins[seat]]
    found += [f"{lot} belongs to nobody who plays" for lot, seat in state.owners.items() if seat not in seats]
    if {*state.lots} & {*state.owners} or {*state.lots} | {*state.owners} != {*LOTS}:
        found.append("each lot is for sale or sold")
    if len(seats) < 2 or (state.lots and not bidders(state)):
        found.append("nobody can bid")
    return found


def parse(text: str, seen: Data) -> Command:
    match text.split():
        case ["bid", coins] if coins.isascii() and coins.isdigit() and len(coins) < 6 and seen["lots"]:
            return {"name": "bid", "lot": seen["lots"][0], "coins": int(coins)}
    raise Refused("unreadable", "Write how much you bid, for example: bid 3")


def glance(seen: Data, caption: Caption) -> Glance:
    lots, coins = seen["lots"], listed(seen["coins"])
    return Glance(f"The {lots[0]} is for sale" if lots else "Everything is sold", f"The players have {coins} coins.")


GAME: Game[State] = Game(
    manifest=Manifest(
        id="auction",
        title="Auction",
        designer="nobody",
        rules_link="",
        version="1.0.0",
        min_seats=2,
        max_seats=4,
        options={"type": "object", "properties": {"coins": {"type": "integer", "minimum": 1, "maximum": COINS, "default": 9}}},
        summary="",
        credit="",
    ),
    state=State,
    commands={
        "bid": {
            "type": "object",
            "properties": {"lot": {"enum": list(LOTS)}, "coins": {"type": "integer", "minimum": 0, "maximum": COINS}},
            "required": ["lot", "coins"],
            "additionalProperties": False,
        }
    },
    events=by_type((Opened, LotsShuffled, Bid, Sold)),
    setup=setup,
    decide=decide,
    evolve=evolve,
    awaited=lambda state: tuple(Awaited(seat, "bid", f"lot-{state.lots[0]}", "commit") for seat in bidders(state)),
    legal_commands=legal,
    view=view,
    redact=redact,
    default_command=lambda state, seat: {"name": "bid", "lot": state.lots[0], "coins": 0},
    outcome=outcome,
    redeal=redeal,
    seats=lambda state: len(state.coins),
    parse=parse,
    render=lambda command: f"bid {command['coins']}",
    order_help=lambda prompt: "bid COINS",
    picture=lambda seen, caption: Picture("<svg xmlns='http://www.w3.org/2000/svg'/>", {}, (0, 0, 1, 1)),
    board_text=lambda seen, caption: f"For sale: {', '.join(seen['lots']) or 'nothing'}.",
    glance=glance,
    tell=lambda event, viewer, names: event.type,
    bots={"random": play_random, "greedy": play_random},
    rules_help=lambda: "# Auction",
    reveals=lambda event: event.type in ("lots_shuffled", "sold"),
    faults=faults,
)
