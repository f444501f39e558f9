"""What an answered turn mail means: orders and service words are read, checked as a whole, carried out one by one, reported.

The report is kept with the mail, and the receipt (`receipts`) is worded from it. Everything here may run again for the same
mail: the ids of its commands come from the mail and the line, so that nothing happens twice.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from typing import Any

from accounts.models import User
from gamesvc.games.kernel import Refused, see_event
from gamesvc.matches import loading, notices, order_mail, selectors, turns
from gamesvc.matches.letterbox import PURPOSE
from gamesvc.matches.loading import STORE, Loaded
from gamesvc.matches.models import Match, Question, Refusal, Seat
from gamesvc.matches.order_mail import Line
from gamesvc.matches.previews import Preview
from gamesvc.matches.recording import Actor
from gamesvc.matches.turns import Sender
from notifications.inbound import purposes
from notifications.inbound.purposes import Handled, Letter
from notifications.outbox import Notice

CHANNEL = "mail"


def register() -> None:
    """Have answers to turn mails worked on here."""
    purposes.register(PURPOSE, handle)


def handle(letter: Letter) -> Handled:
    """Do what a letter says and report it; always with a receipt."""
    match = Match.objects.get(pk=letter.payload["match"])
    seats = tuple(match.seats.select_related("user").order_by("index"))
    seat = next(one for one in seats if one.index == letter.payload["seat"])
    notice = Notice(
        kind="receipt",
        user_id=letter.user.pk,
        topic=str(match.id),
        payload={"mail": str(letter.id), "match": str(match.id), "seat": seat.index},
    )
    if seat.user_id != letter.user.pk:
        return Handled({"problem": "seat_changed", "lines": [], "sections": []}, notice)
    if letter.refusal:
        return Handled({"problem": letter.refusal, "lines": [], "sections": []}, notice)
    desk = Desk(letter, match, seats, seat)
    return Handled(desk.work(), notice)


class Desk:
    """One letter being worked on for one seat."""

    def __init__(self, letter: Letter, match: Match, seats: tuple[Seat, ...], seat: Seat) -> None:
        self.letter = letter
        self.match = match
        self.seats = seats
        self.seat = seat
        self.names = selectors.seat_names(seats)
        self.loaded = loading.load(match.id, match.game)
        self.sections: list[dict[str, str]] = []

    @property
    def running(self) -> bool:
        return self.loaded.started and not self.loaded.ended

    def work(self) -> dict[str, Any]:
        """The report: what was wrong with the whole, what became of each line, and what was asked for."""
        view = self.loaded.game.view(self.loaded.timeline.state, self.seat.index) if self.running else None
        lines = order_mail.read(self.letter.text, self.loaded.game, view)
        orders = [line for line in lines if line.is_order]
        begun = any(turns.known(self.match, self._command_id(line)) for line in orders)
        problem = "" if begun else self._problem(lines, orders)
        if problem:
            for line in orders:
                if line.state == "read":
                    line.state = "not_done"
        else:
            self._carry_out(orders)
        self._answer([line for line in lines if not line.is_order and line.state in ("read", "answered")], problem)
        return {"problem": problem, "lines": [line.as_json() for line in lines], "sections": self.sections}

    def _problem(self, lines: Sequence[Line], orders: Sequence[Line]) -> str:
        """Why none of the orders may be carried out; empty if they may be."""
        if not lines or all(line.state == "ignored" for line in lines):
            return "empty"
        if orders and not self.running:
            for line in orders:
                line.state, line.detail = "not_done", ""
            return "match_over" if self.loaded.ended else "not_started"
        if order_mail.unreadable(lines):
            return "unreadable"
        question = self.letter.payload["question"]
        if orders and question and not any((one.seat, one.id) == (self.seat.index, question) for one in self.loaded.awaited()):
            return "turn_over"
        return ""

    def _carry_out(self, orders: Sequence[Line]) -> None:
        """One order after the other; the first that is refused stops it, and what came before stands."""
        sender = Sender(Actor("seat", self.seat.index), CHANNEL, self.letter.counts_at, self.letter.user.pk)
        expected = self._version_known()
        stopped = False
        for line in orders:
            command_id = self._command_id(line)
            if stopped:
                line.state = "not_done"
                continue
            if not self._take_known(line, command_id) and line.number != orders[0].number:
                # Read by the position that the order before left.
                self.loaded = loading.load(self.match.id, self.match.game)
                if self.running:
                    line.state = "read"
                    order_mail.understand(
                        line, self.loaded.game, self.loaded.game.view(self.loaded.timeline.state, self.seat.index)
                    )
            if line.command is None or line.state == "unreadable":
                line.state, stopped = "refused", True
                continue
            try:
                receipt = turns.submit(
                    match=self.match,
                    sender=sender,
                    command=line.command,
                    expected_version=expected,
                    command_id=command_id,
                    seats=self.seats,
                )
            except Refused as refused:
                line.state, line.detail, stopped = "refused", refused.detail, True
            except turns.Stale:
                line.state, stopped = "stale", True
                line.detail = "Something happened that you had not seen when you wrote; look at it and send the order again."
            else:
                line.state, line.detail = "done", ""
                line.understood = self.loaded.game.render(line.command)
                expected = receipt.version
        self.loaded = loading.load(self.match.id, self.match.game)

    def _take_known(self, line: Line, command_id: uuid.UUID) -> bool:
        """What an earlier run of this letter made of the line, which that run's position decided."""
        if not turns.known(self.match, command_id):
            return False
        refusal = Refusal.objects.filter(match=self.match, command_id=command_id).first()
        line.command = refusal.command if refusal is not None else STORE.command(self.match.id, command_id)[0].meta["command"]
        line.state = "read"
        return True

    def _command_id(self, line: Line) -> uuid.UUID:
        return turns.command_id(sender=f"mail {self.letter.id}", key=str(line.number))

    def _version_known(self) -> int:
        """The version that the answered mail showed, moved on over what the player has done himself since: that he knows."""
        version = int(self.letter.payload["version"])
        own = {"kind": "seat", "seat": self.seat.index}
        for stored in STORE.read(self.match.id, version, self.loaded.viewer_version(self.seat.index)):
            event = loading.lift(self.loaded.game, stored)
            if stored.meta["actor"] != own and see_event(self.loaded.game, event, self.seat.index) is not None:
                break
            version = stored.version
        notices.mark_seen(self.seat, version)
        return version

    # --- service words ---

    def _answer(self, lines: Sequence[Line], problem: str) -> None:
        preview: Preview | None = None
        for line in lines:
            match line.word:
                case "help":
                    self._section("Orders", self._help())
                case "hand":
                    self._section("Your hand", self._hand())
                case "status":
                    self._section("Status", status(self.match, self.loaded, self.names, self.letter.user))
                case "history":
                    self._section("What happened", self._history(min(int(line.argument), order_mail.MOST_HISTORY)))
                case "preview" if line.argument and not problem:
                    preview = preview or Preview(self.loaded.copy().timeline, self.seat.index, self.names)
                    self._preview(preview, line)
                    continue
                case "preview" if problem:
                    line.state = "not_done"
                    continue
            line.state = "answered"

    def _preview(self, preview: Preview, line: Line) -> None:
        if preview.over or line.command is None or not self.running:
            line.state = "not_done"
            return
        line.state = "previewed"
        try:
            line.detail = " ".join(preview.tell(line.command)) or "Nothing that you could see."
        except Refused as refused:
            line.state, line.detail = "refused", refused.detail

    def _help(self) -> str:
        prompt = next((one.prompt for one in self.loaded.awaited() if one.seat == self.seat.index), None)
        return f"{self.loaded.game.order_help(prompt)}\n\n{order_mail.HELP}"

    def _hand(self) -> str:
        """The paragraphs of the board that speak of the hand; the whole board stands in the receipt anyway."""
        if not self.loaded.started:
            return ""
        view = self.loaded.game.view(self.loaded.timeline.state, self.seat.index)
        text = self.loaded.game.board_text(view, notices.caption_of(self.match, self.names))
        found = [part for part in text.split("\n\n") if "your hand" in part.lower()]
        return "\n".join(line for part in found for line in part.splitlines()) or "The position below shows all you have."

    def _history(self, count: int) -> str:
        told = notices.tell(self.loaded, self.seat.index, self.names, 0)[-count:] if count else []
        return "\n".join(f"{notices.local_time(moment, self.letter.user)}  {sentence}" for _v, moment, sentence in told)

    def _section(self, title: str, text: str) -> None:
        self.sections.append({"title": title, "text": text})


def status(match: Match, loaded: Loaded, names: tuple[str, ...], user: User | None = None) -> str:
    """Who is awaited, for what and until when."""
    if loaded.ended:
        return "The match is over."
    rows = Question.objects.filter(match=match).order_by("due_at", "seat")
    asked = [f"{names[row.seat]}: {row.prompt.replace('_', ' ')}, until {notices.local_time(row.due_at, user)}" for row in rows]
    return "\n".join(asked) or "Nobody is awaited."
