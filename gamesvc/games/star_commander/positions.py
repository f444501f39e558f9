"""Short descriptions of positions: omitted parts are as at the beginning of a match, and cards are given by their names.

A description without `faces` is a short one. Hands, technologies, decks and discards then list cards (`barrage`). Every card that
is not listed is in its deck, below the listed ones, and every system that is not listed is face down; both are shuffled.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gamesvc.games.kernel import codec
from gamesvc.games.kernel.dice import Dice
from gamesvc.games.kernel.game import Data
from gamesvc.games.kernel.timeline import Run, Timeline
from gamesvc.games.star_commander.data import DOMAINS, Catalog
from gamesvc.games.star_commander.data.editions import EDITIONS
from gamesvc.games.star_commander.rules import turn
from gamesvc.games.star_commander.rules.decision import Play
from gamesvc.games.star_commander.state import State, corners
from gamesvc.json_types import JsonObject

Json = JsonObject
CREDITS = 3


def complete(state: Data, dice: Dice) -> Data:
    """Expand a short description of a position. A description with `faces` is already complete and returned unchanged.

    Raises `codec.Malformed` with the part that does not fit.
    """
    if "faces" in state:
        return state
    edition = state.get("edition", "revised")
    if edition not in EDITIONS:
        raise codec.Malformed(f"/edition must be one of {', '.join(EDITIONS)}")
    given = _list(state.get("seats", [{}, {}]), "/seats")
    if not 2 <= len(given) <= 4:
        raise codec.Malformed("/seats must list 2 to 4 seats; {} is a seat with all defaults")
    grid = state.get("grid", len(given) + 1)
    if grid not in (3, 4, 5):
        raise codec.Malformed("/grid must be 3, 4 or 5")
    whole: Json = {"trade": True, "lethal": "at_least", "turn_limit": 0, **state, "edition": edition, "grid": grid}
    table = _Table(EDITIONS[edition].cards, grid, len(given), dice)
    whole["cells"], whole["undealt"] = table.cells(_object(state.get("cells", {}), "/cells"))
    whole["vessels"] = table.vessels(_object(state.get("vessels", table.scouts()), "/vessels"))
    whole["seats"] = [table.seat(_object(seat, f"/seats/{at}"), f"/seats/{at}") for at, seat in enumerate(given)]
    whole |= table.piles(_object(state.get("decks", {}), "/decks"), _object(state.get("discards", {}), "/discards"))
    whole.setdefault("supply", table.supply(whole["vessels"]))
    numbers = [int(at[1:]) for at in whole["vessels"] if at[1:].isdecimal()]
    whole.setdefault("vessels_made", max(numbers, default=0))
    whole.setdefault("turn", 1)
    whole.setdefault("active", 0)
    whole.setdefault("resume", whole["active"])
    for name in ("turn", "active"):
        if type(whole[name]) is not int:
            raise codec.Malformed(f"/{name} must be a whole number")
    return whole if {"prompt", "work"} & state.keys() else _opened(whole, dice)


class _Table:
    """The cards of an edition while they are assigned to the places that list them."""

    def __init__(self, cards: Catalog, grid: int, seats: int, dice: Dice) -> None:
        self.cards, self.dice = cards, dice
        self.names = [f"{r},{c}" for r in range(grid) for c in range(grid)]
        self.homes = dict(zip(corners(grid, seats), range(seats), strict=True))
        deck = [card for domain in DOMAINS for card in cards.domain_deck(domain)]
        uids = dice.shuffle([f"c{at:02d}" for at in range(1, len(deck) + 1)])
        self.faces = dict(zip(uids, deck, strict=True))
        self.free: dict[str, list[str]] = {}
        for uid, card in self.faces.items():
            self.free.setdefault(card, []).append(uid)

    def take(self, card: Any, where: str) -> str:
        """Return an unused copy of a card."""
        if not self.free.get(card):
            raise codec.Malformed(f"{where} names {card!r:.40}; there is no such card, or no further copy, in this edition")
        return self.free[card].pop()

    def pile(self, cards: object, where: str) -> list[str]:
        return [self.take(card, where) for card in _list(cards, where)]

    def cells(self, named: Json) -> tuple[Json, list[str]]:
        """Return all cells, and the systems that are not in the game."""
        left, cells = list(self.cards.system_deck()), {}
        for name, cell in named.items():
            card = _object(cell, f"/cells/{name}").get("card", "homeworld" if name in self.homes else None)
            if name not in self.homes and card is not None:
                if card not in left:
                    raise codec.Malformed(f"/cells/{name} names {card!r:.40}; there is no such system, or no further copy")
                left.remove(card)
        down = list(self.dice.shuffle(left))
        for name in [*self.names, *(name for name in named if name not in self.names)]:
            cell = named.get(name, {})
            home = self.homes.get(name)
            seat = cell.get("controller", home)
            begins = {
                "card": "homeworld" if home is not None else None,
                "explored": home is not None or "card" in cell,
                "controller": home,
                "devs": 0 if seat is None else 1,
                "first_developed_by": [] if seat is None else [seat],
                "home": home,
            }
            cells[name] = {**begins, **cell}
            if cells[name]["card"] is None:
                cells[name]["card"] = down.pop(0)
        return cells, down

    def scouts(self) -> Json:
        """Return the starting vessels: a Scout for each seat in its Homeworld."""
        homes = sorted(self.homes.items(), key=lambda home: home[1])
        return {f"v{seat + 1}": {"card": "scout", "controller": seat, "cell": cell} for cell, seat in homes}

    def vessels(self, named: Json) -> Json:
        vessels = {}
        for at, one in named.items():
            vessel = {"id": at, **_object(one, f"/vessels/{at}")}
            if vessel.get("card") not in self.cards.core and "uid" not in vessel:
                vessel["uid"] = self.take(vessel.get("card"), f"/vessels/{at}/card")
            vessels[at] = vessel
        return vessels

    def seat(self, named: Json, where: str) -> Json:
        rows = {name: self.pile(named.get(name, []), f"{where}/{name}") for name in ("hand", "technologies")}
        return {"credits": CREDITS, **named, **rows}

    def piles(self, decks: Json, discards: Json) -> Json:
        """Return discards and decks: the listed cards on top, the rest below."""
        thrown = {domain: self.pile(discards.get(domain, []), f"/discards/{domain}") for domain in DOMAINS}
        tops = {domain: self.pile(decks.get(domain, []), f"/decks/{domain}") for domain in DOMAINS}
        piles = {}
        for domain in DOMAINS:
            rest = [uid for card, uids in self.free.items() if self.cards[card].domain == domain for uid in uids]
            piles[domain] = [*tops[domain], *self.dice.shuffle(rest)]
        return {"faces": self.faces, "uids": len(self.faces), "decks": piles, "discards": thrown}

    def supply(self, vessels: Json) -> Json:
        out = [vessel.get("card") for vessel in vessels.values()]
        return {card: self.cards[card].supply - out.count(card) for card in self.cards.core}


def _opened(whole: Json, dice: Dice) -> Data:
    """Advance a state to the first decision of its phase. `ready` begins the turn, with its credits and draws."""
    phase, active = whole.get("phase", "command"), whole["active"]
    if phase not in ("ready", "command", "combat"):
        raise codec.Malformed("/phase must be ready, command or combat, where no prompt is given")
    if phase == "ready":
        whole = {**whole, "turn": whole["turn"] - 1}
        whole["seats"] = [{"turns_taken": 1, **seat} for seat in whole["seats"]]
        step: Json = {"do": "turn", "seat": active, "extra": False, "queue": []}
    else:
        step = {"do": "command" if phase == "command" else "combat_choose"}
    state: State = codec.from_json({**whole, "phase": phase, "work": []}, State)
    if not 0 <= active < len(state.seats):
        raise codec.Malformed("/active must be a seat of the match")
    play = Play(_run(state, dice))
    play.work.append(step)
    turn.advance(play)
    written: Data = codec.to_json(play.state, State)
    return written


def _run(state: State, dice: Dice) -> Run[State]:
    from gamesvc.games.star_commander import GAME  # the game itself imports this module

    return Run(Timeline.resume(GAME, version=0, state=state, draws=0, kept={}), dice)


def _object(value: object, where: str) -> Json:
    if not isinstance(value, Mapping):
        raise codec.Malformed(f"{where} must be an object")
    return dict(value)


def _list(value: object, where: str) -> list[Any]:
    if not isinstance(value, (list, tuple)):
        raise codec.Malformed(f"{where} must be a list")
    return list(value)
