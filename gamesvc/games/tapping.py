"""Checks that a seat can play by taps: what its forms name is drawn, large enough, and everything to choose has words.

Self-play asks this in many positions of every match. That targets tell nothing hidden is part of `secrecy`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import TypeVar

from gamesvc.games.acts import acts
from gamesvc.games.kernel.forms import label, worded_by
from gamesvc.games.kernel.game import Caption, Form, Game, Schema
from gamesvc.games.kernel.targets import FINGER, Box, Picture, stands, targets
from gamesvc.games.secrecy import Broken

S = TypeVar("S")
_RAW = re.compile(r'\w_\w|{"')
CLEAR = 10
"""The distance around the middle of a target, in units of the picture, where no other one takes the tap."""


def check_taps(game: Game[S], state: S, seat: int, where: str) -> int:
    """Check all forms of a seat. Return how many values of them are drawn. Raises `Broken`."""
    forms = acts(game, state, seat)
    if not forms:
        return 0
    view = json.loads(json.dumps(game.view(state, seat)))
    picture, finder, drawn = game.picture(view, Caption(header=False)), game.finder(view), 0
    names = [target.name for target in targets(game, view, picture, Caption())]
    if len(set(names)) < len(names):
        raise Broken(f"{where}: two targets have the same name among {sorted(names)}")
    if small := [target for target, box in picture.boxes.items() if min(box[2:]) < FINGER]:
        raise Broken(f"{where}: too small for a finger: {small}")
    check_reach(picture, where)
    for form in forms:
        for stand in stands(finder, form):
            drawn += 1
            if stand.target not in picture.boxes:
                raise Broken(f"{where}: {form.name} names {stand.target} for {stand.field} {stand.value!r}, which is not drawn")
        if raw := sorted(words for words in (form.label, form.verb, *_words(form)) if _RAW.search(words)):
            raise Broken(f"{where}: {form.name} shows raw names: {raw[:5]}")
    return drawn


def check_reach(picture: Picture, where: str) -> None:
    """Check that no target lies under another one. Raises `Broken`."""
    if covered := _covered(picture.boxes):
        raise Broken(f"{where}: no tap reaches {covered[0]}, which {covered[1]} lies over")


def _covered(boxes: Mapping[str, Box]) -> tuple[str, str] | None:
    """Return a target whose middle another one covers, wide enough for a finger to miss it, and that other one.

    Of two that overlap, the later takes the tap.
    """
    found = [(name, x, y, x + width, y + height) for name, (x, y, width, height) in boxes.items()]
    for at, (name, left, top, right, bottom) in enumerate(found):
        x, y = (left + right) / 2, (top + bottom) / 2
        for other, x1, y1, x2, y2 in found[at + 1 :]:
            if x1 < x + CLEAR and x - CLEAR < x2 and y1 < y + CLEAR and y - CLEAR < y2:
                return name, other
    return None


def _words(form: Form) -> Iterator[str]:
    yield from _words_of(form.body)


def _words_of(schema: Schema) -> Iterator[str]:
    """Yield everything that a schema shows to people."""
    yield from (str(schema[name]) for name in ("title", "description") if name in schema)
    for value in (*schema.get("enum", ()), *schema.get("supply", ())):
        if isinstance(value, str):
            yield label(schema, value)
        elif isinstance(value, (list, tuple)) and any(isinstance(item, dict) for item in value):
            yield schema.get("labels", {}).get(worded_by(value), worded_by(value))
    for option in (*schema.get("oneOf", ()), *schema.get("properties", {}).values()):
        yield from _words_of(option)
    if "items" in schema:
        # The labels of what an array takes may stand beside it.
        yield from _words_of({"labels": schema.get("labels", {}), **schema["items"]})
