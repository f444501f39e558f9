"""The verdict on a simulation: the event log, the tables and the mail server's own list, compared with each other."""

from __future__ import annotations

from collections import Counter, defaultdict
from datetime import datetime
from statistics import median

from django.db import connection

from gamesvc.matches.models import Match, Outage
from gamesvc.ops.simulation.conductor import Conductor
from gamesvc.ops.simulation.log import Log, QuestionKey
from gamesvc.ops.simulation.mails import Mails
from gamesvc.ops.simulation.record import DueKey, Record
from gamesvc.ops.simulation.report import Report
from gamesvc.ops.simulation.sink import Taken


def of(conductor: Conductor, record: Record) -> Report:
    """Return the report on a finished simulation."""
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
        "senders killed between the mail server's 250 and the commit": breaks["hit"],
        "database restarted in mid-work": breaks["restart"],
        "database killed in mid-work": breaks["crash"],
        "commits wait for the disk": _waits_for_disk(),
        "broker flushed": record.happened["flush"],
        "outages of the service": Outage.objects.count(),
        "jobs that failed and were tried again": sum(record.failures.values()),
        "with": Counter({what.partition(":")[2].strip()[:60]: count for what, count in record.failures.items()}),
    }
    if not record.broken and record.failures:
        report.wrong.append(f"jobs failed although nothing was broken: {dict(record.failures)}")


def _waits_for_disk() -> str:
    with connection.cursor() as cursor:
        cursor.execute("SHOW synchronous_commit")
        return str(cursor.fetchone()[0])


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
    """Return True if a deadline had passed when an answer came, unless it had been moved or excused."""
    return due[3] <= received and due not in log.timeouts and not any(m == due[0] and at >= due[3] for m, at in log.moved)


def _judge_notices(report: Report, conductor: Conductor, record: Record, log: Log) -> None:
    mails = Mails(conductor.sink.taken())
    breaks: dict[datetime, list[float]] = defaultdict(list)
    for moment, clock, _ in record.broken:
        breaks[moment].append(clock)

    def died(copy: Taken) -> bool:
        """Return True if a worker or the database ended right after the server took this copy: before its row was settled."""
        return any(0 <= clock - copy.clock < 5 for clock in breaks.get(copy.at, ()))

    mails.tell(report, "Notices", conductor.end)
    after_hits = Counter(len(mails.taken[message_id]) for message_id in record.hits)
    report.sections["Notices"] |= {
        "hit between the server's 250 and the commit, sent again": sum(after_hits.values()) - after_hits[1],
        "hit there, done with before the second copy": after_hits[1],
    }
    mails.judge(report, "Notices", conductor.end, died, log)
    report.must_be_none("Notices", "sent for a finished turn", mails.told_too_late(log))


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
        section[f"{kind}: answers; hours (median, nine of ten); timeouts"] = (
            f"{len(hours)}; {median(hours):.1f}, {ninth:.1f}; {late[kind]}"
        )
    section["timeouts of all kinds"] = late
