"""Remarks on the orders of a mail that may revoke them, make them depend on something, or say that they are another player's.

The lists hold what players write, in English, German and a few other languages: phrases divided by commas. `*` stands for any
ending, and `'` for any apostrophe or none.
"""

from __future__ import annotations

import re

_REVOKING = """
    cancel*, ignor*, forget, scrap*, scratch*, disregard, abort*, retract*, withdraw*, withdrew, undo, void,
    revoke*, rescind, stop, stops, stopped, stopping, hold, halt, delete*, wait, waits, waited, waiting, wrong, roll back,
    rollback, nvm, mistake, oops*, actually, draft, only if, not
    now, not yet, unless, do not execute, don't execute, do not carry, don't carry, do not do, don't do, do not
    play, don't play,
    verwerf*, verwirf, stopp, storn*, vergiss, vergesst, abbrechen, abbruch, falsch*, wart, warte, warten, wartet, nur wenn, doch
    nicht, noch nicht, erst morgen, erst später, erst wenn, annul*, cancela*
"""
_DENYING = """
    no, not, don't, can't, won't, ain't, shouldn't, cannot, never, nothing, nobody, neither, nope, nah, except,
    instead, remove, skip, twice, other match, other game, another match, another game, different match, different game,
    strike, omit, leave out, discard that, never mind, nevermind, error, my bad, whoops,
    sorry, sry, typo, misclick, accident*, too early, too soon, joke, joking, kidding, correction, corrected,
    better, rather, belay,
    nein, bitte nicht, lieber nicht, nicht aus*, nicht tun*, nicht mach*, vergessen, lösch*, streich*, zurück*,
    abbrech*, irrtum, fehler, versehen*, verklickt, ups, hoppla, ungültig, kein*, ohne, andere partie, anderen partie,
    anderes spiel, anderen spiel, scherz, spaß, quatsch, stattdessen,
    statt, korr*, lieber
"""
# Of the orders, that they no longer or do not yet hold, and who wrote them or is to write others.
_OVERTAKEN = """
    invalid*, superseded, replaced, obsolete, outdated, unfinished, incomplete, postpone*, delay*, defer*, suspend*,
    revert*, changed my plan, changed my plans, change of plan, other mail, next mail, later mail, another mail, new mail,
    my account, on reflection, in the event, to be continued, more to come, rest follows, to follow, stand by, standby, verify,
    same as, mockup, example only, for your information, fyi, whatever, hacked,
    gilt nicht, gelten nicht, hat sich erledigt, haben sich erledigt, erledigt, hinfällig, überholt, veraltet, unfertig,
    unvollständig, doch anders, anders überlegt, verschieb*, verschoben, aufschieben, im falle, im fall, bei zustimmung,
    je nachdem, unter der bedingung, nachher, dann, sekunde, nur zur info, zur info, ohne gewähr, andere mail,
    nächste mail, neue mail,
    anderen mail, nächsten mail
"""
_WRITERS = r"""
    \b(?:my|our|the) (?:son|daughter|child|kid|kids|cat|dog|wife|husband|brother|sister|father|mother|friend|neighbour)\b
    \b(?:mein|unser)e?r? (?:sohn|tochter|kind|kater|katze|hund|frau|mann|bruder|schwester|vater|mutter|freund|freundin)\b
    ^\W*(?:from|by|von|nicht von|das ist von|das war|not from|not by) \w+\W*$
    \bnach \w+s (?:zug|befehl\w*|runde)\b
    \b(?:this|these|that|those|it|them|das|dies|diese|es)\b[^.!?]{0,40}\b(?:from|by|von) \w+\W*$
    ^\W*(?:\w+ ){1,2}(?:plays|plans|moves|spielt|plant|zieht)\W*$
    ^\W*(?:das|dies|so|this|that) (?:plant|spielt|macht|zieht|plans|plays) \w+\W*$
    \b(?:leave|leaving|left)\b[^.!?]{0,40}\bout\b
    ^\W*example\W*$
"""
_DAYS = """
    monday*, tuesday*, wednesday*, thursday*, friday*, saturday*, sunday*, next week, next month, next year, next time,
    this evening, montag*, dienstag*, mittwoch*, donnerstag*, freitag*, samstag*, sonnabend*, sonntag*, nächste woche,
    nächsten zug,
    nächstes mal, heute abend
"""
_ACTS = """
    do, execute*, run, play*, process*, carry, send, make, only, valid, orders, not, please,
    erst, ausführ*, führ*, spiel*, mach*, schick*, gültig, befehl*, züge, bitte
"""
# The core of all this in the languages of the mails that are answered. In those without blanks no word has ends.
_ABROAD = """
    n'exécute*, pas exécuter, n'exécutez, oublie*, annule*, attend*, pas encore, attendez, ignore*,
    olvida*, olvíd*, no ejecut*, todavía no, aún no, anula*, cancela*, espera, espere, esperen, esperad, esperar, ignora*,
    non eseguire, non ancora, annulla*, aspetta*, dimentica*, ignora*,
    niet uitvoeren, nog niet, annuleer*, wacht, vergeet, negeer*,
    não execut*, ainda não, esquece*, cancelar, aguarde*,
    nie wykonuj*, nie wykonywać, jeszcze nie, nie teraz, anuluj*, czekaj*, poczekaj*, zapomnij*,
    neprovád*, ještě ne, zruš*, počkej*, zapomeň*, nevykonáva*, ešte nie, počkaj*, zabudni*,
    vänta*, inte än, nu inte, glöm*, avbryt*, utför inte, ikke endnu, ikke ennå, ikke utfør*, vent, glem*, annuller*, avlys*,
    odota*, ei vielä, peruuta*, unohda*, älä suorita, várj*, még ne, felejts*, vissza*, ne hajts*,
    așteaptă, nu încă, anulează, uită*, nu executa*, čekaj*, još ne, otkaži*, zaboravi*, nemoj*, poništi*,
    отмен*, подожд*, ещё не, еще не, забудь*, не выполня*, скасу*, зачекай*, ще не, не викону*, отказ*, почакай*, още не,
    iptal*, bekle*, henüz değil, unut*, uygulama*, ακύρω*, περίμεν*, όχι ακόμα, ξέχν*, ξέχασ*,
    בטל*, חכה*, עדיין לא, תשכח*, ألغ*, انتظر*, ليس بعد, hủy*, chờ*, chưa, đừng, batal*, tunggu*, jangan, belum
"""
_ABROAD_UNDIVIDED = "キャンセル|取り消|待って|まだ|中止|取消|等等|等一下|不要|还没|還沒|취소|기다려|아직|하지 ?마|ยกเลิก|รอก่อน|อย่า"
# What a long sentence has to name for a doubt in it to be about the orders.
_ABOUT_ORDERS = """
    order, orders, move, moves, these, those, this mail, execute*, carry out, carried out,
    befehl*, zug, züge, diese, dieser, diesen, das erst, führ*, ausführ*, ausgeführt
"""
_CONDITIONS = """
    hang on, only, if, in case, until, till, after, once, when, whenever, as soon as, as long as, assuming,
    provided, pending, given that, subject to, contingent, depend*, suppos*, following, should, before, later,
    tomorrow, tonight, next turn, next round, last turn, last round, yet, maybe, perhaps, probably, would,
    could, might, may, try, tried, trying, test*, need to think, thinking, wondering, just the, need to talk, have to
    think, have to talk,
    think about, doubt, unsure, uncertain, ask*, let me, preview*, tentative*, provisional, preliminary, tbc,
    tbd, confirm*, await*, hypothe*, theoretical*, imagine, pretend, simulat*, wip, in progress, plan for, plan b,
    alternative*, option, idea, ideas, then, else, otherwise, moment, whether, beforehand, go-ahead, at the deadline,
    on the deadline, at deadline, was going to, was about to, was planning, had planned,
    nur, wenn, falls, sobald, sofern, solange, sonst, vielleicht, eventuell, morgen, später, erst, bevor,
    nachdem, angenommen, vorausgesetzt, bedingung, sollte, außer, entwurf, vorschau, hypothetisch, vorläufig,
    vorbehalt*, folgt, offen, überleg*, nachdenken, würde, wollte, könnte, nächste runde, letzte runde, vorher,
    zum fristende, bei fristende, am fristende, zur frist, wäre mein*, wären meine, attend*,
    aspetta, si
"""
_OTHERS = """
    mean, means, meant, suggest*, propos*, advis*, recommend*, say, says, said, tell, tells, told, wrote,
    writes, want, wants, wanted, played, sent, according to, thinks, quoting, an example, for example, as
    example, such as, my last, their, his, her, is this, is that, is it, does, can i, may i, am i, what,
    thoughts, can you, could you, how do, how to, how can, why, explain, please help, on behalf of,
    schreibt, schrieb, geschrieben, meint, meinst, sagt*, gesagt, schlägt, vorschlag, vorgeschlagen, empfiehlt,
    rät, beispiel, zitat, seine, ihre, ist das, geht das, darf ich, soll ich, kannst du, könnt ihr, können sie, wie schreib*,
    warum, wieso, weshalb, erklär*, frag, frage, fragen, im namen von, im auftrag von
"""
_REVOKED = "ignore, forget, scrap, scratch, drop, disregard, cancel, retract, delete, skip"
_ORDERS = (
    "that, these, my, all of, the above, the order, the orders, the move, the moves, the first, the second, the third, the last"
)
_UNDONE = """
    do not do, do not play, do not carry, do not run, do not make, do not execute, do not process, do not send, don't do,
    don't play, don't carry, don't run, don't make, don't execute, don't process, don't send
"""
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
    anhang, anhänge, vertraulich*,
    destinatari*, adjunto*, confidencial*, destinataire*, confidentiel*, pièces jointes, pièce jointe, riservat*, allegat*,
    vertrouwelijk*, geadresseerde, bijlage*, poufn*, adresat*, załącznik*, konfidentiell*, mottagare*, bilag*,
    fortrolig*, virus, viruses, intended, in error, notify the sender
"""
_PLEASANT = """
    sorry for the delay, sorry for being late, sorry i am late, sorry i'm late, sorry about the delay, see you
    later, see you tomorrow, see you tonight, talk to you later, talk to you tomorrow, speak to you later, how
    are you, no problem, no hurry, no rush, no worries, can't wait, bis morgen, bis später, kein problem,
    well played, never give up, never stop, what a, thanks for waiting, thank you for waiting, sorry for waiting,
    sorry this took so long, sorry it took so long, sorry that took so long, sorry for the short mail, sorry for the late,
    did not see that coming, didn't see that coming, good luck next turn, good luck next round, good luck for next turn, good luck
    for the next turn, good luck for the next round, congratulations on the last round, congratulations on the last turn, says hi,
    says hello, say hi, say hello, no idea how this will end, no idea how this ends, you played that well, let me know how,
    das war knapp, das war spannend,
    see you then, until next time, until then, bis dann, ignore typos, ignore any typos, ignore the typos, ok then,
    okay then, as discussed, wie besprochen, gut gespielt, niemals aufgeben
"""


def _any(phrases: str) -> str:
    """Return the pattern of a list of phrases."""
    spelled = (re.escape(phrase.strip()) for phrase in " ".join(phrases.split()).split(","))
    found = "|".join(one.replace(r"\*", r"\w*").replace(r"\ ", r"\s+").replace("'", "['’´`]?") for one in spelled)
    return rf"\b(?:{found})\b"


def _compiled(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns), re.IGNORECASE)


_REVOCATION = _compiled(_any(_REVOKING), _any(_ABROAD), _ABROAD_UNDIVIDED, r"^\W*no\b(?!\.?\s?\d)")
_DOUBT = _compiled(
    *map(_any, (_REVOKING, _DENYING, _OVERTAKEN, _CONDITIONS, _OTHERS, _ABROAD)),
    *(line.strip() for line in _WRITERS.strip().split("\n")),
    _ABROAD_UNDIVIDED,
    # A day is a doubt beside a word for acting, or alone: else it is that of the next meeting.
    rf"{_any(_ACTS)}[^.!]*{_any(_DAYS)}|{_any(_DAYS)}[^.!]*{_any(_ACTS)}|^\W*(?:(?:on|at|by|from|am|ab|ab dem) )?{_any(_DAYS)}"
    r"(?:,? (?:please|pls|bitte))?\W*$",
    r"\bnicht(?=\W*$|[.!,])",
    r"\?|^\W*#",
    r"\w['’´`]s (?:orders?|moves?|turn|plan)\b|\w['’´`]s\W*$",
    # Struck out, and not ticked.
    r"~~|^\s*(?:\[ ?\]|☐)",
)
_PLAIN_REVOCATION = _compiled(
    rf"{_any(_REVOKED)}\s+{_any(_ORDERS)}",
    rf"{_any(_UNDONE)}\s+{_any(_ANY_ORDERS)}",
    _any(_PLAINLY),
    r"\bplease (?:disregard|ignore)\W*$",
    r"\btake (?:\w+ ){1,3}back\b",
)
_NOTICE = _compiled(_any(_NOTICES))
_LONG_DOUBT = _compiled(*map(_any, (_REVOKING, _DENYING, _OVERTAKEN, _CONDITIONS)))
_ABOUT = _compiled(_any(_ABOUT_ORDERS), r"\bthis(?! week| month| year| time| morning| evening)")
_BEGINS_REVOKING = _compiled(
    rf"\W*(?:(?:please|sorry|but|so|oh|and|bitte|aber|doch)\W+){{0,2}}(?:{_any(_REVOKING)}|{_any(_ABROAD)})"
)
_COURTESY = _compiled(
    rf"{_any(_PLEASANT)}\W*",
    # A greeting: in capitals, "Lieber" has a name behind it.
    r"^\W*lieber (?-i:[A-ZÄÖÜ])[\w.-]*(?: (?-i:[A-ZÄÖÜ])[\w.-]*)?\s?[,!]?\s*$",
)
# Words of doubt that are names too, where they stand alone.
_NAME = re.compile(r"(?:May|Joke|Nur|Si|Skip|Esperanza)[.,]?")
_SURNAME = re.compile(r"(?:[^\W\d_]+ )?(?:May|Joke|Nur|Si|Skip|Esperanza|Stopp|Halt|Error)")
# The sentences of companies that ask strangers to ignore a mail.
_TO_STRANGERS = _compiled(
    r"\bnot (?:the|an?)(?: \w+)? (?:recipient|addressee)\b",
    r"\b(?:received|sent)(?: \w+){0,3} (?:in error|by mistake)\b",
    r"\birrtümlich\b|\bnicht (?:der|die)(?: \w+)? (?:empfänger|adressat)",
)
_SENTENCE = re.compile(r"[^.!?]+[.!?]*")
# With these a remark below a closing line begins, if it is about the orders.
_BEGINNINGS = """
    don't, do not, only, just the, just do, nope, nah, strike, skip, omit, remove, leave, without, except, unless, until, till,
    after, once, as soon as, if, provided, instead, correction, mistake, nevermind, never mind, no,
    nein, nur, erst, kein*, ohne, außer, wenn, falls, sobald, sofern, lieber, streich*, lösch*, weglassen, vorbehalt*
"""
_BEGINS_DOUBTFUL = _compiled(
    r"\W*(?:(?:please|pls|sorry|but|so|oh|and|also|well|ah|hmm|ok|okay|btw|by the way|p\.?\s?s"
    rf"|bitte|aber|doch|ach|nachtrag|übrigens)\b\W+){{0,3}}{_any(_BEGINNINGS)}(?!\.?\s?\d)"
)


def is_doubtful(text: str) -> bool:
    """Return True for a short remark that may revoke orders, make them depend on something, ask, or name another player's."""
    return not _NAME.fullmatch(text.strip()) and bool(_DOUBT.search(_COURTESY.sub("", text)))


def doubts_orders(text: str) -> bool:
    """Return True for a sentence in a longer text that names the orders and a doubt, or begins with a word that revokes them.

    Else long chatter would be doubtful nearly always.
    """
    text = _COURTESY.sub("", text)
    return bool(_ABOUT.search(text) and _LONG_DOUBT.search(text)) or bool(_BEGINS_REVOKING.match(text))


def is_revocation(text: str) -> bool:
    """Return True for a short remark below a closing line that may revoke orders.

    There "not" and "until" also stand in what people say of themselves: they count at its beginning.
    """
    if _NAME.fullmatch(text.strip()):
        return False
    text = _COURTESY.sub("", text)
    return bool(_REVOCATION.search(text) or _BEGINS_DOUBTFUL.match(text))


def begins_revoking(text: str) -> bool:
    """Return True for a text that begins with a word that revokes, other than what companies ask of strangers."""
    return bool(_BEGINS_REVOKING.match(_to_us(_COURTESY.sub("", text))))


def is_name(text: str) -> bool:
    """Return True for a name that looks like a remark: what stands right below a closing line."""
    return bool(_SURNAME.fullmatch(text.strip()))


def holds_revocation(text: str) -> bool:
    """Return True for a text of any length in which orders are plainly revoked: not for what companies ask of strangers."""
    return bool(_PLAIN_REVOCATION.search(_to_us(text)))


def _to_us(text: str) -> str:
    """Return a text without the sentences of companies to strangers."""
    if not _TO_STRANGERS.search(text):
        return text
    return "".join(sentence for sentence in _SENTENCE.findall(text) if not _TO_STRANGERS.search(sentence))


def is_notice(text: str) -> bool:
    """Return True for a notice of a company, of which no word is about the orders."""
    return bool(_NOTICE.search(text))
