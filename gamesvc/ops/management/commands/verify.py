"""`manage.py verify FILE...`: prove exports from the files alone. Needs no database and no server."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from django.core.management.base import BaseCommand, CommandError, CommandParser

from events.proofs import statements
from gamesvc.clients.python.gamesvc_client import printable
from gamesvc.games.kernel.wording import counted
from gamesvc.matches.proof import verification
from gamesvc.matches.proof.verification import Report

SIGNS = {"proved": "proved", "failed": "FAILED", "open": "open"}


class Command(BaseCommand):
    help = "Verify exports: chain, draws, decisions, outcome, checkpoint. Fail unless everything that can be proved holds."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help="An export; - for stdin.")
        parser.add_argument(
            "--head",
            action="append",
            default=[],
            metavar="HASH",
            help="A head hash you hold, as a mail prints it (62:c904ba983d32d34e) or in full; may be repeated.",
        )
        parser.add_argument("--key", type=Path, metavar="FILE", help="The service's public key (hex, JSON or PEM) that you hold.")
        parser.add_argument("--json", dest="as_json", action="store_true", help="Machine-readable output.")

    def handle(self, *, files: list[Path], head: list[str], key: Path | None, as_json: bool, **_: object) -> None:
        held = read_key(key) if key is not None else None
        reports = [(file, verification.verify(read(file), heads=head, key=held)) for file in files]
        if as_json:
            told = [{"file": str(file), **report.as_json()} for file, report in reports]
            self.stdout.write(json.dumps({"ok": all(report.ok for _, report in reports), "files": told}))
        else:
            for file, report in reports:
                self.tell(file, report)
        if failed := [file for file, report in reports if not report.ok]:
            raise CommandError(f"{len(failed)} of {counted(len(reports), 'file')} failed: {', '.join(map(str, failed))}")

    def tell(self, file: Path, report: Report) -> None:
        self.stdout.write(f"{file}: match {report.match}, {counted(report.count, 'event')}" if report.match else f"{file}:")
        for check in report.checks:
            where = f"version {check.version}: " if check.version is not None else ""
            self.stdout.write(f"  {SIGNS[check.status]:7} {check.name:14} {where}{_in_line(check.text)}")
        failure = report.first_failure
        if failure is None:
            self.stdout.write("  Everything that could be proved holds.")
        else:
            where = f"version {failure.version}" if failure.version is not None else "the file as a whole"
            self.stdout.write(f"  NOT VALID: {where} fails.")


def _in_line(text: str) -> str:
    """Return a text for one line of a terminal. The file chose parts of it."""
    return printable(text).replace("\n", "\\n")


def read(file: Path) -> bytes:
    if str(file) == "-":
        return sys.stdin.buffer.read()
    try:
        return file.read_bytes()
    except OSError as error:
        raise CommandError(f"{file} cannot be read: {error.strerror}.") from None


def read_key(file: Path) -> bytes:
    try:
        return statements.read_key(read(file).decode())
    except (statements.BadCheckpoint, UnicodeDecodeError) as error:
        raise CommandError(f"--key {file}: {error}") from None
