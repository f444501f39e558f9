"""The proof of an export from the file alone: format, chain, draws, decisions, outcome, trailer, checkpoint. Pure.

`verify` needs no database and no settings. It reports what was proved, what could not be, and the first version that fails.
`events/README.md` describes each proof, with everything needed to write an independent verifier.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal
from uuid import UUID

from events import canonical
from events.proofs import statements
from gamesvc.games import catalog
from gamesvc.games.kernel.game import Refused
from gamesvc.games.kernel.wording import counted
from gamesvc.json_types import JsonObject
from gamesvc.matches.events import Ended
from gamesvc.matches.proof import chance, decisions
from gamesvc.matches.record import positions
from gamesvc.matches.record.evidence import Record, Wrong, hidden
from gamesvc.matches.record.evidence import field as field_of

Status = Literal["proved", "failed", "open"]
_HELD = re.compile(r"(?:(\d{1,10}):)?([0-9a-f]{16,64})", re.ASCII)
TRAILER = {"match", "count", "head"}


@dataclass(frozen=True, slots=True)
class Check:
    """The result of one check. `version`: the first that fails; None for the trailer or the file as a whole."""

    name: str
    status: Status
    text: str
    version: int | None = None


@dataclass(slots=True)
class Report:
    """The result of verifying one file."""

    match: str = ""
    game: str = ""
    rules: str = ""
    count: int = 0
    head: str = ""
    ended: bool = False
    checks: list[Check] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        return all(check.status != "failed" for check in self.checks)

    @property
    def first_failure(self) -> Check | None:
        """Return the failure at the lowest version. Failures of the trailer and of the whole file come last."""
        failed = [check for check in self.checks if check.status == "failed"]
        return min(failed, key=lambda check: (check.version is None, check.version or 0), default=None)

    def as_json(self) -> JsonObject:
        failure = self.first_failure
        return {
            "ok": self.ok,
            "match": self.match,
            "game": self.game,
            "rules": self.rules,
            "count": self.count,
            "head": self.head,
            "ended": self.ended,
            "failed": {"version": failure.version, "check": failure.name, "reason": failure.text} if failure else None,
            "checks": [
                {"check": check.name, "status": check.status, "text": check.text, "version": check.version}
                for check in self.checks
            ],
        }


def verify(content: bytes, *, heads: Sequence[str] = (), key: bytes | None = None) -> Report:
    """Prove an export as far as possible.

    `heads`: known head hashes, complete, in part, or as printed in mails (`62:c904ba983d32d34e`); `key`: the service's public key
    from another source than this file.
    """
    report = Report()
    try:
        lines, last = _lines(content)
        records = read_chain(lines)
    except Wrong as wrong:
        report.checks.append(Check("chain", "failed", wrong.detail, wrong.version))
        return report
    _describe(report, records)
    trailer = _check(report, "trailer", lambda: _trailer(last, records, complete=content.endswith(b"\n")))
    _check_position(report, records)
    _check_chance(report, records)
    _check_checkpoint(report, records, trailer, key)
    for held in heads:
        _check(report, "head", lambda held=held: _check_head(records, held))
    return report


def _check(report: Report, name: str, act: Any) -> Any:
    """Run one check. Return its second value; None if it fails."""
    try:
        text, found = act()
    except Wrong as wrong:
        report.checks.append(Check(name, "failed", wrong.detail, wrong.version))
        return None
    report.checks.append(Check(name, "proved", text))
    return found


def _lines(content: bytes) -> tuple[list[bytes], bytes | None]:
    """Return the lines of the events, and the trailer; None for the trailer if the last line is an event too. Raises `Wrong`."""
    lines = content.split(b"\n")
    if not lines[-1]:
        lines.pop()
    if not lines:
        raise Wrong(None, "The file is empty.")
    try:
        canonical.read_record(lines[-1])
    except canonical.NotCanonical:
        if len(lines) == 1:
            raise Wrong(1, "The file has no event: an export has a line for each, and a trailer after them.") from None
        return lines[:-1], lines[-1]
    return lines, None


def read_chain(lines: Sequence[bytes]) -> list[Record]:
    """Return the records of one match after proving their chain. Raises `Wrong` with the first version that fails."""
    records: list[Record] = []
    match, before, moment, ended = "", b"", "", False
    for version, line in enumerate(lines, 1):
        try:
            record = canonical.read_record(line)
            if not match:
                match = record["match"]
                before = canonical.genesis(UUID(match))
            if record["version"] != version:
                raise Wrong(version, f"Found version {record['version']} where version {version} belongs.")
            if record["match"] != match:
                raise Wrong(version, f"This event belongs to match {record['match']}, the ones before to {match}.")
            before = canonical.check_record(record, before)
        except (canonical.NotCanonical, canonical.Broken) as error:
            raise Wrong(version, str(error)) from None
        if ended:
            raise Wrong(version, "An event follows match.ended, which is the last of a match.")
        ended = record.get("type") == Ended.TYPE
        if "occurred_at" in record:
            if record["occurred_at"] < moment:
                raise Wrong(version, f"occurred_at goes back from {moment} to {record['occurred_at']}.")
            moment = record["occurred_at"]
        records.append(record)
    return records


def _describe(report: Report, records: Sequence[Record]) -> None:
    report.match, report.count, report.head = records[0]["match"], len(records), records[-1]["hash"]
    report.ended = records[-1].get("type") == Ended.TYPE
    closed = [record["version"] for record in records if hidden(record)]
    whole = len(records) - len(closed)
    report.checks.append(
        Check("chain", "proved", f"Versions 1 to {len(records)} are linked without a gap; {whole} digests recomputed.")
    )
    if closed:
        count = counted(len(closed), "event")
        text = f"Redacted or sealed: {count}, the first at version {closed[0]}. Such content cannot be proved."
        report.checks.append(Check("digests", "open", text))


def _trailer(line: bytes | None, records: Sequence[Record], *, complete: bool) -> tuple[str, JsonObject]:
    if line is None:
        raise Wrong(None, "The last line is an event: the trailer was cut off, and maybe events before it.")
    if not complete:
        raise Wrong(None, "The last line does not end with a newline: the file was cut or changed.")
    try:
        outer = canonical.decode(line)
    except canonical.NotCanonical as error:
        raise Wrong(None, f"The last line: {error}") from None
    trailer = outer.get("trailer") if isinstance(outer, dict) and outer.keys() == {"trailer"} else None
    if not isinstance(trailer, dict) or trailer.keys() - {"checkpoint"} != TRAILER:
        raise Wrong(None, "The last line is not a trailer: an object of match, count, head, and checkpoint if there is one.")
    if type(trailer["count"]) is int and trailer["count"] > len(records):
        text = f"The trailer counts {counted(trailer['count'], 'event')}, the file ends with {len(records)}: the rest is missing."
        raise Wrong(len(records) + 1, text)
    if trailer["count"] != len(records):
        raise Wrong(None, f"The trailer counts {counted(trailer['count'], 'event')}, the file has {len(records)}.")
    if trailer["head"] != records[-1]["hash"]:
        raise Wrong(None, f"The trailer's head is {trailer['head']}, the last event's hash is {records[-1]['hash']}.")
    if trailer["match"] != records[0]["match"]:
        raise Wrong(None, f"The trailer is that of match {trailer['match']}.")
    return f"Count {len(records)} and head {records[-1]['hash']}.", trailer


def _check_chance(report: Report, records: Sequence[Record]) -> None:
    def read() -> tuple[str, chance.Chance]:
        found = chance.read_chance(records)
        return "The revealed secret fits the commitment made before the first player joined.", found

    if not report.ended:
        try:
            found = chance.read_chance(records)
            if not any(hidden(record) for record in records):
                chance.check_draws(records, None)
        except Wrong as wrong:
            report.checks.append(Check("commitment", "failed", wrong.detail, wrong.version))
            return
        text = f"The match commits to {found.commitment}; the secret is revealed when it ends, and proves the draws then."
        report.checks.append(Check("commitment", "open", text))
        _check_decisions(report, records, found)
        return
    found = _check(report, "commitment", read)
    if found is None:
        return
    given = [seat for seat, text in sorted(found.contributions.items()) if text]
    report.checks.append(Check("contributions", "proved", f"Seats that contributed to the draws: {given or 'none'}."))

    def draws() -> tuple[str, None]:
        return f"{chance.check_draws(records, found.source)} draws follow from secret and contributions.", None

    _check(report, "draws", draws)
    _check_decisions(report, records, found)


def _check_position(report: Report, records: Sequence[Record]) -> None:
    """Check the position that the match begins from, if any. Its own history is not part of the file."""
    try:
        version = positions.check_committed(records)
    except Wrong as wrong:
        report.checks.append(Check("position", "failed", wrong.detail, wrong.version))
        return
    if "position" not in records[0].get("data", {}):
        return
    if version is None:
        text = "The match begins from a position to which version 1 commits; it is shown when the match is over."
        report.checks.append(Check("position", "open", text))
        return
    text = f"Version {version} is the position to which version 1 commits; how it came about is not part of this file."
    report.checks.append(Check("position", "proved", text))


def _check_decisions(report: Report, records: Sequence[Record], found: chance.Chance) -> None:
    try:
        report.game = field_of(records[0], str, "data", "game")
        report.rules = field_of(records[0], str, "data", "rules")
    except Wrong as wrong:
        report.checks.append(Check("decisions", "failed", wrong.detail, wrong.version))
        return
    if any(hidden(record) for record in records):
        text = "Redacted and sealed events cannot be replayed: decisions and outcome show in the export after the end."
        report.checks.append(Check("decisions", "open", text))
        return
    try:
        game = catalog.game(report.game)
    except Refused as refused:
        report.checks.append(Check("decisions", "open", f"The rules are not at hand: {refused.detail}"))
        return

    try:
        retold = decisions.retell(game, records, found.source)
    except Wrong as wrong:
        report.checks.append(Check("decisions", "failed", wrong.detail, wrong.version))
        return
    if retold.decided:
        text = f"{retold.decided} events follow from the recorded commands and draws under {game.manifest.rules}."
        report.checks.append(Check("decisions", "proved", text))
    if retold.folded:
        why = f"decided under {', '.join(sorted(retold.other_rules))}" if retold.other_rules else "the secret is not revealed"
        text = f"{retold.folded} events were replayed by evolve alone, not decided again: {why}; here is {game.manifest.rules}."
        report.checks.append(Check("decisions", "open", text))
    if report.ended:
        outcome = records[-1]["data"].get("outcome")
        text = f"The recorded outcome is what replay comes to: {canonical.encode(outcome).decode() if outcome else 'none'}."
        report.checks.append(Check("outcome", "proved", text))


def _check_checkpoint(report: Report, records: Sequence[Record], trailer: JsonObject | None, key: bytes | None) -> None:
    if trailer is None:
        return
    if "checkpoint" not in trailer:
        if key is not None:
            text = "The trailer has no checkpoint, so nothing here is signed with your key."
            report.checks.append(Check("checkpoint", "failed", text))
        else:
            text = "The trailer has no checkpoint: this file is not signed."
            report.checks.append(Check("checkpoint", "open", text))
        return

    def check() -> tuple[str, statements.Inclusion]:
        return _check_inclusion(records, trailer["checkpoint"])

    inclusion = _check(report, "checkpoint", check)
    if inclusion is None:
        return
    if inclusion.version < len(records):
        text = (
            f"No checkpoint here holds versions {inclusion.version + 1} to {len(records)}: anyone may have"
            " written them. Compare a later checkpoint, or a hash of theirs that you hold (--head)."
        )
        report.checks.append(Check("uncovered", "open", text))
    if key is None:
        text = f"Whether {inclusion.checkpoint.key.hex()} is the service's key, the file cannot say: give it with --key."
        report.checks.append(Check("key", "open", text))
    elif key != inclusion.checkpoint.key:
        text = f"The checkpoint is signed with {inclusion.checkpoint.key.hex()}, not with your key {key.hex()}."
        report.checks.append(Check("key", "failed", text))
    else:
        report.checks.append(Check("key", "proved", "The checkpoint is signed with your key."))


def _check_inclusion(records: Sequence[Record], value: object) -> tuple[str, statements.Inclusion]:
    match = records[0]["match"]
    try:
        inclusion = statements.read_inclusion(value)
        statements.check_signature(inclusion.checkpoint)
        statements.check_inclusion(inclusion, match)
    except statements.BadCheckpoint as error:
        raise Wrong(None, str(error)) from None
    if inclusion.version > len(records):
        raise Wrong(
            None, f"The checkpoint holds version {inclusion.version} of this match; the file ends with version {len(records)}."
        )
    if records[inclusion.version - 1]["hash"] != inclusion.hash.hex():
        raise Wrong(inclusion.version, f"The checkpoint holds the hash {inclusion.hash.hex()} for this version.")
    made = inclusion.checkpoint.statement["made_at"]
    text = (
        f"Versions 1 to {inclusion.version} stand in checkpoint {inclusion.checkpoint.number} of {made}, signature and path fit."
    )
    return text, inclusion


def _check_head(records: Sequence[Record], held: str) -> tuple[str, None]:
    found = _HELD.fullmatch(held.strip().lower())
    if found is None:
        raise Wrong(None, f"{held!r} is not a head hash: 16 to 64 hex digits, with or without VERSION: before them.")
    version, digits = found.groups()
    if version is None:
        if not any(record["hash"].startswith(digits) for record in records):
            raise Wrong(None, f"No event of this file has the hash {digits} that you hold.")
        return f"The hash {digits} that you hold is in the chain.", None
    number = int(version)
    if not 0 < number <= len(records):
        raise Wrong(None, f"You hold the hash of version {number}; the file ends with version {len(records)}.")
    if not records[number - 1]["hash"].startswith(digits):
        raise Wrong(number, f"You hold the hash {digits} for this version; the file has {records[number - 1]['hash'][:16]}.")
    return f"Version {number} has the hash {digits} that you hold: nothing up to it was changed since.", None
