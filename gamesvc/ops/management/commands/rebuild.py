"""`manage.py rebuild`: rebuild the projections from the events, and report the differences."""

from __future__ import annotations

import json
import sys
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError, CommandParser

from gamesvc.games.kernel.game import Refused
from gamesvc.games.kernel.wording import counted
from gamesvc.json_types import JsonObject
from gamesvc.matches.models import Match
from gamesvc.matches.proof import audit
from gamesvc.matches.record.rows import projections
from gamesvc.matches.statistics import ratings, totals
from gamesvc.ops.management.commands.export import find

# Number of matches between progress messages in a log. A terminal gets one after each match.
STEP = 1000


class Command(BaseCommand):
    help = (
        "Rebuild match rows, seats, open questions, player statistics and ratings from the events, while the service runs. "
        "Report all differences; fail if one cannot be repaired."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--match", help="Only this match (number or uuid).")
        parser.add_argument("--statistics", action="store_true", help="Only the player statistics and ratings.")
        parser.add_argument("--json", dest="as_json", action="store_true", help="Machine-readable output.")

    def handle(self, *, match: str | None, statistics: bool, as_json: bool, **_: object) -> None:
        ids = [find(match).pk] if match is not None else audit.all_ids()
        found: list[JsonObject] = []
        left = 0
        for number, match_id in enumerate(ids, 1):
            if not statistics:
                rebuilt = projections.rebuild(match_id)
                left += len(rebuilt.left)
                found += [{**one.as_json(), "mended": one not in rebuilt.left} for one in rebuilt.found]
            wrong, hopeless = _statistics(match_id)
            left += hopeless
            found += wrong
            self.progress(number, len(ids))
        if as_json:
            self.stdout.write(json.dumps({"ok": not left, "matches": len(ids), "differences": found}))
        else:
            for one in found:
                repaired = "repaired" if one["mended"] else "NOT REPAIRED"
                self.stdout.write(f"{one['code']:12} match {one['match']}: {one['detail']} {repaired}")
            self.stdout.write(
                f"{counted(len(ids), 'match', 'matches')} replayed: {counted(len(found), 'difference')}, "
                f"{len(found) - left} repaired."
            )
        if left:
            raise CommandError(f"{counted(left, 'difference')} could not be repaired.")

    def progress(self, number: int, total: int) -> None:
        if sys.stderr.isatty():
            self.stderr.write(f"{number} of {total} matches", ending="\r" if number < total else "\n")
        elif number % STEP == 0:
            self.stderr.write(f"{number} of {total} matches")


def _statistics(match_id: UUID) -> tuple[list[JsonObject], int]:
    """Return what was wrong with the statistics and ratings of a match, and how much of it remains."""

    def told(code: str, detail: str, *, mended: bool) -> JsonObject:
        return {"code": code, "detail": detail, "match": str(match_id), "version": None, "mended": mended}

    if not Match.objects.filter(pk=match_id).exists():
        return [], 0  # already reported: its row is missing
    found: list[JsonObject] = []
    for code, rebuild in (("statistics", totals.rebuild), ("ratings", ratings.rebuild)):
        try:
            wrong = rebuild(match_id)
        except Refused as refused:
            return [*found, told(code, refused.detail, mended=False)], 1
        except totals.Moving as moving:
            return [*found, told(code, str(moving), mended=False)], 1
        for one in wrong:
            found.append(told(code, f"Holder {one.holder}: {one.detail}." if one.holder else f"{one.detail}.", mended=True))
    return found, 0
