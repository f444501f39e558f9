"""Mutated positions: real ones from self-play, changed at random, read again and played on.

To run by hand with any number: `python -m tests.games.mutants GAME [MUTANTS] [SEED]`.
"""

from __future__ import annotations

import copy
import json
import random
import sys
import traceback
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from gamesvc.games import catalog, trial
from gamesvc.games.kernel import forms
from gamesvc.games.kernel.codec import read_position, write_position
from gamesvc.games.kernel.dice import seeded
from gamesvc.games.kernel.game import Caption, Game, Refused
from gamesvc.games.kernel.timeline import Timeline, check_options
from gamesvc.games.selfplay import bounded

Position = dict[str, Any]
MOST_COMMANDS = 120
STRANGE: tuple[Any, ...] = (
    None,
    True,
    False,
    0,
    1,
    -1,
    2,
    3,
    4,
    7,
    99,
    -99,
    2**31,
    2**53,
    -(2**63),
    10**30,
    1.5,
    float("nan"),
    "",
    "0",
    "-1",
    "nonsense",
    "__class__",
    "a b\n",
    "\0",
    "\ud800",
    "é" * 300,
    [],
    {},
    [[]],
    [None],
    [0],
    [0, 0],
    [1, 0],
    [""],
    {"": ""},
    {"0": 0},
    {"=part": 0},
    {"=part": -1},
    {"=part": 10**9},
    {"=part": 0, "first": 1, "and": []},
)


# --- real positions ---


def options_at_random(game: Game[Any], rng: random.Random) -> tuple[dict[str, Any], int]:
    """Return random options that fit together, and a matching number of seats."""
    properties = game.manifest.options["properties"]
    while True:
        options = {name: forms.sample(schema, rng) for name, schema in properties.items() if rng.random() < 0.5}
        options |= {name: value for name, value in bounded(game).items() if not options.get(name)}
        seats = rng.randint(game.manifest.min_seats, game.manifest.max_seats)
        try:
            return check_options(game, options, seats), seats
        except Refused:
            continue


def moments(game: Game[Any], seed: str, *, share: float = 0.02, matches: int = 1) -> Iterator[Position]:
    """Yield positions at random moments of random matches, including the first and the last one of each match."""
    for number in range(matches):
        rng = random.Random(f"moments {game.id} {seed} {number}")
        options, seats = options_at_random(game, rng)
        timeline: Timeline[Any] = Timeline(game)
        dice = seeded(f"{seed} {number}")
        timeline.follow(timeline.begin(options, seats, dice))
        yield described(timeline)
        while game.outcome(timeline.state) is None:
            seat = rng.choice(game.awaited(timeline.state)).seat
            if rng.random() < 0.1:
                seat = rng.randrange(seats)
            offered = [form for form in game.legal_commands(timeline.state, seat) if form.name != "resign" or rng.random() < 0.02]
            if not offered:
                continue
            timeline.follow(timeline.command(seat, choose(offered, rng), dice))
            if rng.random() < share:
                yield described(timeline)
        yield described(timeline)


def choose(offered: Sequence[Any], rng: random.Random) -> dict[str, Any]:
    """Fill a random form. Forms that do not move the match on are chosen less often."""
    main = [form for form in offered if not form.aside]
    form = rng.choice(main if main and rng.random() < 0.85 else offered)
    return dict(json.loads(json.dumps(forms.fill(form, rng))))


def described(timeline: Timeline[Any]) -> Position:
    """Return the position as JSON, as an independent copy."""
    position = write_position(timeline.game, timeline.state, timeline.version, timeline.keep_marked())
    return dict(json.loads(json.dumps(position)))


# --- mutations ---


Path = tuple[Any, ...]


def places(value: Any, path: Path = ()) -> Iterator[Path]:
    """Yield the paths of all items in a document, except the document itself."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield (*path, key)
        yield from places(item, (*path, key))


def shape(path: Path) -> Path:
    """Return a path without its numbers and ids. Places with the same shape hold the same kind of value."""
    return tuple("#" if isinstance(key, int) or not str(key).replace("_", "").isalpha() else key for key in path)


def at(document: Any, path: Path) -> Any:
    for key in path:
        document = document[key]
    return document


def mutate(position: Position, rng: random.Random) -> tuple[Position, str]:
    """Return a copy with one or a few mutations, and their description."""
    changed = copy.deepcopy(position)
    told = []
    for _ in range(1 if rng.random() < 0.7 else rng.randint(2, 4)):
        told.append(_mistake(changed, rng))
    return changed, "; ".join(told)


def _mistake(document: Any, rng: random.Random) -> str:
    by_shape: dict[Path, list[Path]] = {}
    for path in places(document):
        by_shape.setdefault(shape(path), []).append(path)
    if not by_shape:
        return "nothing left"
    # Each kind of field is equally likely, however often it occurs.
    path = rng.choice(by_shape[rng.choice(sorted(by_shape, key=repr))])
    holder, key = at(document, path[:-1]), path[-1]
    value = holder[key]
    kind = rng.choice(("strange", "strange", "near", "near", "near", "other", "other", "drop", "twice", "swap", "key", "moved"))
    where = "/".join(map(str, path))
    if kind == "strange":
        holder[key] = copy.deepcopy(rng.choice(STRANGE))
    elif kind == "near":
        holder[key] = _near(document, value, path, by_shape, rng)
    elif kind == "other":
        holder[key] = copy.deepcopy(at(document, rng.choice(by_shape[rng.choice(sorted(by_shape, key=repr))])))
    elif kind == "drop":
        holder.pop(key)
    elif kind == "twice" and isinstance(holder, list):
        holder.insert(rng.randint(0, len(holder)), copy.deepcopy(value))
    elif kind == "swap":
        other = rng.choice(by_shape[shape(path)])
        try:
            holder[key], at(document, other[:-1])[other[-1]] = at(document, other), value
        except (KeyError, IndexError, TypeError):
            return f"{where} nothing"
    elif kind == "key" and isinstance(holder, dict):
        fresh = rng.choice(["", "nonsense", "0", "7", "-1", *map(str, holder), *_words(document, rng)])
        holder[fresh] = holder.pop(key) if rng.random() < 0.5 else copy.deepcopy(value)
        return f"{where} also or now as {fresh!r}"
    elif kind == "moved" and isinstance(holder, list):
        holder.insert(rng.randint(0, len(holder) - 1), holder.pop(key))
    else:
        holder[key] = copy.deepcopy(rng.choice(STRANGE))
    now = holder[key] if (key in holder if isinstance(holder, dict) else key < len(holder)) else "gone"
    return f"{where} {kind} {str(now)[:80]!r}"


def _near(document: Any, value: Any, path: Path, by_shape: dict[Path, list[Path]], rng: random.Random) -> Any:
    """Return a plausible value of the same type."""
    alike = copy.deepcopy(at(document, rng.choice(by_shape[shape(path)])))
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return rng.choice([value + 1, value - 1, -value, value * 2, 0, 1, rng.randint(-2, 12), alike])
    if isinstance(value, str):
        return rng.choice([alike, *_words(document, rng), *_words(document, rng), value + "x", value[:-1], value.upper()])
    if isinstance(value, list):
        kept = [copy.deepcopy(item) for item in value if rng.random() < 0.7]
        return rng.choice([[], kept, value[::-1], value + kept, value + ([alike] if alike != value else [0]), alike])
    if isinstance(value, dict):
        return rng.choice([{}, {key: item for key, item in value.items() if rng.random() < 0.7}, alike])
    return alike


def _words(document: Any, rng: random.Random) -> list[str]:
    """Return a few texts that occur somewhere in the document."""
    found = []
    for _ in range(20):
        value = document
        while isinstance(value, (dict, list)) and value:
            if isinstance(value, dict):
                key = rng.choice(list(value))
                found.append(str(key)) if rng.random() < 0.1 else None
                value = value[key]
            else:
                value = rng.choice(value)
        if isinstance(value, str):
            found.append(value)
        if len(found) >= 3:
            break
    return found or ["nothing"]


# --- reading and playing on ---


class Wrong(AssertionError):
    """A mutant was neither refused with a reason nor playable."""


def take(game: Game[Any], position: Any) -> Timeline[Any] | None:
    """Begin from a position. Returns None if it is refused with a reason."""
    try:
        return trial.begin(game, position)
    except Refused as refused:
        if refused.code != "bad_position" or not refused.detail.endswith(".") or refused.parameter != "position":
            raise Wrong(f"refused as {refused.as_json()}") from refused
        return None


def play_on(game: Game[Any], timeline: Timeline[Any], rng: random.Random, most: int = MOST_COMMANDS) -> bool:
    """Let random bots play on. Returns True if the match ended within `most` commands."""
    dice = seeded(f"{rng.random()}")
    for number in range(most):
        state = timeline.state
        if game.outcome(state) is not None:
            return True
        waiting = game.awaited(state)
        if not waiting:
            raise Wrong("nobody is awaited")
        seat = rng.choice(waiting).seat
        if rng.random() < 0.1:
            seat = rng.randrange(game.seats(state))
        offered = game.legal_commands(state, seat)
        if seat in {one.seat for one in waiting}:
            if not any(not form.aside for form in offered):
                raise Wrong(f"seat {seat} is awaited and has no form")
            if rng.random() < 0.1:
                timeline.follow(timeline.command(seat, game.default_command(state, seat), dice))
                continue
        offered = [form for form in offered if form.name != "resign" or rng.random() < 0.02]
        if number % 20 == 19:
            show(game, timeline)
        if offered:
            timeline.follow(timeline.command(seat, choose(offered, rng), dice))
    return False


def show(game: Game[Any], timeline: Timeline[Any]) -> None:
    """Draw and write the board for every viewer."""
    for viewer in (None, *range(game.seats(timeline.state))):
        seen = game.view(timeline.state, viewer)
        game.board_text(seen, Caption())
        game.picture(seen, Caption())


@dataclass
class Tally:
    """The number of mutants by result."""

    mutated: int = 0
    refused: int = 0
    accepted: int = 0
    ended: int = 0
    exceptions: int = 0
    reasons: Counter[str] = field(default_factory=Counter)

    def line(self) -> str:
        return (
            f"mutated {self.mutated}, refused {self.refused}, accepted {self.accepted}, "
            f"played to the end {self.ended}, exceptions {self.exceptions}"
        )


def stress(
    game: Game[Any], corpus: Sequence[Position], mutants: int, seed: str, *, most: int = MOST_COMMANDS, raising: bool = True
) -> Tally:
    """Mutate real positions. Raises the exception of an accepted one with its mutation, or counts and prints it.

    Positions reached from an accepted one must be accepted in turn: a fork of that match begins from them.
    """
    tally = Tally()
    for number in range(mutants):
        rng = random.Random(f"mutant {game.id} {seed} {number}")
        mutant, told = mutate(rng.choice(corpus), rng)
        tally.mutated += 1
        try:
            timeline = take(game, mutant)
            if timeline is None:
                tally.refused += 1
                continue
            tally.accepted += 1
            tally.ended += play_on(game, timeline, rng, most)
            read_position(game, described(timeline), timeline.version)
        except Exception as error:
            if raising:
                raise Wrong(f"{game.id} {seed} {number}: {told}: {error!r}") from error
            tally.exceptions += 1
            where = traceback.extract_tb(error.__traceback__)[-1]
            tally.reasons[f"{error!r:.100} at {where.filename.rpartition('/')[2]}:{where.lineno}"] += 1
            sys.stderr.write(f"{game.id} {seed} {number}: {told}\n    {error!r:.300} at {where.filename}:{where.lineno}\n")
    return tally


def main(arguments: Sequence[str]) -> None:
    game = catalog.game(arguments[0])
    mutants, seed = int(arguments[1]) if len(arguments) > 1 else 10_000, arguments[2] if len(arguments) > 2 else "1"
    matches = max(2, min(60, mutants // 50))
    corpus = list(moments(game, seed, share=0.05, matches=matches))
    sys.stdout.write(f"{game.id}: {len(corpus)} positions\n")
    for position in corpus:
        trial.begin(game, position)
    tally = stress(game, corpus, mutants, seed, raising=False)
    sys.stdout.write(f"{game.id}: {tally.line()}\n")
    for reason, count in tally.reasons.most_common():
        sys.stdout.write(f"{count:6} {reason}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
