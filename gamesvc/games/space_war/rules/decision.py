"""One decision in progress: emitting events, the agenda of unresolved tasks, items and prompts.

The agenda is a list of tasks (plain JSON), the next one first. A task runs as far as it can. A choice suspends it in a prompt,
and the answer puts it back on the agenda with the picks. Every event stores the remaining agenda in the state, so that the state
at any item can be continued, with or without a reaction in front of it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from gamesvc.games.kernel.game import Command
from gamesvc.games.kernel.timeline import Run
from gamesvc.games.space_war.data import CARDS, ROWS
from gamesvc.games.space_war.events.answers import Flip, ItemsSettled, PromptOpened
from gamesvc.games.space_war.events.base import Sent, WarEvent
from gamesvc.games.space_war.events.course import GameEnded, OutcomePending, WentOn
from gamesvc.games.space_war.events.play import EnteredPlay, LeftPlay, NewPiece, PutIntoPlay
from gamesvc.games.space_war.events.zones import PileOrdered
from gamesvc.games.space_war.rules.facts import Board
from gamesvc.games.space_war.state import Prompt, State, owner_of
from gamesvc.json_types import JsonObject
from gamesvc.language import english

Task = JsonObject
TASKS: dict[str, Callable[[Flow, Task], None]] = {}
"""The handler of each kind of task, registered by the modules that define them."""

NOT_REPLAYED = frozenset({"react", "let_stand", "set_orders", "replay", "choose", "draw", "pause", "resign", "time_out", "go_on"})

ANSWERS = frozenset({"react", "let_stand", "choose"})
"""Commands that a seat may also give in the other seat's turn."""


def task(name: str) -> Callable[[Callable[[Flow, Task], None]], Callable[[Flow, Task], None]]:
    """Register the handler of a kind of task."""

    def register(function: Callable[[Flow, Task], None]) -> Callable[[Flow, Task], None]:
        TASKS[name] = function
        return function

    return register


def plain(value: object) -> Any:
    """Return a value as it would come back from JSON, its words in English."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return english(value) if isinstance(value, str) else value


def barrier_item(state: State, barrier: Task) -> int:
    """Return the number of the item that a barrier follows; for a pause, the newest item at that moment. It is public."""
    return int(barrier.get("item", state.paused))


def barred(state: State, agenda: Sequence[Task]) -> int | None:
    """Return the seat that must settle its open items before the agenda continues, or None.

    A barrier waits for nobody until its own item is open: before that, only hidden marks on earlier items would determine the
    awaited seat.
    """
    if not agenda or agenda[0]["op"] not in ("barrier", "pending") or barrier_item(state, agenda[0]) >= state.next_item:
        return None
    seat = int(agenda[0]["seat"])
    return seat if state.open_items(seat) else None


def blockers(state: State) -> list[Prompt]:
    """Return the prompts that block the match: those marked as blocking, and those of the seat whose turn it is."""
    return [prompt for prompt in state.prompts if prompt.blocking or (prompt.seat == state.active and state.phase != "review")]


def halted(state: State, agenda: Sequence[Task]) -> bool:
    return state.phase == "over" or bool(blockers(state)) or barred(state, agenda) is not None


class Flow:
    """A wrapper around a `Run` for one command."""

    def __init__(self, run: Run[State], seat: int | None = None, command: Command | None = None) -> None:
        self.run = run
        self.answering = seat if command is not None and command["name"] in ANSWERS else None
        self.agenda: list[Task] = list(run.state.agenda) if run.started else []
        self.start = run.version  # the version before the act that is being declared
        self.ending: int | None = None  # the same for the end of a turn
        self._board: Board | None = None
        self._cmd: Sent | None = None  # the next event begins the command
        self._settles: list[int] | None = None  # the next event settles these items
        if seat is not None and command is not None:
            self._cmd = {"seat": seat, "command": plain(dict(command)), "replay": command["name"] not in NOT_REPLAYED}

    @property
    def state(self) -> State:
        return self.run.state

    @property
    def board(self) -> Board:
        if self._board is None or self._board.state is not self.run.state:
            self._board = Board(self.run.state)
        return self._board

    def emit(self, event: WarEvent) -> State:
        """Add an event. The current agenda is stored with it if it has changed."""
        todo = self.agenda if self.run.started and tuple(self.agenda) != self.run.state.agenda else None
        cmd, self._cmd = self._cmd, None
        settles, self._settles = self._settles, None
        return self.run.emit(replace(event, todo=todo, cmd=cmd, settles=settles))

    def push(self, *tasks: Task) -> None:
        """Put tasks at the front of the agenda."""
        self.agenda[0:0] = [plain(one) for one in tasks]

    def go(self) -> None:
        """Resolve tasks until a seat must act."""
        while self.agenda and not halted(self.state, self.agenda):
            one = self.agenda.pop(0)
            TASKS[one["op"]](self, one)
        if self.state.phase != "over" and tuple(self.agenda) != self.state.agenda:
            self.emit(WentOn())

    def back(self, version: int, **why: object) -> None:
        """Rewind to a version and restore its agenda."""
        if version != self.run.version:
            self.run.rewind(version, **why)
        self.agenda = list(self.run.state.agenda)

    # --- prompts ---

    def answers_now(self, seat: int) -> bool:
        """Return True if the seat is present to choose: in its own turn, or while it is answering."""
        return seat == self.answering or (seat == self.state.active and self.state.phase != "review")

    def ask(
        self,
        seat: int,
        kind: str,
        options: Sequence[str],
        least: int,
        most: int,
        then: Task,
        *,
        blocking: bool = True,
    ) -> None:
        """Suspend a task in a prompt. The answer continues it with `picks`."""
        self.emit(
            PromptOpened(
                prompt=self.state.next_prompt,
                seat=seat,
                kind=kind,
                blocking=blocking,
                options=options,
                least=least,
                most=most,
                item=then.get("item", 0),
                task=then,
            )
        )

    # --- items ---

    def settle(self, seat: int, upto: int | None = None) -> None:
        """Settle the items open against a seat: all of them, or up to a number."""
        gone = [item.n for item in self.state.open_items(seat) if upto is None or item.n <= upto]
        if gone:
            self.let_stand(seat, gone)

    def settle_along(self, seat: int) -> None:
        """Settle the items open against a seat with the next event, unless cards flipped within them have to be shown.

        An event of its own would be sealed for the other seat, who could count it, and would know by it whether anything was
        still open: whether standing orders let its items stand.
        """
        gone = [item.n for item in self.state.open_items(seat)]
        if self._flips(gone):
            self.let_stand(seat, gone)
        elif gone:
            self._settles = gone

    def let_stand(self, seat: int, items: Sequence[int]) -> None:
        """Settle the given items. Cards flipped within them become known to all (RULES.md 9)."""
        self.emit(ItemsSettled(seat=seat, items=items, flips=self._flips(items)))

    def _flips(self, items: Sequence[int]) -> tuple[Flip, ...]:
        return tuple(
            Flip(seat=owner, slot=card.slot, id=card.id, name=self.card(card.id))
            for owner, side in enumerate(self.state.sides)
            for card in side.station
            if card.flipped and card.item in items
        )

    # --- endings ---

    def finish(self, winner: int, reason: str) -> None:
        self.agenda = []
        self.emit(GameEnded(winner=winner, reason=reason))

    def check_life(self, seat: int, item: int) -> None:
        """End the match if a commander has fallen, or wait until the seat has answered the open item (RULES.md 11.8).

        The draw phase of an extra turn belongs to no item; the items of the preceding turn may still be answered.
        """
        if self.state.sides[seat].life > 0 or self.state.phase == "over":
            return
        answerable = [open_item.n for open_item in self.state.open_items(seat)]
        item = item or max(answerable, default=0)
        if item in answerable:
            self.agenda = []
            self.push({"op": "pending", "seat": seat, "item": item})
            self.emit(OutcomePending(seat=seat, item=item))
        else:
            self.finish(1 - seat, "commander")

    # --- helpers ---

    def card(self, instance: str) -> str:
        """Return the card id of an instance."""
        return self.state.cards[instance]

    def shuffle(self, seat: int) -> None:
        pile = self.state.sides[seat].pile
        self.emit(PileOrdered(seat=seat, order=self.run.dice.shuffle(pile)))

    def enter(
        self,
        instance: str,
        seat: int,
        *,
        card: str = "",
        zone: int | None = None,
        on: str | None = None,
        x: int | None = None,
        kind: type[EnteredPlay] | type[PutIntoPlay] = EnteredPlay,
    ) -> None:
        """Put a card into play under a seat's control, as its own card or as the one it copies."""
        state = self.state
        card = card or self.card(instance)
        piece: NewPiece = {
            "id": instance,
            "card": card,
            "owner": owner_of(instance),
            "controller": seat,
            "zone": seat if zone is None else zone,
            "entered": state.turn,
            "zone_turn": state.turn,
            "order": state.next_order,
            "dormant": "delayed" in CARDS[card].keywords,
        }
        if on is not None:
            piece["on"] = on
        if x is not None:
            piece["x"] = x
        self.emit(kind(piece=piece))

    def leave(self, instances: Sequence[str], reason: str, to: str = "discard") -> None:
        """Remove cards from play. Cards attached to them go to their owners' discard piles."""
        gone = [p.id for p in self.state.pieces if p.id in instances]
        hooked = [p.id for p in self.state.pieces if p.on in gone and p.id not in gone]
        if gone:
            names = {p.id: self.card(p.id) for p in self.state.pieces if p.id in gone or p.id in hooked}
            if hooked:
                self.emit(LeftPlay(cards=hooked, to="discard", reason="destroyed", names=names))
            self.emit(LeftPlay(cards=gone, to=to, reason=reason, names=names))

    def destroy(self, instances: Sequence[str], item: int) -> None:
        """Destroy cards simultaneously within an item. Effects triggered by the destruction go to the front of the agenda."""
        triggers = [
            {"op": "blast", "zone": p.zone, "seat": p.controller, "exclude": p.id, "item": item}
            for p in sorted(self.state.pieces, key=lambda p: (p.controller != self.state.active, p.order))
            if p.id in instances and CARDS[p.card].triggered("destroyed") and self.board.has_text(p)
        ]
        self.leave(instances, "destroyed")
        self.push(*triggers)


def by_rows(options: Sequence[str], rows: dict[str, str], order: Sequence[str]) -> list[str]:
    """Sort slots by a preference of rows; within a row, the lowest slot comes first."""
    ranked = [*order, *(row for row in ROWS if row not in order)]
    return sorted(options, key=lambda slot: (ranked.index(rows[slot]), int(slot[1:])))
