"""`manage.py audit`: verify the whole store, or one match: chains, checkpoints, draws, decisions, and everything derived."""

from __future__ import annotations

import json
import sys

from django.core.management.base import BaseCommand, CommandError, CommandParser

from events import audit
from gamesvc.games.kernel.wording import counted
from gamesvc.matches.proof import audit as auditing
from gamesvc.ops.management.commands.export import find

# Number of matches between progress messages on a terminal.
STEP = 100


class Command(BaseCommand):
    help = "Verify the store against itself, its checkpoints and a replay. Report every fault; fail if there is one."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--match", help="Only this match (number or uuid) and the checkpoints.")
        parser.add_argument("--json", dest="as_json", action="store_true", help="Machine-readable output.")

    def handle(self, *, match: str | None, as_json: bool, **_: object) -> None:
        ids = [find(match).pk] if match is not None else auditing.all_ids()
        anchors = audit.check_checkpoints()
        findings = list(anchors.findings)
        for number, match_id in enumerate(ids, 1):
            findings += auditing.check_match(match_id)
            if number % STEP == 0 and sys.stderr.isatty():
                self.stderr.write(f"{number} of {len(ids)} matches", ending="\r")
        if as_json:
            told = {
                "ok": not findings,
                "matches": len(ids),
                "checkpoints": anchors.count,
                "roots_not_computed": anchors.skipped,
                "findings": [finding.as_json() for finding in findings],
            }
            self.stdout.write(json.dumps(told))
        else:
            for finding in findings:
                where = f"match {finding.stream}: " if finding.stream is not None else ""
                at = f"version {finding.version}: " if finding.version is not None else ""
                self.stdout.write(f"{finding.code:18} {where}{at}{finding.detail}")
            older = f" (of the oldest {anchors.skipped} only the signatures)" if anchors.skipped else ""
            self.stdout.write(
                f"{counted(len(ids), 'match', 'matches')} and {counted(anchors.count, 'checkpoint')}{older} "
                f"checked: {counted(len(findings), 'finding')}."
            )
        if findings:
            raise CommandError(f"The audit found {counted(len(findings), 'fault')}.")
