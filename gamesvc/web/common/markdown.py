"""Rendering the subset of Markdown used in the rules of our games as HTML.

Headings, paragraphs, lists (nested by indentation), tables, code, quotes, rules; within lines code, strong, emphasis and links.
Everything else is text. All text is escaped before any mark is read, so no HTML in a source survives.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from html import escape

_ITEM = re.compile(r"^(\s*)([-*+]|\d+[.)])\s+(.*)$")
_HEADING = re.compile(r"^(#{1,6})\s+(.*?)\s*#*$")
_DIVIDER = re.compile(r"^\s*\|?\s*:?-{2,}:?\s*(\|\s*:?-{2,}:?\s*)*\|?\s*$")
_CODE = re.compile(r"`([^`]+)`")
_LINK = re.compile(r"\[([^\]]+)\]\((https?://[^)\s]+|#[\w-]+)\)")
_BARE = re.compile(r"(?<![\"(>\w])(https?://[^\s<)]+[^\s<).,;:])")


def inline(text: str) -> str:
    """Return a line with its marks as HTML."""
    parts = _CODE.split(text)
    return "".join(
        f"<code>{escape(part)}</code>" if at % 2 else _marks(escape(part, quote=False)) for at, part in enumerate(parts)
    )


def _marks(text: str) -> str:
    text = _LINK.sub(r'<a href="\2">\1</a>', text)
    text = _BARE.sub(r'<a href="\1">\1</a>', text)
    text = re.sub(r"\*\*(\S(?:.*?\S)?)\*\*", r"<strong>\1</strong>", text)
    text = re.sub(r"(?<![\w*])\*(\S(?:[^*]*?\S)?)\*(?![\w*])", r"<em>\1</em>", text)
    return re.sub(r"(?<![\w_])_(\S(?:[^_]*?\S)?)_(?![\w_])", r"<em>\1</em>", text)


def render(source: str) -> str:
    """Return a whole text as HTML."""
    return "\n".join(_blocks(source.expandtabs(4).splitlines()))


def _slug(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


def _blocks(lines: list[str]) -> Iterator[str]:
    at = 0
    while at < len(lines):
        line = lines[at]
        if not line.strip():
            at += 1
        elif line.startswith("```"):
            end = next((n for n in range(at + 1, len(lines)) if lines[n].startswith("```")), len(lines))
            yield f"<pre><code>{escape(chr(10).join(lines[at + 1 : end]))}</code></pre>"
            at = end + 1
        elif found := _HEADING.match(line):
            level = len(found[1])
            yield f'<h{level} id="{_slug(found[2])}">{inline(found[2])}</h{level}>'
            at += 1
        elif re.fullmatch(r"\s*([-*_])(\s*\1){2,}\s*", line):
            yield "<hr>"
            at += 1
        elif "|" in line and at + 1 < len(lines) and _DIVIDER.match(lines[at + 1]):
            end = _while(lines, at, lambda one: "|" in one)
            yield _table(lines[at], lines[at + 2 : end])
            at = end
        elif _ITEM.match(line):
            end = _list_end(lines, at)
            yield _list(lines[at:end])
            at = end
        elif line.startswith(">"):
            end = _while(lines, at, lambda one: one.startswith(">"))
            yield f"<blockquote>{render(chr(10).join(one[1:].removeprefix(' ') for one in lines[at:end]))}</blockquote>"
            at = end
        else:
            end = _paragraph_end(lines, at)
            yield f"<p>{inline(' '.join(one.strip() for one in lines[at:end]))}</p>"
            at = end


def _while(lines: list[str], at: int, holds: Callable[[str], bool]) -> int:
    while at < len(lines) and lines[at].strip() and holds(lines[at]):
        at += 1
    return at


def _paragraph_end(lines: list[str], at: int) -> int:
    at += 1
    while at < len(lines) and lines[at].strip() and not re.match(r"^(```|#{1,6}\s|>)", lines[at]) and not _ITEM.match(lines[at]):
        at += 1
    return at


def _list_end(lines: list[str], at: int) -> int:
    """Return the index after a list. Indented lines, items, and a blank line before either of them continue it."""
    at += 1
    while at < len(lines):
        line = lines[at]
        if not line.strip():
            following = lines[at + 1] if at + 1 < len(lines) else ""
            if not (following.startswith("  ") or _ITEM.match(following)):
                return at
        elif (not (line.startswith(" ") or _ITEM.match(line)) and not lines[at - 1].strip()) or re.match(
            r"^(#{1,6}\s|```)", line
        ):
            return at
        at += 1
    return at


def _list(lines: list[str]) -> str:
    """Return a list as HTML. Items have the indentation of the first; deeper lines belong to an item."""
    first = _ITEM.match(lines[0])
    assert first is not None
    depth = len(first[1])
    items: list[list[str]] = []
    for line in lines:
        found = _ITEM.match(line)
        if found and len(found[1]) <= depth:
            items.append([found[3]])
        else:
            items[-1].append(line)
    tag = "ol" if first[2][0].isdigit() else "ul"
    start = first[2][:-1] if tag == "ol" and first[2][:-1] != "1" else ""
    opened = f'<ol start="{start}">' if start else f"<{tag}>"
    return opened + "".join(f"<li>{_item(item)}</li>" for item in items) + f"</{tag}>"


def _item(lines: list[str]) -> str:
    inner = next((n for n, line in enumerate(lines) if n and (not line.strip() or _ITEM.match(line))), len(lines))
    head = inline(" ".join(line.strip() for line in lines[:inner]))
    rest = lines[inner:]
    margin = min((len(line) - len(line.lstrip()) for line in rest if line.strip()), default=0)
    return head + (render("\n".join(line[margin:] for line in rest)) if rest else "")


def _cells(row: str) -> list[str]:
    return [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", row.strip().strip("|"))]


def _table(head: str, rows: list[str]) -> str:
    heads = "".join(f"<th>{inline(cell)}</th>" for cell in _cells(head))
    body = "".join("<tr>" + "".join(f"<td>{inline(cell)}</td>" for cell in _cells(row)) + "</tr>" for row in rows)
    return f'<div class="scroll"><table><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table></div>'
