"""The targets of the picture that stand for values of commands."""

from __future__ import annotations

from gamesvc.games.drawing.chart import WIDTH, Chart
from gamesvc.games.kernel.game import Data
from gamesvc.games.kernel.targets import Finder
from gamesvc.games.kernel.wording import Speaker
from gamesvc.games.star_commander.data import DOMAINS
from gamesvc.games.star_commander.picture.diagram import Diamond
from gamesvc.language import mark

MOST_ITEMS = 5
"""The items of the stack that the picture lists."""
_SETTINGS = "set_standing_orders"


def finder(view: Data) -> Finder:
    """Return the finder of targets: systems, plates of vessels, cards laid out, decks, the supply, the stack, and seats."""
    diamond = Diamond(Chart(WIDTH, 10), view, 0, Speaker(view["seat"], ()))
    names: dict[object, str] = {cell: f"cell:{cell}" for cell in view["cells"]}
    names |= {vessel: f"vessel:{stack[0]}" for stack in diamond.stacks() for vessel in stack}
    names |= {uid: f"card:{uid}" for uid, _card in (*view["hand"], *view["prompt"].get("cards", ()))}
    kinds = {card: f"supply:{card}" for card in view["supply"] if card != "scout"}
    decks = {domain: f"deck:{domain}" for domain in DOMAINS}
    stack = {item["id"]: f"stack:{item['id']}" for item in list(reversed(view["stack"]))[:MOST_ITEMS]}
    seats = {seat: f"seat:{seat}" for seat in range(len(view["seats"]))}
    # Aims of cards are texts: seats as their numbers, items of the stack as the players call them.
    aims = {str(seat): target for seat, target in seats.items()} | {f"s{item}": target for item, target in stack.items()}

    def found(command: str, field: str, value: object) -> str | None:
        if command == _SETTINGS or isinstance(value, bool) or not isinstance(value, (str, int)):
            return None
        if isinstance(value, int):
            return (stack if field in ("item", "target.item") else seats if field in ("to", "seat") else {}).get(value)
        if field.split(".")[0] == "targets" and value in aims:
            return aims[value]
        return names.get(value) or (kinds.get(value) if field == "card" else None) or decks.get(value)

    return found


KINDS = {
    "seat": mark("A player's band: credits, cards in hand, technologies and points. Aim at a player here."),
    "deck": mark(
        "Draw cards of one domain here. If it is empty, its discards are shuffled; a match of the revised edition ends."
    ),
    "stack": mark("A card or ability that waits for answers. The newest resolves first."),
}
"""Help on a kind of target, where `explain` has nothing to say about each."""
