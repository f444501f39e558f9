"""The diagram of systems: cards, links, vessel plates on their seats' sides, combat arrows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from gamesvc.games.drawing.chart import LETTERS, Chart
from gamesvc.games.kernel.game import Data
from gamesvc.games.kernel.targets import FINGER
from gamesvc.games.kernel.wording import Speaker
from gamesvc.games.star_commander.data import DOMAINS
from gamesvc.games.star_commander.state import corners, place
from gamesvc.games.star_commander.text.lasting import lasting_words
from gamesvc.json_types import JsonMapping

CARD_HEIGHT = 66
PLATE = 46
SHORT = {"Strike Fighter": "Fighter", "Defense Station": "Station", "Missile Platform": "Missile", "Orbital Habitat": "Habitat"}
NARROW = {
    "Strike Fighter": "Fighter",
    "Corvette": "Corv.",
    "Frigate": "Frig.",
    "Destroyer": "Destr.",
    "Battleship": "Battle",
    "Battlecruiser": "Bcruis.",
    "Defense Station": "Station",
    "Missile Platform": "Missile",
    "Orbital Habitat": "Habitat",
    "Jump Nexus": "Nexus",
    "Shipyard": "Yard",
}
ICONS = {"lock": "paralysed", "prevent": "shield", "deny_attack": "cross"}
"""The lasting effects that are marked on the plate of a vessel, with their icons."""
NOSES = {"south": "up", "north": "down", "west": "right", "east": "left"}

_CORNERS = [(1, 1), (1, 0), (0, 0), (0, 1)]
"""The corners of a map by the quarters of a turn that bring each to the foot."""


@dataclass(frozen=True, slots=True)
class Layout:
    """The sizes for one grid. Three by three stand on a corner, and the piles in the free ones. More would be twice as high as
    wide: they lie square below a row with the piles."""

    grid: int
    width: float
    dx: float
    dy: float
    plates: int  # the number that fits on one side of a card
    head: float = 0.0
    quarters: int = 0  # how often the map is turned by 90 degrees

    @classmethod
    def of(cls, grid: int, home: str) -> Layout:
        """Return the layout for who looks from a Homeworld, which lies at the foot."""
        r, c = place(home)
        quarters = _CORNERS.index((r // (grid - 1), c // (grid - 1)))
        if grid == 3:
            return cls(grid, 196.0, 117.0, 158.0, 3, quarters=quarters)
        width = {4: 156.0, 5: 124.0}[grid]
        dx, dy = (664.0 - width) / (grid - 1), CARD_HEIGHT + 2 * PLATE + 14.0
        return cls(grid, width, dx, dy, 2, head=118.0, quarters=quarters)

    def turned(self, cell: str) -> tuple[int, int]:
        """Return row and column of a system on the map as it is turned."""
        r, c = place(cell)
        for _quarter in range(self.quarters):
            r, c = self.grid - 1 - c, r
        return r, c

    def side(self, home: str) -> str:
        """Return the side of the map on which a Homeworld lies."""
        r, c = self.turned(home)
        return ("north", "east", "west", "south")[2 * (r > 0) + (c > 0)]

    @property
    def square(self) -> bool:
        return self.head > 0

    @property
    def height(self) -> float:
        """Return the distance from the top of the piles or the first card's plates to the bottom of the last one's."""
        steps = self.grid - 1 if self.square else 2 * self.grid - 2
        return self.head + self.dy * steps + CARD_HEIGHT + 2 * (PLATE + 4)

    def corner(self, cell: str, top: float) -> tuple[float, float]:
        """Return the upper left corner of a system's card."""
        r, c = self.turned(cell)
        y = top + self.head + PLATE + 4
        return (
            (28 + self.dx * c, y + self.dy * r)
            if self.square
            else (360 + self.dx * (c - r) - self.width / 2, y + self.dy * (r + c))
        )


class Diamond:
    """Draws the map on a chart. `overflow` holds groups of vessels without room for a plate: the first one, and words."""

    def __init__(self, chart: Chart, view: Data, top: float, speaker: Speaker) -> None:
        self.chart, self.view, self.top, self.speaker = chart, view, top, speaker
        homes = corners(view["grid"], len(view["seats"]))
        self.layout = Layout.of(view["grid"], homes[view["seat"] or 0])
        self.overflow: list[tuple[str, str]] = []
        self.plates: dict[str, tuple[float, float]] = {}
        self.sides = [self.layout.side(home) for home in homes]

    def draw(self) -> None:
        for cell in self.view["cells"]:
            self._links(cell)
        for cell in self.view["cells"]:
            self._card(cell)
        for cell in self.view["cells"]:
            self._vessels(cell)
        self._arrows()

    def _middle(self, cell: str) -> tuple[float, float]:
        x, y = self.layout.corner(cell, self.top)
        return x + self.layout.width / 2, y + CARD_HEIGHT / 2

    def _links(self, cell: str) -> None:
        r, c = place(cell)
        for other in (f"{r + 1},{c}", f"{r},{c + 1}"):
            if other in self.view["cells"]:
                (x1, y1), (x2, y2) = self._middle(cell), self._middle(other)
                self.chart.line(x1, y1, x2, y2, stroke="ink2", line=2, dash="9 6")

    def _card(self, name: str) -> None:
        cell, chart, width = self.view["cells"][name], self.chart, self.layout.width
        x, y = self.layout.corner(name, self.top)
        chart.target(f"cell:{name}", x, y, width, CARD_HEIGHT)
        if cell["card"] is None:
            chart.hidden(x, y, width, CARD_HEIGHT, label=name)
            return
        chart.rect(x, y, width, CARD_HEIGHT, fill="panel", stroke="ink", line=2)
        owner = cell["controller"]
        if owner is not None:
            chart.rect(x, y, 16, CARD_HEIGHT, fill=f"area-{LETTERS[owner]}", stroke="ink", line=2)
            chart.badge(owner, x + 8, y + CARD_HEIGHT / 2, 22)
        if self.layout.square:
            self._narrow(x, y, name, cell)
        else:
            self._wide(x, y, name, cell)
        if self.view["combat"] and self.view["combat"]["cell"] == name:
            chart.selected(x, y, width, CARD_HEIGHT)
        marks = [icon for icon, key in (("siege", "besieged"), ("contested", "contested")) if cell[key]]
        for index, icon in enumerate(marks):
            chart.mark(icon, x + width - 58 - 28 * index, y - 13, 26)

    @staticmethod
    def _sign(cell: JsonMapping) -> str:
        if cell["grade"] == "starting":
            return "homeworld"
        return cell["domain"] if cell["domain"] in DOMAINS else "world"

    def _wide(self, x: float, y: float, name: str, cell: JsonMapping) -> None:
        chart, width = self.chart, self.layout.width
        chart.circle(x + 42, y + 24, 16, fill="buff", stroke="ink", line=2)
        chart.icon(self._sign(cell), x + 32, y + 14, 20)
        chart.text(x + 42, y + 59, name, size=17, weight=600, colour="ink2", anchor="middle")
        room = width - 72 - (20 if cell["grade"] == "capital" else 0)
        chart.text(x + 65, y + 27, cell["name"], size=20, weight=700, room=room, smallest=15)
        if cell["grade"] == "capital":
            chart.icon("star", x + width - 24, y + 11, 18)
        step = min(15.0, (width - 112) / max(1, cell["max"]))
        self._steps(x + 65, y + 40, cell, step)
        chart.text(x + width - 9, y + 54, f"{cell['devs']}/{cell['max']}", size=19, weight=600, anchor="end")

    def _narrow(self, x: float, y: float, name: str, cell: JsonMapping) -> None:
        chart, width = self.chart, self.layout.width
        first, _, second = cell["name"].partition(" ")
        room = width - 48
        chart.text(x + 23, y + 21, first, size=18, weight=700, room=room, smallest=15)
        if second:
            chart.text(x + 23, y + 39, second, size=18, weight=700, room=room, smallest=15)
        chart.icon(self._sign(cell), x + width - 24, y + 5, 19)
        if cell["grade"] == "capital":
            chart.icon("star", x + width - 22, y + 26, 15)
        chart.text(x + 23, y + 59, name, size=17, weight=600, colour="ink2")
        if width >= 150:
            self._steps(x + 54, y + 45, cell, min(11.0, (width - 96) / max(1, cell["max"])))
        chart.text(x + width - 7, y + 59, f"{cell['devs']}/{cell['max']}", size=18, weight=600, anchor="end")

    def _steps(self, x: float, y: float, cell: JsonMapping, step: float) -> None:
        for at in range(cell["max"]):
            fill = "ink" if at < cell["devs"] else "panel"
            self.chart.rect(x + at * step, y, step - 2.5, 15, fill=fill, stroke="ink", line=1.5)

    # --- vessels ---

    def stacks(self) -> Iterator[list[str]]:
        """Yield the vessels of each plate, or line below the map, that is drawn. Its target bears the id of the first."""
        for cell in self.view["cells"]:
            for seats in self._rows():
                yield from self._groups(cell, seats)

    def _rows(self) -> tuple[list[int], list[int]]:
        """Return the seats whose vessels are drawn above a system, and those below it."""
        above = [seat for seat, side in enumerate(self.sides) if side in ("north", "east")]
        return above, [seat for seat in range(len(self.sides)) if seat not in above]

    def _groups(self, cell: str, seats: Sequence[int]) -> list[list[str]]:
        """Group identical vessels, the strongest first. Seats take turns so that each is visible."""
        by_seat: list[list[list[str]]] = []
        for seat in seats:
            groups: dict[tuple[str, ...], list[str]] = {}
            for at, one in self.view["vessels"].items():
                if one["cell"] == cell and one["seat"] == seat:
                    key = (*(str(one.get(name)) for name in _LOOKS), *lasting_words(one["lasting"], self.speaker))
                    groups.setdefault(key, []).append(at)
            if groups:
                by_seat.append(sorted(groups.values(), key=lambda group: -self._weight(group[0])))
        return by_seat[0] if len(by_seat) == 1 else _interleaved(by_seat)

    def _weight(self, at: str) -> int:
        one = self.view["vessels"][at]
        return int(one["attack"]) * 10 + int(one["hp"])

    def _vessels(self, cell: str) -> None:
        x, y = self.layout.corner(cell, self.top)
        for seats, base in zip(self._rows(), (y - PLATE - 2, y + CARD_HEIGHT + 2), strict=True):
            groups = self._groups(cell, seats)
            shown, rest = groups[: self.layout.plates], groups[self.layout.plates :]
            shown.sort(
                key=lambda group: self.sides[self.view["vessels"][group[0]]["seat"]] in ("east", "south") and len(seats) > 1
            )
            self._row(shown, x, base)
            self.overflow += [(group[0], self._words(cell, group)) for group in rest]

    def _row(self, groups: Sequence[Sequence[str]], x: float, y: float) -> None:
        if not groups:
            return
        width = self.layout.width
        each = min(94.0, (width - 4 * (len(groups) - 1)) / len(groups)) if width > 130 or len(groups) > 1 else width
        left = x + (width - each * len(groups) - 4 * (len(groups) - 1)) / 2
        for group in groups:
            self._plate(group, left, y, each)
            left += each + 4

    def _plate(self, group: Sequence[str], x: float, y: float, width: float) -> None:
        one = self.view["vessels"][group[0]]
        narrow = width < 80
        name = (NARROW if narrow else SHORT).get(one["name"], one["name"])
        figures = f"{one['attack']}/{one['hp']}" + (f"/{one['speed']}" if "speed" in one else "")
        first = name
        if len(group) > 1 and narrow:
            figures = f"{len(group)}× {one['attack']}/{one['hp']}"
        elif len(group) > 1:
            first = f"{name} ×{len(group)}"
        nose = NOSES[self.sides[one["seat"]]]
        with self.chart.piece(f"vessel:{group[0]}"):
            self.chart.plate(one["seat"], x, y, width, PLATE, [first, figures], nose=nose, new=bool(one.get("new")))
        self.chart.target(f"vessel:{group[0]}", x, y - 1, width, FINGER)
        self._marks(one["lasting"], x + width - 12, y - 4)
        if one.get("damage"):
            self.chart.damage(x + 4, y + 4, one["damage"])
        for at in group:
            self.plates[at] = (x + width / 2, y + PLATE / 2)

    def _marks(self, lasting: Sequence[Data], x: float, y: float) -> None:
        """Draw the icons of a vessel's lasting effects from right to left, each with its description as a title."""
        for mark, icon in ICONS.items():
            entries = [entry for entry in lasting if entry["mark"] == mark]
            if entries:
                with self.chart.group(label=", ".join(lasting_words(entries, self.speaker))):
                    self.chart.mark(icon, x, y, 18)
                x -= 20

    def _words(self, cell: str, group: Sequence[str]) -> str:
        one = self.view["vessels"][group[0]]
        figures = f"{one['attack']}/{one['hp']}" + (f"/{one['speed']}" if "speed" in one else "")
        return f"{cell} {LETTERS[one['seat']]}: {one['name']} {figures} ({' '.join(group)})"

    def _arrows(self) -> None:
        """Draw the assigned damage, summed for each pair of plates."""
        combat = self.view["combat"]
        amounts: dict[tuple[tuple[float, float], tuple[float, float]], int] = {}
        for shot in combat["assigned"] if combat else ():
            if shot["vessel"] in self.plates and shot["target"] in self.plates:
                key = (self.plates[shot["vessel"]], self.plates[shot["target"]])
                amounts[key] = amounts.get(key, 0) + shot["amount"]
        for (start, end), amount in amounts.items():
            (x1, y1), (x2, y2) = start, end
            edge = 0 if y1 == y2 else PLATE / 2 if y2 > y1 else -PLATE / 2
            y1, y2 = y1 + edge, y2 - edge
            self.chart.move_path([(x1, y1), (x2, y2)])
            # near its source, so that the amounts of crossing arrows do not overlap
            self.chart.disc(x1 + 0.26 * (x2 - x1), y1 + 0.26 * (y2 - y1), amount, radius=12)


_LOOKS = ("card", "attack", "hp", "speed", "damage", "new", "jumps")


def _interleaved(by_seat: Sequence[Sequence[list[str]]]) -> list[list[str]]:
    longest = max((len(groups) for groups in by_seat), default=0)
    return [groups[at] for at in range(longest) for groups in by_seat if at < len(groups)]
