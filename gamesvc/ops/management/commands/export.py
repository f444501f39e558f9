"""`manage.py export MATCH`: a match as JSON Lines, whole after its end; while it runs, as a seat or an observer may see it."""

from __future__ import annotations

import json
from pathlib import Path

from django.core.management.base import BaseCommand, CommandError, CommandParser

from gamesvc.matches import errors
from gamesvc.matches.access import selectors
from gamesvc.matches.models import Match
from gamesvc.matches.proof import export
from gamesvc.matches.record import loading


class Command(BaseCommand):
    help = "Write a match as JSON Lines: a line per event, then a trailer. Check it with `verify`."
    # Django's own messages would come between the lines.
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("ident", metavar="match", help="Number or uuid.")
        parser.add_argument("--out", type=Path, help="Write to this file. Default: stdout.")
        parser.add_argument(
            "--as", dest="seat", type=int, help="While it runs: as this seat sees it, 0 the first. Default: observer."
        )
        parser.add_argument("--json", dest="as_json", action="store_true", help="With --out: report what was written as JSON.")

    def handle(self, *, ident: str, out: Path | None, seat: int | None, as_json: bool, **_: object) -> None:
        match = find(ident)
        if seat is not None and not 0 <= seat < match.seat_count:
            raise CommandError(f"--as {seat}: this match has seats 0 to {match.seat_count - 1}.")
        loaded = loading.load(match.id, match.game)
        if out is None:
            for line in export.lines(loaded, seat):
                self.stdout.write(line, ending="")
            return
        try:
            count = export.write(loaded, seat, out)
        except OSError as error:
            raise CommandError(f"{out} cannot be written: {error.strerror}.") from None
        whole = loaded.ended
        if as_json:
            told = {"match": str(match.id), "number": match.number, "count": count, "whole": whole, "file": str(out)}
            self.stdout.write(json.dumps(told))
            return
        seen = "whole" if whole else f"as seat {seat} sees it" if seat is not None else "as an observer sees it"
        self.stdout.write(f"{match}: {count} events, {seen}, in {out}")


def find(ident: str) -> Match:
    """Return a match by number or uuid, for an operator. Raises `CommandError`."""
    try:
        return Match.objects.get(selectors.by_ident(ident))
    except (Match.DoesNotExist, errors.Unknown):
        raise CommandError(f"There is no match {ident}. Give its number or its uuid.") from None
