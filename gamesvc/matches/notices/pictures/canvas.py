"""Drawing parts of a chart with ThorVG. It takes a tenth of the time of resvg (`png`), but shapes and colours alone."""

from __future__ import annotations

from functools import cache
from threading import Lock

from PIL import Image
from thorvg_python.base import Result
from thorvg_python.canvas.sw import SwCanvas
from thorvg_python.engine import Engine
from thorvg_python.paint.picture import Picture

from gamesvc.games.drawing.extents import Unknown
from gamesvc.matches.notices.pictures.outlines import outlined
from gamesvc.matches.notices.pictures.patterns import expanded

_KIND = "svg"
_STEP = 4096
_alone = Lock()


def drawn(svg: str) -> Image.Image:
    """Return the picture of an opaque SVG as a chart writes it, of its own width and height.

    Raises `Unknown` for one that cannot be drawn.
    """
    markup = outlined(expanded(svg)).encode()
    # The binding keeps something for each length of data for ever.
    markup = markup.ljust(-(-len(markup) // _STEP) * _STEP)
    with _alone:  # without threads of its own, the engine does not guard what pictures share
        canvas = SwCanvas(_engine())
        try:
            return _on(canvas, markup)
        finally:
            canvas.destroy()


def _on(canvas: SwCanvas, markup: bytes) -> Image.Image:
    picture = Picture(_engine())
    # The third is the folder of other files, of which there are none. The binding takes only one as long as the second.
    _check(picture.load_data(markup, _KIND, _KIND, True))
    found, width, height = picture.get_size()
    _check(found)
    canvas.set_target(round(width), round(height))
    _check(canvas.add(picture))
    _check(canvas.draw(True))
    _check(canvas.sync())
    made: Image.Image = canvas.get_pillow("RGB")
    return made


def _check(result: Result) -> None:
    if result != Result.SUCCESS:
        raise Unknown(f"the drawing failed: {result.name}")


@cache
def _engine() -> Engine:
    return Engine(threads=0)
