"""Answers to turn mails: orders and service words are read, checked as a whole, carried out one by one, and reported.

The report is stored with the mail, and the receipt (`receipts`) is written from it. Everything here may run again for the same
mail: command ids come from the mail and the line, so nothing happens twice.
"""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from django.utils.translation import gettext as _

from accounts import erasure
from accounts.models import User
from gamesvc.games import catalog
from gamesvc.games.kernel.events import of_service
from gamesvc.games.kernel.game import Form, Refused, see_event
from gamesvc.json_types import JsonObject
from gamesvc.matches.mail_orders import held_orders, order_mail, service_words
from gamesvc.matches.mail_orders.order_mail import Line
from gamesvc.matches.mail_orders.order_run import OrderRun
from gamesvc.matches.mail_orders.service_words import Writer
from gamesvc.matches.mail_orders.words import leaflets
from gamesvc.matches.mail_orders.words import lines as service_lines
from gamesvc.matches.mail_orders.words.leaflets import Leaflet
from gamesvc.matches.mail_orders.words.order_sheets import Offer
from gamesvc.matches.models import HeldOrders, Match, Question, Seat
from gamesvc.matches.notices.reply_addresses import PURPOSE
from gamesvc.matches.play import turns
from gamesvc.matches.play.previews import Preview
from gamesvc.matches.play.suggestions import suggesting_legal
from gamesvc.matches.reading import board
from gamesvc.matches.record import stream
from gamesvc.matches.record.loading import Loaded
from gamesvc.matches.story import moments, sentences
from gamesvc.matches.undo import undoing
from notifications.inbound import purposes
from notifications.inbound.purposes import Handled, Letter
from notifications.outbox import Notice
from notifications.parsing import automatic
from notifications.parsing.limits import cpu_limit
from notifications.parsing.refusals import MailRefused


def register() -> None:
    """Register the handler of answers to turn mails."""
    purposes.register(PURPOSE, handle, weighs=True)
    erasure.register("held orders", held_orders.erase)


def handle(letter: Letter) -> Handled:
    """Carry out a letter and report it. There is always a receipt."""
    seats, holding = held_orders.seated(UUID(letter.payload["match"]))
    match = seats[0].match if seats else Match.objects.get(pk=letter.payload["match"])
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
        if letter.automatic and not letter.confirmed:
            raise MailRefused("automatic")
        return Handled({"problem": letter.refusal, "lines": [], "sections": []}, notice)
    return Handled(Desk(letter, match, seats, seat, holds_orders=seat.index in holding).work(), notice)


class Desk:
    """The processing of one letter for one seat. `holds_orders`: there are orders held for it."""

    def __init__(self, letter: Letter, match: Match, seats: Sequence[Seat], seat: Seat, *, holds_orders: bool) -> None:
        self.letter = letter
        self.match = match
        self.seat = seat
        self.holds_orders = holds_orders
        self.run = OrderRun(
            match=match,
            seats=seats,
            seat=seat,
            mail=letter.id,
            user_id=letter.user.pk,
            counts_at=letter.counts_at,
            question=letter.payload["question"],
            undo_request=letter.payload.get("undo_request"),
            seen=int(letter.payload["version"]),
            again=letter.again,
        )
        self.names = self.run.names
        self.writer = Writer(letter.id, letter.user, match, seat.index, self.names, letter.counts_at, letter.again)
        self.sections: list[dict[str, str]] = []
        self._offers: dict[int, Offer] = {}

    @property
    def loaded(self) -> Loaded:
        return self.run.loaded

    @property
    def running(self) -> bool:
        return self.run.running

    def work(self) -> JsonObject:
        """Return the report: a problem with the whole mail, the result of each line, and the requested information."""
        version, asked = self.loaded.version, self._asked()
        view = self.loaded.game.view(self.loaded.timeline.state, self.seat.index) if self.running else None
        with cpu_limit():
            game = suggesting_legal(self.loaded.game, lambda: self._offer().forms)
            said = self.letter
            lines = order_mail.read(said.text, game, view, self.names, said.below, said.perhaps_quoted)
        service_words.check(self.writer, lines)
        if self.letter.automatic and not self.letter.confirmed:
            _check_written_by_hand(self.letter.text, lines)
        acts = [line for line in lines if line.is_act]
        ready = any(line.word == "ready" for line in lines) and not acts
        begun = self.run.begun(acts)
        problem = "" if begun else self._problem(lines, acts)
        if ready and not problem:
            acts = self._ready(lines)
        if problem:
            for line in acts:
                if line.state == "read":
                    line.state = "not_done"
        elif acts:
            self._carry_out(lines, acts, ready=ready)
        board.mark_seen(self.seat, self.run.seen)
        self._words(lines, problem)
        self._answer([line for line in lines if line.word in order_mail.ASKING and line.state in ("read", "answered")], problem)
        urgent = begun or bool(problem) or self._is_news(lines) or self._asked() != asked or self._revealed(version)
        told = [line.as_json() for line in lines]
        return {"problem": problem, "lines": told, "sections": self.sections, "urgent": urgent}

    def _asked(self) -> list[str]:
        return [one.id for one in self.loaded.awaited() if one.seat == self.seat.index]

    def _is_news(self, lines: Sequence[Line]) -> bool:
        """Return True if the result of a line, or an answer, is more than the writer expects: orders done and messages sent."""
        return bool(self.sections) or any(
            not (line.state == "ignored" or (line.state == "done" and not line.detail))
            for line in lines
            if (line.word, line.state) != ("press", "answered")
        )

    def _revealed(self, version: int) -> bool:
        """Return True if since a version the seat saw what it could not foresee, as a die. Its view alone decides."""
        game, seat = self.loaded.game, self.seat.index
        is_news = game.news or game.reveals
        for stored in stream.events_after(self.match.id, version, self.loaded.viewer_version(seat)):
            seen = see_event(game, stream.lift(game, stored), seat)
            if seen is not None and not of_service(seen.type) and is_news(seen):
                return True
        return False

    def _problem(self, lines: Sequence[Line], acts: Sequence[Line]) -> str:
        """Return the reason why no line that changes the match may be carried out; empty if they may be."""
        if not lines or all(line.state == "ignored" for line in lines):
            return "empty"
        if acts and not self.running:
            for line in acts:
                line.state, line.detail = "not_done", order_mail.meant_word(line, self.loaded.game, over=self.loaded.ended)
            return "match_over" if self.loaded.ended else "not_started"
        if {"wait", "ready"} <= {line.word for line in lines}:
            for line in lines:
                if line.word in order_mail.TIMING:
                    line.state, line.detail = "unreadable", _("Write wait or ready, not both.")
        if order_mail.unreadable(lines):
            return "unreadable"
        if acts and acts[0].is_order and undoing.gone_since(self.loaded, self.seat.index, int(self.letter.payload["version"])):
            return "undone"
        version = int(self.letter.payload["version"])
        if acts and acts[0].is_order and not self.run.open() and (not self.run.others_answer() or self.run.timed_out(version)):
            return "turn_over"
        return ""

    def _carry_out(self, lines: Sequence[Line], acts: list[Line], *, ready: bool) -> None:
        """Carry the orders out, or hold them if the mail says so. Orders that must wait for others are held as well."""
        expected = self._version_known()
        waiting = next((line for line in lines if line.word == "wait"), None)
        if waiting is not None and not self.run.begun(acts):
            self._hold(waiting, acts, expected)
            return
        rest = self.run.carry_out(acts, expected)
        # If all is refused, what was held stays.
        if not ready and any(line.state in ("done", "held") for line in acts) and self._replaces_held():
            self._section(_("Orders held before"), _("They are dropped: this mail takes their place."))
        if rest:
            self._keep(rest, self.run.expected, HeldOrders.Until.WINDOW, self.run.question)

    def _replaces_held(self) -> bool:
        """Replace the orders that were held before by those of this mail. Return True if there were any."""
        return self.holds_orders and bool(
            held_orders.replace(match=self.match, seat=self.seat.index, user_id=self.letter.user.pk, but=self.letter.id)
        )

    def _hold(self, waiting: Line, acts: Sequence[Line], expected: int) -> None:
        """Hold the orders of this mail until the deadline of the open question."""
        question = next((one.id for one in self.loaded.awaited() if one.seat == self.seat.index), "")
        due = Question.objects.filter(match=self.match, seat=self.seat.index, question=question).first()
        if due is None or (why := self._why_not_held(due, acts)):
            waiting.state = "refused"
            waiting.detail = _("You have no pending decision, so there is no deadline to wait for.") if due is None else why
            for line in acts:
                line.state = "not_done"
            return
        for line in acts:
            line.state = "held"
        waiting.state = "answered"
        waiting.detail = _("The orders are held until %(due)s, or until you answer: ready") % {
            "due": moments.local_time(due.due_at, self.letter.user)
        }
        self._keep(acts, expected, HeldOrders.Until.DEADLINE, question)

    def _why_not_held(self, asked: Question, acts: Sequence[Line]) -> str:
        """Return why these lines cannot be held until the deadline of a question; empty if they can."""
        if any(not line.is_order for line in acts):
            return _("Only orders can be held; undo and redo act at once.")
        try:
            # Where the clock has not answered yet, too: what is held counts from just before the deadline.
            turns.check_due(self.match.pk, asked.due_at, self.letter.counts_at)
        except Refused as refused:
            return refused.sentence
        return ""

    def _keep(self, lines: Sequence[Line], version: int, until: HeldOrders.Until, question: str) -> None:
        held_orders.keep(
            match=self.match,
            seat=self.seat.index,
            user_id=self.letter.user.pk,
            mail=self.letter.id,
            question=question,
            lines=lines,
            version=version,
            kept_at=self.loaded.version,
            counts_at=self.letter.counts_at,
            until=until,
        )

    def _ready(self, lines: list[Line]) -> list[Line]:
        """Return the held orders as lines of this mail."""
        said = next(line for line in lines if line.word == "ready")
        try:
            rows = held_orders.told_ready(
                match=self.match,
                seat=self.seat.index,
                user_id=self.letter.user.pk,
                mail=self.letter.id,
                counts_at=self.letter.counts_at,
            )
        except Refused as refused:
            said.state, said.detail = "refused", refused.sentence
            return []
        said.state, said.detail = ("answered", "") if rows else ("refused", _("You have no held orders."))
        found = [line for row in rows for line in held_orders.lines_of(row, self.run)]
        if rows:
            self.run.question = rows[-1].question
        lines += found
        return found

    def _version_known(self) -> int:
        """Return the version shown in the answered mail, advanced over the player's own acts since, which they know."""
        version = int(self.letter.payload["version"])
        own = {"kind": "seat", "seat": self.seat.index}
        for stored in stream.events_after(self.match.id, version, self.loaded.viewer_version(self.seat.index)):
            event = stream.lift(self.loaded.game, stored)
            if stored.meta["actor"] != own and see_event(self.loaded.game, event, self.seat.index) is not None:
                break
            version = stored.version
        self.run.seen = max(self.run.seen, version)
        return version

    # --- service words ---

    def _words(self, lines: Sequence[Line], problem: str) -> None:
        """Do the words with effects beside the orders. They do not depend on the orders, but on the mail being readable."""
        for line in lines:
            if line.word in order_mail.ASIDE and line.state == "read":
                if problem == "unreadable":
                    line.state = "not_done"
                else:
                    service_words.do(self.writer, line)
            elif line.word in order_mail.TIMING and line.state == "read":
                line.state = "not_done" if problem else "answered"

    def _answer(self, lines: Sequence[Line], problem: str) -> None:
        preview: Preview | None = None
        told: set[tuple[str, str]] = set()
        for line in lines:
            asked = line.word, line.argument.casefold()
            if asked in told and line.word != "preview":
                line.state = "answered"
                continue
            told.add(asked)
            match line.word:
                case "help" if line.argument:
                    self._explain(line.argument)
                case "rules" | "card" | "forms" | "list" | "games":
                    self.sections.append(self._leaflet(line).as_section())
                case "help":
                    self._section(_("Orders"), self._help())
                case "hand":
                    self._section(_("Your hand"), self._hand())
                case "status":
                    self._section(_("Status"), status(self.match, self.loaded, self.names, self.letter.user))
                    self._held()
                case "history":
                    self._section(_("What happened"), self._history(min(int(line.argument), order_mail.MOST_HISTORY)))
                case "preview" if line.argument and not problem:
                    preview = preview or Preview(self.loaded.copy().timeline, self.seat.index, self.names)
                    self._preview(preview, line)
                    continue
                case "preview" if problem:
                    line.state = "not_done"
                    continue
            line.state = "answered"
        self.sections = leaflets.fitting(self.sections)

    def _preview(self, preview: Preview, line: Line) -> None:
        if preview.over or line.command is None or not self.running:
            line.state = "not_done"
            return
        line.state = "previewed"
        try:
            line.detail = " ".join(preview.tell(line.command)) or _("Nothing that you could see.")
        except Refused as refused:
            line.state, line.detail = "refused", refused.sentence

    def _help(self) -> str:
        prompt = next((one.prompt for one in self.loaded.awaited() if one.seat == self.seat.index), None)
        return f"{self.loaded.game.order_help(prompt)}\n\n{_(order_mail.HELP)}"

    def _explain(self, of: str) -> None:
        """Show help on a card, piece or place that the seat still sees, or on a word."""
        game = self.loaded.game
        found = leaflets.explained_id(game, self._view(), of) if self.loaded.started else None
        if found is not None:
            self._section(*found)
            return
        explained = leaflets.lines_on(order_mail.canonical(of), _(order_mail.HELP)) if of.casefold() not in game.verbs else ""
        known = {*game.verbs, *order_mail.SUGGESTED}
        leaflet = Leaflet(of, explained) if explained else leaflets.help_on_order(game, self._offer(), of, known)
        self.sections.append(leaflet.as_section())

    def _leaflet(self, line: Line) -> Leaflet:
        game = self.loaded.game
        match line.word:
            case "rules":
                return leaflets.rules(catalog.game(service_lines.game_named(line.argument) or game.id))
            case "card" if self.loaded.started:
                return leaflets.card(game, self._view(), line.argument)
            case "forms":
                return leaflets.forms(self._offer())
            case "list":
                return leaflets.matches_of(self.letter.user)
            case "games":
                return leaflets.games()
        return Leaflet(line.text, _("The match is not running."))

    def _view(self) -> JsonObject:
        return self.loaded.game.view(self.loaded.timeline.state, self.seat.index)

    def _offer(self) -> Offer:
        """Return what the seat can order now, the same object until the match has moved on."""
        version = self.loaded.version
        if version not in self._offers:
            self._offers = {version: Offer(self.loaded.game, self._legal)}
        return self._offers[version]

    def _legal(self) -> Sequence[Form]:
        return self.loaded.game.legal_commands(self.loaded.timeline.state, self.seat.index) if self.running else ()

    def _hand(self) -> str:
        """Return what the seat holds, one line each. The receipt shows the whole board anyway."""
        if not self.loaded.started:
            return ""
        hand = self.loaded.game.hand(self.loaded.game.view(self.loaded.timeline.state, self.seat.index))
        if hand is None:
            return _("The position below shows all you have.")
        return "\n".join(held.words for held in hand) or _("Your hand is empty.")

    def _history(self, count: int) -> str:
        return history(self.loaded, self.seat.index, self.names, count, self.letter.user)

    def _held(self) -> None:
        """List held orders that may still be carried out. A question that was answered otherwise does not come back."""
        asked = {one.id for one in self.loaded.awaited() if one.seat == self.seat.index}
        rows = held_orders.held(match=self.match, seat=self.seat.index, user_id=self.letter.user.pk).order_by("created_at")
        waiting = [row for row in rows if row.until == HeldOrders.Until.WINDOW or row.question in asked]
        orders = "\n".join(one["text"] for row in waiting for one in row.lines)
        if orders:
            self._section(_("Orders held"), orders)

    def _section(self, title: str, text: str) -> None:
        self.sections.append({"title": title, "text": text})


def _check_written_by_hand(text: str, lines: Sequence[Line]) -> None:
    """Refuse what may be an automatic answer. Raises `MailRefused`: held for a question if there are orders in it.

    What is said within a line for other players (press) is no such answer.
    """
    meant = [line for line in lines if line.state in ("read", "ask") and line.word != "courtesy"]
    if not meant:
        raise MailRefused("automatic")
    for line in meant:
        text = text.replace(line.text, "") if line.word == "press" else text
    if automatic.says_so(text) or all(line.word != "press" for line in meant):
        raise MailRefused("half_automatic")


def history(loaded: Loaded, seat: int, names: tuple[str, ...], count: int, user: User | None = None) -> str:
    """Return the last events that a seat may know, one line each."""
    told = sentences.tell_last(loaded, seat, names, count, quoting=False) if count else []
    return "\n".join(f"{moments.local_time(one.moment, user)}  {one.sentence}" for one in told)


def status(match: Match, loaded: Loaded, names: tuple[str, ...], user: User | None = None) -> str:
    """Return the pending decisions with their deadlines, one line each."""
    if loaded.ended:
        return _("The match is over.")
    rows = sorted(match.questions.all(), key=lambda row: (row.soonest(), row.seat))
    asked = [
        _("%(name)s, until %(due)s") % {"name": names[row.seat], "due": moments.local_time(row.due_at, user)} for row in rows
    ]
    return "\n".join(asked) or _("No decision is pending.")
