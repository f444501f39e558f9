"""The vocabulary all engines share: what a game is made of, and the words commands, events and refusals are in.

A game is one record of functions over values (`Game`). State is a frozen dataclass; nothing here or in an engine
reads a clock, a file or a global. Not here: the run of a match (`timeline`), chance (`dice`), reading forms (`forms`).
"""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, NewType, TypeVar

if TYPE_CHECKING:
    from gamesvc.games.kernel.dice import Draw
    from gamesvc.games.kernel.timeline import Run

S = TypeVar("S")
Data = Mapping[str, Any]
Schema = Mapping[str, Any]
Command = Mapping[str, Any]
"""A command as it is sent: `{"name": "colonize", "space": "C4"}`."""
Viewer = int | None
"""A seat, or None for an observer."""
Version = NewType("Version", int)
"""A version that a state holds. Positions write it as a distance, so that a match can start from one anywhere."""

REWOUND = "match.rewound"
POSITIONED = "match.positioned"


class Refused(Exception):
    """Why a command is illegal: a stable code for programs, a sentence for people, the parameter at fault.

    A parameter's name may be the sender's own; it is cut to what the audit trail keeps.
    """

    LONGEST_PARAMETER = 200

    def __init__(self, code: str, detail: str, parameter: str | None = None) -> None:
        super().__init__(detail)
        self.code = code
        self.detail = detail
        self.parameter = parameter[: self.LONGEST_PARAMETER] if parameter is not None else None

    def as_json(self) -> dict[str, Any]:
        return {"code": self.code, "detail": self.detail, "parameter": self.parameter}


@dataclass(frozen=True, slots=True)
class Event:
    """An immutable fact. `type` is bare inside an engine (`colony_placed`); the service's own begin with `match.`.

    `redacted`: the game hides part of the data from the viewer whose copy this is (`see_event`); it is not stored.
    """

    type: str
    data: Data
    version: int = 0
    type_version: int = 1
    draws: tuple[Draw, ...] = ()
    redacted: bool = field(default=False, compare=False)


@dataclass(frozen=True, slots=True)
class Awaited:
    """A seat that must act now.

    `id` names the question: it stays the same while the same question is open (through all phases of one's own turn,
    through a window in its middle) and is never used again afterwards; clocks run per seat and id. `prompt` says what
    is asked for at the moment (`retool`); `kind` is what clocks tell apart. `clock`: where a game that went back asks
    under another id, so that an answer to what it took back is told apart, the name of the clock that goes on.
    """

    seat: int
    prompt: str
    id: str
    kind: str = "turn"  # turn, reaction, choice, commit
    clock: str = ""

    def as_json(self) -> dict[str, Any]:
        return {"seat": self.seat, "prompt": self.prompt, "id": self.id, "kind": self.kind}


@dataclass(frozen=True, slots=True)
class Form:
    """A command that is legal now, with its parameters as JSON Schema narrowed to what is legal (see `forms`).

    `aside`: it does not move the match on (resign, standing orders, offers); pages show these apart.
    """

    name: str
    label: str
    parameters: Mapping[str, Schema] = field(default_factory=dict)
    required: tuple[str, ...] | None = None  # None: all of them
    aside: bool = False

    def schema(self) -> dict[str, Any]:
        """The whole command as one JSON Schema object, the name included."""
        required = tuple(self.parameters) if self.required is None else self.required
        return {
            "type": "object",
            "properties": {"name": {"const": self.name}, **self.parameters},
            "required": ["name", *required],
            "additionalProperties": False,
        }

    def as_json(self) -> dict[str, Any]:
        return {"name": self.name, "label": self.label, "aside": self.aside, "parameters": self.schema()}


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a match ended. `ranking`: groups of seats, best first, a group shares its place. `scores`: one per seat."""

    reason: str
    ranking: tuple[tuple[int, ...], ...]
    scores: tuple[int, ...]
    detail: Data = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        return {
            "reason": self.reason,
            "ranking": [list(group) for group in self.ranking],
            "scores": list(self.scores),
            "detail": dict(self.detail),
        }


@dataclass(frozen=True, slots=True)
class Manifest:
    """What is told of a game before anybody plays it. `options` is a JSON Schema object with a default per property."""

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
    """What a picture or a text says that the view does not know: the match's name and the names of the players."""

    match: str = ""
    names: tuple[str, ...] = ()
    past: bool = False


Bot = Callable[[Data, Sequence[Form], random.Random], Command]
"""Chooses from a seat's view and forms alone; its chance is its own and is no draw of the match."""


def _any_open(command: Command, since: Sequence[Event], seat: int) -> bool:
    return any(not event.redacted for event in since)


def _reveals(event: Event) -> bool:
    return True


def no_marks(state: Any) -> frozenset[int]:
    """For games that never go back by themselves."""
    return frozenset()


def _draw_nothing(then: Any, now: Any, retracted: Sequence[Event], dice: Any) -> Data:
    return {}


def _back(then: Any, now: Any, data: Data) -> Any:
    return then


def _gives_nothing_back(then: Any, now: Any, why: Data) -> Data:
    return {}


def _as_it_was(then: Any, version: int, redealt: Any, seat: int, dice: Any) -> Any:
    return then


def _no_ids(state: Any) -> Collection[str]:
    return ()


def _shows_nothing(event: Event) -> Collection[str]:
    return ()


def _nothing_wrong(state: Any) -> Sequence[str]:
    return ()


def _marks_fit(state: Any, at: Callable[[int], Any]) -> Sequence[str]:
    return ()


def _whole(state: Data, dice: Any) -> Data:
    return state


def _turn_in_state(state: Any) -> int:
    return int(getattr(state, "turn", 0))


def _options_fit(options: Data, seats: int) -> None:
    return None


@dataclass(frozen=True)
class Game(Generic[S]):
    """An engine: the functions every game has. All are pure; a `Run` collects what `setup` and `decide` decide."""

    manifest: Manifest
    state: type[S]
    commands: Mapping[str, Schema]
    """Per command the JSON Schema of its parameters in full width; `forms.check` has been run before `decide`."""
    setup: Callable[[Run[S], Data, int], None]
    """`setup(run, options, seats)`: emit the opening events; the first makes the state from nothing."""
    decide: Callable[[Run[S], int, Command], None]
    """`decide(run, seat, command)`: emit what happens, or raise `Refused` having emitted nothing that counts."""
    evolve: Callable[[S | None, Event], S]
    """Apply one event of any type version ever written. Looks nothing up that a rules change could move."""
    awaited: Callable[[S], Sequence[Awaited]]
    legal_commands: Callable[[S, int], Sequence[Form]]
    """What this seat may do, as far as its view tells: hidden facts of others change nothing here."""
    view: Callable[[S, Viewer], dict[str, Any]]
    redact: Callable[[Event, Viewer], Data | None]
    """The data of an event as this viewer may see it; None: he may know only that it exists (sealed)."""
    default_command: Callable[[S, int], Command]
    outcome: Callable[[S], Outcome | None]
    redeal: Callable[[S, int, Any], S]
    """`redeal(state, seat, dice)`: the same view for the seat, everything hidden from it dealt anew."""
    seats: Callable[[S], int]
    """How many seats a state is for."""
    parse: Callable[[str, Data], Command]
    """`parse(text, view)`: one order in the game's notation, or `Refused("unreadable", ...)` with a suggestion."""
    render: Callable[[Command], str]
    order_help: Callable[[str | None], str]
    """The order grammar for a prompt (None: all of it), short enough for a mail."""
    picture: Callable[[Data, Caption], str]
    board_text: Callable[[Data, Caption], str]
    tell: Callable[[Event, Viewer, Sequence[str]], str]
    """One redacted event as a sentence from the viewer's point of view."""
    bots: Mapping[str, Bot]
    rules_help: Callable[[], str]
    """The rules in our own words, as Markdown."""
    stale: Callable[[Command, Sequence[Event], int], bool] = _any_open
    """`stale(command, since, seat)`: whether the events after the version its sender saw, as they see them, outdate a command.
    By default each event that they may read in full does; what another seat did sealed or partly hidden does not."""
    reveals: Callable[[Event], bool] = _reveals
    marks: Callable[[S], frozenset[int]] = no_marks
    redeal_marked: Callable[[S, int, S, int, Any], S] = _as_it_was
    """`redeal_marked(then, version, redealt, seat, dice)`: a state that `redealt` marks, such as it can have been if things lie
    as they do in `redealt`. It still has nothing in it that the seat does not know."""
    on_rewind: Callable[[S, S, Sequence[Event], Any], Data] = _draw_nothing
    rewound: Callable[[S, S, Data], S] = _back
    given_back: Callable[[S, S, Data], Data] = _gives_nothing_back
    """`given_back(then, now, why)`: what an undo restores although a rewind of the game's own would keep it, so that an undo does
    undo. `why` holds `cause` (`undo`, `redo`, `host`), the `seat` and whether it is `private`. The result joins the data of the
    event, which `rewound` reads."""
    faults: Callable[[S], Sequence[str]] = _nothing_wrong
    """What is wrong with a state (cards lost, counts negative), in words; empty when all invariants hold."""
    marked_faults: Callable[[S, Callable[[int], S]], Iterable[str]] = _marks_fit
    """`marked_faults(state, at)`: what is wrong between a state and those that it marks, which `at(version)` gives."""
    complete: Callable[[Data, Any], Data] = _whole
    """`complete(state, dice)`: a state that somebody described with all that the description leaves out, as JSON. What lies
    hidden is shuffled with the dice. Raises `codec.Malformed`."""
    check_options: Callable[[Data, int], None] = _options_fit
    """Raise `Refused` where options or the number of seats do not fit together beyond what the schema can say."""
    ids: Callable[[S], Collection[str]] = _no_ids
    """The ids of everything that can lie hidden. What viewers are told names none of those that their view hides (`secrecy`)."""
    turn: Callable[[S], int] = _turn_in_state
    """The number of the turn that a state is in, 0 before the first; by default the field `turn` of the state, if it has one."""
    shows: Callable[[Event], Collection[str]] = _shows_nothing
    """The ids that an event shows on purpose to all who may read them there, though their views hide them before and after."""
    upcasters: Mapping[tuple[str, int], Callable[[dict[str, Any]], dict[str, Any]]] = field(default_factory=dict)
    """(event type, type version) -> the data lifted by one type version."""
    type_versions: Mapping[str, int] = field(default_factory=dict)
    """The type version written today, where it is not 1."""

    @property
    def id(self) -> str:
        return self.manifest.id

    def full_type(self, event_type: str) -> str:
        """The name under which an event is stored: `stratastar.colony_placed`, `match.rewound`."""
        return event_type if "." in event_type else f"{self.id}.{event_type}"

    def bare_type(self, stored: str) -> str:
        return stored.removeprefix(f"{self.id}.")

    def lift(self, event: Event) -> Event:
        """Bring the data of an older type version up to today's."""
        data, version = event.data, event.type_version
        while (step := self.upcasters.get((event.type, version))) is not None:
            data, version = step(dict(data)), version + 1
        if version == event.type_version:
            return event
        return Event(event.type, data, event.version, version, event.draws)


def see_event(game: Game[Any], event: Event, viewer: Viewer) -> Event | None:
    """One event as a viewer may see it while the match runs: without draws and hidden data; None when sealed."""
    if event.type == REWOUND:
        # A seat took back what nobody else had seen: then nobody else sees that he did.
        if event.data.get("private") and viewer != event.data["seat"]:
            return None
        return Event(event.type, {k: v for k, v in event.data.items() if k not in ("data", "kept")}, event.version)
    if event.type == POSITIONED:
        return Event(event.type, {}, event.version)
    data = event.data if event.type.startswith("match.") else game.redact(event, viewer)
    if data is None:
        return None
    redacted = data is not event.data and data != event.data
    return Event(event.type, data, event.version, event.type_version, redacted=redacted)
