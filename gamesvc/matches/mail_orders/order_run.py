"""Carrying out the orders of a mail one by one, at once or after they were held. Each is applied exactly once.

The id of an order's command comes from its mail and line. So nothing is repeated by a restarted worker, or by two at once.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from gamesvc import request_limits
from gamesvc.games.kernel.game import Refused
from gamesvc.matches import errors
from gamesvc.matches.access import selectors
from gamesvc.matches.events import TimedOut, read_events
from gamesvc.matches.mail_orders import order_mail
from gamesvc.matches.mail_orders.order_mail import Line
from gamesvc.matches.models import Match, Seat
from gamesvc.matches.play import turns
from gamesvc.matches.play.turns import Sender
from gamesvc.matches.reading import board
from gamesvc.matches.record import idempotency, loading, sight, stream
from gamesvc.matches.record.loading import Loaded
from gamesvc.matches.undo import undoing

CHANNEL = "mail"
KEPT = gettext_lazy("Others may answer first. Your order is kept and carried out after them.")


class OrderRun:
    """A run of orders by one seat. `mail` is the mail of lines that do not name their own.

    `undo_request`: the version of the only undo request that they may answer; None for any. `seen`: the version that their writer
    has seen. `again`: an earlier run may have carried out some of them.
    """

    def __init__(
        self,
        *,
        match: Match,
        seats: Sequence[Seat],
        seat: Seat,
        mail: uuid.UUID,
        user_id: int,
        counts_at: datetime,
        question: str,
        undo_request: int | None = None,
        seen: int = 0,
        again: bool = True,
    ) -> None:
        self.match = match
        self.seats = seats
        self.seat = seat
        self.mail = mail
        self.question = question
        self.undo_request = undo_request
        self.seen = seen
        self.again = again
        self.sender = Sender.player(user_id, seat.index, CHANNEL, counts_at)
        self.loaded: Loaded = loading.load(match.id, match.game)
        self.expected = 0

    @property
    def names(self) -> tuple[str, ...]:
        return selectors.seat_names(tuple(self.seats))

    @property
    def running(self) -> bool:
        return self.loaded.started and not self.loaded.ended

    def command_id(self, line: Line) -> uuid.UUID:
        return turns.command_id(sender=f"mail {line.mail or self.mail}", key=str(line.number))

    def begun(self, lines: Sequence[Line]) -> bool:
        """Return True if an earlier run has carried out some of these orders."""
        return any(self._known(line) is not None for line in lines)

    def open(self) -> bool:
        """Return True if the question that the orders answer is open. Orders without a question fit at any time."""
        return not self.question or any((one.seat, one.id) == (self.seat.index, self.question) for one in self.loaded.awaited())

    def others_answer(self) -> bool:
        """Return True if the match waits for reactions of others, after which the question may come back."""
        awaited = self.loaded.awaited()
        return bool(awaited) and all(one.seat != self.seat.index and one.kind != "turn" for one in awaited)

    def timed_out(self, version: int) -> bool:
        """Return True if the clock has answered the question since a version, so that it does not come back."""
        since = read_events(stream.events_after(self.match.id, version, self.loaded.version))
        return any(isinstance(event, TimedOut) and event.key == (self.seat.index, self.question) for event in since)

    def others_seen(self, version: int, until: int) -> bool:
        """Return True if the seat saw an act of others between two versions."""
        own = {"kind": "seat", "seat": self.seat.index}
        return any(
            stored.meta["actor"] != own and sight.knows(self.loaded, stored, self.seat.index)
            for stored in stream.events_after(self.match.id, version, until)
        )

    def carry_out(self, lines: Sequence[Line], expected: int) -> list[Line]:
        """Carry out the orders in sequence. The first refusal stops it; the earlier ones remain valid.

        Returns the orders that must wait because others may react first. `expected` is the version the player knew.
        """
        self.expected = expected
        for at, line in enumerate(lines):
            if not self._take_known(line) and at:
                self._read_again(line)
            if self._must_wait(line):
                for rest in lines[at:]:
                    rest.state, rest.detail = "held", str(KEPT)
                return list(lines[at:])
            if not self._do(line):
                for rest in lines[at + 1 :]:
                    rest.state = "not_done"
                break
        self._load()
        return []

    def _do(self, line: Line) -> bool:
        """Carry out one line. Return False if it stops the rest."""
        if line.word in order_mail.IN_ORDER:
            return self._go_back(line)
        if line.command is None or line.state == "unreadable":
            line.state = "refused"
            return False
        try:
            self._count(line)
            receipt = turns.submit(
                match=self.match,
                sender=self.sender,
                command=line.command,
                expected_version=self.expected,
                command_id=self.command_id(line),
                seats=list(self.seats),
                loaded=self.loaded,
                more=board.seen_rows(self.seat, self.seen),
            )
        except (Refused, request_limits.Exceeded) as refused:
            line.state, line.detail = "refused", refused.sentence
            return False
        except errors.Stale as stale:
            line.state, line.detail = "stale", _(stale.sentence)
            return False
        line.state, line.detail = "done", ""
        line.understood = self.loaded.game.render(line.command)
        self.expected = receipt.version
        self.seat.seen_version = max(self.seat.seen_version, self.seen)
        return True

    def _go_back(self, line: Line) -> bool:
        """Undo or redo the last order, or answer the undo request of another player."""
        asked: dict[str, Any] = {"match": self.match, "sender": self.sender, "command_id": self.command_id(line)}
        try:
            self._count(line)
            if line.argument:
                outcome = undoing.answer(accept=line.argument == "yes", request=self.undo_request, **asked)
            elif line.word == "redo":
                outcome = undoing.redo(expected_version=self.expected, **asked)
            else:
                outcome = undoing.undo(expected_version=self.expected, **asked)
        except (Refused, request_limits.Exceeded) as refused:
            line.state, line.detail = "refused", refused.sentence
            return False
        except errors.Stale as stale:
            line.state, line.detail = "stale", _(stale.sentence)
            return False
        line.state, line.detail = "done", ""
        if not outcome.done and not line.argument:
            line.detail = _("The others are asked. The undo happens when they agree.")
        self.expected = outcome.version
        return True

    def _count(self, line: Line) -> None:
        """Count a line as an act, once. Raises `Exceeded`: not for what an earlier run of the mail has done."""
        assert self.sender.user_id is not None
        if self._known(line) is None:
            request_limits.count_act(self.sender.user_id)

    def _must_wait(self, line: Line) -> bool:
        """Return True if an order must wait for reactions of others, judged by what its seat may see, without trying it."""
        if line.command is None or self.open() or not self.others_answer() or self._known(line) is not None:
            return False
        forms = self.loaded.game.legal_commands(self.loaded.timeline.state, self.seat.index)
        return all(form.name != line.command["name"] for form in forms)

    def _read_again(self, line: Line) -> None:
        """Parse an order again, for the position after the one before it."""
        self._load()
        if self.running and line.is_order:
            line.state = "read"
            view = self.loaded.game.view(self.loaded.timeline.state, self.seat.index)
            order_mail.understand(line, self.loaded.game, view, self.names)

    def _take_known(self, line: Line) -> bool:
        """Restore the command that an earlier run made of the line. Return False if there is none."""
        known = self._known(line) if line.is_order else None
        if known is None:
            return False
        line.command, line.state = known.command, "read"
        return True

    def _known(self, line: Line) -> idempotency.Known | None:
        """Return the command that an earlier run made of a line, of this mail or of an earlier one."""
        return idempotency.known(self.match, self.command_id(line)) if self.again or line.mail else None

    def _load(self) -> None:
        self.loaded = loading.after(self.loaded)
