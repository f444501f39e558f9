"""Which kinds of notices there are and who words them. The apps above register theirs at start-up."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from notifications.models import Outbox

_KIND = re.compile(r"\A[a-z][a-z0-9_]{0,59}\Z")


@dataclass(frozen=True)
class Image:
    """A PNG that the HTML shows as `<img src="cid:NAME">`."""

    name: str
    content: bytes


@dataclass(frozen=True)
class Attachment:
    """A file beside the text."""

    filename: str
    content: bytes | str
    mimetype: str


@dataclass(frozen=True)
class Message:
    """What a renderer makes of a notice: the words. Addressing, marks and threading are added by `notifications.sending.mail`.

    `sender_name` and `list_name` should be the same for all notices of a topic (`Stones #42`, `match-42`). `reason` is
    machine-readable and goes to `X-Game-Reason`; it is the kind unless said otherwise. `in_reply_to` answers a mail outside
    the topic's own thread; `auto_replied` says that the whole mail answers one that came in. A topic's subject should stay
    stable, or mail programs split the thread.
    """

    subject: str
    text: str
    html: str = ""
    sender_name: str = ""
    list_name: str = ""
    reason: str = ""
    reply_to: str = ""
    in_reply_to: str = ""
    auto_replied: bool = False
    images: tuple[Image, ...] = ()
    attachments: tuple[Attachment, ...] = ()
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Brief:
    """A notice in a few lines, for a mail that tells of several. Briefs with the same `key` are one thing told twice.

    `due_at` is what they are sorted by; those without come last. `lines` is what happened since the receiver last looked.
    """

    key: str
    title: str
    headline: str
    link: str
    due_at: datetime | None = None
    lines: tuple[str, ...] = ()
    orders: str = ""
    reply_to: str = ""


Renderer = Callable[[Outbox], Message | None]
Deadline = Callable[[Outbox], datetime | None]
Briefer = Callable[[Outbox], Brief | None]
Acted = Callable[[Sequence[Outbox], Mapping[UUID, datetime]], Mapping[UUID, datetime]]
Subject = Callable[[Outbox], str]


@dataclass(frozen=True)
class Kind:
    """A kind of notice. `essential` ones are sent whatever the person muted and offer no unsubscribing.

    `deadline`: until when a notice of this kind can be acted upon, None once it no longer holds. `brief`: the notice in a few
    lines. With both, notices of the kind may wait for each other and for the digest. `acted(rows, told)`: which of these notices
    their receivers have acted upon since they were told, at the moments `told`, and when. `subject`: what within its topic a
    notice is about; of several that wait the newest speaks for all. `again`: it only says again what another has said.
    """

    name: str
    label: str
    renderer: Renderer
    essential: bool = False
    deadline: Deadline | None = None
    brief: Briefer | None = None
    acted: Acted | None = None
    subject: Subject | None = None
    again: bool = False


_kinds: dict[str, Kind] = {}


def register(
    kind: str,
    renderer: Renderer,
    *,
    label: str = "",
    essential: bool = False,
    deadline: Deadline | None = None,
    brief: Briefer | None = None,
    acted: Acted | None = None,
    subject: Subject | None = None,
    again: bool = False,
) -> None:
    """Have notices of this kind worded by `renderer(row)`, in the receiver's language and time zone.

    The renderer asks again whether the notice still holds and returns None if it does not: then nothing is sent. It may be
    called several times for one notice and must have no effect that a second call would repeat. `label` is how people call
    the kind ("Your turn").
    """
    if not _KIND.match(kind):
        raise ValueError(f"a kind of notice is named in snake_case, at most 60 characters: {kind!r}")
    known = _kinds.get(kind)
    if known is not None and known.renderer is not renderer:
        raise ValueError(f"the kind of notice {kind!r} is already registered")
    words = label or kind.replace("_", " ").capitalize()
    _kinds[kind] = Kind(kind, words, renderer, essential, deadline, brief, acted, subject, again)


def find(kind: str) -> Kind | None:
    """The kind of that name, or None if no app registered it."""
    return _kinds.get(kind)


def kinds() -> list[Kind]:
    """All kinds, in the order of registration: what a page of preferences lists."""
    return list(_kinds.values())


_facts: list[Callable[[Outbox], Mapping[str, object]]] = []


def register_facts(facts: Callable[[Outbox], Mapping[str, object]]) -> None:
    """Have `facts(row)` add what a program is told of a notice: names and numbers by which it can fetch the rest."""
    if facts not in _facts:
        _facts.append(facts)


def facts_of(row: Outbox) -> dict[str, object]:
    """What a program is told of a notice."""
    return {name: value for facts in _facts for name, value in facts(row).items()}


_namers: list[Callable[[str], str]] = []


def register_topic_name(namer: Callable[[str], str]) -> None:
    """Have `namer(topic)` say how people call a topic ("Stones #42"); empty for a topic it does not know."""
    if namer not in _namers:
        _namers.append(namer)


def topic_name(topic: str) -> str:
    """Return how people call a topic; empty if nobody knows."""
    return next((name for namer in _namers if (name := namer(topic))), "")
