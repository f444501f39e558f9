"""The `greedy` bot. It sends fleets to free worlds, colonizes, and fights where it is stronger. Uses view and forms only."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from gamesvc.games.kernel import forms as reading
from gamesvc.games.kernel.bots import play_random
from gamesvc.games.kernel.game import Bot, Command, Data, Form
from gamesvc.games.stratastar.data import FLEETS, HAZARDS, WORTH
from gamesvc.games.stratastar.data.geometry import ADJACENT, distance
from gamesvc.json_types import JsonMapping, JsonObject

_KEEP = {"build": 3, "move": 3, "attack": 2, "trade": 1}
"""The number of cards of each kind worth keeping. Research and power cards are always kept."""
_EXPECTED = 0.35
"""The share of a hidden hand that is expected to be Attack."""


class Sight:
    """A seat's view with the derived facts that the bot needs."""

    keep: Mapping[str, int] = _KEEP

    def __init__(self, seen: Data, offered: Sequence[Form]) -> None:
        self.seen = seen
        self.offered = offered
        self.seat: int = seen["viewer"]
        self.me: JsonMapping = seen["players"][self.seat]
        self.others = [player for player in seen["players"] if player["seat"] != self.seat and player["alive"]]
        self.hand: list[str] = seen["hand"]

    def named(self, name: str) -> list[Form]:
        return [form for form in self.offered if form.name == name]

    def force(self, player: JsonMapping, space: str) -> int:
        """Return a player's force in a space without cards."""
        return int(
            player["fleets"].get(space, 0)
            + 2 * player["warfleets"].get(space, 0)
            + player["colonies"].get(space, 0)
            + (4 if player["home"] == space else 0)
        )

    def attack(self) -> int:
        return sum(WORTH[card] for card in self.hand if card in ("attack", "attack2", "research"))

    def feared(self, space: str) -> float:
        """Return the greatest force that another seat may have in a space, including cards it may hold."""
        forces = [
            self.force(player, space) + _EXPECTED * player["hand"]
            for player in self.others
            if self.force(player, space) or space in player["stargates"]
        ]
        return max(forces, default=0.0)

    def would_win(self, space: str, more: int = 0) -> bool:
        return self.force(self.me, space) + more + self.attack() > self.feared(space)

    def is_held(self, space: str) -> bool:
        """Return True if another seat has a unit or Stargate in the space."""
        return any(self.force(player, space) or space in player["stargates"] for player in self.others)

    def colonies(self, space: str) -> int:
        return sum(int(player["colonies"].get(space, 0)) for player in self.seen["players"])

    def steps_to(self, goals: Iterable[str]) -> dict[str, int]:
        """Return the number of steps from each space to the nearest goal, avoiding known hazards."""
        chits = self.seen["chits"] | self.seen["scouted"]
        far = dict.fromkeys(goals, 0)
        waiting = deque(far)
        while waiting:
            space = waiting.popleft()
            for near in ADJACENT[space]:
                if near not in far and chits.get(near) not in HAZARDS:
                    far[near] = far[space] + 1
                    waiting.append(near)
        return far

    def free_worlds(self) -> list[str]:
        """Return the known worlds without colonies."""
        return [space for space, kind in self.seen["chits"].items() if kind == "world" and not self.colonies(space)]

    def prey(self) -> list[str]:
        """Return the colonies and Homeworlds of the other seats."""
        return [space for player in self.others for space in (*player["colonies"], player["home"]) if space]


def play_greedy(seen: Data, offered: Sequence[Form], rng: random.Random) -> Command:
    """Choose a command by the bot's wishes. Commands that do not move the match on are ignored."""
    return play_by_wishes(Sight(seen, [form for form in offered if not form.aside]), rng)


def play_by_wishes(sight: Sight, rng: random.Random) -> Command:
    """Return the first wish for a sight that a form offers, otherwise `end_phase` or `pass`, otherwise any command."""
    main = sight.offered
    for wish in _WISHES:
        command = wish(sight, rng)
        if command is not None and reading.offered(main, command):
            return command
    for name in ("end_phase", "pass"):
        if sight.named(name):
            return {"name": name}
    return play_random(sight.seen, main, rng)


def _corner(sight: Sight, rng: random.Random) -> Command | None:
    """Choose the corner with the most worlds nearby."""
    for form in sight.named("place_homeworld"):
        worlds = [space for space, kind in sight.seen["chits"].items() if kind == "world"]
        corners = form.parameters["corner"]["enum"]
        best = max(corners, key=lambda corner: sum(max(0, 7 - distance(corner, world)) for world in worlds))
        return {"name": "place_homeworld", "corner": best}
    return None


def _surplus(sight: Sight, hand: Sequence[str]) -> list[str]:
    """Return the cards beyond those worth keeping, the least useful kinds first."""
    found: list[str] = []
    for kind in ("attack", "trade", "move", "build"):
        found += [kind] * max(0, hand.count(kind) - sight.keep[kind])
    return found


def _retool(sight: Sight, rng: random.Random) -> Command | None:
    return {"name": "retool", "cards": _surplus(sight, sight.hand)[:3]} if sight.named("retool") else None


def _trade(sight: Sight, rng: random.Random) -> Command | None:
    if sight.named("basic_research") and not sight.named("breakthrough"):
        return {"name": "basic_research"}
    if "trade" not in sight.hand and "trade2" not in sight.hand:
        return None
    if sight.named("internal_trade") and sight.hand.count("trade") < 2:
        left = list(sight.hand)
        left.remove("trade" if "trade" in left else "trade2")
        return {"name": "internal_trade", "others": _surplus(sight, left)}
    for form in sight.named("external_trade"):
        targets = form.parameters["target"]["enum"]
        richest = max(targets, key=lambda seat: sight.seen["players"][seat]["hand"])
        return {"name": "external_trade", "target": richest}
    return None


def _support(sight: Sight, rng: random.Random) -> Command | None:
    """Keep the Build cards and disband the fleets farthest from a free world."""
    due = sight.me["fleet_count"] - sight.me["capacity"]
    if not sight.named("support") or due <= 0:
        return None
    far = sight.steps_to(sight.free_worlds() or sight.prey())
    groups = []
    spaces = sorted({*sight.me["fleets"], *sight.me["warfleets"]}, key=lambda space: (-far.get(space, 99), space))
    for space in spaces:
        fleets = min(due, sight.me["fleets"].get(space, 0))
        warfleets = min(due - fleets, sight.me["warfleets"].get(space, 0))
        due -= fleets + warfleets
        if fleets + warfleets:
            groups.append({"space": space, "fleets": fleets, "warfleets": warfleets})
    return {"name": "support", "builds": [], "disband": groups}


def _build(sight: Sight, rng: random.Random) -> Command | None:
    for name in ("colonize", "allied_minor_race"):
        for form in sight.named(name):
            return {"name": name, "space": form.parameters["space"]["enum"][0]}
    for name in ("breakthrough",):
        if sight.named(name):
            return {"name": name}
    room = sight.me["capacity"] - sight.me["fleet_count"]
    waiting = [space for space in sight.free_worlds() if space in sight.me["fleets"]]
    builds = sum(WORTH[card] for card in sight.hand if card in ("build", "build2"))
    if room > 0 and sight.me["fleet_count"] < FLEETS and builds > len(waiting) and sight.named("build_fleet"):
        return {"name": "build_fleet"}
    return None


def _move(sight: Sight, rng: random.Random) -> Command | None:
    """Move the group with the shortest way to a goal by one step."""
    moves = sight.named("move")
    best = _wanted(sight, moves)
    if best is not None and sight.is_held(best["to"]) and _points(sight) >= 2:
        # Moves that others may answer come last: the moves stay the same, but fewer questions interrupt them.
        best = _wanted(sight, _quiet(sight, moves, best["from"])) or best
    return {**best, **_following(sight, best)} if best else None


def _points(sight: Sight) -> int:
    """Return the number of steps that the bot can still make."""
    cards = sum(WORTH[card] for card in sight.hand if card in ("move", "move2", "research"))
    return int(cards + sight.seen["credit"].get("move", 0) + sight.seen["free_move"])


def _quiet(sight: Sight, moves: Sequence[Form], but: str) -> list[Form]:
    """Return the steps of the other groups into spaces without another seat's pieces."""
    found = []
    for form in moves:
        to = [space for space in form.parameters["to"]["enum"] if not sight.is_held(space)]
        if to and form.parameters["from"]["const"] != but:
            found.append(replace(form, parameters={**form.parameters, "to": {"enum": to}}))
    return found


def _wanted(sight: Sight, moves: Sequence[Form]) -> Command | None:
    """Return the best of the available steps, or None."""
    if not moves:
        return None
    free = sight.free_worlds()
    guarded = [space for space in free if space in sight.me["fleets"]]
    goals = [space for space in free if space not in guarded] + list(sight.seen["unknown"])
    best = _best_step(sight, moves, goals, guarded, whole=False)
    if best is None or not _can_still_win(sight, len(free)):
        best = _best_step(sight, moves, sight.prey(), guarded, whole=True) or best
    return best


def _following(sight: Sight, step: Command) -> dict[str, str]:
    """Return the follow-up of the turn's last movement: a battle there, or the end of the turn if no battle is wanted."""
    after = _after(sight, step)
    if _points(sight) > 1 and _wanted(after, _steps(after)) is not None:
        return {}
    if after.is_held(step["to"]) and after.would_win(step["to"]):
        return {"then": "battle"}
    elsewhere = [space for space in sight.seen["contested"] if after.force(after.me, space) and after.would_win(space)]
    return {} if elsewhere else {"then": "end_turn"}


def _after(sight: Sight, step: Command) -> Sight:
    """Return the bot's view after the step, ignoring its payment."""
    players = list(sight.seen["players"])
    me = {name: dict(players[sight.seat][name]) for name in ("fleets", "warfleets")}
    for name, spaces in me.items():
        count = step.get(name, 0)
        spaces[step["to"]] = spaces.get(step["to"], 0) + count
        spaces[step["from"]] = spaces.get(step["from"], 0) - count
        me[name] = {space: n for space, n in spaces.items() if n}
    players[sight.seat] = {**players[sight.seat], **me}
    return type(sight)({**sight.seen, "players": players}, sight.offered)


def _steps(sight: Sight) -> list[Form]:
    """Return the steps that may be possible from the fleets' current spaces."""
    chits = sight.seen["chits"] | sight.seen["scouted"]
    found = []
    for start in sorted({*sight.me["fleets"], *sight.me["warfleets"]}):
        limits = {name: {"maximum": sight.me[name].get(start, 0)} for name in ("fleets", "warfleets")}
        reached = [to for to in ADJACENT[start] if chits.get(to) not in HAZARDS]
        found.append(Form("move", "", {"from": {"const": start}, "to": {"enum": reached}, **limits, "free": {"const": False}}))
    return found


def _can_still_win(sight: Sight, free: int) -> bool:
    return bool(sight.me["worlds"] + free >= 12 or sight.seen["unknown"])


def _best_step(
    sight: Sight, moves: Sequence[Form], goals: Sequence[str], guarded: Sequence[str], *, whole: bool
) -> Command | None:
    far = sight.steps_to(goals)
    best: tuple[tuple[int, bool], Command] | None = None
    for form in moves:
        start = form.parameters["from"]["const"]
        limits = {name: form.parameters[name] for name in ("fleets", "warfleets")}
        single = not whole
        if limits["fleets"]["maximum"] == 0 and single:
            continue
        spare = limits["fleets"]["maximum"] - (start in guarded)
        if spare <= 0 and single:
            continue
        now = far.get(start, 99)
        if whole and start in sight.seen["contested"] and sight.would_win(start):
            continue
        for to in form.parameters["to"]["enum"]:
            if to in sight.seen["blocked"] or far.get(to, 99) >= now:
                continue
            if whole and far[to] == 0 and not sight.would_win(to, limits["fleets"]["maximum"]):
                continue
            is_free = form.parameters["free"]["const"]
            command: JsonObject = {"name": "move", "from": start, "to": to}
            command |= {"fleets": 1} if single else {name: limit["maximum"] for name, limit in limits.items()}
            if is_free:
                command["free"] = True
            rank = (now, not is_free)
            if best is None or rank < best[0]:
                best = (rank, command)
    return best[1] if best else None


def _battle(sight: Sight, rng: random.Random) -> Command | None:
    for name in ("declare_battle", "call_battle"):
        for form in sight.named(name):
            for space in form.parameters["space"]["enum"]:
                if sight.would_win(space):
                    return {"name": name, "space": space}
    return None


def _commit(sight: Sight, rng: random.Random) -> Command | None:
    """Commit all Attack cards where they may decide the battle, none where the others can hardly lose or win."""
    if not sight.named("commit_attack"):
        return None
    space = sight.seen["battle"]["space"]
    hopeless = sight.force(sight.me, space) + sight.attack() < sight.feared(space) - 3
    sure = sight.force(sight.me, space) > sight.feared(space) + 3
    if (hopeless or sure) and space != sight.me["home"]:
        return {"name": "commit_attack", "cards": []}
    return {"name": "commit_attack", "cards": [c for c in sight.hand if c in ("attack", "attack2", "research")]}


def _answer(sight: Sight, rng: random.Random) -> Command | None:
    """Block movements onto the Homeworld, sabotage whenever possible, and retreat from stronger fleets."""
    if not sight.seen["actions"]:
        return None
    action = sight.seen["actions"][-1]
    space = action["enters"]
    if sight.named("diplomacy_block") and space == sight.me["home"]:
        return {"name": "diplomacy_block"}
    if sight.named("sabotage"):
        return {"name": "sabotage"}
    if space and sight.feared(space) > sight.force(sight.me, space) + sight.attack():
        for form in sight.named("retreat"):
            limits = {name: form.parameters[name]["maximum"] for name in ("fleets", "warfleets")}
            return {"name": "retreat", "to": form.parameters["to"]["enum"][0], **limits}
    return None


_WISHES: tuple[Callable[[Sight, random.Random], Command | None], ...] = (
    _corner,
    _retool,
    _trade,
    _support,
    _build,
    _move,
    _battle,
    _commit,
    _answer,
)

BOTS: dict[str, Bot] = {"random": play_random, "greedy": play_greedy}
