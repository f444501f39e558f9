"""Thumbnails: the part of a picture that holds the board, without text, light and dark in one file."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from gamesvc.games.drawing.paper import COLOURS, DARK
from gamesvc.games.kernel.targets import Picture

_WORDS = re.compile(r"<(text|title|desc)\b[^>]*>.*?</\1>", re.DOTALL)
_NAMES = re.compile(r' (?:data-[a-z]+|role|aria-[a-z]+)="[^"]*"')
_BEGINNING = re.compile(r"<svg\b[^>]*>")
_CLASSES = re.compile(r'class="([^"]*)"')
_BELOW = re.compile(r'<g id="[^"]*-below".*', re.DOTALL)
_FILLS = re.compile(r'(class="[^"]*\bf-[^"]*") fill="#[^"]*"')
_STROKES = re.compile(r'(class="[^"]*\bs-[^>]*?) stroke="#[^"]*"')


def thumbnail(picture: Picture) -> str:
    """Return a picture as its own small file: only its board, no text, with colours for light and dark screens."""
    body = _BELOW.sub("</svg>", _NAMES.sub("", _WORDS.sub("", _BEGINNING.sub("", picture, count=1))))
    x, y, width, height = (f"{side:g}" for side in picture.board)
    window = f'viewBox="{x} {y} {width} {height}"'
    used = sorted({name for names in _CLASSES.findall(body) for name in names.split() if name[2:] in COLOURS})
    style = f"{_rules(used, COLOURS)}@media(prefers-color-scheme:dark){{{_rules(used, DARK)}}}"
    body = _STROKES.sub(r"\1", _FILLS.sub(r"\1", body))
    # The inner sheet cuts off what lies beside the board, whatever the shape of the place where the picture stands.
    inner = f'<svg x="{x}" y="{y}" width="{width}" height="{height}" {window}>{body}'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {window}><style>{style}</style>{inner}</svg>'


def _rules(names: Sequence[str], colours: Mapping[str, str]) -> str:
    """Return the style of the colours that the shapes use: `f-ink` fills, `s-ink` strokes."""
    kinds = {"f-": "fill", "s-": "stroke"}
    return "".join(f".{name}{{{kinds[name[:2]]}:{colours[name[2:]]}}}" for name in names if name[:2] in kinds)
