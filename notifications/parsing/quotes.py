"""Detection of quotes without `>`, and of closing lines, in many languages.

It works line by line, in linear time. Libraries use regular expressions over the whole text, with several gaps each, and take
minutes for "Am " repeated.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

# Most lines of an attribution ("On Friday ... wrote:"): programs wrap it.
ATTRIBUTION_LINES = 4
LONGEST_FAREWELL = 80
"""Characters of a closing line at most."""
MOST_NAMES = 3
"""Words behind a closing at most."""
_WORD = re.compile(r"\w+")
# What stands in signatures: addresses, telephone numbers, quotations, notices about the mail.
_SIGNED = re.compile(r"^\W*[\"“„»«]|@|://|www\.|\bmails?\b|\+?\d[\d /()-]{6,}", re.IGNORECASE)
LONGEST_SENTENCE = 300
WORDS_OF_SENTENCE = 3
COLON = (":", "：")
# What a gateway writes at the top of each mail: "Classification: Public", "[EXTERNAL]".
_LABEL = re.compile(
    r"^\W*(?:classification|sensitivity|klassifi[kz]ierung|einstufung|clasificaci[oó]n|classificazione|klasyfikacja|tlp)\s*[:：]"
    r"\s*\w[\w /+-]{0,30}\W*$|^\W*\[(?:external|extern|externe|externo|esterno|public|internal|intern|confidential)\]\W*$",
    re.IGNORECASE,
)
# What distinguishes an attribution from an order: a date or a time, or an address.
DATED = re.compile(r"\d{4}|\d{1,2}[:.]\d{2}")
# No bracket opens within it: so a line of nothing but brackets is searched in linear time.
ADDRESS = re.compile(r"[<\[(][^<>\[(\s@]{1,254}@[^<>\[(\s@]{1,254}[>\])]")

_DISCLAIMER = re.compile(
    r"(?:^|[.!?])[ \t]{0,3}(?:caution:|disclaimer|warning:|confidential:|confidentiality:|achtung:|(?:wichtiger )?hinweis:"
    r"|(?:privileged|confidential|private|sensitive|important) (?:notice|note|information):)",
    re.IGNORECASE,
)
# Only English and German: the Danish "Tak" would take the order `take 3` for a closing line.
# The words of a closing line. Behind them stands a name at most.
_FAREWELL = re.compile(
    r"\W*(?:(?:(?:best|kind|kindest|warm|many)\s)?(?:regards|wishes|greetings)|all the best|best(?=\W*$|[,!.])|cheers"
    r"|thanks?(?:\syou)?(?:\s(?:a lot|so much|very much|all|again|everyone|in advance))?|yours(?:\s(?:truly|sincerely))?"
    r"|sincerely|bye(?:\sbye)?|take care|(?:keep|be|stay) (?:well|safe|healthy)|have fun|ciao|mfg|lg|vg|mvh"
    r"|mit freundlichen grüßen|danke(?:\s(?:dir|euch|schön))?"
    r"|tschüss?|servus|amicalement"
    r"|(?:(?:besten?|liebe|viele|herzliche|schöne)\s)?(?:gr(?:ü|ue)(?:ß|ss)e?|gruß|gruss)|(?:bien )?cordialement|merci"
    r"|(?:un )?salud(?:o|os)|gracias|(?:cordiali )?saluti|grazie|(?:met )?vriendelijke groet(?:en)?|groet(?:en|jes)?|bedankt"
    r"|(?:vänliga |bästa )?hälsningar|(?:med )?vennlig hilsen|(?:venlig )?hilsen|pozdrawiam|(?:s )?pozdravem|dzięki|díky"
    r"|(?:terveisin|ystävällisin terveisin)|(?:com os melhores )?cumprimentos|obrigado|abraços?|üdvözlettel|с уважением|спасибо)"
    r"\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class _Words:
    """A language's words: the start of an attribution, its verbs, True if a verb ends it; and the names of a mail's headers."""

    start: re.Pattern[str]
    verbs: tuple[str, ...]
    verb_ends: bool
    labels: frozenset[str]


def _words(start: str, verbs: str, labels: str, *, verb_ends: bool = True) -> _Words:
    return _Words(re.compile(start, re.IGNORECASE), tuple(verbs.split("|")), verb_ends, frozenset(labels.split("|")))


_DATE = r"\d{4}[年년] ?\d{1,2}[月월] ?\d{1,2}[日일]"
_LANGUAGES = (
    _words(r"on\s", "wrote", "from|sent|to|subject|date|cc|organization"),
    _words(r"am\s", " schrieb", "von|gesendet|an|betreff|datum|cc|organisation", verb_ends=False),
    _words(r"dne\s", "napsal(a)|napsal|napsala", "od|odesláno|komu|předmět|datum|kopie"),
    _words(r"den|man|tir|ons|tor|fre|lør|søn|\d", " skrev", "fra|sendt|til|emne|dato|cc|kopi|vedhæftet", verb_ends=False),
    _words(r"el\s", " escribió", "de|enviado|para|asunto|fecha|cc|organización"),
    _words(r"le\s", "a écrit", "de|envoyé|à|objet|cc|date", verb_ends=False),
    _words(r"il\s", "ha scritto", "da|inviato|a|oggetto|data|cc"),
    _words(r"op\s", "schreef", "van|verzonden|aan|onderwerp|datum|cc"),
    _words(r"dnia\s", "nadesłał|napisał(a)|napisał|napisała", "od|wysłano|do|temat|data|dw"),
    _words(r"den|mån|tis|ons|tor|fre|lör|sön|\d", " skrev", "från|skickat|till|ämne|datum|kopia", verb_ends=False),
    _words(_DATE, ">", "差出人|送信日時|宛先|件名|日時"),
    _words(_DATE, "님이 작성하였습니다", "보낸사람|보낸 사람|보낸날짜|보낸 날짜|받는사람|받는 사람|제목|참조"),
    _words(_DATE, "写道", "发件人|发送时间|收件人|主题|抄送|组织"),
)


def before_quote(lines: Sequence[str]) -> list[str]:
    """Return the lines above the first attribution or block of a quoted mail's headers."""
    ends = [end for end in (_attributed(lines), _headed(lines)) if end is not None]
    return list(lines[: min(ends, default=len(lines))])


def is_attribution(line: str) -> bool:
    """Return True if a line ends with a colon and holds a word for "wrote" of any language that is known here."""
    said = line.strip().lower()
    return said.endswith(COLON) and any(verb.strip() in said for language in _LANGUAGES for verb in language.verbs if verb != ">")


def is_label(line: str) -> bool:
    """Return True for a line that a gateway puts at the top of each mail."""
    return bool(_LABEL.match(line))


def introduces_quote(line: str) -> bool:
    """Return True if a mail program wrote this line above a quote: an attribution, or an address with a date or a label."""
    return is_attribution(line) or bool(ADDRESS.search(line) and (":" in line or any(map(str.isdecimal, line))))


def may_introduce_quote(line: str) -> bool:
    """Return True also for a line with a number that ends with a colon, in a language that is not known here."""
    return introduces_quote(line) or (line.strip().endswith(COLON) and any(map(str.isdecimal, line)))


def is_farewell(line: str) -> bool:
    """Return True for a closing line: "Best regards", "Thanks, Bob". What stands behind its words are names: with capitals."""
    closing = _FAREWELL.match(line) if len(line) <= LONGEST_FAREWELL else None
    if closing is None:
        return False
    names = _WORD.findall(line[closing.end() :])
    return len(names) <= MOST_NAMES and all(name[0].isupper() or not name[0].isalpha() for name in names)


def before_farewell(lines: Sequence[str]) -> list[str]:
    """Return the lines above the closing line.

    The first line is never one, and none is with a sentence right below it, or with prose below an empty line: "Thanks!" begins
    mails too.
    """
    for at, line in enumerate(lines):
        if at and is_farewell(line) and not _goes_on(itertools.islice(lines, at + 1, None)):
            return list(lines[:at])
    return list(lines)


def _goes_on(below: Iterable[str]) -> bool:
    """Return True if a text goes on below a closing line."""
    for number, line in enumerate(below):
        if line.strip():
            return is_prose(line) if number else _is_sentence(line)
    return False


def is_prose(line: str) -> bool:
    """Return True for a line of running text: no name, title or address, and nothing that companies say of their mails."""
    words = _WORD.findall(line[:LONGEST_SENTENCE])
    small = sum(word[0].islower() for word in words)
    return len(words) > WORDS_OF_SENTENCE and small >= WORDS_OF_SENTENCE and not _SIGNED.search(line)


def _is_sentence(line: str) -> bool:
    said = line.strip()
    return said[-1:] in (".", "!", "?") and len(said) <= LONGEST_SENTENCE and len(_WORD.findall(said)) >= WORDS_OF_SENTENCE


def without_disclaimers(lines: Sequence[str]) -> list[str]:
    """Return the lines, each without blanks around it, and without the notices that companies put into mails."""
    kept: list[str] = []
    disclaims = False
    for line in map(str.strip, lines):
        begins = _DISCLAIMER.search(line)
        if begins and "mail" in line[begins.start() :].lower():
            disclaims = True
            kept.append(line[: begins.start()])
        elif disclaims and "mail" in line.lower():
            disclaims = False
        else:
            disclaims = False
            kept.append(line)
    return kept


def _attributed(lines: Sequence[str]) -> int | None:
    """Return where the first attribution begins: of several candidates the last one before its end."""
    colons = [line.strip().endswith(COLON) for line in lines]
    never = len(lines) + ATTRIBUTION_LINES
    ends: list[int] = []
    for start in range(len(lines)):
        # Nearly all lines of mails are far from a colon at an end.
        is_near = any(colons[start : start + ATTRIBUTION_LINES])
        found = _attribution_end(lines[start : start + ATTRIBUTION_LINES]) if is_near else None
        ends.append(never if found is None else start + found)
    for at in range(len(lines)):
        begun = [start for start, end in enumerate(ends[at : at + ATTRIBUTION_LINES], at) if end < at + ATTRIBUTION_LINES]
        if begun:
            return begun[-1]
    return None


def _attribution_end(lines: Sequence[str]) -> int | None:
    """Return the number of the line that ends an attribution which begins at the first of these lines; None if none does."""
    languages = [language for language in _LANGUAGES if language.start.match(lines[0].strip())]
    said = ""
    for number, line in enumerate(lines if languages else ()):
        said = f"{said} {line.strip().lower()}"
        if not said.endswith(COLON):
            continue
        body = said[:-1].rstrip()
        if any(
            body.endswith(language.verbs) if language.verb_ends else any(verb in body for verb in language.verbs)
            for language in languages
        ):
            return number
    return None


def _headed(lines: Sequence[str]) -> int | None:
    """Return where a block of headers begins: two of one language in sequence; a value may be on the next line."""
    named: list[tuple[int, int, str]] = []
    for number, line in enumerate(lines):
        label, colon, value = line.replace("：", ":").lstrip("*\t ").partition(":")
        name = label.strip("* ").lower()
        if colon and any(name in language.labels for language in _LANGUAGES):
            named.append((number, 1 if value.strip("* ") else 3, name))
    for (number, reach, name), (below, _reach, next_name) in pairwise(named):
        if below - number <= reach and any({name, next_name} <= language.labels for language in _LANGUAGES):
            return number
    return None
