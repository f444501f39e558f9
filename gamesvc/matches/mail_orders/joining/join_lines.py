"""The reading of answers to invitations: accepted, declined or neither, and the name that a new player chooses.

Only `join` names a player. So no polite word becomes anyone's name: "Yes please" accepts, and a new player is asked for a name.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum

from gamesvc.matches.mail_orders.joining.clear_answers import is_clear

JOIN = ("join", "yes", "ja")
DECLINE = ("decline", "no", "nein")
BLOCK = ("block", "blockieren")
_GREETING = re.compile(
    r"\W*(?:hi|hello|hey|dear|hallo|moin|servus|liebe[rs]?|guten \w+|good \w+)\b[^.?;:]{0,40}[,.!]*", re.IGNORECASE
)
_JOIN_NAME = re.compile(r"\W*(?:(?:yes|yep|yeah|sure|ok|okay|ja|gerne?|klar)\b[\s,.!]+)?join\b[\s:]*(?P<name>.*)", re.IGNORECASE)
# What accepts, and what may stand beside it. Anything else in that line may decline: "I would love to, sadly ...".
_ACCEPTS = re.compile(
    r"(?:yes|yep|yeah|sure|ok|okay|ja|gerne?|klar|absolutely|definitely|with pleasure|mit vergnügen|let['’]?s play"
    r"|(?:you can )?count me in|i accept|i(?:['’]m| am) (?:in|happy to|glad to)|(?:happy|glad) to"
    r"|i(?:['’]d| would)(?: really)? (?:love|like) to|i(?:['’]ll| will) (?:play|join)"
    r"|(?:ich )?bin dabei|ich (?:spiele|mache)(?: gerne?)? mit|ich nehme an)\b",
    re.IGNORECASE,
)
_BESIDE = re.compile(
    r"(?:please|bitte|thanks?(?: you)?|danke|of course|natürlich|sehr|very much|a lot|so much|all|great|nice|super|cool"
    r"|toll|gladly|for (?:the|your) invitation|for inviting me|für die einladung|sounds (?:good|great|fun)"
    r"|play|join|in|too|with you(?: all)?|a game|this game|the game|the match|this match|mit|and|und)\b",
    re.IGNORECASE,
)
_BETWEEN = re.compile(r"[\W_]+")
_WORD_END = re.compile(r"[\W_]")
_PLACEHOLDERS = {"name", "yourname", "your name", "deinname", "dein name", "othername"}
# What stands behind `join` in a sentence: politeness that changes nothing, and words that leave open what is meant.
_POLITE = {"please", "bitte", "gladly", "gern", "gerne", "now", "thanks", "danke"}
_SENTENCE = {
    "us",
    "me",
    "you",
    "them",
    "in",
    "up",
    "the",
    "this",
    "that",
    "your",
    "my",
    "it",
    "uns",
    "mich",
    "with",
    "and",
    "und",
}
_MARKS = " .!\"'<>()[]„“”‚‘’«»*_"


class Meaning(Enum):
    """The meaning of an answer to an invitation."""

    JOIN = "join"
    DECLINE = "decline"
    BLOCK = "block"
    """Decline, and block the user who has invited: a line of its own."""
    PLACEHOLDER = "placeholder"
    """`join NAME`, copied as it stands."""
    UNCLEAR = "unclear"


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer to an invitation; `name` is what a new player wants to be called, if they say so."""

    meaning: Meaning
    name: str = ""


def read(text: str, *, named: bool = False) -> Reply:
    """Return the meaning of an answer. In doubt it is unclear: a seat is taken or refused by nothing else.

    `named`: its writer has a name here, so what stands behind `join` may be meant otherwise: "join later".
    """
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    if len(lines) > 1 and _GREETING.fullmatch(lines[0]):
        del lines[0]
    first = lines[0] if lines else ""
    if first.casefold().strip(_MARKS) in BLOCK:
        return Reply(Meaning.BLOCK)
    found = _JOIN_NAME.fullmatch(first)
    name = _name(found["name"]) if found is not None else ""
    if name.casefold() in _PLACEHOLDERS:
        return Reply(Meaning.PLACEHOLDER)
    if name.casefold() in _POLITE:
        name = ""
    if name and name.split()[0].casefold() in _SENTENCE:
        return Reply(Meaning.UNCLEAR)
    if found is not None:
        # A name may be any one word; more of them, and what stands behind a comma, may open again what was said.
        beside = found["name"] if named or " " in name else found["name"].partition(",")[2]
        clear = is_clear("\n".join([f"join {beside}", *lines[1:]])) and not (named and " " in name)
        return Reply(Meaning.JOIN, name) if clear else Reply(Meaning.UNCLEAR)
    accepts, plain = _read_yes(first)
    if not is_clear("\n".join(lines)):
        return Reply(Meaning.UNCLEAR)
    word, _rest = first_word("\n".join(lines))
    if word in DECLINE:
        return Reply(Meaning.UNCLEAR if accepts else Meaning.DECLINE)
    return Reply(Meaning.JOIN if accepts and plain else Meaning.UNCLEAR)


def _read_yes(line: str) -> tuple[bool, bool]:
    """Return whether something in a line accepts, and whether nothing stands in it but that and what may stand beside it."""
    accepts, plain, at = False, True, 0
    while at < len(line):
        if found := _BETWEEN.match(line, at):
            at = found.end()
            continue
        yes = _ACCEPTS.match(line, at)
        found = yes or _BESIDE.match(line, at)
        accepts, plain = accepts or yes is not None, plain and found is not None
        end = _WORD_END.search(line, at)
        at = found.end() if found else end.start() if end else len(line)
    return accepts, plain


def _name(written: str) -> str:
    """Return the name behind `join`, without marks, without thanks behind a comma, and without "as" or NAME before it."""
    words = written.partition(",")[0].strip(_MARKS).split()
    while len(words) > 1 and words[0].casefold() in {"as", "als", "name"}:
        del words[0]
    return " ".join(words).strip(_MARKS)


def first_word(text: str) -> tuple[str, str]:
    """Return the first word of an answer, in lower case, and the rest of its line."""
    first = next((line.strip() for line in text.split("\n") if line.strip()), "")
    word, _space, rest = first.partition(" ")
    return word.lower().strip(".,!:"), rest.strip(" .!")
