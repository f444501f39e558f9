"""Remarks on the orders of a mail that may revoke them, make them depend on something, or say that they are another player's."""

from __future__ import annotations

import re

# Each group in English, then in German, then in a few other languages.
_REVOKED = (
    r"not?|don['’´`]?t|can['’´`]?t|won['’´`]?t|ain['’´`]?t|shouldn['’´`]?t|cannot|never|nothing|nobody|neither|nope|nah"
    r"|except|instead"
    r"|stop\w*|hold|halt|cancel\w*|ignor\w*|forget|scrap\w*|scratch\w*|disregard|abort\w*|retract\w*|withdr[ae]w\w*|undo|void"
    r"|revoke\w*|rescind|delete\w*|remove|skip|strike|omit|leave out|discard that|never ?mind|mistake|error|my bad"
    r"|wrong|oops\w*|whoops"
    r"|sorry|sry|typo|misclick|accident\w*|too (?:early|soon)|jok(?:e|ing)|kidding|just kidding|correct(?:ion|ed)"
    r"|better|rather|belay"
    r"|nein|(?:doch|noch|bitte|lieber) nicht|nicht (?:aus|tun|mach)\w*|nicht(?=\W*$|[.!,])"
    r"|vergiss|vergesst|vergessen|lösch\w*|streich\w*|zurück\w*|stopp|abbr[eu]ch\w*|storn\w*|verw[ei]rf\w*"
    r"|irrtum|fehler|falsch\w*|versehen\w*|verklickt|ups|hoppla|ungültig|scherz|spaß|quatsch|stattdessen|statt|korr\w+|lieber"
    r"|annul\w*|cancela\w*"
)
_CONDITIONS = (
    r"wait\w*|hang on|only|if|in case|unless|until|till|after|once|when(?:ever)?|as soon as|as long as|assuming"
    r"|provided|pending|given that"
    r"|subject to|contingent|depend\w*|suppos\w*|following|should|before|later|tomorrow|tonight|next (?:turn|round)"
    r"|last (?:turn|round)"
    r"|yet|maybe|perhaps|probably|would|could|might|may|tr(?:y|ied|ying)|test\w*|(?:need to|let me|have to) (?:think|talk)"
    r"|think about|doubt|unsure|uncertain|ask\w*|let me|actually"
    r"|preview\w*|draft|tentative\w*|provisional|preliminary|tb[cd]|confirm\w*|await\w*|hypothe\w*|theoretical\w*"
    r"|imagine|pretend"
    r"|simulat\w*|wip|in progress|plan for|alternative\w*|option|ideas?|then|else|otherwise|moment"
    r"|nur|wart\w*|wenn|falls|sobald|sofern|solange|sonst|vielleicht|eventuell|morgen|später|erst|bevor|nachdem"
    r"|angenommen|vorausgesetzt"
    r"|bedingung|sollte|außer|entwurf|vorschau|hypothetisch|vorläufig|vorbehalt|folgt|offen|überleg\w*|nachdenken|würde"
    r"|wollte|könnte"
    r"|nächste runde|letzte runde|attend\w*|espera|aspetta|si"
)
_OTHERS = (
    r"means?|meant|suggest\w*|propos\w*|advis\w*|recommend\w*|says?|said|tells?|told|wrote|writes|wants?|wanted|played"
    r"|sent|according to"
    r"|thinks|quoting|(?:an|for|as) example|such as|my last|their|his|her|is (?:this|that|it)|does|can i|may i|am i|what|thoughts"
    r"|schreibt|schrieb|geschrieben|meint|meinst|sagt\w*|gesagt|schlägt|vorschlag|vorgeschlagen|empfiehlt|rät|beispiel"
    r"|zitat|seine|ihre"
    r"|ist das|geht das|darf ich|soll ich"
)
_DOUBTS = re.compile(
    rf"\?|^\W*#|\b(?:{_REVOKED}|{_CONDITIONS}|{_OTHERS})\b|\w['’´`]s (?:orders?|moves?|turn|plan)\b|\w['’´`]s$", re.IGNORECASE
)
# Said of the orders themselves, unlike "not" or "if", which stand in every notice of a company.
_REVOKES = re.compile(
    r"\b(?:ignore|forget|scrap|scratch|drop|disregard|cancel|retract|delete|skip) (?:that|these|my|all of)\b"
    r"|\b(?:ignore|forget|scrap|scratch|drop|disregard|cancel|retract|delete|skip) the (?:above|orders?|moves?)\b"
    r"|\b(?:ignore|forget|scrap|scratch|drop|disregard|cancel|retract|delete|skip) the (?:first|second|third|last)\b"
    r"|\bplease (?:disregard|ignore)\W*$|\bdo nothing\b|\bon second thoughts?\b|\bchanged my mind\b|\bnot yet\b"
    r"|\bnever ?mind\b"
    r"|\b(?:do not|don['’´`]?t) (?:do|play|carry|run|make) (?:that|this|it|them|these|any of|out)\b"
    r"|\b(?:do not|don['’´`]?t) (?:do|play|carry|run|make) the (?:first|second|last|above)\b"
    r"|\b(?:just|only) a (?:draft|preview|test)\b|\bwait (?:for|until|till|with)\b|\btake (?:\w+ ){1,3}back\b"
    r"|\b(?:hang|hold) (?:on|off)\b|\bwrong (?:match|game|mail|orders?)\b|\b(?:am|was) (?:joking|kidding)\b"
    r"|\b(?:let me|i will) (?:ask|think)\b|\bvergiss (?:das|die|es)\b|\b(?:doch|noch) nicht\b|\bnicht ausführen\b"
    r"|\bstorniere\w*"
    r"|\bfalsche[sn]? (?:partie|spiel)\b|\bnur (?:ein |eine )?(?:entwurf|vorschau)\b|\bignorier(?:e|t) (?:das|die|den)\b",
    re.IGNORECASE,
)
# What takes orders back below a closing line, where "not" and "until" also stand in what people say of themselves.
_RECALLS = re.compile(
    r"\b(?:cancel\w*|ignor\w*|forget|scrap\w*|scratch\w*|disregard|abort\w*|retract\w*|withdr[ae]w\w*|undo|void|revoke\w*|stop|hold"
    r"|delete|wait|wrong|mistake|oops\w*|actually|draft|only if|not now|not yet|unless"
    r"|(?:do not|don['’´`]?t) (?:execute|carry|do|play)"
    r"|verwerfen|stopp|storn\w*|vergiss|vergesst|abbrechen|falsch\w*|warte\w*|nur wenn"
    r"|(?:doch|noch) nicht|erst (?:morgen|später|wenn))\b"
    r"|^\W*no\b",
    re.IGNORECASE,
)
# Words of the notices that companies put below mails.
_NOTICE = re.compile(
    r"\b(?:recipient|addressee|attachments?|empfänger|adressat|anhänge?|print\w*|confidential\w*|vertraulich\w*|privileged)\b",
    re.IGNORECASE,
)
_PLEASANT = re.compile(
    r"\b(?:sorry (?:for|i am|i'm|about) (?:the )?(?:delay|late\w*|being late)"
    r"|(?:see|talk|speak|write)(?: to)? (?:you|u) (?:later|tomorrow|tonight)"
    r"|how are you|no (?:problem|hurry|rush|worries)|can['’´`]?t wait|bis (?:morgen|später)|kein problem)\b\W*",
    re.IGNORECASE,
)


def is_doubtful(text: str) -> bool:
    """Return True for words that may revoke orders, make them depend on something, ask, or name them as another player's."""
    return bool(_DOUBTS.search(_PLEASANT.sub("", text)))


def revokes(text: str) -> bool:
    """Return True for words that revoke orders wherever they stand in a mail, however much is said around them."""
    return bool(_REVOKES.search(text))


def recalls(text: str) -> bool:
    """Return True for words of a short remark below a closing line that take orders back."""
    return bool(_RECALLS.search(_PLEASANT.sub("", text)))


def is_notice(text: str) -> bool:
    """Return True for a notice as companies put it below their mails, of which no word is about the orders."""
    return bool(_NOTICE.search(text))
