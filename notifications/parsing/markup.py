"""The text that an HTML mail shows, above or around what mail programs mark as the quoted mail in it."""

from __future__ import annotations

import re

from inscriptis import get_text
from lxml.etree import LxmlError

from notifications.parsing.reading import FAULTS
from notifications.parsing.refusals import MailRefused


def before_quote(html: str) -> str:
    """Return HTML up to what mail programs mark as the quoted mail."""
    found = _HTML_QUOTE.search(html)
    return html[: found.start()] if found else html


# The inside of a tag: limited, so that a mail of nothing but opening tags is not searched for minutes.
_IN_TAG = "[^<>]{0,1000}"
# Any quoted block, because a damaged mail may have lost its program's own mark; but not a block without a border, which browsers
# write for indented lines. (Outlook removes the other borders from a quote and keeps the left one.)
_QUOTED_BLOCK = rf"<blockquote\b(?:(?!{_IN_TAG}border:\s*none)|(?={_IN_TAG}(?:border-left|\bcite|gmail_quote)))"
# Outlook puts `x_` before names of parts that it takes over from another mail, so a name may begin with anything.
_OUTLOOK_BLOCK = (
    rf"<div{_IN_TAG}id=\"?[^\"<>]{{0,30}}(?:appendonsend|divRplyFwdMsg|editor-reference-message)"
    rf"|<div{_IN_TAG}style=\"border:none;border-top:solid #[0-9A-F]{{6}} 1.0pt"
)
# Gmail, Outlook on the web and on the desktop, Apple Mail, Yahoo, Thunderbird: the start of each one's quote.
_HTML_QUOTE = re.compile(
    rf"{_QUOTED_BLOCK}|<div{_IN_TAG}class=\"?[^\"<>]{{0,1000}}(?:gmail_quote|yahoo_quoted|moz-cite-prefix|protonmail_quote)"
    rf"|{_OUTLOOK_BLOCK}",
    re.IGNORECASE,
)
_ENDLESS_QUOTE = re.compile(
    rf"<div{_IN_TAG}class=\"?[^\"<>]{{0,1000}}yahoo_quoted|{_OUTLOOK_BLOCK}",
    re.IGNORECASE,
)
_QUOTED_BLOCKS = re.compile(_QUOTED_BLOCK, re.IGNORECASE)
_BLOCK_TAG = re.compile(r"<(/?)blockquote\b[^<>]{0,1000}>", re.IGNORECASE)


def around_quotes(html: str) -> str:
    """Return an answer written under the quote: the rest without everything from the first quote to the end of the last.

    What begins with a program's mark of another kind has no end that could be told: it reaches to the end of the mail.

    Text between two quotes may be the sender's own or, in a damaged mail, quoted. They are asked to write it again.
    """
    if endless := _ENDLESS_QUOTE.search(html):
        html = html[: endless.start()]
    depth = ended = 0
    for tag in _BLOCK_TAG.finditer(html):
        if tag[1]:
            depth, ended = max(depth - 1, 0), tag.end()
            continue
        if not depth and ended and shown(html[ended : tag.start()]).strip():
            raise MailRefused("empty", "written between quotes")
        depth += 1
    begins = _QUOTED_BLOCKS.search(html)
    closings = [tag.end() for tag in _BLOCK_TAG.finditer(html) if tag[1]]
    if begins and closings and closings[-1] > begins.start():
        html = f"{html[: begins.start()]}<div>&gt;</div>{html[closings[-1] :]}"  # so that an attribution stands above a quote
    return shown(html)


# A tag with all its attributes; in it the styles that decide what is shown, on which lines, and whether it is struck out.
_TAG = re.compile(r"<(/?)([a-z][a-z0-9]{0,20})\b([^<>]{0,4000})>", re.IGNORECASE)
_STYLE = re.compile(r"style\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'>]+))", re.IGNORECASE)
_DECIDES = re.compile(r"(?:display|white-space)\s*:\s*[a-z-]{1,20}", re.IGNORECASE)
_HIDES = re.compile(
    r"(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|font-size\s*:\s*0+(?:\.0*)?(?![.\d])|opacity\s*:\s*0(?![.\d])"
    r"|mso-hide\s*:\s*all|max-height\s*:\s*0(?![.\d]))",
    re.IGNORECASE,
)
_HIDDEN = re.compile(r"(?:^|\s)hidden(?:\s*=|\s|/|$)", re.IGNORECASE)
_QUOTED_VALUE = re.compile(r"\"[^\"]*\"|'[^']*'")
_STRIKES = re.compile(r"text-decoration(?:-line)?\s*:[^;]*line-through", re.IGNORECASE)
_MAY_STRIKE = re.compile(r"<(?:s|strike|del)\b|line-through", re.IGNORECASE)
# The classes and ids in the selectors of a style sheet, and those of a tag.
_CLASS_OR_ID = re.compile(r"[.#]([a-z_-][\w-]{0,60})", re.IGNORECASE)
_NAMED = re.compile(r"\b(?:class|id)\s*=\s*(\"[^\"]*\"|'[^']*'|[^\s\"'>]+)", re.IGNORECASE)
_STRUCK_OUT = {"s", "strike", "del"}
_UNSEEN = {"option", "select", "datalist", "template", "noscript", "textarea"}
_EMPTY = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}
_AS_BLOCKS = {"table", "tr"}
_AS_WORDS = {"td", "th"}
DEEPEST = 50
STRUCK = "~~"
"""Stands around struck-out text. No order has it."""
_WORD = re.compile(r"\w")
_STRUCK_TEXT = re.compile(r"~~(.+?)~~")


def struck_out(html: str) -> list[str]:
    """Return the pieces of text outside quotes that HTML shows struck out."""
    if not _MAY_STRIKE.search(html):
        return []
    pieces = (" ".join(piece.split()) for piece in _STRUCK_TEXT.findall(shown(_outside_quotes(html))))
    return [piece for piece in pieces if _WORD.search(piece)]


def _outside_quotes(html: str) -> str:
    """Return HTML without its quoted blocks, and without a quote that has no end."""
    if endless := _ENDLESS_QUOTE.search(html):
        html = html[: endless.start()]
    kept: list[str] = []
    depth = begins = 0
    for tag in _BLOCK_TAG.finditer(html):
        if not depth:
            kept.append(html[begins : tag.start()])
        depth = max(depth - 1, 0) if tag[1] else depth + 1
        begins = tag.end()
    return "<br>".join([*kept, "" if depth else html[begins:]])


def shown(html: str) -> str:
    """Return the text that HTML shows. Raises `MailRefused` for HTML that the library cannot parse.

    Widths and margins are dropped and tables become lines: the library draws both with blanks, gigabytes of them on request.
    Struck-out text is put between two `STRUCK`.
    """
    try:
        return str(get_text(_marked(html) if _MAY_STRIKE.search(html) else _TAG.sub(_plain_tag, html)))
    except (*FAULTS, LxmlError) as fault:
        raise MailRefused("broken", f"{type(fault).__name__} in the HTML") from fault


def _marked(html: str) -> str:
    """Return HTML as `_plain_tag` writes it, with marks around each struck-out piece of text."""
    written: list[str] = []
    struck_names = _struck_names(html)
    opened: list[tuple[str, bool]] = []
    struck = begins = 0
    for tag in _TAG.finditer(html):
        written += [_mark(html[begins : tag.start()], struck), _plain_tag(tag)]
        begins, name = tag.end(), tag[2].lower()
        if tag[1]:
            at = next(
                (at for at in range(len(opened) - 1, max(len(opened) - 50, 0) - 1, -1) if opened[at][0] == name), len(opened)
            )
            struck -= sum(strikes for _name, strikes in opened[at:])
            del opened[at:]
        elif name not in _EMPTY and not tag[3].rstrip().endswith("/"):
            opened.append((name, name in _STRUCK_OUT or _strikes(tag[3], struck_names)))
            struck += opened[-1][1]
    return "".join([*written, _mark(html[begins:], struck)])


def _struck_names(html: str) -> set[str]:
    """Return the classes and ids that a style sheet in HTML strikes out."""
    rules = (rule.rpartition("{") for rule in html.split("}") if "line-through" in rule.lower())
    selectors = (selector.rpartition("{")[2] for selector, brace, _styles in rules if brace)
    return {name.lower() for selector in selectors for name in _CLASS_OR_ID.findall(selector)}


def _strikes(attributes: str, struck_names: set[str]) -> bool:
    """Return True if a tag strikes out what is in it, by its style or by a class or id that a style sheet strikes out."""
    names = (
        {name.lower() for value in _NAMED.findall(attributes) for name in value.strip("\"'").split()} if struck_names else set()
    )
    return bool(_STRIKES.search(_style_of(attributes))) or not names.isdisjoint(struck_names)


def _mark(text: str, struck: int) -> str:
    return f"{STRUCK}{text.strip()}{STRUCK}" if struck and text.strip() else text


def _style_of(attributes: str) -> str:
    style = _STYLE.search(attributes)
    return (style[1] or style[2] or style[3] or "") if style else ""


def _plain_tag(tag: re.Match[str]) -> str:
    slash, name, attributes = tag[1], tag[2].lower(), tag[3]
    style = _style_of(attributes)
    hidden = name in _UNSEEN or _HIDES.search(style) or _HIDDEN.search(_QUOTED_VALUE.sub("", attributes))
    kept = "display:none" if hidden else ";".join(_DECIDES.findall(style))
    shown = f' style="{kept}"' if kept else ""
    if name in _AS_WORDS:
        return "</span> " if slash else f"<span{shown}>"
    if name in _UNSEEN:
        name = "span"
    return f"<{slash}{'div' if name in _AS_BLOCKS else name}{shown}>"
