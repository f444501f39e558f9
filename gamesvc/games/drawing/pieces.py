"""Everything that stands on a board: badges, fleets, colonies, worlds, vessels, dice, and marks for possible actions.

A seat is a number: 0 Red, 1 Blue, 2 Yellow, 3 Green, 4 Plum, 5 White. Every seat can be recognised in three ways (colour, pattern
on areas, letter on pieces). Overprint marks the viewer's pending decisions.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from gamesvc.games.drawing.font import drawable, fit
from gamesvc.games.drawing.paper import LETTERS, Paper, Point, number, points
from gamesvc.games.kernel.game import Caption

PIPS: dict[int, tuple[tuple[int, int], ...]] = {
    1: ((0, 0),),
    2: ((-1, -1), (1, 1)),
    3: ((-1, -1), (0, 0), (1, 1)),
    4: ((-1, -1), (1, -1), (-1, 1), (1, 1)),
    5: ((-1, -1), (1, -1), (0, 0), (-1, 1), (1, 1)),
    6: ((-1, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (1, 1)),
}

NOSE = 9
"""The length of a vessel plate's nose."""


def drawable_caption(caption: Caption) -> Caption:
    """Return the caption without names that the font cannot draw; colours stand for them."""
    return replace(caption, names=tuple(name if drawable(name) else "" for name in caption.names))


def hexagon(x: float, y: float, width: float) -> tuple[Point, ...]:
    """Return the six corners of a pointy-top hex around its centre. `width` is the distance between flat sides."""
    radius = width / math.sqrt(3)
    return tuple((x + radius * math.sin(i * math.pi / 3), y - radius * math.cos(i * math.pi / 3)) for i in range(6))


def hex_centre(row: int, column: int, width: float, left: float, top: float, *, shifted: bool = False) -> Point:
    """Return the centre of a hex in rows of pointy-top hexes. Odd rows are shifted right by half a cell (`shifted`: even ones).

    `left` and `top` are the upper left corner of the whole field.
    """
    radius = width / math.sqrt(3)
    offset = width / 2 if (row % 2 == 1) != shifted else 0
    return left + width / 2 + offset + column * width, top + radius + row * radius * 1.5


def _plate_outline(nose: str, x: float, y: float, width: float, height: float) -> tuple[Point, ...]:
    """Return the five corners of a vessel plate in its box, with the nose at one side."""
    left, top, right, bottom = x, y, x + width, y + height
    return {
        "down": ((left, top), (right, top), (right, bottom - NOSE), (x + width / 2, bottom), (left, bottom - NOSE)),
        "up": ((left, top + NOSE), (x + width / 2, top), (right, top + NOSE), (right, bottom), (left, bottom)),
        "left": ((left + NOSE, top), (right, top), (right, bottom), (left + NOSE, bottom), (left, y + height / 2)),
        "right": ((left, top), (right - NOSE, top), (right, y + height / 2), (right - NOSE, bottom), (left, bottom)),
    }[nose]


def _plate_body(nose: str, x: float, y: float, width: float, height: float) -> tuple[float, float, float, float]:
    """Return the box of a vessel plate without its nose: left, top, width, height."""
    left = x + (NOSE if nose == "left" else 0)
    top = y + (NOSE if nose == "up" else 0)
    return left, top, width - (NOSE if nose in ("left", "right") else 0), height - (NOSE if nose in ("up", "down") else 0)


_DIE = {"white": ("W", "onW"), "red": ("R", "onR"), "black": ("onW", "W")}
"""The body of a die of each kind, and its ink. The colour of the white seat stays light, and its ink dark, in both schemes."""


class Pieces(Paper):
    """A sheet with pieces and marks."""

    # --- seats ---------------------------------------------------------------------------------------------------

    def badge(self, seat: int, x: float, y: float, size: float = 28) -> None:
        """Draw the badge of a seat around the centre x, y, `size` units across: its shape, colour and letter."""
        letter = LETTERS[seat]
        r = size / 2
        drop = 0.36 * size * 0.6
        if letter == "R":
            self.circle(x, y, r, fill=letter, stroke="ink")
        elif letter == "B":
            half = r * 0.88
            self.rect(x - half, y - half, 2 * half, 2 * half, line=2, fill=letter, stroke="ink")
        elif letter == "Y":
            self.polygon((x, y - 1.14 * r), (x + 1.14 * r, y + 0.84 * r), (x - 1.14 * r, y + 0.84 * r), fill=letter, stroke="ink")
            drop = 0.5 * r
        elif letter == "G":
            half = r * 1.16
            self.polygon((x, y - half), (x + half, y), (x, y + half), (x - half, y), fill=letter, stroke="ink")
        elif letter == "P":
            self.polygon(*hexagon(x, y, 1.87 * r), fill=letter, stroke="ink")
        else:
            a, b = 0.4 * r, 0.97 * r
            self.polygon(
                (x + a, y - b), (x + b, y - a), (x + b, y + a), (x + a, y + b),
                (x - a, y + b), (x - b, y + a), (x - b, y - a), (x - a, y - b), fill=letter, stroke="ink",
            )  # fmt: skip
        font = size * (0.56 if letter in "YG" else 0.64)
        self.text(x, y + drop, letter, size=max(12, font), weight=700, colour="on" + letter, anchor="middle")

    # --- fleets and worlds ---------------------------------------------------------------------------------------

    def pennant(
        self, seat: int, x: float, y: float, text: str, *, width: float = 42, height: float = 23, warfleet: bool = False
    ) -> None:
        """Draw a fleet: a flag pointing right from its upper left corner, with letter and count (`R3`).

        `warfleet` adds a second nose line, and a notched tail if it is wide enough.
        """
        letter = LETTERS[seat]
        body = width - 4 if warfleet else width
        shoulder = body - min(height * 0.42, body * 0.23)
        tail = f"L{number(x + height * 0.29)} {number(y + height / 2)}" if warfleet and width >= 38 else ""
        self.path(
            f"M{number(x)} {number(y)}H{number(x + shoulder)}L{number(x + body)} {number(y + height / 2)}"
            f"L{number(x + shoulder)} {number(y + height)}H{number(x)}{tail}Z",
            fill=letter,
            stroke="ink",
        )
        if warfleet:
            nose = ((x + shoulder + 3, y - 1), (x + width, y + height / 2), (x + shoulder + 3, y + height + 1))
            self.polyline(nose, stroke="ink", line=3)
        middle = x + (shoulder + (height * 0.2 if tail else 0)) / 2 + 1
        room = shoulder - (height * 0.29 if tail else 0)
        shown, size = fit(text, room, min(23, height * 0.82), 700, 13)
        self.text(middle, y + height / 2 + size * 0.35, shown, size=size, weight=700, colour="on" + letter, anchor="middle")

    def colony(
        self, owners: Sequence[int], x: float, y: float, radius: float = 19, *, wildcards: int = 0, text: str | None = None
    ) -> None:
        """Draw a settled world around its centre: a patterned disc with the owner's letter (or `text`) on a plain centre.

        The same owner twice (`[0, 0]`) draws a ring around it; two owners (`[0, 3]`) draw two halves. Neutral markers
        (`wildcards`) are written beside the letter as `+1`.
        """
        first = LETTERS[owners[0]]
        if len(set(owners)) > 1:
            second = LETTERS[next(owner for owner in owners if owner != owners[0])]
            r = number(radius)
            for letter, sweep in ((first, 0), (second, 1)):
                data = f"M{number(x)} {number(y - radius)}a{r} {r} 0 0 {sweep} 0 {number(2 * radius)}Z"
                self.path(data, fill=f"area-{letter}", stroke="ink", line=2.2)
            if radius >= 16:
                for letter, side in ((first, -1), (second, 1)):
                    self.circle(x + side * radius * 0.46, y, radius * 0.4, fill=letter)
                    self.text(x + side * radius * 0.46, y + 5, letter, size=14, weight=700, colour="on" + letter, anchor="middle")
            return
        self.circle(x, y, radius, fill=f"area-{first}", stroke="ink", line=2.2)
        if len(owners) > 1:
            self.circle(x, y, radius + 4, stroke="ink")
        inner = max(radius * 0.58, 8)
        self.circle(x, y, inner, fill=first)
        shown = text if text is not None else first + (f"+{wildcards}" if wildcards else "")
        size = min(19, inner * 1.7) if len(shown) == 1 else min(14, inner * 1.25)
        self.text(x, y + size * 0.36, shown, size=size, weight=700, colour="on" + first, anchor="middle")

    def homeworld(self, seat: int, x: float, y: float, size: float = 54) -> None:
        """Draw a home cell, upper left corner at x, y: a patterned square, the letter on a disc in its upper half."""
        letter = LETTERS[seat]
        self.rect(x, y, size, size, fill=f"area-{letter}", stroke="ink", line=2.5)
        cx, cy = x + size / 2, y + size * 0.35
        self.circle(cx, cy, size * 0.28, fill=letter, stroke="on" + letter)
        self.text(cx, cy + size * 0.13, letter, size=size * 0.37, weight=700, colour="on" + letter, anchor="middle")

    def world(self, x: float, y: float, radius: float = 19) -> None:
        """Draw an unowned world around its centre."""
        self.circle(x, y, radius, fill="buff", stroke="ink")
        bend, over = number(radius * 0.42), number(radius * 1.16)
        data = f"M{number(x - radius)} {number(y - radius * 0.16)}c{bend} {bend} {over} {bend} {number(2 * radius)} 0"
        self.path(data, stroke="ink", line=1.5)

    def stargate(self, seat: int, x: float, y: float, radius: float = 10.5) -> None:
        """Draw a Stargate: a small ring in its owner's colour around the centre x, y."""
        self.circle(x, y, radius, fill=LETTERS[seat], stroke="ink")
        self.circle(x, y, radius * 0.43, fill="panel", stroke="ink", line=1.8)

    def plate(
        self,
        seat: int,
        x: float,
        y: float,
        width: float,
        height: float,
        lines: Sequence[str],
        *,
        nose: str = "down",
        new: bool = False,
    ) -> None:
        """Draw a vessel plate. x, y is the upper left corner of its whole box, including the nose.

        The nose (9 units) points `up`, `down`, `left` or `right`. `lines` are one or two centred lines of text (name and count,
        then figures). `new` marks a vessel that arrived this turn with a corner.
        """
        letter = LETTERS[seat]
        self.polygon(*_plate_outline(nose, x, y, width, height), fill=letter, stroke="ink")
        left, top, body_width, body_height = _plate_body(nose, x, y, width, height)
        if new:
            edge, fold = (y + height - 3, -11) if nose == "up" else (top + 3, 11)
            self.polygon((left + 3, edge), (left + 3 + 11, edge), (left + 3, edge + fold), fill="on" + letter)
        step = 16.5
        base = top + (body_height - step * (len(lines) - 1)) / 2 + 6
        for index, line in enumerate(lines):
            self.text(
                left + body_width / 2,
                base + index * step,
                line,
                size=17,
                weight=700 if index == 0 else 600,
                colour="on" + letter,
                anchor="middle",
                room=body_width - 8,
                smallest=15,
            )

    def token(self, seat: int, x: float, y: float, radius: float = 27, *, icon: str = "fleet", turn: float = -90) -> None:
        """Draw a round token with an icon, for the one piece that travels on a map."""
        letter = LETTERS[seat]
        self.circle(x, y, radius, fill=letter, stroke="panel", line=4)
        self.circle(x, y, radius, stroke="ink", line=2.5)
        self.icon(icon, x - radius * 0.58, y - radius * 0.58, radius * 1.16, colour="on" + letter, turn=turn)

    def hexcell(self, x: float, y: float, width: float, *, fill: str = "panel", explored: bool = False) -> None:
        """Draw a hex around its centre. `explored` draws it on paper with a diagonal."""
        corners = hexagon(x, y, width - 2)
        self.polygon(*corners, fill="paper" if explored else fill, stroke="ink2", line=1.25)
        if explored:
            step = width * 0.35
            self.line(x - step, y + step * 0.85, x + step, y - step * 0.85, line=2)

    # --- dice ----------------------------------------------------------------------------------------------------

    def die(self, value: int, x: float, y: float, size: float = 52, *, kind: str = "white", chosen: bool = False) -> None:
        """Draw a die, upper left corner at x, y. `kind`: `white` (round corners), `red` (inner line), `black` (square)."""
        body = _DIE[kind]
        rx = size * (0.04 if kind == "black" else 0.155)
        self.rect(x, y, size, size, fill=body[0], stroke="ink", line=2.2, rx=rx)
        if kind == "red":
            inset = size * 0.077
            self.rect(x + inset, y + inset, size - 2 * inset, size - 2 * inset, fill="none", stroke="onR", rx=rx * 0.6)
        step = size * 0.1875
        for column, row in PIPS[value]:
            across = row * (size * 0.208 if value == 6 else step)
            self.circle(x + size / 2 + column * step, y + size / 2 + across, size * 0.0917, fill=body[1])
        if chosen:
            self.rect(x - 5, y - 5, size + 10, size + 10, fill="none", stroke="over", line=4, rx=rx + 3)

    def die_box(self, x: float, y: float, size: float = 16, *, figure: str = "", filled: bool = False, kind: str = "") -> None:
        """Draw a die that is required or will be rolled: a small box. `figure`: the value that is required.

        `kind`: as for `die`; a box of no kind is hollow or `filled`.
        """
        fill, shade = _DIE[kind] if kind else ("ink", "panel") if filled else ("panel", "ink")
        self.rect(x, y, size, size, fill=fill, stroke="ink", rx=size * (0.04 if kind == "black" else 0.18))
        if figure:
            self.text(x + size / 2, y + size * 0.83, figure, size=max(15, size * 0.9), weight=700, colour=shade, anchor="middle")

    def bubbles(self, x: float, y: float, filled: int, total: int, *, radius: float = 7.5, step: float = 20.5) -> None:
        """Draw hull bubbles from the centre of the first one; `filled` of `total` are struck."""
        for index in range(total):
            self.circle(x + index * step, y, radius, fill="ink" if index < filled else "panel", stroke="ink")

    # --- possible actions: overprint -----------------------------------------------------------------------------

    def selectable(self, x: float, y: float, width: float, height: float, *, tick: float | None = None) -> None:
        """Draw four overprint ticks just outside a selectable item."""
        t = tick if tick is not None else min(18, width / 4, height / 4)
        left, top, right, bottom = x - 4, y - 4, x + width + 4, y + height + 4
        t += 4
        corners = (
            points((left, top + t), (left, top), (left + t, top), close=False)
            + points((right - t, top), (right, top), (right, top + t), close=False)
            + points((right, bottom - t), (right, bottom), (right - t, bottom), close=False)
            + points((left + t, bottom), (left, bottom), (left, bottom - t), close=False)
        )
        # A page with taps has marks of its own.
        with self.group(classes="may"):
            self.path(corners, stroke="over", line=4)

    def selected(self, x: float, y: float, width: float, height: float, *, rx: float = 0) -> None:
        """Draw a full overprint outline just outside a selected item."""
        self.rect(x - 4, y - 4, width + 8, height + 8, fill="none", stroke="over", line=4.5, rx=rx + 3 if rx else 0)

    def reach_hex(self, x: float, y: float, width: float) -> None:
        """Outline a reachable hex in overprint around its centre."""
        self.polygon(*hexagon(x, y, width), stroke="over", line=5)

    def move_path(self, at: Sequence[Point], *, older: bool = False, colour: str = "over") -> None:
        """Draw a move: ring at the start, dashed path through the points, head at the end. `older` moves are half as strong."""
        opacity = 0.5 if older else 1
        (x, y), (px, py) = at[-1], at[-2]
        length = math.hypot(x - px, y - py) or 1
        ux, uy = (x - px) / length, (y - py) / length
        neck = (x - 13 * ux, y - 13 * uy)
        (sx, sy), (nx, ny) = at[0], at[1] if len(at) > 2 else neck
        first = math.hypot(nx - sx, ny - sy) or 1
        start = (sx + 7 * (nx - sx) / first, sy + 7 * (ny - sy) / first)
        self.circle(sx, sy, 6, fill="panel", stroke=colour, line=3, opacity=opacity)
        self.polyline([start, *at[1:-1], neck], stroke=colour, line=3.5, dash="8 5", opacity=opacity)
        self.polygon(
            (x, y),
            (x - 15 * ux - 9 * uy, y - 15 * uy + 9 * ux),
            (x - 15 * ux + 9 * uy, y - 15 * uy - 9 * ux),
            fill=colour,
            opacity=opacity,
        )

    def disc(self, x: float, y: float, text: str | int, *, radius: float = 14, colour: str = "over") -> None:
        """Draw a numbered disc for a target, an open item or a stack item, numbered as in the list. `colour="ink"`: a fact."""
        self.circle(x, y, radius, fill=colour, stroke="panel")
        self.text(
            x,
            y + radius * 0.5,
            str(text),
            size=radius * 1.4,
            weight=700,
            colour="panel",
            anchor="middle",
            room=radius * 2,
            smallest=12,
        )

    def threatened(self, x: float, y: float, size: float = 27) -> None:
        """Draw an overprint triangle, upper left corner at x, y, for an item that the view shows to be in danger."""
        self.rect(x - 1, y, size + 2, size + 2, fill="panel")
        self.icon("threatened", x, y, size, colour="over")

    def awaited(self, x: float, y: float, radius: float = 20) -> None:
        """Draw the dashed overprint ring around the badge of a seat that must act."""
        around = 2 * math.pi * radius
        dash = around / round(around / 16)
        self.circle(x, y, radius, stroke="over", line=3.5, dash=f"{number(dash * 0.64)} {number(dash * 0.36)}")

    # --- facts drawn over pieces ---------------------------------------------------------------------------------

    def mark(self, icon: str, x: float, y: float, size: float = 20) -> None:
        """Mark a place with a fact (contested, siege, paralysed, damage): white icon on an ink square.

        x, y is its upper left corner.
        """
        self.rect(x, y, size, size, fill="ink", rx=min(3, size / 8))
        inner = max(15, size * 0.7) if size > 15 else size
        self.icon(icon, x + (size - inner) / 2, y + (size - inner) / 2, inner, colour="panel")

    def contested(self, x: float, y: float, size: float = 20) -> None:
        """Mark a contested place."""
        self.mark("contested", x, y, size)

    def blocked(self, x: float, y: float, size: float = 20) -> None:
        """Draw the ink cross of a place that is closed to the viewer."""
        self.icon("cross", x, y, size)

    def struck(self, x: float, y: float, width: float, height: float) -> None:
        """Draw a diagonal over an item that is struck out or destroyed."""
        self.line(x, y + height, x + width, y, stroke="ink2", line=2.5)

    def hidden(
        self, x: float, y: float, width: float, height: float, *, scouted: bool = False, label: str = "", rx: float = 4
    ) -> None:
        """Draw the back of a hidden item: ink with tinted bars. `scouted` (seen by the viewer) adds an eye, `label` a word."""
        self.rect(x, y, width, height, fill="ink", stroke="ink", line=2, rx=rx)
        inset = width * 0.13
        foot = height - (26 if label else 8)
        bars = max(1, int((foot - 6) / 13))
        for index in range(bars):
            self.rect(x + inset, y + 10 + index * (foot - 10) / bars, width - 2 * inset, 5.5, fill="tint")
        if scouted:
            side = min(26.0, width * 0.5, height * 0.5)
            cx, cy = x + width / 2, y + foot / 2 + 2
            self.circle(cx, cy, side * 0.72, fill="ink")
            self.icon("observer", cx - side / 2, cy - side / 2, side, colour="panel")
        if label:
            self.text(x + width / 2, y + height - 8, label, size=19, weight=700, colour="panel", anchor="middle", room=width - 8)

    def damage(self, x: float, y: float, amount: int, *, radius: float = 11.5, filled: bool = False) -> None:
        """Draw damage: a ring with a figure around its centre; `filled` on cards, where it stands beside the shield."""
        self.circle(x, y, radius, fill="ink" if filled else "panel", stroke="panel" if filled else "ink")
        self.text(x, y + 6, str(amount), size=17, weight=700, colour="panel" if filled else "ink", anchor="middle")
