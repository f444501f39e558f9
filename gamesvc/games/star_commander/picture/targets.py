"""The parts of the picture that stand for values of commands."""

from __future__ import annotations

from gamesvc.games.drawing.chart import WIDTH, Chart
from gamesvc.games.kernel.game import Data, Part
from gamesvc.games.kernel.wording import Speaker
from gamesvc.games.star_commander.picture.diagram import Diamond


def parts(view: Data) -> Part:
    """Return the finder of parts: systems, plates of vessels, and the cards that are laid out."""
    diamond = Diamond(Chart(WIDTH, 10), view, 0, Speaker(view["seat"], ()))
    names = {cell: cell for cell in view["cells"]}
    names |= {vessel: stack[0] for stack in diamond.stacks() for vessel in stack}
    names |= {uid: uid for uid, _card in (*view["hand"], *view["prompt"].get("cards", ()))}

    def part(command: str, field: str, value: object) -> str | None:
        return names.get(value) if isinstance(value, str) else None

    return part
