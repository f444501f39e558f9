"""Game cards in three sizes: S for names (74 x 96), M for play (110 x 138), L for explanations (330 x 190), and card backs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from gamesvc.games.drawing.font import fit, measure, wrap
from gamesvc.games.drawing.paper import LETTERS, number
from gamesvc.games.drawing.pieces import Pieces

S_SIZE = (74, 96)
M_SIZE = (110, 138)
L_SIZE = (330, 190)
WORD = 15
"""The smallest size of a long word in a name."""
BAND = 9
"""The thickness of the owner's band on a card."""


class Stats(NamedTuple):
    """A layout of attack and defence at the foot of a card: `step` from an icon to its figure, rises above the foot."""

    left: int
    right: int
    step: int
    icon: int
    icon_rise: int
    size: int
    rise: int


STATS_M = Stats(left=7, right=9, step=21, icon=17, icon_rise=25, size=21, rise=10)
STATS_L = Stats(left=14, right=14, step=29, icon=22, icon_rise=35, size=26, rise=16)


class Cards(Pieces):
    """A sheet with pieces and game cards. Cards are positioned by their upper left corner."""

    def _flag(self, x: float, y: float, width: float, height: float, text: str, size: float, rx: float) -> None:
        """Draw the cost flag in the upper left corner of a card. `width` does not include its point."""
        start = (
            f"M{number(x)} {number(y + height)}V{number(y + rx)}q0 {number(-rx)} {number(rx)} {number(-rx)}H{number(x + width)}"
        )
        tip = f"L{number(x + width + height * 0.4)} {number(y + height / 2)}L{number(x + width)} {number(y + height)}Z"
        self.path(start + tip, fill="ink")
        self.text(x + width * 0.63, y + height * 0.5 + size * 0.35, text, size=size, weight=700, colour="panel", anchor="middle")

    def _name(self, x: float, y: float, name: str, room: float, size: float, weight: int, lines: int) -> float:
        """Draw a name that shrinks, then wraps, then is cut to fit. Returns the next baseline.

        A long word is drawn a little smaller rather than broken: it is read at once.
        """
        shown, shrunk = fit(name, room, size, weight)
        if shown == name:
            self.text(x, y, name, size=shrunk, weight=weight)
            return y + shrunk + 1
        step, small = 18, 17.0
        parts = name.replace("-", "- ").split()
        words = [fit(word, room, small, weight, WORD) for word in parts]
        if [word for word, _ in words] == parts:
            small = min(shrunk for _, shrunk in words)
        for line in wrap(name, room, small, weight, lines):
            self.text(x, y, line, size=small, weight=weight)
            y += step
        return y

    def card_s(
        self,
        x: float,
        y: float,
        name: str,
        *,
        icon: str = "",
        cost: str | int | None = None,
        ground: str = "panel",
        width: float = S_SIZE[0],
        height: float = S_SIZE[1],
        count: int = 1,
        chosen: bool = False,
        selectable: bool = False,
    ) -> None:
        """Draw a card in size S: name, icon, cost.

        Without a cost, the name stands on a tinted head (`ground`: `tint`, or `buff` for wild cards) and the icon in the middle.
        With a cost, the flag is at the upper left and the icon at the upper right. A `count` above 1 is written as `×3`.
        """
        self.rect(x, y, width, height, stroke="ink", line=2, rx=4)
        if cost is None:
            self.rect(x, y, width, 26, fill="tint" if ground == "panel" else ground, stroke="ink", line=2, rx=4)
            self.text(x + width / 2, y + 19.5, name, size=18, weight=600, anchor="middle", room=width - 8)
            if icon:
                size = min(38.0, height - 44)
                self.icon(icon, x + (width - size) / 2, y + 26 + (height - 26 - size) / 2, size)
        else:
            self._flag(x, y, 20, 28, str(cost), 19, 5)
            if icon:
                self.icon(icon, x + width - 26, y + 6, 18)
            self._name(x + 6, y + 50, name, width - 10, 18, 600, max(1, int((height - 42) / 18)))
        if count > 1:
            self.text(x + width - 6, y + height - 7, f"×{count}", size=19, weight=700, anchor="end")
        self._state(x, y, width, height, chosen, selectable)

    def _state(self, x: float, y: float, width: float, height: float, chosen: bool, selectable: bool) -> None:
        if chosen:
            self.selected(x, y, width, height, rx=5)
        elif selectable:
            self.selectable(x, y, width, height)

    def card_m(
        self,
        x: float,
        y: float,
        name: str,
        *,
        icon: str = "",
        cost: str | int | None = None,
        keyword: str = "",
        attack: str | int | None = None,
        defence: str | int | None = None,
        damage: int = 0,
        owner: int | None = None,
        band: str = "bottom",
        marks: Sequence[str] = (),
        width: float = M_SIZE[0],
        height: float = M_SIZE[1],
        count: int = 1,
        chosen: bool = False,
        selectable: bool = False,
        struck: bool = False,
    ) -> None:
        """Draw a card in size M: name, keyword (one or two lines), attack and defence at the foot, damage beside the shield.

        `owner` draws the pattern band on the `top` or `bottom` edge, whichever is nearer the owner. `marks` are facts about the
        card (icons: `paralysed`, `time`), white on ink beside the type icon.
        """
        head = y + (BAND if owner is not None and band == "top" else 0)
        foot = y + height - (BAND if owner is not None and band == "bottom" else 0)
        has_foot = attack is not None or defence is not None or count > 1
        self.rect(x, y, width, height, stroke="ink", line=2, rx=5)
        if owner is not None:
            self._band(x, y if band == "top" else foot, width, owner)
        self._head_m(x, head, width, cost, icon, marks, rx=5 if head == y else 0)
        self._words_m(x + 7, head, width - 11, name, keyword, lowest=foot - (32 if has_foot else 8))
        self._stats(x, foot, width, STATS_M, attack, defence, damage)
        if count > 1:
            self.text(x + width / 2, foot - 10, f"×{count}", size=19, weight=700, anchor="middle")
        if struck:
            self.struck(x, y, width, height)
        self._state(x, y, width, height, chosen, selectable)

    def _head_m(
        self, x: float, head: float, width: float, cost: str | int | None, icon: str, marks: Sequence[str], *, rx: float
    ) -> None:
        """Draw cost flag, marks and type icon of a card in size M, below the band. `rx`: the radius of the flag's corner."""
        if cost is not None:
            self._flag(x, head, 22, 30, str(cost), 21, rx)
        if icon:
            self.icon(icon, x + width - 28, head + 6, 20)
        for index, name in enumerate(marks[:2]):
            self.mark(name, x + width - 56 - 26 * index, head + 4, 23)

    def _words_m(self, x: float, head: float, room: float, name: str, keyword: str, *, lowest: float) -> None:
        """Draw name and keyword of a card in size M. The last baseline is not below `lowest`."""
        lines = max(1, int((lowest - head - 52) / 18) + 1)
        below = self._name(x, head + 52, name, room, 19, 700, max(1, lines - 1) if keyword else lines)
        left = int((lowest - below) / 18) + 1 if lowest >= below else 0
        if keyword and left:
            self.paragraph(x, below, keyword, room, size=17, colour="ink2", leading=18, lines=left)

    def card_l(
        self,
        x: float,
        y: float,
        name: str,
        text: str,
        *,
        icon: str = "",
        cost: str | int | None = None,
        kind: str = "",
        note: str = "",
        attack: str | int | None = None,
        defence: str | int | None = None,
        owner: int | None = None,
        width: float = L_SIZE[0],
        height: float = L_SIZE[1],
    ) -> None:
        """Draw a card in size L: name, tinted type line (`kind` left, `note` right), the card's text, stats at the foot."""
        self.rect(x, y, width, height, stroke="ink", line=2.5, rx=7)
        self._head_l(x, y, width, name, cost, icon)
        self._kind_l(x, y, width, kind, note)
        foot = y + height - (BAND if owner is not None else 0)
        has_stats = attack is not None or defence is not None
        self._text_l(x + 14, y + 97, width - 28, text, depth=foot - y - 82 - (30 if has_stats else 6))
        self._stats(x, foot, width, STATS_L, attack, defence)
        if owner is not None:
            self._band(x, foot, width, owner)

    def _head_l(self, x: float, y: float, width: float, name: str, cost: str | int | None, icon: str) -> None:
        """Draw cost flag, name and type icon of a card in size L."""
        start = x + 14
        if cost is not None:
            self._flag(x, y, 36, 44, str(cost), 29, 7)
            start = x + 64
        self.text(start, y + 31, name, size=25, weight=700, room=x + width - 50 - start)
        if icon:
            self.icon(icon, x + width - 39, y + 9, 26)

    def _kind_l(self, x: float, y: float, width: float, kind: str, note: str) -> None:
        """Draw the tinted type line of a card in size L."""
        self.rect(x, y + 44, width, 28, fill="tint", stroke="ink")
        end = self.text(x + 14, y + 64, kind, size=18, weight=600, room=width * 0.6)
        if note:
            self.text(x + width - 14, y + 64, note, size=18, colour="ink2", anchor="end", room=x + width - 24 - end)

    def _text_l(self, x: float, y: float, room: float, text: str, *, depth: float) -> None:
        """Draw the text of a card in size L, smaller if it is too long, and cut if it is still too long for `depth`."""
        size, leading = 20, 24
        if len(wrap(text, room, size)) > max(1, int(depth / leading)):
            size, leading = 17, 20
        self.paragraph(x, y, text, room, size=size, leading=leading, lines=max(1, int(depth / leading)))

    # --- parts of cards in both sizes ---

    def _band(self, x: float, y: float, width: float, owner: int) -> None:
        """Draw the owner's band."""
        self.rect(x, y, width, BAND, fill=f"area-{LETTERS[owner]}", stroke="ink", line=1.5, rx=4)

    def _stats(
        self,
        x: float,
        foot: float,
        width: float,
        layout: Stats,
        attack: str | int | None,
        defence: str | int | None,
        damage: int = 0,
    ) -> None:
        """Draw attack at the left and defence at the right of a card's foot, damage beside the shield."""
        icon_y, baseline = foot - layout.icon_rise, foot - layout.rise
        if attack is not None:
            self.icon("attack", x + layout.left, icon_y, layout.icon)
            self.text(x + (layout.left + layout.step), baseline, str(attack), size=layout.size, weight=700)
        if defence is not None:
            figure = measure(str(defence), layout.size, 700)
            end = x + width - layout.right
            self.icon("shield", end - figure - layout.step, icon_y, layout.icon)
            self.text(end, baseline, str(defence), size=layout.size, weight=700, anchor="end")
            if damage:
                self.damage(end - figure - (layout.step + 13), foot - (layout.rise + 7), damage, filled=True)

    def card_back(
        self,
        x: float,
        y: float,
        *,
        width: float = S_SIZE[0],
        height: float = S_SIZE[1],
        label: str = "",
        scouted: bool = False,
    ) -> None:
        """Draw the back of a card: ink with tinted bars. `label` is a word at its foot (a station card's slot, `s3`)."""
        self.hidden(x, y, width, height, label=label, scouted=scouted)

    def pile(
        self, x: float, y: float, icon: str, *, width: float = 60, height: float = 80, count: int | None = None, label: str = ""
    ) -> None:
        """Draw a face-down pile: its icon on a buff disc, a second edge behind it; count and label below (22 units more)."""
        self.rect(x + 5, y - 5, width, height, fill="panel", stroke="ink", line=2, rx=4)
        self.rect(x, y, width, height, fill="ink", stroke="ink", line=2, rx=4)
        self.circle(x + width / 2, y + height * 0.39, width * 0.33, fill="buff")
        self.icon(icon, x + width / 2 - width * 0.2, y + height * 0.39 - width * 0.2, width * 0.4)
        if count is not None:
            self.text(x + width / 2, y + height - 8, str(count), size=20, weight=700, colour="panel", anchor="middle")
        if label:
            self.label(x + width / 2, y + height + 22, label, anchor="middle", room=width + 40)
