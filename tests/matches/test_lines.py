"""Lines of an analysis board: steps back and forth, and trees of conditional orders that a match follows exactly or not."""

from __future__ import annotations

import tracemalloc
import uuid
from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import Any

import pytest

from accounts.models import User
from gamesvc.games import catalog
from gamesvc.games.kernel import codec
from gamesvc.games.kernel.dice import Dice, KeyedSource
from gamesvc.games.kernel.game import Refused
from gamesvc.games.kernel.timeline import Timeline, check_options
from gamesvc.matches.access.selectors import Access, access_match
from gamesvc.matches.lobby import forks, lines, opening
from gamesvc.matches.models import Match, Premove, Seat
from gamesvc.matches.play import branches, conditional_orders, standing_orders, turns
from gamesvc.matches.record import loading
from gamesvc.matches.record.stream import STORE
from gamesvc.matches.undo import stepping, undoing
from notifications.models import Outbox
from tests.conftest import Program
from tests.matches import playing
from tests.matches.playing import sends
from tests.matches.test_standing import rewind

pytestmark = pytest.mark.django_db(transaction=True)

RETOOL: Mapping[str, Any] = {"name": "retool", "cards": []}
END: Mapping[str, Any] = {"name": "end_turn"}


def place(corner: str) -> Mapping[str, Any]:
    return {"name": "place_homeworld", "corner": corner}


@pytest.fixture
def match(anna: User, ben: User) -> Match:
    """Return a match of Stratastar in which seat 1, ben's, begins with a public act, and seat 0 has the first turn."""
    game = catalog.game("stratastar")
    beginnings = (Timeline(game).begin(check_options(game, {}, 2), 2, Dice(KeyedSource(bytes([seed]) * 32))) for seed in range(9))
    begun = next(one for one in beginnings if one.state.turn.active == 1)
    start = forks.described(game, codec.write_position(game, begun.state, begun.version, {}))
    made = opening.create_match(by=anna, game="stratastar", start=start)
    return opening.join_match(by=ben, match=made)


def access(user: User, match: Match) -> Access:
    return access_match(user=user, ident=str(match.pk))


def board_of(user: User, match: Match, *line: tuple[int, Mapping[str, Any]]) -> Match:
    """Open an analysis board at the present position, and play a line on it."""
    version = loading.load(match.id, match.game).viewer_version(access(user, match).viewer)
    board = forks.fork(access=access(user, match), version=version, board=True)
    for seat, command in line:
        playing.act(board, seat, command)
    return board


def act(match: Match, seat: int, command: Mapping[str, Any]) -> None:
    playing.act(match, seat, command)
    conditional_orders.play(match.id)


def go_to(user: User, board: Match, version: int) -> None:
    stepping.go_to(access=access(user, board), to=version, channel="web", command_id=uuid.uuid4())


def commands(match: Match) -> list[tuple[str, str]]:
    """Return the commands of a match with their channels."""
    stored = [one for one in STORE.read(match.id) if "command" in one.meta]
    return [(one.meta["command"]["name"], one.meta["channel"]) for one in stored]


def statuses(match: Match) -> list[str]:
    return list(Premove.objects.filter(match=match).order_by("number").values_list("status", flat=True))


@pytest.fixture
def two_ways(match: Match, anna: User) -> Match:
    """Keep answers to two corners, from one board. Return the board."""
    board = board_of(anna, match)
    start = loading.load(board.id, board.game).version
    for theirs, own in (("A1", "J10"), ("J1", "A10")):
        go_to(anna, board, start)
        for seat, command in ((1, place(theirs)), (0, place(own))):
            playing.act(board, seat, command)
        lines.keep(access(anna, board))
    return board


def test_a_line_is_kept_and_given_act_by_act(match: Match, anna: User) -> None:
    board = board_of(anna, match, (1, place("A1")), (0, place("J10")), (0, RETOOL))
    [kept] = lines.keep(access(anna, board))
    assert kept.condition["act"] == [{"type": "homeworld_placed", "data": {"corner": "A1", "next": 0, "seat": 1}}]
    words = standing_orders.words(loading.load(match.id, match.game), kept)
    assert words == "if player 2 plays home A1 then home J10; retool none"
    act(match, 1, place("A1"))
    assert commands(match) == [("place_homeworld", "api"), ("place_homeworld", "standing"), ("retool", "standing")]
    assert statuses(match) == ["done"]


def test_the_other_way_lapses_and_an_undo_brings_both_back(match: Match, two_ways: Match) -> None:
    assert statuses(match) == ["waiting", "waiting"]
    act(match, 1, place("J1"))
    assert statuses(match) == ["lapsed", "done"]
    version = loading.load(match.id, match.game).viewer_version(1)
    undoing.undo(match=match, sender=sends(match, 1), expected_version=version, command_id=uuid.uuid4())
    undoing.answer(match=match, sender=sends(match, 0), accept=True, command_id=uuid.uuid4())
    assert statuses(match) == ["waiting", "waiting"]
    act(match, 1, place("A1"))
    assert statuses(match) == ["done", "lapsed"]


MOVE: Mapping[str, Any] = {"name": "move", "from": "A1", "to": "B1", "fleets": 1, "warfleets": 0, "free": True}


@pytest.fixture
def moving(match: Match) -> Match:
    """Return the match where ben can move a fleet, or end his turn with events that tell nothing of his moves."""
    before = [(1, place("A1")), (0, place("J10")), (0, RETOOL), (0, END), (1, RETOOL), *[(1, {"name": "end_phase"})] * 2]
    for seat, command in before:
        act(match, seat, command)
    return match


def undo(match: Match, seat: int, do: Callable[..., Any] = undoing.undo) -> None:
    version = loading.load(match.id, match.game).viewer_version(seat)
    assert do(match=match, sender=sends(match, seat), expected_version=version, command_id=uuid.uuid4()).done
    conditional_orders.play(match.id)


def keep_answer(match: Match, anna: User) -> None:
    """Keep an answer to the end of ben's turn, in the present position."""
    lines.keep(access(anna, board_of(anna, match, (1, END), (0, RETOOL), (0, END))))


def test_a_tree_is_not_followed_in_a_position_before_the_one_in_which_it_was_laid(moving: Match, anna: User) -> None:
    """Ben takes a move back, for which nobody is asked, and ends his turn as the tree waits for: with his fleet elsewhere."""
    act(moving, 1, MOVE)
    keep_answer(moving, anna)
    undo(moving, 1)
    assert statuses(moving) == ["lapsed"]
    undo(moving, 1, undoing.redo)
    assert statuses(moving) == ["waiting"]
    undo(moving, 1)
    act(moving, 1, END)
    assert statuses(moving) == ["lapsed"]
    assert commands(moving)[-1] == ("end_turn", "api")


def test_a_tree_waits_while_the_match_goes_back_to_the_position_in_which_it_was_laid(moving: Match, anna: User) -> None:
    act(moving, 1, MOVE)
    undo(moving, 1)
    keep_answer(moving, anna)
    act(moving, 1, MOVE)
    assert statuses(moving) == ["lapsed"]
    undo(moving, 1)
    assert statuses(moving) == ["waiting"]
    act(moving, 1, END)
    assert statuses(moving) == ["done"]
    assert commands(moving)[-1] == ("end_turn", "standing")


def test_a_line_before_which_the_match_has_gone_back_since_it_was_read_is_refused(
    moving: Match, anna: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    act(moving, 1, MOVE)
    kept = branches.keep

    def late(**given: Any) -> list[Premove]:
        undo(moving, 1)
        return kept(**given)

    monkeypatch.setattr(branches, "keep", late)
    with pytest.raises(Refused) as refused:
        keep_answer(moving, anna)
    assert refused.value.code == "line_left"
    assert not Premove.objects.exists()


def test_an_order_is_given_again_after_the_match_went_twice_to_where_its_case_had_come(
    moving: Match, anna: User, player: Callable[..., User]
) -> None:
    """What was given of it after the first time was undone, and has used up nothing."""
    operator = player("operator", is_staff=True)
    moved = {"event": {"type": "fleets_moved", "data": {"seat": 1}}}
    row = standing_orders.lay_by(match=moving, seat=0, user=anna, condition=moved, commands=[RETOOL])
    begun = loading.load(moving.id, moving.game).version
    act(moving, 1, MOVE)
    armed = loading.load(moving.id, moving.game).version
    act(moving, 1, {"name": "end_phase"})
    rewind(moving, operator, begun)
    for _ in range(2):
        rewind(moving, operator, armed)
        act(moving, 1, END)
        row.refresh_from_db()
        assert (row.status, row.why) == ("done", "")
        assert commands(moving)[-1] == ("retool", "standing")


@pytest.mark.parametrize("since", [(), (END,)])
def test_a_board_from_which_the_match_has_gone_back_keeps_no_line(
    moving: Match, anna: User, since: tuple[Mapping[str, Any]]
) -> None:
    """Its acts may follow all the same, from the position before. Where the match comes back, the line can be kept."""
    act(moving, 1, MOVE)
    board = board_of(anna, moving, (1, END), (0, RETOOL), (0, END), (1, RETOOL), (1, END), (0, RETOOL))
    undo(moving, 1)
    for command in since:
        act(moving, 1, command)
    with pytest.raises(Refused) as refused:
        lines.keep(access(anna, board))
    assert refused.value.code == "line_left"
    if not since:
        undo(moving, 1, undoing.redo)
        assert lines.keep(access(anna, board))


def test_any_other_act_ends_a_tree_without_a_word(match: Match, two_ways: Match) -> None:
    act(match, 1, place("J10"))
    assert statuses(match) == ["lapsed", "lapsed"]
    version = loading.load(match.id, match.game).version
    assert {row.why for row in Premove.objects.all()} == {f"The match took another way with version {version}."}
    assert not Outbox.objects.filter(kind="standing_dropped").exists()


def test_a_line_shares_what_is_kept_and_another_answer_replaces_the_one_before(match: Match, anna: User, two_ways: Match) -> None:
    lines.keep(access(anna, two_ways))
    assert statuses(match) == ["waiting", "waiting"]
    theirs = lines.steps(loading.load(two_ways.id, two_ways.game))[0]
    go_to(anna, two_ways, theirs.version)
    playing.act(two_ways, 0, place("J10"))
    lines.keep(access(anna, two_ways))
    assert statuses(match) == ["waiting", "dropped", "waiting"]
    standing_orders.cancel(match=match, seat=0, number=1, user=anna)
    assert statuses(match) == ["dropped", "dropped", "waiting"]


def test_answers_replaced_again_and_again_are_forgotten(match: Match, anna: User, monkeypatch: pytest.MonkeyPatch) -> None:
    """Numbers go up to 9,999 in each match, and each order may take some kilobytes."""
    monkeypatch.setattr(branches, "LISTED", 1)
    board = board_of(anna, match, (1, place("A1")), (0, place("J10")))
    theirs = lines.steps(loading.load(board.id, board.game))[0]
    for corner in ("J1", "J10", "A10", "J10"):
        go_to(anna, board, theirs.version)
        playing.act(board, 0, place(corner))
        lines.keep(access(anna, board))
    assert list(Premove.objects.order_by("number").values_list("number", "status")) == [(3, "dropped"), (4, "waiting")]


def test_an_order_that_is_done_is_kept_while_others_follow_it(match: Match, anna: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(branches, "MOST_ENDED", 0)
    for seat, command in ((1, place("A1")), (0, place("J10")), (0, RETOOL)):
        act(match, seat, command)
    lines.keep(access(anna, board_of(anna, match, (0, END), (1, RETOOL), (1, END), (0, RETOOL), (0, END))))
    act(match, 0, END)
    act(match, 1, RETOOL)
    never = {"event": {"type": "turn_started", "data": {"turn": 99}}}
    standing_orders.lay_by(match=match, seat=0, user=anna, condition=never, commands=[END])
    assert statuses(match) == ["done", "done", "waiting", "waiting"]


def test_branches_follow_each_other_and_fall_together(match: Match, anna: User) -> None:
    for seat, command in ((1, place("A1")), (0, place("J10")), (0, RETOOL)):
        act(match, seat, command)
    # Their turn begins after ours, and each of its acts decides anew.
    board = board_of(anna, match, (0, END), (1, RETOOL), (1, END), (0, RETOOL), (0, END))
    made = lines.keep(access(anna, board))
    assert [(row.condition["seat"], len(row.commands)) for row in made] == [(0, 0), (1, 0), (1, 2)]
    assert [row.after for row in made] == [None, made[0], made[1]]
    act(match, 0, END)
    assert statuses(match) == ["done", "waiting", "waiting"]
    act(match, 1, RETOOL)
    assert statuses(match) == ["done", "done", "waiting"]
    act(match, 1, {"name": "end_phase"})
    assert statuses(match) == ["done", "done", "lapsed"]


def test_a_branch_that_is_cancelled_takes_those_after_it_along(match: Match, anna: User) -> None:
    for seat, command in ((1, place("A1")), (0, place("J10")), (0, RETOOL)):
        act(match, seat, command)
    board = board_of(anna, match, (0, END), (1, RETOOL), (1, END), (0, RETOOL))
    lines.keep(access(anna, board))
    standing_orders.cancel(match=match, seat=0, number=2, user=anna)
    assert statuses(match) == ["waiting", "dropped", "dropped"]


def test_chance_and_hidden_cards_end_a_line(match: Match, anna: User) -> None:
    for seat, command in ((1, place("A1")), (0, place("J10")), (0, RETOOL), (0, END)):
        act(match, seat, command)
    board = board_of(anna, match)
    hand = loading.load(board.id, board.game).timeline.state.players[1].hand
    for seat, command in ((1, {"name": "retool", "cards": list(hand)[:3]}), (1, END), (0, RETOOL)):
        playing.act(board, seat, command)
    with pytest.raises(Refused) as refused:
        lines.read(access(anna, board))
    assert refused.value.code == "line_uncertain"
    assert not Premove.objects.exists()


def test_a_line_counts_from_where_the_match_is_by_now(match: Match, anna: User) -> None:
    later = board_of(anna, match, (1, place("A1")), (0, place("J10")), (0, RETOOL), (0, END), (1, RETOOL), (1, END), (0, RETOOL))
    other = board_of(anna, match, (1, place("J1")), (0, place("J10")))
    for seat, command in ((1, place("A1")), (0, place("J10"))):
        act(match, seat, command)
    with pytest.raises(Refused) as refused:
        lines.read(access(anna, other))
    assert refused.value.code == "line_left"
    found = lines.read(access(anna, later)).branches
    assert [(one.seat, one.command["name"]) for one in found] == [(0, "retool"), (0, "end_turn"), (1, "retool"), (1, "end_turn")]


def test_a_board_goes_back_and_forth(match: Match, anna: User) -> None:
    board = board_of(anna, match, (1, place("A1")), (0, place("J10")))

    def shown() -> list[tuple[int, bool]]:
        return [(step.version, step.ahead) for step in lines.steps(loading.load(board.id, board.game))]

    (first, _), (last, _) = shown()
    dealt = loading.load(board.id, board.game).timeline.state
    go_to(anna, board, first)
    assert shown() == [(first, False), (last, True)]
    go_to(anna, board, first - 1)
    assert shown() == [(first, True), (last, True)]
    go_to(anna, board, last)
    assert shown() == [(first, False), (last, False)]
    assert loading.load(board.id, board.game).timeline.state == dealt
    go_to(anna, board, first)
    playing.act(board, 0, place("J1"))
    assert [ahead for _version, ahead in shown()] == [False, False]
    with pytest.raises(Refused) as refused:
        go_to(anna, match, first)
    assert refused.value.code == "not_a_board"


def test_a_board_is_full_some_day(match: Match, anna: User, monkeypatch: pytest.MonkeyPatch) -> None:
    board = board_of(anna, match, (1, place("J10")))
    version = STORE.head(board.id).version
    monkeypatch.setattr(turns, "MOST_ON_BOARD", version)
    for more in (lambda: playing.act(board, 0, place("A1")), lambda: go_to(anna, board, version - 1)):
        with pytest.raises(Refused) as refused:
            more()
        assert refused.value.code == "board_full"
    assert STORE.head(board.id).version == version
    playing.act(match, 1, place("J10"))


def test_going_back_and_forth_takes_no_more_memory_than_the_record() -> None:
    """Each event with the whole way to it would take forty megabytes here."""
    stored: list[Any] = []
    for _ in range(20):
        stored += [SimpleNamespace(type="toy.drawn", version=len(stored) + at) for at in range(2, 501)]
        stored.append(SimpleNamespace(type="match.rewound", version=len(stored) + 2, data={"to": 1, "cause": "undo"}))
    tracemalloc.start()
    line, ahead = lines._paths(stored, 1)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (line, len(ahead)) == (set(), 499)
    assert peak < 10_000_000


def test_only_the_player_of_a_running_match_keeps_a_line(match: Match, anna: User, two_ways: Match) -> None:
    for board, code in ((match, "not_a_board"), (board_of(anna, match), "no_answer")):
        with pytest.raises(Refused) as refused:
            lines.read(access(anna, board))
        assert refused.value.code == code
    Seat.objects.filter(match=match, index=0).update(user=None)
    with pytest.raises(Refused) as refused:
        lines.keep(access(anna, two_ways))
    assert refused.value.code == "no_match_behind"


def test_a_board_opens_where_a_branch_is(match: Match, anna: User, two_ways: Match) -> None:
    second = Premove.objects.get(match=match, number=2)
    board = lines.open_board(access(anna, match), second)
    found = lines.steps(loading.load(board.id, board.game))
    assert [(step.seat, step.command["corner"]) for step in found] == [(1, "J1"), (0, "A10")]


def test_programs_walk_along_a_line_and_keep_it(match: Match, anna: User, program: Callable[..., Program]) -> None:
    board, player = board_of(anna, match, (1, place("A1")), (0, place("J10"))), program(anna)
    shown = player.get(f"/matches/{board.pk}/line/").json()
    assert [(one["seat"], one["order"], one["ahead"]) for one in shown["steps"]] == [
        (1, "home A1", False),
        (0, "home J10", False),
    ]
    assert [one["answers"] for one in shown["keeps"]["branches"]] == [[place("J10")]]
    kept = player.post(f"/matches/{board.pk}/line/").json()
    assert (kept["match"], kept["orders"][0]["after"]) == (str(match.id), None)
    gone = player.post(f"/matches/{board.pk}/go-to/", {"to": shown["steps"][0]["version"]})
    assert gone.status_code == 200
    shown = player.get(f"/matches/{board.pk}/line/").json()
    assert (shown["keeps"], shown["refusal"]["code"]) == (None, "no_answer")


def test_the_acts_of_a_long_match_that_stand_take_memory_by_their_number_alone() -> None:
    """The owner of a board asks for its line while its match goes on: with 30,000 events since it took four gigabytes."""
    acts = 3_000

    def event(version: int) -> Any:
        meta = {"command_id": str(version), "command": {"name": "pass"}}
        if version % 10:
            return SimpleNamespace(type="toy.passed", version=version, data={}, meta=meta)
        return SimpleNamespace(type="match.rewound", version=version, data={"to": version - 5}, meta={"command_id": str(version)})

    stored: Any = [event(version) for version in range(101, 101 + acts)]
    tracemalloc.start()
    try:
        standing = conditional_orders.standing_acts(stored, 100)
        _now, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert [one.version for [one] in standing][:7] == [101, 102, 103, 104, 105, 111, 112]
    assert len(standing) == acts // 2
    assert peak < 1_000 * acts


class Counted(int):
    """A version that counts how often the versions of its kind are looked up."""

    looked_up = 0

    def __hash__(self) -> int:
        Counted.looked_up += 1
        return super().__hash__()


def test_a_full_board_that_went_back_and_forth_is_read_step_by_step_not_way_by_way(monkeypatch: pytest.MonkeyPatch) -> None:
    """With 5,000 events and as many steps back and forth at their end, its line took two seconds."""
    played, gone_back = 500, 500

    def event(version: int) -> Any:
        meta = {"command_id": str(version), "actor": {"seat": 0}, "command": {"name": "pass"}}
        if version <= played:
            return SimpleNamespace(type="stratastar.turn_ended", version=Counted(version), data={}, meta=meta, type_version=1)
        data = {"to": played if version % 2 else played - 1, "cause": "undo"}
        del meta["command"]
        return SimpleNamespace(type="match.rewound", version=Counted(version), data=data, meta=meta, type_version=1)

    stored = [event(version) for version in range(1, played + gone_back + 1)]
    board: Any = SimpleNamespace(match_id=uuid.uuid4(), version=len(stored), game=catalog.game("stratastar"))
    monkeypatch.setattr(lines, "STORE", SimpleNamespace(read=lambda *_: stored))
    monkeypatch.setattr(loading, "first_playable", lambda _loaded: 0)
    Counted.looked_up = 0
    steps = lines.steps(board)
    assert Counted.looked_up < 20 * len(stored)
    assert [step.version for step in steps] == list(range(1, played + 1))
    assert [step.version for step in steps if step.ahead] == [played]


def test_a_way_is_ahead_until_the_board_goes_where_it_does_not_lead(match: Match, anna: User) -> None:
    board = board_of(anna, match)
    start = loading.load(board.pk, board.game).version

    def ahead(*, at: int) -> list[int]:
        go_to(anna, board, at)
        return [step.version for step in lines.steps(loading.load(board.pk, board.game)) if step.ahead]

    acts = []
    for corner, then in (("A1", start), ("J1", start)):
        go_to(anna, board, then)
        playing.act(board, loading.load(board.pk, board.game).awaited()[0].seat, place(corner))
        acts.append(loading.load(board.pk, board.game).version)
    first, second = acts
    assert ahead(at=start) == [second]
    assert ahead(at=second) == []
    assert ahead(at=first) == []
    assert ahead(at=start) == [first]
