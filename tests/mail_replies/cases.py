"""Generated cases: what a player wrote, in which program and language, and the orders that may be carried out.

All is fixed: lists are walked in order, and one seed decides the rest. A case keeps its id as long as its cause keeps its place.
"""

from __future__ import annotations

import functools
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tests.mail_replies.clients import CLIENTS
from tests.mail_replies.languages import LANGUAGES, Language
from tests.mail_replies.mime import Draft
from tests.mail_replies.originals import Original, from_long_address, original, selection, with_banner, without_mark
from tests.mail_replies.positions import Position, position

GAMES = ("stratastar", "space_war")
KINDS = ("orders only", "orders and END", "orders, then chatter and no END", "greeting above")
BELOW = "below a quote without marks, or on both sides"
GROUPS = (*KINDS, BELOW)
CORPORATE = (
    "Anna Example\nHead of Purchasing\n\nExample Works Ltd.\n12 Sample Road, 10115 Berlin\nPhone +49 30 5550100\nwww.example.com",
    "Anna Example | Example Works Ltd. | T: +49 30 5550100 | anna@players.example",
    "Anna Example\nExample Works GmbH, Musterweg 5, Berlin\nGeschäftsführer: Max Muster, HRB 12345, Amtsgericht Musterstadt",
)


@dataclass(frozen=True, slots=True)
class Case:
    """One mail and its grade in full marks. `expected` are the orders as the player wrote them."""

    id: str
    cause: str
    kind: str
    client: str
    language: str
    game: str
    draft: Draft
    expected: tuple[str, ...]

    def raw(self) -> bytes:
        return CLIENTS[self.client].write(self.draft)

    @property
    def group(self) -> str:
        """The kind; or `BELOW`, where nothing tells own lines from quoted ones, or where they stand on both sides."""
        place, marked = self.draft.place, CLIENTS[self.client].marks and self.draft.quotes and self.draft.only != "html"
        return BELOW if place == "around" or not self.draft.quotes or (place != "above" and not marked) else self.kind


@dataclass(frozen=True, slots=True)
class Cause:
    """A trait to try: `change` makes it of a draft. Empty lists mean all programs that can show it, and a few languages."""

    name: str
    clients: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    change: Callable[[Draft, Position], Draft] = lambda draft, _position: draft
    quoted: str = "turn"
    """The kind of the original mail."""
    kinds: tuple[str, ...] = KINDS
    own: Callable[[Position, int], tuple[str, ...]] = lambda here, at: here.own[at % len(here.own)]
    written: Callable[[Sequence[str]], str] = "\n".join
    """Returns the lines with the orders as the player writes them."""
    every: bool = False
    """True for all languages with each program; else the languages are walked in turn."""
    nothing: bool = False
    """True if the player wrote no order at all."""


def body(kind: str, orders: str, language: Language) -> str:
    """Return the own text of a kind."""
    match kind:
        case "orders and END":
            return f"{orders}\nEND"
        case "orders, then chatter and no END":
            return f"{orders}\n\n" + "\n".join(language.chatter)
        case "greeting above":
            return f"{language.greeting}\n\n{orders}"
    return orders


def _original(change: Callable[[Original], Original]) -> Callable[[Draft, Position], Draft]:
    return lambda draft, _position: replace(draft, original=change(draft.original))


def _with(**fields: Any) -> Callable[[Draft, Position], Draft]:
    return lambda draft, _position: replace(draft, **fields)


def _closing(draft: Draft, _position: Position) -> Draft:
    return replace(draft, own=f"{draft.own}\n\n{draft.language.closing}\nAnna")


def _legacy(draft: Draft, _position: Position) -> Draft:
    return replace(draft, charset=draft.language.charset)


def _mislabelled(draft: Draft, _position: Position) -> Draft:
    """Name another charset than the one of the text, as broken programs and gateways do."""
    charset = "utf-8" if draft.language.charset == "us-ascii" else draft.language.charset
    return replace(draft, charset=charset, label="us-ascii" if charset == "utf-8" else "utf-8")


def _unknown_charset(draft: Draft, _position: Position) -> Draft:
    return replace(draft, charset="utf-8", label="x-unknown")


def _example(draft: Draft, here: Position) -> Draft:
    return replace(draft, original=selection(draft.original, here.quoted))


def _corporate(draft: Draft, _position: Position) -> Draft:
    at = sorted(LANGUAGES).index(draft.language.code) + len(draft.own)
    return replace(draft, signature=CORPORATE[at % len(CORPORATE)])


def _mixed_closing(draft: Draft, here: Position) -> Draft:
    return _corporate(_closing(draft, here), here)


def _both_banners(draft: Draft, _position: Position) -> Draft:
    return replace(draft, original=with_banner(draft.original))


def _numbered(orders: Sequence[str]) -> str:
    return "\n".join(f"{at}. {order}" for at, order in enumerate(orders, 1))


def _bulleted(orders: Sequence[str]) -> str:
    return "\n".join(f"- {order}" for order in orders)


def _spaced(orders: Sequence[str]) -> str:
    return "\n\n".join(orders)


def _capital(orders: Sequence[str]) -> str:
    """Return orders as a phone corrects them: with a capital, and a blank at the end."""
    return "\n".join(f"{order[0].upper()}{order[1:]} " for order in orders)


def _long(here: Position, at: int) -> tuple[str, ...]:
    return (here.own[at % len(here.own)][0], here.long)


def _order_below_dashes(draft: Draft, here: Position) -> Draft:
    """Sign with a motto that reads as an order."""
    return replace(draft, signature=f"Anna\n{here.quoted[-1]}")


def _thanks_between(orders: Sequence[str]) -> str:
    """Return orders with a friendly word between them."""
    return f"{orders[0]}\nThanks, Ben, that was quick!\n" + "\n".join(orders[1:])


def _no_break(orders: Sequence[str]) -> str:
    return "\n".join(order.replace(" ", "\u00a0") for order in orders)


def _directed(orders: Sequence[str]) -> str:
    """Return orders as keyboards for Hebrew and Arabic send them: with marks of direction."""
    return "\n".join(f"\u200e{order}\u202c\u200f" for order in orders)


def _ruled(orders: Sequence[str]) -> str:
    return "\n----------\n".join(orders)


def _two(here: Position, at: int) -> tuple[str, ...]:
    several = [orders for orders in here.own if len(orders) > 1]
    return several[at % len(several)]


def _with_message(here: Position, at: int) -> tuple[str, ...]:
    """Return an order and a message to all. The message ends at an empty line, and nothing else may get into it."""
    return (here.own[at % len(here.own)][0], "press all:\nWell played, Ben.\nSee you on Saturday.")


def _tempting(draft: Draft, here: Position) -> Draft:
    """Add sentences that begin like orders and service words."""
    return replace(draft, own=f"{draft.own}\n\n" + "\n".join(here.tempting))


def _only_chatter(draft: Draft, here: Position) -> Draft:
    return replace(draft, own="\n".join((draft.language.greeting, *draft.language.chatter, *here.tempting)))


def _nothing(_position: Position, _at: int) -> tuple[str, ...]:
    return ()


MARKING = tuple(name for name, one in CLIENTS.items() if one.marks)
UNMARKING = tuple(name for name, one in CLIENTS.items() if not one.marks)
WITH_HTML = tuple(name for name, one in CLIENTS.items() if one.html)
COMMON = (
    "gmail_web",
    "gmail_android",
    "apple_mail",
    "ios_mail",
    "outlook_desktop",
    "outlook_web",
    "thunderbird",
    "yahoo",
    "samsung",
)
PHONES = ("ios_mail", "gmail_android", "gmail_ios", "samsung", "outlook_mobile", "k9", "gmx_app", "proton")
TEXT = (
    "thunderbird",
    "mutt",
    "alpine",
    "gnus",
    "the_bat",
    "kmail",
    "evolution",
    "roundcube",
    "k9",
    "fairemail",
    "apple_mail_plain",
)
EUROPE = ("en", "de", "fr", "es", "pl", "sv")

CAUSES = (
    Cause("the program's own form", tuple(CLIENTS), ("en",)),
    Cause("the program's own form, in German", tuple(CLIENTS), ("de",), kinds=KINDS[:2]),
    Cause("words of a language", ("gmail_web", "apple_mail", "thunderbird", "outlook_web"), tuple(LANGUAGES), every=True),
    Cause(
        "words of a language on a phone", ("ios_mail", "samsung", "outlook_mobile"), tuple(LANGUAGES), every=True, kinds=KINDS[:2]
    ),
    Cause(
        "attribution wrapped",
        ("gmail_web", "gmail_android", "gmail_ios", "thunderbird", "roundcube", "hey", "google_group", "k9"),
        tuple(LANGUAGES),
        _original(from_long_address),
    ),
    Cause(
        "header block without quote marks",
        ("outlook_desktop", "outlook_plain", "outlook_new_plain", "zimbra", "lotus_notes", "gmx", "aol", "qq_mail"),
        tuple(LANGUAGES),
    ),
    Cause(
        "header block, our mark dropped",
        ("outlook_desktop", "outlook_plain", "outlook_new_plain", "outlook_mac", "zimbra", "lotus_notes", "samsung", "qq_mail"),
        tuple(LANGUAGES),
        _original(without_mark),
    ),
    Cause("dashes", ("zoho", "help_desk", "gmx_app", "t_online", "samsung", "aol"), EUROPE),
    Cause("initials", ("gnus", "the_bat"), EUROPE, _original(without_mark)),
    Cause("mobile signature", PHONES, tuple(LANGUAGES)),
    Cause("mobile signature, our mark dropped", PHONES, tuple(LANGUAGES), _original(without_mark), kinds=KINDS[:2]),
    Cause(
        "corporate signature",
        ("outlook_desktop", "outlook_web", "gmail_web", "thunderbird", "apple_mail", "zimbra", "lotus_notes"),
        EUROPE,
        _corporate,
    ),
    Cause("closing with name", (*COMMON, "mutt"), tuple(LANGUAGES), _closing),
    Cause("closing and corporate signature", ("outlook_desktop", "gmail_web", "apple_mail", "gmx"), EUROPE, _mixed_closing),
    Cause("disclaimer", ("gateway_disclaimer", "gateway_footer"), EUROPE, every=True, kinds=KINDS[:3]),
    Cause("disclaimer, our mark dropped", ("gateway_disclaimer", "gateway_footer"), EUROPE, _original(without_mark)),
    Cause("label of secrecy above", ("gateway_label",), EUROPE[:3]),
    Cause("external banner in the quote", (*COMMON, "gateway_disclaimer"), EUROPE, _both_banners, kinds=KINDS[:2]),
    Cause("list footer", ("mailing_list", "google_group"), EUROPE, every=True, kinds=KINDS[:2]),
    Cause("PGP armour", ("pgp_armour",), EUROPE),
    Cause("PGP/MIME", ("pgp_mime",), EUROPE),
    Cause(
        "answer below the quote",
        (*TEXT, "gmail_web", "apple_mail", "fastmail", "mail_ru", "mailing_list"),
        EUROPE,
        _with(place="below"),
    ),
    Cause(
        "answer below the quote, our mark dropped",
        MARKING,
        EUROPE,
        lambda draft, here: replace(draft, place="below", original=without_mark(draft.original)),
        kinds=KINDS[:2],
    ),
    Cause("answer below an unquoted quote", UNMARKING, EUROPE, _with(place="below"), kinds=KINDS[:2]),
    Cause(
        "answer below an unquoted quote, our mark dropped",
        UNMARKING,
        EUROPE,
        lambda draft, here: replace(draft, place="below", original=without_mark(draft.original)),
        kinds=KINDS[:1],
    ),
    Cause(
        "answer under an unquoted attribution",
        ("gmail_web", "thunderbird", "mutt", "kmail", "outlook_new_plain"),
        EUROPE,
        lambda draft, here: replace(draft, quotes=False),
        kinds=KINDS[:2],
    ),
    Cause("inline answer", (*TEXT, "gmail_web", "apple_mail", "fastmail"), EUROPE, _with(place="between")),
    Cause(
        "inline answer in an unquoted quote",
        ("outlook_desktop", "outlook_web", "yahoo", "zimbra"),
        EUROPE,
        _with(place="between"),
        kinds=KINDS[:2],
    ),
    Cause(
        "inline answer, HTML only",
        ("gmail_web", "apple_mail", "thunderbird_html", "outlook_web"),
        EUROPE,
        _with(place="between", only="html"),
        kinds=KINDS[:2],
    ),
    Cause("flowed", ("thunderbird", "alpine", "roundcube", "apple_mail_plain", "fairemail"), EUROPE, own=_long),
    Cause("long order wrapped by the program", ("gmail_web", "outlook_plain", "evolution"), EUROPE, own=_long, kinds=KINDS[:2]),
    Cause("HTML only", WITH_HTML, EUROPE, _with(only="html")),
    Cause(
        "HTML only, our mark dropped",
        WITH_HTML,
        tuple(LANGUAGES),
        lambda draft, here: replace(draft, only="html", original=without_mark(draft.original)),
        kinds=KINDS[:2],
    ),
    Cause(
        "HTML only, answer below the quote",
        ("gmail_web", "apple_mail", "thunderbird_html", "yahoo", "outlook_web", "proton"),
        EUROPE,
        _with(only="html", place="below"),
        kinds=KINDS[:2],
    ),
    Cause("plain text only", ("gmail_web", "outlook_web", "apple_mail", "yahoo"), EUROPE, _with(only="plain"), kinds=KINDS[:2]),
    Cause(
        "base64", ("gmail_web", "thunderbird", "outlook_web", "mutt"), tuple(LANGUAGES), _with(transfer="base64"), kinds=KINDS[:2]
    ),
    Cause("older charset", ("thunderbird", "mutt", "outlook_web", "the_bat"), tuple(LANGUAGES), _legacy),
    Cause(
        "wrong charset label",
        ("thunderbird", "mutt", "outlook_web", "gmail_web"),
        tuple(LANGUAGES),
        _mislabelled,
        kinds=KINDS[:3],
    ),
    Cause("unknown charset label", ("thunderbird", "gmail_web"), tuple(LANGUAGES), _unknown_charset, kinds=KINDS[:1]),
    Cause("receipt quoted", COMMON, EUROPE, quoted="receipt", kinds=KINDS[:2]),
    Cause("receipt quoted, our mark dropped", COMMON, EUROPE, _original(without_mark), quoted="receipt", kinds=KINDS[:2]),
    Cause("message with orders quoted", COMMON, EUROPE, quoted="press", kinds=KINDS[:2]),
    Cause(
        "message with orders quoted, our mark dropped", COMMON, EUROPE, _original(without_mark), quoted="press", kinds=KINDS[:2]
    ),
    Cause("orders quoted in the original as example", tuple(CLIENTS), tuple(LANGUAGES), _example, kinds=KINDS[:2]),
    Cause("own earlier orders quoted", tuple(CLIENTS), tuple(LANGUAGES), quoted="earlier", kinds=KINDS[:2]),
    Cause("orders of another player quoted", tuple(CLIENTS), tuple(LANGUAGES), quoted="ally", kinds=KINDS[:2]),
    Cause("nothing but orders quoted", tuple(CLIENTS), tuple(LANGUAGES), quoted="orders", kinds=KINDS[:1]),
    Cause(
        "nothing but orders quoted, answer below",
        tuple(CLIENTS),
        tuple(LANGUAGES),
        _with(place="below"),
        quoted="orders",
        kinds=KINDS[:1],
    ),
    Cause(
        "nothing but orders quoted, inline answer",
        tuple(CLIENTS),
        tuple(LANGUAGES),
        _with(place="between"),
        quoted="orders",
        kinds=KINDS[:1],
    ),
    Cause("numbered orders", COMMON, EUROPE, written=_numbered, kinds=KINDS[:2]),
    Cause("orders with dashes", ("gmail_web", "mutt", "outlook_web", "pgp_armour"), EUROPE, written=_bulleted, kinds=KINDS[:2]),
    Cause("orders with empty lines between", COMMON, EUROPE, written=_spaced, kinds=KINDS[:2]),
    Cause("orders as a phone corrects them", PHONES, EUROPE, written=_capital, kinds=KINDS[:2]),
    Cause("answer above and below the quote", MARKING, EUROPE, _with(place="around"), own=_two, kinds=KINDS[:1]),
    Cause("answer above and below an unquoted quote", UNMARKING, EUROPE, _with(place="around"), own=_two, kinds=KINDS[:1]),
    Cause("HTML only, answer above and below", WITH_HTML, EUROPE, _with(only="html", place="around"), own=_two, kinds=KINDS[:1]),
    Cause(
        "quoted line wrapped again",
        ("outlook_prefixed", "gmail_web", "thunderbird", "mutt", "evolution"),
        EUROPE,
        quoted="advice",
    ),
    Cause("quoted line wrapped again by a gateway", ("gateway_wrapping",), EUROPE, quoted="advice"),
    Cause("turn mail wrapped again by a gateway", ("gateway_wrapping", "outlook_prefixed"), EUROPE, _original(without_mark)),
    Cause("message to players in the mail", (*COMMON, *PHONES, *TEXT), EUROPE, own=_with_message, kinds=KINDS[:2]),
    Cause(
        "message to players, our mark dropped",
        (*COMMON, *PHONES, *TEXT),
        tuple(LANGUAGES),
        _original(without_mark),
        own=_with_message,
        kinds=KINDS[:1],
    ),
    Cause(
        "message to players right above the quote",
        ("html_with_empty_text", "outlook_web"),
        tuple(LANGUAGES),
        _original(without_mark),
        own=_with_message,
        kinds=KINDS[:1],
        every=True,
    ),
    Cause("text in two parts around a picture", ("apple_picture",), EUROPE, own=_two),
    Cause("text beside other text parts", ("mailman_parts", "with_attachments", "smime"), EUROPE),
    Cause("plain part without the text", ("html_with_stub", "html_with_empty_text"), EUROPE),
    Cause("forwarded instead of answered", ("gmail_forward", "apple_forward", "thunderbird_forward"), EUROPE, every=True),
    Cause(
        "signature that reads as an order",
        ("thunderbird", "mutt", "gmail_web", "k9", "roundcube", "alpine"),
        EUROPE,
        _order_below_dashes,
    ),
    Cause("other quote marks", ("mutt_with_bars", "elm", "emacs_rmail"), EUROPE, quoted="ally"),
    Cause(
        "other quote marks, answer below",
        ("mutt_with_bars", "elm", "emacs_rmail"),
        EUROPE,
        _with(place="below"),
        quoted="orders",
        kinds=KINDS[:2],
    ),
    Cause("quote inside a quote", COMMON, EUROPE, quoted="thread", kinds=KINDS[:2]),
    Cause("chatter that resembles orders", COMMON, EUROPE, _tempting, kinds=KINDS[2:3]),
    Cause("nothing but chatter", COMMON, EUROPE, _only_chatter, own=_nothing, kinds=KINDS[2:3], nothing=True),
    Cause(
        "thanks between orders",
        ("gmail_web", "thunderbird", "outlook_web"),
        EUROPE[:1],
        own=_two,
        written=_thanks_between,
        kinds=KINDS[:2],
    ),
    Cause("no-break blanks", ("gmail_web", "gmail_android", "outlook_web", "yahoo"), EUROPE, written=_no_break, kinds=KINDS[:2]),
    Cause("marks of direction", ("gmail_android", "ios_mail", "outlook_web"), ("he", "ar"), written=_directed, kinds=KINDS[:2]),
    Cause(
        "rules between orders",
        ("gmail_web", "mutt", "outlook_web", "thunderbird"),
        EUROPE,
        own=_two,
        written=_ruled,
        kinds=KINDS[:2],
    ),
    Cause("no own order", tuple(CLIENTS), tuple(LANGUAGES), own=_nothing, kinds=("orders only",), nothing=True),
    Cause(
        "no own order, our mark dropped",
        tuple(CLIENTS),
        tuple(LANGUAGES),
        _original(without_mark),
        own=_nothing,
        kinds=("orders only",),
        nothing=True,
    ),
    Cause(
        "no own order, nothing but orders quoted",
        tuple(CLIENTS),
        tuple(LANGUAGES),
        own=_nothing,
        quoted="orders",
        kinds=("orders only",),
        nothing=True,
    ),
)
MOST_WALKED = 24
"""Cases of one cause that walks its lists in turn, if it has no program left to show."""


@functools.cache
def cases() -> tuple[Case, ...]:
    """Return all cases, in the order of the causes."""
    return tuple(case for number, cause in enumerate(CAUSES) for case in _of(number, cause))


def _of(number: int, cause: Cause) -> Iterator[Case]:
    rng = random.Random(number)
    if cause.every:
        pairs = [(client, language) for client in cause.clients for language in cause.languages]
        chosen = [(client, language, cause.kinds[at % len(cause.kinds)]) for at, (client, language) in enumerate(pairs)]
    else:
        kinds = [(client, kind) for client in cause.clients for kind in cause.kinds]
        if len(cause.clients) * len(cause.kinds) > MOST_WALKED and len(cause.clients) < len(CLIENTS):
            kinds = rng.sample(kinds, MOST_WALKED)
        # One more for each round of the kinds, so that a language is tried with all of them.
        places = [(at + at // len(cause.kinds)) % len(cause.languages) for at in range(len(kinds))]
        chosen = [(client, cause.languages[place], kind) for place, (client, kind) in zip(places, kinds)]
    for at, (client, language, kind) in enumerate(chosen):
        yield _case(cause, at, client, LANGUAGES[language], kind, GAMES[rng.randrange(2)])


def _case(cause: Cause, at: int, client: str, language: Language, kind: str, game: str) -> Case:
    here = position(game)
    own = cause.own(here, at)
    text = "" if cause.nothing else body(kind, cause.written(own), language)
    draft = cause.change(Draft(text, original(game, cause.quoted, language.code), language), here)
    slug = cause.name.replace("'s", "").replace(",", "").replace(" ", "-").replace("/", "-").lower()
    return Case(f"{slug}:{at}:{client}:{language.code}", cause.name, kind, client, language.code, game, draft, own)
