"""`manage.py restore DIR`: restore a backup into an empty server, begin a new epoch of the feed, and audit the result."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from django.core.management.base import BaseCommand, CommandError, CommandParser

from events import audit
from gamesvc.games.kernel.wording import counted
from gamesvc.matches.proof import audit as auditing
from gamesvc.ops import backups

STEP = 100


class Command(BaseCommand):
    help = "Restore a backup into an empty server, then audit it. Report every loss and fault; fail if there is one."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("folder", type=Path, metavar="DIR")
        parser.add_argument("--json", dest="as_json", action="store_true", help="Machine-readable output.")

    def handle(self, *, folder: Path, as_json: bool, **_: object) -> None:
        try:
            restored = backups.restore(folder)
        except backups.BackupError as error:
            raise CommandError(str(error)) from None
        anchors = audit.check_checkpoints()
        findings = list(anchors.findings)
        ids = auditing.all_ids()
        for number, match_id in enumerate(ids, 1):
            findings += auditing.check_match(match_id)
            if number % STEP == 0 and sys.stderr.isatty():
                self.stderr.write(f"{number} of {len(ids)} matches audited", ending="\r")
        if as_json:
            told = {
                "ok": not (findings or restored.lost),
                "epoch": restored.epoch,
                "matches": len(ids),
                "checkpoints": anchors.count,
                "notes": restored.notes,
                "lost": restored.lost,
                "findings": [finding.as_json() for finding in findings],
            }
            self.stdout.write(json.dumps(told))
        else:
            for note in restored.notes:
                self.stdout.write(note)
            for sentence in restored.lost:
                self.stdout.write(f"LOST: {sentence}")
            for finding in findings:
                self.stdout.write(f"{finding.code:18} match {finding.stream}: {finding.detail}")
            self.stdout.write(
                f"{counted(len(ids), 'match', 'matches')} and {counted(anchors.count, 'checkpoint')} restored, epoch "
                f"{restored.epoch}: {counted(len(findings), 'finding')} of the audit, "
                f"{counted(len(restored.lost), 'loss', 'losses')}."
            )
        if findings or restored.lost:
            raise CommandError(
                f"Restored, with {counted(len(restored.lost), 'loss', 'losses')} and "
                f"{counted(len(findings), 'finding')} of the audit."
            )
