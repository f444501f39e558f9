"""A hundred answers written by hand, apart from the generator: other mail programs, other phrases, the habits of people.

They were written before any of them was graded, and `test_independent_replies` records the first grading. None is changed to fit
the reader: what it cannot read stays here as it is.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from email.message import EmailMessage
from email.policy import SMTP
from html import escape

from tests.mail_replies.originals import REPLY_ADDRESS, original

S, W = "stratastar", "space_war"


@dataclass(frozen=True, slots=True)
class Reply:
    """One answer by hand: the program whose form it has, what its writer wrote, and the orders meant."""

    number: int
    client: str
    game: str
    own: str
    expected: tuple[str, ...]

    @property
    def id(self) -> str:
        return f"{self.number}-{self.client}"

    @property
    def below(self) -> bool:
        """True if the program puts the answer below the quote."""
        return self.client in ("claws", "sylpheed", "pan")

    def raw(self) -> bytes:
        mail = EmailMessage(policy=SMTP)
        mail["From"], mail["To"] = "Anna <anna@players.example>", REPLY_ADDRESS
        mail["Subject"], mail["Message-ID"] = f"Re: Your move ({self.number})", f"<hand.{self.number}@players.example>"
        text = original(self.game, "turn").text.strip("\n")
        plain, html = FRAMES[self.client](self.own, text)
        mail.set_content(plain, charset="utf-8", cte="quoted-printable")
        if html:
            mail.add_alternative(html, subtype="html", charset="utf-8", cte="base64")
        return mail.as_bytes()


def _marked(text: str, mark: str = "> ") -> str:
    return "\n".join((mark + line).rstrip() for line in text.split("\n"))


def _page(own: str, between: str, text: str, style: str = "") -> str:
    lines = "".join(f"<div>{escape(line) or '<br>'}</div>" for line in own.split("\n"))
    quoted = escape(text).replace("\n", "<br>")
    return f"<html><body>{lines}<br>{between}<blockquote {style}>{quoted}</blockquote></body></html>"


def _above(line: str, mark: str = "> ") -> Callable[[str, str], tuple[str, str]]:
    return lambda own, text: (f"{own}\n\n{line}\n{_marked(text, mark)}\n", "")


def _both(line: str, style: str = "") -> Callable[[str, str], tuple[str, str]]:
    return lambda own, text: (f"{own}\n\n{line}\n\n{_marked(text)}\n", _page(own, f"<div>{escape(line)}</div>", text, style))


def _head(head: str, rule: str = "") -> Callable[[str, str], tuple[str, str]]:
    return lambda own, text: (f"{own}\n\n{rule}{head}\n\n{text}\n", "")


_CLAWS = "On Fri, 20 Nov 2026 18:00:12 +0100\nStratastar #42 <play@games.example> wrote:"
_NAMED = "Stratastar #42 <play@games.example>"

FRAMES: dict[str, Callable[[str, str], tuple[str, str]]] = {
    "superhuman": _both(f"On Fri, Nov 20, 2026 at 6:00 PM, {_NAMED} wrote:"),
    "mailbird": _both(f"On 20/11/2026 18:00:12, {_NAMED} wrote:", 'class="history_container" type="cite"'),
    "em_client": _head(
        'From "Stratastar #42" <play@games.example>\nTo anna@players.example\nDate 20/11/2026 18:00:12\n'
        "Subject [Stratastar #42] Your move",
        "------ Original Message ------\n",
    ),
    "claws": lambda own, text: (f"{_CLAWS}\n\n{_marked(text)}\n\n{own}\n", ""),
    "sylpheed": lambda own, text: (f"{_CLAWS}\n\n{_marked(text)}\n\n{own}\n\n-- \nAnna\n", ""),
    "pan": lambda own, text: (f"Op 20-11-2026 om 18:00 schreef {_NAMED}:\n\n{_marked(text)}\n\n{own}\n", ""),
    "tutanota": _above("20 Nov 2026, 18:00 by play@games.example:"),
    "mailspring": _both(f"On Nov 20 2026, at 6:00 pm, {_NAMED} wrote:", 'class="gmail_quote"'),
    "yandex": _both("20.11.2026, 20:00, «Stratastar #42» <play@games.example>:"),
    "naver": _head(
        'From: "Stratastar #42"&lt;play@games.example&gt;\nTo: &lt;anna@players.example&gt;;\nCc:\n'
        "Sent: 2026-11-21 (토) 02:00:12 (GMT+09:00)\nSubject: [Stratastar #42] Your move",
        "-----Original Message-----\n",
    ),
    "web_de": _head(
        "Gesendet: Freitag, 20. November 2026 um 18:00\nVon: Stratastar #42 <play@games.example>\n"
        "An: anna@players.example\nBetreff: [Stratastar #42] Your move",
        "",
    ),
    "bluemail": _both("On 20 Nov 2026, at 18:00, Stratastar #42 <play@games.example> wrote:\n"),
    "edison": lambda own, text: (
        f"{own}\n\nSent from Edison Mail ( https://mailapp.example/ )\n\nOn Nov 20, 2026 at 6:00 PM, <Stratastar #42 "
        f"(mailto:play@games.example)> wrote:\n\n{_marked(text)}\n",
        "",
    ),
    "windows_mail": lambda own, text: (
        f"{own}\n\nSent from Mail for Windows 10\n\nFrom: Stratastar #42\nSent: Friday, November 20, 2026 6:00 PM\n"
        f"To: anna@players.example\nSubject: [Stratastar #42] Your move\n\n{text}\n",
        "",
    ),
    "horde": _above("Zitat von Stratastar #42 <play@games.example>:\n"),
    "horde_english": _above(f"Quoting {_NAMED}:\n"),
    "sogo": _above(f"On Friday, November 20, 2026 18:00 CET, {_NAMED} wrote:\n"),
    "orange_fr": _head(
        '> Message du 20/11/26 18:00\n> De : "Stratastar #42" <play@games.example>\n> A : anna@players.example\n'
        "> Copie à :\n> Objet : [Stratastar #42] Your move\n>",
        "",
    ),
    "libero": _above("Il 20/11/2026 18:00 Stratastar #42 <play@games.example> ha scritto:\n\n"),
    "seznam": _head(
        "Od: Stratastar #42 <play@games.example>\nKomu: anna@players.example\nDatum: 20. 11. 2026 18:00:12\n"
        "Předmět: [Stratastar #42] Your move",
        "---------- Původní e-mail ----------\n",
    ),
    "wp_pl": _above("Dnia 20 listopada 2026 18:00 Stratastar #42 &lt;play@games.example&gt; napisał(a):\n"),
    "opera_m2": _above("On Fri, 20 Nov 2026 18:00:12 +0100, Stratastar #42 <play@games.example>\nwrote:\n"),
    "eudora": _above("At 18:00 20/11/2026, you wrote:", ">"),
    "pegasus": _above("On 20 Nov 2026 at 18:00, Stratastar #42 wrote:\n"),
    "blackberry": _head(
        "From: Stratastar #42\nSent: Friday, November 20, 2026 18:00\nTo: anna@players.example\nReply To: play\n"
        "Subject: [Stratastar #42] Your move",
        "Sent from my BlackBerry 10 smartphone.\n\n",
    ),
}

_BY_HAND: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    (S, "colonize C4", ("colonize C4",)),
    (S, "Colonize C4\nFleet\nEnd phase", ("colonize C4", "fleet", "end phase")),
    (S, "colonize c4, please", ("colonize C4",)),
    (S, "Moin,\n\ncolonize D5\nend phase\n\nBis dann\nAnna", ("colonize D5", "end phase")),
    (W, "play titan\nEND", ("play titan",)),
    (W, "hiya - sorry for the delay, kids were ill\n\nplay drone\nplay satellite\n\nyour go!", ("play drone", "play satellite")),
    (S, "COLONIZE C4\nEND", ("colonize C4",)),
    (S, "1. colonize D5\n2. colonize C4\n3. end phase", ("colonize D5", "colonize C4", "end phase")),
    (S, "- fleet\n- end phase", ("fleet", "end phase")),
    (S, "* colonize C4\n* fleet\nEND\nthx", ("colonize C4", "fleet")),
    (W, "play titan; end phase", ("play titan", "end phase")),
    (W, "play titan.\nend phase.", ("play titan", "end phase")),
    (S, "“colonize C4”", ("colonize C4",)),
    (S, "colonize C4\n\nMit freundlichen Grüßen\n\ni. A. Anna Beispiel\nEinkauf", ("colonize C4",)),
    (S, "colonize C4\nfleet\n\nKind regards\n\nAnna\n+44 20 5550 0100", ("colonize C4", "fleet")),
    (W, "Sure!\n\nplay titan\nend phase\nEND\n\nSent while walking the dog", ("play titan", "end phase")),
    (S, "fleet\nend phase\nmove E5 F5 2F\n\nlet's see how you like that ;-)", ("fleet", "end phase", "move E5 F5 2F")),
    (S, "colonize D5 # the rich one\ncolonize C4 # and the poor one\nend phase", ("colonize D5", "colonize C4", "end phase")),
    (S, "\n\n\ncolonize C4\n\n\n", ("colonize C4",)),
    (W, "play drone\n\nplay satellite\n\nEND", ("play drone", "play satellite")),
    (S, "Bonjour,\n\ncolonize C4\nend phase\n\nBonne soirée,\nAnna", ("colonize C4", "end phase")),
    (S, "Hola a todos\n\nfleet\n\nUn saludo", ("fleet",)),
    (S, "Ciao,\ncolonize C4\nEND\nA presto", ("colonize C4",)),
    (W, "Hei!\n\nplay titan\n\nTerveisin\nAnna", ("play titan",)),
    (W, "Cześć,\n\nplay titan\nend phase\n\nPozdrawiam,\nAnna", ("play titan", "end phase")),
    (S, "こんにちは\n\ncolonize C4\nend phase\n\nよろしくお願いします", ("colonize C4", "end phase")),
    (S, "您好\n\ncolonize C4\nEND\n\n谢谢", ("colonize C4",)),
    (W, "Привет!\n\nplay titan\nend phase\n\nС уважением, Анна", ("play titan", "end phase")),
    (S, "Selam,\n\ncolonize C4\n\nSaygılarımla", ("colonize C4",)),
    (S, "שלום\n\ncolonize C4\nEND\n\nתודה", ("colonize C4",)),
    (S, "Got it, thanks. Here we go:\ncolonize C4\nend phase", ("colonize C4", "end phase")),
    (
        W,
        "My orders for this turn:\n\nplay fatal_error x 3 on b-04\nend phase\n\nCheers",
        ("play fatal_error x 3 on b-04", "end phase"),
    ),
    (
        W,
        "orders below\n--------\nplay starship\nadd scout draw\nend phase\n--------",
        ("play starship", "add scout draw", "end phase"),
    ),
    (S, "colonize C4 pay 1B\nend phase\nmove E5 F5 2F then end", ("colonize C4 pay 1B", "end phase", "move E5 F5 2F then end")),
    (
        S,
        "colonize D5\nend phase\nmove E5 E6 1F\nmove A1 A2 1F\nEnd",
        ("colonize D5", "end phase", "move E5 E6 1F", "move A1 A2 1F"),
    ),
    (S, "colonize D5\nend phase\nmove E5 to E6 1F\nEND", ("colonize D5", "end phase", "move E5 E6 1F")),
    (S, "I think I'd rather wait and see what Ben does before I decide anything.", ()),
    (S, "When is the deadline again?", ()),
    (W, "Nice one Ben, did not see that coming.", ()),
    (W, "I'm on a train with bad reception, will answer tonight.", ()),
    (S, "Danke, melde mich morgen!", ()),
    (S, "Merci, je joue ce soir.", ()),
    (W, "thanks", ()),
    (W, "👍", ()),
    (S, "ok", ()),
    (S, "colonize C4 👍", ("colonize C4",)),
    (S, "colonize C4\n😀", ("colonize C4",)),
    (W, "play titan\nend phase\n-- \nAnna Example\nExample Works", ("play titan", "end phase")),
    (W, "play titan\n--\nAnna", ("play titan",)),
    (
        S,
        "colonize C4\nfleet\n___________\nThis mail is confidential. If you are not the intended recipient, delete it.",
        ("colonize C4", "fleet"),
    ),
    (S, "colonize C4\n\nGet Outlook for Harmony OS", ("colonize C4",)),
    (S, "colonize C4\n\nEnviado do meu telemóvel", ("colonize C4",)),
    (S, "colonize C4\n\nWysłane z telefonu", ("colonize C4",)),
    (S, "colonize C4\n\nOdesláno z mobilu, omluvte překlepy", ("colonize C4",)),
    (W, "play titan\nend phase\n\nsent from a tiny keyboard, typos are a feature", ("play titan", "end phase")),
    (W, "play titan\n\nPS: great game so far", ("play titan",)),
    (W, "play titan\n\np.s. I am away from the 24th to the 27th", ("play titan",)),
    (
        S,
        "Hi Ben and all,\n\nas discussed:\n\ncolonize C4\nfleet\n\nSee you on Thursday at the club.\n\nAnna",
        ("colonize C4", "fleet"),
    ),
    (S, "Hello,\ncolonize C4\nThanks", ("colonize C4",)),
    (S, "Hello, colonize C4", ("colonize C4",)),
    (S, "Please colonize C4 and then end phase.", ("colonize C4", "end phase")),
    (S, "colonize C4 and fleet", ("colonize C4", "fleet")),
    (S, "colonize C4, fleet, end phase", ("colonize C4", "fleet", "end phase")),
    (W, "play titan, then end phase", ("play titan", "end phase")),
    (W, "play: titan", ("play titan",)),
    (W, "> play titan", ()),
    (S, "colonize C4 (if still possible)", ("colonize C4",)),
    (S, "colonise C4", ("colonize C4",)),
    (S, "colonize  C4\nend  phase", ("colonize C4", "end phase")),
    (S, "colonize C 4", ("colonize C4",)),
    (S, "colonize c-4", ("colonize C4",)),
    (W, "Play Titan\nEnd Phase\nEND", ("play titan", "end phase")),
    (W, "PLAY TITAN!", ("play titan",)),
    (S, "fleet\nfleet?", ("fleet",)),
    (S, "end phase", ("end phase",)),
    (S, "End phase. Your turn, Ben!", ("end phase",)),
    (S, "help", ()),
    (S, "Help!", ()),
    (S, "board", ()),
    (S, "status please", ()),
    (W, "rules?", ()),
    (W, "play titan\nend phase\nend", ("play titan", "end phase")),
    (W, "play titan\nEND.", ("play titan",)),
    (W, "play titan\n*END*", ("play titan",)),
    (W, "play titan\n\nE N D", ("play titan",)),
    (S, "colonize C4\nEnd of orders", ("colonize C4",)),
    (S, "colonize C4\n\nThat's all.", ("colonize C4",)),
    (S, "colonize C4\n\nthat is it from me\nanna", ("colonize C4",)),
    (S, "colonize C4\n\nBest\nA.", ("colonize C4",)),
    (S, "colonize C4\n\nxx", ("colonize C4",)),
    (S, "colonize C4\n\nAll the best from rainy Bristol", ("colonize C4",)),
    (S, "colonize C4\n\nVG Anna", ("colonize C4",)),
    (W, "play titan\n\nMvh Anna", ("play titan",)),
    (W, "play titan\n\nTschüss", ("play titan",)),
    (W, "play titan\n\nLG", ("play titan",)),
    (
        W,
        "Dear game master,\n\nkindly do the following for me:\n\n"
        "play drone\nplay satellite\n\nYours faithfully\nAnna Example (Mrs)",
        ("play drone", "play satellite"),
    ),
    (W, "play drone\nplay satellite\n\nOn second thoughts, nothing more this turn.", ("play drone", "play satellite")),
    (S, "First:\ncolonize D5\nThen:\ncolonize C4\nFinally:\nend phase", ("colonize D5", "colonize C4", "end phase")),
    (
        S,
        "colonize D5\ncolonize C4\nend phase\n\n(I copied these from the page, hope that works)",
        ("colonize D5", "colonize C4", "end phase"),
    ),
    (S, "Undo my last mail if it came through, otherwise colonize C4", ()),
)


def replies() -> list[Reply]:
    """Return the hundred answers; each program has four."""
    names = list(FRAMES)
    return [Reply(at, names[at % len(names)], game, own, orders) for at, (game, own, orders) in enumerate(_BY_HAND)]
