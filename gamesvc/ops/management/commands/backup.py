"""`manage.py backup DIR`: write database, keys and checkpoint file into a folder, while the service runs."""

from __future__ import annotations

import json
from pathlib import Path

from django.core.management.base import BaseCommand, CommandError, CommandParser

from gamesvc.games.kernel.wording import counted
from gamesvc.ops import backups


class Command(BaseCommand):
    help = "Write a backup into an empty or new folder: a snapshot of the database, the keys, the checkpoints."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("folder", type=Path, metavar="DIR")
        parser.add_argument("--without-keys", action="store_true", help="Leave the keys out, because they are kept elsewhere.")
        parser.add_argument("--json", dest="as_json", action="store_true", help="Machine-readable output.")

    def handle(self, *, folder: Path, without_keys: bool, as_json: bool, **_: object) -> None:
        try:
            made = backups.make(folder, with_keys=not without_keys)
        except backups.BackupError as error:
            raise CommandError(str(error)) from None
        except OSError as error:
            raise CommandError(f"{folder} cannot be written: {error.strerror}.") from None
        size = sum(path.stat().st_size for path in made.folder.rglob("*") if path.is_file())
        if as_json:
            told = {"folder": str(made.folder), "bytes": size, "epoch": made.manifest["epoch"], "files": made.manifest["files"]}
            self.stdout.write(json.dumps(told))
            return
        self.stdout.write(f"{made.folder}: {size:,} bytes in {counted(len(made.manifest['files']), 'file')}.")
        if without_keys:
            self.stdout.write("The keys are not in it: without them running matches cannot go on after a restore.")
        else:
            self.stdout.write("It holds the keys: anyone who has it can predict the draws of running matches. Keep it safe.")
