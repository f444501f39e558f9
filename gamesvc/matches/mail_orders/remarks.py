"""Remarks on the orders of a mail that may revoke them, or make them depend on something."""

from __future__ import annotations

import re

# "No", a question, a condition, a moment, another player's words, a second thought.
_DOUBTS = re.compile(
    r"\?|\b(?:not|don['’]?t|dont|never|no ?one|nothing|wait|hold|hang on|only|if|in case|unless|until|till|after|try|would)\b"
    r"|\b(?:could|might|ask|preview|undo|ignore|sorry|instead|mean|meant|cancel|stop|forget|draft|correction|oops|wrong|scratch|disregard)\b"
    r"|\b(?:abort|retract)\b"
    r"|\b(?:never ?mind|joking|kidding|maybe|perhaps|probably|actually|later|tomorrow|as soon as)\b"
    r"|\b(?:when(?:ever)?|once|assuming|provided)\b"
    r"|\b(?:suppose|depends?|ideas?|suggest\w*|propos\w*|advis\w*|says?|said|wrote|writes|wants me|let me)\b"
    r"|\b(?:think about|yet|before)\b"
    r"|\b(?:no|nein|nicht)\s*(?:[!.,]|$)|\btake (?:\w+ ){1,3}back\b|^\W*#"
    r"|\b(?:nur|warte\w*|moment|wenn|falls|sobald|sofern|sonst|vielleicht|eventuell|morgen|später|erst|vorschau|zurück|statt)\b"
    r"|\b(?:(?:doch|noch|bitte|lieber) nicht|nicht (?:aus|tun|mach)\w*|vergiss|storn\w*|verw[ei]rf\w*|falsch\w*)\b"
    r"|\b(?:abbrechen|schreibt|meint)\b"
    r"|\b(?:annule\w*|ignorez|attend\w*|si|pas|cancela\w*|espera|ignora\w*|annulla\w*|aspetta)\b",
    re.IGNORECASE,
)
# Said of the orders themselves, unlike "not" or "if", which stand in every notice of a company.
_REVOKES = re.compile(
    r"\b(?:ignore|forget|scrap|scratch|drop|disregard|cancel|retract) (?:that|these|this mail|my|it|all of)\b"
    r"|\b(?:ignore|forget|scrap|scratch|drop|disregard|cancel|retract) the (?:above|orders?|moves?|first|second|last)\b"
    r"|\bplease (?:disregard|ignore)\W*$|\bdo nothing\b|\bon second thoughts?\b|\bchanged my mind\b|\bnot yet\b|\bnever ?mind\b"
    r"|\b(?:do not|don['’]?t) (?:do|play|carry|execute|run|make) (?:that|this|it|them|these|any|out|the)\b"
    r"|\b(?:just|only) a (?:draft|preview|test)\b|\bwait (?:for|until|till|with)\b|\btake (?:\w+ ){1,3}back\b"
    r"|\b(?:hang|hold) (?:on|off)\b|\bwrong (?:match|game|mail|orders?)\b|\b(?:am|was) (?:joking|kidding)\b"
    r"|\b(?:let me|i will) (?:ask|think)\b|\bvergiss (?:das|die|es)\b|\b(?:doch|noch) nicht\b|\bnicht ausführen\b|\bstorn\w+"
    r"|\bverwerfen\b|\bfalsche[sn]? (?:partie|spiel)\b|\bnur (?:ein |eine )?(?:entwurf|vorschau)\b|\bignorier",
    re.IGNORECASE,
)


def is_doubtful(text: str) -> bool:
    """Return True for words that may revoke orders, or make them depend on something: no, wait, only if, a question."""
    return bool(_DOUBTS.search(text))


def revokes(text: str) -> bool:
    """Return True for words that revoke orders wherever they stand in a mail, however much is said around them."""
    return bool(_REVOKES.search(text))
