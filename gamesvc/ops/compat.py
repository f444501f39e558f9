"""The release check: recorded matches under the present code, and the first event where the two differ.

A match is checked in three ways. Its events must fold without a fault to the recorded end. Its commands must be decided as
before, if the rules version is still the same. What the code of its time stored beside the events (snapshots, open questions)
must equal today's fold. Decisions of other rules versions are never repeated.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import orjson
from django.db import connection

from events.store import StoredEvent
from gamesvc.games import catalog, records
from gamesvc.games.kernel import codec
from gamesvc.games.kernel.game import Event, Game, Refused
from gamesvc.games.kernel.timeline import Timeline
from gamesvc.json_types import JsonObject
from gamesvc.matches.models import Match
from gamesvc.matches.proof import chance, decisions, verification
from gamesvc.matches.record import evidence, secrets
from gamesvc.matches.record.evidence import Wrong
from gamesvc.matches.record.loading import Loaded, fresh
from gamesvc.matches.record.rows import read_models
from gamesvc.matches.record.stream import STORE, lift


@dataclass(frozen=True, slots=True)
class Checked:
    """The result for one recorded match. `version`: the first event where record and fold differ; None if there is none.

    `decided`: events that followed again from their commands; `skipped`: the reason why nothing could be checked.
    """

    name: str
    events: int = 0
    decided: int = 0
    version: int | None = None
    reason: str = ""
    skipped: str = ""

    @property
    def ok(self) -> bool:
        return not self.reason

    def as_json(self) -> JsonObject:
        return {"name": self.name, "version": self.version, "reason": self.reason}


# --- files ---


def check_file(path: Path) -> Checked:
    """Check an export (JSON Lines), a playthrough or a golden file. Raises OSError."""
    content = path.read_bytes()
    try:
        whole = json.loads(content)
    except ValueError:
        return _check_export(path.name, content)
    if not isinstance(whole, dict) or "events" not in whole:
        return Checked(path.name, skipped="This is not a recorded match: it is neither an export nor a playthrough.")
    try:
        game = catalog.game(whole["game"])
        if "outcome" in whole:
            return _check_playthrough(path.name, game, content.decode(), whole["rules"])
        return _check_golden(path.name, game, whole)
    except Refused as refused:
        return Checked(path.name, reason=refused.detail)


def _check_playthrough(name: str, game: Game, text: str, rules: str) -> Checked:
    record = records.load(text)
    count = len(record.events)
    decided = 0
    try:
        _fold(game, record.events, {count} if rules == game.manifest.rules else ())
        records.check_replay(game, record)
        if rules == game.manifest.rules:
            records.check_again(game, record)
            decided = count
    except Wrong as wrong:
        return Checked(name, count, version=wrong.version, reason=wrong.detail)
    except records.Parted as parted:
        return Checked(name, count, version=parted.version, reason=str(parted))
    return Checked(name, count, decided)


def _check_golden(name: str, game: Game, whole: JsonObject) -> Checked:
    """Check the beginning of a match, with the questions that were open at its end."""
    events = [
        Event(kind, body, version, type_version, tuple(draws))
        for version, (kind, type_version, body, draws) in enumerate(whole["events"], 1)
    ]
    try:
        state = _fold(game, events).state
    except Wrong as wrong:
        return Checked(name, len(events), version=wrong.version, reason=wrong.detail)
    asked = [[one.seat, one.id, one.prompt, one.kind] for one in game.awaited(state)]
    if asked != whole["asked"]:
        return Checked(name, len(events), version=len(events), reason=f"Asked is now {asked}; recorded was {whole['asked']}.")
    return Checked(name, len(events))


def _check_export(name: str, content: bytes) -> Checked:
    try:
        found = verification.read_chain([line for line in content.splitlines() if not line.startswith(b'{"trailer"')])
        if any(evidence.hidden(record) for record in found):
            return Checked(name, len(found), skipped="The export is redacted: only a whole one can be folded.")
        game = catalog.game(evidence.field(found[0], str, "data", "game"))
        return _check_records(name, game, found, None)
    except Refused as refused:
        return Checked(name, reason=refused.detail)
    except Wrong as wrong:
        return Checked(name, version=wrong.version, reason=wrong.detail)


# --- the database ---


def check_match(match: Match) -> Checked:
    """Check one match of the database, running or over."""
    name = f"match {match.number}"
    stored = STORE.read(match.pk)
    try:
        game = catalog.game(match.game)
        try:
            secret = secrets.open_secret(match.key_id, match.sealed_secret, match.pk)
        except secrets.WrongKey:
            secret = None  # then its events are folded, and not decided again
        checked = _check_records(name, game, [one.as_record() for one in stored], secret)
        if not checked.ok:
            return checked
        loaded = fresh(game, match.pk)
        _check_snapshots(game, match, stored, loaded)
        told = read_models.tell(stored)
        if findings := list(read_models.question_differences(read_models.Rows.of(match), loaded, told)):
            raise Wrong(loaded.version, findings[0].detail)
    except Refused as refused:
        return Checked(name, len(stored), reason=refused.detail)
    except Wrong as wrong:
        return Checked(name, len(stored), version=wrong.version, reason=wrong.detail)
    return checked


def _check_snapshots(game: Game, match: Match, stored: Sequence[StoredEvent], loaded: Loaded) -> None:
    """Compare stored states with today's fold. Leaves `loaded` at the newest version.

    Snapshots that today's classes cannot read prove nothing; the next load discards them.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT version, payload FROM events_snapshot WHERE stream = %s::uuid ORDER BY version", [match.pk])
        kept = [(version, bytes(payload)) for version, payload in cursor.fetchall()]
    for version, payload in [*kept, (len(stored), b"")]:
        tail = stored[loaded.version : version]
        loaded.fold(tail, [lift(game, one) for one in tail])
        if not payload:
            continue
        try:
            then, _marked = codec.read_states(game, orjson.loads(payload), version, base=0)
        except (orjson.JSONDecodeError, codec.Malformed, KeyError, TypeError, ValueError):
            continue
        if then != loaded.timeline.state:
            names = ", ".join(_differing(game, then, loaded.timeline.state))
            raise Wrong(version, f"The state kept at this version differs from today's fold in {names}.")


def _differing(game: Game, one: object, other: object) -> Iterator[str]:
    ours, theirs = codec.to_json(one, game.state), codec.to_json(other, game.state)
    return (name for name in ours if ours[name] != theirs.get(name))


# --- both ---


def _check_records(name: str, game: Game, found: Sequence[evidence.Record], secret: bytes | None) -> Checked:
    """Fold a whole match of the service, then decide again what is possible. Raises `Wrong`."""
    today = [act for act in decisions.acts(found) if evidence.field(act[0], str, "meta", "rules") == game.manifest.rules]
    _fold(game, [evidence.lifted(game, record) for record in found], {act[-1]["version"] for act in today})
    retold = decisions.retell(game, found, chance.read_chance(found, secret).source)
    return Checked(name, len(found), retold.decided)


def _fold(game: Game, events: Sequence[Event], ends: Collection[int] = ()) -> Timeline:
    """Fold event by event. Raises `Wrong` with the first version that fails.

    `ends`: last versions of commands that were decided under today's rules. There the state must satisfy their invariants.
    """
    timeline: Timeline = Timeline(game)
    for event in events:
        try:
            timeline.apply(game.lift(event))
            faults = game.faults(timeline.state) if event.version in ends and timeline.started else ()
        except Exception as error:
            # The code under test may fail in any way, and each is a finding.
            raise Wrong(event.version, f"{event.type} cannot be folded ({type(error).__name__}: {error}).") from error
        if faults:
            raise Wrong(event.version, f"After {event.type} the state does not hold together: {faults[0]}.")
    return timeline
