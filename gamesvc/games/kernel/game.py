"""The vocabulary that all engines share: the parts of a game, and the types of commands, events and refusals.

A game is one record of functions over values (`Game`). State is a frozen dataclass; nothing here or in an engine reads a clock, a
file or a global. Elsewhere: running a match (`timeline`), chance (`dice`), reading forms (`forms`).
"""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, NewType

from typing_extensions import TypeVar

from gamesvc.errors import Refusal
from gamesvc.games.kernel.events import POSITIONED, REWOUND, of_service
from gamesvc.games.kernel.vocabulary import closed_object, with_name
from gamesvc.json_types import JsonMapping, JsonObject
from gamesvc.language import say

if TYPE_CHECKING:
    from gamesvc.games.kernel.dice import Dice, Draw
    from gamesvc.games.kernel.targets import Finder, Picture
    from gamesvc.games.kernel.telling import Entry, Explained, Glance, Held, Part, StandingOrders, Summary
    from gamesvc.games.kernel.timeline import Run

S = TypeVar("S", default=Any)
Data = JsonMapping
Schema = JsonMapping
Command = JsonMapping
"""A command as sent by a client: `{"name": "colonize", "space": "C4"}`."""
Viewer = int | None
"""A seat number, or None for a spectator."""
RESIGN = "resign"
"""The command by which a seat gives up the match, in every game that has one. It takes no parameters."""
DECLINE = "pass"
"""The command by which a seat declines to act, in every game that has one. It needs no parameters."""
RANDOM = "random"
"""The bot that plays any legal command. Every game that has bots has this one."""
LETTERED_ID = r"[A-Za-z]{1,2}-?\d{1,3}"
"""A pattern of ids such as E5, v12, a-07."""
Version = NewType("Version", int)
"""A version number inside a state. Positions write it as a distance, so that a match can begin from one at any version."""


class Refused(Refusal):
    """A refusal of a command: a stable code for programs, a sentence for people, and the parameter at fault.

    The parameter's name may come from the sender, so it is cut to the length that the audit trail stores.
    """

    LONGEST_PARAMETER = 200

    def __init__(self, code: str, detail: str, parameter: str | None = None) -> None:
        super().__init__(code, detail, parameter[: self.LONGEST_PARAMETER] if parameter is not None else None)

    def as_json(self) -> JsonObject:
        return {"code": self.code, "detail": self.detail, "parameter": self.parameter}


@dataclass(frozen=True, slots=True)
class Event:
    """An immutable fact. `type` has no prefix inside an engine (`colony_placed`); the service's own types begin with `match.`.

    `redacted`: this is a viewer's copy with part of the data hidden (`see_event`); the flag is not stored.
    """

    type: str
    data: Data
    version: int = 0
    type_version: int = 1
    draws: tuple[Draw, ...] = ()
    redacted: bool = field(default=False, compare=False)

    @property
    def predecessor(self) -> int:
        """Return the version before this event on its path; for a rewind, the one it goes back to."""
        return int(self.data["to"]) if self.type == REWOUND else self.version - 1

    @property
    def kept(self) -> tuple[int, ...]:
        """Return the versions of the undone events that a rewind keeps. `kept` in an event of a game means something else."""
        return tuple(self.data.get("kept", ())) if self.type == REWOUND else ()


@dataclass(frozen=True, slots=True)
class Awaited:
    """A seat that must act now.

    `id` identifies the pending decision. It stays the same while the decision is open (through all phases of a seat's own turn,
    and through windows in the middle of it) and is never reused; clocks run per seat and id. `prompt` names the current step
    (`retool`); `kind` is the category for clocks. `clock` names the clock to continue where a rewind reopened the decision under
    a new id. The new id keeps answers to the cancelled decision apart.
    """

    seat: int
    prompt: str
    id: str
    kind: str = "turn"  # one of turn, reaction, choice, commit
    clock: str = ""

    def as_json(self) -> JsonObject:
        return {"seat": self.seat, "prompt": self.prompt, "id": self.id, "kind": self.kind}


@dataclass(frozen=True, slots=True)
class Form:
    """A command that is legal now, with its parameters as JSON Schema narrowed to the legal values (see `forms`).

    `aside`: the command does not move the match on (resign, standing orders, offers); pages show these forms separately.
    `choice`: a `oneOf` of objects, instead of `parameters`, where what can be chosen depends on a first choice (see `acts`).
    """

    name: str
    label: str
    parameters: Mapping[str, Schema] = field(default_factory=dict)
    required: tuple[str, ...] | None = None  # None: all of them
    aside: bool = False
    act: str = ""
    choice: Schema | None = None

    @property
    def verb(self) -> str:
        """Return the act in a few words, for a button: `Build fleet`."""
        return self.act or self.name.replace("_", " ").capitalize()

    @property
    def body(self) -> Schema:
        """Return the schema of the command without its name: an object, or a `oneOf` of objects."""
        if self.choice is not None:
            return self.choice
        return closed_object(self.parameters, tuple(self.parameters) if self.required is None else self.required)

    def schema(self) -> JsonObject:
        """Return one JSON Schema object for the whole command, including its name."""
        return with_name(self.body, self.name)

    def as_json(self) -> JsonObject:
        told = {"name": self.name, "label": self.label, "verb": self.verb, "aside": self.aside}
        return {**told, "parameters": self.schema()}


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a match.

    `ranking` lists groups of seats, best first; a group shares its rank. `scores` has one entry per seat.
    """

    reason: str
    ranking: tuple[tuple[int, ...], ...]
    scores: tuple[int, ...]
    detail: Data = field(default_factory=dict)

    def as_json(self) -> JsonObject:
        return {
            "reason": self.reason,
            "ranking": [list(group) for group in self.ranking],
            "scores": list(self.scores),
            "detail": dict(self.detail),
        }


@dataclass(frozen=True, slots=True)
class Manifest:
    """The description of a game for lobbies and clients. `options` is a JSON Schema object with a default for each property."""

    id: str
    title: str
    designer: str
    rules_link: str
    version: str
    min_seats: int
    max_seats: int
    options: Schema
    summary: str
    credit: str

    @property
    def rules(self) -> str:
        return f"{self.id}/{self.version}"


@dataclass(frozen=True, slots=True)
class Caption:
    """Facts for pictures and texts that a view does not contain: the match's name and the names of the players.

    `past`: this is an earlier position. `header`: False for a picture on a page that shows the headline itself.
    """

    match: str = ""
    names: tuple[str, ...] = ()
    past: bool = False
    header: bool = True

    def calls(self, awaited: Iterable[Data], viewer: int | None) -> bool:
        """Return True if the viewer may act in the position: only then is anything in it marked as theirs to choose."""
        return not self.past and any(one["seat"] == viewer for one in awaited)


Bot = Callable[[Data, Sequence[Form], random.Random], Command]
"""A bot: chooses a command from a seat's view and forms alone. Its randomness is its own, not a draw of the match."""


def _nothing(*_given: object) -> None:
    return None


def _none_of_them(*_given: object) -> tuple[()]:
    return ()


def _no_words(*_given: object) -> str:
    return ""


def _no_data(*_given: object) -> Data:
    return {}


def _read_in_full(command: Command, event: Event, seat: int) -> bool:
    return event.type == REWOUND or not event.redacted


def _reveals(event: Event) -> bool:
    return True


def _never(event: Event) -> bool:
    return False


def no_marks(state: object) -> frozenset[int]:
    """Return no marks, for games that never go back by themselves."""
    return frozenset()


def _back(then: S, now: S, data: Data) -> S:
    return then


def _as_it_was(then: S, version: int, redealt: S, seat: int, dice: Dice) -> S:
    return then


def _in_place(redealt: S, marked: dict[int, S], seat: int, dice: Dice) -> tuple[S, dict[int, S]]:
    return redealt, marked


def _whole(state: Data, dice: Dice) -> Data:
    return state


def _turn_in_state(state: object) -> int:
    return int(getattr(state, "turn", 0))


def _turn_started(event: Event) -> int | None:
    turn = event.data.get("turn") if event.type == "turn_started" else None
    return int(turn) if turn is not None else None


def _no_targets(view: Data) -> Finder:
    return lambda command, field, value: None


def _options_fit(options: Data, seats: int) -> None:
    return None


@dataclass(frozen=True)
class Game(Generic[S]):
    """An engine: the functions that every game provides. All are pure; a `Run` collects the events of `setup` and `decide`."""

    manifest: Manifest
    state: type[S]
    commands: Mapping[str, Schema]
    """The JSON Schema of each command's parameters, in full width. `timeline.check_command` applies it before `decide`.

    These names mean the same in every game: `RESIGN` and `DECLINE`.
    """
    setup: Callable[[Run[S], Data, int], None]
    """`setup(run, options, seats)`: emit the opening events. The first one creates the state."""
    decide: Callable[[Run[S], int, Command], None]
    """`decide(run, seat, command)`: emit the resulting events, or raise `Refused`, which discards the run."""
    evolve: Callable[[S | None, Event], S]
    """Apply one event of any type version ever written. Must not look up anything that a rules change could alter."""
    awaited: Callable[[S], Sequence[Awaited]]
    legal_commands: Callable[[S, int], Sequence[Form]]
    """Return the forms of a seat's legal commands. They depend only on what its view shows. `acts` merges those of one act."""
    view: Callable[[S, Viewer], JsonObject]
    redact: Callable[[Event, Viewer], Data | None]
    """Return an event's data as the viewer may see it; None if they may only know that an event exists (sealed).

    The very `event.data` where its type hides nothing from the viewer; else a copy, also where this event has nothing to hide.
    """
    default_command: Callable[[S, int], Command]
    outcome: Callable[[S], Outcome | None]
    redeal: Callable[[S, int, Dice], S]
    """`redeal(state, seat, dice)`: return a state with the same view for the seat and everything hidden from it redealt."""
    seats: Callable[[S], int]
    """Return the number of seats in a state."""
    parse: Callable[[str, Data], Command]
    """`parse(text, view)`: read one order in the game's notation. Raises `Refused("unreadable", ...)` with a suggestion."""
    render: Callable[[Command], str]
    order_help: Callable[[str | None], str]
    """Return the order grammar for a prompt (None: all of it), short enough for a mail."""
    picture: Callable[[Data, Caption], Picture]
    """Return the board as SVG, with the boxes of what can be tapped (`targets`)."""
    board_text: Callable[[Data, Caption], str]
    """Return the position as plain text, complete without the picture."""
    glance: Callable[[Data, Caption], Glance]
    """Return the position in a few words: headline, description, the number of the turn."""
    tell: Callable[[Event, Viewer, Sequence[str]], str]
    """Describe one redacted event in a sentence from the viewer's point of view."""
    bots: Mapping[str, Bot]
    rules_help: Callable[[], str]
    """Return our own summary of the rules as Markdown. Its first section introduces the game to new players, in two minutes."""
    short_rules: Callable[[], str] = _no_words
    """Return the rules in a few sentences, one a line, in the reader's language: the goal, a turn, what beginners ask."""
    verbs: Collection[str] = ()
    """The words with which orders in the game's notation begin; empty if any line may be one. `parse` reads no other lines."""
    word_help: Callable[[str], str] = _no_words
    """`word_help(verb)`: return the lines of the order grammar on one of the verbs; empty if it has none."""
    id_pattern: str = LETTERED_ID
    """A regular expression for the ids that orders name: pieces, cards, spaces. A short line with one is meant as an order."""
    hand: Callable[[Data], Sequence[Held] | None] = _nothing
    """Return what the viewer holds in hand, as orders name it; None if the game has no hands, or the viewer has none."""
    explain: Callable[[Data, str], Explained | None] = _nothing
    """`explain(view, id)`: return help on a card, piece or place; None for an id that the view does not show."""
    reference: Callable[[Data], Sequence[Entry]] = _none_of_them
    """Return every kind of card, unit and ability in the match's game, each with the ids under which the view shows some.

    What it shows is in the viewer's hand, in play, or offered to the viewer; discard piles do not count.
    """
    summary: Callable[[Data, Caption], Summary | None] = _nothing
    """Return what decided the match, and figures of each seat; None before its end, and for a game without such words."""
    drawn: Callable[[Data], Data | None] = lambda view: None
    """Return the part of a view for whose change a mail shows the picture again; None: for every change of the picture.

    The rest of what the picture shows is a few words of `board_text`.
    """
    finder: Callable[[Data], Finder] = _no_targets
    """Return the function that finds the target in the view's picture for a value."""
    kinds: Mapping[str, str] = field(default_factory=dict)
    """Help on a kind of target, marked for translation, where `explain` says nothing about each: {`deck`: `Draw here.`}."""
    events: Mapping[str, type] = field(default_factory=dict)
    """The classes of the game's events by type (`kernel.typed`), from which their JSON Schemas are published."""
    words: Mapping[str, str] = field(default_factory=dict)
    """The commands in words for people, marked for translation: {`build_fleet`: `Build a Fleet`}."""
    idle: Mapping[str, str] = field(default_factory=dict)
    """Orders that choose nothing, in words: their forms are called after what may be chosen. {`keep`: `Keep the dice`}."""
    prompts: Mapping[str, str] = field(default_factory=dict)
    """The tasks of seats in words by prompt, marked for translation: {`battle_call`: `call a battle, or not`}."""
    ends: Collection[str] = ()
    """The commands that end a turn, a phase or a formation. `DECLINE` is one in every game."""
    asides: Collection[str] | None = None
    """The commands that some form offers as `aside`; None: any may be one. For all others no form has to be built to know it."""
    offers: Mapping[str, bool] = field(default_factory=dict)
    """The asides that ask another seat although the match could go on without its answer. The service limits them.

    True: a seat could give it again and again in one turn; False: it ends by itself, as with one for each card that was played.
    """
    answers: Collection[str] = ()
    """The commands beside the game that answer another player: they stand among the acts of a turn while they are offered."""
    parts: Mapping[str, Part] = field(default_factory=dict)
    """The parts of an act that events tell, by type, where that is not its outcome. An outcome that follows is told first."""
    standing_orders: StandingOrders | None = None
    """The game's own standing orders; None if it asks no player between their turns."""
    stale: Callable[[Command, Event, int], bool] = _read_in_full
    """`stale(command, event, seat)`: return True if a newer event outdates a command.

    The sender has not seen the event; it is redacted for that seat. By default, every rewind and every event that the seat may
    read in full outdates a command; sealed and redacted events do not.
    """
    default_order: Callable[[Command], str] | None = None
    """Return the order that a default command stands for, in the game's notation; None: it is `render` of the command."""
    reveals: Callable[[Event], bool] = _reveals
    awaiting_result: Callable[[S], Collection[int]] = _none_of_them
    """Return the seats that have nothing left to do but can still win, as with a finished sheet of a race: undos ask them too.

    A public fact. Seats that have commands are asked in any case.
    """
    news: Callable[[Event], bool] | None = None
    """Return True for an event that tells a seat what it could not foresee when it acted, such as a roll: it hears of it at once.

    None: what `reveals` says, which has to be true of more.
    """
    marks: Callable[[S], frozenset[int]] = no_marks
    redeal_marked: Callable[[S, int, S, int, Dice], S] = _as_it_was
    """`redeal_marked(then, version, redealt, seat, dice)`: return a possible earlier state.

    It belongs to a version that `redealt` marks and is consistent with `redealt`. It contains nothing hidden that the seat does
    not know.
    """
    scatter: Callable[[S, dict[int, S], int, Dice], tuple[S, dict[int, S]]] = _in_place
    """`scatter(redealt, marked, seat, dice)`: deal also what `redeal` leaves as it was, in a state and the states it marks.

    That is above all which id lies in which hidden place: a seat that has once seen which card an id is would find its real
    place. The seat's views stay the same. No record holds these draws, so, unlike `redeal`, the rule may change at any time.
    Raises `Refused` (`no_deal`) if nothing is found that fits, which only public facts may decide.
    """
    on_rewind: Callable[[S, S, Sequence[Event], Dice], Data] = _no_data
    rewound: Callable[[S, S, Data], S] = _back
    given_back: Callable[[S, S, Sequence[Event], Data], Data] = _no_data
    """`given_back(then, now, retracted, why)`: return data that an undo restores although the game's own rewind would keep it.

    `why` holds `cause` (`undo`, `redo`, `host`), the `seat` and `private`. The result is added to the event's data, which
    `rewound` reads.
    """
    faults: Callable[[S], Sequence[str]] = _none_of_them
    """Return the broken invariants of a state (cards lost, counts negative) as sentences; empty if all hold."""
    marked_faults: Callable[[Callable[[int], S]], Callable[[S], Iterable[str]]] = lambda _at: _none_of_them
    """`marked_faults(at)`: return a function that yields the conflicts between a state and those it marks, which `at` returns.
    Many states are judged by one function, which may remember."""
    complete: Callable[[Data, Dice], Data] = _whole
    """`complete(state, dice)`: fill in everything that a described state (as JSON) leaves out.

    The dice shuffle hidden items. Raises `codec.Malformed`.
    """
    check_options: Callable[[Data, int], None] = _options_fit
    """Raise `Refused` for options or a number of seats that conflict in ways the schema cannot express."""
    ids: Callable[[S], Collection[str]] = _none_of_them
    """Return the ids of everything that can be hidden. Viewers are never sent an id that their view hides (`secrecy`)."""
    turn: Callable[[S], int] = _turn_in_state
    """Return the turn number of the match, 0 before the first turn. By default, the field `turn` of the state, if it has one.

    Only self-play uses it, since it may depend on hidden things. Viewers get `Glance.turn`.
    """
    turn_started: Callable[[Event], int | None] = _turn_started
    """Return the number of the turn that an event begins, None for all others. As given: the `turn` of `turn_started`."""
    turn_owner: Callable[[Event], int | None] = _nothing
    """Return the seat that counts the turn of such an event for itself. As given: None, turns are counted for all."""
    automatic: Callable[[Event], bool] = _never
    """Return True for an event as a viewer sees it that tells only of players who passed automatically. Mails leave it out."""
    shows: Callable[[Event], Collection[str]] = _none_of_them
    """Return the ids that an event shows on purpose to its readers although their views hide them before and after."""
    upcasters: Mapping[tuple[str, int], Callable[[JsonObject], JsonObject]] = field(default_factory=dict)
    """Functions that lift an event's data by one type version, keyed by (event type, type version)."""
    type_versions: Mapping[str, int] = field(default_factory=dict)
    """The type version written today, for event types whose version is not 1."""

    @property
    def id(self) -> str:
        return self.manifest.id

    def weight(self, form: Form) -> str:
        """Return what kind of act a form is: `main`, `end` of a turn or phase, `danger`, or `settings` beside the game."""
        if form.name == RESIGN:
            return "danger"
        if form.aside and form.name not in self.answers:
            return "settings"
        return "end" if form.name == DECLINE or form.name in self.ends else "main"

    def asks(self, prompt: str) -> str:
        """Return what a seat is asked to do, in words that follow its name or stand on a button."""
        return say(self.prompts.get(prompt) or prompt.replace("_", " "))

    def render_default(self, command: Command) -> str:
        """Return a default command as the order that is carried out."""
        return self.default_order(command) if self.default_order is not None else self.render(command)

    def full_type(self, event_type: str) -> str:
        """Return the name under which an event is stored: `stratastar.colony_placed`, `match.rewound`."""
        return event_type if "." in event_type else f"{self.id}.{event_type}"

    def bare_type(self, stored: str) -> str:
        return stored.removeprefix(f"{self.id}.")

    def lift(self, event: Event) -> Event:
        """Return the event with its data lifted to the current type version."""
        data, version = event.data, event.type_version
        while (step := self.upcasters.get((event.type, version))) is not None:
            data, version = step(dict(data)), version + 1
        if version == event.type_version:
            return event
        return Event(event.type, data, event.version, version, event.draws)


def see_event(game: Game, event: Event, viewer: Viewer) -> Event | None:
    """Return an event as a viewer may see it during the match, without draws and hidden data; None if sealed.

    One is redacted if its type may hide something from the viewer, also where there is nothing to hide: fields are often there
    only if they say something, so a whole event would tell that they do not.
    """
    if event.type == REWOUND:
        # The seat undid something that nobody else had seen, so nobody else may see the undo.
        if event.data.get("private") and viewer != event.data["seat"]:
            return None
        told = {k: v for k, v in event.data.items() if k not in ("data", "kept")}
        return Event(event.type, told, event.version, redacted=True)
    if event.type == POSITIONED:
        return Event(event.type, {}, event.version, redacted=True)
    data = event.data if of_service(event.type) else game.redact(event, viewer)
    if data is None:
        return None
    redacted = data is not event.data
    return Event(event.type, data, event.version, event.type_version, redacted=redacted)
