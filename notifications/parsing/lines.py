"""The lines of a text, and which of them are quoted. Nothing else here divides a text into lines."""

from __future__ import annotations

import re
from unicodedata import east_asian_width

# Some programs put the initials of the quoted writer before the mark, or use a colon.
PRESS = re.compile(r"^(?:press|nachricht)\b", re.IGNORECASE)
"""The word with which a message to other players begins."""
QUOTED = re.compile(r"^\s*(?:(?:[A-Za-z]{1,3}(?=>))?[>|]|:(?=\s))")
# A line of at least this many columns that ends with a blank was broken by a program (RFC 3676) and not by a person.
FLOWED_COLUMNS = 50


def lines_of(text: str) -> list[str]:
    """Return the lines of a text, without their ends.

    Mails end their lines with line feeds, and programs put their marks at quoted lines by these alone. Unicode has more ends of
    lines, and some mails hold bare returns: these divide a line too, but what follows a quoted piece is as quoted as that.
    """
    found: list[str] = []
    ends = text if "\n" in text else text.replace("\r", "\n")
    for line in ends.removesuffix("\n").split("\n") if ends else []:
        quoted = False
        for piece in line.removesuffix("\r").splitlines() or [""]:
            found.append(f"> {piece}" if quoted and not QUOTED.match(piece) else piece)
            quoted = quoted or bool(QUOTED.match(piece))
    return found


def columns(line: str) -> int:
    return sum(2 if east_asian_width(character) in "WF" else 1 for character in line)
