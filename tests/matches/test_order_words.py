"""Order words alone, and words that mean nothing around them: nothing is done that nobody wrote."""

from __future__ import annotations

import functools
import random
import re
from collections.abc import Mapping
from typing import Any

import pytest

from gamesvc.games import catalog
from gamesvc.games.kernel.game import Game, Refused
from gamesvc.games.kernel.timeline import check_command, read_order, replay
from gamesvc.games.selfplay import Record, bounded, play
from gamesvc.json_types import JsonObject
from gamesvc.matches.mail_orders import order_mail

# Words for which the empty list is the plain meaning: "keep" rolls no dice again, "stay" moves no ship away.
NOTHING_MEANT = {("space_fleet_commander", "keep"), ("star_commander", "stay")}
ENGLISH = "at the in on to for of with and a an from through by as so but or into about over my our this that then it"
GERMAN = "der die das am im zum zur bei mit und oder von aus für auf an in zu nach vor ein eine den dem als so es"
FUNCTION_WORDS = f"{ENGLISH} {GERMAN}".split()
_DOUBTS = (
    "if unless not when or maybe only but after except instead while please agrees wenn nicht oder falls vielleicht warte erst "
    "nur kein nie sobald dann bitte Ben ? ... if=1"
)
DOUBTS = (*_DOUBTS.split(), "if Ben agrees", "- no, wait", ", not turn", "(not yet)", "until Ben is away", "wait for Ben")
"""No game has a use for these, wherever they are written."""
OWN_WORDS = ("7", "12", "Blue", "none", "nothing", "no", "wait", "then", "never", "until", "hold", "x=3")
"""Some games have a use for these in some places. Elsewhere they are as bad as a doubt."""
COUNTING = {("stratastar", "a"), ("space_war", "on")}
"""Function words that count in a game's notation: a card, and the word in front of targets."""
FURTHER = {
    "space_war": [
        *("attack a-04 station s1 s2 shields b-03", "attack b-04 a-01", "collide a-04 b-01", "collide a-04 station s1"),
        *("end turn flip s1 s2", "use a-04 on b-04 b-05", "timeout stand", "counters a-04 3", "react 12 a-03 on b-04"),
        *("orders react kind play type event min 3 use avoid cancel | stand any | flips action draw hand", "stand 28"),
    ],
    "star_commander": [
        *("offer 1 give credits=4 want credits=2", "accept 3", "accept 3 c12", "accept 3 nothing", "decline 3", "tech c65"),
        *("orders auto=evasion/on:barrage/by:any/concerned", "retreat v3 v4 2,1", "retreat nothing", "fire v3 v7 2 v4 v8"),
        *("move v3 v4 to 2,1 carry v3=v5+v6 no-explore", "buy science discard c4"),
    ],
    "stratastar": [
        *("offer Blue give 1T want 1M wait keep", "accept 1", "orders retreat auto; diplomacy never; fight peace"),
        *("move E5 F5 2F free then end", "support none disband E5 1F", "commit 2A", "commit none", "spy deck", "treaty Blue"),
        *("defend E5 1F 1W", "treason Blue fleet E5", "raid Blue E5", "retreat E5 1F", "external Blue pay 1T", "scout E5 E6"),
    ],
    "space_fleet_commander": [
        *("fleet 0 destroyer 2-3, 3 prison_barge 4, upgrade 4 5", "fleet none", "push without 5.2", "upgrade 4 none", "remove 4"),
        *("repair 4 2-3", "reroll all", "reroll hit", "redirect 8"),
    ],
}
"""Orders that bots seldom give. They are read in every position, whether or not they are legal."""


@functools.cache
def played(game_id: str) -> list[Record]:
    game = catalog.game(game_id)
    seats = 2 if game.manifest.min_seats > 1 else 1
    return [play(game, options=bounded(game), seats=seats, seed=seed, check_every=0) for seed in ("bare", "alone")]


@functools.cache
def positions(game_id: str) -> list[Mapping[str, Any]]:
    """Return what the seats see that have to act, in moments spread over a few played matches."""
    game = catalog.game(game_id)
    views: list[Mapping[str, Any]] = []
    for record in played(game_id):
        for end in record.ends[:: max(1, len(record.ends) // 12)]:
            state = replay(game, record.events[:end]).state
            views += [game.view(state, awaited.seat) for awaited in game.awaited(state)]
    return views


def read(game: Game, order: str, view: Mapping[str, Any]) -> JsonObject | None:
    try:
        command = dict(read_order(game, order, view))
        check_command(game, command)
    except Refused:
        return None
    return command


@functools.cache
def orders_given(game_id: str, each: int) -> list[tuple[str, Mapping[str, Any]]]:
    """Return orders as they are shown, with what their seats saw: up to `each` of each kind, and those that bots seldom give."""
    game, rng = catalog.game(game_id), random.Random(game_id)
    kinds: dict[str, list[tuple[str, Record, int, int]]] = {}
    for record in played(game_id):
        for (seat, command), end in zip(record.commands, record.ends, strict=False):
            if seat is not None:
                kinds.setdefault(command["name"], []).append((game.render(command), record, end, seat))
    given: list[tuple[str, Mapping[str, Any]]] = [
        (line, game.view(replay(game, record.events[:end]).state, seat))
        for kind in kinds.values()
        for line, record, end, seat in rng.sample(kind, min(each, len(kind)))
    ]
    for line in FURTHER[game_id]:
        given.append((line, next(view for view in positions(game_id) if read(game, line, view) is not None)))
    return given


@functools.cache
def alone(game_id: str) -> list[tuple[str, JsonObject, Mapping[str, Any]]]:
    game = catalog.game(game_id)
    read_alone = ((verb, read(game, verb, view), view) for view in positions(game_id) for verb in sorted(game.verbs))
    return [(verb, command, view) for verb, command, view in read_alone if command is not None]


@pytest.mark.parametrize("game_id", catalog.OFFERED)
def test_an_order_word_alone_never_stands_for_an_empty_list(game_id: str) -> None:
    """Else `retreat` is an order to stay, and the heading "Orders" withdraws all standing orders."""
    empty = {
        verb: command
        for verb, command, _view in alone(game_id)
        if any(value in ([], {}, ()) for value in command.values()) and (game_id, verb) not in NOTHING_MEANT
    }
    assert empty == {}


@pytest.mark.parametrize("game_id", catalog.OFFERED)
def test_an_order_word_alone_is_written_alone(game_id: str) -> None:
    """What its receipt shows has no list that was not written either, and is read as the same order."""
    game = catalog.game(game_id)
    for _verb, command, view in alone(game_id):
        assert read(game, game.render(command), view) == command


@pytest.mark.parametrize(("views", "times"), [(3, 40), pytest.param(6, 150, marks=pytest.mark.long)])
@pytest.mark.parametrize("game_id", catalog.OFFERED)
def test_function_words_make_no_order(game_id: str, views: int, times: int) -> None:
    """In front of an order word and behind it they are asked about; between two they change nothing."""
    game, rng = catalog.game(game_id), random.Random(game_id)
    verbs = sorted(game.verbs)
    around = [word for word in FUNCTION_WORDS if word not in game.verbs]
    bare = sorted({verb for verb, *_ in alone(game_id)})
    for view in rng.sample(positions(game_id), views):
        for _time in range(times):
            verb, fillers = rng.choice(bare), rng.choices(around, k=rng.randint(1, 3))
            written = " ".join([*fillers, verb])
            for line in (written, written.capitalize() + ":", f"{verb} {' '.join(fillers)}"):
                begun = any(verb.startswith(line.split()[0].casefold()) for verb in verbs)
                assert begun or read(game, line, view) is None, line
                for text in (line, f"{line}\nEND"):
                    assert not any(one.state == "read" for one in order_mail.read(text, game, view)), text
            between = f"{verb} {' '.join(fillers)} {rng.choice(verbs)}"
            if (command := read(game, between, view)) is not None:
                assert command == read(game, " ".join([verb, between.split()[-1]]), view), between


@pytest.mark.parametrize(("each", "times"), [(1, 12), pytest.param(8, 300, marks=pytest.mark.long)])
@pytest.mark.parametrize("game_id", catalog.OFFERED)
def test_no_word_of_an_order_is_passed_over(game_id: str, each: int, times: int) -> None:
    """Else `end phase if Ben agrees` ends the phase. What is written between the words or behind them counts, or is refused."""
    game, rng = catalog.game(game_id), random.Random(game_id)
    for line, view in orders_given(game_id, each):
        meant, parts = read(game, line, view), line.split()
        assert meant is not None, line
        assert all(read(game, f"{line} {doubt}", view) is None for doubt in DOUBTS), line
        for _time in range(times):
            at, doubt, own = rng.randint(0, len(parts)), rng.choice(DOUBTS), rng.choice(OWN_WORDS)
            written = " ".join([*parts[:at], doubt, *parts[at:]])
            assert read(game, written, view) is None, written
            written = " ".join([*parts[:at], own, *parts[at:]])
            assert read(game, written, view) != meant, written
            word = rng.choice(FUNCTION_WORDS)
            if (game_id, word) not in COUNTING:
                written = " ".join([*parts[:at], word, *parts[at:]])
                assert read(game, written, view) in (None, meant), written


@pytest.mark.parametrize(
    ("game_id", "order", "rest"),
    [
        ("space_war", "end phase if Ben agrees", "if ben agrees"),
        ("space_war", "end phase, not turn", "not turn"),
        ("space_war", "attack b-04 a-01 if Ben is away", "if ben is away"),
        ("space_war", "collide b-04 a-01 or not", "or not"),
        ("space_war", "stand 28 not", "not"),
        ("space_war", "orders stand any not", "not"),
        ("star_commander", "tech c65 if Ben agrees", "if Ben agrees"),
        ("star_commander", "tech c65 or c66", "or c66"),
        ("star_commander", "offer 1 if Ben agrees give credits=1 want credits=2", "if Ben agrees"),
        ("star_commander", "accept 3 c12 nothing", "nothing"),
        ("stratastar", "end phase if Ben agrees", "if Ben agrees"),
        ("stratastar", "commit 2A none", "none"),
    ],
)
def test_what_is_left_over_is_named(game_id: str, order: str, rest: str) -> None:
    view = positions(game_id)[0]
    with pytest.raises(Refused, match=re.escape(f"Leave {rest!r} out of this order.")) as refusal:
        read_order(catalog.game(game_id), order, view)
    assert refusal.value.code == "unreadable"
