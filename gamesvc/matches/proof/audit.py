"""The audit of the whole store: each match's chain and checkpoints, its draws and decisions, and everything derived from it.

Derived data (match row, seats, open questions, snapshots) is computed again from the events and compared. The audit only reads.
Matches go on meanwhile, so a match that moves is read again.
"""

from __future__ import annotations

from collections.abc import Iterator
from uuid import UUID

from django.db import connection

from events import audit
from events.audit import Finding
from events.store import Head
from gamesvc.games import catalog
from gamesvc.games.kernel.dice import commitment
from gamesvc.games.kernel.game import Game, Refused
from gamesvc.games.kernel.timeline import Timeline
from gamesvc.json_types import JsonObject
from gamesvc.matches.models import Match
from gamesvc.matches.proof import chance, decisions
from gamesvc.matches.proof.clock_audit import clock_findings
from gamesvc.matches.record import loading, positions, secrets, snapshots
from gamesvc.matches.record.evidence import Wrong
from gamesvc.matches.record.loading import Loaded
from gamesvc.matches.record.rows.read_models import Rows, differences, tell
from gamesvc.matches.record.rows.reckoning import Reckoning
from gamesvc.matches.record.stream import lift
from gamesvc.matches.statistics import ratings, totals

ATTEMPTS = 10


def all_ids() -> list[UUID]:
    """Return the ids of all matches with a row, events, or a place in a checkpoint."""
    known = set(Match.objects.values_list("pk", flat=True))
    return sorted(known | set(audit.streams()), key=str)


def check_match(match_id: UUID) -> list[Finding]:
    """Return everything that is wrong with one match."""
    for _ in range(ATTEMPTS):
        before = Match.objects.filter(pk=match_id).first()
        stream = audit.check_stream(match_id)
        rows = Rows.of(before) if before is not None else None
        after = Match.objects.filter(pk=match_id).first()
        if (before and before.version) == (after and after.version):
            break
    else:
        return [Finding("busy", f"The match moved {ATTEMPTS} times while it was read; audit it alone.", match_id)]
    findings = list(stream.findings)
    if after is None or rows is None:
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
        return [Finding("decided_otherwise", wrong.detail, match_id, wrong.version)]
    except secrets.WrongKey as wrong:
        return [Finding("secret", str(wrong), match_id)]
    loaded = Reckoning(loading.fresh(game, match_id)).fold(stream.events).loaded
    return [
        *differences(rows, loaded, tell(stream.events)),
        *statistics_findings(match_id),
        *clock_findings(game, after, stream.events, timeline.at),
        *_snapshot_findings(game, stream, timeline),
    ]


def _retell(game: Game, match: Match, stream: audit.Stream) -> Timeline:
    """Decide the whole match again with the service's own secret. Raises `Wrong`."""
    secret = secrets.open_secret(match.key_id, match.sealed_secret, match.id)
    records = [stored.as_record() for stored in stream.events]
    found = chance.read_chance(records, secret)
    if commitment(secret) != found.commitment:
        raise Wrong(1, "The stored secret does not fit the commitment of the first event.")
    chance.check_draws(records, found.source)
    positions.check_committed(records)
    return decisions.retell(game, records, found.source).timeline


def _noted(game: Game, stream: audit.Stream, until: int) -> Loaded:
    """Return what a load knows beside the state, from the events alone."""
    loaded = Loaded(stream.id, game, Head.empty(stream.id), Timeline(game))
    events = stream.events[:until]
    loaded.note(events, [lift(game, stored) for stored in events])
    return loaded


def statistics_findings(match_id: UUID) -> Iterator[Finding]:
    """Yield the differences between the stored figures and ratings of the players and the events."""
    for code, found in (("statistics", totals.differences(match_id)), ("ratings", ratings.differences(match_id))):
        for difference in found:
            holder = f"Holder {difference.holder}: " if difference.holder else ""
            yield Finding(code, f"{holder}{difference.detail}.", match_id)


def _snapshot_findings(game: Game, stream: audit.Stream, timeline: Timeline) -> Iterator[Finding]:
    """Yield the differences between snapshots and replay. Snapshots of other rules code are ignored, as by loads."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT version FROM events_snapshot WHERE stream = %s::uuid AND fingerprint = %s::text ORDER BY version",
            [stream.id, snapshots.fingerprint(game.id)],
        )
        versions = [row[0] for row in cursor.fetchall()]
    for version in versions:
        found = snapshots.get(game, stream.id, version)
        if found is None or found[0].version != version:
            yield Finding("snapshot", "The snapshot cannot be read, or belongs to another event.", stream.id, version)
            continue
        contents = found[1]
        loaded = _noted(game, stream, version)
        draws = [draw["i"] for stored in stream.events[:version] for draw in stored.meta.get("draws", ())]
        expected: JsonObject = {
            "opened": loaded.opened.as_json() if loaded.opened is not None else None,
            "contributions": [list(one) for one in loaded.contributions.items()],
            "holders": [list(one) for one in loaded.holders.items()],
            "hands": [list(one) for one in loaded.hands.items()],
            "started_at": loaded.started_at,
            "ended": loaded.ended,
            "seen": [list(one) for one in loaded.seen.items()],
            "draws": draws[-1] + 1 if draws else 0,
            "state": timeline.at(version),
            "kept": {at: timeline.at(at) for at in contents["kept"] if at <= version},
        }
        if wrong := [name for name, value in expected.items() if contents.get(name) != value]:
            yield Finding("snapshot", f"The snapshot differs from replay in {', '.join(wrong)}.", stream.id, version)
