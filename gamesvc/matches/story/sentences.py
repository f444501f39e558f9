"""The log of a match in sentences, as one viewer may read it."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from django.utils.translation import gettext as _

from events.canonical import write_time
from events.store import StoredEvent
from gamesvc.games.kernel.events import of_service
from gamesvc.games.kernel.game import Data, Event
from gamesvc.games.kernel.telling import Part
from gamesvc.matches.clock.fold import MOVES
from gamesvc.matches.events import (
    DeadlineSet,
    Ended,
    Joined,
    Left,
    Looked,
    Opened,
    Outage,
    Paused,
    Resumed,
    Rewound,
    Seated,
    Started,
    TimedOut,
    UndoAnswered,
    UndoAsked,
    Vacated,
    read_event,
)
from gamesvc.matches.models import Seat
from gamesvc.matches.record import sight, stream
from gamesvc.matches.record.loading import Loaded
from gamesvc.matches.record.stream import STORE
from gamesvc.matches.story import absence_words, organising_words, undo_words
from gamesvc.matches.story.moments import utc_time

MOST_EVENTS = 30
NEAR_END = 12


class Told(NamedTuple):
    """An event in the log. `turn`: the number of the turn that begins with it; None for all other events, and for turns that
    other seats count for themselves.

    `automatic`: it tells only of players who passed automatically. `data`: those of a game's event, as the viewer may see them.
    `part`: what it tells of an act, if that is not the act's outcome. `own`: it belongs to an act of the viewer's own hand.
    """

    version: int
    moment: datetime
    sentence: str
    turn: int | None = None
    automatic: bool = False
    data: Data | None = None
    part: Part | None = None
    own: bool = False


def tell_since(loaded: Loaded, seat: Seat, names: tuple[str, ...]) -> list[Told]:
    """Return the events since the seat's last look, newest last, at most the last thirty, without automatic passes.

    For mails, so without the words of organisers: the mail about a measure has these.
    """
    told = tell_last(loaded, seat.index, names, 2 * MOST_EVENTS, after=seat.seen_version, quoting=False)
    return [one for one in told if not one.automatic][-MOST_EVENTS:]


def tell_last(
    loaded: Loaded,
    viewer: int | None,
    names: tuple[str, ...],
    most: int,
    *,
    after: int = 0,
    until: int | None = None,
    quoting: bool = True,
) -> list[Told]:
    """Return up to `most` events before a version as a viewer may see them, newest last. Nothing more is read.

    `quoting`: with the words of organisers (`undo_words.Written`).
    """
    last = loaded.viewer_version(viewer)
    written = undo_words.Written(loaded.match_id, quoting=quoting)
    acts: list[list[Told]] = []
    count = 0
    for act in stream.acts_back(loaded.match_id, last if until is None else min(until, last), after):
        acts.append(_told(loaded, act, viewer, names, written))
        count += len(acts[-1])
        if count >= most:
            break
    return [one for act in reversed(acts) for one in act][-most:]


def last_acts(viewed: Sequence[tuple[Loaded, int | None, tuple[str, ...]]]) -> dict[UUID, str]:
    """Return the newest event of many matches as a sentence, by match, in one query. `viewed`: match, viewer and names of seats.

    A match whose last `NEAR_END` events tell the viewer nothing is left out.
    """
    ends = STORE.read_many({loaded.match_id: max(0, loaded.viewer_version(seat) - NEAR_END) for loaded, seat, _names in viewed})
    found: dict[UUID, str] = {}
    for loaded, viewer, names in viewed:
        last = loaded.viewer_version(viewer)
        known = [stored for stored in ends.get(loaded.match_id, ()) if stored.version <= last]
        told = _told(loaded, known, viewer, names, undo_words.Written(loaded.match_id))
        if told:
            found[loaded.match_id] = told[-1].sentence
    return found


def given_at(loaded: Loaded, seat: int, question: str, due_at: datetime, names: tuple[str, ...]) -> list[str]:
    """Return what was done for a seat as its time for a question ran out, if that is among the last `NEAR_END` acts."""
    timeout = {"seat": seat, "question": question, "due_at": write_time(due_at)}
    for act in itertools.islice(stream.acts_back(loaded.match_id, loaded.viewer_version(seat)), NEAR_END):
        if any(one.type == TimedOut.TYPE and timeout.items() <= one.data.items() for one in act):
            told = _told(loaded, act, seat, names, undo_words.Written(loaded.match_id))
            return [one.sentence for one in told if one.data is not None]
    return []


def tell(
    loaded: Loaded, viewer: int | None, names: tuple[str, ...], after: int, until: int, *, opened: bool = False
) -> list[Told]:
    """Return the events between two versions as a viewer may see them, service events included.

    `opened`: the match is over by now, so nothing in its past is hidden.
    """
    written = undo_words.Written(loaded.match_id)
    return _told(loaded, STORE.read(loaded.match_id, after, until), viewer, names, written, opened=opened)


def _turn(loaded: Loaded, event: Event, viewer: int | None) -> int | None:
    """Return the number of the turn that begins with the event, if it is one of the viewer's or of all."""
    owner = loaded.game.turn_owner(event)
    return loaded.game.turn_started(event) if owner in (None, viewer) or loaded.seats == 1 else None


def _told(
    loaded: Loaded,
    events: Sequence[StoredEvent],
    viewer: int | None,
    names: tuple[str, ...],
    written: undo_words.Written,
    *,
    opened: bool = False,
) -> list[Told]:
    told = []
    unmarked = False  # the first sentence of an automatic act says so
    for stored in events:
        event = stream.lift(loaded.game, stored)
        seen = event if loaded.ended or opened else sight.see(loaded, event, viewer)
        if seen is None:
            continue
        sentence = _service_sentence(seen, names, written) if of_service(seen.type) else loaded.game.tell(seen, viewer, names)
        unmarked = bool(stored.meta.get("automatic")) and ("command_id" in stored.meta or unmarked)
        part = None if unmarked else _part(loaded, seen)
        if sentence and unmarked:
            sentence, unmarked = _("%(sentence)s (A conditional order.)") % {"sentence": sentence}, False
        if sentence:
            service = of_service(seen.type)
            turn = None if service else _turn(loaded, seen, viewer)
            automatic = not service and loaded.game.automatic(seen)
            data = None if service else seen.data
            own = viewer is not None and stored.meta["actor"].get("seat") == viewer and not stored.meta.get("automatic")
            told.append(Told(stored.version, stored.occurred_at, sentence, turn, automatic, data, part, own))
    return told


def _part(loaded: Loaded, event: Event) -> Part | None:
    """Return what an event tells of its act, if that is not the act's outcome: a reaction goes back before it is played."""
    if not of_service(event.type):
        return loaded.game.parts.get(event.type)
    told = read_event(event)
    return "announcement" if isinstance(told, Rewound) and told.cause == "reaction" else None


def _service_sentence(event: Event, names: tuple[str, ...], written: undo_words.Written) -> str:
    told = read_event(event)
    match told:
        case Opened():
            return _("The match is opened.")
        case Joined():
            return _("%(name)s takes a seat.") % {"name": names[told.seat]}
        case Left():
            return _("Seat %(seat)s is free again.") % {"seat": told.seat + 1}
        case Started():
            return _("The match starts.")
        case Rewound() | UndoAsked() | UndoAnswered():
            return undo_words.sentence(told, names, written)
        case Vacated() | Paused() | Resumed():
            return organising_words.with_reason(absence_words.sentence(told, names), told, written)
        case TimedOut() | Seated() | Outage():
            return absence_words.sentence(told, names)
        case DeadlineSet():
            return _deadline_sentence(told, names, written)
        case Looked():
            return organising_words.looked(told, names, written)
        case Ended(code=""):
            return _("The match is over.")
        case Ended():
            return organising_words.aborted(told, written)
    return ""


def _deadline_sentence(event: DeadlineSet, names: tuple[str, ...], written: undo_words.Written) -> str:
    """A deadline that was moved; one that began or went on is nothing to tell."""
    if event.cause == "extended":
        return organising_words.extended(event, names, written)
    if event.cause not in MOVES:
        return ""
    moved = {"name": names[event.seat], "due": utc_time(datetime.fromisoformat(event.due_at))}
    if event.cause == "vacation":
        return _("The deadline of %(name)s is moved to %(due)s because of a vacation.") % moved
    return _("The deadline of %(name)s is moved to %(due)s.") % moved
