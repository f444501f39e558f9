"""Remarks on the orders of a mail that may revoke them, or make them depend on something."""

from __future__ import annotations

import re

_DOUBTS = re.compile(
    r"\?|\b(?:not|don['’]?t|never|wait|hold|only|if|in case|unless|until|after|try|would|preview|undo|ignore|sorry|instead)\b"
    r"|\b(?:mean|cancel|stop|forget|draft|correction)\b|\b(?:no|nein|nicht)\s*(?:[!.,]|$)"
    r"|\btake (?:\w+ ){1,3}back\b|\b(?:nur|warte\w*|wenn|falls|vorschau|zurück|statt|(?:doch|noch|bitte) nicht)\b"
    r"|\bnicht (?:aus|tun|mach)|^\W*#",
    re.IGNORECASE,
)
# Said of the orders themselves, unlike "not" or "if", which stand in every notice of a company.
_REVOKES = re.compile(
    r"\b(?:ignore|forget|scrap|drop|disregard|cancel) (?:that|these|my|all of|the (?:above|orders?|moves?|first|second|last))\b"
    r"|\b(?:do not|don['’]?t) (?:do|play|carry|execute|run|make) (?:that|this|it|them|these|any|out|the)\b"
    r"|\bon second thoughts?\b|\bchanged my mind\b|\bnot yet\b|\b(?:just|only) a (?:draft|preview|test)\b"
    r"|\bwait (?:for|until|till|with)\b|\btake (?:\w+ ){1,3}back\b"
    r"|\bvergiss (?:das|die)\b|\b(?:doch|noch) nicht\b|\bnicht ausführen\b"
    r"|\bnur (?:ein |eine )?(?:entwurf|vorschau)\b|\bignorier",
    re.IGNORECASE,
)


def is_doubtful(text: str) -> bool:
    """Return True for words that may revoke orders, or make them depend on something: no, wait, only if, a question."""
    return bool(_DOUBTS.search(text))


def revokes(text: str) -> bool:
    """Return True for words that revoke orders wherever they stand in a mail, however much is said around them."""
    return bool(_REVOKES.search(text))
