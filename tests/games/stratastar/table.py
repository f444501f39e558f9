"""A table for tests: an empty map, chosen pieces and hands, and commands through the engine protocol."""

from __future__ import annotations

import re
from typing import Any

from gamesvc.games.protocol import Session
from gamesvc.games.stratastar import GAME
from gamesvc.games.stratastar.data import RANK, deck
from gamesvc.games.stratastar.state import State

HOMES = ("A1", "J10", "J1", "A10")
LETTERS = {"A": "attack", "M": "move", "B": "build", "T": "trade", "R": "research"}


def cards(text: str) -> list[str]:
    """Read `2A 1M+` as cards."""
    found: list[str] = []
    for count, letter, power in re.findall(r"(\d+)([AMBTR])(\+?)", text):
        found += [LETTERS[letter] + ("2" if power else "")] * int(count)
    return found


class Table:
    """Seats 0, 1, 2 ... at A1, J10, J1, A10, in this turn order. No chits, no pieces except Homeworlds, no cards in hand."""

    def __init__(self, seats: int = 2, seed: str = "table", **options: Any) -> None:
        self.session = Session(GAME)
        self.options = {"homeworld_choice": "random", "pace": "secret", **options}
        self.ask(op="new", seats=seats, seed=seed, options=self.options)
        self.position = self.ask(op="position")["position"]
        raw = self.position["state"]
        raw["placement"] = list(range(seats))[::-1]
        raw["order"] = list(range(seats))
        raw["turn"] |= {"phase": "retool", "active": 0, "number": 1, "round": 1, "picking": [], "choice": []}
        raw["deck"], raw["discard"] = list(deck(self.options.get("power_cards", False))), []
        for seat, player in enumerate(raw["players"]):
            player |= {"hand": [], "home": HOMES[seat], "fleets": {}, "stargates": [], "turns": 1 if seat == 0 else 0}
        chart = raw["chart"]
        chart["contacts"] = []
        if not self.options.get("exploration"):
            chart["chits"] = {}
        self.raw = raw
        self.live = False

    def ask(self, **request: Any) -> dict[str, Any]:
        answer = self.session.answer(request)
        assert answer["ok"], answer
        return answer

    # --- setting up ---

    def hand(self, seat: int, text: str) -> Table:
        """Give a seat exactly these cards, from the deck."""
        player = self.raw["players"][seat]
        pool = self.raw["deck"] + player["hand"]
        for card in cards(text):
            pool.remove(card)
        player["hand"] = sorted(cards(text), key=RANK.__getitem__)
        self.raw["deck"] = pool
        return self

    def put(self, seat: int, space: str, fleets: int = 0, warfleets: int = 0, colonies: int = 0, stargate: bool = False) -> Table:
        player = self.raw["players"][seat]
        for name, count in (("fleets", fleets), ("warfleets", warfleets), ("colonies", colonies)):
            if count:
                player[name][space] = count
        if colonies:
            self.raw["chart"]["chits"][space] = "world"
        if stargate:
            player["stargates"].append(space)
        return self

    def chit(self, space: str, kind: str) -> Table:
        self.raw["chart"]["chits"][space] = kind
        return self

    def ability(self, seat: int, *abilities: str) -> Table:
        self.raw["players"][seat]["abilities"] = list(abilities)
        return self

    def order(self, seat: int, **orders: Any) -> Table:
        self.raw["players"][seat]["orders"] |= orders
        return self

    def discard(self, text: str) -> Table:
        """Put cards on the discard pile, the last on top."""
        for card in cards(text):
            self.raw["deck"].remove(card)
            self.raw["discard"].append(card)
        return self

    def phase(self, phase: str, active: int = 0, **turn: Any) -> Table:
        self.raw["turn"] |= {"phase": phase, "active": active, "free_move": phase == "movement", **turn}
        self.raw["players"][active]["turns"] = max(1, self.raw["players"][active]["turns"])
        return self

    def start(self, *script: Any) -> Table:
        """Begin from the current position. `script` holds the next draws."""
        self.session = Session(GAME)
        self.ask(op="new", position=self.position)
        if script:
            self.ask(op="dice", script=list(script))
        self.live = True
        return self

    # --- playing ---

    def do(self, seat: int, name: str, /, **parameters: Any) -> dict[str, Any]:
        """Send a command that must be accepted. `pay` and card lists may be given as text."""
        if not self.live:
            self.start()
        return self.ask(op="command", seat=seat, command=self._command(name, parameters))

    def refused(self, seat: int, name: str, /, **parameters: Any) -> str:
        """Send a command that must be refused. Returns the code."""
        if not self.live:
            self.start()
        answer = self.session.answer({"op": "command", "seat": seat, "command": self._command(name, parameters)})
        assert not answer["ok"], answer
        assert "refusal" in answer, answer
        return str(answer["refusal"]["code"])

    @staticmethod
    def _command(name: str, parameters: dict[str, Any]) -> dict[str, Any]:
        command: dict[str, Any] = {"name": name}
        for key, value in parameters.items():
            listed = key in ("pay", "cards", "others", "builds") and isinstance(value, str)
            command["from" if key == "start" else key] = cards(value) if listed else value
        return command

    @property
    def state(self) -> State:
        state = self.session.match.state
        assert isinstance(state, State)
        return state

    def held(self, seat: int) -> list[str]:
        return list(self.state.players[seat].hand)

    def view(self, seat: int | None) -> dict[str, Any]:
        view = self.ask(op="view", seat=seat)["view"]
        assert isinstance(view, dict)
        return view

    def awaited(self) -> list[tuple[int, str]]:
        return [(one.seat, one.prompt) for one in GAME.awaited(self.state)]

    def events(self, answer: dict[str, Any]) -> list[str]:
        return [event["type"].removeprefix("stratastar.") for event in answer["events"]]
