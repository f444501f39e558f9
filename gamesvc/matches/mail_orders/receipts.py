"""The receipt that answers an order mail: orders as understood, the result of each, the new position, and what is next."""

from __future__ import annotations

from datetime import datetime

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from gamesvc.json_types import JsonObject
from gamesvc.matches.mail_orders import replies
from gamesvc.matches.models import HeldOrders, Match, Question, Seat
from gamesvc.matches.notices import reply_addresses, wording
from gamesvc.matches.reading import calendar_entries
from gamesvc.matches.story import moments
from notifications import registry
from notifications.models import InboundMail, Outbox
from notifications.registry import Message


def register() -> None:
    """Register the wording of receipts. They cannot be muted: the player asked for them by writing."""
    registry.register("receipt", receipt, label="Receipts for orders by mail", essential=True)


def receipt(row: Outbox) -> Message | None:
    """Compose the result of a mail; None if the mail has been deleted since."""
    told = _told(row)
    if told is None:
        return None
    report, counts_at, message_id = told
    match = Match.objects.get(pk=row.payload["match"])
    own = Seat.objects.filter(match=match, index=row.payload["seat"], user=row.user).exists()
    # A player who has left the seat learns that the mail came too late, and nothing about the position.
    context = wording.context_of(match, row.payload["seat"], row.user) if own else wording.plain_context(match)
    context |= {
        "headline": headline(report),
        "received": moments.local_time(counts_at, row.user),
        "lines": [_line(line) for line in report["lines"]],
        "sections": report["sections"],
        "advice": advice(report["problem"]),
    }
    question = None
    if own:
        questions = list(Question.objects.filter(match=match).order_by("due_at", "seat"))
        question = next((one for one in questions if one.seat == row.payload["seat"]), None)
        context["attachments"] = calendar_entries.file_for(match, row.payload["seat"], row.user)
        context["expected"] = replies.status(match, context["loaded"], context["names"], row.user)
        if question is not None:
            context |= wording.time_for(question, row.user)
            context["orders"] = context["loaded"].game.order_help(question.prompt)
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


def _told(row: Outbox) -> tuple[JsonObject, datetime, str] | None:
    """Return the report, the time its mail counts from, and the mail's id, for a mail or for held orders settled later."""
    if "held" in row.payload:
        held = HeldOrders.objects.filter(pk=row.payload["held"]).first()
        if held is None or held.report is None:
            return None
        written = InboundMail.objects.filter(pk=held.mail).first()
        return held.report, held.counts_at, written.message_id if written is not None else ""
    mail = InboundMail.objects.filter(pk=row.payload["mail"]).first()
    if mail is None or mail.report is None:
        return None
    return mail.report, mail.counts_at, mail.message_id


def headline(report: JsonObject) -> str:
    """Return the result in one line: above all, if the orders were carried out."""
    states = [line["state"] for line in report["lines"]]
    done = states.count("done")
    held = states.count("held")
    open_orders = sum(states.count(state) for state in ("refused", "stale", "not_done"))
    match report["problem"]:
        case "empty" | "too_long":
            return _("No orders found in your mail")
        case "unreadable":
            return _("Nothing was done: a line cannot be read")
        case "turn_over":
            return _("Nothing was done: that turn is over")
        case "undone" | "taken_back":  # reports stored earlier have the second
            return _("Nothing was done: that turn was undone")
        case "match_over":
            return _("Nothing was done: the match is over")
        case "not_started":
            return _("Nothing was done: the match has not started")
        case "seat_changed":
            return _("Nothing was done: you no longer hold that seat")
    if held and done:
        return _("%(done)s of %(all)s orders done, the rest kept") % {"done": done, "all": done + held}
    if held:
        return ngettext("%(count)s order kept", "%(count)s orders kept", held) % {"count": held}
    if done and open_orders:
        return _("%(done)s of %(all)s orders done") % {"done": done, "all": done + open_orders}
    if done:
        return ngettext("%(count)s order done", "%(count)s orders done", done) % {"count": done}
    if open_orders:
        return _("Nothing was done: an order was refused")
    return _("Your question answered")


def advice(problem: str) -> str:
    """Return advice on how to solve a problem."""
    match problem:
        case "empty":
            return _("Write your orders above the mark, one a line, as plain text; a line END below the last one helps.")
        case "too_long":
            return _("Your mail is too long. Write only orders, one a line, and a line END below the last one.")
        case "unreadable":
            return _("No order of this mail was carried out. Correct the marked line and send all orders again.")
        case "turn_over":
            return _("Your mail answers a turn that is over or was undone. This is the match now.")
        case "undone" | "taken_back":
            return _(
                "Your mail answers something that has been undone since. This is the match now; send the orders again that "
                "still fit."
            )
    return ""


def _line(line: JsonObject) -> JsonObject:
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
