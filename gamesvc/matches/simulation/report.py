"""What came of a simulation: the event log, the tables and the mail server's own list, held against each other."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from statistics import median
from typing import Any

from gamesvc.matches.models import Match, Outage
from gamesvc.matches.simulation.conductor import Conductor
from gamesvc.matches.simulation.log import Log, QuestionKey
from gamesvc.matches.simulation.record import DueKey, Record
from gamesvc.matches.simulation.sink import Taken
from notifications.models import Outbox, Status

ASKING = ("your_turn", "reminder", "last_one")
Lines = dict[str, Any]


@dataclass
class Report:
    """Figures by section, and what must not be."""

    sections: dict[str, Lines] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        return {**self.sections, "wrong": self.wrong}

    def as_text(self) -> str:
        lines = []
        for title, section in self.sections.items():
            lines += [title, *(f"  {name:58} {_figure(value)}" for name, value in section.items()), ""]
        lines += ["What must not be", *(f"  {one}" for one in self.wrong or ["nothing of it was found"])]
        return "\n".join(lines)

    def must_be_none(self, section: str, what: str, found: Sequence[Any]) -> None:
        """Count what must not be, and name the first of it."""
        self.sections[section][what] = len(found)
        if found:
            self.wrong.append(f"{section.lower()}: {len(found)} {what}, the first: {found[0]}")


def of(conductor: Conductor, record: Record) -> Report:
    """Judge a simulation that has run."""
    report, log = Report(), Log.read()
    if record.stopped:
        report.wrong.append(f"it could not go on: {record.stopped}")
    _tell_course(report, conductor, record, log)
    _judge_deadlines(report, record, log)
    _judge_notices(report, conductor, record, log)
    _tell_waiting(report, conductor, log)
    return report


def _tell_course(report: Report, conductor: Conductor, record: Record, log: Log) -> None:
    status = Counter(Match.objects.values_list("status", flat=True))
    report.sections["The simulation"] = {
        "matches opened": record.opened,
        "simulated days": (conductor.end - conductor.start).days,
        "players": len(conductor.people),
        "of them": Counter(person.kind for person in conductor.people.values()),
        "seconds it took": round(record.seconds, 1),
        "matches at the end": status,
        "days a match took (median)": round(median(log.lasted), 1) if log.lasted else None,
        "events": log.events,
        "commands given by players": record.commands,
        "sittings of players": record.sittings,
        "moments, jobs of the workers": f"{record.moments}, {record.jobs}",
        "other things that happened": record.happened,
    }
    breaks = Counter(what for _, _, what in record.broken)
    report.sections["Mishaps"] = {
        "workers killed in mid-work": breaks["kill"],
        "of them at": Counter(str(job[1] if job[0] in ("task", "hints") else job[0]) for job in record.killed_jobs),
        "database restarted in mid-work": breaks["restart"],
        "broker flushed": record.happened["flush"],
        "outages of the service": Outage.objects.count(),
        "jobs that failed and were tried again": sum(record.failures.values()),
        "with": Counter({what.partition(":")[2].strip()[:60]: count for what, count in record.failures.items()}),
    }
    if not record.broken and record.failures:
        report.wrong.append(f"jobs failed although nothing was broken: {dict(record.failures)}")


def _judge_deadlines(report: Report, record: Record, log: Log) -> None:
    missed, overtaken, moved, late = [], 0, 0, []
    for key, seen in record.due.items():
        fired = log.timeouts.get(key, [])
        if fired:
            late.append(max((one.at - key[3]).total_seconds() for one in fired))
            continue
        times = log.open.get(key[:3], [])
        closing = next((one for one in times if one.asked <= seen and (one.ended is None or one.ended >= seen)), None)
        if closing is not None and closing.received is not None and (closing.by == "another" or closing.received < key[3]):
            overtaken += 1
        elif (key[0], seen) in log.moved:
            moved += 1
        else:
            missed.append(key)
    report.sections["Deadlines"] = {
        "came due": len(record.due),
        "fired": sum(key in log.timeouts for key in record.due),
        "closed by another's act in the same moment": overtaken,
        "moved in the same moment (pause, outage, new holder)": moved,
        "excused": sum(one.excused for many in log.timeouts.values() for one in many),
        "by policy": Counter(one.policy for many in log.timeouts.values() for one in many if not one.excused),
        "seconds from deadline to its event (median, most)": f"{median(late):.0f}, {max(late):.0f}" if late else "-",
    }
    report.must_be_none("Deadlines", "missed", missed)
    report.must_be_none("Deadlines", "fired twice", [key for key, many in log.timeouts.items() if len(many) > 1])
    report.must_be_none("Deadlines", "fired that were not due", [key for key in log.timeouts if key not in record.due])
    dues: dict[QuestionKey, list[DueKey]] = defaultdict(list)
    for due in record.due:
        dues[due[:3]].append(due)
    answered = [
        (key, one.received)
        for key, many in log.open.items()
        for one in many
        if one.by == "seat" and one.received is not None and any(_ran_out(due, one.received, log) for due in dues.get(key, ()))
    ]
    report.must_be_none("Deadlines", "answers taken after the deadline", answered)


def _ran_out(due: DueKey, received: datetime, log: Log) -> bool:
    """Whether a deadline was over when an answer came: not where it had been moved, or excused."""
    return due[3] <= received and due not in log.timeouts and not any(m == due[0] and at >= due[3] for m, at in log.moved)


def _judge_notices(report: Report, conductor: Conductor, record: Record, log: Log) -> None:
    taken: dict[str, list[Taken]] = defaultdict(list)
    refused: dict[str, int] = Counter()
    busy = 0
    for mail in conductor.sink.taken():
        if mail.code == 250:
            taken[mail.message_id].append(mail)
        elif mail.code == 550:
            refused[mail.message_id] += 1
        else:
            busy += 1
    rows = {str(row.pk): row for row in Outbox.objects.all()}
    ids = {row.message_id for row in rows.values() if row.message_id}
    members: dict[str, list[Outbox]] = defaultdict(list)
    for row in rows.values():
        if row.merged_into is not None:
            members[str(row.merged_into)].append(row)
    breaks: dict[datetime, list[float]] = defaultdict(list)
    for moment, clock, _ in record.broken:
        breaks[moment].append(clock)

    lost, extra, over, found_over, twice, pending = [], [], [], 0, 0, 0
    kinds: dict[str, Counter[str]] = defaultdict(Counter)
    for row in rows.values():
        kinds[row.kind][row.status] += 1
        copies = taken.get(row.message_id, []) if row.message_id else []
        if row.status == Status.SENT and not copies:
            lost.append(row.pk)
        if row.status == Status.FAILED and not refused.get(row.message_id):
            lost.append(row.pk)
        if row.status == Status.QUEUED and max(row.due_at, row.claimed_until or row.due_at) <= conductor.end:
            lost.append(row.pk)
        pending += row.status == Status.QUEUED
        if row.status != Status.SENT and copies:
            # The server had it when its sender died; by the next try it was done with.
            found_over += 1
        surplus = copies[:-1] if row.status == Status.SENT else copies
        for copy in surplus:
            if not _broken_after(copy, breaks):
                extra.append((row.pk, copy.at))
        twice += len(copies) > 1
        over += [(row.kind, row.pk, copy.at) for copy in copies if not _holds(row, members, copy, log)]
    total = Counter(row.status for row in rows.values())
    report.sections["Notices"] = {
        "queued in all": len(rows),
        "handed over": total[Status.SENT],
        "told by another mail": total[Status.MERGED],
        "dropped: done with, or not wanted": total[Status.DROPPED],
        "refused for good": total[Status.FAILED],
        "waiting at the end for their time": pending,
        "mails the server took": sum(map(len, taken.values())),
        "mails it was too busy for, sent again": busy,
        "handed over twice, the sender having died between": twice,
        "taken, the sender having died, and then found done with": found_over,
        **{f"kind {kind}": counts for kind, counts in sorted(kinds.items())},
    }
    report.must_be_none("Notices", "neither handed over nor refused", lost)
    report.must_be_none("Notices", "handed over twice with nobody having died", extra)
    report.must_be_none("Notices", "mails that no notice stands for", sorted(set(taken) - ids))
    report.must_be_none("Notices", "sent for a finished turn", over)
    _judge_turns(report, rows, log)


def _broken_after(copy: Taken, breaks: dict[datetime, list[float]]) -> bool:
    """Whether a worker was killed or the database restarted right after the server took this copy: before its row was settled."""
    return any(0 <= clock - copy.clock < 5 for clock in breaks.get(copy.at, ()))


def _holds(row: Outbox, members: dict[str, list[Outbox]], copy: Taken, log: Log) -> bool:
    """Whether what a mail asks for was still open when the server took it; of several things in one mail, one of them."""
    told = [row] if row.kind in ASKING else [one for one in members.get(str(row.pk), []) if row.kind == "summary"]
    keys = [(str(one.payload["match"]), int(one.payload["seat"]), str(one.payload["question"])) for one in told]
    return not keys or any(log.was_open(key, copy.at, copy.clock) for key in keys)


def _judge_turns(report: Report, rows: dict[str, Outbox], log: Log) -> None:
    """For each question that a person was asked, exactly one notice that says so."""
    asked = Counter(key for key, many in log.open.items() for one in many if one.person is not None)
    told = Counter(
        (str(row.payload["match"]), int(row.payload["seat"]), str(row.payload["question"]))
        for row in rows.values()
        if row.kind == "your_turn"
    )
    wrong = [key for key in asked | told if asked[key] != told[key]]
    report.must_be_none("Notices", "questions without a notice, or with two", wrong)


def _tell_waiting(report: Report, conductor: Conductor, log: Log) -> None:
    waited: dict[str, list[float]] = defaultdict(list)
    late: Counter[str] = Counter()
    for many in log.open.values():
        for one in many:
            if one.person is not None and one.by == "seat" and one.received is not None:
                waited[conductor.people[one.person].kind].append((one.received - one.asked).total_seconds() / 3600)
    for timeouts in log.timeouts.values():
        for timeout in timeouts:
            late[conductor.people[timeout.person].kind if timeout.person is not None else "nobody, or a bot"] += 1
    section = report.sections["Waiting"] = {}
    for kind in sorted(waited):
        hours = sorted(waited[kind])
        ninth = hours[int(len(hours) * 0.9)]
        section[f"{kind}: answers; hours (median, nine of ten); time-outs"] = (
            f"{len(hours)}; {median(hours):.1f}, {ninth:.1f}; {late[kind]}"
        )
    section["time-outs of all kinds"] = late


def _figure(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} {count}" for name, count in sorted(value.items(), key=lambda one: -one[1])) or "none"
    return f"{value:,}" if isinstance(value, int) else str(value)
