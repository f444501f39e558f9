"""The words in which players ask for texts and lists, open matches and invite.

Many of them are words of every day (list, new, games), so a line counts only in the forms below: "New plan, Ben?" asks for none.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable

from gamesvc.games import catalog

ASKED = ("rules", "card", "forms", "list", "games")
"""Words that ask for a text or a list and change nothing."""
OPENING = ("new", "invite", "rematch")
"""Words that open a match, or invite to one."""
WRITTEN = {
    "rules": ("rules", "regeln"),
    "card": ("card", "cards", "karte", "karten"),
    "forms": ("forms", "form", "sheet", "formulare", "formular", "bogen"),
    "list": ("list", "matches", "liste", "partien"),
    "games": ("games", "spiele"),
    "new": ("new", "neu"),
    "invite": ("invite", "einladen"),
    "rematch": ("rematch", "revanche"),
}
"""Each word in English and German."""

_WORDS = {written: word for word, all_written in WRITTEN.items() for written in all_written}
_LONGEST_NAME = 5
_INVITED = re.compile(
    r"<?(?P<whom>[^\s<>,;:!?]{1,254})>?(?:\s+(?:(?:to|into|for|zu|in|für)\s+)?(?:match\s+|partie\s+)?#?(?P<number>\d{1,9}))?",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"[.,;!?…](?:\s|$)")
_OPTION = re.compile(r"[^\W\d]\w{0,40}=[^\s=]{1,80}")
LIKENESS = 0.75
"""The likeness, from 0 to 1, from which a word counts as a mistyped one."""


def find(line: str) -> tuple[str, str] | None:
    """Return the word that a line means, in English, and what stands behind it; None for any other line."""
    first, _blank, rest = line.strip().partition(" ")
    written, rest = first.casefold().rstrip(":.!?"), rest.strip()
    word = _WORDS.get(written)
    if word is None or (rest and first[-1] in ".!?"):
        return None
    argument = rest.rstrip(" .!")
    if not argument:
        return word, ""
    return (word, argument) if _takes(word, argument) else None


def is_options(line: str) -> bool:
    """Return True for a line of nothing but NAME=VALUE: a match that is opened above it would lack these options."""
    words = line.split()
    return bool(words) and all(map(_OPTION.fullmatch, words))


def _takes(word: str, argument: str) -> bool:
    """Return True if a word may stand before this."""
    match word:
        case "rules":
            return game_named(argument) is not None
        case "card":
            return len(argument.split()) <= _LONGEST_NAME and not _SENTENCE.search(argument)
        case "new":
            return bool(games_like(argument))
        case "invite":
            return _INVITED.fullmatch(argument) is not None
    return False


def invited(argument: str) -> tuple[str, int | None]:
    """Return whom `invite` names, and the number of the match; None if it names none."""
    found = _INVITED.fullmatch(argument)
    if found is None:
        return argument, None
    return found["whom"], int(found["number"]) if found["number"] else None


def game_named(name: str) -> str | None:
    """Return the id of the game with this id or title, or with the one that begins so; None if there is no single one."""
    key = _plain(name)
    named = [game.id for game in catalog.games() if key in (_plain(game.id), _plain(game.manifest.title))]
    begun = [
        game.id for game in catalog.games() if key and any(_plain(one).startswith(key) for one in (game.id, game.manifest.title))
    ]
    found = named or list(dict.fromkeys(begun))
    return found[0] if len(found) == 1 else None


def games_like(argument: str) -> list[str]:
    """Return the ids of the games whose names begin like this, or nearly so."""
    key = _plain(next((word for word in argument.split() if _plain(word)), ""))
    first = {_plain(name): game.id for game in catalog.games() for name in (game.id.split("_")[0], game.id)}
    begun = [game.id for game in catalog.games() if key and _plain(game.id).startswith(key)]
    return begun or [first[one] for one in difflib.get_close_matches(key, first, n=1, cutoff=LIKENESS)]


def canonical(word: str) -> str:
    """Return one of our words in English, and any other word as it is."""
    return _WORDS.get(word, word)


def nearest(word: str, known: Iterable[str]) -> str:
    """Return the known word that is most like this one, of equals one with the same first letter; empty if none is like it."""
    key = word.casefold()
    likeness = {one: _likeness(key, one) for one in known}
    best = max(likeness, key=lambda one: (likeness[one], one[:1] == key[:1], one), default="")
    return best if best and likeness[best] >= LIKENESS else ""


def _likeness(word: str, known: str) -> float:
    """Return how like two words are; 0 for those of very different length, which are not compared: a word may be a whole mail."""
    matcher = difflib.SequenceMatcher(None, word, known)
    return matcher.ratio() if matcher.real_quick_ratio() >= LIKENESS else 0.0


def _plain(name: str) -> str:
    return re.sub(r"[\W_]+", "", name.casefold()).removeprefix("the")
