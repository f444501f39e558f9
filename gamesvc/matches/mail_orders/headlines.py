"""The headline of a receipt: what became of the mail, in one line that is true."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from gamesvc.json_types import JsonObject

MOST_PARTS = 2
REFUSED = ("refused", "stale", "not_done")


def headline(report: JsonObject) -> str:
    """Return the result in one line: above all, if the orders were carried out; then what else was done, or asked for."""
    if said := _problem(report["problem"]):
        return said
    lines = [line for line in report["lines"] if line["state"] != "ignored"]
    orders = [line for line in lines if line.get("word", "order") in ("order", "undo", "redo")]
    acts = [said for said in (_orders([line["state"] for line in orders]), *_words(lines)) if said]
    parts = acts or _asked(lines, report["sections"])
    told = ", ".join(list(dict.fromkeys(parts))[:MOST_PARTS]) or _("your mail was read")
    return told[:1].upper() + told[1:]


def headline_of(reports: Sequence[JsonObject]) -> str:
    """Return the headline of a mail about several mails of the player: what was done, and then what could not be read."""
    wrong = [report for report in reports if report["problem"]]
    fine = [report for report in reports if not report["problem"]]
    if not fine:
        return headline(wrong[-1])
    both = ("lines", "sections")
    done = headline({"problem": "", **{name: [one for report in fine for one in report[name]] for name in both}})
    if not wrong:
        return done
    return _("%(done)s. Another mail: %(problem)s") % {"done": done, "problem": headline(wrong[-1])}


def _problem(problem: str) -> str:
    match problem:
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
    return ""


def _orders(states: Sequence[str]) -> str:
    """Return the result of the orders in a mail; empty if there are none."""
    done, held = states.count("done"), states.count("held")
    undone = sum(states.count(state) for state in REFUSED)
    if held and done:
        return _("%(done)s of %(all)s orders done, the rest kept") % {"done": done, "all": done + held}
    if held:
        return ngettext("%(count)s order kept", "%(count)s orders kept", held) % {"count": held}
    if done and undone:
        return _("%(done)s of %(all)s orders done") % {"done": done, "all": done + undone}
    if done:
        return ngettext("%(count)s order done", "%(count)s orders done", done) % {"count": done}
    return _("Nothing was done: an order was refused") if undone else ""


def _words(lines: Sequence[JsonObject]) -> Iterator[str]:
    """Yield what became of the service words with an effect, each kind once."""
    messages = [line for line in lines if line.get("word") == "press"]
    sent = sum(line["state"] == "answered" for line in messages)
    if sent:
        yield _("message sent") if sent == 1 else _("%(count)s messages sent") % {"count": sent}
    if len(messages) > sent:
        yield _("a message was not sent")
    for line in lines:
        asked, of = line.get("word", "order"), line["text"].partition(" ")[2].lower().strip(" .!")
        if asked == "resign" or (asked == "order" and line["state"] == "ask"):
            yield _("confirm: resign?")
        elif line["state"] in REFUSED:
            yield {
                "vacation": _("your vacation was not set"),
                "standing": _("no conditional order was saved"),
                "pause": _("the match is not paused"),
                "resume": _("the match stays paused"),
                "draw?": _("no draw"),
                "wait": _("nothing to wait for"),
                "ready": _("no orders are held"),
                "new": _("no match was opened"),
                "invite": _("nobody was invited"),
                "rematch": _("no rematch"),
            }.get(asked, "")
        elif line["state"] == "answered":
            yield _effect(asked, of)


def _effect(word: str, of: str) -> str:
    """Return what a service word did, or the list that it asked for; empty for words that only ask."""
    match word, of:
        case "vacation", "":
            return _("your vacations")
        case "vacation", "off":
            return _("vacation called off")
        case "vacation", _days:
            return _("vacation set")
        case "standing", "":
            return _("your conditional orders")
        case "standing", _order:
            return _("conditional order cancelled") if of.startswith("cancel") else _("conditional order saved")
        case (("pause" | "resume"), ("no" | "match no")):
            return _("your request is withdrawn")
        case "new", _options:
            return _("your match")
        case "invite", _whom:
            return _("invitation sent")
        case "rematch", _nothing:
            return _("your rematch")
        case "pause", _vote:
            return _("you vote to pause the match")
        case "resume", _vote:
            return _("you vote to go on")
    return ""


def _asked(lines: Sequence[JsonObject], sections: Sequence[JsonObject]) -> list[str]:
    """Return what a mail without any effect asked for: the titles of its answers."""
    previewed = _("a preview of your orders") if any(line["state"] == "previewed" for line in lines) else ""
    refused = _("that cannot be done") if any(line["state"] in REFUSED for line in lines) else ""
    shown = _("the board") if any(line.get("word") == "board" for line in lines) else ""
    titles = [section["title"] for section in sections]
    return [part for part in (previewed or refused, *titles, shown) if part]
