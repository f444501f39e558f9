"""The `greedy` bot. From its seat's view alone it grows first, keeps fleets together and attacks weak targets."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

from gamesvc.games.kernel import forms as shapes
from gamesvc.games.kernel.game import Command, Data, Form
from gamesvc.games.star_commander.state import distance
from gamesvc.json_types import JsonMapping, JsonObject

BUILD_ORDER = ("battlecruiser", "battleship", "cruiser", "destroyer", "frigate", "corvette", "strike_fighter", "carrier")


def play_greedy(view: Data, offered: Sequence[Form], rng: random.Random) -> Command:
    """Answer the prompt with the best-looking move."""
    return Greedy(view, offered, rng).choose()


class Greedy:
    """One decision of the bot."""

    def __init__(self, view: Data, offered: Sequence[Form], rng: random.Random) -> None:
        self.view, self.rng = view, rng
        self.main = [form for form in offered if not form.aside]
        self.seat: int = view["seat"]
        self.cells: JsonMapping = view["cells"]
        self.vessels: JsonMapping = view["vessels"]
        self.me = view["seats"][self.seat]

    def named(self, name: str) -> list[Form]:
        return [form for form in self.main if form.name == name]

    def choose(self) -> Command:
        kind = self.view["prompt"]["kind"]
        if kind == "command":
            return self.command()
        if kind == "combat_choose":
            return self.fight()
        if kind == "combat_assign":
            return self.fire()
        if kind == "combat_retreat":
            return {"name": "retreat", "moves": []}
        if kind == "window":
            return self.respond()
        return self.draw() if kind == "ready_draw" else self.answer()

    # --- strength ---

    def here(self, cell: str, own: bool) -> list[JsonMapping]:
        return [one for one in self.vessels.values() if one["cell"] == cell and (one["seat"] == self.seat) == own]

    @staticmethod
    def power(vessels: Sequence[JsonMapping]) -> int:
        """Return the combined strength: total attack times total endurance."""
        return int(sum(one["attack"] for one in vessels) * sum(one["hp"] for one in vessels))

    # --- cards ---

    def draw(self) -> Command:
        [form] = self.main
        command = shapes.fill(form, self.rng)
        decks = self.view["decks"]
        command["domain"] = max(form.parameters["domain"]["enum"], key=lambda domain: decks[domain])
        return command

    def answer(self) -> Command:
        [form] = self.main
        values = form.parameters["value"]["enum"]
        value = "keep" if "keep" in values else self.rng.choice(values)
        if self.view["prompt"]["what"] == "core_world":
            value = max(values, key=lambda cell: self.cells[cell]["devs"])
        return {"name": "choose", "value": value}

    def respond(self) -> Command:
        top = self.view["stack"][-1] if self.view["stack"] else None
        for form in self.named("play_command"):
            card = self.card_of(form)
            if card == "intercept_orders" and top and top["seat"] != self.seat and top["kind"] == "command":
                return self.aimed(form, f"s{top['id']}")
            if card == "evasion" and top is None and (threatened := self.threatened()):
                return self.aimed(form, threatened)
            if card == "evasion" and top and top["seat"] != self.seat:
                own = [at for at in top["targets"].values() if at in self.vessels and self.vessels[at]["seat"] == self.seat]
                if own:
                    return self.aimed(form, own[0])
        # No card enters the hand during another seat's turn: without a response now, there will be none later.
        holds = {card for _, card in self.view["hand"]} & {"intercept_orders", "evasion"}
        return {"name": "pass"} if holds or self.view["active"] == self.seat else {"name": "pass", "rest": True}

    def threatened(self) -> str | None:
        """Return the seat's ship with the most hit points that the assigned damage would destroy, or None."""
        combat = self.view["combat"]
        coming: dict[str, int] = {}
        if combat is None or combat["step"] != "after_assign":
            return None
        for shot in combat["assigned"]:
            coming[shot["target"]] = coming.get(shot["target"], 0) + shot["amount"]
        doomed = [
            at
            for at, amount in coming.items()
            if at in self.vessels and self.vessels[at]["seat"] == self.seat and amount >= self.vessels[at]["hp"]
        ]
        return max(doomed, key=lambda at: self.vessels[at]["hp"]) if doomed else None

    def card_of(self, form: Form) -> str:
        uid = form.parameters["uid"]["enum"][0]
        return str(dict(self.view["hand"]).get(uid, ""))

    def aimed(self, form: Form, value: str) -> Command:
        """Return the form filled with one fixed target; a pass if the form does not offer that target."""
        targets = form.parameters["targets"]["properties"]
        name = next(iter(targets))
        if value not in targets[name]["enum"]:
            return {"name": "pass"}
        return {"name": form.name, "uid": form.parameters["uid"]["enum"][0], "targets": {name: value}}

    # --- the command phase ---

    def command(self) -> Command:
        for step in (self.technology, self.good_card, self.develop, self.build, self.move, self.draw_for_credits):
            command = step()
            if command is not None:
                return command
        return {"name": "end_command"}

    def technology(self) -> Command | None:
        found = self.named("play_technology")
        return shapes.fill(found[0], self.rng) if found else None

    def good_card(self) -> Command | None:
        for form in self.named("play_command"):
            card = self.card_of(form)
            if card in ("trade_envoy", "mass_production"):
                cells = form.parameters["targets"]["properties"]["a"]["enum"]
                return self.aimed(form, max(cells, key=lambda cell: self.cells[cell]["devs"]))
            has_room = self.me["hand"] + 1 <= self.me["hand_limit"] - 2  # otherwise it would draw and discard endlessly
            if card == "filibuster" or (card == "explore_the_unknown" and has_room):
                return {"name": "play_command", "uid": form.parameters["uid"]["enum"][0]}
            if card == "orbital_bombardment":
                ships = form.parameters["targets"]["properties"]["a"]["enum"]
                best = max(
                    ships, key=lambda at: min(self.vessels[at]["attack"], self.cells[self.vessels[at]["cell"]]["devs"] - 1)
                )
                if self.cells[self.vessels[best]["cell"]]["devs"] > 1:
                    return self.aimed(form, best)
            if card == "sabotage" or (card == "bribery" and len(form.parameters["targets"]["properties"]) == 1):
                enemy = [
                    at for at in form.parameters["targets"]["properties"]["a"]["enum"] if self.vessels[at]["seat"] != self.seat
                ]
                if enemy:
                    return self.aimed(form, max(enemy, key=lambda at: self.vessels[at]["hp"]))
        return None

    def develop(self) -> Command | None:
        """Develop the system with the fewest developments, if it is new or has at most four."""
        for form in self.named("develop"):
            cells = form.parameters["cell"]["enum"]
            best = min(cells, key=lambda cell: self.cells[cell]["devs"])
            if self.cells[best]["controller"] is None or self.cells[best]["devs"] <= 4:
                return {"name": "develop", "cell": best}
        return None

    def build(self) -> Command | None:
        """Build a station at the most developed system, otherwise the first choice of ship, as close to the enemy as possible."""
        options = [
            (card, form, cell)
            for form in self.named("build_ship")
            for card in [form.parameters["card"]["enum"][0] if "card" in form.parameters else self.card_of(form)]
            for cell in form.parameters["cell"]["enum"]
            if card in BUILD_ORDER
        ]
        for form in self.named("build_station"):
            if "uid" in form.parameters:
                cells = form.parameters["cell"]["enum"]
                best = max(cells, key=lambda cell: self.cells[cell]["devs"])
                return {"name": "build_station", "uid": form.parameters["uid"]["enum"][0], "cell": best}
        if not options:
            return None
        card, form, cell = min(options, key=lambda one: (BUILD_ORDER.index(one[0]), self.to_enemy(one[2])))
        part = "card" if "card" in form.parameters else "uid"
        if card == "strike_fighter" and (self.threat(cell) == 0 or self.me["ships"] >= self.me["devs"] - 1):
            return None
        return {"name": "build_ship", part: form.parameters[part]["enum"][0], "cell": cell}

    def to_enemy(self, cell: str) -> int:
        homes = [at for at, one in self.cells.items() if one["controller"] not in (None, self.seat)]
        return min((distance(cell, home) for home in homes), default=0)

    def threat(self, cell: str) -> int:
        near = [at for at in self.cells if distance(at, cell) <= 1]
        return sum(one["attack"] for at in near for one in self.here(at, own=False))

    def move(self) -> Command | None:
        best: tuple[float, Command] | None = None
        for form in self.named("move_ships"):
            [to] = form.parameters["to"]["enum"]
            ships = form.parameters["ships"]["items"]["enum"]
            start = self.vessels[ships[0]]["cell"]
            for going in (ships, ships[:1]):
                value = self.worth(to, going) - self.worth(start, going) - self.left_behind(start, going)
                if value > 0 and (best is None or value > best[0]):
                    best = (value, {"name": "move_ships", "ships": list(going), "to": to})
        return best[1] if best else None

    def left_behind(self, start: str, going: Sequence[str]) -> float:
        """Return the expected loss at one of the seat's systems if these ships leave."""
        cell = self.cells[start]
        if cell["controller"] != self.seat:
            return 0
        stay = [one for one in self.here(start, own=True) if one not in [self.vessels[at] for at in going]]
        exposed = self.threat(start) > sum(one["attack"] for one in stay)
        return 4.0 + 3.0 * cell["devs"] * (2 if cell["home"] == self.seat else 1) if exposed else 0

    def worth(self, to: str, going: Sequence[str]) -> float:
        """Return an estimate of what it is worth to move these ships there."""
        cell, force = self.cells[to], [self.vessels[at] for at in going]
        friends = [one for one in self.here(to, own=True) if one not in force]
        enemies = self.here(to, own=False)
        mine, theirs = self.power([*force, *friends]), self.power(enemies)
        if theirs > mine:
            return -20.0
        # Stations do not count: staying with them would keep a fleet at home forever.
        value: float = 0.5 * min(4, sum(one["kind"] == "ship" for one in friends))
        if cell["card"] is None:
            return value + 5.0
        if cell["controller"] is None and cell["max"] > 0:
            claimed = any(one["kind"] == "ship" and one["size"] != "fighter" for one in friends)
            value += 0.0 if claimed else 3.0 + cell["max"]
        elif cell["controller"] != self.seat and cell["controller"] is not None:
            armed = sum(one["attack"] for one in force)
            value += (6.0 + 2.0 * len(force) + (6.0 if cell["home"] is not None else 0.0)) if armed else -4.0
        elif enemies:
            value += 8.0
        if any(one["attack"] for one in force):
            value += 0.3 * (2 * self.view["grid"] - self.to_enemy(to))
        return value

    def draw_for_credits(self) -> Command | None:
        if self.me["credits"] >= 9 and self.me["hand"] < self.me["hand_limit"] - 1 and (found := self.named("trade_draw")):
            decks = self.view["decks"]
            domain = max(found[0].parameters["domain"]["enum"], key=lambda name: decks[name])
            if decks[domain] > 1 or self.leading():
                return {"name": "trade_draw", "domain": domain}
        return None

    def leading(self) -> bool:
        others = [one["devs"] for at, one in enumerate(self.view["seats"]) if at != self.seat and one["alive"]]
        return int(self.me["devs"]) > max(others, default=0)

    # --- combat ---

    def fight(self) -> Command:
        cells = [cell for form in self.named("open_combat") for cell in form.parameters["cell"]["enum"]]
        if cells:
            return {"name": "open_combat", "cell": max(cells, key=lambda cell: self.power(self.here(cell, own=True)))}
        return {"name": "end_combat"}

    def fire(self) -> Command:
        """Destroy what can be destroyed, the most expensive first, with the least damage needed.

        Then pass, or spread the rest.
        """
        [form] = self.main
        coming: dict[str, int] = {}
        combat = self.view["combat"]
        for shot in combat["assigned"]:
            if shot["seat"] == self.seat:
                coming[shot["target"]] = coming.get(shot["target"], 0) + shot["amount"]
        fired: dict[str, list[JsonObject]] = {}
        shots = form.parameters["assignments"]["properties"]
        for own in sorted(shots, key=lambda at: -self.vessels[at]["attack"]):
            item = shots[own]["items"]["properties"]
            left = item["amount"]["maximum"]
            targets = [at for at in item["target"]["enum"] if self.remaining(at, coming) > 0 and self.hostile(at)]
            if not targets:
                continue
            kills = [at for at in targets if self.remaining(at, coming) <= left]
            if kills:
                target = max(kills, key=lambda at: (self.vessels[at]["attack"], self.vessels[at]["hp"]))
            else:
                target = min(targets, key=lambda at: self.remaining(at, coming))
            coming[target] = coming.get(target, 0) + left
            fired[own] = [{"target": target, "amount": left}]
        return {"name": "assign_damage", "assignments": fired, "more": bool(fired), "stay": True}

    def hostile(self, at: str) -> bool:
        return bool(self.vessels[at]["seat"] != self.seat)

    def remaining(self, at: str, coming: Mapping[str, int]) -> int:
        one = self.vessels[at]
        more = 1 if self.view["lethal"] == "more_than" else 0
        return int(one["hp"] - one.get("damage", 0) - coming.get(at, 0) + more)
