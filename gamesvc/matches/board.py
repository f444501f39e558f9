"""The position of a match as one viewer sees it, in the forms in which pages, API and mails show it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from gamesvc.games.kernel import Caption, Form, Refused, Viewer
from gamesvc.matches import loading
from gamesvc.matches.loading import Loaded
from gamesvc.matches.models import Match, Question
from gamesvc.matches.selectors import Access, Forbidden, seat_names


@dataclass(frozen=True, slots=True)
class Board:
    """A match at its newest version, or at a past one, seen by `viewer`."""

    access: Access
    loaded: Loaded
    viewer: Viewer
    past: bool = False

    @property
    def version(self) -> int:
        return self.loaded.viewer_version(self.viewer)

    @property
    def view(self) -> dict[str, Any] | None:
        return self.loaded.game.view(self.loaded.timeline.state, self.viewer) if self.loaded.started else None

    @property
    def caption(self) -> Caption:
        return Caption(str(self.access.match.number), seat_names(self.access.seats), self.past)

    @property
    def picture(self) -> str | None:
        return self.loaded.game.picture(self.view, self.caption) if self.view is not None else None

    @property
    def text(self) -> str:
        return self.loaded.game.board_text(self.view, self.caption) if self.view is not None else ""

    @property
    def forms(self) -> Sequence[Form]:
        """What the viewer's seat may do now; nothing for observers and in a match that does not run."""
        if self.viewer is None or self.past or not self.loaded.started or self.loaded.ended:
            return ()
        return self.loaded.game.legal_commands(self.loaded.timeline.state, self.viewer)

    @property
    def questions(self) -> list[Question]:
        """The questions open now, the most urgent first; none in the past."""
        if self.past:
            return []
        return list(self.access.match.questions.order_by("due_at", "seat"))


def look(access: Access, as_seat: Viewer = None, version: int | None = None) -> Board:
    """The board for somebody; `as_seat` another's view, which opens when the match is over. Raises `Forbidden`.

    `version`: exactly as the viewer saw it then. Raises `Refused` for one that he knows nothing of yet.
    """
    loaded = loading.load(access.match.id, access.match.game)
    viewer = access.viewer
    if as_seat is not None and as_seat != viewer:
        if not loaded.ended:
            raise Forbidden("Another seat's view opens when the match is over.")
        if not 0 <= as_seat < access.match.seat_count:
            raise Forbidden(f"Seats are 0 to {access.match.seat_count - 1}.")
        viewer = as_seat
    if version is None:
        return Board(access, loaded, viewer)
    if not 1 <= version <= loaded.viewer_version(viewer):
        raise Refused("no_such_version", f"Versions are 1 to {loaded.viewer_version(viewer)}.", "version")
    return Board(access, loading.load_at(loaded.game, loaded.match_id, version), viewer, past=True)


def summary(access: Access) -> dict[str, Any]:
    """What lists and the API say of a match without its position."""
    match = access.match
    names = seat_names(access.seats)
    questions = match.questions.order_by("due_at", "seat") if match.status == Match.Status.RUNNING else []
    loaded = loading.load(match.id, match.game)
    return {
        "id": str(match.id),
        "number": match.number,
        "game": match.game,
        "rules": match.rules,
        "title": loaded.game.manifest.title,
        "status": match.status,
        "options": match.options,
        "hours": match.hours,
        "entry": match.entry,
        "watch": match.watch,
        "host": match.creator.username if match.creator is not None else None,
        "seats": [
            {
                "seat": seat.index,
                "name": names[seat.index] if seat.holder else "",
                "kind": "user" if seat.user_id else "bot" if seat.bot else "free",
            }
            for seat in access.seats
        ],
        "your_seat": access.viewer,
        "commitment": loaded.opened.get("commitment", ""),
        "link": match.link_token if access.is_host or access.seat is not None else None,
        "awaited": [question_json(question) for question in questions],
        "outcome": match.outcome,
        "created_at": match.created_at.isoformat(),
        "started_at": match.started_at.isoformat() if match.started_at else None,
        "ended_at": match.ended_at.isoformat() if match.ended_at else None,
    }


def question_json(question: Question) -> dict[str, Any]:
    return {
        "seat": question.seat,
        "id": question.question,
        "prompt": question.prompt,
        "kind": question.kind,
        "due_at": question.due_at.isoformat(),
    }
