"""Positions: a whole state with the states that its marks refer to, written, completed, read and judged."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from gamesvc.games.kernel import limits
from gamesvc.games.kernel.codec.hints import Malformed, of
from gamesvc.games.kernel.codec.parts import Parts
from gamesvc.games.kernel.codec.plain import check_plain, check_written_out
from gamesvc.games.kernel.codec.reading import from_json
from gamesvc.games.kernel.codec.writing import to_json
from gamesvc.games.kernel.dice import Dice
from gamesvc.games.kernel.game import Game, Refused, S
from gamesvc.json_types import JsonObject
from gamesvc.language import say

POSITION_FORMAT = 1
# Marked states that a position may have. Real ones have two.
MOST_MARKED = 300
LONGEST_REASON = 400


def write_position(game: Game[S], state: S, version: int, kept: dict[int, S]) -> JsonObject:
    """Describe a whole position, including the states that its marks refer to (a flat list, each state once)."""
    described = {"format": POSITION_FORMAT, "game": game.id, "rules": game.manifest.rules}
    return described | write_states(game, state, kept, version)


def write_states(game: Game[S], state: S, kept: dict[int, S], version: int, base: int | None = None) -> JsonObject:
    """Write a state and the states it marks: `state`, `marked`, and their shared values in `parts` (left out without marks)."""
    base = version if base is None else base
    parts = Parts() if kept else None
    marked = [{"back": version - at, "state": to_json(kept[at], game.state, base, parts)} for at in sorted(kept)]
    written = {"state": to_json(state, game.state, base, parts), "marked": marked}
    return written if parts is None else {**written, "parts": parts.written}


def read_states(game: Game[S], written: JsonObject, version: int, base: int | None = None) -> tuple[S, dict[int, S]]:
    """Read the output of `write_states`. Raises `Malformed` or `KeyError`."""
    base = version if base is None else base
    parts = Parts(of(written["parts"], list, "/parts")) if "parts" in written else None
    state = from_json(written.get("state"), game.state, base, parts=parts)
    marked = {
        version - of(entry["back"], int, "/marked"): from_json(entry["state"], game.state, base, parts=parts)
        for entry in written.get("marked", [])
    }
    return state, marked


def read_position(game: Game[S], position: object, version: int, *, judge: bool = True) -> tuple[S, dict[int, S]]:
    """Read a position as the state at `version`. Raises `Refused` (`bad_position`) with the reason.

    Pass `judge=False` for a position from a stored event: it was checked against the rules of its time.
    """
    try:
        if judge:
            check_plain(position)
        if not isinstance(position, dict) or position.get("format") != POSITION_FORMAT or position.get("game") != game.id:
            raise Malformed(
                f'a position is an object with "format": {POSITION_FORMAT}, "game": "{game.id}", "state" and "marked"'
            )
        if judge:
            check_written_out(position)
        state, marked = read_states(game, position, version)
        if judge:
            _judge(game, state, marked, version)
        elif missing := game.marks(state) - marked.keys():
            raise _missing("the state", missing, version)
    except (Malformed, limits.Misfit) as error:
        raise bad_position(game, str(error)) from None
    except (KeyError, TypeError, ValueError, AttributeError, IndexError, RecursionError) as error:
        raise bad_position(game, f"it cannot be read ({type(error).__name__}: {error})") from None
    return state, marked


def complete(game: Game, position: object, dice: Dice) -> Any:
    """Fill in everything that a described position leaves out. Raises `Refused` (`bad_position`)."""
    if not isinstance(position, dict) or not isinstance(position.get("state"), dict):
        return position
    try:
        check_plain(position)
        return {**position, "state": game.complete(position["state"], dice), "marked": position.get("marked", [])}
    except Malformed as error:
        raise bad_position(game, str(error)) from None
    except (KeyError, TypeError, ValueError, AttributeError, IndexError, RecursionError, AssertionError) as error:
        raise bad_position(game, f"it cannot be completed ({type(error).__name__}: {error})") from None


def bad_position(game: Game, why: str) -> Refused:
    """Return the refusal of a position. `why` names the path and the fault, without a full stop."""
    return Refused(
        "bad_position",
        say(
            "This is not a position of {title}: {fault}.",
            title=game.manifest.title,
            fault=_readable(why).removesuffix("."),
        ),
        "position",
    )


def _readable(words: str) -> str:
    """Shorten a text and replace unprintable characters: it may quote what the sender wrote."""
    short = words if len(words) <= LONGEST_REASON else f"{words[:LONGEST_REASON]}..."
    return "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in short)


def _judge(game: Game[S], state: S, marked: dict[int, S], version: int) -> None:
    """Raise `Malformed` if the state, or a state it may go back to, breaks a limit or an invariant of its game."""
    if len(marked) > MOST_MARKED:
        raise Malformed(f"/marked has {len(marked)} states; at most {MOST_MARKED} are read")
    # A state may mark its own version: the answer to a question may go back to the act that asked it.
    if any(at > version for at in marked):
        raise Malformed("/marked has a state from a later version: `back` must be at least 0")
    if missing := game.marks(state) - marked.keys():
        raise _missing("the state", missing, version)
    seen: set[tuple[int, object]] = set()
    marked_faults = game.marked_faults(marked.__getitem__)
    for at, then in ((None, state), *marked.items()):
        where = "the state" if at is None else f"the state {version - at} versions back"
        limits.check(then, game.state, "" if at is None else f"{where}:", seen)
        if at is not None and (missing := game.marks(then) - marked.keys()):
            raise _missing(where, missing, version)
        if game.seats(then) != game.seats(state):
            raise Malformed(f"{where} is for {game.seats(then)} seats, not {game.seats(state)}")
        if faults := [*game.faults(then), *marked_faults(then)]:
            raise Malformed(faults[0] if at is None else f"{where}: {faults[0]}")


def _missing(where: str, missing: Iterable[int], version: int) -> Malformed:
    return Malformed(f"/marked lacks what {where} may go back to, {sorted(version - at for at in missing)} versions back")
