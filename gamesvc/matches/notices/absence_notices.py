"""Mails about timeouts, about seats that fall free or are taken, and about pauses."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _

from gamesvc.games import catalog
from gamesvc.matches.access import selectors, tenures
from gamesvc.matches.errors import Unknown
from gamesvc.matches.lobby import substitutes
from gamesvc.matches.models import Match, Seat
from gamesvc.matches.notices import reply_addresses, tables, wording
from gamesvc.matches.record.loading import load
from gamesvc.matches.story import organising_words, sentences
from gamesvc.matches.timekeeping import pauses
from notifications import registry
from notifications.models import Outbox
from notifications.registry import Message


def register() -> None:
    """Register the wording of these notices."""
    registry.register("timed_out", word_timed_out, label="Your time has run out")
    registry.register("seat_free", word_seat_free, label="A seat in a running match is free")
    registry.register("seat_taken", word_seat_taken, label="A substitute takes over a seat in your match")
    registry.register("pause", word_pause, label="A match is paused, or goes on")


# --- rows ---


# --- words ---


def word_timed_out(row: Outbox) -> Message | None:
    """Tell a player the consequence of their timeout."""
    match, what = Match.objects.get(pk=row.payload["match"]), row.payload["what"]
    left = row.payload.get("left", 0)
    headline = {
        "excused": _("Your time ran out, and is excused"),
        "default": _("Your time ran out"),
        "lose": _("Your time ran out, and the match is lost for you"),
        "bot": _("Your time ran out, and a bot plays on for you"),
        "vacated": _("Your time ran out too often: your seat is free for others"),
    }[what]
    lines = {
        "excused": [
            _("You have the full time for this turn again."),
            _("Excused timeouts left in this match: %(left)s.") % {"left": left},
        ],
        "default": [_given(row, match), _("The match goes on.")],
        "lose": [_("In this match, a player who runs out of time loses.")],
        "bot": [
            _("In this match, a bot takes over from a player who runs out of time."),
            *([_("You can go on watching.")] if match.watch == Match.Watch.ALL else []),
        ],
        "vacated": [_("You can take the seat again until someone else does.")],
    }[what]
    seat = match.seats.filter(index=row.payload["seat"]).first() if what == "vacated" else None
    return _compose(row, match, headline, lines, "timed-out", free=seat)


def _given(row: Outbox, match: Match) -> str:
    """Tell what was done at the timeout, to a player who still has the seat."""
    seats, acts = tables.seats_of(match), []
    if any(one.index == row.payload["seat"] and one.user_id == row.user_id for one in seats):
        due_at = datetime.fromisoformat(row.payload["due_at"])
        loaded, names = load(match.id, match.game), selectors.seat_names(seats)
        acts = sentences.given_at(loaded, row.payload["seat"], row.payload["question"], due_at, names)
    if not acts:
        return _("The simplest answer was given for you.")
    return _("The simplest answer was given for you: %(acts)s") % {"acts": " ".join(acts)}


def word_seat_free(row: Outbox) -> Message | None:
    """Call for a substitute; None once the seat is taken or the match is over, and for followers who may not take it."""
    match = Match.objects.get(pk=row.payload["match"])
    seat = match.seats.filter(index=row.payload["seat"]).first()
    if match.status != Match.Status.RUNNING or seat is None or not seat.waits or not _concerns(row, match, seat):
        return None
    title = catalog.game(match.game).manifest.title
    lines = [
        _("Seat %(seat)s of %(seats)s in this running match of %(title)s no longer has a player.")
        % {"seat": seat.index + 1, "seats": match.seat_count, "title": title},
        _("The substitute plays on from the current position."),
    ]
    if (organised := organising_words.organiser(match, match.seats.select_related("user"))) and match.creator_id != row.user_id:
        lines.append(organised)
    return _compose(row, match, _("A seat is free: take it over?"), lines, "seat-free", free=seat)


def _concerns(row: Outbox, match: Match, seat: Seat) -> bool:
    """Return True for the players and the organiser of a match, and for those who may take the seat."""
    if match.creator_id == row.user_id or match.seats.filter(user=row.user_id).exists():
        return True
    return substitutes.free_seats(row.user).filter(pk=seat.pk).exists()


def word_seat_taken(row: Outbox) -> Message | None:
    match = Match.objects.get(pk=row.payload["match"])
    if match.status != Match.Status.RUNNING:
        return None
    lines = [
        _("Seat %(seat)s has a new player. The match goes on from the current position.") % {"seat": row.payload["seat"] + 1}
    ]
    return _compose(row, match, _("A substitute takes over a seat"), lines, "seat-taken")


def word_pause(row: Outbox) -> Message | None:
    """Report a pause, a resumption or a vote for one; None if it is out of date."""
    match, what = Match.objects.get(pk=row.payload["match"]), row.payload["what"]
    paused = match.paused_at is not None
    if what in ("asked", "asked_on") and not pauses.wishes(match):
        return None
    if match.status != Match.Status.RUNNING or paused != (what in ("paused", "asked_on")):
        return None
    # The answer to give: a service word, the same in every language.
    how = _("To agree, answer this mail with the line: %(word)s") % {"word": "resume match" if paused else "pause match"}
    ends = _("After %(days)s days each player can end the pause alone.") % {"days": pauses.LONGEST_DAYS}
    lapses = _("The request lapses after %(days)s days.") % {"days": pauses.ASKED_DAYS}
    headline, lines = {
        "asked": (
            _("A player asks to pause the match"),
            [_("When all players agree, all clocks stop."), lapses, ends],
        ),
        "paused": (
            _("The match is paused"),
            [_("All clocks are stopped. You can still give orders when it is your turn."), ends],
        ),
        "asked_on": (_("A player asks to go on"), [_("When all players agree, the clocks run again.")]),
        "resumed": (_("The match goes on"), [_("All clocks run again, with what was left.")]),
    }[what]
    return _compose(row, match, headline, lines, "pause", how=how if what.startswith("asked") else "")


def _compose(
    row: Outbox, match: Match, headline: str, lines: list[str], reason: str, *, how: str = "", free: Seat | None = None
) -> Message:
    """Compose the mail. `how`: possible answers, as text; `free`: the seat that the receiver may take."""
    context = wording.plain_context(match) | {"headline": headline, "lines": lines, "how": how}
    wording.may_answer(context, match, row)
    if free is not None:
        context |= _offer(row, match, free)
    subject = _("[%(title)s #%(number)s] %(headline)s") % {
        "title": context["title"],
        "number": match.number,
        "headline": headline,
    }
    return wording.compose("told", subject, context, reason=reason)


def _offer(row: Outbox, match: Match, seat: Seat) -> dict[str, Any]:
    """Return how to take a free seat by mail, and its position, for receivers who may take it."""
    if row.user is None or not wording.shows_position(row.user) or not seat.waits:
        return {}
    try:
        access = selectors.access_match(user=row.user, ident=str(match.pk))
    except Unknown:
        return {}
    if access.seat is not None:
        return {}
    held = tenures.seats_held(row.user, match)
    if (held and seat.index not in held) or (not held and match.entry != Match.Entry.PUBLIC):
        return {}
    return wording.watched(access) | {
        "how": _("To take the seat, answer this mail with the one word “join” at the very top."),
        "reply_to": reply_addresses.seat_address(match=match, seat=seat.index, user=row.user, key=row.id),
    }
