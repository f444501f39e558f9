"""Answers to a question of yes or no by mail: a seat is taken or refused only by one that says nothing else beside it."""

from __future__ import annotations

import re

from notifications.parsing.quotes import is_farewell
from notifications.parsing.text import END

_YES = re.compile(r"\b(?:yes|yep|yeah|sure|join|ja|gern|gerne|klar|dabei)\b", re.IGNORECASE)
_NO = re.compile(r"n't\b|\b(?:no|not|never|decline|nein|nicht|kein\w*|nie)\b", re.IGNORECASE)
_OPEN = re.compile(
    r"\?|\b(?:but|only|unless|if|wait|later|instead|otherwise|perhaps|maybe|thoughts?"
    r"|aber|nur|wenn|falls|warte|später|erst|stattdessen|sonst|vielleicht|doch)\b",
    re.IGNORECASE,
)
# What makes a polite refusal of a yes, or puts it off: beside a no it changes nothing.
_PUTS_OFF = re.compile(
    r"\b(?:unfortunately|sadly|alas|sorry|afraid|regret|however|though|although|except|when|once|after|until|till|soon|tomorrow"
    r"|tonight|next (?:time|week|month|year|match|game|round)|another time|some other|busy|think about|let me|get back to"
    r"|jedoch|allerdings|leider|schade|bedaure|sobald|nachdem|bald|morgen|nächste[nrs]?|ein andermal|melde mich|überleg\w*"
    r"|sofern|bis (?:dahin|zum|zur))\b",
    re.IGNORECASE,
)
# What stands behind `join` in a sentence, where a name would stand.
_NO_NAME = re.compile(r"join\W+(?:us|me|you|them|in|now|up|please|the|this|that|your|uns|mich|bitte|NAME|\(?your name\)?)\b")


def is_clear(text: str) -> bool:
    """Return True if an answer says either yes or no, without a condition, a question or a second thought."""
    lines = [line.strip() for line in text.split("\n") if line.strip() and line.strip() != END]
    if not lines:
        return False
    first, rest = lines[0], " ".join(line for line in lines[1:] if not is_farewell(line))
    if _OPEN.search(first) or (_YES.search(first) and _NO.search(first)) or _NO_NAME.match(first[:1].lower() + first[1:]):
        return False
    other = _YES if _NO.search(first) else _NO
    if other is _NO and (_OPEN.search(rest) or _PUTS_OFF.search(f"{first} {rest}")):
        return False
    return not other.search(rest)
