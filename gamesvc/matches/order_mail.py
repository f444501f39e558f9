"""The words of an order mail: which lines are orders in the game's notation, which the service's own. Nothing is done here."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gamesvc.games.kernel import Game, Refused
from gamesvc.games.timeline import check_command

MOST_LINES = 60
MOST_HISTORY = 200
SERVICE_WORDS = ("help", "board", "hand", "status", "history", "preview", "resign", "end")
HELP = """help           the orders of your game, and these words
board          the position, without an order
hand           what you hold
status         who is awaited, and until when
history 20     the last 20 things that happened
preview ORDER  what an order would do; nothing is done
preview        alone in a line: all orders below it are only tried out
resign         gives up; you are asked once more
END            in capitals, alone in a line: nothing below it is read"""

# A list is often written with a dash, a dot or a number before each line.
_BULLET = re.compile(r"^(?:[-*•·]\s+|\d{1,2}[.)]\s+)")
_POLITE = re.compile(r"^(?:hi|hello|hallo|dear|thanks|thank you|danke|cheers|regards|bye)\b[^0-9]{0,40}[,.!]?$", re.IGNORECASE)


@dataclass(slots=True)
class Line:
    """One line of a mail. `word` is a service word, or `order`; `state` tells what became of it.

    States: read, done, refused, stale, unreadable, not_done, previewed, answered, ask, ignored.
    """

    number: int
    text: str
    word: str
    argument: str = ""
    command: Mapping[str, Any] | None = None
    understood: str = ""
    state: str = "read"
    detail: str = ""

    @property
    def is_order(self) -> bool:
        return self.word == "order"

    def as_json(self) -> dict[str, Any]:
        return {
            "number": self.number,
            "text": self.text,
            "understood": self.understood,
            "state": self.state,
            "detail": self.detail,
        }


def read(text: str, game: Game[Any], view: Mapping[str, Any] | None) -> list[Line]:
    """All lines of a mail, each understood or marked as unreadable with the reason and a suggestion."""
    lines: list[Line] = []
    preview_rest = False
    for number, raw in enumerate((line for line in text.splitlines() if line.strip()), 1):
        line = _split(number, _BULLET.sub("", raw.strip()), game, view)
        if line.word == "end":
            break
        if line.word == "preview" and not line.argument:
            preview_rest = True
            line.state, line.detail = "answered", "The orders below are only tried out."
        elif preview_rest and line.is_order:
            line.word, line.argument = "preview", line.text
        lines.append(line)
        if number > MOST_LINES:
            line.state, line.detail = "unreadable", f"A mail takes at most {MOST_LINES} lines."
            break
        understand(line, game, view)
    return lines


def understand(line: Line, game: Game[Any], view: Mapping[str, Any] | None) -> None:
    """Read the order in a line by the position as the seat sees it; sets `command` or the reason why it cannot be read."""
    order = line.text if line.is_order else line.argument if line.word == "preview" else ""
    if not order or line.state != "read":
        return
    if view is None:
        line.state, line.detail = "unreadable", "The match is not running."
        return
    try:
        command = dict(game.parse(order, view))
        check_command(game, command)
    except Refused as refused:
        line.state, line.detail = "unreadable", refused.detail
        return
    line.command, line.understood = command, game.render(command)
    if line.is_order and command["name"] == "resign" and line.argument != "yes":
        line.word = "resign"
        ask_resign(line)


def ask_resign(line: Line) -> None:
    """Nobody loses a match by one line: giving up is asked back once."""
    line.command = None
    line.state, line.detail = "ask", "To give up the match, answer with the line: resign yes"


def unreadable(lines: Sequence[Line]) -> bool:
    return any(line.state == "unreadable" for line in lines)


def _split(number: int, text: str, game: Game[Any], view: Mapping[str, Any] | None) -> Line:
    """Which kind of line it is. The game's own `end` stays the game's; only a game without one gives the word to the service."""
    first, _, rest = text.partition(" ")
    word, argument = first.lower().rstrip(":.!?"), rest.strip()
    line = Line(number, text, "order")
    if _POLITE.match(text):
        line.word, line.state = "courtesy", "ignored"
    elif word in ("help", "board", "hand", "status") and not argument:
        line.word = word
    elif word == "history" and (not argument or argument.isdecimal()):
        line.word, line.argument = word, argument or "20"
        if len(argument) > 6:
            line.argument = str(MOST_HISTORY)
    elif word == "preview":
        line.word, line.argument = word, argument
    elif word == "resign" and "resign" in game.commands:
        if argument.lower().strip(" .!") == "yes":
            line.text, line.argument = "resign", "yes"
        elif not argument:
            line.word = word
            ask_resign(line)
    elif word == "end" and not argument and not _plays_end(game, view):
        line.word = word
    return line


def _plays_end(game: Game[Any], view: Mapping[str, Any] | None) -> bool:
    if view is None:
        return False
    try:
        check_command(game, game.parse("end", view))
    except Refused:
        return False
    return True
