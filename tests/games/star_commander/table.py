"""A table for tests: set up a position, then play it through the engine protocol."""

from __future__ import annotations

from typing import Any

from gamesvc.games.protocol import Session
from gamesvc.games.star_commander import GAME
from gamesvc.games.star_commander.data import CATALOGS


class Table:
    """A match in progress: turn 11, command phase of seat 0, all homes with one development. Set up, then play."""

    def __init__(self, edition: str = "revised", seats: int = 2, **options: Any) -> None:
        self.session = Session(GAME)
        answer = self.session.answer({"op": "new", "seats": seats, "seed": "table", "options": {"edition": edition, **options}})
        assert answer["ok"], answer
        self.position = self.session.answer({"op": "position"})["position"]
        self.cards = CATALOGS[edition]
        self.state: dict[str, Any] = self.position["state"]
        self.homes = {cell["home"]: name for name, cell in self.state["cells"].items() if cell["home"] is not None}
        self.started = False
        self.events: list[dict[str, Any]] = []
        self.history: list[dict[str, Any]] = []
        for at in list(self.state["vessels"]):
            self.state["supply"][self.state["vessels"].pop(at)["card"]] += 1
        for seat in self.state["seats"]:
            seat.update(turns_taken=5, last_turn=10)
        self.state.update(modifiers=[], turn=11)
        self.at("command", 0)

    # --- setting up ---

    def at(self, prompt: str, active: int) -> Table:
        """Set the active seat, at the beginning of its command or combat phase."""
        do = {"command": "command", "combat_choose": "combat_choose"}[prompt]
        phase = {"command": "command", "combat_choose": "combat"}[prompt]
        self.state.update(active=active, resume=active, phase=phase, work=[{"do": do}])
        self.state["prompt"] = {"kind": prompt, "seat": active, "number": 900, "what": ""}
        return self

    def system(self, cell: str, card: str, seat: int | None = None, devs: int | None = None, **more: Any) -> Table:
        """Put a system card face up in a cell; with `explored=False`, face down."""
        cells = self.state["cells"]
        if cells[cell]["home"] is None and cells[cell]["card"] != card:
            old = cells[cell]["card"]
            if card in self.state["undealt"]:
                self.state["undealt"].remove(card)
                self.state["undealt"].append(old)
            else:
                [other, *_] = [name for name, one in cells.items() if one["card"] == card and not one["explored"]]
                cells[other]["card"] = old
            cells[cell]["card"] = card
        if devs is None:
            devs = 0 if seat is None else 1
        developed = [] if seat is None else [seat]
        cells[cell].update({"explored": True, "controller": seat, "devs": devs, "first_developed_by": developed, **more})
        return self

    def home(self, seat: int, devs: int) -> Table:
        self.state["cells"][self.homes[seat]]["devs"] = devs
        return self

    def _take(self, card: str) -> str:
        """Take a copy of a card out of its deck."""
        deck = self.state["decks"][self.cards[card].domain]
        uid: str = next(uid for uid in deck if self.state["faces"][uid] == card)
        deck.remove(uid)
        return uid

    def vessel(self, seat: int, card: str, cell: str, **more: Any) -> str:
        state = self.state
        state["vessels_made"] += 1
        at = f"v{state['vessels_made']}"
        uid = None
        if card in self.cards.core:
            state["supply"][card] -= 1
        else:
            uid = self._take(card)
        base = {"damage": 0, "since": 0, "built": 0, "jumps": 0, "moved": False}
        state["vessels"][at] = {"id": at, "card": card, "controller": seat, "cell": cell, "uid": uid, **base, **more}
        return at

    def hand(self, seat: int, *cards: str) -> list[str]:
        uids = [self._take(card) for card in cards]
        self.state["seats"][seat]["hand"] += uids
        return uids

    def tech(self, seat: int, *cards: str) -> list[str]:
        uids = [self._take(card) for card in cards]
        self.state["seats"][seat]["technologies"] += uids
        return uids

    def credits(self, seat: int, amount: int) -> Table:
        self.state["seats"][seat]["credits"] = amount
        return self

    def orders(self, seat: int, **orders: Any) -> Table:
        self.state["seats"][seat]["orders"].update(orders)
        return self

    def leave(self, domain: str, count: int) -> Table:
        """Leave only `count` cards in a deck and discard the others."""
        deck = self.state["decks"][domain]
        self.state["discards"][domain] += deck[count:]
        del deck[count:]
        return self

    def top(self, card: str) -> str:
        uid = self._take(card)
        self.state["decks"][self.cards[card].domain].insert(0, uid)
        return uid

    def start(self) -> Table:
        answer = self.session.answer({"op": "new", "position": self.position})
        assert answer["ok"], answer
        self.started = True
        return self

    # --- playing ---

    def send(self, seat: int, name: str, **parameters: Any) -> dict[str, Any]:
        if not self.started:
            self.start()
        if name == "assign_damage":  # seats at this table wait for other players' plays, unless a test says otherwise
            parameters = {"pass": False, **parameters}
        answer = self.session.answer({"op": "command", "seat": seat, "command": {"name": name, **parameters}})
        self.state = self.session.answer({"op": "position"})["position"]["state"]
        return answer

    def do(self, seat: int, name: str, **parameters: Any) -> list[dict[str, Any]]:
        """Send a command that must be accepted, and check the invariants. Returns its events with bare types."""
        answer = self.send(seat, name, **parameters)
        assert answer["ok"], answer
        self.events = [{**event, "type": event["type"].split(".")[1]} for event in answer["events"]]
        self.history += self.events
        assert not GAME.faults(self.session.match.state)
        return self.events

    def refuse(self, seat: int, name: str, code: str, **parameters: Any) -> None:
        answer = self.send(seat, name, **parameters)
        assert not answer["ok"], answer
        assert answer["refusal"]["code"] == code, answer["refusal"]

    def done(self, seat: int, name: str, **parameters: Any) -> list[dict[str, Any]]:
        """Send a command, then pass for all seats until the stack is empty. Returns all events."""
        events = list(self.do(seat, name, **parameters))
        return events + self.passes()

    def passes(self) -> list[dict[str, Any]]:
        events: list[dict[str, Any]] = []
        while self.prompt["kind"] == "window":
            events += self.do(self.prompt["seat"], "pass")
        self.events = events
        return events

    def end_turn(self) -> list[dict[str, Any]]:
        """Answer every decision with its default until the turn is over."""
        turn, events = self.state["turn"], []
        while self.state["turn"] == turn and self.state["result"] is None:
            seat = self.prompt["seat"]
            command = dict(GAME.default_command(self.session.match.state, seat))
            events += self.do(seat, command.pop("name"), **command)
        return events

    @property
    def prompt(self) -> dict[str, Any]:
        found: dict[str, Any] = self.state["prompt"]
        return found

    def waits(self) -> tuple[str, int]:
        return self.prompt["kind"], self.prompt["seat"]

    def seat(self, at: int) -> dict[str, Any]:
        found: dict[str, Any] = self.state["seats"][at]
        return found

    def cell(self, name: str) -> dict[str, Any]:
        found: dict[str, Any] = self.state["cells"][name]
        return found

    def has(self, vessel: str) -> bool:
        return vessel in self.state["vessels"]

    def view(self, seat: int | None) -> dict[str, Any]:
        if not self.started:
            self.start()
        found: dict[str, Any] = self.session.answer({"op": "view", "seat": seat})["view"]
        return found

    def forms(self, seat: int, name: str) -> list[dict[str, Any]]:
        if not self.started:
            self.start()
        forms = self.session.answer({"op": "legal", "seat": seat})["forms"]
        return [form for form in forms if form["name"] == name]

    def of(self, kind: str) -> list[dict[str, Any]]:
        """Return the data of the last command's events of one type."""
        return [event["data"] for event in self.events if event["type"] == kind]

    def ever(self, kind: str) -> list[dict[str, Any]]:
        """Return the data of all events of one type since the start."""
        return [event["data"] for event in self.history if event["type"] == kind]

    def sent_of(self, events: list[dict[str, Any]], kind: str) -> list[dict[str, Any]]:
        return [event["data"] for event in events if event["type"] == kind]

    def fight(self, cell: str, **orders: Any) -> None:
        """Go from the command phase into a combat, up to the first assignment."""
        if self.prompt["kind"] == "command":
            self.do(self.prompt["seat"], "end_command")
        self.do(self.prompt["seat"], "open_combat", cell=cell)


def shots(**assigned: Any) -> dict[str, list[dict[str, Any]]]:
    """Return assignments from `shots(v3=("v7", 2))` or `shots(v3=[("v7", 2), ("v8", 1)])`."""
    found = {}
    for vessel, aims in assigned.items():
        pairs = aims if isinstance(aims, list) else [aims]
        found[vessel] = [{"target": target, "amount": amount} for target, amount in pairs]
    return found
