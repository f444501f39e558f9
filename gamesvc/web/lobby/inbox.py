"""The inbox of a reader: invitations, requests to undo or pause, and unread messages, in a fixed number of queries."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from accounts.models import User
from gamesvc import paging
from gamesvc.games import catalog
from gamesvc.matches.access import selectors
from gamesvc.matches.lobby import invitations, press
from gamesvc.matches.models import Invitation, Match, Seat
from gamesvc.matches.record import loading
from gamesvc.matches.story import option_words, organising_words
from gamesvc.matches.timekeeping import pauses
from gamesvc.matches.undo import undo_requests


@dataclass(frozen=True, slots=True)
class Item:
    """One entry. `kind` is `undo`, `pause`, `invitation` or `messages`; `key` is the value that the answer's form posts."""

    kind: str
    match: Match
    title: str
    who: str
    key: str = ""
    until: datetime | None = None
    text: str = ""
    count: int = 0
    seats: tuple[Seat, ...] = ()
    told: tuple[str, ...] = ()


def items(user: User) -> list[Item]:
    """Return what waits for an answer of the user: what keeps others waiting comes first."""
    undos = undo_requests.to_answer(user, paging.INBOX)
    votes = pauses.to_answer(user, paging.INBOX)
    unread = press.unread(user, paging.MESSAGES)
    asked = [*(row.match for row, _own in undos), *(vote.match for vote in votes), *(one.newest.match for one in unread)]
    names = _names(user, asked)
    loaded = loading.load_many({row.match_id: row.match.game for row, _own in undos})
    found = [
        Item("undo", row.match, _title(row.match), names[row.match_id][row.seat], str(row.version), until=row.until)
        for row, _own in undos
        if row.match_id in names and not undo_requests.is_over(loaded[row.match_id], row)
    ]
    found += [
        Item(
            "pause",
            vote.match,
            _title(vote.match),
            names[vote.match_id][vote.seat],
            "resume" if vote.match.paused_at else "pause",
        )
        for vote in votes
        if vote.match_id in names
    ]
    found += [_invitation(one) for one in invitations.pending(user, paging.INBOX)]
    found += [
        Item(
            "messages",
            one.newest.match,
            _title(one.newest.match),
            press.author(one.newest),
            text=one.newest.text,
            count=one.count,
        )
        for one in unread
    ]
    return found


def _names(user: User, matches: Iterable[Match]) -> dict[UUID, tuple[str, ...]]:
    """Return the names of the seats of each match."""
    known = {match.pk: match for match in matches}
    return {access.match.pk: selectors.seat_names(access.seats) for access in selectors.access_many(user, known.values())}


def _invitation(one: Invitation) -> Item:
    match = one.match
    organised = organising_words.organiser(match, match.seats.all())
    return Item(
        "invitation",
        match,
        _title(match),
        "" if match.hides_names else one.invited_by.username,
        str(one.pk),
        seats=tuple(match.seats.all()),
        told=(*(f"{name}: {value}" for name, value in option_words.changed(match)), *filter(None, [organised])),
    )


def _title(match: Match) -> str:
    return catalog.game(match.game).manifest.title
