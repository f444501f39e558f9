"""The area patterns of a chart as shapes, for `canvas`, which knows no patterns: a flat ground, and marks clipped to the area."""

from __future__ import annotations

import math
import re
from itertools import count

from gamesvc.games.drawing.extents import Unknown, box_of

CELL = 12
"""Width and height of a pattern in units. Its cells begin at 0 0."""

_PATTERN = re.compile(
    rf'<pattern id="([^"]+)" width="{CELL}" height="{CELL}" patternUnits="userSpaceOnUse">'
    rf'<rect width="{CELL}" height="{CELL}"[^<>]* fill="([^"]+)"/>(.*?)</pattern>'
)
_AREA = re.compile(r'<(rect|circle|path)((?: [\w-]+="[^"<>]*")*?) fill="url\(#([^")]+)\)"((?: [\w-]+="[^"<>]*")*)/>')


def expanded(svg: str) -> str:
    """Return the markup of a chart with shapes alone for its patterned areas. Raises `Unknown` for an area of another form."""
    patterns = {name: (ground, mark) for name, ground, mark in _PATTERN.findall(svg)}
    numbers = count()

    def shapes(area: re.Match[str]) -> str:
        kind, place, pattern, line = area.groups()
        if pattern not in patterns or "transform" in area[0]:
            raise Unknown(area[0])
        ground, mark = patterns[pattern]
        flat = f'<{kind}{place} fill="{ground}"{line}/>'
        if not mark:
            return flat
        clip = f"area{next(numbers)}"
        marks = f'<g clip-path="url(#{clip})">{_marks(mark, flat)}</g>'
        return f'<defs><clipPath id="{clip}"><{kind}{place}/></clipPath></defs>{flat}{marks}<{kind}{place} fill="none"{line}/>'

    found = _AREA.sub(shapes, _PATTERN.sub("", svg))
    if 'fill="url(' in found:
        raise Unknown("a patterned area")
    return found


def _marks(mark: str, area: str) -> str:
    """Return the mark of a pattern in every cell that an area touches."""
    left, top, right, bottom = (math.floor(edge / CELL) for edge in box_of(area))
    cells = ((column, row) for row in range(top, bottom + 1) for column in range(left, right + 1))
    return "".join(f'<g transform="translate({column * CELL} {row * CELL})">{mark}</g>' for column, row in cells)
