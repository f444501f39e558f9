"""The receipt that answers an order mail: orders as understood, the result of each, the new position, and what is next."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from gamesvc.database.prepared import OneOf, Prepared
from gamesvc.games.kernel.wording import listed
from gamesvc.json_types import JsonObject
from gamesvc.matches.mail_orders import replies
from gamesvc.matches.mail_orders.headlines import headline_of
from gamesvc.matches.models import HeldOrders
from gamesvc.matches.notices import reply_addresses, tables, wording
from gamesvc.matches.notices.repeating import calendar_part
from gamesvc.matches.story import moments
from notifications import registry
from notifications.models import InboundMail, Outbox
from notifications.registry import Message
from notifications.wanted import carrying, shared_reads

KIND = "receipt"
Told = tuple[JsonObject, datetime, str]
_REPORTS = Prepared(
    lambda: InboundMail.objects.filter(pk=OneOf("mails", "uuid")).values_list("pk", "report", "counts_at", "message_id")
)


def register() -> None:
    """Register the wording of receipts. They cannot be muted: the player asked for them by writing."""
    label = "Receipts for orders by mail"
    registry.register(KIND, receipt, label=label, essential=True, subject=seat_of, carries=("your_turn",), urgent=is_urgent)


def seat_of(row: Outbox) -> str:
    """Return the seat for which a mail was written. Receipts to one seat may share a mail."""
    return str(row.payload["seat"])


def is_urgent(row: Outbox) -> bool:
    """Return True if a receipt tells more than what its reader expects: see `replies.Desk`."""
    told = _told(row)
    return told is None or bool(told[0].get("urgent", True))


def receipt(row: Outbox) -> Message | None:
    """Compose the result of a mail, or of several whose receipts waited together; None if all have been deleted since."""
    rows = [one for one in carrying.carried(row) if one.kind == row.kind]
    told = [one for one in map(_told, [*rows, row]) if one is not None]
    if not told:
        return None
    reports, message_id = [report for report, _counts_at, _id in told], told[-1][2]
    match = tables.match_asking(row)
    own = (row.payload["seat"], row.user_id) in {(seat.index, seat.user_id) for seat in tables.seats_of(match)}
    # A player who has left the seat learns that the mail came too late, and nothing about the position.
    asked = any(line.get("word") == "board" for report in reports for line in report["lines"])
    context = wording.context_of(match, row.payload["seat"], row.user, whole=asked) if own else wording.plain_context(match)
    context |= {
        "headline": headline_of(reports),
        "parts": [_part(report, moments.local_time(counts_at, row.user), context) for report, counts_at, _id in told],
    }
    question = None
    if own:
        question = next((one for one in tables.questions_of(match) if one.seat == row.payload["seat"]), None)
        context |= calendar_part(match, row.payload["seat"], row.user, context["last"])
        context["expected"] = replies.status(match, context["loaded"], context["names"], row.user)
        if question is not None:
            wording.add_question(context, question, row.user)
            # The headline tells what was done, so the task stands alone. Players who want no position in mails have none here.
            context["asked"] = wording.with_task(_("Your move"), context["task"]) if context.get("task") else ""
        if not context["loaded"].ended:
            context["reply_to"] = reply_addresses.reply_address(
                match=match, loaded=context["loaded"], seat=row.payload["seat"], user=row.user, key=row.id, question=question
            )
    subject = _("[%(title)s #%(number)s] %(headline)s") % {
        "title": context["title"],
        "number": match.number,
        "headline": context["headline"],
    }
    return wording.compose("receipt", subject, context, reason="receipt", in_reply_to=message_id, auto_replied=True)


def _part(report: JsonObject, received: str, context: JsonObject) -> JsonObject:
    """Return what a receipt says of one mail: nothing of the position to players who want none in their mails."""
    return {
        "received": received,
        "lines": [line_shown(line) for line in report["lines"]],
        "sections": [] if context.get("bare") else report["sections"],
        "advice": advice(report),
    }


def _told(row: Outbox) -> Told | None:
    """Return the report, the time its mail counts from, and the mail's id, for a mail or for held orders settled later."""
    if "held" in row.payload:
        held = HeldOrders.objects.filter(pk=row.payload["held"]).first()
        if held is None or held.report is None:
            return None
        written = InboundMail.objects.filter(pk=held.mail).first()
        return held.report, held.counts_at, written.message_id if written is not None else ""
    mail = UUID(row.payload["mail"])
    return shared_reads.for_all(_reports_of, mail, lambda: _reports([mail])[mail])


def _reports_of(rows: Sequence[Outbox]) -> dict[UUID, Told | None]:
    return _reports([UUID(row.payload["mail"]) for row in rows if row.kind == KIND and "mail" in row.payload])


def _reports(mails: Sequence[UUID]) -> dict[UUID, Told | None]:
    """Return the reports of mails; None for a mail that is deleted or has none."""
    told = _REPORTS.values(mails=mails)
    found = {pk: (report, at, name) for pk, report, at, name in told if report is not None}
    return {mail: found.get(mail) for mail in mails}


def advice(report: JsonObject) -> str:
    """Return advice on how to solve the problem of a mail."""
    match report["problem"]:
        case "empty":
            return _("Write your orders above the mark, one a line, as plain text; a line END below the last one helps.")
        case "too_long":
            return _("Your mail is too long. Write only orders, one a line, and a line END below the last one.")
        case "unreadable":
            numbers = [line["number"] for line in report["lines"] if line["state"] == "unreadable"]
            told = ngettext(
                "Correct line %(lines)s and send all orders again.",
                "Correct lines %(lines)s and send all orders again.",
                len(numbers),
            )
            return told % {"lines": listed(numbers)}
        case "turn_over":
            return _("You answered a turn that is over or was undone. This is the match now.")
        case "undone" | "taken_back":
            return _("What you answered has been undone since. This is the match now: send the orders again that still fit.")
    return ""


def line_shown(line: JsonObject) -> JsonObject:
    """Return a line of a report with what a receipt says of it."""
    signs = {
        "done": _("done"),
        "refused": _("refused"),
        "stale": _("refused"),
        "unreadable": _("cannot be read"),
        "not_done": _("not done"),
        "held": _("kept"),
        "previewed": _("would do"),
        "ask": _("to be confirmed"),
        "ignored": _("no order"),
    }
    same = line["understood"].strip().lower() == line["text"].strip().lower()
    return {
        **line,
        "sign": signs.get(line["state"], ""),
        "shown": line["understood"] or line["text"],
        "written": "" if same or not line["understood"] else line["text"],
        "good": line["state"] in ("done", "held", "previewed", "answered"),
    }
