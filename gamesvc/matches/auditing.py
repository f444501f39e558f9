"""The audit of the whole store: each match's chain and checkpoints, its draws and decisions, and all that follows from it.

What follows from the events (match row, seats, open questions, snapshots) is computed again from them and compared.
Reads only; matches go on meanwhile, so a match that moves while it is read is read again.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection

from events import audit
from events.audit import Finding
from events.store import Head, StoredEvent
from gamesvc.games import catalog
from gamesvc.games.dice import commitment
from gamesvc.games.kernel import Game, Refused
from gamesvc.games.timeline import Timeline
from gamesvc.matches import chance, decisions, positions, secrets, snapshots
from gamesvc.matches.clock_audit import clock_findings
from gamesvc.matches.evidence import Wrong
from gamesvc.matches.loading import Loaded, lift
from gamesvc.matches.models import Beginning, Match

ATTEMPTS = 10


def all_ids() -> list[UUID]:
    """Every match that has a row, events, or a place in a checkpoint."""
    known = set(Match.objects.values_list("pk", flat=True))
    return sorted(known | set(audit.streams()), key=str)


def check_match(match_id: UUID) -> list[Finding]:
    """Everything that is wrong with one match."""
    for _ in range(ATTEMPTS):
        before = Match.objects.filter(pk=match_id).first()
        stream = audit.check_stream(match_id)
        asked = asked_now(before) if before is not None else {}
        after = Match.objects.filter(pk=match_id).first()
        if (before and before.version) == (after and after.version):
            break
    else:
        return [Finding("busy", f"The match moved {ATTEMPTS} times while it was read; audit it alone.", match_id)]
    findings = list(stream.findings)
    if after is None:
        findings.append(Finding("match_row", "There are events, and no match row.", match_id))
        return findings
    if after.version != len(stream.events) and not findings:
        detail = f"The match row is at version {after.version}, the stream ends with {len(stream.events)}."
        code = "cut_tail" if after.version > len(stream.events) else "match_row"
        findings.append(Finding(code, detail, match_id, min(after.version, len(stream.events)) + 1))
    if findings or not stream.events:
        return findings
    try:
        game = catalog.game(after.game)
    except Refused as refused:
        return [Finding("unknown_game", refused.detail, match_id)]
    try:
        timeline = _retell(game, after, stream)
    except Wrong as wrong:
        return [Finding("decided_otherwise", wrong.reason, match_id, wrong.version)]
    except secrets.WrongKey as wrong:
        return [Finding("secret", str(wrong), match_id)]
    loaded, told = _noted(game, stream, len(stream.events)), tell(stream.events)
    return [
        *row_findings(after, loaded, timeline, told),
        *question_findings(after, loaded, timeline, told, asked),
        *clock_findings(game, after, stream.events, timeline.at),
        *_snapshot_findings(game, stream, timeline),
    ]


def _retell(game: Game[Any], match: Match, stream: audit.Stream) -> Timeline[Any]:
    """Decide the whole match again with the service's own secret."""
    secret = secrets.open_secret(match.key_id, match.sealed_secret, match.id)
    records = [stored.as_record() for stored in stream.events]
    found = chance.read_chance(records, secret)
    if commitment(secret) != found.commitment:
        raise Wrong(1, "The stored secret does not fit the commitment of the first event.")
    chance.check_draws(records, found.source)
    positions.check_committed(records)
    return decisions.retell(game, records, found.source).timeline


def _noted(game: Game[Any], stream: audit.Stream, until: int) -> Loaded:
    """What a load knows beside the state, from the events alone."""
    loaded = Loaded(stream.id, game, Head.empty(stream.id), Timeline(game))
    events = stream.events[:until]
    loaded.note(events, [lift(game, stored) for stored in events])
    return loaded


@dataclass(slots=True)
class Told:
    """What single events say that the match row and the seats repeat. `free`: since when nobody holds a seat."""

    status: Match.Status = Match.Status.OPEN
    paused_at: datetime | None = None
    free: dict[int, datetime] = field(default_factory=dict)
    bots: set[int] = field(default_factory=set)


def tell(events: Sequence[StoredEvent]) -> Told:
    told = Told()
    for one in events:
        match one.type:
            case "match.started":
                told.status = Match.Status.RUNNING
            case "match.ended":
                told.status = Match.Status.after(one.data["reason"])
            case "match.paused" | "match.resumed":
                told.paused_at = one.occurred_at if one.type == "match.paused" else None
            case "match.joined" | "match.seated":
                told.free.pop(one.data["seat"], None)
                (told.bots.add if one.data.get("kind") == "bot" else told.bots.discard)(one.data["seat"])
            case "match.left" | "match.vacated":
                told.bots.discard(one.data["seat"])
                if one.type == "match.vacated":
                    told.free[one.data["seat"]] = one.occurred_at
    return told


def row_findings(match: Match, loaded: Loaded, timeline: Timeline[Any], told: Told) -> Iterator[Finding]:
    """Where the match row and its seats part from what the events come to."""
    state = timeline.state if timeline.started else None
    outcome = loaded.game.outcome(state) if state is not None else None
    seats = list(match.seats.all())
    holders = {seat.index: str(seat.holder) for seat in seats if seat.holder is not None}
    expected = {
        "game": loaded.opened["game"],
        "rules": loaded.opened["rules"],
        "options": loaded.opened["options"],
        "seat_count": loaded.opened["seats"],
        "board": loaded.opened.get("board", False),
        "outcome": outcome.as_json() if outcome is not None and loaded.ended else None,
    }
    for name, value in expected.items():
        if getattr(match, name) != json.loads(json.dumps(value)):
            yield Finding("match_row", f"{name} of the match row is {getattr(match, name)}, by the events {value}.", match.id)
    fits = match.status == told.status
    if not fits or (match.started_at is None) == loaded.started or (match.ended_at is None) == loaded.ended:
        yield Finding("match_row", f"The match row says {match.status}; by the events the match is {told.status}.", match.id)
    if match.paused_at != told.paused_at:
        since = [at.isoformat() if at is not None else "not" for at in (match.paused_at, told.paused_at)]
        yield Finding("match_row", f"The match row says paused: {since[0]}; by the events: {since[1]}.", match.id)
    if not loaded.started and not loaded.ended and not _beginning_fits(match, loaded):
        yield Finding("match_row", "The position kept for the start is not the one to which version 1 commits.", match.id)
    if holders != loaded.holders:
        yield Finding("match_row", "The seats are not held by those whom the events name.", match.id)
    if {seat.index for seat in seats if seat.vacated_at is not None} != told.free.keys():
        yield Finding("match_row", f"By the events these seats wait for a substitute: {sorted(told.free)}.", match.id)
    if {seat.index for seat in seats if seat.bot} != told.bots:
        yield Finding("match_row", f"By the events these seats are held by bots: {sorted(told.bots)}.", match.id)


def _beginning_fits(match: Match, loaded: Loaded) -> bool:
    promised = loaded.opened.get("position")
    kept = Beginning.objects.filter(match=match).first()
    if kept is None:
        return promised is None
    return bool(positions.committed(kept.salt, json.loads(kept.position)) == promised)


def asked_now(match: Match) -> dict[tuple[int, str], bool]:
    """The rows of open questions, and whether a bot is asked."""
    return {(seat, question): bot for seat, question, bot in match.questions.values_list("seat", "question", "bot")}


def question_findings(
    match: Match, loaded: Loaded, timeline: Timeline[Any], told: Told, asked: Mapping[tuple[int, str], bool]
) -> Iterator[Finding]:
    """Where the rows of open questions part from what the events come to; all but their clocks and words."""
    awaited = loaded.game.awaited(timeline.state) if loaded.started and not loaded.ended else ()
    if match.board:
        awaited = [one for one in awaited if one.seat in told.bots]
    expected = {(one.seat, one.id) for one in awaited}
    if missing := sorted(expected - asked.keys()):
        yield Finding("questions", f"Open by the events, and no row with a deadline: {missing}.", match.id)
    if extra := sorted(asked.keys() - expected):
        yield Finding("questions", f"A row with a deadline, and by the events not open: {extra}.", match.id)
    for seat, question in sorted(expected & asked.keys()):
        if asked[seat, question] != (seat in told.bots):
            kept, right = ("no bot's", "a bot's") if seat in told.bots else ("a bot's", "no bot's")
            yield Finding("questions", f"Question {question} of seat {seat} is {kept}, by the events {right}.", match.id)


def _snapshot_findings(game: Game[Any], stream: audit.Stream, timeline: Timeline[Any]) -> Iterator[Finding]:
    """Snapshots that a load would take, against replay. Those of other rules code are ignored by loads and here."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT version FROM events_snapshot WHERE stream = %s::uuid AND fingerprint = %s::text ORDER BY version",
            [stream.id, snapshots.fingerprint(game.id)],
        )
        versions = [row[0] for row in cursor.fetchall()]
    for version in versions:
        found = snapshots.get(game, stream.id, version)
        if found is None or found[0].version != version:
            yield Finding("snapshot", "The snapshot cannot be read, or stands on another event.", stream.id, version)
            continue
        contents = found[1]
        loaded = _noted(game, stream, version)
        draws = [draw["i"] for stored in stream.events[:version] for draw in stored.meta.get("draws", ())]
        expected: dict[str, Any] = {
            "opened": loaded.opened,
            "contributions": [list(one) for one in loaded.contributions.items()],
            "holders": [list(one) for one in loaded.holders.items()],
            "started": loaded.started,
            "ended": loaded.ended,
            "seen": [list(one) for one in loaded.seen.items()],
            "draws": draws[-1] + 1 if draws else 0,
            "state": timeline.at(version),
            "kept": {at: timeline.at(at) for at in contents["kept"] if at <= version},
        }
        if wrong := [name for name, value in expected.items() if contents.get(name) != value]:
            yield Finding("snapshot", f"The snapshot differs from replay in {', '.join(wrong)}.", stream.id, version)
