"""The input check for all text from outside, whichever channel and field it arrives in.

PostgreSQL cannot store U+0000, a lone surrogate cannot be encoded as UTF-8, and deep nesting exhausts recursive readers. Every
entry point (API, pages, order texts, engine protocol, commands) checks its whole input here once. The meaning and length of each
field are checked where the field is read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass

from gamesvc.games.kernel.game import Refused
from gamesvc.language import say

DEEPEST = 32
LONGEST_NAME = 100
LONGEST_COMMAND = 16 * 1024
"""The limit for a command, in bytes of JSON."""
LONGEST_ORDER = 1000
"""The limit for one order text, in characters."""
LARGEST = 2**53 - 1
"""The largest integer that every JSON reader decodes exactly."""

_UNTAKEN = re.compile("[\x00\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault in a value: its `code` and `detail`, and its path of names and indices from the outermost value."""

    code: str
    detail: str
    path: tuple[str | int, ...] = ()

    @property
    def pointer(self) -> str:
        """Return a JSON Pointer (RFC 6901) as a URI fragment, cut to a useful length."""
        return "#" + "".join("/" + _shown(part).replace("~", "~0").replace("/", "~1") for part in self.path)

    @property
    def dotted(self) -> str:
        """Return the path in the form that refusals use to name a parameter."""
        return ".".join(_shown(part) for part in self.path)


def _shown(part: str | int) -> str:
    """Return a name that is safe to quote in an answer, even if the name itself is at fault."""
    text = _UNTAKEN.sub("\ufffd", str(part))
    return text if len(text) <= LONGEST_NAME else f"{text[:LONGEST_NAME]}…"


def text_fault(text: str) -> str:
    """Return a sentence that names the first unacceptable character of a text; empty if there is none."""
    found = _UNTAKEN.search(text)
    if found is None:
        return ""
    if found[0] == "\x00":
        return say("The text holds the character U+0000, which cannot be kept. Leave it out and send the text again.")
    return say(
        "The text holds half of a surrogate pair (U+{code:04X}), which is not a character. Leave it out and send the text again.",
        code=ord(found[0]),
    )


def whole(text: str, digits: int = 9) -> int | None:
    """Read an integer of up to `digits` digits from a page or link; None for any other text."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= digits else None


def value_fault(value: object, *, whole: bool = False) -> Fault | None:
    """Return the first unacceptable item in a JSON value, or None. Goes as deep as a value may be nested, and no deeper.

    `whole`: also reject fractions, which an event cannot hold.
    """
    return _fault(value, (), whole)


def _fault(item: object, path: tuple[str | int, ...], whole: bool) -> Fault | None:
    if isinstance(item, str):
        detail = text_fault(item)
        return Fault("bad_text", detail, path) if detail else None
    if isinstance(item, int | float):
        return _number_fault(item, path, whole)
    if not isinstance(item, Mapping | list | tuple):
        return None
    if len(path) >= DEEPEST:
        return Fault("too_deep", say("Lists and objects may be nested {most} levels deep.", most=DEEPEST), path)
    if isinstance(item, Mapping) and (fault := _names_fault(item, path)):
        return fault
    inside = item.items() if isinstance(item, Mapping) else enumerate(item)
    return next(filter(None, (_fault(child, (*path, name), whole) for name, child in inside)), None)


def _number_fault(number: float, path: tuple[str | int, ...], whole: bool) -> Fault | None:
    if not -LARGEST <= number <= LARGEST:  # the database would keep 1e300 as a whole number
        text = say("{value} is too large for a whole number; the largest is {most}.", value=_long(number), most=LARGEST)
        return Fault("bad_number", text, path)
    if whole and isinstance(number, float):
        return Fault("bad_number", say("Numbers are whole numbers here, written without a point."), path)
    return None


def _names_fault(item: Mapping[object, object], path: tuple[str | int, ...]) -> Fault | None:
    for name in item:
        if isinstance(name, str):
            if detail := text_fault(name):
                return Fault("bad_text", detail, (*path, name))
            if len(name) > LONGEST_NAME:
                return Fault(
                    "bad_text",
                    say("A name in an object has at most {most} characters.", most=LONGEST_NAME),
                    (*path, name),
                )
    return None


def _long(number: float) -> str:
    return str(number) if isinstance(number, float) or number.bit_length() < 200 else f"A number of {number.bit_length()} bits"


def check(value: object, parameter: str = "", *, whole: bool = True) -> None:
    """Raise `Refused` for a value that an event cannot hold. `parameter` is the name of the value itself."""
    if fault := value_fault(value, whole=whole):
        raise Refused(fault.code, fault.detail, ".".join(filter(None, [parameter, fault.dotted])) or None)


def check_order(text: str) -> None:
    """Raise `Refused` for an order text that is too long or contains unacceptable characters."""
    if detail := text_fault(text):
        raise Refused("bad_text", detail, "text")
    if len(text) > LONGEST_ORDER:
        raise Refused(
            "too_long",
            say(
                "One order has at most {most} characters; this one has {length}.",
                most=LONGEST_ORDER,
                length=len(text),
            ),
            "text",
        )


def check_command(command: object, parameter: str = "") -> None:
    """Raise `Refused` for a command that is too long or contains unacceptable characters. Its schema decides about fractions."""
    check(command, parameter, whole=False)
    length = len(json.dumps(command, ensure_ascii=False, separators=(",", ":")).encode())
    if length > LONGEST_COMMAND:
        detail = say("A command has at most {most} bytes as JSON; this one has {length}.", most=LONGEST_COMMAND, length=length)
        raise Refused("too_long", detail, parameter or None)
