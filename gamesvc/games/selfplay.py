"""Self-play: bots play whole matches in memory while every invariant is checked after every act.

Checked: the game's own invariants (`faults`), that every offered form is accepted, that the record replays to the same state,
that positions read back the same, and that hidden information stays hidden (`secrecy`). Between the commands of awaited seats,
others act out of turn, undo or redo their commands, the match goes back (or forward again) to any version, and forks are played
for a while.
"""

from __future__ import annotations

import bisect
import json
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from gamesvc.games import dealing
from gamesvc.games.handovers import HandOvers
from gamesvc.games.kernel import codec, forms
from gamesvc.games.kernel.dice import Dice, seeded
from gamesvc.games.kernel.events import REWOUND, of_service
from gamesvc.games.kernel.game import RANDOM, RESIGN, Caption, Event, Form, Game, Outcome, Refused, see_event
from gamesvc.games.kernel.timeline import Run, Timeline, check_options, replay
from gamesvc.games.kernel.undo import undo_rules
from gamesvc.games.kernel.undo.trail import Deed, Past, Trail
from gamesvc.games.kernel.undo.undo_rules import Taken
from gamesvc.games.secrecy import Broken, Watch, chance, check_hidden, check_told, command_of, rewind_of
from gamesvc.games.tapping import check_taps
from gamesvc.json_types import JsonMapping, JsonObject

# Options that end a match which the rules alone would allow to run forever, with values large enough for every situation to
# occur.
BOUNDS = {"turn_limit": 40, "max_rounds": 60}
MOST_REWINDS = 8
MOST_UNDOS = 24
"""The limits on rewinds and undos per match. With more of them, a match might never end."""
NEAR = 40
"""The usual maximum distance of a rewind, in versions."""
NO_MOMENT = datetime(2026, 1, 1, tzinfo=UTC)
"""A fixed time for all events: self-play has no clock."""
NAMED = 0.1
"""The probability of trying an act with an id in it that its seat may not know."""
FORK = 12
"""The number of commands played in a fork."""


def bounded(game: Game) -> JsonObject:
    """Return the options with which a game can be made to end, with their values."""
    return {name: value for name, value in BOUNDS.items() if name in game.manifest.options["properties"]}


@dataclass
class Record:
    """A whole match as played: enough to replay its events or to play its commands again.

    A command is `(seat, command)`. `(None, {"to": version})` is a rewind from outside the game; an undo or redo by a seat adds
    `cause` ("undo" or "redo"), `seat`, `private` and `kept`.
    """

    game: str
    options: JsonObject
    seats: int
    seed: str
    commands: list[tuple[int | None, JsonObject]] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    outcome: Outcome | None = None
    position: JsonObject | None = None  # the starting position, if not the game's own setup
    ends: list[int] = field(default_factory=list)  # the number of events after the setup and after each command
    checks: Counter[str] = field(default_factory=Counter)
    handovers: list[int] = field(default_factory=list)  # for each turn played without a rewind

    def __str__(self) -> str:
        return f"{self.game} seed {self.seed!r}"


def play(
    game: Game,
    *,
    options: JsonMapping,
    seats: int,
    seed: str,
    bots: tuple[str, ...] = (RANDOM,),
    check_every: int = 1,
    interrupt: float = 0.0,
    most_commands: int = 20_000,
    match_id: str = "",
    opening: Sequence[Event] = (),
) -> Record:
    """Play one match between bots (repeated over the seats). Raises `Broken`. `check_every` 0 checks only the end.

    `interrupt`: the probability of something other than the next command. `match_id`: the match whose draws are used. `opening`:
    events of the service that precede those of the game.
    """
    full = check_options(game, options, seats)
    match = _Match(
        game,
        Timeline(game),
        Record(game.id, full, seats, seed),
        rng=random.Random(f"{game.id} {seed}"),
        dice=seeded(seed, match_id),
        bots=bots,
        check_every=check_every,
        interrupt=interrupt,
    )
    match.open(opening)
    while (outcome := game.outcome(match.timeline.state)) is None:
        if len(match.record.commands) >= most_commands:
            raise Broken(f"{match.record}: no end after {most_commands} commands")
        match.step()
    match.close(outcome)
    return match.record


@dataclass
class _Match:
    """A match being played, with its record, its observers, and the randomness of everything around it (`rng`)."""

    game: Game
    timeline: Timeline
    record: Record
    rng: random.Random
    dice: Dice
    bots: tuple[str, ...]
    check_every: int
    interrupt: float
    watch: Watch = field(init=False)
    handovers: HandOvers = field(init=False)

    @property
    def where(self) -> str:
        return f"{self.record} version {self.timeline.version}"

    def open(self, opening: Sequence[Event]) -> None:
        """Fold the service's events, let the game set itself up, and begin to observe it."""
        self.timeline.fold(opening)
        self.record.events.extend(opening)
        self._take(self.timeline.begin(self.record.options, self.record.seats, self.dice))
        self.watch = Watch(self.game, self.timeline, self.rng, str(self.record))
        self.handovers = HandOvers(self.record.handovers)

    def step(self) -> None:
        """Play the next act, with the checks before and after it, if it is one of those to check."""
        checking = bool(self.check_every) and len(self.record.commands) % self.check_every == 0
        # In the middle of a command, after a rewind, nobody is awaited.
        halfway = not playable(self.timeline, self.record, self.timeline.version)
        self.handovers.look(self.game, self.timeline.state)
        if checking and not halfway and self.rng.random() < self.interrupt / 10:
            check_fork(self.game, self.timeline, self.record, self.rng)
        seat, command = (None, self._leave_halfway()) if halfway else self._choose()
        if checking and not halfway:
            check_state(self.game, self.timeline, self.where, self.rng)
            self.watch.look()
        else:
            # Halfway there are no forms to compare.
            self.watch.close_eyes()
        run = self._act(seat, command, checking)
        self._note(seat, command)
        self._take(run)

    def close(self, outcome: Outcome) -> None:
        """Record the outcome and check the whole record."""
        self.record.outcome = outcome
        self.record.checks.update(self.watch.counts)
        check_state(self.game, self.timeline, f"{self.record} at the end", self.rng)
        check_replay(self.game, self.record, self.timeline)

    def _leave_halfway(self) -> JsonObject:
        """Return the rewind to the newest version from which the match can continue."""
        return {"to": next(end for end in reversed(self.record.ends) if playable(self.timeline, self.record, end))}

    def _choose(self) -> tuple[int | None, JsonObject]:
        """Choose an interruption, now and then, or the command of an awaited seat. After an undo, a redo is likely."""
        likely = self.interrupt if _just_undone(self.record) is None else max(self.interrupt, 0.5)
        if self.rng.random() < likely:
            seat, command = _interruption(self.record, self.timeline, self.rng, self.dice)
            if command is not None:
                return seat, command
        return _next(self.game, self.timeline, self.bots, self.rng, str(self.record))

    def _act(self, seat: int | None, command: JsonObject, checking: bool) -> Run:
        """Decide a command or a rewind, and compare it with the doubles of the match."""
        act = rewind_of(command) if seat is None else command_of(seat, command)
        draws = self.dice.next
        try:
            run = act(self.timeline, self.dice)
        except Refused as refused:
            raise Broken(f"{self.where}: offered {command}, refused: {refused}") from refused
        if checking:
            outsider, name = self.rng.randrange(self.record.seats), self.rng.choice(sorted(self.game.commands))
            self.watch.check_refusal(outsider, {"name": name})
            # What only looks has its own randomness: a seed plays the same match, whatever is looked at.
            looking = random.Random(f"{self.where} named")
            if seat is not None:
                self.watch.check_refusal(outsider, command)
            if seat is not None and looking.random() < NAMED:
                self.watch.check_named(outsider, command, looking)
            halfway = seat is None and not playable(self.timeline, self.record, int(command["to"]))
            self.watch.follow(run, act, self.dice.source, draws, seat, halfway=halfway)
            self.record.checks["acts"] += 1
        return run

    def _note(self, seat: int | None, command: JsonObject) -> None:
        """Record and count a command, an undo, a redo or a rewind."""
        if seat is None:
            self.handovers.go_back()
        kind = "commands" if seat is not None else f"{command['cause']}s" if "cause" in command else "rewinds"
        self.record.checks[kind] += 1
        self.record.commands.append((seat, command))

    def _take(self, run: Run) -> None:
        """Accept the events of a decided act."""
        self.timeline.follow(run)
        self.record.events.extend(run.events)
        self.record.ends.append(len(self.record.events))


def _plain(command: JsonMapping) -> JsonObject:
    """Return a command as the record will store it, with sorted keys."""
    plain: JsonObject = json.loads(json.dumps(dict(command), sort_keys=True))
    return plain


def _next(game: Game, timeline: Timeline, bots: Sequence[str], rng: random.Random, name: str) -> tuple[int, JsonObject]:
    """Return an awaited seat and its command."""
    waiting = game.awaited(timeline.state)
    if not waiting:
        raise Broken(f"{name}: nobody is awaited and the match is not over at {timeline.version}")
    seat = rng.choice(waiting).seat
    offered = game.legal_commands(timeline.state, seat)
    if not any(not form.aside for form in offered):
        raise Broken(f"{name}: seat {seat} is awaited at {timeline.version} and has no form")
    if game.asides is not None and (unknown := {form.name for form in offered if form.aside} - {*game.asides}):
        raise Broken(f"{name}: {sorted(unknown)} stand beside the game at {timeline.version} and are not declared so")
    bot = game.bots[bots[seat % len(bots)]]
    return seat, _plain(bot(game.view(timeline.state, seat), offered, rng))


# --- interruptions ---


def _interruption(record: Record, timeline: Timeline, rng: random.Random, dice: Dice) -> tuple[int | None, JsonObject | None]:
    """Choose an act out of turn, an undo or a rewind; no command if none is possible."""
    game = timeline.game
    if (seat := _just_undone(record)) is not None:
        trail = Trail(lambda after, until: _past(record, after, until), timeline.version)
        return None, _redo(timeline, trail, seat, Dice(dice.source, dice.next))
    kind = rng.random()
    if kind < 0.15 and record.checks["rewinds"] < MOST_REWINDS:
        return None, {"to": _target(record, rng)}
    seat = rng.randrange(record.seats)
    if kind < 0.35 and record.checks["undos"] < MOST_UNDOS:
        trail = Trail(lambda after, until: _past(record, after, until), timeline.version)
        return None, _undo(timeline, trail, seat, Dice(dice.source, dice.next), rng)
    awaited = {waiting.seat for waiting in game.awaited(timeline.state)}
    offered = [form for form in game.legal_commands(timeline.state, seat) if form.aside or seat not in awaited]
    return seat, _meddle(offered, rng)


def _meddle(offered: Sequence[Form], rng: random.Random) -> JsonObject | None:
    """Fill a form of any offered kind, each kind equally likely, except `resign`."""
    kinds = sorted({form.name for form in offered} - {RESIGN})
    if not kinds:
        return None
    kind = rng.choice(kinds)
    return _plain(forms.fill(rng.choice([form for form in offered if form.name == kind]), rng))


def _target(record: Record, rng: random.Random) -> int:
    """Choose a version to go to: before an act, within one, or an undone one."""
    first, newest = record.ends[0], len(record.events)
    rewinds = [event.version for event in record.events if event.type == REWOUND]
    kind = rng.choice(("last", "near", "near", "acts", "any", "redo"))
    if kind == "last" and len(record.ends) > 1:
        return record.ends[-2]
    if kind == "redo" and rewinds:
        return max(first, rng.choice(rewinds[-3:]) - 1)
    if kind == "acts":
        return rng.choice(record.ends[-NEAR:])
    return rng.randint(max(first, newest - NEAR) if kind != "any" else first, newest)


def playable(timeline: Timeline, record: Record, version: int) -> bool:
    """Return True if a match can continue from a version. Within a command it can only from one that the game marks."""
    while version > 0 and (event := record.events[version - 1]).type == REWOUND:
        version = event.predecessor
    return version in record.ends or version in timeline.game.marks(timeline.at(version))


def _just_undone(record: Record) -> int | None:
    """Return the seat that has just undone something; None if the last act was another one."""
    command = record.commands[-1][1] if record.commands else {}
    return int(command["seat"]) if command.get("cause") == "undo" and "to" in command else None


def _past(record: Record, after: int, until: int) -> list[Past]:
    """Return the events after one version up to another, in the form that `undo_rules` reads."""
    found = []
    for event in record.events[after:until]:
        number = bisect.bisect_left(record.ends, event.version)
        seat, command = record.commands[number - 1] if number else (None, None)
        first = (number == 0 and event.version == 1) or (number > 0 and event.version == record.ends[number - 1] + 1)
        kind = "service" if not number else "host" if seat is None else "seat"
        found.append(Past(event, first, kind, seat, command, NO_MOMENT, NO_MOMENT))
    return found


def _undo(timeline: Timeline, trail: Trail, seat: int, dice: Dice, rng: random.Random) -> JsonObject | None:
    """Undo a seat's latest command: freely if that is allowed, otherwise (now and then) as if everyone agreed."""
    game = timeline.game
    try:
        found = undo_rules.find(game, trail, seat, changes=undo_rules.changing(timeline, seat))
    except Refused:
        return None
    consent = bool(found.others) or found.told or rng.random() < 0.2
    private = not consent and undo_rules.unseen(game, found.deed, seat, game.seats(timeline.state))
    command = {"to": found.to, "cause": "undo", "seat": seat, **({"private": True} if private else {})}
    return _with_kept(timeline, command, found.since, dice, give_up=consent)


def _redo(timeline: Timeline, trail: Trail, seat: int, dice: Dice) -> JsonObject | None:
    """Redo a seat's latest undo."""
    undone = undo_rules.find_redo(timeline.game, trail, seat)
    if undone is None or undone.going_back is None:
        return None
    try:
        since = undo_rules.since_undo(trail, undone)
    except Taken:
        return None
    private = {"private": True} if undone.going_back.data.get("private") else {}
    return _with_kept(timeline, {"to": undone.before, "cause": "redo", "seat": seat, **private}, since, dice, give_up=False)


def _with_kept(timeline: Timeline, command: JsonObject, since: Sequence[Deed], dice: Dice, *, give_up: bool) -> JsonObject | None:
    """Add the versions of other seats' events that still hold. Returns None if an event would be lost without consent."""
    try:
        kept = undo_rules.kept(timeline, rewind_of(command)(timeline, dice).state, since, give_up=give_up)
    except Taken:
        return None
    return {**command, "kept": kept} if kept else command


def check_fork(game: Game, timeline: Timeline, record: Record, rng: random.Random) -> None:
    """Fork the match from a position as a seat may have it, with everything hidden from it redealt, and play on."""
    where = f"{record} fork at {timeline.version}"
    seat = rng.randrange(record.seats)
    redealt, marked = dealing.redeal(game, timeline.state, timeline.at, seat, chance(rng))
    try:
        state, kept = game.scatter(redealt, marked, seat, chance(rng))
    except Refused:
        record.checks["forks refused"] += 1
        return
    pairs = [(timeline.state, redealt), (redealt, state), *((marked[at], kept[at]) for at in marked)]
    if any(game.view(one, seat) != game.view(two, seat) for one, two in pairs):
        raise Broken(f"{where}: seat {seat} sees another position")
    fork: Timeline = Timeline(game)
    dice = seeded(f"{rng.random()}")
    run = Run(fork, dice)
    try:
        run.place(json.loads(json.dumps(codec.write_position(game, state, timeline.version, kept))))
    except Refused as refused:
        raise Broken(f"{where}: {refused}") from refused
    fork.follow(run)
    watch = Watch(game, fork, rng, where)
    for _ in range(FORK):
        if game.outcome(fork.state) is not None:
            break
        record.checks["fork commands"] += 1
        check_state(game, fork, f"{where} version {fork.version}", rng)
        watch.look()
        mover, command = _next(game, fork, (RANDOM,), rng, where)
        act, draws = command_of(mover, command), dice.next
        try:
            run = act(fork, dice)
        except Refused as refused:
            raise Broken(f"{where} version {fork.version}: offered {command}, refused: {refused}") from refused
        watch.follow(run, act, dice.source, draws, mover)
        fork.follow(run)
    record.checks["forks"] += 1


# --- checks ---


def check_state(game: Game, timeline: Timeline, where: str, rng: random.Random) -> None:
    """Check the invariants; now and then also that positions read back the same and that boards can be drawn."""
    faults = game.faults(timeline.state)
    if faults:
        raise Broken(f"{where}: {faults[0]}")
    if rng.random() < 0.05:
        position = codec.write_position(game, timeline.state, timeline.version, timeline.keep_marked())
        state, _ = codec.read_position(game, json.loads(json.dumps(position)), timeline.version)
        if state != timeline.state:
            raise Broken(f"{where}: the position does not read back the same")
    if timeline.version % 10 == 0:
        for waiting in game.awaited(timeline.state):
            check_taps(game, timeline.state, waiting.seat, where)
    if rng.random() < 0.02:
        for viewer in (None, *range(game.seats(timeline.state))):
            seen = json.loads(json.dumps(game.view(timeline.state, viewer)))
            game.picture(seen, Caption())
            game.board_text(seen, Caption())
        for seat in range(game.seats(timeline.state)):
            check_told(game, timeline.state, game.redeal(timeline.state, seat, chance(random.Random(where))), seat, where)


def check_replay(game: Game, record: Record, timeline: Timeline) -> None:
    """Check that the record as JSON replays to the same state, and that acts hidden from a viewer show them nothing."""
    events = [
        Event(event.type, json.loads(json.dumps(event.data)), event.version, event.type_version, event.draws)
        for event in record.events
    ]
    if replay(game, events).state != timeline.state:
        raise Broken(f"{record}: replay differs from the state that was played")
    check_hidden(game, events, record.ends, record.seats, str(record))
    told = [event for event in events if not of_service(event.type)]
    for viewer in (None, *range(record.seats)):
        for event in told[:: max(1, len(told) // 50)]:
            if (seen := see_event(game, event, viewer)) is not None:
                game.tell(seen, viewer, Caption().names)


@dataclass
class Tally:
    """The combined results of several matches."""

    matches: int = 0
    commands: int = 0
    events: int = 0
    reasons: Counter[str] = field(default_factory=Counter)
    wins: Counter[int] = field(default_factory=Counter)
    scores: list[tuple[int, ...]] = field(default_factory=list)
    checks: Counter[str] = field(default_factory=Counter)
    handovers: list[int] = field(default_factory=list)

    def add(self, record: Record) -> None:
        assert record.outcome is not None
        self.matches += 1
        self.commands += len(record.commands)
        self.events += len(record.events)
        self.checks.update(record.checks)
        self.handovers += record.handovers
        self.reasons[record.outcome.reason] += 1
        for seat in record.outcome.ranking[0]:
            self.wins[seat] += 1
        self.scores.append(record.outcome.scores)
