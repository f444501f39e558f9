"""`Chart`, the sheet for drawing a board: everything the product's design needs.

  chart = Chart.captioned("Stratastar", Caption("42"), Glance("Turn 9. Red to act.", "Red has 6 worlds, ..."), 1100)
  chart.header("Stratastar", "42", "Turn 9 · Movement", flag="Your move")
  chart.frame(48, 118, 640, 640, columns=10, rows=10)
  chart.pennant(0, 60, 200, "R3")
  svg = chart.svg()

Units: a board is 720 wide with margins of 20 (panels 12). Nothing here knows a game. The layers: `font` (measuring), `paper`
(shapes, text, icons), `pieces` (pieces, dice, marks), `cards` (cards), and in this module the frames around them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Self

from gamesvc.games.drawing.cards import L_SIZE, M_SIZE, S_SIZE, Cards
from gamesvc.games.drawing.font import cut, drawable, fit, measure, wrap
from gamesvc.games.drawing.paper import COLOURS, LETTERS, PATTERNS, number
from gamesvc.games.drawing.pieces import drawable_caption, hex_centre, hexagon
from gamesvc.games.kernel.game import Caption
from gamesvc.games.kernel.targets import FINGER, Tab
from gamesvc.games.kernel.telling import Glance

__all__ = [
    "COLOURS",
    "HEADER",
    "LETTERS",
    "L_SIZE",
    "MARGIN",
    "M_SIZE",
    "PANEL",
    "PATTERNS",
    "SEAT_ROW",
    "S_SIZE",
    "WIDTH",
    "Chart",
    "cut",
    "drawable",
    "drawable_caption",
    "fit",
    "hex_centre",
    "hexagon",
    "measure",
    "wrap",
]

WIDTH = 720
HEADER = 88
"""The height of the header."""
MARGIN = 20
EDGE = 6
"""The width cut off on either side when the header is left out."""
SEAT_ROW = FINGER
"""The height of a seat's row in a table."""
PANEL = 12
"""The x at which panels begin; they end at `WIDTH - PANEL`."""


class Chart(Cards):
    """A sheet with pieces, cards, header, frames, gauges and seat rows.

    With `header=False` the picture begins below the header, for pages with a header of their own.
    """

    def __init__(
        self, width: float, height: float, *, prefix: str = "m", title: str = "", desc: str = "", header: bool = True
    ) -> None:
        super().__init__(width, height, prefix=prefix, title=title, desc=desc)
        self.shows_header = header
        self._fold: tuple[int, float] | None = None

    @classmethod
    def captioned(cls, game: str, caption: Caption, told: Glance, height: float) -> Self:
        """Return the sheet for a game's board, named and described by its glance. `game` is the title of the game."""
        title = told.title(game, caption.match)
        return cls(WIDTH, height, prefix=caption.match, title=title, desc=told.description, header=caption.header)

    def _window(self) -> tuple[float, float, float, float]:
        if self.shows_header:
            return super()._window()
        return EDGE, HEADER - 4, self.width - 2 * EDGE, self.height - (HEADER - 4)

    def fold(self, y: float) -> None:
        """Mark where the board ends and the facts and the hand below it begin: a wide page shows them side by side."""
        self._fold = len(self._parts), y

    @contextmanager
    def beside(self, part: str, top: float, bottom: float) -> Iterator[None]:
        """Group what is drawn from `top` to `bottom`, above or below the board. A wide page has room for it beside the board."""
        if not self.shows_header:
            range_ = f'data-top="{number(top)}" data-bottom="{number(bottom)}"'
            self._parts.append(f'<g id="{self.prefix}-{part}" class="beside" {range_}>')
        yield
        if not self.shows_header:
            self._parts.append("</g>")

    def tab(self, part: str, name: str, top: float, bottom: float) -> None:
        """Mark the part of the sheet from `top` to `bottom` as one that a phone can show alone. Parts may overlap."""
        if not self.shows_header:
            self._tabs.append(Tab(f"{self.prefix}-{part}", name, (EDGE, top, self.width - 2 * EDGE, bottom - top)))

    def _content(self) -> str:
        if self.shows_header or self._fold is None:
            return super()._content()
        at, y = self._fold
        below = "\n".join(self._parts[at:])
        folded = f'<g id="{self.prefix}-below" class="below" data-top="{number(y)}">\n{below}\n</g>'
        return "\n".join([*self._parts[:at], folded, *map(_mark, self._tabs)])

    # --- header and closing line ---------------------------------------------------------------------------------

    def header(self, game: str, match: str, second: str, *, flag: str = "", acting: str = "") -> None:
        """Draw the first 88 units: title and match, a second line (turn, phase, acting seat), and a note on the right.

        The note is either `flag` in overprint ("Your move": the viewer must act) or `acting` in ink ("Blue to act").
        """
        right: float = WIDTH - MARGIN
        if flag:
            shown, size = fit(flag, 240, 22, 700)
            width = measure(shown, size, 700) + 62
            left = WIDTH - 16 - width
            data = f"M{number(left)} 18H686L704 41L686 64H{number(left)}L{number(left + 12)} 41Z"
            self.path(data, fill="over")
            self.text(left + (width - 6) / 2, 48.5, shown, size=size, weight=700, colour="panel", anchor="middle")
            right = left - 12
        elif acting:
            shown, size = fit(acting, 260, 21, 600)
            self.text(right, 40, shown, size=size, weight=600, anchor="end")
            right -= measure(shown, size, 600) + 16
        end = self.text(MARGIN, 40, game, size=30, weight=700, room=right - MARGIN)
        if end + 40 < right:
            self.text(end + 9, 40, match, size=30, colour="ink2", room=right - end - 9)
        self.text(MARGIN, 68, second, size=21, colour="ink2", room=(right if flag else WIDTH - MARGIN) - MARGIN)

    def closing(self, y: float, text: str, *, calls: bool = True, lines: int = 2, room: float = 662, x: float = MARGIN) -> float:
        """Draw the line at the foot, `y` its top: the current choice or open items. Returns the y below it.

        `calls`: the viewer is awaited, so that the line is marked in overprint.
        """
        shown = wrap(text, room, 20, 400, lines)
        self.rect(x, y, 7, 24 * len(shown), fill="over" if calls else "ink2")
        for index, line in enumerate(shown):
            self.text(x + 18, y + 17.5 + 24 * index, line)
        return y + 24 * len(shown)

    # --- the graduated rule --------------------------------------------------------------------------------------

    def rule(self, x: float, y: float, width: float, steps: int, *, height: float = 8) -> None:
        """Draw the graduated rule as a border: equal steps, alternately ink and panel."""
        self.rect(x, y, width, height)
        step = width / steps
        for index in range(0, steps, 2):
            self.rect(x + index * step, y, step, height, fill="ink")
        self.rect(x, y, width, height, fill="none", stroke="ink")

    def frame(
        self, x: float, y: float, width: float, height: float, *, columns: int = 14, rows: int = 14, fill: str = "panel"
    ) -> None:
        """Draw the frame of a map around the field x, y, width, height, which is the board. The rule takes the 8 units around it.

        `columns` and `rows` are the steps of the rule; use those of the map if it has any.
        """
        self.board(x - 14, y - 14, width + 28, height + 28)
        self.rect(x - 8, y - 8, width + 16, height + 16, fill=fill, stroke="ink")
        step = width / columns
        for index in range(0, columns, 2):
            self.rect(x + index * step, y - 8, step, 8, fill="ink")
            self.rect(x + index * step, y + height, step, 8, fill="ink")
        step = height / rows
        for index in range(0, rows, 2):
            self.rect(x - 8, y + index * step, 8, step, fill="ink")
            self.rect(x + width, y + index * step, 8, step, fill="ink")
        self.rect(x, y, width, height, fill="none", stroke="ink")

    def grid(self, x: float, y: float, cell: float, columns: int, rows: int) -> None:
        """Draw the hairlines of a square map, with letters above the columns and numbers left of the rows, outside the frame."""
        for index in range(1, columns):
            self.line(x + index * cell, y, x + index * cell, y + rows * cell)
        for index in range(1, rows):
            self.line(x, y + index * cell, x + columns * cell, y + index * cell)
        for index in range(columns):
            middle = x + (index + 0.5) * cell
            self.text(middle, y - 15, chr(ord("A") + index), size=21, weight=600, colour="ink2", anchor="middle")
        for index in range(rows):
            self.text(x - 15, y + (index + 0.5) * cell + 7, str(index + 1), size=21, weight=600, colour="ink2", anchor="end")

    def gauge(self, x: float, y: float, value: int, total: int, *, width: float = 188, height: float = 14) -> None:
        """Draw a gauge in single steps: `value` of `total` filled (worlds of 12, stars of 70, developments of a system)."""
        step = width / total
        filled = max(0, min(value, total))
        self.rect(x, y, width, height)
        if filled:
            self.rect(x, y, step * filled, height, fill="ink")
        if step >= 4:
            for index in range(1, total):
                self.line(x + index * step, y, x + index * step, y + height, stroke="panel" if index < filled else "ink")
        self.rect(x, y, width, height, fill="none", stroke="ink")

    # --- seats ---------------------------------------------------------------------------------------------------

    def seat_row(
        self,
        seat: int,
        y: float,
        name: str,
        *,
        you: bool = False,
        awaited: bool = False,
        struck: bool = False,
        height: float = SEAT_ROW,
        room: float = 130,
    ) -> float:
        """Draw the beginning of a table row, `y` its top: badge, name, "you". Returns the baseline for the rest of the row.

        The row is the seat's target. The viewer's own stands in a panel, others on a hairline. `awaited` draws the dashed ring.
        """
        if you:
            self.rect(PANEL, y, WIDTH - 2 * PANEL, height, stroke="ink")
        else:
            self.line(MARGIN, y + height, WIDTH - MARGIN, y + height)
        self.target(f"seat:{seat}", PANEL, y, WIDTH - 2 * PANEL, height)
        middle = y + height / 2
        self.badge(seat, 34, middle, 25)
        if awaited:
            self.awaited(34, middle, 18)
        tail = measure(" you", 19) + 4 if you else 0
        colour = "ink2" if struck else "ink"
        end = self.text(60, middle + 7, name, size=22, weight=700 if you else 400, colour=colour, room=room - tail)
        if you:
            self.text(end + 8, middle + 7, "you", size=19, colour="ink2")
        if struck:
            self.line(56, middle, end + 4, middle, stroke="ink2", line=2)
        return middle + 7

    def seat_band(
        self, seat: int, y: float, name: str, *, height: float = 70, you: bool = False, awaited: bool = False, room: float = 150
    ) -> None:
        """Draw a panel across the board, `y` its top: the seat's pattern on its left edge, badge and name on its first line.

        The panel is the seat's target. The first baseline is y + 32. A second line starts at x = 36 on the baseline y + 59.
        """
        self.rect(PANEL, y, WIDTH - 2 * PANEL, height, stroke="ink")
        self.rect(PANEL, y, 12, height, fill=f"area-{LETTERS[seat]}", stroke="ink")
        self.target(f"seat:{seat}", PANEL, y, WIDTH - 2 * PANEL, height)
        self.badge(seat, 48, y + 24, 24)
        if awaited:
            self.awaited(48, y + 24, 17.5)
        tail = measure(" you", 19) + 4 if you else 0
        end = self.text(74, y + 32, name, size=23, weight=700, room=room - tail)
        if you:
            self.text(end + 7, y + 32, "you", size=19, colour="ink2")

    def fact(
        self, x: float, y: float, icon: str, value: str | int, label: str = "", *, colour: str = "ink", size: float = 22
    ) -> float:
        """Draw a fact on the baseline y: icon, figure, label. Returns the x where it ends."""
        if icon:
            self.icon(icon, x, y - 18.5, 23, colour=colour)
            x += 30
        x = self.text(x, y, str(value), size=size, weight=700, colour=colour)
        return self.label(x + 6, y, label) if label else x

    def items(self, x: float, y: float, entries: Sequence[tuple[str, str]], *, width: float = 330, start: int = 1) -> float:
        """Draw open items or a stack, numbered as on the board: a bold and a plain line per entry. Returns the y below."""
        for index, (what, why) in enumerate(entries, start):
            self.rect(x, y, width, 54, stroke="ink")
            self.disc(x + 24, y + 27, index)
            self.text(x + 48, y + (23 if why else 34), what, size=20, weight=700, room=width - 56)
            if why:
                self.text(x + 48, y + 45, why, size=18, colour="ink2", room=width - 56)
            y += 62
        return y


def _mark(tab: Tab) -> str:
    """Return the mark of a tab: an empty box, to which an anchor leads."""
    x, y, width, height = map(number, tab.box)
    return f'<rect id="{tab.id}" x="{x}" y="{y}" width="{width}" height="{height}" fill="none"/>'
