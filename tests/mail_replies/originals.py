"""The mails that players answer: ours, rendered by the shipped templates, and those of players, which have no mark."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass, replace
from html import escape
from types import SimpleNamespace
from typing import Any

from django.template.loader import render_to_string
from django.utils import translation
from inscriptis import get_text

from notifications.parsing.text import END, MARK
from notifications.sending.mail import _html as with_inlined_style
from notifications.sending.mail import in_columns
from tests.mail_replies.positions import Position, position

REPLY_ADDRESS = "turn+aaaaaaaaaaaaaaaaaaaaaaaaaa@reply.games.example"
OURS = "play@games.example"
LONG_ADDRESS = "play-by-mail.service@long-name-of-a-club.games.example"
# As long as a line of 76 columns allows behind `> `: the order behind it goes to the next line.
_ADVICE = "If it were my turn I would not wait for anyone else, and I would play this"
BANNER = "[EXTERNAL] This message comes from outside the organisation. Do not click links or open attachments."


@dataclass(frozen=True, slots=True)
class Original:
    """A mail that a player received, or wrote before. All are of Friday, 20 November 2026, 18:00 in Berlin."""

    text: str
    html: str
    """The content of the body, with inlined style."""
    subject: str
    name: str
    address: str
    to: str = "anna@players.example"
    to_name: str = "Anna"

    @property
    def who(self) -> str:
        return f"{self.name} <{self.address}>"

    @property
    def shown(self) -> str:
        """The HTML as text: many programs quote it in their plain part."""
        return _shown(self.html)


@functools.cache
def _shown(html: str) -> str:
    lines = (line.strip() for line in str(get_text(html)).splitlines())
    return "\n".join(lines).strip("\n")


KINDS = ("turn", "receipt", "press", "earlier", "ally", "orders", "advice", "thread")
"""`turn`, `receipt`, `press`: our mails, with our mark. The others have none. `earlier`: an own order mail; `ally`: a mail of
another player with orders; `orders`: the same without any other word; `advice`: orders at the ends of long lines; `thread`: an
order above a quote with more."""


@functools.cache
def original(game: str, kind: str, language: str = "en") -> Original:
    """Return a mail of this kind about a match of a game. `language` is the player's; ours is in English or German."""
    here = position(game)
    with translation.override("de" if language == "de" else "en"):
        match kind:
            case "turn":
                return _ours(here, "your_turn", "Your move: " + here.prompt.replace("_", " "), _turn(here))
            case "receipt":
                return _ours(here, "receipt", "2 orders done", _receipt(here))
            case "press":
                return _ours(here, "press", "Message from ben", _press(here))
            case "earlier":
                return _personal(here, "Anna", "anna@players.example", [*here.quoted, END, "", "Anna"])
            case "ally":
                return _personal(here, "Ben Sample", "ben@club.example", ["Hi Anna,", "", *here.quoted, "", "Ben"])
            case "advice":
                return _personal(here, "Ben Sample", "ben@club.example", [f"{_ADVICE} {order}" for order in here.quoted])
            case "thread":
                quoted = [f"> {order}" for order in here.quoted[1:]]
                head = "On 19 Nov 2026, at 20:00, Carl Club <carl@club.example> wrote:"
                lines = ["I'd rather:", here.quoted[0], "", head, ""]
                return _personal(here, "Ben Sample", "ben@club.example", [*lines, *quoted])
            case "orders":
                return _personal(here, "Ben Sample", "ben@club.example", list(here.quoted))
    raise KeyError(kind)


def without_mark(given: Original) -> Original:
    """Return the mail as some programs quote it: without our mark."""
    return replace(given, text=given.text.replace(MARK, "").lstrip("\n"), html=given.html.replace(MARK, "&nbsp;"))


def with_banner(given: Original) -> Original:
    """Return the mail with a warning above everything, as the player's own gateway puts it."""
    box = f'<table border="0"><tr><td bgcolor="#ffeb9c">{escape(BANNER)}</td></tr></table><br>'
    return replace(given, text=f"{BANNER}\n\n{given.text}", html=box + given.html, subject=f"[EXTERNAL] {given.subject}")


def from_long_address(given: Original) -> Original:
    """Return the mail from a sender so long that every program wraps its attribution."""
    return replace(given, name=f"{given.name} of the Play by Mail Club", address=LONG_ADDRESS)


def selection(given: Original, orders: tuple[str, ...]) -> Original:
    """Return a part of the mail, as programs quote it that quote the selected text only: an example with orders."""
    return replace(given, text="\n".join(orders), html="".join(f"<div>{order}</div>" for order in orders))


def _ours(here: Position, template: str, headline: str, more: Mapping[str, Any]) -> Original:
    context = {
        "mark": MARK,
        "end": END,
        "match": SimpleNamespace(number=42),
        "title": here.title,
        "credit": here.game.manifest.credit,
        "headline": headline,
        "seat_name": "Red",
        "board_text": here.board,
        "since": ["ben moved.", "ben ended the turn."],
        "link": "https://games.example/matches/42/",
        "head": "17:0123456789abcdef",
        "reply_to": REPLY_ADDRESS,
        "stop": "https://games.example/stop/abcdef",
        **more,
    }
    text = in_columns(render_to_string(f"notices/{template}.txt", context))
    page = with_inlined_style(render_to_string(f"notices/{template}.html", context), {})
    body = page.partition("<body")[2].partition(">")[2].rpartition("</body>")[0]
    subject = f"[{here.title} #42] {headline}, due Sun 22 Nov 18:00 CET"
    return Original(text, body, subject, f"{here.title} #42", OURS)


def _turn(here: Position) -> dict[str, Any]:
    """Return the facts of a turn mail. A legal order stands alone in a line, as the service's help gives it."""
    return {
        "due": "Sun 22 Nov 18:00 CET",
        "due_utc": "Sun 22 Nov 17:00 UTC",
        "left": "2 days",
        "without": here.quoted[-1],
        "orders": "\n".join([here.game.order_help(here.prompt), *here.quoted]),
    }


def _receipt(here: Position) -> dict[str, Any]:
    first, second, *rest = here.quoted
    line = {"good": True, "sign": "done", "detail": ""}
    return _turn(here) | {
        "received": "Fri 20 Nov 17:58 CET",
        "lines": [
            line | {"number": 1, "shown": first, "written": first.upper()},
            line | {"number": 2, "shown": second, "written": "", "sign": ""},
        ],
        "sections": [{"title": "Orders held", "text": "\n".join(rest)}],
        "expected": "anna: build, until Sun 22 Nov 18:00 CET",
    }


def _press(here: Position) -> dict[str, Any]:
    said = ["I would play:", *here.quoted, "What do you think?"]
    return {"said_lines": "\n".join(said), "said": "\n".join(said), "author": "ben", "head": "", "board_text": ""}


def _personal(here: Position, name: str, address: str, lines: list[str]) -> Original:
    html = "".join(f"<div>{escape(line) or '<br>'}</div>" for line in lines)
    return Original("\n".join(lines) + "\n", html, f"Re: [{here.title} #42] Your turn", name, address)
