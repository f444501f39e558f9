"""Remarks on the orders of a mail that may revoke them, make them depend on something, or say that they are another player's.

The lists hold what players write, in English, German and a few other languages: phrases divided by commas. `*` stands for any
ending, and `'` for any apostrophe or none.
"""

from __future__ import annotations

import re

_REVOKING = """
    cancel*, ignor*, forget, scrap*, scratch*, disregard, abort*, retract*, withdraw*, withdrew, undo, void,
    revoke*, rescind, stop*, hold, halt, delete*, wait*, wrong, mistake, oops*, actually, draft, only if, not
    now, not yet, unless, do not execute, don't execute, do not carry, don't carry, do not do, don't do, do not
    play, don't play,
    verwerf*, verwirf, stopp, storn*, vergiss, vergesst, abbrechen, abbruch, falsch*, wart*, nur wenn, doch
    nicht, noch nicht, erst morgen, erst später, erst wenn, annul*, cancela*
"""
_DENYING = """
    no, not, don't, can't, won't, ain't, shouldn't, cannot, never, nothing, nobody, neither, nope, nah, except,
    instead, remove, skip, strike, omit, leave out, discard that, never mind, nevermind, error, my bad, whoops,
    sorry, sry, typo, misclick, accident*, too early, too soon, joke, joking, kidding, correction, corrected,
    better, rather, belay,
    nein, bitte nicht, lieber nicht, nicht aus*, nicht tun*, nicht mach*, vergessen, lösch*, streich*, zurück*,
    abbrech*, irrtum, fehler, versehen*, verklickt, ups, hoppla, ungültig, scherz, spaß, quatsch, stattdessen,
    statt, korr*, lieber
"""
_CONDITIONS = """
    hang on, only, if, in case, until, till, after, once, when, whenever, as soon as, as long as, assuming,
    provided, pending, given that, subject to, contingent, depend*, suppos*, following, should, before, later,
    tomorrow, tonight, next turn, next round, last turn, last round, yet, maybe, perhaps, probably, would,
    could, might, may, try, tried, trying, test*, need to think, need to talk, have to think, have to talk,
    think about, doubt, unsure, uncertain, ask*, let me, preview*, tentative*, provisional, preliminary, tbc,
    tbd, confirm*, await*, hypothe*, theoretical*, imagine, pretend, simulat*, wip, in progress, plan for,
    alternative*, option, idea, ideas, then, else, otherwise, moment,
    nur, wenn, falls, sobald, sofern, solange, sonst, vielleicht, eventuell, morgen, später, erst, bevor,
    nachdem, angenommen, vorausgesetzt, bedingung, sollte, außer, entwurf, vorschau, hypothetisch, vorläufig,
    vorbehalt, folgt, offen, überleg*, nachdenken, würde, wollte, könnte, nächste runde, letzte runde, attend*,
    espera, aspetta, si
"""
_OTHERS = """
    mean, means, meant, suggest*, propos*, advis*, recommend*, say, says, said, tell, tells, told, wrote,
    writes, want, wants, wanted, played, sent, according to, thinks, quoting, an example, for example, as
    example, such as, my last, their, his, her, is this, is that, is it, does, can i, may i, am i, what,
    thoughts,
    schreibt, schrieb, geschrieben, meint, meinst, sagt*, gesagt, schlägt, vorschlag, vorgeschlagen, empfiehlt,
    rät, beispiel, zitat, seine, ihre, ist das, geht das, darf ich, soll ich
"""
_REVOKED = "ignore, forget, scrap, scratch, drop, disregard, cancel, retract, delete, skip"
_ORDERS = (
    "that, these, my, all of, the above, the order, the orders, the move, the moves, the first, the second, the third, the last"
)
_UNDONE = (
    "do not do, do not play, do not carry, do not run, do not make, don't do, don't play, don't carry, don't run, don't make"
)
_ANY_ORDERS = "that, this, it, them, these, any of, out, the first, the second, the last, the above"
# Said of the orders themselves, unlike "not" or "if", which stand in every notice of a company.
_PLAINLY = """
    do nothing, on second thought, on second thoughts, changed my mind, not yet, never mind, nevermind, just a
    draft, just a preview, just a test, only a draft, only a preview, only a test, wait for, wait until, wait
    till, wait with, hang on, hang off, hold on, hold off, wrong match, wrong game, wrong mail, wrong order,
    wrong orders, am joking, was joking, am kidding, was kidding, let me ask, let me think, i will ask, i will
    think,
    vergiss das, vergiss die, vergiss es, doch nicht, noch nicht, nicht ausführen, storniere*, falsche partie,
    falsches spiel, nur entwurf, nur ein entwurf, nur vorschau, nur eine vorschau, ignoriere das, ignoriere die,
    ignoriere den, ignoriert das
"""
# The notices that companies put below mails.
_NOTICES = """
    recipient, addressee, attachment, attachments, print*, confidential*, privileged, empfänger, adressat,
    anhang, anhänge, vertraulich*
"""
_PLEASANT = """
    sorry for the delay, sorry for being late, sorry i am late, sorry i'm late, sorry about the delay, see you
    later, see you tomorrow, see you tonight, talk to you later, talk to you tomorrow, speak to you later, how
    are you, no problem, no hurry, no rush, no worries, can't wait, bis morgen, bis später, kein problem
"""


def _any(phrases: str) -> str:
    """Return the pattern of a list of phrases."""
    spelled = (re.escape(phrase.strip()) for phrase in " ".join(phrases.split()).split(","))
    found = "|".join(one.replace(r"\*", r"\w*").replace(r"\ ", r"\s+").replace("'", "['’´`]?") for one in spelled)
    return rf"\b(?:{found})\b"


def _compiled(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns), re.IGNORECASE)


_REVOCATION = _compiled(_any(_REVOKING), r"^\W*no\b")
_DOUBT = _compiled(
    *map(_any, (_REVOKING, _DENYING, _CONDITIONS, _OTHERS)),
    r"\bnicht(?=\W*$|[.!,])",
    r"\?|^\W*#",
    r"\w['’´`]s (?:orders?|moves?|turn|plan)\b|\w['’´`]s$",
)
_PLAIN_REVOCATION = _compiled(
    rf"{_any(_REVOKED)}\s+{_any(_ORDERS)}",
    rf"{_any(_UNDONE)}\s+{_any(_ANY_ORDERS)}",
    _any(_PLAINLY),
    r"\bplease (?:disregard|ignore)\W*$",
    r"\btake (?:\w+ ){1,3}back\b",
)
_NOTICE = _compiled(_any(_NOTICES))
_COURTESY = _compiled(rf"{_any(_PLEASANT)}\W*")


def is_doubtful(text: str) -> bool:
    """Return True for a short remark that may revoke orders, make them depend on something, ask, or name another player's."""
    return bool(_DOUBT.search(_COURTESY.sub("", text)))


def is_revocation(text: str) -> bool:
    """Return True for a short remark below a closing line that may revoke orders.

    There "not" and "until" also stand in what people say of themselves.
    """
    return bool(_REVOCATION.search(_COURTESY.sub("", text)))


def holds_revocation(text: str) -> bool:
    """Return True for a text of any length in which orders are plainly revoked."""
    return bool(_PLAIN_REVOCATION.search(text))


def is_notice(text: str) -> bool:
    """Return True for a notice of a company, of which no word is about the orders."""
    return bool(_NOTICE.search(text))
