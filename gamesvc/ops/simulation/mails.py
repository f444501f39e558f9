"""The notices of a database compared with the mails a server took: none lost, and none twice unless a sender died."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from functools import cached_property

from gamesvc.ops.simulation.log import Log, QuestionKey
from gamesvc.ops.simulation.report import Report
from gamesvc.ops.simulation.sink import Taken
from notifications.models import Outbox, Status

ASKING = ("your_turn", "reminder", "last_one")


class Mails:
    """All notices of a database, and all mails of a server."""

    def __init__(self, mails: Iterable[Taken]) -> None:
        self.taken: dict[str, list[Taken]] = defaultdict(list)
        self.refused: Counter[str] = Counter()
        self.busy = 0
        for mail in mails:
            if mail.code == 250:
                self.taken[mail.message_id].append(mail)
            elif mail.code == 550:
                self.refused[mail.message_id] += 1
            else:
                self.busy += 1
        self.rows = {str(row.pk): row for row in Outbox.objects.all()}

    def copies(self, row: Outbox) -> list[Taken]:
        """Return the mails of a notice that the server took."""
        return self.taken.get(row.message_id, []) if row.message_id else []

    @cached_property
    def twice(self) -> list[Outbox]:
        return [row for row in self.rows.values() if len(self.copies(row)) > 1]

    @cached_property
    def found_over(self) -> list[Outbox]:
        """Return the notices that the server has, but that were obsolete in the next attempt: their senders had died."""
        return [row for row in self.rows.values() if row.status != Status.SENT and self.copies(row)]

    def unsettled(self, end: datetime) -> list[object]:
        """Return the notices due by `end` that were neither handed over nor refused."""
        return [row.pk for row in self.rows.values() if self._is_unsettled(row, end)]

    def _is_unsettled(self, row: Outbox, end: datetime) -> bool:
        match row.status:
            case Status.SENT:
                return not self.copies(row)
            case Status.FAILED:
                return not self.refused[row.message_id]
            case Status.QUEUED:
                return max(row.due_at, row.claimed_until or row.due_at) <= end
        return False

    def unexplained(self, died: Callable[[Taken], bool]) -> list[tuple[object, datetime]]:
        """Return the copies without a row whose sender did not die after them."""
        return [(row.pk, copy.at) for row, copy in self._surplus() if not died(copy)]

    def _surplus(self) -> Iterator[tuple[Outbox, Taken]]:
        for row in self.rows.values():
            copies = self.copies(row)
            for copy in copies[:-1] if row.status == Status.SENT else copies:
                yield row, copy

    def strangers(self) -> list[str]:
        """Return the Message-IDs that no notice has."""
        return sorted(set(self.taken) - {row.message_id for row in self.rows.values()})

    def renamed(self) -> list[str]:
        """Return the return paths of notices whose copies differ in their Message-IDs, so that a mail program shows both."""
        names: dict[str, set[str]] = defaultdict(set)
        for message_id, copies in self.taken.items():
            for copy in copies:
                names[copy.sender].add(message_id)
        return sorted(sender for sender, ids in names.items() if len(ids) > 1)

    def tell(self, report: Report, section: str, end: datetime) -> None:
        """Add the number of notices and their results to the report."""
        kinds: dict[str, Counter[str]] = defaultdict(Counter)
        for row in self.rows.values():
            kinds[row.kind][row.status] += 1
        total = Counter(row.status for row in self.rows.values())
        report.sections.setdefault(section, {}).update(
            {
                "queued in all": len(self.rows),
                "handed over": total[Status.SENT],
                "included in another mail": total[Status.MERGED],
                "dropped: done with, or not wanted": total[Status.DROPPED],
                "refused for good": total[Status.FAILED],
                "waiting at the end for their time": total[Status.QUEUED],
                "mails the server took": sum(map(len, self.taken.values())),
                "mails it was too busy for, sent again": self.busy,
                "handed over twice, the sender having died between": len(self.twice),
                "taken, the sender having died, and then found done with": len(self.found_over),
                **{f"kind {kind}": counts for kind, counts in sorted(kinds.items())},
            }
        )

    def judge(self, report: Report, section: str, end: datetime, died: Callable[[Taken], bool], log: Log) -> None:
        """Add the violations to the report."""
        report.must_be_none(section, "neither handed over nor refused", self.unsettled(end))
        report.must_be_none(section, "handed over twice with nobody having died", self.unexplained(died))
        report.must_be_none(section, "handed over twice under two Message-IDs", self.renamed())
        report.must_be_none(section, "mails without a notice", self.strangers())
        report.must_be_none(section, "questions without a notice, or with two", self._badly_told(log))

    def _badly_told(self, log: Log) -> list[QuestionKey]:
        """Return the questions to players without exactly one notice."""
        asked = Counter(key for key, times in log.open.items() for time in times if time.person is not None)
        told = Counter(key_of(row) for row in self.rows.values() if row.kind == "your_turn")
        return [key for key in asked | told if asked[key] != told[key]]

    def told_too_late(self, log: Log) -> list[tuple[str, object, datetime]]:
        """Return the copies that ask for something which was over when the server took them."""
        members: dict[str, list[Outbox]] = defaultdict(list)
        for row in self.rows.values():
            if row.merged_into is not None:
                members[str(row.merged_into)].append(row)
        late: list[tuple[str, object, datetime]] = []
        for row in self.rows.values():
            # Of several things in one mail, one that is open is enough.
            about = [row] if row.kind in ASKING else members[str(row.pk)] if row.kind == "summary" else []
            keys = [key_of(each) for each in about]
            late += [
                (row.kind, row.pk, copy.at)
                for copy in self.copies(row)
                if keys and not any(log.was_open(key, copy.at, copy.clock) for key in keys)
            ]
        return late


def key_of(row: Outbox) -> QuestionKey:
    return str(row.payload["match"]), int(row.payload["seat"]), str(row.payload["question"])
