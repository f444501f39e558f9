"""The parser of order mails: it separates orders in the game's notation from service words. Nothing is carried out here."""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext

from gamesvc.games.kernel.game import RESIGN, Game, Refused
from gamesvc.games.kernel.timeline import check_command, read_order
from gamesvc.json_types import JsonMapping, JsonObject
from gamesvc.matches.mail_orders import blocks, player_names, remarks, tolerance
from notifications.parsing.quotes import introduces_quote, is_farewell, may_introduce_quote
from notifications.parsing.text import END

MOST_LINES = 60
MOST_HISTORY = 200
HELP = gettext_noop("""help           the orders of your game, and these words
help c12       what a card, piece or place is, by its id
board          the position, without an order
hand           what you hold
status         whose decision is pending, and until when
history 20     the last 20 things that happened
preview ORDER  what an order would do; nothing is done
preview        alone in a line: all orders below it are only tried out
wait           holds the orders of this mail until the deadline
ready          carries out the orders that are held
standing if EVENT NAME=VALUE then ORDER   an order for when it happens
standing, standing cancel 2   lists conditional orders, cancels one
vacation 2026-12-24..2027-01-02   no deadlines while you are away
vacation off   back again; vacation alone lists your vacations
pause match    asks all to stop the clocks, or agrees to that
resume match   the same for going on; pause match no withdraws it
undo           undoes your last order, or asks the others first
undo yes, undo no   accepts or declines; redo reverts your own undo
press NAME text, press all text   writes to a player, or to all
press all:     alone in a line: the lines below, to an empty one
draw?          offers a draw, if the game allows one
resign         gives up; you are asked once more
END            alone in a line below the orders: nothing after it is read""")

# Words that ask for information and change nothing, including those with an argument.
ASKING = ("help", "board", "hand", "status", "history", "preview")
# Words that change the match in the order of the lines, like orders. Later lines depend on them.
IN_ORDER = ("undo", "redo")
# Words with an effect beside the match, which stay in force if orders are refused.
ASIDE = ("press", "vacation", "standing", "draw?", "pause", "resume")
# Words that decide when the orders of the mail are carried out.
TIMING = ("wait", "ready")

GERMAN = {
    "hilfe": "help",
    "brett": "board",
    "blatt": "hand",
    "verlauf": "history",
    "vorschau": "preview",
    "zurück": "undo",
    "zurueck": "undo",
    "urlaub": "vacation",
    "nachricht": "press",
    "warten": "wait",
    "fertig": "ready",
    "aufgeben": "resign",
    "ende": "end",
}
"""The service words in German."""

# Every word with which a line for the service can begin.
WORDS = frozenset((*ASKING, *IN_ORDER, *ASIDE, *TIMING, *GERMAN, "draw", "resign", "end"))

_GREETING = re.compile(r"^(?:hi|hello|hallo|dear|thanks|thank you)\b[^0-9]{0,40}[,.!]?$", re.IGNORECASE)
_BLOCK = re.compile(r"^press\s+(?P<to>[^:]{1,60}):$", re.IGNORECASE)
_ANSWERS = {"": "", "yes": "yes", "no": "no", "ja": "yes", "nein": "no", "accept": "yes", "decline": "no"}

_WISHES = {"": "yes", "match": "yes", "match yes": "yes", "match no": "no"}


@dataclass(slots=True)
class Line:
    """One line of a mail. `word` is a service word, or `order`; `state` is its result.

    States: read, done, refused, stale, unreadable, not_done, held, previewed, answered, ask, ignored.
    """

    number: int
    text: str
    word: str
    argument: str = ""
    command: JsonMapping | None = None
    understood: str = ""
    state: str = "read"
    detail: str = ""
    mail: str = ""
    """The mail that contains it, unless it is the one being processed."""

    @property
    def is_order(self) -> bool:
        return self.word == "order"

    @property
    def order(self) -> str:
        """The order in the game's notation, to be carried out or tried out; empty for service words."""
        return self.text if self.is_order else self.argument if self.word == "preview" else ""

    @property
    def is_act(self) -> bool:
        """Return True if the line changes the match, so that later lines depend on it."""
        return self.is_order or self.word in IN_ORDER

    def as_json(self) -> JsonObject:
        return {
            "number": self.number,
            "text": self.text,
            "understood": self.understood,
            "state": self.state,
            "detail": self.detail,
        }


def read(text: str, game: Game, view: JsonMapping | None, names: Sequence[str] = (), below: str = "") -> list[Line]:
    """Return the lines of a mail's block of orders, with the greeting above it, and one line for the text below it.

    Unreadable lines are marked with the reason and a suggestion. `names`: the players' names, which orders may use instead of
    colours. `below`: what stands below a quote; it is not read, but if it ends with orders, a line says so.
    """
    raws = [part for line in _whole(_lines(text), game, view) for part in tolerance.parts(line, game.verbs)]
    block = blocks.find([tolerance.bare(raw.partition("\n")[0]) for raw in raws], WORDS, game)
    greeting, orders, rest = (
        [raw for raw in part if raw.strip()] for part in (raws[: block.first], raws[block.first : block.end], raws[block.end :])
    )
    lines = [Line(number, tolerance.bare(raw), "courtesy", state="ignored") for number, raw in enumerate(greeting, 1)]
    read_lines, whole = _read_orders(orders, len(lines) + 1, game, view, names)
    lines += read_lines
    if whole and rest:
        lines.append(_unread(len(lines) + 1, rest[0].strip(), block.orders_below))
    known = {*game.verbs, *WORDS}
    ends = list(itertools.takewhile(lambda line: blocks.means_order(line, known, game), reversed(below.splitlines())))
    if ends:
        lines.append(_unread(len(lines) + 1, ends[-1].strip(), len(ends)))
    return lines


def _read_orders(
    orders: Sequence[str], number: int, game: Game, view: JsonMapping | None, names: Sequence[str]
) -> tuple[list[Line], bool]:
    """Return the lines, numbered from `number`, and False if they end before the last one: with END, or with too many of them."""
    lines: list[Line] = []
    tried_out, known = False, {*game.verbs, *WORDS}
    closed = bool(orders) and _split(0, tolerance.bare(orders[-1]), game, view).word == "end"
    for at, raw in enumerate(orders, 1):
        line = _split(number + len(lines), tolerance.bare(raw), game, view)
        if line.word == "end":
            match _end_means(line, lines, at < len(orders), game, view):
                case "end":
                    return lines, False
                case "unclear":
                    return [*lines, _unclear_end(line)], False
            line.word = "order"
        if line.word == "preview" and not line.argument:
            tried_out = True
            line.state, line.detail = "answered", _("The orders below are only tried out.")
        elif tried_out and line.is_order:
            line.word, line.argument = "preview", line.text
        lines.append(line)
        if line.number > MOST_LINES:
            line.state, line.detail = "unreadable", _("A mail takes at most %(count)s lines.") % {"count": MOST_LINES}
            return lines, False
        understand(line, game, view, names)
        name_like = line.text.endswith((",", ":")) or not closed
        if line.command and game.verbs and name_like and blocks.is_vague(line.order, known, game):
            line.state, line.command = "unreadable", None
            line.detail = _("This may be a name. Write the order out: %(order)s") % {"order": line.understood}
    return lines, True


def _end_means(line: Line, above: Sequence[Line], more: bool, game: Game, view: JsonMapping | None) -> str:
    """Return what `end` means: `end` for the line END, `order` for the game's own order, `unclear` where it may be both.

    It is the order if there is no order `above`, or if there are `more` lines below. As the last line below other orders it is
    END, which phones write in small letters.
    """
    if line.text == END or not ("end" in game.verbs if game.verbs else _reads("end", game, view)):
        return "end"
    return "order" if more or not any(one.is_act for one in above) else "unclear"


def _unclear_end(line: Line) -> Line:
    """Return the line as END, with a note how to write the order."""
    line.word, line.state = "courtesy", "ignored"
    line.detail = _("This was read as the end of your mail. To give it as an order, write: end phase, or end turn.")
    return line


def _lines(text: str) -> list[str]:
    """Return the lines. A message below `press NAME:` counts as one, up to an empty line, END, or the introduction of a quote."""
    found: list[str] = []
    message: list[str] = []
    for line in [*text.splitlines(), ""]:
        if message and line.strip() not in ("", END) and not introduces_quote(line):
            message.append(line)
            if not may_introduce_quote(line):
                continue
            line = ""
        if message:
            found.append("\n".join(message))
            message = []
        if _BLOCK.match(line.strip()):
            message = [line.strip()]
        else:
            found.append(line)
    return found


def _whole(lines: Sequence[str], game: Game, view: JsonMapping | None) -> list[str]:
    """Join a long order with its rest, which a mail program has put on the next line: if that is no order, but with it one."""
    whole: list[str] = []
    for line in lines:
        broken = whole and line.strip() and len(whole[-1]) >= blocks.WRAPPED_AT and view is not None
        if broken and _reads(f"{whole[-1]} {line.strip()}", game, view) and not _reads(line, game, view):
            whole[-1] = f"{whole[-1]} {line.strip()}"
        else:
            whole.append(line)
    return whole


def _reads(order: str, game: Game, view: JsonMapping | None) -> bool:
    if view is None:
        return False
    try:
        _read_one(game, view, tolerance.bare(order))
    except Refused:
        return False
    return True


def _unread(number: int, text: str, orders: int) -> Line:
    """Return the line for all that stands below the orders."""
    detail = _("This line and everything below it were not read.")
    if orders:
        detail = ngettext(
            "This line and everything below it were not read, although %(count)s line there looks like an order. If you "
            "meant it, send it in a separate mail.",
            "This line and everything below it were not read, although %(count)s lines there look like orders. If you "
            "meant them, send them in a separate mail.",
            orders,
        ) % {"count": orders}
    return Line(number, text.partition("\n")[0], "courtesy", state="ignored", detail=detail)


def understand(line: Line, game: Game, view: JsonMapping | None, names: Sequence[str] = ()) -> None:
    """Parse the order in a line against the seat's view. Sets `command`, or the reason why it cannot be read."""
    order = line.order
    if not order or line.state != "read":
        return
    if view is None:
        line.state, line.detail = "unreadable", _("The match is not running.")
        return
    try:
        command = _command(order, game, view, names)
    except Refused as refused:
        line.state, line.detail = "unreadable", refused.sentence
        return
    line.command, line.understood = command, game.render(command)
    if line.is_order and command["name"] == RESIGN and line.argument != "yes":
        line.word = "resign"
        ask_resign(line)


def _command(order: str, game: Game, view: JsonMapping, names: Sequence[str]) -> JsonObject:
    """Read an order as it is written, or in the ways in which people mean it. Raises the refusal of what is written."""
    return player_names.read_with_names(order, names, functools.partial(_read_either, game, view))


def _read_either(game: Game, view: JsonMapping, order: str) -> JsonObject:
    """Read an order with or without a comment and a sentence's mark at its end."""
    try:
        return _read_one(game, view, order)
    except Refused as refused:
        plain = tolerance.plain(order)
        if plain == order:
            raise
        try:
            return _read_one(game, view, plain)
        except Refused:
            raise refused from None


def _read_one(game: Game, view: JsonMapping, order: str) -> JsonObject:
    command = dict(read_order(game, order, view))
    check_command(game, command)
    return command


def ask_resign(line: Line) -> None:
    """Ask for confirmation: nobody loses a match by a single line."""
    line.command = None
    line.state, line.detail = "ask", _("To give up the match, answer with the line: resign yes")


def unreadable(lines: Sequence[Line]) -> bool:
    return any(line.state == "unreadable" for line in lines)


def _split(number: int, text: str, game: Game, view: JsonMapping | None) -> Line:
    """Return the line with its kind. A word that is an order of the game remains one: its own `end`, its own `draw`."""
    first, _space, rest = text.partition("\n")[0].partition(" ")
    word, argument = first.lower().rstrip(":.!?"), rest.strip()
    if word in GERMAN and word not in game.verbs:
        word = GERMAN[word]
    line = Line(number, text, "order")
    if first.endswith("?") and word in (*IN_ORDER, *TIMING, RESIGN):
        return line  # a question, and no order
    if (_GREETING.match(text) or is_farewell(text)) and not remarks.is_doubtful(text):
        line.word, line.state = "courtesy", "ignored"
    elif word in ("help", "board", "hand", "status", "redo", *TIMING) and not argument:
        line.word = word
    elif word == "help" and (of := _explained(argument, game, view)):
        line.word, line.argument = word, of
    elif word == "history" and (not argument or argument.isdecimal()):
        line.word, line.argument = word, argument or "20"
        if len(argument) > 6:
            line.argument = str(MOST_HISTORY)
    elif word == "preview":
        line.word, line.argument = word, argument
    elif word == "undo" and argument.lower().strip(" .!") in _ANSWERS:
        line.word, line.argument = word, _ANSWERS[argument.lower().strip(" .!")]
    elif word in ("press", "vacation", "standing") and word not in game.commands:
        line.word, line.argument = word, text[len(first) :].strip()
        _check_whole(line)
    elif word in ("pause", "resume") and (wish := _wish(word, argument, game)):
        line.word, line.argument = word, wish
    elif first.lower() in ("draw?", "draw?.") and argument.lower().strip(" .!") in ("", "yes"):
        line.word, line.argument = "draw?", argument.lower().strip(" .!")
    elif word == RESIGN and RESIGN in game.commands:
        if argument.lower().strip(" .!") == "yes":
            line.text, line.argument = "resign", "yes"
        elif not argument:
            line.word = word
            ask_resign(line)
    elif word == "end" and not argument:
        line.word = word
    return line


def _check_whole(line: Line) -> None:
    """Refuse a message that ends with what may introduce a quote: nobody knows if the lines below belong to it."""
    _first, *_between, last = line.text.split("\n") if "\n" in line.text else ("", "")
    if may_introduce_quote(last):
        detail = _("The message may go on below “%(line)s”, or a quote begins there. Write that line otherwise, and END below.")
        line.state, line.detail = "unreadable", detail % {"line": last.strip()[:60]}


def _explained(argument: str, game: Game, view: JsonMapping | None) -> str:
    """Return the id on which the game has help, in the letters of the game; empty if there is none."""
    found = (of for of in (argument, argument.lower(), argument.upper()) if view is not None and game.explain(view, of))
    return next(found, "")


def _wish(word: str, argument: str, game: Game) -> str:
    """Return `yes` or `no` for a vote on a pause; empty if the line is no vote. A game's own `pause` remains the game's."""
    return "" if not argument and word in game.commands else _WISHES.get(argument.lower().strip(" .!"), "")
