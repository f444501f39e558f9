"""Grades of all cases on the way that the pipeline takes: from raw bytes to the orders that would be carried out.

    python -m tests.mail_replies.grading [--all] [PART OF A CASE ID]

No database is needed. With a part of an id, the matching mails are shown in full.
"""

from __future__ import annotations

import functools
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from gamesvc.matches.mail_orders import order_mail
from gamesvc.matches.mail_orders.order_mail import Line
from notifications.inbound.proving.sender import sender_of
from notifications.parsing import reading, robots, text
from notifications.parsing.refusals import Hears, MailRefused
from tests.mail_replies.cases import GROUPS, Case, cases
from tests.mail_replies.positions import position

GRADES = ("understood", "refused", "leaked", "lost")


@dataclass(frozen=True, slots=True)
class Graded:
    """A case with its grade.

    `understood`: exactly the expected orders would be carried out. `refused`: nothing or less is done, and the player is told.
    `leaked`: something would be done that the player did not write. `lost`: less is done than they wrote, without a word.
    """

    case: Case
    grade: str
    done: tuple[str, ...]
    problem: str = ""


def grade(case: Case) -> Graded:
    """Read a case as the pipeline does, and compare what would be done with what its player wrote."""
    expected = orders_of("\n".join(case.expected), case.game)
    try:
        own, below, _quoting, perhaps_quoted = written(case.raw())
        here = position(case.game)
        lines = order_mail.read(own, here.game, here.view, below=below, perhaps_quoted=perhaps_quoted)
    except MailRefused as refused:
        told = refused.hears is not Hears.NOTHING
        fine = "understood" if not expected else "refused"
        return Graded(case, fine if told else "lost", (), str(refused))
    problem = next((f"line {line.number}: {line.text}" for line in lines if line.state == "unreadable"), "")
    if problem or not lines or all(line.state == "ignored" for line in lines):
        return Graded(case, "refused" if expected else "understood", (), problem or "empty")
    done = tuple(_act(line) for line in lines if _acts(line))
    if any(not _cut_message(act, expected) for act in Counter(done) - Counter(expected)):
        return Graded(case, "leaked", done)
    told = any(line.state == "ignored" and "like" in line.detail for line in lines)
    return Graded(case, "understood" if done == expected else "refused" if told else "lost", done)


def written(raw: bytes) -> text.Written:
    """Return the sender's own text of a raw mail, and what is left below a quote, as the pipeline does. Raises `MailRefused`."""
    headers = reading.parse_head(raw)
    robots.check_marks(headers)
    sender = sender_of(headers)
    robots.check_person(headers, envelope_from=sender, sender=sender)
    return text.written(reading.parse(raw))


def _acts(line: Line) -> bool:
    """Return True if a line changes anything: an order, an undo, a message, the moment of carrying out."""
    return line.state in ("read", "answered") and (line.is_act or line.word in order_mail.ASIDE or line.word in order_mail.TIMING)


def _act(line: Line) -> str:
    if line.is_order:
        return line.understood
    return "\n".join(part.strip() for part in f"{line.word} {line.argument}".strip().split("\n"))


def _cut_message(act: str, expected: tuple[str, ...]) -> bool:
    """Return True for a message that lacks its end: nothing foreign is in it."""
    return act.startswith("press ") and any(one.startswith(act) for one in expected)


@functools.cache
def orders_of(own: str, game: str) -> tuple[str, ...]:
    """Return orders and messages as they are understood. `own` holds nothing else."""
    here = position(game)
    return tuple(_act(line) for line in order_mail.read(own, here.game, here.view) if _acts(line))


def graded(every: int = 1) -> list[Graded]:
    """Grade all cases, or one of so many."""
    return [grade(case) for case in cases()[::every]]


def table(results: Sequence[Graded], of: Callable[[Case], str], order: Iterable[str] = ()) -> list[str]:
    """Return the number of cases by grade, one line for each value of a trait."""
    counts: dict[str, Counter[str]] = {name: Counter() for name in order}
    for result in results:
        counts.setdefault(of(result.case), Counter())[result.grade] += 1
    width = max(len(name) for name in [*counts, "all"])
    lines = [" " * width + "".join(f"{name:>12}" for name in (*GRADES, "share"))]
    total: Counter[str] = Counter()
    for name, count in counts.items():
        lines.append(_row(name, count, width))
        total += count
    return [*lines, _row("all", total, width)]


def _row(name: str, count: Counter[str], width: int) -> str:
    share = 100 * count["understood"] / max(count.total(), 1)
    return f"{name:<{width}}" + "".join(f"{count[one]:>12}" for one in GRADES) + f"{share:>11.0f}%"


def report(results: Sequence[Graded]) -> str:
    """Return the tables by kind, by cause, by program and by language."""
    parts = (
        table(results, lambda case: case.group, GROUPS),
        table(results, lambda case: case.cause),
        table(results, lambda case: case.client),
        table(results, lambda case: case.language),
    )
    return "\n\n".join("\n".join(lines) for lines in parts)


def main(arguments: Sequence[str]) -> str:
    """Return the tables, and the cases that are not understood with their reasons, or the mails with this part in their id."""
    if arguments and arguments[0] != "--all":
        chosen = [case for case in cases() if arguments[0] in case.id]
        return "\n\n".join(f"{_told(grade(case))}\n{case.raw().decode('utf-8', 'replace')}" for case in chosen)
    results = graded()
    shown = results if arguments else [result for result in results if result.grade in ("leaked", "lost")]
    reasons = [_told(result) for result in shown if result.grade != "understood"]
    return f"{report(results)}\n\n{len(results)} cases\n" + "\n".join(reasons)


def _told(result: Graded) -> str:
    return f"{result.grade}: {result.case.id} [{result.case.kind}] {result.problem or '; '.join(result.done)}".replace(
        "\n", " / "
    )


if __name__ == "__main__":
    sys.stdout.write(main(sys.argv[1:]) + "\n")
