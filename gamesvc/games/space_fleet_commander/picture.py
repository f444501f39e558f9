"""The position as a picture."""

from __future__ import annotations

from xml.sax.saxutils import escape

from gamesvc.games.kernel import Caption, Data
from gamesvc.games.space_fleet_commander.words import board_text


def picture(view: Data, caption: Caption) -> str:
    """The board as SVG."""
    lines = board_text(view, caption).splitlines()
    texts = "".join(f'<text x="20" y="{30 + 22 * at}" font-size="17">{escape(line)}</text>' for at, line in enumerate(lines))
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 720 {60 + 22 * len(lines)}">{texts}</svg>'
