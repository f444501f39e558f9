"""The events of a running match as far as a viewer may know of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from events.store import StoredEvent
from gamesvc.games.kernel.game import Event, Viewer, see_event
from gamesvc.matches.events import DeadlineSet, Joined, Seated, TimedOut, Vacated, read_event, read_events
from gamesvc.matches.record import stream
from gamesvc.matches.record.loading import Loaded
from gamesvc.matches.record.stream import STORE, lift

LAST_ACTS = 1000
"""The number of events in which a seat's last act is looked for. Long before that its turn comes, or its time runs out."""


def as_seen(loaded: Loaded, viewer: Viewer, version: int) -> int:
    """Return the version whose state a viewer was shown as `version`: it includes later events hidden from them.

    The viewer saw the rest of the next act together with its first visible event.
    """
    shown = last_known(loaded, viewer, version)
    if version >= loaded.viewer_version(viewer):
        # All that follows is hidden, however much it is.
        return max(shown, loaded.version)
    after, settled = shown, None
    while True:
        following = STORE.read(loaded.match_id, after, after + stream.NEAR)
        for stored in following:
            if "command_id" in stored.meta:
                settled = stored.version - 1
            if knows(loaded, stored, viewer):
                return shown if settled is None else settled
        if len(following) < stream.NEAR:
            return max(shown, loaded.version)
        after += stream.NEAR


def last_known(loaded: Loaded, viewer: Viewer, version: int) -> int:
    """Return the version of the last event up to `version` that a viewer may know while the match runs."""
    until = version
    while True:
        for stored in reversed(STORE.read(loaded.match_id, max(0, until - stream.NEAR), until)):
            if knows(loaded, stored, viewer):
                return int(stored.version)
        until -= stream.NEAR
        # Everyone who may see the match knows its first event.
        assert until > 0, f"viewer {viewer} knows no event of match {loaded.match_id} up to version {version}"


def see(loaded: Loaded, event: Event, viewer: Viewer) -> Event | None:
    """Return one event as a viewer may see it while the match runs; None if it is sealed.

    In an anonymous match this also removes what would identify players: the nights and vacations behind a deadline, the reminders
    they have set, and that a program plays for them. All events of these types are redacted, as in `see_event`.
    """
    seen = see_event(loaded.game, event, viewer)
    if seen is None or not loaded.anonymous:
        return seen
    match read_event(seen):
        case DeadlineSet() as told if told.seat != viewer:
            because = {name: value for name, value in told.because.items() if name != "excluded"}
            return replace(seen, data=replace(told, because=because, cause=impersonal(told.cause)).as_json(), redacted=True)
        case TimedOut() as told if told.seat != viewer:
            return replace(seen, data=replace(told, reminders=None).as_json(), redacted=True)
        case Joined() as told if told.seat != viewer:
            kind = "user" if told.kind == "program" else told.kind
            return replace(seen, data=replace(told, kind=kind).as_json(), redacted=True)
    return seen


def impersonal(cause: str) -> str:
    """Return the cause of a deadline as an anonymous match shows it to others."""
    return "moved" if cause == "vacation" else cause


def knows(loaded: Loaded, stored: StoredEvent, viewer: Viewer) -> bool:
    """Return True if a viewer may know an event while the match runs."""
    return see_event(loaded.game, lift(loaded.game, stored), viewer) is not None


def seen_since(loaded: Loaded, viewer: Viewer, version: int) -> Iterator[Event]:
    """Yield the events after a version as a viewer sees them, oldest first. They are read only as far as needed."""
    for stored in stream.events_after(loaded.match_id, version, loaded.viewer_version(viewer)):
        event = see_event(loaded.game, lift(loaded.game, stored), viewer)
        if event is not None:
            yield event


def is_away(loaded: Loaded, seat: int, viewer: Viewer) -> bool:
    """Return True if a seat's time has run out since its holder last acted, as far as a viewer may know.

    The clocks know it (`Account.missed`), but they count acts that are hidden from the viewer too.
    """
    until = loaded.viewer_version(viewer)
    for act in stream.acts_back(loaded.match_id, until, max(0, until - LAST_ACTS)):
        for event in reversed(read_events(act)):
            match event:
                case TimedOut(seat=timed, excused=False) if timed == seat:
                    return True
                case Vacated(seat=changed) | Seated(seat=changed) if changed == seat:
                    return False
        step = stream.step_of(act)
        by_hand = step.actor == "seat" and step.seat == seat and not step.automatic
        if by_hand and any(knows(loaded, stored, viewer) for stored in act):
            return False
    return False


def head_hash(loaded: Loaded, viewer: Viewer) -> str:
    """Return the hash of the last event a viewer may know, in hex.

    A reader who keeps it can prove later what the log held.
    """
    version = loaded.viewer_version(viewer)
    return STORE.read(loaded.match_id, version - 1, version)[-1].hash.hex() if version else ""
