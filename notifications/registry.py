"""The kinds of notices and their wording. The apps above register theirs at start-up."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
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
class Shows:
    """The parts of a mail that the next one does not repeat, or only if they change: see `models.LastShown`."""

    picture: str = ""
    calendar: Mapping[str, int] = field(default_factory=dict)
    explained: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Message:
    """The text of a notice, as a renderer returns it. `notifications.sending.mail` adds addressing, marks and threading.

    `sender_name` and `list_name` should be the same for all notices of a topic (`Stones #42`, `match-42`). `reason` is
    machine-readable and goes to `X-Game-Reason`; by default it is the kind. `in_reply_to` answers a mail outside the topic's own
    thread; `auto_replied` marks a mail that only answers one that came in. `topic_subject` is the one subject of all mails of a
    topic, which takes the place of `subject` unless the receiver wants one for each turn: else mail programs split the thread.
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
    topic_subject: str = ""
    shows: Shows | None = None


@dataclass(frozen=True)
class Brief:
    """A notice in a few lines, for a combined mail. Briefs with the same `key` are about the same thing.

    They are sorted by `due_at`; those without come last. `lines` are the events since the receiver's last look, `count` the
    number of matches that it speaks of.
    """

    key: str
    title: str
    headline: str
    link: str
    due_at: datetime | None = None
    lines: tuple[str, ...] = ()
    orders: str = ""
    reply_to: str = ""
    count: int = 1


NO_END = datetime.max.replace(tzinfo=UTC)
"""The deadline of a notice that can be acted on without limit, as while a match is paused."""

Renderer = Callable[[Outbox], Message | None]
Deadline = Callable[[Outbox], datetime | None]
Briefer = Callable[[Outbox], Brief | None]
Acted = Callable[[Sequence[Outbox], Mapping[UUID, datetime]], Mapping[UUID, datetime]]
Subject = Callable[[Outbox], str]


@dataclass(frozen=True)
class Kind:
    """A kind of notice. `essential` ones are sent regardless of mutes and offer no unsubscribing.

    `deadline`: until when a notice can be acted on, `NO_END` if for ever, None once it is obsolete. `brief`: the notice in a
    few lines. With both, notices of the kind may wait for each other and for the digest. `acted(rows, told)`: which of these
    notices their receivers have acted on since they were sent (at the moments in `told`), and when. `subject`: what a notice is
    about within its topic; of several that wait, the newest replaces the others. `again`: it only repeats what another kind has
    said. `carries`: the kinds of which a mail of this kind says all, and more, if they concern the same seat (`wanted.carrying`).
    `urgent`: of a kind whose notices gather (with a subject, without a deadline), the ones that go at once. `part`: it is a part
    of mails, or a mail of several notices, and tells nothing of its own. `quotes`: its mails hold what others have written, for
    which a server may refuse them.
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
    carries: Collection[str] = ()
    urgent: Callable[[Outbox], bool] | None = None
    part: bool = False
    quotes: bool = False


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
    carries: Collection[str] = (),
    urgent: Callable[[Outbox], bool] | None = None,
    part: bool = False,
    quotes: bool = False,
) -> None:
    """Register `renderer(row)` for this kind of notice. It runs in the receiver's language and time zone.

    The renderer checks again if the notice is current and returns None if not: then nothing is sent. It may be called several
    times for one notice and must be free of side effects. `label` is the kind's name for users ("Your turn").
    """
    if not _KIND.match(kind):
        raise ValueError(f"a kind of notice is named in snake_case, at most 60 characters: {kind!r}")
    known = _kinds.get(kind)
    if known is not None and known.renderer is not renderer:
        raise ValueError(f"the kind of notice {kind!r} is already registered")
    words = label or kind.replace("_", " ").capitalize()
    _kinds[kind] = Kind(kind, words, renderer, essential, deadline, brief, acted, subject, again, carries, urgent, part, quotes)


def find(kind: str) -> Kind | None:
    """Return the kind of that name, or None if no app registered it."""
    return _kinds.get(kind)


def kinds() -> list[Kind]:
    """Return all kinds, in the order of registration, for the page of notification settings."""
    return list(_kinds.values())


def quoting() -> list[str]:
    """Return the names of the kinds whose mails hold what others have written."""
    return [kind.name for kind in _kinds.values() if kind.quotes]


_facts: list[Callable[[Outbox], Mapping[str, object]]] = []


def register_facts(facts: Callable[[Outbox], Mapping[str, object]]) -> None:
    """Register `facts(row)`, which adds data for programs to a notice: names and numbers by which they can fetch the rest."""
    if facts not in _facts:
        _facts.append(facts)


def facts_of(row: Outbox) -> dict[str, object]:
    """Return the data of a notice for programs."""
    return {name: value for facts in _facts for name, value in facts(row).items()}


@dataclass(frozen=True)
class Topic:
    """A topic's name for From lines, its id as a mailing list, and a receiver's next deadline in it."""

    name: str = ""
    list_name: str = ""
    due_at: datetime | None = None


_topics: list[Callable[[str, int | None], Topic | None]] = []


def register_topics(look: Callable[[str, int | None], Topic | None]) -> None:
    """Register `look(topic, user_id)`, which describes a topic ("Stones #42", `match-42`); None for one that it does not know."""
    if look not in _topics:
        _topics.append(look)


def topic_of(topic: str, user_id: int | None = None) -> Topic:
    """Return the description of a topic for a receiver; an empty one if it is unknown."""
    return next((found for look in _topics if topic and (found := look(topic, user_id))), Topic())
