"""Markdown of the rules and help texts as HTML: read by markdown-it (CommonMark with tables), sanitised by nh3.

Raw HTML in a source stays text. The sanitiser is a second wall: only the elements listed here reach a page, whatever the reader
makes of a source.
"""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass

import nh3
from markdown_it import MarkdownIt
from markdown_it.common.utils import escapeHtml
from markdown_it.renderer import RendererHTML
from markdown_it.rules_core import StateCore
from markdown_it.token import Token

_HEADINGS = {f"h{level}" for level in range(1, 7)}
_TABLE = {"div", "table", "thead", "tbody", "tr", "th", "td"}
_TAGS = _HEADINGS | _TABLE | {"p", "br", "hr", "ul", "ol", "li", "pre", "code", "blockquote", "strong", "em", "a"}
# What may be wider than the page scrolls by itself, also by keyboard: it takes the focus, and has a name.
_SCROLLS = {"tabindex", "role", "aria-label"}
_ATTRIBUTES = {"a": {"href"}, "ol": {"start"}, "div": {"class"} | _SCROLLS, "pre": _SCROLLS} | {
    heading: {"id"} for heading in _HEADINGS
}


@functools.lru_cache(maxsize=16)
def render(source: str) -> str:
    """Return a whole text as HTML that is safe to put into a page. The few texts of the games are rendered once each."""
    return _clean(_READER.render(source))


def render_line(source: str) -> str:
    """Return a sentence as HTML that is safe to put into a page, without a paragraph around it."""
    return _clean(_READER.renderInline(source))


def _clean(html: str) -> str:
    return nh3.clean(html, tags=_TAGS, attributes=_ATTRIBUTES, url_schemes={"http", "https"}, link_rel=None)


@functools.lru_cache(maxsize=16)
def contents(source: str) -> tuple[tuple[str, str], ...]:
    """Return the sections of a text as their anchors and headings, in their order."""
    tokens = _READER.parse(source)
    return tuple(
        (str(opening.attrGet("id")), "".join(part.content for part in heading.children or ()))
        for opening, heading in itertools.pairwise(tokens)
        if opening.type == "heading_open" and opening.tag == "h2"
    )


@dataclass(frozen=True, slots=True)
class Section:
    """A section of a text, without those under its own subheadings: the anchor, the heading, and the words without marks."""

    anchor: str
    heading: str
    text: str


@functools.lru_cache(maxsize=16)
def sections(source: str) -> tuple[Section, ...]:
    """Return all sections of a text, of every level, in their order."""
    found: list[tuple[str, str, list[str]]] = []
    heading = ""
    for token in _READER.parse(source):
        if token.type == "heading_open":
            heading = str(token.attrGet("id"))
        elif token.type == "inline" and heading:
            found.append((heading, _plain(token), []))
            heading = ""
        elif token.type in ("inline", "fence", "code_block") and found:
            found[-1][2].append(_plain(token))
    return tuple(Section(anchor, title, " ".join(" ".join(parts).split())) for anchor, title, parts in found)


def _plain(token: Token) -> str:
    """Return the words of a block without its marks."""
    if token.children is None:
        return token.content
    return "".join(" " if part.type in ("softbreak", "hardbreak") else part.content for part in token.children)


def slug(text: str) -> str:
    """Return the anchor of a heading: its letters and digits in lower case, with hyphens between its words."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


def _anchors(state: StateCore) -> None:
    """Give each heading an id; a heading that says the same as one before it gets a number."""
    taken: set[str] = set()
    for opening, content in zip(state.tokens, state.tokens[1:]):
        if opening.type == "heading_open":
            plain = slug(content.content)
            anchor, number = plain, 1
            while anchor in taken:
                number += 1
                anchor = f"{plain}-{number}"
            taken.add(anchor)
            opening.attrSet("id", anchor)


class _Renderer(RendererHTML):
    """HTML in which a wide table or block of code scrolls by itself and not with the page."""

    def table_open(self, *_: object) -> str:
        return f'<div class="scroll" {_focus("Table")}><table>'

    def table_close(self, *_: object) -> str:
        return "</table></div>"

    def fence(self, tokens: Sequence[Token], idx: int, *_: object) -> str:
        return f"<pre {_focus('Example')}><code>{escapeHtml(tokens[idx].content)}</code></pre>\n"

    def code_block(self, tokens: Sequence[Token], idx: int, *_: object) -> str:
        return self.fence(tokens, idx)


def _focus(name: str) -> str:
    return f'tabindex="0" role="group" aria-label="{name}"'


_READER = MarkdownIt("commonmark", {"html": False}, renderer_cls=_Renderer).enable("table")
_READER.core.ruler.push("anchors", _anchors)
