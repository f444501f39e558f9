"""Helpers for orders as text: splitting, tolerant matching, and suggestions for unreadable words."""

from __future__ import annotations

import contextlib
import difflib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextvars import ContextVar

from gamesvc.games.kernel.game import Refused
from gamesvc.games.kernel.wording import listed
from gamesvc.language import joined, say

Judge = Callable[[str, str], bool]
MOST_JUDGED = 12
"""Names like a word that are looked at for a suggestion."""
_judge: ContextVar[Judge | None] = ContextVar("judge", default=None)
FILLERS = frozenset({"to", "from", "at", "the", "with", "on", "a", "an", "and", "of", "in", "->"})
NOTHING = ("none", "nothing")
"""The words for an empty list."""
_ENGLISH = "a an and as at but by for from if in into it no not of on only or so than that the then to until when while with"
_GERMAN = (
    "als am an auf aus bei bis da das dem den der des die ein es für im in ja nicht nie nur ob oder so um und von vor wenn zu"
)
SMALL_WORDS = frozenset(f"{_ENGLISH} {_GERMAN}".split())
"""Words that join others. None of them stands for a name that begins with it: `or` is no Orion, and `a` is no Avoid."""


def words(text: str, fillers: frozenset[str] = FILLERS) -> list[str]:
    """Split an order into words. Commas, semicolons and filler words such as "to" between other words are ignored."""
    return without_fillers(re.sub(r"->|=>|[,;]", " ", text).split(), fillers)


def without_fillers(said: Sequence[str], fillers: frozenset[str] = FILLERS) -> list[str]:
    """Leave filler words out between others. "At the end" and "pass on" are no orders: raises `Refused` for the first one."""
    if said and said[0].casefold() in fillers:
        raise Refused("unreadable", say("An order does not begin with {word!r}. Begin with the order word.", word=said[0]))
    return [word for at, word in enumerate(said) if word.casefold() not in fillers or at == len(said) - 1]


def some(said: Sequence[str], none: str) -> None:
    """Refuse an order that names nothing: an empty list is only what is written as such. `none`: how to write it."""
    if not said:
        raise Refused("unreadable", say("Write what you mean, or for nothing: {none}.", none=none))


@contextlib.contextmanager
def judged(judge: Judge | None) -> Iterator[None]:
    """Suggest only what `judge(word, name)` lets stand for a word, while the block runs; anything that is like it with None."""
    before = _judge.set(judge)
    try:
        yield
    finally:
        _judge.reset(before)


def no_more(said: Sequence[str]) -> None:
    """Refuse what is left over of an order: it may be a condition ("if Ben agrees") or a second thought ("no, wait")."""
    if said:
        raise Refused("unreadable", say("Leave {words!r} out of this order.", words=" ".join(said)))


def items(said: Sequence[str], nothing: Sequence[str] = NOTHING) -> Sequence[str]:
    """Return the words of a list, which is empty if its only word is one of `nothing`. Among others these are refused."""
    if len(said) == 1 and said[0].casefold() in nothing:
        return []
    no_more([word for word in said if word.casefold() in nothing])
    return said


def suggest(word: str, known: Iterable[str], most: int = 3) -> str:
    """Return " Did you mean C4?" or an empty string."""
    options = {item.casefold(): item for item in known}
    judge = _judge.get()
    close = difflib.get_close_matches(word.casefold(), options, n=most if judge is None else MOST_JUDGED, cutoff=0.5)
    if judge is not None:
        with judged(None):
            close = [item for item in close if judge(word, options[item])][:most]
    if not close:
        return ""
    return joined("", say("Did you mean {names}?", names=listed((options[item] for item in close), "or")))


def pick(word: str, known: Mapping[str, str] | Iterable[str], what: str) -> str:
    """Return the known name that `word` stands for: an exact match or an unambiguous prefix. Raises `Refused` otherwise.

    `known` maps accepted spellings to names; a plain list maps each name to itself.
    """
    names = known if isinstance(known, Mapping) else {name: name for name in known}
    folded = {name.casefold().replace("_", "").replace("-", ""): meant for name, meant in names.items()}
    key = word.casefold().replace("_", "").replace("-", "")
    if key in folded:
        return folded[key]
    starting = {meant for name, meant in folded.items() if begins(name, key)}
    if len(starting) == 1:
        return starting.pop()
    if len(starting) > 1:
        raise Refused(
            "unreadable",
            say("{word!r} may mean {names}. Write more of the word.", word=word, names=listed(sorted(map(str, starting)), "or")),
            what,
        )
    raise Refused(
        "unreadable",
        say("There is no {what} {word!r} here.{suggest}", what=say(what), word=word, suggest=suggest(word, names)),
        what,
    )


def begins(name: str, word: str) -> bool:
    """Return whether a word stands for a name as its beginning. Both are written small."""
    return bool(word) and word not in SMALL_WORDS and name.startswith(word)


def lines_on(grammar: str, spellings: Iterable[str], most: int = 4) -> str:
    """Return the lines of an order grammar that hold an order word in one of its spellings."""
    spelled = "|".join(re.escape(one.replace("_", " ")) for one in spellings)
    held = re.compile(rf"(?<![\w-])(?:{spelled})(?![\w-])")
    return "\n".join([line.strip() for line in grammar.split("\n") if held.search(line)][:most])


def number(word: str, what: str) -> int:
    """Read an integer. Raises `Refused` for anything else."""
    if not re.fullmatch(r"[+-]?\d{1,9}", word):
        raise Refused("unreadable", say("{word!r} is not a number for {what}.", word=word, what=say(what)), what)
    return int(word)
