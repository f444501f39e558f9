"""Mail programs and doors on the way: each makes a raw mail of a draft as the program is documented, or known, to do it.

A program is a function from a draft to the bytes of a mail. `CLIENTS` holds them by name.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from html import escape

from tests.mail_replies.mime import Draft, attached, body_of, flowed, multipart, plain_html, raw_mail, text_part, wrapped

RULE = "_" * 32
META = '<head><meta http-equiv="content-type" content="text/html; charset=utf-8"></head>'
Write = Callable[[Draft], bytes]


@dataclass(frozen=True, slots=True)
class Client:
    """A mail program. `marks`: it marks each quoted line, so that an answer can be below the quote or inside it."""

    name: str
    write: Write
    marks: bool
    html: bool


CLIENTS: dict[str, Client] = {}


def client(*, marks: bool = True, html: bool = True) -> Callable[[Write], Write]:
    """Register a program under the name of its function."""

    def register(write: Write) -> Write:
        CLIENTS[write.__name__] = Client(write.__name__, write, marks, html)
        return write

    return register


# --- the parts of an answer ---


def attribution(draft: Draft, form: str, columns: int = 0) -> str:
    """Return the line above a quote, wrapped if a number of columns is given."""
    given = draft.original
    line = form.format(name=given.name, address=given.address, who=given.who)
    return wrapped(line, columns) if columns else line


def prefixed(text: str, prefix: str = "> ", *, empty: str = "") -> list[str]:
    """Return the lines of a quote. `empty` is the mark of an empty line: by default the prefix without blanks."""
    return [prefix + line if line else empty or prefix.rstrip() for line in text.rstrip("\n").split("\n")]


def arranged(draft: Draft, own: str, head: str, quote: list[str], gap: str = "\n\n") -> str:
    """Return own text and quote in the draft's order. `own` may contain a signature."""
    head = f"{head}\n" if head else ""
    if not draft.quotes:
        return f"{head}\n{own}\n"
    match draft.place:
        case "below":
            return f"{head}" + "\n".join(quote) + f"{gap}{own}\n"
        case "between":
            return f"{head}" + "\n".join(_between(own, quote)) + "\n"
        case "around":
            above, below = halves(own)
            return f"{above}{gap}{head}" + "\n".join(quote) + f"{gap}{below}\n"
    return f"{own}{gap}{head}" + "\n".join(quote) + "\n"


def halves(own: str) -> tuple[str, str]:
    """Return the first half of the own lines, and the others."""
    lines = own.split("\n")
    half = (len(lines) + 1) // 2
    return "\n".join(lines[:half]), "\n".join(lines[half:])


def _between(own: str, quote: list[str]) -> list[str]:
    """Return the quote with the first half of the own lines in its middle, and the others near its end."""
    first, second = len(quote) * 2 // 5, len(quote) * 4 // 5
    above, below = halves(own)
    return [*quote[:first], "", above, "", *quote[first:second], *(["", below, ""] if below else []), *quote[second:]]


def arranged_html(draft: Draft, own: Callable[[str], str], text: str, head: str, opening: str, closing: str) -> str:
    """Return own HTML and quote in the draft's order. A quote with answers inside becomes several blocks."""
    if not draft.quotes:
        return head + own(text)
    match draft.place:
        case "below":
            return head + opening + draft.original.html + closing + own(text)
        case "between":
            quote = draft.original.shown.split("\n")
            first, second = len(quote) * 2 // 5, len(quote) * 4 // 5
            above, below = halves(text)
            blocks = [opening + divs("\n".join(part)) + closing for part in (quote[:first], quote[first:second], quote[second:])]
            return head + blocks[0] + own(above) + blocks[1] + (own(below) if below else "") + blocks[2]
        case "around":
            above, below = halves(text)
            return own(above) + head + opening + draft.original.html + closing + own(below)
    return own(text) + head + opening + draft.original.html + closing


def signed(draft: Draft, *, dashes: bool, always: str = "") -> str:
    """Return the own text with the writer's signature, or with the line that the program adds to every mail."""
    signature = draft.signature or always
    if not signature:
        return draft.own
    return draft.own + ("\n\n-- \n" if dashes else "\n\n") + signature


def divs(text: str, attributes: str = "") -> str:
    return "".join(f"<div{attributes}>{escape(line, quote=False) or '<br>'}</div>" for line in text.split("\n"))


def breaks(text: str) -> str:
    return f"<div>{plain_html(text)}</div>"


def paragraphs(text: str) -> str:
    """Return lines as Word writes them."""
    lines = (escape(line, quote=False) or "&nbsp;" for line in text.split("\n"))
    return "".join(f'<p class="MsoNormal">{line}<o:p></o:p></p>\n' for line in lines)


def own_wrapped(draft: Draft, columns: int) -> Draft:
    """Return the draft with own lines as broken by a program that wraps plain text."""
    lines = [wrapped(line, columns) if len(line) > columns else line for line in draft.own.split("\n")]
    return replace(draft, own="\n".join(lines))


def header_block(draft: Draft, *, bold: str = "", date: str = "") -> str:
    """Return From, Sent, To and Subject in the draft's language. `bold` is the sign around a label in plain text."""
    given, (sender, sent, to, subject) = draft.original, draft.language.labels
    space = draft.language.space_before_colon
    fields = {
        sender: f"{given.name} <{given.address}>",
        sent: date or draft.language.sent,
        to: f"{given.to_name} <{given.to}>",
        subject: given.subject,
    }
    return "\n".join(f"{bold}{label}{space}:{bold} {value}" for label, value in fields.items())


def header_block_html(draft: Draft) -> str:
    lines = (line.partition(":") for line in header_block(draft).split("\n"))
    return "<br>\n".join(f"<b>{escape(label)}:</b>{escape(value)}" for label, _colon, value in lines)


def linked(text: str) -> str:
    """Return text as Exchange makes it of HTML: addresses in angle brackets behind their words."""
    return text.replace("Open the match", "Open the match<https://games.example/matches/42/>")


# --- Google ---


def _gmail(draft: Draft, own_html: Callable[[str], str]) -> bytes:
    mail = own_wrapped(draft, 78)
    own = signed(mail, dashes=True)
    quote = prefixed(draft.original.shown)
    # It may break the line behind the `<` of the address.
    head = wrapped(attribution(draft, draft.language.gmail).replace("<", "< "), 78).replace("< ", "<")
    plain = arranged(mail, own, head + "\n", quote)
    said = escape(attribution(draft, draft.language.gmail))
    style = "margin:0px 0px 0px 0.8ex;border-left:1px solid rgb(204,204,204);padding-left:1ex"
    opening = f'<blockquote class="gmail_quote" style="{style}">'
    head_html = f'<br><div class="gmail_quote gmail_quote_container"><div dir="ltr" class="gmail_attr">{said}<br></div>'
    html = arranged_html(draft, own_html, signed(draft, dashes=True), head_html, opening, "</blockquote></div>")
    return raw_mail(draft, body_of(draft, plain, html), "gmail", header="X-Test-Client")


@client()
def gmail_web(draft: Draft) -> bytes:
    """Gmail in a browser: `> ` below a wrapped attribution; HTML in `gmail_quote`."""
    return _gmail(draft, lambda text: f'<div dir="ltr">{divs(text)}</div>')


@client()
def gmail_android(draft: Draft) -> bytes:
    """Gmail on Android: as on the web, with `dir="auto"`."""
    return _gmail(draft, lambda text: divs(text, ' dir="auto"'))


@client()
def gmail_ios(draft: Draft) -> bytes:
    """Gmail on iOS: as on the web, with the own lines in one block."""
    return _gmail(draft, lambda text: f'<div><div dir="auto">{plain_html(text)}</div></div>')


# --- Apple ---


def _apple(draft: Draft, always: str, columns: int, program: str) -> bytes:
    own = signed(draft, dashes=False, always=always)
    head = attribution(draft, draft.language.apple)
    quoted = f"{head}\n\n{draft.original.shown}"
    plain = arranged(draft, own, "", prefixed(wrapped_lines(quoted, columns) if columns else quoted, empty="> "))
    html = arranged_html(
        draft,
        lambda text: breaks(text) if always else divs(text),
        own,
        "<br>",
        f'<div><blockquote type="cite"><div>{escape(head)}</div><br class="Apple-interchange-newline"><div>',
        "</div></blockquote></div>",
    )
    page = f'<html>{META}<body dir="auto">{html}</body></html>'
    return raw_mail(draft, body_of(draft, plain, page), program)


def wrapped_lines(text: str, columns: int) -> str:
    return "\n".join(wrapped(line, columns) if len(line) > columns else line for line in text.split("\n"))


@client()
def apple_mail(draft: Draft) -> bytes:
    """Apple Mail on macOS: the attribution is inside the quote, in plain text and in HTML."""
    return _apple(draft, "", 0, "Apple Mail (2.3826.200.121)")


@client()
def apple_mail_plain(draft: Draft) -> bytes:
    """Apple Mail set to plain text: format=flowed with delsp, and the attribution above the quote."""
    own = signed(draft, dashes=False)
    plain = arranged(draft, own, attribution(draft, draft.language.apple) + "\n", prefixed(draft.original.text))
    parameters = "; format=flowed; delsp=yes"
    body = body_of(replace(draft, only=draft.only or "plain"), flowed(plain, delsp=True), parameters=parameters)
    return raw_mail(draft, body, "Apple Mail (2.1085)")


@client()
def ios_mail(draft: Draft) -> bytes:
    """Mail on iPhone and iPad: "Sent from my iPhone", the attribution inside the quote behind an invisible mark."""
    marked = replace(draft.language, apple="\ufeff" + draft.language.apple)
    return _apple(replace(draft, language=marked), draft.language.iphone, 0, "iPhone Mail (22G86)")


# --- Microsoft ---


@client(marks=False)
def outlook_desktop(draft: Draft) -> bytes:
    """Outlook for Windows: HTML by Word, a block of headers below a thin line, no mark on quoted lines."""
    own = signed(draft, dashes=False)
    plain = arranged(draft, own, header_block(draft) + "\n", linked(draft.original.shown).split("\n"))
    border = "<div><div style='border:none;border-top:solid #E1E1E1 1.0pt;padding:3.0pt 0cm 0cm 0cm'>"
    empty = '<p class="MsoNormal"><o:p>&nbsp;</o:p></p>'
    head = f'{border}<p class="MsoNormal">{header_block_html(draft)}<o:p></o:p></p></div></div>{empty}'
    html = arranged_html(draft, paragraphs, own, head, "", "")
    top = '<html xmlns:o="urn:schemas-microsoft-com:office:office"><head><style>p.MsoNormal {margin:0cm}</style></head>'
    page = f'{top}<body lang="EN"><div class="WordSection1">{html}</div></body></html>'
    return raw_mail(draft, body_of(draft, plain, page), "Microsoft Outlook 16.0")


@client(marks=False, html=False)
def outlook_plain(draft: Draft) -> bytes:
    """Outlook for Windows in plain text: `-----Original Message-----`, wrapped at 76."""
    own = signed(own_wrapped(draft, 76), dashes=False)
    head = f"-----{draft.language.original}-----\n{header_block(draft)}\n"
    plain = arranged(draft, own, head, draft.original.text.split("\n"))
    return raw_mail(draft, body_of(draft, plain, charset=_windows(draft)), "Microsoft Outlook 16.0")


@client(html=False)
def outlook_prefixed(draft: Draft) -> bytes:
    """Outlook for Windows in plain text, set to put `>` before each line, also before the block of headers."""
    own = signed(own_wrapped(draft, 76), dashes=False)
    quoted = f"-----{draft.language.original}-----\n{header_block(draft)}\n\n{draft.original.text}"
    # It breaks lines after it has put the marks, so that the rest of a long line has none.
    plain = wrapped_lines(arranged(draft, own, "", prefixed(quoted)), 76)
    return raw_mail(draft, body_of(draft, plain, charset=_windows(draft)), "Microsoft Outlook 15.0")


def _windows(draft: Draft) -> str:
    charset = {"iso-8859-1": "windows-1252", "us-ascii": "windows-1252", "iso-8859-2": "windows-1250"}.get(
        draft.language.charset, ""
    )
    return charset or ("windows-1251" if draft.language.charset.startswith("koi8") else "utf-8")


def _outlook_web(draft: Draft, own_html: Callable[[str], str], always: str, program: str) -> bytes:
    own = signed(draft, dashes=False, always=always)
    plain = arranged(draft, own, f"{RULE}\n{header_block(draft)}\n", linked(draft.original.shown).split("\n"), "\n")
    rule = '<div id="appendonsend"></div><hr style="display:inline-block;width:98%" tabindex="-1">'
    font = '<font face="Calibri, sans-serif" style="font-size:11pt" color="#000000">'
    head = f'{rule}<div id="divRplyFwdMsg" dir="ltr">{font}{header_block_html(draft)}</font><div>&nbsp;</div></div>'
    html = arranged_html(draft, own_html, own, head, "<div>", "</div>")
    return raw_mail(draft, body_of(draft, plain, f'<html><body dir="ltr">{html}</body></html>'), program)


@client(marks=False)
def outlook_web(draft: Draft) -> bytes:
    """Outlook on the web and new Outlook: a rule, a block of headers, no mark on quoted lines."""
    own_html = ' class="elementToProof" style="font-family: Aptos, Calibri, sans-serif; font-size: 12pt; color: rgb(0, 0, 0);"'
    return _outlook_web(draft, lambda text: divs(text, own_html), "", "Microsoft Outlook on the web")


@client(marks=False)
def outlook_mobile(draft: Draft) -> bytes:
    """Outlook on iOS and Android: "Get Outlook for iOS", then as on the web."""
    always = f"{draft.language.outlook_mobile}<https://aka.ms/o0ukef>"
    return _outlook_web(draft, lambda text: divs(text, ' dir="auto"'), always, "Outlook for iOS")


@client(marks=False, html=False)
def outlook_new_plain(draft: Draft) -> bytes:
    """New Outlook and Windows Mail in plain text: a block of headers below a rule of underscores."""
    own = signed(draft, dashes=False)
    plain = arranged(draft, own, f"{RULE}\n{header_block(draft)}\n", draft.original.text.split("\n"))
    return raw_mail(draft, body_of(draft, plain, charset=_windows(draft)), "Microsoft Outlook")


@client(marks=False)
def outlook_mac(draft: Draft) -> bytes:
    """Outlook on macOS: a block of headers with bold labels, which are stars in plain text."""
    own = signed(draft, dashes=False)
    plain = arranged(draft, own, header_block(draft, bold="*") + "\n", linked(draft.original.shown).split("\n"))
    border = '<div style="border:none;border-top:solid #B5C4DF 1.0pt;padding:3.0pt 0in 0in 0in">'
    head = f'{border}<p class="MsoNormal">{header_block_html(draft)}</p></div>'
    return raw_mail(
        draft, body_of(draft, plain, arranged_html(draft, paragraphs, own, head, "", "")), "Microsoft-MacOutlook/16.91"
    )


# --- other services ---


@client(marks=False)
def yahoo(draft: Draft) -> bytes:
    """Yahoo Mail: an indented attribution; quoted lines begin and end with a blank instead of a mark."""
    form = (
        "On Friday, November 20, 2026 at 06:00:00 PM GMT+1, {who} wrote:" if draft.language.code == "en" else draft.language.gmail
    )
    head = attribution(draft, form)
    own = signed(draft, dashes=False)
    quote = [f" {line} " if line else " " for line in draft.original.shown.split("\n")]
    plain = arranged(draft, own, f"    {head}  \n ", quote)
    opening = f'<div id="yahoo_quoted_1234567890" class="yahoo_quoted"><div><div>{escape(head)}</div><div><br></div>'
    html = arranged_html(draft, divs, own, "", opening, "</div></div>")
    page = f'<html><head></head><body><div class="ydp1234yahoo-style-wrap">{html}</div></body></html>'
    return raw_mail(draft, body_of(draft, plain, page), "WebService/1.1.22876 YMailNorrin")


@client(marks=False)
def yahoo_android(draft: Draft) -> bytes:
    """Yahoo Mail on phones: no blank before the address, and the quote begins in the line of the attribution."""
    head = attribution(draft, draft.language.gmail.replace("{who}", "{name}<{address}>"))
    own = signed(draft, dashes=False, always="Sent from Yahoo Mail on Android")
    first, *rest = draft.original.shown.split("\n")
    plain = arranged(draft, own, "", [f"  {head}   {first}", *rest], " \n \n")
    style = "padding: 10px 0 0 20px; margin: 10px 0 0 0; border-left: 1px solid #6D00F6;"
    sender, _space, verb = escape(head).partition("&lt;")
    opening = f'<div><div>{sender}</div><div>&lt;{verb}</div></div><div style="{style}">'
    html = arranged_html(draft, divs, own, "", f'<blockquote style="margin: 0 0 20px 0;">{opening}', "</div></blockquote>")
    return raw_mail(draft, body_of(draft, plain, html), "WebService/1.1.22876 YahooMailAndroidMobile")


@client(marks=False)
def aol(draft: Draft) -> bytes:
    """AOL: `-----Original Message-----`, then From, To, Sent, Subject."""
    given, (sender, sent, to, subject) = draft.original, draft.language.labels
    fields = {sender: given.who, to: f"{given.to_name} <{given.to}>", sent: "Fri, Nov 20, 2026 6:00 pm", subject: given.subject}
    head = f"-----{draft.language.original}-----\n" + "\n".join(f"{label}: {value}" for label, value in fields.items()) + "\n\n"
    own = signed(draft, dashes=False)
    plain = arranged(draft, own, head, draft.original.shown.split("\n"))
    opening = f'<div style="font-family:arial,helvetica;font-size:10pt;color:black">{plain_html(head)}<div id="yiv42">'
    return raw_mail(draft, body_of(draft, plain, arranged_html(draft, divs, own, "", opening, "</div></div>")), "AolMailAtlas")


@client()
def proton(draft: Draft) -> bytes:
    """ProtonMail: "Sent with Proton Mail", a long date, `> `."""
    form = "On Friday, November 20th, 2026 at 18:00, {who} wrote:" if draft.language.code == "en" else draft.language.gmail
    head = attribution(draft, form)
    own = signed(draft, dashes=False, always="Sent with [Proton Mail](https://proton.me/mail/home) secure email.")
    plain = arranged(draft, own, head + "\n", prefixed(draft.original.shown))
    opening = f'<div class="protonmail_quote">{escape(head)}<br><blockquote class="protonmail_quote" type="cite">'
    html = arranged_html(draft, divs, own, "", opening, "</blockquote><br></div>")
    return raw_mail(draft, body_of(draft, plain, html, transfer="base64"), "Proton", header="X-Pm-Client")


@client()
def fastmail(draft: Draft) -> bytes:
    """Fastmail: an English attribution without the address, `> `."""
    head = attribution(draft, "On Fri, 20 Nov 2026, at 6:00 PM, {name} wrote:")
    own = signed(draft, dashes=True)
    plain = arranged(draft, own, head, prefixed(draft.original.shown))
    html = arranged_html(draft, divs, own, f"<div>{escape(head)}</div>", '<blockquote type="cite" id="qt">', "</blockquote>")
    return raw_mail(draft, body_of(draft, plain, html), "MessagingEngine.com Webmail Interface")


@client(marks=False)
def gmx(draft: Draft) -> bytes:
    """GMX and Web.de: HTML alone; Sent before From, in a block with a border at its left."""
    sender, sent, to, subject = header_block_html(draft).split("<br>\n")
    fields = "<br>\n".join((sent, sender, to, subject))
    style = "margin:10px 5px 5px 10px; padding: 10px 0 10px 10px; border-left:2px solid #C3D9E5; word-wrap: break-word;"
    opening = f'<div name="quote" style="{style}"><div style="margin:0 0 10px 0;">{fields}</div><div name="quoted-content">'
    own = signed(draft, dashes=False)
    html = arranged_html(
        draft,
        lambda text: f'<div style="font-family: Verdana;font-size: 12.0px;">{divs(text)}</div>',
        own,
        "",
        opening,
        "</div></div>",
    )
    plain = arranged(draft, own, header_block(draft) + "\n", draft.original.shown.split("\n"))
    only = draft.only or "html"
    return raw_mail(
        draft, body_of(replace(draft, only=only), plain, f"<html><head></head><body>{html}</body></html>"), "GMX Webmail"
    )


@client(marks=False, html=False)
def gmx_app(draft: Draft) -> bytes:
    """The Android app of GMX and Web.de: a line above the sender, the attribution with two dashes at both ends."""
    head = attribution(draft, "--\n" + draft.language.gmail.replace(" Uhr", ""))
    own = signed(draft, dashes=True, always="Diese Nachricht wurde von meinem Android Mobiltelefon mit GMX Mail gesendet.")
    plain = arranged(draft, own, head + "\n", draft.original.text.split("\n"))
    return raw_mail(draft, body_of(draft, plain), "GMX Android Mail App")


@client(marks=False, html=False)
def t_online(draft: Draft) -> bytes:
    """T-Online: `-----Original-Nachricht-----`, then subject, date, sender and receiver."""
    given = draft.original
    sender, _sent, to, subject = draft.language.labels
    fields = (
        f"{subject}: {given.subject}",
        "Datum: 2026-11-20T18:00:00+0100",
        f'{sender}: "{given.name}" <{given.address}>',
        f'{to}: "{given.to}" <{given.to}>',
    )
    head = "-----Original-Nachricht-----\n" + "\n".join(fields) + "\n\n"
    plain = arranged(draft, signed(draft, dashes=False), head, given.text.split("\n"))
    return raw_mail(draft, body_of(draft, plain, charset=_windows(draft)), "TOnline eMail")


@client()
def roundcube(draft: Draft) -> bytes:
    """Roundcube: a short attribution with a date of digits, format=flowed."""
    forms = {
        "de": "Am 2026-11-20 18:00, schrieb {name}:",
        "pl": "W dniu 2026-11-20 18:00, {name} napisał(a):",
        "fr": "Le 2026-11-20 18:00, {name} a écrit\u00a0:",
        "cs": "Dne 2026-11-20 18:00, {name} napsal:",
        "ru": "{name} писал(а) 2026-11-20 18:00:",
        "es": "El 2026-11-20 18:00, {name} escribió:",
    }
    head = attribution(draft, forms.get(draft.language.code, "On 2026-11-20 18:00, {name} wrote:"))
    own = signed(draft, dashes=True)
    plain = flowed(arranged(draft, own, head, prefixed(draft.original.text)))
    opening = '<blockquote type="cite" style="padding: 0 0.4em; border-left: #1010ff 2px solid; margin: 0">'
    html = arranged_html(draft, breaks, own, f'<p id="reply-intro">{escape(head)}</p>', opening, "</blockquote>")
    only = draft.only or "plain"
    return raw_mail(
        draft,
        body_of(replace(draft, only=only), plain, html, parameters="; format=flowed", transfer="8bit"),
        "Roundcube Webmail/1.6.9",
    )


@client(marks=False)
def zimbra(draft: Draft) -> bytes:
    """Zimbra: From, To, Sent, Subject without a rule in plain text; `zwchr` in HTML."""
    sender, sent, to, subject = header_block(draft).split("\n")
    head = "\n".join((sender, to, sent, subject)) + "\n"
    own = signed(draft, dashes=False)
    plain = arranged(draft, own, head, draft.original.text.split("\n"))
    fields = f'<div data-marker="__HEADERS__">{plain_html(head)}</div>'
    opening = f'<div><hr id="zwchr" data-marker="__DIVIDER__">{fields}<div data-marker="__QUOTED_TEXT__">'
    html = arranged_html(draft, divs, own, "", opening, "</div></div>")
    return raw_mail(draft, body_of(draft, plain, html), "Zimbra 10.1.0")


@client(marks=False, html=False)
def lotus_notes(draft: Draft) -> bytes:
    """Lotus Notes: labels with tabs behind the colon, no mark on quoted lines."""
    block = "\n".join(line.replace(": ", ":\t", 1) for line in header_block(draft, date="20.11.2026 18:00").split("\n"))
    plain = arranged(draft, signed(draft, dashes=False), f"\n\n{block}\n\n\n", draft.original.shown.split("\n"))
    return raw_mail(draft, body_of(draft, plain, charset="utf-8"), "Lotus Notes Release 9.0.1FP10")


@client(html=False)
def lotus_notes_internet(draft: Draft) -> bytes:
    """Lotus Notes with internet-style replies: "wrote on", then quoted headers."""
    head = attribution(draft, "{who} wrote on 20.11.2026 18:00:00:\n")
    quoted = header_block(draft, date="20.11.2026 18:00") + "\n\n" + draft.original.text
    plain = arranged(draft, signed(draft, dashes=False), head, prefixed(quoted))
    return raw_mail(draft, body_of(draft, plain), "Lotus Notes Release 8.5.3")


@client()
def hey(draft: Draft) -> bytes:
    """HEY: an English attribution with the date alone."""
    head = attribution(draft, "On November 20, 2026, {who} wrote:", 78)
    own = signed(draft, dashes=False)
    plain = arranged(draft, own, head + "\n", prefixed(draft.original.shown))
    opening = f"<blockquote><div>{escape(head)}</div>"
    html = arranged_html(draft, lambda text: f'<div class="trix-content">{breaks(text)}</div>', own, "", opening, "</blockquote>")
    return raw_mail(draft, body_of(draft, plain, html), "HEY")


@client()
def spark(draft: Draft) -> bytes:
    """Spark: a comma before "wrote", `> ` in plain text, `spark_quote` in HTML."""
    head = attribution(draft, "On 20 Nov 2026 at 18:00 +0100, {who}, wrote:")
    own = signed(draft, dashes=False)
    plain = arranged(draft, own, head, prefixed(draft.original.shown))
    style = "border-left-color: grey; border-left-width: thin; border-left-style: solid; margin: 5px 5px;padding-left: 10px;"
    block = f'<blockquote type="cite" style="{style}">'
    opening = f'<div name="messageReplySection">{escape(head)}<br />{block}'
    html = arranged_html(
        draft,
        lambda text: f'<div name="messageBodySection"><div dir="auto">{breaks(text)}</div></div>',
        own,
        "",
        opening,
        "</blockquote></div>",
    )
    return raw_mail(draft, body_of(draft, plain, f"<html><body>{html}</body></html>"), "Spark")


@client(html=False)
def zoho(draft: Draft) -> bytes:
    """Zoho: the attribution between two rows of dashes, the form of many help desks."""
    head = attribution(draft, "---- On Fri, 20 Nov 2026 18:00:00 +0100 {who} wrote ----")
    plain = arranged(draft, signed(draft, dashes=False), head + "\n", prefixed(draft.original.shown))
    return raw_mail(draft, body_of(draft, plain), "Zoho Mail")


@client(marks=False, html=False)
def help_desk(draft: Draft) -> bytes:
    """A help desk: dashes above and below the own text, then the ticket's last message without a mark."""
    rule = "-" * 60
    head = f"{rule}\n{attribution(draft, '{name} (20.11.2026 18:00):')}\n{rule}"
    plain = arranged(draft, f"{rule}\n{signed(draft, dashes=False)}\n{rule}", head, draft.original.text.split("\n"))
    return raw_mail(draft, body_of(draft, plain), "Helpdesk 6")


@client(marks=False)
def qq_mail(draft: Draft) -> bytes:
    """QQ Mail: "Original" between long dashes, then quoted names in fields that end with a semicolon."""
    given, (sender, sent, to, subject) = draft.original, draft.language.labels
    fields = (
        f'{sender}: "{given.name}"<{given.address}>;',
        f"{sent}: {draft.language.sent};",
        f'{to}: "{given.to_name}"<{given.to}>;',
        f"{subject}: {given.subject}",
    )
    head = f"------------------ {draft.language.original} ------------------\n" + "\n".join(fields) + "\n\n"
    own = signed(draft, dashes=False)
    plain = arranged(draft, own, head, given.shown.split("\n"))
    opening = f'<div style="font-size: 12px;font-family: Arial Narrow;padding:2px 0 2px 0;">{plain_html(head)}</div><div>'
    return raw_mail(
        draft, body_of(draft, plain, arranged_html(draft, divs, own, "", opening, "</div>"), transfer="base64"), "QQMail 2.x"
    )


@client()
def mail_ru(draft: Draft) -> bytes:
    """Mail.ru: the date before the sender, a single `>` before all lines."""
    form = (
        "Пятница, 20 ноября 2026, 18:00 +01:00 от {who}:"
        if draft.language.code == "ru"
        else "Friday, 20 November 2026, 18:00 +01:00 from {who}:"
    )
    head = attribution(draft, form)
    own = signed(draft, dashes=True)
    plain = arranged(draft, own, head, prefixed(draft.original.shown, ">", empty="> "))
    opening = '<blockquote style="border-left:1px solid #0857A6; margin:10px; padding:0 0 0 10px;">'
    html = arranged_html(draft, divs, own, "", f"{opening}{escape(head)}", "</blockquote>")
    return raw_mail(draft, body_of(draft, plain, html, transfer="base64"), "Mail.Ru Mailer 1.0")


# --- programs on computers ---


@client(html=False)
def thunderbird(draft: Draft) -> bytes:
    """Thunderbird in plain text: format=flowed, `> `, signature below `-- `."""
    head = attribution(draft, draft.language.thunderbird)
    plain = flowed(arranged(draft, signed(draft, dashes=True), head, prefixed(draft.original.text)))
    return raw_mail(
        draft, body_of(draft, plain, parameters="; format=flowed", transfer="8bit"), "Mozilla Thunderbird", header="User-Agent"
    )


@client()
def thunderbird_html(draft: Draft) -> bytes:
    """Thunderbird in HTML: the attribution in `moz-cite-prefix`, no plain part unless the text is simple."""
    head = attribution(draft, draft.language.thunderbird)
    own = signed(draft, dashes=True)
    plain = flowed(arranged(draft, own, head, prefixed(draft.original.shown)))
    cite = f'<div class="moz-cite-prefix">{escape(head)}<br></div>'
    html = arranged_html(
        draft,
        lambda text: f"<p>{plain_html(text)}</p>",
        own,
        cite,
        '<blockquote type="cite" cite="mid:1@games.example">',
        "</blockquote>",
    )
    page = f"<!DOCTYPE html><html>{META}<body>{html}</body></html>"
    only = draft.only or "html"
    return raw_mail(
        draft, body_of(replace(draft, only=only), plain, page, transfer="8bit"), "Mozilla Thunderbird", header="User-Agent"
    )


@client(html=False)
def mutt(draft: Draft) -> bytes:
    """Mutt: an English attribution, `> `, no wrapping."""
    head = attribution(draft, "On Fri, Nov 20, 2026 at 06:00:00PM +0100, {name} wrote:")
    plain = arranged(draft, signed(draft, dashes=True), head, prefixed(draft.original.text))
    return raw_mail(draft, body_of(draft, plain, transfer="8bit"), "Mutt/2.2.12", header="User-Agent")


@client(html=False)
def alpine(draft: Draft) -> bytes:
    """Alpine and Pine: an English attribution, an empty line, `> `, format=flowed."""
    head = attribution(draft, "On Fri, 20 Nov 2026, {name} wrote:")
    plain = flowed(arranged(draft, signed(draft, dashes=True), head + "\n", prefixed(draft.original.text, empty="> ")))
    return raw_mail(
        draft, body_of(draft, plain, parameters="; format=flowed", transfer="8bit"), "Alpine 2.26", header="User-Agent"
    )


@client(html=False)
def gnus(draft: Draft) -> bytes:
    """Gnus with Supercite: an attribution behind `>>>>>`, and the sender's initial before each quoted line."""
    first = draft.original.name[:1]
    head = attribution(draft, f'>>>>> "{first}" == {{who}} writes:\n')
    quote = [f"    {first}> {line}" if line else "" for line in draft.original.text.rstrip("\n").split("\n")]
    plain = arranged(draft, signed(draft, dashes=True), head, quote)
    return raw_mail(draft, body_of(draft, plain, transfer="8bit"), "Gnus/5.13 (Gnus v5.13)", header="User-Agent")


@client(html=False)
def the_bat(draft: Draft) -> bytes:
    """The Bat!: "you wrote", and two initials before each quoted line, without an own mark for empty ones."""
    head = "Friday, November 20, 2026, 6:00:00 PM, you wrote:\n"
    initials = "".join(word[0] for word in draft.original.name.split() if word[0].isalpha())
    quote = [f"{initials}> {line}" if line else "" for line in draft.original.text.rstrip("\n").split("\n")]
    plain = arranged(draft, signed(draft, dashes=True), head, quote)
    return raw_mail(draft, body_of(draft, plain, charset=_windows(draft), transfer="8bit"), "The Bat! (v11.3) Professional")


@client(html=False)
def kmail(draft: Draft) -> bytes:
    """KMail: a long date with the zone, `> `."""
    head = attribution(draft, "On Friday, 20 November 2026 18:00:00 CET {name} wrote:")
    plain = arranged(draft, signed(draft, dashes=True), head, prefixed(draft.original.text, empty="> "))
    return raw_mail(draft, body_of(draft, plain), "KMail/6.2.3", header="User-Agent")


@client(html=False)
def evolution(draft: Draft) -> bytes:
    """Evolution: a date of digits with the zone, `> `, wrapped at 72."""
    head = attribution(draft, "On Fri, 2026-11-20 at 18:00 +0100, {name} wrote:")
    plain = arranged(draft, signed(own_wrapped(draft, 72), dashes=True), head, prefixed(draft.original.text))
    return raw_mail(draft, body_of(draft, plain), "Evolution 3.54.1", header="User-Agent")


@client(html=False)
def mutt_with_bars(draft: Draft) -> bytes:
    """Mutt with `indent_string="| "`, as some like it."""
    head = attribution(draft, "On Fri, Nov 20, 2026 at 06:00:00PM +0100, {name} wrote:")
    plain = arranged(draft, signed(draft, dashes=True), head, prefixed(draft.original.text, "| "))
    return raw_mail(draft, body_of(draft, plain, transfer="8bit"), "Mutt/2.2.12", header="User-Agent")


@client(html=False)
def elm(draft: Draft) -> bytes:
    """Elm and others set to quote with a colon, below "according to"."""
    head = attribution(draft, "According to {name}:")
    plain = arranged(draft, signed(draft, dashes=True), head, prefixed(draft.original.text, ": "))
    return raw_mail(draft, body_of(draft, plain, transfer="8bit"), "ELM [version 2.5 PL8]")


@client(html=False)
def emacs_rmail(draft: Draft) -> bytes:
    """Rmail and VM with "writes:" alone in the attribution, and an indent of blanks instead of a mark."""
    head = attribution(draft, "{name} writes:\n")
    plain = arranged(draft, signed(draft, dashes=True), head, prefixed(draft.original.text, "   "))
    return raw_mail(draft, body_of(draft, plain, transfer="8bit"), "VM 8.2.0b under Emacs 29.4")


# --- forwarding instead of answering ---


@client(marks=False)
def gmail_forward(draft: Draft) -> bytes:
    """Gmail, forwarded: English words between dashes, From, Date, Subject, To."""
    given = draft.original
    fields = f"From: {given.who}\nDate: Fri, Nov 20, 2026 at 6:00 PM\nSubject: {given.subject}\nTo: <{given.to}>"
    head = f"---------- Forwarded message ---------\n{fields}\n\n"
    own = signed(draft, dashes=True)
    plain = arranged(draft, own, head, given.shown.split("\n"))
    opening = f'<br><div class="gmail_quote"><div dir="ltr" class="gmail_attr">{plain_html(head)}</div>'
    html = arranged_html(draft, lambda text: f'<div dir="ltr">{divs(text)}</div>', own, "", opening, "</div>")
    return raw_mail(draft, body_of(draft, plain, html), "gmail", header="X-Test-Client")


@client()
def apple_forward(draft: Draft) -> bytes:
    """Apple Mail, forwarded: everything inside the quote, below "Begin forwarded message"."""
    words = {
        "de": "Anfang der weitergeleiteten Nachricht:",
        "fr": "Début du message réexpédié\u00a0:",
        "es": "Inicio del mensaje reenviado:",
    }
    begin = words.get(draft.language.code, "Begin forwarded message:")
    quoted = f"{begin}\n\n{header_block(draft)}\n\n{draft.original.shown}"
    plain = arranged(draft, signed(draft, dashes=False), "", prefixed(quoted, empty="> "))
    opening = f'<div><br><blockquote type="cite"><div>{begin}</div><br>{header_block_html(draft)}<br><div>'
    html = arranged_html(draft, divs, signed(draft, dashes=False), "", opening, "</div></blockquote></div>")
    return raw_mail(draft, body_of(draft, plain, html), "Apple Mail (2.3826.200.121)")


@client(marks=False, html=False)
def thunderbird_forward(draft: Draft) -> bytes:
    """Thunderbird, forwarded: words between dashes, Subject, Date, From, To in two columns."""
    words = {
        "de": "Weitergeleitete Nachricht",
        "fr": "Message transféré",
        "es": "Mensaje reenviado",
        "pl": "Przekazana wiadomość",
    }
    sender, _sent, to, subject = draft.language.labels
    given = draft.original
    fields = {subject: given.subject, "Date": "Fri, 20 Nov 2026 18:00:00 +0100", sender: given.who, to: given.to}
    columns = "\n".join(f"{label + ': ':<10}{value}" for label, value in fields.items())
    head = f"-------- {words.get(draft.language.code, 'Forwarded Message')} --------\n{columns}\n\n"
    plain = arranged(draft, signed(draft, dashes=True), head, given.text.split("\n"))
    return raw_mail(draft, body_of(draft, plain, parameters="; format=flowed"), "Mozilla Thunderbird", header="User-Agent")


# --- programs on phones ---


@client(html=False)
def k9(draft: Draft) -> bytes:
    """K-9 and Thunderbird on Android: a date with the zone, `>` without a blank, its own signature."""
    form = "On November 20, 2026 6:00:00 PM GMT+01:00, {who} wrote:" if draft.language.code == "en" else draft.language.gmail
    own = signed(draft, dashes=True, always="Sent from my Android device with K-9 Mail. Please excuse my brevity.")
    plain = arranged(draft, own, attribution(draft, form), prefixed(draft.original.text, ">"))
    return raw_mail(draft, body_of(draft, plain), "K-9 Mail for Android", header="User-Agent")


@client(marks=False)
def samsung(draft: Draft) -> bytes:
    """Samsung Mail: "Original message" between dashes, From, Date, To, Subject, no mark on quoted lines, base64."""
    sender, _sent, to, subject = header_block(draft).split("\n")
    label = {"en": "Date", "de": "Datum", "fr": "Date", "es": "Fecha", "it": "Data", "nl": "Datum", "pl": "Data"}
    sent = f"{label.get(draft.language.code, draft.language.labels[1])}: 20.11.26 18:00 (GMT+01:00)"
    head = "\n".join((f"-------- {draft.language.original} --------", sender, sent, to, subject)) + "\n"
    own = signed(draft, dashes=False, always=draft.language.iphone.replace("iPhone", "Galaxy"))
    plain = arranged(draft, own, head, draft.original.shown.split("\n"))
    opening = f'<div align="left" dir="auto" style="font-size:100%;color:#000000">{divs(head)}</div><div dir="auto">'
    html = arranged_html(draft, lambda text: divs(text, ' dir="auto"'), own, "", opening, "</div>")
    page = f'<html>{META}<body dir="auto">{html}</body></html>'
    return raw_mail(draft, body_of(draft, plain, page, transfer="base64"), "Samsung Email")


@client(html=False)
def fairemail(draft: Draft) -> bytes:
    """FairEmail: a date, the sender alone and a colon, `> `, format=flowed."""
    head = attribution(draft, "Nov 20, 2026 6:00:00 PM {who}:\n")
    plain = flowed(arranged(draft, signed(draft, dashes=True), head, prefixed(draft.original.text)))
    return raw_mail(draft, body_of(draft, plain, parameters="; format=flowed"), "FairEmail 1.2240", header="X-Mailer")


# --- doors on the way ---

DISCLAIMERS = {
    "en": "CONFIDENTIALITY NOTICE: This e-mail is intended for the addressee only. "
    "If you have received it in error, please delete it and notify the sender.",
    "de": "Diese E-Mail enthält vertrauliche Informationen. Wenn Sie nicht der richtige Adressat "
    "sind, informieren Sie bitte sofort den Absender und vernichten Sie diese Mail.",
    "fr": "Ce message et ses pièces jointes sont confidentiels et établis à l'intention exclusive "
    "de leurs destinataires. Merci de le détruire si vous l'avez reçu par erreur.",
    "es": "Este mensaje y sus adjuntos se dirigen exclusivamente a su destinatario y pueden "
    "contener información confidencial. Si lo ha recibido por error, bórrelo.",
}
LIST_FOOTER = f"{'_' * 47}\nclub mailing list -- club@lists.example\nTo unsubscribe send an email to club-leave@lists.example"
GOOGLE_FOOTER = (
    '-- \nYou received this message because you are subscribed to the Google Groups "club" group.\n'
    "To unsubscribe from this group and stop receiving emails from it, send an email to club+unsubscribe@groups.example."
)
_ARMOUR = (
    "-----BEGIN PGP SIGNATURE-----\n\niHUEARYIAB0WIQTexampleexampleexampleexampleexampleUCZz0AAAoJEDexample\n=abcd\n"
    "-----END PGP SIGNATURE-----"
)


@client(marks=False)
def gateway_disclaimer(draft: Draft) -> bytes:
    """A corporate gateway behind Outlook: a disclaimer below everything, or below the own text."""
    notice = DISCLAIMERS.get(draft.language.code, DISCLAIMERS["en"])
    own = f"{signed(draft, dashes=False)}\n\n{wrapped(notice, 76)}"
    plain = arranged(draft, own, f"{RULE}\n{header_block(draft)}\n", linked(draft.original.shown).split("\n"))
    border = "<div style='border:none;border-top:solid #E1E1E1 1.0pt;padding:3.0pt 0cm 0cm 0cm'>"
    head = f'{border}<p class="MsoNormal">{header_block_html(draft)}</p></div>'
    html = arranged_html(draft, paragraphs, f"{signed(draft, dashes=False)}\n\n{notice}", head, "", "")
    return raw_mail(draft, body_of(draft, plain, html), "Microsoft Outlook 16.0")


@client(html=False)
def gateway_footer(draft: Draft) -> bytes:
    """A gateway that appends its disclaimer as the last lines of a plain mail, below the quote."""
    notice = DISCLAIMERS.get(draft.language.code, DISCLAIMERS["en"])
    head = attribution(draft, draft.language.thunderbird)
    plain = arranged(draft, signed(draft, dashes=True), head, prefixed(draft.original.text))
    return raw_mail(
        draft,
        body_of(draft, f"{plain}\n\n{'*' * 70}\n{wrapped(notice, 70)}\n{'*' * 70}\n"),
        "Mozilla Thunderbird",
        header="User-Agent",
    )


@client(html=False)
def gateway_wrapping(draft: Draft) -> bytes:
    """A relay that breaks lines of more than 64 columns wherever they are: the rest of a quoted line has no mark."""
    head = attribution(draft, draft.language.gmail)
    plain = arranged(draft, signed(draft, dashes=True), head, prefixed(draft.original.text))
    return raw_mail(draft, body_of(draft, wrapped_lines(plain, 64)), "BlackBerry Enterprise Server")


@client(html=False)
def gateway_label(draft: Draft) -> bytes:
    """A gateway that writes a class of secrecy above every mail it lets out."""
    head = attribution(draft, "On 20.11.2026 18:00, {who} wrote:")
    plain = "[Classification: Public]\n\n" + arranged(draft, signed(draft, dashes=False), head, prefixed(draft.original.text))
    return raw_mail(draft, body_of(draft, plain), "Gateway 3")


@client(html=False)
def mailing_list(draft: Draft) -> bytes:
    """A Mailman list that the mail passed: its footer below everything."""
    head = attribution(draft, "On Fri, Nov 20, 2026 at 06:00:00PM +0100, {name} wrote:")
    plain = arranged(draft, signed(draft, dashes=True), head, prefixed(draft.original.text))
    return raw_mail(draft, body_of(draft, f"{plain}\n{LIST_FOOTER}\n"), "Mutt/2.2.12", header="User-Agent")


@client(html=False)
def google_group(draft: Draft) -> bytes:
    """A Google group that the mail passed: its footer below everything, begun like a signature."""
    head = attribution(draft, draft.language.gmail, 78)
    plain = arranged(draft, signed(draft, dashes=False), head, prefixed(draft.original.shown))
    return raw_mail(draft, body_of(draft, f"{plain}\n{GOOGLE_FOOTER}\n"), "gmail", header="X-Test-Client")


@client(html=False)
def pgp_armour(draft: Draft) -> bytes:
    """A signature in the text (RFC 4880 section 7): armour around everything, a dash before lines with a dash."""
    head = attribution(draft, draft.language.thunderbird)
    plain = arranged(draft, signed(draft, dashes=True), head, prefixed(draft.original.text))
    escaped = "\n".join(f"- {line}" if line.startswith("-") else line for line in plain.rstrip("\n").split("\n"))
    signed_text = f"-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\n{escaped}\n{_ARMOUR}\n"
    return raw_mail(draft, body_of(draft, signed_text, transfer="8bit"), "Claws Mail 4.3.0")


@client(html=False)
def pgp_mime(draft: Draft) -> bytes:
    """A signature beside the text (RFC 3156)."""
    head = attribution(draft, draft.language.thunderbird)
    plain = arranged(draft, signed(draft, dashes=True), head, prefixed(draft.original.text))
    part = text_part(
        plain, "plain", charset=draft.charset or "utf-8", label=draft.label, transfer=draft.transfer or "quoted-printable"
    )
    signature = attached("application/pgp-signature", _ARMOUR + "\n", name="OpenPGP_signature.asc")
    body = multipart("signed", [part, signature], "=_signed", '; micalg=pgp-sha256; protocol="application/pgp-signature"')
    return raw_mail(draft, body, "Mozilla Thunderbird", header="User-Agent")


@client(html=False)
def smime(draft: Draft) -> bytes:
    """A signature beside the text (RFC 8551)."""
    head = attribution(draft, draft.language.thunderbird)
    part = body_of(draft, arranged(draft, signed(draft, dashes=True), head, prefixed(draft.original.text)))
    signature = attached("application/pkcs7-signature", "MIIexample\n", name="smime.p7s")
    parameters = '; micalg=sha-256; protocol="application/pkcs7-signature"'
    return raw_mail(draft, multipart("signed", [part, signature], "=_smime", parameters), "Mozilla Thunderbird")


@client(html=False)
def mailman_parts(draft: Draft) -> bytes:
    """A Mailman list that the mail passed: its footer is a text part of its own."""
    head = attribution(draft, draft.language.thunderbird)
    part = body_of(draft, arranged(draft, signed(draft, dashes=True), head, prefixed(draft.original.text)))
    footer = attached("text/plain", f"{LIST_FOOTER}\n", "inline")
    return raw_mail(draft, multipart("mixed", [part, footer], "=_list"), "Mozilla Thunderbird", header="User-Agent")


@client(html=False)
def apple_picture(draft: Draft) -> bytes:
    """Apple Mail with a picture dropped into a plain mail: the text above and below it are two parts."""
    above, below = halves(draft.own)
    head = attribution(draft, draft.language.apple)
    rest = arranged(
        replace(draft, own=below), signed(replace(draft, own=below), dashes=False), head, prefixed(draft.original.text)
    )
    parts = [
        text_part(above, "plain", charset="utf-8", transfer="quoted-printable"),
        attached("image/png", "iVBORw0KGgo=\n", "inline", "board.png"),
        text_part(rest, "plain", charset="utf-8", transfer="quoted-printable"),
    ]
    return raw_mail(draft, multipart("mixed", parts, "=_picture"), "Apple Mail (2.3826.200.121)")


@client()
def html_with_stub(draft: Draft) -> bytes:
    """A web form or app whose plain part only says that the mail is HTML."""
    own = signed(draft, dashes=False)
    opening = f'<div>{escape(attribution(draft, draft.language.gmail))}</div><blockquote type="cite">'
    html = arranged_html(draft, divs, own, "", opening, "</blockquote>")
    stub = "This message is in HTML. Please use a program that shows HTML."
    return raw_mail(draft, body_of(replace(draft, only=""), stub, html), "Mailer 1.0")


@client()
def html_with_empty_text(draft: Draft) -> bytes:
    """A program whose plain part is empty."""
    opening = f'<div>{escape(attribution(draft, draft.language.gmail))}</div><blockquote type="cite">'
    html = arranged_html(draft, divs, signed(draft, dashes=False), "", opening, "</blockquote>")
    return raw_mail(draft, body_of(replace(draft, only=""), "\n", html), "Mailer 2.0")


@client()
def with_attachments(draft: Draft) -> bytes:
    """Evolution with a picture in the HTML and an attached text file that holds orders."""
    head = attribution(draft, draft.language.thunderbird)
    own = signed(draft, dashes=True)
    inner = body_of(
        draft,
        arranged(draft, own, head, prefixed(draft.original.text)),
        arranged_html(draft, divs, own, f"<div>{escape(head)}</div>", '<blockquote type="cite">', "</blockquote>"),
    )
    parts = [inner, attached("text/plain", draft.original.text.encode("ascii", "replace").decode(), name="orders.txt")]
    return raw_mail(draft, multipart("mixed", parts, "=_mixed"), "Evolution 3.54.1")
