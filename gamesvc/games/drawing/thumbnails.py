"""Thumbnails: the part of a picture that holds the board, without text, light and dark in one file."""

from __future__ import annotations

import re

from gamesvc.games.drawing.paper import COLOURS, DARK

Box = tuple[float, float, float, float]

_WORDS = re.compile(r"<(text|title|desc)\b[^>]*>.*?</\1>", re.DOTALL)
_NAMES = re.compile(r' (?:data-[a-z]+|role|aria-[a-z]+)="[^"]*"')
_BEGINNING = re.compile(r"<svg\b[^>]*>")
_CLASSES = re.compile(r'class="([^"]*)"')


def thumbnail(picture: str, box: Box) -> str:
    """Return a picture as its own small file: only `box` (x, y, width, height) of it, no text, with colours for dark screens."""
    body = _NAMES.sub("", _WORDS.sub("", _BEGINNING.sub("", picture, count=1)))
    window = " ".join(f"{side:g}" for side in box)
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{window}"><style>{_dark(body)}</style>{body}'


def _dark(body: str) -> str:
    """Return the style of dark screens for the colours that the shapes use."""
    used = sorted({name for names in _CLASSES.findall(body) for name in names.split()})
    rules = [
        f".{name}{{{_property(name)}:{DARK[name[2:]]}}}" for name in used if name[2:] in COLOURS and name[:2] in ("f-", "s-")
    ]
    return f"@media(prefers-color-scheme:dark){{{''.join(rules)}}}"


def _property(name: str) -> str:
    return "fill" if name.startswith("f-") else "stroke"
