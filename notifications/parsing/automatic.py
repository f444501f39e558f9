"""Automatic mail without marks: vacation responders, answers of calendars, delivery notices. Recognised by what they say.

`robots` comes first: what its sender has marked gets no answer at all. Here people may be meant, so they hear once what to do.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Sequence
from email.header import decode_header, make_header
from email.message import Message

from notifications.parsing.reading import FAULTS

END = "END"
LONGEST_SUBJECT = 500
READ = 2000
"""Characters of a text in which an automatic answer says what it is."""

# Above the subject of the answered mail, or alone.
_SUBJECT = """
    automatic reply, auto reply, autoreply, auto-reply, auto response, autoresponse, out of office, out of the office,
    vacation reply, automatische antwort, abwesenheitsnotiz, abwesenheitsmeldung, abwesenheitsbenachrichtigung, abwesend,
    réponse automatique, absence du bureau, message d'absence, respuesta automática, fuera de la oficina, risposta
    automatica, fuori sede, fuori ufficio, resposta automática, ausência temporária, automatisch antwoord, automatische
    beantwoording, afwezig, autosvar, automatisk svar, automatiskt svar, frånvaro, fravær, automaattinen vastaus, poissa,
    odpowiedź automatyczna, autoodpowiedź, automatická odpověď, automatikus válasz, otomatik yanıt, автоответ,
    автоматический ответ, автоматична відповідь, αυτόματη απάντηση,
    自動返信, 自動応答, 不在通知, 自动回复, 自動回覆, 자동 회신, 부재중,
    abwesenheit:, absence:, assenza:, ausencia:, ausência:, afwezigheid:, accepted:,
    declined:, tentative:, tentatively accepted:, zugesagt:, angenommen:, abgelehnt:, mit vorbehalt:, unter vorbehalt:, mail
    delivery failed, mail delivery failure, mail delivery system, delivery status notification, delivery failure, delivery
    has failed, undeliverable, undelivered mail, undelivered:, returned mail, failure notice, unzustellbar, nicht
    zustellbar, message undeliverable, non remis, no se puede entregar, non recapitabile, onbestelbaar, niedostarczalne
"""
_AWAY = """
    out of office, out of the office, out-of-office, away from the office, away from my desk, away from my email, away from
    my mail, away from my mailbox, i am on vacation, i'm on vacation, i am currently on, i'm currently on, i am on annual
    leave, i am on leave, i'm on leave, on parental leave, on maternity leave, i am on holiday, i'm on holiday, i am
    currently away, i'm currently away, i am currently out, i'm currently out, i am currently unavailable, i will be away, i
    will be out, i am away until, i'm away until, i am away from, limited access to email, limited access to my email,
    limited access to e-mail, no access to email, no access to my email, no access to e-mail, intermittent access to,
    automatic reply, automated reply, automatic response, automated response, automatically generated, auto-reply,
    autoreply, upon my return, when i return, on my return, as soon as i return, will not be reading, thank you for your
    message. i, nicht im büro, nicht im buero, nicht im haus, außer haus, ausser haus, nicht am platz, nicht erreichbar, nur
    eingeschränkt erreichbar, nur sporadisch, im urlaub, in urlaub, in elternzeit, bin abwesend, ich abwesend, abwesenheit,
    automatische antwort, automatisch erstellt, automatisch generiert, automatische nachricht, keinen zugriff auf, wieder im
    büro, wieder erreichbar, nach meiner rückkehr, e-mails werden nicht weitergeleitet, absent du bureau, absente du bureau,
    je suis absent, je suis absente, je serai absent, je serai absente, suis actuellement absent, suis actuellement absente,
    en congé, en congés, en vacances, à mon retour, dès mon retour, réponse automatique, message automatique, fuera de la
    oficina, estoy de vacaciones, estaré de vacaciones, me encuentro de vacaciones, me encuentro fuera, estaré ausente,
    estoy ausente, respuesta automática, mensaje automático, a mi regreso, a mi vuelta, fuori ufficio, fuori sede, sono
    assente, sarò assente, sono in ferie, sarò in ferie, risposta automatica, messaggio automatico, al mio rientro, al mio
    ritorno, fora do escritório, ausente do escritório, estou de férias, estarei de férias, estarei ausente, estou ausente,
    resposta automática, mensagem automática, no meu regresso, no meu retorno, niet op kantoor, niet aanwezig, ik ben
    afwezig, met vakantie, op vakantie, automatisch antwoord, automatisch bericht, bij mijn terugkeer, inte på kontoret,
    inte på plats, på semester, är frånvarande, automatiskt svar, autosvar, när jag är tillbaka, ikke på kontoret, er på
    ferie, på ferie til, på ferie frem, er fraværende, ikke til stede, automatisk svar, når jeg er tilbage, når jeg er
    tilbake, poissa toimistolta, olen poissa, olen lomalla, lomalla asti, automaattinen vastaus, automaattivastaus, poza
    biurem, nieobecny w biurze, nieobecna w biurze, jestem na urlopie, przebywam na urlopie, odpowiedź automatyczna,
    automatyczna odpowiedź, po powrocie, mimo kancelář, jsem na dovolené, na dovolené do, automatická odpověď, po návratu,
    nem vagyok az irodában, szabadságon vagyok, szabadságon leszek, automatikus válasz, ofiste değilim, ofis dışında, yıllık
    izindeyim, izindeyim, otomatik yanıt, otomatik cevap, nu sunt la birou, sunt în concediu, răspuns automat, вне офиса, в
    отпуске, отсутствую, буду отсутствовать, не на рабочем месте, автоматический ответ, автоответ, поза офісом, у відпустці,
    автоматична відповідь, εκτός γραφείου, σε άδεια, αυτόματη απάντηση, 不在にして, 不在のため, 休暇を取得, 休暇中,
    休暇のため, 夏季休業, 年末年始休業, 自動返信,
    自動応答, 不在办公室, 外出不在, 正在休假, 休假中, 自动回复, 不在辦公室, 自動回覆, 부재중, 휴가 중, 자동 회신
"""
_UNDELIVERED = """
    could not be delivered, couldn't be delivered, was not delivered, wasn't delivered, cannot be delivered, can't be
    delivered, has not been delivered, have not been delivered, unable to deliver, delivery to the following, delivery has
    failed, failed to deliver, undeliverable, undelivered, returned to sender, recipient address rejected, mailbox is full,
    mailbox full, user unknown, konnte nicht zugestellt werden, konnten nicht zugestellt werden, nicht zustellbar,
    unzustellbar, zustellung fehlgeschlagen, zustellung an die folgenden, empfänger unbekannt, n'a pas pu être remis, n'a
    pas pu être livré, n'a pas pu être distribué, no se pudo entregar, no se ha podido entregar, no ha podido ser entregado,
    impossibile recapitare, non è stato possibile recapitare, non è stato recapitato, não pôde ser entregue, não foi
    possível entregar, kon niet worden bezorgd, kon niet worden afgeleverd, kunde inte levereras, kunne ikke leveres, nie
    mógł zostać dostarczony, nie została dostarczona, не может быть доставлено, не удалось доставить, не было доставлено,
    配信できません, 配信不能, 无法投递, 无法送达
"""
_REPLY = re.compile(r"\AMETHOD:(?:REPLY|COUNTER)\b|\nMETHOD:(?:REPLY|COUNTER)\b", re.IGNORECASE)


def _pattern(phrases: str, *, begins: bool = False) -> re.Pattern[str]:
    spelled = (re.escape(phrase.strip()) for phrase in " ".join(phrases.split()).split(","))
    found = "|".join(one.replace("'", "['’´`]") for one in spelled if one)
    return re.compile(rf"\W{{0,3}}(?:{found})" if begins else rf"(?<!\w)(?:{found})(?!\w)|(?:{_without_blanks(phrases)})")


def _without_blanks(phrases: str) -> str:
    """Return the phrases of scripts that write no blanks: they may stand within a word."""
    spelled = (phrase.strip() for phrase in phrases.split(","))
    return "|".join(re.escape(" ".join(phrase.split())) for phrase in spelled if phrase > "\u3000") or r"(?!)"


_SUBJECTS = _pattern(_SUBJECT, begins=True)
_PROSE = _pattern(f"{_AWAY},{_UNDELIVERED}")


def is_automatic(message: Message, own: str) -> bool:
    """Return True if a mail without marks is an automatic answer: a calendar's, or one whose subject or text says so.

    `own` is its text. A text with END as its last line was written by a person.
    """
    if own.rpartition("\n")[2].strip() == END:
        return False
    return _is_calendar(message) or bool(_SUBJECTS.match(subject_of(message))) or says_so(own)


def says_so(text: str) -> bool:
    """Return True for a text with a phrase of vacation responders or delivery notices near its beginning."""
    return bool(_PROSE.search(" ".join(text[:READ].casefold().split())))


def subject_of(message: Message) -> str:
    """Return the beginning of the subject, decoded, folded and with single blanks."""
    # Bytes beyond ASCII are lone surrogates in the parser's values.
    raw = next((str(value) for name, value in message.raw_items() if name.lower() == "subject"), "")[:LONGEST_SUBJECT]
    value = raw.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    with contextlib.suppress(*FAULTS):
        value = str(make_header(decode_header(value)))
    return " ".join(value.casefold().split())


def _is_calendar(message: Message) -> bool:
    """Return True if a part is the answer of a calendar to an invitation (RFC 5546)."""
    parts: Sequence[Message] = [part for part in message.walk() if part.get_content_type() == "text/calendar"]
    for part in parts[:3]:
        if str(part.get_param("method", "")).upper() in ("REPLY", "COUNTER"):
            return True
        payload = part.get_payload(decode=True)
        if isinstance(payload, bytes) and _REPLY.search(payload[:READ].decode("latin-1").replace("\r", "")):
            return True
    return False
