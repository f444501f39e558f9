"""The parser of order mails: it separates orders in the game's notation from service words. Nothing is carried out here."""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext

from gamesvc.games.kernel.game import RESIGN, Game, Refused
from gamesvc.games.kernel.timeline import LONGEST_ORDER, check_command, read_order
from gamesvc.json_types import JsonMapping, JsonObject
from gamesvc.matches.lobby import press
from gamesvc.matches.mail_orders import blocks, player_names, remarks, tolerance
from gamesvc.matches.mail_orders.words import lines as service_lines
from notifications.parsing.quotes import is_farewell, may_introduce_quote
from notifications.parsing.text import END, NONE_QUOTED, PerhapsQuoted

MOST_LINES = 60
MOST_HISTORY = 200
HELP = gettext_noop("""help           the orders of your game, and these words
help WORD      how an order is written, and what it can do now
help c12       what a card, piece or place is, by its id
rules          the rules in short, and where to find them all
card NAME      what a card or unit does; card alone lists them
forms          an order sheet: the orders you can give now
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
list           your matches: whose turn it is, and until when
games          the games that you can play
new GAME       opens a match; options behind it: seats=2 hours=48 bots=greedy
invite ADDRESS invites to your open match: a mail address or a player
rematch        after the end: the same match again, for the same players
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
ASKING = ("help", "board", "hand", "status", "history", "preview", *service_lines.ASKED)
# Words that change the match in the order of the lines, like orders. Later lines depend on them.
IN_ORDER = ("undo", "redo")
# Words with an effect beside the match, which stay in force if orders are refused.
ASIDE = ("press", "vacation", "standing", "draw?", "pause", "resume", *service_lines.OPENING)
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

# Every word that makes a line one for the service, whatever follows it. The words of `word_lines` do so in their own forms only.
WORDS = frozenset((*ASKING, *IN_ORDER, *ASIDE, *TIMING, *GERMAN, "draw", "resign", "end")) - {*service_lines.WRITTEN}
# The words that can be suggested for an unknown one: they never fail.
SUGGESTED = frozenset(
    (
        "help",
        "board",
        "hand",
        "status",
        "history",
        "hilfe",
        "brett",
        "blatt",
        "verlauf",
        *itertools.chain(*(service_lines.WRITTEN[word] for word in service_lines.ASKED)),
    )
)

_GREETING = re.compile(r"^(?:hi|hello|hallo|dear|thanks|thank you)\b[^0-9]{0,40}[,.!]?$", re.IGNORECASE)
_ANSWERS = {"": "", "yes": "yes", "no": "no", "ja": "yes", "nein": "no", "accept": "yes", "decline": "no"}

_WISHES = {"": "yes", "yes": "yes", "no": "no", "match": "yes", "match yes": "yes", "match no": "no"}


@dataclass(slots=True)
class Line:
    """One line of a mail. `word` is a service word, or `order`; `state` is its result.

    `number` depends on the text alone, since it identifies what the line does: lines without text do not count, and the rest of a
    broken line counts although it is no line of its own.

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
            "word": self.word,
            "text": self.text,
            "understood": self.understood,
            "state": self.state,
            "detail": self.detail,
        }


def read(
    text: str,
    game: Game,
    view: JsonMapping | None,
    names: Sequence[str] = (),
    below: str = "",
    perhaps_quoted: PerhapsQuoted = NONE_QUOTED,
) -> list[Line]:
    """Return the lines of a mail's block of orders, with the greeting above it, and one line for the text below it.

    Unreadable lines are marked with the reason and a suggestion. `names`: the players' names, which orders may use instead of
    colours. `below`: what is cut off, by a quote or a signature: it is not read, but a line tells of orders there.
    `perhaps_quoted`: orders among these lines of the text are asked about.
    """
    known = {*game.verbs, *WORDS}
    raws = [part for line in tolerance.lines(text, known) for part in tolerance.parts(line, game.verbs)]
    written = _whole(raws, game, view, names)
    block = blocks.find([tolerance.bare(one.text.partition("\n")[0]) for one in written], WORDS, game)
    parts = (written[: block.first], written[block.first : block.end], written[block.end :])
    greeting, orders, rest = ([one for one in part if one.text.strip()] for part in parts)
    lines = [Line(number, tolerance.bare(one.text), "courtesy", state="ignored") for number, one in enumerate(greeting, 1)]
    read_lines, whole = _read_orders(orders, len(lines) + 1, game, view, names)
    if block.name_last:
        _ask_of_name(read_lines[-1])
    lines += read_lines
    if whole and rest:
        remark = rest[0].text.strip()
        lines.append(_doubt(_after(lines), remark) if block.in_doubt else _unread(_after(lines), remark, block.orders_below))
    if order := _perhaps_quoted(text, perhaps_quoted, known, game):
        detail = _("This may be a quoted line. If it is yours, send all orders again, together and above the quoted mail.")
        return [*lines, Line(_after(lines), order, "order", state="unreadable", detail=detail)]
    if blocks.revokes(below, ended=text.rstrip().endswith(f"\n{END}")):
        detail = _("This stands below the quoted mail and may take your orders back. Send the orders again without it.")
        return [*lines, Line(_after(lines), below.strip(), "order", state="unreadable", detail=detail)]
    if left := blocks.left_orders(below, known, game):
        lines.append(_unread(_after(lines), left[0], len(left)))
    return lines


def _perhaps_quoted(text: str, lines: PerhapsQuoted, known: Collection[str], game: Game) -> str:
    """Return the first order that may be a quoted one: right between quoted lines, or below them with orders above them."""

    def orders_in(part: str) -> list[str]:
        said = map(tolerance.bare, part.split("\n"))
        return [line for line in said if blocks.means_order(line, known, game) and not blocks.is_vague(line, known, game)]

    after = orders_in(lines.after)
    if after and not orders_in(text.removesuffix(lines.after)):
        after = []
    return next(iter([*orders_in(lines.within), *after]), "")


def _after(lines: Sequence[Line]) -> int:
    return lines[-1].number + 1 if lines else 1


class _Written(NamedTuple):
    """A line as it is read, and how many lines of the mail it was."""

    text: str
    lines: int = 1


def _read_orders(
    orders: Sequence[_Written], number: int, game: Game, view: JsonMapping | None, names: Sequence[str]
) -> tuple[list[Line], bool]:
    """Return the lines, numbered from `number`, and False if they end before the last one: with END, or with too many of them."""
    lines: list[Line] = []
    tried_out, known = False, {*game.verbs, *WORDS}
    closed = bool(orders) and _split(0, tolerance.bare(orders[-1].text), game, view).word == "end"
    for at, written in enumerate(orders, 1):
        line = _split(number, tolerance.bare(written.text), game, view)
        number += written.lines
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
        short = len(line.order.split()[0]) < blocks.SHORTEST_ABBREVIATION if line.order else False
        name_like = line.text.endswith((",", ":")) or short or not closed
        if line.command and game.verbs and name_like and blocks.begins_otherwise(line.order, known, game):
            _ask_of(line, _("This may be a name. Write the order out: %(order)s"))
        elif line.command and len(orders) - closed > 1 and " " not in line.text and remarks.is_revocation(line.text):
            _ask_of(line, _("This may take your orders back. To give it as an order, write it out: %(order)s"))
    return lines, True


def _ask_of(line: Line, detail: str) -> None:
    line.state, line.command, line.detail = "unreadable", None, detail % {"order": line.understood}


def _ask_of_name(line: Line) -> None:
    """Ask if a word below the orders is a name or the order of that name; a word that is no order by itself is a name."""
    if line.command:
        _ask_of(line, _("This may be a name. Write the order out: %(order)s"))
    elif line.is_order and line.state == "unreadable":
        unread = _unread(line.number, line.text, 0)
        line.word, line.state, line.detail = unread.word, unread.state, unread.detail


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


def _whole(lines: Sequence[str], game: Game, view: JsonMapping | None, names: Sequence[str]) -> list[_Written]:
    """Join a long order with its rest, which a mail program has put on the next line: if it is one with it.

    A rest that is an order too is joined where the order is only tried out, or ends between two of its parts.
    """
    whole: list[_Written] = []
    for line in lines:
        above = whole[-1] if whole else _Written("")
        joined = f"{above.text} {line.strip()}"
        broken = line.strip() and len(above.text) >= tolerance.WRAPPED_AT and view is not None
        tried_out, order = _without_preview(joined)
        whole_anyway = tried_out or tolerance.is_open(above.text)
        if broken and _reads(order, game, view, names) and (whole_anyway or not _reads(line, game, view, names)):
            whole[-1] = _Written(joined, above.lines + 1)
        else:
            whole.append(_Written(line))
    return whole


def _without_preview(line: str) -> tuple[bool, str]:
    """Return whether a line only tries an order out, and the order."""
    said = tolerance.bare(line)
    if canonical(tolerance.first_word(said)) != "preview":
        return False, said
    return True, said.partition(" ")[2]


def _reads(order: str, game: Game, view: JsonMapping | None, names: Sequence[str] = ()) -> bool:
    if view is None:
        return False
    try:
        player_names.read_with_names(tolerance.bare(order), names, functools.partial(_read_one, game, view))
    except Refused:
        return False
    return True


def _doubt(number: int, text: str) -> Line:
    """Return the line for remarks below the orders that may revoke them: none is carried out."""
    detail = _(
        "This, or what stands below it, may take your orders back. "
        "If it does not, send the orders again with a line END below them."
    )
    return Line(number, text.partition("\n")[0], "order", state="unreadable", detail=detail)


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
        line.state, line.detail = "unreadable", _nearest_word(order, game) or refused.sentence
        return
    line.command, line.understood = command, game.render(command)
    if line.is_order and command["name"] == RESIGN and line.argument != "yes":
        line.word = "resign"
        ask_resign(line)


def canonical(word: str) -> str:
    """Return a service word in English, and any other word as it is, in small letters."""
    folded = word.casefold()
    return GERMAN.get(folded) or service_lines.canonical(folded)


def meant_word(line: Line, game: Game, *, over: bool) -> str:
    """Return a sentence with the service word that a line for a match that is not running probably meant; empty if none."""
    return _nearest_word(line.text, game, *(service_lines.WRITTEN["rematch"] if over else ()))


def _nearest_word(order: str, game: Game, *more: str) -> str:
    """Return a sentence with the service word that was probably meant; empty if the order begins like one of the game."""
    word = tolerance.first_word(order)
    if not word or any(verb.startswith(word) for verb in game.verbs):
        return ""
    suggested = {*SUGGESTED, *more}
    nearest = service_lines.nearest(word, {*game.verbs, *suggested})
    if nearest not in suggested:
        return ""
    return _("There is no word “%(word)s”. Did you mean: %(nearest)s") % {"word": word, "nearest": nearest}


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
    elif word not in game.verbs and (found := service_lines.find(text)) is not None:
        line.word, line.argument = found
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
        _check_whole(line, game, view)
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


def _check_whole(line: Line, game: Game, view: JsonMapping | None) -> None:
    """Refuse a message of which nobody knows if it ends: what may introduce a quote, or an order, stands in it or right below."""
    if len(line.text) > press.LONGEST + LONGEST_ORDER:
        # Too long to be passed on, whatever stands in it.
        line.state, line.detail = "unreadable", _("A message has at most %(count)s characters.") % {"count": press.LONGEST}
        return
    first, *below = line.text.split("\n")
    order = next((one for one in below if _reads(one, game, view)), below[-1] if below else "")
    if below and may_introduce_quote(below[-1]):
        detail = _("The message may go on below “%(line)s”, or a quote begins there. Write that line otherwise, and END below.")
        line.state, line.detail = "unreadable", detail % {"line": below[-1].strip()[:60]}
    elif below and (not tolerance.BLOCK.match(first) or _reads(order, game, view)):
        detail = _("“%(line)s” may be an order, or belong to the message. Write an empty line above it, or change its words.")
        if line.word == tolerance.STANDING:
            detail = _(
                "“%(line)s” may be an order, or belong to the conditional order above it. Write an empty line above it, or "
                "conditional orders in shorter lines."
            )
        line.state, line.detail = "unreadable", detail % {"line": order.strip()[:60]}


def _explained(argument: str, game: Game, view: JsonMapping | None) -> str:
    """Return the id on which the game has help, in the letters of the game, or a single word; empty for anything else."""
    found = (of for of in (argument, argument.lower(), argument.upper()) if view is not None and game.explain(view, of))
    word = argument.rstrip(".!?")
    return next(found, "" if " " in word else word)


def _wish(word: str, argument: str, game: Game) -> str:
    """Return `yes` or `no` for a vote on a pause; empty if the line is no vote. A game's own `pause` remains the game's."""
    return "" if not argument and word in game.commands else _WISHES.get(argument.lower().strip(" .!"), "")
