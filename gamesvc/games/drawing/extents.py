"""The part of a picture on which an element draws: a box, in the picture's units.

The boxes are generous: one that is too large costs a little time, and one that is too small would cut the element.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator

from gamesvc.errors import GamesvcError

Box = tuple[float, float, float, float]
"""Left, top, right, bottom."""

WIDEST = 1.2
"""No letter of our fonts is wider than this many font sizes."""

_SHAPE = re.compile(r"<(rect|circle|ellipse|path|text)\b([^<>]*)(?:/>|>([^<]*)</text>)")
_GROUP = re.compile(r'<g transform="([^"]*)">(.+)</g>')
_ATTRIBUTE = re.compile(r'([a-z0-9-]+)="([^"]*)"')
_TRANSFORM = re.compile(r"(\w+)\(([-\d., ]*)\)\s*")
_PATH = re.compile(r"([A-Za-z])|([-+]?(?:\d+\.?\d*|\.\d+))|[\s,]+|(.)")
_TAKES = {"M": 2, "L": 2, "H": 1, "V": 1, "C": 6, "S": 4, "Q": 4, "A": 7, "Z": 0}
_BEFORE = {"start": 0.0, "middle": 0.5, "end": 1.0}


class Unknown(GamesvcError):
    """The extent of this markup cannot be told."""


def box_of(markup: str) -> Box:
    """Return the box of a shape, or of a group of shapes with a transform. Raises `Unknown`."""
    group = _GROUP.fullmatch(markup)
    if group is None:
        return _shape_box(markup)
    return _moved(_around(_shape_box(shape) for shape in _shapes(group[2])), group[1])


def _shapes(markup: str) -> Iterator[str]:
    end = 0
    for found in _SHAPE.finditer(markup):
        if found.start() != end:
            break
        end = found.end()
        yield found[0]
    if end != len(markup):
        raise Unknown(markup)


def _shape_box(markup: str) -> Box:
    shape = _SHAPE.fullmatch(markup)
    if shape is None:
        raise Unknown(markup)
    attributes = dict(_ATTRIBUTE.findall(shape[2]))
    try:
        found = _bare_box(shape[1], attributes, shape[3] or "")
        edge = 2 * float(attributes.get("stroke-width", "1")) + 1  # a mitred corner stands out by twice the width
    except (KeyError, ValueError) as fault:
        raise Unknown(markup) from fault
    found = found[0] - edge, found[1] - edge, found[2] + edge, found[3] + edge
    return _moved(found, attributes["transform"]) if "transform" in attributes else found


def _bare_box(kind: str, attributes: dict[str, str], text: str) -> Box:
    """Return the box of a shape without its line and its transform."""

    def number(name: str) -> float:
        return float(attributes.get(name, "0"))

    if kind == "path":
        return _path_box(attributes["d"])
    if kind == "text":
        size = number("font-size")
        long = len(text) * size * WIDEST
        left = number("x") - _BEFORE[attributes.get("text-anchor", "start")] * long
        return left - size, number("y") - 1.5 * size, left + long + size, number("y") + size
    if kind == "rect":
        x, y = number("x"), number("y")
        return x, y, x + float(attributes["width"]), y + float(attributes["height"])
    across, down = (number("r"), number("r")) if kind == "circle" else (number("rx"), number("ry"))
    x, y = number("cx"), number("cy")
    return x - across, y - down, x + across, y + down


def _path_box(data: str) -> Box:
    """Return the box of the points of a path, control points included: a curve stays within them."""
    xs, ys = [], []
    x = y = 0.0
    start = control = (0.0, 0.0)
    for name, values in _steps(data):
        before_x, before_y = (x, y) if name.islower() else (0.0, 0.0)
        kind = name.upper()
        if kind == "Z":
            x, y = start
        elif kind == "H":
            x = before_x + values[0]
        elif kind == "V":
            y = before_y + values[0]
        elif kind == "A":  # on a circle through both ends
            far = 2 * max(*values[:2], math.dist((x, y), (before_x + values[5], before_y + values[6])))
            xs += [x - far, x + far]
            ys += [y - far, y + far]
            x, y = before_x + values[5], before_y + values[6]
        else:
            if kind == "S":  # its first control point mirrors the one before
                xs += [2 * x - control[0], x]
                ys += [2 * y - control[1], y]
            xs += [before_x + value for value in values[::2]]
            ys += [before_y + value for value in values[1::2]]
            x, y = xs[-1], ys[-1]
            if kind == "M":
                start = x, y
        control = (xs[-2], ys[-2]) if kind in "CS" else (x, y)
        xs.append(x)
        ys.append(y)
    return min(xs), min(ys), max(xs), max(ys)


def _steps(data: str) -> Iterator[tuple[str, list[float]]]:
    """Yield the commands of a path with their numbers. A command may be followed by several sets of numbers."""
    name, values = "", list[float]()
    for letter, value, other in _PATH.findall(data):
        if other or (letter and (letter.upper() not in _TAKES or values)) or (value and not name):
            raise Unknown(data)
        if letter:
            name = letter
            if letter in "Zz":
                yield name, []
        elif value:
            values.append(float(value))
            if len(values) == _TAKES[name.upper()]:
                yield name, values
                values = []
                name = {"M": "L", "m": "l"}.get(name, name)
    if values:
        raise Unknown(data)


def _moved(box: Box, transform: str) -> Box:
    """Return the box after a transform."""
    if _TRANSFORM.sub("", transform):
        raise Unknown(transform)
    for name, written in reversed(_TRANSFORM.findall(transform)):
        values = [float(value) for value in written.replace(",", " ").split()]
        if name == "translate" and len(values) == 2:
            x, y = values
            box = box[0] + x, box[1] + y, box[2] + x, box[3] + y
        elif name == "scale" and len(values) == 1 and values[0] > 0:
            factor = values[0]
            box = box[0] * factor, box[1] * factor, box[2] * factor, box[3] * factor
        elif name == "rotate" and len(values) == 3:
            x, y = values[1:]
            far = max(math.dist((x, y), (across, down)) for across in box[::2] for down in box[1::2])
            box = x - far, y - far, x + far, y + far
        else:
            raise Unknown(transform)
    return box


def _around(boxes: Iterable[Box]) -> Box:
    left, top, right, bottom = zip(*boxes, strict=True)
    return min(left), min(top), max(right), max(bottom)
